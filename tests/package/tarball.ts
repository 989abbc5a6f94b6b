/** What npm would publish, packed into a folder of the caller. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { ROOT } from "../host/home.ts";

export interface Tarball {
	/** Absolute path. */
	path: string;
	/** Bytes. */
	size: number;
	/** Bytes of each file, by its path in the package. */
	files: ReadonlyMap<string, number>;
}

interface NpmReport {
	filename: string;
	size: number;
	files: { path: string; size: number }[];
}

export function pack(folder: string): Tarball {
	const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
	const output = execFileSync("npm", args, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
	const [report] = JSON.parse(output) as NpmReport[];
	if (report === undefined) throw new Error(`npm packed nothing: ${output}`);
	return {
		path: join(folder, report.filename),
		size: report.size,
		files: new Map(report.files.map(({ path, size }) => [path, size])),
	};
}
