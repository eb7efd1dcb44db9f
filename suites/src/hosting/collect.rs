//! Recovers an owner's history: reads it from nodes over raw HTTP and folds it by the rules of `assay-spec`.
//!
//! Every list is read from every node, since a node may lag or withhold messages, and the results are merged. Only
//! messages with a valid signature are believed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use assay_spec::crypto::address::Address;
use assay_spec::crypto::text::sha256_hex;
use assay_spec::hosting::envelope::{Keys, Role};
use assay_spec::hosting::record::{listed, name_of};
use assay_spec::hosting::recovery::{Lookup, Reader, Recovery};
use assay_spec::network::store::Class;
use assay_spec::{Dialect, Strict};
use futures_util::StreamExt;
use serde::Serialize;
use serde_json::Value;

use super::message::{Message, MessageKind};
use super::node::{Node, Reply};
use crate::network::path_with;
use crate::prose;
use crate::target::Connect;

/// Elements of a page: the most that a node returns.
const PAGE: usize = 100;
/// The most pages of one list that are read from one node.
const PAGES: u64 = 20_000;
/// Lookups in parallel.
const BESIDE: usize = 8;

/// What to recover, and from where.
pub struct Wanted {
    /// How nodes are reached.
    pub connector: Arc<dyn Connect>,
    /// Base URLs of nodes, without `/api/v0`; the first is asked first.
    pub nodes: Vec<String>,
    /// The owner of the history.
    pub owner: Address,
    /// The keys of the owner. Without them, envelopes are not opened.
    pub keys: Keys,
    /// The target's names of types and channels.
    pub dialect: Dialect,
    /// The role whose rules are used to read envelopes.
    pub role: Role,
    /// How long one exchange may take.
    pub timeout: std::time::Duration,
}

/// What was recovered.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Recovered {
    /// The history.
    #[serde(flatten)]
    pub recovery: Recovery,
    /// A summary of each node, in the order in which they were named.
    pub nodes: Vec<NodeSummary>,
    /// Every list was read to its end from at least one node, and every artifact's state is known.
    pub complete: bool,
}

/// What a node returned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeSummary {
    /// Its base URL.
    pub url: String,
    /// How many of the owner's messages it returned.
    pub messages: usize,
    /// What was wrong with it, for the report.
    pub troubles: BTreeSet<String>,
}

/// Recovers a history. An error means that no node answered.
pub async fn recover(wanted: &Wanted) -> Result<Recovered, String> {
    let nodes: Vec<Node> = wanted
        .nodes
        .iter()
        .map(|base| Node::new(wanted.connector.clone(), base, wanted.timeout))
        .collect::<Result<_, _>>()?;
    let reader = Reader::new(wanted.owner, wanted.dialect.clone(), wanted.role, nodes.len());
    let mut collector = Collector {
        wanted,
        seen: vec![BTreeMap::new(); nodes.len()],
        nodes,
        reader,
        projects: BTreeSet::new(),
        machines: BTreeSet::new(),
        complete: true,
    };
    collector.lists().await?;
    collector.claims().await;
    collector.compare();
    collector.lookups().await;
    let recovery = collector.reader.finish(&wanted.keys, &mut Strict);
    let is_open = recovery.deployments.iter().any(|one| one.store == Some(Class::Unknown));
    let summary = |(node, seen): (&Node, &BTreeMap<String, String>)| NodeSummary {
        url: node.base().to_owned(),
        messages: seen.len(),
        troubles: node.troubles(),
    };
    let nodes = collector.nodes.iter().zip(&collector.seen).map(summary).collect();
    Ok(Recovered { recovery, nodes, complete: collector.complete && !is_open })
}

struct Collector<'a> {
    wanted: &'a Wanted,
    nodes: Vec<Node>,
    reader: Reader,
    /// For each node: the owner's messages that it returned, with digests of their content.
    seen: Vec<BTreeMap<String, String>>,
    projects: BTreeSet<String>,
    machines: BTreeSet<String>,
    complete: bool,
}

impl Collector<'_> {
    /// Reads the messages of the owner, then those of every address that the owner's `security` lists.
    async fn lists(&mut self) -> Result<(), String> {
        let mut asked: BTreeSet<Address> = BTreeSet::new();
        loop {
            let signers = self.reader.signers(&mut Strict);
            // The owner comes first: the projects decide which deployments are the owner's.
            let new: Vec<Address> = signers.into_iter().filter(|one| asked.insert(*one)).collect();
            if new.is_empty() {
                return Ok(());
            }
            for signer in new {
                let address = signer.to_string();
                let query = [("addresses", address.as_str()), ("types", "POST,AGGREGATE,INSTANCE")];
                self.list(&query).await;
            }
            if self.nodes.iter().all(Node::is_dead) {
                let why = self.nodes.iter().flat_map(Node::troubles).collect::<Vec<_>>().join("; ");
                return Err(format!("no node answers: {why}"));
            }
        }
    }

    /// Reads a list from every node. It is complete if one node returned all of it.
    async fn list(&mut self, query: &[(&str, &str)]) {
        let mut is_whole = false;
        for node in 0..self.nodes.len() {
            is_whole |= self.pages(node, query).await;
        }
        self.complete &= is_whole;
    }

    /// Reads every page of a list from one node. Returns whether the list is complete.
    async fn pages(&mut self, node: usize, query: &[(&str, &str)]) -> bool {
        let (mut hashes, mut total) = (BTreeSet::new(), None);
        for number in 1..=PAGES {
            let Some(page) = self.page(node, query, number, true).await else { return false };
            let before = hashes.len();
            hashes.extend(page.hashes);
            total = page.total.or(total);
            if hashes.len() == before || total.is_some_and(|total| hashes.len() as u64 >= total) {
                break;
            }
        }
        // Some nodes count pages from 0. Without a total, only that page itself shows whether this one does; elsewhere
        // there may be no such page.
        let is_short = total.is_some_and(|total| (hashes.len() as u64) < total);
        if is_short || total.is_none() {
            let first = self.page(node, query, 0, is_short).await;
            hashes.extend(first.into_iter().flat_map(|page| page.hashes));
        }
        let Some(total) = total.filter(|total| (hashes.len() as u64) < *total) else { return true };
        self.nodes[node].trouble(format!("a list with a total of {total} messages holds {}", hashes.len()));
        false
    }

    /// Reads a page. If it `must` be there, its absence is noted as a problem of the node.
    async fn page(&mut self, node: usize, query: &[(&str, &str)], number: u64, must: bool) -> Option<Page> {
        let (number, limit) = (number.to_string(), PAGE.to_string());
        let paging = [("page", number.as_str()), ("limit", limit.as_str())];
        let path = path_with("/api/v0/messages", &[query, &paging].concat());
        let text = self.nodes[node].text(&path, must).await?;
        match Page::read(&text) {
            Ok(items) => {
                let total = total(&text);
                let hashes = items.iter().map(|text| name_of(text)).collect();
                for text in &items {
                    self.take(node, text);
                }
                Some(Page { hashes, total })
            }
            Err(why) => {
                if must {
                    self.nodes[node].trouble(why);
                }
                None
            }
        }
    }

    /// Passes a message to the reader if it may be about the owner: delegates write for others, too.
    fn take(&mut self, node: usize, text: &str) {
        let Some(message) = Message::read(text, &self.wanted.dialect, 0) else {
            return self.reader.message(text, &mut Strict);
        };
        let owner = Some(self.wanted.owner);
        let is_own = message.sender() == owner || message.address() == owner;
        let is_unsaid = message.address().is_none();
        if message.kind == MessageKind::Projects && is_own {
            self.projects.extend(message.entries().into_iter().map(|(id, _)| id.to_owned()));
        }
        if message.value["type"] == "INSTANCE" {
            if is_own {
                self.machines.insert(message.hash().to_owned());
            }
            return;
        }
        let is_wanted = match message.kind {
            MessageKind::Creation | MessageKind::Amend | MessageKind::Legacy => {
                is_own || is_unsaid || self.projects.contains(message.id("projectId"))
            }
            MessageKind::Claim => self.machines.contains(message.id("instanceHash")),
            _ => is_own || is_unsaid,
        };
        if is_wanted {
            self.seen[node].insert(name_of(text), sha256_hex(stated(&message).as_bytes()));
            self.reader.message(text, &mut Strict);
        }
    }

    /// Reads claims of the keys of the owner's machines. No record lists a machine as a sender, so all claims are read.
    async fn claims(&mut self) {
        if self.machines.is_empty() {
            return;
        }
        let dialect = &self.wanted.dialect;
        let (kind, channel) = (dialect.vm_claim_type.clone(), dialect.records_channel.clone());
        let path = path_with("/api/v0/messages.json", &[("content_types", &kind), ("channels", &channel)]);
        let mut is_whole = false;
        for node in 0..self.nodes.len() {
            let Some(text) = self.nodes[node].text(&path, true).await else { continue };
            match flat(&text) {
                Ok(items) => {
                    is_whole = true;
                    for text in &items {
                        self.take(node, text);
                    }
                }
                Err(why) => self.nodes[node].trouble(why),
            }
        }
        self.complete &= is_whole;
    }

    /// Notes the nodes that lack messages which others return, and those that return another version.
    fn compare(&self) {
        let mut all: BTreeMap<&String, BTreeSet<&String>> = BTreeMap::new();
        for (hash, digest) in self.seen.iter().flatten() {
            all.entry(hash).or_default().insert(digest);
        }
        for (node, seen) in self.nodes.iter().zip(&self.seen).filter(|(node, _)| !node.is_dead()) {
            let lacking = all.keys().filter(|hash| !seen.contains_key(**hash)).count();
            if lacking > 0 {
                node.trouble(format!(
                    "it lacks {} that other nodes return",
                    prose::count(lacking, "message")
                ));
            }
            for (hash, _) in
                all.iter().filter(|(hash, digests)| digests.len() > 1 && seen.contains_key(**hash))
            {
                node.trouble(format!("nodes disagree about the message {hash:.80}"));
            }
        }
    }

    /// Looks up STORE messages until the reader needs no more.
    async fn lookups(&mut self) {
        loop {
            let needs = self.reader.needs(&mut Strict);
            if needs.is_empty() {
                return;
            }
            let nodes = &self.nodes;
            let asked = futures_util::stream::iter(needs).map(|lookup| async move {
                let reply = match nodes.get(lookup.node) {
                    Some(node) => node.get(&message_path(&lookup.hash)).await,
                    None => Reply::default(),
                };
                (lookup, reply)
            });
            let answers: Vec<(Lookup, Reply)> = asked.buffered(BESIDE).collect().await;
            for (lookup, Reply { status, body }) in answers {
                let body: Option<Value> = serde_json::from_slice(&body).ok();
                self.reader.answer(&lookup, status, body.as_ref(), &mut Strict);
            }
        }
    }
}

/// The path of a message. Its hash comes from a record and may hold any characters.
fn message_path(hash: &str) -> String {
    let mut url = url::Url::parse("http://a/api/v0/messages").expect("a URL");
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.push(hash);
    }
    url.path().to_owned()
}

/// What a page holds.
struct Page {
    hashes: Vec<String>,
    total: Option<u64>,
}

impl Page {
    /// The messages of a page, each as received.
    fn read(text: &str) -> Result<Vec<String>, String> {
        Ok(listed(text, "messages")?.into_iter().map(|raw| raw.get().to_owned()).collect())
    }
}

/// `pagination.total`.
fn total(text: &str) -> Option<u64> {
    #[derive(serde::Deserialize)]
    struct Listed {
        pagination: Value,
    }
    serde_json::from_str::<Listed>(text).ok()?.pagination["total"].as_u64()
}

/// The messages of the flat list: an array, or the array `messages` of an object.
fn flat(text: &str) -> Result<Vec<String>, String> {
    let bare: Result<Vec<&serde_json::value::RawValue>, _> = serde_json::from_str(text);
    match bare {
        Ok(items) => Ok(items.into_iter().map(|raw| raw.get().to_owned()).collect()),
        Err(_) => Page::read(text),
    }
}

/// The members in which two versions of one message may differ; a node may add others.
fn stated(message: &Message) -> String {
    let members =
        ["sender", "type", "channel", "signature", "content"].map(|member| message.value[member].to_string());
    members.join("\n")
}
