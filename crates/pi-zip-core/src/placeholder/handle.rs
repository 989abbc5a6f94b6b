//! Handles: the names by which the model asks for what was folded.
//!
//! A handle is a function of the entry id alone, so it survives restarts, forks and compactions, and needs no table. Which
//! entry a handle belongs to is found by deriving the handles of the branch, which is not done here.

use sha2::{Digest as _, Sha256};

/// Characters of a handle. The largest 48-bit number takes ten digits in base 36.
pub const HANDLE_LENGTH: usize = 10;

/// What separates our names from other users of the same hash. Part of the derivation since version 0.2, so fixed for good.
const DOMAIN: &[u8] = b"pi-zip:";

const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

/// The handle of an entry: SHA-256 of `pi-zip:` and the id, its first 48 bits as a number in base 36, padded with zeros.
pub fn handle(entry_id: &str) -> String {
	let hash = Sha256::new().chain_update(DOMAIN).chain_update(entry_id.as_bytes()).finalize();
	let mut number = hash.iter().take(6).fold(0u64, |number, &byte| number << 8 | u64::from(byte));
	let mut digits = [b'0'; HANDLE_LENGTH];
	for digit in digits.iter_mut().rev() {
		*digit = DIGITS[(number % 36) as usize];
		number /= 36;
	}
	digits.iter().map(|&digit| char::from(digit)).collect()
}

/// Whether `text` starts with something shaped like a handle, which no further letter or digit follows.
pub(super) fn leads(text: &str) -> bool {
	let length = text.bytes().take_while(u8::is_ascii_alphanumeric).count();
	let shaped = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_lowercase();
	length == HANDLE_LENGTH && text.bytes().take(HANDLE_LENGTH).all(shaped)
}
