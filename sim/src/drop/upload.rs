//! `POST /api/drop`: checks before the body arrives, and publishing.

use std::collections::BTreeMap;
use std::sync::Arc;

use assay_spec::cid::{self, Entry, Estimate, Layout};
use assay_spec::crypto::text;
use assay_spec::drop::machines::{DropEvent, DropState};
use assay_spec::drop::requirements::cid::OF_THE_FILES;
use assay_spec::drop::requirements::site::SEPARATE;
use assay_spec::drop::requirements::upload::{
    ARTIFACT_REQUIRED, PAUSED, PUBLISH_FAILED, SOURCE_IGNORED, SOURCE_TAKEN, UNAUTHENTICATED,
};
use assay_spec::drop::requirements::zip::{FAITHFUL, SIZE};
use assay_spec::drop::response::{DropResponse, claim_fragment};
use assay_spec::drop::source;
use assay_spec::drop::zip::{self, Extracted};
use assay_spec::{Refused, Rules};
use http::uri::Authority;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::json;

use super::callers::Callers;
use super::{Drop, State, Timer, deviations, faults, form, moves, set, variations};
use crate::core::Core;
use crate::fault::FaultKind;
use crate::refusal::Refusal;
use crate::world::{ExchangeId, Reply, Request, RequestHead};

/// Checks the head of an upload: whether drops are paused, and the limits of its address. Takes the address's slot.
pub(super) fn begin(
    state: &mut State,
    core: &mut Core,
    exchange: ExchangeId,
    head: &RequestHead,
) -> Result<(), Refusal> {
    let keyed = head.headers.contains_key(http::header::AUTHORIZATION);
    let open = keyed || core.effect(&UNAUTHENTICATED, true, |_, _| false);
    if !open {
        return Err(Refused { rule: &UNAUTHENTICATED, why: "the request has no key".to_owned() }.into());
    }
    paused(state, core)?;
    let caller = Callers::identify(core, head.peer);
    state.callers.enter(core, &state.limits, caller, exchange)?;
    moves(core, DropState::None, DropEvent::Post);
    Ok(())
}

/// The reasons why drops pause: faults, and the service's own budgets.
fn paused(state: &State, core: &mut Core) -> Result<(), Refusal> {
    let limits = &state.limits;
    let day_begins = core.now() - limits.day_ms;
    let spent = || {
        state.stored_bytes.saturating_add(limits.extracted_bytes) > limits.stored_bytes
            || state.callers.since(day_begins) >= limits.daily_budget
    };
    let causes: [(&str, FaultKind, bool); 3] = [
        ("busy", faults::BUSY, state.callers.uploads() >= limits.uploads),
        ("budget", faults::BUDGET, spent()),
        ("disabled", faults::DISABLED, false),
    ];
    let violated = core.violated(&PAUSED);
    for (cause, kind, met) in causes {
        if (core.fault(kind, &[]) || met) && violated != Some(cause) {
            return Err(Refused { rule: &PAUSED, why: format!("drops are paused: {cause}") }.into());
        }
    }
    Ok(())
}

/// The upload is complete: checks and publishes it. The slot becomes free in every case.
pub(super) fn end(
    state: &mut State,
    core: &mut Core,
    exchange: ExchangeId,
    request: &Request,
) -> Result<Reply, Refusal> {
    let result = publish(state, core, request);
    let failed = |refusal: &Refusal| refusal.refused.rule == &PUBLISH_FAILED;
    let stuck = result.as_ref().is_err_and(failed) && core.violated(&PUBLISH_FAILED) == Some("kept");
    if !stuck {
        state.callers.leave(exchange);
    }
    let event = match &result {
        Ok(_) => DropEvent::Publish,
        Err(refusal) if failed(refusal) => DropEvent::Failure,
        Err(_) => DropEvent::Refusal,
    };
    moves(core, DropState::Uploading, event);
    result
}

fn publish(state: &mut State, core: &mut Core, request: &Request) -> Result<Reply, Refusal> {
    let too_large = request.too_large;
    core.require(&SIZE, !too_large, || format!("the form is longer than {} bytes", request.body.len()))?;
    let form = form::read(&request.head.headers, &request.body)?;
    let source = attribution(core, form.source)?;
    let (zip, extracted) = if let Some(zip) = form.artifact {
        let limits = zip::Limits {
            zip_bytes: state.limits.zip_bytes,
            extracted_bytes: state.limits.extracted_bytes,
            files: state.limits.files,
        };
        let extracted = zip::inspect(&zip, &limits, core)?;
        (zip, extracted)
    } else {
        core.require(&ARTIFACT_REQUIRED, false, || "the form has no artifact".to_owned())?;
        (bytes::Bytes::new(), Extracted::default())
    };
    if extracted.links > 0 && core.varies(variations::SYMLINK_REFUSED) {
        return Err(Refused { rule: &FAITHFUL, why: "the zip contains a symbolic link".to_owned() }.into());
    }
    let cid = identifier(core, &zip, &extracted)?;
    if core.fault(faults::PUBLISH_FAILS, &[]) {
        return Err(Refused { rule: &PUBLISH_FAILED, why: "publishing failed".to_owned() }.into());
    }
    Ok(site(state, core, request, Published { cid, source, extracted }))
}

/// `source`, if it is valid.
fn attribution(core: &mut Core, source: Option<String>) -> Result<Option<String>, Refused> {
    let Some(source) = source else { return Ok(None) };
    let valid = source::is_valid(&source);
    let rule = if valid { &SOURCE_TAKEN } else { &SOURCE_IGNORED };
    if core.effect(rule, false, |_, _| true) {
        let what = if valid { "valid" } else { "malformed" };
        return Err(Refused { rule, why: format!("the form has a {what} source of {} bytes", source.len()) });
    }
    Ok(valid.then_some(source))
}

/// The content identifier of the files.
fn identifier(core: &mut Core, zip: &[u8], extracted: &Extracted) -> Result<String, Refused> {
    let estimate = if core.varies(variations::HAMT_BLOCK) { Estimate::Block } else { Estimate::Links };
    let layout = Layout::with_rules(estimate, core);
    let mut entries: BTreeMap<String, Entry<'_>> =
        extracted.files.iter().map(|(path, content)| (path.clone(), Entry::File(content))).collect();
    entries.extend(extracted.directories.iter().map(|path| (path.clone(), Entry::Directory)));
    // The deviation: an extra file.
    if core.effect(&OF_THE_FILES, false, |_, _| true) {
        entries.insert(".upload".to_owned(), Entry::File(zip));
    }
    let summary = cid::of_entries(&entries, &layout, core, &cid::Discard);
    // Each path was checked; what the builder still rejects cannot be pinned.
    summary
        .map(|summary| summary.cid.to_string())
        .map_err(|e| Refused { rule: &FAITHFUL, why: e.to_string() })
}

struct Published {
    cid: String,
    source: Option<String>,
    extracted: Extracted,
}

/// Publishes the site and builds the response.
fn site(state: &mut State, core: &mut Core, request: &Request, published: Published) -> Reply {
    let Published { cid, source, extracted } = published;
    let now = core.now();
    let caller = Callers::identify(core, request.head.peer);
    state.dropped += 1;
    let n = state.dropped;
    let address = caller.to_string();
    let draw = |stream: &str, n: u64| core.rng.draw(stream, address.as_bytes(), n);
    let (id, token, name) = (draw("drop.id", n), draw("drop.claim-token", n), draw("drop.site", n));
    let (same_id, same_token, same_name) =
        (draw("drop.id", 0), draw("drop.claim-token", 0), draw("drop.site", 0));
    let id = deviations::id(core, id, same_id);
    let token = deviations::token(core, token, same_token);
    let name = core.effect(&SEPARATE, name, |_, _| same_name);

    let shape = core.varies(variations::URL_SHAPE);
    let name = text::hex(&name[..10]);
    let root = if shape { format!("/sites/{name}.site") } else { format!("/live/{name}") };
    let is_secure = core.site_url(request.head.site).is_some_and(|url| url.starts_with("https:"));
    let scheme = if is_secure { "https" } else { "http" };
    let base = format!("{scheme}://{}", host(&request.head));
    let slash = if core.varies(variations::REDIRECT) { "" } else { "/" };
    let expires_at = now + state.limits.claim_window_ms;
    let page = if core.varies(variations::CLAIM_ELSEWHERE) { "/app/claim?from=drop" } else { "/claim" };
    let response = DropResponse {
        drop_id: id,
        claim_token: token,
        url: format!("{base}{root}{slash}"),
        cid,
        expires_at,
        claim_url: format!("{base}{page}"),
    };
    let drop = Drop {
        state: DropState::Published,
        root,
        token: response.claim_token.clone(),
        cid: response.cid.clone(),
        source,
        files: Arc::new(extracted.files),
        bytes: extracted.bytes,
        expires_at,
    };
    keep(state, core, &response.drop_id, drop);
    if state.callers.count(caller, now) {
        set(core, now + state.limits.day_ms, Timer::Sweep);
    }
    let status = if core.varies(variations::STATUS_201) { 201 } else { 200 };
    core.keep_secret();
    let answer = deviations::response(core, response, now, |token, expires_at| {
        claim_fragment(&utf8_percent_encode(token, TOKEN).to_string(), expires_at)
    });
    core.json(status, json!(answer))
}

/// Stores a drop, its site and its token.
fn keep(state: &mut State, core: &mut Core, id: &str, drop: Drop) {
    state.stored_bytes += drop.bytes;
    state.roots.insert(drop.root.clone(), id.to_owned());
    state.tokens.insert(drop.token.clone(), id.to_owned());
    set(core, drop.expires_at, Timer::Deadline(id.to_owned()));
    state.drops.insert(id.to_owned(), drop);
}

/// Characters that a fragment contains unescaped: unreserved characters.
const TOKEN: &percent_encoding::AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The host by which the caller knows this service.
fn host(head: &RequestHead) -> String {
    let named = head.headers.get(http::header::HOST).and_then(|host| host.to_str().ok());
    // An authority may contain a user name and an invalid port; a host must not.
    let named = named.filter(|host| !host.contains('@')).and_then(|host| host.parse::<Authority>().ok());
    let named = named.filter(|host| host.port_u16().is_some() || host.as_str() == host.host());
    named.map_or_else(|| "drop.sim".to_owned(), |host| host.to_string())
}
