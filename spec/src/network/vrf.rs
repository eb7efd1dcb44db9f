//! Verifiable random numbers (document 2, "Endpoints"). The document does not show which function is used.

use serde_json::{Map, Value, json};

use crate::json::{self, MAX_INTEGER};
use crate::network::endpoint;
use crate::network::limits::VRF_VALUES;
use crate::network::members::{shown, text};
use crate::network::mistakes::envelope::SPELLING;
use crate::network::mistakes::vrf::{BOUNDS, GENERATE_FIELDS, NUMBER, VERIFY_FIELDS};
use crate::network::requirements::vrf::{self as rows, RANGE};
use crate::network::shapes::{ERRORS, FILLED};
use crate::relation::{Alike, Asked};
use crate::rules::{Mistake, Reading};
use crate::shape::{Body, Field, Reply, ShapeKind, may, must, object};
use crate::{Refused, Rules, spelling};

/// The request of `POST /vrf/generate`, for the API description.
const WANTED: &[Field] = &[
    must("seed", ShapeKind::Text),
    must("min", ShapeKind::Integer),
    must("max", ShapeKind::Integer),
    may("count", ShapeKind::Integer),
];
/// The request of `POST /vrf/verify`.
const CLAIMED: &[Field] =
    &[must("seed", ShapeKind::Text), must("value", ShapeKind::Integer), must("proof", ShapeKind::Text)];
/// Its response.
const VERIFIED: &[Field] = &[
    must("valid", ShapeKind::Boolean).derived("what was claimed").related(&rows::VERIFIES),
    must("status", ShapeKind::Text).owned(&rows::VERIFY_STATUS).free("the word is not shown"),
];

const VALUES: ShapeKind = ShapeKind::Array(&ShapeKind::Open("the values of a larger count are not shown"));

endpoint! {
    /// Generates a random number.
    GENERATE "vrf-generate" "POST" "/api/v0/vrf/generate" None [200, 400, 429, 500]
    group: "Random numbers",
    body: Body::Json(WANTED),
    reply: Reply::Json(Drawn::SHAPE),
    row: Some(&rows::VALUE),
    errors: ERRORS,
}
endpoint! {
    /// Verifies a random number.
    VERIFY "vrf-verify" "POST" "/api/v0/vrf/verify" None [200, 400, 429, 500]
    group: "Random numbers",
    body: Body::Json(CLAIMED),
    reply: Reply::Json(ShapeKind::Object(VERIFIED)),
    row: Some(&rows::VALID),
    errors: ERRORS,
}

/// The members of a request's body.
pub fn members<'a>(
    rule: &Mistake<Reading<&'a [u8], Map<String, Value>>>,
    body: &'a [u8],
    rules: &mut dyn Rules,
) -> Result<Map<String, Value>, Refused> {
    let members = rules.read(rule, body, |body| {
        serde_json::from_slice(body).map_err(|e| format!("the body is not a JSON object: {e}"))
    })?;
    spelling::accept(&SPELLING, body, members.keys(), rules)?;
    Ok(members)
}

/// The parameters of a random number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The seed.
    pub seed: String,
    /// The smallest value.
    pub min: i64,
    /// The largest value.
    pub max: i64,
    /// How many values are drawn; the first one is returned.
    pub count: i64,
}

impl Wanted {
    /// Reads the body of a generate request. Without `count` one value is drawn.
    pub fn parse(body: &Map<String, Value>, rules: &mut dyn Rules) -> Result<Wanted, Refused> {
        let seed = match text(body, "seed") {
            Some(seed) => seed.to_owned(),
            None => rules.refuse(&GENERATE_FIELDS, (), shown(body, "seed"))?.to_owned(),
        };
        let mut integer = |name: &str, otherwise: Option<i64>| {
            let given = if body.contains_key(name) { json::integer(&body[name]) } else { otherwise };
            let given = given.filter(|number| (-MAX_INTEGER..=MAX_INTEGER).contains(number));
            rules.read(&NUMBER, (), |()| given.ok_or_else(|| shown(body, name)))
        };
        let (min, max, count) = (integer("min", None)?, integer("max", None)?, integer("count", Some(1))?);
        let max = rules.read(&BOUNDS, [min, max, count], |[min, max, count]| {
            if min <= max && (1..=VRF_VALUES.value).contains(&count) {
                Ok(max)
            } else {
                Err(format!("min is {min}, max is {max}, count is {count}"))
            }
        })?;
        rules.accept_value(&RANGE, &json!({ "min": min, "max": max }), None)?;
        Ok(Wanted { seed, min, max, count })
    }
}

object! {
    /// A value with its proof.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Drawn {
        /// The seed.
        seed: String = must("seed", ShapeKind::Text).owned(&rows::SEED).asked(Asked::Body("/seed"), Alike::Equal),
        /// The value.
        // Several values in an array are the subject of another row.
        value: i64 = must("value", ShapeKind::Either(&[ShapeKind::Integer, VALUES]))
            .owned(&rows::VALUE).derived("the proof").related(&rows::VERIFIES),
        /// Its proof.
        proof: String = must("proof", FILLED).owned(&rows::PROOF)
            .derived("the seed and the key of the server").related(&rows::VERIFIES),
        /// That it was drawn.
        status: &'static str = must("status", ShapeKind::Text).owned(&rows::GENERATE_STATUS).free("the word is not shown"),
    }
}

/// The claim to verify.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claim {
    /// The seed.
    pub seed: String,
    /// The value.
    pub value: i64,
    /// Its proof.
    pub proof: String,
}

impl Claim {
    /// Reads the body of a verify request.
    pub fn parse(body: &Map<String, Value>, rules: &mut dyn Rules) -> Result<Claim, Refused> {
        rules.read(&VERIFY_FIELDS, body, Claim::read)
    }

    /// The claim of a body.
    pub(super) fn read(body: &Map<String, Value>) -> Result<Claim, String> {
        let text = |name| text(body, name).map(str::to_owned).ok_or_else(|| shown(body, name));
        let value = body.get("value").and_then(json::integer).ok_or_else(|| shown(body, "value"));
        Ok(Claim { seed: text("seed")?, proof: text("proof")?, value: value? })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Id, Strict, Without};

    #[test]
    fn malformed_bodies_are_rejected() {
        let parse = |body: &Value| Wanted::parse(body.as_object().unwrap(), &mut Strict);
        assert_eq!(parse(&json!({"seed": "s", "min": 1, "max": 2})).unwrap().count, 1);
        let cases: [(Id, Value); 10] = [
            (&GENERATE_FIELDS, json!({"min": 1, "max": 2})),
            (&GENERATE_FIELDS, json!({"seed": 1, "min": 1, "max": 2})),
            (&GENERATE_FIELDS, json!({"seed": "s", "max": 2})),
            (&GENERATE_FIELDS, json!({"seed": "s", "min": "1", "max": 2})),
            (&GENERATE_FIELDS, json!({"seed": "s", "min": 1, "max": 2, "count": null})),
            (&GENERATE_FIELDS, json!({"seed": "s", "min": 0, "max": i64::MAX})),
            (&GENERATE_FIELDS, json!({"seed": "s", "min": 0, "max": 1e300})),
            (&BOUNDS, json!({"seed": "s", "min": 3, "max": 2})),
            (&BOUNDS, json!({"seed": "s", "min": 1, "max": 2, "count": 0})),
            (&BOUNDS, json!({"seed": "s", "min": 1, "max": 2, "count": VRF_VALUES.value + 1})),
        ];
        for (rule, body) in cases {
            assert_eq!(parse(&body).unwrap_err().rule, rule, "{body}");
        }
        assert!(Wanted::parse(json!({}).as_object().unwrap(), &mut Without(&GENERATE_FIELDS)).is_ok());
        for bad in [
            json!({}),
            json!({"seed": "s", "value": "1", "proof": "p"}),
            json!({"seed": "s", "value": 1, "proof": 1}),
        ] {
            assert_eq!(
                Claim::parse(bad.as_object().unwrap(), &mut Strict).unwrap_err().rule,
                VERIFY_FIELDS.rule
            );
        }
    }
}
