//! Values that several generators share: one site, its keys, one prepared transaction.

use assay_spec::crypto::ed25519::parse_address;
use assay_spec::publish::message::Message;
use assay_spec::publish::record::Record;
use assay_spec::{Dialect, Instant};

use crate::generate::keys::{bytes, key};

/// 2026-03-04T05:06:07.089Z.
pub(in crate::generate) const NOW: Instant = Instant(1_772_600_767_089);
/// 9999-12-31T23:59:59.999Z: the last instant with a four-digit year.
pub(in crate::generate) const LAST: Instant = Instant(253_402_300_799_999);
/// The domain of the site.
pub(in crate::generate) const SITE: &str = "site.example";
/// A content identifier.
pub(in crate::generate) const CID: &str = "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi";
/// Both time windows last ten minutes.
pub(in crate::generate) const WINDOW: i64 = 600_000;

/// The transaction message that carries `record` for the client.
pub(in crate::generate) fn prepared(record: Vec<u8>) -> Message {
    let memo = parse_address(&Dialect::default().memo_program).expect("the dialect holds an address");
    let public = |name: &str| key(name).verifying_key().to_bytes();
    Message::publishing(public("fee payer"), public("client"), memo, bytes("blockhash"), record)
}

/// The bytes of a record.
pub(in crate::generate) fn text(record: &Record) -> Vec<u8> {
    record.encode(&Dialect::default())
}

/// A transaction signature in the chain's notation. No case verifies it.
pub(in crate::generate) fn transfer_id() -> String {
    bs58::encode([bytes("transfer 1"), bytes("transfer 2")].concat()).into_string()
}
