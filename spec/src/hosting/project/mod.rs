//! Projects (document 2, "Projects aggregate"): the entries of the aggregate `projects`.

mod plaintext;
mod write;

use serde_json::{Map, Value};

pub(super) use plaintext::NAMES;
pub(crate) use plaintext::object;
pub use plaintext::{Plaintext, Source};
pub use write::{Tombstone, aggregate, entry, judge_aggregate, judge_entry, tombstone};

use super::fields::{Fields, members};
use super::identifier::require_project;
use crate::hosting::mistakes::projects::{
    DELETED, DEPLOY_TARGET, SCHEMA_READ, SCHEMA_VERSION, TOMBSTONE_READ,
};
use crate::hosting::requirements::projects::{CREATED_AT, ENCRYPTED, ENTRY, FRAMEWORK, ID, UPDATED_AT};
use crate::json;
use crate::{Refused, Rules};

/// The aggregate's key.
pub const KEY: &str = "projects";
/// The schema version of new entries; versions 1 and 2 are read the same way.
pub const SCHEMA: i64 = 1;
/// The accepted schema versions.
pub const SCHEMAS: [i64; 2] = [1, 2];

/// The target of a project's deployments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DeployTarget {
    /// IPFS content.
    Ipfs,
    /// A virtual machine.
    Instance,
}

impl DeployTarget {
    /// The target's name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            DeployTarget::Ipfs => "ipfs",
            DeployTarget::Instance => "instance",
        }
    }

    /// The target with exactly this name.
    pub fn named(name: &str) -> Option<DeployTarget> {
        [DeployTarget::Ipfs, DeployTarget::Instance].into_iter().find(|target| target.name() == name)
    }
}

/// The public part of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Public {
    /// The framework's identifier.
    pub framework: String,
    /// The target of its deployments.
    pub deploy_target: DeployTarget,
    /// ISO 8601, as written.
    pub created_at: String,
    /// ISO 8601, as written.
    pub updated_at: String,
    /// Whether the project is deleted.
    pub deleted: bool,
}

/// An entry of the aggregate.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// A project that is not deleted.
    Live(Box<Live>),
    /// A deleted project: its `public`, not parsed. Nothing else is read.
    Deleted(Map<String, Value>),
}

/// A project that is not deleted.
#[derive(Clone, Debug, PartialEq)]
pub struct Live {
    /// The identifier.
    pub id: String,
    /// The entry's schema version.
    pub schema_version: i64,
    /// The public part.
    pub public: Public,
    /// The envelope, not parsed.
    pub encrypted: Map<String, Value>,
}

impl Entry {
    /// Reads the entry under `id`. `public.deleted` alone marks an entry as a tombstone.
    pub fn parse(id: &str, value: &Value, rules: &mut dyn Rules) -> Result<Entry, Refused> {
        require_project(id, rules)?;
        let members = members(value, "the entry", &ENTRY, rules)?;
        let public = members.get("public").and_then(Value::as_object);
        let deleted = public.and_then(|public| public.get("deleted")).and_then(Value::as_bool) == Some(true);
        if rules.keep(&TOMBSTONE_READ, deleted) {
            return Ok(Entry::Deleted(public.cloned().unwrap_or_default()));
        }
        Live::parse(id, members, rules).map(|live| Entry::Live(Box::new(live)))
    }
}

impl Live {
    fn parse(id: &str, members: &Map<String, Value>, rules: &mut dyn Rules) -> Result<Live, Refused> {
        let fields = Fields::new(members, "");
        let known = rules.keep(&SCHEMA_READ, &SCHEMAS[..]);
        let schema_version = fields.read("schemaVersion", &SCHEMA_VERSION, rules, |version| {
            json::integer(version).filter(|version| known.contains(version))
        })?;
        let stated = fields.text_that("id", &ID, rules, |stated| stated == id)?;
        let public = parse_public(&fields, rules)?;
        let encrypted = fields.object("encrypted", &ENCRYPTED, rules)?.clone();
        Ok(Live { id: stated, schema_version, public, encrypted })
    }
}

/// Reads `public` of an entry, deleted or not.
fn parse_public(entry: &Fields<'_>, rules: &mut dyn Rules) -> Result<Public, Refused> {
    let public = Fields::new(entry.object("public", &ENTRY, rules)?, "public.");
    Ok(Public {
        framework: public.text_that("framework", &FRAMEWORK, rules, |name| !name.is_empty())?,
        deploy_target: public
            .read("deployTarget", &DEPLOY_TARGET, rules, |target| DeployTarget::named(target.as_str()?))?,
        created_at: public.moment("createdAt", &CREATED_AT, rules)?,
        updated_at: public.moment("updatedAt", &UPDATED_AT, rules)?,
        deleted: public.read("deleted", &DELETED, rules, Value::as_bool)?,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::hosting::requirements::identifiers;
    use crate::hosting::requirements::projects::{DELETED, DEPLOY_TARGET, SCHEMA_VERSION};
    use crate::{Id, Strict, Without};

    pub(super) const PROJECT: &str = "proj_AZaz09-_abcd";

    pub(super) fn sample() -> Value {
        json!({
            "id": PROJECT, "schemaVersion": 1,
            "public": {
                "framework": "static", "deployTarget": "ipfs", "createdAt": "2026-03-04T05:06:07.089Z",
                "updatedAt": "2026-03-04T05:06:07.089Z", "deleted": false,
            },
            "encrypted": {"v": 3},
        })
    }

    fn with(pointer: &str, value: Value) -> Value {
        let mut entry = sample();
        *entry.pointer_mut(pointer).unwrap() = value;
        entry
    }

    #[test]
    fn both_schema_versions_are_read_the_same_way() {
        for schema in SCHEMAS {
            let entry = Entry::parse(PROJECT, &with("/schemaVersion", schema.into()), &mut Strict).unwrap();
            let Entry::Live(live) = entry else { panic!("it is not deleted") };
            assert_eq!((live.schema_version, live.public.deploy_target), (schema, DeployTarget::Ipfs));
        }
        let second = with("/schemaVersion", 2.into());
        assert!(Entry::parse(PROJECT, &second, &mut Without(&SCHEMA_READ)).is_err());
    }

    #[test]
    fn each_fault_breaks_one_rule_only() {
        let cases: [(Id, Value); 14] = [
            (&ENTRY, json!([])),
            (&ENTRY, with("/public", json!("x"))),
            (&ID, with("/id", "proj_AZaz09-_abce".into())),
            (&ID, with("/id", 1.into())),
            (&SCHEMA_VERSION, with("/schemaVersion", "1".into())),
            (&SCHEMA_VERSION, with("/schemaVersion", 3.into())),
            (&FRAMEWORK, with("/public/framework", Value::Null)),
            (&FRAMEWORK, with("/public/framework", "x".repeat(70_000).into())),
            (&DEPLOY_TARGET, with("/public/deployTarget", "moon".into())),
            (&CREATED_AT, with("/public/createdAt", 1.into())),
            (&UPDATED_AT, with("/public/updatedAt", "yesterday".into())),
            (&DELETED, with("/public/deleted", "no".into())),
            (&ENCRYPTED, with("/encrypted", Value::Null)),
            (&ENCRYPTED, with("/encrypted", "".into())),
        ];
        for (rule, entry) in cases {
            let strict = Entry::parse(PROJECT, &entry, &mut Strict);
            assert_eq!(strict.expect_err(&entry.to_string()).rule, rule, "{entry:.200}");
            let violated = Entry::parse(PROJECT, &entry, &mut Without(rule));
            assert!(violated.is_ok() || entry.is_array() || rule == &ENTRY, "{entry:.200} without {rule}");
        }
        let odd = Entry::parse("proj_", &with("/id", "proj_".into()), &mut Strict);
        assert_eq!(odd.unwrap_err().rule, &identifiers::PROJECT);
    }

    #[test]
    fn deleted_flag_alone_marks_a_tombstone() {
        let deleted = with("/public/deleted", true.into());
        for encrypted in [
            json!({"v": "", "alg": "", "ct": "", "iv": "", "tag": "", "deks": {"user": "", "encryption": ""}}),
            json!({"v": "", "alg": "", "ct": "", "iv": "", "tag": "", "deks": ""}),
            json!({"v": 3, "alg": "aes-256-gcm", "ct": "", "iv": "", "tag": "", "deks": {"user": "", "encryption": ""}}),
            json!({"v": 3, "ct": "AA==", "deks": 7}),
            json!(null),
            json!("gone"),
        ] {
            let mut entry = deleted.clone();
            entry["encrypted"] = encrypted;
            let read = Entry::parse(PROJECT, &entry, &mut Strict).unwrap();
            assert!(matches!(read, Entry::Deleted(_)), "{entry}");
        }
        let bare = json!({"public": {"deleted": true}});
        assert!(matches!(Entry::parse(PROJECT, &bare, &mut Strict), Ok(Entry::Deleted(_))));
        assert!(Entry::parse(PROJECT, &bare, &mut Without(&TOMBSTONE_READ)).is_err());
    }
}
