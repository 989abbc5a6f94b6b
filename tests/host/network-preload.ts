/** Loaded into Pi by `node --import`: appends each host and port that the process connects to, or looks up, to a file. */
import { appendFileSync } from "node:fs";
import net from "node:net";

/** Name of the variable that holds the path of the record. */
export const NETWORK_FILE = "NETWORK_RECORD_FILE";

const file = process.env[NETWORK_FILE];
if (file !== undefined) {
	const connect = net.Socket.prototype.connect;
	net.Socket.prototype.connect = function record(this: net.Socket, ...args: unknown[]) {
		// Node hands on its own normalised argument list, an array in the first place.
		const [first, second] = Array.isArray(args[0]) ? args[0] : args;
		const options = typeof first === "object" && first !== null ? (first as Record<string, unknown>) : undefined;
		const place = options
			? (options.path ?? `${options.host ?? "localhost"}:${options.port}`)
			: `${typeof second === "string" ? second : "localhost"}:${first}`;
		appendFileSync(file, `${place}\n`);
		return Reflect.apply(connect, this, args) as net.Socket;
	} as typeof connect;
}
