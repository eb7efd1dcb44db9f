//! Pagination of every list: the positions of a page, and the pagination object.

use std::collections::BTreeSet;
use std::ops::Range;

use assay_spec::endpoint::Endpoint;
use assay_spec::network::paging::Page;
use assay_spec::network::params::Params;
use serde::Serialize;
use serde_json::{Value, json};

use super::limits::Limits;
use crate::core::Core;
use crate::exchange::Reply;
use crate::refusal::Refusal;
use crate::seam::{Answer, Body, steps};

/// A page of a list, as the reply to it knows it.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    /// The endpoint.
    pub(super) endpoint: &'static Endpoint,
    /// The name of the array.
    pub(super) name: &'static str,
    /// The requested page.
    pub(super) page: Page,
    /// The number of elements on the page.
    pub(super) returned: u64,
}

impl Listed {
    /// Whether the list is that of an endpoint.
    pub(super) fn is_of(&self, endpoint: &Endpoint) -> bool {
        std::ptr::eq(self.endpoint, endpoint)
    }
}

impl Answer<Listed> {
    /// Changes every element of the lists of an endpoint.
    pub(super) fn each(&mut self, endpoint: &Endpoint, edit: impl Fn(&mut Value)) {
        if !self.about.is_of(endpoint) {
            return;
        }
        let name = self.about.name;
        if let Body::Json(Value::Object(list)) = &mut self.body
            && let Some(Value::Array(items)) = list.get_mut(name)
        {
            items.iter_mut().for_each(edit);
        }
    }

    /// Lists only the first of the messages of a sender on a channel with one content.
    pub(super) fn without_duplicates(&mut self, endpoint: &Endpoint) {
        let mut shown = BTreeSet::new();
        let is_first = |item: &Value| {
            shown.insert(["sender", "channel", "content"].map(|member| item[member].to_string()))
        };
        let (is_of, name) = (self.about.is_of(endpoint), self.about.name);
        if let Body::Json(body) = &mut self.body
            && is_of
        {
            let items = if body.is_array() { body.as_array_mut() } else { body[name].as_array_mut() };
            if let Some(items) = items {
                items.retain(is_first);
            }
        }
    }

    /// Leaves the only element of a list of an endpoint out, if it is one of these.
    pub(super) fn hide_alone(&mut self, endpoint: &Endpoint, is_hidden: impl Fn(&Value) -> bool) {
        let Page { number, limit } = self.about.page;
        let (is_of, name) = (self.about.is_of(endpoint) && number == 1 && limit > 1, self.about.name);
        let Body::Json(body) = &mut self.body else { return };
        let items = if body.is_array() {
            body.as_array_mut()
        } else {
            body.get_mut(name).and_then(Value::as_array_mut)
        };
        if let Some(items) = items.filter(|items| is_of && items.len() == 1) {
            items.retain(|item| !is_hidden(item));
        }
    }

    /// Changes a member of the pagination object.
    pub(super) fn paginate(&mut self, member: &str, edit: impl FnOnce(&Value, &Listed) -> Value) {
        if let Body::Json(Value::Object(list)) = &mut self.body
            && let Some(value) = list.get_mut("pagination").and_then(|pagination| pagination.get_mut(member))
        {
            *value = edit(value, &self.about);
        }
    }

    /// Renames a member.
    pub(super) fn rename(&mut self, member: &str, other: &str) {
        if let Body::Json(Value::Object(list)) = &mut self.body {
            let renamed = |(name, value)| (if name == member { other.to_owned() } else { name }, value);
            *list = std::mem::take(list).into_iter().map(renamed).collect();
        }
    }

    /// Renames the array of the lists of an endpoint.
    pub(super) fn rename_array(&mut self, endpoint: &Endpoint, other: &str) {
        if self.about.is_of(endpoint) {
            self.rename(self.about.name, other);
        }
    }
}

/// Lists are sorted newest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// As they are sorted.
    NewestFirst,
    /// The reverse.
    OldestFirst,
}

steps! {
    ReadPage(limits: &Limits, params: &Params) -> Result<Page, Refusal> = read;
}

/// Reads `page` and `limit`.
pub(super) fn read(core: &mut Core, limits: &Limits, params: &Params) -> Result<Page, Refusal> {
    let sizes = core.limits(&limits.page_sizes());
    Ok(Page::parse(params, sizes, core)?)
}

steps! {
    Positions(page: Page, total: u64) -> Result<Range<u64>, Refusal> = positions;
}

/// The positions on a page of `total` elements, sorted newest first.
#[expect(clippy::unnecessary_wraps, reason = "what replaces this step may reject")]
pub(super) fn positions(_: &mut Core, page: Page, total: u64) -> Result<Range<u64>, Refusal> {
    Ok(page.range(total))
}

/// The positions on a page of `total` elements, in the order of the list.
pub(super) fn range(core: &mut Core, page: Page, total: u64) -> Result<Range<u64>, Refusal> {
    let range = Positions::run(core, page, total)?;
    Ok(match core.step(Order::NewestFirst) {
        Order::NewestFirst => range,
        Order::OldestFirst => total - range.end..total - range.start,
    })
}

/// A page of `found` (sorted newest first): the array `name` with its elements.
pub(super) fn page(
    core: &mut Core,
    endpoint: &'static Endpoint,
    name: &'static str,
    page: Page,
    found: &[impl Serialize],
) -> Result<Reply, Refusal> {
    let total = found.len() as u64;
    let range = range(core, page, total)?;
    let items = found[range.start as usize..range.end as usize].iter().map(|one| json!(one)).collect();
    Ok(list(core, endpoint, name, items, page, total))
}

/// A page of a list: the array `name` with `items` (chosen by [`range`]) and the pagination object.
pub(super) fn list(
    core: &mut Core,
    endpoint: &'static Endpoint,
    name: &'static str,
    items: Vec<Value>,
    page: Page,
    total: u64,
) -> Reply {
    let about = Listed { endpoint, name, page, returned: items.len() as u64 };
    let items = Arrange::run(core, items);
    let list = json!({ name: items, "pagination": page.pagination(total) });
    core.reply(Answer::new(about, 200, Body::Json(list)))
}

steps! {
    Arrange(items: Vec<Value>) -> Vec<Value> = arrange;
}

/// The items of a page, in the order in which they are returned.
pub(super) fn arrange(core: &mut Core, mut items: Vec<Value>) -> Vec<Value> {
    if core.step(Order::NewestFirst) == Order::OldestFirst {
        items.reverse();
    }
    items
}
