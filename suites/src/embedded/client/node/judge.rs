//! Judges what a program did.

use std::collections::BTreeSet;
use std::time::Duration;

use assay_spec::json::holds;
use serde_json::json;

use super::super::judge::{expect, fail, unclear};
use super::super::printed::object;
use super::Trace;
use super::wire::{RETRY_AFTER, Seen};
use crate::harness::check::Checked;
use crate::support::prose;

/// The most requests that a program sends in a few seconds if it retries later.
const HAMMERING: usize = 10;
/// What a clock may be off over the seconds of a `Retry-After`.
const EARLY: Duration = Duration::from_millis(50);

/// The statuses of requests in words.
fn statuses(seen: &[Seen]) -> String {
    let all: Vec<String> = seen.iter().map(Seen::returned).collect();
    if all.is_empty() {
        "no request".to_owned()
    } else {
        format!("requests that returned {}", all.join(", "))
    }
}

/// What the program creates is there, once.
pub(super) fn once(trace: &Trace) -> Checked {
    let got = || match trace.written.len() {
        0 => format!("nothing, after {}", statuses(&trace.seen)),
        count => prose::count(count, "message"),
    };
    expect(trace.written.len() == 1, "the node", "one message", got, None)
}

/// The program creates something, once, and prints its hash.
pub(super) fn creates(trace: &Trace) -> Checked {
    once(trace)?;
    let printed = object(&trace.printed)?;
    let is_hash = printed["item_hash"] == *trace.written[0];
    let place = "item_hash of the output";
    expect(is_hash, place, &trace.written[0], || printed["item_hash"].to_string(), None)
}

/// The program does not send a rejected request again.
pub(super) fn does_not_repeat(trace: &Trace) -> Checked {
    let bodies: BTreeSet<&[u8]> = trace.seen.iter().map(|seen| &seen.body[..]).collect();
    let got = || prose::count(trace.seen.len(), "request");
    if trace.seen.is_empty() {
        return Err(unclear("no request arrived"));
    }
    // A message with another time or nonce is another one, but not an endless number of them.
    let repeats = bodies.len() < trace.seen.len() || trace.seen.len() > HAMMERING;
    expect(!repeats, "requests after the 400", "none with the same body", got, None)
}

/// The program waits as long as `Retry-After` says.
pub(super) fn waits(trace: &Trace) -> Checked {
    let mut limited =
        trace.seen.iter().skip_while(|seen| seen.response.is_none_or(|(status, _)| status != 429));
    let Some((_, sent)) = limited.next().and_then(|seen| seen.response) else {
        return Err(unclear("no request arrived"));
    };
    // A program may give up.
    let Some(next) = limited.next() else { return Ok(()) };
    let waited = next.at.saturating_duration_since(sent);
    let wanted = Duration::from_secs(RETRY_AFTER);
    let (want, got) = (format!("{RETRY_AFTER} s or more"), || format!("{} ms", waited.as_millis()));
    expect(waited + EARLY >= wanted, "the time before the next request", &want, got, None)?;
    once(trace)
}

/// The program does not send request after request.
pub(super) fn comes_back_later(trace: &Trace) -> Checked {
    let count = trace.seen.len();
    if count == 0 {
        return Err(unclear("no request arrived"));
    }
    let want = format!("at most {HAMMERING} in a few seconds");
    expect(count <= HAMMERING, "requests", &want, || count.to_string(), None)?;
    expect(
        trace.written.len() <= 1,
        "the node",
        "one message",
        || prose::count(trace.written.len(), "message"),
        None,
    )
}

/// The program lists every message.
pub(super) fn lists_all(trace: &Trace) -> Checked {
    let printed = object(&trace.printed)?;
    let Some(listed) = printed["item_hashes"].as_array() else {
        return Err(fail("item_hashes of the output", "an array", printed["item_hashes"].to_string(), None));
    };
    let listed: BTreeSet<&str> = listed.iter().filter_map(|hash| hash.as_str()).collect();
    let wanted: BTreeSet<&str> = trace.written.iter().map(String::as_str).collect();
    let want = prose::count(wanted.len(), "hash");
    let got = || {
        format!(
            "{}, {} of them missing",
            prose::count(listed.len(), "hash"),
            wanted.difference(&listed).count()
        )
    };
    expect(listed == wanted, "item_hashes of the output", &want, got, None)
}

/// The program reads the message.
pub(super) fn reads(trace: &Trace) -> Checked {
    let printed = object(&trace.printed)?;
    let is_content = holds(&printed["content"], &trace.content);
    let want = json!(trace.content).to_string();
    expect(is_content, "content of the output", &want, || printed["content"].to_string(), None)
}
