/**
 * A summary that nobody but us has asked for, from its beginning to what becomes of it: what is expected of it, whether it
 * can be used, and how it is counted where it is not.
 *
 * When one is begun, and how it takes effect, is for `ahead.ts` and `at-return.ts` to say.
 */

import type { Figures } from "../answers.ts";
import { CHARACTERS_A_TOKEN, type ExtensionContext, physicalModel, type Usage } from "../host.ts";
import { UNUSED_KIND } from "./details.ts";
import { originalUnits, type Prepared, type Written, write } from "./summaries.ts";
import { EXPECTED_NARRATIVE, needsSummary, type Outlook, paysAtReturn } from "./worth.ts";

/** Milliseconds for which a prompt waits for a summary that is begun for it: enough for a model that thinks first. */
const MOST_WAIT = 120_000;

/** One that a prompt waits for. */
export function waitedFor({ request, keptId }: Prepared): Prepared {
	return { request: { ...request, within: MOST_WAIT }, keptId };
}

export interface Job {
	readonly prepared: Prepared;
	readonly written: Promise<Written | undefined>;
	readonly model: { readonly provider: string; readonly id: string };
	/** The branch's end when it was begun. */
	readonly leafId: string | null;
	readonly ctx: ExtensionContext;
	/** It came to an end without a narrative. */
	hasFailed: boolean;
}

export function begin(prepared: Prepared, ctx: ExtensionContext, signal: AbortSignal): Job {
	const { provider = "", id = "" } = physicalModel(ctx) ?? {};
	const leafId = ctx.sessionManager.getLeafId();
	const written = write(prepared.request, ctx, signal).catch(() => undefined);
	const job: Job = { prepared, written, model: { provider, id }, leafId, ctx, hasFailed: false };
	void written.then((done) => {
		job.hasFailed = !done || !isWhole(done);
	});
	return job;
}

/** Whether there is a narrative: without one, folds alone keep more. */
export function isWhole({ details }: Written): boolean {
	return details.path !== "fixed part only";
}

/** What became of one that is waited for, until `signal` ends the waiting. */
export async function outcome({ written }: Job, signal: AbortSignal): Promise<{ written: Written } | { why: string }> {
	const stopped = new Promise<undefined>((done) => {
		if (signal.aborted) done(undefined);
		else signal.addEventListener("abort", () => done(undefined), { once: true });
	});
	const done = await Promise.race([written, stopped]);
	if (signal.aborted) return { why: "stopped" };
	return done && isWhole(done) ? { written: done } : { why: `not written (${done?.details.reason ?? "it failed"})` };
}

/** What is said then. */
export function withoutLine(why: string): string {
	return `pi-zip · the summary was ${why}: the request goes out with folds alone`;
}

type AppendUsage = (kind: string, provider: string, model: string, usage: Usage, note: string) => unknown;

/** Counts what was written for nothing, once it is written; not where the session is over by then. */
export function countUnused({ written, model, ctx }: Job, isOver: () => boolean): void {
	written.then((done) => done && !isOver() && addUnused(done, model, ctx)).catch(() => {});
}

export function addUnused({ usage, details }: Written, model: Job["model"], ctx: ExtensionContext): void {
	if (!usage) return;
	// As Pi's own cache warmer counts its requests; not in Pi's types.
	const session = ctx.sessionManager as { appendUsage?: AppendUsage };
	session.appendUsage?.(UNUSED_KIND, model.provider, model.id, usage, `not used (${details.reason})`);
}

/** A context in real tokens, as it is and as folds alone leave it at a cold return. */
export interface Moment {
	readonly context: number;
	readonly folded: number;
	/** Real tokens to an estimated one. */
	readonly factor: number;
	readonly figures: Figures | undefined;
}

export function outlookOf({ context, folded, factor, figures }: Moment, { request }: Prepared): Outlook | undefined {
	if (!figures) return undefined;
	const { input, output, read, write, ahead, behind } = figures;
	const size = (units: number) => (units / CHARACTERS_A_TOKEN) * factor;
	const summary = size(request.fixed.length) + EXPECTED_NARRATIVE;
	const summarised = Math.max(0, context - size(request.range.units)) + summary;
	// Of the present stretch more is expected the longer it has lasted; a return begins anew.
	const requests = ahead - behind;
	return { context, folded, summarised, input, output, read, write, requests };
}

/** What is expected of it at a cold return that finds nothing ready; undefined where none is needed or worth its price. */
export function worthAtReturn(moment: Moment, prepared: Prepared, target: number): Outlook | undefined {
	const outlook = outlookOf(moment, prepared);
	if (!outlook || !needsSummary(outlook, target)) return undefined;
	return paysAtReturn(outlook, (originalUnits(prepared.request) / CHARACTERS_A_TOKEN) * moment.factor)
		? outlook
		: undefined;
}
