//! Reads a regular expression into a tree of what it matches in one line.
//!
//! The syntax is what Perl, JavaScript and Rust share, as far as it can be matched in linear time: no look-around, no
//! back-references. What is not understood is refused, never guessed at. `\d`, `\w`, `\s` and `\b` are ASCII; where case
//! does not count, letters match either in any script that has one-to-one cases.

use super::set::Set;

/// Groups within groups. Reading and compiling recurse once a level.
const DEEPEST: u32 = 100;
/// Largest count of a repetition, as in other engines.
const MOST_REPEATS: u32 = 1_000;
/// Characters of an expression. Longer ones are pasted text rather than expressions.
const LONGEST: usize = 1_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
	Empty,
	/// One scalar of the set.
	Scalar(Set),
	Assert(Assertion),
	All(Vec<Node>),
	Any(Vec<Node>),
	Repeat {
		node: Box<Node>,
		least: u32,
		/// `None` without an upper bound.
		most: Option<u32>,
	},
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assertion {
	Start,
	End,
	WordBoundary,
	NoWordBoundary,
}

/// Which letters match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
	Either,
	/// The flag `i` in the expression still makes it either.
	AsWritten,
}

/// The tree of `pattern`; `None` where it is no expression that can be taken.
pub fn parse(pattern: &str, case: Case) -> Option<Node> {
	let scalars: Vec<char> = pattern.chars().take(LONGEST + 1).collect();
	if scalars.len() > LONGEST {
		return None;
	}
	let mut reader = Reader { scalars: &scalars, at: 0, depth: 0, case };
	let node = reader.alternatives()?;
	// What is left is a closing parenthesis without its opening one.
	(reader.at == scalars.len()).then_some(node)
}

struct Reader<'a> {
	scalars: &'a [char],
	at: usize,
	depth: u32,
	case: Case,
}

impl Reader<'_> {
	fn peek(&self) -> Option<char> {
		self.scalars.get(self.at).copied()
	}

	fn next(&mut self) -> Option<char> {
		let scalar = self.peek()?;
		self.at += 1;
		Some(scalar)
	}

	fn takes(&mut self, scalar: char) -> bool {
		let found = self.peek() == Some(scalar);
		self.at += usize::from(found);
		found
	}

	fn takes_all(&mut self, text: &str) -> bool {
		let found = text.chars().eq(self.scalars[self.at..].iter().copied().take(text.chars().count()));
		self.at += if found { text.chars().count() } else { 0 };
		found
	}

	fn alternatives(&mut self) -> Option<Node> {
		let mut branches = vec![self.sequence()?];
		while self.takes('|') {
			branches.push(self.sequence()?);
		}
		if branches.len() == 1 { branches.pop() } else { Some(Node::Any(branches)) }
	}

	fn sequence(&mut self) -> Option<Node> {
		let mut parts = Vec::new();
		while let Some(scalar) = self.peek() {
			if scalar == '|' || scalar == ')' {
				break;
			}
			let atom = self.atom()?;
			parts.push(self.repeated(atom)?);
		}
		Some(if parts.is_empty() { Node::Empty } else { Node::All(parts) })
	}

	fn atom(&mut self) -> Option<Node> {
		Some(match self.next()? {
			'(' => return self.group(),
			'[' => Node::Scalar(self.class()?),
			'.' => Node::Scalar(Set::any()),
			'^' => Node::Assert(Assertion::Start),
			'$' => Node::Assert(Assertion::End),
			'\\' => return self.escape(),
			'*' | '+' | '?' => return None,
			scalar => Node::Scalar(self.cased(Set::of(scalar))),
		})
	}

	fn cased(&self, set: Set) -> Set {
		if self.case == Case::Either { set.either_case() } else { set }
	}

	/// What stands behind `(`. Names and the flags `m`, `s`, `u` change nothing for a line.
	fn group(&mut self) -> Option<Node> {
		self.depth += 1;
		let outside = self.case;
		if self.depth > DEEPEST {
			return None;
		}
		let mut is_flags_only = false;
		if self.takes('?') {
			if self.takes_all("P<") || self.takes('<') {
				if matches!(self.peek(), Some('=' | '!')) {
					return None;
				}
				while !self.takes('>') {
					self.next().filter(|scalar| scalar.is_alphanumeric() || *scalar == '_')?;
				}
			} else {
				while let Some('i' | 'm' | 's' | 'u') = self.peek() {
					if self.takes('i') {
						self.case = Case::Either;
					} else {
						self.at += 1;
					}
				}
				is_flags_only = self.takes(')');
				if !is_flags_only && !self.takes(':') {
					return None;
				}
			}
		}
		let node = if is_flags_only { Node::Empty } else { self.alternatives()? };
		if !is_flags_only && !self.takes(')') {
			return None;
		}
		self.depth -= 1;
		// Flags alone hold up to the end of the group that they stand in.
		if !is_flags_only {
			self.case = outside;
		}
		Some(node)
	}

	/// The atom with the quantifier behind it, if there is one. Whether that is greedy does not change which lines match.
	fn repeated(&mut self, node: Node) -> Option<Node> {
		let Some((least, most)) = self.quantifier() else { return Some(node) };
		self.takes('?');
		let is_stacked = self.quantifier().is_some();
		if is_stacked || least.max(most.unwrap_or(0)) > MOST_REPEATS || most.is_some_and(|most| most < least) {
			return None;
		}
		Some(Node::Repeat { node: Box::new(node), least, most })
	}

	/// A brace that counts nothing is none: it stands for itself, as in source code.
	fn quantifier(&mut self) -> Option<(u32, Option<u32>)> {
		let before = self.at;
		let counts = match self.next()? {
			'*' => Some((0, None)),
			'+' => Some((1, None)),
			'?' => Some((0, Some(1))),
			'{' => self.counts(),
			_ => None,
		};
		if counts.is_none() {
			self.at = before;
		}
		counts
	}

	/// What stands behind `{`: `2}`, `2,}` or `2,5}`.
	fn counts(&mut self) -> Option<(u32, Option<u32>)> {
		let least = self.number()?;
		let most = match self.takes(',') {
			false => Some(least),
			true if self.peek() == Some('}') => None,
			true => Some(self.number()?),
		};
		self.takes('}').then_some((least, most))
	}

	/// Saturates above what is taken.
	fn number(&mut self) -> Option<u32> {
		let mut number = self.next()?.to_digit(10)?;
		while let Some(digit) = self.peek().and_then(|scalar| scalar.to_digit(10)) {
			number = number.saturating_mul(10).saturating_add(digit);
			self.at += 1;
		}
		Some(number)
	}

	fn escape(&mut self) -> Option<Node> {
		Some(match self.peek()? {
			'b' | 'B' | 'A' | 'z' | 'Z' => Node::Assert(match self.next()? {
				'b' => Assertion::WordBoundary,
				'B' => Assertion::NoWordBoundary,
				'A' => Assertion::Start,
				_ => Assertion::End,
			}),
			_ => {
				let set = self.escaped_set()?;
				Node::Scalar(self.cased(set))
			}
		})
	}

	/// A set or scalar behind a backslash, in or outside a class.
	fn escaped_set(&mut self) -> Option<Set> {
		let scalar = self.next()?;
		if let Some(set) = Set::perl(scalar) {
			return Some(set);
		}
		Some(Set::of(match scalar {
			't' => '\t',
			'n' => '\n',
			'r' => '\r',
			'f' => '\u{C}',
			'v' => '\u{B}',
			'a' => '\u{7}',
			'e' => '\u{1B}',
			'0' if !self.peek().is_some_and(|next| next.is_ascii_digit()) => '\0',
			'x' => self.code(2)?,
			'u' => self.code(4)?,
			other if other.is_ascii_alphanumeric() => return None,
			other => other,
		}))
	}

	/// A scalar by its number: `digits` hexadecimal digits, or any count of them in braces.
	fn code(&mut self, digits: usize) -> Option<char> {
		let braced = self.takes('{');
		let mut code = 0u32;
		let mut read = 0;
		while if braced { !self.takes('}') } else { read < digits } {
			let digit = self.next()?.to_digit(16)?;
			code = code.checked_mul(16)?.checked_add(digit)?;
			read += 1;
		}
		if read == 0 { None } else { char::from_u32(code) }
	}

	/// What stands behind `[`, up to its `]`.
	fn class(&mut self) -> Option<Set> {
		let negated = self.takes('^');
		let mut set = Set::default();
		let mut is_first = true;
		loop {
			if !is_first && self.takes(']') {
				break;
			}
			is_first = false;
			if self.takes_all("[:") {
				set.extend(&self.posix()?);
				continue;
			}
			let (low, from) = self.member()?;
			let is_range = self.peek() == Some('-') && self.scalars.get(self.at + 1).is_some_and(|next| *next != ']');
			match low.filter(|_| is_range) {
				Some(low) => {
					self.at += 1;
					let high = self.member()?.0?;
					set.extend(&Set::range(low, high)?);
				}
				None => set.extend(&from),
			}
		}
		let set = self.cased(set);
		Some(if negated { set.negated() } else { set })
	}

	/// One member of a class: its scalar, where it is a single one, and its set.
	fn member(&mut self) -> Option<(Option<char>, Set)> {
		let scalar = self.next()?;
		if scalar != '\\' {
			return Some((Some(scalar), Set::of(scalar)));
		}
		if self.takes('b') {
			return Some((Some('\u{8}'), Set::of('\u{8}')));
		}
		let set = self.escaped_set()?;
		Some((set.single(), set))
	}

	fn posix(&mut self) -> Option<Set> {
		let negated = self.takes('^');
		let rest = &self.scalars[self.at..];
		let name: String = rest.iter().take_while(|scalar| scalar.is_ascii_lowercase()).collect();
		self.at += name.len();
		let set = Set::posix(&name)?;
		self.takes_all(":]").then_some(if negated { set.negated() } else { set })
	}
}

#[cfg(test)]
mod tests {
	use super::*;

	#[test]
	fn refuses_what_it_cannot_match_in_linear_time_or_does_not_know() {
		for pattern in [
			"(",
			")",
			"a)",
			"(a",
			"[a",
			"[]",
			"*a",
			"+",
			"?",
			"a**",
			"a++",
			"a{2}{3}",
			r"(a)\1",
			"(?=a)",
			"(?!a)",
			"(?<=a)",
			"(?<!a)",
			"(?>a)",
			"(?x)a",
			"(?-i)a",
			r"\p{L}",
			r"\Q",
			r"\",
			r"\xZZ",
			r"\u{110000}",
			r"\ud800",
			"[z-a]",
			r"[\d-z",
			"[[:nope:]]",
			"a{1001}",
			"a{3,2}",
			"a{99999999999999999999}",
		] {
			assert_eq!(parse(pattern, Case::Either), None, "{pattern:?}");
		}
		assert_eq!(parse(&"(".repeat(5_000), Case::Either), None);
		let nested = format!("{}{}", "(".repeat(200), ")".repeat(200));
		assert_eq!(parse(&nested, Case::Either), None);
		assert_eq!(parse(&" ".repeat(5_000), Case::Either), None);
	}

	#[test]
	fn reads_what_source_code_and_logs_make_people_write() {
		for pattern in [
			"",
			"a|",
			"()",
			"{",
			"fn main() {",
			"a{,3}",
			"a{x}",
			"]",
			"}",
			"[]a]",
			"[^]]",
			"[a-]",
			"[-a]",
			r"[\w.-]+",
			r"\/",
			r"\-",
			"(?i)error",
			"(?im:a)",
			"(?P<name>a)",
			"(?<name>a)",
			r"\x41\u0041\u{1F600}",
			"[[:alpha:]_]",
			"a*?",
			"a{2,}?",
		] {
			assert!(parse(pattern, Case::Either).is_some(), "{pattern:?}");
		}
	}
}
