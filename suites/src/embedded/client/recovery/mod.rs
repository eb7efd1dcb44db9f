//! `assay client recovery -- CMD…`: the worlds of a tool that recovers an owner's history from nodes and a wallet key.
//!
//! CMD is started once per world. Its environment names the nodes (`ASSAY_NODE_URLS`: base URLs without `/api/v0`, separated
//! by blanks, the first is asked first), the owner (`ASSAY_ADDRESS`) and the wallet's key (`ASSAY_WALLET_KEY`, 64 hex digits).
//! It prints one JSON object:
//!
//! ```text
//! {"projects":    [{"id", "deleted", "plaintext"}],
//!  "deployments": [{"deploymentId", "projectId", "status", "storeRef", "cid", "plaintext"}],
//!  "claims":      [{"instanceHash", "pubkey"}],
//!  "warnings":    [{"warning", "subject"}]}
//! ```
//!
//! A plaintext is an object, or null for a project that is deleted. The subject of a warning is the deployment's id. Lists
//! have any order, and members may be added. What the tool prints is compared with what the reader of `assay-spec` recovers
//! from the same nodes.

mod cases;
mod extra;
mod judge;
mod scene;
mod stage;

use assay_spec::Id;
use assay_spec::hosting::requirements::recovery::OWNER_ALONE;
use serde_json::Value;

use super::Ability;
use super::judge::{Client, Hold, Worlds, suite};
use super::printed::Printed;
use super::trace::{Around, Call};

use scene::Scene;

suite!();

const CLAIMS: Ability = Ability { flag: "no-claims", lack: "recovers no claims of machines" };
const MIRRORS: Ability = Ability { flag: "no-mirrors", lack: "reads one node only" };

/// What a tool may leave out.
pub static ABILITIES: &[Ability] = &[CLAIMS, MIRRORS];

/// The tool under test.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The tool.
    pub client: Client,
}

/// What the tool did in a world.
pub struct Trace {
    /// Its requests.
    calls: Vec<Call>,
    /// What it printed.
    printed: Printed,
    /// What is there to recover, in the form that the tool prints.
    written: Value,
    /// How it ended, and what reports show besides.
    around: Around,
}

impl Worlds for Suite {
    type Scene = Scene;
    type Trace = Trace;
    type Key = ();

    const PROGRAM: &'static str = "recovery";

    fn base() -> Id {
        &OWNER_ALONE
    }

    fn client(&self) -> &Client {
        &self.client
    }

    fn needs(&self, scene: &Scene) -> Vec<&'static Ability> {
        scene.needs()
    }

    fn counterpart(&self, _: &Scene) -> ((), Scene) {
        ((), scene::CONFORMING)
    }

    async fn play(&self, _: &str, scene: &Scene) -> Result<Trace, String> {
        stage::play(self, scene).await
    }

    async fn hold(&self, _: &str, scene: &Scene, hold: Hold<'_>) -> Result<Trace, String> {
        stage::hold(self, scene, hold).await
    }

    fn shown(trace: &Trace) -> (&[Call], &Around) {
        (&trace.calls, &trace.around)
    }
}
