//! `POST /api/drop`: a zip in, a live site out (document 3).

use crate::Service;
use crate::endpoint::{Auth, Endpoint};

/// The endpoint.
pub static ENDPOINT: Endpoint = Endpoint {
    service: Service::Drop,
    name: "drop",
    method: "POST",
    path: "/api/drop",
    auth: Auth::None,
    statuses: &[200, 400, 413, 429, 500, 503],
    source: "POST /api/drop",
};

/// The form's field that holds the zip.
pub const ARTIFACT: &str = "artifact";
/// The form's field that names where the drop comes from.
pub const SOURCE: &str = "source";
