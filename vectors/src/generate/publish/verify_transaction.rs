//! `publish.verify_transaction`: the verification of a confirmed transaction.

use assay_spec::Dialect;
use assay_spec::crypto::text::hex;
use assay_spec::publish::record::Record;
use assay_spec::publish::requirements::verify as rows;
use serde_json::{Value, json};

use super::world::{CID, NOW, SITE, prepared, text, transfer_id};
use crate::case::Case;
use crate::generate::group::{Group, set, splice};
use crate::generate::keys::address;

const LOGS: &str = "/in/meta/logMessages";
const OTHER: &str = "ComputeBudget111111111111111111111111111111";

pub(in crate::generate) fn cases() -> Vec<Case> {
    let source = "src/generate/publish/verify_transaction.rs";
    let mut g = Group::new("publish/verify-transaction", "publish.verify_transaction", source, rows::ALL);
    accepts(&mut g);
    transaction(&mut g);
    invocation(&mut g);
    signer(&mut g);
    truncated(&mut g);
    g.cases
}

const SAYS_SIGNED: &str = "memo-says-signed";

fn program(what: &str) -> String {
    format!("Program {} {what}", Dialect::default().memo_program)
}

fn signed(name: &str) -> String {
    format!("Program log: Signed by {}", address(name))
}

/// The log of a memo: invocation, signer, memo, success. The memo line has the document's form.
fn log(memo: &str) -> Vec<String> {
    let line = format!("Program log: Memo (len {}): {memo}", memo.len());
    vec![program("invoke [1]"), signed("client"), line, program("success")]
}

fn input(record: &Record, logs: &[String]) -> Value {
    let record = text(record);
    json!({
        "message": {"hex": hex(&prepared(record.clone()).encode())},
        "meta": {"err": null, "logMessages": logs},
        "client": address("client"),
        "record": {"hex": hex(&record)},
        "memo_program": Dialect::default().memo_program,
    })
}

fn accepts(g: &mut Group) {
    let publish = Record::publish(SITE, CID, "0", NOW);
    let memo = String::from_utf8(text(&publish)).expect("a record is UTF-8");
    let plain = log(&memo);
    g.accept("plain", input(&publish, &plain), "The log in the document's form.");
    let mut field = plain.clone();
    field[2] = format!("Program log: Memo (len {}): {memo:?}", memo.len());
    field.insert(3, program("consumed 31415 of 200000 compute units"));
    g.accept(
        "quoted",
        input(&publish, &field),
        "The log as deployed memo programs print it: with a quoted memo and the compute units used.",
    );
    let mut after = vec![format!("Program {OTHER} invoke [1]"), format!("Program {OTHER} success")];
    after.extend(plain.clone());
    g.accept("after-other-program", input(&publish, &after), "Another program ran before the memo program.");
    let mut both = plain.clone();
    both.insert(1, signed("stranger"));
    g.accept(
        "two-signers",
        input(&publish, &both),
        "The log names two signers, and the client is one of them.",
    );
    let accept = Record::accept(SITE, &transfer_id(), NOW);
    let memo = String::from_utf8(text(&accept)).expect("a record is UTF-8");
    g.accept("accept", input(&accept, &log(&memo)), "The record of an accept.");
    for (name, cid, why) in [
        ("memo-says-truncated", "Log truncated", "Text inside the memo does not count as a log line."),
        ("memo-says-failed", "Program failed: x", "Text inside the memo does not count as a log line."),
        (SAYS_SIGNED, &format!("x\n{}", signed("stranger")), "A signer line inside the memo does not count."),
    ] {
        let record = Record::publish(SITE, cid, "0", NOW);
        let memo = String::from_utf8(text(&record)).expect("a record is UTF-8");
        g.accept(name, input(&record, &log(&memo)), why);
    }
    let mut said = plain.clone();
    said.insert(2, "Program log: Log truncated".to_owned());
    g.accept(
        "program-says-truncated",
        input(&publish, &said),
        "A program may print the words Log truncated without truncating the log.",
    );
    let odd = Record::publish(SITE, "\"\\\n'\0\u{200b}e\u{301}", "0", NOW);
    let memo = String::from_utf8(text(&odd)).expect("a record is UTF-8");
    let mut quoted = log(&memo);
    quoted[2] = format!("Program log: Memo (len {}): {memo:?}", memo.len());
    g.accept(
        "quoted-twice",
        input(&odd, &quoted),
        "The log quotes the memo, so the record's escapes are escaped again.",
    );
}

fn transaction(g: &mut Group) {
    let error = json!({"InstructionError": [0, "InvalidInstructionData"]});
    g.reject(
        "error",
        "plain",
        [set("/in/meta/err", Value::Null, error)],
        &rows::NO_ERROR,
        "The transaction failed. Failed transactions are on the chain too.",
    );
    let edit = g.change("plain", "/in/record", "bafy", "bafz");
    g.reject("other-record", "plain", [edit], &rows::RECORD, "The memo is another record.");
    let edit = g.append("plain", "/in/record", "0a");
    g.reject("longer-record", "plain", [edit], &rows::RECORD, "The memo equals the record byte for byte.");
    let message = prepared(text(&Record::publish(SITE, CID, "0", NOW))).encode();
    let twice = [
        splice("/in/message", 132, "01", "02"),
        splice("/in/message", message.len(), "", hex(&message[133..])),
    ];
    g.reject(
        "two-memos",
        "plain",
        twice,
        &rows::RECORD,
        "A transaction has one memo instruction. With two, the log does not say which one a line belongs to.",
    );
    g.reject(
        "other-program",
        "plain",
        [splice("/in/message", 133, "02", "00")],
        &rows::RECORD,
        "The data was passed to another program.",
    );
    g.reject(
        "message-trailing-byte",
        "plain",
        [splice("/in/message", message.len(), "", "00")],
        &rows::RECORD,
        "A message that does not decode has no record.",
    );
}

/// The lines of the plain log: invocation, signer, memo, success.
fn lines(g: &Group) -> [Value; 4] {
    std::array::from_fn(|n| g.input("plain")["meta"]["logMessages"][n].clone())
}

fn around(what: &str) -> String {
    format!("Program {OTHER} {what}")
}

fn invocation(g: &mut Group) {
    let [invoke, signer, memo, success] = lines(g);
    let nested =
        json!([around("invoke [1]"), program("invoke [2]"), signer, program("success"), around("success")]);
    let imitated = format!("Program log: {}", program("success"));
    let instead = |line: String| splice(LOGS, 3, json!([success]), json!([line]));
    for (name, edit, why) in [
        ("failed", instead(program("failed: custom program error: 0x1")), "The memo invocation failed."),
        (
            "unfinished",
            splice(LOGS, 3, json!([success]), json!([])),
            "The log has no success line for the memo program.",
        ),
        ("success-of-other", instead(around("success")), "The success line belongs to another program."),
        (
            "success-imitated",
            instead(imitated),
            "A line that a program prints begins with Program log and is not the runtime's success line.",
        ),
        (
            "not-invoked",
            splice(LOGS, 0, json!([invoke]), json!([])),
            "The log has a success line but no invocation.",
        ),
        (
            "only-deeper",
            splice(LOGS, 0, json!([invoke, signer, memo, success]), nested),
            "Only another program called the memo program, not the transaction itself.",
        ),
    ] {
        g.reject(name, "plain", [edit], &rows::MEMO_SUCCEEDED, why);
    }
}

fn signer(g: &mut Group) {
    let [invoke, signer, memo, success] = lines(g);
    let row = &rows::SIGNED_BY;
    let own = signed("client");
    let removed = splice(LOGS, 1, json!([signer]), json!([]));
    g.reject("no-signer", "plain", [removed], row, "The log names no signer.");
    for (name, line, why) in [
        ("other-signer", signed("stranger"), "Another key signed."),
        (
            "signer-in-memo",
            format!("Program log: Memo (len {}): \"{own}\"", own.len()),
            "A signer line inside the memo does not count.",
        ),
        ("signer-and-more", format!("{own} and nobody else"), "The whole line must match."),
        ("signer-with-space", format!(" {own}"), "The whole line must match."),
        (
            "signer-on-second-line",
            format!("Program log: x\n{own}"),
            "A newline inside a log line does not start a new line.",
        ),
        ("signer-with-zero-width", format!("{own}\u{200b}"), "The line ends with an invisible character."),
        ("signer-lower-case", own.to_lowercase(), "Base58 is case-sensitive."),
        (
            "signer-without-program",
            format!("Signed by {}", address("client")),
            "The line lacks the prefix of lines that a program printed.",
        ),
    ] {
        g.reject(name, "plain", [splice(LOGS, 1, json!([signer]), json!([line]))], row, why);
    }
    let stranger = set("/in/client", address("client"), address("stranger"));
    let why = "A signer line inside the memo proves no signature.";
    g.reject("signed-by-memo-alone", SAYS_SIGNED, [stranger], row, why);
    let deeper = [
        around("invoke [1]"),
        program("invoke [2]"),
        own.clone(),
        program("success"),
        around("success"),
        program("invoke [1]"),
    ];
    let before = splice(LOGS, 0, json!([invoke, signer]), json!([signer, invoke]));
    let after = splice(LOGS, 1, json!([signer, memo, success]), json!([memo, success, signer]));
    let other = json!([around("invoke [1]"), signer, around("success"), invoke]);
    for (name, edit, why) in [
        ("signer-before", before, "The signer line precedes the memo invocation."),
        ("signer-after", after, "The signer line follows the memo invocation."),
        (
            "signer-in-other-program",
            splice(LOGS, 0, json!([invoke, signer]), other),
            "The signer line is inside another program's invocation.",
        ),
        (
            "signer-deeper",
            splice(LOGS, 0, json!([invoke, signer]), json!(deeper)),
            "The signer line is inside a memo invocation made by another program.",
        ),
        (
            "asked-for-other",
            splice("/in/client", 0, address("client"), address("stranger")),
            "The log names a key other than the requested one.",
        ),
    ] {
        g.reject(name, "plain", [edit], row, why);
    }
}

fn truncated(g: &mut Group) {
    for (name, at) in [("truncated-inside", 2), ("truncated-at-end", 4)] {
        let edit = splice(LOGS, at, json!([]), json!(["Log truncated"]));
        g.reject(
            name,
            "plain",
            [edit],
            &rows::NOT_TRUNCATED,
            "With a truncated log the record is unverified.",
        );
    }
}
