//! The thirteen checks of a client before it signs (document 3, "Checks the client runs before signing").

use crate::crypto::ed25519::parse_address;
use crate::publish::limits::RECORD_SKEW;
use crate::publish::message::{self, Message};
use crate::publish::mistakes::check::{ENCODING, FIRST, KIND, NONE, RECORD_FORM};
use crate::publish::prepare::is_blank;
use crate::publish::record::{Record, RecordKind};
use crate::publish::requirements::check::{
    CLIENT_ACCOUNT, DOMAIN, FEE_PAYER, FIELDS, INSTRUCTION_ACCOUNTS, MEMO_PROGRAM, RECORD_CANONICAL, TIME,
    TWO_SIGNATURES,
};
use crate::{Dialect, Instant, Refused, Rules, Strict};

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

impl Op {
    /// The kind of its record, and the values that the record must have besides domain and time.
    fn fields(&self) -> (RecordKind, Vec<(&str, &str)>) {
        match self {
            Op::Publish { cid, version } => {
                let version = version.as_deref().filter(|version| !is_blank(version)).unwrap_or("0");
                (RecordKind::Pub, vec![("c", cid), ("v", version)])
            }
            Op::Transfer { new_authority } => (RecordKind::Transfer, vec![("newVault", new_authority)]),
            Op::Accept { transfer } => (RecordKind::Accept, vec![("transfer", transfer)]),
        }
    }
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
    let message: Message = rules.read(&ENCODING, bytes, message::read)?;
    rules.require(&TWO_SIGNATURES, message.header[0] == 2, || format!("{} signatures", message.header[0]))?;
    rules.require(&CLIENT_ACCOUNT, message.accounts.get(1) == Some(client), || {
        "account 1 is not the client's key".to_owned()
    })?;
    let payer = message.accounts.first();
    rules.require(&FEE_PAYER, payer.is_some() && payer != Some(client), || {
        "account 0 is the client's key: the client would pay the fee".to_owned()
    })?;
    let instruction = match message.instructions.as_slice() {
        [only] => only,
        [first, ..] => rules.refuse(&FIRST, first, format!("{} instructions", message.instructions.len()))?,
        [] => return rules.refuse(&NONE, (), "0 instructions"),
    };
    let program = message.accounts.get(usize::from(instruction.program));
    let memo = parse_address(&dialect.memo_program);
    rules.require(&MEMO_PROGRAM, program.is_some() && program.copied() == memo, || {
        "the instruction's program is not the memo program".to_owned()
    })?;
    rules.require(&INSTRUCTION_ACCOUNTS, instruction.accounts == [1], || {
        format!("accounts {:?}", instruction.accounts)
    })?;
    let data = instruction.data.as_slice();
    let record = match record(dialect, data) {
        Ok(record) => record,
        Err(why) => return rules.refuse(&RECORD_FORM, data, why),
    };
    rules.require(&RECORD_CANONICAL, record.encode(dialect) == data, || {
        "not the canonical encoding".to_owned()
    })?;
    let (kind, fields) = asked.op.fields();
    let fields = rules.read(&KIND, &record, |record| {
        if record.kind == kind { Ok(fields) } else { Err(format!("a {} record", record.kind.name())) }
    })?;
    rules.require(&DOMAIN, record.domain() == asked.domain, || format!("for {:?}", record.domain()))?;
    let same = fields.iter().all(|(key, value)| record.field(key) == Some(value));
    rules.require(&FIELDS, same, || "the values differ from those sent".to_owned())?;
    let time = Instant::parse_exact(record.time());
    let close = time.is_some_and(|time| time.distance_ms(now) <= RECORD_SKEW.u64());
    rules.require(&TIME, close, || format!("t is {:?}", record.time()))?;
    Ok(record)
}

/// Check 8: a record with every field a non-empty string and a canonical domain.
fn record(dialect: &Dialect, data: &[u8]) -> Result<Record, String> {
    let record = Record::read(dialect, data)?;
    record.check_values(&mut Strict).map_err(|refused| refused.why)?;
    Ok(record)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::publish::requirements::check::{ENCODING, KIND, ONE_INSTRUCTION, RECORD_FORM};
    use crate::{Id, Without};

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
