//! `GET /v1/models` (document 1).

use crate::Service;
use crate::endpoint::{Auth, Endpoint};

/// Lists the models. Whether it needs a key is not shown.
pub static LIST: Endpoint = Endpoint {
    service: Service::Gateway,
    name: "models",
    method: "GET",
    path: "/v1/models",
    auth: Auth::None,
    statuses: &[200],
    source: "document 1, Inference gateway (paths under {base_url})",
};
