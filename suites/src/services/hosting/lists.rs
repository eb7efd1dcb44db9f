//! Reads an owner's messages from nodes: for `assay recover`, and for the checks of stored records.
//!
//! Every list is read to its end, whatever container it has and whether pages are counted from 0 or from 1. It is read
//! from every node, since a node may lag or withhold messages, and the results are merged. The owner's `security` says
//! whose messages are read beside the owner's.

use std::collections::{BTreeMap, BTreeSet};

use assay_spec::crypto::address::Address;
use assay_spec::crypto::text::sha256_hex;
use assay_spec::hosting::envelope::Role;
use assay_spec::hosting::record::{listed, name_of};
use assay_spec::hosting::recovery::Reader;
use assay_spec::network::signing::verify_record;
use assay_spec::{Dialect, Strict, json};
use serde_json::Value;

use super::message::{Message, MessageKind};
use crate::services::network::path_with;
use crate::support::prose;

/// Elements of a page: the most that a node returns.
const PAGE: usize = 100;

/// The response of a node to a request for a list.
pub(super) enum Page {
    /// A body with status 200, and the number of its exchange.
    Body(String, usize),
    /// The node rejects the request (4xx), as some do for a page after the last.
    Rejected,
    /// No response, or a failure (5xx).
    Missing,
}

/// The nodes that lists are read from.
pub(super) trait Nodes: Send {
    /// Why reading ends early.
    type Stop: Send;

    /// How many there are.
    fn count(&self) -> usize;

    /// The number of the first page.
    fn first_page(&self) -> u64;

    /// The most pages of one list that are read from one node.
    fn pages(&self) -> u64;

    /// Sends a GET for a path below `/api/v0` to a node. `must`: there is a list; anything else is a problem.
    fn page(
        &mut self,
        node: usize,
        path: &str,
        must: bool,
    ) -> impl Future<Output = Result<Page, Self::Stop>> + Send;

    /// A list that cannot be read.
    fn unreadable(&mut self, node: usize, why: String) -> Result<(), Self::Stop>;

    /// Another problem of a node.
    fn trouble(&mut self, node: usize, what: String);
}

/// Whose messages are read.
pub(super) struct Wanted<'a> {
    /// The owner.
    pub(super) owner: Address,
    /// The senders that are known beforehand, with the owner.
    pub(super) senders: BTreeSet<Address>,
    /// These senders are all, and their messages are the owner's.
    pub(super) is_whole: bool,
    /// Types of messages, comma-separated; empty for all.
    pub(super) types: &'static str,
    /// The names of types and channels.
    pub(super) dialect: &'a Dialect,
}

/// What the lists hold.
pub(super) struct Lists {
    /// The messages that may be the owner's records, each version once, in the order received.
    pub(super) messages: Vec<Message>,
    /// Elements of lists that are not objects.
    pub(super) malformed: Vec<String>,
    /// For each node: the owner's messages that it returned, with digests of their content.
    pub(super) seen: Vec<BTreeMap<String, String>>,
    /// Every list was read to its end from at least one node.
    pub(super) is_complete: bool,
    /// The owner, and the addresses that the owner's `security` lists.
    pub(super) signers: Vec<Address>,
}

/// Reads the messages of the senders, then those of every address that the owner's `security` lists, then claims.
pub(super) async fn read<N: Nodes>(wanted: &Wanted<'_>, nodes: &mut N) -> Result<Lists, N::Stop> {
    let reader = Reader::new(wanted.owner, wanted.dialect.clone(), Role::RecoveryTool, nodes.count());
    let (versions, malformed) = (BTreeMap::new(), Vec::new());
    let mut reading = Reading { wanted, nodes, reader, versions, malformed, is_complete: true };
    let (mut asked, mut next) = (BTreeSet::new(), wanted.senders.clone());
    while !next.is_empty() {
        reading.list(&next).await?;
        asked.append(&mut next);
        next = reading.reader.signers(&mut Strict).into_iter().filter(|one| !asked.contains(one)).collect();
    }
    if !wanted.is_whole {
        reading.claims().await?;
    }
    Ok(reading.finish())
}

/// A version of a message, and the nodes that returned it.
struct Version {
    message: Message,
    order: usize,
    nodes: BTreeSet<usize>,
}

struct Reading<'a, N> {
    wanted: &'a Wanted<'a>,
    nodes: &'a mut N,
    /// Judges by which authority a record of `security` counts.
    reader: Reader,
    /// By hash and digest.
    versions: BTreeMap<(String, String), Version>,
    malformed: Vec<String>,
    is_complete: bool,
}

impl<N: Nodes> Reading<'_, N> {
    /// Reads every message of these senders from every node. The list is complete if one node returned all of it.
    async fn list(&mut self, senders: &BTreeSet<Address>) -> Result<(), N::Stop> {
        let senders: Vec<String> = senders.iter().map(ToString::to_string).collect();
        let senders = senders.join(",");
        let types = Some(("types", self.wanted.types)).filter(|(_, types)| !types.is_empty());
        let query: Vec<(&str, &str)> = [("addresses", senders.as_str())].into_iter().chain(types).collect();
        let mut is_whole = false;
        for node in 0..self.nodes.count() {
            is_whole |= self.pages(node, &query).await?;
        }
        self.is_complete &= is_whole;
        Ok(())
    }

    /// Reads every page of a list from one node. Returns whether the list is complete.
    async fn pages(&mut self, node: usize, query: &[(&str, &str)]) -> Result<bool, N::Stop> {
        let (mut hashes, mut total, first) = (BTreeSet::new(), None, self.nodes.first_page());
        for number in first..first + self.nodes.pages() {
            let body = match self.nodes.page(node, &path(query, number), number == first).await? {
                Page::Body(body, exchange) => Some((body, exchange)),
                Page::Rejected if number > first => None,
                Page::Rejected | Page::Missing => return Ok(false),
            };
            let Some((body, exchange)) = body else { break };
            let before = hashes.len();
            match self.take(node, &body, exchange) {
                Ok(found) => hashes.extend(found),
                Err(why) => {
                    self.nodes.unreadable(node, why)?;
                    return Ok(false);
                }
            }
            total = total_of(&body).or(total);
            if hashes.len() == before || total.is_some_and(|total| hashes.len() as u64 >= total) {
                break;
            }
        }
        // Some nodes count pages from 0. Without a total, only that page itself shows whether this one does; elsewhere
        // there may be no such page.
        let is_short = total.is_some_and(|total| (hashes.len() as u64) < total);
        if first > 0 && (is_short || total.is_none()) {
            let page = self.nodes.page(node, &path(query, 0), false).await?;
            if let Page::Body(body, exchange) = page
                && let Ok(found) = self.take(node, &body, exchange)
            {
                hashes.extend(found);
            }
        }
        let Some(total) = total.filter(|total| (hashes.len() as u64) < *total) else { return Ok(true) };
        self.nodes.trouble(node, format!("a list with a total of {total} messages holds {}", hashes.len()));
        Ok(false)
    }

    /// Reads claims of machines' keys. No record lists a machine as a sender, so all claims are read.
    async fn claims(&mut self) -> Result<(), N::Stop> {
        let dialect = self.wanted.dialect;
        let filters = [
            ("content_types", dialect.vm_claim_type.as_str()),
            ("channels", dialect.records_channel.as_str()),
        ];
        let has_machines = self.versions.values().any(|version| self.wanted.is_machine(&version.message));
        let (path, mut is_whole) = (path_with("/messages.json", &filters), !has_machines);
        for node in (0..self.nodes.count()).filter(|_| has_machines) {
            let Page::Body(body, exchange) = self.nodes.page(node, &path, true).await? else { continue };
            match self.take(node, &body, exchange) {
                Ok(_) => is_whole = true,
                // Without such a list, no claim is judged.
                Err(why) => self.nodes.trouble(node, why),
            }
        }
        self.is_complete &= is_whole;
        Ok(())
    }

    /// Keeps the messages of a list. Returns their hashes.
    fn take(&mut self, node: usize, body: &str, exchange: usize) -> Result<Vec<String>, String> {
        let mut hashes = Vec::new();
        for text in listed(body)? {
            hashes.push(name_of(text.get()));
            match Message::read(text.get(), self.wanted.dialect, exchange) {
                Some(message) => self.keep(node, message),
                None => self.malformed.push(text.get().to_owned()),
            }
        }
        Ok(hashes)
    }

    fn keep(&mut self, node: usize, message: Message) {
        if message.kind == MessageKind::Security {
            self.reader.message(&message.text, &mut Strict);
        }
        let order = self.versions.len();
        let key = (name_of(&message.text), sha256_hex(stated(&message).as_bytes()));
        let version = self.versions.entry(key).or_insert(Version { message, order, nodes: BTreeSet::new() });
        version.nodes.insert(node);
    }

    /// Leaves out what delegates and machines have written for other owners, and notes what nodes disagree about.
    fn finish(mut self) -> Lists {
        let signers = self.reader.signers(&mut Strict);
        let own = self.wanted.own(self.versions.values().map(|version| &version.message));
        self.versions.retain(|_, version| own.holds(&version.message));
        let mut seen = vec![BTreeMap::new(); self.nodes.count()];
        for ((hash, digest), version) in &self.versions {
            for node in &version.nodes {
                seen[*node].insert(hash.clone(), digest.clone());
            }
        }
        let mut versions: Vec<Version> = self.versions.into_values().collect();
        versions.sort_by_key(|version| version.order);
        let messages = versions.into_iter().map(|version| version.message).collect();
        Lists { messages, malformed: self.malformed, seen, is_complete: self.is_complete, signers }
    }
}

/// What makes a message the owner's.
struct Own {
    owner: Address,
    is_whole: bool,
    projects: BTreeSet<String>,
    machines: BTreeSet<String>,
}

impl Wanted<'_> {
    fn own<'m>(&self, messages: impl Iterator<Item = &'m Message> + Clone) -> Own {
        let ids = |message: &Message| message.entries().into_iter().map(|(id, _)| id.to_owned()).collect();
        let written = messages.clone().filter(|one| one.kind == MessageKind::Projects);
        Own {
            owner: self.owner,
            is_whole: self.is_whole,
            projects: written.filter(|one| is_of(one, self.owner)).flat_map::<Vec<String>, _>(ids).collect(),
            machines: messages.filter(|one| self.is_machine(one)).map(|one| one.hash().to_owned()).collect(),
        }
    }

    fn is_machine(&self, message: &Message) -> bool {
        message.value["type"] == "INSTANCE" && is_of(message, self.owner)
    }
}

fn is_of(message: &Message, owner: Address) -> bool {
    message.sender() == Some(owner) || message.address() == Some(owner)
}

impl Own {
    /// Whether a message may be about the owner: delegates write for others, too.
    fn holds(&self, message: &Message) -> bool {
        let is_known = match message.kind {
            MessageKind::Creation | MessageKind::Amend | MessageKind::Legacy => {
                self.projects.contains(message.id("projectId"))
            }
            MessageKind::Claim => self.machines.contains(message.id("instanceHash")),
            _ => false,
        };
        self.is_whole || is_known || is_of(message, self.owner)
    }
}

impl Lists {
    /// What the nodes lack of each other's messages, and what they disagree about, by node.
    pub(super) fn differences(&self, is_silent: impl Fn(usize) -> bool) -> Vec<(usize, String)> {
        let mut all: BTreeMap<&String, BTreeSet<&String>> = BTreeMap::new();
        for (hash, digest) in self.seen.iter().flatten() {
            all.entry(hash).or_default().insert(digest);
        }
        let mut found = Vec::new();
        for (node, seen) in self.seen.iter().enumerate().filter(|(node, _)| !is_silent(*node)) {
            let lacking = all.keys().filter(|hash| !seen.contains_key(**hash)).count();
            if lacking > 0 {
                let lacking = prose::count(lacking, "message");
                found.push((node, format!("it lacks {lacking} that other nodes return")));
            }
            let disputed =
                all.iter().filter(|(hash, digests)| digests.len() > 1 && seen.contains_key(**hash));
            found.extend(
                disputed.map(|(hash, _)| (node, format!("nodes disagree about the message {hash:.80}"))),
            );
        }
        found
    }
}

/// Keeps one version of each message: one that its sender has signed, if there is one.
pub(super) fn signed_versions(messages: Vec<Message>) -> Vec<Message> {
    let mut kept: Vec<Message> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for message in messages {
        let Some(place) = places.get(message.hash()) else {
            places.insert(message.hash().to_owned(), kept.len());
            kept.push(message);
            continue;
        };
        if !is_signed(&kept[*place]) && is_signed(&message) {
            kept[*place] = message;
        }
    }
    kept
}

fn is_signed(message: &Message) -> bool {
    let text = |member: &str| message.value[member].as_str().unwrap_or_default();
    verify_record(&message.text, text("signature"), text("sender"), &mut Strict).is_ok()
}

/// The path of a page.
fn path(query: &[(&str, &str)], number: u64) -> String {
    let (number, limit) = (number.to_string(), PAGE.to_string());
    path_with("/messages", &[query, &[("limit", limit.as_str()), ("page", number.as_str())]].concat())
}

/// `pagination.total`.
fn total_of(body: &str) -> Option<u64> {
    #[derive(serde::Deserialize)]
    struct Listed {
        pagination: Value,
    }
    let listed: Listed = serde_json::from_str(body).ok()?;
    json::integer(&listed.pagination["total"])?.try_into().ok()
}

/// The members in which two versions of one message may differ; a node may add others.
fn stated(message: &Message) -> String {
    let members =
        ["sender", "type", "channel", "signature", "content"].map(|member| message.value[member].to_string());
    members.join("\n")
}
