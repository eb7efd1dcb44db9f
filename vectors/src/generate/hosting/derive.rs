//! `key_e.derive`: the text that a wallet signs, and E.
//!
//! The two sentences of the text are this project's own; no E of these cases is anybody's real one.

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
        "Seven lines, signed by the wallet they name.",
    );
    g.accept("other-wallet", input("other wallet", &Sentences::default()), "Another wallet, another E.");
    let v_of = |g: &Group, name: &str| {
        let case = g.cases.iter().find(|case| case.id.ends_with(name)).expect("it stands");
        serde_json::to_value(&case.expect).expect("a case")["ok"]["signature"]["hex"]
            .as_str()
            .map(|signature| signature[128..].to_owned())
    };
    let first = v_of(&g, "/wallet");
    // Both values of v are shown, whichever the first wallet's is.
    for n in 0.. {
        let name = format!("wallet {n}");
        g.accept(
            "other-v",
            input(&name, &Sentences::default()),
            "The other value of v is a byte of E's as well.",
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
            "Other sentences make another E: the words belong to the application.",
        ),
        (
            "beyond-ascii",
            ["caf\u{e9} \u{2014} \u{1f511}", "two", "three", "four"],
            "The length counts the bytes of UTF-8.",
        ),
        ("blanks", ["  One ", "two", "three", "four\t"], "Blanks within a line are signed as they stand."),
    ] {
        g.accept(name, input("wallet", &sentences(lines)), why).read_as("A-046/own-wording");
    }

    texts(&mut g);
    private_keys(&mut g);
    g.cases
}

/// Texts that are none.
fn texts(g: &mut Group) {
    let text = g.input("wallet")["derivation_text"].as_str().unwrap_or_default().to_owned();
    let lines: Vec<&str> = text.split('\n').collect();
    let with = |at: usize, line: &str| {
        let mut lines = lines.clone();
        lines[at] = line;
        lines.join("\n")
    };
    let address = Address::of(&key("wallet")).to_string();
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
        ("line-less", without(2), &rows::LINES, "Six lines."),
        ("line-more", blank(3).replace("\n\n", "\nmore\n"), &rows::LINES, "Eight lines."),
        ("blank-line", blank(1), &rows::LINES, "No blank line stands between title and sentences."),
        ("blank-line-before-wallet", blank(5), &rows::LINES, "Nor between sentences and wallet."),
        ("empty-line", with(2, ""), &rows::LINES, "None of the seven is empty."),
        ("carriage-returns", text.replace('\n', "\r\n"), &rows::LINES, "A newline is one character."),
        ("title-hyphen", text.replacen('\u{2014}', "-", 1), &rows::TITLE, "The title's dash is no hyphen."),
        ("title-en-dash", text.replacen('\u{2014}', "\u{2013}", 1), &rows::TITLE, "Nor the shorter dash."),
        ("title-lower-case", with(0, &lines[0].to_lowercase()), &rows::TITLE, "Its letters are as they are."),
        ("title-blank", with(0, &format!("{} ", lines[0])), &rows::TITLE, "Nothing follows it."),
        (
            "wallet-lower-case",
            own(format!("Wallet: {}", address.to_lowercase())),
            &rows::WALLET,
            "The letters are cased by the checksum.",
        ),
        (
            "wallet-upper-case",
            own(format!("Wallet: 0x{}", address[2..].to_uppercase())),
            &rows::WALLET,
            "Upper case is none either.",
        ),
        (
            "wallet-no-prefix",
            own(format!("Wallet: {}", &address[2..])),
            &rows::WALLET,
            "An address begins with 0x.",
        ),
        ("wallet-other-word", own(format!("wallet: {address}")), &rows::WALLET, "The word is as it is."),
        ("wallet-no-blank", own(format!("Wallet:{address}")), &rows::WALLET, "A blank follows it."),
        ("wallet-missing", own("Wallet: ".to_owned()), &rows::WALLET, "It names a wallet."),
        (
            "wallet-of-another",
            own(format!("Wallet: {}", Address::of(&key("other wallet")))),
            &rows::WALLET,
            "It names the wallet that signs.",
        ),
        ("version-2", with(6, "Version: 2"), &rows::VERSION, "Another version is another derivation."),
        ("version-blank", with(6, "Version: 1 "), &rows::VERSION, "Nothing follows the digit."),
        ("version-lower-case", with(6, "version: 1"), &rows::VERSION, "The word is as it is."),
    ] {
        g.reject(name, "wallet", [set(T, text.as_str(), new)], row, why);
    }
}

fn input(wallet: &str, sentences: &Sentences) -> Value {
    let text = message(&Dialect::default(), sentences, Address::of(&key(wallet)));
    json!({"private_key": secret(wallet), "derivation_text": text})
}

/// A key of another length.
fn private_keys(g: &mut Group) {
    let old = secret("wallet");
    let digits = old["hex"].as_str().unwrap_or_default();
    // Leniently, a shorter key is filled up behind and a longer one cut, which is the wallet's own only in the latter.
    let long = json!({"hex": format!("{digits}00")});
    let edit: Edit = set("/in/private_key", old.clone(), long);
    g.reject("private-key-33", "wallet", [edit], &SECRET_KEY, "33 bytes are no private key.");
    let smallest = json!({"private_key": hex(&one()), "derivation_text": text_of_one()});
    g.accept("key-one", smallest, "The smallest key that there is.");
    let zero = set("/in/private_key", hex(&one()), hex(&[0; 32]));
    g.reject("private-key-zero", "key-one", [zero], &SECRET_KEY, "Zero is no private key.");
    let order = crate::bytes::parse_hex("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141");
    let order = set("/in/private_key", hex(&one()), hex(&order.expect("hex")));
    g.reject("private-key-order", "key-one", [order], &SECRET_KEY, "Nor is the order of the curve's group.");
}

fn one() -> [u8; 32] {
    std::array::from_fn(|n| u8::from(n == 31))
}

fn text_of_one() -> String {
    let key = assay_spec::crypto::secp256k1::key_from_secret(&one()).expect("1 is a scalar");
    message(&Dialect::default(), &Sentences::default(), Address::of(&key))
}
