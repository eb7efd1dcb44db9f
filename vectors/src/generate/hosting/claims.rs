//! `vm_claim.select`: which claim of a machine's key holds.

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

/// A machine's claim, so many seconds after the beginning.
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
    g.accept("one", input(vec![first.clone()]), "The only claim holds.");
    g.accept("earliest", input(vec![first.clone(), second.clone()]), "The earlier of two holds.");
    g.accept("earliest-last", input(vec![second.clone(), first.clone()]), "Whichever comes first.");
    let three = vec![second.clone(), claim("third", "machine", "instance", 30), first.clone()];
    g.accept("twice", input(three), "A machine that claims again holds by its first claim.");
    let other = claim("other", "another machine", "another instance", 1);
    g.accept(
        "another-instance",
        input(vec![other, first.clone()]),
        "An earlier claim of another machine does not count.",
    );
    let tie = vec![first.clone(), claim("tie", "another machine", "instance", 10)];
    let why = "Of two claims of one second the one with the smaller hash holds.";
    g.accept("tie", input(tie), why).read_as("A-058/smaller-hash");
    let backdated = vec![first.clone(), claim("backdated", "another machine", "instance", -1000)];
    let why = "A claimer chooses its own time: nothing keeps it from an earlier one.";
    g.accept("backdated", input(backdated), why).read_as("A-058/time-as-stated");
    // Two faults at once, so that neither rule alone decides.
    let spoil = |name: &str, change: &dyn Fn(&mut Value)| {
        let mut spoilt = claim(name, "another machine", "instance", 1);
        change(&mut spoilt);
        spoilt
    };
    let unsigned = spoil("unsigned", &|record| record["content"]["content"]["v"] = 2.into());
    g.accept(
        "unsigned",
        input(vec![unsigned, first.clone()]),
        "An earlier claim that was changed never holds.",
    );
    let stranger = spoil("stranger", &|record| {
        record["sender"] = address("stranger").into();
        record["content"]["content"]["registeredAt"] = "yesterday".into();
        *record = resigned(record.clone(), "stranger");
    });
    g.accept("stranger", input(vec![stranger, first.clone()]), "Nor does a stranger's for the machine.");
    let foreign = spoil("foreign key", &|record| {
        record["content"]["content"]["pubkey"] = public("stranger").into();
        record["content"]["content"]["v"] = "1".into();
        *record = resigned(record.clone(), "another machine");
    });
    g.accept("foreign-key", input(vec![foreign, first.clone()]), "Nor does one of another's key.");
    let malformed = spoil("malformed", &|record| {
        record["content"]["content"]["pubkey"] = public("another machine")[..130].into();
        record["content"]["content"]["instanceHash"] = 7.into();
        *record = resigned(record.clone(), "another machine");
    });
    g.accept("malformed", input(vec![first, malformed]), "Nor does one that cannot be read.");
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
            "Its content has the claims' type.",
        ),
        ("version-2", "/content/content/v", json!(2), &rows::V, "Another version is another form."),
        ("version-text", "/content/content/v", json!("1"), &rows::V, "A version is a number."),
        (
            "instance-number",
            "/content/content/instanceHash",
            json!(7),
            &rows::INSTANCE_HASH,
            "A hash is a text.",
        ),
        (
            "instance-empty",
            "/content/content/instanceHash",
            json!(""),
            &rows::INSTANCE_HASH,
            "Nothing is no hash.",
        ),
        (
            "instance-other",
            "/content/content/instanceHash",
            json!(hash("another instance")),
            &rows::INSTANCE_HASH,
            "No claim is left where all are of other machines.",
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
            "0x is a part of the form.",
        ),
        ("pubkey-short", "/content/content/pubkey", json!(key[..130]), &rows::PUBKEY, "128 digits follow."),
        (
            "pubkey-off-curve",
            "/content/content/pubkey",
            json!(off),
            &rows::PUBKEY,
            "It is a point of the curve.",
        ),
        ("pubkey-null", "/content/content/pubkey", Value::Null, &rows::PUBKEY, "It is there."),
        (
            "registered-at-words",
            "/content/content/registeredAt",
            json!("yesterday"),
            &rows::REGISTERED_AT,
            "A time is written by ISO 8601.",
        ),
        (
            "registered-at-number",
            "/content/content/registeredAt",
            json!(BEGIN),
            &rows::REGISTERED_AT,
            "As a text.",
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
        "The key is the one whose address claims.",
    )
    .read_as("A-058/key-of-address");
    let edits = changed(&own, "/sender", json!(address("stranger")), "stranger");
    g.reject("sender-other", "one", edits, &rows::SENDER, "A machine claims for itself.");
    let forged = resigned(own.clone(), "stranger")["signature"].clone();
    let edit = set("/in/claims/0/signature", own["signature"].clone(), forged);
    g.reject("signature-of-another", "one", [edit], &rows::SIGNATURE, "Signed by another key.");
    let edit = set("/in/claims/0/content/time", BEGIN + 10, BEGIN);
    g.reject("time-changed", "one", [edit], &rows::SIGNATURE, "The time is signed.");
    let edit = set("/in/claims", json!([own]), json!([]));
    g.reject("none", "one", [edit], &rows::INSTANCE_HASH, "Without a claim there is no key.");
}

/// A member changed, and the claim signed anew so that nothing else is wrong.
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
