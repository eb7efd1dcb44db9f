//! The list of messages: `GET /messages`.

use assay_spec::network::query::MessageFilter;
use assay_spec::network::requirements::listing::{CONTENT_KEYS, FINDS, LISTED, TAGS};
use assay_spec::{Gate, Id, Refused};
use serde_json::Value;

use super::call::Call;
use super::refusal::Refusal;
use super::store::Selection;
use super::{State, deviations, paging, record};
use crate::core::Core;
use crate::world::Reply;

/// Lists messages in pages.
pub(super) fn list(state: &mut State, core: &mut Core, call: &Call<'_>) -> Result<Reply, Refusal> {
    let page = paging::read(core, &call.params)?;
    let parameters: [(&str, Id); 2] = [("tags", &TAGS), ("content.keys", &CONTENT_KEYS)];
    for (name, rule) in parameters {
        if call.params.text(name).is_some() && core.lapse(rule).is_some() {
            return Err(Refused { rule, why: format!("{name} is not taken") }.into());
        }
    }
    let filter = MessageFilter::of_list(&call.params, core);
    let replica = state.seen(core, call.site);
    let selection = replica.store.select(&filter);
    let total = deviations::finds(core, &FINDS, &filter, selection.total());
    let numbers = shown(core, &selection, page, total)?;
    let items: Vec<Value> = numbers
        .into_iter()
        .map(|number| record::listed(core, &state.limits, &replica.store, number))
        .collect();
    let name = core.effect(&LISTED, "messages", |_, _| "items");
    let list = paging::list(state, core, name, items, page, total);
    Ok(core.json(200, list))
}

/// The numbers on a page.
pub(super) fn shown(
    core: &mut Core,
    selection: &Selection<'_>,
    page: assay_spec::network::paging::Page,
    total: u64,
) -> Result<Vec<super::store::Number>, Refusal> {
    let range = paging::range(core, page, total)?;
    Ok(selection.at(range))
}
