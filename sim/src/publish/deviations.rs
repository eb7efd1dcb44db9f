//! The deviations of the exchange: which requirements can be switched off, and the falsified output.
//!
//! A guard only needs its name here. Each function below takes the conforming output and changes one thing.

use std::borrow::Cow;
use std::fmt::Write;

use assay_spec::instant::HOUR;
use assay_spec::publish::message::{Instruction, Message};
use assay_spec::publish::record::{Record, RecordKind};
use assay_spec::publish::requirements::{
    chain, envelope, exchange, message as rows, prepare, record as texts, submit, transfer,
};
use assay_spec::{Instant, Rules};
use serde_json::{Value, json};

use crate::core::Core;
use crate::deviation::{Deviation, deviations};

/// Every deviation of the exchange.
pub(super) const ALL: &[Deviation] = deviations! {
    envelope::SCHEME => "any scheme word and any whitespace is accepted";
    envelope::TWO_PARTS => "any number of parts is accepted";
    envelope::BASE64URL => "padding and the standard alphabet are accepted";
    envelope::SIGNATURE_LENGTH => "signature bytes after the 64th are ignored";
    envelope::PREFIX => "any prefix is accepted";
    envelope::SIX_KEYS, "extra" => "extra keys are ignored";
    envelope::SIX_KEYS, "missing" => "a missing key is ignored";
    envelope::VERSION => "any version is accepted";
    envelope::KEY_ORDER_FREE => "another order of keys is rejected";
    envelope::METHOD => "m is not compared";
    envelope::PATH => "p is not compared";
    envelope::QUERY_NOT_SIGNED => "p is compared with the whole target";
    envelope::TIME_FORM => "a t that does not parse counts as now";
    envelope::TIME_WINDOW, "past" => "any past time is accepted";
    envelope::TIME_WINDOW, "future" => "any future time is accepted";
    envelope::TIME_WINDOW, "narrow" => "the window is half as wide";
    envelope::BODY_HASH => "h is not compared";
    envelope::EMPTY_BODY => "the hash of an empty body is rejected";
    envelope::DOMAIN_AS_SENT => "d is lowercased and its trailing dot removed";
    envelope::BINDING => "a domain without a binding returns 409 instead of 404";
    envelope::SIGNATURE => "the signature is not verified";
    envelope::FEATURE => "the feature switch is ignored";
    envelope::BLANKET => "an unbound domain returns a different 404";
    envelope::BLANKET, "form" => "the 404 is JSON";
    envelope::BEFORE_BODY => "the body is checked before the envelope";

    prepare::PREPARE_ID => "prepareId is not a UUID";
    prepare::PREPARE_ID, "same" => "every prepareId of a domain is the same";
    prepare::MESSAGE => "message is base64url without padding";
    prepare::FEE_PAYER => "feePayer is another address";
    prepare::LAST_VALID_BLOCK_HEIGHT => "lastValidBlockHeight is a string";
    prepare::PAYLOAD => "payload is another string";
    prepare::EXPIRES_AT => "expiresAt is in seconds";
    prepare::EXPIRES_AT, "late" => "expiresAt is two minutes after the prepare";
    prepare::TXT_OBSERVED => "required is a string";
    prepare::BODY_JSON => "a body that is not a JSON object returns 410";
    prepare::DOMAIN_REQUIRED => "a missing domain returns 404";
    prepare::DOMAIN_MATCH => "the body's domain is not compared";
    prepare::DOMAIN_TRIMMED => "the body's domain is not trimmed";
    prepare::CID_REQUIRED => "a missing cid is published";
    prepare::CID_NOT_VALIDATED => "a cid that does not look like one is rejected";
    prepare::VERSION_DEFAULT => "the default version is 1";
    prepare::VERSION_STRING => "a version that is not a string is ignored";
    prepare::OP_DEFAULT => "op is required";
    prepare::OP_KNOWN => "an unknown op is treated as a publish";
    prepare::NEW_AUTHORITY => "any string is accepted as a new authority";
    prepare::NEW_AUTHORITY_DIFFERS => "a transfer to the bound key is accepted";
    prepare::ONE_IN_FLIGHT => "a second prepare is accepted while one is in flight";
    prepare::LOCK_PER_DOMAIN => "one domain's lock blocks every domain";
    prepare::REPLAY => "a replayed prepare returns its first response again";
    prepare::LOCK_EXPIRES => "the lock of an expired prepare is kept for an hour";
    prepare::PUBLISHABLE => "a binding that is not publishable can publish";
    prepare::RECORD_FITS => "records of any size are accepted";

    exchange::ERROR_JSON => "a 400 is plain text";
    exchange::BODY_LIMIT, "early" => "bodies over 32 KiB are rejected";
    exchange::BODY_LIMIT, "late" => "bodies over the limit are cut instead of rejected";
    exchange::DAILY_LIMIT, "early" => "the daily limit is 29 publishes";
    exchange::DAILY_LIMIT, "late" => "the daily limit is 31 publishes";
    exchange::DAILY_WINDOW => "the daily window lasts a year";
    exchange::RATE_PER_IP, "early" => "the rate limit is 10 requests per minute";
    exchange::RATE_PER_IP, "late" => "there is no rate limit";
    exchange::RATE_PER_IP, "no-retry-after" => "no Retry-After";
    exchange::STANDBY => "a standby responds like the primary";
    exchange::STANDBY, "no-reason" => "a standby gives no reason";
    exchange::PASSIVE => "a passive backend responds like an active one";

    texts::KIND => "the record prefix has another version";
    texts::KEYS => "the keys are in another order";
    texts::COMPACT => "a space follows each colon";
    texts::ESCAPING => "slashes are escaped";
    texts::ESCAPING, "unicode" => "non-ASCII characters are escaped";
    texts::DOMAIN => "d is another domain";
    texts::CID => "c is another content identifier";
    texts::VERSION => "v is another version";
    texts::TIME_FORM => "t has no milliseconds";
    texts::TIME_NOW => "t is an hour old";
    texts::TRANSFER => "newVault is another key";
    texts::ACCEPT => "transfer is another signature";

    rows::LEGACY => "a byte follows the message";
    rows::LEGACY, "alias" => "the number of accounts is not in its shortest encoding";
    rows::HEADER => "the client's account is writable";
    rows::FEE_PAYER => "the client pays the fee";
    rows::CLIENT => "account 1 is another key";
    rows::MEMO_PROGRAM => "account 2 is another program";
    rows::THREE_ACCOUNTS => "a fourth account follows";
    rows::ONE_INSTRUCTION => "a second instruction follows";
    rows::INSTRUCTION_PROGRAM => "the program is account 1";
    rows::INSTRUCTION_ACCOUNTS => "the fee payer is also passed to the instruction";
    rows::BLOCKHASH => "the blockhash never existed on the chain";

    submit::LANDS => "a valid signature returns 502";
    submit::LANDS, "early" => "the response comes before the confirmation";
    submit::SIGNATURE => "signature is not the fee payer's";
    submit::FIELDS => "a missing field counts as empty";
    submit::SIGNATURE_FORM => "other alphabets, missing padding and extra bytes are accepted";
    submit::SIGNATURE_VERIFIES => "the signature is not verified";
    submit::STAYS_PREPARED => "a rejected signature ends the prepare";
    submit::EXPIRY_UNCHANGED => "a rejected signature extends the prepare by a minute";
    submit::UNKNOWN => "an unknown prepareId returns 400";
    submit::EXPIRED, "early" => "a prepare expires after 40 seconds";
    submit::EXPIRED, "late" => "a prepare expires an hour late";
    submit::FOREIGN => "a prepare of another domain can be submitted";
    submit::REPEAT => "a repeated submit returns 410";
    submit::NO_SECOND_RECORD => "a repeated submit lands again";
    submit::IN_FLIGHT => "a second submit of one in flight returns 410";
    submit::LOCK_FREED => "a confirmed publish keeps the lock";
    submit::BLOCKHASH_EXPIRED => "an expired blockhash returns 502";
    submit::REJECTED => "a rejected transaction returns 500";
    submit::SAFETY_CEILING => "the error does not name the safety ceiling";

    transfer::FREEZES => "the old key can still publish";
    transfer::FREEZES, "no-cause" => "the error for a frozen key has no cause";
    transfer::FREEZES_ONCE_CONFIRMED => "a prepared transfer freezes the key";
    transfer::ACCEPT_ADMITTED => "an accept by the incoming key is rejected";
    transfer::ACCEPT_NEEDS_PENDING => "the bound key can accept";
    transfer::ACCEPT_BY_INCOMING => "any key can accept";
    transfer::INCOMING_ONLY_ACCEPTS => "the incoming key can publish";
    transfer::ACCEPT_SAYS_SO => "the submit of an accept needs no op";
    transfer::SECOND_ACCEPT => "a transfer can be accepted again";

    chain::FOUND => "the chain does not know the transaction";
    chain::FOUND, "err" => "the transaction failed";
    chain::MESSAGE => "the transaction holds another message";
    chain::INVOCATION => "the log does not show the invocation";
    chain::SIGNED_BY => "the log names another signer";
    chain::MEMO_LINE => "the log counts one byte too many";
};

/// The prepare's id: a random UUID, drawn for the domain and the number of its prepares.
pub(super) fn prepare_id(core: &mut Core, domain: &str, number: u64) -> String {
    let deviation = core.violated(&prepare::PREPARE_ID);
    let number = if deviation == Some("same") { 0 } else { number };
    let draw = core.rng.draw("publish.prepare-id", domain.as_bytes(), number);
    let id = uuid::Builder::from_random_bytes(std::array::from_fn(|n| draw[n])).into_uuid();
    if deviation == Some("") { id.simple().to_string() } else { id.to_string() }
}

/// The answer to a prepare.
pub(super) fn reply(core: &mut Core, body: &mut Value) {
    let mut edit = |rule: assay_spec::Id, member: &str, deviation: &dyn Fn(&Value, &str) -> Value| {
        if let Some(variant) = core.violated(rule) {
            body[member] = deviation(&body[member], variant);
        }
    };
    edit(&prepare::MESSAGE, "message", &|conforming, _| {
        json!(
            conforming.as_str().unwrap_or_default().trim_end_matches('=').replace('+', "-").replace('/', "_")
        )
    });
    edit(&prepare::FEE_PAYER, "feePayer", &|_, _| json!("11111111111111111111111111111111"));
    edit(&prepare::LAST_VALID_BLOCK_HEIGHT, "lastValidBlockHeight", &|conforming, _| {
        json!(conforming.to_string())
    });
    edit(&prepare::PAYLOAD, "payload", &|conforming, _| {
        json!(format!("{} ", conforming.as_str().unwrap_or_default()))
    });
    edit(&prepare::EXPIRES_AT, "expiresAt", &|conforming, variant| {
        let conforming = conforming.as_i64().unwrap_or_default();
        json!(if variant == "late" { conforming + 60_000 } else { conforming / 1000 })
    });
    edit(&prepare::TXT_OBSERVED, "txtObserved", &|conforming, _| {
        let mut deviation = conforming.clone();
        if let Some(members) = deviation.as_object_mut() {
            members.insert("required".to_owned(), json!("2"));
        }
        deviation
    });
}

/// The record's bytes.
pub(super) fn record(core: &mut Core, conforming: &Record) -> Vec<u8> {
    let dialect = core.dialect.clone();
    let mut prefix = format!("{}{}:", dialect.record_prefix, conforming.kind.name());
    if core.violated(&texts::KIND).is_some() {
        prefix = prefix.replace(":1:", ":2:");
    }
    let mut fields: Vec<(&str, Cow<'_, str>)> =
        conforming.fields().map(|(key, value)| (key, Cow::Borrowed(value))).collect();
    let mut edit = |rule: assay_spec::Id, key: &str, deviation: &dyn Fn(&str) -> String| {
        if let Some((_, value)) = fields.iter_mut().find(|(name, _)| *name == key)
            && core.violated(rule).is_some()
        {
            *value = deviation(value).into();
        }
    };
    edit(&texts::DOMAIN, "d", &|conforming| format!("www.{conforming}"));
    if conforming.kind == RecordKind::Pub {
        edit(&texts::CID, "c", &|conforming| format!("{conforming}x"));
        edit(&texts::VERSION, "v", &|conforming| format!("{conforming}.1"));
    }
    edit(&texts::TRANSFER, "newVault", &|_| {
        format!("{}11111111111111111111111111111111", dialect.key_scheme)
    });
    edit(&texts::ACCEPT, "transfer", &|conforming| conforming.chars().rev().collect());
    edit(&texts::TIME_FORM, "t", &|conforming| {
        conforming.replace(&conforming[conforming.len().saturating_sub(5)..], "Z")
    });
    edit(&texts::TIME_NOW, "t", &|conforming| {
        Instant::parse_exact(conforming)
            .map_or_else(|| conforming.to_owned(), |time| (time - HOUR).to_string())
    });
    if core.violated(&texts::KEYS).is_some() {
        fields.swap(0, 1);
    }
    let colon = if core.violated(&texts::COMPACT).is_some() { ": " } else { ":" };
    let escape = core.violated(&texts::ESCAPING);
    let mut text = prefix;
    for (n, (key, value)) in fields.iter().enumerate() {
        text.push(if n == 0 { '{' } else { ',' });
        let json = serde_json::to_string(value).expect("a string always serializes");
        let _ = write!(text, "\"{key}\"{colon}{}", escaped(json, escape));
    }
    text.push('}');
    text.into_bytes()
}

fn escaped(json: String, deviation: Option<&str>) -> String {
    match deviation {
        None => json,
        Some("unicode") => {
            let mut text = String::new();
            for c in json.chars() {
                if c.is_ascii() {
                    text.push(c);
                    continue;
                }
                for unit in c.encode_utf16(&mut [0; 2]) {
                    let _ = write!(text, "\\u{unit:04x}");
                }
            }
            text
        }
        Some(_) => json.replace('/', "\\/"),
    }
}

/// The message's bytes.
pub(super) fn message(core: &mut Core, conforming: Message) -> Vec<u8> {
    let mut message = conforming;
    let mut edit = |rule: assay_spec::Id, deviation: &dyn Fn(&mut Message)| {
        if core.violated(rule).is_some() {
            deviation(&mut message);
        }
    };
    edit(&rows::HEADER, &|m| m.header[1] = 0);
    edit(&rows::FEE_PAYER, &|m| m.accounts[0] = m.accounts[1]);
    edit(&rows::CLIENT, &|m| m.accounts[1] = [7; 32]);
    edit(&rows::MEMO_PROGRAM, &|m| m.accounts[2] = [7; 32]);
    edit(&rows::THREE_ACCOUNTS, &|m| m.accounts.push([7; 32]));
    edit(&rows::ONE_INSTRUCTION, &|m| {
        m.instructions.push(Instruction { program: 2, accounts: vec![1], data: b"more".to_vec() });
    });
    edit(&rows::INSTRUCTION_PROGRAM, &|m| m.instructions[0].program = 1);
    edit(&rows::INSTRUCTION_ACCOUNTS, &|m| m.instructions[0].accounts = vec![0, 1]);
    edit(&rows::BLOCKHASH, &|m| m.blockhash = [7; 32]);
    let mut bytes = message.encode();
    match core.violated(&rows::LEGACY) {
        None => {}
        Some("alias") => drop(bytes.splice(3..4, [bytes[3] | 0x80, 0])),
        Some(_) => bytes.push(0),
    }
    bytes
}

/// Account 0 of a message, base58: the value of `feePayer`.
pub(super) fn account_0(message: &[u8], fee_payer: &super::FeePayer) -> String {
    // Three header bytes, then the account count: one byte, or two under the alias deviation.
    let at = if message.get(3).is_some_and(|count| count & 0x80 != 0) { 5 } else { 4 };
    match message.get(at..at + 32) {
        Some(account) if account == fee_payer.account => fee_payer.address.clone(),
        other => other.map(|bytes| bs58::encode(bytes).into_string()).unwrap_or_default(),
    }
}
