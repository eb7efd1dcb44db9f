//! `transaction.encode`: the transaction message that carries a record.

use assay_spec::publish::record::Record;
use assay_spec::publish::requirements::message::LEGACY;
use assay_spec::{Dialect, Id};
use serde_json::{Value, json};

use super::world::{CID, NOW, SITE, text};
use crate::bytes::hex;
use crate::case::Case;
use crate::generate::group::{Group, set};
use crate::generate::keys::{address, bytes};

static SHOWN: &[Id] = &[&LEGACY];

pub(in crate::generate) fn cases() -> Vec<Case> {
    let mut g = Group::new(
        "publish/transaction-encode",
        "transaction.encode",
        "src/generate/publish/encode.rs",
        SHOWN,
    );
    let input = |record: Value| {
        json!({
            "fee_payer": address("fee payer"),
            "client": address("client"),
            "memo_program": Dialect::default().memo_program,
            "blockhash": bs58::encode(bytes("blockhash")).into_string(),
            "record": record,
        })
    };
    g.accept("pub", input(hex(&text(&Record::publish(SITE, CID, "0", NOW)))), "A publish record.");
    for (length, why) in [
        (0, "The length 0 of an empty record takes one byte."),
        (1, "A record of one byte."),
        (127, "127 is the greatest length encoded in one byte."),
        (128, "128 is the smallest length encoded in two bytes."),
        (965, "The longest record that fits one transaction."),
        (16383, "16383 is the greatest length encoded in two bytes."),
        (16384, "16384 is the smallest length encoded in three bytes."),
        (65535, "65535 is the greatest length."),
    ] {
        g.accept(&format!("record-{length}"), input(json!({"repeat": ["61", length]})), why);
    }
    let mut zeros = input(hex(b"r"));
    zeros["blockhash"] = "1".repeat(32).into();
    g.accept("blockhash-zero", zeros, "Base58 writes each leading zero byte as 1.");

    let short = |name: &str| bs58::encode(&bytes(name)[..31]).into_string();
    let long = |name: &str| bs58::encode([&bytes(name)[..], &[7]].concat()).into_string();
    for (name, path, old, new, why) in [
        ("fee-payer-31", "/in/fee_payer", address("fee payer"), short("fee payer"), "A key has 32 bytes."),
        ("client-33", "/in/client", address("client"), long("client"), "A key has 32 bytes."),
        (
            "client-zero-letter",
            "/in/client",
            address("client"),
            format!("0{}", &address("client")[1..]),
            "The base58 alphabet has no 0.",
        ),
        (
            "blockhash-31",
            "/in/blockhash",
            bs58::encode(bytes("blockhash")).into_string(),
            short("blockhash"),
            "A blockhash has 32 bytes.",
        ),
    ] {
        g.reject(name, "pub", [set(path, old, new)], &LEGACY, why);
    }
    let record = g.input("record-16384")["record"].clone();
    g.reject(
        "record-65536",
        "record-16384",
        [set("/in/record", record, json!({"repeat": ["61", 65536]}))],
        &LEGACY,
        "A length is at most 65535.",
    );
    g.cases
}
