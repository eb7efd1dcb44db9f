//! The data of the measurement program: hours, probes, records.

use std::net::IpAddr;
use std::sync::Arc;

use assay_spec::Instant;
use assay_spec::network::machines::{MeasurementEvent, MeasurementState};
use imbl::{OrdMap, Vector};

use super::record::{Failed, Measured, Record};
use crate::core::Core;
use crate::outgoing::Outcome;

/// The measurement program and its records. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(in crate::network) struct Measure {
    pub(super) on: bool,
    /// The number of hours so far: the key of their random draws.
    pub(super) hours: u64,
    /// The current hour.
    pub(super) hour: Option<Hour>,
    /// What the program reads from core nodes, once it has been written.
    pub(super) fixtures: Option<Fixtures>,
    /// The served records by node number, oldest first.
    pub(super) records: OrdMap<usize, Vector<Arc<Measured>>>,
}

/// An hour in which nodes are probed.
#[derive(Clone, Debug)]
pub(super) struct Hour {
    pub(super) number: u64,
    pub(super) state: MeasurementState,
    /// The nodes that are being probed, by number.
    pub(super) visits: OrdMap<usize, Visit>,
    /// The results so far.
    pub(super) results: Vector<Arc<Measured>>,
}

/// A due event. Every hour has its own number; an event of another hour than the current one is ignored.
#[derive(Clone, Copy, Debug)]
pub enum Due {
    /// The probe of a node starts.
    Visit(u64, usize),
    /// A response from a node arrives.
    Back(Probe),
    /// The hour ends.
    Close(u64),
    /// The records of an hour are two weeks old: they are shown no longer.
    Age,
    /// They are kept no longer.
    Drop,
}

impl Measure {
    /// The records of the node with that number, oldest first.
    pub(in crate::network) fn records(&self, node: usize) -> impl Iterator<Item = &Arc<Measured>> {
        self.records.get(&node).into_iter().flatten()
    }

    pub(super) fn hour(&mut self, number: u64) -> Option<&mut Hour> {
        self.hour.as_mut().filter(|hour| hour.number == number)
    }

    pub(super) fn visit(&mut self, hour: u64, node: usize) -> Option<&mut Visit> {
        self.hour(hour)?.visits.get_mut(&node)
    }
}

/// A node that is being probed.
#[derive(Clone, Debug)]
pub(super) struct Visit {
    pub(super) at: Instant,
    pub(super) record: Record,
    pub(super) failed: Vec<(&'static str, Failed)>,
    /// The number of the current test.
    pub(super) step: usize,
    pub(super) sent_at: Instant,
    /// The outcome of the test, on its way back.
    pub(super) outcome: Option<Outcome>,
    /// The address that the program probes from, by IP version.
    pub(super) ipv4: IpAddr,
    pub(super) ipv6: IpAddr,
}

/// A running test: the hour, the node's number, the test's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    pub(super) hour: u64,
    pub(super) node: usize,
    pub(super) step: usize,
}

/// What the program reads from core nodes: its own aggregate and file.
#[derive(Clone, Debug)]
pub(super) struct Fixtures {
    /// The owner of the aggregate.
    pub(super) address: String,
    /// The key of the aggregate.
    pub(super) key: &'static str,
    /// The name of the file.
    pub(super) file: String,
    /// The hash of the message that keeps the file.
    pub(super) message: String,
}

/// Makes a transition of the program's table. Returns the new state.
pub(super) fn moves(core: &mut Core, from: MeasurementState, event: MeasurementEvent) -> MeasurementState {
    let (to, row) = from.on(event).expect("the transition is in the measurement table");
    core.fired(row);
    to
}
