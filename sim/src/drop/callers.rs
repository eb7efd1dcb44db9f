//! Who drops: addresses, what they have dropped within the day, and their uploads in flight.

use std::collections::VecDeque;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use assay_spec::drop::limits::IPV6_PREFIX_BITS;
use assay_spec::drop::requirements::limits::{
    DAILY, HOUR_PASSES, HOURLY, IPV6_PREFIX, ONE_UPLOAD, PER_ADDRESS,
};
use assay_spec::{Instant, Rules};
use imbl::OrdMap;

use super::limits::Limits;
use crate::core::Core;
use crate::refusal::Refusal;
use crate::world::ExchangeId;

/// The callers of the day.
#[derive(Clone, Debug, Default)]
pub(super) struct Callers {
    drops: OrdMap<IpAddr, VecDeque<Instant>>,
    uploads: OrdMap<ExchangeId, IpAddr>,
}

impl Callers {
    /// The caller behind an address: IPv4 as it is, also where it is mapped into IPv6, and a /64 prefix as one.
    pub(super) fn of(core: &mut Core, peer: IpAddr) -> IpAddr {
        let everybody = core.effect(&PER_ADDRESS, false, |_, _| true);
        match peer.to_canonical() {
            _ if everybody => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
            IpAddr::V6(address) => {
                let bits = core.effect(&IPV6_PREFIX, IPV6_PREFIX_BITS, |_, variant| match variant {
                    "wide" => 32,
                    _ => 128,
                });
                let mask = u128::MAX.checked_shl(128 - bits).unwrap_or(0);
                IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & mask))
            }
            address @ IpAddr::V4(_) => address,
        }
    }

    /// Uploads in flight.
    pub(super) fn uploads(&self) -> usize {
        self.uploads.len()
    }

    /// An upload of `caller` begins, unless another is on its way or the caller has dropped enough.
    pub(super) fn enter(
        &mut self,
        core: &mut Core,
        limits: &Limits,
        caller: IpAddr,
        exchange: ExchangeId,
    ) -> Result<(), Refusal> {
        let busy = self.uploads.values().any(|other| *other == caller);
        core.require(&ONE_UPLOAD, !busy, || format!("an upload of {caller} is on its way"))?;
        let now = core.now();
        let hour_ms = core.effect(&HOUR_PASSES, limits.hour_ms, |_, _| limits.day_ms);
        for (rule, limit, window_ms) in
            [(&HOURLY, limits.drops_per_hour, hour_ms), (&DAILY, limits.drops_per_day, limits.day_ms)]
        {
            let limit = core.effect(rule, limit as usize, |limit, variant| match variant {
                // Not half: ten drops of a day would look like an hour that lasts a day.
                "early" => limit - limit / 4,
                _ => usize::MAX,
            });
            let times = self.drops.get(&caller).into_iter().flatten();
            let recent: Vec<Instant> = times.filter(|time| now - **time < window_ms).copied().collect();
            if recent.len() >= limit {
                // With a limit of none there is no drop to wait for.
                let last = recent.len().checked_sub(limit).and_then(|at| recent.get(at));
                let wait_ms = last.map_or(window_ms, |time| *time + window_ms - now);
                let why = format!("{} drops of {caller} within {window_ms} ms", recent.len());
                return Err(Refusal::for_now(rule, why, wait_ms));
            }
        }
        self.uploads.insert(exchange, caller);
        Ok(())
    }

    /// An upload ends in whatever way; answers whose it was.
    pub(super) fn leave(&mut self, exchange: ExchangeId) -> Option<IpAddr> {
        self.uploads.remove(&exchange)
    }

    /// A drop of `caller` was published; answers whether it is the first of all that are known.
    pub(super) fn count(&mut self, caller: IpAddr, now: Instant) -> bool {
        let first = self.drops.is_empty();
        let times = self.drops.entry(caller).or_default();
        // A violated limit must not grow the list without end.
        if times.len() < 10_000 {
            times.push_back(now);
        }
        first
    }

    /// Drops of all callers since `begin`.
    pub(super) fn since(&self, begin: Instant) -> usize {
        self.drops.values().map(|times| times.iter().filter(|time| **time > begin).count()).sum()
    }

    /// Forgets what was dropped before `begin`; answers whether anything is left.
    pub(super) fn sweep(&mut self, begin: Instant) -> bool {
        let callers: Vec<IpAddr> = self.drops.keys().copied().collect();
        for caller in callers {
            let Some(times) = self.drops.get_mut(&caller) else { continue };
            times.retain(|time| *time > begin);
            if times.is_empty() {
                self.drops.remove(&caller);
            }
        }
        !self.drops.is_empty()
    }
}
