//! `assay client node -- CMD…`: the worlds of a program that uses a node of the network.
//!
//! CMD is started once per world. Its environment names the nodes (`ASSAY_NODE_URLS`: base URLs without `/api/v0`, separated
//! by blanks, the first is asked first), the sender (`ASSAY_ADDRESS`), its key (`ASSAY_WALLET_KEY`, 64 hex digits) and one
//! task (`ASSAY_TASK`, a JSON object). It does the task once, prints one JSON object and exits:
//!
//! ```text
//! {"do": "create", "path", "type", "channel", "content"}   ->  {"item_hash"}
//! {"do": "upload", "path", "file", "channel"}              ->  {"item_hash"}
//! {"do": "list", "path", "address"}                        ->  {"item_hashes"}
//! {"do": "read", "path", "hash"}                           ->  {"content"}
//! ```
//!
//! It is judged by the requests that arrive, by what they create, and by what it prints. What it prints when it gives up does
//! not count.

mod cases;
mod judge;
mod scene;
mod stage;
mod wire;

use assay_spec::Id;
use assay_spec::network::requirements::client::SIGNS;

use super::Ability;
use super::judge::{Client, Hold, Worlds, suite};
use super::printed::Printed;
use super::trace::{Around, Call};

use scene::{Scene, Task, Wire};
use wire::Seen;

suite!();

const UPLOADS: Ability = Ability { flag: "no-uploads", lack: "uploads no files" };
const MIRRORS: Ability = Ability { flag: "no-mirrors", lack: "uses one node only" };

/// What a program may leave out.
pub static ABILITIES: &[Ability] = &[UPLOADS, MIRRORS];

/// The program under test.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The program.
    pub client: Client,
}

/// What the program did in a world.
pub struct Trace {
    /// Its requests that reached a node.
    calls: Vec<Call>,
    /// All its requests for the task's path, and what they returned.
    seen: Vec<Seen>,
    /// What it printed.
    printed: Printed,
    /// The hashes of what the node has of it: what it created, or what there is to list.
    written: Vec<String>,
    /// The content that there is to read.
    content: serde_json::Value,
    /// How it ended, and what reports show besides.
    around: Around,
}

impl Worlds for Suite {
    type Scene = Scene;
    type Trace = Trace;
    type Key = Task;

    const PROGRAM: &'static str = "node";

    fn base() -> Id {
        &SIGNS
    }

    fn client(&self) -> &Client {
        &self.client
    }

    fn needs(&self, scene: &Scene) -> Vec<&'static Ability> {
        let needs = [(scene.task == Task::Upload, &UPLOADS), (scene.task == Task::Read, &MIRRORS)];
        needs.into_iter().filter(|(is_needed, _)| *is_needed).map(|(_, ability)| ability).collect()
    }

    fn counterpart(&self, scene: &Scene) -> (Task, Scene) {
        (scene.task, Scene { wire: Wire::Plain, ..*scene })
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

    fn account(trace: &Trace) -> Vec<String> {
        trace
            .seen
            .iter()
            .map(|seen| format!("{} {} -> {}", seen.method, seen.target, seen.returned()))
            .collect()
    }
}
