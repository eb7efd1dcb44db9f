//! Stores many messages from many senders at once, for measurements and for paging through long lists.

use assay_spec::crypto::text::{hex, prefixed_hex};
use assay_spec::instant::DAY;
use assay_spec::network::message::{Draft, MessageType};
use serde_json::{Value, json};

use super::create;
use crate::core::Core;
use crate::network::state::State;
use crate::shape::{Whole, record};

/// The maximum number of messages per action.
const MESSAGES: u64 = 1_000_000;
/// The timestamps are spread over this many days, the newest last.
const DAYS: i64 = 30;

record! {
    /// The arguments of the action.
    pub(in crate::network) struct Fill {
        /// The number of messages.
        messages: Whole<1, MESSAGES>,
        /// The number of senders, at most one for each message; 1 without it.
        addresses: Whole<1, MESSAGES> = Whole(1),
    }
}

/// Stores POSTs without valid signatures; everything else is done as for a message sent over HTTP. Returns
/// the addresses of the first and the last sender and the hashes of the first and the last message.
pub(in crate::network) fn perform(
    core: &mut Core,
    state: &mut State,
    Fill { messages: Whole(messages), addresses: Whole(addresses) }: Fill,
) -> Result<Value, String> {
    let (messages, addresses) = (messages as u32, addresses as u32);
    if addresses > messages {
        return Err(format!("arguments.addresses: must be at most {messages}, the number of messages"));
    }
    let begin = state.primary.store.len() as u64;
    let now = core.now();
    let mut ends = Vec::new();
    for n in 0..messages {
        let key = begin + u64::from(n);
        let ago_ms = DAYS * DAY / i64::from(messages) * i64::from(messages - n);
        let sender = address(begin, n % addresses);
        let content = json!({
            "address": sender,
            "type": format!("note{}", key % 10),
            "tags": [format!("tag{}", key % 100)],
            "content": { "n": key, "text": hex(&core.rng.draw("network.fill", b"text", key)[..16]) },
            "time": (now - ago_ms).seconds(),
        });
        let draw = core.rng.draw("network.fill", b"signature", key);
        let signature = prefixed_hex(&[&draw[..], &draw, &[27]].concat());
        let draft = Draft {
            chain: "ETH",
            sender: &sender,
            kind: MessageType::Post,
            channel: &format!("CHANNEL{}", key % 20),
            timestamp: (now - ago_ms).seconds(),
            content: &content.to_string(),
        };
        let message = draft.signed(&signature);
        let number = create::store(core, state, &message).map_err(|refusal| refusal.refused.to_string())?;
        if n == 0 || n + 1 == messages {
            ends.push((sender, state.primary.store.stored(number).hash().text(core)));
        }
    }
    let [first, last] = [&ends[0], &ends[ends.len() - 1]];
    Ok(json!({
        "messages": state.primary.store.len(),
        "first": { "address": first.0, "item_hash": first.1 },
        "last": { "address": last.0, "item_hash": last.1 },
    }))
}

/// An address that belongs to no key.
fn address(begin: u64, n: u32) -> String {
    format!("0x{begin:020x}{n:020x}")
}
