//! Verifiable random numbers, under the network's own key.

use assay_spec::network::mistakes::vrf::{GENERATE_BODY, VERIFY_BODY};
use assay_spec::network::requirements::errors::INTERNAL;
use assay_spec::network::vrf::{self as document, Claim, Wanted};
use assay_spec::rules::{Mistake, Reading};
use assay_spec::{Refused, shape};
use serde_json::{Map, Value, json};

use super::ecvrf::{self, public_key};
use crate::core::Core;
use crate::exchange::Reply;
use crate::network::call::Call;
use crate::network::messages::typed;
use crate::network::state::State;
use crate::refusal::Refusal;
use crate::seam::{Answer, Body, steps};

/// The key of a draw.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::network) struct DrawKey {
    /// The number of draws so far.
    pub(in crate::network) drawn: u64,
    /// The number of the key.
    pub(in crate::network) key: u64,
}

/// What a reply about random numbers is about.
#[derive(Clone, Debug)]
pub(in crate::network) enum Random {
    /// A generation, with the key's secret.
    Generated([u8; 32], Wanted),
    /// A verification.
    Verified,
}

impl Answer<Random> {
    /// Changes a member of the replies to a generation.
    pub(in crate::network) fn generated(&mut self, member: &str, edit: impl FnOnce(&Value) -> Value) {
        if matches!(self.about, Random::Generated(..)) {
            self[member] = edit(&self[member]);
        }
    }
}

/// Draws a number.
pub(in crate::network) fn generate(
    core: &mut Core,
    state: &mut State,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let body = object(core, call, &GENERATE_BODY)?;
    let wanted = Wanted::parse(&body, core)?;
    let wanted = core.step(wanted);
    let DrawKey { key, .. } = core.step(DrawKey { drawn: state.draws.drawn, key: 0 });
    let secret = secret(core, key);
    let drawn = ecvrf::generate(secret, &wanted);
    let drawn = drawn.ok_or_else(|| Refusal::new(&INTERNAL, "the proof cannot be made"))?;
    state.draws.keep(drawn.clone(), key);
    Ok(core.reply(Answer::new(Random::Generated(secret, wanted), 200, Body::Json(json!(drawn)))))
}

/// Verifies a number.
pub(in crate::network) fn verify(
    core: &mut Core,
    state: &mut State,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let body = object(core, call, &VERIFY_BODY)?;
    let claim = Claim::parse(&body, core)?;
    let valid = IsValid::run(core, state, &claim)?;
    let body = json!({ "valid": valid, "status": "success" });
    Ok(core.reply(Answer::new(Random::Verified, 200, Body::Json(body))))
}

steps! {
    IsValid(state: &State, claim: &Claim) -> Result<bool, Refusal> = valid;
}

/// Whether a claim is valid under the key of its draw.
#[expect(clippy::unnecessary_wraps, reason = "what replaces this step may reject")]
pub(in crate::network) fn valid(core: &mut Core, state: &State, claim: &Claim) -> Result<bool, Refusal> {
    let key = public_key(secret(core, state.draws.key_of(&claim.proof)));
    Ok(ecvrf::verify(key, claim))
}

/// The body as an object, with its values as the node reads them.
fn object<'a>(
    core: &mut Core,
    call: &'a Call<'_>,
    rule: &Mistake<Reading<&'a [u8], Map<String, Value>>>,
) -> Result<Map<String, Value>, Refused> {
    let body = document::members(rule, call.body(), core)?;
    let shape::Body::Json(fields) = call.endpoint.shape.body else { return Ok(body) };
    Ok(typed::members(core, fields, body))
}

fn secret(core: &Core, key: u64) -> [u8; 32] {
    core.rng.draw("network.vrf-key", b"", key)
}
