//! The list of messages: `GET /messages`.

use assay_spec::endpoint::Endpoint;
use assay_spec::network::mistakes::listing::{CONTENT_KEYS, TAGS};
use assay_spec::network::paging::Page;
use assay_spec::network::params::Params;
use assay_spec::network::query::{LIST, MessageFilter};
use assay_spec::network::requirements::{flat, listing};
use assay_spec::network::store::Status;
use serde_json::Value;

use super::record;
use crate::core::Core;
use crate::exchange::Reply;
use crate::network::call::Call;
use crate::network::paging::{self, ReadPage};
use crate::network::state::{Replica, State};
use crate::network::store::{Selection, Store};
use crate::refusal::Refusal;

/// A query of `GET /messages`.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::network) struct ListQuery {
    /// Its parameters.
    pub(in crate::network) params: Params,
    /// Its filters.
    pub(in crate::network) filter: MessageFilter,
}

/// The messages that a query of a list finds.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::network) struct Total {
    /// The list.
    pub(in crate::network) endpoint: &'static Endpoint,
    /// Its filters.
    pub(in crate::network) filter: MessageFilter,
    /// How many there are.
    pub(in crate::network) count: u64,
}

/// Lists show messages with these statuses.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::network) struct Shown(pub(in crate::network) &'static [Status]);

/// Lists messages in pages.
pub(in crate::network) fn list(
    core: &mut Core,
    state: &mut State,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let page = ReadPage::run(core, &state.limits, &call.params)?;
    core.accept(&TAGS, &call.params)?;
    core.accept(&CONTENT_KEYS, &call.params)?;
    let (params, filter) = (call.params.clone(), MessageFilter::of_list(&call.params));
    let ListQuery { filter, .. } = core.step(ListQuery { params, filter });
    let replica = state.seen(core, call.site);
    messages(core, state, &replica, &LIST, filter, page)
}

/// The page of the messages that a filter selects.
pub(in crate::network) fn messages(
    core: &mut Core,
    state: &State,
    replica: &Replica,
    endpoint: &'static Endpoint,
    filter: MessageFilter,
    page: Page,
) -> Result<Reply, Refusal> {
    let selection = select(core, &replica.store, &filter);
    let count = selection.total();
    let Total { count, .. } = core.step(Total { endpoint, filter, count });
    let range = paging::range(core, page, count)?;
    let numbers = selection.at(range).into_iter();
    let mut items: Vec<Value> =
        numbers.map(|number| record::listed(core, &state.limits, &replica.store, number)).collect();
    let row = if *endpoint == LIST { &listing::AS_SENT } else { &flat::AS_SENT };
    for record in &mut items {
        core.keep_each(row, &mut record["content"]);
    }
    Ok(paging::list(core, endpoint, "messages", items, page, count))
}

/// The messages that a filter selects.
fn select<'a>(core: &mut Core, store: &'a Store, filter: &MessageFilter) -> Selection<'a> {
    let selection = store.select(filter);
    let Shown(statuses) = core.step(Shown(&Status::ALL));
    if statuses == Status::ALL {
        return selection;
    }
    let mut shown = selection.at(0..selection.total());
    shown.retain(|number| statuses.contains(&record::status(store.state(*number))));
    Selection::Numbers(shown)
}
