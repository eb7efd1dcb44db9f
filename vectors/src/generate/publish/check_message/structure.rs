//! Checks 1 to 7: the message around the record.

use assay_spec::Dialect;
use assay_spec::crypto::ed25519::parse_address;
use assay_spec::crypto::text::hex;
use assay_spec::publish::record::Record;
use assay_spec::publish::requirements::check as rows;

use super::MESSAGE;
use crate::generate::group::{Group, splice};
use crate::generate::keys::{address, bytes};
use crate::generate::publish::world::{CID, NOW, SITE, prepared, text};

/// Check 1.
pub(super) fn encoding(g: &mut Group) {
    let whole = prepared(text(&Record::publish(SITE, CID, "1.2.3", NOW))).encode();
    let (end, data) = (whole.len(), hex(&whole[136..138]));
    let aliased = hex(&[whole[136], whole[137] | 0x80, 0]);
    let shortest = "Every length is in its shortest encoding.";
    for (name, edit, why) in [
        ("trailing-byte", splice(MESSAGE, end, "", "00"), "No byte follows the message."),
        ("versioned", splice(MESSAGE, 0, "", "80"), "A versioned message is not a legacy message."),
        ("alias-accounts", splice(MESSAGE, 3, "03", "8300"), shortest),
        ("alias-instructions", splice(MESSAGE, 132, "01", "8100"), shortest),
        ("alias-indices", splice(MESSAGE, 134, "01", "8100"), shortest),
        ("alias-data", splice(MESSAGE, 136, data, aliased), shortest),
    ] {
        g.reject(name, "pub", [edit], &rows::ENCODING, why);
    }
}

/// Checks 2 to 4.
pub(super) fn signers(g: &mut Group) {
    let key = |name: &str| hex(&parse_address(&address(name)).expect("an address"));
    for (name, new, why) in [
        ("one-signature", "01", "With one required signature the client's key is not a signer."),
        ("three-signatures", "03", "With three required signatures the memo program would have to sign."),
    ] {
        g.reject(name, "pub", [splice(MESSAGE, 0, "02", new)], &rows::TWO_SIGNATURES, why);
    }
    let stranger = splice(MESSAGE, 36, key("client"), key("stranger"));
    g.reject(
        "other-client",
        "pub",
        [stranger],
        &rows::CLIENT_ACCOUNT,
        "Account 1 is another key, not the client's.",
    );
    let own = splice(MESSAGE, 4, key("fee payer"), key("client"));
    g.reject("client-pays", "pub", [own], &rows::FEE_PAYER, "The client's key is the fee payer.");
}

/// Checks 5 to 7.
pub(super) fn instructions(g: &mut Group) {
    let whole = prepared(text(&Record::publish(SITE, CID, "1.2.3", NOW))).encode();
    let more =
        |instruction: &str| [splice(MESSAGE, 132, "01", "02"), splice(MESSAGE, whole.len(), "", instruction)];
    let row = &rows::ONE_INSTRUCTION;
    g.reject(
        "two-instructions",
        "pub",
        more(&hex(&whole[133..])),
        row,
        "A second instruction writes another memo.",
    );
    g.reject(
        "second-instruction-other",
        "pub",
        more("000000"),
        row,
        "A second instruction calls another program.",
    );
    let none = splice(MESSAGE, 132, hex(&whole[132..]), "00");
    g.reject("no-instruction", "pub", [none], row, "Without an instruction no record is written.");

    let memo = hex(&parse_address(&Dialect::default().memo_program).expect("an address"));
    for (name, edit, why) in [
        (
            "other-program",
            splice(MESSAGE, 68, memo, hex(&bytes("other program"))),
            "Account 2 is another program.",
        ),
        (
            "program-fee-payer",
            splice(MESSAGE, 133, "02", "00"),
            "The instruction's program is another account.",
        ),
        (
            "program-beyond",
            splice(MESSAGE, 133, "02", "03"),
            "The instruction's program index has no account.",
        ),
    ] {
        g.reject(name, "pub", [edit], &rows::MEMO_PROGRAM, why);
    }
    for (name, new, why) in [
        ("accounts-payer", "0100", "The memo log would name the fee payer as signer."),
        ("accounts-none", "00", "The memo log would name no signer."),
        ("accounts-both", "020100", "The memo log would name two signers."),
        ("accounts-twice", "020101", "The account list is exactly [1], without repetition."),
    ] {
        g.reject(name, "pub", [splice(MESSAGE, 134, "0101", new)], &rows::INSTRUCTION_ACCOUNTS, why);
    }
}
