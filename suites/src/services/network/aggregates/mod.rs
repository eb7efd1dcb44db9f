//! Aggregates, the keyed documents of an address: writing, reading and listing them.

mod lists;
mod writes;

use assay_spec::network::aggregate::{CREATE, OF_ADDRESS, READ};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::caller::{Caller, caller};
use super::replies::until;
use super::scene::{Created, created};
use super::wire::{Call, Draft, now, path_with};
use crate::harness::check::Stop;
use crate::harness::probe::{Answer, Probe};

/// A new key.
fn key(probe: &Probe<'_>) -> String {
    format!("check-{}", label(probe))
}

/// A new key with characters that a path escapes.
fn odd_key(probe: &Probe<'_>) -> String {
    format!("check_a.b c+\u{e9} {}", label(probe))
}

/// A new string.
fn label(probe: &Probe<'_>) -> String {
    assay_spec::crypto::text::hex(&probe.draw("aggregate")[..8])
}

/// A write dated `seconds_ago`.
async fn write(
    probe: &Probe<'_>,
    owner: &Caller,
    key: &str,
    members: Value,
    seconds_ago: i64,
) -> Result<Draft, Stop> {
    let then = now(probe).await? + -1000 * seconds_ago;
    let content = json!({ "address": owner.address, "key": key, "content": members, "time": then.seconds() });
    Ok(Draft::dated(probe, owner, "AGGREGATE", content, then).to(&CREATE, "POST", "/aggregates"))
}

/// An aggregate that was written.
struct Written {
    created: Created,
    owner: Caller,
    key: String,
    label: String,
}

/// Writes an aggregate of `owner` with a new label. If that is not accepted, the check is inconclusive.
async fn written(probe: &Probe<'_>, owner: &Caller, key: &str) -> Result<Written, Stop> {
    let label = label(probe);
    let draft = write(probe, owner, key, json!({ "title": "a check", "label": label }), 0).await?;
    let created = created(probe, draft).await?;
    Ok(Written { created, owner: owner.clone(), key: key.to_owned(), label })
}

/// Writes an aggregate of a new owner.
async fn any(probe: &Probe<'_>) -> Result<Written, Stop> {
    written(probe, &caller(probe), &key(probe)).await
}

impl Written {
    fn call(&self) -> Call {
        aggregate_call(&self.owner.address, &self.key)
    }
}

/// What is escaped in a segment of a path.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

fn aggregate_call(address: &str, key: &str) -> Call {
    Call::get(&READ, &format!("/aggregates/{address}/{}", utf8_percent_encode(key, ESCAPED)))
}

/// Reads an aggregate that was written, once the write counts: until then a node may return one without content.
async fn counted<'p>(probe: &'p Probe<'_>, owner: &Caller, key: &str) -> Result<Answer<'p>, Stop> {
    let counts = |answer: &Answer<'_>| answer.status() == 200 && answer.json()["content"] != json!({});
    let answer = until(probe, aggregate_call(&owner.address, key), counts).await?;
    answer.given_status(&[200])?;
    Ok(answer)
}

fn of_address(address: &str, query: &[(&str, &str)]) -> Call {
    Call::get(&OF_ADDRESS, &path_with(&format!("/aggregates/{address}.json"), query))
}
