//! What a client sees of a node that is not reachable, or slow.

use crate::core::Core;
use crate::exchange::{ExchangeId, Reply, RequestHead, Site};
use crate::network::state::{State, Timer, set};

/// The response of a node that is not reachable. A world cannot refuse a connection, so it returns this.
pub(in crate::network) fn refuses(core: &Core, state: &State, head: &RequestHead) -> Option<Reply> {
    state.nodes.at_site(head.site)?.unreachable_from(head.peer)?;
    Some(core.text(503, "no such node"))
}

/// The response of a node, or `None` if a slow node sends it later.
pub(in crate::network) fn slowed(
    core: &mut Core,
    state: &State,
    exchange: ExchangeId,
    site: Site,
    reply: Reply,
) -> Option<Reply> {
    let slow_ms = state.nodes.at_site(site).map_or(0, |node| node.slow_ms);
    if slow_ms == 0 {
        return Some(reply);
    }
    set(core, core.now() + slow_ms, Timer::Slow(exchange, Box::new(reply)));
    None
}
