//! Pins: content that the network keeps on request and serves by its hash.

use std::sync::Arc;

use assay_spec::network::message::MessageType;
use assay_spec::network::pin::Pin;
use assay_spec::network::requirements::pins::{CONTENT, CONTENT_TYPE, PINNED, UNKNOWN};
use assay_spec::network::storage::DEFAULT_CONTENT_TYPE;
use bytes::Bytes;
use imbl::OrdMap;
use serde::Deserialize;
use serde_json::{Value, json};

use super::call::Call;
use super::{State, actions, create, sites, storage, variations};
use crate::core::Core;
use crate::exchange::Reply;
use crate::refusal::Refusal;

/// Handles a pin.
pub(super) fn pin(state: &mut State, core: &mut Core, call: &Call<'_>) -> Result<Reply, Refusal> {
    create::plainly(state, core, call, MessageType::IpfsPin, &PINNED)
}

/// Applies a valid pin: content that the network has, or can fetch from elsewhere, is kept.
pub(super) fn apply(state: &mut State, pin: &Pin) {
    let hash = pin.hash.as_str();
    let files = &mut state.primary.store.files;
    if files.find(hash).is_none()
        && let Some((bytes, content_type)) = state.elsewhere.get(hash)
    {
        files.put(hash, bytes.clone(), content_type);
    }
    if state.primary.derived.pins.insert(hash.into()).is_none() {
        files.keep(hash);
    }
}

/// Content outside the network, by hash: its bytes and its content type.
pub(super) type Elsewhere = OrdMap<Arc<str>, (Bytes, Arc<str>)>;

/// The maximum number of such contents.
const ELSEWHERE: usize = 64;
const ELSEWHERE_BYTES: usize = 64 * 1024;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    text: String,
    content_type: Option<String>,
}

/// The action `content`: content that the network does not have and can fetch once it is pinned.
pub(super) fn put_elsewhere(state: &mut State, core: &Core, arguments: &Value) -> Result<Value, String> {
    let Content { text, content_type } = actions::read("content", arguments)?;
    if text.len() > ELSEWHERE_BYTES || state.elsewhere.len() >= ELSEWHERE {
        return Err(format!("the limit is {ELSEWHERE} contents of {ELSEWHERE_BYTES} bytes each"));
    }
    let bytes = Bytes::from(text);
    let hash = storage::name(core, &bytes).map_err(|e| e.to_string())?;
    let content_type = content_type.as_deref().unwrap_or("text/plain").into();
    state.elsewhere.insert(hash.as_str().into(), (bytes, content_type));
    Ok(json!({ "hash": hash }))
}

/// Reads content by its hash.
pub(super) fn read(state: &mut State, core: &mut Core, call: &Call<'_>) -> Result<Reply, Refusal> {
    let (hash, now, node) = (call.capture(0), core.now(), sites::node(call.site));
    let replica = state.seen(core, call.site);
    let served = !core.varies(variations::PINNED_ALONE) || replica.derived.pins.contains(hash);
    let Some(file) = replica.store.files.at(hash, node, now).filter(|_| served) else {
        core.require(&UNKNOWN, false, || format!("no content {hash:.80}"))?;
        return Ok(Reply::new(200, DEFAULT_CONTENT_TYPE, Bytes::new()));
    };
    let bytes = core.effect(&CONTENT, file.bytes.clone(), |bytes, _| [&bytes[..], b"\n"].concat().into());
    let content_type =
        core.effect(&CONTENT_TYPE, file.content_type.to_string(), |_, _| "application/x-content".to_owned());
    Ok(storage::served(bytes, content_type))
}
