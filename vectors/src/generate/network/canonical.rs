//! `record.canonical`: the text of a record that is hashed.

use assay_spec::Id;
use assay_spec::network::message::MessageType;
use assay_spec::network::requirements::signing as rows;
use serde_json::json;

use super::world::address;
use crate::case::Case;
use crate::generate::group::Group;

const M: &str = "/in/message_json";
const PLAIN: &str = r#"{"type":"AGGREGATE","channel":"SVC","content":{"address":"A","key":"profile","content":{"name":"x"},"time":1700000000}}"#;
static SHOWN: &[Id] = &[&rows::RECORD_FORM];

pub(in crate::generate) fn cases() -> Vec<Case> {
    let source = "src/generate/network/canonical.rs";
    let mut g = Group::new("network/record-canonical", "record.canonical", source, SHOWN);
    levels(&mut g);
    types(&mut g);
    characters(&mut g);
    forms(&mut g);
    open(&mut g);
    g.cases
}

fn input(message: &str) -> serde_json::Value {
    json!({"message_json": message.replace("\"A\"", &format!("\"{}\"", address("wallet")))})
}

fn levels(g: &mut Group) {
    let post = r#"{"type":"POST","channel":"SVC","content":{"time":1,"content":{"a":1},"ref":"r","type":"amend","key":"k","address":"A"}}"#;
    let record = format!(
        r#"{{"item_hash":"h","chain":"ETH","sender":"A",{},"signature":"0x","confirmations":[]}}"#,
        &PLAIN[1..PLAIN.len() - 1]
    );
    for (name, message, why) in [
        ("plain", PLAIN, "A message that is in order already."),
        (
            "shuffled",
            r#"{"content":{"time":1700000000,"content":{"name":"x"},"key":"profile","address":"A"},"channel":"SVC","type":"AGGREGATE"}"#,
            "Message and content stand in the documented order, whatever the order received.",
        ),
        (
            "other-members",
            r#"{"chain":"ETH","type":"AGGREGATE","channel":"SVC","timestamp":5,"nonce":"n","content":{"address":"A","key":"profile","tags":["t"],"content":{"name":"x"},"time":1700000000}}"#,
            "Chain, timestamp and whatever else is there are no part of it.",
        ),
        (
            "stored",
            record.as_str(),
            "As a node hands the record out, with hash, sender, signature and confirmations.",
        ),
        (
            "no-key",
            r#"{"type":"AGGREGATE","channel":"SVC","content":{"address":"A","content":{"name":"x"},"time":1}}"#,
            "Without a key there is none in the text, neither null nor empty.",
        ),
        (
            "type-and-ref",
            r#"{"type":"POST","channel":"SVC","content":{"address":"A","type":"amend","ref":"r","content":{"a":1},"time":1}}"#,
            "An amend has type and ref, in that order.",
        ),
        ("key-type-and-ref", post, "All seven members, received backwards."),
        (
            "type-alone",
            r#"{"type":"POST","channel":"SVC","content":{"address":"A","type":"note","content":{"a":1},"time":1}}"#,
            "A post that amends nothing has no ref.",
        ),
        (
            "empty-key",
            r#"{"type":"AGGREGATE","channel":"SVC","content":{"address":"A","key":"","content":{},"time":1}}"#,
            "A key that is empty is present.",
        ),
        (
            "nested-unsorted",
            r#"{"type":"AGGREGATE","channel":"SVC","content":{"address":"A","key":"k","content":{"z":{"y":1,"b":[{"d":1,"c":2}]},"a":2,"B":3},"time":1}}"#,
            "Below the documented levels nothing is sorted, inside arrays neither.",
        ),
        (
            "nested-same-names",
            r#"{"type":"AGGREGATE","channel":"SVC","content":{"address":"A","key":"k","content":{"time":1,"content":{"type":"t","address":"x"},"address":"y","more":0},"time":1}}"#,
            "Members of these names below the documented levels are not moved.",
        ),
        (
            "white-space",
            "{ \"type\" : \"AGGREGATE\",\n\t\"channel\": \"SVC\",\r\n \"content\": { \"address\": \"A\", \"content\": [ 1, { \"a\" : \" b \" } ], \"time\": 1 } }",
            "White space between tokens goes, white space in texts stays.",
        ),
        (
            "values",
            r#"{"type":"AGGREGATE","channel":"","content":{"address":"A","content":{"t":true,"f":false,"n":null,"i":-5,"zero":0,"big":9007199254740991,"small":-9007199254740991,"e":{},"l":[]},"time":0}}"#,
            "Every kind of value, and the greatest integers that every reader keeps.",
        ),
        (
            "content-null",
            r#"{"type":"AGGREGATE","channel":"SVC","content":{"address":"A","key":"k","content":null,"time":1}}"#,
            "The inner content may be any value, null too.",
        ),
    ] {
        g.accept(name, input(message), why);
    }
    let numbered = r#"{"type":"AGGREGATE","channel":"SVC","content":{"address":"A","key":"k","content":{"b":1,"10":2,"9":3},"time":1}}"#;
    let why = "Keys that look like numbers stay where they stand; objects of JavaScript would move them.";
    g.accept("numbers-as-keys", input(numbered), why).read_as("A-048/received-order");
}

/// The documented text is an aggregate's; that others have the same form is a reading.
fn types(g: &mut Group) {
    let rest = MessageType::ALL.iter().filter(|kind| !matches!(kind, MessageType::Aggregate));
    for kind in rest.filter(|kind| !matches!(kind, MessageType::Forget)) {
        let name = format!("type-{}", kind.name().to_lowercase().replace('_', "-"));
        let message = PLAIN.replace("AGGREGATE", kind.name());
        g.accept(&name, input(&message), "The type is a text like the channel; the form stays.")
            .read_as("A-048/every-type");
    }
    for (name, content, why) in [
        (
            "forget",
            r#""time":1,"hashes":["h2","h1"],"address":"A""#,
            "A FORGET has its hashes where others have content, in the order received.",
        ),
        (
            "forget-reason",
            r#""address":"A","hashes":["h"],"reason":"r","time":1"#,
            "A reason is no part of it.",
        ),
        ("forget-one", r#""address":"A","hashes":["h"],"time":1"#, "One hash."),
    ] {
        let message = format!(r#"{{"type":"FORGET","channel":"SVC","content":{{{content}}}}}"#);
        g.accept(name, input(&message), why).read_as("A-050/hashes");
    }
}

fn characters(g: &mut Group) {
    let of = |value: &str| input(&PLAIN.replace("\"x\"", &format!("\"{value}\"")));
    let raw = Some("A-048/raw");
    for (name, value, why, reading) in [
        ("non-ascii", "caf\u{e9} \u{2014} \u{65e5}\u{672c}", "Characters beyond ASCII are raw UTF-8.", None),
        ("emoji", "\u{1f600}", "A character beyond U+FFFF is four raw bytes.", None),
        ("decomposed", "cafe\u{301}", "Nothing is normalised.", None),
        ("escapes", r#"\"\\\b\f\n\r\t"#, "Quote, backslash and the short escapes.", None),
        ("control", "\\u0001\\u001f", "Other control characters are four hex digits, lower case.", None),
        (
            "escaped-when-received",
            "\\u00e9\\ud83d\\ude00\\u0041",
            "Escapes that need not be are undone.",
            raw,
        ),
        ("escaped-slash", "a\\/b", "A slash is not escaped, however it was received.", raw),
        ("upper-case-escape", "\\u001F", "Hex digits of escapes are lower case.", raw),
        ("delete", "\u{7f}", "U+007F is raw.", raw),
        ("line-separator", "\u{2028}\u{2029}", "Separators of lines are raw.", raw),
        ("markup", "<a href='/'>&</a>", "Neither brackets nor ampersand are escaped.", raw),
    ] {
        g.accept(name, of(value), why).reading = reading.map(str::to_owned);
    }
    let key = PLAIN.replace("\"name\"", "\"n\u{e4}me\"");
    g.accept("non-ascii-name", input(&key), "Names are written as values are.");
}

fn forms(g: &mut Group) {
    for (name, old, new, why) in [
        ("no-json", "}}", "}", "It is no JSON text."),
        ("trailing-comma", "\"SVC\",", "\"SVC\",,", "It is no JSON text."),
        ("type-missing", "\"type\"", "\"kind\"", "A type."),
        ("type-number", "\"AGGREGATE\"", "1", "The type is a text."),
        ("channel-missing", "\"channel\":\"SVC\",", "", "A channel."),
        ("channel-null", "\"SVC\"", "null", "The channel is a text."),
        ("content-missing", "\"content\":{\"address\"", "\"contents\":{\"address\"", "A content."),
        ("address-missing", "\"address\"", "\"owner\"", "An address in the content."),
        ("inner-content-missing", "\"content\":{\"name\"", "\"value\":{\"name\"", "Its own content."),
        ("time-missing", ",\"time\":1700000000", "", "A time."),
        ("time-text", "1700000000", "\"1700000000\"", "The time is a number."),
        ("time-null", "1700000000", "null", "The time is a number."),
    ] {
        let edit = g.change("plain", M, old, new);
        g.reject(name, "plain", [edit], &rows::RECORD_FORM, why);
    }
    let edits = [g.change("plain", M, "{\"type\"", "[{\"type\""), g.append("plain", M, "]")];
    let [open, mut close] = edits;
    close.at = close.at.map(|at| at + 1);
    g.reject("array", "plain", [open, close], &rows::RECORD_FORM, "An object.");
    let edit = g.append("plain", M, "x");
    g.reject("trailing-letter", "plain", [edit], &rows::RECORD_FORM, "Nothing follows the object.");
}

/// What the document leaves open, as the reference reads it.
fn open(g: &mut Group) {
    for (name, old, new, why) in [
        (
            "type-twice",
            "\"channel\"",
            "\"type\":\"AGGREGATE\",\"channel\"",
            "A key of the message stands once.",
        ),
        ("time-twice", "\"time\"", "\"time\":1,\"time\"", "A key of the content stands once."),
        ("nested-twice", "\"name\"", "\"name\":\"y\",\"name\"", "So does every key below."),
        (
            "escaped-twice",
            "\"name\"",
            "\"n\\u0061me\":\"y\",\"name\"",
            "A key is what it means, escaped or not.",
        ),
    ] {
        let edit = g.change("plain", M, old, new);
        g.reject(name, "plain", [edit], &rows::RECORD_DUPLICATES, why).read_as("A-048/no-duplicates");
    }
    for (name, new, why) in [
        ("fraction", "1.5", "A fraction is written in several ways."),
        ("fraction-zero", "1.0", "So is an integer with a fraction of zero."),
        ("exponent", "1e2", "So is an exponent."),
        ("minus-zero", "-0", "Minus zero is zero to some."),
        ("two-to-53", "9007199254740992", "Not every reader keeps 2^53 apart from its neighbour."),
        ("minus-two-to-53", "-9007199254740992", "Nor below zero."),
        ("beyond-64-bits", "123456789012345678901", "Nor what is beyond 64 bits."),
    ] {
        let edit = g.change("plain", M, "\"x\"", new);
        g.reject(name, "plain", [edit], &rows::RECORD_NUMBERS, why).read_as("A-048/integers");
    }
}
