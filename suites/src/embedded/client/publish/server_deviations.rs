//! Altered answers to a prepare. Each violates one of the client's checks and no other. `payload` is unchanged unless
//! the deviation is about it.
//!
//! They are made on the wire, not in the simulator: a simulator's deviation violates one requirement of the server, but
//! a record of another kind, for example, violates several.

use assay_spec::crypto::text;
use assay_spec::publish::limits::RECORD_SKEW;
use assay_spec::publish::message::{Instruction, Message};
use assay_spec::publish::record::Record;
use assay_spec::{Dialect, Instant, Strict};
use serde_json::{Value, json};

/// A deviation of a prepare's answer.
#[derive(Clone, Copy)]
pub(super) enum ServerDeviation {
    /// Changes the bytes of the message.
    Bytes(fn(Vec<u8>) -> Vec<u8>),
    /// Changes the decoded message.
    Message(fn(&mut Message)),
    /// Changes the bytes of the record.
    Text(fn(&str) -> Vec<u8>),
    /// Replaces the record by another in canonical form.
    Record(fn(&Dialect, &Parts<'_>) -> Record),
    /// Changes `payload`.
    Payload(fn(&str) -> String),
}

/// The values of a `pub` record.
pub(super) struct Parts<'a> {
    domain: &'a str,
    cid: &'a str,
    version: &'a str,
    time: Instant,
}

impl ServerDeviation {
    /// Alters an answer. An answer that cannot be parsed is left unchanged.
    pub(super) fn apply(self, dialect: &Dialect, answer: &mut Value) {
        if let ServerDeviation::Payload(deviation) = self {
            answer["payload"] = json!(deviation(answer["payload"].as_str().unwrap_or_default()));
            return;
        }
        let message = answer["message"].as_str().and_then(text::parse_base64);
        if let Some(altered) = message.and_then(|message| self.altered_message(dialect, message)) {
            answer["message"] = json!(text::base64(&altered));
        }
    }

    /// The altered message.
    fn altered_message(self, dialect: &Dialect, bytes: Vec<u8>) -> Option<Vec<u8>> {
        let mut message = Message::decode(&bytes, &mut Strict).ok()?;
        let data = &mut message.instructions.first_mut()?.data;
        match self {
            ServerDeviation::Bytes(deviation) => return Some(deviation(bytes)),
            ServerDeviation::Text(deviation) => *data = deviation(std::str::from_utf8(data).ok()?),
            ServerDeviation::Record(deviation) => {
                let record = Record::parse(dialect, data, &mut Strict).ok()?;
                let field = |key| record.field(key).unwrap_or_default();
                let time = Instant::parse_exact(record.time())?;
                let parts = Parts { domain: record.domain(), cid: field("c"), version: field("v"), time };
                *data = deviation(dialect, &parts).encode(dialect);
            }
            ServerDeviation::Message(deviation) => deviation(&mut message),
            ServerDeviation::Payload(_) => {}
        }
        Some(message.encode())
    }
}

const UNRELATED_KEY: [u8; 32] = [7; 32];
/// A skew of the clocks with which a client must not sign.
const REJECTED_SKEW_MS: i64 = RECORD_SKEW.value + RECORD_SKEW.slack_ms();

pub(super) const LEFT_OVER: ServerDeviation = ServerDeviation::Bytes(|bytes| [&bytes[..], &[0]].concat());
/// The number of accounts in two bytes instead of one.
pub(super) const LONG_LENGTH: ServerDeviation =
    ServerDeviation::Bytes(|bytes| [&bytes[..3], &[bytes[3] | 0x80, 0], &bytes[4..]].concat());
/// Version 0, without any lookup table.
pub(super) const VERSIONED: ServerDeviation =
    ServerDeviation::Bytes(|bytes| [&[0x80], &bytes[..], &[0]].concat());
pub(super) const ONE_SIGNATURE: ServerDeviation = ServerDeviation::Message(|message| message.header[0] = 1);
pub(super) const THREE_SIGNATURES: ServerDeviation =
    ServerDeviation::Message(|message| message.header[0] = 3);
pub(super) const FOREIGN_CLIENT: ServerDeviation =
    ServerDeviation::Message(|message| message.accounts[1] = UNRELATED_KEY);
pub(super) const CLIENT_PAYS: ServerDeviation =
    ServerDeviation::Message(|message| message.accounts[0] = message.accounts[1]);
pub(super) const SECOND_INSTRUCTION: ServerDeviation = ServerDeviation::Message(|message| {
    message.instructions.push(Instruction { program: 2, accounts: vec![1], data: b"more".to_vec() });
});
pub(super) const FOREIGN_PROGRAM: ServerDeviation =
    ServerDeviation::Message(|message| message.accounts[2] = UNRELATED_KEY);
pub(super) const ACCOUNT_AS_PROGRAM: ServerDeviation =
    ServerDeviation::Message(|message| message.instructions[0].program = 0);
pub(super) const PAYER_PASSED: ServerDeviation =
    ServerDeviation::Message(|message| message.instructions[0].accounts = vec![0, 1]);
pub(super) const NOBODY_PASSED: ServerDeviation =
    ServerDeviation::Message(|message| message.instructions[0].accounts.clear());
pub(super) const NEXT_VERSION: ServerDeviation =
    ServerDeviation::Text(|text| text.replacen(":1:", ":2:", 1).into_bytes());
pub(super) const BYTE_ORDER_MARK: ServerDeviation =
    ServerDeviation::Text(|text| format!("\u{feff}{text}").into_bytes());
/// An invalid UTF-8 byte. A lossy decoder reads the requested replacement character instead.
pub(super) const BROKEN_TEXT: ServerDeviation = ServerDeviation::Text(|text| {
    let (before, after) = text.split_once('\u{fffd}').unwrap_or((text, ""));
    [before.as_bytes(), &[0xff], after.as_bytes()].concat()
});
pub(super) const KEYS_SWAPPED: ServerDeviation = ServerDeviation::Text(|text| {
    // Prefix, `"d":…`, `"c":…` and the rest: no value of these records contains a comma.
    let (prefix, json) = text.split_once('{').unwrap_or((text, ""));
    let members: Vec<&str> = json.splitn(3, ',').collect();
    match members[..] {
        [d, c, rest] => format!("{prefix}{{{c},{d},{rest}").into_bytes(),
        _ => text.as_bytes().to_vec(),
    }
});
pub(super) const BLANKS: ServerDeviation =
    ServerDeviation::Text(|text| text.replace("\":\"", "\": \"").into_bytes());
pub(super) const NEEDLESS_ESCAPE: ServerDeviation =
    ServerDeviation::Text(|text| text.replacen("\"c\":\"b", "\"c\":\"\\u0062", 1).into_bytes());
/// A parser that keeps the first of two equal keys reads another domain than one that keeps the last.
pub(super) const KEY_TWICE: ServerDeviation =
    ServerDeviation::Text(|text| text.replacen('{', "{\"d\":\"www.assay.example\",", 1).into_bytes());
pub(super) const TRANSFER: ServerDeviation = ServerDeviation::Record(|dialect, parts| {
    let vault = format!("{}{}", dialect.key_scheme, bs58::encode(UNRELATED_KEY).into_string());
    Record::transfer(parts.domain, &vault, parts.time)
});
pub(super) const OTHER_DOMAIN: ServerDeviation = ServerDeviation::Record(|_, parts| {
    Record::publish(&format!("www.{}", parts.domain), parts.cid, parts.version, parts.time)
});
pub(super) const OTHER_CID: ServerDeviation = ServerDeviation::Record(|_, parts| {
    Record::publish(parts.domain, &format!("{}x", parts.cid), parts.version, parts.time)
});
pub(super) const OTHER_VERSION: ServerDeviation = ServerDeviation::Record(|_, parts| {
    Record::publish(parts.domain, parts.cid, &format!("{}.1", parts.version), parts.time)
});
pub(super) const TIME_WITHOUT_MS: ServerDeviation = ServerDeviation::Text(|text| {
    // `….678Z"}` becomes `…Z"}`.
    let cut = text.len().saturating_sub(7);
    format!("{}Z\"}}", &text[..cut]).into_bytes()
});
pub(super) const TIME_WITH_OFFSET: ServerDeviation =
    ServerDeviation::Text(|text| text.replace("Z\"}", "+00:00\"}").into_bytes());
pub(super) const TIME_PAST: ServerDeviation = ServerDeviation::Record(|_, parts| {
    Record::publish(parts.domain, parts.cid, parts.version, parts.time - REJECTED_SKEW_MS)
});
pub(super) const TIME_FUTURE: ServerDeviation = ServerDeviation::Record(|_, parts| {
    Record::publish(parts.domain, parts.cid, parts.version, parts.time + REJECTED_SKEW_MS)
});
pub(super) const PAYLOAD_BLANK: ServerDeviation = ServerDeviation::Payload(|payload| format!("{payload} "));
pub(super) const PAYLOAD_OTHER: ServerDeviation =
    ServerDeviation::Payload(|payload| payload.replacen("\"d\":\"", "\"d\":\"www.", 1));

#[cfg(test)]
mod tests {
    use assay_spec::Without;
    use assay_spec::publish::check::{Intent, Op, check_message};

    use super::super::scene::Wire;
    use super::*;

    const NOW: Instant = Instant(1_767_323_045_678);

    #[test]
    fn each_deviation_violates_its_check_and_no_other() {
        let dialect = Dialect::default();
        let memo = assay_spec::crypto::ed25519::parse_address(&dialect.memo_program).expect("an address");
        let mut applied = 0;
        for case in super::super::all() {
            let Wire::Deviation(deviation) = case.scene.wire else { continue };
            if case.requirement.group != "check" {
                continue;
            }
            let version = case.scene.version.expect("these worlds ask for a version");
            let record = Record::publish("a.example", "bafy", version, NOW).encode(&dialect);
            let conforming = Message::publishing([1; 32], [2; 32], memo, [4; 32], record).encode();
            let op = Op::Publish { cid: "bafy".into(), version: Some(version.into()) };
            let asked = Intent { domain: "a.example".into(), op };
            let mut answer = json!({ "message": text::base64(&conforming) });
            deviation.apply(&dialect, &mut answer);
            let altered = text::parse_base64(answer["message"].as_str().unwrap_or_default()).expect("base64");
            let refused = check_message(&dialect, &altered, &[2; 32], &asked, NOW, &mut Strict);
            assert_eq!(refused.expect_err(case.fact).rule, case.requirement, "{}", case.fact);
            let rules = &mut Without(case.requirement);
            let passed = check_message(&dialect, &altered, &[2; 32], &asked, NOW, rules);
            assert!(passed.is_ok(), "{}: {passed:?}", case.fact);
            applied += 1;
        }
        assert!(applied > 20, "{applied} deviations");
    }
}
