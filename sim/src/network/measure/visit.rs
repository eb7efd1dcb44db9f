//! The probe of one node: its tests, one after the other. A duration is the virtual time between request and
//! response, including the way there and back.

use assay_spec::json;
use assay_spec::network::machines::MeasurementEvent;
use assay_spec::network::metrics::latency;
use http::Method;

use super::probers::{number_of, prober};
use super::program::{Due, Hour, Probe, Visit, moves};
use super::record::{Failed, Measured, Record};
use super::steps::{self, Asks, Test, Way};
use crate::core::Core;
use crate::exchange::Reply;
use crate::network::nodes::node::{NodeKind, Unreachable};
use crate::network::nodes::{info, probes};
use crate::network::state::{OutgoingContext, State, Timer, set};
use crate::outgoing::{Failure, Outcome, Outgoing};

/// The shortest and the longest network delay to a node and back, in milliseconds.
const WAY_MS: std::ops::Range<i64> = 4..80;

/// Starts the probe of a node.
pub(super) fn begin(core: &mut Core, state: &mut State, hour: u64, node: usize) {
    let (ipv4, ipv6) = prober(core, hour, node);
    let at = core.now();
    let record = Record::new(state.nodes.at(node), at);
    let Some(open) = state.measure.hour(hour) else { return };
    let visit = Visit { at, record, failed: Vec::new(), step: 0, sent_at: at, outcome: None, ipv4, ipv6 };
    open.visits.insert(node, visit);
    send_request(core, state, Probe { hour, node, step: 0 });
}

/// Sends the request of a test.
fn send_request(core: &mut Core, state: &mut State, probe: Probe) {
    let Probe { hour, node: number, step } = probe;
    let now = core.now();
    let node = state.nodes.at(number);
    let Test { way, .. } = steps::for_kind(node.kind)[step];
    let Some(fixtures) = &state.measure.fixtures else { return };
    let Some(visit) = state.measure.hour.as_mut().and_then(|open| open.visits.get_mut(&number)) else {
        return;
    };
    (visit.step, visit.sent_at, visit.outcome) = (step, now, None);
    let failure = match way {
        Way::Ping => None,
        Way::Http { asks, ipv6, .. } => {
            let from = if ipv6 { visit.ipv6 } else { visit.ipv4 };
            if node.unreachable_from(from).is_none() {
                let mut request =
                    Outgoing::to_site(node.site, Method::GET, steps::target(core, asks, node, fixtures));
                request.from = from;
                core.send(request, crate::services::OutgoingContext::Network(OutgoingContext::Probe(probe)));
                return;
            }
            // The node has no address to connect to.
            Some(Failure::Unreachable)
        }
    };
    visit.outcome = failure.map(Err);
    come_back(core, hour, probe);
}

/// Takes the outcome of a request; it arrives after the network delay.
pub(in crate::network) fn probed(core: &mut Core, state: &mut State, probe: Probe, outcome: Outcome) {
    let Some(visit) = state.measure.visit(probe.hour, probe.node) else { return };
    if visit.step == probe.step && visit.outcome.is_none() {
        visit.outcome = Some(outcome);
        come_back(core, probe.hour, probe);
    }
}

fn come_back(core: &mut Core, hour: u64, probe: Probe) {
    let span = WAY_MS.end - WAY_MS.start;
    // Every test of every hour has its own delay.
    let draw = number_of(core, "network.way", hour * 16 + probe.step as u64, probe.node);
    set(core, core.now() + WAY_MS.start + draw % span, Timer::Measure(Due::Back(probe)));
}

/// Handles a response: judges it and starts the next test.
pub(super) fn back(core: &mut Core, state: &mut State, probe: Probe) {
    let now = core.now();
    let node = state.nodes.at(probe.node).clone();
    let tests = steps::for_kind(node.kind);
    let Some(visit) = state.measure.visit(probe.hour, probe.node) else { return };
    if visit.step != probe.step {
        return;
    }
    let after_ms = now - visit.sent_at;
    let test = tests[probe.step];
    match test.way {
        Way::Ping => match node.unreachable_machine() {
            None => visit.record.set_latency(test.field, after_ms),
            Some(Unreachable::NoIpv6) => visit.failed.push((test.field, Failed::NoIpv6)),
            Some(Unreachable::Down) => visit.failed.push((test.field, Failed::Unanswered)),
        },
        Way::Http { asks, expected, .. } => {
            let outcome = visit.outcome.take();
            let status = outcome.as_ref().and_then(|outcome| Some(outcome.as_ref().ok()?.status));
            match (latency(expected, status, after_ms), outcome) {
                (Some(_), Some(Ok(reply))) => {
                    visit.record.set_latency(test.field, after_ms);
                    read(&mut visit.record, asks, &reply);
                }
                (_, Some(Ok(_))) => visit.failed.push((test.field, Failed::Status(after_ms))),
                _ => visit.failed.push((test.field, Failed::Unanswered)),
            }
        }
    }
    let next = Probe { step: probe.step + 1, ..probe };
    if next.step < tests.len() {
        send_request(core, state, next);
    } else if let Some(hour) = state.measure.hour(probe.hour) {
        end(core, hour, probe.node);
    }
}

/// Reads what a response contains besides its duration.
fn read(record: &mut Record, asks: Asks, reply: &Reply) {
    let body = || json::parse(&reply.body).unwrap_or_default();
    match asks {
        Asks::Info => {
            if let Some(version) = info::version(&body()) {
                record.set_version(version.to_owned());
            }
        }
        Asks::Login => {
            if let Some(version) = probes::version(reply) {
                record.set_version(version.to_owned());
            }
        }
        Asks::Metrics => record.set_counts(&body()),
        Asks::Check => record.set_features(probes::features(&body())),
        Asks::Aggregate | Asks::File | Asks::Machine => {}
    }
}

/// Ends the probe of a node.
fn end(core: &mut Core, hour: &mut Hour, node: usize) {
    let Some(Visit { at, record, failed, .. }) = hour.visits.remove(&node) else { return };
    hour.state = moves(core, hour.state, MeasurementEvent::Probe);
    hour.results.push_back(Measured { at, node, record, failed }.into());
}

/// Ends the probes that are still running when the hour ends: tests without a response have failed.
pub(super) fn end_all(core: &mut Core, state: &mut State, number: u64) {
    let Some(hour) = state.measure.hour(number) else { return };
    let open: Vec<usize> = hour.visits.keys().copied().collect();
    for node in open {
        if let Some(visit) = hour.visits.get_mut(&node) {
            let kind: NodeKind = visit.record.kind();
            let missing = steps::for_kind(kind).iter().skip(visit.step);
            visit.failed.extend(missing.map(|test| (test.field, Failed::Unanswered)));
        }
        end(core, hour, node);
    }
}
