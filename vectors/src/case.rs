//! The schema of all cases; `schema/case.schema.json` is the same schema for other languages.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One input of one operation, the expected result, and the reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The id: service, group, name. Its meaning never changes.
    pub id: String,
    /// The operation of the JSON-lines protocol.
    pub op: String,
    /// The requirements that it covers; a reject names the one that rejects it.
    pub requirements: Vec<String>,
    /// The operation's input.
    #[serde(rename = "in")]
    pub input: Value,
    /// The expected result.
    pub expect: Expect,
    /// The legal reading on which the expectation rests; only programs that declare it are judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<String>,
    /// The accepted case from which this reject was derived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The changes to the base.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edit: Vec<Edit>,
    /// The derived members that were recomputed after the edit, so that nothing else is invalid.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reseal: Vec<String>,
    /// Why the case exists, in one sentence.
    pub why: String,
    /// The intermediate values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// The origin.
    pub provenance: Provenance,
}

/// The verdict on a case: accept or reject.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "lowercase", deny_unknown_fields)]
pub enum Expect {
    /// The operation accepts the input.
    Accept {
        /// The response.
        ok: Value,
    },
    /// The operation rejects the input.
    Reject {
        /// The rule that rejects it.
        rule: String,
        /// The stage at which it is rejected.
        stage: String,
    },
}

/// A change of one member of the base's input.
///
/// `path` is a JSON pointer; it may step into `authorization` (`message`, `signature`), into a transaction `message`
/// (the members of `transaction.decode`) and into the parts of a recipe. With `at`, `old` is replaced by `new` at
/// that offset of a string (in UTF-8 bytes), of bytes or of an array; without it the whole member is replaced. String
/// members are written as strings and byte members as hex; `{"hex"}` and `{"utf8"}` select the other form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// The path of the member.
    pub path: String,
    /// The offset inside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<usize>,
    /// The old value.
    pub old: Value,
    /// The new value.
    pub new: Value,
}

/// An intermediate value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum Step {
    /// Bytes.
    Hex {
        /// Its name.
        name: String,
        /// Lower-case hex.
        hex: String,
    },
    /// A string.
    Text {
        /// Its name.
        name: String,
        /// The value.
        text: String,
    },
}

/// The origin of a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// The source file of its generator.
    pub generator: String,
    /// The seed of its keys and random bytes.
    pub seed: String,
}

impl Case {
    /// Whether the operation must reject the input.
    pub fn is_reject(&self) -> bool {
        matches!(self.expect, Expect::Reject { .. })
    }

    /// `publish/domain` of `publish/domain/label-63`.
    pub fn place(&self) -> &str {
        self.id.rsplit_once('/').map_or("", |(place, _)| place)
    }
}

/// Parses a case file.
pub fn parse(text: &str) -> Result<Vec<Case>, serde_json::Error> {
    serde_json::from_str(text)
}

/// The canonical JSON text of a document: two spaces per level, one newline at the end.
pub fn canonical(value: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(value).expect("values of this crate serialise");
    format!("{text}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reader_rejects_unknown_and_missing_members() {
        let case = r#"{"id":"a/b/c","op":"o","requirements":[],"in":{},"expect":{"verdict":"accept","ok":{}},
            "why":"w","steps":[{"name":"n","hex":"00"}],"provenance":{"generator":"g","seed":"s"}}"#;
        assert!(serde_json::from_str::<Case>(case).is_ok());
        for (from, to) in [
            (r#""why""#, r#""besides":1,"why""#),
            (r#""ok":{}"#, r#""ok":{},"rule":"r""#),
            (r#""hex":"00""#, r#""hex":"00","text":"t""#),
            (r#""seed":"s""#, r#""seed":"s","x":1"#),
            (r#""accept""#, r#""maybe""#),
            (r#""why":"w","#, ""),
        ] {
            let altered = case.replacen(from, to, 1);
            assert_ne!(altered, case);
            assert!(serde_json::from_str::<Case>(&altered).is_err(), "{altered}");
        }
    }
}
