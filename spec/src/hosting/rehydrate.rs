//! `POST /api/projects/rehydrate` (document 2, Endpoints): asked for after a login, so that a backend that was started
//! anew has its projects again. What it takes and answers is not shown.

use crate::endpoint::endpoint;

endpoint! {
    /// Restores what the backend knew of its projects. Its statuses and its caller's proof are not shown.
    Hosting ENDPOINT "rehydrate" "POST" "/api/projects/rehydrate"
    None []
    "document 2, Endpoints";
    group: "Projects",
    note: "What it takes and answers is not shown.",
}
