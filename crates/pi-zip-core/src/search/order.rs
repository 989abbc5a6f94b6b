//! A sort for the short lists of an expression: the standard one would take a twentieth of the module for each kind of
//! item. By heap, so that no expression makes it slow.

/// Puts `items` in ascending order. Equal ones may change places.
pub(super) fn ascending<T: Ord>(items: &mut [T]) {
	let mut root = items.len() / 2;
	let mut end = items.len();
	while end > 1 {
		// First the heap is made, then its largest item goes to the end, again and again.
		if root > 0 {
			root -= 1;
		} else {
			end -= 1;
			items.swap(0, end);
		}
		let mut parent = root;
		loop {
			let mut child = 2 * parent + 1;
			if child >= end {
				break;
			}
			child += usize::from(child + 1 < end && items[child] < items[child + 1]);
			if items[parent] >= items[child] {
				break;
			}
			items.swap(parent, child);
			parent = child;
		}
	}
}

#[cfg(test)]
mod tests {
	use proptest::prelude::*;

	use super::*;

	proptest! {
		#[test]
		fn sorts_as_the_standard_does(items in prop::collection::vec((0..9u32, any::<u8>()), 0..40)) {
			let mut expected = items.clone();
			expected.sort_unstable();
			let mut sorted = items;
			ascending(&mut sorted);
			prop_assert_eq!(sorted, expected);
		}
	}
}
