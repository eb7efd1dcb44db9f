//! The access log of a served world: what each exchange was, how it ended, and why it was rejected.

use std::collections::BTreeMap;

use assay_spec::Instant;
use serde::Serialize;

use crate::exchange::{ExchangeId, RequestHead};
use crate::io::Output;
use crate::log::{Line, cut};
use crate::world::World;

/// An exchange that has ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Access {
    /// When the request arrived, by the clock of the world.
    pub at: Instant,
    /// The site.
    pub site: &'static str,
    /// The method.
    pub method: String,
    /// The request target as sent; a long one is cut.
    pub target: String,
    /// The status; none if the connection closed without a response.
    pub status: Option<u16>,
    /// How long it took, by the clock of the world.
    pub ms: i64,
    /// How it ended.
    pub ended: Ended,
    /// The rules that the request violated.
    pub why: Vec<Violation>,
}

/// How an exchange ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ended {
    /// With the whole response.
    Whole,
    /// The server closed the connection before that.
    Cut,
    /// The client closed the connection before that.
    Left,
}

/// A rule that a request violated.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Violation {
    /// The requirement.
    pub requirement: String,
    /// What was seen.
    pub why: String,
    /// The rule is switched off, so it did not reject the request.
    pub accepted: bool,
}

impl From<&Line> for Violation {
    fn from(line: &Line) -> Violation {
        let Line { requirement, why, accepted, .. } = line.clone();
        Violation { requirement, why, accepted }
    }
}

/// The receiver of the exchanges of a world, and the exchanges in progress.
pub(super) struct Watch {
    report: Box<dyn Fn(Access) + Send>,
    open: BTreeMap<ExchangeId, Access>,
}

impl Watch {
    pub(super) fn new(report: impl Fn(Access) + Send + 'static) -> Watch {
        Watch { report: Box::new(report), open: BTreeMap::new() }
    }

    /// A request begins.
    pub(super) fn begin(&mut self, exchange: ExchangeId, head: &RequestHead, at: Instant) {
        let (site, method, target) = (head.site.name, head.method.to_string(), cut(&head.target));
        let begun =
            Access { at, site, method, target, status: None, ms: 0, ended: Ended::Whole, why: Vec::new() };
        self.open.insert(exchange, begun);
    }

    /// The world has made this output.
    pub(super) fn see(&mut self, output: &Output, world: &World) {
        match output {
            Output::Head { exchange, status, .. } => {
                if let Some(access) = self.open.get_mut(exchange) {
                    access.status = Some(*status);
                }
            }
            Output::End { exchange } => self.end(*exchange, Ended::Whole, world),
            Output::Cut { exchange } => self.end(*exchange, Ended::Cut, world),
            Output::Frame { .. } | Output::Outgoing { .. } => {}
        }
    }

    /// An exchange ends; one that has ended already does not end again.
    pub(super) fn end(&mut self, exchange: ExchangeId, ended: Ended, world: &World) {
        let Some(mut access) = self.open.remove(&exchange) else { return };
        (access.ended, access.ms) = (ended, world.core.now() - access.at);
        let lines = world.core.log.lines().filter(|line| line.exchange == exchange);
        access.why = lines.map(Violation::from).collect();
        (self.report)(access);
    }

    /// Exchanges in progress belong to a world that has been replaced.
    pub(super) fn forget(&mut self) {
        self.open.clear();
    }
}
