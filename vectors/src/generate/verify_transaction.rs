//! `publish.verify_transaction`: what anyone verifies of a confirmed transaction.

use assay_spec::crypto::text::hex;
use assay_spec::publish::record::Record;
use assay_spec::publish::requirements::verify as rows;
use assay_spec::{Dialect, Id};
use serde_json::{Value, json};

use super::group::{Group, set, splice};
use super::keys::address;
use super::world::{CID, NOW, SITE, prepared, text, transfer_id};
use crate::case::{Case, Edit};

const LOGS: &str = "/in/meta/logMessages";
const OTHER: &str = "ComputeBudget111111111111111111111111111111";

pub(super) fn cases() -> Vec<Case> {
    let source = "src/generate/verify_transaction.rs";
    let mut g = Group::new("publish/verify-transaction", "publish.verify_transaction", source, rows::ALL);
    accepts(&mut g);
    transaction(&mut g);
    logs(&mut g);
    g.cases
}

fn program(what: &str) -> String {
    format!("Program {} {what}", Dialect::default().memo_program)
}

fn signed(name: &str) -> String {
    format!("Program log: Signed by {}", address(name))
}

/// The log of a memo: invocation, signer, memo, success; the memo's text in the document's form.
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
    g.accept("plain", input(&publish, &plain), "The log as the document shows it.");
    let mut field = plain.clone();
    field[2] = format!("Program log: Memo (len {}): {memo:?}", memo.len());
    field.insert(3, program("consumed 31415 of 200000 compute units"));
    g.accept(
        "quoted",
        input(&publish, &field),
        "The log as memo programs in the field print it, with the units they used.",
    );
    let mut after = vec![format!("Program {OTHER} invoke [1]"), format!("Program {OTHER} success")];
    after.extend(plain.clone());
    g.accept("after-other-program", input(&publish, &after), "Another program ran before.");
    let mut both = plain.clone();
    both.insert(1, signed("stranger"));
    g.accept("two-signers", input(&publish, &both), "The client's line is one of two.");
    let accept = Record::accept(SITE, &transfer_id(), NOW);
    let memo = String::from_utf8(text(&accept)).expect("a record is UTF-8");
    g.accept("accept", input(&accept, &log(&memo)), "An accept.");
    for (name, cid, why) in [
        ("memo-says-truncated", "Log truncated", "The memo's text is no line of the log."),
        ("memo-says-failed", "Program failed: x", "The memo's text is no line of the log."),
    ] {
        let record = Record::publish(SITE, cid, "0", NOW);
        let memo = String::from_utf8(text(&record)).expect("a record is UTF-8");
        g.accept(name, input(&record, &log(&memo)), why);
    }
}

fn transaction(g: &mut Group) {
    let error = json!({"InstructionError": [0, "InvalidInstructionData"]});
    g.reject(
        "error",
        "plain",
        [set("/in/meta/err", Value::Null, error)],
        &rows::NO_ERROR,
        "A failed transaction is on the chain too.",
    );
    let edit = g.change("plain", "/in/record", "bafy", "bafz");
    g.reject("other-record", "plain", [edit], &rows::RECORD, "The memo holds another record.");
    let edit = g.append("plain", "/in/record", "0a");
    g.reject("longer-record", "plain", [edit], &rows::RECORD, "Byte for byte.");
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
        "One memo instruction; with two, the log does not tell which is meant.",
    );
    g.reject(
        "other-program",
        "plain",
        [splice("/in/message", 133, "02", "00")],
        &rows::RECORD,
        "The data went to another program.",
    );
    g.reject(
        "message-trailing-byte",
        "plain",
        [splice("/in/message", message.len(), "", "00")],
        &rows::RECORD,
        "A message that does not decode carries no record.",
    );
}

fn logs(g: &mut Group) {
    let line = |g: &Group, n: usize| g.input("plain")["meta"]["logMessages"][n].clone();
    let (success, signer) = (line(g, 3), line(g, 1));
    let both = [line(g, 0), signer.clone()];
    let text = |text: String| json!([text]);
    let deep = |what: &str| json!(program(what));
    let around = |what: &str| json!(format!("Program {OTHER} {what}"));
    let own = json!([signer]);
    let all = g.input("plain")["meta"]["logMessages"].clone();
    let nested =
        json!([around("invoke [1]"), deep("invoke [2]"), signer, deep("success"), around("success")]);
    let elsewhere = json!([
        around("invoke [1]"),
        deep("invoke [2]"),
        signer,
        deep("success"),
        around("success"),
        both[0]
    ]);
    let lies: Vec<(&str, Edit, Id, &str)> = vec![
        (
            "failed",
            splice(LOGS, 3, json!([success]), text(program("failed: custom program error: 0x1"))),
            &rows::MEMO_SUCCEEDED,
            "The invocation failed.",
        ),
        (
            "unfinished",
            splice(LOGS, 3, json!([success]), json!([])),
            &rows::MEMO_SUCCEEDED,
            "No success is no success.",
        ),
        (
            "success-of-other",
            splice(LOGS, 3, json!([success]), json!([around("success")])),
            &rows::MEMO_SUCCEEDED,
            "Another program's success.",
        ),
        (
            "not-invoked",
            splice(LOGS, 0, json!([both[0]]), json!([])),
            &rows::MEMO_SUCCEEDED,
            "A success without invocation.",
        ),
        (
            "only-deeper",
            splice(LOGS, 0, all, nested),
            &rows::MEMO_SUCCEEDED,
            "Another program called the memo program; the transaction did not.",
        ),
        (
            "success-imitated",
            splice(LOGS, 3, json!([success]), text(format!("Program log: {}", program("success")))),
            &rows::MEMO_SUCCEEDED,
            "A program's own line begins with Program log.",
        ),
        ("no-signer", splice(LOGS, 1, own.clone(), json!([])), &rows::SIGNED_BY, "No line names a signer."),
        (
            "other-signer",
            splice(LOGS, 1, own.clone(), text(signed("stranger"))),
            &rows::SIGNED_BY,
            "Somebody else signed.",
        ),
        (
            "signer-before",
            splice(LOGS, 0, json!(both), json!([both[1], both[0]])),
            &rows::SIGNED_BY,
            "Before the invocation.",
        ),
        (
            "signer-after",
            splice(LOGS, 1, json!([signer, line(g, 2), success]), json!([line(g, 2), success, signer])),
            &rows::SIGNED_BY,
            "After the invocation.",
        ),
        (
            "signer-in-other-program",
            splice(LOGS, 0, json!(both), json!([around("invoke [1]"), signer, around("success"), both[0]])),
            &rows::SIGNED_BY,
            "In another program's invocation.",
        ),
        (
            "signer-deeper",
            splice(LOGS, 0, json!(both), elsewhere),
            &rows::SIGNED_BY,
            "In an invocation that another program made.",
        ),
        (
            "signer-in-memo",
            splice(
                LOGS,
                1,
                own.clone(),
                text(format!("Program log: Memo (len 64): \"{}\"", signed("client"))),
            ),
            &rows::SIGNED_BY,
            "In the memo's text.",
        ),
        (
            "signer-and-more",
            splice(LOGS, 1, own.clone(), text(format!("{} and nobody else", signed("client")))),
            &rows::SIGNED_BY,
            "The line is compared whole.",
        ),
        (
            "signer-with-space",
            splice(LOGS, 1, own.clone(), text(format!(" {}", signed("client")))),
            &rows::SIGNED_BY,
            "The line is compared whole.",
        ),
        (
            "signer-without-program",
            splice(LOGS, 1, own, text(format!("Signed by {}", address("client")))),
            &rows::SIGNED_BY,
            "A line that no program printed.",
        ),
        (
            "truncated-inside",
            splice(LOGS, 2, json!([]), json!(["Log truncated"])),
            &rows::NOT_TRUNCATED,
            "A truncated log verifies nothing.",
        ),
        (
            "truncated-at-end",
            splice(LOGS, 4, json!([]), json!(["Log truncated"])),
            &rows::NOT_TRUNCATED,
            "A truncated log verifies nothing.",
        ),
    ];
    for (name, edit, row, why) in lies {
        g.reject(name, "plain", [edit], row, why);
    }
    let edit = splice("/in/client", 0, address("client"), address("stranger"));
    g.reject(
        "asked-for-other",
        "plain",
        [edit],
        &rows::SIGNED_BY,
        "Another key than the one that is asked for.",
    );
}
