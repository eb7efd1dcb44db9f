//! Recovering an owner's history from messages alone (document 2, "What the service does", "Amend chain resolution",
//! "Reading the STORE message").
//!
//! A [`Reader`] does no input or output. It accepts records in any order, says which STORE messages to look up on
//! which node, and finally returns the history. `warnings` holds the documented warnings, `notes` holds other
//! observations, `ignored` holds the records that do not count, with the reason. The result never contains a key.

mod answers;
mod fold;
mod read;
mod resolve;
mod tell;

use rayon::prelude::*;
use serde::Serialize;
use serde_json::{Map, Number, Value};

pub use answers::Lookup;
pub use read::Reader;
pub use resolve::{Resolved, resolve};

use super::authority::Standing;
use super::deployment::Status;
use crate::network::store::Class;
use crate::{Rules, Strict};

/// The warning for a record of an older schema.
pub const LEGACY_SCHEMA: &str = "LEGACY_SCHEMA";

/// The recovered history. Its JSON does not depend on the order of arrival.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Recovery {
    /// The owner's address, with its checksum.
    pub owner: String,
    /// The reader: `backend` or `recovery-tool`.
    pub role: &'static str,
    /// The registered encryption key.
    pub encryption_key: Option<String>,
    /// The projects, by identifier.
    pub projects: Vec<Project>,
    /// The deployments, by time and hash of their creations.
    pub deployments: Vec<Deployment>,
    /// The winning claims, by VM.
    pub claims: Vec<Machine>,
    /// The documented warnings.
    pub warnings: Vec<Warning>,
    /// Other observations.
    pub notes: Vec<Note>,
    /// Records that do not count, with the first rule that each of them violates.
    pub ignored: Vec<Ignored>,
}

/// A project.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Project {
    /// The identifier.
    pub id: String,
    /// Whether it is deleted.
    pub deleted: bool,
    /// The entry's schema version; none for a deleted one, of which only `public` is read.
    pub schema_version: Option<i64>,
    /// The public part, unchanged.
    pub public: Map<String, Value>,
    /// The private part; null without a key that decrypts it.
    pub plaintext: Option<Value>,
    /// The message that last wrote the entry.
    pub item_hash: String,
    /// The writer's authority.
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
    /// The schema version of the latest record.
    pub schema_version: Option<i64>,
    /// The status.
    pub status: Status,
    /// The hash of the artifact's STORE message.
    pub store_ref: Option<String>,
    /// The artifact's content identifier; null if it is not available, see the warnings.
    pub cid: Option<String>,
    /// The nodes' answer about the STORE message; null if no lookup was needed.
    pub store: Option<Class>,
    /// SHA-256 of an encrypted bundle.
    pub bundle_hash: Option<String>,
    /// Where the site is available.
    pub url: Option<String>,
    /// The run that built it.
    pub run_id: Option<Number>,
    /// The attempt of that run.
    pub run_attempt: Option<Number>,
    /// ISO 8601, as written.
    pub created_at: String,
    /// ISO 8601, as written.
    pub finished_at: Option<String>,
    /// The private part; null without a key that decrypts it.
    pub plaintext: Option<Value>,
    /// The hash of the creation.
    pub creation: String,
    /// The hash of the latest record.
    pub leaf: String,
    /// Number of messages in the chain.
    pub messages: usize,
    /// The authority of the latest record's writer.
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
    /// The winning claim.
    pub item_hash: String,
}

/// A documented warning.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Warning {
    /// The message concerned.
    pub item_hash: String,
    /// The documented name.
    pub warning: &'static str,
    /// The project or deployment concerned.
    pub subject: String,
}

/// Another observation; its name is in kebab-case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Note {
    /// The message concerned.
    pub item_hash: String,
    /// The observation.
    pub note: &'static str,
    /// The rule's address; empty if there is none.
    pub rule: String,
    /// The details; nothing from a plaintext.
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
    /// The details.
    pub why: String,
}

/// Does work for each item: on all cores if all rules are enforced and nothing is noted.
fn each<T: Sync, R: Send>(
    items: &[T],
    rules: &mut dyn Rules,
    work: impl Fn(&T, &mut dyn Rules) -> R + Sync,
) -> Vec<R> {
    if rules.are_strict() {
        return items.par_iter().map(|item| work(item, &mut Strict)).collect();
    }
    items.iter().map(|item| work(item, rules)).collect()
}
