//! Checks of the node API (document 2).

mod aggregates;
mod caller;
mod envelope;
mod errors;
mod flat;
mod forget;
mod indexer;
mod info;
mod instances;
mod limits;
mod listing;
mod measurement;
mod messages;
mod metrics;
mod paging;
mod pins;
mod probes;
mod programs;
mod replies;
mod signing;
mod storage;
mod store;
mod vrf;
mod webhooks;
mod wire;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use assay_spec::endpoint::Endpoint;
use assay_spec::network::{COMPUTE, message, neighbours, query};
use serde_json::{Value, json};
use tokio::sync::{Mutex, OnceCell};

use crate::check::{Check, Stop};
use crate::probe::{Answer, Probe};
use crate::profile::{
    AggregateWrite, EndpointName, FORGET_SETTLE_SECONDS, MetricsType, Network, NetworkFixtures, SigningScheme,
};
use caller::{Caller, Procedure};
use wire::{Draft, now};

pub(crate) use wire::{Call, LEARNING, is_error_body, path_with};

/// Every check of the service, by file.
pub const CHECKS: &[&[Check]] = &[
    messages::CHECKS,
    envelope::CHECKS,
    listing::CHECKS,
    flat::CHECKS,
    paging::CHECKS,
    storage::CHECKS,
    store::CHECKS,
    forget::CHECKS,
    signing::CHECKS,
    errors::CHECKS,
    aggregates::ABOUT_WRITES,
    aggregates::ABOUT_LISTS,
    programs::CHECKS,
    instances::CALLS,
    instances::RECORD,
    pins::CHECKS,
    indexer::ABOUT_EVENTS,
    indexer::ABOUT_TRANSACTIONS,
    vrf::CHECKS,
    webhooks::CHECKS,
    info::CHECKS,
    metrics::RECORDS,
    metrics::FAILURES,
    measurement::CHECKS,
    probes::CHECKS,
    limits::CHECKS,
];

/// The name under which runs of programs are paced.
pub const RUNS: &str = "network run";
/// The statuses of a creation: the document shows the answer and not the status.
pub(crate) const ACCEPTED: &[u16] = &[200, 201, 202];
/// The documented statuses by which a client's mistake is refused.
pub(crate) const REJECTED: &[u16] = &[400, 401, 403, 404];
/// The documented statuses by which a signature is refused.
pub(crate) const UNSIGNED: &[u16] = &[400, 401, 403];
/// The type of the documents that checks post.
pub(crate) const POST_TYPE: &str = "assay-check";

/// What a profile brings for this service. The default declares what this project's readings say.
#[derive(Clone, Debug)]
pub struct Fixtures {
    /// An endpoint that is not there is a failure.
    pub strict: bool,
    /// Endpoints that the target does not offer, by name.
    pub absent: BTreeSet<&'static str>,
    /// What signatures cover, where the target says so.
    pub signing_scheme: Option<SigningScheme>,
    /// Signatures are verified.
    pub verifies_signatures: bool,
    /// What some members written later do to an aggregate, where the target says so.
    pub aggregate_write: Option<AggregateWrite>,
    /// The number of the first page.
    pub first_page: u64,
    /// How long a FORGET may take until it is applied or given up, in seconds.
    pub forget_settle_seconds: u64,
    /// Under which content type measurements are found.
    pub metrics_content_type: MetricsType,
    /// An endpoint whose requests count as authenticated, where the target says so, by name.
    pub authenticated: Option<&'static str>,
    /// What is at the target before a run.
    pub given: NetworkFixtures,
    /// How far the target's clock is ahead of this machine's, in milliseconds, once a check has asked.
    skew_ms: Arc<OnceCell<i64>>,
    /// Messages of one sender that several checks look at, where a target is shared.
    corpus: Arc<Mutex<Option<paging::Corpus>>>,
}

impl Default for Fixtures {
    fn default() -> Self {
        Fixtures {
            strict: true,
            absent: BTreeSet::new(),
            signing_scheme: Some(SigningScheme::Either),
            verifies_signatures: true,
            aggregate_write: Some(AggregateWrite::Merged),
            first_page: 1,
            forget_settle_seconds: FORGET_SETTLE_SECONDS,
            metrics_content_type: MetricsType::Both,
            authenticated: Some(message::CREATE.name),
            given: NetworkFixtures::default(),
            skew_ms: Arc::default(),
            corpus: Arc::default(),
        }
    }
}

impl Fixtures {
    /// The fixtures of a profile.
    pub fn new(profile: &Network) -> Fixtures {
        let readings = &profile.readings;
        Fixtures {
            strict: profile.strict,
            absent: profile.endpoints.absent(),
            signing_scheme: readings.signing_scheme,
            verifies_signatures: readings.verifies_signatures,
            aggregate_write: readings.aggregate_write,
            first_page: readings.first_page,
            forget_settle_seconds: readings.forget_settle_seconds,
            metrics_content_type: readings.metrics_content_type,
            authenticated: profile.limits.authenticated.map(EndpointName::name),
            given: profile.fixtures.clone(),
            skew_ms: Arc::default(),
            corpus: Arc::default(),
        }
    }

    /// Whether the target claims to offer an endpoint.
    pub fn offers(&self, endpoint: &Endpoint) -> bool {
        !self.absent.contains(endpoint.name)
    }

    /// How messages are signed where nothing hangs on it.
    pub(crate) fn procedure(&self) -> Procedure {
        match self.signing_scheme {
            Some(SigningScheme::CanonicalRecord) => Procedure::Record,
            _ => Procedure::General,
        }
    }
}

/// The site that offers an endpoint.
pub(crate) fn site_of(endpoint: &Endpoint) -> &'static str {
    let is_one_of = |known: &[&Endpoint]| known.iter().any(|one| std::ptr::eq(*one, endpoint));
    match endpoint {
        _ if is_one_of(COMPUTE) => "compute-1",
        _ if is_one_of(&[&neighbours::PLAN, &neighbours::ALLOCATION, &neighbours::NODES]) => "scheduler",
        _ if is_one_of(&[&neighbours::SERVICES]) => "status",
        _ if is_one_of(&[&neighbours::PAYMENT, &neighbours::TOKEN_TO_CREDIT]) => "credit",
        _ => wire::PRIMARY,
    }
}

/// A message that was taken.
pub(crate) struct Created {
    /// The hash that it was answered with.
    pub(crate) hash: String,
    /// What was sent.
    pub(crate) draft: Draft,
}

/// The content of a POST: its document, and what stands around it.
pub(crate) fn post_content(caller: &Caller, time: i64, document: &Value) -> Value {
    json!({ "address": caller.address, "type": POST_TYPE, "content": document, "time": time })
}

/// A POST of `caller` that no target has seen.
pub(crate) async fn post_draft(probe: &Probe<'_>, caller: &Caller) -> Result<Draft, Stop> {
    let now = now(probe).await?;
    let label = assay_spec::crypto::text::hex(&probe.draw("document")[..8]);
    let content = post_content(caller, now.seconds(), &json!({ "title": "a check", "label": label }));
    Ok(Draft::dated(probe, caller, "POST", content, now))
}

/// Sends a message that must be taken for the check to say anything.
pub(crate) async fn created(probe: &Probe<'_>, draft: Draft) -> Result<Created, Stop> {
    let answer = draft.send(probe).await?;
    answer.given_status(ACCEPTED)?;
    let hash = answer.json()["item_hash"].as_str().unwrap_or_default().to_owned();
    probe.given(!hash.is_empty(), "the answer to a creation holds no item_hash")?;
    Ok(Created { hash, draft })
}

/// An ordinary POST of `caller`, which must be taken for the check to say anything.
pub(crate) async fn posted(probe: &Probe<'_>, caller: &Caller) -> Result<Created, Stop> {
    created(probe, post_draft(probe, caller).await?).await
}

/// An ordinary POST of somebody new as the valid counterpart of a refusal.
pub(crate) async fn counterpart(probe: &Probe<'_>) -> Result<(), Stop> {
    post_draft(probe, &caller::caller(probe)).await?.send(probe).await?.counterpart_status(ACCEPTED)
}

/// The answer for a message, whatever it is. Where others share the target, a message may take its time.
pub(crate) async fn look<'p>(probe: &'p Probe<'_>, hash: &str) -> Result<Answer<'p>, Stop> {
    let mut tries = tries(probe);
    loop {
        let answer = Call::get(&message::READ, &format!("/messages/{hash}")).send(probe).await?;
        let is_there = answer.status() == 200 && answer.json()["status"] != "pending";
        tries -= 1;
        if is_there || tries == 0 {
            return Ok(answer);
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// The answer for a message that must stand in its wrapper for the check to say anything.
pub(crate) async fn read<'p>(probe: &'p Probe<'_>, hash: &str) -> Result<Answer<'p>, Stop> {
    let answer = look(probe, hash).await?;
    answer.given_status(&[200])?;
    probe.given(answer.json()["message"].is_object(), "the answer holds no message")?;
    Ok(answer)
}

/// A list that was answered.
pub(crate) struct List<'p> {
    pub(crate) answer: Answer<'p>,
    pub(crate) items: Vec<Value>,
}

impl List<'_> {
    /// What the elements hold as text under a name; empty where they hold none.
    pub(crate) fn texts(&self, member: &str) -> Vec<String> {
        texts(&self.items, member)
    }

    /// Expects every element to satisfy `holds`.
    pub(crate) fn expect_each(&self, want: &str, holds: impl Fn(&Value) -> bool) -> Result<(), Stop> {
        let odd = self.items.iter().position(|item| !holds(item));
        let place = odd.map_or_else(|| "elements".to_owned(), |at| format!("element {at}"));
        let got = odd.map_or_else(String::new, |at| self.items[at].to_string());
        self.answer.expect(odd.is_none(), &place, want, got)
    }
}

/// Whether `found` holds all that was sent: members that a server adds to an object do no harm.
pub(crate) fn holds(found: &Value, sent: &Value) -> bool {
    match (found, sent) {
        (Value::Object(found), Value::Object(sent)) => {
            sent.iter().all(|(name, sent)| found.get(name).is_some_and(|found| holds(found, sent)))
        }
        (Value::Array(found), Value::Array(sent)) => {
            found.len() == sent.len() && found.iter().zip(sent).all(|(found, sent)| holds(found, sent))
        }
        _ => found == sent,
    }
}

/// What elements hold as text under a name; empty where they hold none.
pub(crate) fn texts(items: &[Value], member: &str) -> Vec<String> {
    items.iter().map(|item| item[member].as_str().unwrap_or_default().to_owned()).collect()
}

/// A page of a list under `name`, which must be one for the check to say anything.
pub(crate) async fn list<'p>(
    probe: &'p Probe<'_>,
    endpoint: &'static Endpoint,
    path: &str,
    name: &str,
) -> Result<List<'p>, Stop> {
    let answer = Call::get(endpoint, path).send(probe).await?;
    answer.given_status(&[200])?;
    let items = answer.json()[name].as_array().cloned();
    probe.given(items.is_some(), format!("the answer holds no array `{name}`"))?;
    Ok(List { answer, items: items.unwrap_or_default() })
}

/// The latest hundred messages of a sender, once all of `hashes` are among them. Where others share the target, lists
/// may take their time.
pub(crate) async fn list_of<'p>(
    probe: &'p Probe<'_>,
    sender: &Caller,
    hashes: &[&str],
) -> Result<List<'p>, Stop> {
    let first = probe.settings.network.first_page.to_string();
    let query = [("addresses", sender.address.as_str()), ("page", &first), ("limit", "100")];
    let path = path_with("/messages", &query);
    let mut tries = tries(probe);
    loop {
        let list = list(probe, &query::LIST, &path, "messages").await?;
        let listed = list.texts("item_hash");
        let is_whole = hashes.iter().all(|hash| listed.iter().any(|one| one == hash));
        tries -= 1;
        if is_whole || tries == 0 {
            return Ok(list);
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// How often something is looked for that a shared target may still be working on.
pub(crate) fn tries(probe: &Probe<'_>) -> u32 {
    if probe.owns_time() { 1 } else { 10 }
}

/// How long a check waits before it looks again.
pub(crate) const PAUSE: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sent_is_held_whatever_else_is_there() {
        let sent = json!({ "a": [1, { "b": null }], "c": "d" });
        for (found, holds_it) in [
            (sent.clone(), true),
            (json!({ "c": "d", "more": 1, "a": [1, { "b": null, "more": [] }] }), true),
            (json!({ "a": [1, { "b": null }] }), false),
            (json!({ "a": [1, { "b": null }, 2], "c": "d" }), false),
            (json!({ "a": [1, {}], "c": "d" }), false),
            (json!([]), false),
        ] {
            assert_eq!(holds(&found, &sent), holds_it, "{found}");
        }
    }
}
