//! Compares what a tool printed with what was written.

use std::collections::{BTreeMap, BTreeSet};

use assay_spec::hosting::envelope::LEGACY_ENVELOPE_SKIPPED;
use assay_spec::hosting::recovery::LEGACY_SCHEMA;
use assay_spec::json::holds;
use serde_json::Value;

use super::super::judge::{expect, fail};
use super::super::printed::object;
use super::Trace;
use crate::harness::check::{Checked, Stop};

/// A list of what was written or printed, and the member that identifies its elements.
#[derive(Clone, Copy)]
struct List {
    name: &'static str,
    id: &'static str,
}

const PROJECTS: List = List { name: "projects", id: "id" };
const DEPLOYMENTS: List = List { name: "deployments", id: "deploymentId" };
const CLAIMS: List = List { name: "claims", id: "instanceHash" };

impl List {
    /// Its elements in an object, by identifier.
    fn elements<'a>(&self, of: &'a Value) -> BTreeMap<&'a str, &'a Value> {
        let all = of[self.name].as_array().into_iter().flatten();
        all.filter_map(|one| Some((one[self.id].as_str()?, one))).collect()
    }

    /// Expects the elements that are `asked` about, with these members as written.
    fn expect_some(&self, trace: &Trace, members: &[&str], asked: impl Fn(&Value) -> bool) -> Checked {
        let found = self.elements(printed(trace)?);
        let mut wanted = self.elements(&trace.written);
        wanted.retain(|_, one| asked(one));
        if wanted.is_empty() {
            return Err(Stop::Error(format!(
                "nothing in `{}` of this world is about the requirement",
                self.name
            )));
        }
        for (id, want) in wanted {
            let Some(got) = found.get(id) else {
                return Err(fail(self.name, id, "it is missing", None));
            };
            for member in members {
                // Members that the document does not name may be kept or dropped.
                let place = format!("{member} of {id} in {}", self.name);
                let is_as_written = holds(&got[member], &want[member]);
                expect(is_as_written, &*place, &want[member].to_string(), || got[member].to_string(), None)?;
            }
        }
        Ok(())
    }

    /// Expects all elements, with these members as written, and no others.
    fn expect_all(&self, trace: &Trace, members: &[&str]) -> Checked {
        self.expect_some(trace, members, |_| true)?;
        self.expect_no_others(trace)
    }

    /// Expects nothing beyond what counts.
    fn expect_no_others(&self, trace: &Trace) -> Checked {
        let wanted = self.elements(&trace.written);
        let more = self.elements(printed(trace)?).into_keys().find(|id| !wanted.contains_key(id));
        expect(
            more.is_none(),
            self.name,
            "only what counts",
            || format!("also {}", more.unwrap_or_default()),
            None,
        )
    }
}

/// What the tool printed.
fn printed(trace: &Trace) -> Result<&Value, Stop> {
    object(&trace.printed)
}

/// Expects the warnings that are `asked` about by name and subject, and no others of those.
fn expect_warnings(trace: &Trace, asked: impl Fn(&str, &str) -> bool) -> Checked {
    let warnings = |of: &Value| -> BTreeSet<String> {
        let all = of["warnings"].as_array().into_iter().flatten();
        let named = all.filter_map(|one| Some((one["warning"].as_str()?, one["subject"].as_str()?)));
        named
            .filter(|(name, subject)| asked(name, subject))
            .map(|(name, subject)| format!("{name} of {subject}"))
            .collect()
    };
    let (wanted, found) = (warnings(&trace.written), warnings(printed(trace)?));
    if let Some(missing) = wanted.difference(&found).next() {
        return Err(fail("warnings", missing, "it is missing", None));
    }
    let more = found.difference(&wanted).next();
    expect(more.is_none(), "warnings", "no other warning", || more.cloned().unwrap_or_default(), None)
}

/// The projects and their plaintexts.
pub(super) fn projects(trace: &Trace) -> Checked {
    PROJECTS.expect_all(trace, &["deleted", "plaintext"])
}

/// No project and no deployment but those that count.
pub(super) fn no_others(trace: &Trace) -> Checked {
    PROJECTS.expect_no_others(trace)?;
    DEPLOYMENTS.expect_no_others(trace)
}

/// The projects that are deleted.
pub(super) fn deleted(trace: &Trace) -> Checked {
    PROJECTS.expect_some(trace, &["deleted"], |one| one["deleted"] == true)
}

/// The deployments, their states and plaintexts.
pub(super) fn deployments(trace: &Trace) -> Checked {
    DEPLOYMENTS.expect_all(trace, &["projectId", "status", "storeRef", "plaintext"])
}

/// The deployments with their artifacts, and the warnings about them.
pub(super) fn artifacts(trace: &Trace) -> Checked {
    DEPLOYMENTS.expect_all(trace, &["storeRef", "cid"])?;
    expect_warnings(trace, |_, _| true)
}

/// The whole history.
pub(super) fn all(trace: &Trace) -> Checked {
    projects(trace)?;
    deployments(trace)?;
    artifacts(trace)
}

/// The keys of machines.
pub(super) fn claims(trace: &Trace) -> Checked {
    CLAIMS.expect_all(trace, &["pubkey"])
}

/// Whether a deployment was written by an earlier version.
fn is_legacy(one: &Value) -> bool {
    one["schemaVersion"].as_i64().is_none_or(|schema| schema < 4)
}

/// The deployments of earlier schemas.
pub(super) fn legacy(trace: &Trace) -> Checked {
    DEPLOYMENTS.expect_some(trace, &["projectId"], is_legacy)
}

/// The content identifiers of deployments of earlier schemas.
pub(super) fn legacy_cids(trace: &Trace) -> Checked {
    DEPLOYMENTS.expect_some(trace, &["cid"], is_legacy)
}

/// The warnings about earlier schemas.
pub(super) fn legacy_warnings(trace: &Trace) -> Checked {
    expect_warnings(trace, |name, _| name == LEGACY_SCHEMA)
}

/// The plaintexts of deployments of earlier schemas. No envelope is skipped.
pub(super) fn legacy_plaintexts(trace: &Trace) -> Checked {
    DEPLOYMENTS.expect_some(trace, &["plaintext"], is_legacy)?;
    expect_warnings(trace, |name, _| name == LEGACY_ENVELOPE_SKIPPED)
}

/// The content identifiers of records of earlier schemas are not looked up as messages.
pub(super) fn looks_up_no_cid(trace: &Trace) -> Checked {
    legacy_cids(trace)?;
    let mut legacy = DEPLOYMENTS.elements(&trace.written);
    legacy.retain(|_, one| is_legacy(one));
    let is_lookup = |target: &str| {
        let last = target.rsplit('/').next().unwrap_or_default();
        target.contains("/messages/") && legacy.values().any(|one| one["cid"] == last)
    };
    let at = trace.calls.iter().position(|call| is_lookup(call.path()));
    let got = || at.map(|at| trace.calls[at].request.target.clone()).unwrap_or_default();
    expect(at.is_none(), "requests", "no lookup of a content identifier among the messages", got, at)
}

/// The artifacts whose STORE messages are in one state, and the warnings about them.
fn in_state(trace: &Trace, state: &str) -> Checked {
    let is_in_state = |one: &Value| one["store"] == state;
    DEPLOYMENTS.expect_some(trace, &["cid"], is_in_state)?;
    let wanted = DEPLOYMENTS.elements(&trace.written);
    expect_warnings(trace, |_, subject| wanted.get(subject).copied().is_some_and(is_in_state))
}

/// The artifacts that are available.
pub(super) fn live(trace: &Trace) -> Checked {
    in_state(trace, "live")
}

/// The artifacts that were forgotten.
pub(super) fn forgotten(trace: &Trace) -> Checked {
    in_state(trace, "forgotten")
}

/// The artifacts that were reclaimed.
pub(super) fn removed(trace: &Trace) -> Checked {
    in_state(trace, "removed")
}

/// The artifacts that no node knows.
pub(super) fn absent(trace: &Trace) -> Checked {
    in_state(trace, "absent")
}

/// The artifacts of which the nodes say nothing.
pub(super) fn undecided(trace: &Trace) -> Checked {
    in_state(trace, "unknown")
}
