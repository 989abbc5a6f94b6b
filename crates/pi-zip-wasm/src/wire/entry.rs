//! An entry of the branch as JavaScript hands it over.

use pi_zip_core::session::{
	Assistant, Body, Call, Entry, Millis, ModelKey, Replacement, Size, StopReason, ToolResult, Usage,
};
use serde::Deserialize;
use tsify::Tsify;

/// One entry. `kind` says which of the other fields count; those that are not given are empty.
#[derive(Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct WireEntry {
	pub id: String,
	/// Milliseconds since the epoch.
	pub at: f64,
	/// `system`, `user`, `assistant`, `toolResult`, `userBash`, `custom`, `branchSummary`, `compaction`, `contextEdit`, `release`,
	/// `cacheTouch`, `steering`, `unknownMessage`; anything else takes no place in the projection.
	pub kind: String,
	/// UTF-16 code units of text, and of call arguments as JSON.
	#[serde(default)]
	pub units: u32,
	#[serde(default)]
	pub images: u32,
	/// `assistant`: UTF-16 code units of thinking.
	#[serde(default)]
	pub thinking: u32,
	/// `assistant`
	#[serde(default)]
	pub calls: Vec<WireCall>,
	/// `assistant`: Pi's stop reason.
	#[serde(default)]
	pub stop: String,
	/// `assistant`, `cacheTouch`
	#[serde(default)]
	pub provider: String,
	/// `assistant`, `cacheTouch`
	#[serde(default)]
	pub model: String,
	/// `assistant`
	#[serde(default)]
	pub usage: Option<WireUsage>,
	/// `toolResult`
	#[serde(default)]
	pub call_id: String,
	/// `toolResult`
	#[serde(default)]
	pub tool: String,
	/// `toolResult`
	#[serde(default)]
	pub is_error: bool,
	/// `toolResult`: every block is text or an image.
	#[serde(default)]
	pub known_blocks: bool,
	/// `userBash`: kept from the model.
	#[serde(default)]
	pub excluded: bool,
	/// `compaction`
	#[serde(default)]
	pub first_kept: Option<String>,
	/// `compaction`: size of the stored prompt and tools, where there are any.
	#[serde(default)]
	pub system_units: Option<u32>,
	/// `contextEdit`
	#[serde(default)]
	pub target: String,
	/// `contextEdit`: the target is left out.
	#[serde(default)]
	pub omitted: bool,
	/// `contextEdit`: the content is a placeholder of ours.
	#[serde(default)]
	pub placeholder: bool,
	/// `steering`
	#[serde(default)]
	pub targets: Vec<String>,
}

#[derive(Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct WireCall {
	pub id: String,
	pub tool: String,
	/// Name and value of each scalar argument that is not too long to carry.
	pub args: Vec<(String, String)>,
	/// Some argument is not in `args`.
	pub partial: bool,
}

/// Tokens as the provider reported them, sense or not.
#[derive(Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct WireUsage {
	pub input: f64,
	pub output: f64,
	pub cache_read: f64,
	pub cache_write: f64,
	#[serde(default)]
	pub cache_write_1h: Option<f64>,
}

impl From<WireEntry> for Entry {
	fn from(wire: WireEntry) -> Self {
		let size = Size { units: wire.units, images: wire.images };
		let model = ModelKey { provider: wire.provider.into(), model: wire.model.into() };
		let body = match wire.kind.as_str() {
			"system" => Body::System(size),
			"user" => Body::User(size),
			"assistant" => Body::Assistant(Assistant {
				size,
				thinking: wire.thinking,
				calls: wire.calls.into_iter().map(Call::from).collect(),
				stop: match wire.stop.as_str() {
					"error" => StopReason::Error,
					"aborted" => StopReason::Aborted,
					_ => StopReason::Completed,
				},
				model,
				usage: wire.usage.map(Usage::from),
			}),
			"toolResult" => Body::ToolResult(ToolResult {
				call_id: wire.call_id.into(),
				tool: wire.tool.into(),
				is_error: wire.is_error,
				size,
				known_blocks: wire.known_blocks,
				digest: None,
			}),
			"userBash" => Body::UserBash { size, excluded: wire.excluded },
			"custom" => Body::Custom(size),
			"branchSummary" => Body::BranchSummary((size.units > 0).then_some(size)),
			"compaction" => Body::Compaction {
				first_kept: wire.first_kept.map(Into::into),
				system: wire.system_units.map(|units| Size { units, images: 0 }),
				summary: size,
			},
			"contextEdit" => Body::ContextEdit {
				target: wire.target.into(),
				replacement: if wire.omitted {
					Replacement::Omitted
				} else {
					Replacement::Content { size, placeholder: wire.placeholder }
				},
			},
			"release" => Body::ContextEdit { target: wire.target.into(), replacement: Replacement::Released },
			"cacheTouch" => Body::CacheTouch(model),
			"steering" => Body::Steering(wire.targets.into_iter().map(Into::into).collect()),
			"unknownMessage" => Body::UnknownMessage,
			_ => Body::Inert,
		};
		// A time that is not a number counts as the epoch: old, so that it never passes for a touch of the cache.
		Entry { id: wire.id.into(), at: wire.at as Millis, body }
	}
}

impl From<WireCall> for Call {
	fn from(wire: WireCall) -> Self {
		Self {
			id: wire.id.into(),
			tool: wire.tool.into(),
			args: wire.args.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
			partial: wire.partial,
		}
	}
}

impl From<WireUsage> for Usage {
	fn from(wire: WireUsage) -> Self {
		Self {
			input: wire.input,
			output: wire.output,
			cache_read: wire.cache_read,
			cache_write: wire.cache_write,
			cache_write_1h: wire.cache_write_1h,
		}
	}
}
