//! Pagination of every list: the positions of a page, and the pagination object.

use std::ops::Range;

use assay_spec::network::paging::Page;
use assay_spec::network::params::Params;
use assay_spec::network::requirements::paging::{
    INTEGERS, MAXIMUM, NAMED, ODD_VALUES, PAGE, PAGES, PAST_END, PER_PAGE, TOTAL, TOTAL_PAGES,
};
use assay_spec::{Refused, Rules};
use serde_json::{Value, json};

use super::limits::Limits;
use super::variations;
use crate::core::Core;
use crate::exchange::Reply;
use crate::refusal::Refusal;

/// Reads `page` and `limit`.
pub(super) fn read(core: &mut Core, limits: &Limits, params: &Params) -> Result<Page, Refusal> {
    let sizes = limits.page_sizes();
    let too_many =
        params.text("limit").and_then(|limit| limit.parse::<u64>().ok()).is_some_and(|n| n > sizes.maximum);
    if too_many && core.varies(variations::LIMIT_400) && core.violated(&MAXIMUM).is_none() {
        return Err(Refusal::new(&MAXIMUM, "`limit` is above the maximum"));
    }
    match Page::parse(params, sizes, core) {
        Err(Refused { rule, .. }) if rule == &ODD_VALUES && core.varies(variations::ODD_PAGES) => {
            Ok(Page::parse(&Params::default(), sizes, core)?)
        }
        parsed => Ok(parsed?),
    }
}

/// The positions on a page of `total` elements, sorted newest first.
pub(super) fn range(core: &mut Core, page: Page, total: u64) -> Result<Range<u64>, Refusal> {
    let range = page.range(total, core);
    if total > 0 && page.skip() >= total && range.is_empty() && core.varies(variations::PAST_END_404) {
        return Err(Refusal::new(&PAST_END, format!("page {} of {total} elements", page.number)));
    }
    let overlapping = range.start.saturating_sub(1)..range.end.saturating_sub(1).max(range.start);
    let inner = page.number > 1 && !range.is_empty();
    let range = core.effect(&PAGES, range, |range, _| if inner { overlapping } else { range });
    Ok(if core.varies(variations::ASCENDING) { total - range.end..total - range.start } else { range })
}

/// A page of `found` (sorted newest first): the array `name`, with each element as returned by `show`.
pub(super) fn page<T>(
    core: &mut Core,
    name: &str,
    page: Page,
    found: &[T],
    show: impl Fn(&mut Core, &T) -> Value,
) -> Result<Reply, Refusal> {
    let total = found.len() as u64;
    let range = range(core, page, total)?;
    let on_page = &found[range.start as usize..range.end as usize];
    let items = on_page.iter().map(|one| show(core, one)).collect();
    let list = list(core, name, items, page, total);
    Ok(core.json(200, list))
}

/// A page of a list: the array `name` with `items` (newest first, chosen by [`range`]) and the pagination
/// object.
pub(super) fn list(core: &mut Core, name: &str, items: Vec<Value>, page: Page, total: u64) -> Value {
    let returned = items.len() as u64;
    let items = order(core, items);
    let mut list = serde_json::Map::new();
    list.insert(name.to_owned(), Value::Array(items));
    let beside = core.effect(&NAMED, "pagination", |_, _| "page_info");
    list.insert(beside.to_owned(), pagination(core, page, total, returned));
    Value::Object(list)
}

/// The items of a page, in the order in which they are returned.
pub(super) fn order(core: &mut Core, mut items: Vec<Value>) -> Vec<Value> {
    if core.varies(variations::ASCENDING) {
        items.reverse();
    }
    if core.varies(variations::SHUFFLED) {
        let draw = core.rng.draw("network.unstable", b"", core.current);
        for at in (1..items.len()).rev() {
            items.swap(at, draw[at % draw.len()] as usize % (at + 1));
        }
    }
    items
}

/// The pagination object.
fn pagination(core: &mut Core, page: Page, total: u64, returned: u64) -> Value {
    let mut conforming = page.pagination(total);
    if total == 0 && core.varies(variations::EMPTY_PAGE) {
        conforming.total_pages = 1;
    }
    conforming.per_page = core.effect(&PER_PAGE, conforming.per_page, |_, _| returned.saturating_sub(1));
    conforming.page = core.effect(&PAGE, conforming.page, |page, _| page - 1);
    conforming.total = core.effect(&TOTAL, conforming.total, |_, _| returned);
    conforming.total_pages = core.effect(&TOTAL_PAGES, conforming.total_pages, |pages, _| pages + 1);
    let mut written = json!(conforming);
    if core.violated(&INTEGERS).is_some() {
        written["total_pages"] = json!(conforming.total_pages.to_string());
    }
    written
}
