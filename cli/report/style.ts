/**
 * How the page of a report looks: in light and dark, from a phone to a wide screen.
 */

export const STYLE = `
:root {
	color-scheme: light dark;
	--paper: #fbfbfa; --card: #ffffff; --ink: #1d2126; --soft: #5d6570; --faint: #e3e5e8; --accent: #2f6fd0;
	--read: #a9bccd; --new: #4a86dd; --output: #2f9e77; --others: #d99a1c; --ours: #8560d6; --expired: #dd5a36; --unexplained: #7d838b;
	--gap: #eef0f1; --good: #1f7f5c; --edge: rgb(30 40 50 / 0.16);
}
@media (prefers-color-scheme: dark) {
	:root {
		--paper: #14171a; --card: #1b1f24; --ink: #e6e8ea; --soft: #9aa3ad; --faint: #2c3239; --accent: #7fb0f5;
		--read: #566f86; --new: #5c97ec; --output: #41b58b; --others: #e0a93a; --ours: #a488ee; --expired: #ee7350; --unexplained: #8d949c;
		--gap: #23282e; --good: #55c79c; --edge: rgb(0 0 0 / 0.5);
	}
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
main { max-width: 1160px; margin: 0 auto; padding: 32px 24px 64px; }
header p, .note { color: var(--soft); margin: 4px 0 0; }
h1 { font-size: 24px; line-height: 1.25; font-weight: 650; margin: 0; overflow-wrap: anywhere; letter-spacing: -0.01em; }
h2 { font-size: 16px; font-weight: 650; margin: 0 0 4px; }
section, details { background: var(--card); border: 1px solid var(--faint); border-radius: 10px; padding: 18px 20px; margin: 18px 0 0; }
summary { cursor: pointer; font-weight: 650; font-size: 16px; }
summary:focus-visible, .scroll:focus-visible, .mark:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 1px; padding: 0; overflow: hidden; background: var(--faint); }
.figures div { background: var(--card); padding: 14px 18px; }
.figures dt { color: var(--soft); font-size: 13px; }
.figures dd { margin: 2px 0 0; font-size: 22px; font-weight: 600; letter-spacing: -0.01em; font-variant-numeric: tabular-nums; }
.figures small { display: block; color: var(--soft); font-size: 12.5px; font-weight: 400; letter-spacing: 0; }
dl { margin: 18px 0 0; border: 1px solid var(--faint); border-radius: 10px; }
.good { color: var(--good); }
.chart { display: flex; margin: 10px -8px 0; }
.scroll { overflow-x: auto; overflow-y: hidden; flex: 1; min-width: 0;
	background: linear-gradient(to left, var(--card) 40%, transparent) right / 40px 100% no-repeat local, linear-gradient(to left, var(--edge), transparent) right / 14px 100% no-repeat,
		linear-gradient(to right, var(--card) 40%, transparent) left / 40px 100% no-repeat local, linear-gradient(to right, var(--edge), transparent) left / 14px 100% no-repeat;
}
svg { display: block; flex: none; }
svg text { font: 11px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; fill: var(--soft); font-variant-numeric: tabular-nums; }
svg .heading { font-size: 12px; font-weight: 600; fill: var(--ink); }
.amount { text-anchor: end; }
.time { text-anchor: start; }
.idle { text-anchor: end; font-size: 10.5px; }
.grid { stroke: var(--faint); stroke-width: 1; shape-rendering: crispEdges; }
.tick { stroke: var(--soft); }
.gap { fill: var(--gap); }
.area { fill: var(--read); opacity: 0.28; }
.line { fill: none; stroke: var(--soft); stroke-width: 1.4; }
.with { stroke: var(--ours); stroke-width: 1.6; stroke-dasharray: 4 2.5; }
.p-read { fill: var(--read); } .p-new { fill: var(--new); } .p-output { fill: var(--output); } .p-others { fill: var(--others); }
.p-ours { fill: var(--ours); } .p-expired { fill: var(--expired); } .p-unexplained { fill: var(--unexplained); } .p-aside { fill: var(--soft); }
.m-fold { fill: var(--ours); } .m-would { fill: var(--card); stroke: var(--ours); stroke-width: 1.4; } .m-edit { fill: var(--others); }
.m-back { fill: var(--card); stroke: var(--output); stroke-width: 1.4; } .m-recall { fill: var(--output); } .m-compaction { fill: var(--others); } .m-summary { fill: var(--soft); }
.hit { fill: transparent; }
.mark { cursor: pointer; }
.mark:hover path, .mark:focus path { stroke: var(--ink); stroke-width: 1.6; }
#cursor { fill: var(--ink); opacity: 0.09; pointer-events: none; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 10px 0 0; padding: 0; list-style: none; font-size: 13px; color: var(--soft); }
.legend li { display: inline-flex; align-items: center; gap: 6px; }
.wide { overflow-x: auto; margin: 8px 0 0; }
table { border-collapse: collapse; width: 100%; font-size: 14px; font-variant-numeric: tabular-nums; }
th { text-align: right; font-weight: 500; color: var(--soft); font-size: 12.5px; }
td { text-align: right; }
th, td { padding: 6px 0 6px 14px; border-top: 1px solid var(--faint); vertical-align: top; white-space: nowrap; }
thead th { border-top: 0; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
.bill td:first-child { white-space: normal; min-width: 180px; }
.bill td:first-child small { display: block; color: var(--soft); }
.key { display: inline-block; vertical-align: -1px; margin-right: 8px; }
.share { width: 24%; min-width: 90px; }
.share svg { width: 100%; height: 10px; margin-top: 6px; }
.what td:first-child { white-space: normal; }
.narrow { display: none; }
.what small { color: var(--soft); display: block; }
.events { margin: 10px 0 0; padding: 0; list-style: none; font-size: 14px; }
.events > li { border-top: 1px solid var(--faint); padding: 8px 0; }
.events > li:first-child { border-top: 0; }
.events ul { margin: 2px 0 0; padding-left: 18px; color: var(--soft); overflow-wrap: anywhere; }
.tall { max-height: 420px; overflow: auto; margin-top: 10px; }
.requests { font-size: 12.5px; }
.requests thead th { position: sticky; top: 0; background: var(--card); }
#tip { position: fixed; z-index: 2; left: 0; top: 0; max-width: min(420px, calc(100vw - 24px)); background: var(--card); color: var(--ink); border: 1px solid var(--faint); border-radius: 8px; box-shadow: 0 6px 24px rgb(0 0 0 / 0.18); padding: 10px 12px; font-size: 13px; line-height: 1.45; pointer-events: none; overflow-wrap: anywhere; }
#tip[hidden] { display: none; }
#tip b { display: block; margin-bottom: 2px; }
#tip span { display: flex; justify-content: space-between; gap: 16px; font-variant-numeric: tabular-nums; }
#tip span i { font-style: normal; color: var(--soft); }
#tip em { font-style: normal; }
#tip p { margin: 4px 0 0; color: var(--soft); }
footer { color: var(--soft); font-size: 13px; margin-top: 24px; }
footer p { margin: 4px 0 0; }
@media (max-width: 600px) {
	main { padding: 20px 12px 48px; }
	section, details { padding: 14px 12px; }
	.figures { grid-template-columns: 1fr 1fr; }
	.figures div { padding: 12px; }
	.figures div:last-child:nth-child(odd) { grid-column: span 2; }
	.bill td:first-child { min-width: 120px; }
	th, td { padding-left: 10px; }
	.share { display: none; }
	.narrow { display: block; width: 100%; height: 6px; margin-top: 6px; }
	.figures dd { font-size: 19px; }
	h1 { font-size: 20px; }
	.chart { margin: 10px -6px 0; }
}
@media print { #tip { display: none; } section, details { break-inside: avoid; } }
`;
