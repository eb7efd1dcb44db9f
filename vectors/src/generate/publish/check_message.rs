//! `publish.check_message`: the thirteen checks that a client runs before it signs.

mod structure;

use assay_spec::Dialect;
use assay_spec::crypto::text::hex;
use assay_spec::publish::message::Message;
use assay_spec::publish::record::Record;
use assay_spec::publish::requirements::check as rows;
use serde_json::{Value, json};

use super::world::{CID, NOW, SITE, WINDOW, prepared, text, transfer_id};
use crate::case::Case;
use crate::generate::group::{Group, set};
use crate::generate::keys::{address, bytes};

const MESSAGE: &str = "/in/message";
const DATA: &str = "/in/message/instructions/0/data";

pub(in crate::generate) fn cases() -> Vec<Case> {
    let mut g = Group::new(
        "publish/check-message",
        "publish.check_message",
        "src/generate/publish/check_message.rs",
        rows::ALL,
    );
    accepts(&mut g);
    readings(&mut g);
    structure::encoding(&mut g);
    structure::signers(&mut g);
    structure::instructions(&mut g);
    record(&mut g);
    requested_values(&mut g);
    g.cases
}

fn input(message: &Message, request: &Value) -> Value {
    json!({
        "message": {"hex": hex(&message.encode())},
        "client": address("client"),
        "request": request,
        "now": NOW.to_string(),
        "memo_program": Dialect::default().memo_program,
    })
}

fn publish(cid: &str, version: &Value) -> Value {
    json!({"op": "pub", "domain": SITE, "cid": cid, "version": version, "new_authority": null, "transfer": null})
}

fn vault() -> String {
    format!("chain:{}", address("incoming"))
}

fn accepts(g: &mut Group) {
    let carried = |cid: &str, version: &str, t| prepared(text(&Record::publish(SITE, cid, version, t)));
    let one = json!("1.2.3");
    g.accept(
        "pub",
        input(&carried(CID, "1.2.3", NOW), &publish(CID, &one)),
        "A publish request with a version.",
    );
    g.accept(
        "version-omitted",
        input(&carried(CID, "0", NOW), &publish(CID, &Value::Null)),
        "A client that sends no version expects version 0.",
    );
    g.accept(
        "version-empty",
        input(&carried(CID, "0", NOW), &publish(CID, &json!(""))),
        "A client that sends an empty version expects version 0.",
    );
    for (name, version, why) in [
        ("version-blank", "  ", "A client that sends two spaces expects version 0."),
        ("version-line-separator", "\u{2028}", "U+2028 is white space, so this version is blank."),
    ] {
        let wanted = input(&carried(CID, "0", NOW), &publish(CID, &json!(version)));
        g.accept(name, wanted, why).read_as("A-071/white-space-is-blank");
    }
    let mut plain = publish(CID, &Value::Null);
    plain["op"] = Value::Null;
    g.accept(
        "op-omitted",
        input(&carried(CID, "0", NOW), &plain),
        "A request without an operation is a publish.",
    );
    let transfer = json!({"op": "transfer", "domain": SITE, "new_authority": vault()});
    g.accept(
        "transfer",
        input(&prepared(text(&Record::transfer(SITE, &vault(), NOW))), &transfer),
        "A transfer request.",
    );
    let accept = json!({"op": "accept", "domain": SITE, "transfer": transfer_id()});
    g.accept(
        "accept",
        input(&prepared(text(&Record::accept(SITE, &transfer_id(), NOW))), &accept),
        "An accept request. The client knows the transfer from the holder of the old key.",
    );
    for (name, skew) in [("time-oldest", -WINDOW), ("time-newest", WINDOW)] {
        g.accept(
            name,
            input(&carried(CID, "1.2.3", NOW + skew), &publish(CID, &one)),
            "Exactly ten minutes away is within ten minutes.",
        );
    }
    let odd = "a\"b\\c\n\u{1}";
    g.accept(
        "escapes",
        input(&carried(odd, "0", NOW), &publish(odd, &Value::Null)),
        "Values are compared unescaped; the record is compared as written, with its escapes.",
    );
    let beyond = "caf\u{e9}\u{200b}\u{1f600}";
    g.accept(
        "beyond-ascii",
        input(&carried(beyond, "0", NOW), &publish(beyond, &Value::Null)),
        "Characters are compared as they are, visible or not.",
    )
    .read_as("A-082/raw");
    let line = "x\nProgram log: Signed by nobody";
    g.accept(
        "looks-like-a-log",
        input(&carried(line, "0", NOW), &publish(line, &Value::Null)),
        "A requested value may look like a log line; in the record its newline is escaped.",
    );
    let overhead = text(&Record::publish(SITE, "", "0", NOW)).len();
    let long = "a".repeat(965 - overhead);
    g.accept(
        "record-965",
        input(&carried(&long, "0", NOW), &publish(&long, &Value::Null)),
        "The longest record that fits one transaction.",
    );
    let mut own = carried(CID, "1.2.3", NOW);
    own.accounts[2] = bytes("memo program");
    let mut other = input(&own, &publish(CID, &one));
    other["memo_program"] = bs58::encode(bytes("memo program")).into_string().into();
    g.accept("other-memo-program", other, "The memo program's address depends on the chain.");
}

/// Messages that pass the thirteen checks but differ from the message table.
fn readings(g: &mut Group) {
    let conforming = prepared(text(&Record::publish(SITE, CID, "1.2.3", NOW)));
    let alter = |edit: fn(&mut Message)| {
        let mut message = conforming.clone();
        edit(&mut message);
        input(&message, &publish(CID, &json!("1.2.3")))
    };
    for (name, input, why) in [
        (
            "writable-key",
            alter(|m| m.header[1] = 0),
            "The publishing key is writable. None of the checks covers this.",
        ),
        (
            "writable-program",
            alter(|m| m.header[2] = 0),
            "The memo program is writable. None of the checks covers this.",
        ),
        (
            "extra-account",
            alter(|m| m.accounts.push(bytes("extra"))),
            "The message has an unused account. None of the checks counts accounts.",
        ),
        (
            "client-twice",
            alter(|m| m.accounts.push(m.accounts[1])),
            "The publishing key appears twice. None of the checks compares accounts.",
        ),
        (
            "program-twice",
            alter(|m| m.accounts.push(m.accounts[2])),
            "The memo program appears twice. The index selects one of them.",
        ),
        (
            "payer-twice",
            alter(|m| m.accounts.push(m.accounts[0])),
            "The fee payer appears twice. None of the checks compares accounts.",
        ),
    ] {
        g.accept(name, input, why).read_as("A-081/sign");
    }
}

/// Checks 8 and 9.
fn record(g: &mut Group) {
    let form = &rows::RECORD_FORM;
    for (name, base, old, new, why) in [
        ("record-prefix", "pub", "svc-vf:1:", "svc-vf:2:", "The record's version is 1."),
        (
            "record-auth",
            "pub",
            ":pub:",
            ":auth:",
            "auth is the kind of the request envelope, not of a record.",
        ),
        ("record-bom", "pub", "svc", "\u{feff}svc", "A byte order mark is not stripped."),
        ("record-extra-key", "pub", "\"v\":", "\"n\":\"0\",\"v\":", "A record has no other keys."),
        ("record-number", "pub", "\"1.2.3\"", "1", "Every field is a string."),
        (
            "record-empty-version",
            "version-empty",
            "\"v\":\"0\"",
            "\"v\":\"\"",
            "The record's version is not empty, even if the client sent an empty version.",
        ),
        ("record-trailing-letter", "pub", "\"}", "\"}x", "Nothing follows the object."),
    ] {
        let edit = g.change(base, DATA, old, new);
        g.reject(name, base, [edit], form, why);
    }
    let edit = g.change("pub", DATA, CID, "");
    g.reject(
        "record-empty-cid",
        "pub",
        [edit, set("/in/request/cid", CID, "")],
        form,
        "The record's content identifier is not empty, even if the client requested an empty one.",
    );
    let edit = g.change("pub", DATA, SITE, "Site.Example");
    g.reject(
        "record-domain",
        "pub",
        [edit, set("/in/request/domain", SITE, "Site.Example")],
        form,
        "The record's domain is canonical, even if the client requested another form.",
    );
    let whole = crate::edit::look(g.input("pub"), DATA).unwrap_or_default();
    g.reject(
        "record-nothing",
        "pub",
        [set(DATA, whole, json!({"hex": ""}))],
        form,
        "Empty data is not a record.",
    );
    let mut invalid = g.change("pub", DATA, "bafy", "");
    invalid.new = json!({"hex": "62e966"});
    g.reject(
        "record-invalid-utf8",
        "pub",
        [invalid, set("/in/request/cid", CID, format!("b\u{fffd}f{}", &CID[4..]))],
        form,
        "Invalid UTF-8 is rejected, even if a lossy decoder would give the requested value.",
    );

    let canonical = &rows::RECORD_CANONICAL;
    let (order, swapped) = (format!(r#""d":"{SITE}","c":"{CID}""#), format!(r#""c":"{CID}","d":"{SITE}""#));
    for (name, old, new, why) in [
        ("record-keys-swapped", order.as_str(), swapped.as_str(), "Keys are in the kind's order."),
        ("record-space", ",", ", ", "A record contains no white space between tokens."),
        ("record-escape", "bafy", "\\u0062afy", "A letter is not escaped."),
        (
            "record-key-twice",
            "\"c\":",
            "\"c\":\"x\",\"c\":",
            "A key appears once: parsers differ on which duplicate counts.",
        ),
        ("record-trailing-newline", "\"}", "\"}\n", "Nothing follows the object."),
    ] {
        let edit = g.change("pub", DATA, old, new);
        g.reject(name, "pub", [edit], canonical, why);
    }
}

/// Checks 10 to 13.
fn requested_values(g: &mut Group) {
    let accept = text(&Record::accept(SITE, &transfer_id(), NOW));
    let whole = |g: &Group, base: &str| crate::edit::look(g.input(base), DATA).unwrap_or_default();
    let data = whole(g, "pub");
    g.reject(
        "kind-accept",
        "pub",
        [set(DATA, data, json!({"hex": hex(&accept)}))],
        &rows::KIND,
        "The record's kind differs from the requested operation.",
    );
    let data = whole(g, "accept");
    let transfer = text(&Record::transfer(SITE, &vault(), NOW));
    g.reject(
        "kind-transfer",
        "accept",
        [set(DATA, data, json!({"hex": hex(&transfer)}))],
        &rows::KIND,
        "The record would transfer the domain, but the client requested an accept.",
    );
    for (name, domain, why) in [
        ("domain-other", "evil.example", "The record's domain differs from the requested one."),
        ("domain-below", "www.site.example", "A subdomain is a different domain."),
        ("domain-above", "e.example", "A parent domain is a different domain."),
    ] {
        let edit = g.change("pub", DATA, SITE, domain);
        g.reject(name, "pub", [edit], &rows::DOMAIN, why);
    }
    for (name, base, old, new, why) in [
        ("cid-other", "pub", "bafy", "bafz", "The content identifier differs from the requested one."),
        ("cid-cut", "pub", &CID[9..], "", "A part of the content identifier is not enough."),
        ("version-other", "pub", "1.2.3", "1.2.4", "The version differs from the requested one."),
        (
            "version-default",
            "pub",
            "1.2.3",
            "0",
            "The record carries the default version instead of the requested one.",
        ),
        (
            "version-invented",
            "version-omitted",
            "\"v\":\"0\"",
            "\"v\":\"1.2.3\"",
            "A client that sends no version expects version 0.",
        ),
        (
            "cid-decomposed",
            "beyond-ascii",
            "\u{e9}",
            "e\u{301}",
            "A decomposed letter looks the same but has other bytes.",
        ),
        ("cid-seen", "beyond-ascii", "\u{200b}", "", "An invisible character is missing."),
        ("cid-unseen", "pub", "bafy", "bafy\u{200b}", "An invisible character was added."),
        ("cid-trimmed", "pub", CID, &format!("{CID} "), "Values are not trimmed."),
        (
            "vault-other",
            "transfer",
            &vault(),
            &format!("chain:{}", address("stranger")),
            "The new key differs from the requested one.",
        ),
        ("vault-scheme", "transfer", "chain:", "", "The prefix chain: is part of the new authority."),
        (
            "transfer-other",
            "accept",
            &transfer_id()[..4],
            "1111",
            "The transfer signature differs from the requested one.",
        ),
    ] {
        let edit = g.change(base, DATA, old, new);
        g.reject(name, base, [edit], &rows::FIELDS, why);
    }
    g.reject(
        "transfer-not-known",
        "accept",
        [set("/in/request/transfer", transfer_id(), Value::Null)],
        &rows::FIELDS,
        "A client that does not know the transfer signature cannot confirm the record.",
    );
    let clock = |skew: i64| set("/in/now", NOW.to_string(), (NOW + skew).to_string());
    g.reject(
        "time-too-old",
        "time-oldest",
        [clock(1)],
        &rows::TIME,
        "The time is one millisecond outside the ten-minute window.",
    );
    g.reject(
        "time-too-new",
        "time-newest",
        [clock(-1)],
        &rows::TIME,
        "The time is one millisecond outside the ten-minute window.",
    );
    for (name, time) in [
        ("time-without-milliseconds", "2026-03-04T05:06:07Z"),
        ("time-offset", "2026-03-04T05:06:07.089+00:00"),
        ("time-garbage", "now"),
        ("time-leap-second", "2026-03-04T05:05:60.000Z"),
        ("time-lower-case", "2026-03-04t05:06:07.089z"),
        ("time-year-10000", "10000-03-04T05:06:07.089Z"),
        ("time-year-signed", "+002026-03-04T05:06:07.089Z"),
    ] {
        let edit = g.change("pub", DATA, &NOW.to_string(), time);
        g.reject(name, "pub", [edit], &rows::TIME, "The time has exactly the form with milliseconds and Z.");
    }
}
