//! The session as it would have gone under a policy: the recorded entries, the policy's folds, and what was recalled.
//!
//! Holds the branch that the planner is given, so that a policy sees what it would see in Pi: folds become context edits
//! once the turn that first carried them is over. Counts tokens of the view; decides and prices nothing.

use std::collections::{HashMap, HashSet};

use pi_zip_core::placeholder::handle;
use pi_zip_core::session::{
	Assistant, Body, Branch, Call, Entry, Projection, Replacement, Size, Slot, ToolResult, Usage,
};
use pi_zip_core::situation::RECALL_TOOL;

use crate::cache_model::{Part, mix};
use crate::recording::Recording;
use crate::session_file::Change;
use crate::weights::slot_tokens;

/// Tools whose call changes the file that its `path` names.
const WRITING_TOOLS: [&str; 2] = ["write", "edit"];

/// One output to give way to a placeholder.
#[derive(Clone, Debug, PartialEq)]
pub struct Fold {
	/// Index of the tool result on the world's branch.
	pub entry: usize,
	/// Real tokens of the placeholder.
	pub tokens: f64,
	/// UTF-16 units of the placeholder.
	pub units: u32,
}

/// A branch under a policy.
pub struct World<'a> {
	pub recording: &'a Recording,
	pub branch: Branch,
	/// By entry of the branch.
	items: Vec<Item>,
	/// Recorded entry to its place on the branch.
	places: HashMap<usize, usize>,
	/// Folds that are in the view but not yet on the branch.
	pending: Vec<Fold>,
	/// The request that first carried them was answered.
	answered: bool,
	/// Where each recorded entry was last brought back.
	recalled: HashMap<usize, usize>,
	/// Path to the place of the newest call that changed it.
	written: HashMap<Box<str>, usize>,
	/// How many entries of the recording are in.
	taken: usize,
	/// Shrunk entries of the recording that were applied.
	shrunk: usize,
	/// Changes so far that make a provider's cached messages useless.
	epoch: u64,
	/// Real tokens of system messages that the newest compaction of this world replays.
	system: f64,
	/// Recorded compactions are left out.
	compacts: bool,
}

/// What the world knows of an entry beyond the branch.
#[derive(Clone, Copy)]
struct Item {
	/// Equal for equal content, before any fold.
	key: u64,
	/// Equal for the same entry.
	origin: u64,
	tokens: f64,
	blocks: u32,
	/// Tokens of its placeholder.
	folded: Option<f64>,
	recorded: Option<usize>,
}

/// UTF-16 units to an estimated token, as Pi counts.
const UNITS_PER_TOKEN: f64 = 4.0;

/// Keys of entries that were not recorded begin here.
const OWN_KEYS: u64 = 1 << 40;

/// Key of the head; no entry has it.
const HEAD_KEY: u64 = u64::MAX;

impl<'a> World<'a> {
	/// `compacts` says that compactions come from this world and not from the recording.
	pub fn new(recording: &'a Recording, compacts: bool) -> Self {
		Self {
			recording,
			branch: Branch::default(),
			items: Vec::with_capacity(recording.entries.len()),
			places: HashMap::new(),
			pending: Vec::new(),
			answered: false,
			recalled: HashMap::new(),
			written: HashMap::new(),
			taken: 0,
			shrunk: 0,
			epoch: 0,
			system: 0.0,
			compacts,
		}
	}

	/// Takes in the recorded entries before `end`. Folds recorded by this project, and that they were taken back, are left out
	/// unless `keep_folds`.
	pub fn take_until(&mut self, end: usize, keep_folds: bool) {
		while self.taken < end {
			let index = self.taken;
			self.taken += 1;
			let recorded = &self.recording.entries[index];
			if recorded.change == Some(Change::Thinking) {
				self.epoch += 1;
			}
			match &recorded.entry.body {
				Body::ContextEdit {
					replacement: Replacement::Content { placeholder: true, .. } | Replacement::Released,
					..
				} if !keep_folds => {}
				Body::Compaction { .. } if self.compacts => {}
				Body::ToolResult(_) | Body::Inert => self.take(index),
				_ => {
					self.persist();
					self.take(index);
				}
			}
		}
	}

	fn take(&mut self, index: usize) {
		let recorded = &self.recording.entries[index];
		if let Body::Assistant(answer) = &recorded.entry.body {
			for call in answer.calls.iter().filter(|call| WRITING_TOOLS.contains(&&*call.tool)) {
				if let Some(path) = call.arg("path") {
					self.written.insert(path.into(), self.items.len());
				}
			}
		}
		if let Body::ContextEdit { target, replacement: Replacement::Released } = &recorded.entry.body
			&& let Some(place) = self.branch.find(target)
		{
			self.items[place].folded = None;
		}
		let item = Item {
			key: index as u64,
			origin: index as u64,
			tokens: self.recording.weights.entries[index],
			blocks: recorded.blocks,
			folded: None,
			recorded: Some(index),
		};
		self.places.insert(index, self.items.len());
		self.push(recorded.entry.clone(), item);
	}

	fn push(&mut self, entry: Entry, item: Item) {
		self.answered |= matches!(entry.body, Body::Assistant(_));
		self.branch.push(entry);
		self.items.push(item);
	}

	/// Replaces the newest entry's report by what the provider would have counted in this world.
	pub fn report(&mut self, usage: Usage) {
		let last = self.items.len().saturating_sub(1);
		let Some(entry) = self.branch.entries().get(last) else { return };
		let Body::Assistant(answer) = &entry.body else { return };
		if answer.usage.is_some() {
			let body = Body::Assistant(Assistant { usage: Some(usage), ..answer.clone() });
			let entry = Entry { body, ..entry.clone() };
			self.branch.truncate(last);
			self.branch.push(entry);
		}
	}

	/// Puts folds into the view; they reach the branch when the turn is over.
	pub fn fold(&mut self, folds: Vec<Fold>) {
		for fold in &folds {
			self.items[fold.entry].folded = Some(fold.tokens);
		}
		self.pending.extend(folds);
		self.answered = false;
	}

	/// Puts a summary of so many real tokens in the place of what stands in front of `cut` among the slots in view. System
	/// messages are replayed.
	pub fn compact(&mut self, slots: &[Slot], cut: usize, summary: f64) {
		let ratio = self.recording.weights.ratio;
		let size = |tokens: f64| Size { units: (tokens / ratio * UNITS_PER_TOKEN) as u32, images: 0 };
		let systems = slots.iter().map(|slot| match &self.branch.entries()[slot.entry].body {
			Body::System(_) => self.items[slot.entry].tokens,
			Body::Compaction { .. } => self.system,
			_ => 0.0,
		});
		self.system = systems.sum();
		let own = OWN_KEYS + self.items.len() as u64;
		let body = Body::Compaction {
			first_kept: Some(self.branch.entries()[slots[cut].entry].id.clone()),
			system: (self.system > 0.0).then(|| size(self.system)),
			summary: size(summary),
		};
		let at = self.branch.entries().last().map_or(0, |entry| entry.at);
		let tokens = summary + self.system;
		let item = Item { key: own, origin: own, tokens, blocks: 1, folded: None, recorded: None };
		self.push(Entry { id: format!("compaction-{own}").into(), at, body }, item);
	}

	/// Writes the folds to the branch, as context edits, once the turn that first carried them is over.
	fn persist(&mut self) {
		if !self.answered {
			return;
		}
		for fold in std::mem::take(&mut self.pending) {
			let size = Size { units: fold.units, images: 0 };
			let target = &self.branch.entries()[fold.entry];
			let body = Body::ContextEdit {
				target: target.id.clone(),
				replacement: Replacement::Content { size, placeholder: true },
			};
			let id = format!("fold-{}", self.items.len()).into();
			let at = self.branch.entries().last().map_or(0, |entry| entry.at);
			let item = Item { key: OWN_KEYS, origin: OWN_KEYS, tokens: 0.0, blocks: 0, folded: None, recorded: None };
			self.push(Entry { id, at, body }, item);
		}
	}

	/// The model asks for outputs that were folded, in one answer, and gets them. `asking` is what that takes in tokens;
	/// `model` an answer of the model that asks.
	pub fn recall(&mut self, missed: &[usize], asking: f64, model: &Assistant) {
		let at = self.branch.entries().last().map_or(0, |entry| entry.at);
		let own = OWN_KEYS + self.items.len() as u64;
		let calls: Vec<Call> =
			missed.iter().map(|recorded| recall_call(&self.recording.entries[*recorded].entry)).collect();
		let blocks = calls.len() as u32;
		let answer = Assistant { size: Size::default(), said: 0, thinking: 0, calls, usage: None, ..model.clone() };
		let item = Item { key: own, origin: own, tokens: asking, blocks, folded: None, recorded: None };
		self.push(Entry { id: format!("ask-{own}").into(), at, body: Body::Assistant(answer) }, item);
		for recorded in missed {
			let original = &self.recording.entries[*recorded];
			let Body::ToolResult(folded) = &original.entry.body else { continue };
			let call_id = recall_call(&original.entry).id;
			let result = ToolResult { call_id, tool: RECALL_TOOL.into(), is_error: false, ..folded.clone() };
			let place = self.items.len();
			let item = Item {
				key: OWN_KEYS + place as u64,
				origin: OWN_KEYS + place as u64,
				tokens: self.recording.weights.entries[*recorded],
				blocks: 1,
				folded: None,
				recorded: Some(*recorded),
			};
			self.recalled.insert(*recorded, place);
			self.push(Entry { id: format!("recalled-{place}").into(), at, body: Body::ToolResult(result) }, item);
		}
	}

	/// The recorded outputs that the answer at the recorded `entry` needs and that are folded in view, with nothing newer
	/// there. What a compaction took away no policy could bring back.
	pub fn missed(&self, entry: usize, slots: &[Slot]) -> Vec<usize> {
		let mut missed = Vec::new();
		let needs = self.recording.needs.of_answer(entry);
		if needs.is_empty() {
			return missed;
		}
		let in_view: HashSet<usize> = slots.iter().map(|slot| slot.entry).collect();
		for need in needs {
			for holder in need.holders.iter().rev() {
				let Some(place) = self.places.get(holder) else { continue };
				let is_back = self.recalled.get(holder).is_some_and(|place| self.items[*place].folded.is_none());
				if self.items[*place].folded.is_some() && in_view.contains(place) && !is_back {
					missed.push(*holder);
				}
				break;
			}
		}
		missed.sort_unstable();
		missed.dedup();
		missed
	}

	/// Whether the file at `path` was left alone since the entry at `place`.
	pub fn is_unchanged(&self, path: &str, place: usize) -> bool {
		self.written.get(path).is_none_or(|written| *written < place)
	}

	/// The projected entries of the view, folds not applied.
	pub fn slots(&self) -> Vec<Slot> {
		Projection::of(&self.branch).slots().to_vec()
	}

	/// Real tokens of an entry in view, as it is now.
	pub fn tokens(&self, slot: &Slot, scale: f64) -> f64 {
		let item = &self.items[slot.entry];
		match item.folded {
			Some(tokens) if slot.messages > 0 => tokens,
			_ => slot_tokens(slot, item.tokens, self.recording.weights.ratio) * scale,
		}
	}

	pub fn is_folded(&self, place: usize) -> bool {
		self.items[place].folded.is_some()
	}

	/// The recorded entry at a place of the branch, or whose output was brought back there.
	pub fn recorded_at(&self, place: usize) -> Option<usize> {
		self.items[place].recorded
	}

	pub fn was_recalled(&self, place: usize) -> bool {
		self.items[place].recorded.is_some_and(|recorded| self.recalled.contains_key(&recorded))
	}

	/// The parts of a request with this view, and how many of them lead up to the system's mark. `extra` tokens of
	/// declarations are in the head.
	pub fn parts(&mut self, request: usize, slots: &[Slot], extra: f64) -> (Vec<Part>, usize) {
		self.shrink(request);
		let frame = self.recording.weights.frames[request];
		let mut parts = Vec::with_capacity(slots.len() + 1);
		parts.push(Part {
			key: HEAD_KEY,
			origin: HEAD_KEY,
			tokens: frame.head + extra,
			blocks: 1,
			is_answer: false,
			is_folded: false,
		});
		let mut head = 1;
		for slot in slots.iter().filter(|slot| slot.messages > 0) {
			let item = &self.items[slot.entry];
			let entry = &self.branch.entries()[slot.entry];
			let is_system = matches!(entry.body, Body::System(_));
			let edited = match (item.folded, slot.edit) {
				(Some(_), _) => 1,
				(None, Some(_)) => 2,
				(None, None) => 0,
			};
			let epoch = if is_system { 0 } else { self.epoch };
			let mut part = Part {
				key: mix(mix(item.key, edited), epoch),
				origin: item.origin,
				tokens: self.tokens(slot, frame.scale),
				blocks: item.blocks,
				is_answer: matches!(entry.body, Body::Assistant(_)),
				is_folded: item.folded.is_some(),
			};
			if let Some(system) = self.replayed(slot, frame.scale) {
				part.tokens = (part.tokens - system.tokens).max(0.0);
				parts.push(system);
				head += 1;
			}
			if is_system && head == parts.len() {
				head += 1;
			}
			parts.push(part);
		}
		(parts, head)
	}

	/// The system message that a compaction in view replays: as it stood, where it is the only one, so that the cache has it.
	fn replayed(&self, slot: &Slot, scale: f64) -> Option<Part> {
		let entries = self.branch.entries();
		let Body::Compaction { system: Some(_), .. } = &entries[slot.entry].body else { return None };
		let mut systems = (0..slot.entry).filter(|place| matches!(entries[*place].body, Body::System(_)));
		let (Some(only), None) = (systems.next(), systems.next()) else { return None };
		let item = &self.items[only];
		Some(Part {
			key: mix(mix(item.key, 0), 0),
			origin: item.origin,
			tokens: item.tokens * scale,
			blocks: item.blocks,
			is_answer: false,
			is_folded: false,
		})
	}

	/// Applies what the provider counts with less from this request on.
	fn shrink(&mut self, request: usize) {
		while let Some(shrunk) = self.recording.weights.shrunk.get(self.shrunk).filter(|next| next.request <= request) {
			self.shrunk += 1;
			if let Some(place) = self.places.get(&shrunk.entry) {
				let item = &mut self.items[*place];
				item.tokens = shrunk.tokens;
				item.key = mix(item.key, request as u64 + 1);
			}
		}
	}
}

/// The call that asks for one output.
fn recall_call(original: &Entry) -> Call {
	let handle = handle(&original.id);
	let id = format!("recall-{handle}").into();
	Call { id, tool: RECALL_TOOL.into(), args: vec![("handle".into(), handle.into())], partial: false }
}
