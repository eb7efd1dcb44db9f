//! `vfkey.verify`: server rules 1 to 6.

use assay_spec::crypto::ed25519;
use assay_spec::crypto::text::{hex, sha256_hex};
use assay_spec::publish::envelope::seal;
use assay_spec::publish::requirements::envelope as rows;
use assay_spec::{Dialect, Instant};
use serde_json::{Value, json};
use sha2::{Digest, Sha256, Sha512};

use super::group::{Group, set, splice};
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
    scheme_and_parts(&mut g);
    message(&mut g);
    request(&mut g);
    binding(&mut g);
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

fn scheme_and_parts(g: &mut Group) {
    let p = "prepare";
    let header = g.input(p)["authorization"].as_str().expect("a header").to_owned();
    for (name, edit, why) in [
        ("no-header", set(HEADER, header.as_str(), Value::Null), "A request without the header."),
        ("scheme-bearer", splice(HEADER, 0, "VfKey", "Bearer"), "Another scheme."),
        ("two-spaces", splice(HEADER, 5, " ", "  "), "One space, not two."),
        ("tab", splice(HEADER, 5, " ", "\t"), "A space, not a tab."),
        ("leading-space", splice(HEADER, 0, "", " "), "Nothing stands in front."),
        ("trailing-space", splice(HEADER, header.len(), "", " "), "Nothing stands behind."),
        ("trailing-word", splice(HEADER, header.len(), "", " x"), "Nothing stands behind."),
    ] {
        g.reject(name, p, [edit], &rows::SCHEME, why);
    }
    g.reject(
        "scheme-lower-case",
        p,
        [splice(HEADER, 0, "VfKey", "vfkey")],
        &rows::SCHEME,
        "The word is VfKey.",
    )
    .read_as("A-069/exact-word");

    let dot = header.find('.').expect("a dot");
    g.reject(
        "no-dot",
        p,
        [splice(HEADER, dot, ".", "")],
        &rows::TWO_PARTS,
        "Two parts have a dot between them.",
    );
    g.reject(
        "three-parts",
        p,
        [splice(HEADER, header.len(), "", ".e30")],
        &rows::TWO_PARTS,
        "Two parts, not three.",
    );
    g.reject(
        "trailing-dot",
        p,
        [splice(HEADER, header.len(), "", ".")],
        &rows::TWO_PARTS,
        "An empty third part is a third part.",
    );

    let row = &rows::BASE64URL;
    g.reject("padding", p, [splice(HEADER, header.len(), "", "==")], row, "Without padding.");
    for (name, own, other) in [("standard-alphabet-plus", "-", "+"), ("standard-alphabet-slash", "_", "/")] {
        let edit = g.change("hyphen-and-underscore", HEADER, own, other);
        g.reject(name, "hyphen-and-underscore", [edit], row, "The alphabet for URLs.");
    }
    let last = &header[header.len() - 1..];
    let next = char::from(last.as_bytes()[0] + 1).to_string();
    g.reject(
        "spare-bits",
        p,
        [splice(HEADER, header.len() - 1, last, next)],
        row,
        "The spare bits of the last character are zero.",
    );
    g.reject(
        "foreign-character",
        p,
        [splice(HEADER, dot, "", "!")],
        row,
        "A foreign character is not skipped.",
    );
    g.reject(
        "foreign-character-signature",
        p,
        [splice(HEADER, dot + 9, "", "~")],
        row,
        "Nor in the signature.",
    );

    let row = &rows::SIGNATURE_LENGTH;
    g.reject(
        "signature-63",
        "signature-ends-in-zero",
        [splice(SIGNATURE, 63, "00", "")],
        row,
        "63 bytes are not filled up.",
    );
    g.reject("signature-65", p, [splice(SIGNATURE, 64, "", "00")], row, "A 65th byte is not cut off.");
}

fn message(g: &mut Group) {
    let p = "prepare";
    for (name, old, new, why) in [
        ("prefix-version-2", "svc-vf:1:", "svc-vf:2:", "Version 1."),
        ("prefix-record", "svc-vf:1:auth:", "svc-vf:1:pub:", "A record's prefix is another message's."),
        ("prefix-upper-case", "svc-vf", "SVC-VF", "The prefix is compared byte by byte."),
        ("prefix-missing", "svc-vf:1:auth:", "", "The JSON alone is not the message."),
        ("prefix-bom", "svc-vf", "\u{feff}svc-vf", "A byte-order mark is not skipped."),
    ] {
        let edit = g.change(p, MESSAGE, old, new);
        g.reject(name, p, [edit], &rows::PREFIX, why);
    }
    let mut invalid = g.change("replacement-character", MESSAGE, "\u{fffd}", "");
    invalid.new = json!({"hex": "ff"});
    g.reject(
        "invalid-utf8",
        "replacement-character",
        [invalid],
        &rows::PREFIX,
        "Bytes that are not UTF-8 are refused, never replaced.",
    );

    let time = NOW.to_string();
    let object = format!("{{{}}}", claims(PREPARE, &time, BODY.as_bytes()).join(","));
    let array = format!(r#"[1,"POST","{PREPARE}","{SITE}","{time}","{}"]"#, sha256_hex(BODY.as_bytes()));
    for (name, old, new, why) in [
        ("seventh-key", r#""v":1,"#, r#""v":1,"n":"0","#, "Six keys and no others."),
        ("seventh-key-null", r#""v":1,"#, r#""v":1,"n":null,"#, "A key without value is a key."),
        ("missing-v", r#""v":1,"#, "", "All six keys."),
        ("missing-m", r#""m":"POST","#, "", "All six keys."),
        ("missing-p", &format!(r#""p":"{PREPARE}","#), "", "All six keys."),
        ("missing-t", &format!(r#""t":"{time}","#), "", "All six keys."),
        ("missing-h", &format!(r#","h":"{}""#, sha256_hex(BODY.as_bytes())), "", "All six keys."),
        ("key-case", r#""m":"#, r#""M":"#, "Keys are compared byte by byte."),
        ("array", &object, &array, "An object, not an array."),
        ("text-after-object", &object, &format!("{object}{object}"), "Nothing follows the object."),
    ] {
        let edit = g.change(p, MESSAGE, old, new);
        g.reject(name, p, [edit], &rows::SIX_KEYS, why);
    }
    for (name, new) in
        [("version-text", "\"1\""), ("version-2", "2"), ("version-true", "true"), ("version-null", "null")]
    {
        let edit = g.change(p, MESSAGE, r#""v":1"#, &format!(r#""v":{new}"#));
        g.reject(name, p, [edit], &rows::VERSION, "v is the number 1.");
    }
}

fn request(g: &mut Group) {
    let p = "prepare";
    for (name, new) in [("method-get", "GET"), ("method-lower-case", "post"), ("method-empty", "")] {
        let edit = g.change(p, MESSAGE, r#""m":"POST""#, &format!(r#""m":"{new}""#));
        g.reject(name, p, [edit], &rows::METHOD, "m is the method as sent.");
    }
    g.reject(
        "method-of-request",
        p,
        [set("/in/method", "POST", "PUT")],
        &rows::METHOD,
        "Signed for another method.",
    );
    for (name, new, why) in [
        ("path-other", "/api/vf-cli/publish/submit", "Signed for the other endpoint."),
        ("path-query", "/api/vf-cli/publish/prepare?x=1", "The query is no part of p."),
        ("path-trailing-slash", "/api/vf-cli/publish/prepare/", "The path exactly as sent."),
        ("path-with-host", "https://publish.example/api/vf-cli/publish/prepare", "No scheme, no host."),
        ("path-escaped", "/api/vf-cli/publish/%70repare", "The path is not decoded."),
    ] {
        let edit = g.change(p, MESSAGE, PREPARE, new);
        g.reject(name, p, [edit], &rows::PATH, why);
    }
    g.reject(
        "path-of-request",
        p,
        [set("/in/path", PREPARE, "/api/vf-cli/publish/submit")],
        &rows::PATH,
        "A header for one endpoint is no header for the other.",
    );
    let quoted = format!("\"{NOW}\"");
    for (name, new) in [
        ("time-garbage", "\"yesterday\""),
        ("time-empty", "\"\""),
        ("time-number", &NOW.0.to_string()),
        ("time-null", "null"),
        ("time-month-13", "\"2026-13-04T05:06:07.089Z\""),
    ] {
        let edit = g.change(p, MESSAGE, &quoted, new);
        g.reject(name, p, [edit], &rows::TIME_FORM, "t is a text that parses to a time.");
    }
    let clock = |skew: i64| set("/in/now", NOW.to_string(), (NOW + skew).to_string());
    g.reject(
        "window-too-old",
        "window-oldest",
        [clock(1)],
        &rows::TIME_WINDOW,
        "One millisecond more than ten minutes.",
    );
    g.reject(
        "window-too-new",
        "window-newest",
        [clock(-1)],
        &rows::TIME_WINDOW,
        "One millisecond more than ten minutes.",
    );
    let seconds = Instant(NOW.0 / 1000).to_string();
    let edit = g.change(p, MESSAGE, &NOW.to_string(), &seconds);
    g.reject("window-1970", p, [edit], &rows::TIME_WINDOW, "Seconds taken for milliseconds.");

    let hash = sha256_hex(BODY.as_bytes());
    let edit = g.change(p, "/in/body", "bafy", "bafz");
    g.reject("body-changed", p, [edit], &rows::BODY_HASH, "Another body than the one that was hashed.");
    let edit = g.append(p, "/in/body", "0a");
    g.reject("body-newline", p, [edit], &rows::BODY_HASH, "The raw bytes count, not the JSON in them.");
    let edit = g.append("empty-body", "/in/body", "20");
    g.reject("body-not-empty", "empty-body", [edit], &rows::BODY_HASH, "One byte is not nothing.");
    for (name, new) in [
        ("hash-upper-case", hash.to_uppercase()),
        ("hash-empty", String::new()),
        ("hash-cut", hash[..32].to_owned()),
    ] {
        let edit = g.change(p, MESSAGE, &hash, &new);
        g.reject(name, p, [edit], &rows::BODY_HASH, "h is the whole hash in lower-case hex.");
    }
}

fn binding(g: &mut Group) {
    let p = "prepare";
    let named = format!(r#""d":"{SITE}""#);
    for (name, new) in [("domain-upper-case", "Site.Example"), ("domain-trailing-dot", "site.example.")] {
        let edit = g.change(p, MESSAGE, &named, &format!(r#""d":"{new}""#));
        g.reject(
            name,
            p,
            [edit],
            &rows::DOMAIN_AS_SENT,
            "d is canonical as sent; the server does not make it so.",
        );
    }
    for (name, new) in [
        ("domain-single-label", "localhost"),
        ("domain-underscore", "my_site.example"),
        ("domain-unicode", "b\u{fc}cher.example"),
    ] {
        let edit = g.change(p, MESSAGE, &named, &format!(r#""d":"{new}""#));
        let bound = set("/in/bindings/0/domain", SITE, new);
        g.reject(name, p, [edit, bound], &rows::DOMAIN_AS_SENT, "Not canonical, even if somebody bound it.");
    }
    g.reject(
        "unbound",
        p,
        [set("/in/bindings/0/domain", SITE, "other.example")],
        &rows::BINDING,
        "Another domain is bound.",
    );
    let bindings = g.input(p)["bindings"].clone();
    g.reject(
        "nothing-bound",
        p,
        [set("/in/bindings", bindings, json!([]))],
        &rows::BINDING,
        "No domain is bound.",
    );
    g.reject(
        "accept-without-transfer",
        p,
        [set("/in/op", Value::Null, "accept")],
        &rows::BINDING,
        "An accept is admitted only while a transfer is pending.",
    );

    let row = &rows::SIGNATURE;
    let message = content(&look(g.input(p), MESSAGE).expect("a message")).expect("a text");
    let good = signature(g.input(p));
    let json = &message["svc-vf:1:auth:".len()..];
    for (name, other, why) in [
        ("stranger", ed25519::sign(&key("stranger"), &message), "Signed with a key that is not bound."),
        ("signed-json-alone", ed25519::sign(&key("client"), json), "The signature covers the prefix too."),
        (
            "signed-sha256",
            ed25519::sign(&key("client"), &Sha256::digest(&message)),
            "The message is signed, not its hash.",
        ),
        (
            "signed-sha512",
            ed25519::sign(&key("client"), &Sha512::digest(&message)),
            "Plain Ed25519, no pre-hashing.",
        ),
        ("signature-malleated", malleated(&good), "A scalar that is not below the group's order is refused."),
        ("signature-zero", [0; 64], "A signature of zeros."),
    ] {
        g.reject(name, p, [splice(SIGNATURE, 0, hex(&good), hex(&other))], row, why);
    }
    let bit = hex(&[good[40]]);
    g.reject(
        "signature-bit",
        p,
        [splice(SIGNATURE, 40, bit, hex(&[good[40] ^ 1]))],
        row,
        "One bit of the signature.",
    );
    g.reject(
        "key-changed",
        p,
        [set("/in/bindings/0/key", address("client"), address("stranger"))],
        row,
        "Another key is bound now.",
    );
    g.reject(
        "incoming-does-not-accept",
        "incoming-accepts",
        [set("/in/op", "accept", Value::Null)],
        row,
        "The incoming key may do nothing but accept.",
    );
    g.reject(
        "old-key-accepts",
        "old-key-frozen",
        [set("/in/op", Value::Null, "accept")],
        row,
        "For an accept only the incoming key is admitted.",
    )
    .read_as("A-077/404");
    let keys = set("/in/bindings/0/incoming_key", address("incoming"), address("stranger"));
    g.reject("other-incoming-key", "incoming-accepts", [keys], row, "Another key is the incoming one.");
}

fn signature(input: &Value) -> [u8; 64] {
    let signature = look(input, SIGNATURE).and_then(|signature| content(&signature));
    signature.ok().and_then(|bytes| bytes.try_into().ok()).expect("a header with 64 bytes of signature")
}

/// The same signature with the group's order added to its scalar.
fn malleated(signature: &[u8; 64]) -> [u8; 64] {
    let order = crate::bytes::parse_hex("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
    let mut carry = 0u16;
    let mut out = *signature;
    for (byte, add) in out[32..].iter_mut().zip(order.expect("hex")) {
        carry += u16::from(*byte) + u16::from(add);
        *byte = carry as u8;
        carry >>= 8;
    }
    out
}
