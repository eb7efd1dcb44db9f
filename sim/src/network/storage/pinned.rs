//! What a pin changes: content is kept.

use assay_spec::network::pin::Pin;

use crate::network::state::State;

/// Applies a valid pin: content that the network has, or can fetch from elsewhere, is kept.
pub(in crate::network) fn apply(state: &mut State, pin: &Pin) {
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
