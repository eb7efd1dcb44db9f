//! `POST /api/drop`: checks before the body arrives, and publishing.

use std::collections::BTreeMap;
use std::sync::Arc;

use assay_spec::cid::{self, Entry, Estimate, Layout};
use assay_spec::crypto::text;
use assay_spec::drop::limits::DROP_ID_CHARACTERS;
use assay_spec::drop::machines::{DropEvent, DropState};
use assay_spec::drop::mistakes::upload::{
    ARTIFACT_REQUIRED, SOURCE_IGNORED, SOURCE_TAKEN, UNAUTHENTICATED, ZIP64,
};
use assay_spec::drop::requirements::cid::OF_THE_FILES;
use assay_spec::drop::requirements::upload::{FORMS, PAUSED, PUBLISH_FAILED};
use assay_spec::drop::requirements::zip::{FAITHFUL, SIZE};
use assay_spec::drop::response::{DROP_ID_PREFIX, DropResponse, claim_fragment};
use assay_spec::drop::source;
use assay_spec::drop::zip::{self, Extracted};
use assay_spec::{Instant, Refused};
use http::uri::Authority;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::json;

use super::callers::Identify;
use super::{Drop, State, Timer, faults, form, moves, set};
use crate::core::Core;
use crate::exchange::{ExchangeId, Reply, Request, RequestHead};
use crate::fault::FaultKind;
use crate::refusal::Refusal;
use crate::seam::{Answer, steps};

/// The reply to an upload, accepted or not.
#[derive(Clone, PartialEq)]
pub(super) struct UploadReply(pub(super) Reply);

/// Checks the head of an upload: whether drops are paused, and the limits of its address. Takes the address's slot.
pub(super) fn begin(
    core: &mut Core,
    state: &mut State,
    exchange: ExchangeId,
    head: &RequestHead,
) -> Result<(), Refusal> {
    let keyed = head.headers.contains_key(http::header::AUTHORIZATION);
    core.accept(&UNAUTHENTICATED, keyed)?;
    paused(core, state)?;
    let limits = core.limits(&state.limits);
    let caller = Identify::run(core, head.peer, &limits);
    state.callers.enter(core, &limits, caller, exchange)?;
    moves(core, DropState::None, DropEvent::Post);
    Ok(())
}

/// The reasons why drops pause: faults, and the service's own budgets.
fn paused(core: &mut Core, state: &State) -> Result<(), Refused> {
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
    for (cause, kind, met) in causes {
        let is_paused = core.fault(kind, &[]) || met;
        core.require_part(&PAUSED, cause, !is_paused, || format!("drops are paused: {cause}"))?;
    }
    Ok(())
}

/// The upload is complete: checks and publishes it. The slot becomes free in every case.
pub(super) fn end(
    core: &mut Core,
    state: &mut State,
    exchange: ExchangeId,
    request: &Request,
) -> Result<Reply, Refusal> {
    let result = publish(core, state, request);
    let event = match &result {
        Ok(_) => DropEvent::Publish,
        Err(refusal) if refusal.refused.rule == &PUBLISH_FAILED => DropEvent::Failure,
        Err(_) => DropEvent::Refusal,
    };
    Finish::run(core, state, exchange, event);
    result
}

steps! {
    Finish(state: &mut State, exchange: ExchangeId, event: DropEvent) = finish;
}

/// Ends an upload: frees the slot of its caller.
pub(super) fn finish(core: &mut Core, state: &mut State, exchange: ExchangeId, event: DropEvent) {
    state.callers.leave(exchange);
    moves(core, DropState::Uploading, event);
}

fn publish(core: &mut Core, state: &mut State, request: &Request) -> Result<Reply, Refusal> {
    let too_large = request.too_large;
    core.require(&SIZE, !too_large, || format!("the form is longer than {} bytes", request.body.len()))?;
    let form = form::read(&request.head.headers, &request.body)?;
    let source = attribution(core, form.source)?;
    let zip = form.artifact.as_deref();
    let extracted = match zip {
        Some(zip) => extract(core, state, zip, &form.forms)?,
        None => core.read(&ARTIFACT_REQUIRED, (), |()| Err("the form has no artifact".to_owned()))?,
    };
    let named = named(core, &extracted)?;
    let cid = Identifier::run(core, zip.unwrap_or_default(), &named)?;
    if core.fault(faults::PUBLISH_FAILS, &[]) {
        return Err(Refusal::new(&PUBLISH_FAILED, "publishing failed"));
    }
    Ok(site(core, state, request, Published { cid, source, extracted }))
}

/// The path of a file, as its identifier has it.
#[derive(Clone, PartialEq)]
pub(super) struct Named(pub(super) String);

/// The files with the names that their identifier has: those of the zip.
fn named(core: &mut Core, extracted: &Extracted) -> Result<Extracted, Refused> {
    let mut files = BTreeMap::new();
    for (path, file) in &extracted.files {
        core.accept_value(&OF_THE_FILES, &json!(path))?;
        let path = core.keep_text(&OF_THE_FILES, path);
        files.insert(core.step(Named(path)).0, file.clone());
    }
    let Extracted { directories, bytes, links, .. } = extracted;
    Ok(Extracted { files, directories: directories.clone(), bytes: *bytes, links: *links })
}

/// The files of a zip that was sent in these forms.
fn extract(core: &mut Core, state: &State, zip: &[u8], forms: &[&'static str]) -> Result<Extracted, Refused> {
    let found = zip::forms::found_in(zip);
    for taken in found.iter().chain(forms) {
        core.accept_value(&FORMS, &json!(taken))?;
    }
    core.accept(&ZIP64, found.contains(zip::forms::ZIP64))?;
    let limits = core.limits(&state.limits);
    let limits = zip::Limits {
        zip_bytes: limits.zip_bytes,
        extracted_bytes: limits.extracted_bytes,
        files: limits.files,
    };
    Inspect::run(core, zip, &limits)
}

/// `source`, if it is valid.
fn attribution(core: &mut Core, source: Option<String>) -> Result<Option<String>, Refused> {
    let Some(source) = source else { return Ok(None) };
    let valid = source::is_valid(&source);
    let rule = if valid { &SOURCE_TAKEN } else { &SOURCE_IGNORED };
    core.accept_value(rule, &json!(source))?;
    core.accept(rule, source.as_str())?;
    Ok(valid.then_some(source))
}

steps! {
    Inspect(zip: &[u8], limits: &zip::Limits) -> Result<Extracted, Refused> = inspect;
}

/// Extracts a zip.
pub(super) fn inspect(core: &mut Core, zip: &[u8], limits: &zip::Limits) -> Result<Extracted, Refused> {
    zip::inspect(zip, limits, core)
}

steps! {
    Identifier(zip: &[u8], extracted: &Extracted) -> Result<String, Refused> = identifier;
}

/// The content identifier of the files.
pub(super) fn identifier(core: &mut Core, _zip: &[u8], extracted: &Extracted) -> Result<String, Refused> {
    let layout = Layout::with_rules(Estimate::Links, core);
    let layout = core.step(layout);
    let mut entries: BTreeMap<String, Entry<'_>> =
        extracted.files.iter().map(|(path, content)| (path.clone(), Entry::File(content))).collect();
    entries.extend(extracted.directories.iter().map(|path| (path.clone(), Entry::Directory)));
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

/// What a response says about claiming its drop.
#[derive(Clone, PartialEq)]
pub(super) struct Claim {
    /// The number of the drop.
    pub(super) number: u64,
    /// The token in the claim URL.
    pub(super) token: String,
    /// The deadline.
    pub(super) expires_at: Instant,
}

/// Publishes the site and builds the response.
fn site(core: &mut Core, state: &mut State, request: &Request, published: Published) -> Reply {
    let now = core.now();
    let limits = core.limits(&state.limits);
    let caller = Identify::run(core, request.head.peer, &limits);
    state.dropped += 1;
    let (address, number) = (caller.to_string(), state.dropped);
    let drop_id = DropId::run(core, &address, number);
    let claim_token = ClaimToken::run(core, &address, number);
    let name = SiteName::run(core, &address, number, &published.cid);
    let root = Root::run(core, &name);

    let base = base(core, &request.head);
    let Published { cid, source, extracted } = published;
    let expires_at = now + limits.claim_window_ms;
    let Claim { token, expires_at, .. } = core.step(Claim { number, token: claim_token.clone(), expires_at });
    let fragment = claim_fragment(&utf8_percent_encode(&token, TOKEN).to_string(), expires_at);
    let response = DropResponse {
        drop_id,
        claim_token,
        url: format!("{base}{root}/"),
        cid,
        expires_at,
        claim_url: format!("{base}/claim#{fragment}"),
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
        live_at: now + limits.live_after_ms,
    };
    keep(core, state, &response.drop_id, drop);
    state.count(core, caller);
    core.keep_secret();
    core.reply(Answer::json(200, response))
}

steps! {
    DropId(address: &str, number: u64) -> String = drop_id;
}

/// The id of a drop: random characters.
pub(super) fn drop_id(core: &mut Core, address: &str, number: u64) -> String {
    let random = text::base64url(&core.rng.draw("drop.id", address.as_bytes(), number));
    format!("{DROP_ID_PREFIX}{}", &random[..DROP_ID_CHARACTERS])
}

steps! {
    ClaimToken(address: &str, number: u64) -> String = claim_token;
}

/// The claim token of a drop.
pub(super) fn claim_token(core: &mut Core, address: &str, number: u64) -> String {
    text::base64url(&draw_token(core, address, number))
}

/// The random bytes of a claim token.
pub(super) fn draw_token(core: &Core, address: &str, number: u64) -> [u8; 32] {
    core.rng.draw("drop.claim-token", address.as_bytes(), number)
}

steps! {
    SiteName(address: &str, number: u64, cid: &str) -> String = site_name;
}

/// The name of a drop's site.
pub(super) fn site_name(core: &mut Core, address: &str, number: u64, _cid: &str) -> String {
    text::hex(&core.rng.draw("drop.site", address.as_bytes(), number)[..10])
}

steps! {
    Root(name: &str) -> String = root;
}

/// The path of a site.
pub(super) fn root(_: &mut Core, name: &str) -> String {
    format!("/live/{name}")
}

/// Stores a drop, its site and its token.
fn keep(core: &mut Core, state: &mut State, id: &str, drop: Drop) {
    state.stored_bytes += drop.bytes;
    state.roots.insert(drop.root.clone(), id.to_owned());
    state.tokens.insert(drop.token.clone(), id.to_owned());
    set(core, drop.expires_at, Timer::Deadline(id.to_owned()));
    state.drops.insert(id.to_owned(), drop);
}

/// Characters that a fragment contains unescaped: unreserved characters.
const TOKEN: &percent_encoding::AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The base URL by which clients know this service.
fn base(core: &Core, head: &RequestHead) -> String {
    let url = core.site_url(head.site);
    if let (Some(_), Some(url)) = (core.public_host(), url) {
        return url.to_owned();
    }
    let scheme = if url.is_some_and(|url| url.starts_with("https:")) { "https" } else { "http" };
    format!("{scheme}://{}", host(head))
}

/// The host by which the caller knows this service.
fn host(head: &RequestHead) -> String {
    let named = head.headers.get(http::header::HOST).and_then(|host| host.to_str().ok());
    // An authority may contain a user name and an invalid port; a host must not.
    let named = named.filter(|host| !host.contains('@')).and_then(|host| host.parse::<Authority>().ok());
    let named = named.filter(|host| host.port_u16().is_some() || host.as_str() == host.host());
    named.map_or_else(|| "drop.sim".to_owned(), |host| host.to_string())
}
