//! Signed records for the generators. Their hashes are drawn from names.

use assay_spec::Strict;
use assay_spec::crypto::address::Address;
use assay_spec::crypto::text::hex;
use assay_spec::hosting::record::sign;
use serde_json::{Value, json};

use super::world::key;
use crate::generate::keys;

/// The time of the first record, in seconds.
pub(super) const BEGIN: i64 = 1_700_000_000;
/// The channel of the records.
pub(super) const CHANNEL: &str = "SVC_CHANNEL_V1";
/// The content type of a creation.
pub(super) const DEPLOYMENT: &str = "svc-cloud-deployment";

/// The item hash of a named message.
pub(super) fn hash(name: &str) -> String {
    hex(&keys::bytes(&format!("message {name}")))
}

/// The checksummed address of a named key.
pub(super) fn address(name: &str) -> String {
    Address::from_key(&key(name)).to_string()
}

/// A POST record, signed by its sender.
pub(super) fn post(name: &str, sender: &str, content: Value) -> Value {
    let mut record = json!({
        "item_hash": hash(name), "type": "POST", "channel": CHANNEL, "sender": address(sender), "signature": "",
    });
    record["content"] = content;
    resigned(record, sender)
}

/// The record with a new signature over its present content.
pub(super) fn resigned(mut record: Value, signer: &str) -> Value {
    let message = json!({"type": record["type"], "channel": record["channel"], "content": record["content"]});
    record["signature"] = sign(&key(signer), &message.to_string(), &mut Strict).expect("a record").into();
    record
}

/// The content of a deployment message.
pub(super) fn body(status: &str, store_ref: Option<&str>) -> Value {
    json!({
        "deploymentId": "deploy_AZaz09-_abcd", "projectId": "proj_AZaz09-_abcd", "schemaVersion": 4,
        "public": {
            "status": status, "storeRef": store_ref, "url": null, "runId": 7, "runAttempt": 1,
            "createdAt": "2026-03-04T05:06:07.089Z",
            "finishedAt": (status != "queued").then_some("2026-03-04T05:09:07.089Z"),
        },
        "encrypted": {"v": 3},
    })
}
