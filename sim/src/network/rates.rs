//! Rate limits: the requests of each address within the minute, in three classes.

use std::net::IpAddr;

use assay_spec::Instant;
use assay_spec::network::limits::Rate;
use assay_spec::network::requirements::limits::{AUTHENTICATED, GENERAL, HEAVY};
use imbl::OrdMap;

use super::limits::Limits;
use crate::core::Core;
use crate::refusal::Refusal;
use crate::seam::steps;
use crate::window::{Counted, Window};

/// The requests of the last minute.
#[derive(Clone, Debug, Default)]
pub(super) struct Rates {
    times: OrdMap<(Rate, IpAddr), Counted>,
}

/// How a request is counted.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Counting {
    /// Requests of one class count together.
    pub(super) class: Rate,
    /// Requests of one address count together.
    pub(super) peer: IpAddr,
    /// When the window begins.
    pub(super) window: Window,
}

steps! {
    Reached(rates: &mut Rates, limits: &Limits, class: Rate, peer: IpAddr) = reached;
}

/// An address has reached the limit of a class: those of the other classes are not affected.
pub(super) fn reached(_: &mut Core, _: &mut Rates, _: &Limits, _: Rate, _: IpAddr) {}

impl Rates {
    /// Counts a request of `peer`, or rejects it. A rejected request does not count.
    pub(super) fn count(
        &mut self,
        core: &mut Core,
        limits: &Limits,
        class: Rate,
        peer: IpAddr,
    ) -> Result<(), Refusal> {
        let (rule, limit) = match class {
            Rate::General => (&GENERAL, limits.general_per_window),
            Rate::Authenticated => (&AUTHENTICATED, limits.authenticated_per_window),
            Rate::Heavy => (&HEAVY, limits.heavy_per_window),
        };
        let counting = Counting { class, peer: peer.to_canonical(), window: Window::Rolling };
        let Counting { class, peer, window } = core.step(counting);
        let length_ms = limits.rate_window_ms;
        let counted = self.times.entry((class, peer)).or_default();
        let Err(full) = counted.admit(core.now(), limit as usize, length_ms, window) else { return Ok(()) };
        Reached::run(core, self, limits, class, peer);
        let why = format!("{} requests of {peer} within {length_ms} ms", full.count);
        Err(Refusal::for_now(rule, why, full.wait_ms))
    }

    /// Whether no request is kept.
    pub(super) fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// The number of request lists.
    pub(super) fn len(&self) -> usize {
        self.times.len()
    }

    /// Drops addresses without a request since `begin`.
    pub(super) fn sweep(&mut self, begin: Instant) {
        let quiet = self.times.iter().filter(|(_, counted)| counted.is_quiet_since(begin));
        let gone: Vec<(Rate, IpAddr)> = quiet.map(|(key, _)| *key).collect();
        for key in gone {
            self.times.remove(&key);
        }
    }
}
