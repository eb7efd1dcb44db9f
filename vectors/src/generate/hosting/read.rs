//! `hosting.record`: single items as a reader finds them: a project entry, a deployment message, an identifier.

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
    g.accept(
        "drop-plain",
        drop("drop_0000000000000000000000"),
        "Any characters of the alphabet are allowed.",
    )
    .read_as("A-062/drop-22");
    for (name, new, why) in [
        ("drop-21", &long[..26], "22 characters follow the prefix, not 21."),
        ("drop-23", "drop_AZaz09-_abcdefghijklmno", "22 characters follow the prefix, not 23."),
        ("drop-12", "drop_AZaz09-_abcd", "22 characters follow the prefix, not 12 as in a project id."),
        ("drop-prefix", "dorp_AZaz09-_abcdefghijklmn", "The prefix is drop_."),
        ("drop-upper-case", "DROP_AZaz09-_abcdefghijklmn", "The prefix is lowercase."),
        ("drop-plus", "drop_AZaz09+_abcdefghijklmn", "A plus sign is not in the alphabet."),
        ("drop-padding", "drop_AZaz09-_abcdefghijklm=", "Padding is not in the alphabet."),
        ("drop-newline", "drop_AZaz09-_abcdefghijklmn\n", "Nothing follows the 22 characters."),
        ("drop-accent", "drop_AZaz09-_abcdefghijklm\u{e9}", "Letters are ASCII letters."),
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
    g.accept("project", project(&entry(1)), "An entry of schema 1, as writers write it.");
    g.accept("project-2", project(&entry(2)), "An entry of schema 2 is read in the same way.")
        .read_as("A-041/both-schemas");
    for (name, new, why) in [
        ("project-0", json!(0), "Schema 0 does not exist."),
        ("project-3", json!(3), "Schema 3 does not exist."),
        ("project-text", json!("1"), "schemaVersion is a number."),
        ("project-null", Value::Null, "schemaVersion is required."),
    ] {
        let edit = set("/in/value/schemaVersion", 1, new);
        g.reject(name, "project", [edit], &projects::SCHEMA_VERSION, why);
    }
    let edit = set("/in/value/id", ID, "proj_AZaz09-_abce");
    g.reject("project-other-id", "project", [edit], &projects::ID, "An entry's id equals its key.");
}

/// Every form of a deleted entry. Only the public part of a deleted entry is parsed.
fn tombstones(g: &mut Group) {
    let emptied = |v: Value, alg: &str, deks: Value| json!({"v": v, "alg": alg, "ct": "", "iv": "", "tag": "", "deks": deks});
    let both = json!({"user": "", "encryption": ""});
    for (name, encrypted, why) in [
        (
            "tombstone-a",
            emptied(json!(""), "", both.clone()),
            "All fields of the envelope are empty strings.",
        ),
        ("tombstone-b", emptied(json!(""), "", json!("")), "deks itself is an empty string too."),
        (
            "tombstone-c",
            emptied(json!(3), "aes-256-gcm", both),
            "Version and algorithm are kept; the other fields are empty.",
        ),
        (
            "tombstone-d",
            json!({"v": 3, "alg": "aes-256-gcm", "ct": "AA==", "iv": "AAAAAAAAAAAAAAAA"}),
            "The envelope of a deleted entry is not checked.",
        ),
        ("tombstone-text", json!(""), "The envelope is replaced by an empty string."),
        ("tombstone-null", Value::Null, "The envelope is null."),
    ] {
        let mut entry = entry(1);
        entry["public"]["deleted"] = true.into();
        entry["encrypted"] = encrypted;
        // For a deleted entry the schema version, like the envelope, is not checked.
        entry["schemaVersion"] = if name == "tombstone-b" { "".into() } else { 1.into() };
        g.accept(name, project(&entry), why).read_as("A-042/deleted-decides");
    }
}

fn deployments(g: &mut Group) {
    let store = hash("store");
    let deployment = |value: &Value| json!({"kind": "deployment", "value": value});
    g.accept("deployment", deployment(&body("queued", None)), "A deployment at its creation.");
    g.accept("deployment-live", deployment(&body("live", Some(&store))), "A deployment at its end.");
    let mut fraction = body("queued", None);
    fraction["public"]["runId"] = json!(7.5);
    g.accept("deployment-fraction", deployment(&fraction), "runId is a number, which may have a fraction.");
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
            "Before schema 4 a record contains its content identifier itself.",
        ),
        (
            "legacy-1",
            old(Some(1), public(json!({"cid": "bafkqaaa"}))),
            "A record of schema 1 contains its content identifier itself.",
        ),
        (
            "legacy-none",
            old(None, public(json!({"cid": "bafkqaaa"}))),
            "A record without a schema version contains its content identifier itself.",
        ),
        (
            "legacy-both",
            old(Some(3), public(json!({"cid": "bafkqaaa", "storeRef": store}))),
            "Next to a storeRef the content identifier is ignored.",
        ),
        (
            "legacy-null",
            old(Some(3), public(json!({"cid": null, "storeRef": null}))),
            "A legacy record may have neither a content identifier nor a storeRef.",
        ),
    ] {
        g.accept(name, deployment(&value), why).read_as("A-056/cid-without-store-ref");
    }
    let mut newer = body("live", None);
    newer["public"]["cid"] = "bafkqaaa".into();
    g.accept("deployment-cid", deployment(&newer), "In schema 4 the member cid is ignored.")
        .read_as("A-056/cid-without-store-ref");
    for (name, member, new, row, why) in [
        (
            "status-other",
            "status",
            json!("done"),
            &deployments::STATUS as Id,
            "The status is queued, live or failed.",
        ),
        ("status-number", "status", json!(1), &deployments::STATUS, "The status is a string."),
        ("store-ref-number", "storeRef", json!(7), &deployments::STORE_REF, "storeRef is a string or null."),
        ("store-ref-object", "storeRef", json!({}), &deployments::STORE_REF, "storeRef is not an object."),
    ] {
        let old = g.input("deployment-live")["value"]["public"][member].clone();
        let edit = set(&format!("/in/value/public/{member}"), old, new);
        g.reject(name, "deployment-live", [edit], row, why);
    }
}

/// Two kinds of records whose invalid forms nodes reject too, so that a reader never finds one.
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
        "The content of the security aggregate is an object.",
    );
    for (name, new, why) in [
        ("security-list", json!([listed]), "An array of objects is not an object."),
        ("security-text", json!(listed.to_string()), "A string that contains JSON is not an object."),
        ("security-null", Value::Null, "Null is not an object."),
    ] {
        let edit = set("/in/value/content/content", listed.clone(), new);
        g.reject(name, "security", [edit], &security::BODY, why);
    }
    let hashes = json!([hash("store"), hash("another store")]);
    let content = json!({"address": address("wallet"), "hashes": hashes, "time": BEGIN});
    let value = record("FORGET", content);
    g.accept("forget", json!({"kind": "forget", "value": value}), "A FORGET lists the hashes to forget.");
    for (name, new, why) in [
        ("forget-text", json!(hash("store")), "A single hash is not an array."),
        ("forget-numbers", json!([1, 2]), "Hashes are strings."),
        ("forget-object", json!({"0": hash("store")}), "An object is not an array."),
        ("forget-null", Value::Null, "Null is not an array."),
    ] {
        let edit = set("/in/value/content/hashes", hashes.clone(), new);
        g.reject(name, "forget", [edit], &forget::HASHES, why);
    }
    let edit = set("/in/value/content/hashes", hashes, json!([]));
    g.reject("forget-nothing", "forget", [edit], &forget::HASHES, "The list of hashes is not empty.")
        .read_as("A-050/empty-refused");
}

/// The private part of a project, with members that are not required.
fn plaintexts(g: &mut Group) {
    let own = json!({
        "name": "site", "source": "codehost", "repo": "owner/site", "branch": "main", "installationId": 7,
        "buildCommand": "npm run build", "outputDir": "dist",
    });
    let plaintext = |value: &Value| json!({"kind": "plaintext", "value": value.to_string()});
    g.accept("plaintext", plaintext(&own), "The private part of a project with the listed members.");
    for (name, member, value, why) in [
        (
            "plaintext-request",
            "pendingWorkflowPrUrl",
            json!("https://host/1"),
            "The plaintext may contain a pending pull request.",
        ),
        (
            "plaintext-no-request",
            "pendingWorkflowPrUrl",
            Value::Null,
            "The pending pull request may be null.",
        ),
        ("plaintext-further", "further", json!({"a": [1]}), "An unknown member is ignored."),
        ("plaintext-fraction", "installationId", json!(7.5), "A number may have a fraction."),
    ] {
        let mut more = own.clone();
        more[member] = value;
        g.accept(name, plaintext(&more), why);
    }
}

/// The reference to a machine's bundle.
fn bundles(g: &mut Group) {
    let store = hash("store");
    let mut live = body("live", Some(&store));
    live["public"]["bundleHash"] = hash("pinned file").into();
    g.accept("bundle", json!({"kind": "bundle", "value": live}), "storeRef refers to the bundle.");
    for (name, new, why) in [
        ("bundle-null", Value::Null, "Without a storeRef there is no bundle, even if bundleHash is present."),
        ("bundle-empty", json!(""), "An empty string is not a reference."),
    ] {
        let edit = set("/in/value/public/storeRef", store.as_str(), new);
        g.reject(name, "bundle", [edit], &instances::BUNDLE_STORE_REF, why);
    }
}
