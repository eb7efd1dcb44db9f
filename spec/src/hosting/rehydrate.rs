//! `POST /api/projects/rehydrate` (document 2, Endpoints): asked for after a login, so that a backend that was started
//! anew has its projects again. What it takes and answers is not shown.

use crate::Service;
use crate::endpoint::{Auth, Endpoint};

/// The endpoint. Its statuses and its caller's proof are not shown.
pub static ENDPOINT: Endpoint = Endpoint {
    service: Service::Hosting,
    name: "rehydrate",
    method: "POST",
    path: "/api/projects/rehydrate",
    auth: Auth::None,
    statuses: &[],
    source: "document 2, Endpoints",
};
