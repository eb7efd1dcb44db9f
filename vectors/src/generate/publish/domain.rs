//! `domain.canonical`: both sides of every bound in the grammar.

use assay_spec::publish::requirements::domain as rows;
use serde_json::json;

use crate::case::Case;
use crate::generate::group::{Group, splice};

const D: &str = "/in/domain";

pub(in crate::generate) fn cases() -> Vec<Case> {
    let mut g = Group::new("publish/domain", "domain.canonical", "src/generate/publish/domain.rs", rows::ALL);
    let label = |n: usize| "a".repeat(n);
    let total = [label(63), label(63), label(63), label(61)].join(".");
    for (name, domain, why) in [
        ("plain", "site.example", "Two labels of letters."),
        ("label-1", "a.b", "The shortest label has one character."),
        ("label-63", &format!("{}.example", label(63)), "The longest label has 63 characters."),
        ("total-253", &total, "The longest domain has 253 characters."),
        ("many-labels", "a.b.c.d.e.f.example", "A domain may have more than two labels."),
        ("digits", "4you2.0example", "Digits are allowed anywhere in a label, also at the start."),
        ("inner-hyphen", "my-site.example", "A hyphen is allowed inside a label."),
        ("double-hyphen", "ab--cd.example", "Two hyphens at positions 3 and 4 have no special meaning here."),
        ("punycode", "xn--bcher-kva.example", "An internationalized name is written in its punycode form."),
        ("punycode-last", "site.xn--p1ai", "The last label may be in punycode form too."),
        ("hyphens-inside", "a---b.example", "A label may contain several hyphens in a row."),
        ("punycode-broken", "xn--a.example", "Punycode is not decoded. Only the grammar counts."),
        ("all-digits", "1.2.3.4", "The grammar does not distinguish IP addresses from names."),
    ] {
        let case = g.accept(name, json!({"domain": domain}), why);
        if matches!(name, "punycode-broken" | "all-digits") {
            case.read_as("A-108/grammar-only");
        }
    }

    let no_label = "A label has at least one character.";
    let letters = "A domain contains only lowercase ASCII letters, digits, hyphens and dots.";
    g.reject("upper-case", "plain", [splice(D, 0, "s", "S")], &rows::ALPHABET, letters);
    g.reject("underscore", "plain", [splice(D, 1, "i", "_")], &rows::ALPHABET, letters);
    g.reject("non-ascii", "plain", [splice(D, 3, "e", "\u{e9}")], &rows::ALPHABET, letters);
    g.reject("punycode-upper-case", "punycode", [splice(D, 0, "xn", "XN")], &rows::ALPHABET, letters);
    g.reject(
        "slash",
        "plain",
        [splice(D, 12, "", "/")],
        &rows::ALPHABET,
        "A domain does not include a path.",
    );
    g.reject(
        "at-sign",
        "plain",
        [splice(D, 0, "", "a@")],
        &rows::ALPHABET,
        "A domain does not include a user name.",
    );
    g.reject(
        "soft-hyphen",
        "plain",
        [splice(D, 4, "", "\u{ad}")],
        &rows::ALPHABET,
        "A soft hyphen is rejected, although IDN processing would drop it.",
    );
    g.reject("ideographic-stop", "plain", [splice(D, 4, ".", ".\u{3002}")], &rows::ALPHABET, letters);
    g.reject("full-width-dot", "plain", [splice(D, 4, ".", ".\u{ff0e}")], &rows::ALPHABET, letters);
    g.reject(
        "kelvin-sign",
        "plain",
        [splice(D, 0, "s", "\u{212a}")],
        &rows::ALPHABET,
        "The Kelvin sign is rejected, although it lowercases to an ASCII k.",
    );
    g.reject(
        "leading-space",
        "plain",
        [splice(D, 0, "", " ")],
        &rows::ALPHABET,
        "White space around the domain is not trimmed.",
    );
    g.reject(
        "trailing-newline",
        "plain",
        [splice(D, 12, "", "\n")],
        &rows::ALPHABET,
        "White space around the domain is not trimmed.",
    );
    g.reject("nul", "plain", [splice(D, 4, "", "\0")], &rows::ALPHABET, "A NUL does not end the domain.");
    g.reject(
        "port",
        "plain",
        [splice(D, 12, "", ":443")],
        &rows::ALPHABET,
        "A domain does not include a port.",
    );
    g.reject("wildcard", "plain", [splice(D, 0, "", "*.")], &rows::ALPHABET, "A wildcard is not allowed.");
    g.reject(
        "trailing-dot",
        "plain",
        [splice(D, 12, "", ".")],
        &rows::NO_TRAILING_DOT,
        "A domain has no trailing dot.",
    );
    g.reject(
        "single-label",
        "plain",
        [splice(D, 4, ".example", "")],
        &rows::TWO_LABELS,
        "A domain has at least two labels.",
    );
    g.reject(
        "label-64",
        "label-63",
        [splice(D, 0, "", "a")],
        &rows::LABEL_LENGTH,
        "64 characters are one more than a label may have.",
    );
    g.reject(
        "label-64-last",
        "total-253",
        [splice(D, 191, ".", "a")],
        &rows::LABEL_LENGTH,
        "The last label is limited to 63 characters too.",
    );
    g.reject("empty-label", "plain", [splice(D, 4, "", ".")], &rows::LABEL_LENGTH, no_label);
    g.reject("empty-label-last", "many-labels", [splice(D, 11, "", ".")], &rows::LABEL_LENGTH, no_label);
    g.reject("leading-dot", "plain", [splice(D, 0, "", ".")], &rows::LABEL_LENGTH, no_label);
    g.reject(
        "total-254",
        "total-253",
        [splice(D, 192, "", "a")],
        &rows::TOTAL_LENGTH,
        "254 characters are one more than a domain may have.",
    );
    g.reject(
        "leading-hyphen",
        "plain",
        [splice(D, 0, "", "-")],
        &rows::NO_EDGE_HYPHEN,
        "A label does not start with a hyphen.",
    );
    g.reject(
        "trailing-hyphen",
        "plain",
        [splice(D, 4, "", "-")],
        &rows::NO_EDGE_HYPHEN,
        "A label does not end with a hyphen.",
    );
    g.reject(
        "hyphen-last-label",
        "plain",
        [splice(D, 12, "", "-")],
        &rows::NO_EDGE_HYPHEN,
        "The last label does not end with a hyphen either.",
    );
    g.reject(
        "hyphen-alone",
        "label-1",
        [splice(D, 2, "b", "-")],
        &rows::NO_EDGE_HYPHEN,
        "A label that is only a hyphen starts and ends with one.",
    );
    g.cases
}
