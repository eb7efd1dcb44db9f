//! Writes a run as the members of its report.

use std::collections::BTreeMap;

use assay_spec::Id;
use assay_spec::crypto::text::{base64, sha256_hex};
use serde_json::Value;

use super::wire;
use crate::harness::control::Offer;
use crate::harness::coverage::{Answers, Coverage};
use crate::harness::data::reason::Kind;
use crate::harness::data::{
    Account, AtPlace, Conditions, ControlError, Depth, Failure, Outcome, Reason, RestsOn, Run, Shards,
    Statuses, Verdict,
};
use crate::harness::judge::cause::{Cause, causes};
use crate::harness::judge::conclusion::{Concluded, Tested, conclude, tested};
use crate::harness::recording::{Call, Input};
use crate::http::exchange::{Broken, Cut, Exchange, Slot};
use crate::report::words;

/// Longer bodies are stored in the table.
const BODY_BYTES: usize = 4 * 1024;
/// Longer bodies of the table are deflated.
const PLAIN_BYTES: usize = 64 * 1024;
const LEVEL: u8 = 6;

/// The exchanges and calls that a report keeps.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    /// All of them.
    All,
    /// Those of checks that did not pass.
    NotPassed,
}

pub(super) fn report(run: &Run, keep: Keep) -> wire::Report {
    let mut bodies = Bodies::default();
    let Concluded { conclusion, shortfalls, .. } = conclude(run);
    wire::Report {
        version: super::VERSION,
        assay: env!("CARGO_PKG_VERSION").to_owned(),
        target: run.target.clone(),
        seed: run.seed.to_string(),
        began: run.began.clone(),
        exit_code: conclusion.exit_code(),
        result: conclusion.name().to_owned(),
        why: shortfalls.iter().map(words::shortfall).collect(),
        services: tested(run).iter().map(of_service).collect(),
        gate: run.gate.clone(),
        is_partial: run.is_partial,
        is_whole: run.is_whole,
        read_only: run.read_only,
        selection: run.selection.clone(),
        shards: run.shards.clone().map(|Shards { of, present }| wire::Shards { of, present }),
        sent: wire::Sent { requests: run.sent.requests, writes: run.sent.writes, bytes: run.sent.bytes },
        counts: counts(run),
        remarks: run.remarks.clone(),
        objections: run.objections.clone(),
        causes: causes(run).into_iter().map(|one| cause(run, one)).collect(),
        conditions: conditions(&run.conditions),
        outcomes: run.outcomes.iter().map(|one| outcome(one, keep, &mut bodies)).collect(),
        transitions: run.transitions.iter().map(|(row, fired)| transition(row, *fired)).collect(),
        endpoints: run.endpoints.iter().map(endpoint).collect(),
        bodies: bodies.0,
    }
}

/// The number of outcomes with each verdict.
pub(in crate::report) fn counts(run: &Run) -> BTreeMap<String, usize> {
    Verdict::ALL.iter().map(|&verdict| (verdict.name().to_owned(), run.count(verdict))).collect()
}

fn cause(run: &Run, cause: Cause) -> wire::Cause {
    let repeat = cause.outcome(run).repeat.clone();
    let title = words::title(run, &cause);
    let Cause { places, verdict, row, first, exchange, outcomes, .. } = cause;
    wire::Cause {
        title,
        places,
        verdict: verdict.name().to_owned(),
        row: row.to_string(),
        statement: row.statement().to_owned(),
        source: row.source(),
        first,
        exchange,
        repeat,
        outcomes,
    }
}

/// How much of a service was tested.
pub(in crate::report) fn of_service(one: &Tested) -> wire::ServiceCoverage {
    wire::ServiceCoverage {
        service: one.service.name().to_owned(),
        tested: one.tested,
        applicable: one.applicable,
        percent: one.percent(),
        minimum: one.minimum,
        core: one.core.map(|(shows, is_shown)| wire::Core { shows: shows.to_owned(), is_shown }),
    }
}

fn conditions(conditions: &Conditions) -> wire::Conditions {
    let Conditions { is_embedded, profile, offer, sites, forwarding, wrong, depth } = conditions.clone();
    let depth = (depth != Depth::default()).then(|| depth.name().to_owned());
    let offer = offer.map(|Offer { clock, faults, actions, forks, addresses }| wire::Offer {
        clock,
        faults,
        actions,
        forks,
        addresses,
    });
    wire::Conditions { is_embedded, profile, offer, sites, forwarding, wrong, depth }
}

fn outcome(outcome: &Outcome, keep: Keep, bodies: &mut Bodies) -> wire::Outcome {
    let id = outcome.requirement;
    let is_left_out = keep == Keep::NotPassed && outcome.verdict == Verdict::Pass;
    let (exchanges, calls) =
        if is_left_out { (&[][..], &[][..]) } else { (&outcome.exchanges[..], &outcome.calls[..]) };
    wire::Outcome {
        id: id.to_string(),
        fact: outcome.fact.to_owned(),
        level: id.level.name().to_owned(),
        verdict: outcome.verdict.name().to_owned(),
        statement: id.statement().to_owned(),
        source: id.source(),
        reason: words::reason(outcome),
        basis: basis(&outcome.reason, outcome.rests_on.as_ref()),
        cells: outcome.cells.iter().map(cell).collect(),
        notes: outcome.notes.clone(),
        failure: outcome.failure.as_ref().map(failure),
        readings: outcome
            .readings
            .iter()
            .map(|one| wire::Reading {
                key: one.key.clone(),
                value: one.value.clone(),
                line: one.to_string(),
            })
            .collect(),
        why: outcome.why.iter().map(account).collect(),
        repeat: outcome.repeat.clone(),
        seed: outcome.seed.map(|seed| seed.to_string()),
        elapsed_ms: outcome.elapsed_ms,
        answers: outcome.answers,
        seen_by: outcome.seen_by.map(ToString::to_string),
        seen_in: (outcome.seen_in > 1).then_some(outcome.seen_in),
        is_cut: outcome.is_cut,
        roles: outcome.roles.clone(),
        sites: outcome.sites.clone(),
        disguises: outcome
            .disguises
            .iter()
            .map(|one| wire::Disguise { name: one.name.clone(), value: one.value.clone() })
            .collect(),
        left_out: outcome.left_out + outcome.exchanges.len() - exchanges.len(),
        exchanges: exchanges.iter().map(|one| exchange(one, bodies)).collect(),
        calls: calls.iter().map(|one| call(one, bodies)).collect(),
    }
}

fn cell(AtPlace { at, verdict, reason, failure: failed }: &AtPlace) -> wire::Cell {
    wire::Cell {
        at: at.clone(),
        verdict: verdict.name().to_owned(),
        reason: words::because(reason, failed.as_ref()),
        basis: basis(reason, None),
        failure: failed.as_ref().map(failure),
    }
}

fn basis(reason: &Reason, rests_on: Option<&RestsOn>) -> wire::Basis {
    let Reason { why, said, cell, known, rounds, .. } = reason;
    wire::Basis {
        why: why.name().to_owned(),
        said: said.clone(),
        cell: cell.clone(),
        known: known.clone(),
        rests_on: rests_on.map(resting),
        rounds: rounds.iter().map(|(verdict, count)| (verdict.name().to_owned(), *count)).collect(),
    }
}

fn resting(rests_on: &RestsOn) -> wire::RestsOn {
    let row = |row: &Id| row.to_string();
    let kind = |kind: &Kind| {
        let Kind { site, method, path, status } = kind.clone();
        wire::Kind { site, method, path, status }
    };
    match rests_on {
        RestsOn::Prerequisite(id) => wire::RestsOn::Prerequisite { row: row(id) },
        RestsOn::Answer(id, answer) => wire::RestsOn::Answer { row: row(id), answer: kind(answer) },
        RestsOn::Silence(id) => wire::RestsOn::Silence { row: row(id) },
        RestsOn::Base(id) => wire::RestsOn::Base { row: row(id) },
        RestsOn::Nothing(answer) => wire::RestsOn::Nothing { answer: kind(answer) },
        RestsOn::NothingAccepted(answer) => wire::RestsOn::NothingAccepted { answer: kind(answer) },
    }
}

fn failure(failure: &Failure) -> wire::Failure {
    let (one_of, none_of) = match &failure.statuses {
        Statuses::Unstated => (None, None),
        Statuses::OneOf(all) => (Some(all.clone()), None),
        Statuses::NoneOf(all) => (None, Some(all.clone())),
    };
    wire::Failure {
        part: failure.part.name().to_owned(),
        place: failure.place.clone(),
        cell: failure.cell.clone(),
        want: failure.want.clone(),
        one_of,
        none_of,
        got: failure.got.clone(),
        exchange: failure.exchange,
        is_precondition: failure.is_precondition,
    }
}

fn account(Account { exchange, row, words, is_accepted }: &Account) -> wire::Account {
    wire::Account {
        exchange: *exchange,
        row: row.map(ToString::to_string),
        words: words.clone(),
        is_accepted: *is_accepted,
    }
}

fn exchange(one: &Exchange, bodies: &mut Bodies) -> wire::Exchange {
    let Exchange { site, base, request, slot, response, .. } = one;
    wire::Exchange {
        site: site.clone(),
        base: base.clone(),
        request: wire::Request {
            method: request.method.clone(),
            target: request.target.clone(),
            headers: headers(&request.headers),
            body: one.omitted().as_ref().map_or_else(|| bodies.body(&request.body), left_out),
        },
        connection: slot.map(|Slot { connection: number, request }| wire::Slot { number, request }),
        response: response.as_ref().ok().map(|response| wire::Response {
            status: response.status,
            headers: headers(&response.headers),
            body: bodies.body(&response.body),
        }),
        broken: response.as_ref().err().map(broken),
    }
}

fn broken(broken: &Broken) -> wire::Broken {
    use wire::BrokenKind;
    let (kind, detail) = match broken {
        Broken::Unreachable(why) => (BrokenKind::Unreachable, why.clone()),
        Broken::Gone(why) => (BrokenKind::Gone, why.clone()),
        Broken::Harness(why) => (BrokenKind::Harness, why.clone()),
        Broken::Tls(why) => (BrokenKind::Tls, why.clone()),
        Broken::TimedOut(seconds) => (BrokenKind::TimedOut, seconds.to_string()),
        Broken::Unfinished { status, bytes, seconds } => {
            (BrokenKind::Unfinished, format!("{status} {bytes} {seconds}"))
        }
        Broken::Closed(place) => (BrokenKind::Closed, place.clone()),
        Broken::Nonsense(why) => (BrokenKind::Nonsense, why.clone()),
        Broken::Inexpressible(what) => (BrokenKind::Inexpressible, what.clone()),
        Broken::Limit(what) => (BrokenKind::Limit, what.clone()),
        Broken::Held => (BrokenKind::Held, String::new()),
    };
    wire::Broken { words: broken.to_string(), kind, detail }
}

fn headers(headers: &[(String, Vec<u8>)]) -> Vec<wire::Header> {
    let line = |(name, value): &(String, Vec<u8>)| {
        let text = std::str::from_utf8(value).ok().map(str::to_owned);
        let value_base64 = text.is_none().then(|| base64(value));
        wire::Header { name: name.clone(), value: text, value_base64 }
    };
    headers.iter().map(line).collect()
}

fn call(call: &Call, bodies: &mut Bodies) -> wire::Call {
    let (answer, failed) = match &call.answer {
        Ok(json) => (Some(json.value()), None),
        Err(why) => (None, Some(why)),
    };
    let (error, is_silent) = (failed.map(ToString::to_string), failed.is_some_and(ControlError::is_silent));
    let status = match failed {
        Some(ControlError::Status(status, _)) => Some(*status),
        _ => None,
    };
    let long = answer.as_ref().map(ToString::to_string).filter(|text| text.len() > BODY_BYTES);
    let answer_sha256 = long.and_then(|text| bodies.body(text.as_bytes()).body_sha256);
    let answer = answer.filter(|_| answer_sha256.is_none());
    match &call.asked {
        Input::Control { method, path, body } => wire::Call {
            after: call.after,
            control: Some(wire::Control { method: method.clone(), path: path.clone(), body: body.clone() }),
            answer,
            answer_sha256,
            error,
            is_silent,
            status,
            clock_ms: None,
            share: None,
        },
        Input::Clock => {
            let clock_ms = answer.as_ref().and_then(Value::as_i64);
            let (after, control, answer, share) = (call.after, None, None, None);
            wire::Call { after, control, answer, answer_sha256, error, is_silent, status, clock_ms, share }
        }
        Input::Share(what) => {
            let (after, control, clock_ms, share) = (call.after, None, None, Some(what.clone()));
            wire::Call { after, control, answer, answer_sha256, error, is_silent, status, clock_ms, share }
        }
    }
}

fn transition(row: &assay_spec::machine::Transition, fired: bool) -> wire::Transition {
    wire::Transition {
        machine: row.machine.to_owned(),
        from: row.from.to_owned(),
        event: row.event.to_owned(),
        to: row.to.to_owned(),
        fired,
        unreachable: Some(row.unreachable.to_owned()).filter(|why| !why.is_empty()),
    }
}

fn endpoint(row: &Coverage) -> wire::Endpoint {
    let answers = |answers: Answers| wire::Answers { count: answers.count, judged: answers.judged };
    wire::Endpoint {
        service: row.endpoint.service.name().to_owned(),
        name: row.endpoint.name.to_owned(),
        method: row.endpoint.method.to_owned(),
        path: row.endpoint.path.to_owned(),
        declared: row.declared,
        seen: row.seen.name().to_owned(),
        probed: row.is_probed,
        accepted: answers(row.accepted),
        rejected: answers(row.rejected),
        not_seen: row.unseen.clone(),
    }
}

#[derive(Default)]
struct Bodies(BTreeMap<String, wire::Body>);

impl Bodies {
    /// A short body inline, a long one by its digest.
    fn body(&mut self, bytes: &[u8]) -> wire::Body {
        if bytes.is_empty() {
            return wire::Body::default();
        }
        if bytes.len() <= BODY_BYTES {
            return plain(bytes);
        }
        let digest = sha256_hex(bytes);
        self.0.entry(digest.clone()).or_insert_with(|| {
            if let ..=PLAIN_BYTES = bytes.len() {
                plain(bytes)
            } else {
                let deflated = miniz_oxide::deflate::compress_to_vec_zlib(bytes, LEVEL);
                wire::Body { body_zlib_base64: Some(base64(&deflated)), ..wire::Body::default() }
            }
        });
        wire::Body { body_sha256: Some(digest), ..wire::Body::default() }
    }
}

fn left_out(cut: &Cut) -> wire::Body {
    let (bytes, digest) = (Some(cut.bytes), Some(cut.sha256.clone()));
    wire::Body { body_cut: bytes, body_sha256: digest, ..wire::Body::default() }
}

fn plain(bytes: &[u8]) -> wire::Body {
    match std::str::from_utf8(bytes) {
        Ok(text) => wire::Body { body: Some(text.to_owned()), ..wire::Body::default() },
        Err(_) => wire::Body { body_base64: Some(base64(bytes)), ..wire::Body::default() },
    }
}
