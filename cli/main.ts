/**
 * `pi-zip`: the command line. Picks the command, and turns what it throws into one line and an exit status.
 */

import { packageVersion } from "./disk.ts";
import { Misuse, reasonOf } from "./failure.ts";
import { Output } from "./output.ts";
import { RECALL_HELP, recall } from "./recall.ts";
import { REPLAY_HELP, replay } from "./replay.ts";
import { REPORT_HELP, report } from "./report.ts";
import { SEARCH_HELP, search } from "./search.ts";

interface Command {
	help: string;
	/** Whether some of what was asked for failed and was said so is the answer. */
	run(args: readonly string[], output: Output): Promise<boolean | void>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
	replay: { help: REPLAY_HELP, run: replay },
	report: { help: REPORT_HELP, run: report },
	recall: { help: RECALL_HELP, run: recall },
	search: { help: SEARCH_HELP, run: search },
};

const HELP = `usage: pi-zip COMMAND ...

  replay [FILE|FOLDER ...]    what sessions cost, and what they would have cost
  report FILE [-o PAGE.html]  one session as a page
  recall FILE HANDLE          the original of a folded output
  search WORDS ...            text in past sessions

"pi-zip COMMAND --help" tells more, --version which pi-zip this is. All of them read session files of Pi and change nothing; none needs a key or a network.
`;

main(process.argv.slice(2), new Output()).then((status) => {
	process.exitCode = status;
});

async function main([name, ...args]: readonly string[], output: Output): Promise<number> {
	if (name === undefined || name === "--help" || name === "-h" || name === "help") {
		await output.write(HELP);
		return name === undefined ? 2 : 0;
	}
	if (name === "--version" || name === "-v") {
		await output.write(`${packageVersion()}\n`);
		return 0;
	}
	const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
	if (command === undefined) {
		output.note(`there is no command ${name}; known: ${Object.keys(COMMANDS).join(", ")}`);
		return 2;
	}
	const end = args.includes("--") ? args.indexOf("--") : args.length;
	if (args.slice(0, end).some((arg) => arg === "--help" || arg === "-h")) {
		await output.write(command.help);
		return 0;
	}
	try {
		return (await command.run(args, output)) === true ? 1 : 0;
	} catch (error) {
		if (error instanceof Misuse) {
			output.note(`${error.message} (pi-zip ${name} --help)`);
			return 2;
		}
		output.note(reasonOf(error));
		return 1;
	}
}
