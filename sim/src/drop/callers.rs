//! The callers of the drop: their addresses, their drops of the day, and their uploads in progress.

use std::collections::VecDeque;
use std::net::{IpAddr, Ipv6Addr};

use assay_spec::Instant;
use assay_spec::drop::requirements::limits::{DAILY, HOURLY, ONE_UPLOAD};
use imbl::OrdMap;

use super::limits::Limits;
use crate::core::Core;
use crate::exchange::ExchangeId;
use crate::refusal::Refusal;
use crate::seam::steps;
use crate::window::Window;

/// The callers of the day.
#[derive(Clone, Debug, Default)]
pub(super) struct Callers {
    drops: OrdMap<IpAddr, VecDeque<Instant>>,
    uploads: OrdMap<ExchangeId, IpAddr>,
}

/// When the drops of a caller count.
#[derive(Clone, PartialEq)]
pub(super) struct DropWindow(pub(super) Window);

steps! {
    Identify(peer: IpAddr, limits: &Limits) -> IpAddr = identify;
}

/// The caller of an address: an IPv4 address, also if mapped into IPv6; an IPv6 prefix is one caller.
pub(super) fn identify(_: &mut Core, peer: IpAddr, limits: &Limits) -> IpAddr {
    prefix(peer, limits.ipv6_prefix_bits)
}

/// An IPv4 address, or the prefix of an IPv6 address.
pub(super) fn prefix(address: IpAddr, bits: u32) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let mask = u128::MAX.checked_shl(128 - bits.min(128)).unwrap_or(0);
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & mask))
        }
        address @ IpAddr::V4(_) => address,
    }
}

impl Callers {
    /// The number of uploads in progress.
    pub(super) fn uploads(&self) -> usize {
        self.uploads.len()
    }

    /// The caller of an upload in progress.
    pub(super) fn uploading(&self, exchange: ExchangeId) -> Option<IpAddr> {
        self.uploads.get(&exchange).copied()
    }

    /// Begins an upload of `caller`, unless another one is in progress or the caller has reached a limit.
    pub(super) fn enter(
        &mut self,
        core: &mut Core,
        limits: &Limits,
        caller: IpAddr,
        exchange: ExchangeId,
    ) -> Result<(), Refusal> {
        let uploads = self.uploads.values().filter(|other| **other == caller).count();
        core.require(&ONE_UPLOAD, uploads < limits.uploads_per_address, || {
            format!("another upload of {caller} is in progress")
        })?;
        let now = core.now();
        for (rule, limit, window_ms) in
            [(&HOURLY, limits.drops_per_hour, limits.hour_ms), (&DAILY, limits.drops_per_day, limits.day_ms)]
        {
            let limit = limit as usize;
            let DropWindow(window) = core.step(DropWindow(Window::Rolling));
            let before = window.before(now, window_ms);
            let times = self.drops.get(&caller).into_iter().flatten();
            let recent: Vec<Instant> = times.filter(|time| **time > before).copied().collect();
            if recent.len() >= limit {
                // With a limit of 0 there is no drop to wait for.
                let last = recent.len().checked_sub(limit).and_then(|at| recent.get(at));
                let wait_ms = last.map_or(window_ms, |time| *time + window_ms - now);
                let why = format!("{} drops of {caller} within {window_ms} ms", recent.len());
                return Err(Refusal::for_now(rule, why, wait_ms));
            }
        }
        self.uploads.insert(exchange, caller);
        Ok(())
    }

    /// Ends an upload, however it ended; returns its caller.
    pub(super) fn leave(&mut self, exchange: ExchangeId) -> Option<IpAddr> {
        self.uploads.remove(&exchange)
    }

    /// Counts a published drop of `caller`; returns whether it is the first of all known drops.
    pub(super) fn count(&mut self, caller: IpAddr, now: Instant) -> bool {
        let first = self.drops.is_empty();
        let times = self.drops.entry(caller).or_default();
        // With a very large limit the list must still stay bounded.
        if times.len() < 10_000 {
            times.push_back(now);
        }
        first
    }

    /// The number of drops of all callers since `begin`.
    pub(super) fn since(&self, begin: Instant) -> usize {
        self.drops.values().map(|times| times.iter().filter(|time| **time > begin).count()).sum()
    }

    /// Forgets drops before `begin`; returns whether any are left.
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
