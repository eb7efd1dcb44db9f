//! The records of an owner: read once, judged by every check.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use assay_spec::crypto::address::Address;
use assay_spec::crypto::secp256k1::{SigningKey, key_from_secret};
use assay_spec::crypto::text::parse_hex;
use assay_spec::network::{message, query, storage};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use super::judge::public_key;
use super::message::{Message, MessageKind};
use super::survey::OWNER;
use crate::check::Stop;
use crate::exchange::Exchange;
use crate::network::{ALTERNATIVE, Call, MIRROR, path_with};
use crate::probe::{Answer, Probe};

/// Elements of a page: the most that a node returns.
const PAGE: usize = 100;
/// The most pages of one list that are read.
const PAGES: u64 = 200;
/// The most requests that a run makes once to read a history: the lists of the owner and of authorized senders, claims,
/// and files that are not found by their first name.
pub(crate) const READING: u64 = 2 * PAGES + 1 + super::deployments::LOOKED_UP as u64;
/// The action that lets an application write a whole history.
const SEED_HISTORY: &str = "hosting.seed-history";
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
    /// Every message.
    pub(super) messages: Vec<Message>,
    exchanges: Vec<Exchange>,
    /// Answers for single messages and files, by path.
    single: Mutex<BTreeMap<String, Exchange>>,
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

/// The owner's history: the check's own in its own world, else that of the whole run.
pub(super) async fn found(probe: &Probe<'_>) -> Result<Arc<Found>, Stop> {
    if probe.owns_time() {
        return read(probe).await.map(Arc::new);
    }
    let mut kept = probe.settings.hosting.found.lock().await;
    if let Some(found) = kept.as_ref() {
        return Ok(found.clone());
    }
    let found = Arc::new(read(probe).await?);
    *kept = Some(found.clone());
    Ok(found)
}

/// The profile's owner, or one that the application creates.
async fn known_owner(probe: &Probe<'_>) -> Result<KnownOwner, Stop> {
    let fixtures = &probe.settings.hosting;
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
    let written =
        control.perform(RECORDS, json!({ "owner": known_owner["owner"] })).await.map_err(Stop::Error)?;
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
    let known_owner = known_owner(probe).await?;
    let mut reading = Reading { probe, messages: Vec::new(), exchanges: Vec::new(), seen: BTreeSet::new() };
    reading.list(&known_owner.senders).await?;
    let others: BTreeSet<Address> = reading
        .authorized(known_owner.owner)
        .into_iter()
        .filter(|one| !known_owner.senders.contains(one))
        .collect();
    if !others.is_empty() {
        reading.list(&others).await?;
    }
    if !known_owner.is_whole {
        reading.claims().await?;
    }
    for hash in &known_owner.hashes {
        reading.single(hash).await?;
    }
    let Reading { mut messages, exchanges, .. } = reading;
    if !known_owner.is_whole {
        keep_own(&mut messages, known_owner.owner);
    }
    let KnownOwner { owner, wallet, is_whole, .. } = known_owner;
    Ok(Found { owner, wallet, is_whole, messages, exchanges, single: Mutex::default() })
}

/// Collects messages.
struct Reading<'a> {
    probe: &'a Probe<'a>,
    messages: Vec<Message>,
    exchanges: Vec<Exchange>,
    seen: BTreeSet<String>,
}

impl Reading<'_> {
    /// Reads every message of these senders.
    async fn list(&mut self, senders: &BTreeSet<Address>) -> Result<(), Stop> {
        let addresses: Vec<String> = senders.iter().map(ToString::to_string).collect();
        let (addresses, limit) = (addresses.join(","), PAGE.to_string());
        let first = self.probe.settings.network.first_page;
        for number in first..first + PAGES {
            let page = number.to_string();
            let query =
                [("addresses", addresses.as_str()), ("limit", limit.as_str()), ("page", page.as_str())];
            let answer = Call::get(&query::LIST, &path_with("/messages", &query)).send(self.probe).await?;
            // Some nodes return no list after the last page.
            if number > first && answer.status() != 200 {
                return Ok(());
            }
            answer.given_status(&[200])?;
            let (listed, new) = self.take(&answer, "messages")?;
            if listed < PAGE || new == 0 {
                return Ok(());
            }
        }
        Err(Stop::NotTestable(format!("the senders have more than {PAGES} pages of messages")))
    }

    /// Reads claims of machines' keys by any sender: one answer of the flat list.
    async fn claims(&mut self) -> Result<(), Stop> {
        let dialect = &self.probe.settings.dialect;
        let query = [
            ("content_types", dialect.vm_claim_type.as_str()),
            ("channels", dialect.records_channel.as_str()),
        ];
        let answer = Call::get(&query::FLAT, &path_with("/messages.json", &query)).send(self.probe).await;
        // Without such a list, no claim is judged.
        if let Ok(answer) = answer
            && answer.status() == 200
        {
            self.take(&answer, "messages")?;
        }
        Ok(())
    }

    /// Reads a message that may be in no list.
    async fn single(&mut self, hash: &str) -> Result<(), Stop> {
        if self.seen.contains(hash) {
            return Ok(());
        }
        let answer = Call::get(&message::READ, &format!("/messages/{hash}")).send(self.probe).await?;
        let wrapped: Option<Wrapped<'_>> = serde_json::from_slice(&answer.response.body).ok();
        if let Some(Wrapped { message }) = wrapped {
            self.push(message.get(), self.exchanges.len());
            self.exchanges.push(answer.exchange());
        }
        Ok(())
    }

    /// Adds the messages of a list. Returns how many there were, and how many were new.
    fn take(&mut self, answer: &Answer<'_>, name: &str) -> Result<(usize, usize), Stop> {
        let body = &answer.response.body;
        let members: Option<BTreeMap<String, &RawValue>> = serde_json::from_slice(body).ok();
        let array = members
            .as_ref()
            .and_then(|members| members.get(name))
            .map_or(body.as_slice(), |raw| raw.get().as_bytes());
        let items: Option<Vec<&RawValue>> = serde_json::from_slice(array).ok();
        self.probe.given(items.is_some(), format!("the answer has no array `{name}`"))?;
        let items = items.unwrap_or_default();
        let before = self.messages.len();
        let exchange = self.exchanges.len();
        for item in &items {
            self.push(item.get(), exchange);
        }
        self.exchanges.push(answer.exchange());
        Ok((items.len(), self.messages.len() - before))
    }

    fn push(&mut self, text: &str, exchange: usize) {
        let Some(message) = Message::read(text, &self.probe.settings.dialect, exchange) else { return };
        if self.seen.insert(message.hash().to_owned()) {
            self.messages.push(message);
        }
    }

    /// The addresses that the owner's `security` lists.
    fn authorized(&self, owner: Address) -> BTreeSet<Address> {
        let is_own = |one: &&Message| one.sender() == Some(owner) && one.address() == Some(owner);
        let of_owner = self.messages.iter().filter(|one| one.kind == MessageKind::Security).filter(is_own);
        let entries = of_owner.filter_map(|one| one.body()["authorizations"].as_array()).flatten();
        entries.filter_map(|entry| entry["address"].as_str().and_then(Address::parse)).collect()
    }
}

#[derive(Deserialize)]
struct Wrapped<'a> {
    #[serde(borrow)]
    message: &'a RawValue,
}

/// Removes what delegates and machines have written for other owners.
fn keep_own(messages: &mut Vec<Message>, owner: Address) {
    let own = |one: &Message| one.sender() == Some(owner) || one.address() == Some(owner);
    let of = |kind: MessageKind| messages.iter().filter(move |one| one.kind == kind);
    let projects: BTreeSet<String> = of(MessageKind::Projects)
        .filter(|one| own(one))
        .flat_map(|one| one.entries().into_iter().map(|(id, _)| id.to_owned()).collect::<Vec<_>>())
        .collect();
    let machines: BTreeSet<String> = messages
        .iter()
        .filter(|one| one.value["type"] == "INSTANCE" && own(one))
        .map(|one| one.hash().to_owned())
        .collect();
    // A claim that its machine has not made itself is noise as soon as the machine has made one.
    let claimed: BTreeSet<String> = of(MessageKind::Claim)
        .filter(|one| is_self_made(one))
        .map(|one| one.id("instanceHash").to_owned())
        .collect();
    let is_noise = |one: &Message| {
        one.kind == MessageKind::Claim && claimed.contains(one.id("instanceHash")) && !is_self_made(one)
    };
    messages.retain(|one| {
        if is_noise(one) {
            return false;
        }
        let is_known = match one.kind {
            MessageKind::Creation | MessageKind::Amend | MessageKind::Legacy => {
                projects.contains(one.id("projectId"))
            }
            MessageKind::Claim => machines.contains(one.id("instanceHash")),
            _ => false,
        };
        is_known || own(one)
    });
}

/// Whether a claim names its sender, and the sender's key.
fn is_self_made(claim: &Message) -> bool {
    let key = public_key(claim.id("pubkey"));
    claim.sender().is_some()
        && claim.sender() == claim.address()
        && claim.sender() == key.as_ref().map(Address::from_public_key)
}

impl Found {
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

    /// The answer for one message. If this node lacks it, the other nodes are queried. Without another node that lacks it,
    /// too, a missing message shows nothing, and the check is inconclusive.
    pub(super) async fn lookup_anywhere<'p>(
        &self,
        probe: &'p Probe<'_>,
        hash: &str,
    ) -> Result<Answer<'p>, Stop> {
        let mut answer = self.lookup(probe, hash).await?;
        let others: Vec<&str> = [ALTERNATIVE, MIRROR].into_iter().filter(|site| probe.sees(site)).collect();
        for site in &others {
            if answer.status() != 404 {
                return Ok(answer);
            }
            answer = Call::get(&message::READ, &format!("/messages/{hash}")).to(site).send(probe).await?;
        }
        let is_known = answer.status() != 404 || !others.is_empty();
        probe
            .given(is_known, format!("this node lacks the message {hash}, and no other node is declared"))?;
        Ok(answer)
    }

    /// The bytes of a file.
    pub(super) async fn file<'p>(&self, probe: &'p Probe<'_>, name: &str) -> Result<Answer<'p>, Stop> {
        self.fetch(probe, Call::get(&storage::RAW, &format!("/storage/raw/{name}"))).await
    }

    async fn fetch<'p>(&self, probe: &'p Probe<'_>, call: Call) -> Result<Answer<'p>, Stop> {
        let path = call.request.target.clone();
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
