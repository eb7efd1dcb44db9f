//! `publish.record.*`, `publish.check_message` and `publish.verify_transaction`.

use assay_spec::publish::check::{self, Intent, Op};
use assay_spec::publish::mistakes::check::CLIENT_ACCOUNT;
use assay_spec::publish::mistakes::record::KIND;
use assay_spec::publish::record::{Record, RecordKind};
use assay_spec::publish::requirements::{check as checks, record as rows};
use assay_spec::publish::verify::{self, Confirmed};
use assay_spec::{Dialect, Id, Refused, Rules};
use serde_json::{Map, Value, json};

use crate::bytes;
use crate::op::{Members, OpError};

/// The canonical bytes of a record.
pub(in crate::op) fn encode_record(
    dialect: &Dialect,
    input: &Members<'_>,
    rules: &mut dyn Rules,
) -> Result<Value, OpError> {
    let (kind, fields) = (input.text("kind")?, input.object("fields")?);
    let record = match RecordKind::named(kind) {
        Some(kind) => Record::from_fields(kind, fields.map(), rules),
        None => rules.refuse(&KIND, kind, format!("{kind:?} is not a record kind")),
    };
    let record = record.map_err(staged)?;
    Ok(json!({"record": bytes::hex(&record.encode(dialect))}))
}

/// The kind and the fields of a canonical record.
pub(in crate::op) fn parse_record(
    dialect: &Dialect,
    input: &Members<'_>,
    rules: &mut dyn Rules,
) -> Result<Value, OpError> {
    let record = Record::parse(dialect, &input.bytes("record")?, rules).map_err(staged)?;
    let fields: Map<String, Value> =
        record.fields().map(|(key, value)| (key.to_owned(), value.into())).collect();
    Ok(json!({"kind": record.kind.name(), "fields": fields}))
}

/// The thirteen checks that a client runs before it signs.
pub(in crate::op) fn check_message(
    dialect: &Dialect,
    input: &Members<'_>,
    rules: &mut dyn Rules,
) -> Result<Value, OpError> {
    let message = input.bytes("message")?;
    let asked = asked(&input.object("request")?)?;
    let now = input.clock("now")?;
    let client = input.key("client", &CLIENT_ACCOUNT, rules)?;
    let dialect = with_memo_program(dialect, input)?;
    let record = check::check_message(&dialect, &message, &client, &asked, now, rules).map_err(staged)?;
    Ok(json!({"record": bytes::hex(&record.encode(&dialect))}))
}

/// The verification of a confirmed transaction.
pub(in crate::op) fn verify_transaction(
    dialect: &Dialect,
    input: &Members<'_>,
    rules: &mut dyn Rules,
) -> Result<Value, OpError> {
    let (message, record) = (input.bytes("message")?, input.bytes("record")?);
    let meta = input.object("meta")?;
    let line = |value: &Value| {
        let line = value.as_str().map(str::to_owned);
        line.ok_or_else(|| OpError::BadRequest("meta.logMessages: strings are missing".to_owned()))
    };
    let logs = meta.list("logMessages")?.iter().map(line).collect::<Result<Vec<_>, _>>()?;
    let confirmed = Confirmed { message: &message, failed: meta.value("err").is_some(), logs: &logs };
    let dialect = with_memo_program(dialect, input)?;
    verify::verify_transaction(&dialect, &confirmed, input.text("client")?, &record, rules)
        .map_err(staged)?;
    Ok(json!({}))
}

fn asked(request: &Members<'_>) -> Result<Intent, OpError> {
    let text = |name: &str| request.text(name).map(str::to_owned);
    let op = match request.optional_text("op")? {
        None | Some("pub") => {
            Op::Publish { cid: text("cid")?, version: request.optional_text("version")?.map(str::to_owned) }
        }
        Some("transfer") => Op::Transfer { new_authority: text("new_authority")? },
        // A client that does not know the transfer signature sends none, and no record matches.
        Some("accept") => {
            Op::Accept { transfer: request.optional_text("transfer")?.unwrap_or_default().to_owned() }
        }
        Some(other) => {
            return Err(OpError::BadRequest(format!("request.op: {other:?} is not pub, transfer or accept")));
        }
    };
    Ok(Intent { domain: text("domain")?, op })
}

fn with_memo_program(dialect: &Dialect, input: &Members<'_>) -> Result<Dialect, OpError> {
    let mut dialect = dialect.clone();
    if let Some(address) = input.optional_text("memo_program")? {
        address.clone_into(&mut dialect.memo_program);
    }
    Ok(dialect)
}

fn staged(refused: Refused) -> OpError {
    let stage = stage(refused.rule);
    (refused, stage).into()
}

fn stage(row: Id) -> &'static str {
    match row {
        row if row == &checks::ENCODING => "decode",
        row if row == &rows::FORM || row == &checks::RECORD_FORM => "parse",
        row if row.group == "verify" => "verify",
        _ => "check",
    }
}
