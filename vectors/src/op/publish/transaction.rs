//! `transaction.encode` and `transaction.decode`: the chain's legacy message.

use assay_spec::crypto::ed25519::parse_address;
use assay_spec::publish::message::Message;
use assay_spec::publish::mistakes::message::{ACCOUNT, DATA};
use assay_spec::{Dialect, Refused, Rules};
use serde_json::{Value, json};

use crate::bytes;
use crate::op::{Members, OpError};

/// The message that carries a record.
pub(in crate::op) fn encode(
    dialect: &Dialect,
    input: &Members<'_>,
    rules: &mut dyn Rules,
) -> Result<Value, OpError> {
    let record = input.bytes("record")?;
    let fee_payer = input.key("fee_payer", &ACCOUNT, rules)?;
    let client = input.key("client", &ACCOUNT, rules)?;
    let memo_program = match input.optional_text("memo_program")? {
        Some(_) => input.key("memo_program", &ACCOUNT, rules)?,
        None => parse_address(&dialect.memo_program).expect("the dialect holds an address"),
    };
    let blockhash = input.key("blockhash", &ACCOUNT, rules)?;
    let data = rules.read(&DATA, record.as_slice(), |record| {
        let has_length = u16::try_from(record.len()).is_ok();
        if has_length { Ok(record) } else { Err(format!("a record of {} bytes", record.len())) }
    });
    let data = data.map_err(|refused| (refused, "parse"))?.to_vec();
    let message = Message::publishing(fee_payer, client, memo_program, blockhash, data);
    Ok(json!({"message": bytes::hex(&message.encode())}))
}

/// The parts of a message. A message decodes only if it encodes back to the same bytes.
pub(in crate::op) fn decode(
    _: &Dialect,
    input: &Members<'_>,
    rules: &mut dyn Rules,
) -> Result<Value, OpError> {
    let decoded = Message::decode(&input.bytes("message")?, rules);
    Ok(parts(&decoded.map_err(|refused: Refused| (refused, "decode"))?))
}

/// A message in the protocol's notation.
pub(crate) fn parts(message: &Message) -> Value {
    let base58 = |bytes: &[u8; 32]| bs58::encode(bytes).into_string();
    let instructions = message.instructions.iter().map(|instruction| {
        json!({
            "program": instruction.program,
            "accounts": instruction.accounts,
            "data": bytes::hex(&instruction.data),
        })
    });
    json!({
        "header": message.header,
        "accounts": message.accounts.iter().map(base58).collect::<Vec<_>>(),
        "blockhash": base58(&message.blockhash),
        "instructions": instructions.collect::<Vec<_>>(),
    })
}

/// A message from its parts.
pub(crate) fn message_of(parts: &Value) -> Result<Message, String> {
    let missing = |what: &str| format!("message: {what} is missing");
    let list = |value: &Value, what: &str| value[what].as_array().cloned().ok_or_else(|| missing(what));
    let byte =
        |value: &Value| value.as_u64().and_then(|n| u8::try_from(n).ok()).ok_or_else(|| missing("a byte"));
    let key = |value: &Value| value.as_str().and_then(parse_address).ok_or_else(|| missing("a key"));
    let header: Vec<u8> = list(parts, "header")?.iter().map(byte).collect::<Result<_, _>>()?;
    let instruction = |value: &Value| {
        Ok::<_, String>(assay_spec::publish::message::Instruction {
            program: byte(&value["program"])?,
            accounts: list(value, "accounts")?.iter().map(byte).collect::<Result<_, _>>()?,
            data: bytes::read("data", &value["data"])?,
        })
    };
    Ok(Message {
        header: header.try_into().map_err(|_| missing("a header of three bytes"))?,
        accounts: list(parts, "accounts")?.iter().map(key).collect::<Result<_, _>>()?,
        blockhash: key(&parts["blockhash"])?,
        instructions: list(parts, "instructions")?.iter().map(instruction).collect::<Result<_, _>>()?,
    })
}
