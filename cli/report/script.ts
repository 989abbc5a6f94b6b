/**
 * What the page of a report does: shows under the pointer, or by the keyboard, what a request cost and what a mark stands
 * for. It reads the tables of the page and writes text only, never markup.
 */

export const SCRIPT = `
"use strict";
(() => {
	const chart = document.getElementById("chart");
	const tip = document.getElementById("tip");
	const cursor = document.getElementById("cursor");
	const rows = document.querySelectorAll("#requests tbody tr");
	if (!chart || !tip || !cursor || rows.length === 0) return;
	const heads = [...document.querySelectorAll("#requests thead th")].map((head) => head.textContent);
	const xs = chart.dataset.x.split(" ").map(Number);
	const bar = Number(chart.dataset.bar);
	const drawing = chart.querySelector("svg");
	const marks = [...chart.querySelectorAll(".mark")];
	for (const mark of marks) mark.querySelector("title").remove();
	let current = -1;

	function element(name, text) {
		const made = document.createElement(name);
		made.textContent = text;
		return made;
	}

	function describe(index) {
		const cells = [...rows[index].cells].map((cell) => cell.textContent);
		tip.replaceChildren(element("b", "Request " + cells[0] + " · " + cells[1]));
		for (let at = 2; at < cells.length; at++) {
			if (cells[at] === "" || cells[at] === "0") continue;
			const line = document.createElement("span");
			line.append(element("i", heads[at]), element("em", cells[at]));
			tip.append(line);
		}
	}

	function describeEvent(mark) {
		const item = document.getElementById("e" + mark.dataset.event);
		if (!item) return;
		tip.replaceChildren(element("b", item.querySelector("b").textContent));
		const lines = [...item.querySelectorAll("ul li")].map((line) => line.textContent);
		for (const line of lines.slice(0, 12)) tip.append(element("p", line));
		if (lines.length > 12) tip.append(element("p", "and " + (lines.length - 12) + " more, listed below"));
	}

	function place(x, y) {
		tip.hidden = false;
		const box = tip.getBoundingClientRect();
		const right = x + 16 + box.width < innerWidth - 8;
		tip.style.left = Math.max(8, right ? x + 16 : x - 16 - box.width) + "px";
		tip.style.top = Math.max(8, Math.min(y + 12, innerHeight - box.height - 8)) + "px";
	}

	function point(index) {
		current = index;
		cursor.setAttribute("x", xs[index] - 2);
	}

	function hide() {
		tip.hidden = true;
		cursor.setAttribute("x", -99);
	}

	function nearest(x) {
		let low = 0;
		let high = xs.length - 1;
		while (low < high) {
			const middle = (low + high + 1) >> 1;
			if (xs[middle] <= x) low = middle;
			else high = middle - 1;
		}
		return low + 1 < xs.length && xs[low + 1] - x < x - xs[low] - bar ? low + 1 : low;
	}

	function overMark(mark) {
		point(Number(mark.dataset.request));
		describeEvent(mark);
		const box = mark.getBoundingClientRect();
		place(box.left + box.width / 2, box.bottom);
	}

	drawing.addEventListener("pointermove", (event) => {
		const mark = event.target.closest(".mark");
		if (mark) return overMark(mark);
		point(nearest(event.clientX - drawing.getBoundingClientRect().left));
		describe(current);
		place(event.clientX, event.clientY);
	});
	drawing.addEventListener("pointerleave", hide);
	chart.addEventListener("scroll", () => { tip.hidden = true; });
	chart.addEventListener("focusin", (event) => {
		const mark = event.target.closest(".mark");
		if (mark) overMark(mark);
	});
	chart.addEventListener("focusout", hide);

	chart.addEventListener("keydown", (event) => {
		const steps = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity };
		if (event.key === "Escape") return hide();
		const step = steps[event.key];
		if (step === undefined) return;
		event.preventDefault();
		const mark = event.target.closest(".mark");
		if (mark) {
			const to = Math.max(0, Math.min(marks.indexOf(mark) + step, marks.length - 1));
			mark.setAttribute("tabindex", "-1");
			marks[to].setAttribute("tabindex", "0");
			marks[to].focus();
			return;
		}
		point(Math.max(0, Math.min(current + step, xs.length - 1)));
		const x = xs[current];
		if (x < chart.scrollLeft + 40 || x > chart.scrollLeft + chart.clientWidth - 40) chart.scrollLeft = x - chart.clientWidth / 2;
		describe(current);
		requestAnimationFrame(() => {
			const box = drawing.getBoundingClientRect();
			place(box.left + x, Math.max(40, box.top + 40));
		});
	});
})();
`;
