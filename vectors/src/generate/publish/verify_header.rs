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

use super::world::{NOW, SITE, WINDOW};
use crate::case::Case;
use crate::edit::{content, look};
use crate::generate::group::Group;
use crate::generate::keys::{address, bytes, key};

const PREPARE: &str = "/api/vf-cli/publish/prepare";
const BODY: &str = r#"{"domain":"site.example","cid":"bafy"}"#;
const HEADER: &str = "/in/authorization";
const MESSAGE: &str = "/in/authorization/message";
const SIGNATURE: &str = "/in/authorization/signature";

pub(in crate::generate) fn cases() -> Vec<Case> {
    let mut g = Group::new(
        "publish/vfkey-verify",
        "vfkey.verify",
        "src/generate/publish/verify_header.rs",
        rows::ALL,
    );
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

/// A request by `signer` with the claims in `object`, to a server on which the client's key is bound.
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

/// The simplest request with this time and this body.
fn plain(time: &str, body: &[u8]) -> Value {
    input("client", &format!("{{{}}}", claims(PREPARE, time, body).join(",")), PREPARE, body)
}

fn accepts(g: &mut Group) {
    let now = NOW.to_string();
    let body = BODY.as_bytes();
    let object = |separator: &str| claims(PREPARE, &now, body).join(separator);
    g.accept("prepare", plain(&now, body), "A prepare request signed by the bound key.");
    g.accept("empty-body", plain(&now, b""), "An empty body has the hash of zero bytes.")
        .shows(&rows::EMPTY_BODY);
    g.accept(
        "binary-body",
        plain(&now, &bytes("body")),
        "The body is hashed as received, whatever it contains.",
    );
    let mut shuffled = claims(PREPARE, &now, body);
    shuffled.reverse();
    let shuffled = format!("{{{}}}", shuffled.join(","));
    g.accept(
        "keys-reversed",
        input("client", &shuffled, PREPARE, body),
        "The signature covers the bytes as sent, so the keys may be in any order.",
    )
    .shows(&rows::KEY_ORDER_FREE);
    let spaced = format!("{{\n  {}\n}}\n", object(",\n  "));
    g.accept(
        "inner-white-space",
        input("client", &spaced, PREPARE, body),
        "The JSON may contain white space. It is signed like the rest.",
    );
    let escaped = format!("{{{}}}", object(",").replace("prepare", "\\u0070repare"));
    g.accept(
        "escaped-path",
        input("client", &escaped, PREPARE, body),
        "An escape in the JSON means the escaped character.",
    );
    let submit = "/api/vf-cli/publish/submit";
    let object = format!("{{{}}}", claims(submit, &now, b"{}").join(","));
    g.accept("submit", input("client", &object, submit, b"{}"), "A submit request.");
    let odd = "/api/vf-cli/\u{fffd}";
    let object = format!("{{{}}}", claims(odd, &now, body).join(","));
    g.accept(
        "replacement-character",
        input("client", &object, odd, body),
        "U+FFFD is an ordinary character. The case invalid-utf8 detects decoders that replace bad bytes by it.",
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
        g.accept(
            name,
            plain(time, body),
            "The time is not in the document's form, but it parses to one instant.",
        )
        .read_as("A-068/any-instant");
    }
    let seek = |body: &str, found: fn(&Value) -> bool| {
        let mut inputs = (0u32..).map(|n| plain(&now, format!("{body} {n}").as_bytes()));
        inputs.find(found).expect("an endless sequence contains such a signature")
    };
    g.accept(
        "signature-ends-in-zero",
        seek("zero", |input| signature(input).last() == Some(&0)),
        "The last byte may be zero. The case signature-63 detects verifiers that pad short signatures.",
    );
    let both = |input: &Value| {
        ["-", "_"].iter().all(|c| input["authorization"].as_str().is_some_and(|h| h.contains(c)))
    };
    g.accept(
        "hyphen-and-underscore",
        seek("alphabet", both),
        "Hyphen and underscore are the characters in which base64url differs from standard base64.",
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
        "While a transfer is pending, the old key still authenticates; the server then responds that it is frozen.",
    );
    let mut two = plain(&now, body);
    two["bindings"] = json!([
        {"domain": "other.example", "key": address("stranger"), "incoming_key": null},
        {"domain": SITE, "key": address("client"), "incoming_key": null},
    ]);
    g.accept("second-binding", two, "The server uses the key of the domain in d, not the first binding.");
}

fn signature(input: &Value) -> [u8; 64] {
    let signature = look(input, SIGNATURE).and_then(|signature| content(&signature));
    signature.ok().and_then(|bytes| bytes.try_into().ok()).expect("a header with 64 bytes of signature")
}
