//! The list of messages: `GET /messages`.

use assay_spec::network::paging::Page;
use assay_spec::network::query::MessageFilter;
use assay_spec::network::requirements::listing::{CONTENT_KEYS, FINDS, LISTED, TAGS};
use assay_spec::{Id, Rules};
use serde_json::Value;

use super::call::Call;
use super::store::{Number, Selection, Store};
use super::{State, deviations, paging, record, variations};
use crate::core::Core;
use crate::exchange::Reply;
use crate::refusal::Refusal;

/// Lists messages in pages.
pub(super) fn list(state: &mut State, core: &mut Core, call: &Call<'_>) -> Result<Reply, Refusal> {
    let page = paging::read(core, &state.limits, &call.params)?;
    let parameters: [(&str, Id); 2] = [("tags", &TAGS), ("content.keys", &CONTENT_KEYS)];
    for (name, rule) in parameters {
        if call.params.text(name).is_some() && core.violated(rule).is_some() {
            return Err(Refusal::new(rule, format!("`{name}` is rejected")));
        }
    }
    let mut filter = MessageFilter::of_list(&call.params, core);
    if core.varies(variations::FILTERS_PASSED_OVER) {
        (filter.tags, filter.content_key) = (None, None);
    }
    let replica = state.seen(core, call.site);
    let selection = select(core, &replica.store, &filter);
    let total = deviations::finds(core, &FINDS, &filter, selection.total());
    let numbers = shown(core, &selection, page, total)?;
    let items: Vec<Value> = numbers
        .into_iter()
        .map(|number| record::listed(core, &state.limits, &replica.store, number))
        .collect();
    let name = core.effect(&LISTED, "messages", |_, _| "items");
    let list = paging::list(core, name, items, page, total);
    Ok(core.json(200, list))
}

/// The messages that a filter selects.
pub(super) fn select<'a>(core: &Core, store: &'a Store, filter: &MessageFilter) -> Selection<'a> {
    let selection = store.select(filter);
    if !core.varies(variations::LISTS_LIVE) {
        return selection;
    }
    let mut live = selection.at(0..selection.total());
    live.retain(|number| record::status(store.state(*number)).is_live());
    Selection::Numbers(live)
}

/// The numbers of the messages on a page.
pub(super) fn shown(
    core: &mut Core,
    selection: &Selection<'_>,
    page: Page,
    total: u64,
) -> Result<Vec<Number>, Refusal> {
    let range = paging::range(core, page, total)?;
    Ok(selection.at(range))
}
