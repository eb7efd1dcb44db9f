//! `record.canonical`: the text of a record that is hashed.

use assay_spec::Id;
use assay_spec::network::requirements::signing as rows;
use serde_json::json;

use super::characters;
use super::types::{Sample, samples};
use super::world::address;
use crate::case::{Case, Edit};
use crate::generate::group::Group;

pub(super) const M: &str = "/in/message_json";
pub(super) const PLAIN: &str = r#"{"type":"AGGREGATE","channel":"SVC","content":{"address":"A","key":"profile","content":{"name":"x"},"time":1700000000}}"#;
static SHOWN: &[Id] = &[&rows::RECORD_FORM];

pub(in crate::generate) fn cases() -> Vec<Case> {
    let source = "src/generate/network/canonical.rs";
    let mut g = Group::new("network/record-canonical", "record.canonical", source, SHOWN);
    levels(&mut g);
    types(&mut g);
    characters::cases(&mut g);
    forms(&mut g);
    open(&mut g);
    g.cases
}

pub(super) fn input(message: &str) -> serde_json::Value {
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
    for (name, member, why) in [
        ("key-null", r#""key":null"#, "A key that is null is present."),
        ("type-null", r#""type":null"#, "So is a type."),
        ("ref-null", r#""type":"note","ref":null"#, "So is a ref."),
    ] {
        let message = PLAIN.replace(r#""key":"profile""#, member);
        g.accept(name, input(&message), why).read_as("A-048/null-is-present");
    }
    let odd = r#"{"type":"AGGREGATE","channel":"SVC","timestamp":1.5,"content":{"address":"A","content":{"a":1},"time":1,"score":1e2,"great":9007199254740993}}"#;
    let why = "Numbers that are no part of it may be written in any way.";
    g.accept("other-members-numbers", input(odd), why).read_as("A-048/integers-where-signed");
    let deep = format!("{}1{}", "[{\"a\":".repeat(30), "}]".repeat(30));
    let why = "Sixty levels below the documented ones.";
    g.accept("deep", input(&PLAIN.replace("\"x\"", &deep)), why);
    let numbered = r#"{"type":"AGGREGATE","channel":"SVC","content":{"address":"A","key":"k","content":{"b":1,"10":2,"9":3},"time":1}}"#;
    let why = "Keys that look like numbers stay where they stand; objects of JavaScript would move them.";
    g.accept("numbers-as-keys", input(numbered), why).read_as("A-048/received-order");
}

/// A record of each type, and what is left out of a FORGET.
fn types(g: &mut Group) {
    for Sample { name, message, why, reading } in samples() {
        g.accept(&name, input(&message), why).reading = reading.map(str::to_owned);
    }
    for (name, content, why) in [
        (
            "forget-reason",
            r#""reason":"r","time":1,"hashes":["h"],"address":"A""#,
            "The three members in their order; a reason is no part of it.",
        ),
        ("forget-one", r#""address":"A","hashes":["h"],"time":1"#, "One hash."),
    ] {
        let message = format!(r#"{{"type":"FORGET","channel":"SVC","content":{{{content}}}}}"#);
        g.accept(name, input(&message), why).read_as("A-050/hashes");
    }
    for (name, old, new, why) in [
        ("forget-hashes-missing", "\"hashes\"", "\"hash\"", "A FORGET without its hashes."),
        ("forget-hashes-text", "[\"h\"]", "\"h\"", "Hashes are an array, were it of one."),
    ] {
        let edit = g.change("forget-one", M, old, new);
        g.reject(name, "forget-one", [edit], &rows::RECORD_FORM, why).read_as("A-050/hashes");
    }
    let edits = [
        g.change("type-store", M, "\"content\":{\"item_type\"", "\"item_type\""),
        g.change("type-store", M, "fbzdi\"}", "fbzdi\""),
    ];
    let why =
        "With its file beside the address, as nodes show it, a STORE has nothing that the form could sign.";
    g.reject("store-flat", "type-store", one_behind_the_other(edits), &rows::RECORD_FORM, why)
        .read_as("A-048/every-type");
}

/// Two edits of one text, the second where it stands after the first.
fn one_behind_the_other([first, mut second]: [Edit; 2]) -> [Edit; 2] {
    let length = |piece: &serde_json::Value| piece.as_str().map_or(0, str::len);
    second.at = second.at.map(|at| at + length(&first.new) - length(&first.old));
    [first, second]
}

fn forms(g: &mut Group) {
    for (name, old, new, why) in [
        ("no-json", "}}", "}", "It is no JSON text."),
        ("two-commas", "\"SVC\",", "\"SVC\",,", "It is no JSON text."),
        ("trailing-comma", "1700000000}", "1700000000,}", "Nothing stands behind the last comma."),
        ("single-quotes", "\"x\"", "'x'", "A text stands between double quotes."),
        ("raw-newline", "\"x\"", "\"\n\"", "A control character inside a text is escaped."),
        ("no-escape", "\"x\"", "\"\\x41\"", "JSON has no such escape."),
        ("comment", "\"SVC\",", "\"SVC\",/**/", "JSON has no comments."),
        (
            "no-break-space",
            "\"SVC\",",
            "\"SVC\",\u{a0}",
            "Four characters are white space, and this is none of them.",
        ),
        ("not-a-number", "\"x\"", "NaN", "JSON has no such number, though some readers take it."),
        ("leading-zero", "\"x\"", "01", "A number has no zero in front that it does not need."),
        ("plus", "\"x\"", "+1", "A number has no plus in front."),
        ("byte-order-mark", "{\"type\"", "\u{feff}{\"type\"", "A byte order mark is no white space."),
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
    g.reject("array", "plain", one_behind_the_other(edits), &rows::RECORD_FORM, "An object.");
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
    let edit = g.change("other-members", M, "\"nonce\"", "\"nonce\":\"m\",\"nonce\"");
    let why = "A key that is no part of it stands once too.";
    g.reject("unsigned-twice", "other-members", [edit], &rows::RECORD_DUPLICATES, why)
        .read_as("A-048/no-duplicates");
    let edit = g.change("plain", M, "1700000000", "9007199254740992");
    let why = "Nor in the time.";
    g.reject("time-two-to-53", "plain", [edit], &rows::RECORD_NUMBERS, why).read_as("A-048/integers");
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
