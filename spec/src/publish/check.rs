//! The thirteen checks of a client before it signs (document 3, "Checks the client runs before signing").

use crate::crypto::ed25519::parse_address;
use crate::publish::limits::RECORD_SKEW;
use crate::publish::message::Message;
use crate::publish::prepare::is_blank;
use crate::publish::record::{Record, RecordKind};
use crate::publish::requirements::check::{
    CLIENT_ACCOUNT, DOMAIN, ENCODING, FEE_PAYER, FIELDS, INSTRUCTION_ACCOUNTS, KIND, MEMO_PROGRAM,
    ONE_INSTRUCTION, RECORD_CANONICAL, RECORD_FORM, TIME, TWO_SIGNATURES,
};
use crate::publish::requirements::message::LEGACY;
use crate::publish::requirements::record as rows;
use crate::{Dialect, Id, Instant, Refused, Rules, Strict, Without};

/// What the client asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intent {
    /// The domain.
    pub domain: String,
    /// The operation and its values.
    pub op: Op,
}

/// The operation a client asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// A publish. With no version, or a blank one, the record must have `0`.
    Publish {
        /// The content identifier.
        cid: String,
        /// The version.
        version: Option<String>,
    },
    /// A transfer to a new authority, with its key scheme.
    Transfer {
        /// The new authority.
        new_authority: String,
    },
    /// An accept of a transfer. The client knows the transfer's transaction signature.
    Accept {
        /// The transaction signature.
        transfer: String,
    },
}

/// Runs all thirteen checks on the decoded bytes of a prepare's `message`. The client may sign only if this succeeds.
///
/// `client` is the client's public key. Returns the record to be written.
pub fn check_message(
    dialect: &Dialect,
    bytes: &[u8],
    client: &[u8; 32],
    asked: &Intent,
    now: Instant,
    rules: &mut dyn Rules,
) -> Result<Record, Refused> {
    let message = rules.parse(
        &ENCODING,
        || Message::decode(bytes, &mut Strict).map_err(|refused| refused.why),
        || Message::decode(bytes, &mut Without(&LEGACY)).map_err(|refused| refused.why),
    )?;
    rules.require(&TWO_SIGNATURES, message.header[0] == 2, || format!("{} signatures", message.header[0]))?;
    rules.require(&CLIENT_ACCOUNT, message.accounts.get(1) == Some(client), || {
        "account 1 is not the client's key".to_owned()
    })?;
    let payer = message.accounts.first();
    rules.require(&FEE_PAYER, payer.is_some() && payer != Some(client), || {
        "account 0 is the client's key: the client would pay the fee".to_owned()
    })?;
    let count = message.instructions.len();
    rules.require(&ONE_INSTRUCTION, count == 1, || format!("{count} instructions"))?;
    // If the rule is violated and there is no instruction, nothing is left to check.
    let Some(instruction) = message.instructions.first() else { return Ok(Record::unread()) };
    let program = message.accounts.get(usize::from(instruction.program));
    let memo = parse_address(&dialect.memo_program);
    rules.require(&MEMO_PROGRAM, program.is_some() && program.copied() == memo, || {
        "the instruction's program is not the memo program".to_owned()
    })?;
    rules.require(&INSTRUCTION_ACCOUNTS, instruction.accounts == [1], || {
        format!("accounts {:?}", instruction.accounts)
    })?;
    // Data that is not a record has no fields to compare.
    let Some(record) = record(dialect, &instruction.data, rules)? else { return Ok(Record::unread()) };
    let kind = match asked.op {
        Op::Publish { .. } => RecordKind::Pub,
        Op::Transfer { .. } => RecordKind::Transfer,
        Op::Accept { .. } => RecordKind::Accept,
    };
    rules.require(&KIND, record.kind == kind, || format!("a {} record", record.kind.name()))?;
    rules.require(&DOMAIN, record.domain() == asked.domain, || format!("for {:?}", record.domain()))?;
    let same = match &asked.op {
        Op::Publish { cid, version } => {
            let version = version.as_deref().filter(|version| !is_blank(version)).unwrap_or("0");
            record.field("c") == Some(cid) && record.field("v") == Some(version)
        }
        Op::Transfer { new_authority } => record.field("newVault") == Some(new_authority),
        Op::Accept { transfer } => record.field("transfer") == Some(transfer),
    };
    // A record of another kind gets here only if the kind's rule is violated. Its fields cannot be compared.
    rules.require(&FIELDS, same || record.kind != kind, || "the values differ from those sent".to_owned())?;
    let time = Instant::parse_exact(record.time());
    let close = time.is_some_and(|time| time.distance_ms(now) <= RECORD_SKEW.u64());
    rules.require(&TIME, close, || format!("t is {:?}", record.time()))?;
    Ok(record)
}

/// Checks 8 and 9, by the record's own rules, except for the time, which is check 13. `None` means that the data breaks
/// check 8 and that check is violated.
fn record(dialect: &Dialect, data: &[u8], rules: &mut dyn Rules) -> Result<Option<Record>, Refused> {
    let mut off: Vec<Id> = vec![&rows::EXACT_TIME];
    if rules.violated(&RECORD_CANONICAL).is_some() {
        off.push(&rows::CANONICAL);
    }
    let form_violated = rules.violated(&RECORD_FORM).is_some();
    match Record::parse(dialect, data, &mut Violating(off)) {
        Ok(record) => Ok(Some(record)),
        Err(refused) if refused.rule == &rows::CANONICAL => {
            Err(Refused { rule: &RECORD_CANONICAL, ..refused })
        }
        Err(_) if form_violated => Ok(None),
        Err(refused) => Err(Refused { rule: &RECORD_FORM, ..refused }),
    }
}

struct Violating(Vec<Id>);

impl Rules for Violating {
    fn violated(&mut self, rule: Id) -> Option<&'static str> {
        self.0.contains(&rule).then_some("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Instant = Instant(1_700_000_000_000);

    fn asked() -> Intent {
        Intent { domain: "a.example".into(), op: Op::Publish { cid: "bafy".into(), version: None } }
    }

    fn message(record: Vec<u8>) -> Message {
        let memo = parse_address(&Dialect::default().memo_program).expect("the default is an address");
        Message::publishing([1; 32], [2; 32], memo, [4; 32], record)
    }

    fn judge(message: &[u8], asked: &Intent, rules: &mut dyn Rules) -> Result<Record, Refused> {
        check_message(&Dialect::default(), message, &[2; 32], asked, NOW, rules)
    }

    #[test]
    fn conforming_message_passes_and_each_deviation_fails_its_check() {
        let record = |record: Record| record.encode(&Dialect::default());
        let conforming = message(record(Record::publish("a.example", "bafy", "0", NOW)));
        assert!(judge(&conforming.encode(), &asked(), &mut Strict).is_ok());

        let mut trailing = conforming.encode();
        trailing.push(0);
        let alter = |edit: fn(&mut Message)| {
            let mut message = conforming.clone();
            edit(&mut message);
            message.encode()
        };
        let carry = |text: Vec<u8>| message(text).encode();
        let late = Record::publish("a.example", "bafy", "0", NOW + 600_001);
        // Check 12 would report an empty field, unless the client asked for it.
        let nothing = Intent { op: Op::Publish { cid: String::new(), version: None }, ..asked() };
        let deviations: [(Vec<u8>, Id); 13] = [
            (trailing, &ENCODING),
            (alter(|m| m.header[0] = 1), &TWO_SIGNATURES),
            (alter(|m| m.accounts[1] = [9; 32]), &CLIENT_ACCOUNT),
            (alter(|m| m.accounts[0] = [2; 32]), &FEE_PAYER),
            (alter(|m| m.instructions.push(m.instructions[0].clone())), &ONE_INSTRUCTION),
            (alter(|m| m.accounts[2] = [9; 32]), &MEMO_PROGRAM),
            (alter(|m| m.instructions[0].accounts = vec![0]), &INSTRUCTION_ACCOUNTS),
            (carry(record(Record::publish("a.example", "", "0", NOW))), &RECORD_FORM),
            (
                carry([record(Record::publish("a.example", "bafy", "0", NOW)), b" ".to_vec()].concat()),
                &RECORD_CANONICAL,
            ),
            (carry(record(Record::accept("a.example", "x", NOW))), &KIND),
            (carry(record(Record::publish("b.example", "bafy", "0", NOW))), &DOMAIN),
            (carry(record(Record::publish("a.example", "bafy", "1", NOW))), &FIELDS),
            (carry(record(late)), &TIME),
        ];
        for (bytes, rule) in deviations {
            let asked = if rule == &RECORD_FORM { &nothing } else { &asked() };
            assert_eq!(judge(&bytes, asked, &mut Strict).expect_err("a deviation").rule, rule);
            let lax = judge(&bytes, asked, &mut Without(rule));
            assert!(lax.is_ok(), "{rule} is switched off, so its deviation must pass: {lax:?}");
        }
    }
}
