//! `amends.resolve`, `vm_claim.select`, `hosting.authority` and `hosting.record`.

use assay_spec::crypto::address::Address;
use assay_spec::hosting::authority::{Act, allows};
use assay_spec::hosting::deployment::Deployment;
use assay_spec::hosting::project::{Entry, Plaintext};
use assay_spec::hosting::record::Record;
use assay_spec::hosting::recovery::resolve;
use assay_spec::hosting::requirements::{amends, authority, claims, identifiers, security as rows};
use assay_spec::hosting::security::{self, Security};
use assay_spec::hosting::{claim, forget, identifier};
use assay_spec::{Dialect, Id, Refused, Rules};
use serde_json::{Map, Value, json};

use super::bad;
use crate::op::{Members, OpError};

/// The authoritative record of an amend chain and its content.
pub(in crate::op) fn resolve_amends(
    dialect: &Dialect,
    input: &Members<'_>,
    rules: &mut dyn Rules,
) -> Result<Value, OpError> {
    let creation = input.text("creation")?;
    let mut records = Vec::new();
    for message in input.list("messages")? {
        records.push(Record::parse(&message.to_string(), rules).map_err(staged)?);
    }
    let listed = input.list("authorized")?.iter().map(|each| each.as_str().and_then(Address::parse));
    let listed: Option<Vec<Address>> = listed.collect();
    let listed = listed.ok_or_else(|| bad("authorized: addresses are missing"))?;
    // An empty list differs from a missing one: with an empty list no record counts.
    let authorized = input.value("authorized").map(|_| listed);
    let resolved = resolve(creation, &records, authorized.as_deref(), dialect, rules).map_err(staged)?;
    Ok(json!({
        "leaf": resolved.leaf,
        "status": resolved.status,
        "store_ref": resolved.store_ref,
        "warnings": resolved.warnings,
    }))
}

/// The selected claim of a machine.
pub(in crate::op) fn select_claim(
    dialect: &Dialect,
    input: &Members<'_>,
    rules: &mut dyn Rules,
) -> Result<Value, OpError> {
    let instance = input.text("instance_hash")?;
    let (mut records, mut unread) = (Vec::new(), None);
    for message in input.list("claims")? {
        match Record::parse(&message.to_string(), rules) {
            Ok(record) => records.push(record),
            Err(refused) => unread = unread.or(Some(refused)),
        }
    }
    let (chosen, refused) = claim::winner(&records, instance, dialect, rules);
    if let Some(chosen) = chosen {
        return Ok(json!({"item_hash": chosen.item_hash, "pubkey": chosen.pubkey}));
    }
    if let Some(refused) = refused.into_iter().map(|(_, refused)| refused).next().or(unread) {
        return Err(staged(refused));
    }
    rules
        .require(&claims::INSTANCE_HASH, false, || format!("no claim for {instance:.80}"))
        .map_err(staged)?;
    Ok(json!({"item_hash": null, "pubkey": null}))
}

/// Whether and why a signer is authorized to write a record for an owner.
pub(in crate::op) fn judge_authority(
    dialect: &Dialect,
    input: &Members<'_>,
    rules: &mut dyn Rules,
) -> Result<Value, OpError> {
    let (content, act) = (input.object("security")?, input.object("act")?);
    let (security, faults) = Security::read(content.map(), rules);
    // An encryption key among the signers is only reported here. The entry authorizes nothing.
    if let Some(fault) = faults.into_iter().find(|fault| fault.rule != &rows::NOT_A_SIGNER) {
        return Err(staged(fault));
    }
    let address = |members: &Members<'_>, name: &str| {
        Address::parse(members.text(name)?).ok_or_else(|| bad(&format!("{name}: an address is missing")))
    };
    let act = Act {
        signer: address(&act, "signer")?,
        address: Some(address(&act, "address")?),
        kind: act.text("type")?,
        channel: act.text("channel")?,
        key: act.optional_text("key")?,
        post_type: act.optional_text("post_type")?,
    };
    let standing = allows(address(input, "owner")?, &security, &act, dialect, rules).map_err(staged)?;
    Ok(json!({"standing": standing}))
}

/// Reads a single item: a project entry or its plaintext, the content of a deployment or bundle message, a security or
/// FORGET record, or an identifier.
pub(in crate::op) fn read_record(
    dialect: &Dialect,
    input: &Members<'_>,
    rules: &mut dyn Rules,
) -> Result<Value, OpError> {
    match input.text("kind")? {
        "project" => {
            let entry = input.object("value")?.map();
            let entry =
                Entry::parse(input.text("id")?, &Value::Object(entry.clone()), rules).map_err(staged)?;
            Ok(match entry {
                Entry::Deleted(_) => json!({"deleted": true, "schema_version": null}),
                Entry::Live(live) => json!({"deleted": false, "schema_version": live.schema_version}),
            })
        }
        "plaintext" => {
            let read = Plaintext::parse(input.text("value")?.as_bytes(), dialect, rules).map_err(staged)?;
            Ok(json!({"plaintext": read.to_json(dialect)}))
        }
        "bundle" => {
            let state = Deployment::parse(input.object("value")?.map(), rules).map_err(staged)?;
            let store_ref = state.bundle(rules).map_err(staged)?;
            Ok(json!({"store_ref": store_ref, "bundle_hash": state.public.bundle_hash}))
        }
        "deployment" => read_deployment(input.object("value")?.map(), rules),
        "security" => {
            let record =
                Record::parse(&Value::Object(input.object("value")?.map().clone()).to_string(), rules)
                    .map_err(staged)?;
            let body = security::body(&record, rules).map_err(staged)?;
            let members: Vec<&String> = body.keys().collect();
            Ok(json!({"members": members}))
        }
        "forget" => {
            let record =
                Record::parse(&Value::Object(input.object("value")?.map().clone()).to_string(), rules)
                    .map_err(staged)?;
            Ok(json!({"hashes": forget::judge(&record, record.address, rules).map_err(staged)?}))
        }
        "drop" => {
            let text = input.text("value")?;
            let good = identifier::is_drop(text);
            rules
                .require(&identifiers::DROP, good, || format!("not a drop id: {text:.40}"))
                .map_err(staged)?;
            Ok(json!({}))
        }
        _ => Err(bad("kind: project, plaintext, deployment, bundle, security, forget or drop is missing")),
    }
}

fn read_deployment(body: &Map<String, Value>, rules: &mut dyn Rules) -> Result<Value, OpError> {
    let state = Deployment::parse(body, rules).map_err(staged)?;
    let warnings: Vec<&str> = state.warning(rules).into_iter().collect();
    Ok(json!({
        "status": state.public.status,
        "store_ref": state.public.store_ref,
        "cid": state.own_cid(rules),
        "warnings": warnings,
    }))
}

fn staged(refused: Refused) -> OpError {
    let verified: [Id; 3] = [&claims::SIGNATURE, &claims::SENDER, &claims::KEY_OF_ADDRESS];
    let checked = refused.rule == &amends::CREATION || authority::ALL.contains(&refused.rule);
    let stage = match refused.rule {
        rule if verified.contains(&rule) => "verify",
        _ if checked => "check",
        _ => "parse",
    };
    (refused, stage).into()
}
