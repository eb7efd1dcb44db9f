//! `POST /v1/completions` (document 1).

use crate::Service;
use crate::endpoint::{Auth, Endpoint};

/// Goes on with a prompt.
pub static ENDPOINT: Endpoint = Endpoint {
    service: Service::Gateway,
    name: "completions",
    method: "POST",
    path: "/v1/completions",
    auth: Auth::Bearer,
    statuses: &[200, 401, 402, 404, 422, 503],
    source: "document 1, Inference gateway (paths under {base_url})",
};

/// Goes on with a prompt, in the native style: the listed exception to the path prefix of inference.
pub static NATIVE: Endpoint = Endpoint {
    service: Service::Gateway,
    name: "native-completions",
    method: "POST",
    path: "/completions",
    auth: Auth::Bearer,
    statuses: &[200, 401, 402, 404, 422, 503],
    source: "document 1, Inference gateway (paths under {base_url})",
};
