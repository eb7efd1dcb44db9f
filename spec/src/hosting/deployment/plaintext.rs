//! The plaintext of a deployment's envelope.

use serde_json::{Value, json};

use crate::hosting::fields::Fields;
use crate::hosting::mistakes::deployments::PLAINTEXT_FORM;
use crate::hosting::project::object;
use crate::hosting::requirements::deployments::{
    PLAINTEXT_BRANCH, PLAINTEXT_COMMIT, PLAINTEXT_ERROR, PLAINTEXT_MESSAGE, PLAINTEXT_RUN,
};
use crate::{Refused, Rules};

/// A deployment's plaintext.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plaintext {
    /// The commit that was built.
    pub commit: Option<String>,
    /// Its message.
    pub commit_message: Option<String>,
    /// Its branch.
    pub branch: Option<String>,
    /// The URL of the build run.
    pub actions_run_url: Option<String>,
    /// The error, if the deployment failed.
    pub error: Option<String>,
}

impl Plaintext {
    /// Reads a plaintext: JSON in UTF-8. Additional members are accepted.
    pub fn parse(bytes: &[u8], rules: &mut dyn Rules) -> Result<Plaintext, Refused> {
        let members = rules.read(&PLAINTEXT_FORM, bytes, object)?;
        let fields = Fields::new(&members, "");
        Ok(Plaintext {
            commit: fields.text_or_null("commit", &PLAINTEXT_COMMIT, rules)?,
            commit_message: fields.text_or_null("commitMessage", &PLAINTEXT_MESSAGE, rules)?,
            branch: fields.text_or_null("branch", &PLAINTEXT_BRANCH, rules)?,
            actions_run_url: fields.text_or_null("actionsRunUrl", &PLAINTEXT_RUN, rules)?,
            error: fields.text_or_null("error", &PLAINTEXT_ERROR, rules)?,
        })
    }

    /// The plaintext's JSON, members in the document's order.
    pub fn to_json(&self) -> Value {
        json!({
            "commit": self.commit, "commitMessage": self.commit_message, "branch": self.branch,
            "actionsRunUrl": self.actions_run_url, "error": self.error,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hosting::requirements::deployments::PLAINTEXT_FORM;
    use crate::{Strict, Without};

    #[test]
    fn plaintext_round_trips_and_each_invalid_member_has_its_rule() {
        let plaintext =
            Plaintext { commit: Some("c".into()), error: Some("e".into()), ..Plaintext::default() };
        let json = plaintext.to_json();
        let parse = |json: &Value, rules: &mut Without| Plaintext::parse(json.to_string().as_bytes(), rules);
        assert_eq!(Plaintext::parse(json.to_string().as_bytes(), &mut Strict), Ok(plaintext));
        for (rule, name) in [
            (&PLAINTEXT_COMMIT, "commit"),
            (&PLAINTEXT_MESSAGE, "commitMessage"),
            (&PLAINTEXT_BRANCH, "branch"),
            (&PLAINTEXT_RUN, "actionsRunUrl"),
            (&PLAINTEXT_ERROR, "error"),
        ] {
            let mut wrong = json.clone();
            wrong[name] = 7.into();
            let refused = Plaintext::parse(wrong.to_string().as_bytes(), &mut Strict).unwrap_err();
            assert_eq!(refused.rule, rule);
            assert!(parse(&wrong, &mut Without(rule)).is_ok());
        }
        for bytes in [&b"\xc3"[..], b"7", b"{\"commit\":1,\"commit\":2}"] {
            assert_eq!(Plaintext::parse(bytes, &mut Strict).unwrap_err().rule, &PLAINTEXT_FORM);
        }
    }
}
