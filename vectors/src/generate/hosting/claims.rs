//! `vm_claim.select`: the claim that gives a machine's public key.

use assay_spec::Id;
use assay_spec::crypto::text::parse_prefixed_hex;
use assay_spec::hosting::requirements::claims as rows;
use serde_json::{Value, json};

use super::record::{BEGIN, address, hash, post, resigned};
use super::world::public;
use crate::case::{Case, Edit};
use crate::generate::group::{Group, set};

static SHOWN: &[Id] = &[
    &rows::TYPE,
    &rows::CONTENT_TYPE,
    &rows::SENDER,
    &rows::SIGNATURE,
    &rows::V,
    &rows::INSTANCE_HASH,
    &rows::PUBKEY,
    &rows::KEY_OF_ADDRESS,
    &rows::REGISTERED_AT,
];

pub(in crate::generate) fn cases() -> Vec<Case> {
    let source = "src/generate/hosting/claims.rs";
    let mut g = Group::new("hosting/vm-claim-select", "vm_claim.select", source, SHOWN);
    accepts(&mut g);
    rejects(&mut g);
    g.cases
}

/// A machine's claim, `after` seconds after `BEGIN`.
fn claim(name: &str, machine: &str, instance: &str, after: i64) -> Value {
    let content = json!({
        "address": address(machine), "type": "svc-vm-pubkey",
        "content": {
            "v": 1, "instanceHash": hash(instance), "pubkey": public(machine),
            "registeredAt": "2026-03-04T05:06:07.089Z",
        },
        "time": BEGIN + after,
    });
    post(name, machine, content)
}

fn input(claims: Vec<Value>) -> Value {
    json!({"instance_hash": hash("instance"), "claims": Value::Array(claims)})
}

fn accepts(g: &mut Group) {
    let first = claim("first", "machine", "instance", 10);
    let second = claim("second", "another machine", "instance", 20);
    g.accept("one", input(vec![first.clone()]), "The only claim is selected.");
    g.accept(
        "earliest",
        input(vec![first.clone(), second.clone()]),
        "Of two claims the earlier one is selected.",
    );
    g.accept(
        "earliest-last",
        input(vec![second.clone(), first.clone()]),
        "The earlier claim is selected, whatever the order of arrival.",
    );
    let three = vec![second.clone(), claim("third", "machine", "instance", 30), first.clone()];
    g.accept("twice", input(three), "If a machine claims again, its first claim is selected.");
    let other = claim("other", "another machine", "another instance", 1);
    g.accept(
        "another-instance",
        input(vec![other, first.clone()]),
        "An earlier claim for another instance is ignored.",
    );
    let tie = vec![first.clone(), claim("tie", "another machine", "instance", 10)];
    let why = "Of two claims with the same time, the one with the smaller hash is selected.";
    g.accept("tie", input(tie), why).read_as("A-058/smaller-hash");
    let backdated = vec![first.clone(), claim("backdated", "another machine", "instance", -1000)];
    let why = "The time is used as stated, so a claim may be backdated.";
    g.accept("backdated", input(backdated), why).read_as("A-058/time-as-stated");
    // Two faults each, so that the case does not depend on one rule alone.
    let spoil = |name: &str, change: &dyn Fn(&mut Value)| {
        let mut spoilt = claim(name, "another machine", "instance", 1);
        change(&mut spoilt);
        spoilt
    };
    let unsigned = spoil("unsigned", &|record| record["content"]["content"]["v"] = 2.into());
    g.accept(
        "unsigned",
        input(vec![unsigned, first.clone()]),
        "An earlier claim that was changed after signing is ignored.",
    );
    let stranger = spoil("stranger", &|record| {
        record["sender"] = address("stranger").into();
        record["content"]["content"]["registeredAt"] = "yesterday".into();
        *record = resigned(record.clone(), "stranger");
    });
    g.accept(
        "stranger",
        input(vec![stranger, first.clone()]),
        "A claim that another sender makes for the machine is ignored.",
    );
    let foreign = spoil("foreign key", &|record| {
        record["content"]["content"]["pubkey"] = public("stranger").into();
        record["content"]["content"]["v"] = "1".into();
        *record = resigned(record.clone(), "another machine");
    });
    g.accept(
        "foreign-key",
        input(vec![foreign, first.clone()]),
        "A claim of a key that is not the sender's is ignored.",
    );
    let malformed = spoil("malformed", &|record| {
        record["content"]["content"]["pubkey"] = public("another machine")[..130].into();
        record["content"]["content"]["instanceHash"] = 7.into();
        *record = resigned(record.clone(), "another machine");
    });
    g.accept("malformed", input(vec![first, malformed]), "A malformed claim is ignored.");
}

fn rejects(g: &mut Group) {
    let own = claim("first", "machine", "instance", 10);
    let key = public("machine");
    let parity = parse_prefixed_hex(&key).map_or(0, |bytes| bytes[64] & 1);
    let compressed = format!("0x0{}{}", 2 + parity, &key[4..68]);
    let digit = if key.ends_with('0') { "1" } else { "0" };
    let off = format!("{}{digit}", &key[..131]);
    for (name, path, new, row, why) in [
        ("type-aggregate", "/type", json!("AGGREGATE"), &rows::TYPE as Id, "A claim is a POST."),
        (
            "content-type-other",
            "/content/type",
            json!("svc-vm-key"),
            &rows::CONTENT_TYPE,
            "The content type is svc-vm-pubkey.",
        ),
        ("version-2", "/content/content/v", json!(2), &rows::V, "The version is 1."),
        ("version-text", "/content/content/v", json!("1"), &rows::V, "The version is a number."),
        (
            "instance-number",
            "/content/content/instanceHash",
            json!(7),
            &rows::INSTANCE_HASH,
            "A hash is a string.",
        ),
        (
            "instance-empty",
            "/content/content/instanceHash",
            json!(""),
            &rows::INSTANCE_HASH,
            "A hash is not empty.",
        ),
        (
            "instance-other",
            "/content/content/instanceHash",
            json!(hash("another instance")),
            &rows::INSTANCE_HASH,
            "No claim is for the requested instance.",
        ),
        (
            "pubkey-compressed",
            "/content/content/pubkey",
            json!(compressed),
            &rows::PUBKEY,
            "A claimed key is uncompressed.",
        ),
        (
            "pubkey-no-prefix",
            "/content/content/pubkey",
            json!(key[2..]),
            &rows::PUBKEY,
            "A claimed key starts with 0x.",
        ),
        (
            "pubkey-short",
            "/content/content/pubkey",
            json!(key[..130]),
            &rows::PUBKEY,
            "0x04 is followed by 128 hex digits.",
        ),
        (
            "pubkey-off-curve",
            "/content/content/pubkey",
            json!(off),
            &rows::PUBKEY,
            "A claimed key is a point of the curve.",
        ),
        ("pubkey-null", "/content/content/pubkey", Value::Null, &rows::PUBKEY, "A claim has a key."),
        (
            "registered-at-words",
            "/content/content/registeredAt",
            json!("yesterday"),
            &rows::REGISTERED_AT,
            "registeredAt is an ISO 8601 time.",
        ),
        (
            "registered-at-number",
            "/content/content/registeredAt",
            json!(BEGIN),
            &rows::REGISTERED_AT,
            "registeredAt is a string.",
        ),
    ] {
        g.reject(name, "one", changed(&own, path, new, "machine"), row, why);
    }
    let stranger = changed(&own, "/content/content/pubkey", json!(public("stranger")), "machine");
    g.reject(
        "pubkey-of-another",
        "one",
        stranger,
        &rows::KEY_OF_ADDRESS,
        "The claimed key belongs to the claiming address.",
    )
    .read_as("A-058/key-of-address");
    let edits = changed(&own, "/sender", json!(address("stranger")), "stranger");
    g.reject("sender-other", "one", edits, &rows::SENDER, "A machine claims for itself.");
    let forged = resigned(own.clone(), "stranger")["signature"].clone();
    let edit = set("/in/claims/0/signature", own["signature"].clone(), forged);
    g.reject("signature-of-another", "one", [edit], &rows::SIGNATURE, "Another key signed.");
    let edit = set("/in/claims/0/content/time", BEGIN + 10, BEGIN);
    g.reject("time-changed", "one", [edit], &rows::SIGNATURE, "The time is signed.");
    let edit = set("/in/claims", json!([own]), json!([]));
    g.reject("none", "one", [edit], &rows::INSTANCE_HASH, "Without a claim there is no key.");
}

/// Changes a member and signs the claim again, so that nothing else is wrong.
fn changed(own: &Value, path: &str, new: Value, signer: &str) -> Vec<Edit> {
    let mut record = own.clone();
    let (parent, name) = path.rsplit_once('/').expect("a pointer");
    record.pointer_mut(parent).expect("an object")[name] = new.clone();
    let record = resigned(record, signer);
    let old = own.pointer(path).cloned().unwrap_or_default();
    vec![
        set(&format!("/in/claims/0{path}"), old, new),
        set("/in/claims/0/signature", own["signature"].clone(), record["signature"].clone()),
    ]
}
