//! `store.classify`: every row of the document's table, and responses between the rows.

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

/// A STORE as a node returns it.
fn store(status: &str) -> Value {
    json!({
        "status": status, "item_hash": HASH,
        "message": {"item_hash": HASH, "type": "STORE", "channel": "SVC",
            "content": {"address": "a", "item_type": "ipfs", "item_hash": CID, "time": 1}},
    })
}

/// The same STORE without its content.
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
        ("processed", 200, store("processed"), "The identifier is in the message's content, not beside it."),
        ("removing", 200, store("removing"), "A scheduled removal has no effect yet."),
        (
            "forgotten",
            200,
            stripped("forgotten"),
            "The STORE is forgotten. It is not absent because its content is missing.",
        ),
        ("forgotten-bare", 200, json!({"status": "forgotten"}), "The status alone decides."),
        ("removed", 200, removed(), "The STORE is removed. The response contains no message."),
        ("removed-bare", 200, json!({"status": "removed"}), "The status alone decides."),
        ("gone", 410, Value::Null, "The HTTP status alone decides."),
        ("gone-removed", 410, removed(), "The HTTP status and the body's status agree."),
        (
            "gone-refusal",
            410,
            refusal("error"),
            "The status of the error body is not one of the six STORE statuses.",
        ),
        ("gone-text", 410, json!("gone"), "The body is not JSON."),
        (
            "pending",
            200,
            store("pending"),
            "The message is not validated. Nothing is known about the bytes, even if the message looks complete.",
        ),
        ("pending-bare", 200, json!({"status": "pending"}), "A pending STORE is unknown, not absent."),
        (
            "rejected",
            200,
            store("rejected"),
            "The message is rejected. Nothing is known about the bytes, even if the message looks complete.",
        ),
        (
            "rejected-stripped",
            200,
            stripped("rejected"),
            "A rejected STORE is not absent because its content is missing.",
        ),
        ("not-found", 404, refusal("error"), "This node lacks the message. Another node may have it."),
        ("not-found-bare", 404, Value::Null, "The HTTP status alone decides."),
        ("not-found-text", 404, json!("<html>"), "The body is not JSON."),
    ] {
        g.accept(name, input(http_status, body), why);
    }
}

fn no_store(g: &mut Group) {
    let with = |pointer: &str, value: Value| {
        let mut body = store("processed");
        *body.pointer_mut(pointer).expect("the member exists") = value;
        body
    };
    let mut bare = store("processed");
    bare["message"]["content"].as_object_mut().expect("an object").shift_remove("item_hash");
    for (name, body, why) in [
        ("post", with("/message/type", json!("POST")), "The message has another type."),
        ("type-other-case", with("/message/type", json!("store")), "The type is uppercase."),
        ("type-null", with("/message/type", Value::Null), "The message has no type."),
        (
            "no-item-hash",
            bare,
            "The content has no item_hash. The message's own item_hash does not replace it.",
        ),
        ("item-hash-null", with("/message/content/item_hash", Value::Null), "Null is not an identifier."),
        (
            "content-null",
            with("/message/content", Value::Null),
            "The content is missing, and the status does not explain it.",
        ),
        ("message-null", with("/message", Value::Null), "The response has no message."),
        (
            "removing-post",
            {
                let mut body = with("/message/type", json!("POST"));
                body["status"] = json!("removing");
                body
            },
            "The message has another type, and its removal is scheduled.",
        ),
    ] {
        g.accept(name, input(200, body), why);
    }
    let mut no_status = store("processed");
    no_status.as_object_mut().expect("an object").shift_remove("status");
    for (name, body, why) in [
        ("status-unknown", with("/status", json!("archived")), "The status is not one of the six."),
        ("status-other-case", with("/status", json!("Processed")), "The status is lowercase."),
        ("status-missing", no_status, "The response has no status."),
        ("status-number", with("/status", json!(1)), "The status is not a string."),
        (
            "item-hash-empty",
            with("/message/content/item_hash", json!("")),
            "An empty string is not an identifier.",
        ),
        ("item-hash-number", with("/message/content/item_hash", json!(7)), "A number is not an identifier."),
        ("empty-object", json!({}), "The body is an empty object."),
        ("array", json!([]), "The body is not an object."),
        ("text", json!("<html>"), "The body is not JSON."),
        ("no-body", Value::Null, "The response has no body."),
    ] {
        g.accept(name, input(200, body), why).read_as("A-060/other-200-is-absent");
    }
}

/// Responses whose parts contradict each other.
fn contrary(g: &mut Group) {
    for (name, http_status, body, why) in [
        (
            "forgotten-complete",
            200,
            store("forgotten"),
            "The status decides, not the content that is still present.",
        ),
        (
            "removed-complete",
            200,
            store("removed"),
            "The status decides, not the content that is still present.",
        ),
        ("gone-forgotten", 410, stripped("forgotten"), "The body's status decides, not the HTTP status."),
        ("gone-forgotten-bare", 410, json!({"status": "forgotten"}), "The body's status decides."),
        ("gone-pending", 410, json!({"status": "pending"}), "The body's status decides."),
        ("gone-rejected", 410, store("rejected"), "The body's status decides."),
        ("gone-processed", 410, store("processed"), "HTTP 410 means gone, even if the body says otherwise."),
        ("gone-removing", 410, store("removing"), "HTTP 410 means gone, even if the body says otherwise."),
    ] {
        g.accept(name, input(http_status, body), why).read_as("A-059/status-first");
    }
    for (name, status) in [("not-found-forgotten", "forgotten"), ("not-found-processed", "processed")] {
        g.accept(name, input(404, store(status)), "HTTP 404 means absent, even if the body says otherwise.")
            .read_as("A-060/404-is-absent");
    }
}

fn other_answers(g: &mut Group) {
    for (http_status, body, why) in [
        (301, Value::Null, "A redirect says nothing about the bytes."),
        (400, refusal("error"), "HTTP 400 says nothing about the bytes."),
        (401, Value::Null, "HTTP 401 says nothing about the bytes."),
        (429, refusal("error"), "A rate limit does not mean absent."),
        (500, refusal("error"), "A server error does not mean absent."),
        (502, json!("<html>"), "A gateway's error does not mean absent."),
        (503, store("processed"), "A server error does not mean absent, whatever its body says."),
        (
            504,
            json!({"status": "forgotten"}),
            "A gateway timeout does not mean absent, whatever its body says.",
        ),
        (204, Value::Null, "A success status other than 200 says nothing about the bytes."),
    ] {
        let name = format!("other-{http_status}");
        g.accept(&name, input(http_status, body), why).read_as("A-060/other-statuses");
    }
}
