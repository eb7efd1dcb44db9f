//! Where the exchange is: the endpoint, the operation, and the state of the domain. Handlers do not ask.

use assay_spec::publish::envelope::Envelope;
use assay_spec::publish::machines::BindingState;
use assay_spec::publish::places::OPS;
use assay_spec::publish::record::RecordKind;
use assay_spec::publish::{prepare, submit};
use assay_spec::{Place, Strict};
use http::header::AUTHORIZATION;
use serde_json::{Map, Value};

use super::{Prepare, SITES, State, Timer};
use crate::core::Core;
use crate::exchange::Request;
use crate::services::Occasion;

/// Where the exchange is on this occasion.
pub(super) fn find(core: &Core, state: &State, occasion: &Occasion<'_, Timer>) -> Place {
    match occasion {
        Occasion::Request(request) if request.head.site == SITES[1] => Place::at("chain"),
        Occasion::Request(request) => of_request(core, state, request),
        Occasion::Begin(_) | Occasion::Action(_) => Place::ANY,
        Occasion::Timer(timer) => match timer {
            Timer::Lifetime(id) | Timer::Lock(id) | Timer::Forget(id) => {
                of_prepare(state, prepare::ENDPOINT.name, id)
            }
            Timer::Land(id) | Timer::Reject(id) | Timer::Blockhash(id) | Timer::Ceiling(id) => {
                of_prepare(state, submit::ENDPOINT.name, id)
            }
            Timer::Unlock(..) | Timer::Sweep => Place::ANY,
        },
    }
}

fn of_prepare(state: &State, endpoint: &'static str, id: &str) -> Place {
    let op = state.prepares.get(id).map_or("", |prepare| op_of(prepare));
    Place::at(endpoint).op(op)
}

fn op_of(prepare: &Prepare) -> &'static str {
    match prepare.wanted.kind() {
        RecordKind::Pub => OPS[0],
        RecordKind::Transfer => OPS[1],
        RecordKind::Accept => OPS[2],
    }
}

/// A path as some routers read it: without letter case, escapes, doubled slashes and a slash at its end.
pub(super) fn normal(path: &str) -> String {
    let decoded = percent_encoding::percent_decode_str(path).decode_utf8_lossy().to_lowercase();
    let segments = decoded.split('/').filter(|segment| !segment.is_empty());
    segments.map(|segment| format!("/{segment}")).collect()
}

/// A body that cannot be read, or says nothing else, is that of a publish.
fn of_request(core: &Core, state: &State, request: &Request) -> Place {
    let known = [prepare::ENDPOINT.name, submit::ENDPOINT.name];
    let sent = normal(request.path());
    let at = [prepare::ENDPOINT.path, submit::ENDPOINT.path].iter().position(|path| *path == sent);
    let Some(endpoint) = at.map(|at| known[at]) else { return Place::ANY };
    let body: Map<String, Value> = serde_json::from_slice(&request.body).unwrap_or_default();
    let member = |name: &str| body.get(name).and_then(Value::as_str);
    let submitted = member("prepareId").and_then(|id| state.prepares.get(id));
    let named = OPS.iter().find(|op| member("op") == Some(op)).copied();
    // A submit says only that it is one of an accept.
    let op = match submitted.filter(|_| endpoint == submit::ENDPOINT.name) {
        Some(prepare) if named != Some(OPS[2]) => op_of(prepare),
        _ => named.filter(|op| endpoint == prepare::ENDPOINT.name || *op == OPS[2]).unwrap_or(OPS[0]),
    };
    let signed = || {
        let header = request.head.headers.get(AUTHORIZATION)?.to_str().ok()?;
        Envelope::parse(&core.dialect, header, &mut Strict).ok()?.domain(&mut Strict).ok()
    };
    let domain = submitted.map(|prepare| prepare.domain.clone()).or_else(signed);
    let domain = domain.or_else(|| member("domain").map(|domain| domain.trim().to_owned()));
    let state =
        domain.and_then(|domain| state.bindings.get(&domain)).map_or("", |binding| match binding.state {
            _ if binding.lock.is_some() => "locked",
            BindingState::Bound => "bound",
            BindingState::Pending => "pending",
            BindingState::Accepted => "accepted",
        });
    Place::at(endpoint).op(op).state(state)
}
