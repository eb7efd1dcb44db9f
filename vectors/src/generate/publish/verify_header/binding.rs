//! Rules 5 and 6: the domain, its binding and the admitted key.

use assay_spec::crypto::ed25519;
use assay_spec::crypto::text::hex;
use assay_spec::publish::requirements::envelope as rows;
use serde_json::{Value, json};
use sha2::{Digest, Sha256, Sha512};

use super::{MESSAGE, SIGNATURE, signature};
use crate::edit::{content, look};
use crate::generate::group::{Group, set, splice};
use crate::generate::keys::{address, key};
use crate::generate::publish::world::SITE;

pub(super) fn cases(g: &mut Group) {
    let p = "prepare";
    let named = format!(r#""d":"{SITE}""#);
    for (name, new) in [("domain-upper-case", "Site.Example"), ("domain-trailing-dot", "site.example.")] {
        let edit = g.change(p, MESSAGE, &named, &format!(r#""d":"{new}""#));
        g.reject(
            name,
            p,
            [edit],
            &rows::DOMAIN_AS_SENT,
            "d is canonical as sent. The server does not normalize it.",
        );
    }
    for (name, new) in [
        ("domain-single-label", "localhost"),
        ("domain-underscore", "my_site.example"),
        ("domain-unicode", "b\u{fc}cher.example"),
    ] {
        let edit = g.change(p, MESSAGE, &named, &format!(r#""d":"{new}""#));
        let bound = set("/in/bindings/0/domain", SITE, new);
        g.reject(
            name,
            p,
            [edit, bound],
            &rows::DOMAIN_AS_SENT,
            "d is not canonical, even if a binding for it exists.",
        );
    }
    g.reject(
        "unbound",
        p,
        [set("/in/bindings/0/domain", SITE, "other.example")],
        &rows::BINDING,
        "Only another domain is bound.",
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
    let message = content(&look(g.input(p), MESSAGE).expect("a message")).expect("bytes");
    let good = signature(g.input(p));
    let json = &message["svc-vf:1:auth:".len()..];
    for (name, other, why) in [
        ("stranger", ed25519::sign(&key("stranger"), &message), "The signing key is not bound."),
        ("signed-json-alone", ed25519::sign(&key("client"), json), "The signature covers the prefix too."),
        (
            "signed-sha256",
            ed25519::sign(&key("client"), &Sha256::digest(&message)),
            "The message is signed, not its hash.",
        ),
        (
            "signed-sha512",
            ed25519::sign(&key("client"), &Sha512::digest(&message)),
            "The signature is plain Ed25519 without pre-hashing.",
        ),
        ("signature-malleated", malleated(&good), "The signature's scalar must be below the group order."),
        ("signature-zero", [0; 64], "All bytes of the signature are zero."),
    ] {
        g.reject(name, p, [splice(SIGNATURE, 0, hex(&good), hex(&other))], row, why);
    }
    let bit = hex(&[good[40]]);
    g.reject(
        "signature-bit",
        p,
        [splice(SIGNATURE, 40, bit, hex(&[good[40] ^ 1]))],
        row,
        "One bit of the signature is flipped.",
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
        "The incoming key is admitted only for an accept.",
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
    g.reject("other-incoming-key", "incoming-accepts", [keys], row, "Another key is the incoming key.");
}

/// The same signature with the group order added to its scalar.
pub(super) fn malleated(signature: &[u8; 64]) -> [u8; 64] {
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
