//! Verifiable random numbers: what a generation returns, and what verifies.

use assay_spec::json::is_integer;
use assay_spec::network::requirements::vrf as rows;
use assay_spec::network::vrf::{GENERATE, VERIFY};
use serde_json::{Value, json};

use super::replies::{expect_rejected_or, is_text};
use super::wire::Call;
use crate::harness::check::{Checked, Stop, rejects, shows};
use crate::harness::data::{At, Want};
use crate::harness::probe::{Answer, Evidence, Probe};

/// The bounds of most generations: wide enough that their ends do not matter.
const MIN: i64 = 1;
const MAX: i64 = 1_000_000;

pub(super) fn seed(probe: &Probe<'_>) -> String {
    format!("Seed {}", assay_spec::crypto::text::hex(&probe.draw("vrf-seed")[..16]))
}

/// A generated number.
const GENERATED: Evidence = Evidence {
    what: "`value` and `proof`",
    shows: |body| !body["value"].is_null() && !body["proof"].is_null(),
};

pub(super) fn wanted(seed: &str) -> Value {
    json!({ "seed": seed, "min": MIN, "max": MAX, "count": 1 })
}

pub(super) fn post(body: &Value) -> Call {
    Call::post(&GENERATE, "/vrf/generate", body.to_string())
}

/// Generates a number. If the answer is not 200, the check is inconclusive.
async fn generated<'p>(probe: &'p Probe<'_>, body: &Value) -> Result<Answer<'p>, Stop> {
    let answer = post(body).send(probe).await?;
    answer.given_status(&[200])?;
    Ok(answer)
}

/// Generates a number and returns seed, value and proof. If value or proof has a wrong type, the check is inconclusive.
pub(super) async fn claim(probe: &Probe<'_>) -> Result<Value, Stop> {
    claim_of(probe, 1).await
}

/// As [`claim`], of a generation of so many numbers.
async fn claim_of(probe: &Probe<'_>, count: u32) -> Result<Value, Stop> {
    let seed = seed(probe);
    let answer = generated(probe, &with(&wanted(&seed), "count", json!(count))).await?.json();
    probe.given(is_integer(&answer["value"]), "the value is not an integer")?;
    probe.given(is_text(&answer["proof"]), "the proof is not a string, or is empty")?;
    Ok(json!({ "seed": seed, "value": answer["value"], "proof": answer["proof"] }))
}

pub(super) fn verify(claim: &Value) -> Call {
    Call::post(&VERIFY, "/vrf/verify", claim.to_string())
}

/// Generates a number. `seed` must be the one that was sent.
#[shows(rows::SEED)]
async fn a_generation_names_its_seed(probe: &Probe<'_>) -> Checked {
    let seed = seed(probe);
    let answer = generated(probe, &wanted(&seed)).await?;
    answer.given_accepted(&[200], GENERATED)?;
    answer.expect_json("/seed", &seed, |found| found == seed.as_str()).map(drop)
}

/// Generates a number. `value` must be an integer.
#[shows(rows::VALUE)]
async fn a_value_is_an_integer(probe: &Probe<'_>) -> Checked {
    let answer = generated(probe, &wanted(&seed(probe))).await?;
    answer.expect_json("/value", "an integer", is_integer).map(drop)
}

/// Generates numbers between four pairs of bounds, negative and large ones among them. Each must be accepted, and each `value` must
/// lie between its bounds.
#[shows(rows::RANGE)]
async fn a_value_lies_between_its_bounds(probe: &Probe<'_>) -> Checked {
    let good = wanted(&seed(probe));
    expect_between(&generated(probe, &good).await?, &good)?;
    for value in probe.uncommon_values() {
        let body = value.instead_of(&wanted(&seed(probe))).unwrap_or_default();
        let answer = post(&body).send(probe).await?;
        answer.expect_not_malformed("the bounds", value)?;
        answer.given_status(&[200])?;
        expect_between(&answer, &body)?;
    }
    Ok(())
}

/// Expects a value between the bounds of a body.
fn expect_between(answer: &Answer<'_>, body: &Value) -> Checked {
    answer.given(is_integer(&answer.json()["value"]), "the value is not an integer")?;
    let [min, max] = ["min", "max"].map(|bound| body[bound].as_i64().unwrap_or_default());
    let lies_between = |value: &Value| value.as_i64().is_some_and(|value| (min..=max).contains(&value));
    answer.expect_json("/value", &format!("from {min} to {max}"), lies_between).map(drop)
}

/// Generates numbers of two seeds between 0 and 2,147,483,647. They must differ: by chance, one in two thousand million pairs does
/// not.
#[shows(rows::DRAWN, after(rows::VALUE, rows::RANGE))]
async fn another_seed_has_another_value(probe: &Probe<'_>) -> Checked {
    let wide = || json!({ "seed": seed(probe), "min": 0, "max": i32::MAX, "count": 1 });
    let first = generated(probe, &wide()).await?.json()["value"].clone();
    probe.given(is_integer(&first), "the value is not an integer")?;
    let second = generated(probe, &wide()).await?;
    second.expect_json("/value", &format!("another number than {first}"), |value| *value != first).map(drop)
}

/// Generates a number. `proof` must be a string that is not empty.
#[shows(rows::PROOF)]
async fn proof_is_a_string(probe: &Probe<'_>) -> Checked {
    let answer = generated(probe, &wanted(&seed(probe))).await?;
    answer.expect_json("/proof", "a string that is not empty", is_text).map(drop)
}

/// Generates a number. `status` must be a string.
#[shows(rows::GENERATE_STATUS)]
async fn a_generation_has_a_status(probe: &Probe<'_>) -> Checked {
    let answer = generated(probe, &wanted(&seed(probe))).await?;
    answer.expect_json("/status", "a string", Value::is_string).map(drop)
}

/// Generates with `count` 3. `value` must still be one integer.
#[shows(rows::COUNT)]
async fn of_several_values_one_is_returned(probe: &Probe<'_>) -> Checked {
    let single = generated(probe, &wanted(&seed(probe))).await?;
    probe.given(is_integer(&single.json()["value"]), "a single value is not an integer")?;
    let several = json!({ "seed": seed(probe), "min": MIN, "max": MAX, "count": 3 });
    let answer = generated(probe, &several).await?;
    answer.expect_json("/value", "an integer", is_integer).map(drop)
}

/// A body with another value for a member.
fn with(body: &Value, member: &str, value: Value) -> Value {
    let mut body = body.clone();
    body[member] = value;
    body
}

/// Generates with `seed`, `min`, `max` and `count` of a wrong type. Each must be rejected; a number may be read as a string,
/// and digits or a fraction as an integer. A valid generation returns 200.
#[rejects(rows::GENERATE_FIELDS)]
async fn malformed_generation_is_rejected(probe: &Probe<'_>) -> Checked {
    let good = wanted(&seed(probe));
    post(&good).send(probe).await?.counterpart_status(&[200])?;
    for (member, value, reads) in [
        ("seed", json!(7), true),
        ("seed", json!(["s"]), false),
        ("min", json!("1"), true),
        ("max", json!(10.5), true),
        ("max", json!([10]), false),
        ("count", json!({}), false),
    ] {
        let answer = post(&with(&good, member, value)).attempt(probe).await?;
        let (status, rejection) = (answer.status(), probe.rejection());
        let is_allowed = rejection.statuses.contains(&status) || (reads && status == 200);
        answer.expect(is_allowed, At::status(), Want::rejected(rejection), status.to_string())?;
    }
    Ok(())
}

/// Generates a number and verifies it. Returns what was verified, and the answer.
async fn verified<'p>(probe: &'p Probe<'_>) -> Result<(Value, Answer<'p>), Stop> {
    let claim = claim(probe).await?;
    let answer = verify(&claim).send(probe).await?;
    answer.given_status(&[200])?;
    Ok((claim, answer))
}

/// Generates a number, and one with `count` 3, and verifies each as it is. `valid` must be true.
#[shows(rows::VERIFIES, after(rows::COUNT))]
async fn what_was_generated_is_valid(probe: &Probe<'_>) -> Checked {
    for count in [1, 3] {
        let claim = claim_of(probe, count).await?;
        let answer = verify(&claim).send(probe).await?;
        answer.given_status(&[200])?;
        probe.given(answer.json()["valid"].is_boolean(), "`valid` is not a boolean")?;
        answer.expect_json("/valid", "true", |valid| *valid == true)?;
    }
    Ok(())
}

/// Generates a number and verifies it. `valid` must be a boolean.
#[shows(rows::VALID)]
async fn valid_is_true_or_false(probe: &Probe<'_>) -> Checked {
    let (_, answer) = verified(probe).await?;
    answer.expect_json("/valid", "true or false", Value::is_boolean).map(drop)
}

/// Generates a number and verifies it. `status` must be a string.
#[shows(rows::VERIFY_STATUS)]
async fn a_verification_has_a_status(probe: &Probe<'_>) -> Checked {
    let (_, answer) = verified(probe).await?;
    answer.expect_json("/status", "a string", Value::is_string).map(drop)
}

/// Generates a number and expects it to verify: the valid counterpart.
async fn valid(probe: &Probe<'_>) -> Result<Value, Stop> {
    let claim = claim(probe).await?;
    let answer = verify(&claim).send(probe).await?;
    answer.counterpart_status(&[200])?;
    probe.counterpart(answer.json()["valid"] == true, "a generated number does not verify")?;
    Ok(claim)
}

/// Verifies a generated number with `seed`, `proof` and `value` inside an array. None may verify: each is rejected, or
/// `valid` is false. The number as it is verifies.
#[rejects(rows::VERIFY_FIELDS)]
async fn malformed_verification_is_rejected(probe: &Probe<'_>) -> Checked {
    let good = valid(probe).await?;
    for member in ["seed", "proof", "value"] {
        expect_invalid(probe, &with(&good, member, json!([good[member]]))).await?;
    }
    Ok(())
}

async fn expect_invalid(probe: &Probe<'_>, claim: &Value) -> Checked {
    let answer = verify(claim).attempt(probe).await?;
    expect_rejected_or(&answer, "`valid` false", |body| body["valid"] == false)
}

/// Verifies a generated number as it is (valid), then with another seed. The second must be rejected, or `valid` must
/// be false.
#[rejects(rows::OTHER_SEED)]
async fn another_seed_is_not_valid(probe: &Probe<'_>) -> Checked {
    let claim = valid(probe).await?;
    expect_invalid(probe, &with(&claim, "seed", json!(seed(probe)))).await
}

/// Verifies a generated number as it is (valid), then with another value. The second must be rejected, or `valid` must
/// be false.
#[rejects(rows::OTHER_VALUE)]
async fn another_value_is_not_valid(probe: &Probe<'_>) -> Checked {
    let claim = valid(probe).await?;
    let value = claim["value"].as_i64().unwrap_or_default();
    let other = if value < MAX { value + 1 } else { value - 1 };
    expect_invalid(probe, &with(&claim, "value", json!(other))).await
}

/// Verifies a generated number as it is (valid), then with one character of the proof changed. The second must be
/// rejected, or `valid` must be false.
#[rejects(rows::OTHER_PROOF)]
async fn another_proof_is_not_valid(probe: &Probe<'_>) -> Checked {
    let claim = valid(probe).await?;
    let proof = claim["proof"].as_str().unwrap_or_default();
    // In the middle: some encodings end in unused bits.
    let middle = proof.chars().count() / 2;
    let other = |c: char| if c == '1' { '2' } else { '1' };
    let changed: String =
        proof.chars().enumerate().map(|(at, c)| if at == middle { other(c) } else { c }).collect();
    expect_invalid(probe, &with(&claim, "proof", json!(changed))).await
}
