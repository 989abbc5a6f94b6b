//! Results as Markdown tables, which read well on a terminal too. Formats only.

use std::fmt::Write;

use crate::bill::Bill;
use crate::comparison::{POLICIES, Row, Summary};
use crate::validation::{Validation, median};

/// Policies side by side: a row for each session, then what they come to.
pub fn comparison(rows: &[Row]) -> String {
	let summary = Summary::of(rows);
	let mut table = Table::new(&[
		"session",
		"requests",
		"returns",
		"peak",
		"known-rule",
		"shipped",
		"clairvoyant",
		"misses known",
		"misses shipped",
		"per 100",
	]);
	for row in rows {
		let mut cells = vec![row.name.clone(), row.requests.to_string(), row.returns.to_string()];
		cells.push(format!("{:.0}", row.outcomes[0].peak));
		cells.extend((1..POLICIES.len()).map(|policy| format!("{:.3}", row.ratio(policy))));
		cells.extend([1, 2].map(|policy| row.outcomes[policy].misses.to_string()));
		cells.push(format!("{:.1}", row.misses_per_hundred(2)));
		table.row(cells);
	}
	let mut out = table.render();
	out.push('\n');
	let compacts = summary.compactions.iter().any(|count| *count > 0);
	let mut head = vec!["policy", "mean of ratios", "total ratio", "misses", "per 100 requests", "tokens recalled"];
	head.extend(compacts.then_some("compactions"));
	let mut sums = Table::new(&head);
	for (policy, name) in POLICIES.iter().enumerate() {
		let mut cells = vec![
			(*name).to_owned(),
			format!("{:.3}", summary.mean_ratio[policy]),
			format!("{:.3}", summary.total_ratio[policy]),
			summary.misses[policy].to_string(),
			format!("{:.2}", summary.misses_per_hundred[policy]),
			format!("{:.0}", summary.recalled[policy]),
		];
		cells.extend(compacts.then(|| summary.compactions[policy].to_string()));
		sums.row(cells);
	}
	out.push_str(&sums.render());
	let [mean, total] = summary.closed.map(|share| 100.0 * share);
	// Writing to a string cannot fail.
	let _ = writeln!(
		out,
		"\nOf the way from known-rule to clairvoyant, shipped goes {mean:.0} % by the mean of ratios and {total:.0} % by the total."
	);
	out
}

/// What the tokens of each session were.
pub fn bills(bills: &[(String, Bill)]) -> String {
	let mut table = Table::new(&[
		"session",
		"tokens",
		"read",
		"new",
		"expired",
		"our edits",
		"others",
		"unexplained",
		"output",
		"cost",
		"marks",
	]);
	let (mut all, mut unexplained) = (0.0, 0.0);
	for (name, bill) in bills {
		let total = bill.tokens.total();
		all += total;
		unexplained += bill.tokens.unexplained;
		let share = |tokens: f64| format!("{:.2} %", if total > 0.0 { 100.0 * tokens / total } else { 0.0 });
		let parts = &bill.tokens;
		let mut cells = vec![name.clone(), format!("{total:.0}")];
		cells.extend(
			[parts.read, parts.new, parts.expired, parts.ours, parts.others, parts.unexplained, parts.output]
				.map(share),
		);
		let estimated = bill.requests.iter().any(|account| account.estimated);
		let simulated = bill.requests.iter().any(|account| account.simulated);
		let cost = bill.money.total();
		cells.push(if bill.in_dollars { format!("$ {cost:.3}") } else { format!("{cost:.0} input tokens") });
		cells.push(
			[(estimated, "estimated"), (simulated, "simulated")]
				.iter()
				.filter(|(is, _)| *is)
				.map(|(_, mark)| *mark)
				.collect::<Vec<_>>()
				.join(", "),
		);
		table.row(cells);
	}
	let mut out = table.render();
	let share = if all > 0.0 { 100.0 * unexplained / all } else { 0.0 };
	let _ = writeln!(out, "\nUnexplained in all: {share:.2} % of the tokens.");
	out
}

/// The simulation against the reports.
pub fn validations(validations: &[(String, Option<Validation>)]) -> String {
	let mut table =
		Table::new(&["session", "requests", "read reported", "simulated", "error", "error of cost", "causes"]);
	for (name, validation) in validations {
		let Some(validation) = validation else {
			table.row(vec![name.clone(), String::new(), "no use of a cache is reported".to_owned()]);
			continue;
		};
		let causes = validation.causes.iter().take(3).map(|(cause, share)| {
			format!("{} {:+.1} % ({} requests)", cause.name(), 100.0 * share.cost, share.requests)
		});
		table.row(vec![
			name.clone(),
			validation.requests.to_string(),
			format!("{:.0}", validation.read.reported),
			format!("{:.0}", validation.read.simulated),
			format!("{:+.2} %", 100.0 * validation.read.error()),
			format!("{:+.2} %", 100.0 * validation.cost.error()),
			causes.collect::<Vec<_>>().join("; "),
		]);
	}
	let known = || validations.iter().filter_map(|(_, validation)| validation.as_ref());
	let mut out = table.render();
	let _ = writeln!(
		out,
		"\nMedian error of {} sessions: cache reads {:.2} %, cost {:.2} %.",
		known().count(),
		100.0 * median(known().map(|validation| validation.read.error())),
		100.0 * median(known().map(|validation| validation.cost.error())),
	);
	out
}

/// Rows of cells with equal widths.
struct Table {
	columns: usize,
	rows: Vec<Vec<String>>,
}

impl Table {
	fn new(head: &[&str]) -> Self {
		Self { columns: head.len(), rows: vec![head.iter().map(|cell| (*cell).to_owned()).collect()] }
	}

	/// Adds a row; cells that are lacking are empty.
	fn row(&mut self, mut cells: Vec<String>) {
		cells.resize(self.columns, String::new());
		self.rows.push(cells.into_iter().map(|cell| printable(&cell)).collect());
	}

	fn render(&self) -> String {
		let width = |column: usize| self.rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
		let widths: Vec<usize> = (0..self.columns).map(width).collect();
		let mut out = String::new();
		for (index, row) in self.rows.iter().enumerate() {
			let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
				if column == 0 { format!("{cell:width$}") } else { format!("{cell:>width$}") }
			});
			let _ = writeln!(out, "| {} |", cells.collect::<Vec<_>>().join(" | "));
			if index == 0 {
				let rules = widths.iter().enumerate().map(|(column, width)| match column {
					0 => "-".repeat(*width),
					_ => format!("{}:", "-".repeat(width.saturating_sub(1))),
				});
				let _ = writeln!(out, "| {} |", rules.collect::<Vec<_>>().join(" | "));
			}
		}
		out
	}
}

/// A cell without control characters and column marks: names come from files.
fn printable(cell: &str) -> String {
	cell.chars().map(|scalar| if scalar.is_control() || scalar == '|' { '\u{FFFD}' } else { scalar }).collect()
}
