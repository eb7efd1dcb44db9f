//! A dry environment: it has a target's addresses and connects to none. A check that ends there before its first
//! request would end in the same way at the target.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::harness::check::{Check, Stop};
use crate::harness::pace::Pace;
use crate::harness::probe::{Probe, Settings};
use crate::harness::run::carry::carry_out;
use crate::harness::run::panics::caught;
use crate::harness::target::Target;
use crate::http::connect::{Connect, Connecting};
use crate::http::exchange::Broken;

/// Why `check` ends before its first request to `target`; `None` if it sends a request, or if that is unknown. Nothing
/// is sent.
pub(crate) async fn ends_early(
    target: &dyn Target,
    settings: &Settings,
    check: &'static Check,
) -> Option<Stop> {
    let asked = Arc::new(AtomicBool::new(false));
    let environment = target.dry(Arc::new(Refusing { asked: asked.clone() }))?;
    let pace = Pace::default();
    let probe = Probe::new(check, settings, environment, &pace);
    let stop = caught(carry_out(&probe)).await.err()?;
    let is_final = matches!(stop, Stop::NotTestable(_) | Stop::NotApplicable(_));
    (is_final && !asked.load(Ordering::Relaxed)).then_some(stop)
}

/// Rejects every connection, and notes the attempt.
struct Refusing {
    asked: Arc<AtomicBool>,
}

impl Connect for Refusing {
    fn connect<'a>(&'a self, base: &'a str, _: Option<IpAddr>) -> Connecting<'a> {
        self.asked.store(true, Ordering::Relaxed);
        Box::pin(std::future::ready(Err(Broken::Harness(format!(
            "{base}: nothing is sent while a run is planned"
        )))))
    }
}
