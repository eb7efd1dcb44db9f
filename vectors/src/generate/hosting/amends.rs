//! `amends.resolve`: the record of an amend chain that is authoritative.

use assay_spec::Id;
use assay_spec::hosting::requirements::{amends as rows, deployments, identifiers, records};
use serde_json::{Value, json};

use super::record::{BEGIN, DEPLOYMENT, address, body, hash, post, resigned};
use crate::case::Case;
use crate::generate::group::{Group, set};

static SHOWN: &[Id] = &[&rows::CREATION, &records::FORM, &deployments::STATUS, &deployments::STORE_REF];

pub(in crate::generate) fn cases() -> Vec<Case> {
    let source = "src/generate/hosting/amends.rs";
    let mut g = Group::new("hosting/amends-resolve", "amends.resolve", source, SHOWN);
    chains(&mut g);
    forks(&mut g);
    many(&mut g);
    open(&mut g);
    strangers(&mut g);
    legacy(&mut g);
    rejects(&mut g);
    g.cases
}

/// The creation POST of the deployment.
fn creation() -> Value {
    let content = json!({
        "address": address("wallet"), "type": DEPLOYMENT, "content": body("queued", None), "time": BEGIN,
    });
    post("creation", "delegate", content)
}

/// An amend of the message `target`, `after` seconds after the creation. Its artifact has the amend's name.
fn amend(name: &str, target: &str, after: i64) -> Value {
    by("delegate", name, target, after)
}

fn by(sender: &str, name: &str, target: &str, after: i64) -> Value {
    let store = hash(&format!("store of {name}"));
    let content = json!({
        "address": address("wallet"), "type": "amend", "ref": hash(target),
        "content": body("live", Some(&store)), "time": BEGIN + after,
    });
    post(name, sender, content)
}

fn input(messages: Vec<Value>) -> Value {
    json!({"creation": hash("creation"), "messages": Value::Array(messages), "authorized": null})
}

/// The same, but only the wallet and its delegate are authorized.
fn checked(messages: Vec<Value>) -> Value {
    let authorized = json!([address("wallet"), address("delegate")]);
    json!({"creation": hash("creation"), "messages": Value::Array(messages), "authorized": authorized})
}

fn chains(g: &mut Group) {
    g.accept("creation", input(vec![creation()]), "Without amends the creation is authoritative.");
    g.accept("one", input(vec![creation(), amend("a", "creation", 10)]), "The amend is authoritative.");
    let mut failed = amend("a", "creation", 10);
    failed["content"]["content"] = body("failed", None);
    g.accept(
        "failed",
        input(vec![creation(), resigned(failed, "delegate")]),
        "A failed deployment has no artifact.",
    );
    let three = vec![creation(), amend("a", "creation", 10), amend("b", "a", 20), amend("c", "b", 30)];
    g.accept("three-hops", input(three.clone()), "The last amend of a chain of three is authoritative.");
    let turned = three.into_iter().rev().collect();
    g.accept("three-hops-reversed", input(turned), "The order in which records arrive does not matter.");
    let other = vec![creation(), amend("a", "creation", 10), amend("b", "another creation", 20)];
    g.accept("another-creation", input(other), "An amend of another deployment is ignored.");
    let live = vec![creation(), amend("a", "creation", 10), amend("z", "a", 500)];
    g.accept(
        "after-live",
        input(live),
        "Readers follow an amend of a live deployment, although writers make none.",
    );
    g.accept(
        "checked",
        checked(vec![creation(), amend("a", "creation", 10)]),
        "Signatures and senders are valid.",
    );
}

/// No sentence limits the number of amends.
fn many(g: &mut Group) {
    let link = |n: i64| {
        let target = if n == 0 { "creation".to_owned() } else { format!("amend {}", n - 1) };
        amend(&format!("amend {n}"), &target, n + 1)
    };
    let chain: Vec<Value> = std::iter::once(creation()).chain((0..50).map(link)).collect();
    g.accept("fifty", input(chain), "Fifty amends follow each other.");
    let beside = (0..50).map(|n| amend(&format!("amend {n}"), "creation", 100 - n));
    let fork = std::iter::once(creation()).chain(beside).collect();
    g.accept(
        "fork-of-fifty",
        input(fork),
        "Of fifty amends of one message, the first to arrive has the largest time.",
    );
}

fn forks(g: &mut Group) {
    let fork = vec![amend("a", "creation", 10), creation(), amend("b", "creation", 20)];
    g.accept("fork", input(fork), "Of two amends of one message, the one with the larger time wins.");
    let turned = vec![amend("b", "creation", 20), amend("a", "creation", 10), creation()];
    g.accept("fork-reversed", input(turned), "The amend with the larger time wins, whichever arrives first.");
    let example =
        vec![creation(), amend("a", "creation", 10), amend("b", "creation", 20), amend("c", "a", 30)];
    let why = "Each fork is decided locally: an amend of the losing amend is ignored, whatever its time.";
    g.accept("fork-local", input(example.clone()), why);
    let mut turned = example;
    turned.reverse();
    let same = vec![creation(), amend("a", "creation", 0), amend("b", "a", 0)];
    g.accept("same-time", input(same), "Without a fork times do not matter.");
    g.accept(
        "fork-local-reversed",
        input(turned),
        "A fork is decided locally, whatever the order of arrival.",
    );
    let deep = vec![
        creation(),
        amend("a", "creation", 10),
        amend("b", "a", 20),
        amend("c", "a", 25),
        amend("d", "b", 90),
        amend("e", "c", 30),
        amend("f", "c", 40),
    ];
    g.accept("forks-on-the-way", input(deep), "Each fork of a chain is decided separately.");
}

/// Cases that the document leaves open.
fn open(g: &mut Group) {
    let tie = vec![creation(), amend("a", "creation", 10), amend("b", "creation", 10)];
    let why = "Of two amends with the same time, the one with the smaller hash wins.";
    g.accept("tie", input(tie), why).read_as("A-055/smaller-hash");
    let tie = vec![creation(), amend("b", "creation", 10), amend("a", "creation", 10)];
    let why = "The amend with the smaller hash wins a tie, whichever arrives first.";
    g.accept("tie-reversed", input(tie), why).read_as("A-055/smaller-hash");
    let tie = vec![
        creation(),
        amend("a", "creation", 10),
        amend("b", "creation", 10),
        amend("c", "creation", 10),
        amend("d", "creation", 9),
    ];
    let why =
        "Of three amends with the same time, the smallest hash wins. An earlier amend is not considered.";
    g.accept("tie-of-three", input(tie), why).read_as("A-055/smaller-hash");
    let older = vec![creation(), amend("a", "creation", -10)];
    let why = "An amend may be older than the message it amends.";
    g.accept("older", input(older), why).read_as("A-055/older-accepted");
    let dangling = vec![creation(), amend("a", "creation", 10), amend("b", "nowhere", 20)];
    let why = "An amend of an unknown message is ignored.";
    g.accept("dangling", input(dangling), why).read_as("A-055/dangling-ignored");
    let mut again = amend("again", "b", 30);
    again["item_hash"] = hash("a").into();
    let cycle = vec![creation(), amend("a", "creation", 10), amend("b", "a", 20), again];
    let why = "The chain ends before a hash that it already contains.";
    g.accept("cycle", input(cycle), why).read_as("A-055/cycle-ends");
    let mut apart = amend("apart", "c", 20);
    apart["item_hash"] = hash("b").into();
    let cycle = vec![creation(), amend("a", "creation", 10), apart, amend("c", "b", 30)];
    let why = "A cycle that the chain does not reach is ignored.";
    g.accept("cycle-apart", input(cycle), why).read_as("A-055/cycle-ends");
    let itself = vec![creation(), amend("a", "a", 10)];
    let why = "An amend that refers to itself is ignored.";
    g.accept("itself", input(itself), why).read_as("A-055/cycle-ends");
    let mut broken = amend("b", "creation", 20);
    broken["content"]["content"]["public"]["status"] = "done".into();
    broken["content"]["content"]["public"]["storeRef"] = 7.into();
    let messages = vec![creation(), amend("a", "creation", 10), resigned(broken, "delegate")];
    let why = "An unreadable amend is ignored.";
    g.accept("unreadable", input(messages), why).read_as("A-055/unreadable-ignored");
}

fn strangers(g: &mut Group) {
    let forged = vec![creation(), amend("a", "creation", 10), by("stranger", "b", "creation", 20)];
    g.accept(
        "stranger",
        checked(forged),
        "An unauthorized sender's amend is dropped before times are compared.",
    );
    let between =
        vec![creation(), amend("a", "creation", 10), by("stranger", "b", "a", 20), amend("c", "b", 30)];
    g.accept(
        "stranger-between",
        checked(between),
        "An amend of an unauthorized sender's amend is not reached.",
    );
    let mut forged = amend("b", "creation", 20);
    forged["signature"] = by("stranger", "b", "creation", 20)["signature"].clone();
    let forged = vec![creation(), amend("a", "creation", 10), forged];
    g.accept(
        "forged",
        checked(forged),
        "An amend that names the delegate but is signed by another key is ignored.",
    );
    let mut changed = amend("b", "creation", 20);
    changed["content"]["content"]["public"]["storeRef"] = hash("store of another").into();
    let changed = vec![creation(), amend("a", "creation", 10), changed];
    g.accept("changed", checked(changed), "An amend that was changed after signing is ignored.");
    let unseen = vec![creation(), amend("a", "creation", 10), by("stranger", "b", "creation", 20)];
    g.accept("unseen", input(unseen), "If senders are not checked, any sender's amend counts.");
    let mut retired = amend("b", "creation", 20);
    retired["channel"] = "SVC_CHANNEL_V0".into();
    let messages = vec![creation(), amend("a", "creation", 10), resigned(retired, "delegate")];
    g.accept("retired-channel", checked(messages), "A record on the retired channel is ignored.");
}

fn legacy(g: &mut Group) {
    for (name, schema, why) in [
        ("schema-3", json!(3), "A record of schema 3 is read, with a warning."),
        ("schema-1", json!(1), "A record of schema 1 is read, with a warning."),
        ("schema-missing", Value::Null, "A record without a schema version is read, with a warning."),
    ] {
        let mut old = creation();
        let body = &mut old["content"]["content"];
        *body = json!({
            "deploymentId": "deploy_AZaz09-_abcd", "projectId": "proj_AZaz09-_abcd", "schemaVersion": schema,
            "public": {"status": "live", "createdAt": "2025-03-04T05:06:07.089Z", "cid": "bafkqaaa"},
        });
        if schema.is_null() {
            body.as_object_mut().expect("an object").shift_remove("schemaVersion");
        }
        g.accept(name, input(vec![resigned(old, "delegate")]), why);
    }
}

fn rejects(g: &mut Group) {
    let own = creation();
    for (name, path, new, row, why) in [
        (
            "type-other",
            "/content/type",
            json!("note"),
            &rows::CREATION as Id,
            "A chain begins with a deployment POST.",
        ),
        (
            "type-amend",
            "/content/type",
            json!("amend"),
            &rows::CREATION,
            "A chain does not begin with an amend.",
        ),
        ("sender-name", "/sender", json!("delegate"), &records::FORM, "A sender is an address."),
        ("signature-missing", "/signature", Value::Null, &records::FORM, "A record has a signature."),
        ("address-name", "/content/address", json!("wallet"), &records::ADDRESS, "An owner is an address."),
        ("time-text", "/content/time", json!("1700000000"), &records::TIME, "A time is a number."),
        ("time-negative", "/content/time", json!(-1), &records::TIME, "A time is not negative."),
        (
            "status-other",
            "/content/content/public/status",
            json!("done"),
            &deployments::STATUS,
            "The status is queued, live or failed.",
        ),
        (
            "status-upper-case",
            "/content/content/public/status",
            json!("Live"),
            &deployments::STATUS,
            "The status is lowercase.",
        ),
        (
            "status-null",
            "/content/content/public/status",
            Value::Null,
            &deployments::STATUS,
            "The status is required.",
        ),
        (
            "store-ref-number",
            "/content/content/public/storeRef",
            json!(7),
            &deployments::STORE_REF,
            "storeRef is a string or null.",
        ),
        (
            "store-ref-list",
            "/content/content/public/storeRef",
            json!([]),
            &deployments::STORE_REF,
            "storeRef is not an array.",
        ),
        (
            "deployment-id",
            "/content/content/deploymentId",
            json!("deploy_AZaz09-_abc"),
            &identifiers::DEPLOYMENT,
            "Twelve characters follow the prefix.",
        ),
        (
            "project-id",
            "/content/content/projectId",
            json!("proj_AZaz09-_ab.d"),
            &identifiers::PROJECT,
            "An identifier contains no full stop.",
        ),
    ] {
        let old = own.pointer(path).cloned().unwrap_or_default();
        let edit = set(&format!("/in/messages/0{path}"), old, new);
        g.reject(name, "creation", [edit], row, why);
    }
    let edit = set("/in/messages/0/content/content/schemaVersion", 4, 5);
    let why = "A schema newer than the last known one is rejected.";
    g.reject("schema-5", "creation", [edit], &deployments::SCHEMA, why).read_as("A-056/newer-refused");
    let edit = set("/in/creation", hash("creation"), hash("a"));
    g.reject("begins-with-amend", "one", [edit], &rows::CREATION, "The hash names an amend, not a creation.");
}
