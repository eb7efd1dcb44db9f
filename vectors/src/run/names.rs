//! An implementation's names for the rules: several of our rules may be one of its errors.

use std::collections::{BTreeMap, BTreeSet};

use assay_spec::catalogue;
use serde::Deserialize;
use toml::Spanned;

/// An implementation's names for the rules, from its file:
///
/// ```toml
/// [rules]
/// InvalidSignature = ["vfkey.signature", "record.signature"]   # it does not distinguish these
/// BadHeader = ["vfkey.scheme"]
/// ```
///
/// A rule listed under several names may be rejected under any of them. The names of rules that are not listed are
/// not judged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names(BTreeMap<String, BTreeSet<String>>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    rules: BTreeMap<String, Vec<Spanned<String>>>,
}

impl Names {
    /// Parses the text of the file `name`; errors contain the line.
    pub fn parse(name: &str, text: &str) -> Result<Names, String> {
        let at = |start: usize, what: &str| {
            let line = 1 + text.get(..start).map_or(0, |before| before.matches('\n').count());
            format!("{name}:{line}: {what}")
        };
        let file: File =
            toml::from_str(text).map_err(|e| at(e.span().map_or(0, |span| span.start), e.message()))?;
        let mut names: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (own, rules) in file.rules {
            for rule in rules {
                if catalogue::requirements_of_rule(rule.get_ref()).next().is_none() {
                    let what = format!("{} is not a rule; `assay vectors rules` lists them", rule.get_ref());
                    return Err(at(rule.span().start, &what));
                }
                if !names.entry(rule.get_ref().clone()).or_default().insert(own.clone()) {
                    return Err(at(
                        rule.span().start,
                        &format!("{} is duplicated under {own}", rule.get_ref()),
                    ));
                }
            }
        }
        Ok(Names(names))
    }

    /// The names under which the implementation rejects by `rule`; `None` if the rule is not mapped.
    pub(super) fn for_rule(&self, rule: &str) -> Option<BTreeSet<&str>> {
        self.0.get(rule).map(|names| names.iter().map(String::as_str).collect())
    }

    /// The number of rules that it maps.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it maps no rule.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_in_a_map_names_its_line() {
        let parse = |text: &str| Names::parse("m.toml", text);
        let names = parse("[rules]\nA = ['domain.alphabet']\nB = ['domain.alphabet']\n").expect("a map");
        assert_eq!(names.len(), 1);
        assert_eq!(names.for_rule("domain.alphabet"), Some(["A", "B"].into()));
        assert_eq!(names.for_rule("domain.label-length"), None);
        for (text, expected) in [
            ("[rules]\n\nA = ['domain.colour']\n", "m.toml:3: domain.colour is not a rule"),
            (
                "[rules]\nA = ['domain.alphabet', 'domain.alphabet']\n",
                "m.toml:2: domain.alphabet is duplicated",
            ),
            ("[rules]\nA = 'domain.alphabet'\n", "m.toml:2: "),
            ("[rule]\n", "m.toml:1: "),
            ("[rules\n", "m.toml:1: "),
            ("[rules]\nA = []\n[besides]\n", "m.toml:3: "),
        ] {
            let error = parse(text).expect_err(text);
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
