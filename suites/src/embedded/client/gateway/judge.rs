//! Judges what a client did, from its requests and its replies.

use assay_spec::gateway::stand_in;
use serde_json::Value;

use super::super::judge::{fail, header, unclear};
use super::super::trace::Call;
use super::stage::IMPOSTOR;
use super::trace::{ClientReport, Trace};
use crate::harness::check::Checked;
use crate::harness::data::At;

/// The most requests that a client sends for one prompt if it retries later.
const HAMMERING: usize = 10;
/// The most requests that a client sends after its key was rejected.
const LOOPING: usize = 3;
/// The site of the gateway.
const GATEWAY: &str = "gateway";
/// The site of the confidential deployment.
const ENCLAVE: &str = "enclave";
/// The path of discovery.
const DISCOVERY: &str = "/svc/models";

/// Every prompt gets an answer, and its words are those of a complete answer of a server.
pub(super) fn answers(trace: &Trace) -> Checked {
    if trace.turns.is_empty() {
        return Err(unclear("no prompt was sent"));
    }
    (0..trace.turns.len()).try_for_each(|turn| answers_in(trace, turn))
}

fn answers_in(trace: &Trace, turn: usize) -> Checked {
    let at = trace.calls_in(turn).last().map(|(at, _)| at);
    match trace.turns.get(turn).map(|turn| &turn.reported) {
        Some(ClientReport::Answer(words)) => expect_complete(trace, turn, words),
        Some(ClientReport::Error(why)) => Err(fail("answer", "an answer", format!("an error: {why}"), at)),
        Some(ClientReport::Nothing(why)) => Err(fail("answer", "an answer", *why, at)),
        None => Err(unclear("the prompt was never sent")),
    }
}

/// The client's answer must be the words of a complete answer of a server.
fn expect_complete(trace: &Trace, turn: usize, words: &str) -> Checked {
    let sent = |call: &Call| call.words().is_some_and(|sent| sent.trim() == words.trim());
    if trace.calls_in(turn).any(|(_, call)| sent(call)) {
        return Ok(());
    }
    let at = trace.calls_in(turn).filter(|(_, call)| call.is_inference()).last().map(|(at, _)| at);
    Err(fail("answer", "the words of a complete answer", format!("{words:?}"), at))
}

/// Every inference request carries the key.
pub(super) fn sends_the_key(trace: &Trace) -> Checked {
    let Some(key) = &trace.key else { return Err(unclear("the client has no key")) };
    if trace.asking().next().is_none() {
        answers(trace)?;
        return Err(unclear("the client sent no inference request"));
    }
    for (at, call) in trace.asking() {
        let sent = header(call, "authorization");
        let is_bearer = sent.split_once(' ').is_some_and(|(scheme, token)| {
            scheme.eq_ignore_ascii_case("bearer") && token.trim() == key.as_str()
        });
        if !is_bearer {
            return Err(fail(At::header("authorization"), "Bearer and the key", sent, Some(at)));
        }
    }
    answers(trace)
}

/// The client repeats discovery before it uses a list that is too old.
pub(super) fn discovers_again(trace: &Trace) -> Checked {
    let [first, second] = &trace.turns[..] else { return Err(unclear("there were not two prompts")) };
    let used = trace.calls_in(1).find(|(_, call)| call.is_inference() && call.site != GATEWAY);
    let Some((at, used)) = used else {
        answers(trace)?;
        return Err(unclear("no server was called directly"));
    };
    let again = trace.calls.iter().any(|call| {
        call.site == GATEWAY && call.path() == DISCOVERY && (first.span[1]..used.at).contains(&call.at)
    });
    if !again {
        let got =
            format!("no discovery before the request in the second turn (journal entry {})", second.span[0]);
        return Err(fail("discovery", "repeated once the list is too old", got, Some(at)));
    }
    answers(trace)
}

/// The client sends nothing to a server that left, once it must have a new list.
pub(super) fn leaves_the_vanished_alone(trace: &Trace) -> Checked {
    let Some((site, since)) = &trace.vanished else {
        answers(trace)?;
        return Err(unclear("no server was called directly, so none could leave"));
    };
    let used = trace.calls.iter().enumerate().find(|(_, call)| call.site == *site && call.at >= *since);
    if let Some((at, _)) = used {
        return Err(fail("request", "none to a server that left", format!("one to {site}"), Some(at)));
    }
    answers(trace)
}

/// Every prompt gets an answer although servers fail.
pub(super) fn tries_another(trace: &Trace) -> Checked {
    answers(trace)?;
    let met = trace.asking().any(|(_, call)| call.site != GATEWAY && call.has_failed());
    if met { Ok(()) } else { Err(unclear("it called no server that failed")) }
}

/// The client does not report the words of a failed stream as an answer, and answers the next prompt.
pub(super) fn does_not_report_a_partial_answer(trace: &Trace) -> Checked {
    match trace.turns.first().map(|turn| &turn.reported) {
        Some(ClientReport::Answer(words)) => expect_complete(trace, 0, words)?,
        Some(ClientReport::Error(_)) => {}
        Some(ClientReport::Nothing(why)) => return Err(fail("answer", "an error", *why, None)),
        None => return Err(unclear("the prompt was never sent")),
    }
    let broken = |call: &Call| call.is_inference() && call.status() == 200 && call.words().is_none();
    if !trace.calls_in(0).any(|(_, call)| broken(call)) {
        return Err(unclear("no stream failed midway"));
    }
    few(trace, 0, HAMMERING)?;
    answers_in(trace, 1)
}

/// Expects at most `most` inference requests in one turn.
fn few(trace: &Trace, turn: usize, most: usize) -> Checked {
    let sent: Vec<usize> =
        trace.calls_in(turn).filter(|(_, call)| call.is_inference()).map(|(at, _)| at).collect();
    if sent.len() <= most {
        return Ok(());
    }
    Err(fail("requests", &format!("{most} at most"), sent.len().to_string(), sent.get(most).copied()))
}

/// After a 402 the client sends the same request with a payment and without a key.
pub(super) fn pays(trace: &Trace) -> Checked {
    let refused = trace.asking().find(|(_, call)| call.status() == 402);
    let Some((first, refused)) = refused else { return Err(unclear("no request returned 402")) };
    let Some((at, again)) = trace.asking().find(|(at, _)| *at > first) else {
        return Err(fail("request", "the same again, paid for", "none", Some(first)));
    };
    if again.header("x-payment").is_none() {
        return Err(fail(At::header("x-payment"), "a payment", "none", Some(at)));
    }
    if again.header("authorization").is_some() {
        return Err(fail(At::header("authorization"), "none", header(again, "authorization"), Some(at)));
    }
    if again.request.body != refused.request.body || again.path() != refused.path() {
        return Err(fail("request", "the same again, paid for", "another", Some(at)));
    }
    answers(trace)
}

/// After each answer with tool calls the client sends the conversation again, with one `tool` message for each call: its
/// id, and what the tool returned.
pub(super) fn returns_results(trace: &Trace) -> Checked {
    let mut has_called = false;
    for turn in 0..trace.turns.len() {
        let mut asking = trace.calls_in(turn).filter(|(_, call)| call.is_inference()).peekable();
        while let Some((at, call)) = asking.next() {
            if call.tool_calls().is_empty() {
                continue;
            }
            has_called = true;
            let Some((next, again)) = asking.peek() else {
                return Err(fail("request", "the conversation again, with the results", "none", Some(at)));
            };
            has_results(trace, call, again, *next)?;
        }
    }
    if !has_called {
        let why = "the model called no tool: the client did not declare the tools of the prompt (--no-tools)";
        return Err(unclear(why));
    }
    answers(trace)
}

/// Expects the request after an answer with tool calls to contain the conversation so far and the results.
fn has_results(trace: &Trace, call: &Call, again: &Call, at: usize) -> Checked {
    let (before, after, calls) = (call.messages(), again.messages(), call.tool_calls());
    let Some(appended) = after.strip_prefix(&before[..]) else {
        let got = format!("{} messages that do not begin with those before", after.len());
        return Err(fail("messages", "the conversation so far, and more", got, Some(at)));
    };
    let results: Vec<&Value> = appended.iter().filter(|message| message["role"] == "tool").collect();
    let wanted = listed(calls.iter().map(|call| &call["id"]));
    let sent = listed(results.iter().map(|result| &result["tool_call_id"]));
    if results.len() != calls.len() {
        return Err(fail("messages", &format!("a `tool` message for each of {wanted}"), sent, Some(at)));
    }
    for call in &calls {
        let Some(result) = results.iter().find(|result| result["tool_call_id"] == call["id"]) else {
            return Err(fail("tool_call_id", &wanted, sent, Some(at)));
        };
        let Some(tool) = trace.tools.iter().find(|tool| call["function"]["name"] == tool.name) else {
            return Err(unclear("the model called another tool"));
        };
        let content = &result["content"];
        let is_part = content
            .as_array()
            .is_some_and(|parts| matches!(&parts[..], [part] if part["text"] == tool.result));
        if content != tool.result && !is_part {
            let want = format!("what {} returned: {:?}", tool.name, tool.result);
            return Err(fail("content", &want, content.to_string(), Some(at)));
        }
    }
    Ok(())
}

fn listed<'a>(values: impl Iterator<Item = &'a Value>) -> String {
    let values: Vec<String> = values.map(Value::to_string).collect();
    if values.is_empty() { "none".to_owned() } else { values.join(", ") }
}

/// The client sends a cookie that the gateway set with later requests.
pub(super) fn sends_cookies_back(trace: &Trace) -> Checked {
    let set = trace.asking().find_map(|(at, call)| {
        let set = call.response.as_ref()?.header("set-cookie")?.split(';').next()?.trim().to_owned();
        Some((at, set))
    });
    let Some((first, set)) = set else { return Err(unclear("no answer set a cookie")) };
    let later = trace.asking().filter(|(at, call)| *at > first && call.site == GATEWAY);
    let mut asked = false;
    for (at, call) in later {
        asked = true;
        let sent = header(call, "cookie");
        if !sent.split(';').any(|pair| pair.trim() == set) {
            return Err(fail(At::header("cookie"), &set, sent, Some(at)));
        }
    }
    answers(trace)?;
    if asked { Ok(()) } else { Err(unclear("no request followed after the cookie was set")) }
}

/// The client does not keep sending a rejected key, and reports an error.
pub(super) fn gives_up_a_refused_key(trace: &Trace) -> Checked {
    few(trace, 0, LOOPING)?;
    if !trace.asking().any(|(_, call)| call.status() == 401) {
        return Err(unclear("no request returned 401"));
    }
    expect_error(trace, 0)
}

fn expect_error(trace: &Trace, turn: usize) -> Checked {
    match trace.turns.get(turn).map(|turn| &turn.reported) {
        Some(ClientReport::Error(_)) => Ok(()),
        Some(ClientReport::Answer(words)) => Err(fail("answer", "an error", format!("{words:?}"), None)),
        Some(ClientReport::Nothing(why)) => Err(fail("answer", "an error", *why, None)),
        None => Err(unclear("the prompt was never sent")),
    }
}

/// A gateway without servers gets few requests; the client reports an error and answers the next prompt.
pub(super) fn comes_back_later(trace: &Trace) -> Checked {
    few(trace, 0, HAMMERING)?;
    if !trace.calls_in(0).any(|(_, call)| call.status() == 503) {
        return Err(unclear("no request returned 503"));
    }
    expect_error(trace, 0)?;
    answers_in(trace, 1)
}

/// The item hash is in no request except the one that resolves it.
pub(super) fn uses_no_hash_as_address(trace: &Trace) -> Checked {
    expect_no_hash_as_address(trace)?;
    answers(trace)
}

fn expect_no_hash_as_address(trace: &Trace) -> Checked {
    let resolves = |call: &Call| call.site == GATEWAY && call.path().starts_with(stand_in::RESOLVE);
    let names = |call: &Call| {
        call.request.target.contains(&trace.item_hash) || header(call, "host").contains(&trace.item_hash)
    };
    match trace.calls.iter().enumerate().find(|(_, call)| names(call) && !resolves(call)) {
        Some((at, call)) => {
            Err(fail("request", "none to an item hash", call.request.target.clone(), Some(at)))
        }
        None => Ok(()),
    }
}

/// A client that cannot verify an enclave reports an error, and uses the entry of the list for nothing else than to
/// resolve and attest it.
pub(super) fn refuses_what_it_cannot_verify(trace: &Trace) -> Checked {
    if !trace.calls.iter().any(|call| call.site == GATEWAY && call.path() == DISCOVERY) {
        return Err(unclear("the client did not ask discovery for servers"));
    }
    if let Some((at, _)) = to_the_enclave(trace).next() {
        return Err(fail("request", "none to an enclave that cannot be verified", "one", Some(at)));
    }
    expect_no_hash_as_address(trace)?;
    if let Some((at, call)) = trace.asking().next() {
        return Err(fail("request", "none for this model", format!("one to {}", call.site), Some(at)));
    }
    (0..trace.turns.len()).try_for_each(|turn| expect_error(trace, turn))
}

/// The requests that reach the enclave, apart from attestations.
fn to_the_enclave(trace: &Trace) -> impl Iterator<Item = (usize, &Call)> {
    let other = |call: &Call| call.site == ENCLAVE && call.path() != stand_in::ATTESTATION;
    trace.calls.iter().enumerate().filter(move |(_, call)| other(call))
}

/// Whether the hash was resolved between two positions in the journal.
fn resolved(trace: &Trace, from: usize, until: usize) -> bool {
    trace.calls.iter().any(|call| {
        call.site == GATEWAY
            && call.path().starts_with(stand_in::RESOLVE)
            && call.status() == 200
            && (from..until).contains(&call.at)
    })
}

/// The client resolves the item hash before it sends anything to the enclave.
pub(super) fn resolves_first(trace: &Trace) -> Checked {
    let first = to_the_enclave(trace).next();
    let until = first.map_or(usize::MAX, |(_, call)| call.at);
    if !trace.calls.is_empty() && !resolved(trace, 0, until) {
        let at = first.map(|(at, _)| at).or_else(|| trace.calls.len().checked_sub(1));
        return Err(fail("resolution", "one before any request", "none", at));
    }
    answers(trace)
}

/// The client resolves the item hash again after a boot.
pub(super) fn resolves_again(trace: &Trace) -> Checked {
    let Some(boot) = trace.boots.first().copied() else { return Err(unclear("the enclave has not booted")) };
    if trace.calls.iter().any(|call| call.site == ENCLAVE) && !resolved(trace, boot, usize::MAX) {
        let at = trace.calls.len().checked_sub(1);
        return Err(fail("resolution", "another after the boot", "none", at));
    }
    answers(trace)
}

/// Whether the enclave was attested in its present boot before this position.
fn attested(trace: &Trace, at: usize) -> bool {
    trace.calls.iter().any(|call| {
        call.site == ENCLAVE
            && call.path() == stand_in::ATTESTATION
            && call.status() == 200
            && call.at < at
            && trace.boot(call.at) == trace.boot(at)
    })
}

/// The client sends nothing to the enclave before it was attested.
pub(super) fn attests_first(trace: &Trace) -> Checked {
    if let Some((at, _)) = to_the_enclave(trace).find(|(_, call)| !attested(trace, call.at)) {
        return Err(fail("request", "none before the attestation", "one", Some(at)));
    }
    answers(trace)
}

/// An enclave that does not verify gets no request, and the client reports an error.
pub(super) fn sends_the_enclave_nothing(trace: &Trace) -> Checked {
    if let Some((at, _)) = to_the_enclave(trace).next() {
        return Err(fail("request", "none to an enclave that does not verify", "one", Some(at)));
    }
    if !trace.calls.iter().any(|call| call.site == ENCLAVE) {
        return Err(unclear("no attestation was asked for"));
    }
    expect_error(trace, 0)
}

/// A connection with another certificate than the attested one gets no request.
pub(super) fn sends_the_impostor_nothing(trace: &Trace) -> Checked {
    let impostor = IMPOSTOR.to_string();
    if let Some((at, _)) = to_the_enclave(trace).find(|(_, call)| call.peer == impostor) {
        return Err(fail("request", "none over a connection with another certificate", "one", Some(at)));
    }
    if !trace.calls.iter().any(|call| call.site == ENCLAVE) {
        return Err(unclear("no attestation was asked for"));
    }
    Ok(())
}

/// The client attests the enclave after every boot before it sends anything, and keeps answering.
pub(super) fn attests_every_boot(trace: &Trace) -> Checked {
    if trace.boots.is_empty() {
        return Err(unclear("the enclave has not booted"));
    }
    if let Some((at, call)) = to_the_enclave(trace).find(|(_, call)| !attested(trace, call.at)) {
        let boot = trace.boot(call.at);
        return Err(fail(
            "request",
            "none before the attestation of this boot",
            format!("one in boot {boot}"),
            Some(at),
        ));
    }
    answers(trace)
}

/// An enclave that does not verify after its boot gets no request, although it did before.
pub(super) fn sends_nothing_after_the_boot(trace: &Trace) -> Checked {
    let Some(boot) = trace.boots.first().copied() else { return Err(unclear("the enclave has not booted")) };
    if let Some((at, _)) = to_the_enclave(trace).find(|(_, call)| call.at >= boot) {
        return Err(fail("request", "none after the boot", "one", Some(at)));
    }
    answers_in(trace, 0)?;
    expect_error(trace, 1)
}
