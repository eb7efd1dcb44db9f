//! Random walks: whatever two callers, time and faults do, the drop keeps its guarantees.
//!
//! `PROPTEST_CASES` and `PROPTEST_RNG_SEED` select more and other walks.

use std::fmt::Write;

use assay_sim::Input;
use bytes::Bytes;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::json;

use crate::common::drop::{Dropped, Form, page, post, upload};
use crate::common::{Call, Driver, show, zip};
use crate::drop::model::{Fault, Model, Verdict};
use crate::drop::random::config;

/// A step of a walk.
#[derive(Clone, Debug)]
enum Step {
    /// An upload begins; the addresses after the second are other names of the first.
    Begin { peer: usize, what: What },
    /// Some bytes of an upload in progress are sent.
    Send { which: Index, share: usize },
    /// The rest of it is sent.
    End { which: Index },
    /// Its client disconnects.
    Abort { which: Index },
    /// A token, or a similar one, is used.
    Claim { which: Index, wrong: bool },
    /// Time passes.
    Wait(i64),
    /// The service fails in this way from now on.
    Fail(Option<Fault>),
}

/// The content of an upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Good,
    NoForm,
    NoZip,
    NoPage,
    TooLarge,
    TooManyFiles,
    TooMuch,
    EndsEarly,
}

const PEERS: [&str; 4] = ["10.0.0.1", "2001:db8::1", "::ffff:10.0.0.1", "2001:db8::ffff:0:0:1"];
const PAGE: &str = "0123456789";
/// The simulator's limits in these walks: low enough to be reached.
pub(crate) const ZIP_BYTES: usize = 2_000;
pub(crate) const SITE_BYTES: u64 = 20;
pub(crate) const FILES: usize = 3;
pub(crate) const STORED_BYTES: u64 = 85;
pub(crate) const PER_HOUR: usize = 4;
pub(crate) const PER_DAY: usize = 5;
pub(crate) const PER_DAY_OF_ALL: usize = 9;

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 20_000, ..config() })]

    #[test]
    fn every_walk_keeps_the_guarantees(steps in prop::collection::vec(any_step(), 1..60)) {
        let mut walk = Walk::new();
        let verdict = steps.iter().try_for_each(|step| walk.take(step)).and_then(|()| walk.rest());
        let verdict = verdict.and_then(|()| walk.driver.rows_are_at_their_places());
        if let Err(why) = verdict {
            return Err(TestCaseError::fail(format!("{why}\n{}", walk.log)));
        }
    }
}

/// Any step; valid ones are more frequent.
fn any_step() -> impl Strategy<Value = Step> {
    use What::{EndsEarly, Good, NoForm, NoPage, NoZip, TooLarge, TooManyFiles, TooMuch};
    let which = || any::<Index>();
    let bad = prop::sample::select(vec![NoForm, NoZip, NoPage, TooLarge, TooManyFiles, TooMuch, EndsEarly]);
    let what = prop_oneof![4 => Just(Good), 1 => bad];
    let hour = 3_600_000;
    let waits =
        vec![1, 1_000, 60_000, hour - 1, hour, 4 * hour - 1, 4 * hour, 12 * hour, 24 * hour - 1, 24 * hour];
    let faults = vec![None, None, Some(Fault::Paused), Some(Fault::PublishFails)];
    prop_oneof![
        6 => (0..PEERS.len(), what).prop_map(|(peer, what)| Step::Begin { peer, what }),
        3 => (which(), 1..4usize).prop_map(|(which, share)| Step::Send { which, share }),
        6 => which().prop_map(|which| Step::End { which }),
        1 => which().prop_map(|which| Step::Abort { which }),
        2 => (which(), prop::bool::weighted(0.2)).prop_map(|(which, wrong)| Step::Claim { which, wrong }),
        3 => prop::sample::select(waits).prop_map(Step::Wait),
        1 => prop::sample::select(faults).prop_map(Step::Fail),
    ]
}

impl What {
    fn call(self) -> Call {
        match self {
            What::Good => Form::default().field("source", b"walk").artifact(&page(PAGE)).call(),
            What::NoForm => post("text/plain", b"hello".to_vec()),
            What::NoZip => upload(b"no zip"),
            What::NoPage => upload(&zip::from_files(&[("page.html", b"")])),
            What::TooLarge => upload(&zip::of_length(ZIP_BYTES + 1)),
            What::TooManyFiles => {
                upload(&zip::from_files(&[("index.html", b""), ("a", b""), ("b", b""), ("c", b"")]))
            }
            What::TooMuch => upload(&page(&PAGE.repeat(3))),
            What::EndsEarly => {
                let mut call = upload(&page(PAGE));
                call.body.truncate(call.body.len() - 10);
                call
            }
        }
    }
}

/// A walk: the world, its model, and a log of the steps.
struct Walk {
    driver: Driver,
    model: Model,
    log: String,
}

impl Walk {
    fn new() -> Walk {
        let mut driver = Driver::new(1);
        driver.world.core.watch_places();
        driver.set_drop_limits(&json!({
            "zip_bytes": ZIP_BYTES, "extracted_bytes": SITE_BYTES, "files": FILES, "stored_bytes": STORED_BYTES,
            "drops_per_hour": PER_HOUR, "drops_per_day": PER_DAY, "daily_budget": PER_DAY_OF_ALL,
        }));
        Walk { driver, model: Model::default(), log: String::new() }
    }

    fn take(&mut self, step: &Step) -> Verdict {
        writeln!(self.log, "{step:?}").expect("a string can grow");
        match step {
            Step::Begin { peer, what } => self.begin(*peer, *what)?,
            Step::Send { which, share } => {
                if let Some(open) = self.model.pick(*which) {
                    let rest = open.rest.len();
                    let bytes = open.rest.split_to(rest * share / 4);
                    let exchange = open.exchange;
                    self.driver.input(Input::Body(exchange, bytes));
                }
            }
            Step::End { which } => self.end(*which)?,
            Step::Abort { which } => {
                if let Some(open) = self.model.take(*which) {
                    self.driver.input(Input::Abort(open.exchange));
                }
            }
            Step::Claim { which, wrong } => {
                if let Some((token, expected)) = self.model.claim(*which, self.driver.now(), *wrong) {
                    let claimed = self.driver.claim(&token).is_ok();
                    if claimed != expected {
                        return Err(format!("claim accepted: expected {expected}, was {claimed}"));
                    }
                }
            }
            Step::Wait(ms) => {
                self.driver.advance(*ms);
                self.model.pass(self.driver.now());
            }
            Step::Fail(fault) => {
                let faults: Vec<_> = fault.iter().map(|fault| json!({ "fault": fault.name() })).collect();
                self.driver.set_faults(&json!(faults));
                self.model.fault = *fault;
            }
        }
        self.model.compare(&mut self.driver, PAGE)
    }

    fn begin(&mut self, peer: usize, what: What) -> Verdict {
        let expected = self.model.expect_begin(peer % 2, self.driver.now());
        let call = what.call();
        let exchange = self.driver.at(PEERS[peer]).open(&call);
        let answer = self.driver.reply(exchange);
        let status = answer.as_ref().map(|reply| reply.status);
        writeln!(self.log, "  -> {}", answer.as_ref().map_or("in progress".to_owned(), show))
            .expect("a string can grow");
        if status != expected {
            return Err(format!("the model expects {expected:?}, not {status:?}"));
        }
        if status.is_none() {
            self.model.begun(peer % 2, exchange, what, Bytes::from(call.body));
        }
        Ok(())
    }

    fn end(&mut self, which: Index) -> Verdict {
        let Some(open) = self.model.take(which) else { return Ok(()) };
        self.driver.input(Input::Body(open.exchange, open.rest.clone()));
        self.driver.input(Input::End(open.exchange));
        let reply = self.driver.reply(open.exchange).ok_or("no answer at the end of an upload")?;
        writeln!(self.log, "  -> {}", show(&reply)).expect("a string can grow");
        let expected = self.model.expect_end(open.what);
        if reply.status != expected {
            return Err(format!("the model expects {expected}"));
        }
        if reply.status == 200 {
            self.model.published(open.caller, Dropped::read(&reply), self.driver.now())?;
        }
        Ok(())
    }

    /// Two days after the last step only claimed drops are left, and every address may drop again.
    fn rest(&mut self) -> Verdict {
        self.take(&Step::Fail(None))?;
        for open in self.model.leave() {
            self.driver.input(Input::Abort(open.exchange));
        }
        self.take(&Step::Wait(2 * 86_400_000))?;
        let due = self.driver.world.core.clock.next_due();
        if due.is_some() {
            return Err(format!("something is still due at {due:?}"));
        }
        for peer in 0..2 {
            self.take(&Step::Begin { peer, what: What::Good })?;
        }
        Ok(())
    }
}
