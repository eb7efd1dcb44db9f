//! Error bodies (document 2, "Errors"). The values of `code` are not shown; these are the project's own.

use crate::shape::{ShapeKind, object};

/// `status` of every error body.
pub const STATUS: &str = "error";

/// The statuses that the document lists, and the 410 of a removed STORE.
pub const STATUSES: [u16; 8] = [200, 400, 401, 403, 404, 410, 429, 500];

object! {
    /// The body of an error response.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ErrorBody {
        /// The error message.
        error: String = must("error", ShapeKind::Text).free("its wording is open"),
        /// Always [`STATUS`].
        status: &'static str = must("status", ShapeKind::OneOf(&[STATUS])),
        /// The error in machine-readable form.
        code: &'static str = must("code", ShapeKind::Text).free("its values are not shown"),
    }
}

impl ErrorBody {
    /// The error body for an HTTP status.
    pub fn new(http_status: u16, error: impl Into<String>) -> ErrorBody {
        ErrorBody { error: error.into(), status: STATUS, code: code(http_status) }
    }
}

/// The `code` of an HTTP status.
pub const fn code(http_status: u16) -> &'static str {
    match http_status {
        400 => "bad_request",
        401 => "unauthorized",
        403 => "forbidden",
        404 => "not_found",
        410 => "gone",
        429 => "rate_limit_exceeded",
        _ => "internal_error",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn body_has_the_three_documented_members() {
        let body = serde_json::to_string(&ErrorBody::new(404, "no such message")).unwrap();
        assert_eq!(body, r#"{"error":"no such message","status":"error","code":"not_found"}"#);
    }

    #[test]
    fn every_error_status_has_its_own_code() {
        let codes: std::collections::BTreeSet<_> = STATUSES[1..].iter().map(|status| code(*status)).collect();
        assert_eq!(codes.len(), STATUSES.len() - 1);
    }
}
