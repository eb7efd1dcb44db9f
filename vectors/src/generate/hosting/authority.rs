//! `hosting.authority`: by what right a record counts for an owner.

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
    acts(&mut g);
    more_acts(&mut g);
    entries(&mut g);
    g.cases
}

/// The owner's security: a session key, the delegate, a courier of two kinds of posts, and a generous session key.
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
            "The wallet writes what is its own.",
        ),
        (
            "wallet-security",
            input("wallet", "wallet", "AGGREGATE", Some("security"), None),
            "Security above all.",
        ),
        (
            "session-projects",
            input("session key", "wallet", "AGGREGATE", Some("projects"), None),
            "A session key writes projects.",
        ),
        (
            "session-post",
            input("session key", "wallet", "POST", None, Some(DEPLOYMENT)),
            "No listed post type stands for all.",
        ),
        (
            "delegate-creation",
            input("delegate", "wallet", "POST", None, Some(DEPLOYMENT)),
            "The delegate writes deployments.",
        ),
        ("delegate-amend", input("delegate", "wallet", "POST", None, Some("amend")), "And their amends."),
        ("delegate-forget", input("delegate", "wallet", "FORGET", None, None), "And forgets files."),
        (
            "courier-note",
            input("courier", "wallet", "POST", None, Some("note")),
            "A post type that is listed.",
        ),
        (
            "generous-projects",
            input("generous", "wallet", "AGGREGATE", Some("projects"), None),
            "Another session key.",
        ),
        ("generous-post", input("generous", "wallet", "POST", None, Some("note")), "It posts as well."),
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
            "So does its FORGET.",
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
            "Whoever may write deployments may amend them.",
            "A-044/amend-of-type",
        ),
    ] {
        g.accept(name, input, why).read_as(reading);
    }
    let mut lower = input("session key", "wallet", "AGGREGATE", Some("projects"), None);
    lower["security"]["authorizations"][0]["address"] = address("session key").to_lowercase().into();
    g.accept("entry-lower-case", lower, "An address is the same without the cases of its checksum.");
    let mut bare = input("delegate", "wallet", "POST", None, Some("note"));
    bare["security"]["authorizations"][1] = json!({"address": address("delegate"), "types": ["POST"]});
    g.accept("entry-bare", bare, "A list that is missing allows all.").read_as("A-044/missing-is-empty");
    let mut signs = input("delegate", "wallet", "POST", None, Some("note"));
    signs["security"]["authorizations"][2]["address"] = address(E).into();
    signs["security"]["authorizations"][2]["types"] = json!([]);
    signs["security"]["authorizations"][2]["post_types"] = json!([]);
    g.accept("encryption-key-listed", signs, "An encryption key in the list spoils nobody else.");
}

/// A case's name, its base, the member of the act that is changed, its new value, the row that refuses, and why.
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

/// Who signs, for whom, and what.
fn acts(g: &mut Group) {
    let changes: Vec<Change> = vec![
        (
            "address-other",
            "session-projects",
            "address",
            json!(address("stranger")),
            &rows::OWNER_ADDRESS,
            "Another owner's aggregate.",
        ),
        (
            "address-own",
            "session-projects",
            "address",
            json!(address("session key")),
            &rows::OWNER_ADDRESS,
            "An aggregate of the session key itself.",
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
            "Neither is a machine.",
        ),
        (
            "type-not-listed",
            "delegate-creation",
            "type",
            json!("INSTANCE"),
            &rows::TYPES,
            "A type that is not listed.",
        ),
        (
            "type-lower-case",
            "delegate-forget",
            "type",
            json!("forget"),
            &rows::TYPES,
            "The names of types are upper case.",
        ),
        (
            "channel-retired",
            "session-projects",
            "channel",
            json!("SVC_CHANNEL_V0"),
            &rows::CHANNELS,
            "The retired channel is not listed.",
        ),
        ("channel-empty", "delegate-forget", "channel", json!(""), &rows::CHANNELS, "Neither is none."),
    ];
    changed(g, &changes);
}

/// Which key, which type of post, and what nobody may do whatever is listed.
fn more_acts(g: &mut Group) {
    let changes: Vec<Change> = vec![
        (
            "key-profile",
            "session-projects",
            "key",
            json!("profile"),
            &rows::AGGREGATE_KEYS,
            "A key that is not listed.",
        ),
        (
            "key-missing",
            "session-projects",
            "key",
            Value::Null,
            &rows::AGGREGATE_KEYS,
            "No key is not listed either.",
        ),
        (
            "key-security",
            "generous-projects",
            "key",
            json!("security"),
            &rows::SECURITY_OWNER,
            "Security is the wallet's alone, whatever is listed.",
        ),
        (
            "post-type-other",
            "courier-note",
            "post_type",
            json!("notes"),
            &rows::POST_TYPES,
            "A post type that is not listed.",
        ),
        (
            "post-type-missing",
            "courier-note",
            "post_type",
            Value::Null,
            &rows::POST_TYPES,
            "No post type is not listed either.",
        ),
        (
            "forget-by-session",
            "generous-post",
            "type",
            json!("FORGET"),
            &rows::FORGET_SESSION,
            "A session key forgets nothing, whatever is listed.",
        ),
        (
            "claim-for-another",
            "machine-claim",
            "address",
            json!(address("another machine")),
            &rows::CLAIM_SELF,
            "No machine claims for another.",
        ),
        (
            "claim-for-owner",
            "machine-claim",
            "address",
            json!(address("wallet")),
            &rows::CLAIM_SELF,
            "Nor for the owner.",
        ),
        (
            "encryption-key",
            "encryption-key-listed",
            "signer",
            json!(address(E)),
            &rows::ENCRYPTION_NEVER,
            "The encryption key signs nothing, whatever is listed.",
        ),
    ];
    changed(g, &changes);
}

/// An entry that cannot be read allows nothing.
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
            ("text", json!("POST"), "A list is no text."),
            ("number-inside", json!(["POST", 7]), "It holds texts."),
        ] {
            let edit = set(&path, old.clone(), new);
            g.reject(&format!("{name}-{what}"), "delegate-creation", [edit], row, why);
        }
    }
}
