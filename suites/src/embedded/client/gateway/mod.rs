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
//! It is judged by the requests that reached the world. Of its replies, only one thing is required: the words of an
//! answer must be those of a complete answer of a server.

mod cases;
mod front;
mod judge;
mod scene;
mod stage;
mod trace;

use std::collections::BTreeMap;
use std::time::Duration;

use assay_spec::{Dialect, Id};
use tokio::sync::OnceCell;

use super::{decide, gather, in_words, is_wanted, report, undecided};
use crate::harness::check::{Checked, Stop};
use crate::harness::verdict::{Outcome, Run, Verdict};

use scene::{Pays, Scene, Way};
use trace::Trace;

/// One world, and what a client must do in it.
pub struct Case {
    /// The requirement that it tests.
    pub requirement: Id,
    /// The fact that it tests.
    pub fact: &'static str,
    scene: Scene,
    judge: fn(&Trace) -> Checked,
    /// It tests that something is not done, so the client must answer in the conforming counterpart.
    negative: bool,
}

/// The client under test, and how long it is watched.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The seed of the worlds.
    pub seed: u64,
    /// The service's names of types, channels and schemes.
    pub dialect: Dialect,
    /// A client that has not answered a prompt, or not exited, after this time hangs.
    pub limit: Duration,
    /// How long a list of servers may be used, in seconds.
    pub refresh_s: u64,
    /// The client calls tools. If not, the worlds of tools are not applicable.
    pub tools: bool,
    /// How many worlds run in parallel.
    pub jobs: usize,
}

/// Every case, in the order of the requirements.
pub fn all() -> Vec<&'static Case> {
    let mut cases: Vec<&'static Case> = cases::CASES.iter().collect();
    cases.sort_by_key(|case| case.requirement.key);
    cases
}

/// The cases that one of the filters selects; all cases without filters.
pub fn select(filters: &[String]) -> Vec<&'static Case> {
    let mut cases = all();
    cases.retain(|case| is_wanted(case.requirement, case.fact, filters));
    cases
}

/// The client's results in conforming worlds, by its mode.
type Counterparts = BTreeMap<(Way, bool, Pays), OnceCell<Result<(), String>>>;

fn counterpart_of(case: &Case) -> (Way, bool, Pays) {
    let Scene { way, stream, pays, .. } = case.scene.counterpart();
    (way, stream, pays)
}

impl Suite {
    /// The default times: 30 s for an answer, and 1 s for a list of servers.
    pub fn new(command: Vec<String>, seed: u64) -> Suite {
        let limit = Duration::from_secs(30);
        Suite { command, seed, dialect: Dialect::default(), limit, refresh_s: 1, tools: true, jobs: 4 }
    }

    /// Runs the cases. `seen` is called with each outcome as it is ready.
    pub async fn run(&self, cases: &[&'static Case], mut seen: impl FnMut(&Outcome)) -> Run {
        let counterparts: Counterparts =
            cases.iter().map(|case| (counterpart_of(case), OnceCell::new())).collect();
        let outcomes = gather(self.jobs, cases, |case| self.run_case(case, &counterparts), &mut seen).await;
        report(&self.command, self.seed, outcomes, &assay_spec::gateway::requirements::client::BEARER)
    }

    async fn run_case(&self, case: &Case, counterparts: &Counterparts) -> Outcome {
        let mut outcome = undecided(case.requirement, case.fact);
        if !case.scene.tools.is_empty() && !self.tools {
            let why = "the client calls no tools (--no-tools)";
            decide(&mut outcome, Err(Stop::NotApplicable(why.to_owned())));
            return outcome;
        }
        let trace = match stage::play(self, case.fact, &case.scene).await {
            Ok(trace) => trace,
            Err(why) => {
                outcome.reason = why;
                return outcome;
            }
        };
        let mut checked = (case.judge)(&trace).and_then(|()| trace.has_ended());
        if checked.is_ok()
            && case.negative
            && let Err(why) = self.counterpart(case, counterparts).await
        {
            checked = Err(Stop::Inconclusive(format!("its conforming counterpart got no answer: {why}")));
        }
        decide(&mut outcome, checked);
        if outcome.verdict != Verdict::Pass {
            outcome.why = trace.account();
            let command = self.command.join(" ");
            outcome.repeat =
                vec![format!("assay client gateway --seed {} {} -- {command}", self.seed, case.fact)];
        }
        outcome.exchanges = trace.exchanges();
        outcome
    }

    /// Whether the client answers when nothing is wrong; run once for each mode.
    async fn counterpart(&self, case: &Case, counterparts: &Counterparts) -> Result<(), String> {
        let Some(counterpart) = counterparts.get(&counterpart_of(case)) else {
            return Err("it was not run".to_owned());
        };
        counterpart
            .get_or_init(|| async {
                let trace = stage::play(self, "conforming_counterpart", &case.scene.counterpart()).await?;
                judge::answers(&trace).map_err(in_words)
            })
            .await
            .clone()
    }
}
