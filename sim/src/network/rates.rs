//! Rate limits: the requests of each address within the minute, in three classes.

use std::net::{IpAddr, Ipv4Addr};

use assay_spec::Instant;
use assay_spec::network::limits::Rate;
use assay_spec::network::requirements::limits::{AUTHENTICATED, GENERAL, HEAVY, MINUTE_PASSES, PER_ADDRESS};
use imbl::OrdMap;

use super::limits::Limits;
use super::variations;
use crate::core::Core;
use crate::refusal::Refusal;
use crate::window::{Counted, Window};

/// The requests of the last minute.
#[derive(Clone, Debug, Default)]
pub(super) struct Rates {
    times: OrdMap<(Rate, IpAddr), Counted>,
}

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
        let limit = core.effect(rule, limit as usize, |limit, variant| match variant {
            "early" => limit - limit.div_ceil(5),
            _ => usize::MAX,
        });
        let peer = core.effect(&PER_ADDRESS, peer.to_canonical(), |_, _| IpAddr::V4(Ipv4Addr::UNSPECIFIED));
        let shared = core.varies(variations::RATES_SHARED) && class != Rate::Heavy;
        let class = if shared { Rate::General } else { class };
        let window = if core.varies(variations::RATES_FIXED) {
            Window::Fixed
        } else if core.varies(variations::RATES_BUCKET) {
            Window::Bucket
        } else {
            Window::Rolling
        };
        let length_ms =
            core.effect(&MINUTE_PASSES, limits.rate_window_ms, |length_ms, _| length_ms.saturating_mul(10));
        let counted = self.times.entry((class, peer)).or_default();
        counted.admit(core.now(), limit, length_ms, window).map_err(|full| {
            let why = format!("{} requests of {peer} within {length_ms} ms", full.count);
            Refusal::for_now(rule, why, full.wait_ms)
        })
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
