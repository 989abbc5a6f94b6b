/**
 * The models that are asked beside the conversation: those of the settings in their order, else the one in use. One that
 * fails goes last for the session.
 */

import { type ExtensionContext, type Model, physicalModel } from "./host.ts";

export class ModelChain {
	readonly #names: () => readonly string[];
	/** By `provider/id`, with the number of the failure. */
	readonly #failed = new Map<string, number>();
	#failures = 0;

	/** `names` are those of the settings, as `provider/id`. */
	constructor(names: () => readonly string[]) {
		this.#names = names;
	}

	/** In the order in which they are to be tried; names that Pi does not know are left out. */
	models(ctx: Pick<ExtensionContext, "modelRegistry" | "model" | "sessionManager">): Model[] {
		const known = this.#names().flatMap((name) => {
			const slash = name.indexOf("/");
			return ctx.modelRegistry.find(name.slice(0, slash), name.slice(slash + 1)) ?? [];
		});
		const current = known.length > 0 ? undefined : physicalModel(ctx as ExtensionContext);
		const rank = (model: Model) => this.#failed.get(nameOf(model)) ?? 0;
		return [...known, ...(current ? [current] : [])].sort((one, other) => rank(one) - rank(other));
	}

	fail(model: Model): void {
		this.#failures += 1;
		this.#failed.set(nameOf(model), this.#failures);
	}
}

export function nameOf({ provider, id }: Pick<Model, "provider" | "id">): string {
	return `${provider}/${id}`;
}
