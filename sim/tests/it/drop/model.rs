//! The model of a walk: which uploads are allowed, the state of every drop, the live sites.

use std::collections::BTreeSet;

use assay_sim::ExchangeId;
use assay_spec::Instant;
use bytes::Bytes;
use proptest::sample::Index;
use serde_json::json;

use super::walk::{PER_DAY, PER_DAY_OF_ALL, PER_HOUR, SITE_BYTES, STORED_BYTES, What};
use crate::common::Driver;
use crate::common::drop::Dropped;

/// `Ok`, or the guarantee that was broken.
pub(crate) type Verdict = Result<(), String>;

macro_rules! ensure {
    ($holds:expr, $($why:tt)+) => {
        if !$holds {
            return Err(format!($($why)+));
        }
    };
}

/// How the service fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Paused,
    PublishFails,
}

impl Fault {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Fault::Paused => "drop.busy",
            Fault::PublishFails => "drop.publish-fails",
        }
    }
}

/// An upload in progress.
pub(crate) struct Open {
    pub(crate) caller: usize,
    pub(crate) exchange: ExchangeId,
    pub(crate) what: What,
    /// The bytes not sent yet.
    pub(crate) rest: Bytes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Published,
    Owned,
    Removed,
    Forgotten,
}

struct Site {
    dropped: Dropped,
    state: State,
}

#[derive(Default)]
pub(crate) struct Model {
    /// The active fault.
    pub(crate) fault: Option<Fault>,
    open: Vec<Open>,
    sites: Vec<Site>,
    /// The caller and time of each drop.
    drops: Vec<(usize, Instant)>,
    /// Transitions that a drop has made.
    moves: BTreeSet<&'static str>,
}

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

impl Model {
    /// The expected answer to the head of an upload; `None` if its body may come.
    pub(crate) fn expect_begin(&self, caller: usize, now: Instant) -> Option<u16> {
        let within = |ms: i64, of: Option<usize>| {
            let counts = |(who, time): &&(usize, Instant)| of.is_none_or(|of| of == *who) && now - *time < ms;
            self.drops.iter().filter(counts).count()
        };
        let full = self.stored() + SITE_BYTES > STORED_BYTES || within(DAY, None) >= PER_DAY_OF_ALL;
        if self.fault == Some(Fault::Paused) || full {
            return Some(503);
        }
        let busy = self.open.iter().any(|open| open.caller == caller);
        let spent = within(HOUR, Some(caller)) >= PER_HOUR || within(DAY, Some(caller)) >= PER_DAY;
        (busy || spent).then_some(429)
    }

    pub(crate) fn begun(&mut self, caller: usize, exchange: ExchangeId, what: What, rest: Bytes) {
        self.moves.insert("none --post--> uploading");
        self.open.push(Open { caller, exchange, what, rest });
    }

    /// Some upload in progress.
    pub(crate) fn pick(&mut self, which: Index) -> Option<&mut Open> {
        (!self.open.is_empty()).then(|| which.index(self.open.len())).map(|at| &mut self.open[at])
    }

    /// Ends some upload; unless its end gets an answer, its client has disconnected.
    pub(crate) fn take(&mut self, which: Index) -> Option<Open> {
        let at = (!self.open.is_empty()).then(|| which.index(self.open.len()))?;
        Some(self.open.remove(at))
    }

    /// Every client disconnects.
    pub(crate) fn leave(&mut self) -> Vec<Open> {
        std::mem::take(&mut self.open)
    }

    /// The expected answer at the end of an upload.
    pub(crate) fn expect_end(&mut self, what: What) -> u16 {
        let (status, step) = match what {
            What::Good if self.fault == Some(Fault::PublishFails) => {
                (500, "uploading --publish-fails--> failed")
            }
            What::Good => (200, "uploading --publish--> published"),
            What::TooLarge | What::TooManyFiles | What::TooMuch => {
                (413, "uploading --bad-artifact--> refused")
            }
            _ => (400, "uploading --bad-artifact--> refused"),
        };
        self.moves.insert(step);
        status
    }

    pub(crate) fn published(&mut self, caller: usize, dropped: Dropped, now: Instant) -> Verdict {
        ensure!(dropped.expires_at == now + 4 * HOUR, "a deadline of {:?}", dropped.expires_at);
        let again = |site: &Site| site.dropped.id == dropped.id || site.dropped.token == dropped.token;
        ensure!(!self.sites.iter().any(again), "an id or a token is not unique");
        self.drops.push((caller, now));
        self.sites.push(Site { dropped, state: State::Published });
        Ok(())
    }

    /// The token of some drop, or an unknown one, and whether it claims.
    pub(crate) fn claim(&mut self, which: Index, now: Instant, wrong: bool) -> Option<(String, bool)> {
        let at = (!self.sites.is_empty()).then(|| which.index(self.sites.len()))?;
        let site = &mut self.sites[at];
        let token = site.dropped.token.clone();
        if wrong {
            return Some((token + "A", false));
        }
        let works = site.state == State::Published && now < site.dropped.expires_at;
        if works {
            site.state = State::Owned;
            self.moves.insert("published --claim--> owned-project");
        }
        Some((token, works))
    }

    /// Time has passed.
    pub(crate) fn pass(&mut self, now: Instant) {
        for site in &mut self.sites {
            if site.state == State::Published && now >= site.dropped.expires_at {
                site.state = State::Removed;
                self.moves.insert("published --4-hours-pass--> removed");
            }
            if site.state == State::Removed && now >= site.dropped.expires_at + DAY {
                site.state = State::Forgotten;
            }
        }
    }

    fn stored(&self) -> u64 {
        let is_live = |site: &&Site| matches!(site.state, State::Published | State::Owned);
        10 * self.sites.iter().filter(is_live).count() as u64
    }

    /// Compares the simulator's state, and the pages it serves, with the model.
    pub(crate) fn compare(&mut self, driver: &mut Driver, page: &str) -> Verdict {
        let view = driver.drops();
        ensure!(view["uploads"] == self.open.len(), "uploads in progress: {view}");
        ensure!(view["stored_bytes"] == self.stored(), "stored bytes: {view}");
        ensure!(driver.world.receiving() == self.open.len(), "{} requests", driver.world.receiving());
        let known = self.sites.iter().filter(|site| site.state != State::Forgotten).count();
        ensure!(view["drops"].as_object().is_some_and(|drops| drops.len() == known), "drops: {view}");
        for site in &self.sites {
            let (state, status) = match site.state {
                State::Published => (json!("published"), 200),
                State::Owned => (json!("owned-project"), 200),
                State::Removed => (json!("removed"), 404),
                State::Forgotten => (json!(null), 404),
            };
            let Dropped { id, cid, expires_at, .. } = &site.dropped;
            let seen = &view["drops"][id];
            ensure!(seen["state"] == state, "{id} is {seen}");
            ensure!(
                seen.is_null() || (seen["cid"] == *cid && seen["expires_at"] == expires_at.0),
                "{id} is {seen}"
            );
            let reply = driver.look(site.dropped.path());
            ensure!(reply.status == status, "the page of {id} returned {}", reply.status);
            ensure!((reply.body == page) == (status == 200), "the page of {id} has another body");
        }
        let made: BTreeSet<String> = driver.world.core.transitions().map(ToString::to_string).collect();
        let expected: BTreeSet<String> = self.moves.iter().map(|step| format!("drop: {step}")).collect();
        ensure!(made.is_superset(&expected), "transitions made: {made:?}, expected: {expected:?}");
        let aborted = "drop: uploading --client-goes-away--> aborted";
        let more = made.difference(&expected).all(|step| step == aborted);
        ensure!(more, "transitions made: {made:?}, expected: {expected:?}");
        Ok(())
    }
}
