//! Rate limits: the requests of each address within the minute, in three classes.

use std::collections::VecDeque;
use std::net::{IpAddr, Ipv4Addr};

use assay_spec::network::limits::Rate;
use assay_spec::network::requirements::limits::{AUTHENTICATED, GENERAL, HEAVY, MINUTE_PASSES, PER_ADDRESS};
use assay_spec::{Id, Instant, Rules};
use imbl::OrdMap;

use super::limits::Limits;
use super::variations;
use crate::core::Core;
use crate::refusal::Refusal;

/// The maximum number of requests kept per address: without it a violated limit would let the list grow
/// forever.
const REMEMBERED: usize = 10_000;

/// The requests of the last minute.
#[derive(Clone, Debug, Default)]
pub(super) struct Rates {
    times: OrdMap<(Rate, IpAddr), VecDeque<Instant>>,
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
        let (rule, limit): (Id, u32) = match class {
            Rate::General => (&GENERAL, limits.general_per_window),
            Rate::Authenticated => (&AUTHENTICATED, limits.authenticated_per_window),
            Rate::Heavy => (&HEAVY, limits.heavy_per_window),
        };
        let limit = limit as usize;
        let limit = if core.varies(variations::RATES_LOOSE) { limit + limit / 2 } else { limit };
        let limit = core.effect(rule, limit, |limit, variant| match variant {
            "early" => limit - limit.div_ceil(5),
            _ => usize::MAX,
        });
        let peer = core.effect(&PER_ADDRESS, peer.to_canonical(), |_, _| IpAddr::V4(Ipv4Addr::UNSPECIFIED));
        let shared = core.varies(variations::RATES_SHARED) && class != Rate::Heavy;
        let class = if shared { Rate::General } else { class };

        let (now, window_ms) = (core.now(), limits.rate_window_ms.max(1));
        let fixed = core.varies(variations::RATES_FIXED);
        let window_ms = core.effect(&MINUTE_PASSES, window_ms, |window_ms, _| window_ms.saturating_mul(10));
        let begin = if fixed { Instant(now.0 - now.0.rem_euclid(window_ms)) } else { now - window_ms + 1 };
        let times = self.times.entry((class, peer)).or_default();
        while times.front().is_some_and(|first| *first < begin) {
            times.pop_front();
        }
        if times.len() < limit {
            if times.len() < REMEMBERED {
                times.push_back(now);
            }
            return Ok(());
        }
        // The next request is accepted once the blocking one has left the window.
        let freed = times.len().checked_sub(limit).and_then(|at| times.get(at)).copied().unwrap_or(now);
        let next = if fixed { begin + window_ms } else { freed + window_ms };
        let why = format!("{} requests of {peer} within {window_ms} ms", times.len());
        Err(Refusal::for_now(rule, why, next - now))
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
        let quiet = |times: &VecDeque<Instant>| times.back().is_none_or(|last| *last < begin);
        let gone: Vec<(Rate, IpAddr)> =
            self.times.iter().filter(|(_, times)| quiet(times)).map(|(key, _)| *key).collect();
        for key in gone {
            self.times.remove(&key);
        }
    }
}
