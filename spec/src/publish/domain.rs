//! Canonical domains (document 3, "Canonical domain").

use crate::publish::limits::{DOMAIN, DOMAIN_LABEL};
use crate::publish::mistakes::domain::NO_TRAILING_DOT;
use crate::publish::requirements::domain::{
    ALPHABET, LABEL_LENGTH, NO_EDGE_HYPHEN, TOTAL_LENGTH, TWO_LABELS,
};
use crate::{Refused, Rules, Strict};

/// Rejects a domain that is not canonical. Only the grammar counts: punycode is not decoded.
pub fn check(domain: &str, rules: &mut dyn Rules) -> Result<(), Refused> {
    let bad = domain.chars().find(|c| !matches!(c, 'a'..='z' | '0'..='9' | '-' | '.'));
    rules.require(&ALPHABET, bad.is_none(), || format!("{bad:?} in {domain:?}"))?;
    let name = rules.read(&NO_TRAILING_DOT, domain, |domain| match domain.strip_suffix('.') {
        None => Ok(domain),
        Some(_) => Err(format!("{domain:?} ends in a dot")),
    })?;
    rules
        .require(&TOTAL_LENGTH, domain.len() <= DOMAIN.usize(), || format!("{} characters", domain.len()))?;

    let labels: Vec<&str> = name.split('.').collect();
    rules.require(&TWO_LABELS, labels.len() >= 2, || format!("{domain:?} is a single label"))?;
    for label in labels {
        rules.require(&LABEL_LENGTH, (1..=DOMAIN_LABEL.usize()).contains(&label.len()), || {
            format!("a label of {} characters in {domain:?}", label.len())
        })?;
        rules.require(&NO_EDGE_HYPHEN, !label.starts_with('-') && !label.ends_with('-'), || {
            format!("label {label:?} begins or ends with a hyphen")
        })?;
    }
    Ok(())
}

/// Whether `domain` is canonical.
pub fn is_canonical(domain: &str) -> bool {
    check(domain, &mut Strict).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_of_every_limit() {
        let label = |n: usize| "a".repeat(n);
        let total = |n: usize| format!("{}.{}.{}.{}", label(63), label(63), label(63), label(n - 192));
        for good in
            ["a.b", "xn--bcher-kva.example", "1.2.3.4", "a--b.c", &format!("{}.b", label(63)), &total(253)]
        {
            assert!(is_canonical(good), "{good}");
        }
        for bad in [
            "",
            ".",
            "a",
            "a.b.",
            ".a.b",
            "a..b",
            "A.b",
            "a_b.c",
            "-a.b",
            "a-.b",
            "b\u{fc}cher.example",
            "a .b",
            &format!("{}.b", label(64)),
            &total(254),
        ] {
            assert!(!is_canonical(bad), "{bad}");
        }
    }
}
