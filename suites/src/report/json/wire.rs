//! The members of the JSON report, in order.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::profile::{Gate, Percent};

/// A report. Numbers that may exceed 2^53 are strings.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Report {
    pub version: u32,
    /// The version of the program that wrote it.
    pub assay: String,
    pub target: String,
    pub seed: String,
    /// When the run began, in UTC.
    pub began: Option<String>,
    pub exit_code: u8,
    /// The result, such as `conforms`.
    pub result: String,
    /// Why the result is not the best one, if no verdict says it.
    pub why: Vec<String>,
    pub services: Vec<ServiceCoverage>,
    pub gate: Gate,
    pub is_partial: bool,
    pub is_whole: bool,
    pub read_only: bool,
    /// A digest of the ids of the selected checks.
    pub selection: String,
    /// The shards of the selection in this report, if it is not whole.
    pub shards: Option<Shards>,
    pub sent: Sent,
    pub counts: BTreeMap<String, usize>,
    pub remarks: Vec<String>,
    pub objections: Vec<String>,
    /// Derived from the outcomes; ignored by the reader.
    pub causes: Vec<Cause>,
    pub conditions: Conditions,
    pub outcomes: Vec<Outcome>,
    pub transitions: Vec<Transition>,
    pub endpoints: Vec<Endpoint>,
    /// Long bodies by the SHA-256 of their bytes.
    pub bodies: BTreeMap<String, Body>,
}

/// What several outcomes have in common.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Cause {
    /// One sentence.
    pub title: String,
    /// The most severe verdict of its outcomes.
    pub verdict: String,
    /// The row that it breaks.
    pub row: String,
    pub statement: String,
    pub source: String,
    /// Index of the outcome that shows it best.
    pub first: usize,
    /// Index of the deviating exchange of that outcome.
    pub exchange: Option<usize>,
    pub repeat: Vec<String>,
    /// Indexes of all its outcomes.
    pub outcomes: Vec<usize>,
}

/// How much of a service was tested.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ServiceCoverage {
    pub service: String,
    pub tested: usize,
    pub applicable: usize,
    pub percent: usize,
    /// The minimum for `percent`.
    pub minimum: Percent,
    pub core: Option<Core>,
}

/// What a service must show before it can conform.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Core {
    pub shows: String,
    pub is_shown: bool,
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
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub wrong: BTreeMap<String, String>,
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
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<Cell>,
    pub notes: Vec<String>,
    pub failure: Option<Failure>,
    pub why: Vec<String>,
    pub repeat: Vec<String>,
    /// If different from the run's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elapsed_ms: Option<u64>,
    /// How many responses of the run were judged by a declaration that it owns.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub answers: usize,
    /// A response to another check broke it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ambient: bool,
    /// Base URLs by site, if the check ran in its own world.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sites: BTreeMap<String, String>,
    /// Replacement values of secrets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disguises: Vec<Disguise>,
    pub exchanges: Vec<Exchange>,
    pub calls: Vec<Call>,
}

/// The verdict at one place.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Cell {
    pub at: String,
    pub verdict: String,
    pub reason: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
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

/// A UTF-8 value, or any other value in base64.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_base64: Option<String>,
}

/// Exactly one of these; the digest refers to the report's table of bodies.
#[derive(Debug, Default, Serialize, Deserialize)]
#[expect(clippy::struct_field_names, reason = "they are members of the report, among others")]
pub(super) struct Body {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_base64: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_zlib_base64: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_sha256: Option<String>,
    /// The length of an omitted body; the digest is the only other information.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_cut: Option<usize>,
}

/// Why there is no response: the message, the kind, and a detail.
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
    Gone,
    Harness,
    Tls,
    TimedOut,
    Closed,
    Nonsense,
    Held,
    Limit,
    Inexpressible,
}

/// An input of a check besides its exchanges: a control API call, a clock reading, or a shared resource.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Call {
    /// How many exchanges had begun.
    pub after: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<Control>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Value>,
    /// The digest of a long response, which is stored in the table as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_ms: Option<i64>,
    /// The name of the shared resource.
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
