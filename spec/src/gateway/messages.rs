//! `POST /v1/messages` (document 1).

use crate::Service;
use crate::endpoint::{Auth, Endpoint};

/// Answers a conversation in a second wire format.
pub static ENDPOINT: Endpoint = Endpoint {
    service: Service::Gateway,
    name: "messages",
    method: "POST",
    path: "/v1/messages",
    auth: Auth::Bearer,
    statuses: &[200, 401, 402, 404, 422, 503],
    source: "document 1, Inference gateway (paths under {base_url})",
};
