/** The bounds, and the table that is printed against them. */

export interface Row {
	name: string;
	/** What is held against the bound. */
	value: number;
	bound: number;
	unit: "ms" | "s" | "MB" | "KB" | "%";
	/** What else was seen, for the reader. */
	note: string;
}

/** Prints the rows; true where each is within its bound. */
export function printTable(rows: readonly Row[]): boolean {
	const lines = rows.map(({ name, value, bound, unit, note }) => {
		const verdict = value <= bound ? "" : "  ABOVE";
		return [name, `${shown(value)} ${unit}`, `${bound} ${unit}`, `${note}${verdict}`];
	});
	const table = [["", "measured", "bound", ""], ...lines];
	const widths = [0, 1, 2].map((column) => Math.max(...table.map((line) => line[column]!.length)));
	for (const [name = "", value = "", bound = "", note = ""] of table) {
		console.log(
			`${name.padEnd(widths[0]!)}  ${value.padStart(widths[1]!)}  ${bound.padStart(widths[2]!)}  ${note}`.trimEnd(),
		);
	}
	return rows.every(({ value, bound }) => value <= bound);
}

export function shown(value: number): string {
	if (value >= 100) return value.toFixed(0);
	return value.toFixed(value >= 1 ? 1 : 3);
}
