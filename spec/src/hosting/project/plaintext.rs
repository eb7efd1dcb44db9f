//! The plaintext of a project's envelope.

use serde_json::{Map, Number, Value, json};

use crate::hosting::fields::Fields;
use crate::hosting::mistakes::projects::{PLAINTEXT_FORM, PLAINTEXT_MORE, PLAINTEXT_SOURCE};
use crate::hosting::requirements::projects::{
    PLAINTEXT_BRANCH, PLAINTEXT_BUILD, PLAINTEXT_INSTALLATION, PLAINTEXT_NAME, PLAINTEXT_OUTPUT,
    PLAINTEXT_REPO,
};
use crate::json;
use crate::{Dialect, Refused, Rules};

/// The source of a project's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A hosted repository.
    Hosted,
    /// An upload.
    Upload,
}

impl Source {
    /// The source's name on the wire.
    pub fn name(self, dialect: &Dialect) -> &str {
        match self {
            Source::Hosted => &dialect.hosted_source,
            Source::Upload => "upload",
        }
    }

    fn named(name: &str, dialect: &Dialect) -> Option<Source> {
        [Source::Hosted, Source::Upload].into_iter().find(|source| source.name(dialect) == name)
    }
}

/// A project's plaintext.
#[derive(Clone, Debug, PartialEq)]
pub struct Plaintext {
    /// The name.
    pub name: String,
    /// The source of the files.
    pub source: Source,
    /// `owner/name`.
    pub repo: Option<String>,
    /// The branch.
    pub branch: Option<String>,
    /// The installation id at the repository's host.
    pub installation_id: Option<Number>,
    /// The build command.
    pub build_command: String,
    /// The output folder of the build.
    pub output_dir: String,
    /// The application's other members, in their order.
    pub more: Map<String, Value>,
}

impl Plaintext {
    /// Reads a plaintext: JSON in UTF-8.
    pub fn parse(bytes: &[u8], dialect: &Dialect, rules: &mut dyn Rules) -> Result<Plaintext, Refused> {
        let members = rules.read(&PLAINTEXT_FORM, bytes, object)?;
        let members = rules.derive(&PLAINTEXT_MORE, members, Ok)?;
        let fields = Fields::new(&members, "");
        let repo = fields.text_or_null("repo", &PLAINTEXT_REPO, rules)?;
        let parts = |repo: &str| {
            repo.split_once('/').is_some_and(|(owner, name)| !owner.is_empty() && !name.is_empty())
        };
        rules.require(&PLAINTEXT_REPO, repo.as_deref().is_none_or(parts), || {
            "repo is not an owner and a name with a slash between them".to_owned()
        })?;
        Ok(Plaintext {
            name: fields.text("name", &PLAINTEXT_NAME, rules)?,
            source: fields.read("source", &PLAINTEXT_SOURCE, rules, |source| {
                Source::named(source.as_str()?, dialect)
            })?,
            repo,
            branch: fields.text_or_null("branch", &PLAINTEXT_BRANCH, rules)?,
            installation_id: fields.number_or_null("installationId", &PLAINTEXT_INSTALLATION, rules)?,
            build_command: fields.text("buildCommand", &PLAINTEXT_BUILD, rules)?,
            output_dir: fields.text("outputDir", &PLAINTEXT_OUTPUT, rules)?,
            more: members
                .iter()
                .filter(|(name, _)| !NAMES.contains(&name.as_str()))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
        })
    }

    /// The plaintext's JSON, members in the document's order.
    pub fn to_json(&self, dialect: &Dialect) -> Value {
        let mut json = json!({
            "name": self.name, "source": self.source.name(dialect), "repo": self.repo, "branch": self.branch,
            "installationId": self.installation_id, "buildCommand": self.build_command,
            "outputDir": self.output_dir,
        });
        if let Some(members) = json.as_object_mut() {
            members.extend(self.more.clone());
        }
        json
    }
}

/// The members that the document names.
pub(in crate::hosting) const NAMES: [&str; 7] =
    ["name", "source", "repo", "branch", "installationId", "buildCommand", "outputDir"];

/// Parses a plaintext as a JSON object.
pub(crate) fn object(bytes: &[u8]) -> Result<Map<String, Value>, String> {
    let text = std::str::from_utf8(bytes)
        .map_err(|e| format!("the plaintext is not UTF-8 at byte {}", e.valid_up_to()))?;
    match json::parse_unique(text).map_err(|fault| match fault {
        // A plaintext is private: not even one of its keys is shown.
        json::Fault::Duplicate(_) => "a key is duplicated".to_owned(),
        json::Fault::Syntax(_) => "not JSON".to_owned(),
    })? {
        Value::Object(members) => Ok(members),
        _ => Err("not a JSON object".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hosting::requirements::projects::{PLAINTEXT_FORM, PLAINTEXT_SOURCE};
    use crate::{Id, Strict, Without};

    fn sample() -> Value {
        json!({
            "name": "site", "source": "codehost", "repo": "owner/name", "branch": "main",
            "installationId": 7, "buildCommand": "build", "outputDir": "dist", "pendingWorkflowPrUrl": null,
        })
    }

    fn parse(value: &Value, rules: &mut dyn Rules) -> Result<Plaintext, Refused> {
        Plaintext::parse(value.to_string().as_bytes(), &Dialect::default(), rules)
    }

    #[test]
    fn plaintext_round_trips() {
        let read = parse(&sample(), &mut Strict).unwrap();
        assert_eq!(read.to_json(&Dialect::default()).to_string(), sample().to_string());
        assert_eq!((read.source, read.installation_id), (Source::Hosted, Some(7.into())));
    }

    #[test]
    fn each_fault_breaks_one_rule_only() {
        let cases: [(Id, &str, Value); 9] = [
            (&PLAINTEXT_NAME, "name", Value::Null),
            (&PLAINTEXT_SOURCE, "source", "moon".into()),
            (&PLAINTEXT_REPO, "repo", "name".into()),
            (&PLAINTEXT_REPO, "repo", 7.into()),
            (&PLAINTEXT_BRANCH, "branch", json!([])),
            (&PLAINTEXT_INSTALLATION, "installationId", "7".into()),
            (&PLAINTEXT_INSTALLATION, "installationId", json!([7])),
            (&PLAINTEXT_BUILD, "buildCommand", Value::Null),
            (&PLAINTEXT_OUTPUT, "outputDir", 1.into()),
        ];
        for (rule, name, wrong) in cases {
            let mut plaintext = sample();
            plaintext[name] = wrong;
            assert_eq!(parse(&plaintext, &mut Strict).unwrap_err().rule, rule, "{plaintext}");
            assert!(parse(&plaintext, &mut Without(rule)).is_ok(), "{plaintext}");
        }
        for bytes in [&b"\xff"[..], b"[]", b"{", b"{\"a\":1,\"a\":2}", b""] {
            let refused = Plaintext::parse(bytes, &Dialect::default(), &mut Strict).unwrap_err();
            assert_eq!(refused.rule, &PLAINTEXT_FORM);
        }
    }
}
