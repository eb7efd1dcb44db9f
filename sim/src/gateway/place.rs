//! Where the gateway is: the endpoint, and whether the request asks for a stream. Handlers do not ask.

use assay_spec::gateway::discovery;
use assay_spec::gateway::places::{STREAM, WHOLE};
use assay_spec::{Place, catalogue};

use super::call::Call;
use super::route::Pending;
use super::stream::Stream;
use super::{GATEWAY, State, Timer, wants_stream};
use crate::core::Core;
use crate::exchange::Site;
use crate::services::Occasion;

/// Where the gateway is on this occasion.
pub(super) fn find(core: &Core, state: &State, occasion: &Occasion<'_, Timer>) -> Place {
    if let Occasion::Timer(timer) = occasion {
        let call = match timer {
            Timer::FirstByte(exchange) => state.pending.get(exchange).map(Pending::call),
            Timer::Frame(exchange) => state.streams.get(exchange).map(Stream::call),
            Timer::Health => None,
        };
        return call.map_or(Place::ANY, of_call);
    }
    let Some(head) = occasion.head() else { return Place::ANY };
    let path = head.target.split('?').next().unwrap_or_default();
    let Site { service, name, .. } = head.site;
    let found = catalogue::endpoint_at(&core.dialect, service, name, head.method.as_str(), path);
    // Only the gateway lists the servers.
    let found = found.filter(|endpoint| head.site == GATEWAY || endpoint.name != discovery::ENDPOINT.name);
    let Some(endpoint) = found else { return Place::ANY };
    let place = Place::at(endpoint.name);
    match occasion {
        Occasion::Request(request) if endpoint.method == "POST" => place.op(asked(wants_stream(request))),
        _ => place,
    }
}

fn of_call(call: &Call) -> Place {
    Place::at(call.family.name()).op(asked(call.stream))
}

fn asked(stream: bool) -> &'static str {
    if stream { STREAM } else { WHOLE }
}
