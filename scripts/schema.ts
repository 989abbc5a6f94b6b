// Writes the published JSON schema of the settings file from the declaration of its keys: `node scripts/schema.ts`.
// A test holds the file against it.

import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { KEYS, type Key, MODEL_KEYS, SCHEMA_KEY, type Value } from "../src-ts/settings/keys.ts";
import { MODEL_NAME } from "../src-ts/settings-file.ts";

export const SCHEMA_FILE = fileURLToPath(new URL("../pi-zip.schema.json", import.meta.url));

/** The schema as the file has it. */
export function schemaText(): string {
	const schema = {
		$schema: "https://json-schema.org/draft/2020-12/schema",
		title: "Settings of pi-zip (pi-zip.json in Pi's agent folder)",
		...object(KEYS, { [SCHEMA_KEY]: { type: "string" } }),
	};
	return `${JSON.stringify(schema, null, "\t")}\n`;
}

function object(keys: Readonly<Record<string, Key>>, others: object = {}): object {
	const properties = Object.entries(keys).map(([name, { value, what, default: standard }]) => [
		name,
		{ description: what, ...typeOf(value), ...(standard === undefined ? {} : { default: standard }) },
	]);
	return {
		type: "object",
		properties: { ...others, ...Object.fromEntries(properties) },
		additionalProperties: false,
	};
}

function typeOf(value: Value): object {
	switch (value.kind) {
		case "number":
			return { type: "number", minimum: value.least, maximum: value.most };
		case "choice":
			return { enum: value.names };
		case "flag":
			return { type: "boolean" };
		case "models":
			return { type: "array", items: { type: "string", pattern: MODEL_NAME.source } };
		case "byModel":
			return { type: "object", additionalProperties: object(MODEL_KEYS) };
	}
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(SCHEMA_FILE, schemaText());
