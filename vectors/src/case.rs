//! The one schema of all cases; `schema/case.schema.json` says the same for other languages.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One input of one operation, what must come of it, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Its place: service, group, name. Its meaning never changes.
    pub id: String,
    /// The operation of the JSON-lines protocol.
    pub op: String,
    /// The requirements it shows; a reject names the one that refuses it.
    pub requirements: Vec<String>,
    /// The operation's input.
    #[serde(rename = "in")]
    pub input: Value,
    /// What must come of it.
    pub expect: Expect,
    /// The legal reading on which the expectation rests; judged only for those who declare it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<String>,
    /// The accepted case from which this reject was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// What was changed in the base.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edit: Vec<Edit>,
    /// The derived members that were made anew after the edit, so that nothing else is wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reseal: Vec<String>,
    /// Why the case exists, in a sentence.
    pub why: String,
    /// The values between input and answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// Where it came from.
    pub provenance: Provenance,
}

/// The verdict on a case; there are two.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "lowercase", deny_unknown_fields)]
pub enum Expect {
    /// The operation answers.
    Accept {
        /// Its answer.
        ok: Value,
    },
    /// The operation refuses the input.
    Reject {
        /// The rule that refuses it.
        rule: String,
        /// How far it came.
        stage: String,
    },
}

/// A change at one place of the base's input.
///
/// `path` is a JSON pointer; it may step into `authorization` (`message`, `signature`), into a transaction
/// `message` (the members of `transaction.decode`) and into the parts of a recipe. With `at`, `old` is replaced by `new` at that offset of a text
/// (in UTF-8 bytes), of bytes or of an array; without it the whole member is replaced. Text members are written as
/// text and byte members as hex; `{"hex"}` and `{"utf8"}` say the other form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// The member.
    pub path: String,
    /// The offset inside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<usize>,
    /// What stood there.
    pub old: Value,
    /// What stands there now.
    pub new: Value,
}

/// A value between input and answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum Step {
    /// Bytes.
    Hex {
        /// What they are.
        name: String,
        /// Lower-case hex.
        hex: String,
    },
    /// A text.
    Text {
        /// What it is.
        name: String,
        /// The text.
        text: String,
    },
}

/// Where a case came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// The source file of its generator.
    pub generator: String,
    /// What its keys and random bytes are drawn from.
    pub seed: String,
}

impl Case {
    /// Whether the operation must refuse the input.
    pub fn is_reject(&self) -> bool {
        matches!(self.expect, Expect::Reject { .. })
    }

    /// `publish/domain` of `publish/domain/label-63`.
    pub fn place(&self) -> &str {
        self.id.rsplit_once('/').map_or("", |(place, _)| place)
    }
}

/// Reads a file of cases.
pub fn parse(text: &str) -> Result<Vec<Case>, serde_json::Error> {
    serde_json::from_str(text)
}

/// The canonical text of a JSON document: two spaces a level, one newline at the end.
pub fn canonical(value: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(value).expect("values of this crate serialise");
    format!("{text}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reader_is_closed() {
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
