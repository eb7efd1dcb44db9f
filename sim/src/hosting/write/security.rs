//! The `security` record: whom an owner authorizes, and the owner's encryption key.

use assay_spec::Rules;
use assay_spec::hosting::requirements::{projects, security};
use serde_json::{Value, json};

use super::deviate::{MemberDeviations, Wrong, deviate};
use super::iso;
use crate::core::Core;
use crate::hosting::accounts::Owner;
use crate::hosting::keys;
use crate::hosting::variations;

/// Deviations of a session key's authorization.
const SESSION: MemberDeviations = &[
    (
        &security::ENTRY_ADDRESS,
        Wrong::Do(|entry| entry["address"] = json!(without_prefix(&entry["address"]))),
    ),
    (&security::ENTRY_PUBKEY, Wrong::Do(|entry| entry["pubkey"] = json!(without_prefix(&entry["pubkey"])))),
    (&security::SESSION_TYPES, Wrong::Put("/types", r#"["POST","AGGREGATE","FORGET"]"#)),
    (&security::SESSION_CHANNELS, Wrong::Put("/channels", "[]")),
    (
        &security::SESSION_AGGREGATE_KEYS,
        Wrong::Put("/aggregate_keys", r#"["projects","deployments","security"]"#),
    ),
    (&security::SESSION_POST_TYPES, Wrong::Put("/post_types", r#"["amend"]"#)),
];

/// Deviations of the whole body.
const BODY: MemberDeviations = &[
    (
        &security::ENTRY,
        Wrong::Do(|body| body["authorizations"][0] = body["authorizations"][0]["address"].clone()),
    ),
    (
        &security::AUTHORIZATIONS,
        Wrong::Do(|body| body["authorizations"] = json!({ "all": body["authorizations"] })),
    ),
    (
        &security::ENCRYPTION_PUBKEY,
        Wrong::Do(|body| {
            body["encryptionKey"]["pubkey"] = json!(without_prefix(&body["encryptionKey"]["pubkey"]));
        }),
    ),
    (&security::ENCRYPTION_SCHEME, Wrong::Put("/encryptionKey/scheme", "\"wallet-sig-v0\"")),
    (&security::ENCRYPTION_REGISTERED_AT, Wrong::Put("/encryptionKey/registeredAt", "\"today\"")),
    (
        &security::ENCRYPTION_KEY,
        Wrong::Do(|body| body["encryptionKey"] = body["encryptionKey"]["pubkey"].clone()),
    ),
];

/// Whether readers accept an edit by the session key: no rule is violated that would hide its authorization.
pub(super) fn session_works(core: &mut Core) -> bool {
    let needed = [
        &security::TYPE,
        &security::KEY,
        &security::AUTHORIZATIONS,
        &security::ENTRY,
        &security::ENTRY_ADDRESS,
        &assay_spec::hosting::requirements::history::SECURITY_EXISTS,
        &projects::KEY,
    ];
    needed.into_iter().all(|rule| core.violated(rule).is_none())
}

/// The body, with this registration time.
pub(super) fn body(core: &mut Core, owner: &Owner, registered_s: i64) -> Value {
    let delegate = keys::delegate(core);
    let channel = core.dialect.records_channel.clone();
    let mut session = json!({
        "address": owner.session.address(), "pubkey": owner.session.public_text(),
        "types": ["POST", "AGGREGATE"], "channels": [channel],
        "aggregate_keys": ["projects", "deployments"], "post_types": [],
    });
    if core.violated(&security::ENTRY_PUBKEY_ADDRESS).is_some() {
        session["pubkey"] = json!(owner.encryption.public_text());
    }
    let mut session = deviate(core, session, SESSION);
    if core.varies(variations::NO_PUBKEY)
        && let Value::Object(members) = &mut session
    {
        members.shift_remove("pubkey");
    }
    let mut other = json!({ "address": delegate.address() });
    if core.violated(&security::DELEGATE_NO_PUBKEY).is_some() {
        other["pubkey"] = json!(delegate.public_text());
    }
    let mut types = vec!["POST", "FORGET", "STORE"];
    if core.violated(&projects::SIGNER).is_some() {
        types.push("AGGREGATE");
    }
    other["types"] = json!(types);
    other["channels"] = json!([channel]);
    other["aggregate_keys"] = json!([]);
    other["post_types"] = json!([]);
    let mut authorizations = vec![session, other];
    if core.violated(&security::NOT_A_SIGNER).is_some() {
        let mut entry = authorizations[0].clone();
        entry["address"] = json!(owner.encryption.address());
        entry["pubkey"] = json!(owner.encryption.public_text());
        authorizations.push(entry);
    }
    let strange = keys::stranger(core).public_text();
    let public = core.effect(&security::ENCRYPTION_IS_E, owner.encryption.public_text(), |_, _| strange);
    let body = json!({
        "authorizations": authorizations,
        "encryptionKey": { "pubkey": public, "scheme": "wallet-sig-v1", "registeredAt": iso(core, registered_s) },
    });
    deviate(core, body, BODY)
}

fn without_prefix(text: &Value) -> String {
    text.as_str().unwrap_or_default().trim_start_matches("0x").to_owned()
}
