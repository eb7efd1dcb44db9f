//! Serves one world of a case, and runs the client in it.

use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use assay_sim::World;
use assay_sim::serve::ClockMode;
use assay_spec::Service;
use assay_spec::crypto::{ed25519, text};
use assay_spec::publish::check::{Intent, Op};
use assay_spec::publish::limits::PREPARE_LIFETIME;
use assay_spec::publish::submit::SAFETY_CEILING;
use ed25519_dalek::SigningKey;
use serde_json::{Value, json};
use tokio::time::{Duration, Instant, interval, sleep, sleep_until};

use super::super::front::site;
use super::super::judge::Hold;
use super::super::stage::Stage;
use super::super::trace::{Call, Ended, calls};
use super::super::watch::{READ_EVERY, Said};
use super::Suite;
use super::scene::{Asks, Binding, Scene, Script};
use super::trace::{Trace, with_altered_answers};
use super::wire::Line;
use crate::harness::probe::wall_clock;
use crate::services::publish::client::{Publication, Published, publish};

/// What every client publishes.
const CID: &str = "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi";
/// Enough time for any pending record to land.
const LANDING_MS: i64 = 300_000;

/// The world of a case, before a client is in it.
struct Opened<'a> {
    suite: &'a Suite,
    scene: &'a Scene,
    stage: Stage,
    line: Arc<Line>,
    key: [u8; 32],
    wanted: Value,
    landed_before: u64,
    /// When the client met the safety ceiling.
    met_ceiling: Option<Instant>,
    /// Time has passed since.
    has_landed: bool,
    /// The client has a prepare that it has not submitted yet, and may be about to sign it.
    signing: Arc<AtomicBool>,
    /// The last of its calls that returned a prepare, and when that was seen.
    prepared: Option<(usize, Instant)>,
}

/// Starts the world, runs the client in it once, and returns what it did. An error is the harness's own.
pub(super) async fn play(suite: &Suite, name: &str, scene: &Scene) -> Result<Trace, String> {
    let mut opened = open(suite, name, scene).await?;
    let mut started = opened.stage.start(&suite.client.command, Stdio::null(), Stdio::null())?;
    let (limit, signing) = (opened.limit(), opened.signing.clone());
    let ended = {
        let ends = async {
            let begun = Instant::now();
            let mut until = begun + limit;
            loop {
                tokio::select! {
                    status = started.child.wait() => {
                        let status = status.map_err(|e| format!("cannot wait for the client: {e}"))?;
                        return Ok(Ended::Itself(status.code()));
                    }
                    () = sleep_until(until) => {}
                }
                // A prepare lives for 60 seconds, and a client may take as long to sign it.
                if !signing.load(Ordering::Relaxed) {
                    return Ok(Ended::Stopped(begun.elapsed()));
                }
                until = Instant::now() + limit;
            }
        };
        opened.attend(ends, None).await?
    };
    if let Ended::Stopped(_) = ended {
        started.child.kill().await.map_err(|e| format!("cannot stop the client: {e}"))?;
    }
    opened.settle().await;
    Ok(opened.close(ended, Some(&started.said)))
}

/// Opens the world for a client that the user starts, until the hold ends.
pub(super) async fn hold(suite: &Suite, name: &str, scene: &Scene, hold: Hold<'_>) -> Result<Trace, String> {
    let mut opened = open(suite, name, scene).await?;
    (hold.say)("Start the client with this environment:");
    opened.stage.exports().iter().for_each(|line| (hold.say)(line));
    (hold.say)("Its requests are listed as they are answered. Ctrl-C ends the world and prints the verdict.");
    let ends = async {
        hold.end.await;
        Ok(Ended::Unknown)
    };
    let ended = opened.attend(ends, Some(hold.say)).await?;
    opened.settle().await;
    opened.stage.list(hold.say);
    Ok(opened.close(ended, None))
}

/// Opens the world of a case.
async fn open<'a>(suite: &'a Suite, name: &str, scene: &'a Scene) -> Result<Opened<'a>, String> {
    let dialect = &suite.client.dialect;
    let mut world = World::new(suite.client.seed, wall_clock() + scene.skew_ms, dialect.clone());
    let draw = |what: &str| world.core.rng.draw(what, name.as_bytes(), 0);
    let [seed, other] = [draw("client.key"), draw("client.incoming-key")];
    // For an accept, the client has the incoming key.
    let (bound, incoming) = if scene.asks == Asks::Accept { (other, seed) } else { (seed, other) };
    let bound = ed25519::key_from_seed(bound);
    let incoming = ed25519::address(&ed25519::key_from_seed(incoming));
    let domain = format!("{}.assay.example", text::hex(&draw("client.domain")[..6]));
    if scene.binding != Binding::Unbound {
        world.perform("publish.bind", &json!({ "domain": domain, "key": ed25519::address(&bound) }))?;
    }
    let mut stage = Stage::open(world).await?;
    let mut transfer = String::new();
    if scene.binding == Binding::Frozen || scene.asks == Asks::Accept {
        transfer = freeze(suite, &stage.url("publish"), &domain, bound, &incoming).await?;
    }
    stage.set_deviations(scene.deviations)?;
    stage.set_faults(&scene.fault.iter().map(|fault| json!({ "fault": fault })).collect())?;
    stage.set_limits(Service::Publish, scene.limits)?;
    let line = Line::new(stage.handle.clone(), scene.wire, dialect.clone());
    for name in ["publish", "chain"] {
        let front = line.open(site(name)?).await?;
        stage.put_before(name, front);
    }
    let wanted = set_variables(suite, scene, &mut stage, &seed, &domain, &incoming, transfer);
    if scene.script == Script::Hold {
        stage.handle.set_mode(ClockMode::Manual);
    }
    stage.watch.restart();
    let landed_before = landed(&stage);
    let key = ed25519::key_from_seed(seed).verifying_key().to_bytes();
    Ok(Opened {
        suite,
        scene,
        stage,
        line,
        key,
        wanted,
        landed_before,
        met_ceiling: None,
        has_landed: false,
        signing: Arc::default(),
        prepared: None,
    })
}

/// Sets the client's environment. Returns what a transfer or an accept must say in its bodies.
fn set_variables(
    suite: &Suite,
    scene: &Scene,
    stage: &mut Stage,
    seed: &[u8],
    domain: &str,
    incoming: &str,
    transfer: String,
) -> Value {
    let (url, chain) = (stage.url("publish"), stage.url("chain"));
    let publishes = scene.asks == Asks::Publish;
    stage.set("ASSAY_URL", Some(url));
    stage.set("ASSAY_CHAIN_URL", Some(chain));
    stage.set("ASSAY_KEY", Some(text::hex(seed)));
    stage.set("ASSAY_DOMAIN", Some(domain.to_owned()));
    stage.set("ASSAY_CID", publishes.then(|| CID.to_owned()));
    stage.set("ASSAY_VERSION", scene.version.filter(|_| publishes).map(str::to_owned));
    stage.set("ASSAY_TRANSFER_TO", (scene.asks == Asks::Transfer).then(|| incoming.to_owned()));
    stage.set("ASSAY_ACCEPT", (scene.asks == Asks::Accept).then_some(transfer));
    match scene.asks {
        Asks::Publish => json!({}),
        Asks::Transfer => {
            let authority = format!("{}{incoming}", suite.client.dialect.key_scheme);
            json!({ "op": "transfer", "newAuthority": authority })
        }
        Asks::Accept => json!({ "op": "accept" }),
    }
}

fn landed(stage: &Stage) -> u64 {
    let view = stage.handle.read(|world| world.view(Service::Publish));
    view["chain"]["transactions"].as_u64().unwrap_or_default()
}

/// Transfers the domain to another key, which freezes this one. Returns the transaction's signature.
async fn freeze(
    suite: &Suite,
    url: &str,
    domain: &str,
    key: SigningKey,
    incoming: &str,
) -> Result<String, String> {
    let dialect = suite.client.dialect.clone();
    let new_authority = format!("{}{incoming}", dialect.key_scheme);
    let transfer = Publication {
        dialect,
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

impl Opened<'_> {
    /// After this time, the client is stopped.
    fn limit(&self) -> Duration {
        let Suite { client, quiet, slow } = self.suite;
        match self.scene.script {
            Script::Run => client.limit,
            Script::MayWait => *quiet,
            Script::Hold => client.limit + *slow,
            Script::Ceiling => *quiet * 2,
        }
    }

    /// Runs the scene's script until the client ends. With `say`, lists the requests.
    async fn attend(
        &mut self,
        ends: impl Future<Output = Result<Ended, String>>,
        say: Option<&(dyn Fn(&str) + Sync)>,
    ) -> Result<Ended, String> {
        let (handle, slow) = (self.stage.handle.clone(), self.suite.slow);
        let holds = self.scene.script == Script::Hold;
        let slow_submit = async {
            if holds {
                handle.waiting(1).await;
                sleep(slow).await;
                handle.set_mode(ClockMode::Real);
            }
        };
        tokio::pin!(ends, slow_submit);
        let mut held = false;
        let mut ticks = interval(READ_EVERY);
        loop {
            tokio::select! {
                ended = &mut ends => return ended,
                () = &mut slow_submit, if !held => held = true,
                _ = ticks.tick() => {
                    match say {
                        Some(say) => self.stage.list(say),
                        None => self.stage.watch.read(),
                    }
                    self.look_for_the_ceiling();
                    self.look_for_a_signer();
                    if self.met_ceiling.is_some_and(|met| met.elapsed() >= self.suite.quiet / 2) {
                        self.land();
                    }
                }
            }
        }
    }

    /// Looks once more after the client's end: what it sent last is read, and a record that can still land lands.
    async fn settle(&mut self) {
        self.stage.settle().await;
        self.look_for_the_ceiling();
        if self.met_ceiling.is_some() {
            self.land();
        }
    }

    fn look_for_the_ceiling(&mut self) {
        if self.scene.script == Script::Ceiling && self.met_ceiling.is_none() {
            let met = calls(&self.stage.watch.entries).iter().any(is_ceiling);
            self.met_ceiling = met.then(Instant::now);
        }
    }

    /// Notes whether the client may still be signing what its last prepare returned.
    fn look_for_a_signer(&mut self) {
        let calls = calls(&self.stage.watch.entries);
        let own = calls.iter().enumerate().rfind(|(_, call)| call.is_prepare() || call.is_submit());
        let unsigned = own.filter(|(_, call)| call.is_prepare() && call.status() == 200).map(|(at, _)| at);
        if self.prepared.map(|(at, _)| at) != unsigned {
            self.prepared = unsigned.map(|at| (at, Instant::now()));
        }
        let lifetime = Duration::from_millis(PREPARE_LIFETIME.u64());
        let is_signing = self.prepared.is_some_and(|(_, since)| since.elapsed() < lifetime);
        self.signing.store(is_signing, Ordering::Relaxed);
    }

    /// Lets time pass, once, so that every record lands that can.
    fn land(&mut self) {
        if !self.has_landed {
            self.stage.handle.advance(LANDING_MS);
            self.has_landed = true;
        }
    }

    /// The trace, after the sockets are closed.
    fn close(self, ended: Ended, said: Option<&Said>) -> Trace {
        let landed = landed(&self.stage) - self.landed_before;
        let failed_lookups = self.line.failed_lookups();
        let (entries, around) = self.stage.close(ended, said);
        let mut calls = calls(&entries);
        with_altered_answers(&mut calls, self.line.altered_answers());
        let (chain, calls): (Vec<Call>, Vec<Call>) = calls.into_iter().partition(|call| call.site == "chain");
        let is_of_exchange = |call: &Call| call.is_prepare() || call.is_submit();
        let (calls, strays): (Vec<Call>, Vec<Call>) = calls.into_iter().partition(is_of_exchange);
        Trace {
            dialect: self.suite.client.dialect.clone(),
            key: self.key,
            calls,
            strays: strays.into_iter().map(|call| call.request.target).collect(),
            chain,
            failed_lookups,
            wanted: self.wanted,
            landed,
            around,
        }
    }
}

/// Whether a call met the safety ceiling.
pub(super) fn is_ceiling(call: &Call) -> bool {
    call.status() == 410 && call.answer()["error"].to_string().to_lowercase().contains(SAFETY_CEILING)
}
