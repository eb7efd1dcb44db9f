//! The wire between client and server, on which answers are altered, delayed or lost.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use assay_sim::Site;
use assay_sim::serve::{Handle, connection};
use assay_spec::Dialect;
use assay_spec::publish::{prepare, submit};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::CONTENT_LENGTH;
use axum::middleware::{self, Next};
use axum::response::Response;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::JoinSet;

use super::scene::Wire;

/// A little longer than a prepare is valid.
const LATE_MS: i64 = 61_000;
/// More bytes than any answer has.
const ANSWER_BYTES: usize = 1024 * 1024;

/// The wire of one world.
pub(super) struct Front {
    handle: Handle,
    wire: Wire,
    dialect: Dialect,
    submits: AtomicUsize,
    altered_answers: Mutex<Vec<Vec<u8>>>,
}

/// A listener that ends when it is dropped.
pub(super) struct Opened {
    /// The base URL.
    pub(super) url: String,
    _accepting: JoinSet<()>,
}

impl Front {
    pub(super) fn new(handle: Handle, wire: Wire, dialect: Dialect) -> Arc<Front> {
        Arc::new(Front {
            handle,
            wire,
            dialect,
            submits: AtomicUsize::new(0),
            altered_answers: Mutex::default(),
        })
    }

    /// The altered answers, in the order in which they were sent.
    pub(super) fn altered_answers(&self) -> Vec<Vec<u8>> {
        self.altered_answers.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Serves `site` behind this wire.
    pub(super) async fn open(self: &Arc<Front>, site: Site) -> std::io::Result<Opened> {
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await?;
        let url = format!("http://{}", listener.local_addr()?);
        let front = self.clone();
        let mut accepting = JoinSet::new();
        accepting.spawn(async move {
            loop {
                // A connection that could not be accepted does not affect others.
                let Ok((io, peer)) = listener.accept().await else { continue };
                let _ = io.set_nodelay(true);
                let cut = Arc::new(Notify::new());
                let router = Router::new()
                    .fallback_service(front.handle.site(site, peer.ip()))
                    .layer(middleware::from_fn_with_state((front.clone(), cut.clone()), between));
                tokio::spawn(async move {
                    tokio::select! {
                        () = connection(io, router) => {}
                        () = cut.notified() => {}
                    }
                });
            }
        });
        Ok(Opened { url, _accepting: accepting })
    }
}

type Between = (Arc<Front>, Arc<Notify>);

async fn between(State((front, cut)): State<Between>, request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    let number =
        if path == submit::ENDPOINT.path { front.submits.fetch_add(1, Ordering::Relaxed) } else { 0 };
    match front.wire {
        Wire::Late(submits) if path == submit::ENDPOINT.path && number < submits => {
            front.handle.advance(LATE_MS);
            next.run(request).await
        }
        Wire::Cut if path == submit::ENDPOINT.path && number == 0 => {
            drop(next.run(request).await);
            cut.notify_one();
            // The connection is closed before this answer is sent.
            std::future::pending().await
        }
        Wire::Deviation(deviation) if path == prepare::ENDPOINT.path => {
            let answer = next.run(request).await;
            if !answer.status().is_success() {
                return answer;
            }
            let (mut parts, body) = answer.into_parts();
            let bytes = to_bytes(body, ANSWER_BYTES).await.unwrap_or_default();
            let Ok(mut value) = serde_json::from_slice(&bytes) else {
                return Response::from_parts(parts, Body::from(bytes));
            };
            deviation.apply(&front.dialect, &mut value);
            let bytes = value.to_string().into_bytes();
            front.altered_answers.lock().unwrap_or_else(PoisonError::into_inner).push(bytes.clone());
            parts.headers.remove(CONTENT_LENGTH);
            Response::from_parts(parts, Body::from(bytes))
        }
        _ => next.run(request).await,
    }
}
