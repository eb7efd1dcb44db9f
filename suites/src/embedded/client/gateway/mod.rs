//! `assay client gateway -- CMD…`: somebody's client of the gateway, its servers and its enclaves, in conforming and
//! deviating worlds.
//!
//! CMD is started once per world. Its environment says whom to ask: `ASSAY_GATEWAY_URL`, `ASSAY_CA_FILE` (the
//! authority behind https URLs), `ASSAY_MODE` (`gateway`, or `direct`: the servers that discovery lists), and
//! `ASSAY_GATEWAY_KEY` or, where requests are paid for, `ASSAY_PAYMENT` (what to send as `X-PAYMENT`);
//! `ASSAY_REFRESH_SECONDS` (how long a list of servers may be used) and `ASSAY_ATTESTATION_KEY` (the public key of the
//! attestations' authority, hex; resolution and attestation are the stand-ins of [`assay_spec::gateway::stand_in`]).
//! Prompts come on its standard input, a JSON object a line: `{"id", "model", "prompt", "stream"}`; it answers each by
//! a line `{"id", "answer"}` with the model's words or `{"id", "error"}`, and ends when its input does.
//!
//! It is judged by what reached the world; of what it tells it is only asked that words told as an answer are words
//! that a server has sent in whole.

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
use crate::check::{Checked, Stop};
use crate::verdict::{Outcome, Run, Verdict};

use scene::{Pays, Scene, Way};
use trace::Trace;

/// One world, and what a client must do in it.
pub struct Case {
    /// The requirement that it shows.
    pub requirement: Id,
    /// The fact that it shows.
    pub fact: &'static str,
    scene: Scene,
    judge: fn(&Trace) -> Checked,
    /// It shows that something is not done, so the client must have answered in the conforming counterpart.
    negative: bool,
}

/// Whose client, and how patiently it is watched.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The seed of the worlds.
    pub seed: u64,
    /// The words of the service.
    pub dialect: Dialect,
    /// A client that has not answered a prompt after this time, or not ended, hangs.
    pub limit: Duration,
    /// How long a list of servers may be used, in seconds.
    pub refresh_s: u64,
    /// How many worlds stand beside each other.
    pub jobs: usize,
}

/// Every case, in the order of the requirements.
pub fn all() -> Vec<&'static Case> {
    let mut cases: Vec<&'static Case> = cases::CASES.iter().collect();
    cases.sort_by_key(|case| case.requirement.key);
    cases
}

/// The cases whose requirement or fact contains one of the texts; all of them where there are none.
pub fn select(filters: &[String]) -> Vec<&'static Case> {
    let mut cases = all();
    cases.retain(|case| is_wanted(case.requirement, case.fact, filters));
    cases
}

/// What the client did where nothing was wrong, by how it asks.
type Counterparts = BTreeMap<(Way, bool, Pays), OnceCell<Result<(), String>>>;

fn counterpart_of(case: &Case) -> (Way, bool, Pays) {
    let Scene { way, stream, pays, .. } = case.scene.counterpart();
    (way, stream, pays)
}

impl Suite {
    /// The ordinary patience: 30 s for an answer, and lists that are used for 1 s.
    pub fn new(command: Vec<String>, seed: u64) -> Suite {
        let limit = Duration::from_secs(30);
        Suite { command, seed, dialect: Dialect::default(), limit, refresh_s: 1, jobs: 4 }
    }

    /// Runs the cases; `seen` hears of each outcome as it comes.
    pub async fn run(&self, cases: &[&'static Case], mut seen: impl FnMut(&Outcome)) -> Run {
        let counterparts: Counterparts =
            cases.iter().map(|case| (counterpart_of(case), OnceCell::new())).collect();
        let outcomes = gather(self.jobs, cases, |case| self.run_case(case, &counterparts), &mut seen).await;
        report(&self.command, self.seed, outcomes)
    }

    async fn run_case(&self, case: &Case, counterparts: &Counterparts) -> Outcome {
        let mut outcome = undecided(case.requirement, case.fact);
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

    /// Whether the client is answered when nothing is wrong; found out once for each way of asking.
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
