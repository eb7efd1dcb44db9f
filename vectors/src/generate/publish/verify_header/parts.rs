//! The scheme word, the two parts and their encoding.

use assay_spec::publish::requirements::envelope as rows;
use serde_json::Value;

use super::{HEADER, SIGNATURE};
use crate::generate::group::{Group, set, splice};

pub(super) fn cases(g: &mut Group) {
    let p = "prepare";
    let header = g.input(p)["authorization"].as_str().expect("a header").to_owned();
    for (name, edit, why) in [
        ("no-header", set(HEADER, header.as_str(), Value::Null), "The request has no Authorization header."),
        ("scheme-bearer", splice(HEADER, 0, "VfKey", "Bearer"), "The scheme is not VfKey."),
        ("two-spaces", splice(HEADER, 5, " ", "  "), "One space follows the scheme, not two."),
        ("tab", splice(HEADER, 5, " ", "\t"), "A space follows the scheme, not a tab."),
        ("leading-space", splice(HEADER, 0, "", " "), "Nothing precedes the scheme."),
        ("trailing-space", splice(HEADER, header.len(), "", " "), "Nothing follows the signature."),
        ("trailing-word", splice(HEADER, header.len(), "", " x"), "Nothing follows the signature."),
    ] {
        g.reject(name, p, [edit], &rows::SCHEME, why);
    }
    g.reject(
        "scheme-lower-case",
        p,
        [splice(HEADER, 0, "VfKey", "vfkey")],
        &rows::SCHEME,
        "The scheme is written VfKey.",
    )
    .read_as("A-069/exact-word");

    let dot = header.find('.').expect("a dot");
    g.reject("no-dot", p, [splice(HEADER, dot, ".", "")], &rows::TWO_PARTS, "A dot separates the two parts.");
    g.reject(
        "three-parts",
        p,
        [splice(HEADER, header.len(), "", ".e30")],
        &rows::TWO_PARTS,
        "The value has two parts, not three.",
    );
    g.reject(
        "trailing-dot",
        p,
        [splice(HEADER, header.len(), "", ".")],
        &rows::TWO_PARTS,
        "An empty third part counts as a part.",
    );

    let row = &rows::BASE64URL;
    g.reject(
        "padding",
        p,
        [splice(HEADER, header.len(), "", "==")],
        row,
        "Base64url is used without padding.",
    );
    for (name, own, other) in [("standard-alphabet-plus", "-", "+"), ("standard-alphabet-slash", "_", "/")] {
        let edit = g.change("hyphen-and-underscore", HEADER, own, other);
        g.reject(
            name,
            "hyphen-and-underscore",
            [edit],
            row,
            "The alphabet is base64url, not standard base64.",
        );
    }
    let last = &header[header.len() - 1..];
    let next = char::from(last.as_bytes()[0] + 1).to_string();
    g.reject(
        "spare-bits",
        p,
        [splice(HEADER, header.len() - 1, last, next)],
        row,
        "The unused bits of the last character are zero.",
    );
    g.reject(
        "foreign-character",
        p,
        [splice(HEADER, dot, "", "!")],
        row,
        "A character outside the alphabet is rejected, not skipped.",
    );
    g.reject(
        "foreign-character-signature",
        p,
        [splice(HEADER, dot + 9, "", "~")],
        row,
        "A character outside the alphabet is rejected in the signature too.",
    );

    let row = &rows::SIGNATURE_LENGTH;
    g.reject(
        "signature-63",
        "signature-ends-in-zero",
        [splice(SIGNATURE, 63, "00", "")],
        row,
        "A signature of 63 bytes is rejected, not padded.",
    );
    g.reject(
        "signature-65",
        p,
        [splice(SIGNATURE, 64, "", "00")],
        row,
        "A 65th byte is rejected, not cut off.",
    );
}
