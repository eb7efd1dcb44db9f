//! `base64.decode`: one text for any bytes, and what other readers let through.

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
        ("empty", "", "No byte has no character."),
        ("one-byte", "/w==", "One byte takes two characters and two of padding."),
        ("two-bytes", "+/8=", "Two bytes take three and one; plus and slash are of the alphabet."),
        ("three-bytes", "++//", "Three bytes take four and none."),
        ("zeros", "AAAAAAAAAAAAAAAA", "Twelve zeros: an IV without padding."),
        ("key", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "Thirty-two bytes."),
    ] {
        g.accept(name, json!({"text": text}), why);
    }
    for (name, base, text, why) in [
        ("url-plus", "three-bytes", "--//", "The other alphabet has a hyphen for a plus."),
        ("url-slash", "three-bytes", "++__", "It has a low line for a slash."),
        ("space-before", "one-byte", " /w==", "Nobody trims it."),
        ("space-inside", "three-bytes", "++ //", "White space is no character of the alphabet."),
        ("newline-behind", "three-bytes", "++//\n", "Neither is a newline at the end."),
        ("carriage-return", "key", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBka\r\nGxwdHh8=", "Nor in between."),
        ("padding-inside", "one-byte", "/=w=", "Padding stands at the end."),
        ("full-width", "three-bytes", "++\u{ff0f}/", "A slash of another script is another character."),
        ("null", "three-bytes", "++/\u{0}/", "A zero is no character of the alphabet."),
    ] {
        let edit = change(&g, base, text);
        g.reject(name, base, [edit], &rows::ALPHABET, why);
    }
    for (name, base, text, why) in [
        ("left-over", "three-bytes", "++//A", "One character holds six bits, too few for a byte."),
        ("left-over-padded", "three-bytes", "++//A===", "Padding does not make it more."),
        ("alone", "empty", "A", "Nor does it stand alone."),
    ] {
        let edit = change(&g, base, text);
        g.reject(name, base, [edit], &rows::LENGTH, why);
    }
    for (name, base, text, why) in [
        ("padding-none", "one-byte", "/w", "Without padding."),
        ("padding-less", "one-byte", "/w=", "With less of it."),
        ("padding-more", "two-bytes", "+/8==", "With more of it."),
        ("padding-needless", "three-bytes", "++//====", "Where none belongs."),
        ("padding-alone", "empty", "====", "Of nothing."),
    ] {
        let edit = change(&g, base, text);
        g.reject(name, base, [edit], &rows::PADDING, why).read_as("A-052/padding-required");
    }
    for (name, base, text, why) in [
        ("bits-of-one", "one-byte", "/x==", "Four bits behind one byte hold nothing."),
        ("bits-of-two", "two-bytes", "+/9=", "Two bits behind two bytes hold nothing."),
    ] {
        let edit = change(&g, base, text);
        g.reject(name, base, [edit], &rows::TRAILING_BITS, why).read_as("A-052/trailing-bits-zero");
    }
    g.cases
}

fn change(g: &Group, base: &str, text: &str) -> crate::case::Edit {
    set("/in/text", g.input(base)["text"].clone(), text)
}
