//! Serves one world of a case, runs the tool in it, and recovers the same history for comparison.

use std::io::Read;
use std::process::Stdio;
use std::sync::Arc;

use assay_sim::World;
use assay_sim::serve::ClockMode;
use assay_spec::crypto::address::Address;
use assay_spec::crypto::secp256k1::key_from_secret;
use assay_spec::crypto::text::parse_prefixed_hex;
use assay_spec::hosting::envelope::{Keys, Role};
use assay_spec::{Service, Strict};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;
use tokio::process::ChildStdout;
use tokio::sync::mpsc;
use tokio::time::{interval, timeout};

use super::super::judge::Hold;
use super::super::stage::Stage;
use super::super::trace::{Ended, calls};
use super::super::watch::{READ_EVERY, Said};
use super::extra::Authors;
use super::scene::{History, Nodes, Scene};
use super::{Suite, Trace};
use crate::harness::probe::wall_clock;
use crate::http::sockets::Tcp;
use crate::services::hosting::collect::{Wanted, recover};

/// The most bytes of a tool's output that are read.
const OUTPUT_BYTES: u64 = 16 * 1024 * 1024;
/// The most steps of a minute until a history is written.
const MINUTES: usize = 24 * 60;

/// A world with a history.
struct Opened<'a> {
    suite: &'a Suite,
    stage: Stage,
    nodes: Vec<String>,
    owner: String,
    wallet: String,
}

/// Starts the world, runs the tool in it once, and returns what it did. An error is the harness's own.
pub(super) async fn play(suite: &Suite, scene: &Scene) -> Result<Trace, String> {
    let opened = open(suite, scene).await?;
    let mut started = opened.stage.start(&suite.client.command, Stdio::null(), Stdio::piped())?;
    let output = started.child.stdout.take().ok_or("no standard output")?;
    let running = async {
        let printed = read(output).await;
        let status = started.child.wait().await.map_err(|e| format!("cannot wait for the tool: {e}"))?;
        Ok::<_, String>((printed, status.code()))
    };
    let limit = suite.client.limit;
    let (printed, ended) = match timeout(limit, running).await {
        Ok(ran) => ran.map(|(printed, code)| (printed, Ended::Itself(code)))?,
        Err(_) => (Err("nothing in time".to_owned()), Ended::Stopped(limit)),
    };
    if let Ended::Stopped(_) = ended {
        started.child.kill().await.map_err(|e| format!("cannot stop the tool: {e}"))?;
    }
    opened.close(printed, ended, Some(&started.said)).await
}

/// Opens the world for a tool that the user starts, until the hold ends. The user enters what it prints.
pub(super) async fn hold(suite: &Suite, scene: &Scene, hold: Hold<'_>) -> Result<Trace, String> {
    let Hold { say, end } = hold;
    let mut opened = open(suite, scene).await?;
    say("Start the tool with this environment:");
    opened.stage.exports().iter().for_each(|line| say(line));
    say(
        "Its requests are listed as they are answered. Pipe what it prints into this command, or enter it and end with Ctrl-D.",
    );
    say("Ctrl-C ends the world and prints the verdict.");
    let (mut printed, mut ticks) = (Err("nothing: no JSON was entered".to_owned()), interval(READ_EVERY));
    let mut entered = entered();
    tokio::pin!(end);
    loop {
        tokio::select! {
            () = &mut end => break,
            Some(bytes) = entered.recv() => printed = parse(&bytes),
            _ = ticks.tick() => opened.stage.list(say),
        }
    }
    opened.stage.list(say);
    opened.close(printed, Ended::Unknown, None).await
}

/// The whole standard input of this process. A thread reads it, which does not keep the process from ending.
fn entered() -> mpsc::UnboundedReceiver<Vec<u8>> {
    let (sender, entered) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if std::io::stdin().take(OUTPUT_BYTES).read_to_end(&mut bytes).is_ok() {
            // After Ctrl-C nothing is waiting for it.
            let _ = sender.send(bytes);
        }
    });
    entered
}

/// Reads the output of a tool to its end.
async fn read(output: ChildStdout) -> Result<Value, String> {
    let mut bytes = Vec::new();
    let read = output.take(OUTPUT_BYTES).read_to_end(&mut bytes).await;
    read.map_err(|e| format!("output that cannot be read: {e}"))?;
    parse(&bytes)
}

fn parse(bytes: &[u8]) -> Result<Value, String> {
    if bytes.len() as u64 == OUTPUT_BYTES {
        return Err(format!("{OUTPUT_BYTES} bytes or more"));
    }
    serde_json::from_slice(bytes).map_err(|e| match String::from_utf8_lossy(bytes).trim() {
        "" => "no output".to_owned(),
        text => format!("not JSON ({e}): {text:.200}"),
    })
}

/// Opens the world of a case, and writes its history.
async fn open<'a>(suite: &'a Suite, scene: &Scene) -> Result<Opened<'a>, String> {
    let mut world = World::new(suite.client.seed, wall_clock(), suite.client.dialect.clone());
    world.set_variations(&scene.variations.iter().map(ToString::to_string).collect::<Vec<_>>())?;
    let mut stage = Stage::open(world).await?;
    // Time passes only while the history is written.
    stage.handle.set_mode(ClockMode::Manual);
    stage.set_limits(Service::Network, &[("general_per_window", i64::from(u32::MAX))])?;
    stage.set_deviations(scene.deviations)?;
    let faults: Value = serde_json::from_str(scene.faults).map_err(|e| e.to_string())?;
    stage.set_faults(&faults)?;
    let written = match scene.history {
        History::Short => stage.perform("hosting.seed-history", &json!({}))?,
        History::Long(deployments) => {
            stage.perform("hosting.history", &json!({ "deployments": deployments }))?
        }
    };
    let text = |member: &str| {
        let text = written[member].as_str().map(str::to_owned);
        text.ok_or_else(|| format!("the history has no {member}"))
    };
    let (owner, wallet) = (text("owner")?, text("wallet_key")?);
    let is_writing = |stage: &Stage| {
        let view = stage.handle.read(|world| world.view(Service::Hosting));
        view["jobs"].as_array().is_some_and(|jobs| !jobs.is_empty())
    };
    for _ in 0..MINUTES {
        if !is_writing(&stage) {
            break;
        }
        stage.handle.advance(60_000);
    }
    if is_writing(&stage) {
        return Err("the history was not written to its end".to_owned());
    }
    for extra in scene.extra {
        extra.write(&stage, Authors(&written)).await?;
    }
    let sites: &[&str] = match scene.nodes {
        Nodes::One => &["network"],
        Nodes::MirrorFirst => &["network-mirror", "network"],
    };
    let nodes: Vec<String> = sites.iter().map(|site| stage.url(site)).collect();
    stage.set("ASSAY_NODE_URLS", Some(nodes.join(" ")));
    stage.set("ASSAY_ADDRESS", Some(owner.clone()));
    stage.set("ASSAY_WALLET_KEY", Some(wallet.trim_start_matches("0x").to_owned()));
    stage.watch.restart();
    Ok(Opened { suite, stage, nodes, owner, wallet })
}

impl Opened<'_> {
    /// What is there to recover.
    async fn written(&self) -> Result<Value, String> {
        let wallet = parse_prefixed_hex(&self.wallet).and_then(|bytes| bytes.try_into().ok());
        let wanted = Wanted {
            connector: Arc::new(Tcp),
            nodes: self.nodes.clone(),
            owner: Address::parse(&self.owner).ok_or("the owner has no address")?,
            keys: Keys { wallet: wallet.and_then(|secret| key_from_secret(&secret)), encryption: None },
            dialect: self.suite.client.dialect.clone(),
            role: Role::RecoveryTool,
            first_page: 1,
            timeout: self.suite.client.limit,
        };
        let recovered = recover(&wanted, &mut Strict).await?;
        serde_json::to_value(recovered).map_err(|e| e.to_string())
    }

    /// The trace, after the sockets are closed.
    async fn close(
        mut self,
        printed: Result<Value, String>,
        ended: Ended,
        said: Option<&Said>,
    ) -> Result<Trace, String> {
        self.stage.settle().await;
        let sent = self.stage.watch.entries.len();
        let written = self.written().await?;
        let (mut entries, around) = self.stage.close(ended, said);
        // What follows are the requests of the comparison.
        entries.truncate(sent);
        Ok(Trace { calls: calls(&entries), printed, written, around })
    }
}
