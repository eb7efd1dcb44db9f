//! The members of the JSON report, in order. [`super::schema`] is derived from them: a comment here is a description there.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::schema;
use crate::profile::{Gate, Percent};

/// The report of a run: every outcome with its exchanges. The same run gives the same bytes. Numbers that may exceed 2^53 are
/// strings.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Report {
    #[schemars(extend("const" = super::VERSION))]
    pub version: u32,
    /// The version of the program that wrote it.
    pub assay: String,
    pub target: String,
    /// The seed of all random values of the checks.
    #[schemars(regex(pattern = schema::DECIMAL))]
    pub seed: String,
    /// When the run began, in UTC; null for the embedded simulator, whose runs are equal.
    pub began: Option<String>,
    /// 0 conforming, 1 not conforming or not enough tested, 4 the harness failed.
    #[schemars(schema_with = "schema::exit_code")]
    pub exit_code: u8,
    /// The result of the run.
    #[schemars(schema_with = "schema::result")]
    pub result: String,
    /// Why the result is not the best one, if no verdict says it.
    pub why: Vec<String>,
    /// How much of each service was tested.
    pub services: Vec<ServiceCoverage>,
    pub gate: Gate,
    /// Not every check ran: the run was stopped, or a part of it is missing.
    pub is_partial: bool,
    /// The selection has every check of its services. Only such a run can conform.
    pub is_whole: bool,
    /// No check that writes could run.
    pub read_only: bool,
    /// A digest of the ids of the selected checks; empty without a selection.
    pub selection: String,
    /// The shards of the selection in this report, if it is not whole.
    pub shards: Option<Shards>,
    pub sent: Sent,
    /// The number of outcomes with each verdict.
    #[schemars(schema_with = "schema::counts")]
    pub counts: BTreeMap<String, usize>,
    /// Remarks about the whole run.
    pub remarks: Vec<String>,
    /// Reasons other than verdicts why the run does not conform.
    pub objections: Vec<String>,
    /// What outcomes that did not pass have in common: the most severe first, then the largest. Derived from the outcomes;
    /// ignored by the reader.
    pub causes: Vec<Cause>,
    pub conditions: Conditions,
    pub outcomes: Vec<Outcome>,
    pub transitions: Vec<Transition>,
    pub endpoints: Vec<Endpoint>,
    /// Long bodies by the SHA-256 of their bytes.
    #[schemars(extend("propertyNames" = schema::digest()))]
    pub bodies: BTreeMap<String, Body>,
}

/// What several outcomes have in common.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Cause {
    /// One sentence: the endpoint, what it returned, and why.
    pub title: String,
    /// The endpoints where the target deviates in this way.
    pub places: Vec<String>,
    /// The most severe verdict of its outcomes.
    #[schemars(schema_with = "schema::verdict")]
    pub verdict: String,
    /// The id of the requirement that it breaks.
    pub row: String,
    pub statement: String,
    /// Document and section.
    pub source: String,
    /// Index of the outcome that shows it best.
    pub first: usize,
    /// Index of the deviating exchange of that outcome.
    pub exchange: Option<usize>,
    /// Commands that repeat that outcome.
    pub repeat: Vec<String>,
    /// Indexes of all its outcomes.
    #[schemars(length(min = 1))]
    pub outcomes: Vec<usize>,
}

/// How much of a service was tested.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::report) struct ServiceCoverage {
    #[schemars(schema_with = "schema::service")]
    pub service: String,
    /// The checks that gave a result.
    pub tested: usize,
    /// The checks that apply to the target.
    pub applicable: usize,
    #[schemars(range(max = 100))]
    pub percent: usize,
    /// The minimum for `percent`.
    pub minimum: Percent,
    /// What the service must show before it can conform; null if the run is not whole.
    pub core: Option<Core>,
}

/// What a service must show, and whether it did.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::report) struct Core {
    pub shows: String,
    pub is_shown: bool,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Shards {
    #[schemars(range(min = 1))]
    pub of: usize,
    #[schemars(inner(range(min = 1)))]
    pub present: BTreeSet<usize>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Sent {
    pub requests: u64,
    pub writes: u64,
    pub bytes: u64,
}

/// The conditions of verdicts besides exchanges.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Conditions {
    pub is_embedded: bool,
    /// The profile as TOML; secrets are only named in it.
    pub profile: String,
    pub offer: Option<Offer>,
    pub sites: BTreeMap<String, String>,
    pub forwarding: BTreeMap<String, String>,
    /// Entries of the profile that the target did not confirm, by key, with the reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub wrong: BTreeMap<String, String>,
    /// Which values the checks sent, if not those of `--depth standard`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<String>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Offer {
    pub clock: bool,
    pub faults: Vec<String>,
    pub actions: Vec<String>,
    pub forks: bool,
    pub addresses: bool,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Outcome {
    /// The requirement that the check tests.
    pub id: String,
    /// The fact that it shows.
    pub fact: String,
    #[schemars(schema_with = "schema::level")]
    pub level: String,
    #[schemars(schema_with = "schema::verdict")]
    pub verdict: String,
    pub statement: String,
    /// Document and section.
    pub source: String,
    /// Why the verdict is not a pass, in words; empty for a pass. Derived from `basis` and `failure`; ignored by the reader.
    pub reason: String,
    /// What the verdict rests on.
    #[serde(default, skip_serializing_if = "Basis::is_pass")]
    pub basis: Basis,
    /// The verdict at each place, of a check that runs at several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<Cell>,
    pub notes: Vec<String>,
    pub failure: Option<Failure>,
    /// Readings of the documents under which it passes; the profile declares others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<Reading>,
    /// The target's own reasons for its rejections, or what is known of a client's run.
    pub why: Vec<Account>,
    /// Commands that repeat it.
    pub repeat: Vec<String>,
    /// The seed of the check, if different from the run's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = schema::DECIMAL))]
    pub seed: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elapsed_ms: Option<u64>,
    /// How many responses of the run were judged by a declaration that it owns.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub answers: usize,
    /// The requirement whose check got the response that broke it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen_by: Option<String>,
    /// How many of the exchanges, the last ones, show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen_in: Option<usize>,
    /// Long response bodies were dropped.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
    /// The start of drawn values, in hex, and what they are for.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub roles: BTreeMap<String, String>,
    /// Base URLs by site, if the check ran in its own world.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sites: BTreeMap<String, String>,
    /// Replacement values of secrets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disguises: Vec<Disguise>,
    /// How many exchanges are left out, with the calls, because the check passed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: usize,
    pub exchanges: Vec<Exchange>,
    pub calls: Vec<Call>,
}

/// A reading that the profile can declare.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Reading {
    pub key: String,
    /// As TOML.
    pub value: String,
    /// The table, and the line in it.
    pub line: String,
}

/// The verdict at one place.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Cell {
    pub at: String,
    #[schemars(schema_with = "schema::verdict")]
    pub verdict: String,
    /// In words; derived from the other members.
    pub reason: String,
    #[serde(default, skip_serializing_if = "Basis::is_pass")]
    pub basis: Basis,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
}

/// What a verdict rests on, apart from a failure.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Basis {
    /// The kind of the reason.
    #[schemars(schema_with = "schema::why")]
    pub why: String,
    /// Words of the check, the target or a profile.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub said: String,
    /// The place of a matrix check.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cell: String,
    /// What the baseline says about the failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rests_on: Option<RestsOn>,
    /// The verdicts of repetitions that differ, and how often each came.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rounds: BTreeMap<String, usize>,
}

impl Basis {
    pub(super) fn is_pass(&self) -> bool {
        self.why == "holds" && self.known.is_none()
    }
}

/// What an inconclusive outcome rests on, or what a failed precondition lacks.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum RestsOn {
    /// A prerequisite failed.
    Prerequisite { row: String },
    /// A row failed by an answer of the same kind.
    Answer { row: String, answer: Kind },
    /// The check of this row saw first that the target stopped answering.
    Silence { row: String },
    /// The client failed in the conforming world.
    Base { row: String },
    /// No check failed by an answer of this kind.
    Nothing { answer: Kind },
    /// The endpoint accepted no request of the run.
    NothingAccepted { answer: Kind },
}

/// What responses with one cause have in common.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Kind {
    pub site: String,
    pub method: String,
    /// The template of the endpoint, or the path.
    pub path: String,
    #[schemars(range(min = 100, max = 999))]
    pub status: u16,
}

/// What a target or the run of a client says about itself.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Account {
    /// The number of the exchange, as the target counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange: Option<u64>,
    /// The requirement that the target names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<String>,
    pub words: String,
    /// The target accepted the request all the same.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_accepted: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Failure {
    /// The part of the response.
    #[schemars(schema_with = "schema::part")]
    pub part: String,
    pub place: String,
    /// The place of a matrix check.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cell: String,
    pub want: String,
    /// The wanted statuses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_of: Option<Vec<u16>>,
    /// The statuses of which none was wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub none_of: Option<Vec<u16>>,
    pub got: String,
    /// An index into `exchanges`.
    pub exchange: Option<usize>,
    /// It is a precondition of the check.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_precondition: bool,
}

/// The replacement of a secret.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Disguise {
    pub name: String,
    pub value: String,
}

/// A request with its response, or with the reason why there is none.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{ "required": ["response"] }, { "required": ["broken"] }]))]
pub(super) struct Exchange {
    pub site: String,
    pub base: String,
    pub request: Request,
    /// The kept connection that it went over; without it, a connection of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection: Option<Slot>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Response>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broken: Option<Broken>,
}

/// The slot of a request on a connection that its check keeps. Both numbers count from 1.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Slot {
    pub number: u32,
    pub request: u32,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Request {
    pub method: String,
    pub target: String,
    pub headers: Vec<Header>,
    #[serde(flatten)]
    pub body: Body,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Response {
    #[schemars(range(min = 100, max = 999))]
    pub status: u16,
    pub headers: Vec<Header>,
    #[serde(flatten)]
    pub body: Body,
}

/// A UTF-8 value, or any other value in base64.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("minProperties" = 2, "maxProperties" = 2))]
pub(super) struct Header {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_base64: Option<String>,
}

/// At most one of the first four, with the last only beside the digest.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "they are members of the report, among others")]
pub(super) struct Body {
    /// The bytes as a UTF-8 string.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Bytes that are not UTF-8, as base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_base64: Option<String>,
    /// Deflated bytes (zlib, RFC 1950), as base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_zlib_base64: Option<String>,
    /// The digest of a body in the report's table `bodies`, or of an omitted body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = schema::DIGEST))]
    pub body_sha256: Option<String>,
    /// The length of an omitted body; the digest is the only other information.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_cut: Option<usize>,
}

/// Why there is no response: the message, the kind, and a detail.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Broken {
    pub words: String,
    pub kind: BrokenKind,
    pub detail: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum BrokenKind {
    Unreachable,
    Gone,
    Harness,
    Tls,
    TimedOut,
    /// A response began and did not end; the detail is its status, the bytes of its body, and the seconds.
    Unfinished,
    Closed,
    Nonsense,
    Held,
    Limit,
    Inexpressible,
}

/// An input of a check besides its exchanges: a control API call, a clock reading, or a shared resource.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Call {
    /// The number of exchanges that had begun.
    pub after: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<Control>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Value>,
    /// The digest of a long response, which is stored in the table as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = schema::DIGEST))]
    pub answer_sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The control API stopped answering.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_silent: bool,
    /// The status of the control API's rejection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_ms: Option<i64>,
    /// The name of a shared resource, such as `publish.domain`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<String>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Control {
    pub method: String,
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Transition {
    pub machine: String,
    pub from: String,
    pub event: String,
    pub to: String,
    pub fired: bool,
    pub unreachable: Option<String>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Endpoint {
    pub service: String,
    pub name: String,
    pub method: String,
    pub path: String,
    pub declared: bool,
    #[schemars(schema_with = "schema::seen")]
    pub seen: String,
    pub probed: bool,
    pub accepted: Answers,
    pub rejected: Answers,
    /// What the documents declare and no response to a check had: a status, or a status and an optional field. Missing if no
    /// check used the endpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_seen: Option<BTreeSet<String>>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Answers {
    pub count: usize,
    pub judged: usize,
}
