//! Sets of Unicode scalars, as sorted ranges of their numbers.

use super::order::ascending;

/// Ranges `(first, last)`, both included, sorted, neither overlapping nor touching.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Set(Vec<(u32, u32)>);

const LAST_SCALAR: u32 = char::MAX as u32;
/// Scalars of a set up to which each one's other case is looked up. Larger sets are ranges of whole scripts.
const MOST_FOLDED: u32 = 2_048;

const DIGIT: &[(u32, u32)] = &[('0' as u32, '9' as u32)];
const UPPER: &[(u32, u32)] = &[('A' as u32, 'Z' as u32)];
const LOWER: &[(u32, u32)] = &[('a' as u32, 'z' as u32)];
const ALPHA: &[(u32, u32)] = &[UPPER[0], LOWER[0]];
const ALNUM: &[(u32, u32)] = &[DIGIT[0], UPPER[0], LOWER[0]];
const WORD: &[(u32, u32)] = &[DIGIT[0], UPPER[0], ('_' as u32, '_' as u32), LOWER[0]];
const SPACE: &[(u32, u32)] = &[(0x09, 0x0D), (0x20, 0x20)];
const HEX: &[(u32, u32)] = &[DIGIT[0], ('A' as u32, 'F' as u32), ('a' as u32, 'f' as u32)];
const PUNCTUATION: &[(u32, u32)] = &[(0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)];

impl Set {
	pub fn of(scalar: char) -> Self {
		Self(vec![(scalar as u32, scalar as u32)])
	}

	/// `None` where the range runs backwards.
	pub fn range(first: char, last: char) -> Option<Self> {
		(first <= last).then(|| Self(vec![(first as u32, last as u32)]))
	}

	pub fn any() -> Self {
		Self(vec![(0, LAST_SCALAR)])
	}

	pub fn words() -> Self {
		Self(WORD.to_vec())
	}

	/// `\d`, `\w`, `\s` and their complements.
	pub fn perl(letter: char) -> Option<Self> {
		let ranges = match letter.to_ascii_lowercase() {
			'd' => DIGIT,
			'w' => WORD,
			's' => SPACE,
			_ => return None,
		};
		let set = Self(ranges.to_vec());
		Some(if letter.is_ascii_uppercase() { set.negated() } else { set })
	}

	/// The class that is written `[:name:]`.
	pub fn posix(name: &str) -> Option<Self> {
		Some(Self(
			match name {
				"alnum" => ALNUM,
				"alpha" => ALPHA,
				"digit" => DIGIT,
				"lower" => LOWER,
				"punct" => PUNCTUATION,
				"space" => SPACE,
				"upper" => UPPER,
				"word" => WORD,
				"xdigit" => HEX,
				_ => return None,
			}
			.to_vec(),
		))
	}

	pub fn ranges(&self) -> &[(u32, u32)] {
		&self.0
	}

	/// The one scalar that it holds.
	pub fn single(&self) -> Option<char> {
		match self.0[..] {
			[(first, last)] if first == last => char::from_u32(first),
			_ => None,
		}
	}

	pub fn extend(&mut self, other: &Self) {
		self.0.extend(&other.0);
		self.settle();
	}

	pub fn negated(&self) -> Self {
		let mut ranges = Vec::new();
		let mut from = 0;
		for &(first, last) in &self.0 {
			if from < first {
				ranges.push((from, first - 1));
			}
			from = last + 1;
		}
		if from <= LAST_SCALAR {
			ranges.push((from, LAST_SCALAR));
		}
		Self(ranges)
	}

	/// With the other case of each letter in it.
	pub fn either_case(mut self) -> Self {
		let size: u32 = self.0.iter().map(|(first, last)| last - first + 1).sum();
		let folded: Vec<u32> = self
			.0
			.iter()
			.flat_map(|&(first, last)| first..=if size <= MOST_FOLDED { last } else { last.min(0x7F) })
			.filter_map(char::from_u32)
			.flat_map(other_cases)
			.map(u32::from)
			.collect();
		self.0.extend(folded.into_iter().map(|scalar| (scalar, scalar)));
		self.settle();
		self
	}

	fn settle(&mut self) {
		ascending(&mut self.0);
		let mut merged: Vec<(u32, u32)> = Vec::with_capacity(self.0.len());
		for &(first, last) in &self.0 {
			match merged.last_mut() {
				Some(before) if first <= before.1.saturating_add(1) => before.1 = before.1.max(last),
				_ => merged.push((first, last)),
			}
		}
		self.0 = merged;
	}
}

/// Lower and upper case of a letter, as far as each is one scalar.
fn other_cases(scalar: char) -> impl Iterator<Item = char> {
	only(scalar.to_lowercase()).into_iter().chain(only(scalar.to_uppercase()))
}

fn only(mut scalars: impl Iterator<Item = char>) -> Option<char> {
	scalars.next().filter(|_| scalars.next().is_none())
}

#[cfg(test)]
mod tests {
	use super::*;

	#[test]
	fn both_cases_are_one() {
		assert_eq!(Set::of('a').either_case().ranges(), [('A' as u32, 'A' as u32), ('a' as u32, 'a' as u32)]);
		assert_eq!(Set::of('Ö').either_case(), Set::of('ö').either_case());
		assert_eq!(Set::of('ß').either_case().single(), Some('ß'));
		assert_eq!(Set::any().either_case(), Set::any());
	}

	#[test]
	fn negation_is_its_own_inverse() {
		for set in [Set::of('a'), Set::any(), Set::default(), Set::words()] {
			assert_eq!(set.negated().negated(), set);
		}
	}
}
