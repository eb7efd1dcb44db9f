//! Identifiers of projects, deployments and drops (document 2, "Stored records written by the hosting application").

use crate::crypto::text::base64url;
use crate::hosting::requirements::identifiers::{DEPLOYMENT, PROJECT};
use crate::{Refused, Rules};

/// The prefix of a project id.
pub const PROJECT_PREFIX: &str = "proj_";
/// The prefix of a deployment id.
pub const DEPLOYMENT_PREFIX: &str = "deploy_";
/// The prefix of a drop id.
pub const DROP_PREFIX: &str = "drop_";
/// Number of characters after the prefix of a project or deployment id.
pub const TAIL: usize = 12;
/// Number of characters after the prefix of a drop id.
pub const DROP_TAIL: usize = 22;

/// Makes a project id from nine random bytes.
pub fn project(random: [u8; 9]) -> String {
    format!("{PROJECT_PREFIX}{}", base64url(&random))
}

/// Makes a deployment id from nine random bytes.
pub fn deployment(random: [u8; 9]) -> String {
    format!("{DEPLOYMENT_PREFIX}{}", base64url(&random))
}

/// Rejects a string that is not a project id.
pub fn require_project(text: &str, rules: &mut dyn Rules) -> Result<(), Refused> {
    rules.require(&PROJECT, is_project(text), || format!("not a project id: {text:.40}"))
}

/// Rejects a string that is not a deployment id.
pub fn require_deployment(text: &str, rules: &mut dyn Rules) -> Result<(), Refused> {
    rules.require(&DEPLOYMENT, is_deployment(text), || format!("not a deployment id: {text:.40}"))
}

/// Whether `text` is a project id.
pub fn is_project(text: &str) -> bool {
    has_form(text, PROJECT_PREFIX, TAIL)
}

/// Whether `text` is a deployment id.
pub fn is_deployment(text: &str) -> bool {
    has_form(text, DEPLOYMENT_PREFIX, TAIL)
}

/// Whether `text` is a drop id.
pub fn is_drop(text: &str) -> bool {
    has_form(text, DROP_PREFIX, DROP_TAIL)
}

fn has_form(text: &str, prefix: &str, length: usize) -> bool {
    let of_alphabet = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    text.strip_prefix(prefix).is_some_and(|tail| tail.len() == length && tail.bytes().all(of_alphabet))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Strict, Without};

    #[test]
    fn length_and_alphabet_are_tested_on_both_sides() {
        assert!(is_project("proj_AZaz09-_abcd") && is_deployment("deploy_AZaz09-_abcd"));
        assert!(is_drop("drop_AZaz09-_abcdAZaz09-_ab"));
        for bad in [
            "proj_AZaz09-_abc",
            "proj_AZaz09-_abcde",
            "proj_AZaz09+/abcd",
            "proj_AZaz09-_abc=",
            "PROJ_AZaz09-_abcd",
            "deploy_AZaz09-_abcd",
            "proj_AZaz09-_ab\u{e9}",
            "AZaz09-_abcd",
            "",
        ] {
            assert!(!is_project(bad), "{bad}");
            assert_eq!(require_project(bad, &mut Strict).unwrap_err().rule, &PROJECT);
            assert!(require_project(bad, &mut Without(&PROJECT)).is_ok());
        }
        assert_eq!(require_deployment("deploy_", &mut Strict).unwrap_err().rule, &DEPLOYMENT);
        assert!(!is_drop("drop_AZaz09-_abcd"));
    }

    proptest! {
        #[test]
        fn generated_ids_are_valid(random in any::<[u8; 9]>()) {
            prop_assert!(is_project(&project(random)));
            prop_assert!(is_deployment(&deployment(random)));
        }
    }
}
