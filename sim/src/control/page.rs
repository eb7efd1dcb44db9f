//! The page of the control API: what a world receives and holds, with its clock and switches. It is static; its script uses the API.

use axum::Router;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::response::IntoResponse;
use axum::routing::get;

/// The page loads nothing from elsewhere. Sites of the drop are shown in frames.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; frame-src http: https:; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The routes of the page and of its parts.
pub(super) fn routes() -> Router {
    Router::new()
        .route("/", get(async || part("text/html; charset=utf-8", include_str!("page/index.html"))))
        .route("/page.css", get(async || part("text/css; charset=utf-8", include_str!("page/page.css"))))
        .route("/page.js", get(async || part("text/javascript; charset=utf-8", include_str!("page/page.js"))))
}

fn part(media_type: &'static str, content: &'static str) -> impl IntoResponse {
    let headers = [
        (CONTENT_TYPE, media_type),
        (CONTENT_SECURITY_POLICY, POLICY),
        (CACHE_CONTROL, "no-store"),
        (REFERRER_POLICY, "no-referrer"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, content)
}
