//! Programs: what a creation needs, and that a program can be run. What a run returns depends on the program.

use assay_spec::network::program::{CREATE, RUN};
use assay_spec::network::requirements::programs as rows;
use serde_json::{Value, json};

use super::caller::{Caller, caller};
use super::replies::{expect_created, expect_typed, expect_uncommon};
use super::scene::{another, created, polled};
use super::wire::{Call, Draft};
use super::{given, runtime};
use crate::harness::check::{Checked, Stop, rejects, shows};
use crate::harness::data::{At, Want};
use crate::harness::probe::{Answer, Probe};

/// The content of a new valid program.
pub(super) fn content(probe: &Probe<'_>) -> Value {
    let label = assay_spec::crypto::text::hex(&probe.draw("program")[..8]);
    json!({
        "name": format!("check-{label}"), "description": "a program of a check", "code": format!("done: {label}"),
        "runtime": runtime(probe), "memory": 128, "timeout": 10,
    })
}

/// A new valid program of `owner`.
async fn program(probe: &Probe<'_>, owner: &Caller) -> Result<Draft, Stop> {
    Ok(Draft::new(probe, owner, "PROGRAM", content(probe)).await?.to(&CREATE, "POST", "/programs"))
}

/// The hash of a program that can be run: the one that the profile names, or a new one where a control API exists,
/// since such a target runs what checks write.
pub(super) async fn runnable(probe: &Probe<'_>) -> Result<String, Stop> {
    if let Some(hash) = given(probe, "program", |given| &given.program)? {
        return Ok(hash.clone());
    }
    if !probe.has_control() {
        let why = "needs a program that can be run ([network.fixtures] program)";
        return Err(Stop::NotTestable(why.to_owned()));
    }
    Ok(created(probe, program(probe, &caller(probe)).await?).await?.hash)
}

async fn run<'p>(probe: &'p Probe<'_>, hash: &str, body: &Value) -> Result<Answer<'p>, Stop> {
    Call::post(&RUN, &format!("/run/{hash}"), body.to_string()).attempt(probe).await
}

/// Runs a program, with a valid body, until the program has been processed.
async fn run_once_processed<'p>(probe: &'p Probe<'_>, hash: &str) -> Result<Answer<'p>, Stop> {
    polled(probe, async || run(probe, hash, &variables()).await, |answer| answer.status() == 200).await
}

fn variables() -> Value {
    json!({ "variables": { "name": "assay" } })
}

/// Creates a program, and programs with an empty description and, but for `--depth quick`, with a long one and with letters beyond
/// ASCII. Each answer must have the `item_hash` of the message, and `status` `success`.
#[shows(rows::CREATED)]
async fn program_returns_its_hash(probe: &Probe<'_>) -> Checked {
    let draft = async || program(probe, &caller(probe)).await;
    expect_created(probe, &draft().await?).await?;
    expect_uncommon(probe, draft).await
}

/// Expects that a program with a wrong value of a member is not processed, and that a valid one is accepted.
async fn expect_member(probe: &Probe<'_>, member: &str) -> Checked {
    let draft = async || program(probe, &caller(probe)).await;
    expect_typed(probe, draft, &[member]).await
}

/// Creates programs whose `runtime` is of another type. None may be processed with that value: it is rejected at once or
/// later. A number may be read as a string. A valid program is accepted.
#[rejects(rows::RUNTIME)]
async fn runtime_that_is_not_a_string_is_rejected(probe: &Probe<'_>) -> Checked {
    expect_member(probe, "runtime").await
}

/// Creates programs whose `memory` is a string, a fraction or of another type. None may be processed with that value: it is
/// rejected at once or later. Digits and a fraction may be read as an integer. A valid program is accepted.
#[rejects(rows::MEMORY)]
async fn memory_that_is_not_an_integer_is_rejected(probe: &Probe<'_>) -> Checked {
    expect_member(probe, "memory").await
}

/// Creates programs whose `timeout` is a string, a fraction or of another type. None may be processed with that value: it is
/// rejected at once or later. Digits and a fraction may be read as an integer. A valid program is accepted.
#[rejects(rows::TIMEOUT)]
async fn timeout_that_is_not_an_integer_is_rejected(probe: &Probe<'_>) -> Checked {
    expect_member(probe, "timeout").await
}

/// Runs a program with a variable. If the check has created it, also without a variable, with an empty one, letters beyond ASCII and
/// characters that JSON escapes. Each answer must be 200.
#[shows(rows::RUN)]
async fn accepted_program_can_be_run(probe: &Probe<'_>) -> Checked {
    let hash = runnable(probe).await?;
    run_once_processed(probe, &hash).await?.expect_status(&[200])?;
    // What a program of the profile makes of its variables depends on the program.
    let is_own = probe.settings.network().given.program.is_none();
    for value in probe.uncommon_values().filter(|_| is_own) {
        let body = value.instead_of(&variables()).unwrap_or_default();
        let answer = run(probe, &hash, &body).await?;
        answer.expect_not_malformed("variables", value)?;
        answer.given_status(&[200])?;
    }
    Ok(())
}

/// Runs a program with `variables` of another type, and an object of a number. Each must be rejected; the number may be read
/// as a string. A valid run returns 200.
#[rejects(rows::VARIABLES)]
async fn variables_that_are_not_strings_are_rejected(probe: &Probe<'_>) -> Checked {
    let hash = runnable(probe).await?;
    let good = variables();
    run_once_processed(probe, &hash).await?.counterpart_status(&[200])?;
    for wrong in probe.wrong_values() {
        let answer = run(probe, &hash, &json!({ "variables": wrong.instead_of(&good["variables"]) })).await?;
        if wrong.may_be_accepted.is_empty() || answer.status() != 200 {
            let at = At::status_named(format!("status for variables = {}", wrong.name));
            let rejection = probe.rejection();
            let is_refused = rejection.statuses.contains(&answer.status());
            answer.expect(is_refused, at, Want::rejected(rejection), answer.status().to_string())?;
        }
    }
    Ok(())
}

/// Runs a known program (200), then an unknown hash of the same form. The second answer must be 404.
#[rejects(rows::UNKNOWN)]
async fn unknown_program_is_not_found(probe: &Probe<'_>) -> Checked {
    let hash = runnable(probe).await?;
    run_once_processed(probe, &hash).await?.counterpart_status(&[200])?;
    run(probe, &another(&hash), &variables()).await?.expect_refused()
}
