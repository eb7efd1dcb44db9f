//! Deployments (document 2, "Deployment records"): the content of one deployment message.

mod plaintext;
mod write;

use serde_json::{Map, Number, Value};

pub use plaintext::Plaintext;
pub use write::{amend, creation, judge_amend, judge_creation, judge_terminal, terminal_of, to_json};

use super::fields::{Fields, is_iso};
use super::identifier::{require_deployment, require_project};
use crate::hosting::mistakes::deployments::{LEGACY_CID, LEGACY_READ, LEGACY_WARNING, STATUS};
use crate::hosting::recovery::LEGACY_SCHEMA;
use crate::hosting::requirements::deployments::{
    CREATED_AT, DEPLOYMENT_ID, ENCRYPTED, FINISHED_AT, PROJECT_ID, PUBLIC, RUN_ATTEMPT, RUN_ID,
    SCHEMA as SCHEMA_RULE, STORE_REF, URL,
};
use crate::hosting::requirements::instances::{BUNDLE_HASH, BUNDLE_STORE_REF};
use crate::json;
use crate::{Refused, Rules};

/// The schema version of new records; earlier ones are legacy.
pub const SCHEMA: i64 = 4;
/// The content type of an amend.
pub const AMEND: &str = "amend";

/// The status of a deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Waiting to be built.
    Queued,
    /// Succeeded.
    Live,
    /// Failed.
    Failed,
}

impl Status {
    /// The status' name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Status::Queued => "queued",
            Status::Live => "live",
            Status::Failed => "failed",
        }
    }

    /// The status with exactly this name.
    pub fn named(name: &str) -> Option<Status> {
        [Status::Queued, Status::Live, Status::Failed].into_iter().find(|status| status.name() == name)
    }
}

/// The content of one deployment message.
#[derive(Clone, Debug, PartialEq)]
pub struct Deployment {
    /// The deployment's identifier.
    pub deployment_id: String,
    /// The project's identifier.
    pub project_id: String,
    /// The schema version; a legacy record may have none.
    pub schema: Option<i64>,
    /// The public part.
    pub public: Public,
    /// The envelope, not parsed; a legacy record may have none.
    pub encrypted: Option<Map<String, Value>>,
}

/// The public part of a deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Public {
    /// The status.
    pub status: Status,
    /// The item hash of the artifact's STORE message.
    pub store_ref: Option<String>,
    /// Where the site is available.
    pub url: Option<String>,
    /// The number of the run that built it.
    pub run_id: Option<Number>,
    /// The attempt of that run.
    pub run_attempt: Option<Number>,
    /// ISO 8601, as written.
    pub created_at: String,
    /// ISO 8601, as written.
    pub finished_at: Option<String>,
    /// SHA-256 of an encrypted bundle as pinned, in hex.
    pub bundle_hash: Option<String>,
    /// The content identifier in a legacy record.
    pub cid: Option<String>,
}

impl Deployment {
    /// Reads `content.content` of a creation or an amend. Records before schema 4 may lack most of it.
    pub fn parse(body: &Map<String, Value>, rules: &mut dyn Rules) -> Result<Deployment, Refused> {
        let fields = Fields::new(body, "");
        let is_known = rules.step(&LEGACY_READ, is_known_schema);
        let stated = fields.value("schemaVersion");
        rules.require(&SCHEMA_RULE, is_known(stated), || fields.shown("schemaVersion"))?;
        let schema = stated.and_then(json::integer);
        let legacy = schema.is_none_or(|version| version < SCHEMA);
        let deployment_id = fields.text("deploymentId", &DEPLOYMENT_ID, rules)?;
        let project_id = fields.text("projectId", &PROJECT_ID, rules)?;
        // When the row that requires a string is violated, there may be no string.
        if !deployment_id.is_empty() {
            require_deployment(&deployment_id, rules)?;
        }
        if !project_id.is_empty() {
            require_project(&project_id, rules)?;
        }
        let public = fields.object("public", &PUBLIC, rules)?;
        Ok(Deployment {
            deployment_id,
            project_id,
            schema,
            public: Public::parse(public, legacy, rules)?,
            encrypted: match fields.value("encrypted") {
                None | Some(Value::Null) if legacy => None,
                _ => Some(fields.object("encrypted", &ENCRYPTED, rules)?.clone()),
            },
        })
    }

    /// Whether the schema is older than the current one.
    pub fn is_legacy(&self) -> bool {
        self.schema.is_none_or(|schema| schema < SCHEMA)
    }

    /// The hash of the bundle's STORE message, which a live deployment to an instance has; empty if the rule is
    /// violated.
    pub fn bundle(&self, rules: &mut dyn Rules) -> Result<&str, Refused> {
        let stated = self.public.store_ref.as_deref().unwrap_or_default();
        rules.require(&BUNDLE_STORE_REF, !stated.is_empty(), || {
            "public.storeRef is missing, so the deployment has no bundle".to_owned()
        })?;
        Ok(stated)
    }

    /// The content identifier in the record itself: a legacy record without a reference to a STORE.
    pub fn own_cid(&self, rules: &mut dyn Rules) -> Option<&str> {
        let cid = self.public.cid.as_deref().filter(|_| self.is_legacy() && self.public.store_ref.is_none());
        rules.keep(&LEGACY_CID, cid)
    }

    /// The documented warning for a legacy record.
    pub fn warning(&self, rules: &mut dyn Rules) -> Option<&'static str> {
        rules.keep(&LEGACY_WARNING, self.is_legacy().then_some(LEGACY_SCHEMA))
    }
}

impl Public {
    fn parse(members: &Map<String, Value>, legacy: bool, rules: &mut dyn Rules) -> Result<Public, Refused> {
        let fields = Fields::new(members, "public.");
        // A legacy record's missing members are null.
        let lacks = |name: &str| legacy && fields.value(name).is_none();
        let text = |name, rule, rules: &mut dyn Rules| {
            if lacks(name) { Ok(None) } else { fields.text_or_null(name, rule, rules) }
        };
        let number = |name, rule, rules: &mut dyn Rules| {
            if lacks(name) { Ok(None) } else { fields.number_or_null(name, rule, rules) }
        };
        Ok(Public {
            status: fields.read("status", &STATUS, rules, |status| Status::named(status.as_str()?))?,
            store_ref: text("storeRef", &STORE_REF, rules)?,
            url: text("url", &URL, rules)?,
            run_id: number("runId", &RUN_ID, rules)?,
            run_attempt: number("runAttempt", &RUN_ATTEMPT, rules)?,
            created_at: fields.text_that("createdAt", &CREATED_AT, rules, is_iso)?,
            finished_at: if lacks("finishedAt") {
                None
            } else {
                fields.moment_or_null("finishedAt", &FINISHED_AT, rules)?
            },
            bundle_hash: match fields.value("bundleHash") {
                None | Some(Value::Null) => None,
                Some(_) => Some(fields.text_that("bundleHash", &BUNDLE_HASH, rules, is_sha256)?),
            },
            cid: match fields.value("cid") {
                // In a record of another schema this member belongs to another application.
                Some(_) if legacy => fields.text_or_null("cid", &PUBLIC, rules)?,
                _ => None,
            },
        })
    }
}

/// Whether a reader knows the schema version. A legacy record may have none.
fn is_known_schema(stated: Option<&Value>) -> bool {
    stated.is_none_or(|stated| json::integer(stated).is_some_and(|version| (1..=SCHEMA).contains(&version)))
}

/// Whether `text` is a SHA-256 in hex.
fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::hosting::requirements::identifiers;
    use crate::{Id, Strict, Without};

    pub(super) fn sample() -> Value {
        json!({
            "deploymentId": "deploy_AZaz09-_abcd", "projectId": "proj_AZaz09-_abcd", "schemaVersion": 4,
            "public": {
                "status": "queued", "storeRef": null, "url": null, "runId": 7, "runAttempt": null,
                "createdAt": "2026-03-04T05:06:07.089Z", "finishedAt": null,
            },
            "encrypted": {"v": 3},
        })
    }

    fn with(pointer: &str, value: Value) -> Value {
        let mut body = sample();
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        body.pointer_mut(parent).unwrap()[name] = value;
        body
    }

    fn parse(body: &Value, rules: &mut dyn Rules) -> Result<Deployment, Refused> {
        Deployment::parse(body.as_object().unwrap(), rules)
    }

    #[test]
    fn each_fault_breaks_one_rule_only() {
        let cases: [(Id, &str, Value); 24] = [
            (&SCHEMA_RULE, "/schemaVersion", 5.into()),
            (&SCHEMA_RULE, "/schemaVersion", 0.into()),
            (&SCHEMA_RULE, "/schemaVersion", "4".into()),
            (&DEPLOYMENT_ID, "/deploymentId", 1.into()),
            (&PROJECT_ID, "/projectId", Value::Null),
            (&identifiers::DEPLOYMENT, "/deploymentId", "deploy_".into()),
            (&identifiers::PROJECT, "/projectId", "proj_AZaz09-_abc".into()),
            (&PUBLIC, "/public", json!([])),
            (&STATUS, "/public/status", "done".into()),
            (&STATUS, "/public/status", Value::Null),
            (&STORE_REF, "/public/storeRef", 1.into()),
            (&STORE_REF, "/public/storeRef", "x".repeat(70_000).into()),
            (&URL, "/public/url", json!([])),
            (&RUN_ID, "/public/runId", "7".into()),
            (&RUN_ID, "/public/runId", json!([7])),
            (&RUN_ATTEMPT, "/public/runAttempt", true.into()),
            (&CREATED_AT, "/public/createdAt", Value::Null),
            (&CREATED_AT, "/public/createdAt", 7.into()),
            (&FINISHED_AT, "/public/finishedAt", "soon".into()),
            (&FINISHED_AT, "/public/finishedAt", 7.into()),
            (&BUNDLE_HASH, "/public/bundleHash", "ab".into()),
            (&BUNDLE_HASH, "/public/bundleHash", "g".repeat(64).into()),
            (&ENCRYPTED, "/encrypted", Value::Null),
            (&ENCRYPTED, "/encrypted", "".into()),
        ];
        for (rule, pointer, wrong) in cases {
            let body = with(pointer, wrong);
            assert_eq!(parse(&body, &mut Strict).expect_err(pointer).rule, rule, "{body:.300}");
            // Without `public` none of its members can be read.
            assert!(
                rule == &PUBLIC || parse(&body, &mut Without(rule)).is_ok(),
                "{body:.300} without {rule}"
            );
        }
        for missing in ["storeRef", "url", "runId", "runAttempt", "finishedAt", "createdAt", "status"] {
            let mut body = sample();
            body["public"].as_object_mut().unwrap().shift_remove(missing);
            assert!(parse(&body, &mut Strict).is_err(), "{missing}");
        }
    }

    #[test]
    fn runs_are_numbers_in_any_notation() {
        for (number, read) in [("7", "7"), ("7.0", "7"), ("7.50", "7.5"), ("1e3", "1000"), ("-1", "-1")] {
            let body = sample().to_string().replace("\"runId\":7", &format!("\"runId\":{number}"));
            let body = crate::json::parse_unique(&body).unwrap();
            let run = parse(&body, &mut Strict).unwrap().public.run_id;
            assert_eq!(run.unwrap().to_string(), read, "{number}");
        }
    }

    #[test]
    fn missing_reference_means_no_bundle() {
        let none = parse(&sample(), &mut Strict).unwrap();
        assert_eq!(none.bundle(&mut Strict).unwrap_err().rule, &BUNDLE_STORE_REF);
        assert_eq!(none.bundle(&mut Without(&BUNDLE_STORE_REF)), Ok(""));
        let given = parse(&with("/public/storeRef", "ab".into()), &mut Strict).unwrap();
        assert_eq!(given.bundle(&mut Strict), Ok("ab"));
    }

    #[test]
    fn legacy_records_may_lack_members() {
        for schema in [Some(1), Some(3), None] {
            let mut body = json!({
                "deploymentId": "deploy_AZaz09-_abcd", "projectId": "proj_AZaz09-_abcd",
                "public": {"status": "live", "cid": "bafy", "createdAt": "2024-03-04T05:06:07Z"},
            });
            if let Some(schema) = schema {
                body["schemaVersion"] = schema.into();
            }
            let read = parse(&body, &mut Strict).unwrap();
            assert_eq!((read.is_legacy(), read.own_cid(&mut Strict)), (true, Some("bafy")));
            assert_eq!(read.own_cid(&mut Without(&LEGACY_CID)), None);
            assert_eq!(parse(&body, &mut Without(&LEGACY_READ)).unwrap_err().rule, &SCHEMA_RULE);
            body["public"]["storeRef"] = "ref".into();
            assert_eq!(parse(&body, &mut Strict).unwrap().own_cid(&mut Strict), None);
        }
        let modern = with("/public/cid", "bafy".into());
        assert_eq!(parse(&modern, &mut Strict).unwrap().own_cid(&mut Strict), None);
    }
}
