//! Serves one world of a case, and runs the program in it.

use std::sync::Arc;

use assay_sim::World;
use assay_spec::Service;
use assay_spec::crypto::address::Address;
use assay_spec::crypto::secp256k1::{SigningKey, key_from_secret};
use assay_spec::crypto::text::hex;
use assay_spec::network::signing::sign_text;
use serde_json::{Value, json};
use tempfile::NamedTempFile;

use super::super::front::site;
use super::super::judge::Hold;
use super::super::printed::{self, Printed};
use super::super::stage::Stage;
use super::super::trace::{Ended, calls};
use super::super::watch::Said;
use super::scene::{Scene, Task};
use super::wire::Line;
use super::{Suite, Trace};
use crate::harness::probe::wall_clock;
use crate::http::exchange::Request;

/// How many messages there are to list: more than the largest page holds.
const LISTED: usize = 130;

/// A world, before a program is in it.
struct Opened {
    stage: Stage,
    line: Arc<Line>,
    task: Task,
    address: String,
    /// What there is to list or to read.
    written: Vec<String>,
    content: Value,
    _file: NamedTempFile,
}

/// Starts the world, runs the program in it once, and returns what it did. An error is the harness's own.
pub(super) async fn play(suite: &Suite, name: &str, scene: &Scene) -> Result<Trace, String> {
    let opened = open(suite, name, scene).await?;
    let (printed, ended, said) = printed::run(&opened.stage, &suite.client).await?;
    opened.close(printed, ended, Some(&said)).await
}

/// Opens the world for a program that the user starts, until the hold ends. The user enters what it prints.
pub(super) async fn hold(suite: &Suite, name: &str, scene: &Scene, hold: Hold<'_>) -> Result<Trace, String> {
    let mut opened = open(suite, name, scene).await?;
    let printed = printed::hold(&mut opened.stage, hold).await;
    opened.close(printed, Ended::Unknown, None).await
}

/// Opens the world of a case.
async fn open(suite: &Suite, name: &str, scene: &Scene) -> Result<Opened, String> {
    let world = World::new(suite.client.seed, wall_clock(), suite.client.dialect.clone());
    let draw = |what: &str| world.core.rng.draw(what, name.as_bytes(), 0);
    let [own, other] = [draw("client.key"), draw("client.other-key")];
    let channel = suite.client.dialect.channel.clone();
    let mut stage = Stage::open(world).await?;
    let limits = [("general_per_window", 1 << 20), ("authenticated_per_window", 1 << 20)];
    stage.set_limits(Service::Network, &limits)?;
    let key = |secret: &[u8; 32]| key_from_secret(secret).ok_or("a draw is not a key");
    let address = Address::from_key(&key(&own)?).to_string();
    let file = NamedTempFile::new().map_err(|e| format!("cannot write a file: {e}"))?;
    let (path, kind) = scene.task.endpoint();
    let (mut written, mut content) = (Vec::new(), Value::Null);
    let mut sites = vec!["network"];
    let task = match scene.task {
        Task::Upload => {
            std::fs::write(file.path(), b"A file, \x00\xff and its end.\n").map_err(|e| e.to_string())?;
            json!({ "do": "upload", "path": path, "file": file.path(), "channel": channel })
        }
        Task::List => {
            let other = key(&other)?;
            for n in 0..LISTED {
                let note = json!({ "address": Address::from_key(&other).to_string(), "type": "check", "content": n });
                written.push(post(&stage, &other, &channel, &note).await?);
            }
            json!({ "do": "list", "path": path, "address": Address::from_key(&other).to_string() })
        }
        Task::Read => {
            stage.set_faults(&json!([{ "fault": "network.lagging" }]))?;
            content = scene.task.content(&address);
            let hash = post(&stage, &key(&other)?, &channel, &content).await?;
            sites.insert(0, "network-mirror");
            json!({ "do": "read", "path": format!("{path}/{hash}"), "hash": hash })
        }
        creates => json!({
            "do": "create", "path": path, "type": kind, "channel": channel, "content": creates.content(&address),
        }),
    };
    let line = Line::new(stage.handle.clone(), scene.wire, path);
    let front = line.open(site("network")?).await?;
    stage.put_before("network", front);
    let nodes: Vec<String> = sites.iter().map(|site| stage.url(site)).collect();
    stage.set("ASSAY_NODE_URLS", Some(nodes.join(" ")));
    stage.set("ASSAY_ADDRESS", Some(address.clone()));
    stage.set("ASSAY_WALLET_KEY", Some(hex(&own)));
    stage.set("ASSAY_TASK", Some(task.to_string()));
    stage.watch.restart();
    Ok(Opened { stage, line, task: scene.task, address, written, content, _file: file })
}

/// Writes a POST to the node, and returns its hash.
async fn post(stage: &Stage, key: &SigningKey, channel: &str, content: &Value) -> Result<String, String> {
    let now = stage.handle.read(|world| world.core.now());
    let message = json!({
        "chain": "ETH", "channel": channel, "type": "POST", "timestamp": now.seconds(), "content": content,
    });
    let signature = sign_text(key, message.to_string().as_bytes());
    let address = Address::from_key(key).to_string();
    let body = json!({ "message": message, "signature": signature, "address": address });
    let request = Request { body: body.to_string().into(), ..Request::new("POST", "/api/v0/messages") };
    let created = stage.send("network", &request.header("Content-Type", "application/json")).await?;
    created["item_hash"].as_str().map(str::to_owned).ok_or_else(|| "no item_hash".to_owned())
}

impl Opened {
    /// The hashes of what the program has created.
    async fn created(&self) -> Result<Vec<String>, String> {
        let (_, kind) = self.task.endpoint();
        let target = format!("/api/v0/messages?addresses={}&types={kind}&limit=100", self.address);
        let list = self.stage.send("network", &Request::new("GET", &target)).await?;
        let messages = list["messages"].as_array().into_iter().flatten();
        Ok(messages.filter_map(|one| one["item_hash"].as_str().map(str::to_owned)).collect())
    }

    /// The trace, after the sockets are closed.
    async fn close(mut self, printed: Printed, ended: Ended, said: Option<&Said>) -> Result<Trace, String> {
        self.stage.settle().await;
        let sent = self.stage.watch.entries.len();
        let is_creation = !matches!(self.task, Task::List | Task::Read);
        let written = if is_creation { self.created().await? } else { self.written };
        let seen = self.line.seen();
        let (mut entries, around) = self.stage.close(ended, said);
        // What follows is the suite's own request.
        entries.truncate(sent);
        Ok(Trace { calls: calls(&entries), seen, printed, written, content: self.content, around })
    }
}
