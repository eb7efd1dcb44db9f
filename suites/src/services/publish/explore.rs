//! What exploration sends: prepares and submits of several clients, in and out of order, and time that passes.

use std::time::Duration;

use assay_spec::crypto::{ed25519, text};
use ed25519_dalek::SigningKey;
use serde_json::{Value, json};

use super::wire::{Draft, escaped, spaced};
use super::{
    CID, Caller, PREPARE, Prepared, SUBMIT, accept_body, bound, fresh_key, knock_body, publish_body,
    read_prepared, submit_body, transfer_body,
};
use crate::harness::check::{Checked, Stop};
use crate::harness::explore::{Command, Side, commands};

pub(super) const COMMANDS: &[Command] = commands! {
    "prepare" 5 moves prepare;
    "prepare-odd" 3 moves prepare_odd;
    "submit" 5 moves submit;
    "submit-odd" 2 moves submit_odd;
    "wait" 2 moves wait;
    "fault" 1 moves Side::fault;
};

/// What was prepared and may be submitted.
struct Ready {
    prepared: Prepared,
    caller: Caller,
    op: &'static str,
    incoming: Option<SigningKey>,
}

/// A transfer that landed and may be accepted.
struct Transferred(Caller);

/// The client of a domain: one that has prepared something, or a new one.
async fn client(side: &Side<'_>) -> Result<Caller, Stop> {
    if let Some(ready) = side.any::<Ready>().filter(|_| !side.one_in(3)) {
        return Ok(ready.caller.clone());
    }
    let kinds = [json!({ "publishable": false }), json!({ "feature": false })];
    let kind = if side.one_in(8) { side.pick(&kinds).clone() } else { json!({}) };
    bound(side.probe, kind).await
}

/// A version as ordinary publishes have it, or none.
fn versioned(side: &Side<'_>, mut body: Value) -> Value {
    if side.one_in(2) {
        body["version"] = json!(side.pick(&["1", "1.2.3", "v2.0.0-rc.1+build.7", "2026-11-30"]));
    }
    body
}

/// A valid prepare: the client, its body, its operation, and the key that a transfer names.
async fn wanted(side: &Side<'_>) -> Result<(Caller, Value, &'static str, Option<SigningKey>), Stop> {
    let transferred = side.any::<Transferred>();
    if let Some(transferred) = transferred.filter(|_| side.one_in(2)) {
        let caller = transferred.0.clone();
        let body = accept_body(&caller);
        return Ok((caller, body, "accept", None));
    }
    let caller = client(side).await?;
    if side.one_in(4) {
        let key = fresh_key(side.probe);
        let body = transfer_body(side.probe, &caller, &key);
        return Ok((caller, body, "transfer", Some(key)));
    }
    let mut body = versioned(side, publish_body(&caller));
    if side.one_in(3) {
        body = json!({ "domain": caller.domain, "cid": CID });
    }
    Ok((caller, body, "pub", None))
}

async fn prepare(side: &Side<'_>) -> Checked {
    let (caller, body, op, incoming) = wanted(side).await?;
    let mut draft = Draft::new(side.probe, &caller, PREPARE, body.to_string()).await?;
    draft.json = *side.pick(&[draft.json, spaced, escaped]);
    let answer = draft.transmit(side.probe).await?;
    if answer.status() == 200 {
        let prepared = read_prepared(side.probe, &answer.json())?;
        side.keep(Ready { prepared, caller, op, incoming });
    }
    Ok(())
}

/// A prepare with one change: in its body, in its envelope, in its header, or with another key.
async fn prepare_odd(side: &Side<'_>) -> Checked {
    let (caller, body, ..) = wanted(side).await?;
    let other = fresh_key(side.probe);
    let body = if side.one_in(2) { side.changed(&body) } else { body };
    let mut draft = Draft::new(side.probe, &caller, PREPARE, body.to_string()).await?;
    if !side.leeway().is_odd {
        side.odd();
        change(side, &mut draft, other);
    }
    draft.transmit(side.probe).await.map(drop)
}

/// Changes the envelope of a request.
fn change(side: &Side<'_>, draft: &mut Draft, other: SigningKey) {
    let name = side.pick(&["v", "m", "p", "d", "t", "h"]).to_owned();
    match side.below(8) {
        5 => draft.prefix = side.pick(&["", "x", "\u{19}"]).to_string() + &draft.prefix,
        6 => draft.scheme = draft.scheme.to_uppercase(),
        7 => draft.target.push_str(["?", "?a=1", "/"][side.below(3)]),
        0 => draft.key = other,
        1 => {
            let value = side.changed(&json!([draft.member(name)]))[0].clone();
            draft.set(name, value);
        }
        2 => draft.members.retain(|(member, _)| member != name),
        3 => {
            let at = side.below(200);
            draft.edit_header(move |header| {
                let at = at % header.len();
                let other = if header[at..].starts_with('A') { "B" } else { "A" };
                format!("{}{other}{}", &header[..at], &header[at + 1..])
            });
        }
        _ => draft.bare = true,
    }
}

/// The body of a submit of what was prepared.
fn submission(ready: &Ready) -> Value {
    let mut body = submit_body(&ready.prepared, &ready.caller);
    if ready.op == "accept" {
        body["op"] = json!("accept");
    }
    body
}

async fn submit(side: &Side<'_>) -> Checked {
    let Some(ready) = side.any::<Ready>() else { return Ok(()) };
    let draft = Draft::new(side.probe, &ready.caller, SUBMIT, submission(&ready).to_string()).await?;
    let answer = draft.transmit(side.probe).await?;
    if let Some(key) = ready.incoming.clone().filter(|_| answer.status() == 200) {
        side.keep(Transferred(ready.caller.with_key(key)));
    }
    Ok(())
}

/// A submit with one change, with the signature of another key, for another client, or of what was never prepared.
async fn submit_odd(side: &Side<'_>) -> Checked {
    let Some(ready) = side.any::<Ready>() else { return Ok(()) };
    let other = fresh_key(side.probe);
    let body = match side.below(4) {
        0 => {
            side.odd();
            knock_body()
        }
        1 => {
            side.odd();
            let mut body = submission(&ready);
            body["signature"] = json!(text::base64(&ed25519::sign(&other, &ready.prepared.message)));
            body.to_string()
        }
        _ => side.changed(&submission(&ready)).to_string(),
    };
    let mut draft = Draft::new(side.probe, &ready.caller, SUBMIT, body).await?;
    if side.one_in(3) {
        side.odd();
        change(side, &mut draft, other);
    }
    draft.transmit(side.probe).await.map(drop)
}

async fn wait(side: &Side<'_>) -> Checked {
    let seconds = *side.pick(&[1, 30, 150, 700, 90_000]);
    side.probe.advance(Duration::from_secs(seconds)).await
}
