/** Sessions with a fault each, and what a return long after makes of them. */

import { output, type SessionFile, text } from "./session-file.ts";

export interface Kind {
	readonly name: string;
	write(session: SessionFile): SessionFile;
	/** The entries that a return long after folds. */
	readonly folded: readonly string[];
	/** What the request holds of results that lost their call, as text. */
	readonly rescued?: readonly string[];
	/** Whether some provider would have refused the request. */
	readonly repaired?: boolean;
	/** Pi's own serialisers throw at it. */
	readonly unsendable?: boolean;
}

/** A whole session of old, on which the fault is put. */
const two = (session: SessionFile) => session.turn("1").turn("2");

export const KINDS: Kind[] = [
	{
		name: "no fault",
		write: (session) => two(session).turn("3"),
		folded: ["r1", "r2"],
	},
	{
		name: "a compaction between a call and its result, kept by a later one",
		write: (session) =>
			session
				.turn("0")
				.asks("u1")
				.calls("a1", ["c1"])
				.compacts("k1", "u1")
				.returns("r1", "c1")
				.answers("z1")
				.turn("2")
				.compacts("k2", "u1")
				.turn("3"),
		folded: ["r1", "r2"],
	},
	{
		name: "a compaction between a call and its result, which keeps the result alone",
		write: (session) =>
			session.asks("u1").calls("a1", ["c1"]).compacts("k1", null).returns("r1", "c1").answers("z1").turn("2").turn("3"),
		folded: ["r2"],
		rescued: ["r1"],
		repaired: true,
	},
	{
		name: "a compaction that keeps from a label on",
		write: (session) =>
			session
				.turn("1")
				.entry("l1", { type: "label", targetId: "u1", label: "here" })
				.turn("2")
				.turn("3")
				.compacts("k1", "l1")
				.turn("4"),
		folded: ["r2", "r3"],
	},
	{
		name: "a compaction that keeps from an entry that is not there",
		write: (session) => session.turn("1").turn("2").compacts("k1", "nowhere").turn("3").turn("4"),
		folded: ["r3"],
	},
	{
		name: "a result whose call never reached the file",
		write: (session) => session.turn("1").compacts("k1", "z1").returns("r2", "lost").answers("z2").turn("3").turn("4"),
		folded: ["r3"],
		rescued: ["r2"],
		repaired: true,
	},
	{
		name: "a broken line in the middle, which held a call",
		write: (session) => {
			session.turn("1").asks("u2").line('{"type":"message","id":"a2","parentId":"u2","tim\\xestamp":1,"mess');
			session.leaf = "a2";
			return session.returns("r2", "c2").answers("z2").turn("3").turn("4");
		},
		// Pi's branch begins behind the gap.
		folded: ["r3"],
		rescued: ["r2"],
		repaired: true,
	},
	{
		name: "a torn last line",
		write: (session) => two(session).turn("3").line('{"type":"message","id":"u4","parentId":"z3","times'),
		folded: ["r1", "r2"],
	},
	{
		name: "another extension left out the answer that made a call",
		write: (session) => two(session).turn("3").edits("e1", "a2", null),
		folded: ["r1"],
		rescued: ["r2"],
		repaired: true,
	},
	{
		name: "parallel calls, answered out of order, one never",
		write: (session) =>
			session
				.asks("u1")
				.calls("a1", ["p1", "p2", "p3"])
				.returns("last", "p3")
				.returns("first", "p1")
				.asks("u2")
				.answers("z2")
				.turn("3"),
		folded: ["last", "first"],
	},
	{
		name: "call ids that are used again in each turn",
		write: (session) => {
			for (const name of ["1", "2", "3", "4", "5"]) {
				session.asks(`u${name}`).calls(`a${name}`, ["c"]).returns(`r${name}`, "c").glances(name).answers(`z${name}`);
			}
			return session;
		},
		folded: ["r1", "r2", "r3", "r4"],
	},
	{
		name: "a late result of a call that was broken off, behind a steering message",
		write: (session) =>
			session
				.asks("u1")
				.calls("a1", ["c1"], { stopReason: "aborted", errorMessage: "Request was aborted" })
				.asks("s1")
				.returns("r1", "c1")
				.answers("z1")
				.turn("2")
				.turn("3"),
		folded: ["r2"],
		rescued: ["r1"],
		repaired: true,
	},
	{
		name: "a late result of a call that Pi went on from, behind a steering message",
		write: (session) =>
			session.asks("u1").calls("a1", ["c1"]).asks("s1").returns("r1", "c1").answers("z1").turn("2").turn("3"),
		folded: ["r2"],
		rescued: ["r1"],
		repaired: true,
	},
	{
		name: "results with content that is empty, a text or of several blocks",
		write: (session) =>
			session
				.turn("1", output("r1"))
				.turn("2", [])
				.turn("3", [...text(output("r3")), ...text(output("r3 again"))])
				.turn("4"),
		folded: ["r1", "r3"],
	},
	{
		name: "results with content that is missing, no content at all, or of unknown types",
		write: (session) =>
			session
				.turn("1", null)
				.turn("2", [{ type: "unheardOf", text: output("r2") }, null, "loose", 7])
				.turn("3", 12)
				.asks("u4")
				.calls("a4", ["c4"])
				.returns("r4", "c4", text(""), { content: undefined })
				.turn("5")
				.turn("6"),
		folded: ["r5"],
		unsendable: true,
	},
	{
		name: "edits of nothing, of what is no result, and of odd shape",
		write: (session) =>
			two(session)
				.edits("e1", "nowhere", text("Theirs."))
				.edits("e2", "e1", text("Theirs."))
				.edits("e3", "u2", "Another prompt.")
				.entry("e4", { type: "context_edit", replacement: null })
				.entry("e5", { type: "context_edit", targetId: 7, replacement: { content: [] } })
				.turn("3"),
		folded: ["r1", "r2"],
	},
	{
		name: "entries of unknown types, without fields, and with times that are none",
		write: (session) => {
			two(session).entry("x1", { type: "from the future", message: { role: "toolResult" } });
			session.entry("x2", { type: "usage" }).entry("x3", { type: "label" }).entry("x4", { type: "custom" });
			session.entry("x5", { type: "custom", customType: "pi-zip.steering", data: { targets: [null, 7, "u9"] } });
			session.entry("x6", { type: "custom", customType: "pi-zip.steering", data: "u3" });
			session.entry("x7", { type: "custom", customType: "pi-zip.state", data: ["off"] });
			session.entry("x8", { type: "custom", customType: "pi-zip.fold", data: { version: 1, folds: null } });
			session.entry("x9", { type: "branch_summary", timestamp: "yesterday" });
			session.entry("y1", { type: "message", timestamp: null, message: { role: "oracle", content: "?" } });
			session.entry("y2", {
				type: "message",
				timestamp: 7,
				message: { role: "user", content: "When?", timestamp: "late" },
			});
			return session.turn("3");
		},
		folded: ["r1", "r2"],
	},
	{
		name: "results with an image",
		write: (session) => {
			const image = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
			return session
				.turn("1", [...text(output("r1")), image])
				.turn("2", [image])
				.turn("3")
				.turn("4");
		},
		folded: ["r1", "r2", "r3"],
	},
	{
		name: "outputs that read like placeholders",
		write: (session) => {
			const line = "[folded by pi-zip] bash `make` · handle 0000000000 · zip_recall brings it back\n";
			return session
				.turn("1", text(line.repeat(60)))
				.turn("2", text(`${output("r2")}${line}`))
				.turn("3");
		},
		folded: ["r1", "r2"],
	},
	{
		name: "the user's own commands and messages of extensions, all of them long",
		write: (session) => {
			const command = { role: "bashExecution", command: "make all", exitCode: 0, cancelled: false, truncated: false };
			const custom = { type: "custom_message", customType: "note", content: output("m1"), display: true };
			session
				.turn("1")
				.message("b1", { ...command, output: output("b1") })
				.entry("m1", custom);
			session.message("x1", { ...command, output: output("x1"), excludeFromContext: true });
			return session.turn("2").turn("3");
		},
		folded: ["r1", "r2"],
	},
	{
		name: "signed and redacted thinking",
		write: (session) => {
			const thinking = [
				{ type: "thinking", thinking: "Let me see.", thinkingSignature: "c2lnbmVk" },
				{ type: "thinking", thinking: "", thinkingSignature: "cmVkYWN0ZWQ=", redacted: true },
			];
			const call = { type: "toolCall", id: "c0", name: "bash", arguments: { command: "npm test" } };
			return session
				.asks("u0")
				.calls("a0", ["c0"], { content: [...thinking, call] })
				.returns("r0", "c0")
				.answers("z0", { content: [...thinking, ...text("Done.")] })
				.turn("1")
				.turn("2");
		},
		folded: ["r0", "r1"],
	},
	{
		name: "an output that another extension edited",
		write: (session) => two(session).edits("e1", "r1", "Theirs.").turn("3"),
		folded: ["r2"],
	},
	{
		name: "an edit of ours that another extension replaced",
		write: (session) =>
			two(session).edits("e1", "r1", text("[folded by pi-zip] …")).edits("e2", "r1", text("Theirs.")).turn("3"),
		folded: ["r2"],
	},
];
