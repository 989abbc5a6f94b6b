//! Text in the making, as parts, and lists of it under a budget.

use super::{Part, Source};
use crate::text::{Span, units};

/// Of a text that is cut, two thirds are of its head: what it is about stands there.
const HEAD: u32 = 2;
const THIRDS: u32 = 3;

/// Parts with their length.
#[derive(Default)]
pub(super) struct Draft {
	pub parts: Vec<Part>,
	/// UTF-16 units.
	pub units: u32,
}

impl Draft {
	pub fn words(&mut self, text: &str) {
		self.units += units(text);
		match self.parts.last_mut() {
			Some(Part::Words(words)) => words.push_str(text),
			_ => self.parts.push(Part::Words(text.to_owned())),
		}
	}

	pub fn number(&mut self, number: u32, words: &str) {
		let mut digits = [0u8; 10];
		let mut at = digits.len();
		let mut rest = number;
		while at == digits.len() || rest > 0 {
			at -= 1;
			digits[at] = b'0' + (rest % 10) as u8;
			rest /= 10;
		}
		let text: String = digits[at..].iter().map(|&digit| char::from(digit)).collect();
		self.words(&text);
		self.words(words);
	}

	/// A text of `length` units: whole, or head and tail of it.
	pub fn quote(&mut self, source: Source, length: u32, most: u32) {
		if length <= most {
			return self.span(source, 0, length);
		}
		let head = most / THIRDS * HEAD;
		self.span(source, 0, head);
		self.words(" [… ");
		self.number(length - most, " characters left out …] ");
		self.span(source, length - (most - head), length);
	}

	fn span(&mut self, source: Source, start: u32, end: u32) {
		self.units += end - start;
		self.parts.push(Part::Quote(source, Span::new(start, end)));
	}

	fn append(&mut self, other: Self) {
		self.units += other.units;
		self.parts.extend(other.parts);
	}
}

/// The items of a section, newest first, as many as there is room for. Once one did not fit, none is taken: what is left
/// out is what is oldest.
pub(super) struct Shelf {
	room: u32,
	items: Vec<Draft>,
	left_out: u32,
	pub is_full: bool,
}

impl Shelf {
	pub fn new(room: u32) -> Self {
		Self { room, items: Vec::new(), left_out: 0, is_full: false }
	}

	/// Whether there was room.
	pub fn offer(&mut self, item: Draft) -> bool {
		match self.room.checked_sub(item.units) {
			Some(room) if !self.is_full => {
				self.room = room;
				self.items.push(item);
				true
			}
			_ => {
				self.is_full = true;
				self.leave(1);
				false
			}
		}
	}

	/// Keeps room for an item that is put in later.
	pub fn reserve(&mut self, item: &Draft) {
		self.room = self.room.saturating_sub(item.units);
	}

	/// Puts in what room was kept for.
	pub fn put(&mut self, item: Draft) {
		self.items.push(item);
	}

	/// Counts what is not shown.
	pub fn leave(&mut self, count: u32) {
		self.left_out += count;
	}

	/// Forgets what was left out: another section tells of it.
	pub fn leave_to_others(&mut self) {
		self.left_out = 0;
	}

	/// Writes the section, the oldest item first.
	pub fn write(self, title: &str, out: &mut Draft) {
		if self.items.is_empty() && self.left_out == 0 {
			return;
		}
		out.words("\n## ");
		out.words(title);
		if self.left_out > 0 {
			out.words(" (");
			out.number(self.left_out, " left out)");
		}
		out.words("\n");
		for item in self.items.into_iter().rev() {
			out.append(item);
		}
	}
}
