//! `assay client publish -- CMD…`: the worlds of a client of the signed publishing exchange.
//!
//! CMD is started once per world. Its environment says what to publish: `ASSAY_URL`, `ASSAY_CHAIN_URL`,
//! `ASSAY_KEY` (the seed, 64 hex digits), `ASSAY_DOMAIN`, `ASSAY_CID`, and `ASSAY_VERSION` where a version is wanted. In place of
//! `ASSAY_CID`, `ASSAY_TRANSFER_TO` asks for a transfer to a key, and `ASSAY_ACCEPT` to accept the transfer with a signature.
//! Its output is shown in reports and not judged. Its exit code counts where the chain does not prove a record.

mod cases;
mod judge;
mod scene;
mod server_deviations;
mod stage;
mod trace;
mod wire;

use std::time::Duration;

use assay_spec::Id;
use assay_spec::publish::requirements::client::PUBLISHES;

use super::Ability;
use super::judge::{Client, Hold, Worlds, suite};
use super::trace::{Around, Call, Ended};
use crate::support::prose;

use scene::{Asks, Scene, Script};
use trace::Trace;

suite!();

const TRANSFERS: Ability = Ability { flag: "no-transfers", lack: "does not transfer or accept domains" };
const ACCEPTS: Ability = Ability { flag: "no-accepts", lack: "does not accept domains" };
const VERSIONS: Ability = Ability { flag: "no-versions", lack: "sends no version" };
const DEFAULT_VERSION: Ability =
    Ability { flag: "no-default-version", lack: "sends a version in every prepare" };
const CHAIN: Ability = Ability { flag: "no-chain", lack: "does not read the chain" };

/// What a client may leave out.
pub static ABILITIES: &[Ability] = &[TRANSFERS, ACCEPTS, VERSIONS, DEFAULT_VERSION, CHAIN];

/// The client under test, and how long it is watched.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The client.
    pub client: Client,
    /// How long a client is watched that may rightly wait.
    pub quiet: Duration,
    /// How long a slow submit takes. The documents speak of about three minutes.
    pub slow: Duration,
}

impl Suite {
    /// The default times: 10 s where the client may wait, and 8 s for a slow submit.
    pub fn new(client: Client) -> Suite {
        Suite { client, quiet: Duration::from_secs(10), slow: Duration::from_secs(8) }
    }
}

impl Worlds for Suite {
    type Scene = Scene;
    type Trace = Trace;
    type Key = (Asks, Option<&'static str>);

    const PROGRAM: &'static str = "publish";

    fn base() -> Id {
        &PUBLISHES
    }

    fn client(&self) -> &Client {
        &self.client
    }

    fn needs(&self, scene: &Scene) -> Vec<&'static Ability> {
        scene.needs()
    }

    fn adapted(&self, scene: &Scene) -> Scene {
        if self.client.lacks(&VERSIONS) { scene.without_version() } else { *scene }
    }

    fn counterpart(&self, scene: &Scene) -> (Self::Key, Scene) {
        ((scene.asks, scene.version), scene.counterpart())
    }

    fn may_wait(scene: &Scene) -> bool {
        scene.may_wait()
    }

    async fn play(&self, name: &str, scene: &Scene) -> Result<Trace, String> {
        stage::play(self, name, scene).await
    }

    async fn hold(&self, name: &str, scene: &Scene, hold: Hold<'_>) -> Result<Trace, String> {
        stage::hold(self, name, scene, hold).await
    }

    fn shown(trace: &Trace) -> (&[Call], &Around) {
        (&trace.calls, &trace.around)
    }

    fn notes(&self, trace: &Trace, scene: &Scene) -> Vec<String> {
        let mut notes = Vec::new();
        if scene.script == Script::Hold {
            let slow = self.slow.as_secs();
            notes.push(format!("the submit took {slow} s here; the document speaks of about three minutes"));
        }
        if let Some(stray) = trace.strays.first() {
            let requests = prose::count(trace.strays.len(), "request");
            notes.push(format!("{requests} to other paths, the first to {stray}"));
        }
        if let Ended::Stopped(after) = trace.around.ended {
            notes.push(format!("the client was still running and was stopped after {} s", after.as_secs()));
        }
        notes
    }
}
