//! The flat list of messages: `GET /messages.json`.

use assay_spec::network::query::MessageFilter;
use assay_spec::network::requirements::flat::{FINDS, FLAT};
use serde_json::{Value, json};

use super::call::Call;
use super::{State, deviations, listing, paging, record, variations};
use crate::core::Core;
use crate::exchange::Reply;
use crate::refusal::Refusal;

/// Lists messages flat. The document does not define a wrapper or pages; this simulator has both.
pub(super) fn list(state: &mut State, core: &mut Core, call: &Call<'_>) -> Result<Reply, Refusal> {
    let page = paging::read(core, &state.limits, &call.params)?;
    let dialect = core.dialect.clone();
    let mut filter = MessageFilter::of_flat(&dialect, &call.params, core)?;
    if core.varies(variations::SCORING_EXACT) {
        let exact = call.params.list("content_types");
        filter.content_types = filter.content_types.and(exact);
    }
    if core.varies(variations::EDGES) {
        filter.start = filter.start.map(|start| start.saturating_add(1));
        filter.end = filter.end.map(|end| end.saturating_add(1));
    }
    let replica = state.seen(core, call.site);
    let selection = listing::select(core, &replica.store, &filter);
    let total = deviations::finds(core, &FINDS, &filter, selection.total());
    let numbers = listing::shown(core, &selection, page, total)?;
    let items: Vec<Value> = numbers
        .into_iter()
        .map(|number| record::listed(core, &state.limits, &replica.store, number))
        .collect();
    let items = core.effect(&FLAT, items, |items, _| items.iter().map(wrap).collect());
    if core.varies(variations::FLAT_ARRAY) {
        let items = paging::order(core, items);
        return Ok(core.json(200, Value::Array(items)));
    }
    let list = paging::list(core, "messages", items, page, total);
    Ok(core.json(200, list))
}

fn wrap(record: &Value) -> Value {
    json!({ "status": "processed", "item_hash": record["item_hash"], "message": record })
}
