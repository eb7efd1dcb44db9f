//! `POST /v1/responses` (document 1).

use crate::Service;
use crate::endpoint::{Auth, Endpoint};

/// Answers an input.
pub static ENDPOINT: Endpoint = Endpoint {
    service: Service::Gateway,
    name: "responses",
    method: "POST",
    path: "/v1/responses",
    auth: Auth::Bearer,
    statuses: &[200, 401, 402, 404, 422, 503],
    source: "document 1, Inference gateway (paths under {base_url})",
};
