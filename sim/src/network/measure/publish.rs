//! What the program writes to the network: once, the aggregate and the file that it reads from core nodes;
//! every hour, the results.

use std::sync::Arc;

use assay_spec::crypto::address::Address;
use assay_spec::crypto::secp256k1::{SigningKey, key_from_secret};
use assay_spec::crypto::text::hex;
use assay_spec::network::envelope::{Envelope, body, message_text};
use assay_spec::network::limits::FILE_PROBE;
use assay_spec::network::measurement;
use assay_spec::network::message::{Message, MessageType};
use assay_spec::network::signing::sign_text;
use assay_spec::{Dialect, Strict};
use bytes::Bytes;
use imbl::Vector;
use serde_json::{Map, Value, json};

use super::program::Fixtures;
use super::record::{Measured, Record};
use crate::core::Core;
use crate::network::messages::create;
use crate::network::state::State;
use crate::network::storage::files::FileName;
use crate::refusal::Refusal;

/// The number of members of the large aggregate.
const MEMBERS: u64 = 128;
/// The key of the large aggregate.
const KEY: &str = "measured";

/// The messages of an hour.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::network) struct Hourly {
    /// The number of the hour.
    pub(in crate::network) number: u64,
    /// Its results.
    pub(in crate::network) results: Vector<Arc<Measured>>,
    /// The dialect of the network.
    pub(in crate::network) dialect: Arc<Dialect>,
    /// The type of its messages.
    pub(in crate::network) kind: MessageType,
    /// Their contents.
    pub(in crate::network) contents: Vec<Value>,
}

impl Hourly {
    /// Sets a member of each content.
    pub(in crate::network) fn set(&mut self, member: &str, value: &Value) {
        for content in &mut self.contents {
            content[member] = value.clone();
        }
    }
}

/// The publisher's address.
pub(super) fn address(core: &Core) -> String {
    Address::from_key(&key(core)).to_string()
}

fn key(core: &Core) -> SigningKey {
    let mut draws = (0..).map(|n| core.rng.draw("network.publisher", b"", n));
    draws.find_map(|secret| key_from_secret(&secret)).expect("nearly every draw is a valid key")
}

/// Writes what the program will read, unless it exists already.
pub(super) fn prepare(core: &mut Core, state: &mut State) -> Result<(), String> {
    if state.measure.fixtures.is_some() {
        return Ok(());
    }
    let fixtures =
        write(core, state).map_err(|refusal| format!("the program cannot write: {}", refusal.refused))?;
    state.measure.fixtures = Some(fixtures);
    Ok(())
}

fn write(core: &mut Core, state: &mut State) -> Result<Fixtures, Refusal> {
    let (address, time) = (address(core), core.now().seconds());
    let channel = core.dialect.scoring_channel.clone();
    let draw = |stream, n| core.rng.draw(stream, b"", n);

    let members = (0..MEMBERS).map(|n| (format!("member-{n}"), json!(hex(&draw("network.measured", n)))));
    let members: Map<String, Value> = members.collect();
    let aggregate = json!({ "key": KEY, "address": address, "content": members, "time": time });
    let aggregate = signed(core, MessageType::Aggregate, &channel, &aggregate)?;

    let file: Vec<u8> =
        (0..).flat_map(|n| draw("network.measured-file", n)).take(FILE_PROBE.usize()).collect();
    let file = Bytes::from(file);
    let cid = FileName::run(core, &file)?;
    let content = json!({ "address": address, "item_hash": cid, "item_type": "ipfs", "time": time });
    let store = signed(core, MessageType::Store, &channel, &content)?;

    create::store(core, state, &aggregate)?;
    // The file must be there before the message that keeps it is validated.
    state.primary.store.files.put(&cid, file, "application/octet-stream");
    create::store(core, state, &store)?;
    Ok(Fixtures { address, key: KEY, file: cid, message: store.item_hash.to_string() })
}

/// Publishes the results of an hour as one message.
pub(super) fn hour(core: &mut Core, state: &mut State, number: u64, results: &Vector<Arc<Measured>>) {
    let (mut of_core, mut of_compute) = (Vec::new(), Vec::new());
    for measured in results {
        match &measured.record {
            Record::Core(record) => of_core.push(record.clone()),
            Record::Compute(record) => of_compute.push(record.clone()),
        }
    }
    let (dialect, address, now) = (core.dialect.clone(), address(core), core.now());
    let content = measurement::content(&dialect, &address, now.seconds(), &of_core, &of_compute);
    let (results, kind) = (results.clone(), MessageType::Post);
    let hourly =
        core.step(Hourly { number, results, dialect: dialect.clone(), kind, contents: vec![content] });
    for content in hourly.contents {
        let message = signed(core, hourly.kind, &dialect.scoring_channel, &content);
        let stored = message.and_then(|message| create::store(core, state, &message));
        if let Err(refusal) = stored {
            // The network is full: this hour has no message.
            core.refuse(&refusal.refused);
        }
    }
}

/// A signed message of the publisher, parsed as any node would parse it. It has no nonce, so that a reader of
/// the record can rebuild what was signed.
fn signed(core: &Core, kind: MessageType, channel: &str, content: &Value) -> Result<Message, Refusal> {
    let now = core.now();
    let text = message_text("ETH", Some(channel), kind.name(), now.seconds(), content, None);
    let envelope = body(&text, &sign_text(&key(core), text.as_bytes()), &address(core));
    let envelope = Envelope::parse(&core.dialect, envelope.as_bytes(), Some(kind), now, &mut Strict)?;
    Ok(envelope.message())
}
