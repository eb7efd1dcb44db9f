//! Admission: the envelope's rules in their order, and the key that each binding state admits.

use assay_spec::publish::envelope::Envelope;
use assay_spec::publish::machines::BindingState;
use assay_spec::publish::prepare::op_of;
use assay_spec::publish::requirements::envelope::{BEFORE_BODY, BINDING, FEATURE, SCHEME, TIME_FORM};
use assay_spec::publish::requirements::prepare::{BODY_JSON, PUBLISHABLE};
use assay_spec::publish::requirements::transfer::{
    ACCEPT_ADMITTED, ACCEPT_BY_INCOMING, ACCEPT_NEEDS_PENDING, ACCEPT_SAYS_SO, FREEZES, INCOMING_ONLY_ACCEPTS,
};
use assay_spec::{Instant, Refused, Rules};
use http::header::AUTHORIZATION;

use super::{Caller, State, variations};
use crate::core::Core;
use crate::world::Request;

/// Rules 1 to 6. Changes nothing.
pub(super) fn admit(
    state: &State,
    core: &mut Core,
    request: &Request,
    endpoint: &'static str,
) -> Result<Caller, Refused> {
    if core.violated(&BEFORE_BODY).is_some()
        && serde_json::from_slice::<serde_json::Value>(&request.body).is_err()
    {
        return Err(Refused {
            rule: &BODY_JSON,
            why: "switched off: the body was checked before the envelope".to_owned(),
        });
    }
    let header = authorization(core, request)?;
    let dialect = core.dialect.clone();
    let envelope = Envelope::parse(&dialect, &header, core)?;
    envelope.check_request(request.head.method.as_str(), &request.head.target, core)?;
    let now = core.now();
    if core.varies(variations::EXACT_TIME_ONLY) && envelope.time().and_then(Instant::parse_exact).is_none() {
        return Err(Refused { rule: &TIME_FORM, why: "the time is not in the exact form".to_owned() });
    }
    envelope.check_time(now, core)?;
    envelope.check_body(&request.body, core)?;
    let domain = envelope.domain(core)?;

    let Some(binding) = state.bindings.get(&domain) else {
        // The next rule would mask this deviation, so show another one.
        let rule = if core.violated(&BINDING).is_some() { &PUBLISHABLE } else { &BINDING };
        return Err(Refused { rule, why: format!("{domain} is not bound") });
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
    let incoming = envelope.signed_by(&pending.incoming_key);
    if accept {
        if core.varies(variations::OLD_KEY_ACCEPT_409) && envelope.signed_by(&binding.key) {
            return Err(Refused { rule: &FREEZES, why: "the old key signed the accept".to_owned() });
        }
        core.require(&ACCEPT_BY_INCOMING, incoming, || {
            "the accept is not signed by the incoming key".to_owned()
        })?;
        if !core.effect(&ACCEPT_ADMITTED, true, |_, _| false) {
            return Err(Refused {
                rule: &ACCEPT_ADMITTED,
                why: "switched off: accepts are rejected".to_owned(),
            });
        }
        return Ok(caller(&pending.incoming_key, false));
    }
    if incoming {
        let rule = if endpoint == "submit" { &ACCEPT_SAYS_SO } else { &INCOMING_ONLY_ACCEPTS };
        core.require(rule, false, || "the incoming key signed something other than an accept".to_owned())?;
        return Ok(caller(&pending.incoming_key, false));
    }
    envelope.check_signature(&binding.key, core)?;
    Ok(caller(&binding.key, true))
}

/// The single `Authorization` header, as a string.
fn authorization(core: &Core, request: &Request) -> Result<String, Refused> {
    let mut headers = request.head.headers.get_all(AUTHORIZATION).iter();
    let refused = |why: &str| Refused { rule: &SCHEME, why: why.to_owned() };
    let header = headers.next().ok_or_else(|| refused("no Authorization header"))?;
    if headers.next().is_some() {
        return Err(refused("more than one Authorization header"));
    }
    let text = std::str::from_utf8(header.as_bytes()).map_err(|_| refused("not UTF-8"))?;
    if core.varies(variations::SCHEME_CASE)
        && let Some((scheme, rest)) = text.split_once(' ')
        && scheme.eq_ignore_ascii_case(&core.dialect.auth_scheme)
    {
        return Ok(format!("{} {rest}", core.dialect.auth_scheme));
    }
    Ok(text.to_owned())
}
