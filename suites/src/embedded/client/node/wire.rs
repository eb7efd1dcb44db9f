//! The wire between a program and a node, on which responses are late, lost or replaced.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use assay_sim::Site;
use assay_sim::serve::{Handle, connection};
use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

use super::super::front::{self, Front};
use super::scene::Wire;

/// The most bytes of a request that are kept.
const REQUEST_BYTES: usize = 1024 * 1024;
/// How long a response takes that is lost or a failure. What is sent again has another time, in seconds.
const LOST: Duration = Duration::from_millis(1100);
/// How long a late response takes.
const LATE: Duration = Duration::from_secs(4);
/// The `Retry-After` of a 429, in seconds.
pub(super) const RETRY_AFTER: u64 = 2;
/// How long a node is down.
const DOWN: Duration = Duration::from_secs(3);

/// A request on the wire, and what it returned.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) method: String,
    pub(super) target: String,
    pub(super) body: Bytes,
    /// When it arrived.
    pub(super) at: Instant,
    /// The status, and when it was sent; none if the connection was closed.
    pub(super) response: Option<(u16, Instant)>,
}

impl Seen {
    /// The status in words.
    pub(super) fn returned(&self) -> String {
        self.response.map_or("no response".to_owned(), |(status, _)| status.to_string())
    }
}

/// The wire of one world.
pub(super) struct Line {
    handle: Handle,
    wire: Wire,
    /// The path whose requests it treats.
    path: &'static str,
    seen: Mutex<Vec<Seen>>,
}

impl Line {
    pub(super) fn new(handle: Handle, wire: Wire, path: &'static str) -> Arc<Line> {
        Arc::new(Line { handle, wire, path, seen: Mutex::default() })
    }

    /// The requests for the path, in order.
    pub(super) fn seen(&self) -> Vec<Seen> {
        self.lock().clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Seen>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Serves `site` behind this wire.
    pub(super) async fn open(self: &Arc<Line>, site: Site) -> Result<Front, String> {
        let line = self.clone();
        let serve = move |io, peer, _| {
            let cut = Arc::new(Notify::new());
            let between = middleware::from_fn_with_state((line.clone(), cut.clone()), between);
            let router = Router::new().fallback_service(line.handle.site(site, peer)).layer(between);
            tokio::spawn(async move {
                tokio::select! {
                    () = connection(io, router) => {}
                    () = cut.notified() => {}
                }
            });
        };
        front::open("http", serve).await
    }
}

async fn between(
    State((line, cut)): State<(Arc<Line>, Arc<Notify>)>,
    request: Request,
    next: Next,
) -> Response {
    // What a program reads to find out what happened is passed on.
    if request.method() != "POST" || request.uri().path() != line.path {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, REQUEST_BYTES).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let (method, target, at) = (parts.method.to_string(), parts.uri.to_string(), Instant::now());
    let (number, first_at) = {
        let mut seen = line.lock();
        seen.push(Seen { method, target, body: body.clone(), at, response: None });
        (seen.len() - 1, seen[0].at)
    };
    let forward = next.run(Request::from_parts(parts, Body::from(body)));
    let response = match line.wire {
        Wire::Lost if number == 0 => {
            drop(forward.await);
            sleep(LOST).await;
            cut.notify_one();
            // The connection is closed before this response is sent.
            std::future::pending().await
        }
        Wire::Fails if number == 0 => {
            drop(forward.await);
            sleep(LOST).await;
            failed(StatusCode::INTERNAL_SERVER_ERROR, "internal error", "internal")
        }
        Wire::Late if number == 0 => {
            let response = forward.await;
            sleep(LATE).await;
            response
        }
        Wire::Limited if number == 0 => {
            let limited = failed(StatusCode::TOO_MANY_REQUESTS, "too many requests", "rate_limited");
            ([(header::RETRY_AFTER, RETRY_AFTER.to_string())], limited).into_response()
        }
        Wire::Rejected => failed(StatusCode::BAD_REQUEST, "malformed request", "bad_request"),
        Wire::Down if first_at.elapsed() < DOWN => {
            failed(StatusCode::INTERNAL_SERVER_ERROR, "internal error", "internal")
        }
        _ => forward.await,
    };
    line.lock()[number].response = Some((response.status().as_u16(), Instant::now()));
    response
}

/// The documented error body.
fn failed(status: StatusCode, error: &str, code: &str) -> Response {
    (status, axum::Json(json!({ "error": error, "status": "error", "code": code }))).into_response()
}
