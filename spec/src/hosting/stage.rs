//! The stage at which a rule of keys and envelopes rejects, as the vectors name it.

use crate::Id;
use crate::hosting::requirements::{bundle, ecies, envelope, key_e};

/// `parse` before any key is used, `verify` if keys or hashes do not match, `check` for faults in the plaintext.
pub fn stage(rule: Id) -> &'static str {
    let verified: [Id; 8] = [
        &ecies::EPHEMERAL_POINT,
        &ecies::RECIPIENT,
        &ecies::AUTHENTIC,
        &envelope::AUTHENTIC,
        &bundle::AUTHENTIC,
        &bundle::HASH,
        &key_e::RANGE,
        &key_e::SIGNATURE,
    ];
    let inside: [Id; 5] =
        [&envelope::KEY_LENGTH, &envelope::UTF8, &envelope::JSON, &bundle::KEY_LENGTH, &bundle::TARBALL];
    match rule {
        rule if verified.contains(&rule) => "verify",
        rule if inside.contains(&rule) => "check",
        _ => "parse",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_reject_at_their_stage() {
        assert_eq!(stage(&envelope::FORM), "parse");
        assert_eq!(stage(&bundle::HASH), "verify");
        assert_eq!(stage(&bundle::TARBALL), "check");
    }
}
