//! The records of an owner: read once, judged by every check.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use assay_spec::Strict;
use assay_spec::crypto::address::Address;
use assay_spec::crypto::secp256k1::{SigningKey, key_from_secret};
use assay_spec::crypto::text::parse_hex;
use assay_spec::network::signing::verify_record;
use assay_spec::network::{message, query, storage};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use super::judge::public_key;
use super::lists::{self, Nodes, Page};
use super::message::{Message, MessageKind};
use super::sealed::envelopes;
use super::survey::OWNER;
use crate::harness::check::Stop;
use crate::harness::data::{Reason, Why};
use crate::harness::probe::{Answer, Probe};
use crate::http::exchange::Exchange;
use crate::services::network::{ALTERNATIVE, Call, MIRROR, PRIMARY};

/// The records that hold envelopes.
pub(super) const SEALED: &[MessageKind] = &[MessageKind::Projects, MessageKind::Creation, MessageKind::Amend];
/// The most pages of one list that are read.
const PAGES: u64 = 200;
/// The action that lets an application write a whole history.
const SEED_HISTORY: &str = "hosting.seed-history";
/// How long the application may need for a history, at most: so many times this long.
const WAITS: u32 = 40;
const WAIT: Duration = Duration::from_secs(30);
/// The action that reports what it wrote.
const RECORDS: &str = "hosting.records";

/// The records of an owner.
pub(crate) struct Found {
    /// The owner.
    pub(super) owner: Address,
    /// The owner's key, where the run has it.
    pub(super) wallet: Option<SigningKey>,
    /// The history was written for this check, and no deployment is still running.
    pub(super) is_whole: bool,
    /// From when on records are new, in seconds.
    new_since: i64,
    /// Every message.
    pub(super) messages: Vec<Message>,
    /// What is noted about messages that do not count, and about nodes that differ.
    pub(super) notes: Vec<String>,
    exchanges: Vec<Exchange>,
    /// Answers for single messages and files, by path; in worlds of their own, also by check, because each changes its own.
    single: Mutex<BTreeMap<(u32, String), Exchange>>,
}

/// No key in any output.
impl std::fmt::Debug for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Found of {} ({})", self.owner, self.messages.len())
    }
}

/// The owner whose history is read, and its possible senders.
struct KnownOwner {
    owner: Address,
    wallet: Option<SigningKey>,
    senders: BTreeSet<Address>,
    hashes: Vec<String>,
    is_whole: bool,
}

/// The owner's history: the check's own in its own world, else what all checks of the run read.
pub(super) async fn found(probe: &Probe<'_>) -> Result<Arc<Found>, Stop> {
    if !probe.may_share_reads() {
        return read(probe).await.map(Arc::new);
    }
    let mut kept = probe.settings.hosting().found.lock().await;
    if let Some(found) = kept.as_ref() {
        return Ok(found.clone());
    }
    let began = time_of(probe).await?;
    let found = Arc::new(read(probe).await?);
    // If time moved while the history was read, more has happened in this world than in those of the other checks.
    if time_of(probe).await? == began {
        *kept = Some(found.clone());
    }
    Ok(found)
}

/// The time of a world of the check's own.
async fn time_of(probe: &Probe<'_>) -> Result<Option<i64>, Stop> {
    if !probe.owns_time() {
        return Ok(None);
    }
    probe.control()?.now().await.map(Some).map_err(Stop::from)
}

/// The profile's owner, or one that the application creates.
async fn known_owner(probe: &Probe<'_>) -> Result<KnownOwner, Stop> {
    let fixtures = probe.settings.hosting();
    if let Some(owner) = fixtures.owner {
        probe.rest_on(OWNER)?;
        let (wallet, senders) = (fixtures.wallet.clone(), BTreeSet::from([owner]));
        return Ok(KnownOwner { owner, wallet, senders, hashes: Vec::new(), is_whole: false });
    }
    let needs =
        "needs an owner ([hosting] owner or wallet_key), or a control API with the application's actions";
    let control = probe.control().map_err(|_| Stop::NotTestable(needs.to_owned()))?;
    let known_owner = control.perform(SEED_HISTORY, json!({})).await;
    let known_owner = known_owner.map_err(|why| Stop::NotTestable(format!("{needs}: {why}")))?;
    let records = async || {
        let records = control.perform(RECORDS, json!({ "owner": known_owner["owner"] })).await;
        records.map_err(Stop::from)
    };
    let mut written = records().await?;
    // The application may wait until the network has validated an artifact.
    for _ in 0..WAITS {
        if !probe.owns_time() || written["jobs"].as_array().is_none_or(Vec::is_empty) {
            break;
        }
        probe.advance(WAIT).await?;
        written = records().await?;
    }
    let secret = known_owner["wallet_key"].as_str().unwrap_or_default();
    // It follows from the world's seed, so it is not a secret. Judging a report again needs it.
    let secret: Option<[u8; 32]> =
        parse_hex(secret.trim_start_matches("0x")).and_then(|secret| secret.try_into().ok());
    let address = |value: &Value| value.as_str().and_then(Address::parse);
    let owner = address(&known_owner["owner"])
        .ok_or_else(|| Stop::Error(format!("{SEED_HISTORY} returned no owner")))?;
    let machines = written["machines"].as_array().into_iter().flatten();
    let machines = machines.filter_map(|machine| address(&machine["address"]));
    let others = ["session", "delegate"].into_iter().filter_map(|member| address(&known_owner[member]));
    let senders = machines.chain(others).chain([owner]).collect();
    let hashes = written["hashes"].as_array().into_iter().flatten();
    let hashes = hashes.filter_map(|hash| hash.as_str().map(str::to_owned)).collect();
    let wallet = secret.and_then(|secret| key_from_secret(&secret));
    Ok(KnownOwner { owner, wallet, senders, hashes, is_whole: true })
}

async fn read(probe: &Probe<'_>) -> Result<Found, Stop> {
    let KnownOwner { owner, wallet, senders, hashes, is_whole } = known_owner(probe).await?;
    let dialect = &probe.settings.dialect;
    let wanted = lists::Wanted { owner, senders, is_whole, types: "", dialect };
    // The application names every message of a whole history, so nothing needs to be compared.
    let names = if is_whole { vec![PRIMARY] } else { sites(probe) };
    let mut nodes = Sites { probe, names, exchanges: Vec::new(), notes: Vec::new() };
    let lists = lists::read(&wanted, &mut nodes).await?;
    let differences = lists.differences(|_| false);
    for (node, what) in differences {
        nodes.trouble(node, what);
    }
    let new_since = match probe.settings.hosting().new_since {
        Some(since) => since,
        None => probe.now().await?.seconds(),
    };
    let mut found = Found {
        owner,
        wallet,
        is_whole,
        new_since,
        messages: lists::signed_versions(lists.messages),
        notes: nodes.notes,
        exchanges: nodes.exchanges,
        single: Mutex::default(),
    };
    for hash in &hashes {
        found.add(probe, hash).await?;
    }
    if is_whole {
        // What the application wrote before its first envelope of version 3 is meant to be old.
        let current = envelopes(&found, SEALED).into_iter().filter(|sealed| sealed.value["v"] == 3);
        found.new_since = current.filter_map(|sealed| sealed.message.time()).min().unwrap_or(i64::MIN);
    } else {
        found.keep_what_counts(&lists.signers, &dialect.retired_channel);
    }
    Ok(found)
}

/// The nodes of the profile.
fn sites(probe: &Probe<'_>) -> Vec<&'static str> {
    let others = [ALTERNATIVE, MIRROR].into_iter().filter(|site| probe.sees(site));
    [PRIMARY].into_iter().chain(others).collect()
}

/// Ends a check that needs what each node of the profile lacks.
pub(super) fn absent(what: &str) -> Stop {
    Stop::Undecided(Reason::new(Why::Absent, what))
}

/// Whether an answer proves what a message is: it has the hash, and its sender has signed it.
pub(super) fn is_proven(answer: &Answer<'_>, hash: &str) -> bool {
    let Ok(Wrapped { message }) = serde_json::from_slice(&answer.response.body) else { return false };
    let value: Value = serde_json::from_str(message.get()).unwrap_or_default();
    let text = |member: &str| value[member].as_str().unwrap_or_default();
    text("item_hash") == hash
        && verify_record(message.get(), text("signature"), text("sender"), &mut Strict).is_ok()
}

/// The nodes of the profile, as lists are read from them. Only the first must answer.
struct Sites<'a> {
    probe: &'a Probe<'a>,
    names: Vec<&'static str>,
    exchanges: Vec<Exchange>,
    notes: Vec<String>,
}

impl Nodes for Sites<'_> {
    type Stop = Stop;

    fn count(&self) -> usize {
        self.names.len()
    }

    fn first_page(&self) -> u64 {
        self.probe.settings.network().first_page
    }

    fn pages(&self) -> u64 {
        PAGES
    }

    async fn page(&mut self, node: usize, path: &str, must: bool) -> Result<Page, Stop> {
        let endpoint = if path.starts_with("/messages.json") { &query::FLAT } else { &query::LIST };
        let is_first = node == 0 && must && endpoint.path == query::LIST.path;
        let call = Call::get(endpoint, path).to(self.names[node]);
        let answer = match call.send(self.probe).await {
            Ok(answer) => answer,
            Err(stop) if is_first => return Err(stop),
            Err(_) => {
                self.trouble(node, "it does not answer a request for a list".to_owned());
                return Ok(Page::Missing);
            }
        };
        if is_first {
            answer.given_status(&[200])?;
        }
        Ok(match answer.status() {
            200 => {
                self.exchanges.push(answer.exchange());
                let body = String::from_utf8_lossy(&answer.response.body).into_owned();
                Page::Body(body, self.exchanges.len() - 1)
            }
            400..=499 => Page::Rejected,
            _ => Page::Missing,
        })
    }

    fn unreadable(&mut self, node: usize, why: String) -> Result<(), Stop> {
        if node == 0 {
            return self.probe.given(false, why);
        }
        self.trouble(node, why);
        Ok(())
    }

    fn trouble(&mut self, node: usize, what: String) {
        self.notes.push(format!("{}: {what}", self.names[node]));
    }
}

#[derive(Deserialize)]
struct Wrapped<'a> {
    #[serde(borrow)]
    message: &'a RawValue,
}

/// Whether a claim names its sender, and the sender's key.
fn is_self_made(claim: &Message) -> bool {
    let key = public_key(claim.id("pubkey"));
    claim.sender().is_some()
        && claim.sender() == claim.address()
        && claim.sender() == key.as_ref().map(Address::from_public_key)
}

impl Found {
    /// Reads a message that may be in no list, from the first node that has it.
    async fn add(&mut self, probe: &Probe<'_>, hash: &str) -> Result<(), Stop> {
        if self.messages.iter().any(|one| one.hash() == hash) {
            return Ok(());
        }
        for site in sites(probe) {
            let call = Call::get(&message::READ, &format!("/messages/{hash}"));
            let answer = call.to(site).send(probe).await?;
            let wrapped: Option<Wrapped<'_>> = serde_json::from_slice(&answer.response.body).ok();
            let Some(Wrapped { message }) = wrapped else { continue };
            let (dialect, exchange) = (&probe.settings.dialect, self.exchanges.len());
            self.messages.extend(Message::read(message.get(), dialect, exchange));
            self.exchanges.push(answer.exchange());
            return Ok(());
        }
        Ok(())
    }

    /// Notes the messages that do not count for the owner, and leaves them out: of senders without authority, on the
    /// retired channel, and claims for a machine beside its earliest one.
    fn keep_what_counts(&mut self, signers: &[Address], retired: &str) {
        let mut claimed: BTreeMap<String, (Option<i64>, String, Option<Address>)> = BTreeMap::new();
        for one in self.messages.iter().filter(|one| one.kind == MessageKind::Claim && is_self_made(one)) {
            let claim = (one.time(), one.hash().to_owned(), one.sender());
            let first = claimed.entry(one.id("instanceHash").to_owned()).or_insert_with(|| claim.clone());
            if (claim.0, &claim.1) < (first.0, &first.1) {
                *first = claim;
            }
        }
        let why_not = |one: &Message| {
            if one.kind == MessageKind::Other {
                None
            } else if one.value["channel"] == retired {
                Some("it is on the retired channel")
            } else if one.kind == MessageKind::Claim {
                let first = claimed.get(one.id("instanceHash"));
                let is_other = first.is_some_and(|(.., sender)| *sender != one.sender());
                is_other.then_some("another claim for its machine is the earliest")
            } else {
                let is_listed = one.sender().is_none_or(|sender| signers.contains(&sender));
                (!is_listed).then_some("the owner's `security` does not list its sender")
            }
        };
        let mut notes = Vec::new();
        self.messages.retain(|one| match why_not(one) {
            Some(why) => {
                notes.push(format!("the message {:.80} does not count: {why}", one.hash()));
                false
            }
            None => true,
        });
        self.notes.append(&mut notes);
    }

    /// Whether a record of this time, in seconds, is new: what the documents say about writing applies to it.
    pub(super) fn is_new(&self, time: Option<i64>) -> bool {
        time.is_some_and(|time| time >= self.new_since)
    }

    /// Every record of a kind, ordered by time.
    pub(super) fn of_kind(&self, kind: MessageKind) -> Vec<&Message> {
        let mut found: Vec<&Message> = self.messages.iter().filter(|one| one.kind == kind).collect();
        found.sort_by_key(|one| one.time());
        found
    }

    /// The writes to the owner's `security` by any sender.
    pub(super) fn security(&self) -> Vec<&Message> {
        let mut writes = self.of_kind(MessageKind::Security);
        writes.retain(|one| one.address() == Some(self.owner));
        writes
    }

    /// Every record of a deployment: creations and terminal records.
    pub(super) fn deployments(&self) -> Vec<&Message> {
        [self.of_kind(MessageKind::Creation), self.of_kind(MessageKind::Amend)].concat()
    }

    /// The record that a terminal record refers to, or else the one of the same deployment.
    pub(super) fn creation_of(&self, amend: &Message) -> Option<&Message> {
        let creations = || self.messages.iter().filter(|one| one.kind == MessageKind::Creation);
        creations()
            .find(|one| one.hash() == amend.target())
            .or_else(|| creations().find(|one| one.id("deploymentId") == amend.id("deploymentId")))
    }

    /// The terminal records of a creation.
    pub(super) fn amends_of(&self, creation: &Message) -> Vec<&Message> {
        let amends = self.messages.iter().filter(|one| one.kind == MessageKind::Amend);
        amends
            .filter(|one| self.creation_of(one).is_some_and(|found| found.hash() == creation.hash()))
            .collect()
    }

    /// The latest entry of each project, with the write that holds it.
    pub(super) fn projects(&self) -> BTreeMap<&str, (&Message, &serde_json::Map<String, Value>)> {
        let writes = self.of_kind(MessageKind::Projects).into_iter();
        writes
            .flat_map(|write| write.entries().into_iter().map(move |(id, entry)| (id, (write, entry))))
            .collect()
    }

    /// The answer for one message.
    pub(super) async fn lookup<'p>(&self, probe: &'p Probe<'_>, hash: &str) -> Result<Answer<'p>, Stop> {
        self.fetch(probe, Call::get(&message::READ, &format!("/messages/{hash}"))).await
    }

    /// The answer for one message. If this node lacks it, the other nodes are queried. A 404 says that each of them lacks it.
    pub(super) async fn lookup_anywhere<'p>(
        &self,
        probe: &'p Probe<'_>,
        hash: &str,
    ) -> Result<Answer<'p>, Stop> {
        let mut answer = self.lookup(probe, hash).await?;
        for site in sites(probe).split_off(1) {
            if answer.status() != 404 {
                return Ok(answer);
            }
            answer = Call::get(&message::READ, &format!("/messages/{hash}")).to(site).send(probe).await?;
        }
        if answer.status() == 404 {
            probe.note(format!("the message {hash} is not found at {} nodes", sites(probe).len()));
        }
        Ok(answer)
    }

    /// As [`Found::lookup_anywhere`]. A node may have removed a STORE that another still has, so the others are queried for that
    /// as well.
    pub(super) async fn lookup_live<'p>(&self, probe: &'p Probe<'_>, hash: &str) -> Result<Answer<'p>, Stop> {
        let first = self.lookup_anywhere(probe, hash).await?;
        let is_removed = |answer: &Answer<'_>| answer.status() == 410 || answer.json()["status"] == "removed";
        if is_removed(&first) {
            for site in sites(probe).split_off(1) {
                let call = Call::get(&message::READ, &format!("/messages/{hash}"));
                let other = call.to(site).send(probe).await?;
                if other.status() == 200 && !is_removed(&other) {
                    return Ok(other);
                }
            }
        }
        Ok(first)
    }

    /// The bytes of a file.
    pub(super) async fn file<'p>(&self, probe: &'p Probe<'_>, name: &str) -> Result<Answer<'p>, Stop> {
        self.fetch(probe, Call::get(&storage::RAW, &format!("/storage/raw/{name}"))).await
    }

    async fn fetch<'p>(&self, probe: &'p Probe<'_>, call: Call) -> Result<Answer<'p>, Stop> {
        let owner = if probe.owns_time() { probe.check.requirement.key } else { 0 };
        let path = (owner, call.request.target.clone());
        let mut single = self.single.lock().await;
        if let Some(kept) = single.get(&path) {
            return probe.recall(kept.clone());
        }
        let answer = call.send(probe).await?;
        single.insert(path, answer.exchange());
        Ok(answer)
    }

    /// The exchange that returned a message, recorded as one of this check's.
    pub(super) fn recall<'p>(&self, probe: &'p Probe<'_>, message: &Message) -> Result<Answer<'p>, Stop> {
        probe.recall(self.exchanges[message.exchange].clone())
    }
}
