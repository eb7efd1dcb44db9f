//! Serves one world on sockets and runs the client in it.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::Stdio;

use assay_sim::control::open_sites;
use assay_sim::serve::{ClockMode, Handle};
use assay_sim::{World, world};
use assay_spec::Service;
use assay_spec::crypto::{ed25519, text};
use assay_spec::publish::check::{Intent, Op};
use assay_spec::publish::submit::SAFETY_CEILING;
use ed25519_dalek::SigningKey;
use serde_json::json;
use tokio::process::{Child, Command};
use tokio::time::{Instant, interval, sleep};

use super::Suite;
use super::front::Front;
use super::scene::{Asks, Binding, Scene, Script};
use super::trace::{Call, Ended, Trace, calls};
use super::watch::{READ_EVERY, Said, Watch};
use crate::harness::probe::wall_clock;
use crate::services::publish::client::{Publication, Published, publish};

/// What every client publishes.
const CID: &str = "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi";
/// Enough time for any pending record to land.
const LANDING_MS: i64 = 300_000;

/// Starts the world, runs the client in it once, and returns what it did. An error is the harness's own.
pub(super) async fn play(suite: &Suite, name: &str, scene: &Scene) -> Result<Trace, String> {
    let mut world = World::new(suite.seed, wall_clock() + scene.skew_ms, suite.dialect.clone());
    let draw = |what: &str| world.core.rng.draw(what, name.as_bytes(), 0);
    let [seed, other] = [draw("client.key"), draw("client.incoming-key")];
    let key = ed25519::key_from_seed(seed);
    // For an accept, the client has the incoming key.
    let (bound, incoming) = if scene.asks == Asks::Accept { (other, seed) } else { (seed, other) };
    let bound = ed25519::key_from_seed(bound);
    let incoming = ed25519::address(&ed25519::key_from_seed(incoming));
    let domain = format!("{}.assay.example", text::hex(&draw("client.domain")[..6]));
    if scene.binding != Binding::Unbound {
        world.perform("publish.bind", &json!({ "domain": domain, "key": ed25519::address(&bound) }))?;
    }
    let handle = Handle::new(world, ClockMode::Real);
    let failed = |e: std::io::Error| format!("cannot listen: {e}");
    let loopback = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let (listeners, sites) = open_sites(&handle, loopback).await.map_err(failed)?;
    let mut transfer = String::new();
    if scene.binding == Binding::Frozen || scene.asks == Asks::Accept {
        transfer = freeze(suite, &sites["publish"], &domain, bound, &incoming).await?;
    }
    set(&handle, scene)?;
    let front = Front::new(handle.clone(), scene.wire, suite.dialect.clone());
    let site = world::sites().into_iter().find(|site| site.name == "publish");
    let opened = front.open(site.ok_or("no site is named publish")?).await.map_err(failed)?;
    if scene.script == Script::Hold {
        handle.set_mode(ClockMode::Manual);
    }
    let mut watch = Watch::new(handle.clone());
    let landed_before = landed(&handle);

    let (program, arguments) = suite.command.split_first().ok_or("no command to run")?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env("ASSAY_URL", &opened.url)
        .env("ASSAY_CHAIN_URL", &sites["chain"])
        .env("ASSAY_KEY", text::hex(&seed))
        .env("ASSAY_DOMAIN", &domain)
        .env_remove("ASSAY_CID")
        .env_remove("ASSAY_VERSION")
        .env_remove("ASSAY_TRANSFER_TO")
        .env_remove("ASSAY_ACCEPT")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    if let Some(version) = scene.version.filter(|_| scene.asks == Asks::Publish) {
        command.env("ASSAY_VERSION", version);
    }
    let authority = format!("{}{incoming}", suite.dialect.key_scheme);
    let (name, value, wanted) = match scene.asks {
        Asks::Publish => ("ASSAY_CID", CID, json!({})),
        Asks::Transfer => {
            let wanted = json!({ "op": "transfer", "newAuthority": authority });
            ("ASSAY_TRANSFER_TO", incoming.as_str(), wanted)
        }
        Asks::Accept => ("ASSAY_ACCEPT", transfer.as_str(), json!({ "op": "accept" })),
    };
    command.env(name, value);
    let mut child = command.spawn().map_err(|e| format!("cannot start {program:?}: {e}"))?;
    let said = Said::listen(child.stderr.take());
    let ended = attend(suite, scene, &mut child, &handle, &mut watch).await?;
    watch.read();
    drop(listeners);
    let refusals = handle.read(|world| {
        let lines = world.core.log.lines();
        lines.map(|line| format!("the server: {}", json!(line))).collect()
    });
    let calls = calls(&watch.entries, front.altered_answers()).into_iter();
    let (chain, calls): (Vec<Call>, Vec<Call>) = calls.partition(|call| call.site == "chain");
    let is_of_exchange = |call: &Call| call.is_prepare() || call.is_submit();
    let (calls, strays): (Vec<Call>, Vec<Call>) = calls.into_iter().partition(is_of_exchange);
    Ok(Trace {
        dialect: suite.dialect.clone(),
        key: key.verifying_key().to_bytes(),
        calls,
        strays: strays.into_iter().map(|call| call.request.target).collect(),
        chain,
        wanted,
        landed: landed(&handle) - landed_before,
        ended,
        base: opened.url.clone(),
        refusals,
        stderr: said.lines(),
    })
}

fn landed(handle: &Handle) -> u64 {
    handle.read(|world| world.view(Service::Publish)["chain"]["transactions"].as_u64().unwrap_or_default())
}

/// Sets the scene's deviations, fault and limits.
fn set(handle: &Handle, scene: &Scene) -> Result<(), String> {
    let deviations: Vec<String> = scene.deviations.iter().map(ToString::to_string).collect();
    let faults = scene.fault.iter().map(|fault| serde_json::from_value(json!({ "fault": fault })));
    let faults = faults.collect::<Result<_, _>>().map_err(|e| e.to_string())?;
    let limits: serde_json::Map<_, _> =
        scene.limits.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
    handle.change(|world| {
        let set = world
            .set_deviations(&deviations)
            .and_then(|()| world.set_faults(faults))
            .and_then(|()| world.set_limits(Service::Publish, &limits.into()));
        (set, Vec::new())
    })
}

/// Transfers the domain to another key, which freezes this one. Returns the transaction's signature.
async fn freeze(
    suite: &Suite,
    url: &str,
    domain: &str,
    key: SigningKey,
    incoming: &str,
) -> Result<String, String> {
    let new_authority = format!("{}{incoming}", suite.dialect.key_scheme);
    let transfer = Publication {
        dialect: suite.dialect.clone(),
        url: url.to_owned(),
        chain_url: None,
        key,
        asked: Intent { domain: domain.to_owned(), op: Op::Transfer { new_authority } },
    };
    match publish(&transfer).await {
        Ok(Published::Landed(signature)) => Ok(signature),
        Ok(Published::Unverified(_, why) | Published::Unresolved(why)) | Err(why) => {
            Err(format!("the domain could not be transferred: {why}"))
        }
    }
}

/// Waits for the client to exit while the scene's script runs.
async fn attend(
    suite: &Suite,
    scene: &Scene,
    child: &mut Child,
    handle: &Handle,
    watch: &mut Watch,
) -> Result<Ended, String> {
    let limit = match scene.script {
        Script::Run => suite.limit,
        Script::MayWait => suite.quiet,
        Script::Hold => suite.limit + suite.slow,
        Script::Ceiling => suite.quiet * 2,
    };
    let deadline = sleep(limit);
    let hold = async {
        if scene.script == Script::Hold {
            handle.waiting(1).await;
            sleep(suite.slow).await;
            handle.set_mode(ClockMode::Real);
        }
    };
    tokio::pin!(deadline, hold);
    let (mut held, mut met, mut passed) = (false, None, false);
    let mut ticks = interval(READ_EVERY);
    loop {
        tokio::select! {
            status = child.wait() => {
                status.map_err(|e| format!("cannot wait for the client: {e}"))?;
                if met.is_some() && !passed {
                    handle.advance(LANDING_MS);
                }
                return Ok(Ended::Itself);
            }
            () = &mut deadline => {
                child.kill().await.map_err(|e| format!("cannot stop the client: {e}"))?;
                return Ok(Ended::Stopped(limit));
            }
            () = &mut hold, if !held => held = true,
            _ = ticks.tick() => {
                watch.read();
                if scene.script != Script::Ceiling || passed {
                    continue;
                }
                if met.is_none() && has_met_the_ceiling(watch) {
                    met = Some(Instant::now());
                }
                if met.is_some_and(|met| met.elapsed() >= suite.quiet / 2) {
                    handle.advance(LANDING_MS);
                    passed = true;
                }
            }
        }
    }
}

fn has_met_the_ceiling(watch: &Watch) -> bool {
    calls(&watch.entries, Vec::new())
        .iter()
        .any(|call| call.status() == 410 && call.answer()["error"].to_string().contains(SAFETY_CEILING))
}
