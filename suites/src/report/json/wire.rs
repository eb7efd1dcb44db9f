//! The members of the report for programs, in their order.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A report. Numbers that may exceed 2^53 are texts.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Report {
    pub version: u32,
    /// The version of the program that wrote it.
    pub assay: String,
    pub target: String,
    pub seed: String,
    pub exit_code: u8,
    pub is_partial: bool,
    /// A digest of the ids of the checks that were chosen.
    pub selection: String,
    /// The shards of that choice that are in it, where it is not the whole.
    pub shards: Option<Shards>,
    pub sent: Sent,
    pub counts: BTreeMap<String, usize>,
    pub remarks: Vec<String>,
    pub objections: Vec<String>,
    pub conditions: Conditions,
    pub outcomes: Vec<Outcome>,
    pub transitions: Vec<Transition>,
    pub endpoints: Vec<Endpoint>,
    /// Long bodies by the SHA-256 of their bytes.
    pub bodies: BTreeMap<String, Body>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Shards {
    pub of: usize,
    pub present: BTreeSet<usize>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sent {
    pub requests: u64,
    pub writes: u64,
    pub bytes: u64,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Conditions {
    pub is_embedded: bool,
    /// The profile as TOML; secrets are only named in it.
    pub profile: String,
    pub offer: Option<Offer>,
    pub sites: BTreeMap<String, String>,
    pub forwarding: BTreeMap<String, String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Offer {
    pub clock: bool,
    pub faults: Vec<String>,
    pub actions: Vec<String>,
    pub forks: bool,
    pub addresses: bool,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Outcome {
    pub id: String,
    pub fact: String,
    pub level: String,
    pub verdict: String,
    pub statement: String,
    pub source: String,
    pub reason: String,
    pub notes: Vec<String>,
    pub failure: Option<Failure>,
    pub why: Vec<String>,
    pub repeat: Vec<String>,
    /// Where it is not the run's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elapsed_ms: Option<u64>,
    /// Base URLs by site, where the check ran at a place of its own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sites: BTreeMap<String, String>,
    /// Values that stand for secrets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disguises: Vec<Disguise>,
    pub exchanges: Vec<Exchange>,
    pub calls: Vec<Call>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Failure {
    pub place: String,
    pub want: String,
    pub got: String,
    /// The index of the exchange.
    pub exchange: Option<usize>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Disguise {
    pub name: String,
    pub value: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Exchange {
    pub site: String,
    pub base: String,
    pub request: Request,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Response>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broken: Option<Broken>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Request {
    pub method: String,
    pub target: String,
    pub headers: Vec<Header>,
    #[serde(flatten)]
    pub body: Body,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Response {
    pub status: u16,
    pub headers: Vec<Header>,
    #[serde(flatten)]
    pub body: Body,
}

/// A value that is UTF-8, or another one in base64.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_base64: Option<String>,
}

/// Just one of these; the digest names a body of the report's table.
#[derive(Debug, Default, Serialize, Deserialize)]
#[expect(clippy::struct_field_names, reason = "they are the members of the report, beside others")]
pub(super) struct Body {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_base64: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_zlib_base64: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_sha256: Option<String>,
    /// The length of a body that is left out: the digest is all that is known of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_cut: Option<usize>,
}

/// Why no response came: the words that every report shows, its kind, and what distinguishes it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Broken {
    pub words: String,
    pub kind: BrokenKind,
    pub detail: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum BrokenKind {
    Unreachable,
    Harness,
    Tls,
    TimedOut,
    Closed,
    Nonsense,
    Held,
    Inexpressible,
    TooLarge,
}

/// What a check was told beside its exchanges: by a control API, by this machine's clock, or of what a run's checks share.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Call {
    /// How many exchanges had begun.
    pub after: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<Control>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Value>,
    /// The digest of a long answer, which stands in the table as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_ms: Option<i64>,
    /// The name of what is shared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Control {
    pub method: String,
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Transition {
    pub machine: String,
    pub from: String,
    pub event: String,
    pub to: String,
    pub fired: bool,
    pub unreachable: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Endpoint {
    pub service: String,
    pub name: String,
    pub method: String,
    pub path: String,
    pub declared: bool,
    pub seen: String,
    pub probed: bool,
    pub accepted: Answers,
    pub rejected: Answers,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Answers {
    pub count: usize,
    pub judged: usize,
}
