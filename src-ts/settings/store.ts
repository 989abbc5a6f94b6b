/**
 * The settings in force, and the file that they stand in. A change is written to the file at once, with a backup of what
 * stood there, and holds from then on: who holds `settings` sees it.
 */

import { join } from "node:path";
import type { Disk } from "../files.ts";
import type { Host } from "../host.ts";
import { readSettings, type Settings } from "../settings.ts";
import { type ReadFile, readSettingsFile, SETTINGS_FILE } from "../settings-file.ts";
import { changed } from "./document.ts";

export class SettingsStore {
	readonly #disk: Disk;
	readonly #folder: () => string;
	readonly #settings: Settings;
	#file: ReadFile;
	/** A change since the last reload has left a backup of what stood there before. */
	#isBackedUp = false;

	constructor(disk: Disk, host: Host) {
		this.#disk = disk;
		this.#folder = () => host.pi.getAgentDir();
		this.#file = this.#read();
		this.#settings = readSettings(undefined, this.#file);
	}

	/** One object for as long as the session lasts, always what is in force. */
	get settings(): Settings {
		return this.#settings;
	}

	/** What is wrong in the file, a line each. */
	get faults(): readonly string[] {
		return this.#file.faults;
	}

	/** What the file sets. */
	get file(): ReadFile["settings"] {
		return this.#file.settings;
	}

	/** Whether what the file held at the last reload stands in a backup. */
	get isBackedUp(): boolean {
		return this.#isBackedUp;
	}

	/** Takes in what the file holds by now; the next change keeps that as a backup. */
	reload(): void {
		this.#isBackedUp = false;
		this.#take();
	}

	/** Sets, or takes away where `value` is undefined, the setting at a path of keys. Throws where the file stayed as it was. */
	change(path: readonly string[], value: unknown): void {
		const file = join(this.#folder(), SETTINGS_FILE);
		let isThere = false;
		const change = (text: string | undefined) => {
			isThere = text !== undefined;
			return changed(text, path, value);
		};
		if (!this.#disk.update(file, change, { backup: !this.#isBackedUp })) {
			throw new Error("is being written by another process: try again");
		}
		this.#isBackedUp ||= isThere;
		this.#take();
	}

	#take(): void {
		this.#file = this.#read();
		Object.assign(this.#settings, readSettings(undefined, this.#file));
	}

	#read(): ReadFile {
		try {
			return readSettingsFile(this.#disk.readText(this.#folder(), SETTINGS_FILE));
		} catch {
			return { ...readSettingsFile(undefined), faults: ["cannot be read"] };
		}
	}
}
