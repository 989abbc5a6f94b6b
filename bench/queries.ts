/** What the searches of the bench look for. */

export const QUERIES = [
	["words", "price of the stock after a discount"],
	["identifier", "computeStockPrice42"],
] as const;

/** Words of which the generated sessions have none: they stand in a few that are made to hold them. */
export const FEW_HOLD = "quarterly reconciliation";
