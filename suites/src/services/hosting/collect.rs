//! Recovers an owner's history: reads it from nodes over raw HTTP and folds it by the rules of `assay-spec`. Only
//! messages with a valid signature are believed.

use std::collections::BTreeSet;
use std::sync::Arc;

use assay_spec::crypto::address::Address;
use assay_spec::hosting::envelope::{Keys, Role};
use assay_spec::hosting::recovery::{Lookup, Reader, Recovery};
use assay_spec::network::store::Class;
use assay_spec::{Dialect, Rules};
use futures_util::StreamExt;
use serde::Serialize;
use serde_json::Value;

use super::lists::{self, Lists, Nodes, Page};
use super::node::{Node, Reply};
use crate::http::connect::Connect;

/// The most pages of one list that are read from one node.
const PAGES: u64 = 20_000;
/// Types of the messages that a history consists of.
const TYPES: &str = "POST,AGGREGATE,INSTANCE";
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
    /// The number of the first page of a list; page 0 is also read where a list begins there.
    pub first_page: u64,
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

/// Recovers a history by these rules. An error means that no node answered.
pub async fn recover(wanted: &Wanted, rules: &mut dyn Rules) -> Result<Recovered, String> {
    let nodes: Vec<Node> = wanted
        .nodes
        .iter()
        .map(|base| Node::new(wanted.connector.clone(), base, wanted.timeout))
        .collect::<Result<_, _>>()?;
    let lists = read(wanted, &nodes).await?;
    let mut reader = Reader::new(wanted.owner, wanted.dialect.clone(), wanted.role, nodes.len());
    let messages = lists.messages.iter().map(|message| &message.text);
    for text in messages.chain(&lists.malformed) {
        reader.message(text, rules);
    }
    for (node, what) in lists.differences(|node| nodes[node].is_dead()) {
        nodes[node].trouble(what);
    }
    look_up(&nodes, &mut reader, rules).await;
    let recovery = reader.finish(&wanted.keys, rules);
    let is_open = recovery.deployments.iter().any(|one| one.store == Some(Class::Unknown));
    let summaries = nodes.iter().zip(&lists.seen).map(|(node, seen)| NodeSummary {
        url: node.base().to_owned(),
        messages: seen.len(),
        troubles: node.troubles(),
    });
    Ok(Recovered { recovery, nodes: summaries.collect(), complete: lists.is_complete && !is_open })
}

async fn read(wanted: &Wanted, nodes: &[Node]) -> Result<Lists, String> {
    let of_owner = lists::Wanted {
        owner: wanted.owner,
        senders: BTreeSet::from([wanted.owner]),
        is_whole: false,
        types: TYPES,
        dialect: &wanted.dialect,
    };
    lists::read(&of_owner, &mut Named { nodes, first_page: wanted.first_page }).await
}

/// The nodes that a command names.
struct Named<'a> {
    nodes: &'a [Node],
    first_page: u64,
}

impl Nodes for Named<'_> {
    type Stop = String;

    fn count(&self) -> usize {
        self.nodes.len()
    }

    fn first_page(&self) -> u64 {
        self.first_page
    }

    fn pages(&self) -> u64 {
        PAGES
    }

    async fn page(&mut self, node: usize, path: &str, must: bool) -> Result<Page, String> {
        let page = self.nodes[node].page(&format!("/api/v0{path}"), must).await;
        if self.nodes.iter().all(Node::is_dead) {
            let why = self.nodes.iter().flat_map(Node::troubles).collect::<Vec<_>>().join("; ");
            return Err(format!("no node answers: {why}"));
        }
        Ok(page)
    }

    fn unreadable(&mut self, node: usize, why: String) -> Result<(), String> {
        self.trouble(node, why);
        Ok(())
    }

    fn trouble(&mut self, node: usize, what: String) {
        self.nodes[node].trouble(what);
    }
}

/// Looks up STORE messages until the reader needs no more.
async fn look_up(nodes: &[Node], reader: &mut Reader, rules: &mut dyn Rules) {
    loop {
        let needs = reader.needs(rules);
        if needs.is_empty() {
            return;
        }
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
            reader.answer(&lookup, status, body.as_ref(), rules);
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
