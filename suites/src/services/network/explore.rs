//! What exploration sends: messages of several types and senders, and every read of a core node with what it has written.

use std::time::Duration;

use assay_spec::crypto::text::hex;
use assay_spec::endpoint::Endpoint;
use assay_spec::network::CORE;
use assay_spec::network::probes::{LOGIN, METRICS, STATUS_CHECK};
use assay_spec::network::program::RUN;
use assay_spec::shape::{Field, ShapeKind};
use serde_json::{Value, json};

use super::caller::{Caller, caller};
use super::scene::{aggregate, another, forget, post_draft, rich};
use super::upload::Upload;
use super::wire::{Call, Draft, PRIMARY, pass, path_with};
use super::{instances, programs, upload, vrf, webhooks};
use crate::harness::check::{Checked, Stop};
use crate::harness::explore::{Command, Side, commands};
use crate::support::spelling::{ALL, respelled};

pub(super) const COMMANDS: &[Command] = commands! {
    "send" 6 writes send;
    "send-odd" 4 writes send_odd;
    "send-again" 1 writes send_again;
    "write" 2 writes write_again;
    "upload" 1 writes store;
    "upload-odd" 1 writes store_odd;
    "instance" 1 writes instance;
    "change" 2 writes change_instance;
    "run" 1 writes run;
    "random" 2 reads random;
    "site" 1 reads site;
    "forget" 1 writes forget_one;
    "read" 9 reads read;
    "read-odd" 2 reads read_odd;
    "wait" 2 moves wait;
    "fault" 1 moves Side::fault;
};

/// What was accepted: the names that later requests use.
struct Known {
    hash: String,
    sender: Caller,
    kind: String,
    channel: String,
    key: String,
}

/// A sender that has sent something, or a new one.
fn sender(side: &Side<'_>) -> Caller {
    let known = side.any::<Known>();
    let new = caller(side.probe);
    known.filter(|_| !side.one_in(3)).map_or(new, |known| known.sender.clone())
}

/// A valid message.
async fn draft(side: &Side<'_>) -> Result<Draft, Stop> {
    let (probe, sender) = (side.probe, sender(side));
    Ok(match side.below(5) {
        0 => rich(probe, &sender).await?,
        1 => aggregate(probe, &sender).await?,
        2 => Draft::new(probe, &sender, "PROGRAM", programs::content(probe)).await?,
        3 => Draft::new(probe, &sender, "WEBHOOK", webhooks::content(probe, "program.executed")).await?,
        _ => post_draft(probe, &sender).await?,
    })
}

async fn send(side: &Side<'_>) -> Checked {
    let draft = draft(side).await?;
    side.keep(draft.clone());
    let answer = if side.one_in(6) {
        let body: Value = serde_json::from_str(&draft.body()).unwrap_or_default();
        draft.attempt_body(side.probe, &respelled(&body, ALL, "message")).await?
    } else {
        draft.attempt(side.probe).await?
    };
    let text = |pointer: &str| {
        draft.message.pointer(pointer).and_then(|one| one.as_str()).unwrap_or_default().to_owned()
    };
    if let Some(hash) = answer.json()["item_hash"].as_str() {
        let (kind, channel, key) = (text("/type"), text("/channel"), text("/content/key"));
        side.keep(Known { hash: hash.to_owned(), sender: draft.caller.clone(), kind, channel, key });
    }
    Ok(())
}

/// A message once more, byte for byte.
async fn send_again(side: &Side<'_>) -> Checked {
    let Some(draft) = side.any::<Draft>() else { return Ok(()) };
    draft.attempt(side.probe).await.map(drop)
}

/// Another write to the aggregate of an earlier one, in some cases by another sender.
async fn write_again(side: &Side<'_>) -> Checked {
    let earlier = side.all::<Known>().into_iter().filter(|one| !one.key.is_empty()).collect::<Vec<_>>();
    let Some(earlier) = earlier.get(side.below(earlier.len())) else { return Ok(()) };
    let mut draft = aggregate(side.probe, &earlier.sender).await?;
    draft.message["content"]["key"] = json!(earlier.key);
    draft.message["content"]["content"] =
        side.pick(&[json!({ "b": 2 }), json!({ "a": null }), json!({ "a": 3 })]).clone();
    if side.one_in(4) {
        let other = caller(side.probe);
        side.odd();
        draft.caller = other;
    }
    draft.attempt(side.probe).await.map(drop)
}

/// An instance that was created.
struct Created(String, Caller);

async fn instance(side: &Side<'_>) -> Checked {
    let owner = sender(side);
    let mut draft = instances::wanted(side.probe, &owner).await?;
    if side.one_in(3) {
        draft.message["content"] = side.changed(&draft.message["content"].clone());
    }
    let answer = draft.attempt(side.probe).await?;
    if let Some(id) = answer.json()["instance_id"].as_str() {
        side.keep(Created(id.to_owned(), owner));
    }
    Ok(())
}

/// An update, an action, or a read of an instance, or of one that does not exist.
async fn change_instance(side: &Side<'_>) -> Checked {
    let Some(known) = side.any::<Created>() else { return Ok(()) };
    let Created(id, owner) = &*known;
    let id = if side.one_in(6) { another(id) } else { id.clone() };
    let mut draft = match side.below(4) {
        0 => instances::update(side.probe, owner, &id).await?,
        1 => {
            let action = *side.pick(&["start", "stop", "restart", "reboot", ""]);
            instances::control(side.probe, owner, &id, action, 1).await?
        }
        _ => return instances::instance_call(&id).attempt(side.probe).await.map(drop),
    };
    if side.one_in(4) {
        draft.message["content"] = side.changed(&draft.message["content"].clone());
    }
    draft.attempt(side.probe).await.map(drop)
}

/// A run of a program, or of something else.
async fn run(side: &Side<'_>) -> Checked {
    let programs = side.all::<Known>().into_iter().filter(|one| one.kind == "PROGRAM" || side.one_in(9));
    let programs: Vec<_> = programs.collect();
    let Some(program) = programs.get(side.below(programs.len())) else { return Ok(()) };
    let body = json!({ "variables": { "name": "assay" } });
    let body = if side.one_in(3) { side.changed(&body) } else { body };
    Call::post(&RUN, &format!("/run/{}", program.hash), body.to_string()).attempt(side.probe).await.map(drop)
}

/// A random number, and its verification.
async fn random(side: &Side<'_>) -> Checked {
    let seed = vrf::seed(side.probe);
    let body = vrf::wanted(&seed);
    let body = if side.one_in(3) { side.changed(&body) } else { body };
    let answer = vrf::post(&body).attempt(side.probe).await?.json();
    let claim = json!({ "seed": seed, "value": answer["value"], "proof": answer["proof"] });
    let claim = if side.one_in(2) { side.changed(&claim) } else { claim };
    vrf::verify(&claim).attempt(side.probe).await.map(drop)
}

/// A read of what the nodes show besides the API.
async fn site(side: &Side<'_>) -> Checked {
    let endpoint = *side.pick(&[&METRICS, &LOGIN, &STATUS_CHECK]);
    let names = ["full", "none", "%00"];
    let path = endpoint.path.replace("{check_name}", names[side.below(names.len())]);
    let site = if *endpoint == METRICS { PRIMARY } else { *side.pick(&["compute-1", "compute-2"]) };
    Call::bare(endpoint, "GET", &path).to(site).attempt(side.probe).await.map(drop)
}

/// An upload that another sender has signed, that is signed for other bytes, or on a channel of its own.
async fn store_odd(side: &Side<'_>) -> Checked {
    let (sender, other) = (sender(side), caller(side.probe));
    let mut upload = Upload::new(side.probe, &sender);
    upload.channel = side.one_in(2).then(|| "ASSAY-uploads".to_owned());
    upload.tags = side.one_in(3).then(|| "one,two".to_owned());
    match side.below(4) {
        0 => {
            side.odd();
            upload.caller.key = other.key;
        }
        1 => {
            side.odd();
            upload.signature = Some(upload.sign());
            upload.bytes.push(b'x');
        }
        _ => {}
    }
    let answer = upload.call(side.probe).attempt(side.probe).await?.json();
    let hash = answer["hash"].as_str().or(answer["item_hash"].as_str()).unwrap_or_default().to_owned();
    if !hash.is_empty() {
        let channel = upload.channel.unwrap_or_default();
        side.keep(Known { hash, sender, kind: "STORE".to_owned(), channel, key: String::new() });
    }
    Ok(())
}

/// A message with one change, before or after it is signed, or with the signature of another sender.
async fn send_odd(side: &Side<'_>) -> Checked {
    let mut draft = draft(side).await?;
    let other = caller(side.probe);
    let body: Value = serde_json::from_str(&draft.body()).unwrap_or_default();
    match side.below(4) {
        0 => {
            side.odd();
            draft.caller = draft.caller.with_key_of(&other);
            draft.attempt(side.probe).await.map(drop)
        }
        1 => {
            draft.message = side.changed(&draft.message);
            draft.attempt(side.probe).await.map(drop)
        }
        2 => {
            side.odd();
            let text = body.to_string();
            let cut = &text[..text.floor_char_boundary(side.below(text.len() - 1))];
            draft.attempt_body(side.probe, cut).await.map(drop)
        }
        _ => draft.attempt_body(side.probe, &side.changed(&body).to_string()).await.map(drop),
    }
}

async fn store(side: &Side<'_>) -> Checked {
    let sender = sender(side);
    let hash = upload::stored(side.probe, &sender).await?.hash;
    side.keep(Known { hash, sender, kind: "STORE".to_owned(), channel: String::new(), key: String::new() });
    Ok(())
}

/// A FORGET of a message, in some cases by another sender.
async fn forget_one(side: &Side<'_>) -> Checked {
    let Some(known) = side.any::<Known>() else { return Ok(()) };
    let owner = if side.one_in(4) { caller(side.probe) } else { known.sender.clone() };
    forget(side.probe, &owner, &json!([known.hash])).await?.attempt(side.probe).await.map(drop)
}

async fn wait(side: &Side<'_>) -> Checked {
    let seconds = *side.pick(&[1, 10, 600, 86_400]);
    pass(side.probe, Duration::from_secs(seconds)).await
}

/// What responses have shown, by the name of the field.
struct Shown(String, String);

/// Keeps the short strings and the numbers of a response.
fn note_shown(side: &Side<'_>, body: &Value, count: &mut usize) {
    let members: Vec<(&str, &Value)> = match body {
        Value::Object(members) => members.iter().map(|(name, value)| (name.as_str(), value)).collect(),
        Value::Array(items) => items.iter().take(3).map(|item| ("", item)).collect(),
        _ => return,
    };
    for (name, value) in members {
        let text = value.as_str().map(str::to_owned).or_else(|| value.as_i64().map(|n| n.to_string()));
        match text.filter(|text| !name.is_empty() && text.len() < 100) {
            Some(text) if *count > 0 => {
                *count -= 1;
                side.keep(Shown(name.to_owned(), text));
            }
            _ => note_shown(side, value, count),
        }
    }
}

/// A value that a response has shown, of a field whose name resembles that of a parameter.
fn shown(side: &Side<'_>, name: &str) -> Option<String> {
    let word = name.rsplit(['_', '.']).next().unwrap_or(name).trim_end_matches('s');
    let all: Vec<_> = side.all::<Shown>().into_iter().filter(|one| one.0.contains(word)).collect();
    all.get(side.below(all.len())).map(|one| one.1.clone())
}

/// The endpoints that read.
fn readers(side: &Side<'_>) -> Vec<&'static Endpoint> {
    let offered = CORE.iter().filter(|endpoint| side.probe.settings.network().offers(endpoint));
    offered.filter(|endpoint| endpoint.method == "GET").copied().collect()
}

/// A value for a parameter, of what was written.
fn value(side: &Side<'_>, name: &str, known: &Known) -> String {
    match name {
        "hashes" | "hash" | "instance_id" | "message_hash" => known.hash.clone(),
        "addresses" | "address" => known.sender.address.clone(),
        "types" => known.kind.clone(),
        "channels" => known.channel.clone(),
        "keys" | "key" => known.key.clone(),
        "page" => (side.below(3) + 1).to_string(),
        "limit" => (*side.pick(&[1, 2, 3, 20, 100])).to_string(),
        "network" => "ethereum".to_owned(),
        _ => shown(side, name).unwrap_or_else(|| hex(&side.probe.draw_once(name)[..6])),
    }
}

/// The path of an endpoint, with some of its parameters.
fn filled(side: &Side<'_>, endpoint: &'static Endpoint, known: &Known) -> String {
    let mut path = String::new();
    let template = endpoint.path.strip_prefix("/api/v0").unwrap_or(endpoint.path);
    for (n, part) in template.split('{').enumerate() {
        let (name, rest) = part.split_once('}').filter(|_| n > 0).unwrap_or(("", part));
        if n > 0 {
            let named = value(side, name, known);
            path.push_str(&if side.one_in(6) { another(&named) } else { named });
        }
        path.push_str(rest);
    }
    let mut query: Vec<(&str, String)> = Vec::new();
    for Field { name, kind, .. } in endpoint.shape.query {
        let is_known = matches!(
            *name,
            "hashes" | "addresses" | "address" | "types" | "channels" | "keys" | "key" | "page" | "limit"
        );
        if !(is_known || shown(side, name).is_some()) || !side.one_in(2) {
            continue;
        }
        let mut named = value(side, name, known);
        if matches!(kind, ShapeKind::Commas)
            && side.one_in(3)
            && let Some(more) = side.any::<Known>()
        {
            named = format!("{named},{}", value(side, name, &more));
        }
        query.push((name, named));
    }
    if !query.iter().any(|(name, _)| matches!(*name, "hashes" | "addresses" | "address")) {
        side.shows_others();
    }
    path_with(&path, &query.iter().map(|(name, value)| (*name, value.as_str())).collect::<Vec<_>>())
}

/// What a request names: something that was written, or a sender that has written nothing.
fn known(side: &Side<'_>) -> std::sync::Arc<Known> {
    side.any::<Known>().unwrap_or_else(|| {
        let sender = caller(side.probe);
        let hash = hex(&side.probe.draw("hash"));
        let (kind, channel, key) = ("POST".to_owned(), "none".to_owned(), "none".to_owned());
        Known { hash, sender, kind, channel, key }.into()
    })
}

/// Reads with an endpoint.
async fn get(side: &Side<'_>, endpoint: &'static Endpoint, path: &str) -> Checked {
    let call = if endpoint.path.starts_with("/api/v0") {
        Call::get(endpoint, path)
    } else {
        Call::bare(endpoint, "GET", path)
    };
    let body = call.attempt(side.probe).await?.json();
    note_shown(side, &body, &mut 12);
    Ok(())
}

async fn read(side: &Side<'_>) -> Checked {
    let endpoint = *side.pick(&readers(side));
    let path = filled(side, endpoint, &known(side));
    get(side, endpoint, &path).await
}

/// A read with an odd number of a page, or an odd name.
async fn read_odd(side: &Side<'_>) -> Checked {
    let endpoint = *side.pick(&readers(side));
    let path = filled(side, endpoint, &known(side));
    let name = *side.pick(&["page", "limit", "sort_order", "types"]);
    let odd = *side.pick(&["0", "-1", "1.5", "x", "", "99999999999999999999", "1%00", "1,2"]);
    let and = if path.contains('?') { '&' } else { '?' };
    side.odd();
    side.shows_others();
    get(side, endpoint, &format!("{path}{and}{name}={odd}")).await
}
