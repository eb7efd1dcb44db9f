//! Writes deployments, and checks what a writer must do.

use serde_json::{Map, Value, json};

use super::{AMEND, Deployment, SCHEMA, Status};
use crate::hosting::record::Record;
use crate::hosting::requirements::deployments::{
    AMEND_REF, AMEND_TYPE, BODY, CONTENT_TYPE, CREATION_FINISHED, CREATION_QUEUED, CREATION_STORE_REF,
    CREATION_URL, FAILED_STORE_REF, LIVE_STORE_REF, SAME_DEPLOYMENT, SAME_PROJECT, SCHEMA as SCHEMA_RULE,
    TERMINAL_STATUS, TYPE,
};
use crate::json;
use crate::{Dialect, Refused, Rules};

/// The JSON of `content.content`, members in the document's order. The members of an instance deployment and of a
/// legacy record are written if given.
pub fn to_json(deployment: &Deployment) -> Value {
    let public = &deployment.public;
    let mut body = json!({"deploymentId": deployment.deployment_id, "projectId": deployment.project_id});
    if let Some(schema) = deployment.schema {
        body["schemaVersion"] = schema.into();
    }
    body["public"] = json!({"status": public.status.name()});
    let members = &mut body["public"];
    match &public.cid {
        Some(cid) => members["cid"] = cid.as_str().into(),
        None => members["storeRef"] = json!(public.store_ref),
    }
    members["url"] = json!(public.url);
    members["runId"] = json!(public.run_id);
    members["runAttempt"] = json!(public.run_attempt);
    members["createdAt"] = public.created_at.as_str().into();
    members["finishedAt"] = json!(public.finished_at);
    if let Some(hash) = &public.bundle_hash {
        members["bundleHash"] = hash.as_str().into();
    }
    if let Some(encrypted) = &deployment.encrypted {
        body["encrypted"] = Value::Object(encrypted.clone());
    }
    body
}

/// The content of a creation POST.
pub fn creation(dialect: &Dialect, address: &str, deployment: &Deployment, time: i64) -> Value {
    json!({
        "address": address, "type": dialect.deployment_type, "content": to_json(deployment), "time": time,
    })
}

/// The content of an amend of the message `target`.
pub fn amend(address: &str, target: &str, deployment: &Deployment, time: i64) -> Value {
    json!({"address": address, "type": AMEND, "ref": target, "content": to_json(deployment), "time": time})
}

/// The content of a terminal amend: the creation's members with the outcome. A `store_ref` makes it live.
pub fn terminal_of(
    created: &Deployment,
    store_ref: Option<&str>,
    url: Option<&str>,
    finished_at: &str,
    encrypted: Map<String, Value>,
) -> Deployment {
    let mut ended = created.clone();
    ended.public.status = if store_ref.is_some() { Status::Live } else { Status::Failed };
    ended.public.store_ref = store_ref.map(str::to_owned);
    ended.public.url = url.map(str::to_owned);
    ended.public.finished_at = Some(finished_at.to_owned());
    ended.encrypted = Some(encrypted);
    ended
}

/// Checks a creation against the rules for its writer.
pub fn judge_creation(
    record: &Record,
    dialect: &Dialect,
    rules: &mut dyn Rules,
) -> Result<Deployment, Refused> {
    let stated = record.content_type.as_deref() == Some(dialect.deployment_type.as_str());
    rules.require(&CONTENT_TYPE, stated, || shown_type(record))?;
    let deployment = body(record, rules)?;
    let public = &deployment.public;
    rules.require(&CREATION_QUEUED, public.status == Status::Queued, || {
        format!("public.status is {}", public.status.name())
    })?;
    rules.require(&CREATION_STORE_REF, public.store_ref.is_none(), || {
        "public.storeRef is not null".to_owned()
    })?;
    rules.require(&CREATION_URL, public.url.is_none(), || "public.url is not null".to_owned())?;
    rules.require(&CREATION_FINISHED, public.finished_at.is_none(), || {
        "public.finishedAt is not null".to_owned()
    })?;
    Ok(deployment)
}

/// Reads an amend: the record that it amends, and its content.
pub fn judge_amend(record: &Record, rules: &mut dyn Rules) -> Result<(String, Deployment), Refused> {
    rules.require(&AMEND_TYPE, record.content_type.as_deref() == Some(AMEND), || shown_type(record))?;
    let target = record.target.clone().unwrap_or_default();
    rules.require(&AMEND_REF, !target.is_empty(), || "content.ref is missing or empty".to_owned())?;
    Ok((target, body(record, rules)?))
}

/// Checks a terminal amend against the rules for its writer; `creation` is the item hash and content of its creation.
pub fn judge_terminal(
    record: &Record,
    creation: (&str, &Deployment),
    rules: &mut dyn Rules,
) -> Result<Deployment, Refused> {
    let (target, ended) = judge_amend(record, rules)?;
    rules.require(&AMEND_REF, target == creation.0, || format!("content.ref is {target:.80}"))?;
    let public = &ended.public;
    rules.require(&SAME_DEPLOYMENT, ended.deployment_id == creation.1.deployment_id, || {
        format!("deploymentId is {:.40}", ended.deployment_id)
    })?;
    rules.require(&SAME_PROJECT, ended.project_id == creation.1.project_id, || {
        format!("projectId is {:.40}", ended.project_id)
    })?;
    rules.require(&TERMINAL_STATUS, public.status != Status::Queued, || {
        "public.status is queued".to_owned()
    })?;
    let given = public.store_ref.as_deref().is_some_and(|store_ref| !store_ref.is_empty());
    rules.require(&LIVE_STORE_REF, given || public.status != Status::Live, || {
        "a live deployment has no public.storeRef".to_owned()
    })?;
    rules.require(
        &FAILED_STORE_REF,
        public.store_ref.is_none() || public.status != Status::Failed,
        || "a failed deployment has a public.storeRef".to_owned(),
    )?;
    Ok(ended)
}

fn body(record: &Record, rules: &mut dyn Rules) -> Result<Deployment, Refused> {
    rules.require(&TYPE, record.kind == "POST", || format!("the type is {:.40}", record.kind))?;
    let body = record.body_of(&BODY, rules)?;
    let version = body.get("schemaVersion").and_then(json::integer);
    rules.require(&SCHEMA_RULE, version == Some(SCHEMA), || format!("schemaVersion is {version:?}"))?;
    Deployment::parse(body, rules)
}

fn shown_type(record: &Record) -> String {
    format!("content.type is {:.60}", record.content_type.as_deref().unwrap_or("missing"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crypto::address::Address;
    use crate::hosting::deployment::tests::sample;
    use crate::{Id, Strict, Without};

    fn record(content: Value) -> Record {
        let Value::Object(content) = content else { panic!("an object") };
        let text = |name: &str| content.get(name).and_then(Value::as_str).map(str::to_owned);
        Record {
            item_hash: "h".into(),
            sender: Address([1; 20]),
            kind: "POST".into(),
            channel: "SVC_CHANNEL_V1".into(),
            signature: String::new(),
            address: Address([1; 20]),
            key: None,
            content_type: text("type"),
            target: text("ref"),
            time: 1,
            text: String::new(),
            content,
        }
    }

    fn created() -> Deployment {
        Deployment::parse(sample().as_object().unwrap(), &mut Strict).unwrap()
    }

    #[test]
    fn written_records_are_read_back() {
        assert_eq!(to_json(&created()).to_string(), sample().to_string());
        let content = creation(&Dialect::default(), "0x1", &created(), 7);
        assert_eq!(judge_creation(&record(content), &Dialect::default(), &mut Strict), Ok(created()));
        let mut live =
            terminal_of(&created(), Some("s"), Some("https://u"), "2026-03-04T05:07:00.000Z", Map::new());
        live.public.bundle_hash = Some("ab".repeat(32));
        let content = amend("0x1", "h0", &live, 8);
        assert_eq!(judge_terminal(&record(content), ("h0", &created()), &mut Strict), Ok(live));
    }

    #[test]
    fn each_fault_of_a_creation_breaks_one_rule_only() {
        let cases: [(Id, &str, Value); 5] = [
            (&CREATION_QUEUED, "/content/public/status", "live".into()),
            (&CREATION_STORE_REF, "/content/public/storeRef", "s".into()),
            (&CREATION_URL, "/content/public/url", "u".into()),
            (&CREATION_FINISHED, "/content/public/finishedAt", "2026-03-04T05:07:00.000Z".into()),
            (&CONTENT_TYPE, "/type", "other".into()),
        ];
        let dialect = Dialect::default();
        for (rule, pointer, wrong) in cases {
            let mut content = creation(&dialect, "0x1", &created(), 7);
            *content.pointer_mut(pointer).unwrap() = wrong;
            let record = record(content);
            assert_eq!(judge_creation(&record, &dialect, &mut Strict).unwrap_err().rule, rule);
            assert!(judge_creation(&record, &dialect, &mut Without(rule)).is_ok(), "{rule}");
        }
        let mut legacy = creation(&dialect, "0x1", &created(), 7);
        legacy["content"]["schemaVersion"] = 3.into();
        assert_eq!(judge_creation(&record(legacy), &dialect, &mut Strict).unwrap_err().rule, &SCHEMA_RULE);
        let mut store = record(creation(&dialect, "0x1", &created(), 7));
        store.kind = "STORE".into();
        assert_eq!(judge_creation(&store, &dialect, &mut Strict).unwrap_err().rule, &TYPE);
        let bare = record(json!({"type": dialect.deployment_type, "content": 7}));
        assert_eq!(judge_creation(&bare, &dialect, &mut Strict).unwrap_err().rule, &BODY);
    }

    #[test]
    fn each_fault_of_a_terminal_amend_breaks_one_rule_only() {
        let created = created();
        let live = terminal_of(&created, Some("s"), None, "2026-03-04T05:07:00.000Z", Map::new());
        let failed = terminal_of(&created, None, None, "2026-03-04T05:07:00.000Z", Map::new());
        let cases: [(Id, &Deployment, &str, Value); 8] = [
            (&AMEND_TYPE, &live, "/type", "svc-cloud-deployment".into()),
            (&AMEND_REF, &live, "/ref", "other".into()),
            (&AMEND_REF, &live, "/ref", "".into()),
            (&SAME_DEPLOYMENT, &live, "/content/deploymentId", "deploy_AZaz09-_abce".into()),
            (&SAME_PROJECT, &live, "/content/projectId", "proj_AZaz09-_abce".into()),
            (&TERMINAL_STATUS, &live, "/content/public/status", "queued".into()),
            (&LIVE_STORE_REF, &live, "/content/public/storeRef", Value::Null),
            (&FAILED_STORE_REF, &failed, "/content/public/storeRef", "s".into()),
        ];
        for (rule, ended, pointer, wrong) in cases {
            let mut content = amend("0x1", "h0", ended, 8);
            *content.pointer_mut(pointer).unwrap() = wrong;
            let record = record(content);
            assert_eq!(judge_terminal(&record, ("h0", &created), &mut Strict).unwrap_err().rule, rule);
            assert!(judge_terminal(&record, ("h0", &created), &mut Without(rule)).is_ok(), "{rule}");
        }
    }
}
