//! `hosting.record`: one project's entry, one deployment's message, one identifier, as a reader finds them.

use assay_spec::Id;
use assay_spec::hosting::requirements::{deployments, forget, identifiers, instances, projects, security};
use serde_json::{Value, json};

use super::record::{BEGIN, CHANNEL, address, body, hash};
use crate::case::Case;
use crate::generate::group::{Group, set};

const ID: &str = "proj_AZaz09-_abcd";
static SHOWN: &[Id] = &[
    &identifiers::DROP,
    &projects::SCHEMA_VERSION,
    &deployments::STATUS,
    &deployments::STORE_REF,
    &instances::BUNDLE_STORE_REF,
    &security::BODY,
    &forget::HASHES,
];

pub(in crate::generate) fn cases() -> Vec<Case> {
    let mut g = Group::new("hosting/record", "hosting.record", "src/generate/hosting/read.rs", SHOWN);
    drops(&mut g);
    projects(&mut g);
    tombstones(&mut g);
    deployments(&mut g);
    written(&mut g);
    plaintexts(&mut g);
    bundles(&mut g);
    g.cases
}

fn drops(g: &mut Group) {
    let drop = |text: &str| json!({"kind": "drop", "value": text});
    let long = "drop_AZaz09-_abcdefghijklmn";
    g.accept("drop", drop(long), "22 characters follow the prefix.").read_as("A-062/drop-22");
    g.accept("drop-plain", drop("drop_0000000000000000000000"), "Any of the alphabet's.")
        .read_as("A-062/drop-22");
    for (name, new, why) in [
        ("drop-21", &long[..26], "21 are too few."),
        ("drop-23", "drop_AZaz09-_abcdefghijklmno", "23 are too many."),
        ("drop-12", "drop_AZaz09-_abcd", "12 are a project's."),
        ("drop-prefix", "dorp_AZaz09-_abcdefghijklmn", "Another prefix."),
        ("drop-upper-case", "DROP_AZaz09-_abcdefghijklmn", "The prefix is lower case."),
        ("drop-plus", "drop_AZaz09+_abcdefghijklmn", "A plus is not among them."),
        ("drop-padding", "drop_AZaz09-_abcdefghijklm=", "Neither is padding."),
        ("drop-newline", "drop_AZaz09-_abcdefghijklmn\n", "Nothing follows them."),
        ("drop-accent", "drop_AZaz09-_abcdefghijklm\u{e9}", "Letters are those of ASCII."),
    ] {
        g.reject(name, "drop", [set("/in/value", long, new)], &identifiers::DROP, why)
            .read_as("A-062/drop-22");
    }
}

fn entry(schema: i64) -> Value {
    json!({
        "id": ID, "schemaVersion": schema,
        "public": {
            "framework": "static", "deployTarget": "ipfs", "createdAt": "2026-03-04T05:06:07.089Z",
            "updatedAt": "2026-03-04T05:06:07.089Z", "deleted": false,
        },
        "encrypted": {"v": 3},
    })
}

fn project(entry: &Value) -> Value {
    json!({"kind": "project", "id": ID, "value": entry})
}

fn projects(g: &mut Group) {
    g.accept("project", project(&entry(1)), "An entry of schema 1, as it is written.");
    g.accept("project-2", project(&entry(2)), "One of schema 2 reads alike.").read_as("A-041/both-schemas");
    for (name, new, why) in [
        ("project-0", json!(0), "There was no schema 0."),
        ("project-3", json!(3), "There is no schema 3 yet."),
        ("project-text", json!("1"), "A schema is a number."),
        ("project-null", Value::Null, "It is stated."),
    ] {
        let edit = set("/in/value/schemaVersion", 1, new);
        g.reject(name, "project", [edit], &projects::SCHEMA_VERSION, why);
    }
    let edit = set("/in/value/id", ID, "proj_AZaz09-_abce");
    g.reject(
        "project-other-id",
        "project",
        [edit],
        &projects::ID,
        "An entry stands under its own identifier.",
    );
}

/// Every form of a deleted entry, none of which is parsed beyond its public part.
fn tombstones(g: &mut Group) {
    let emptied = |v: Value, alg: &str, deks: Value| json!({"v": v, "alg": alg, "ct": "", "iv": "", "tag": "", "deks": deks});
    let both = json!({"user": "", "encryption": ""});
    for (name, encrypted, why) in [
        ("tombstone-a", emptied(json!(""), "", both.clone()), "All fields of the envelope are empty texts."),
        ("tombstone-b", emptied(json!(""), "", json!("")), "So are the wrapped keys as a whole."),
        ("tombstone-c", emptied(json!(3), "aes-256-gcm", both), "Version and cipher are kept."),
        (
            "tombstone-d",
            json!({"v": 3, "alg": "aes-256-gcm", "ct": "AA==", "iv": "AAAAAAAAAAAAAAAA"}),
            "An envelope that is whole or not.",
        ),
        ("tombstone-text", json!(""), "No envelope at all."),
        ("tombstone-null", Value::Null, "Not even a text."),
    ] {
        let mut entry = entry(1);
        entry["public"]["deleted"] = true.into();
        entry["encrypted"] = encrypted;
        // The schema says no more about a deleted entry than its envelope does.
        entry["schemaVersion"] = if name == "tombstone-b" { "".into() } else { 1.into() };
        g.accept(name, project(&entry), why).read_as("A-042/deleted-decides");
    }
}

fn deployments(g: &mut Group) {
    let store = hash("store");
    let deployment = |value: &Value| json!({"kind": "deployment", "value": value});
    g.accept("deployment", deployment(&body("queued", None)), "As it is created.");
    g.accept("deployment-live", deployment(&body("live", Some(&store))), "As it ends.");
    let old = |schema: Option<i64>, public: Value| {
        let mut old = json!({"deploymentId": "deploy_AZaz09-_abcd", "projectId": ID});
        if let Some(schema) = schema {
            old["schemaVersion"] = schema.into();
        }
        old["public"] = public;
        old
    };
    let public = |more: Value| {
        let mut public = json!({"status": "live", "createdAt": "2025-03-04T05:06:07.089Z"});
        for (name, value) in more.as_object().expect("an object") {
            public[name] = value.clone();
        }
        public
    };
    for (name, value, why) in [
        (
            "legacy-3",
            old(Some(3), public(json!({"cid": "bafkqaaa"}))),
            "Before schema 4 a record holds its identifier itself.",
        ),
        ("legacy-1", old(Some(1), public(json!({"cid": "bafkqaaa"}))), "Whichever schema it was."),
        ("legacy-none", old(None, public(json!({"cid": "bafkqaaa"}))), "Or none at all."),
        (
            "legacy-both",
            old(Some(3), public(json!({"cid": "bafkqaaa", "storeRef": store}))),
            "Beside a reference to a STORE it does not count.",
        ),
        ("legacy-null", old(Some(3), public(json!({"cid": null, "storeRef": null}))), "Or it has neither."),
    ] {
        g.accept(name, deployment(&value), why).read_as("A-056/cid-without-store-ref");
    }
    let mut newer = body("live", None);
    newer["public"]["cid"] = "bafkqaaa".into();
    g.accept("deployment-cid", deployment(&newer), "In schema 4 there is no such member.")
        .read_as("A-056/cid-without-store-ref");
    for (name, member, new, row, why) in [
        (
            "status-other",
            "status",
            json!("done"),
            &deployments::STATUS as Id,
            "There are three words for how far it came.",
        ),
        ("status-number", "status", json!(1), &deployments::STATUS, "They are words."),
        ("store-ref-number", "storeRef", json!(7), &deployments::STORE_REF, "A reference is a text or null."),
        ("store-ref-object", "storeRef", json!({}), &deployments::STORE_REF, "And nothing else."),
    ] {
        let old = g.input("deployment-live")["value"]["public"][member].clone();
        let edit = set(&format!("/in/value/public/{member}"), old, new);
        g.reject(name, "deployment-live", [edit], row, why);
    }
}

/// Two records of which nodes refuse what is refused here, so that none can be found.
fn written(g: &mut Group) {
    let record = |kind: &str, content: Value| {
        json!({
            "item_hash": hash(kind), "type": kind, "channel": CHANNEL, "sender": address("wallet"),
            "signature": "0x", "content": content,
        })
    };
    let listed = json!({"authorizations": [], "encryptionKey": null});
    let content = json!({"address": address("wallet"), "key": "security", "content": listed, "time": BEGIN});
    let value = record("AGGREGATE", content);
    g.accept(
        "security",
        json!({"kind": "security", "value": value}),
        "Security is an object of its members.",
    );
    for (name, new, why) in [
        ("security-list", json!([listed]), "A list of objects is none."),
        ("security-text", json!(listed.to_string()), "Nor is JSON within a text."),
        ("security-null", Value::Null, "Nor is null."),
    ] {
        let edit = set("/in/value/content/content", listed.clone(), new);
        g.reject(name, "security", [edit], &security::BODY, why);
    }
    let hashes = json!([hash("store"), hash("another store")]);
    let content = json!({"address": address("wallet"), "hashes": hashes, "time": BEGIN});
    let value = record("FORGET", content);
    g.accept("forget", json!({"kind": "forget", "value": value}), "A FORGET lists what is to be forgotten.");
    for (name, new, why) in [
        ("forget-text", json!(hash("store")), "One hash is no list."),
        ("forget-numbers", json!([1, 2]), "Hashes are texts."),
        ("forget-object", json!({"0": hash("store")}), "An object is no list."),
        ("forget-null", Value::Null, "Nor is null."),
    ] {
        let edit = set("/in/value/content/hashes", hashes.clone(), new);
        g.reject(name, "forget", [edit], &forget::HASHES, why);
    }
    let edit = set("/in/value/content/hashes", hashes, json!([]));
    g.reject("forget-nothing", "forget", [edit], &forget::HASHES, "A list of nothing forgets nothing.")
        .read_as("A-050/empty-refused");
}

/// A project's private part with members that the document does not list.
fn plaintexts(g: &mut Group) {
    let own = json!({
        "name": "site", "source": "codehost", "repo": "owner/site", "branch": "main", "installationId": 7,
        "buildCommand": "npm run build", "outputDir": "dist",
    });
    let plaintext = |value: &Value| json!({"kind": "plaintext", "value": value.to_string()});
    g.accept("plaintext", plaintext(&own), "A project's private part, as it is listed.");
    for (name, member, value, why) in [
        (
            "plaintext-request",
            "pendingWorkflowPrUrl",
            json!("https://host/1"),
            "A pending request beside it.",
        ),
        ("plaintext-no-request", "pendingWorkflowPrUrl", Value::Null, "Or none that is pending."),
        ("plaintext-further", "further", json!({"a": [1]}), "Or a member that nobody knows yet."),
    ] {
        let mut more = own.clone();
        more[member] = value;
        g.accept(name, plaintext(&more), why);
    }
}

/// What leads to a machine's bundle.
fn bundles(g: &mut Group) {
    let store = hash("store");
    let mut live = body("live", Some(&store));
    live["public"]["bundleHash"] = hash("pinned file").into();
    g.accept("bundle", json!({"kind": "bundle", "value": live}), "The reference leads to the bundle.");
    for (name, new, why) in [
        ("bundle-null", Value::Null, "Without a reference there is none, whatever its hash."),
        ("bundle-empty", json!(""), "An empty text leads nowhere."),
    ] {
        let edit = set("/in/value/public/storeRef", store.as_str(), new);
        g.reject(name, "bundle", [edit], &instances::BUNDLE_STORE_REF, why);
    }
}
