//! The flat list of messages: `GET /messages.json`.

use assay_spec::network::params::Params;
use assay_spec::network::query::{FLAT, MessageFilter};

use super::call::Call;
use super::listing;
use super::mirror::Seen;
use super::paging::ReadPage;
use super::state::State;
use crate::core::Core;
use crate::exchange::Reply;
use crate::refusal::Refusal;

/// A query of `GET /messages.json`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FlatQuery {
    /// Its parameters.
    pub(super) params: Params,
    /// Its filters.
    pub(super) filter: MessageFilter,
}

/// Lists messages flat. The document does not define a wrapper or pages; this simulator has both.
pub(super) fn list(state: &mut State, core: &mut Core, call: &Call<'_>) -> Result<Reply, Refusal> {
    let page = ReadPage::run(core, &state.limits, &call.params)?;
    let filter = MessageFilter::of_flat(&core.dialect, &call.params)?;
    let FlatQuery { filter, .. } = core.step(FlatQuery { params: call.params.clone(), filter });
    let replica = Seen::run(core, state, call.site);
    listing::messages(state, core, &replica, &FLAT, filter, page)
}
