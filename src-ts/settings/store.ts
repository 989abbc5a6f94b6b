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

	/** Takes in what the file holds by now. */
	reload(): void {
		this.#file = this.#read();
		Object.assign(this.#settings, readSettings(undefined, this.#file));
	}

	/** Sets, or takes away where `value` is undefined, the setting at a path of keys. Throws where the file stayed as it was. */
	change(path: readonly string[], value: unknown): void {
		const file = join(this.#folder(), SETTINGS_FILE);
		if (!this.#disk.update(file, (text) => changed(text, path, value), { backup: true })) {
			throw new Error("is being written by another process: try again");
		}
		this.reload();
	}

	#read(): ReadFile {
		try {
			return readSettingsFile(this.#disk.readText(this.#folder(), SETTINGS_FILE));
		} catch {
			return { ...readSettingsFile(undefined), faults: ["cannot be read"] };
		}
	}
}
