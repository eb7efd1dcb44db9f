//! Reads a report. A report of another version of the checks is rejected if the checks differ.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use assay_spec::crypto::text::{parse_base64, sha256_hex};
use assay_spec::machine::Transition;
use assay_spec::{Id, Service, catalogue};
use bytes::Bytes;
use serde_json::Value;

use super::wire;
use crate::harness::check::Check;
use crate::harness::control::Offer;
use crate::harness::coverage::{Answers, Coverage, Seen};
use crate::harness::data::reason::Kind;
use crate::harness::data::{
    Account, AtPlace, Conditions, ControlError, Depth, Failure, OtherReading, Outcome, Part, Reason, RestsOn,
    Run, Sent, Shards, Statuses, Verdict, Why,
};
use crate::harness::recording::{Call, Input, Json};
use crate::harness::run::shard;
use crate::harness::run::trace::machines;
use crate::http::exchange::{Broken, Cut, Exchange, Request, Response, Slot};
use crate::http::hiding::Disguise;
use crate::services;
use crate::services::SUITES;

/// The maximum size of an inflated body, in bytes.
const BODY_BYTES: usize = 256 * 1024 * 1024;
/// The maximum size of all bodies; a body that is used several times counts each time.
const ALL_BYTES: usize = 2 * 1024 * 1024 * 1024;

pub(super) fn run(report: wire::Report) -> Result<Run, String> {
    let bodies = Bodies::read(report.bodies)?;
    let outcome = |(n, one): (usize, wire::Outcome)| {
        let at = format!("outcomes[{n}] ({})", one.id);
        outcome(one, &bodies).map_err(|why| format!("{at}: {why}"))
    };
    let outcomes = report.outcomes.into_iter().enumerate().map(outcome).collect::<Result<Vec<_>, _>>()?;
    let mut known = BTreeSet::new();
    if let Some(twice) = outcomes.iter().find(|one| !known.insert((one.requirement.key, one.fact))) {
        return Err(format!("outcomes: {} is listed twice", twice.requirement));
    }
    Ok(Run {
        suites: SUITES,
        target: report.target,
        seed: number(&report.seed)?,
        began: report.began,
        outcomes,
        transitions: report.transitions.iter().map(transition).collect::<Result<_, _>>()?,
        endpoints: report.endpoints.iter().map(endpoint).collect::<Result<_, _>>()?,
        remarks: report.remarks,
        objections: report.objections,
        is_partial: report.is_partial,
        is_whole: report.is_whole,
        read_only: report.read_only,
        gate: report.gate,
        selection: report.selection,
        shards: report.shards.map(shards).transpose()?,
        sent: Sent {
            requests: report.sent.requests,
            writes: report.sent.writes,
            bytes: report.sent.bytes,
            ..Sent::default()
        },
        conditions: conditions(report.conditions)?,
    })
}

/// A number that may exceed 2^53.
fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("seed: not a number: {text:?}"))
}

fn shards(shards: wire::Shards) -> Result<Shards, String> {
    let wire::Shards { of, present } = shards;
    if of > shard::MOST || present.iter().any(|number| *number == 0 || *number > of) {
        return Err("shards: invalid shard numbers".to_owned());
    }
    Ok(Shards { of, present })
}

fn conditions(conditions: wire::Conditions) -> Result<Conditions, String> {
    let wire::Conditions { is_embedded, profile, offer, sites, forwarding, wrong, depth } = conditions;
    let known =
        |name: String| Depth::named(&name).ok_or_else(|| format!("conditions: unknown depth {name:?}"));
    let depth = depth.map(known).transpose()?.unwrap_or_default();
    let offer = offer.map(|wire::Offer { clock, faults, actions, forks, addresses }| Offer {
        clock,
        faults,
        actions,
        forks,
        addresses,
    });
    Ok(Conditions { is_embedded, profile, offer, sites, forwarding, wrong, depth })
}

fn outcome(one: wire::Outcome, bodies: &Bodies) -> Result<Outcome, String> {
    static BY_ID: LazyLock<BTreeMap<String, &'static Check>> = LazyLock::new(|| {
        services::checks().into_iter().map(|check| (check.requirement.to_string(), check)).collect()
    });
    let check = BY_ID.get(&one.id).ok_or("this version does not have this check")?;
    if check.fact != one.fact {
        return Err(format!("in this version the fact of this check is {}", check.fact));
    }
    let requirement: Id = check.requirement;
    let verdict = self::verdict(&one.verdict)?;
    let (reason, rests_on) = basis(one.basis)?;
    let cells = one.cells.into_iter().map(cell).collect::<Result<_, _>>()?;
    let exchanges = one.exchanges.into_iter().enumerate();
    let exchanges =
        exchanges.map(|(n, one)| exchange(one, bodies).map_err(|why| format!("exchanges[{n}]: {why}")));
    let calls = one.calls.into_iter().enumerate();
    let calls = calls.map(|(n, one)| call(one, bodies).map_err(|why| format!("calls[{n}]: {why}")));
    let exchanges = exchanges.collect::<Result<Vec<_>, _>>()?;
    let failure = one.failure.map(failure).transpose()?;
    if failure.as_ref().and_then(|failure| failure.exchange).is_some_and(|at| at >= exchanges.len()) {
        return Err("failure.exchange: the outcome does not have this exchange".to_owned());
    }
    let seen_in = one.seen_in.unwrap_or_else(|| usize::from(one.seen_by.is_some()));
    if seen_in > exchanges.len() {
        return Err("seen_in: the outcome has fewer exchanges".to_owned());
    }
    Ok(Outcome {
        cells,
        notes: one.notes,
        failure,
        readings: one
            .readings
            .into_iter()
            .map(|wire::Reading { key, value, .. }| OtherReading { key, value })
            .collect(),
        exchanges,
        why: one.why.into_iter().map(account).collect::<Result<_, _>>()?,
        repeat: one.repeat,
        calls: calls.collect::<Result<_, _>>()?,
        sites: one.sites,
        disguises: one
            .disguises
            .into_iter()
            .map(|wire::Disguise { name, value }| Disguise { name, value })
            .collect(),
        seed: one.seed.as_deref().map(number).transpose()?,
        elapsed_ms: one.elapsed_ms,
        answers: one.answers,
        seen_in,
        seen_by: one.seen_by.as_deref().map(row).transpose()?,
        is_cut: one.is_cut,
        left_out: one.left_out,
        roles: one.roles,
        rests_on,
        ..Outcome::new(requirement, check.fact, verdict, reason)
    })
}

fn row(id: &str) -> Result<Id, String> {
    catalogue::requirement(id).ok_or_else(|| format!("this version has no requirement {id:?}"))
}

fn cell(cell: wire::Cell) -> Result<AtPlace, String> {
    let (verdict, failure) = (verdict(&cell.verdict)?, cell.failure.map(failure).transpose()?);
    Ok(AtPlace { at: cell.at, verdict, reason: basis(cell.basis)?.0, failure })
}

fn basis(basis: wire::Basis) -> Result<(Reason, Option<RestsOn>), String> {
    let wire::Basis { why, said, cell, known, rests_on, rounds } = basis;
    // A pass has no basis.
    let why =
        if why.is_empty() { Some(Why::Holds) } else { Why::ALL.into_iter().find(|one| one.name() == why) };
    let why = why.ok_or("basis.why: not a kind of reason")?;
    let rests_on = rests_on.map(resting).transpose()?;
    let by = match &rests_on {
        Some(RestsOn::Silence(row)) => Some(*row),
        _ => None,
    };
    let rounds = rounds.into_iter().map(|(name, count)| Ok::<_, String>((verdict(&name)?, count)));
    let rounds = rounds.collect::<Result<_, _>>()?;
    Ok((Reason { why, said, cell, known, by, rounds }, rests_on))
}

fn resting(rests_on: wire::RestsOn) -> Result<RestsOn, String> {
    let kind = |wire::Kind { site, method, path, status }| Kind { site, method, path, status };
    Ok(match rests_on {
        wire::RestsOn::Prerequisite { row: id } => RestsOn::Prerequisite(row(&id)?),
        wire::RestsOn::Answer { row: id, answer } => RestsOn::Answer(row(&id)?, kind(answer)),
        wire::RestsOn::Silence { row: id } => RestsOn::Silence(row(&id)?),
        wire::RestsOn::Base { row: id } => RestsOn::Base(row(&id)?),
        wire::RestsOn::Nothing { answer } => RestsOn::Nothing(kind(answer)),
        wire::RestsOn::NothingAccepted { answer } => RestsOn::NothingAccepted(kind(answer)),
    })
}

fn failure(failure: wire::Failure) -> Result<Failure, String> {
    let wire::Failure { part, place, cell, want, one_of, none_of, got, exchange, is_precondition } = failure;
    let part = Part::ALL.into_iter().find(|one| one.name() == part).ok_or("failure.part: not a part")?;
    let statuses = match (one_of, none_of) {
        (None, None) => Statuses::Unstated,
        (Some(all), None) => Statuses::OneOf(all),
        (None, Some(all)) => Statuses::NoneOf(all),
        (Some(_), Some(_)) => return Err("failure: one_of and none_of exclude each other".to_owned()),
    };
    Ok(Failure { part, place, cell, want, statuses, got, exchange, is_precondition })
}

fn account(account: wire::Account) -> Result<Account, String> {
    let wire::Account { exchange, row: id, words, is_accepted } = account;
    Ok(Account { exchange, row: id.as_deref().map(row).transpose()?, words, is_accepted })
}

fn verdict(name: &str) -> Result<Verdict, String> {
    Verdict::named(name).ok_or_else(|| format!("not a verdict: {name:?}"))
}

fn exchange(exchange: wire::Exchange, bodies: &Bodies) -> Result<Exchange, String> {
    let wire::Exchange { site, base, request, connection, response, broken } = exchange;
    let response = match (response, broken) {
        (Some(response), None) => Ok(Response {
            status: response.status,
            headers: headers(response.headers)?,
            body: bodies.bytes(response.body)?,
        }),
        (None, Some(how)) => Err(self::broken(how)?),
        _ => return Err("exactly one of response and broken is required".to_owned()),
    };
    let cut = match (request.body.body_cut, &request.body.body_sha256) {
        (Some(bytes), Some(sha256)) => Some(Cut { bytes, sha256: sha256.clone() }),
        _ => None,
    };
    let body = if cut.is_some() { Bytes::new() } else { bodies.bytes(request.body)? };
    let request =
        Request { method: request.method, target: request.target, headers: headers(request.headers)?, body };
    let slot = connection.map(|wire::Slot { number: connection, request }| Slot { connection, request });
    Ok(Exchange { site, base, request, cut, slot, response })
}

fn broken(broken: wire::Broken) -> Result<Broken, String> {
    use wire::BrokenKind;
    let wire::Broken { kind, detail, .. } = broken;
    let number = || detail.parse::<u64>().map_err(|_| format!("broken.detail: not a number: {detail:?}"));
    Ok(match kind {
        BrokenKind::Unreachable => Broken::Unreachable(detail),
        BrokenKind::Gone => Broken::Gone(detail),
        BrokenKind::Harness => Broken::Harness(detail),
        BrokenKind::Tls => Broken::Tls(detail),
        BrokenKind::TimedOut => Broken::TimedOut(number()?),
        BrokenKind::Unfinished => {
            let parts: Vec<&str> = detail.split(' ').collect();
            let unfinished = || {
                let [status, bytes, seconds] = parts[..] else { return None };
                let (bytes, seconds) = (bytes.parse().ok()?, seconds.parse().ok()?);
                Some(Broken::Unfinished { status: status.parse().ok()?, bytes, seconds })
            };
            unfinished().ok_or_else(|| format!("broken.detail: not three numbers: {detail:?}"))?
        }
        BrokenKind::Closed => Broken::Closed(detail),
        BrokenKind::Nonsense => Broken::Nonsense(detail),
        BrokenKind::Held => Broken::Held,
        BrokenKind::Limit => Broken::Limit(detail),
        BrokenKind::Inexpressible => Broken::Inexpressible(detail),
    })
}

fn headers(headers: Vec<wire::Header>) -> Result<Vec<(String, Vec<u8>)>, String> {
    let line = |line: wire::Header| match (line.value, line.value_base64) {
        (Some(text), None) => Ok((line.name, text.into_bytes())),
        (None, Some(text)) => {
            let bytes = parse_base64(&text).ok_or_else(|| format!("header {}: not base64", line.name))?;
            Ok((line.name, bytes))
        }
        _ => Err(format!("header {}: exactly one of value and value_base64 is required", line.name)),
    };
    headers.into_iter().map(line).collect()
}

fn call(call: wire::Call, bodies: &Bodies) -> Result<Call, String> {
    let long = call.answer_sha256.map(|digest| bodies.value(&digest)).transpose()?;
    let failed = |why| match (call.is_silent, call.status) {
        (true, _) => ControlError::Silent(why),
        (false, Some(status)) => ControlError::Status(status, why),
        (false, None) => ControlError::Failed(why),
    };
    let answer = match (call.answer.or(long), call.error, call.clock_ms) {
        (_, Some(why), _) => Err(failed(why)),
        (_, None, Some(ms)) => Ok(Json::from(&Value::from(ms))),
        (answer, None, None) => Ok(Json::from(&answer.unwrap_or_default())),
    };
    let asked = match (call.control, call.clock_ms, call.share) {
        (Some(wire::Control { method, path, body }), None, None) => Input::Control { method, path, body },
        (None, Some(_), None) => Input::Clock,
        (None, None, Some(what)) => Input::Share(what),
        _ => return Err("not a control call, a clock reading or a shared resource".to_owned()),
    };
    Ok(Call { after: call.after, asked, answer })
}

fn transition(row: &wire::Transition) -> Result<(&'static Transition, bool), String> {
    let is_same = |known: &&Transition| {
        (known.machine, known.from, known.event, known.to)
            == (&row.machine[..], &row.from[..], &row.event[..], &row.to[..])
    };
    let all = Service::ALL.iter().flat_map(|service| machines(*service));
    let known = all.flat_map(|machine| machine.transitions).find(is_same);
    let known =
        known.ok_or_else(|| format!("transitions: this version has no {} {}", row.machine, row.event))?;
    Ok((known, row.fired))
}

fn endpoint(row: &wire::Endpoint) -> Result<Coverage, String> {
    let known = Service::named(&row.service).into_iter().flat_map(catalogue::endpoints_of);
    let endpoint = known.into_iter().find(|known| known.name == row.name && known.method == row.method);
    let endpoint = endpoint.ok_or_else(|| {
        format!("endpoints: this version has no {} {} {}", row.service, row.method, row.name)
    })?;
    let seen = Seen::ALL.into_iter().find(|seen| seen.name() == row.seen);
    let answers = |answers: &wire::Answers| Answers { count: answers.count, judged: answers.judged };
    Ok(Coverage {
        endpoint,
        declared: row.declared,
        seen: seen.ok_or_else(|| format!("endpoints: unknown value of seen: {:?}", row.seen))?,
        accepted: answers(&row.accepted),
        rejected: answers(&row.rejected),
        is_probed: row.probed,
        unseen: row.not_seen.clone(),
    })
}

/// The table of bodies, with verified digests.
struct Bodies {
    table: BTreeMap<String, Bytes>,
    /// The number of bytes that are still allowed.
    room: Cell<usize>,
}

impl Bodies {
    fn read(table: BTreeMap<String, wire::Body>) -> Result<Bodies, String> {
        let none = Bodies { table: BTreeMap::new(), room: Cell::new(ALL_BYTES) };
        let read = |(digest, body)| {
            let bytes = none.bytes(body).map_err(|why| format!("bodies.{digest}: {why}"))?;
            if sha256_hex(&bytes) == digest {
                Ok((digest, bytes))
            } else {
                Err(format!("bodies.{digest}: the digest does not match"))
            }
        };
        let table = table.into_iter().map(read).collect::<Result<_, String>>()?;
        Ok(Bodies { table, room: none.room })
    }

    fn value(&self, digest: &str) -> Result<Value, String> {
        let bytes = self.table.get(digest).ok_or_else(|| format!("unknown body: {digest}"))?;
        serde_json::from_slice(bytes).map_err(|e| e.to_string())
    }

    fn bytes(&self, body: wire::Body) -> Result<Bytes, String> {
        let decoded = |text: String| parse_base64(&text).ok_or("body: not base64");
        let bytes = match (body.body, body.body_base64, body.body_zlib_base64, body.body_sha256) {
            (None, None, None, None) => Bytes::new(),
            (Some(text), None, None, None) => text.into(),
            (None, Some(text), None, None) => decoded(text)?.into(),
            (None, None, Some(text), None) => {
                let limit = BODY_BYTES.min(self.room.get());
                miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(&decoded(text)?, limit)
                    .map_err(|e| format!("body: {e}"))?
                    .into()
            }
            (None, None, None, Some(digest)) => {
                self.table.get(&digest).cloned().ok_or_else(|| format!("body: unknown body: {digest}"))?
            }
            _ => return Err("body: more than one form is given".to_owned()),
        };
        let room = self.room.get().checked_sub(bytes.len());
        self.room.set(room.ok_or("body: the total size of all bodies is too large")?);
        Ok(bytes)
    }
}
