//! Serves one world of a case, runs the tool in it, and recovers the same history for comparison.

use std::sync::Arc;

use assay_sim::World;
use assay_sim::serve::ClockMode;
use assay_spec::crypto::address::Address;
use assay_spec::crypto::secp256k1::key_from_secret;
use assay_spec::crypto::text::parse_prefixed_hex;
use assay_spec::hosting::envelope::{Keys, Role};
use assay_spec::{Service, Strict};
use serde_json::{Value, json};

use super::super::judge::Hold;
use super::super::printed::{self, Printed};
use super::super::stage::Stage;
use super::super::trace::{Ended, calls};
use super::super::watch::Said;
use super::extra::Authors;
use super::scene::{History, Nodes, Scene};
use super::{Suite, Trace};
use crate::harness::probe::wall_clock;
use crate::http::sockets::Tcp;
use crate::services::hosting::collect::{Wanted, recover};

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
    let (printed, ended, said) = printed::run(&opened.stage, &suite.client).await?;
    opened.close(printed, ended, Some(&said)).await
}

/// Opens the world for a tool that the user starts, until the hold ends. The user enters what it prints.
pub(super) async fn hold(suite: &Suite, scene: &Scene, hold: Hold<'_>) -> Result<Trace, String> {
    let mut opened = open(suite, scene).await?;
    let printed = printed::hold(&mut opened.stage, hold).await;
    opened.close(printed, Ended::Unknown, None).await
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
    async fn close(mut self, printed: Printed, ended: Ended, said: Option<&Said>) -> Result<Trace, String> {
        self.stage.settle().await;
        let sent = self.stage.watch.entries.len();
        let written = self.written().await?;
        let (mut entries, around) = self.stage.close(ended, said);
        // What follows are the requests of the comparison.
        entries.truncate(sent);
        Ok(Trace { calls: calls(&entries), printed, written, around })
    }
}
