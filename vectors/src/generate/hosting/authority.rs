//! `hosting.authority`: whether a signer is authorized to write a record for an owner.

use assay_spec::Id;
use assay_spec::hosting::requirements::{authority as rows, security};
use serde_json::{Value, json};

use super::record::{CHANNEL, DEPLOYMENT, address};
use super::world::{E, public};
use crate::case::Case;
use crate::generate::group::{Group, set};

static SHOWN: &[Id] = &[
    &rows::OWNER_ADDRESS,
    &rows::LISTED,
    &rows::TYPES,
    &rows::CHANNELS,
    &rows::AGGREGATE_KEYS,
    &rows::POST_TYPES,
    &rows::SECURITY_OWNER,
    &rows::FORGET_SESSION,
    &rows::CLAIM_SELF,
    &rows::ENCRYPTION_NEVER,
    &security::ENTRY_TYPES,
    &security::ENTRY_CHANNELS,
    &security::ENTRY_AGGREGATE_KEYS,
    &security::ENTRY_POST_TYPES,
];

pub(in crate::generate) fn cases() -> Vec<Case> {
    let source = "src/generate/hosting/authority.rs";
    let mut g = Group::new("hosting/authority", "hosting.authority", source, SHOWN);
    accepts(&mut g);
    signers_and_types(&mut g);
    keys_and_post_types(&mut g);
    entries(&mut g);
    g.cases
}

/// The owner's security aggregate: a session key, the delegate, a courier of two post types, and a session key whose
/// entry lists more than a session key may do.
fn listed() -> Value {
    json!({
        "authorizations": [
            {
                "address": address("session key"), "pubkey": public("session key"),
                "types": ["POST", "AGGREGATE"], "channels": [CHANNEL],
                "aggregate_keys": ["projects", "deployments"], "post_types": [],
            },
            {
                "address": address("delegate"), "types": ["POST", "FORGET", "STORE"], "channels": [CHANNEL],
                "aggregate_keys": [], "post_types": [],
            },
            {
                "address": address("courier"), "types": ["POST", "FORGET"], "channels": [CHANNEL],
                "aggregate_keys": [], "post_types": ["note", DEPLOYMENT],
            },
            {
                "address": address("generous"), "pubkey": public("generous"),
                "types": ["POST", "AGGREGATE", "FORGET"], "channels": [CHANNEL],
                "aggregate_keys": ["security", "projects"], "post_types": [],
            },
        ],
        "encryptionKey": {
            "pubkey": public(E), "scheme": "wallet-sig-v1", "registeredAt": "2026-03-04T05:06:07.089Z",
        },
    })
}

fn input(signer: &str, owner: &str, kind: &str, key: Option<&str>, post_type: Option<&str>) -> Value {
    json!({
        "owner": address("wallet"),
        "security": listed(),
        "act": {
            "signer": address(signer), "address": address(owner), "type": kind, "channel": CHANNEL,
            "key": key, "post_type": post_type,
        },
    })
}

fn accepts(g: &mut Group) {
    for (name, input, why) in [
        (
            "wallet-projects",
            input("wallet", "wallet", "AGGREGATE", Some("projects"), None),
            "The wallet writes its own projects.",
        ),
        (
            "wallet-security",
            input("wallet", "wallet", "AGGREGATE", Some("security"), None),
            "The wallet writes its own security aggregate.",
        ),
        (
            "session-projects",
            input("session key", "wallet", "AGGREGATE", Some("projects"), None),
            "A session key writes projects.",
        ),
        (
            "session-post",
            input("session key", "wallet", "POST", None, Some(DEPLOYMENT)),
            "An empty list of post types allows all.",
        ),
        (
            "delegate-creation",
            input("delegate", "wallet", "POST", None, Some(DEPLOYMENT)),
            "The delegate writes deployments.",
        ),
        (
            "delegate-amend",
            input("delegate", "wallet", "POST", None, Some("amend")),
            "The delegate writes amends of deployments.",
        ),
        (
            "delegate-forget",
            input("delegate", "wallet", "FORGET", None, None),
            "The delegate writes FORGET messages.",
        ),
        (
            "courier-note",
            input("courier", "wallet", "POST", None, Some("note")),
            "A courier writes a listed post type.",
        ),
        (
            "generous-projects",
            input("generous", "wallet", "AGGREGATE", Some("projects"), None),
            "Another session key writes projects.",
        ),
        (
            "generous-post",
            input("generous", "wallet", "POST", None, Some("note")),
            "A session key writes posts.",
        ),
        (
            "machine-claim",
            input("machine", "machine", "POST", None, Some("svc-vm-pubkey")),
            "A machine claims for itself, without any authorization.",
        ),
    ] {
        g.accept(name, input, why);
    }
    for (name, input, why, reading) in [
        (
            "wallet-post",
            input("wallet", "wallet", "POST", None, Some(DEPLOYMENT)),
            "The wallet's own post counts.",
            "A-044/wallet-writes-all",
        ),
        (
            "wallet-forget",
            input("wallet", "wallet", "FORGET", None, None),
            "The wallet's own FORGET counts.",
            "A-044/wallet-writes-all",
        ),
        (
            "delegate-own-name",
            input("delegate", "delegate", "POST", None, Some(DEPLOYMENT)),
            "A delegate's post may name the delegate.",
            "A-044/delegate-address",
        ),
        (
            "courier-amend",
            input("courier", "wallet", "POST", None, Some("amend")),
            "A signer that may write deployments may amend them.",
            "A-044/amend-of-type",
        ),
    ] {
        g.accept(name, input, why).read_as(reading);
    }
    let mut lower = input("session key", "wallet", "AGGREGATE", Some("projects"), None);
    lower["security"]["authorizations"][0]["address"] = address("session key").to_lowercase().into();
    g.accept("entry-lower-case", lower, "Addresses are compared without regard to case.");
    let mut bare = input("delegate", "wallet", "POST", None, Some("note"));
    bare["security"]["authorizations"][1] = json!({"address": address("delegate"), "types": ["POST"]});
    g.accept("entry-bare", bare, "A missing list allows all.").read_as("A-044/missing-is-empty");
    let mut signs = input("delegate", "wallet", "POST", None, Some("note"));
    signs["security"]["authorizations"][2]["address"] = address(E).into();
    signs["security"]["authorizations"][2]["types"] = json!([]);
    signs["security"]["authorizations"][2]["post_types"] = json!([]);
    g.accept("encryption-key-listed", signs, "An encryption key in the list does not affect other entries.");
}

/// A case's name, its base, the changed member of the act, its new value, the row that rejects, and why.
type Change = (&'static str, &'static str, &'static str, Value, Id, &'static str);

fn changed(g: &mut Group, changes: &[Change]) {
    for (name, base, member, new, row, why) in changes {
        let old = g.input(base)["act"][*member].clone();
        let case = g.reject(name, base, [set(&format!("/in/act/{member}"), old, new.clone())], row, why);
        if name.ends_with("-missing") {
            case.read_as("A-044/missing-is-not-listed");
        }
    }
}

/// Changes of signer, owner, type and channel.
fn signers_and_types(g: &mut Group) {
    let changes: Vec<Change> = vec![
        (
            "address-other",
            "session-projects",
            "address",
            json!(address("stranger")),
            &rows::OWNER_ADDRESS,
            "The aggregate belongs to another owner.",
        ),
        (
            "address-own",
            "session-projects",
            "address",
            json!(address("session key")),
            &rows::OWNER_ADDRESS,
            "The aggregate belongs to the session key itself.",
        ),
        (
            "forget-own-name",
            "delegate-forget",
            "address",
            json!(address("delegate")),
            &rows::OWNER_ADDRESS,
            "A FORGET names the owner.",
        ),
        (
            "signer-stranger",
            "delegate-creation",
            "signer",
            json!(address("stranger")),
            &rows::LISTED,
            "A stranger is not listed.",
        ),
        (
            "signer-machine",
            "delegate-creation",
            "signer",
            json!(address("machine")),
            &rows::LISTED,
            "A machine is not listed.",
        ),
        (
            "type-not-listed",
            "delegate-creation",
            "type",
            json!("INSTANCE"),
            &rows::TYPES,
            "The type is not listed.",
        ),
        ("type-lower-case", "delegate-forget", "type", json!("forget"), &rows::TYPES, "Types are uppercase."),
        (
            "channel-retired",
            "session-projects",
            "channel",
            json!("SVC_CHANNEL_V0"),
            &rows::CHANNELS,
            "The retired channel is not listed.",
        ),
        (
            "channel-empty",
            "delegate-forget",
            "channel",
            json!(""),
            &rows::CHANNELS,
            "An empty channel is not listed.",
        ),
    ];
    changed(g, &changes);
}

/// Changes of aggregate key and post type, and actions that no list can allow.
fn keys_and_post_types(g: &mut Group) {
    let changes: Vec<Change> = vec![
        (
            "key-profile",
            "session-projects",
            "key",
            json!("profile"),
            &rows::AGGREGATE_KEYS,
            "The aggregate key is not listed.",
        ),
        (
            "key-missing",
            "session-projects",
            "key",
            Value::Null,
            &rows::AGGREGATE_KEYS,
            "A missing aggregate key does not count as listed.",
        ),
        (
            "key-security",
            "generous-projects",
            "key",
            json!("security"),
            &rows::SECURITY_OWNER,
            "Only the wallet may write the security aggregate, whatever is listed.",
        ),
        (
            "post-type-other",
            "courier-note",
            "post_type",
            json!("notes"),
            &rows::POST_TYPES,
            "The post type is not listed.",
        ),
        (
            "post-type-missing",
            "courier-note",
            "post_type",
            Value::Null,
            &rows::POST_TYPES,
            "A missing post type does not count as listed.",
        ),
        (
            "forget-by-session",
            "generous-post",
            "type",
            json!("FORGET"),
            &rows::FORGET_SESSION,
            "A session key must not write FORGET messages, whatever is listed.",
        ),
        (
            "claim-for-another",
            "machine-claim",
            "address",
            json!(address("another machine")),
            &rows::CLAIM_SELF,
            "A machine must not claim for another machine.",
        ),
        (
            "claim-for-owner",
            "machine-claim",
            "address",
            json!(address("wallet")),
            &rows::CLAIM_SELF,
            "A machine must not claim for the owner.",
        ),
        (
            "encryption-key",
            "encryption-key-listed",
            "signer",
            json!(address(E)),
            &rows::ENCRYPTION_NEVER,
            "The encryption key is never a signer, whatever is listed.",
        ),
    ];
    changed(g, &changes);
}

/// A malformed entry allows nothing.
fn entries(g: &mut Group) {
    for (member, row) in [
        ("types", &security::ENTRY_TYPES as Id),
        ("channels", &security::ENTRY_CHANNELS),
        ("aggregate_keys", &security::ENTRY_AGGREGATE_KEYS),
        ("post_types", &security::ENTRY_POST_TYPES),
    ] {
        let path = format!("/in/security/authorizations/1/{member}");
        let old = g.input("delegate-creation")["security"]["authorizations"][1][member].clone();
        let name = member.replace('_', "-");
        for (what, new, why) in [
            ("text", json!("POST"), "The list is an array, not a string."),
            ("number-inside", json!(["POST", 7]), "The list contains only strings."),
        ] {
            let edit = set(&path, old.clone(), new);
            g.reject(&format!("{name}-{what}"), "delegate-creation", [edit], row, why);
        }
    }
}
