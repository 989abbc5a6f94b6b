/** Values of a request's body, of which nothing is known before it was looked at. */

export type JsonObject = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Providers refuse text blocks that hold only white space. */
export function isBlank(text: string): boolean {
	return text.trim() === "";
}
