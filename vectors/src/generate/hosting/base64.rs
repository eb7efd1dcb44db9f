//! `base64.decode`: each byte string has one encoding. The rejects are strings that some decoders accept.

use assay_spec::Id;
use assay_spec::hosting::requirements::base64 as rows;
use serde_json::json;

use crate::case::Case;
use crate::generate::group::{Group, set};

static SHOWN: &[Id] = &[&rows::ALPHABET, &rows::LENGTH];

pub(in crate::generate) fn cases() -> Vec<Case> {
    let source = "src/generate/hosting/base64.rs";
    let mut g = Group::new("hosting/base64-decode", "base64.decode", source, SHOWN);
    for (name, text, why) in [
        ("empty", "", "Zero bytes are an empty string."),
        ("one-byte", "/w==", "One byte takes two characters and two padding characters."),
        (
            "two-bytes",
            "+/8=",
            "Two bytes take three characters and one padding character. Plus and slash are in the alphabet.",
        ),
        ("three-bytes", "++//", "Three bytes take four characters and no padding."),
        ("zeros", "AAAAAAAAAAAAAAAA", "Twelve zero bytes, the length of an IV, take no padding."),
        ("key", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "A key of 32 bytes."),
    ] {
        g.accept(name, json!({"text": text}), why);
    }
    for (name, base, text, why) in [
        ("url-plus", "three-bytes", "--//", "A hyphen belongs to base64url, not to standard base64."),
        ("url-slash", "three-bytes", "++__", "An underscore belongs to base64url, not to standard base64."),
        ("space-before", "one-byte", " /w==", "White space is not trimmed."),
        ("space-inside", "three-bytes", "++ //", "White space is not in the alphabet."),
        ("newline-behind", "three-bytes", "++//\n", "A newline at the end is rejected."),
        (
            "carriage-return",
            "key",
            "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBka\r\nGxwdHh8=",
            "Line breaks inside the string are rejected.",
        ),
        ("padding-inside", "one-byte", "/=w=", "Padding is only at the end."),
        ("full-width", "three-bytes", "++\u{ff0f}/", "A full-width slash is not in the alphabet."),
        ("null", "three-bytes", "++/\u{0}/", "A NUL is not in the alphabet."),
    ] {
        let edit = change(&g, base, text);
        g.reject(name, base, [edit], &rows::ALPHABET, why);
    }
    for (name, base, text, why) in [
        ("left-over", "three-bytes", "++//A", "One extra character holds six bits, too few for a byte."),
        (
            "left-over-padded",
            "three-bytes",
            "++//A===",
            "Padding does not complete a single character to a byte.",
        ),
        ("alone", "empty", "A", "A single character holds six bits, too few for a byte."),
    ] {
        let edit = change(&g, base, text);
        g.reject(name, base, [edit], &rows::LENGTH, why);
    }
    for (name, base, text, why) in [
        ("padding-none", "one-byte", "/w", "The padding is missing."),
        ("padding-none-two", "two-bytes", "+/8", "The padding after two bytes is missing."),
        (
            "padding-none-key",
            "key",
            "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
            "The padding of a key is missing.",
        ),
        ("padding-less", "one-byte", "/w=", "One padding character is missing."),
        ("padding-more", "two-bytes", "+/8==", "There is one padding character too many."),
        ("padding-needless", "three-bytes", "++//====", "A complete group takes no padding."),
        ("padding-alone", "empty", "====", "An empty string takes no padding."),
    ] {
        let edit = change(&g, base, text);
        g.reject(name, base, [edit], &rows::PADDING, why).read_as("A-052/padding-required");
    }
    for (name, base, text, why) in [
        ("bits-of-one", "one-byte", "/x==", "The four unused bits after one byte are zero."),
        ("bits-of-two", "two-bytes", "+/9=", "The two unused bits after two bytes are zero."),
        ("bits-of-one-all", "one-byte", "//==", "All four unused bits after one byte are set."),
        ("bits-of-two-high", "two-bytes", "+/+=", "The upper one of two unused bits is set."),
        (
            "bits-of-key",
            "key",
            "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9=",
            "The last character of a key has an unused bit.",
        ),
    ] {
        let edit = change(&g, base, text);
        g.reject(name, base, [edit], &rows::TRAILING_BITS, why).read_as("A-052/trailing-bits-zero");
    }
    g.cases
}

fn change(g: &Group, base: &str, text: &str) -> crate::case::Edit {
    set("/in/text", g.input(base)["text"].clone(), text)
}
