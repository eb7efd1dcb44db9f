//! Admission: the envelope's rules in their order, and the key that each binding state admits.

use assay_spec::Refused;
use assay_spec::crypto::text::parse_base64url;
use assay_spec::publish::envelope::Envelope;
use assay_spec::publish::machines::BindingState;
use assay_spec::publish::prepare::op_of;
use assay_spec::publish::requirements::envelope::{BINDING, FEATURE, SCHEME};
use assay_spec::publish::requirements::transfer::{
    ACCEPT_BY_INCOMING, ACCEPT_NEEDS_PENDING, ACCEPT_SAYS_SO, INCOMING_ONLY_ACCEPTS,
};
use http::header::AUTHORIZATION;

use super::{Caller, Limits, Pending, State, submit};
use crate::core::Core;
use crate::exchange::Request;
use crate::seam::steps;

steps! {
    Target(request: &Request) -> String = target;
}

/// The target that a request names.
pub(super) fn target(_: &mut Core, request: &Request) -> String {
    request.head.target.clone()
}

steps! {
    Admit(state: &State, request: &Request) -> Result<Caller, Refused> = admit;
}

/// Rules 1 to 6. Changes nothing.
pub(super) fn admit(core: &mut Core, state: &State, request: &Request) -> Result<Caller, Refused> {
    let header = Authorization::run(core, request)?;
    let dialect = core.dialect.clone();
    let envelope = Envelope::parse(&dialect, &header, core)?;
    let target = Target::run(core, request);
    envelope.check_request(request.head.method.as_str(), &target, core)?;
    let limits = core.limits(&state.limits);
    CheckTime::run(core, &envelope, &limits)?;
    envelope.check_body(&request.body, core)?;
    let domain = envelope.domain(core)?;

    let Some(binding) = state.bindings.get(&domain) else {
        return Err(Refused { rule: &BINDING, why: format!("{domain} is not bound") });
    };
    core.require(&FEATURE, binding.feature, || format!("the feature is off for {domain}"))?;
    let caller = |key: &str, frozen| Caller {
        domain: domain.clone(),
        key: key.to_owned(),
        frozen,
        envelope: envelope.signature,
    };
    let accept = op_of(&request.body).as_deref() == Some("accept");
    let Some(pending) = binding.pending.as_ref().filter(|_| binding.state != BindingState::Bound) else {
        core.require(&ACCEPT_NEEDS_PENDING, !accept, || format!("{domain} has no pending transfer"))?;
        envelope.check_signature(&binding.key, core)?;
        return Ok(caller(&binding.key, false));
    };
    if accept {
        AdmitAccept::run(core, &envelope, &binding.key, pending)?;
        return Ok(caller(&pending.incoming_key, false));
    }
    if envelope.signed_by(&pending.incoming_key) {
        let rule =
            if submit::is_of_accept(state, &request.body) { &ACCEPT_SAYS_SO } else { &INCOMING_ONLY_ACCEPTS };
        core.require(rule, false, || "the incoming key signed something other than an accept".to_owned())?;
        return Ok(caller(&pending.incoming_key, false));
    }
    envelope.check_signature(&binding.key, core)?;
    Ok(caller(&binding.key, true))
}

steps! {
    CheckTime(envelope: &Envelope, limits: &Limits) -> Result<(), Refused> = check_time;
}

/// Compares the envelope's time with the clock.
pub(super) fn check_time(core: &mut Core, envelope: &Envelope, limits: &Limits) -> Result<(), Refused> {
    envelope.check_time(core.now(), &(-limits.envelope_past_ms..=limits.envelope_future_ms), core)
}

steps! {
    AdmitAccept(envelope: &Envelope, bound_key: &str, pending: &Pending) -> Result<(), Refused>
        = admit_accept;
}

/// Admits an accept, which only the incoming key may sign.
pub(super) fn admit_accept(
    core: &mut Core,
    envelope: &Envelope,
    _bound_key: &str,
    pending: &Pending,
) -> Result<(), Refused> {
    core.require(&ACCEPT_BY_INCOMING, envelope.signed_by(&pending.incoming_key), || {
        "the accept is not signed by the incoming key".to_owned()
    })
}

/// The bound domain that a request names in its body or in its envelope, valid or not.
pub(super) fn named(state: &State, request: &Request) -> Option<String> {
    let header = request.head.headers.get(AUTHORIZATION).map_or(&[][..], |header| header.as_bytes());
    let parts = header.split(|byte| b" .,=;:\t".contains(byte));
    let decoded = parts.filter_map(|part| parse_base64url(std::str::from_utf8(part).ok()?)).flatten();
    let said: Vec<u8> = decoded.chain(request.body.iter().copied()).collect();
    let said = String::from_utf8_lossy(&said);
    state.bindings.keys().find(|domain| said.contains(domain.as_str())).cloned()
}

steps! {
    Authorization(request: &Request) -> Result<String, Refused> = authorization;
}

/// The single `Authorization` header, as a string.
pub(super) fn authorization(_: &mut Core, request: &Request) -> Result<String, Refused> {
    let mut headers = request.head.headers.get_all(AUTHORIZATION).iter();
    let refused = |why: &str| Refused { rule: &SCHEME, why: why.to_owned() };
    let header = headers.next().ok_or_else(|| refused("no Authorization header"))?;
    if headers.next().is_some() {
        return Err(refused("more than one Authorization header"));
    }
    std::str::from_utf8(header.as_bytes()).map(str::to_owned).map_err(|_| refused("not UTF-8"))
}
