//! A list as the services beside the network return it.

use serde_json::{Value, json};

use crate::core::Core;
use crate::exchange::Reply;
use crate::seam::{Answer, Body};

/// A list, as the reply knows it.
#[derive(Clone, Debug)]
pub(in crate::network) struct Named(pub(in crate::network) &'static str);

/// A list as a named member.
pub(super) fn answer(
    core: &mut Core,
    name: &'static str,
    items: &[Value],
    pagination: Option<Value>,
) -> Reply {
    let mut body = json!({ name: items });
    if let Some(pagination) = pagination {
        body["pagination"] = pagination;
    }
    core.reply(Answer::new(Named(name), 200, Body::Json(body)))
}
