//! `GET /svc/auth/check` (document 1), and the header with the key.

use super::shapes::NO_ERRORS;
use crate::endpoint::endpoint;
use crate::shape::Reply;

endpoint! {
    /// Checks whether a key is valid. Spends no tokens.
    Gateway CHECK "auth-check" "GET" "/svc/auth/check"
    Bearer [200, 401]
    "document 1, Inference gateway (paths under {base_url})";
    group: "Keys",
    reply: Reply::Open("the documents show its statuses only"),
    errors: NO_ERRORS,
}

/// The key in the value of an `Authorization` header; `None` for another scheme or without a key.
///
/// The scheme is case-insensitive, as in HTTP. Whitespace around the key is ignored.
pub fn bearer(value: &str) -> Option<&str> {
    let (scheme, key) = value.trim().split_once(' ')?;
    let key = key.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !key.is_empty()).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_follows_the_scheme() {
        assert_eq!(bearer("Bearer sk-1"), Some("sk-1"));
        assert_eq!(bearer(" bearer   sk-1 "), Some("sk-1"));
        for other in ["", "Bearer", "Bearer ", "sk-1", "Basic sk-1", "Bearersk-1"] {
            assert_eq!(bearer(other), None, "{other:?}");
        }
    }
}
