//! `vfkey.sign`: the `Authorization` header that a client sends.

use assay_spec::publish::requirements::envelope as rows;
use serde_json::{Value, json};

use super::world::{NOW, SITE};
use crate::bytes::hex;
use crate::case::Case;
use crate::generate::group::Group;
use crate::generate::keys::{bytes, secret};

pub(in crate::generate) fn cases() -> Vec<Case> {
    let mut g = Group::new("publish/vfkey-sign", "vfkey.sign", "src/generate/publish/sign.rs", rows::ALL);
    let prepare = "/api/vf-cli/publish/prepare";
    let input = |path: &str, body: Value| {
        json!({"secret_key": hex(&secret("client")), "method": "POST", "path": path, "domain": SITE,
            "time": NOW.to_string(), "body": body})
    };
    let utf8 = |text: &str| json!({"utf8": text});
    let asked = utf8(r#"{"domain":"site.example","cid":"bafy"}"#);
    g.accept(
        "prepare",
        input(prepare, asked.clone()),
        "A prepare request. The six keys are in the document's order.",
    );
    g.accept(
        "submit",
        input("/api/vf-cli/publish/submit", utf8(r#"{"prepareId":"8f14e45f-ceea-467f-9a3b-7c9d1e2f3a4b"}"#)),
        "A submit request.",
    );
    g.accept(
        "empty-body",
        input(prepare, utf8("")),
        "For an empty body the client signs the hash of zero bytes.",
    );
    g.accept(
        "binary-body",
        input(prepare, hex(&bytes("body"))),
        "The hash covers the raw bytes of the body.",
    );
    g.accept(
        "body-64-kib",
        input(prepare, json!({"prng": ["body", 65536]})),
        "The largest body that the exchange accepts.",
    );
    g.accept(
        "body-non-ascii",
        input(prepare, utf8("{\"domain\":\"site.example\",\"cid\":\"caf\u{e9}\"}")),
        "The hash covers the UTF-8 bytes of the body, not its characters.",
    );
    let at = |time: &str| {
        let mut input = input(prepare, asked.clone());
        input["time"] = time.into();
        input
    };
    g.accept(
        "time-whole-second",
        at("2026-03-04T05:06:07.000Z"),
        "The time has three decimals even when they are zero.",
    );
    g.accept("time-leap-day", at("2028-02-29T23:59:59.999Z"), "The last millisecond of a leap day.");
    let mut punycode = input(prepare, asked.clone());
    punycode["domain"] = "xn--bcher-kva.example".into();
    g.accept("punycode", punycode, "An internationalized name is signed in its punycode form.");
    let mut nested = input(&format!("/gateway{prepare}"), asked);
    nested["method"] = "PUT".into();
    g.accept(
        "other-method-and-path",
        nested,
        "The method and the path, including any prefix, are signed exactly as sent.",
    );
    g.cases
}
