//! `transaction.decode`: a decoded message encodes back to the same bytes.

use assay_spec::Id;
use assay_spec::crypto::text::hex;
use assay_spec::publish::message::{Instruction, Message};
use assay_spec::publish::record::Record;
use assay_spec::publish::requirements::message::LEGACY;
use serde_json::{Value, json};

use super::world::{CID, NOW, SITE, prepared, text};
use crate::case::Case;
use crate::generate::group::{Group, splice};
use crate::generate::keys::bytes;

const MESSAGE: &str = "/in/message";
/// Offsets of the parts of a publishing message: accounts, blockhash, instructions, program, its accounts, data.
const PARTS: [usize; 6] = [3, 100, 132, 133, 134, 136];

static SHOWN: &[Id] = &[&LEGACY];

pub(in crate::generate) fn cases() -> Vec<Case> {
    let mut g = Group::new(
        "publish/transaction-decode",
        "transaction.decode",
        "src/generate/publish/decode.rs",
        SHOWN,
    );
    accepts(&mut g);
    lengths(&mut g);
    cuts(&mut g);
    g.cases
}

fn accepts(g: &mut Group) {
    let input = |message: &Message| json!({"message": {"hex": hex(&message.encode())}});
    let publish = prepared(text(&Record::publish(SITE, CID, "0", NOW)));
    g.accept("pub", input(&publish), "A publish record.");
    for (length, why) in [
        (0, "An instruction without data."),
        (127, "127 is the greatest length encoded in one byte."),
        (128, "128 is the smallest length encoded in two bytes."),
        (255, "255 takes two bytes here. It fits one byte in other encodings."),
        (256, "256 takes two bytes here, as in other encodings."),
        (965, "The longest record that fits one transaction."),
        (2047, "2047 is the greatest 11-bit length."),
    ] {
        g.accept(&format!("data-{length}"), input(&prepared(vec![b'a'; length])), why);
    }
    for (length, why) in [
        (16383, "16383 is the greatest length encoded in two bytes."),
        (16384, "16384 is the smallest length encoded in three bytes."),
        (32767, "32767 is the greatest 15-bit length."),
        (32768, "32768 is the smallest 16-bit length."),
        (65535, "65535 is the greatest length."),
    ] {
        let whole = prepared(vec![b'a'; length]).encode();
        let head = hex(&whole[..whole.len() - length]);
        let message = json!({"concat": [{"hex": head}, {"repeat": ["61", length]}]});
        g.accept(&format!("data-{length}"), json!({"message": message}), why);
    }
    let mut bare = publish.clone();
    bare.accounts.clear();
    bare.instructions.clear();
    g.accept(
        "nothing",
        input(&bare),
        "Decoding checks the form only: a message may have no accounts and no instructions.",
    );
    let mut many = publish.clone();
    many.accounts = (0..128u8).map(|n| bytes(&format!("account {n}"))).collect();
    many.instructions.push(Instruction { program: 200, accounts: (0..=255).collect(), data: vec![0; 3] });
    g.accept(
        "many",
        input(&many),
        "128 accounts and 256 account indices have two-byte lengths. Decoding does not resolve indices.",
    );
    let mut header = publish.clone();
    header.header = [0x7f, 0xff, 0xff];
    g.accept("header-7f", input(&header), "0x7f is the highest first byte of a legacy message.");
}

fn lengths(g: &mut Group) {
    let whole = prepared(text(&Record::publish(SITE, CID, "0", NOW))).encode();
    let end = whole.len();
    g.reject(
        "trailing-byte",
        "pub",
        [splice(MESSAGE, end, "", "00")],
        &LEGACY,
        "No byte follows the message.",
    );
    g.reject(
        "versioned",
        "pub",
        [splice(MESSAGE, 0, "", "80")],
        &LEGACY,
        "A first byte of 0x80 or above marks a versioned message.",
    );
    g.reject(
        "first-byte-ff",
        "header-7f",
        [splice(MESSAGE, 0, "7f", "ff")],
        &LEGACY,
        "A first byte of 0x80 or above marks a versioned message.",
    );
    for (name, first) in [("version-1", "81"), ("version-127", "ff")] {
        let why = "A versioned message is not a legacy message, whatever its version number.";
        g.reject(name, "pub", [splice(MESSAGE, 0, "", first)], &LEGACY, why);
    }
    let [accounts, _, instructions, _, indices, data] = PARTS;
    for (name, at, old, new) in [
        ("alias-accounts", accounts, "03", "8300"),
        ("alias-instructions", instructions, "01", "8100"),
        ("alias-indices", indices, "01", "8100"),
        ("alias-data-3", data, &hex(&whole[data..data + 2]), ""),
    ] {
        let new = if new.is_empty() { longer(old) } else { new.to_owned() };
        g.reject(
            name,
            "pub",
            [splice(MESSAGE, at, old, new)],
            &LEGACY,
            "A length is written in its shortest encoding.",
        );
    }
    g.reject(
        "alias-zero",
        "data-0",
        [splice(MESSAGE, data, "00", "8000")],
        &LEGACY,
        "The length 0 is written in one byte.",
    );
    for (name, at, old, new) in [
        ("alias-accounts-in-3", accounts, "03", "838000"),
        ("alias-instructions-in-3", instructions, "01", "818000"),
        ("alias-indices-in-3", indices, "01", "818000"),
    ] {
        let why = "A length that fits one byte is not written in three.";
        g.reject(name, "pub", [splice(MESSAGE, at, old, new)], &LEGACY, why);
    }
    // Every length at which the encoding has an alias of another kind.
    for (length, old, alias) in [
        (0, "00", "808000"),
        (127, "7f", "ff00"),
        (127, "7f", "ff8000"),
        (128, "8001", "808100"),
        (255, "ff01", "ff8100"),
        (256, "8002", "808200"),
        (2047, "ff0f", "ff8f00"),
        (16383, "ff7f", "ffff00"),
    ] {
        let (bytes, base) = (alias.len() / 2, format!("data-{length}"));
        let why = format!(
            "The length {length} is written in {} and has no other form.",
            ["one byte", "two bytes"][old.len() / 2 - 1]
        );
        let edit = splice(MESSAGE, data, old, alias);
        g.reject(&format!("alias-{length}-in-{bytes}"), &base, [edit], &LEGACY, &why);
    }
    for (name, base, old, new) in [
        ("length-4-bytes-of-128", "data-128", "8001", "80818000"),
        ("length-5-bytes", "data-0", "00", "8080808000"),
    ] {
        let why = "A length has at most three bytes, whatever its value.";
        g.reject(name, base, [splice(MESSAGE, data, old, new)], &LEGACY, why);
    }
    for (name, new, why) in [
        ("length-196608", "80800c", "The third byte of a length carries only two bits."),
        (
            "length-1048576",
            "808040",
            "The third byte of a length carries only two bits; the others are zero.",
        ),
        ("length-endless", "ffffffff", "The third byte of a length must not announce a fourth."),
    ] {
        g.reject(name, "nothing", [splice(MESSAGE, 3, "00", new)], &LEGACY, why);
    }
    g.reject(
        "length-4-bytes",
        "data-0",
        [splice(MESSAGE, data, "00", "80808000")],
        &LEGACY,
        "A length has at most three bytes.",
    );
    g.reject(
        "length-65536",
        "nothing",
        [splice(MESSAGE, 3, "00", "808004")],
        &LEGACY,
        "A length is at most 65535.",
    );
    g.reject(
        "length-beyond-end",
        "data-127",
        [splice(MESSAGE, data, "7f", "ff01")],
        &LEGACY,
        "The length announces more data than the message contains.",
    );
}

fn cuts(g: &mut Group) {
    let whole = prepared(text(&Record::publish(SITE, CID, "0", NOW))).encode();
    let end = whole.len();
    for (name, keep) in [
        ("empty", 0),
        ("cut-header", 2),
        ("cut-after-header", 3),
        ("cut-accounts", 50),
        ("cut-after-accounts", 100),
        ("cut-blockhash", 131),
        ("cut-after-blockhash", 132),
        ("cut-after-count", 133),
        ("cut-after-program", 134),
        ("cut-indices", 135),
        ("cut-before-data", 136),
        ("cut-data-length", 137),
        ("cut-data", end - 1),
    ] {
        let edit = splice(MESSAGE, keep, hex(&whole[keep..]), Value::from(""));
        g.reject(name, "pub", [edit], &LEGACY, "The message is cut off before its last byte.");
    }
}

/// A two-byte length written in three bytes.
fn longer(length: &str) -> String {
    let bytes = crate::bytes::parse_hex(length).unwrap_or_default();
    hex(&[bytes[0], bytes[1] | 0x80, 0])
}
