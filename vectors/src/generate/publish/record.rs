//! `publish.record.encode` and `publish.record.parse`: each record has exactly one encoding.

use assay_spec::crypto::text::hex;
use assay_spec::publish::record::Record;
use assay_spec::publish::requirements::record as rows;
use assay_spec::{Dialect, Id, Strict};
use serde_json::{Map, Value, json};

use super::world::{CID, LAST, NOW, SITE, text, transfer_id};
use crate::case::Case;
use crate::generate::group::{Group, set, splice};
use crate::generate::keys::address;

static SHOWN: &[Id] =
    &[&rows::NOT_EMPTY, &rows::FORM, &rows::CANONICAL_DOMAIN, &rows::EXACT_TIME, &rows::CANONICAL];
const SOURCE: &str = "src/generate/publish/record.rs";
const RECORD: &str = "/in/record";

/// Every accepted record with its name and reason, and its reading where the document allows another escape.
fn records() -> Vec<(&'static str, Record, &'static str, Option<&'static str>)> {
    let cid = |cid: &str| Record::publish(SITE, cid, "0", NOW);
    let vault = format!("chain:{}", address("incoming"));
    let raw = Some("A-082/raw");
    vec![
        ("pub", Record::publish(SITE, CID, "1.2.3", NOW), "A publish record.", None),
        (
            "transfer",
            Record::transfer(SITE, &vault, NOW),
            "A record that transfers the domain to a new key.",
            None,
        ),
        (
            "accept",
            Record::accept(SITE, &transfer_id(), NOW),
            "A record in which the new key accepts the transfer.",
            None,
        ),
        (
            "punycode",
            Record::publish("xn--bcher-kva.example", CID, "0", NOW),
            "An internationalized name in punycode form.",
            None,
        ),
        ("quote", cid("a\"b"), "A quote is escaped.", None),
        ("backslash", cid("a\\b"), "A backslash is escaped.", None),
        ("newline", cid("a\nb"), "A newline is written with its short escape.", None),
        (
            "short-escapes",
            cid("\u{8}\t\u{c}\r"),
            "Backspace, tab, form feed and carriage return are written with their short escapes.",
            None,
        ),
        (
            "control",
            cid("a\u{1}\u{1f}b"),
            "Other control characters are escaped with four lowercase hex digits.",
            None,
        ),
        ("nul", cid("a\0b"), "A NUL is escaped like any other control character.", None),
        ("space", cid(" a b "), "Spaces inside a value are kept.", None),
        (
            "looks-like-a-record",
            cid(r#"","v":"1"#),
            "A quote inside a value is escaped and does not end the string.",
            None,
        ),
        ("capital", cid("A"), "A capital letter is written as it is.", None),
        (
            "looks-escaped",
            cid("\\u0041"),
            "The value is six characters that look like an escape. Its backslash is escaped.",
            None,
        ),
        ("delete", cid("a\u{7f}b"), "U+007F is written raw.", raw),
        ("slash", cid("/ipfs/a</script>&"), "Slashes, angle brackets and ampersands are not escaped.", raw),
        ("accent", cid("caf\u{e9}"), "U+00E9 is written as two raw bytes.", raw),
        (
            "decomposed",
            cid("cafe\u{301}"),
            "A decomposed character stays decomposed: values are not normalized.",
            raw,
        ),
        ("line-separator", cid("a\u{2028}\u{2029}b"), "U+2028 and U+2029 are written raw in JSON.", raw),
        (
            "emoji",
            cid("\u{1f600}"),
            "A character above U+FFFF is written as four raw bytes, not as two escapes.",
            raw,
        ),
        ("bom-inside", cid("\u{feff}a"), "U+FEFF inside a value is an ordinary character.", raw),
        ("zero-width", cid("a\u{200b}b"), "U+200B is an ordinary character, although it is invisible.", raw),
        (
            "joined",
            cid("\u{200d}\u{2060}"),
            "U+200D and U+2060 are ordinary characters, also without neighbors.",
            raw,
        ),
        (
            "overridden",
            cid("\u{202e}yfab"),
            "A change of text direction does not change the order of the bytes.",
            raw,
        ),
        (
            "combining",
            cid("\u{301}a"),
            "A combining mark may be the first character of a value, after the quote.",
            raw,
        ),
        ("combining-many", cid("a\u{323}\u{307}"), "Combining marks keep their order.", raw),
        ("no-character", cid("\u{ffff}\u{fdd0}"), "Noncharacter code points are valid UTF-8.", raw),
        (
            "last-code-point",
            cid("\u{10ffff}"),
            "U+10FFFF, the last code point, is written as four raw bytes.",
            raw,
        ),
        (
            "looks-like-a-log",
            cid("x\nProgram log: Signed by nobody"),
            "A value cannot add a log line: its newline is escaped.",
            None,
        ),
        (
            "blank-version",
            Record::publish(SITE, CID, " ", NOW),
            "A blank string is not an empty string.",
            None,
        ),
        (
            "last-millisecond",
            Record::publish(SITE, CID, "0", LAST),
            "The last instant that the time format can express.",
            None,
        ),
    ]
}

pub(in crate::generate) fn encode_cases() -> Vec<Case> {
    let mut g = Group::new("publish/record-encode", "publish.record.encode", SOURCE, &SHOWN[..4]);
    for (name, record, why, reading) in records() {
        let fields: Map<String, Value> =
            record.fields().map(|(key, value)| (key.to_owned(), value.into())).collect();
        let case = g.accept(name, json!({"kind": record.kind.name(), "fields": fields}), why);
        case.reading = reading.map(str::to_owned);
    }
    let shuffled = json!({"t": NOW.to_string(), "v": "0", "c": CID, "d": SITE});
    g.accept(
        "fields-shuffled",
        json!({"kind": "pub", "fields": shuffled}),
        "Keys are written in the kind's order, whatever the input's order.",
    );

    g.reject(
        "kind-auth",
        "pub",
        [set("/in/kind", "pub", "auth")],
        &rows::FORM,
        "auth is the kind of the request envelope, not of a record.",
    );
    g.reject("kind-upper-case", "pub", [set("/in/kind", "pub", "Pub")], &rows::FORM, "Kinds are lowercase.");
    let mut fields = g.input("pub")["fields"].clone();
    let whole = fields.clone();
    fields["n"] = "0".into();
    g.reject(
        "extra-field",
        "pub",
        [set("/in/fields", whole.clone(), fields)],
        &rows::FORM,
        "A record has no other keys.",
    );
    for key in ["c", "v"] {
        let mut fields = whole.as_object().cloned().unwrap_or_default();
        fields.shift_remove(key);
        let name = format!("missing-{key}");
        g.reject(
            &name,
            "pub",
            [set("/in/fields", whole.clone(), fields)],
            &rows::FORM,
            "A record has all keys of its kind.",
        );
    }
    g.reject("number", "pub", [set("/in/fields/v", "1.2.3", 1)], &rows::FORM, "Values are strings.");
    for (name, base, path) in [
        ("empty-cid", "pub", "c"),
        ("empty-version", "pub", "v"),
        ("empty-vault", "transfer", "newVault"),
        ("empty-transfer", "accept", "transfer"),
    ] {
        let path = format!("/in/fields/{path}");
        let old = crate::edit::look(g.input(base), &path).unwrap_or_default();
        g.reject(name, base, [set(&path, old, "")], &rows::NOT_EMPTY, "A record's values are not empty.");
    }
    for (name, domain) in [
        ("domain-upper-case", "Site.example"),
        ("domain-trailing-dot", "site.example."),
        ("domain-single-label", "localhost"),
    ] {
        g.reject(
            name,
            "pub",
            [set("/in/fields/d", SITE, domain)],
            &rows::CANONICAL_DOMAIN,
            "A record's domain is canonical.",
        );
    }
    for (name, time, why) in times() {
        g.reject(name, "pub", [set("/in/fields/t", NOW.to_string(), time)], &rows::EXACT_TIME, why);
    }
    g.cases
}

pub(in crate::generate) fn parse_cases() -> Vec<Case> {
    let mut g = Group::new("publish/record-parse", "publish.record.parse", SOURCE, SHOWN);
    for (name, record, why, reading) in records() {
        let bytes = text(&record);
        assert!(Record::parse(&Dialect::default(), &bytes, &mut Strict).is_ok(), "{name}");
        let case = g.accept(name, json!({"record": {"hex": hex(&bytes)}}), why);
        case.reading = reading.map(str::to_owned);
    }
    forms(&mut g);
    let whole = format!(r#""d":"{SITE}","c":"{CID}""#);
    let swapped = format!(r#""c":"{CID}","d":"{SITE}""#);
    for (name, base, old, new, why) in [
        ("keys-swapped", "pub", whole.as_str(), swapped.as_str(), "Keys are in the kind's order."),
        ("space-after-colon", "pub", "\"d\":", "\"d\": ", "A record contains no white space between tokens."),
        ("space-after-comma", "pub", ",", ", ", "A record contains no white space between tokens."),
        ("space-in-front", "pub", "{", " {", "A record contains no white space between tokens."),
        ("escaped-letter", "pub", "bafy", "\\u0062afy", "A lowercase letter is not escaped."),
        ("escaped-capital", "capital", "A", "\\u0041", "A capital letter is not escaped."),
        ("escaped-quote", "quote", "\\\"", "\\u0022", "A quote is written with its short escape."),
        (
            "key-twice-the-same",
            "pub",
            "\"d\":",
            "\"d\":\"site.example\",\"d\":",
            "A key appears once, even when both values are equal.",
        ),
        ("escaped-key", "pub", "\"d\"", "\"\\u0064\"", "A letter in a key is not escaped."),
        ("key-twice", "pub", "\"c\":", "\"c\":\"x\",\"c\":", "A key appears once."),
        (
            "long-escape",
            "newline",
            "\\n",
            "\\u000a",
            "A character that has a short escape is written with it.",
        ),
        ("upper-case-escape", "control", "\\u001f", "\\u001F", "The hex digits of an escape are lowercase."),
    ] {
        let edit = g.change(base, RECORD, old, new);
        g.reject(name, base, [edit], &rows::CANONICAL, why);
    }
    for (name, base, old, new) in [
        ("escaped-slash", "slash", "/", "\\/"),
        ("escaped-accent", "accent", "\u{e9}", "\\u00e9"),
        ("escaped-emoji", "emoji", "\u{1f600}", "\\ud83d\\ude00"),
        ("escaped-delete", "delete", "\u{7f}", "\\u007f"),
        ("escaped-zero-width", "zero-width", "\u{200b}", "\\u200b"),
        ("escaped-line-separator", "line-separator", "\u{2028}", "\\u2028"),
        ("escaped-less-than", "slash", "<", "\\u003c"),
    ] {
        let edit = g.change(base, RECORD, old, new);
        g.reject(name, base, [edit], &rows::CANONICAL, "Only characters that must be escaped are escaped.")
            .read_as("A-082/raw");
    }
    for (name, new) in [("trailing-space", "20"), ("trailing-newline", "0a")] {
        let edit = g.append("pub", RECORD, new);
        g.reject(name, "pub", [edit], &rows::CANONICAL, "Nothing follows the object.");
    }
    for (name, base, old) in [
        ("empty-cid", "pub", CID),
        ("empty-version", "pub", "1.2.3"),
        ("empty-transfer", "accept", &transfer_id()),
    ] {
        let edit = g.change(base, RECORD, old, "");
        g.reject(name, base, [edit], &rows::NOT_EMPTY, "A record's values are not empty.");
    }
    for (name, domain) in [
        ("domain-upper-case", "Site.example"),
        ("domain-trailing-dot", "site.example."),
        ("domain-single-label", "localhost"),
        ("domain-unicode", "s\u{ef}te.example"),
    ] {
        let edit = g.change("pub", RECORD, SITE, domain);
        g.reject(name, "pub", [edit], &rows::CANONICAL_DOMAIN, "A record's domain is canonical.");
    }
    for (name, time, why) in times() {
        let edit = g.change("pub", RECORD, &NOW.to_string(), time);
        g.reject(name, "pub", [edit], &rows::EXACT_TIME, why);
    }
    g.cases
}

/// Strings that do not have the form of a record.
fn forms(g: &mut Group) {
    for (name, base, old, new, why) in [
        ("kind-auth", "pub", ":pub:", ":auth:", "auth is the kind of the request envelope, not of a record."),
        ("kind-upper-case", "pub", ":pub:", ":Pub:", "Kinds are lowercase."),
        ("kind-of-other-keys", "pub", ":pub:", ":transfer:", "Each kind has its own keys."),
        ("prefix-version-2", "pub", "svc-vf:1:", "svc-vf:2:", "The record's version is 1."),
        ("prefix-missing", "pub", "svc-vf:1:", "", "The prefix is part of the record."),
        ("bom", "pub", "svc", "\u{feff}svc", "A byte order mark is not stripped."),
        ("space-before", "pub", "svc", " svc", "White space around a record is not trimmed."),
        ("extra-key", "pub", "\"v\":", "\"n\":\"0\",\"v\":", "A record has no other keys."),
        ("missing-key", "pub", r#","v":"1.2.3""#, "", "A record has all keys of its kind."),
        ("number", "pub", "\"1.2.3\"", "1", "Values are strings."),
        ("null", "pub", "\"1.2.3\"", "null", "Values are strings."),
        ("array", "pub", "{", "[{", "The JSON of a record is an object."),
        ("single-quotes", "pub", "\"d\"", "'d'", "JSON strings have double quotes."),
        ("trailing-comma", "pub", "\"}", "\",}", "JSON has no trailing comma."),
        ("raw-newline", "newline", "\\n", "\n", "A control character must be escaped."),
        ("raw-nul", "nul", "\\u0000", "\0", "A NUL must be escaped."),
        (
            "lone-surrogate",
            "looks-escaped",
            "\\\\u0041",
            "\\ud83d",
            "A lone surrogate cannot be written in UTF-8.",
        ),
        ("no-escape", "backslash", "\\\\", "\\x", "JSON has no such escape."),
        ("nested", "pub", "\"1.2.3\"", "[\"1.2.3\"]", "Values are strings."),
        ("true", "pub", "\"1.2.3\"", "true", "Values are strings."),
        ("key-upper-case", "pub", "\"v\":", "\"V\":", "Keys are compared byte by byte."),
    ] {
        let edit = g.change(base, RECORD, old, new);
        let case = g.reject(name, base, [edit], &rows::FORM, why);
        if name == "lone-surrogate" {
            case.read_as("A-082/no-lone-surrogates");
        }
    }
    for (name, new, why) in [
        ("trailing-letter", "78", "Nothing follows the object."),
        ("trailing-nul", "00", "Nothing follows the object."),
    ] {
        let edit = g.append("pub", RECORD, new);
        g.reject(name, "pub", [edit], &rows::FORM, why);
    }
    let at = text(&Record::publish(SITE, "caf", "0", NOW)).len()
        - r#"","v":"0","t":"2026-03-04T05:06:07.089Z"}"#.len();
    for (name, new, why) in [
        ("utf8-cut", "c3", "A truncated character is not valid UTF-8."),
        ("utf8-latin1", "e9", "A Latin-1 byte is not valid UTF-8."),
        ("utf8-overlong", "c1a9", "An overlong form is not valid UTF-8."),
        ("utf8-surrogate", "eda080", "An encoded surrogate is not valid UTF-8."),
        ("utf8-surrogate-pair", "eda0bdedb880", "An encoded surrogate pair is not valid UTF-8."),
        ("utf8-above", "f4908080", "A code point above U+10FFFF is not valid UTF-8."),
        ("utf8-five-bytes", "f888808080", "A five-byte form is not valid UTF-8."),
    ] {
        g.reject(name, "accent", [splice(RECORD, at, "c3a9", new)], &rows::FORM, why);
    }
}

/// Times that are not exactly `YYYY-MM-DDTHH:mm:ss.sssZ`.
fn times() -> [(&'static str, &'static str, &'static str); 15] {
    [
        ("time-without-milliseconds", "2026-03-04T05:06:07Z", "The time has exactly three decimals."),
        ("time-two-decimals", "2026-03-04T05:06:07.08Z", "The time has exactly three decimals."),
        ("time-six-decimals", "2026-03-04T05:06:07.089000Z", "The time has exactly three decimals."),
        ("time-offset", "2026-03-04T05:06:07.089+00:00", "The time ends with Z."),
        ("time-space", "2026-03-04 05:06:07.089Z", "The date and the time of day are separated by T."),
        ("time-lower-case", "2026-03-04t05:06:07.089z", "T and Z are uppercase."),
        (
            "time-leap-second",
            "2026-06-30T23:59:60.000Z",
            "A leap second does not format back to the same string.",
        ),
        ("time-no-such-day", "2026-02-30T05:06:07.089Z", "February 30 does not exist."),
        ("time-no-leap-day", "2026-02-29T05:06:07.089Z", "2026 is not a leap year."),
        ("time-hour-24", "2026-03-04T24:00:00.000Z", "Hour 24 formats back as hour 0 of the next day."),
        ("time-year-10000", "10000-03-04T05:06:07.089Z", "The year has four digits."),
        (
            "time-year-signed",
            "+010000-03-04T05:06:07.089Z",
            "A signed year is rejected, even if it formats back to the same string.",
        ),
        ("time-comma", "2026-03-04T05:06:07,089Z", "The decimals follow a full stop."),
        ("time-basic", "20260304T050607.089Z", "The separators are required."),
        ("time-other-digits", "2026-03-04T05:06:07.08\u{669}Z", "Digits are ASCII digits."),
    ]
}
