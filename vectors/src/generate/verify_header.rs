//! `vfkey.verify`: server rules 1 to 6.

mod binding;
mod message;
mod parts;
mod points;
mod request;

use assay_spec::Dialect;
use assay_spec::crypto::ed25519;
use assay_spec::crypto::text::{hex, sha256_hex};
use assay_spec::publish::envelope::seal;
use assay_spec::publish::requirements::envelope as rows;
use serde_json::{Value, json};

use super::group::Group;
use super::keys::{address, bytes, key};
use super::world::{NOW, SITE, WINDOW};
use crate::case::Case;
use crate::edit::{content, look};

const PREPARE: &str = "/api/vf-cli/publish/prepare";
const BODY: &str = r#"{"domain":"site.example","cid":"bafy"}"#;
const HEADER: &str = "/in/authorization";
const MESSAGE: &str = "/in/authorization/message";
const SIGNATURE: &str = "/in/authorization/signature";

pub(super) fn cases() -> Vec<Case> {
    let mut g =
        Group::new("publish/vfkey-verify", "vfkey.verify", "src/generate/verify_header.rs", rows::ALL);
    accepts(&mut g);
    parts::cases(&mut g);
    message::cases(&mut g);
    request::cases(&mut g);
    binding::cases(&mut g);
    points::cases(&mut g);
    g.cases
}

/// The six claims as JSON members, in order.
fn claims(path: &str, time: &str, body: &[u8]) -> [String; 6] {
    let hash = sha256_hex(body);
    [
        r#""v":1"#.to_owned(),
        r#""m":"POST""#.to_owned(),
        format!(r#""p":"{path}""#),
        format!(r#""d":"{SITE}""#),
        format!(r#""t":"{time}""#),
        format!(r#""h":"{hash}""#),
    ]
}

/// A request of `signer`, whose claims stand in `object`, to a server where the client's key is bound.
fn input(signer: &str, object: &str, path: &str, body: &[u8]) -> Value {
    let message = format!("svc-vf:1:auth:{object}");
    let signature = ed25519::sign(&key(signer), message.as_bytes());
    json!({
        "authorization": seal(&Dialect::default(), message.as_bytes(), &signature),
        "method": "POST",
        "path": path,
        "body": std::str::from_utf8(body).map_or_else(|_| json!({"hex": hex(body)}), |text| json!({"utf8": text})),
        "now": NOW.to_string(),
        "bindings": [{"domain": SITE, "key": address("client"), "incoming_key": null}],
        "op": null,
    })
}

/// The plainest request with these claims' time, over this body.
fn plain(time: &str, body: &[u8]) -> Value {
    input("client", &format!("{{{}}}", claims(PREPARE, time, body).join(",")), PREPARE, body)
}

fn accepts(g: &mut Group) {
    let now = NOW.to_string();
    let body = BODY.as_bytes();
    let object = |separator: &str| claims(PREPARE, &now, body).join(separator);
    g.accept("prepare", plain(&now, body), "A prepare of the bound key.");
    g.accept("empty-body", plain(&now, b""), "The hash of nothing is good for an empty body.")
        .shows(&rows::EMPTY_BODY);
    g.accept(
        "binary-body",
        plain(&now, &bytes("body")),
        "The body is hashed as received, whatever it holds.",
    );
    let mut shuffled = claims(PREPARE, &now, body);
    shuffled.reverse();
    let shuffled = format!("{{{}}}", shuffled.join(","));
    g.accept(
        "keys-reversed",
        input("client", &shuffled, PREPARE, body),
        "The signature covers the bytes as sent, so the order of keys is free.",
    )
    .shows(&rows::KEY_ORDER_FREE);
    let spaced = format!("{{\n  {}\n}}\n", object(",\n  "));
    g.accept(
        "inner-white-space",
        input("client", &spaced, PREPARE, body),
        "White space inside the JSON is signed like the rest.",
    );
    let escaped = format!("{{{}}}", object(",").replace("prepare", "\\u0070repare"));
    g.accept(
        "escaped-path",
        input("client", &escaped, PREPARE, body),
        "An escape in the JSON is the character it stands for.",
    );
    let submit = "/api/vf-cli/publish/submit";
    let object = format!("{{{}}}", claims(submit, &now, b"{}").join(","));
    g.accept("submit", input("client", &object, submit, b"{}"), "A submit.");
    let odd = "/api/vf-cli/\u{fffd}";
    let object = format!("{{{}}}", claims(odd, &now, body).join(","));
    g.accept(
        "replacement-character",
        input("client", &object, odd, body),
        "U+FFFD is a character like others; a decoder that makes it out of bad bytes shows in the twin.",
    );
    for (name, skew) in [("window-oldest", -WINDOW), ("window-newest", WINDOW)] {
        g.accept(
            name,
            plain(&(NOW + skew).to_string(), body),
            "Exactly ten minutes away is within ten minutes.",
        );
    }
    for (name, time) in [
        ("time-with-offset", "2026-03-04T07:06:07.089+02:00"),
        ("time-without-decimals", "2026-03-04T05:06:07Z"),
    ] {
        g.accept(name, plain(time, body), "It parses to a time, and names one instant.")
            .read_as("A-068/any-instant");
    }
    let seek = |body: &str, found: fn(&Value) -> bool| {
        let mut inputs = (0u32..).map(|n| plain(&now, format!("{body} {n}").as_bytes()));
        inputs.find(found).expect("one signature in seventeen ends in zero, most have both characters")
    };
    g.accept(
        "signature-ends-in-zero",
        seek("zero", |input| signature(input).last() == Some(&0)),
        "A last byte of zero is as good as any; a reader that fills up short signatures shows in the twin.",
    );
    let both = |input: &Value| {
        ["-", "_"].iter().all(|c| input["authorization"].as_str().is_some_and(|h| h.contains(c)))
    };
    g.accept(
        "hyphen-and-underscore",
        seek("alphabet", both),
        "The two characters that tell the alphabets apart.",
    );
    let pending = |signer: &str, op: Value| {
        let object = format!("{{{}}}", claims(PREPARE, &now, body).join(","));
        let mut input = input(signer, &object, PREPARE, body);
        input["bindings"][0]["incoming_key"] = address("incoming").into();
        input["op"] = op;
        input
    };
    g.accept(
        "incoming-accepts",
        pending("incoming", json!("accept")),
        "While a transfer is pending, the incoming key is admitted for an accept.",
    );
    g.accept(
        "old-key-frozen",
        pending("client", Value::Null),
        "While a transfer is pending, the old key authenticates and is told that it is frozen.",
    );
    let mut two = plain(&now, body);
    two["bindings"] = json!([
        {"domain": "other.example", "key": address("stranger"), "incoming_key": null},
        {"domain": SITE, "key": address("client"), "incoming_key": null},
    ]);
    g.accept("second-binding", two, "The key of the domain that is named counts, not another domain's.");
}

fn signature(input: &Value) -> [u8; 64] {
    let signature = look(input, SIGNATURE).and_then(|signature| content(&signature));
    signature.ok().and_then(|bytes| bytes.try_into().ok()).expect("a header with 64 bytes of signature")
}
