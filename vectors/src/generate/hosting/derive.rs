//! `key_e.derive`: the derivation message that a wallet signs, and E.
//!
//! The wording of the message's two sentences is this project's own, so no E in these cases is a real one.

use assay_spec::crypto::address::Address;
use assay_spec::hosting::key_e::{Sentences, message};
use assay_spec::hosting::requirements::key_e as rows;
use assay_spec::network::requirements::signing::SECRET_KEY;
use assay_spec::{Dialect, Id};
use serde_json::{Value, json};

use super::world::{key, secret};
use crate::bytes::hex;
use crate::case::{Case, Edit};
use crate::generate::group::{Group, set};

const T: &str = "/in/derivation_text";
static SHOWN: &[Id] = &[&rows::LINES, &rows::FINAL_NEWLINE, &rows::TITLE, &rows::WALLET, &rows::VERSION];

pub(in crate::generate) fn cases() -> Vec<Case> {
    let source = "src/generate/hosting/derive.rs";
    let mut g = Group::new("hosting/key-e-derive", "key_e.derive", source, SHOWN);
    g.accept(
        "wallet",
        input("wallet", &Sentences::default()),
        "The message has seven lines and is signed by the wallet that it names.",
    );
    g.accept("other-wallet", input("other wallet", &Sentences::default()), "Another wallet has another E.");
    let v_of = |g: &Group, name: &str| {
        let case = g.cases.iter().find(|case| case.id.ends_with(name)).expect("the case was added");
        serde_json::to_value(&case.expect).expect("a case")["ok"]["signature"]["hex"]
            .as_str()
            .map(|signature| signature[128..].to_owned())
    };
    let first = v_of(&g, "/wallet");
    // The cases cover both values of v, whichever the first wallet has.
    for n in 0.. {
        let name = format!("wallet {n}");
        g.accept(
            "other-v",
            input(&name, &Sentences::default()),
            "v is part of the hashed signature, also with its other value.",
        );
        if v_of(&g, "/other-v") != first {
            break;
        }
        g.cases.pop();
    }
    let sentences = |lines| Sentences::from_lines(lines).expect("four lines");
    for (name, lines, why) in [
        (
            "other-words",
            ["One", "two", "three", "four"],
            "Other sentences give another E. The wording belongs to the application.",
        ),
        (
            "beyond-ascii",
            ["caf\u{e9} \u{2014} \u{1f511}", "two", "three", "four"],
            "The length in the prefix counts UTF-8 bytes.",
        ),
        ("blanks", ["  One ", "two", "three", "four\t"], "White space within a line is signed as it is."),
    ] {
        g.accept(name, input("wallet", &sentences(lines)), why).read_as("A-046/own-wording");
    }

    messages(&mut g);
    private_keys(&mut g);
    g.cases
}

/// Invalid derivation messages.
fn messages(g: &mut Group) {
    let text = g.input("wallet")["derivation_text"].as_str().unwrap_or_default().to_owned();
    let lines: Vec<&str> = text.split('\n').collect();
    let with = |at: usize, line: &str| {
        let mut lines = lines.clone();
        lines[at] = line;
        lines.join("\n")
    };
    let address = Address::from_key(&key("wallet")).to_string();
    let without = |at: usize| {
        let mut lines = lines.clone();
        lines.remove(at);
        lines.join("\n")
    };
    let blank = |at: usize| {
        let mut lines = lines.clone();
        lines.insert(at, "");
        lines.join("\n")
    };
    let own = |line: String| with(5, &line);
    for (name, new, row, why) in [
        ("final-newline", format!("{text}\n"), &rows::FINAL_NEWLINE, "No newline follows the last line."),
        ("line-less", without(2), &rows::LINES, "The message has six lines instead of seven."),
        (
            "line-more",
            blank(3).replace("\n\n", "\nmore\n"),
            &rows::LINES,
            "The message has eight lines instead of seven.",
        ),
        ("blank-line", blank(1), &rows::LINES, "No blank line separates the title from the sentences."),
        (
            "blank-line-before-wallet",
            blank(5),
            &rows::LINES,
            "No blank line separates the sentences from the wallet line.",
        ),
        ("empty-line", with(2, ""), &rows::LINES, "None of the seven lines is empty."),
        (
            "carriage-returns",
            text.replace('\n', "\r\n"),
            &rows::LINES,
            "Lines are joined by a line feed alone.",
        ),
        (
            "title-hyphen",
            text.replacen('\u{2014}', "-", 1),
            &rows::TITLE,
            "The title has an em dash, not a hyphen.",
        ),
        (
            "title-en-dash",
            text.replacen('\u{2014}', "\u{2013}", 1),
            &rows::TITLE,
            "The title has an em dash, not an en dash.",
        ),
        ("title-lower-case", with(0, &lines[0].to_lowercase()), &rows::TITLE, "The title is case-sensitive."),
        ("title-blank", with(0, &format!("{} ", lines[0])), &rows::TITLE, "Nothing follows the title."),
        (
            "wallet-lower-case",
            own(format!("Wallet: {}", address.to_lowercase())),
            &rows::WALLET,
            "The address has the EIP-55 checksum case, not lowercase.",
        ),
        (
            "wallet-upper-case",
            own(format!("Wallet: 0x{}", address[2..].to_uppercase())),
            &rows::WALLET,
            "The address has the EIP-55 checksum case, not uppercase.",
        ),
        (
            "wallet-no-prefix",
            own(format!("Wallet: {}", &address[2..])),
            &rows::WALLET,
            "The address starts with 0x.",
        ),
        (
            "wallet-other-word",
            own(format!("wallet: {address}")),
            &rows::WALLET,
            "The word Wallet is capitalized.",
        ),
        ("wallet-no-blank", own(format!("Wallet:{address}")), &rows::WALLET, "A space follows the colon."),
        ("wallet-missing", own("Wallet: ".to_owned()), &rows::WALLET, "The wallet line has an address."),
        (
            "wallet-of-another",
            own(format!("Wallet: {}", Address::from_key(&key("other wallet")))),
            &rows::WALLET,
            "The wallet line names the wallet that signs.",
        ),
        ("version-2", with(6, "Version: 2"), &rows::VERSION, "The version is 1."),
        ("version-blank", with(6, "Version: 1 "), &rows::VERSION, "Nothing follows the version number."),
        ("version-lower-case", with(6, "version: 1"), &rows::VERSION, "The word Version is capitalized."),
    ] {
        g.reject(name, "wallet", [set(T, text.as_str(), new)], row, why);
    }
}

fn input(wallet: &str, sentences: &Sentences) -> Value {
    let text = message(&Dialect::default(), sentences, Address::from_key(&key(wallet)));
    json!({"private_key": secret(wallet), "derivation_text": text})
}

/// Private keys of another length or out of range.
fn private_keys(g: &mut Group) {
    let old = secret("wallet");
    let digits = old["hex"].as_str().unwrap_or_default();
    // A lenient reader pads a short key at the end and cuts a long one. Only cutting gives the wallet's key again.
    let long = json!({"hex": format!("{digits}00")});
    let edit: Edit = set("/in/private_key", old.clone(), long);
    g.reject("private-key-33", "wallet", [edit], &SECRET_KEY, "A private key has 32 bytes, not 33.");
    let smallest = json!({"private_key": hex(&scalar_one()), "derivation_text": text_of_one()});
    g.accept("key-one", smallest, "1 is the smallest private key.");
    let zero = set("/in/private_key", hex(&scalar_one()), hex(&[0; 32]));
    g.reject("private-key-zero", "key-one", [zero], &SECRET_KEY, "Zero is not a valid private key.");
    let order = crate::bytes::parse_hex("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141");
    let order = set("/in/private_key", hex(&scalar_one()), hex(&order.expect("hex")));
    g.reject(
        "private-key-order",
        "key-one",
        [order],
        &SECRET_KEY,
        "The group order is not a valid private key.",
    );
}

fn scalar_one() -> [u8; 32] {
    std::array::from_fn(|n| u8::from(n == 31))
}

fn text_of_one() -> String {
    let key = assay_spec::crypto::secp256k1::key_from_secret(&scalar_one()).expect("1 is a scalar");
    message(&Dialect::default(), &Sentences::default(), Address::from_key(&key))
}
