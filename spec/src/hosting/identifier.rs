//! Identifiers of projects, deployments and drops (document 2, "Stored records written by the hosting application").

use crate::crypto::text::base64url;
use crate::hosting::requirements::identifiers::{DEPLOYMENT, PROJECT};
use crate::{Refused, Rules};

/// What a project's identifier begins with.
pub const PROJECT_PREFIX: &str = "proj_";
/// What a deployment's identifier begins with.
pub const DEPLOYMENT_PREFIX: &str = "deploy_";
/// What a drop's identifier begins with.
pub const DROP_PREFIX: &str = "drop_";
/// Characters behind the prefix of a project or a deployment.
pub const TAIL: usize = 12;
/// Characters behind the prefix of a drop.
pub const DROP_TAIL: usize = 22;

/// The project's identifier that nine random bytes make.
pub fn project(random: [u8; 9]) -> String {
    format!("{PROJECT_PREFIX}{}", base64url(&random))
}

/// The deployment's identifier that nine random bytes make.
pub fn deployment(random: [u8; 9]) -> String {
    format!("{DEPLOYMENT_PREFIX}{}", base64url(&random))
}

/// Refuses what is no project's identifier.
pub fn require_project(text: &str, rules: &mut impl Rules) -> Result<(), Refused> {
    rules.require(&PROJECT, is_project(text), || format!("no project's identifier: {text:.40}"))
}

/// Refuses what is no deployment's identifier.
pub fn require_deployment(text: &str, rules: &mut impl Rules) -> Result<(), Refused> {
    rules.require(&DEPLOYMENT, is_deployment(text), || format!("no deployment's identifier: {text:.40}"))
}

/// Whether `text` is a project's identifier.
pub fn is_project(text: &str) -> bool {
    has_form(text, PROJECT_PREFIX, TAIL)
}

/// Whether `text` is a deployment's identifier.
pub fn is_deployment(text: &str) -> bool {
    has_form(text, DEPLOYMENT_PREFIX, TAIL)
}

/// Whether `text` is a drop's identifier.
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
    fn both_sides_of_the_length_and_the_alphabet() {
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
        fn what_is_made_has_the_form(random in any::<[u8; 9]>()) {
            prop_assert!(is_project(&project(random)));
            prop_assert!(is_deployment(&deployment(random)));
        }
    }
}
