//! The endpoints of pins: content that the network keeps on request and serves by its hash.

use assay_spec::network::pin::READ;
use assay_spec::network::requirements::pins::UNKNOWN;
use bytes::Bytes;
use serde_json::{Value, json};

use super::files::{self, Content as Stored, FileName};
use crate::core::Core;
use crate::exchange::{Reply, Site};
use crate::network::call::Call;
use crate::network::sites;
use crate::network::state::{Replica, State};
use crate::refusal::Refusal;
use crate::seam::steps;
use crate::shape::record;

/// The maximum number of contents outside the network.
const ELSEWHERE: usize = 64;
const ELSEWHERE_BYTES: usize = 64 * 1024;

record! {
    /// The arguments of the action `content`.
    pub(in crate::network) struct Content {
        /// The content.
        text: String,
        /// Its media type; `text/plain` without it.
        content_type: Option<String>,
    }
}

/// The action `content`: content that the network does not have and can fetch once it is pinned.
pub(in crate::network) fn put_elsewhere(
    core: &mut Core,
    state: &mut State,
    Content { text, content_type }: Content,
) -> Result<Value, String> {
    if text.len() > ELSEWHERE_BYTES || state.elsewhere.len() >= ELSEWHERE {
        return Err(format!("the limit is {ELSEWHERE} contents of {ELSEWHERE_BYTES} bytes each"));
    }
    let bytes = Bytes::from(text);
    let hash = FileName::run(core, &bytes).map_err(|e| e.to_string())?;
    let content_type = content_type.as_deref().unwrap_or("text/plain").into();
    state.elsewhere.insert(hash.as_str().into(), (bytes, content_type));
    Ok(json!({ "hash": hash }))
}

/// Reads content by its hash.
pub(in crate::network) fn read(
    core: &mut Core,
    state: &mut State,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let replica = state.seen(core, call.site);
    let content = FindContent::run(core, &replica, call.capture(0), call.site)?;
    Ok(files::served(core, &READ, content))
}

steps! {
    FindContent(replica: &Replica, hash: &str, site: Site) -> Result<Stored, Refusal> = find;
}

/// The content with a hash, pinned or not.
pub(in crate::network) fn find(
    core: &mut Core,
    replica: &Replica,
    hash: &str,
    site: Site,
) -> Result<Stored, Refusal> {
    let file = replica.store.files.at(hash, sites::node(site), core.now());
    let file = file.ok_or_else(|| Refusal::new(&UNKNOWN, format!("no content {hash:.80}")))?;
    Ok(Stored { bytes: file.bytes.clone(), content_type: file.content_type.to_string() })
}
