//! `record.canonical`: the canonical JSON of a record, which is hashed.

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
        ("plain", PLAIN, "A message that is already in canonical order."),
        (
            "shuffled",
            r#"{"content":{"time":1700000000,"content":{"name":"x"},"key":"profile","address":"A"},"channel":"SVC","type":"AGGREGATE"}"#,
            "Message and content are in the documented order, whatever the received order.",
        ),
        (
            "other-members",
            r#"{"chain":"ETH","type":"AGGREGATE","channel":"SVC","timestamp":5,"nonce":"n","content":{"address":"A","key":"profile","tags":["t"],"content":{"name":"x"},"time":1700000000}}"#,
            "Chain, timestamp and other members are not part of the canonical JSON.",
        ),
        (
            "stored",
            record.as_str(),
            "The record as a node returns it, with hash, sender, signature and confirmations.",
        ),
        (
            "no-key",
            r#"{"type":"AGGREGATE","channel":"SVC","content":{"address":"A","content":{"name":"x"},"time":1}}"#,
            "Without a key the canonical JSON has none, neither null nor empty.",
        ),
        (
            "type-and-ref",
            r#"{"type":"POST","channel":"SVC","content":{"address":"A","type":"amend","ref":"r","content":{"a":1},"time":1}}"#,
            "An amend has type and ref, in this order.",
        ),
        ("key-type-and-ref", post, "All seven members, received in reverse order."),
        (
            "type-alone",
            r#"{"type":"POST","channel":"SVC","content":{"address":"A","type":"note","content":{"a":1},"time":1}}"#,
            "A post that is not an amend has no ref.",
        ),
        (
            "empty-key",
            r#"{"type":"AGGREGATE","channel":"SVC","content":{"address":"A","key":"","content":{},"time":1}}"#,
            "An empty key is present.",
        ),
        (
            "nested-unsorted",
            r#"{"type":"AGGREGATE","channel":"SVC","content":{"address":"A","key":"k","content":{"z":{"y":1,"b":[{"d":1,"c":2}]},"a":2,"B":3},"time":1}}"#,
            "Below the documented levels nothing is sorted, also inside arrays.",
        ),
        (
            "nested-same-names",
            r#"{"type":"AGGREGATE","channel":"SVC","content":{"address":"A","key":"k","content":{"time":1,"content":{"type":"t","address":"x"},"address":"y","more":0},"time":1}}"#,
            "Members with the documented names are not moved below the documented levels.",
        ),
        (
            "white-space",
            "{ \"type\" : \"AGGREGATE\",\n\t\"channel\": \"SVC\",\r\n \"content\": { \"address\": \"A\", \"content\": [ 1, { \"a\" : \" b \" } ], \"time\": 1 } }",
            "White space between tokens is removed; white space in strings is kept.",
        ),
        (
            "values",
            r#"{"type":"AGGREGATE","channel":"","content":{"address":"A","content":{"t":true,"f":false,"n":null,"i":-5,"zero":0,"big":9007199254740991,"small":-9007199254740991,"e":{},"l":[]},"time":0}}"#,
            "Every kind of value, and the greatest integers that every parser keeps.",
        ),
        (
            "content-null",
            r#"{"type":"AGGREGATE","channel":"SVC","content":{"address":"A","key":"k","content":null,"time":1}}"#,
            "The inner content may be any value, including null.",
        ),
    ] {
        g.accept(name, input(message), why);
    }
    for (name, member, why) in [
        ("key-null", r#""key":null"#, "A null key is present."),
        ("type-null", r#""type":null"#, "A null type is present."),
        ("ref-null", r#""type":"note","ref":null"#, "A null ref is present."),
    ] {
        let message = PLAIN.replace(r#""key":"profile""#, member);
        g.accept(name, input(&message), why).read_as("A-048/null-is-present");
    }
    let odd = r#"{"type":"AGGREGATE","channel":"SVC","timestamp":1.5,"content":{"address":"A","content":{"a":1},"time":1,"score":1e2,"great":9007199254740993}}"#;
    let why = "Numbers outside the canonical JSON may have any notation.";
    g.accept("other-members-numbers", input(odd), why).read_as("A-048/integers-where-signed");
    for (name, new, why) in [
        ("shortest-fraction", "1.50", "A fraction is written in its shortest form."),
        (
            "smallest-fraction",
            "-0.0001",
            "The smallest fraction that all common serializers write without an exponent.",
        ),
        ("zero-fraction", "1.0", "An integer with a zero fraction is written as an integer."),
        ("whole-exponent", "1e2", "An integer with an exponent is written without one."),
        ("zero-with-sign", "-0", "Minus zero is zero."),
    ] {
        g.accept(name, input(&PLAIN.replace("\"x\"", new)), why).read_as("A-048/shortest-numbers");
    }
    let deep = format!("{}1{}", "[{\"a\":".repeat(30), "}]".repeat(30));
    let why = "Content may be nested: here 60 levels below the documented ones.";
    g.accept("deep", input(&PLAIN.replace("\"x\"", &deep)), why);
    let numbered = r#"{"type":"AGGREGATE","channel":"SVC","content":{"address":"A","key":"k","content":{"b":1,"10":2,"9":3},"time":1}}"#;
    let why = "Keys that look like numbers keep their position. JavaScript objects would move them.";
    g.accept("numbers-as-keys", input(numbered), why).read_as("A-048/received-order");
}

/// A record of each type, and the members of a FORGET.
fn types(g: &mut Group) {
    for Sample { name, message, why, reading } in samples() {
        g.accept(&name, input(&message), why).reading = reading.map(str::to_owned);
    }
    for (name, content, why) in [
        (
            "forget-reason",
            r#""reason":"r","time":1,"hashes":["h"],"address":"A""#,
            "A FORGET has three members in their order. A reason is not part of the canonical JSON.",
        ),
        ("forget-one", r#""address":"A","hashes":["h"],"time":1"#, "A FORGET with one hash."),
    ] {
        let message = format!(r#"{{"type":"FORGET","channel":"SVC","content":{{{content}}}}}"#);
        g.accept(name, input(&message), why).read_as("A-050/hashes");
    }
    for (name, old, new, why) in [
        ("forget-hashes-missing", "\"hashes\"", "\"hash\"", "A FORGET must have hashes."),
        ("forget-hashes-text", "[\"h\"]", "\"h\"", "hashes is an array, even for a single hash."),
    ] {
        let edit = g.change("forget-one", M, old, new);
        g.reject(name, "forget-one", [edit], &rows::RECORD_FORM, why).read_as("A-050/hashes");
    }
    let edits = [
        g.change("type-store", M, "\"content\":{\"item_type\"", "\"item_type\""),
        g.change("type-store", M, "fbzdi\"}", "fbzdi\""),
    ];
    let why =
        "A flat STORE, with its file beside the address as nodes return it, has no inner content to sign.";
    g.reject("store-flat", "type-store", one_behind_the_other(edits), &rows::RECORD_FORM, why)
        .read_as("A-048/every-type");
}

/// Two edits of one string. The offset of the second is adjusted to the first.
fn one_behind_the_other([first, mut second]: [Edit; 2]) -> [Edit; 2] {
    let length = |piece: &serde_json::Value| piece.as_str().map_or(0, str::len);
    second.at = second.at.map(|at| at + length(&first.new) - length(&first.old));
    [first, second]
}

fn forms(g: &mut Group) {
    for (name, old, new, why) in [
        ("no-json", "}}", "}", "The message is not valid JSON."),
        ("two-commas", "\"SVC\",", "\"SVC\",,", "The message is not valid JSON."),
        ("trailing-comma", "1700000000}", "1700000000,}", "JSON has no trailing comma."),
        ("single-quotes", "\"x\"", "'x'", "JSON strings have double quotes."),
        ("raw-newline", "\"x\"", "\"\n\"", "A control character in a string must be escaped."),
        ("no-escape", "\"x\"", "\"\\x41\"", "JSON has no such escape."),
        ("comment", "\"SVC\",", "\"SVC\",/**/", "JSON has no comments."),
        ("no-break-space", "\"SVC\",", "\"SVC\",\u{a0}", "A no-break space is not JSON white space."),
        ("not-a-number", "\"x\"", "NaN", "JSON has no NaN, although some parsers accept it."),
        ("leading-zero", "\"x\"", "01", "A number has no leading zero."),
        ("plus", "\"x\"", "+1", "A number has no plus sign."),
        ("byte-order-mark", "{\"type\"", "\u{feff}{\"type\"", "A byte order mark is not white space."),
        ("type-missing", "\"type\"", "\"kind\"", "type is required."),
        ("type-number", "\"AGGREGATE\"", "1", "type is a string."),
        ("channel-missing", "\"channel\":\"SVC\",", "", "channel is required."),
        ("channel-null", "\"SVC\"", "null", "channel is a string."),
        ("content-missing", "\"content\":{\"address\"", "\"contents\":{\"address\"", "content is required."),
        ("address-missing", "\"address\"", "\"owner\"", "content.address is required."),
        (
            "inner-content-missing",
            "\"content\":{\"name\"",
            "\"value\":{\"name\"",
            "content.content is required.",
        ),
        ("time-missing", ",\"time\":1700000000", "", "content.time is required."),
        ("time-text", "1700000000", "\"1700000000\"", "content.time is a number."),
        ("time-null", "1700000000", "null", "content.time is a number."),
    ] {
        let edit = g.change("plain", M, old, new);
        g.reject(name, "plain", [edit], &rows::RECORD_FORM, why);
    }
    let edits = [g.change("plain", M, "{\"type\"", "[{\"type\""), g.append("plain", M, "]")];
    g.reject("array", "plain", one_behind_the_other(edits), &rows::RECORD_FORM, "The message is an object.");
    let edit = g.append("plain", M, "x");
    g.reject("trailing-letter", "plain", [edit], &rows::RECORD_FORM, "Nothing follows the object.");
}

/// Cases that the document leaves open, as the reference reads them.
fn open(g: &mut Group) {
    for (name, old, new, why) in [
        (
            "type-twice",
            "\"channel\"",
            "\"type\":\"AGGREGATE\",\"channel\"",
            "A key of the message appears once.",
        ),
        ("time-twice", "\"time\"", "\"time\":1,\"time\"", "A key of the content appears once."),
        ("nested-twice", "\"name\"", "\"name\":\"y\",\"name\"", "A nested key appears once."),
        (
            "escaped-twice",
            "\"name\"",
            "\"n\\u0061me\":\"y\",\"name\"",
            "An escaped key equals its unescaped form, so it appears twice here.",
        ),
    ] {
        let edit = g.change("plain", M, old, new);
        g.reject(name, "plain", [edit], &rows::RECORD_DUPLICATES, why).read_as("A-048/no-duplicates");
    }
    let edit = g.change("other-members", M, "\"nonce\"", "\"nonce\":\"m\",\"nonce\"");
    let why = "A key outside the canonical JSON appears once too.";
    g.reject("unsigned-twice", "other-members", [edit], &rows::RECORD_DUPLICATES, why)
        .read_as("A-048/no-duplicates");
    let edit = g.change("plain", M, "1700000000", "9007199254740992");
    let why = "In content.time, too, an integer is below 2^53.";
    g.reject("time-two-to-53", "plain", [edit], &rows::RECORD_NUMBERS, why).read_as("A-048/integers");
    for (name, new, why) in [
        ("small-fraction", "0.00001", "Some serializers write a fraction below 0.0001 with an exponent."),
        ("large-exponent", "1e300", "Some serializers write a sign in a large exponent."),
        ("two-to-53", "9007199254740992", "Not every parser distinguishes 2^53 from its neighbor."),
        ("minus-two-to-53", "-9007199254740992", "Not every parser distinguishes -2^53 from its neighbor."),
        (
            "beyond-64-bits",
            "123456789012345678901",
            "Not every parser reads an integer of more than 64 bits exactly.",
        ),
    ] {
        let edit = g.change("plain", M, "\"x\"", new);
        g.reject(name, "plain", [edit], &rows::RECORD_NUMBERS, why).read_as("A-048/integers");
    }
}
