//! `domain.canonical`: both sides of every bound of the grammar.

use assay_spec::publish::requirements::domain as rows;
use serde_json::json;

use super::group::{Group, splice};
use crate::case::Case;

const D: &str = "/in/domain";

pub(super) fn cases() -> Vec<Case> {
    let mut g = Group::new("publish/domain", "domain.canonical", "src/generate/domain.rs", rows::ALL);
    let label = |n: usize| "a".repeat(n);
    let total = [label(63), label(63), label(63), label(61)].join(".");
    for (name, domain, why) in [
        ("plain", "site.example", "Two labels of letters."),
        ("label-1", "a.b", "Labels of one character are the shortest."),
        ("label-63", &format!("{}.example", label(63)), "A label of 63 characters is the longest."),
        ("total-253", &total, "253 characters are the most."),
        ("many-labels", "a.b.c.d.e.f.example", "There may be more than two labels."),
        ("digits", "4you2.0example", "Digits may stand anywhere, in front too."),
        ("inner-hyphen", "my-site.example", "A hyphen may stand inside a label."),
        ("double-hyphen", "ab--cd.example", "Two hyphens at the third place are no special form here."),
        (
            "punycode",
            "xn--bcher-kva.example",
            "The punycode form is how an internationalised name is written.",
        ),
        ("punycode-last", "site.xn--p1ai", "Also where it is the last label."),
        ("hyphens-inside", "a---b.example", "However many."),
        ("punycode-broken", "xn--a.example", "Punycode is not decoded; the grammar alone decides."),
        ("all-digits", "1.2.3.4", "The grammar does not know numbers from names."),
    ] {
        let case = g.accept(name, json!({"domain": domain}), why);
        if matches!(name, "punycode-broken" | "all-digits") {
            case.read_as("A-108/grammar-only");
        }
    }

    let no_label = "A label has one character at least.";
    let letters = "Nothing but lower-case letters, digits, hyphens and dots.";
    g.reject("upper-case", "plain", [splice(D, 0, "s", "S")], &rows::ALPHABET, letters);
    g.reject("underscore", "plain", [splice(D, 1, "i", "_")], &rows::ALPHABET, letters);
    g.reject("non-ascii", "plain", [splice(D, 3, "e", "\u{e9}")], &rows::ALPHABET, letters);
    g.reject("punycode-upper-case", "punycode", [splice(D, 0, "xn", "XN")], &rows::ALPHABET, letters);
    g.reject("slash", "plain", [splice(D, 12, "", "/")], &rows::ALPHABET, "A path is no part of it.");
    g.reject("at-sign", "plain", [splice(D, 0, "", "a@")], &rows::ALPHABET, "Neither is a user.");
    g.reject(
        "soft-hyphen",
        "plain",
        [splice(D, 4, "", "\u{ad}")],
        &rows::ALPHABET,
        "Characters that IDN drops are none of it.",
    );
    g.reject("ideographic-stop", "plain", [splice(D, 4, ".", ".\u{3002}")], &rows::ALPHABET, letters);
    g.reject("full-width-dot", "plain", [splice(D, 4, ".", ".\u{ff0e}")], &rows::ALPHABET, letters);
    g.reject(
        "kelvin-sign",
        "plain",
        [splice(D, 0, "s", "\u{212a}")],
        &rows::ALPHABET,
        "It lower-cases to k.",
    );
    g.reject("leading-space", "plain", [splice(D, 0, "", " ")], &rows::ALPHABET, "Nobody trims it.");
    g.reject("trailing-newline", "plain", [splice(D, 12, "", "\n")], &rows::ALPHABET, "Nobody trims it.");
    g.reject("nul", "plain", [splice(D, 4, "", "\0")], &rows::ALPHABET, "A NUL ends nothing.");
    g.reject("port", "plain", [splice(D, 12, "", ":443")], &rows::ALPHABET, "A port is no part of it.");
    g.reject("wildcard", "plain", [splice(D, 0, "", "*.")], &rows::ALPHABET, "A wildcard is no domain.");
    g.reject("trailing-dot", "plain", [splice(D, 12, "", ".")], &rows::NO_TRAILING_DOT, "No root dot.");
    g.reject(
        "single-label",
        "plain",
        [splice(D, 4, ".example", "")],
        &rows::TWO_LABELS,
        "One label is none.",
    );
    g.reject("label-64", "label-63", [splice(D, 0, "", "a")], &rows::LABEL_LENGTH, "One more than 63.");
    g.reject(
        "label-64-last",
        "total-253",
        [splice(D, 191, ".", "a")],
        &rows::LABEL_LENGTH,
        "The last counts too.",
    );
    g.reject("empty-label", "plain", [splice(D, 4, "", ".")], &rows::LABEL_LENGTH, no_label);
    g.reject("empty-label-last", "many-labels", [splice(D, 11, "", ".")], &rows::LABEL_LENGTH, no_label);
    g.reject("leading-dot", "plain", [splice(D, 0, "", ".")], &rows::LABEL_LENGTH, no_label);
    g.reject("total-254", "total-253", [splice(D, 192, "", "a")], &rows::TOTAL_LENGTH, "One more than 253.");
    g.reject("leading-hyphen", "plain", [splice(D, 0, "", "-")], &rows::NO_EDGE_HYPHEN, "Not in front.");
    g.reject("trailing-hyphen", "plain", [splice(D, 4, "", "-")], &rows::NO_EDGE_HYPHEN, "Not at the end.");
    g.reject(
        "hyphen-last-label",
        "plain",
        [splice(D, 12, "", "-")],
        &rows::NO_EDGE_HYPHEN,
        "Nor in the last label.",
    );
    g.reject(
        "hyphen-alone",
        "label-1",
        [splice(D, 2, "b", "-")],
        &rows::NO_EDGE_HYPHEN,
        "A hyphen alone is both edges.",
    );
    g.cases
}
