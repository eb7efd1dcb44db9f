//! `POST /api/projects/rehydrate` (document 2, Endpoints): called after a login to restore project data after a
//! backend restart. Its request and response are not shown.

use crate::endpoint::endpoint;
use crate::reply::ErrorForm;

endpoint! {
    /// Restores the backend's project data. Statuses and authentication of the caller are not shown.
    Hosting ENDPOINT "rehydrate" "POST" "/api/projects/rehydrate"
    None []
    "document 2, Endpoints";
    group: "Projects",
    note: "Request and response are not shown.",
    errors: &[ErrorForm::open(&[], "its response is not shown")],
}
