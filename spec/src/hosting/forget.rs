//! Cleans up after a deleted project (document 2, "FORGET message", "States and transitions", "Reading the STORE
//! message").
//!
//! One hash that a node cannot forget fails the whole batch. So hashes are classified first, and only valid targets
//! are included. A FORGET cannot reach an artifact that only a legacy `cid` names; it is reported.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::deployment::Deployment;
use super::fields::{Fields, LIST_ITEMS};
use super::record::Record;
use crate::crypto::address::Address;
use crate::hosting::mistakes::forget::{CLASSIFIED, DEDUPLICATED, EVERY, HASHES, LEGACY};
use crate::hosting::requirements::forget::{ADDRESS, TYPE};
use crate::network::store::{Class, Reading};
use crate::{Refused, Rules, Strict};

/// The plan for a deleted project's artifacts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The hashes of the FORGET, without duplicates, in the order of the deployments. If empty, no FORGET is sent.
    pub hashes: Vec<String>,
    /// The hashes that are left out, with the reason: the bytes are already gone, or nothing is known about them.
    pub left_out: Vec<(String, Class)>,
    /// Identifiers of deployments whose artifact no FORGET reaches.
    pub out_of_reach: Vec<String>,
}

/// Plans the FORGET of a project's deployments. `readings` are the classified responses to look-ups of
/// each `storeRef`; a hash without one counts as unknown.
pub fn plan(deployments: &[Deployment], readings: &BTreeMap<String, Reading>, rules: &mut dyn Rules) -> Plan {
    let mut plan = Plan::default();
    let refs = deployments.iter().filter_map(|deployment| deployment.public.store_ref.as_deref()).collect();
    let is_target = rules.step(&CLASSIFIED, |reading| reading.is_some_and(|reading| reading.forget_target));
    for hash in rules.derive(&DEDUPLICATED, refs, without_duplicates) {
        let reading = readings.get(hash);
        if is_target(reading) {
            plan.hashes.push(hash.to_owned());
        } else {
            plan.left_out.push((hash.to_owned(), reading.map_or(Class::Unknown, |reading| reading.class)));
        }
    }
    plan.hashes = rules.keep(&EVERY, plan.hashes);
    let legacy = deployments.iter().filter(|deployment| deployment.own_cid(&mut Strict).is_some());
    let legacy = legacy.map(|deployment| deployment.deployment_id.clone()).collect();
    plan.out_of_reach = rules.keep(&LEGACY, legacy);
    plan
}

fn without_duplicates(mut hashes: Vec<&str>) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    hashes.retain(|hash| seen.insert(*hash));
    hashes
}

/// The content of a FORGET.
pub fn content(owner: &str, hashes: &[String], time: i64) -> Value {
    json!({"address": owner, "hashes": hashes, "time": time})
}

/// Checks a FORGET against the rules for its writer, and returns its hashes.
pub fn judge(record: &Record, owner: Address, rules: &mut dyn Rules) -> Result<Vec<String>, Refused> {
    rules.require(&TYPE, record.kind == "FORGET", || format!("the type is {:.40}", record.kind))?;
    rules.require(&ADDRESS, record.address == owner, || format!("content.address is {}", record.address))?;
    let fields = Fields::new(&record.content, "content.");
    fields.read("hashes", &HASHES, rules, |hashes| {
        let hashes = hashes.as_array().filter(|hashes| !hashes.is_empty() && hashes.len() <= LIST_ITEMS)?;
        hashes.iter().map(|hash| hash.as_str().map(str::to_owned)).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hosting::requirements::forget::HASHES;
    use crate::network::store;
    use crate::{Id, Without};

    fn deployment(store_ref: Option<&str>, cid: Option<&str>) -> Deployment {
        let mut body = json!({
            "deploymentId": "deploy_AZaz09-_abcd", "projectId": "proj_AZaz09-_abcd", "schemaVersion": 3,
            "public": {"status": "live", "createdAt": "2026-03-04T05:06:07Z", "cid": cid},
        });
        if store_ref.is_some() {
            body["public"]["storeRef"] = json!(store_ref);
        }
        Deployment::parse(body.as_object().unwrap(), &mut Strict).unwrap()
    }

    fn readings() -> BTreeMap<String, Reading> {
        let read = |status: &str| {
            store::read(
                200,
                Some(&json!({"status": status, "message": {"type": "STORE", "content": {"item_hash": "c"}}})),
            )
        };
        [
            ("a", "processed"),
            ("b", "removing"),
            ("gone", "removed"),
            ("past", "forgotten"),
            ("soon", "pending"),
        ]
        .into_iter()
        .map(|(hash, status)| (hash.to_owned(), read(status)))
        .collect()
    }

    fn project() -> Vec<Deployment> {
        let refs = ["b", "a", "b", "gone", "past", "soon", "unasked"];
        let mut all: Vec<Deployment> = refs.iter().map(|hash| deployment(Some(hash), None)).collect();
        all.push(deployment(None, Some("bafy")));
        all.push(deployment(None, None));
        all
    }

    #[test]
    fn only_valid_targets_are_included_and_the_rest_is_reported() {
        let plan = plan(&project(), &readings(), &mut Strict);
        assert_eq!(plan.hashes, ["b", "a"]);
        let left_out: Vec<(&str, Class)> =
            plan.left_out.iter().map(|(hash, class)| (hash.as_str(), *class)).collect();
        assert_eq!(
            left_out,
            [
                ("gone", Class::Removed),
                ("past", Class::Forgotten),
                ("soon", Class::Unknown),
                ("unasked", Class::Unknown)
            ]
        );
        assert_eq!(plan.out_of_reach.len(), 1);
    }

    #[test]
    fn each_violated_rule_changes_the_plan() {
        let conforming = plan(&project(), &readings(), &mut Strict);
        let rules: [Id; 4] = [&DEDUPLICATED, &CLASSIFIED, &LEGACY, &EVERY];
        for rule in rules {
            assert_ne!(plan(&project(), &readings(), &mut Without(rule)), conforming, "{rule}");
        }
    }

    #[test]
    fn each_fault_of_a_record_breaks_one_rule_only() {
        let owner = Address([1; 20]);
        let record = |change: fn(&mut Value)| {
            let mut message = json!({
                "item_hash": "h", "sender": owner.to_string(), "type": "FORGET", "channel": "C", "signature": "",
                "content": content(&owner.to_string(), &["a".into()], 7),
            });
            change(&mut message);
            Record::parse(&message.to_string(), &mut Strict).unwrap()
        };
        assert_eq!(judge(&record(|_| ()), owner, &mut Strict), Ok(vec!["a".to_owned()]));
        let cases: [(Id, Record); 5] = [
            (&TYPE, record(|m| m["type"] = "POST".into())),
            (&ADDRESS, record(|m| m["content"]["address"] = Address([2; 20]).to_string().into())),
            (&HASHES, record(|m| m["content"]["hashes"] = json!([]))),
            (&HASHES, record(|m| m["content"]["hashes"] = json!(["a", 1]))),
            (&HASHES, record(|m| m["content"]["hashes"] = json!("a"))),
        ];
        for (rule, record) in cases {
            assert_eq!(judge(&record, owner, &mut Strict).unwrap_err().rule, rule);
            assert!(judge(&record, owner, &mut Without(rule)).is_ok());
        }
    }
}
