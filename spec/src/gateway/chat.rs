//! `POST /v1/chat/completions` (document 1).

use crate::Service;
use crate::endpoint::{Auth, Endpoint};

/// Answers a conversation, whole or as a stream.
pub static ENDPOINT: Endpoint = Endpoint {
    service: Service::Gateway,
    name: "chat",
    method: "POST",
    path: "/v1/chat/completions",
    auth: Auth::Bearer,
    statuses: &[200, 401, 402, 404, 422, 503],
    source: "document 1, Inference gateway (paths under {base_url})",
};
