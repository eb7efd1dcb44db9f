//! `source`: the attribution of a drop (document 3, "POST /api/drop").

use super::limits::SOURCE as LONGEST;

/// Whether a `source` has the documented form. Any other is ignored.
pub fn is_valid(source: &str) -> bool {
    let listed = |c: char| c.is_ascii_alphanumeric() || " _.:/@-".contains(c);
    source.chars().count() <= LONGEST.usize() && source.chars().all(listed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_and_invalid_sources() {
        for good in ["", "a", "codehost:owner/site@v1.2 _-", &"x".repeat(64)] {
            assert!(is_valid(good), "{good:?}");
        }
        for bad in [&"x".repeat(65), "<script>", "a\n", "caf\u{e9}", "a,b", "a\0", "a\tb"] {
            assert!(!is_valid(bad), "{bad:?}");
        }
    }
}
