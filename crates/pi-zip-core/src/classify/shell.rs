//! A shell line taken apart into simple commands, as far as it is understood.
//!
//! Understood are words, the three kinds of quoting, the operators `|`, `||`, `&&` and `;`, and redirects to `/dev/null`.
//! Everything by which a shell could do more (substitution, background, groups, comments, braces, other redirects, several
//! lines) makes the whole line not understood. What a command does is not judged here.

/// One word of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
	/// Without its quotes.
	pub text: String,
	/// Some of it was quoted or escaped.
	pub quoted: bool,
}

/// The simple commands of `line`, each with at least one word; `None` where anything is not understood.
pub(super) fn commands(line: &str) -> Option<Vec<Vec<Word>>> {
	// A control character has no place in a line of commands; line breaks begin another one.
	if line.chars().any(|scalar| scalar.is_control() && scalar != '\t') {
		return None;
	}
	let mut rest = line;
	let mut all = Vec::new();
	let mut words = Vec::new();
	loop {
		rest = rest.trim_start_matches([' ', '\t']);
		if let Some(behind) = redirect(rest) {
			// A redirect belongs to a command.
			if words.is_empty() {
				return None;
			}
			rest = behind;
		} else if let Some(behind) = operator(rest) {
			if words.is_empty() {
				return None;
			}
			all.push(std::mem::take(&mut words));
			// Only `;` may end the line.
			if behind.trim_start_matches([' ', '\t']).is_empty() {
				return (rest.trim_end_matches([' ', '\t']) == ";").then_some(all);
			}
			rest = behind;
		} else if rest.is_empty() {
			if words.is_empty() {
				return None;
			}
			all.push(words);
			return Some(all);
		} else {
			let (word, behind) = word(rest)?;
			words.push(word);
			rest = behind;
		}
	}
}

/// What follows an operator that `rest` begins with.
fn operator(rest: &str) -> Option<&str> {
	let behind = ["&&", "||", "|", ";"].iter().find_map(|operator| rest.strip_prefix(operator))?;
	// `|&` and `;;` are others.
	(!behind.starts_with(['&', ';', '|'])).then_some(behind)
}

/// What follows a harmless redirect that `rest` begins with.
fn redirect(rest: &str) -> Option<&str> {
	let behind = match rest.strip_prefix("2>&1") {
		Some(behind) => behind,
		None => {
			let target =
				["&>>", "&>", "1>>", "2>>", "1>", "2>", ">>", ">"].iter().find_map(|sign| rest.strip_prefix(sign))?;
			target.trim_start_matches([' ', '\t']).strip_prefix("/dev/null")?
		}
	};
	behind.chars().next().is_none_or(|next| matches!(next, ' ' | '\t' | ';' | '|' | '&')).then_some(behind)
}

/// The word that `rest` begins with, and what follows it.
fn word(rest: &str) -> Option<(Word, &str)> {
	let mut word = Word { text: String::new(), quoted: false };
	let mut scalars = rest.char_indices().peekable();
	while let Some((at, scalar)) = scalars.next() {
		match scalar {
			// An operator that is not understood stands where a word should.
			' ' | '\t' | ';' | '|' | '&' if at == 0 => return None,
			' ' | '\t' | ';' | '|' | '&' => return Some((word, &rest[at..])),
			'\'' => {
				word.quoted = true;
				loop {
					match scalars.next()?.1 {
						'\'' => break,
						inside => word.text.push(inside),
					}
				}
			}
			'"' => {
				word.quoted = true;
				loop {
					match scalars.next()?.1 {
						'"' => break,
						'`' => return None,
						// A dollar that nothing follows to which it could belong is one.
						'$' if !matches!(scalars.peek()?.1, '"' | '|' | ')' | ' ') => return None,
						'\\' => match scalars.next()?.1 {
							escaped @ ('$' | '`' | '"' | '\\') => word.text.push(escaped),
							plain => word.text.extend(['\\', plain]),
						},
						inside => word.text.push(inside),
					}
				}
			}
			'\\' => match scalars.next()?.1 {
				escaped @ ('(' | ')' | '*' | '.' | '?' | '|' | '[' | ']' | '!' | '^' | '+') => {
					word.quoted = true;
					word.text.push(escaped);
				}
				_ => return None,
			},
			'$' | '`' | '(' | ')' | '{' | '}' | '<' | '>' => return None,
			'#' | '!' if word.text.is_empty() && !word.quoted => return None,
			_ => word.text.push(scalar),
		}
	}
	Some((word, ""))
}
