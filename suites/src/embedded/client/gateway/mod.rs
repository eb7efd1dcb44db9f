//! `assay client gateway -- CMD…`: runs a client of the gateway, its servers and its enclaves in conforming and
//! deviating worlds.
//!
//! CMD is started once per world. Its environment configures it: `ASSAY_GATEWAY_URL`, `ASSAY_CA_FILE` (the
//! authority behind https URLs), `ASSAY_MODE` (`gateway`, or `direct`: the servers that discovery lists), and
//! `ASSAY_GATEWAY_KEY` or, where requests are paid for, `ASSAY_PAYMENT` (what to send as `X-PAYMENT`);
//! `ASSAY_REFRESH_SECONDS` (how long a list of servers may be used) and `ASSAY_ATTESTATION_KEY` (the public key of the
//! attestations' authority, hex; resolution and attestation are the stand-ins of [`assay_spec::gateway::stand_in`]).
//! Prompts come on its standard input, a JSON object a line: `{"id", "model", "prompt", "stream"}`, and where the model may
//! call tools `{"tools", "results"}`: their declarations, and what each returns. It answers each prompt by a line
//! `{"id", "answer"}` with the model's words or `{"id", "error"}`, and ends when its input does.
//!
//! Where `ASSAY_ATTESTATION_KEY` is not set, no enclave can be verified, and the client must not use one.
//!
//! It is judged by the requests that reached the world. Of its replies, only one thing is required: the words of an
//! answer must be those of a complete answer of a server.

mod cases;
mod judge;
mod scene;
mod stage;
mod trace;
mod wire;

use assay_spec::Id;
use assay_spec::gateway::requirements::client::BEARER;

use super::Ability;
use super::judge::{Client, Hold, Worlds, suite};
use super::trace::{Around, Call};

use scene::{Pays, Scene, Way};
use trace::Trace;

suite!();

const DIRECT: Ability = Ability { flag: "no-direct", lack: "calls no servers directly" };
const CONFIDENTIAL: Ability = Ability { flag: "no-confidential", lack: "verifies no confidential models" };
const STREAMS: Ability = Ability { flag: "no-streams", lack: "does not stream answers" };
const PAYMENTS: Ability = Ability { flag: "no-payments", lack: "does not pay for requests" };
const TOOLS: Ability = Ability { flag: "no-tools", lack: "calls no tools" };

/// What a client may leave out.
pub static ABILITIES: &[Ability] = &[DIRECT, CONFIDENTIAL, STREAMS, PAYMENTS, TOOLS];

/// The client under test, and how long its lists of servers last.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The client.
    pub client: Client,
    /// How long a list of servers may be used, in seconds.
    pub refresh_s: u64,
}

impl Suite {
    /// The default time: 1 s for a list of servers.
    pub fn new(client: Client) -> Suite {
        Suite { client, refresh_s: 1 }
    }
}

impl Worlds for Suite {
    type Scene = Scene;
    type Trace = Trace;
    type Key = (Way, bool, Pays);

    const PROGRAM: &'static str = "gateway";

    fn base() -> Id {
        &BEARER
    }

    fn client(&self) -> &Client {
        &self.client
    }

    fn needs(&self, scene: &Scene) -> Vec<&'static Ability> {
        scene.needs()
    }

    fn counterpart(&self, scene: &Scene) -> (Self::Key, Scene) {
        let mut counterpart = scene.counterpart();
        if counterpart.way == Way::Sealed && self.client.lacks(&CONFIDENTIAL) {
            counterpart.way = Way::Direct;
        }
        ((counterpart.way, counterpart.stream, counterpart.pays), counterpart)
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

    fn account(trace: &Trace) -> Vec<String> {
        let turns = trace.turns.iter().enumerate();
        turns.map(|(n, turn)| format!("turn {}: {:?}", n + 1, turn.reported)).collect()
    }
}
