//! Judges what a client did, from its requests.

use assay_spec::crypto::{ed25519, text};
use assay_spec::instant::SECOND;
use assay_spec::limit::tenth;
use assay_spec::publish::envelope::Envelope;
use assay_spec::{Instant, Strict};
use serde_json::Value;

use super::super::judge::{expect, fail, header, unclear};
use super::super::trace::{Call, Ended};
use super::stage::is_ceiling;
use super::trace::Trace;
use crate::harness::check::{Checked, Stop};
use crate::harness::data::At;

/// The most requests that a client sends in a few seconds if it retries later.
const HAMMERING: usize = 10;
/// The most prepares that a client sends in a few seconds if it waits for a binding to be resolved.
const LOOPING: usize = 3;

/// The first prepare that returned a message.
fn first_prepared(trace: &Trace) -> Option<(usize, &Call)> {
    trace.prepares().into_iter().find(|(_, call)| call.status() == 200)
}

fn statuses(calls: &[(usize, &Call)]) -> String {
    let statuses: Vec<String> = calls.iter().map(|(_, call)| call.status().to_string()).collect();
    match statuses.as_slice() {
        [] => "none".to_owned(),
        [one] => format!("one, which returned {one}"),
        all => format!("{}, which returned {}", all.len(), all.join(", ")),
    }
}

/// The client submits a valid signature over the prepared message, and one record lands.
pub(super) fn publishes(trace: &Trace) -> Checked {
    let prepares = trace.prepares();
    let Some((_, prepared)) = first_prepared(trace) else {
        return Err(fail("prepare", "an accepted prepare", statuses(&prepares), None));
    };
    let submits = trace.submits();
    let Some((at, submit)) = submits.first() else {
        return Err(fail("submit", "a submit", "none", None));
    };
    let signature = submit.body()["signature"].as_str().and_then(text::parse_base64);
    let signature = signature.and_then(|bytes| <[u8; 64]>::try_from(bytes).ok());
    let message = message(prepared);
    let verifies = signature.is_some_and(|signature| ed25519::verifies(&trace.key, &message, &signature));
    let got = || submit.body()["signature"].to_string();
    expect(verifies, "/signature", "the key's signature over the bytes of message", got, Some(*at))?;
    expect(submit.status() == 200, "submit", "200", || statuses(&submits), Some(*at))?;
    expect(trace.landed == 1, "the chain", "one record", || trace.landed.to_string(), None)
}

/// The client asks for the transfer or the accept, in each body that says so, and its record lands.
pub(super) fn asks_for_it(trace: &Trace) -> Checked {
    publishes(trace)?;
    let submits = trace.submits().into_iter().filter(|_| trace.wanted["op"] == "accept");
    for (at, call) in first_prepared(trace).into_iter().chain(submits) {
        for (member, want) in trace.wanted.as_object().into_iter().flatten() {
            let got = call.body()[member].take();
            let place = format!("/{member} of {}", call.request.target);
            expect(got == *want, &place, &want.to_string(), || got.to_string(), Some(at))?;
        }
    }
    Ok(())
}

/// After the submit the client asks the chain for the transaction that the submit returned.
pub(super) fn looks_up_the_transaction(trace: &Trace) -> Checked {
    let landed = trace.submits().into_iter().find(|(_, call)| call.status() == 200);
    let Some((at, submit)) = landed else { return Err(unclear("no submit returned 200")) };
    let signature = submit.answer()["signature"].take();
    let is_lookup = |call: &Value| call["method"] == "getTransaction" && call["params"][0] == signature;
    let bodies = trace.chain.iter().map(Call::body);
    let is_found = bodies.into_iter().any(|body| match body.as_array() {
        Some(batch) => batch.iter().any(is_lookup),
        None => is_lookup(&body),
    });
    let want = "getTransaction of the signature that the submit returned";
    expect(is_found, "requests to the chain", want, || format!("{} others", trace.chain.len()), Some(at))
}

/// The bytes of a prepared message.
fn message(prepared: &Call) -> Vec<u8> {
    prepared.answer()["message"].as_str().and_then(text::parse_base64).unwrap_or_default()
}

/// The client gets an answer to its prepare and submits nothing.
pub(super) fn signs_nothing(trace: &Trace) -> Checked {
    if let Some((at, submit)) = trace.submits().first() {
        return Err(fail("submit", "none", format!("one, which returned {}", submit.status()), Some(*at)));
    }
    if first_prepared(trace).is_none() {
        return Err(unclear("no prepare returned a message, so there was nothing to sign"));
    }
    Ok(())
}

/// Every request has the content type of JSON.
pub(super) fn says_json(trace: &Trace) -> Checked {
    if trace.calls.is_empty() {
        return Err(unclear("the client sent no request"));
    }
    for (n, call) in trace.calls.iter().enumerate() {
        let value = header(call, "content-type");
        let media = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        expect(
            media == "application/json",
            At::header("content-type"),
            "application/json",
            || value,
            Some(n),
        )?;
    }
    Ok(())
}

/// Every request has an envelope over its own body, with a time in the exact form.
pub(super) fn seals_each_request(trace: &Trace) -> Checked {
    if trace.calls.is_empty() {
        return Err(unclear("the client sent no request"));
    }
    for (n, call) in trace.calls.iter().enumerate() {
        let sent = header(call, "authorization");
        let place = At::header("authorization");
        let envelope = Envelope::parse(&trace.dialect, &sent, &mut Strict)
            .and_then(|envelope| {
                envelope.check_request(&call.request.method, &call.request.target, &mut Strict)?;
                envelope.check_body(&call.request.body, &mut Strict)?;
                Ok(envelope)
            })
            .map_err(|refused| fail(place, "an envelope of this request", refused.to_string(), Some(n)))?;
        let time = envelope.time().unwrap_or_default().to_owned();
        let exact = Instant::parse_exact(&time).is_some();
        expect(exact, "/t of the envelope", "YYYY-MM-DDTHH:mm:ss.sssZ", || time, Some(n))?;
    }
    Ok(())
}

/// The client waits for the answer to its submit.
pub(super) fn waits_for_the_answer(trace: &Trace) -> Checked {
    let submits = trace.submits();
    let Some((at, first)) = submits.first() else {
        return Err(unclear("nothing was submitted"));
    };
    let waited = !first.aborted && first.answered.is_some();
    expect(waited, "submit", "to be waited for", || "the client went away".to_owned(), Some(*at))?;
    // A repetition of the submit is legal: one record is what counts.
    same_record(trace)?;
    publishes(trace)
}

/// After a lost answer the client learns the outcome without a new prepare: it sends the same submit again, or finds its
/// record on the chain.
pub(super) fn learns_the_outcome(trace: &Trace) -> Checked {
    let submits = trace.submits();
    let Some((first, lost)) = submits.first() else {
        return Err(unclear("nothing was submitted"));
    };
    if let Some((at, _)) = trace.prepares().into_iter().find(|(at, _)| at > first) {
        return Err(fail("prepare", "none after a lost answer", "another prepare", Some(at)));
    }
    expect(trace.landed == 1, "the chain", "one record", || trace.landed.to_string(), None)?;
    same_record(trace)?;
    if submits.last().is_some_and(|(at, last)| at > first && last.status() == 200) {
        return Ok(());
    }
    let transaction = lost.answer()["signature"].as_str().unwrap_or_default().to_owned();
    let shows = |call: &Call| {
        let shown = |answer: &Value| !answer["result"].is_null() && answer.to_string().contains(&transaction);
        call.time >= lost.time
            && match call.answer().as_array() {
                Some(answers) => answers.iter().any(shown),
                None => shown(&call.answer()),
            }
    };
    let is_found = !transaction.is_empty() && trace.chain.iter().any(shows);
    let want = "the same submit again, or its record found on the chain";
    let got = || format!("{}; {} to the chain", statuses(&submits), trace.chain.len());
    expect(is_found, "submit", want, got, Some(*first))
}

/// Every submit has the same prepare and the same signature.
fn same_record(trace: &Trace) -> Checked {
    let submits = trace.submits();
    let of = |call: &Call| {
        let body = call.body();
        [body["prepareId"].clone(), body["signature"].clone()]
    };
    let Some((_, first)) = submits.first() else { return Ok(()) };
    match submits.iter().find(|(_, submit)| of(submit) != of(first)) {
        None => Ok(()),
        Some((at, other)) => Err(fail(
            "submit",
            "the same again",
            format!("another: {}", Value::from(of(other).to_vec())),
            Some(*at),
        )),
    }
}

/// The submits that returned 410.
fn gone(trace: &Trace) -> Vec<(usize, &Call)> {
    trace.submits().into_iter().filter(|(_, call)| call.status() == 410).collect()
}

/// After a 410 the client prepares once more and submits it.
pub(super) fn prepares_once_more(trace: &Trace) -> Checked {
    let gone = gone(trace);
    let Some((at, _)) = gone.first() else { return Err(unclear("no submit returned 410")) };
    let prepares = trace.prepares();
    let again = prepares.iter().filter(|(n, _)| n > at).count();
    expect(again == 1, "prepare", "one after the 410", || again.to_string(), Some(*at))?;
    expect(trace.landed == 1, "the chain", "one record", || trace.landed.to_string(), None)
}

/// After a second 410 in a row the client sends nothing.
pub(super) fn stops_at_the_second_410(trace: &Trace) -> Checked {
    let gone = gone(trace);
    let Some((at, _)) = gone.get(1) else {
        return Err(unclear("there was no second 410, since the client did not prepare and submit again"));
    };
    let further = trace.calls.len() - 1 - at;
    expect(further == 0, "requests after the second 410", "none", || further.to_string(), Some(at + 1))
}

/// While the first record can land, the client signs no other.
pub(super) fn signs_one_record(trace: &Trace) -> Checked {
    if !trace.submits().iter().any(|(_, call)| is_ceiling(call)) {
        return Err(unclear("no submit met the safety ceiling"));
    }
    same_record(trace)?;
    expect(trace.landed == 1, "the chain", "one record", || trace.landed.to_string(), None)
}

/// After a 404 the client sends nothing.
pub(super) fn tries_once(trace: &Trace) -> Checked {
    let Some((at, call)) = trace.prepares().into_iter().next() else {
        return Err(unclear("nothing was prepared"));
    };
    if call.status() != 404 {
        return Err(unclear("the prepare did not return 404"));
    }
    let further = trace.calls.len() - 1 - at;
    expect(further == 0, "requests after the 404", "none", || further.to_string(), Some(at + 1))
}

/// With a frozen key the client submits nothing and sends few prepares.
pub(super) fn gives_up_the_frozen_key(trace: &Trace) -> Checked {
    let prepares = trace.prepares();
    if prepares.first().is_none_or(|(_, call)| call.status() != 409) {
        return Err(unclear("no prepare returned 409"));
    }
    if let Some((at, _)) = trace.submits().first() {
        return Err(fail("submit", "none", "one", Some(*at)));
    }
    let count = prepares.len();
    expect(count <= LOOPING, "prepare", &format!("{LOOPING} at most"), || count.to_string(), None)
}

/// The client sends nothing before the time in `Retry-After` of a 429.
pub(super) fn keeps_retry_after(trace: &Trace) -> Checked {
    let mut refused = false;
    for (n, call) in trace.calls.iter().enumerate().filter(|(_, call)| call.status() == 429) {
        let after = call.response.as_ref().and_then(|response| response.header("retry-after")?.parse().ok());
        let (Some(seconds), Some(answered)) = (after, call.answered) else { continue };
        let seconds: i64 = seconds;
        refused = true;
        // Clocks and schedulers are not exact.
        let until = answered + seconds * SECOND - tenth(seconds * SECOND);
        if let Some(early) = trace.calls.iter().skip(n + 1).position(|next| next.time < until) {
            let ms = trace.calls[n + 1 + early].time - answered;
            let want = format!("nothing for {seconds} s");
            return Err(fail(
                "requests after the 429",
                &want,
                format!("one after {ms} ms"),
                Some(n + 1 + early),
            ));
        }
    }
    if refused { Ok(()) } else { Err(unclear("no request returned 429")) }
}

/// After a 502 the client sends few requests.
pub(super) fn comes_back_after_a_502(trace: &Trace) -> Checked {
    let is_failed = |call: &Call| call.status() == 502;
    if !trace.submits().iter().any(|(_, call)| is_failed(call)) {
        return Err(unclear("no submit returned 502"));
    }
    let count = trace.calls.len();
    expect(count <= HAMMERING, "requests", &format!("{HAMMERING} at most"), || count.to_string(), None)
}

/// The client asks a chain that returns 502 at first, and publishes nothing else for that.
pub(super) fn publishes_once_beside_a_failing_chain(trace: &Trace) -> Checked {
    publishes(trace)?;
    if trace.failed_lookups == 0 {
        return Err(Stop::NotApplicable("the client did not ask the chain".to_owned()));
    }
    let prepares = trace.prepares();
    let at = prepares.last().map(|(at, _)| *at);
    expect(prepares.len() == 1, "prepare", "one", || statuses(&prepares), at)?;
    let lookups = trace.failed_lookups + trace.chain.len();
    let place = "requests to the chain";
    expect(lookups <= HAMMERING, place, &format!("{HAMMERING} at most"), || lookups.to_string(), None)
}

/// The client publishes and exits with 0.
pub(super) fn reports_success(trace: &Trace) -> Checked {
    publishes(trace)?;
    let ended = trace.around.ended;
    let want = "0, after a verified publish";
    expect(matches!(ended, Ended::Itself(Some(0))), "exit code", want, || exit(ended), None)
}

/// The client publishes, but does not exit with 0, because the chain does not prove its record.
pub(super) fn reports_an_unverified_record(trace: &Trace) -> Checked {
    publishes(trace)?;
    match trace.around.ended {
        Ended::Itself(Some(0)) => {
            let at = trace.submits().last().map(|(at, _)| *at);
            Err(fail("exit code", "another than 0: the chain does not prove the record", "0", at))
        }
        Ended::Itself(_) => Ok(()),
        ended => Err(unclear(&format!("the client has no exit code: {}", exit(ended)))),
    }
}

fn exit(ended: Ended) -> String {
    match ended {
        Ended::Itself(Some(code)) => code.to_string(),
        Ended::Itself(None) => "a signal".to_owned(),
        Ended::Stopped(_) => "none: it was stopped".to_owned(),
        Ended::Unknown => "unknown: the suite did not start it".to_owned(),
    }
}

/// A node that may not write gets few requests and no submit.
pub(super) fn comes_back_later(trace: &Trace) -> Checked {
    if let Some((at, _)) = trace.submits().first() {
        return Err(fail("submit", "none", "one", Some(*at)));
    }
    if trace.prepares().first().is_none_or(|(_, call)| call.status() != 503) {
        return Err(unclear("no prepare returned 503"));
    }
    let count = trace.calls.len();
    expect(count <= HAMMERING, "requests", &format!("{HAMMERING} at most"), || count.to_string(), None)
}
