//! Writes projects, and checks what a writer must do.

use serde_json::{Map, Value, json};

use super::{Entry, KEY, Live, parse_public};
use crate::hosting::fields::{Fields, members};
use crate::hosting::record::Record;
use crate::hosting::requirements::projects::{ENTRY, KEY as KEY_RULE, MAP, TOMBSTONE, TYPE};
use crate::{Refused, Rules};

/// How a deleted entry is emptied; the document leaves it open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tombstone {
    /// Every member is an empty string, also those in `deks`.
    #[default]
    Literal,
    /// Every member is an empty string, also `deks` itself.
    FlatDeks,
    /// `v` and `alg` keep their values; every other string is empty.
    KeepVersion,
}

/// An entry's JSON, members in the document's order.
pub fn entry(live: &Live) -> Value {
    json!({
        "id": live.id,
        "schemaVersion": live.schema_version,
        "public": {
            "framework": live.public.framework, "deployTarget": live.public.deploy_target.name(),
            "createdAt": live.public.created_at, "updatedAt": live.public.updated_at,
            "deleted": live.public.deleted,
        },
        "encrypted": live.encrypted,
    })
}

/// The tombstone of a project.
pub fn tombstone(live: &Live, updated_at: &str, form: Tombstone) -> Value {
    let kept = |name: &str| match form {
        Tombstone::KeepVersion => live.encrypted.get(name).cloned().unwrap_or_else(|| "".into()),
        _ => "".into(),
    };
    let deks = match form {
        Tombstone::FlatDeks => Value::from(""),
        _ => json!({"user": "", "encryption": ""}),
    };
    let mut entry = entry(live);
    entry["public"]["updatedAt"] = updated_at.into();
    entry["public"]["deleted"] = true.into();
    entry["encrypted"] =
        json!({"v": kept("v"), "alg": kept("alg"), "ct": "", "iv": "", "tag": "", "deks": deks});
    entry
}

/// The content of the AGGREGATE that writes `entries`: always the complete map from project id to entry.
pub fn aggregate(owner: &str, entries: &Map<String, Value>, time: i64) -> Value {
    json!({"address": owner, "key": KEY, "content": entries, "time": time})
}

/// The entries of an AGGREGATE of projects, not parsed yet.
pub fn judge_aggregate<'a>(
    record: &'a Record,
    rules: &mut dyn Rules,
) -> Result<&'a Map<String, Value>, Refused> {
    rules.require(&TYPE, record.kind == "AGGREGATE", || format!("the type is {:.40}", record.kind))?;
    let key = record.key.as_deref();
    rules.require(&KEY_RULE, key == Some(KEY), || format!("the key is {:.40}", key.unwrap_or("missing")))?;
    record.body_of(&MAP, rules)
}

/// Checks an entry against the rules for its writer: its form and, if deleted, that everything encrypted is empty.
pub fn judge_entry(id: &str, value: &Value, rules: &mut dyn Rules) -> Result<(), Refused> {
    if let Entry::Live(_) = Entry::parse(id, value, rules)? {
        return Ok(());
    }
    let fields = Fields::new(members(value, "the entry", &ENTRY, rules)?, "");
    parse_public(&fields, rules)?;
    let encrypted = fields.value("encrypted").cloned().unwrap_or_default();
    let emptied = |pointer: &str| encrypted.pointer(pointer).and_then(Value::as_str) == Some("");
    let empty = ["/ct", "/iv", "/tag"].into_iter().all(emptied)
        && (emptied("/deks") || (emptied("/deks/user") && emptied("/deks/encryption")));
    rules.require(&TOMBSTONE, empty, || "the encrypted strings of a deleted project are not empty".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hosting::project::tests::{PROJECT, sample};
    use crate::{Strict, Without};

    fn live() -> Live {
        match Entry::parse(PROJECT, &sample(), &mut Strict).unwrap() {
            Entry::Live(live) => *live,
            Entry::Deleted(_) => panic!("it is not deleted"),
        }
    }

    #[test]
    fn written_entries_are_read_back() {
        assert_eq!(entry(&live()).to_string(), sample().to_string());
        assert!(judge_entry(PROJECT, &sample(), &mut Strict).is_ok());
    }

    #[test]
    fn every_tombstone_form_is_empty_and_deleted() {
        for form in [Tombstone::Literal, Tombstone::FlatDeks, Tombstone::KeepVersion] {
            let mut dead = tombstone(&live(), "2026-03-05T00:00:00.000Z", form);
            assert!(judge_entry(PROJECT, &dead, &mut Strict).is_ok(), "{dead}");
            assert!(matches!(Entry::parse(PROJECT, &dead, &mut Strict), Ok(Entry::Deleted(_))));
            dead["encrypted"]["tag"] = "AAAA".into();
            assert_eq!(judge_entry(PROJECT, &dead, &mut Strict).unwrap_err().rule, &TOMBSTONE);
            assert!(judge_entry(PROJECT, &dead, &mut Without(&TOMBSTONE)).is_ok());
        }
        let literal = tombstone(&live(), "2026-03-05T00:00:00.000Z", Tombstone::Literal);
        assert_eq!(
            literal["encrypted"].to_string(),
            r#"{"v":"","alg":"","ct":"","iv":"","tag":"","deks":{"user":"","encryption":""}}"#
        );
        assert_eq!(literal["public"]["createdAt"], sample()["public"]["createdAt"]);
    }
}
