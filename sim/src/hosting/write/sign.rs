//! Turns a message into a signed request.

use assay_spec::Rules;
use assay_spec::Strict;
use assay_spec::crypto::text::{hex, parse_hex};
use assay_spec::hosting::requirements::records;
use assay_spec::network::envelope::{body, message_text};
use assay_spec::network::message::{self, MessageType};
use assay_spec::network::signing::{sign_record, sign_text};
use serde_json::Value;

use super::Sent;
use crate::core::Core;
use crate::hosting::keys::Secret;
use crate::hosting::variations;

/// A message before it is signed.
pub(super) struct Draft<'a> {
    /// The type.
    pub(super) kind: MessageType,
    /// The channel; empty for the channel of records.
    pub(super) channel: &'a str,
    /// The content.
    pub(super) content: Value,
    /// The signer.
    pub(super) sender: &'a Secret,
    /// The message's timestamp.
    pub(super) time_s: i64,
    /// Whether it is signed like a request instead of a record.
    pub(super) as_request: bool,
}

/// A signed record. The deviation about signatures uses another scheme that the network also accepts.
pub(super) fn signed(core: &mut Core, draft: Draft<'_>) -> Sent {
    let deviates = core.violated(&records::SIGNATURE).is_some();
    carried(core, &Draft { as_request: draft.as_request || deviates, ..draft })
}

/// A signed message, without the deviation about signatures.
pub(super) fn carried(core: &Core, draft: &Draft<'_>) -> Sent {
    let Draft { kind, channel, content, sender, time_s, as_request } = draft;
    let channel = if channel.is_empty() { &core.dialect.records_channel } else { *channel };
    let text = message_text("ETH", Some(channel), kind.name(), *time_s, content, None);
    let as_record = if *as_request { None } else { sign_record(&sender.key(), &text, &mut Strict).ok() };
    let signature = as_record.unwrap_or_else(|| sign_text(&sender.key(), text.as_bytes()));
    let signature = in_other_form(core, &signature);
    Sent {
        target: message::CREATE.path.to_owned(),
        content_type: "application/json",
        body: body(&text, &signature, &sender.address()).into(),
        time_s: *time_s,
        entry: None,
    }
}

/// The same signature in the form of the active variations.
fn in_other_form(core: &Core, signature: &str) -> String {
    let digits = signature.trim_start_matches("0x");
    let mut bytes = parse_hex(digits).unwrap_or_default();
    if core.varies(variations::SIGNATURE_BIT)
        && let Some(v) = bytes.last_mut()
    {
        *v -= 27;
    }
    let digits = hex(&bytes);
    if core.varies(variations::SIGNATURE_BARE) { digits } else { format!("0x{digits}") }
}
