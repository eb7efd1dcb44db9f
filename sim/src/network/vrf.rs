//! Verifiable random numbers, under the network's own key.

use assay_spec::network::requirements::errors::INTERNAL;
use assay_spec::network::requirements::vrf::{
    COUNT, GENERATE_FIELDS, GENERATE_STATUS, OTHER_PROOF, OTHER_SEED, OTHER_VALUE, PROOF, RANGE, SEED, VALID,
    VALUE, VERIFIES, VERIFY_FIELDS, VERIFY_STATUS,
};
use assay_spec::network::vrf::{
    Claim, Drawn, Wanted, generate as draw, public_key, values, verify as is_valid,
};
use assay_spec::shape::Body;
use assay_spec::{Id, Refused, Rules};
use imbl::Vector;
use serde_json::{Map, Value, json};

use super::call::Call;
use super::{State, typed, variations};
use crate::core::Core;
use crate::exchange::Reply;
use crate::refusal::Refusal;

/// The number of draws that are kept.
const REMEMBERED: usize = 256;

/// The latest draws, and the total number of draws.
#[derive(Clone, Debug, Default)]
pub(super) struct Draws {
    latest: Vector<(Drawn, u64)>,
    drawn: u64,
}

impl Draws {
    fn keep(&mut self, drawn: Drawn, key: u64) {
        if self.latest.len() == REMEMBERED {
            self.latest.pop_front();
        }
        self.latest.push_back((drawn, key));
        self.drawn += 1;
    }

    /// The number of the key of a proof, if its draw is kept.
    fn key_of(&self, proof: &str) -> u64 {
        self.latest.iter().rev().find(|(drawn, _)| drawn.proof == proof).map_or(0, |(_, key)| *key)
    }

    /// Whether a kept draw matches a claim in all members except one.
    fn fits(&self, claim: &Claim, but: Id) -> bool {
        self.latest.iter().any(|(drawn, _)| {
            (but == &OTHER_SEED || drawn.seed == claim.seed)
                && (but == &OTHER_VALUE || drawn.value == claim.value)
                && (but == &OTHER_PROOF || drawn.proof == claim.proof)
        })
    }
}

/// Draws a number.
pub(super) fn generate(state: &mut State, core: &mut Core, call: &Call<'_>) -> Result<Reply, Refusal> {
    let body = object(core, call, &GENERATE_FIELDS)?;
    let wanted = Wanted::parse(&body, core)?;
    let wanted = bounds(core, wanted);
    // A new key for each draw gives a new value each time.
    let key = if core.varies(variations::VRF_FRESH) { state.draws.drawn + 1 } else { 0 };
    let secret = secret(core, key);
    let failed = || Refusal::new(&INTERNAL, "the proof cannot be made");
    let drawn = draw(secret, &wanted).ok_or_else(failed)?;
    state.draws.keep(drawn.clone(), key);
    let mut value = json!(drawn.value);
    if wanted.count > 1 && core.violated(&COUNT).is_some() {
        value = json!(values(secret, &wanted).ok_or_else(failed)?);
    }
    let body = json!({
        "seed": core.effect(&SEED, drawn.seed, |seed, _| format!("{seed}-")),
        "value": core.effect(&VALUE, value, |value, _| json!(value.to_string())),
        "proof": core.effect(&PROOF, drawn.proof, |_, _| String::new()),
        "status": status(core, &GENERATE_STATUS),
    });
    Ok(core.json(200, body))
}

/// Verifies a number.
pub(super) fn verify(state: &mut State, core: &mut Core, call: &Call<'_>) -> Result<Reply, Refusal> {
    let body = object(core, call, &VERIFY_FIELDS)?;
    let claim = Claim::parse(&body, core)?;
    let key = public_key(secret(core, state.draws.key_of(&claim.proof)));
    let mut valid = is_valid(key, &claim);
    if valid {
        valid = core.effect(&VERIFIES, true, |_, _| false);
    } else {
        for rule in [&OTHER_SEED, &OTHER_VALUE, &OTHER_PROOF] {
            valid |= core.violated(rule).is_some() && state.draws.fits(&claim, rule);
        }
        if !valid && core.varies(variations::VRF_REFUSED) {
            return Err(Refusal::new(&OTHER_PROOF, "the proof does not match seed and value"));
        }
    }
    let body = json!({
        "valid": core.effect(&VALID, json!(valid), |valid, _| json!(valid.to_string())),
        "status": status(core, &VERIFY_STATUS),
    });
    Ok(core.json(200, body))
}

/// The body as an object. Where the rule about its members is violated, anything is accepted.
fn object(core: &mut Core, call: &Call<'_>, rule: Id) -> Result<Map<String, Value>, Refused> {
    let body = core.parse(
        rule,
        || serde_json::from_slice(call.body()).map_err(|e| format!("the body is not a JSON object: {e}")),
        || Ok(serde_json::from_slice(call.body()).unwrap_or_default()),
    )?;
    let Body::Json(fields) = call.endpoint.shape.body else { return Ok(body) };
    Ok(typed::members(core, fields, body))
}

/// The bounds of the draw: as requested, or, under the deviation, an adjacent range of the same size.
fn bounds(core: &mut Core, wanted: Wanted) -> Wanted {
    core.effect(&RANGE, wanted, |wanted, variant| {
        let size = wanted.max - wanted.min + 1;
        let by = if variant == "low" { -size } else { size };
        Wanted { min: wanted.min + by, max: wanted.max + by, ..wanted }
    })
}

fn status(core: &mut Core, rule: Id) -> Value {
    let word = if core.varies(variations::VRF_STATUS) { "ok" } else { "success" };
    core.effect(rule, json!(word), |_, _| json!(true))
}

fn secret(core: &Core, key: u64) -> [u8; 32] {
    core.rng.draw("network.vrf-key", b"", key)
}
