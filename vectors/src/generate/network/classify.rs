//! `store.classify`: the document's table, every row and what lies between them.

use serde_json::{Value, json};

use crate::case::Case;
use crate::generate::group::Group;

const CID: &str = "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi";
const HASH: &str = "5f4dcc3b5aa765d61d8327deb882cf992b95990a9151374abd8ff8c5a7a0fe08";

pub(in crate::generate) fn cases() -> Vec<Case> {
    let source = "src/generate/network/classify.rs";
    let mut g = Group::new("network/store-classify", "store.classify", source, &[]);
    by_status(&mut g);
    no_store(&mut g);
    contrary(&mut g);
    other_answers(&mut g);
    g.cases
}

/// A STORE as a node wraps it.
fn store(status: &str) -> Value {
    json!({
        "status": status, "item_hash": HASH,
        "message": {"item_hash": HASH, "type": "STORE", "channel": "SVC",
            "content": {"address": "a", "item_type": "ipfs", "item_hash": CID, "time": 1}},
    })
}

/// The same without its content.
fn stripped(status: &str) -> Value {
    let mut body = store(status);
    body["message"]["content"] = Value::Null;
    body
}

fn removed() -> Value {
    json!({"status": "removed", "item_hash": HASH, "removed_at": 1_700_000_000, "size": 5, "reason": "balance"})
}

fn refusal(status: &str) -> Value {
    json!({"error": "not here", "status": status, "code": "NOT_FOUND"})
}

fn input(http_status: u16, body: Value) -> Value {
    match body {
        Value::Null => json!({"http_status": http_status}),
        body => json!({"http_status": http_status, "body": body}),
    }
}

fn by_status(g: &mut Group) {
    for (name, http_status, body, why) in [
        (
            "processed",
            200,
            store("processed"),
            "The identifier stands in the message's content, not beside it.",
        ),
        ("removing", 200, store("removing"), "A removal that is scheduled changes nothing yet."),
        ("forgotten", 200, stripped("forgotten"), "Forgotten, and not absent for want of a content."),
        ("forgotten-bare", 200, json!({"status": "forgotten"}), "The status alone tells it."),
        ("removed", 200, removed(), "Reclaimed: there is no message in the answer."),
        ("removed-bare", 200, json!({"status": "removed"}), "The status alone tells it."),
        ("gone", 410, Value::Null, "The status of HTTP alone tells it."),
        ("gone-removed", 410, removed(), "Both tell it."),
        (
            "gone-refusal",
            410,
            refusal("error"),
            "The form of a refusal has a status that is none of the six.",
        ),
        ("gone-text", 410, json!("gone"), "A body that was no JSON."),
        ("pending", 200, store("pending"), "Not validated: nothing is known, however complete it looks."),
        ("pending-bare", 200, json!({"status": "pending"}), "Nothing is known, and nothing is absent."),
        ("rejected", 200, store("rejected"), "Invalid: nothing is known, however complete it looks."),
        ("rejected-stripped", 200, stripped("rejected"), "Nor is it absent for want of a content."),
        ("not-found", 404, refusal("error"), "Another node may have it."),
        ("not-found-bare", 404, Value::Null, "The status of HTTP alone tells it."),
        ("not-found-text", 404, json!("<html>"), "A body that was no JSON."),
    ] {
        g.accept(name, input(http_status, body), why);
    }
}

fn no_store(g: &mut Group) {
    let with = |pointer: &str, value: Value| {
        let mut body = store("processed");
        *body.pointer_mut(pointer).expect("it stands") = value;
        body
    };
    let mut bare = store("processed");
    bare["message"]["content"].as_object_mut().expect("an object").shift_remove("item_hash");
    for (name, body, why) in [
        ("post", with("/message/type", json!("POST")), "A message of another type."),
        ("type-other-case", with("/message/type", json!("store")), "A type is written in capitals."),
        ("type-null", with("/message/type", Value::Null), "A message without a type."),
        ("no-item-hash", bare, "A content without its identifier; the message's own hash is none."),
        ("item-hash-null", with("/message/content/item_hash", Value::Null), "null is no identifier."),
        ("content-null", with("/message/content", Value::Null), "No content, and no status that says why."),
        ("message-null", with("/message", Value::Null), "No message."),
        (
            "removing-post",
            {
                let mut body = with("/message/type", json!("POST"));
                body["status"] = json!("removing");
                body
            },
            "A message of another type whose removal is scheduled.",
        ),
    ] {
        g.accept(name, input(200, body), why);
    }
    let mut no_status = store("processed");
    no_status.as_object_mut().expect("an object").shift_remove("status");
    for (name, body, why) in [
        ("status-unknown", with("/status", json!("archived")), "A status besides the six."),
        ("status-other-case", with("/status", json!("Processed")), "A status is written in small letters."),
        ("status-missing", no_status, "No status."),
        ("status-number", with("/status", json!(1)), "A status that is no text."),
        ("item-hash-empty", with("/message/content/item_hash", json!("")), "An empty identifier is none."),
        ("item-hash-number", with("/message/content/item_hash", json!(7)), "Nor is a number."),
        ("empty-object", json!({}), "An object without anything."),
        ("array", json!([]), "No object."),
        ("text", json!("<html>"), "A body that was no JSON."),
        ("no-body", Value::Null, "No body."),
    ] {
        g.accept(name, input(200, body), why).read_as("A-060/other-200-is-absent");
    }
}

/// Answers whose parts contradict each other.
fn contrary(g: &mut Group) {
    for (name, http_status, body, why) in [
        (
            "forgotten-complete",
            200,
            store("forgotten"),
            "The status decides, not the content that still stands.",
        ),
        ("removed-complete", 200, store("removed"), "The status decides, not the content that still stands."),
        ("gone-forgotten", 410, stripped("forgotten"), "The body's status decides, not that of HTTP."),
        ("gone-forgotten-bare", 410, json!({"status": "forgotten"}), "The body's status decides."),
        ("gone-pending", 410, json!({"status": "pending"}), "The body's status decides."),
        ("gone-rejected", 410, store("rejected"), "The body's status decides."),
        ("gone-processed", 410, store("processed"), "Gone, whatever else stands there."),
        ("gone-removing", 410, store("removing"), "Gone, whatever else stands there."),
    ] {
        g.accept(name, input(http_status, body), why).read_as("A-059/status-first");
    }
    for (name, status) in [("not-found-forgotten", "forgotten"), ("not-found-processed", "processed")] {
        g.accept(name, input(404, store(status)), "Not found, whatever the body says.")
            .read_as("A-060/404-is-absent");
    }
}

fn other_answers(g: &mut Group) {
    for (http_status, body, why) in [
        (301, Value::Null, "A redirection says nothing about the bytes."),
        (400, refusal("error"), "A refusal says nothing about the bytes."),
        (401, Value::Null, "Nor does one for want of a signature."),
        (429, refusal("error"), "Asked too often: nothing is absent."),
        (500, refusal("error"), "A failure is no absence."),
        (502, json!("<html>"), "Nor is a gateway's."),
        (503, store("processed"), "A failure is none, whatever its body says."),
        (504, json!({"status": "forgotten"}), "The same."),
        (204, Value::Null, "An empty success besides 200."),
    ] {
        let name = format!("other-{http_status}");
        g.accept(&name, input(http_status, body), why).read_as("A-060/other-statuses");
    }
}
