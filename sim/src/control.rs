//! The control API: time, faults, worlds and the state of a world. Not part of any document.
//!
//! All paths are under `/_sim/v1`; those of a forked world are under `/_sim/v1/worlds/{world}`. Responses are JSON;
//! an error is `{"error": string}`. A third-party target may offer only `info`, `clock` and `faults`.
//!
//! A request names the host `localhost`, a loopback address or a name that the hub allows. A request of a page from
//! another origin is rejected. A body has the content type `application/json` and at most 2 MiB, and arrives within 60
//! seconds.
//!
//! Moving the clock also moves the world's own outgoing requests. While a request to an outside server (a webhook) is
//! in progress, time waits for its outcome, for at most 30 seconds in total.
//!
//! [`paths`] declares every path with its body, its query and its response. The routes, the document at `openapi.json` and the page
//! `docs/control-api.md` follow from it.

mod answers;
pub(crate) mod bodies;
pub mod openapi;
mod page;
pub mod paths;
mod take;

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use assay_spec::machine::{Machine, Transition};
use assay_spec::{Service, catalogue, names};
use axum::body::Body;
use axum::extract::{Extension, FromRequestParts, RawPathParams, Request};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HOST, ORIGIN};
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use http_body::Body as _;
use serde_json::{Value, json};

use bodies::{
    Action, AtLeast, Deviation, Faults, ForkBody, From, Limits, OfService, Restore, SetClock, Variation,
    at_limit,
};
use take::{Asked, Given, MayBeGiven};

use crate::received;
use crate::serve::{Handle, Listener, collect, open_again, open_sites};
use crate::shape::{self, Nothing};
use crate::world::{self, World};

/// The prefix of all paths.
pub const PREFIX: &str = "/_sim/v1";
/// The maximum number of forked worlds, and of snapshots. A new world takes the place of the oldest closed one.
const WORLDS: usize = 512;
const SNAPSHOTS: usize = 64;
/// The name of the copy of the world as it was at first.
const START: &str = "start";
/// The maximum size of a body.
const BODY_BYTES: usize = 2 * 1024 * 1024;
/// How long `waiting` waits before it gives up.
const WAITING_LIMIT: Duration = Duration::from_secs(3);

/// A served world, its forks and its snapshots.
pub struct Hub {
    root: Handle,
    sites: BTreeMap<&'static str, String>,
    /// The address at which forks listen; without it, forking is disabled.
    fork_address: Option<IpAddr>,
    token: Option<String>,
    /// Host names beside those of loopback, in lower case.
    hosts: Vec<String>,
    /// The world as it was at first.
    start: World,
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
    /// The order of creation.
    number: u64,
    /// The listeners of its sites; none while it is closed.
    listeners: Vec<Listener>,
    /// The addresses of its sites, in their order.
    addresses: Vec<SocketAddr>,
}

impl Hub {
    /// A hub for `root`, whose sites are at `sites` (site name to base URL).
    pub fn new(root: Handle, sites: BTreeMap<&'static str, String>) -> Hub {
        let start = root.snapshot();
        Hub {
            root,
            sites,
            fork_address: None,
            token: None,
            hosts: Vec::new(),
            start,
            inner: Mutex::default(),
        }
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

    /// Accepts requests to these host names, too.
    #[must_use]
    pub fn allowing(mut self, hosts: impl IntoIterator<Item = String>) -> Hub {
        self.hosts.extend(hosts.into_iter().map(|host| host.to_ascii_lowercase()));
        self
    }

    /// Whether the control API may be addressed by this `Host`, with or without a port. A name that a page chose could
    /// lead to this machine.
    fn is_named(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
            _ => &host,
        };
        let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        name == "localhost"
            || address.parse().is_ok_and(|address: IpAddr| address.to_canonical().is_loopback())
            || self.hosts.iter().any(|known| known == name || known == address)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The control API as a router.
pub fn router(hub: Arc<Hub>) -> Router {
    // The routes are the same for every hub. Building them takes longer than most requests.
    static ROUTES: LazyLock<Router> = LazyLock::new(routes);
    Router::new().fallback_service(ROUTES.clone()).layer(Extension(hub))
}

fn routes() -> Router {
    let mut routes = Router::new();
    for endpoint in paths::all() {
        routes = routes.route(&format!("{PREFIX}/{}", endpoint.path), endpoint.route());
        if endpoint.is_of_world {
            routes = routes.route(&format!("{PREFIX}/worlds/{{world}}/{}", endpoint.path), endpoint.route());
        }
    }
    routes
        .fallback(async |request: Request| refuse(StatusCode::NOT_FOUND, unknown_path(request.uri().path())))
        .method_not_allowed_fallback(async |request: Request| {
            let why = format!("{} has no method {}", request.uri().path(), request.method());
            refuse(StatusCode::METHOD_NOT_ALLOWED, why)
        })
        .layer(middleware::from_fn(authorise))
        // For supervisors, which have no token. It says nothing about the world.
        .route("/healthz", get(async || "ok\n"))
        // It has no data of a world, either; its script presents the token.
        .merge(page::routes())
}

fn unknown_path(path: &str) -> String {
    let written = path.strip_prefix(PREFIX).unwrap_or(path).trim_start_matches('/');
    let known = paths::all();
    let near = names::did_you_mean(written, known.iter().map(|endpoint| endpoint.path));
    format!("no such control path{near}; see GET {PREFIX}/openapi.json")
}

type Answer = Result<Json<Value>, Response>;

fn refuse(status: StatusCode, why: impl std::fmt::Display) -> Response {
    (status, Json(json!({ "error": why.to_string() }))).into_response()
}

fn bad(why: impl std::fmt::Display) -> Response {
    refuse(StatusCode::BAD_REQUEST, why)
}

async fn authorise(Extension(hub): Extension<Arc<Hub>>, request: Request, next: Next) -> Response {
    // A world's own requests go wherever its clients send them (webhooks). A client must not control a world through
    // them.
    if request.headers().get(http::header::USER_AGENT).is_some_and(|agent| agent == crate::reach::AGENT) {
        return refuse(
            StatusCode::FORBIDDEN,
            "requests sent by a simulated world cannot use the control API",
        );
    }
    if let Some(refusal) = foreign(&hub, &request) {
        return refusal;
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
    let (parts, body) = request.into_parts();
    match collect(body, &hub.root, BODY_BYTES).await {
        Ok(body) => next.run(Request::from_parts(parts, Body::from(body))).await,
        Err(stopped) => {
            let status = StatusCode::from_u16(stopped.status()).unwrap_or(StatusCode::BAD_REQUEST);
            ([(CONNECTION, "close")], refuse(status, stopped)).into_response()
        }
    }
}

/// Rejects a request that a page in a browser may have sent.
fn foreign(hub: &Hub, request: &Request) -> Option<Response> {
    let header = |name| request.headers().get(name).map(|value| value.to_str().unwrap_or_default());
    // A request may name its host in its target, too.
    let named = [request.uri().authority().map(Authority::as_str), header(HOST)];
    let host = named[1].or(named[0]).unwrap_or_default();
    let unknown = named.into_iter().flatten().chain([host]).find(|host| !hub.is_named(host));
    if let Some(host) = unknown {
        let why = format!(
            "the control API does not answer to the host {host:?}; use a loopback address, or start the simulator with --allow-host NAME"
        );
        return Some(refuse(StatusCode::FORBIDDEN, why));
    }
    if header(ORIGIN).is_some_and(|origin| !origin.eq_ignore_ascii_case(&format!("http://{host}"))) {
        let why = "the control API rejects requests of pages from another origin; use a program instead";
        return Some(refuse(StatusCode::FORBIDDEN, why));
    }
    let kind = header(CONTENT_TYPE).unwrap_or_default().split(';').next().unwrap_or_default();
    if !request.body().is_end_stream() && !kind.trim().eq_ignore_ascii_case("application/json") {
        let why = "a body needs the header Content-Type: application/json";
        return Some(refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, why));
    }
    None
}

/// The world that the path names: a fork, or the root.
struct Here(Handle);

impl<S: Send + Sync> FromRequestParts<S> for Here {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Response> {
        let params =
            RawPathParams::from_request_parts(parts, state).await.map_err(IntoResponse::into_response)?;
        let hub = parts.extensions.get::<Arc<Hub>>().expect("the router adds its hub to each request");
        let name = params.iter().find(|(key, _)| *key == "world").map(|(_, name)| name.to_owned());
        match name {
            None => Ok(Here(hub.root.clone())),
            Some(name) => {
                let inner = hub.lock();
                let found = inner.forks.get(&name).map(|fork| Here(fork.handle.clone()));
                found.ok_or_else(|| {
                    let near = names::unknown(&name, inner.forks.keys().map(String::as_str));
                    refuse(StatusCode::NOT_FOUND, format!("unknown world {name:.60?}{near}"))
                })
            }
        }
    }
}

async fn info(Extension(hub): Extension<Arc<Hub>>, Here(handle): Here) -> Json<Value> {
    let (seed, now) = handle.read(|world| (world.core.rng.seed(), world.core.now()));
    let deviations: BTreeMap<String, &str> =
        world::deviations().iter().map(|deviation| (deviation.to_string(), deviation.about)).collect();
    let actions: BTreeMap<String, String> =
        world::actions().into_iter().map(|(name, action)| (name, action.described())).collect();
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
        "faults": world::faults().iter().map(|kind| (kind.name, kind.described())).collect::<BTreeMap<_, _>>(),
        "actions": actions,
        "variations": world::variations().iter().map(|one| (one.name, one.about)).collect::<BTreeMap<_, _>>(),
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

async fn set_clock(Here(handle): Here, Given(body): Given<SetClock>) -> Answer {
    let (ms, mode) = (body.ms().map_err(bad)?, body.mode);
    if let Some(mode) = mode {
        handle.set_mode(mode);
    }
    let fired = match ms {
        Some(ms) => handle.advance_settled(ms).await.map_err(|fired| {
            let now = handle.read(|world| world.core.now());
            let why = format!("advance: timers fire too often; time is only at {now} after {fired} of them");
            refuse(StatusCode::REQUEST_TIMEOUT, why)
        })?,
        None => 0,
    };
    Ok(Json(clock_of(&handle, fired)))
}

async fn faults(Here(handle): Here) -> Json<Value> {
    Json(json!(handle.read(|world| world.core.faults.list().to_vec())))
}

async fn set_faults(Here(handle): Here, Given(Faults(faults)): Given<Faults>) -> Answer {
    handle.change(|world| (world.set_faults(faults), Vec::new())).map_err(bad)?;
    Ok(self::faults(Here(handle)).await)
}

async fn deviations(Here(handle): Here) -> Json<Value> {
    Json(json!(handle.read(World::deviations)))
}

async fn set_deviations(Here(handle): Here, Given(wanted): Given<Vec<Deviation>>) -> Answer {
    let names: Vec<String> = wanted.into_iter().map(|Deviation(name)| name).collect();
    handle.change(|world| (world.set_deviations(&names), Vec::new())).map_err(bad)?;
    Ok(deviations(Here(handle)).await)
}

async fn variations(Here(handle): Here) -> Json<Value> {
    Json(json!(handle.read(|world| world.core.variations.names().collect::<Vec<_>>())))
}

async fn set_variations(Here(handle): Here, Given(wanted): Given<Vec<Variation>>) -> Answer {
    let names: Vec<String> = wanted.into_iter().map(|Variation(name)| name).collect();
    handle.change(|world| (world.set_variations(&names), Vec::new())).map_err(bad)?;
    Ok(variations(Here(handle)).await)
}

async fn limits(Here(handle): Here) -> Json<Value> {
    let limits = |service: &Service| (service.name(), handle.read(|world| world.limits(*service)));
    Json(json!(Service::ALL.iter().map(limits).collect::<BTreeMap<_, _>>()))
}

async fn set_limits(Here(handle): Here, Given(Limits(changes)): Given<Limits>) -> Answer {
    // If one is wrong, none is changed.
    for (service, limits) in &changes {
        let checked = handle.read(|world| world.check_limits(*service, limits));
        checked.map_err(|why| bad(at_limit(*service, &why)))?;
    }
    for (service, limits) in changes {
        let changed = handle.change(|world| (world.set_limits(service, &limits), Vec::new()));
        changed.map_err(|why| bad(at_limit(service, &why)))?;
    }
    Ok(self::limits(Here(handle)).await)
}

async fn scheduled(Here(handle): Here) -> Json<Value> {
    Json(handle.read(World::scheduled))
}

async fn perform(Here(handle): Here, Given(Action { name, arguments, at }): Given<Action>) -> Answer {
    let now = handle.read(|world| world.core.now());
    if let Some(due) = at.and_then(|at| at.ahead(now)) {
        let number = handle.change(|world| (world.schedule(due, &name, &arguments), Vec::new()));
        return number.map(|number| Json(json!({ "number": number, "at": due }))).map_err(bad);
    }
    let answer = handle.change(|world| match world.perform(&name, &arguments) {
        Ok((answer, outputs)) => (Ok(answer), outputs),
        Err(why) => (Err(why), Vec::new()),
    });
    answer.map(Json).map_err(bad)
}

async fn state(Here(handle): Here, Asked(OfService { service }): Asked<OfService>) -> Json<Value> {
    let wanted = Service::ALL.iter().copied();
    let wanted = wanted.filter(|one| service.as_ref().is_none_or(|name| name.0 == one.name()));
    let view = |service: Service| (service.name(), handle.read(|world| world.view(service)));
    Json(json!(wanted.map(view).collect::<BTreeMap<_, _>>()))
}

async fn log(Here(handle): Here) -> Json<Value> {
    Json(json!(handle.read(|world| world.core.log.lines().cloned().collect::<Vec<_>>())))
}

async fn coverage(Here(handle): Here) -> Json<Value> {
    Json(handle.read(|world| {
        let mut coverage = json!({
            "consulted": world.core.consulted().map(ToString::to_string).collect::<Vec<_>>(),
            "rejected": world.core.rejected().map(ToString::to_string).collect::<Vec<_>>(),
            "variations": world.core.variations.consulted(),
            "transitions": world.core.transitions().map(ToString::to_string).collect::<Vec<_>>(),
        });
        if let Some(changes) = world.core.changes() {
            coverage["changes"] = changes.iter().map(ToString::to_string).collect();
        }
        coverage
    }))
}

async fn journal(Here(handle): Here, Asked(From { from }): Asked<From>) -> Json<Value> {
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

async fn requests(Here(handle): Here, Asked(filter): Asked<received::Filter>) -> Json<Value> {
    Json(handle.read(|world| received::list(world, &filter)))
}

/// Server-sent events. The first comes at once; a reader that is slow misses some, never the last.
async fn changes(Here(handle): Here) -> Response {
    let counts = handle.changes();
    // A stream that held the handle would keep the world of a fork that has ended.
    let events = futures_util::stream::unfold(counts, async |mut counts| {
        counts.changed().await.ok()?;
        let event = format!("data: {}\n\n", json!({ "count": *counts.borrow_and_update() }));
        Some((Ok::<_, Infallible>(event), counts))
    });
    let headers = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-store")];
    (headers, Body::from_stream(events)).into_response()
}

async fn machines(Here(handle): Here) -> Json<Value> {
    let made: BTreeSet<Transition> = handle.read(|world| world.core.transitions().copied().collect());
    let transition = |one: &Transition| json!({ "from": one.from, "event": one.event, "to": one.to, "made": made.contains(one) });
    let all = |machine: &Machine| machine.transitions.iter().map(transition).collect::<Vec<_>>();
    Json(json!(catalogue::machines().map(|machine| (machine.name, all(machine))).collect::<BTreeMap<_, _>>()))
}

async fn waiting(Here(handle): Here, Asked(AtLeast { at_least }): Asked<AtLeast>) -> Answer {
    tokio::time::timeout(WAITING_LIMIT, handle.waiting(at_least)).await.map_err(|_| {
        refuse(StatusCode::REQUEST_TIMEOUT, "timed out before that many requests were waiting")
    })?;
    Ok(Json(json!({ "at_least": at_least })))
}

async fn snapshot(
    Extension(hub): Extension<Arc<Hub>>,
    Here(handle): Here,
    MayBeGiven(Nothing {}): MayBeGiven<Nothing>,
) -> Answer {
    let mut inner = hub.lock();
    if inner.snapshots.len() >= SNAPSHOTS {
        return Err(bad(format!("too many snapshots: at most {SNAPSHOTS}")));
    }
    inner.count += 1;
    let name = format!("s{}", inner.count);
    inner.snapshots.insert(name.clone(), handle.snapshot());
    Ok(Json(json!({ "snapshot": name })))
}

async fn restore(
    Extension(hub): Extension<Arc<Hub>>,
    Here(handle): Here,
    Given(Restore { snapshot }): Given<Restore>,
) -> Answer {
    let world = {
        let inner = hub.lock();
        let known = std::iter::once(START).chain(inner.snapshots.keys().map(String::as_str));
        let found = if snapshot == START { Some(&hub.start) } else { inner.snapshots.get(&snapshot) };
        found.cloned().ok_or_else(|| bad(shape::unknown("snapshot", "snapshot", &snapshot, known)))?
    };
    handle.restore(world);
    Ok(Json(clock_of(&handle, 0)))
}

async fn fork(
    Extension(hub): Extension<Arc<Hub>>,
    Here(handle): Here,
    MayBeGiven(ForkBody { mode }): MayBeGiven<ForkBody>,
) -> Answer {
    let Some(address) = hub.fork_address else { return Err(bad("this control API does not support forks")) };
    let number = {
        let mut inner = hub.lock();
        if inner.forks.len() >= WORLDS {
            let closed = inner.forks.iter().filter(|(_, fork)| fork.listeners.is_empty());
            let oldest = closed.min_by_key(|(_, fork)| fork.number).map(|(name, _)| name.clone());
            let oldest = oldest.ok_or_else(|| {
                bad(format!("too many forked worlds: at most {WORLDS}; close or delete some of them"))
            })?;
            inner.forks.remove(&oldest);
        }
        inner.count += 1;
        inner.count
    };
    let name = format!("w{number}");
    let handle = handle.fork(mode);
    let (listeners, sites) = open_sites(&handle, SocketAddr::new(address, 0)).await.map_err(unheard)?;
    let addresses = listeners.iter().map(|listener| listener.address).collect();
    hub.lock().forks.insert(name.clone(), Fork { handle, number, listeners, addresses });
    Ok(opened(&name, &sites))
}

fn opened(name: &str, sites: &BTreeMap<&'static str, String>) -> Json<Value> {
    Json(json!({ "world": name, "path": format!("worlds/{name}"), "sites": sites }))
}

#[expect(clippy::needless_pass_by_value, reason = "used in `map_err`")]
fn unheard(e: std::io::Error) -> Response {
    refuse(StatusCode::INTERNAL_SERVER_ERROR, format!("cannot listen: {e}"))
}

/// Closes the sites of a fork. The fork stays.
async fn close(Extension(hub): Extension<Arc<Hub>>, Here(_): Here, params: RawPathParams) -> Json<Value> {
    for (_, name) in &params {
        hub.lock().forks.get_mut(name).map(|fork| std::mem::take(&mut fork.listeners));
    }
    Json(json!({}))
}

/// Opens the sites of a closed fork.
async fn open(Extension(hub): Extension<Arc<Hub>>, Here(handle): Here, params: RawPathParams) -> Answer {
    let name = params.iter().map(|(_, name)| name.to_owned()).next().unwrap_or_default();
    let closed = |fork: &Fork| fork.listeners.is_empty().then(|| fork.addresses.clone());
    let Some(addresses) = hub.lock().forks.get(&name).and_then(closed) else {
        return Ok(opened(&name, &handle.site_urls()));
    };
    let (listeners, sites) = open_again(&handle, &addresses).await.map_err(unheard)?;
    if let Some(fork) = hub.lock().forks.get_mut(&name) {
        fork.listeners = listeners;
    }
    Ok(opened(&name, &sites))
}

async fn end(Extension(hub): Extension<Arc<Hub>>, Here(_): Here, params: RawPathParams) -> Json<Value> {
    for (_, name) in &params {
        hub.lock().forks.remove(name);
    }
    Json(json!({}))
}
