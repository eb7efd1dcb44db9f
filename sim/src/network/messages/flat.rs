//! The flat list of messages: `GET /messages.json`.

use assay_spec::network::params::Params;
use assay_spec::network::query::{FLAT, MessageFilter};

use super::listing;
use crate::core::Core;
use crate::exchange::Reply;
use crate::network::call::Call;
use crate::network::paging::ReadPage;
use crate::network::state::State;
use crate::refusal::Refusal;

/// A query of `GET /messages.json`.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::network) struct FlatQuery {
    /// Its parameters.
    pub(in crate::network) params: Params,
    /// Its filters.
    pub(in crate::network) filter: MessageFilter,
}

/// Lists messages flat. The document does not define a wrapper or pages; this simulator has both.
pub(in crate::network) fn list(
    core: &mut Core,
    state: &mut State,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let page = ReadPage::run(core, &state.limits, &call.params)?;
    let filter = MessageFilter::of_flat(&core.dialect, &call.params)?;
    let FlatQuery { filter, .. } = core.step(FlatQuery { params: call.params.clone(), filter });
    let replica = state.seen(core, call.site);
    listing::messages(core, state, &replica, &FLAT, filter, page)
}
