//! The wire between client and server, on which answers are altered, delayed or lost.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use assay_sim::Site;
use assay_sim::serve::{Handle, connection};
use assay_spec::Dialect;
use assay_spec::publish::{prepare, submit};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_LENGTH;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use tokio::sync::Notify;

use super::super::front::{self, Front};
use super::scene::Wire;

/// A little longer than a prepare is valid.
const LATE_MS: i64 = 61_000;
/// More bytes than any answer has.
const ANSWER_BYTES: usize = 1024 * 1024;
/// The site of the chain.
const CHAIN: &str = "chain";

/// The wire of one world.
pub(super) struct Line {
    handle: Handle,
    wire: Wire,
    dialect: Dialect,
    submits: AtomicUsize,
    chain_calls: AtomicUsize,
    altered_answers: Mutex<Vec<Vec<u8>>>,
}

impl Line {
    pub(super) fn new(handle: Handle, wire: Wire, dialect: Dialect) -> Arc<Line> {
        Arc::new(Line {
            handle,
            wire,
            dialect,
            submits: AtomicUsize::new(0),
            chain_calls: AtomicUsize::new(0),
            altered_answers: Mutex::default(),
        })
    }

    /// The altered answers, in the order in which they were sent.
    pub(super) fn altered_answers(&self) -> Vec<Vec<u8>> {
        self.altered_answers.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How many requests to the chain returned 502.
    pub(super) fn failed_lookups(&self) -> usize {
        match self.wire {
            Wire::ChainDown(most) => self.chain_calls.load(Ordering::Relaxed).min(most),
            _ => 0,
        }
    }

    /// Serves `site` behind this wire.
    pub(super) async fn open(self: &Arc<Line>, site: Site) -> Result<Front, String> {
        let line = self.clone();
        let serve = move |io, peer, _| {
            let cut = Arc::new(Notify::new());
            let between = middleware::from_fn_with_state((line.clone(), site, cut.clone()), between);
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

type Between = (Arc<Line>, Site, Arc<Notify>);

async fn between(State((line, site, cut)): State<Between>, request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    let is_submit = site.name != CHAIN && path == submit::ENDPOINT.path;
    let number = if is_submit { line.submits.fetch_add(1, Ordering::Relaxed) } else { 0 };
    match line.wire {
        Wire::Late(submits) if is_submit && number < submits => {
            line.handle.advance(LATE_MS);
            next.run(request).await
        }
        Wire::Cut if is_submit && number == 0 => {
            drop(next.run(request).await);
            cut.notify_one();
            // The connection is closed before this answer is sent.
            std::future::pending().await
        }
        Wire::ChainDown(most)
            if site.name == CHAIN && line.chain_calls.fetch_add(1, Ordering::Relaxed) < most =>
        {
            (StatusCode::BAD_GATEWAY, "Bad Gateway").into_response()
        }
        Wire::Deviation(deviation) if site.name != CHAIN && path == prepare::ENDPOINT.path => {
            let answer = next.run(request).await;
            if !answer.status().is_success() {
                return answer;
            }
            let (mut parts, body) = answer.into_parts();
            let bytes = to_bytes(body, ANSWER_BYTES).await.unwrap_or_default();
            let Ok(mut value) = serde_json::from_slice(&bytes) else {
                return Response::from_parts(parts, Body::from(bytes));
            };
            deviation.apply(&line.dialect, &mut value);
            let bytes = value.to_string().into_bytes();
            line.altered_answers.lock().unwrap_or_else(PoisonError::into_inner).push(bytes.clone());
            parts.headers.remove(CONTENT_LENGTH);
            Response::from_parts(parts, Body::from(bytes))
        }
        _ => next.run(request).await,
    }
}
