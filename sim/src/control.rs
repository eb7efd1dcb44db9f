//! The control API: time, faults, worlds and the state of a world. Not part of any document.
//!
//! All paths are under `/_sim/v1`; those of a forked world are under `/_sim/v1/worlds/{world}`. Responses are JSON;
//! an error is `{"error": string}`. A third-party target may offer only `info`, `clock` and `faults`.
//!
//! Moving the clock also moves the world's own outgoing requests. While a request to an outside server (a webhook) is
//! in progress, time waits for its outcome, for at most 30 seconds in total.
//!
//! | method | path | body | response |
//! |---|---|---|---|
//! | GET | `info` | | name, seed, time level, sites, and the names of faults, actions, variations, deviations |
//! | GET | `ca` | | the certificate of the authority that signs the HTTPS sites, as PEM |
//! | GET | `clock` | | `{now, mode}` |
//! | POST | `clock` | `{advance_ms?, mode?}` | `{now, mode, fired}` |
//! | GET, PUT | `faults` | list of faults | the faults with their receipts |
//! | GET, PUT | `deviations`, `variations` | list of names | the active deviations, the active variations |
//! | GET, PUT | `limits` | `{service: {name: number}}` | the limits in force |
//! | POST | `actions` | `{action, arguments}` | the result of the action |
//! | GET | `state`, `log`, `coverage` | | services; refusals; rules and variations consulted and transitions made |
//! | GET | `journal` | `?from=n` | fingerprint, count, entries still kept |
//! | GET | `waiting` | `?at_least=n` | returns once that many requests wait |
//! | POST | `snapshot`, `restore` | `{snapshot}` | saves or restores a copy of the world |
//! | POST | `fork` | `{mode?}` | a separate world at its own base URLs |
//! | DELETE | `` (of a forked world) | | ends it |

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use assay_spec::Service;
use axum::extract::{FromRequestParts, Query, RawPathParams, Request, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::fault::Fault;
use crate::serve::{ClockMode, Handle, Listener};
use crate::world::{self, World};

/// The prefix of all paths.
pub const PREFIX: &str = "/_sim/v1";
/// The maximum number of forked worlds, and of snapshots.
const WORLDS: usize = 1024;
const SNAPSHOTS: usize = 64;
/// How long `waiting` waits before it gives up.
const WAITING_LIMIT: Duration = Duration::from_secs(3);

/// A served world, its forks and its snapshots.
pub struct Hub {
    root: Handle,
    sites: BTreeMap<&'static str, String>,
    /// The address at which forks listen; without it, forking is disabled.
    fork_address: Option<IpAddr>,
    token: Option<String>,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    forks: BTreeMap<String, Fork>,
    snapshots: BTreeMap<String, World>,
    count: u64,
}

struct Fork {
    handle: Handle,
    _listeners: Vec<Listener>,
}

impl Hub {
    /// A hub for `root`, whose sites are at `sites` (site name to base URL).
    pub fn new(root: Handle, sites: BTreeMap<&'static str, String>) -> Hub {
        Hub { root, sites, fork_address: None, token: None, inner: Mutex::default() }
    }

    /// Lets forks listen on ports of this address.
    #[must_use]
    pub fn with_forks(mut self, address: IpAddr) -> Hub {
        self.fork_address = Some(address);
        self
    }

    /// Requires this bearer token from every caller.
    #[must_use]
    pub fn with_token(mut self, token: Option<String>) -> Hub {
        self.token = token;
        self
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The control API as a router.
pub fn router(hub: Arc<Hub>) -> Router {
    let world = Router::new()
        .route("/info", get(info))
        .route("/ca", get(ca))
        .route("/clock", get(clock).post(set_clock))
        .route("/faults", get(faults).put(set_faults))
        .route("/deviations", get(deviations).put(set_deviations))
        .route("/variations", get(variations).put(set_variations))
        .route("/limits", get(limits).put(set_limits))
        .route("/actions", post(perform))
        .route("/state", get(state))
        .route("/log", get(log))
        .route("/coverage", get(coverage))
        .route("/journal", get(journal))
        .route("/waiting", get(waiting))
        .route("/snapshot", post(snapshot))
        .route("/restore", post(restore))
        .route("/fork", post(fork));
    Router::new()
        .route(&format!("{PREFIX}/worlds/{{world}}"), delete(end))
        .nest(&format!("{PREFIX}/worlds/{{world}}"), world.clone())
        .nest(PREFIX, world)
        .fallback(async || refuse(StatusCode::NOT_FOUND, "no such control path; see GET /_sim/v1/info"))
        .layer(middleware::from_fn_with_state(hub.clone(), authorise))
        .with_state(hub)
}

type Answer = Result<Json<Value>, Response>;

fn refuse(status: StatusCode, why: impl std::fmt::Display) -> Response {
    (status, Json(json!({ "error": why.to_string() }))).into_response()
}

fn bad(why: impl std::fmt::Display) -> Response {
    refuse(StatusCode::BAD_REQUEST, why)
}

async fn authorise(State(hub): State<Arc<Hub>>, request: Request, next: Next) -> Response {
    // A world's own requests go wherever its clients send them (webhooks). A client must not control a world through
    // them.
    if request.headers().get(http::header::USER_AGENT).is_some_and(|agent| agent == crate::reach::AGENT) {
        return refuse(
            StatusCode::FORBIDDEN,
            "requests sent by a simulated world cannot use the control API",
        );
    }
    if let Some(token) = &hub.token {
        let given = request.headers().get(http::header::AUTHORIZATION).map(http::HeaderValue::as_bytes);
        if given != Some(format!("Bearer {token}").as_bytes()) {
            return refuse(
                StatusCode::UNAUTHORIZED,
                "this control API requires its bearer token in the Authorization header",
            );
        }
    }
    next.run(request).await
}

/// The world that the path names: a fork, or the root.
struct Here(Handle);

impl FromRequestParts<Arc<Hub>> for Here {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, hub: &Arc<Hub>) -> Result<Self, Response> {
        let params =
            RawPathParams::from_request_parts(parts, hub).await.map_err(IntoResponse::into_response)?;
        let name = params.iter().find(|(key, _)| *key == "world").map(|(_, name)| name.to_owned());
        match name {
            None => Ok(Here(hub.root.clone())),
            Some(name) => {
                let found = hub.lock().forks.get(&name).map(|fork| fork.handle.clone());
                found
                    .map(Here)
                    .ok_or_else(|| refuse(StatusCode::NOT_FOUND, format!("unknown world {name:?}")))
            }
        }
    }
}

async fn info(State(hub): State<Arc<Hub>>, Here(handle): Here) -> Json<Value> {
    let (seed, now) = handle.read(|world| (world.core.rng.seed(), world.core.now()));
    let names = |kinds: Vec<(&str, &str)>| -> BTreeMap<String, String> {
        kinds.into_iter().map(|(name, about)| (name.to_owned(), about.to_owned())).collect()
    };
    let deviations: BTreeMap<String, &str> =
        world::deviations().iter().map(|deviation| (deviation.to_string(), deviation.about)).collect();
    let actions: BTreeMap<String, &str> = world::actions().into_iter().collect();
    // A site that boots changes its URL.
    let site_urls = handle.site_urls();
    let sites = if site_urls.is_empty() { &hub.sites } else { &site_urls };
    Json(json!({
        "name": "assay-sim",
        "version": env!("CARGO_PKG_VERSION"),
        "protocol": 1,
        "seed": seed,
        "now": now,
        "time": "T3",
        "forks": hub.fork_address.is_some(),
        "worlds": hub.lock().forks.keys().collect::<Vec<_>>(),
        "sites": sites,
        "faults": names(world::faults().iter().map(|kind| (kind.name, kind.about)).collect()),
        "actions": actions,
        "variations": names(world::variations().iter().map(|variation| (variation.name, variation.about)).collect()),
        "deviations": deviations,
    }))
}

async fn ca(Here(handle): Here) -> Response {
    ([(CONTENT_TYPE, "application/x-pem-file")], handle.authority().pem()).into_response()
}

async fn clock(Here(handle): Here) -> Json<Value> {
    Json(clock_of(&handle, 0))
}

fn clock_of(handle: &Handle, fired: usize) -> Value {
    json!({ "now": handle.read(|world| world.core.now()), "mode": handle.mode(), "fired": fired })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SetClock {
    advance_ms: Option<i64>,
    mode: Option<ClockMode>,
}

async fn set_clock(Here(handle): Here, body: String) -> Answer {
    let SetClock { advance_ms, mode } = parse(&body)?;
    if let Some(ms) = advance_ms
        && !(0..=366 * assay_spec::instant::DAY).contains(&ms)
    {
        return Err(bad("advance_ms must be between 0 and 366 days"));
    }
    if let Some(mode) = mode {
        handle.set_mode(mode);
    }
    let fired = match advance_ms {
        Some(ms) => handle.advance_settled(ms).await,
        None => 0,
    };
    Ok(Json(clock_of(&handle, fired)))
}

async fn faults(Here(handle): Here) -> Json<Value> {
    Json(json!(handle.read(|world| world.core.faults.list().to_vec())))
}

async fn set_faults(Here(handle): Here, body: String) -> Answer {
    let faults: Vec<Fault> = parse(&body)?;
    handle.change(|world| (world.set_faults(faults), Vec::new())).map_err(bad)?;
    Ok(self::faults(Here(handle)).await)
}

async fn deviations(Here(handle): Here) -> Json<Value> {
    Json(json!(handle.read(|world| {
        let rows = world.core.deviations.list().map(ToString::to_string);
        rows.chain(world.core.fields.list().map(ToString::to_string)).collect::<Vec<_>>()
    })))
}

async fn set_deviations(Here(handle): Here, body: String) -> Answer {
    let names: Vec<String> = parse(&body)?;
    handle.change(|world| (world.set_deviations(&names), Vec::new())).map_err(bad)?;
    Ok(deviations(Here(handle)).await)
}

async fn variations(Here(handle): Here) -> Json<Value> {
    Json(json!(handle.read(|world| world.core.variations.names().collect::<Vec<_>>())))
}

async fn set_variations(Here(handle): Here, body: String) -> Answer {
    let names: Vec<String> = parse(&body)?;
    handle.change(|world| (world.set_variations(&names), Vec::new())).map_err(bad)?;
    Ok(variations(Here(handle)).await)
}

async fn limits(Here(handle): Here) -> Json<Value> {
    let limits = |service: &Service| (service.name(), handle.read(|world| world.limits(*service)));
    Json(json!(Service::ALL.iter().map(limits).collect::<BTreeMap<_, _>>()))
}

async fn set_limits(Here(handle): Here, body: String) -> Answer {
    let changes: BTreeMap<String, Value> = parse(&body)?;
    for (name, limits) in changes {
        let service = Service::named(&name).ok_or_else(|| bad(format!("unknown service {name:?}")))?;
        handle.change(|world| (world.set_limits(service, &limits), Vec::new())).map_err(bad)?;
    }
    Ok(self::limits(Here(handle)).await)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Action {
    action: String,
    #[serde(default)]
    arguments: Value,
}

async fn perform(Here(handle): Here, body: String) -> Answer {
    let Action { action, arguments } = parse(&body)?;
    let answer = handle.change(|world| match world.perform(&action, &arguments) {
        Ok((answer, outputs)) => (Ok(answer), outputs),
        Err(why) => (Err(why), Vec::new()),
    });
    answer.map(Json).map_err(bad)
}

async fn state(Here(handle): Here) -> Json<Value> {
    let view = |service: &Service| (service.name(), handle.read(|world| world.view(*service)));
    Json(json!(Service::ALL.iter().map(view).collect::<BTreeMap<_, _>>()))
}

async fn log(Here(handle): Here) -> Json<Value> {
    Json(json!(handle.read(|world| world.core.log.lines().cloned().collect::<Vec<_>>())))
}

async fn coverage(Here(handle): Here) -> Json<Value> {
    Json(handle.read(|world| {
        json!({
            "consulted": world.core.consulted().map(ToString::to_string).collect::<Vec<_>>(),
            "variations": world.core.variations.consulted(),
            "transitions": world.core.transitions().map(ToString::to_string).collect::<Vec<_>>(),
        })
    }))
}

#[derive(Deserialize)]
struct From {
    #[serde(default)]
    from: u64,
}

async fn journal(Here(handle): Here, Query(From { from }): Query<From>) -> Json<Value> {
    Json(handle.read(|world| {
        let journal = &world.core.journal;
        let entries: Vec<Value> = journal
            .entries()
            .filter(|(number, _)| *number >= from)
            .map(|(number, entry)| json!({ "number": number, "entry": entry }))
            .collect();
        json!({ "fingerprint": journal.fingerprint(), "count": journal.count(), "entries": entries })
    }))
}

#[derive(Deserialize)]
struct AtLeast {
    at_least: usize,
}

async fn waiting(Here(handle): Here, Query(AtLeast { at_least }): Query<AtLeast>) -> Answer {
    tokio::time::timeout(WAITING_LIMIT, handle.waiting(at_least)).await.map_err(|_| {
        refuse(StatusCode::REQUEST_TIMEOUT, "timed out before that many requests were waiting")
    })?;
    Ok(Json(json!({ "at_least": at_least })))
}

async fn snapshot(State(hub): State<Arc<Hub>>, Here(handle): Here) -> Answer {
    let mut inner = hub.lock();
    if inner.snapshots.len() >= SNAPSHOTS {
        return Err(bad(format!("too many snapshots: at most {SNAPSHOTS}")));
    }
    inner.count += 1;
    let name = format!("s{}", inner.count);
    inner.snapshots.insert(name.clone(), handle.snapshot());
    Ok(Json(json!({ "snapshot": name })))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Restore {
    snapshot: String,
}

async fn restore(State(hub): State<Arc<Hub>>, Here(handle): Here, body: String) -> Answer {
    let Restore { snapshot } = parse(&body)?;
    let world = hub.lock().snapshots.get(&snapshot).cloned();
    handle.restore(world.ok_or_else(|| bad(format!("unknown snapshot {snapshot:?}")))?);
    Ok(Json(clock_of(&handle, 0)))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ForkBody {
    #[serde(default = "auto")]
    mode: ClockMode,
}

const fn auto() -> ClockMode {
    ClockMode::Auto
}

async fn fork(State(hub): State<Arc<Hub>>, Here(handle): Here, body: String) -> Answer {
    let ForkBody { mode } = parse(if body.is_empty() { "{}" } else { &body })?;
    let Some(address) = hub.fork_address else { return Err(bad("this control API does not support forks")) };
    let name = {
        let mut inner = hub.lock();
        if inner.forks.len() >= WORLDS {
            return Err(bad(format!("too many forked worlds: at most {WORLDS}; delete some of them")));
        }
        inner.count += 1;
        format!("w{}", inner.count)
    };
    let handle = handle.fork(mode);
    let failed = |e: std::io::Error| refuse(StatusCode::INTERNAL_SERVER_ERROR, format!("cannot listen: {e}"));
    let (listeners, sites) = open_sites(&handle, SocketAddr::new(address, 0)).await.map_err(failed)?;
    hub.lock().forks.insert(name.clone(), Fork { handle, _listeners: listeners });
    Ok(Json(json!({ "world": name, "path": format!("worlds/{name}"), "sites": sites })))
}

async fn end(State(hub): State<Arc<Hub>>, Here(_): Here, params: RawPathParams) -> Json<Value> {
    for (_, name) in &params {
        hub.lock().forks.remove(name);
    }
    Json(json!({}))
}

/// Opens a listener for every site of a world: the first site at `first`, the others on the following ports, or each
/// on any port if that port is 0. Returns listeners and base URLs.
pub async fn open_sites(
    handle: &Handle,
    first: SocketAddr,
) -> std::io::Result<(Vec<Listener>, BTreeMap<&'static str, String>)> {
    let (mut listeners, mut urls) = (Vec::new(), BTreeMap::new());
    for (n, site) in (0u16..).zip(world::sites()) {
        let port = if first.port() == 0 { 0 } else { first.port().saturating_add(n) };
        let listener = handle
            .open(site, SocketAddr::new(first.ip(), port))
            .await
            .map_err(|e| std::io::Error::new(e.kind(), format!("{} at port {port}: {e}", site.name)))?;
        urls.insert(site.name, handle.base_url(site, listener.address));
        listeners.push(listener);
    }
    handle.set_site_urls(urls.clone());
    Ok((listeners, urls))
}

#[expect(clippy::result_large_err, reason = "axum's handlers return whole responses, errors too")]
fn parse<T: for<'de> Deserialize<'de>>(body: &str) -> Result<T, Response> {
    serde_json::from_str(body).map_err(bad)
}
