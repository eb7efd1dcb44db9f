//! Recovering an owner's history from messages alone (document 2, "What the service does", "Amend chain resolution",
//! "Reading the STORE message").
//!
//! A [`Reader`] does no input or output: it is given records as they are found, in any order, says which STORE
//! messages it wants to hear about and from which node, and in the end tells the history. What the documents warn of
//! stands in `warnings` under their names; what else was met stands in `notes`; records that do not count, and why,
//! stand in `ignored`. No key is part of the outcome.

mod fold;
mod read;
mod resolve;
mod tell;

use serde::Serialize;
use serde_json::{Map, Value};

pub use read::{Lookup, Reader};
pub use resolve::{Resolved, resolve};

use super::authority::Standing;
use super::deployment::Status;
use crate::network::store::Class;

/// A record of a schema before the one that is written.
pub const LEGACY_SCHEMA: &str = "LEGACY_SCHEMA";

/// What was recovered. Its JSON is the same whatever the order of arrival.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Recovery {
    /// The owner's address, with its checksum.
    pub owner: String,
    /// Who reads: `backend` or `recovery-tool`.
    pub role: &'static str,
    /// The registered encryption key.
    pub encryption_key: Option<String>,
    /// The projects, by identifier.
    pub projects: Vec<Project>,
    /// The deployments, by time and hash of their creations.
    pub deployments: Vec<Deployment>,
    /// The claims that hold, by machine.
    pub claims: Vec<Machine>,
    /// What the documents warn of.
    pub warnings: Vec<Warning>,
    /// What else was met.
    pub notes: Vec<Note>,
    /// Records that do not count, and the first rule each of them breaks.
    pub ignored: Vec<Ignored>,
}

/// A project.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Project {
    /// The identifier.
    pub id: String,
    /// Whether it was deleted.
    pub deleted: bool,
    /// The entry's schema version; none for a deleted one, of which only `public` is read.
    pub schema_version: Option<i64>,
    /// What anyone may read, as it stands.
    pub public: Map<String, Value>,
    /// The private part; null without a key that opens it.
    pub plaintext: Option<Value>,
    /// The message that wrote the entry last.
    pub item_hash: String,
    /// By what right.
    pub signer: Standing,
}

/// A deployment.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Deployment {
    /// The identifier.
    pub deployment_id: String,
    /// The project's identifier.
    pub project_id: String,
    /// The schema version of the record that counts.
    pub schema_version: Option<i64>,
    /// How far it came.
    pub status: Status,
    /// The hash of the artifact's STORE message.
    pub store_ref: Option<String>,
    /// The artifact's content identifier; null where it cannot be had, see the warnings.
    pub cid: Option<String>,
    /// What the nodes say of the STORE message; null where none had to be asked.
    pub store: Option<Class>,
    /// SHA-256 of an encrypted bundle.
    pub bundle_hash: Option<String>,
    /// Where it is served.
    pub url: Option<String>,
    /// The run that built it.
    pub run_id: Option<i64>,
    /// Which attempt of that run.
    pub run_attempt: Option<i64>,
    /// ISO 8601, as written.
    pub created_at: String,
    /// ISO 8601, as written.
    pub finished_at: Option<String>,
    /// The private part; null without a key that opens it.
    pub plaintext: Option<Value>,
    /// The hash of the creation.
    pub creation: String,
    /// The hash of the record that counts.
    pub leaf: String,
    /// Messages in the chain.
    pub messages: usize,
    /// By what right the record that counts was written.
    pub signer: Standing,
}

/// The key of a virtual machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Machine {
    /// The hash of its INSTANCE message.
    pub instance_hash: String,
    /// Its address.
    pub address: String,
    /// Its key.
    pub pubkey: String,
    /// The claim that holds.
    pub item_hash: String,
}

/// What the documents warn of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Warning {
    /// The message concerned.
    pub item_hash: String,
    /// The documents' name.
    pub warning: &'static str,
    /// The project or deployment concerned.
    pub subject: String,
}

/// What else was met; a name in kebab-case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Note {
    /// The message concerned.
    pub item_hash: String,
    /// What was met.
    pub note: &'static str,
    /// The rule's address; empty where there is none.
    pub rule: String,
    /// What was seen; nothing of any plaintext.
    pub why: String,
}

/// A record that does not count.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ignored {
    /// The message.
    pub item_hash: String,
    /// The rule's address.
    pub rule: String,
    /// What was seen.
    pub why: String,
}
