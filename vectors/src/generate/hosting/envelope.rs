//! `envelope.seal`: the private part of a record, encrypted for the wallet and for E.

use assay_spec::Id;
use assay_spec::hosting::requirements::{ecies, envelope as rows};
use assay_spec::network::requirements::signing::SECRET_KEY;
use serde_json::{Value, json};

use super::world::{E, public, random, recipient};
use crate::bytes::hex;
use crate::case::Case;
use crate::generate::group::{Group, set, splice};

static SHOWN: &[Id] = &[&rows::KEY_LENGTH, &rows::JSON, &ecies::RECIPIENT];

/// The private part of a project.
pub(super) const PROJECT: &str = r#"{"name":"site","source":"git","repo":"owner/site","branch":"main","installationId":7,"buildCommand":"npm run build","outputDirectory":"dist"}"#;

/// The plaintexts, each with its name and reason.
pub(super) fn plaintexts() -> Vec<(&'static str, String, &'static str)> {
    vec![
        ("project", PROJECT.to_owned(), "The private part of a project."),
        (
            "deployment",
            r#"{"commitSha":"4b825dc642cb6eb9a060e54bf8d69288fbee4904","commitMessage":"First \"words\"","branch":"main","runUrl":null,"error":null}"#.to_owned(),
            "The private part of a deployment.",
        ),
        ("empty-object", "{}".to_owned(), "A plaintext of two bytes."),
        ("block", format!(r#"{{"a":"{}"}}"#, "b".repeat(8)), "The plaintext is exactly one cipher block."),
        (
            "beyond-ascii",
            "{\"name\":\"caf\u{e9} \u{2014} \u{1f511}\",\"e\":\"\\u00e9\\/\"}".to_owned(),
            "Raw UTF-8 and escapes are both kept as they are.",
        ),
        ("white-space", "{ \"name\" : \"site\" }\n".to_owned(), "White space is kept."),
        ("unsorted", r#"{"z":1,"a":{"10":1,"9":2}}"#.to_owned(), "The order of members is kept."),
        ("greatest", r#"{"n":9007199254740991,"m":-9007199254740991}"#.to_owned(), "The greatest integers that all parsers keep."),
        ("long", format!(r#"{{"error":"{}"}}"#, "0123456789abcdef".repeat(64)), "A long plaintext."),
    ]
}

/// The input that seals a plaintext. All random values are drawn from `draw`.
pub(super) fn input(draw: &str, plaintext: &str) -> Value {
    json!({
        "plaintext_json": plaintext,
        "dek": hex(&random(&format!("dek {draw}"), 32)),
        "iv": hex(&random(&format!("iv {draw}"), 12)),
        "deks": {"user": recipient("wallet", draw), "encryption": recipient(E, draw)},
    })
}

pub(in crate::generate) fn seal_cases() -> Vec<Case> {
    let source = "src/generate/hosting/envelope.rs";
    let mut g = Group::new("hosting/envelope-seal", "envelope.seal", source, SHOWN);
    for (name, plaintext, why) in plaintexts() {
        g.accept(name, input(name, &plaintext), why);
    }
    let mut twelve = input("nonce 12", "{}");
    for name in ["user", "encryption"] {
        twelve["deks"][name]["nonce"] = hex(&random(&format!("nonce 12 {name}"), 12));
    }
    g.accept("nonce-12", twelve, "The keys are wrapped with nonces of 12 bytes.").read_as("A-051/nonce-12");

    for (name, new, why) in [
        ("plaintext-text", "site", "A bare word is not JSON."),
        ("plaintext-empty", "", "An empty string is not JSON."),
        ("plaintext-cut", "{\"name\":", "A truncated object is not JSON."),
        ("plaintext-two", "{}{}", "Two objects are not one JSON value."),
    ] {
        g.reject(name, "empty-object", [set("/in/plaintext_json", "{}", new)], &rows::JSON, why);
    }
    let dek = g.input("project")["dek"]["hex"].as_str().unwrap_or_default().to_owned();
    let (short, long) = (splice("/in/dek", 31, &dek[62..], ""), splice("/in/dek", 32, "", "00"));
    g.reject("dek-31", "project", [short], &rows::KEY_LENGTH, "A data encryption key has 32 bytes, not 31.");
    g.reject("dek-33", "project", [long], &rows::KEY_LENGTH, "A data encryption key has 32 bytes, not 33.");
    let iv = g.input("project")["iv"]["hex"].as_str().unwrap_or_default().to_owned();
    let (short, long) = (splice("/in/iv", 11, &iv[22..], ""), splice("/in/iv", 12, "", "00000000"));
    g.reject("iv-11", "project", [short], &rows::IV, "An envelope's IV has 12 bytes, not 11.");
    g.reject(
        "iv-16",
        "project",
        [long],
        &rows::IV,
        "An envelope's IV has 12 bytes, not 16 like the nonce of the key wrapping.",
    );
    for (member, to) in [("user", "wallet"), ("encryption", E)] {
        let (path, key) = (format!("/in/deks/{member}/public_key"), public(to));
        let compressed = set(&path, key.as_str(), format!("0x02{}", &key[4..68]));
        let name = format!("{member}-compressed");
        g.reject(&name, "project", [compressed], &ecies::RECIPIENT, "A recipient's key is uncompressed.");
        let digit = if key.ends_with('0') { "1" } else { "0" };
        let off = splice(&path, 131, &key[131..], digit);
        let name = format!("{member}-off-curve");
        g.reject(&name, "project", [off], &ecies::RECIPIENT, "A recipient's key is a point of the curve.");
        let path = format!("/in/deks/{member}/ephemeral_private_key");
        let old = g.input("project")["deks"][member]["ephemeral_private_key"].clone();
        let zero = set(&path, old, hex(&[0; 32]));
        let name = format!("{member}-ephemeral-zero");
        g.reject(&name, "project", [zero], &SECRET_KEY, "Zero is not a valid private key.");
    }
    g.cases
}
