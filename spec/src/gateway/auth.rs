//! `GET /svc/auth/check` (document 1), and the header that carries a key.

use crate::endpoint::endpoint;

endpoint! {
    /// Tells whether a key is valid, and spends nothing.
    Gateway CHECK "auth-check" "GET" "/svc/auth/check"
    Bearer [200, 401]
    "document 1, Inference gateway (paths under {base_url})";
    group: "Keys",
}

/// The key in the value of an `Authorization` header; `None` for another scheme and for no key.
///
/// The scheme word is compared without regard to case, as HTTP has it; white space around the key is no part of it.
pub fn bearer(value: &str) -> Option<&str> {
    let (scheme, key) = value.trim().split_once(' ')?;
    let key = key.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !key.is_empty()).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_stands_after_its_scheme_word() {
        assert_eq!(bearer("Bearer sk-1"), Some("sk-1"));
        assert_eq!(bearer(" bearer   sk-1 "), Some("sk-1"));
        for other in ["", "Bearer", "Bearer ", "sk-1", "Basic sk-1", "Bearersk-1"] {
            assert_eq!(bearer(other), None, "{other:?}");
        }
    }
}
