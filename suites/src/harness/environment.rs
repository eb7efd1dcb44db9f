//! Where one check runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::harness::control::Control;
use crate::harness::recording::Recorder;
use crate::http::connect::Connect;

/// Where one check runs.
#[derive(Clone)]
pub struct Environment {
    /// How its URLs are reached.
    pub connector: Arc<dyn Connect>,
    /// Base URLs by site name: `publish`, `chain`.
    pub sites: BTreeMap<String, String>,
    /// The control API of this environment.
    pub control: Option<Control>,
    /// The environment is the check's own and ends with it.
    pub own: bool,
    /// By site: the header that the site takes the client's address from, if any.
    pub forwarding: BTreeMap<String, String>,
    /// Records what the check receives, or replays it.
    pub recorder: Recorder,
}

#[cfg(test)]
impl Environment {
    /// An environment without sites, whose responses come from `recorder` alone.
    pub(crate) fn nowhere(own: bool, recorder: Recorder) -> Environment {
        Environment {
            connector: Arc::new(crate::rerun::judge::Nowhere),
            sites: BTreeMap::new(),
            control: None,
            own,
            forwarding: BTreeMap::new(),
            recorder,
        }
    }
}
