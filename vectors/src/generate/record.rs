//! `publish.record.encode` and `publish.record.parse`: one text for each record.

use assay_spec::crypto::text::hex;
use assay_spec::publish::record::Record;
use assay_spec::publish::requirements::record as rows;
use assay_spec::{Dialect, Id, Strict};
use serde_json::{Map, Value, json};

use super::group::{Group, set, splice};
use super::keys::address;
use super::world::{CID, LAST, NOW, SITE, text, transfer_id};
use crate::case::Case;

static SHOWN: &[Id] =
    &[&rows::NOT_EMPTY, &rows::FORM, &rows::CANONICAL_DOMAIN, &rows::EXACT_TIME, &rows::CANONICAL];
const SOURCE: &str = "src/generate/record.rs";
const RECORD: &str = "/in/record";

/// Every record that is taken, with its name and reason; the reading, where the document allows another escape.
fn records() -> Vec<(&'static str, Record, &'static str, Option<&'static str>)> {
    let cid = |cid: &str| Record::publish(SITE, cid, "0", NOW);
    let vault = format!("chain:{}", address("incoming"));
    let raw = Some("A-082/raw");
    vec![
        ("pub", Record::publish(SITE, CID, "1.2.3", NOW), "A publish.", None),
        ("transfer", Record::transfer(SITE, &vault, NOW), "A transfer to a new key.", None),
        ("accept", Record::accept(SITE, &transfer_id(), NOW), "The new key accepts.", None),
        (
            "punycode",
            Record::publish("xn--bcher-kva.example", CID, "0", NOW),
            "An internationalised name.",
            None,
        ),
        ("quote", cid("a\"b"), "A quote is escaped.", None),
        ("backslash", cid("a\\b"), "A backslash is escaped.", None),
        ("newline", cid("a\nb"), "A newline has a short escape.", None),
        (
            "short-escapes",
            cid("\u{8}\t\u{c}\r"),
            "So have backspace, tab, form feed and carriage return.",
            None,
        ),
        ("control", cid("a\u{1}\u{1f}b"), "Other control characters are four hex digits, lower case.", None),
        ("nul", cid("a\0b"), "A NUL is a control character like others.", None),
        ("space", cid(" a b "), "Spaces inside a value stay.", None),
        ("looks-like-a-record", cid(r#"","v":"1"#), "A value cannot end its string.", None),
        ("capital", cid("A"), "A capital.", None),
        ("looks-escaped", cid("\\u0041"), "Six characters of text, not an escape.", None),
        ("delete", cid("a\u{7f}b"), "U+007F is raw.", raw),
        (
            "slash",
            cid("/ipfs/a</script>&"),
            "Neither slash nor angle brackets nor ampersand are escaped.",
            raw,
        ),
        ("accent", cid("caf\u{e9}"), "U+00E9 is two raw bytes.", raw),
        ("decomposed", cid("cafe\u{301}"), "The same to the eye, other bytes: nothing is normalised.", raw),
        ("line-separator", cid("a\u{2028}\u{2029}b"), "Separators of lines are raw in JSON.", raw),
        ("emoji", cid("\u{1f600}"), "A character beyond U+FFFF is four raw bytes, not two escapes.", raw),
        ("bom-inside", cid("\u{feff}a"), "U+FEFF inside a value is a character.", raw),
        ("zero-width", cid("a\u{200b}b"), "U+200B is a character, though nobody sees it.", raw),
        ("joined", cid("\u{200d}\u{2060}"), "So are U+200D and U+2060, with nothing around them.", raw),
        ("overridden", cid("\u{202e}yfab"), "Nor does a change of direction change the bytes.", raw),
        ("combining", cid("\u{301}a"), "A mark in front has nothing to combine with but a quote.", raw),
        ("combining-many", cid("a\u{323}\u{307}"), "Marks stay in the order in which they came.", raw),
        (
            "no-character",
            cid("\u{ffff}\u{fdd0}"),
            "Code points that are no characters are UTF-8 all the same.",
            raw,
        ),
        ("last-code-point", cid("\u{10ffff}"), "The last of all is four raw bytes.", raw),
        (
            "looks-like-a-log",
            cid("x\nProgram log: Signed by nobody"),
            "A line of the log inside a value is no line: its newline is escaped.",
            None,
        ),
        ("blank-version", Record::publish(SITE, CID, " ", NOW), "A blank is no empty text.", None),
        (
            "last-millisecond",
            Record::publish(SITE, CID, "0", LAST),
            "The last moment that has the form.",
            None,
        ),
    ]
}

pub(super) fn encode_cases() -> Vec<Case> {
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
        "The kind's order, whatever the input's.",
    );

    g.reject(
        "kind-auth",
        "pub",
        [set("/in/kind", "pub", "auth")],
        &rows::FORM,
        "The envelope's prefix is no record.",
    );
    g.reject("kind-upper-case", "pub", [set("/in/kind", "pub", "Pub")], &rows::FORM, "Kinds are lower case.");
    let mut fields = g.input("pub")["fields"].clone();
    let whole = fields.clone();
    fields["n"] = "0".into();
    g.reject("extra-field", "pub", [set("/in/fields", whole.clone(), fields)], &rows::FORM, "No other keys.");
    for key in ["c", "v"] {
        let mut fields = whole.as_object().cloned().unwrap_or_default();
        fields.shift_remove(key);
        let name = format!("missing-{key}");
        g.reject(
            &name,
            "pub",
            [set("/in/fields", whole.clone(), fields)],
            &rows::FORM,
            "All of the kind's keys.",
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
        g.reject(name, base, [set(&path, old, "")], &rows::NOT_EMPTY, "No value is empty.");
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
            "The domain is canonical.",
        );
    }
    for (name, time, why) in times() {
        g.reject(name, "pub", [set("/in/fields/t", NOW.to_string(), time)], &rows::EXACT_TIME, why);
    }
    g.cases
}

pub(super) fn parse_cases() -> Vec<Case> {
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
        ("keys-swapped", "pub", whole.as_str(), swapped.as_str(), "Keys stand in the kind's order."),
        ("space-after-colon", "pub", "\"d\":", "\"d\": ", "No white space."),
        ("space-after-comma", "pub", ",", ", ", "No white space."),
        ("space-in-front", "pub", "{", " {", "No white space."),
        ("escaped-letter", "pub", "bafy", "\\u0062afy", "A letter is not escaped."),
        ("escaped-capital", "capital", "A", "\\u0041", "Nor is a capital."),
        ("escaped-quote", "quote", "\\\"", "\\u0022", "A quote has its short escape."),
        (
            "key-twice-the-same",
            "pub",
            "\"d\":",
            "\"d\":\"site.example\",\"d\":",
            "Not even with the same value.",
        ),
        ("escaped-key", "pub", "\"d\"", "\"\\u0064\"", "Nor in a key."),
        ("key-twice", "pub", "\"c\":", "\"c\":\"x\",\"c\":", "A key stands once."),
        ("long-escape", "newline", "\\n", "\\u000a", "The short escape where there is one."),
        ("upper-case-escape", "control", "\\u001f", "\\u001F", "Hex digits of escapes are lower case."),
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
        g.reject(name, base, [edit], &rows::CANONICAL, "Only what must be escaped is.").read_as("A-082/raw");
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
        g.reject(name, base, [edit], &rows::NOT_EMPTY, "No value is empty.");
    }
    for (name, domain) in [
        ("domain-upper-case", "Site.example"),
        ("domain-trailing-dot", "site.example."),
        ("domain-single-label", "localhost"),
        ("domain-unicode", "s\u{ef}te.example"),
    ] {
        let edit = g.change("pub", RECORD, SITE, domain);
        g.reject(name, "pub", [edit], &rows::CANONICAL_DOMAIN, "The domain is canonical.");
    }
    for (name, time, why) in times() {
        let edit = g.change("pub", RECORD, &NOW.to_string(), time);
        g.reject(name, "pub", [edit], &rows::EXACT_TIME, why);
    }
    g.cases
}

/// Texts that have no record's form.
fn forms(g: &mut Group) {
    for (name, base, old, new, why) in [
        ("kind-auth", "pub", ":pub:", ":auth:", "The envelope's prefix is no record."),
        ("kind-upper-case", "pub", ":pub:", ":Pub:", "Kinds are lower case."),
        ("kind-of-other-keys", "pub", ":pub:", ":transfer:", "Each kind has its own keys."),
        ("prefix-version-2", "pub", "svc-vf:1:", "svc-vf:2:", "Version 1."),
        ("prefix-missing", "pub", "svc-vf:1:", "", "The prefix is part of the record."),
        ("bom", "pub", "svc", "\u{feff}svc", "A byte-order mark is not stripped."),
        ("space-before", "pub", "svc", " svc", "Nothing is trimmed."),
        ("extra-key", "pub", "\"v\":", "\"n\":\"0\",\"v\":", "No other keys."),
        ("missing-key", "pub", r#","v":"1.2.3""#, "", "All of the kind's keys."),
        ("number", "pub", "\"1.2.3\"", "1", "Values are strings."),
        ("null", "pub", "\"1.2.3\"", "null", "Values are strings."),
        ("array", "pub", "{", "[{", "An object."),
        ("single-quotes", "pub", "\"d\"", "'d'", "Strict JSON."),
        ("trailing-comma", "pub", "\"}", "\",}", "Strict JSON."),
        ("raw-newline", "newline", "\\n", "\n", "A control character is never raw."),
        ("raw-nul", "nul", "\\u0000", "\0", "Neither is a NUL."),
        (
            "lone-surrogate",
            "looks-escaped",
            "\\\\u0041",
            "\\ud83d",
            "Half of a pair of surrogates has no UTF-8.",
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
        ("utf8-cut", "c3", "A cut character is not UTF-8."),
        ("utf8-latin1", "e9", "Latin-1 is not UTF-8."),
        ("utf8-overlong", "c1a9", "An overlong form is not UTF-8."),
        ("utf8-surrogate", "eda080", "An encoded surrogate is not UTF-8."),
        ("utf8-surrogate-pair", "eda0bdedb880", "Nor are both halves of a pair."),
        ("utf8-above", "f4908080", "Nor is anything above U+10FFFF."),
        ("utf8-five-bytes", "f888808080", "Nor is a form of five bytes."),
    ] {
        g.reject(name, "accent", [splice(RECORD, at, "c3a9", new)], &rows::FORM, why);
    }
}

/// Times that are not exactly `YYYY-MM-DDTHH:mm:ss.sssZ`.
fn times() -> [(&'static str, &'static str, &'static str); 15] {
    [
        ("time-without-milliseconds", "2026-03-04T05:06:07Z", "Three decimals."),
        ("time-two-decimals", "2026-03-04T05:06:07.08Z", "Three decimals."),
        ("time-six-decimals", "2026-03-04T05:06:07.089000Z", "Three decimals."),
        ("time-offset", "2026-03-04T05:06:07.089+00:00", "The Z is part of the form."),
        ("time-space", "2026-03-04 05:06:07.089Z", "The T is part of the form."),
        ("time-lower-case", "2026-03-04t05:06:07.089z", "T and Z are upper case."),
        ("time-leap-second", "2026-06-30T23:59:60.000Z", "It does not print back to itself."),
        ("time-no-such-day", "2026-02-30T05:06:07.089Z", "It does not print back to itself."),
        ("time-no-leap-day", "2026-02-29T05:06:07.089Z", "2026 is no leap year."),
        ("time-hour-24", "2026-03-04T24:00:00.000Z", "The next day's first hour, which prints otherwise."),
        ("time-year-10000", "10000-03-04T05:06:07.089Z", "A year has four digits."),
        ("time-year-signed", "+010000-03-04T05:06:07.089Z", "Not even where it does print back to itself."),
        ("time-comma", "2026-03-04T05:06:07,089Z", "A full stop stands before the decimals."),
        ("time-basic", "20260304T050607.089Z", "The separators are part of the form."),
        ("time-other-digits", "2026-03-04T05:06:07.08\u{669}Z", "Digits are those of ASCII."),
    ]
}
