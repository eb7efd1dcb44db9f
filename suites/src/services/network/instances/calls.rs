//! Creating, updating and controlling instances.

use std::time::Duration;

use assay_spec::Place;
use assay_spec::network::instance::{CONTROL, LIST};
use assay_spec::network::message;
use assay_spec::network::places::INSTANCE_UPDATE;
use assay_spec::network::requirements::{errors, instances as rows};
use serde_json::{Value, json};

use super::super::caller::caller;
use super::super::creations::Creation;
use super::super::replies::{
    expect_created, expect_creation, expect_typed, expect_uncommon, expect_unprocessed, found, is_text, until,
};
use super::super::scene::{another, polled};
use super::super::wire::{Draft, expect_error_body};
use super::super::{ACCEPTED, REJECTED};
use super::record::{has_its_id, listed};
use super::{control, instance_call, ipv6, made, update, wanted};
use crate::harness::check::{Checked, Stop, rejects, shows};
use crate::harness::data::{At, Want};
use crate::harness::probe::{Answer, Probe};

/// Creates an instance, and instances without open ports and, but for `--depth quick`, with one port, an empty description and letters
/// beyond ASCII. Each answer must have the `item_hash` of the message, and `status` `success`.
#[shows(rows::CREATED)]
async fn instance_returns_its_hash(probe: &Probe<'_>) -> Checked {
    let draft = async || wanted(probe, &caller(probe)).await;
    expect_created(probe, &draft().await?).await?;
    expect_uncommon(probe, draft).await
}

/// Creates an instance. `instance_id` must be a string that is not empty, and reading that instance must return 200.
#[shows(rows::CREATED_ID)]
async fn an_instance_is_found_by_the_identifier_of_its_creation(probe: &Probe<'_>) -> Checked {
    let answer = wanted(probe, &caller(probe)).await?.send(probe).await?;
    answer.given_status(ACCEPTED)?;
    let id = answer.expect_json("/instance_id", "a string that is not empty", is_text)?;
    let call = instance_call(id.as_str().unwrap_or_default());
    until(probe, call, |answer| answer.status() == 200).await?.expect_status(&[200])
}

/// Creates an instance. The answer's `ipv6` must be an IPv6 address. It may be null or empty if the address is given
/// later; then the instance shows it.
#[shows(rows::CREATED_IPV6)]
async fn an_instance_is_given_an_ipv6_address(probe: &Probe<'_>) -> Checked {
    let answer = wanted(probe, &caller(probe)).await?.send(probe).await?;
    answer.given_status(ACCEPTED)?;
    let is_later = |found: &Value| found.is_null() || found == "";
    if answer.json().get("ipv6").is_some_and(is_later) {
        probe.note("the answer to a creation has no address; it is given later");
    }
    let is_address = |found: &Value| is_later(found) || ipv6(found).is_some();
    answer.expect_json("/ipv6", "an IPv6 address, or null or empty until it is given", is_address).map(drop)
}

/// Makes valid creations or updates, by the place.
async fn drafts<'p>(
    probe: &'p Probe<'_>,
    place: Place,
) -> Result<impl AsyncFn() -> Result<Draft, Stop> + 'p, Stop> {
    let creation = Creation::rejected(probe, place).await?;
    Ok(async move || creation.draft(probe).await)
}

/// Creates instances whose `cpu`, `memory` or `disk` is a string, a fraction or of another type. None may be processed with
/// that value: it is rejected at once or later. Digits and a fraction may be read as an integer. A valid creation is
/// accepted.
#[rejects(rows::CREATE_NUMBERS)]
async fn numbers_that_are_not_integers_are_rejected(probe: &Probe<'_>) -> Checked {
    let draft = async || wanted(probe, &caller(probe)).await;
    expect_typed(probe, draft, &["cpu", "memory", "disk"]).await
}

/// Creates instances whose `name`, `description`, `image` or `ssh_key` is not a string. None may be processed with that
/// value: it is rejected at once or later. A number may be read as a string. A valid creation is accepted.
// An update needs an instance, and changes two of the four.
#[rejects(rows::CREATE_TEXTS)]
async fn strings_of_another_type_are_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    let members: &[&str] = &["name", "description", "image", "ssh_key"];
    // An update changes the first two.
    let members = if INSTANCE_UPDATE.contains(&place) { &members[..2] } else { members };
    expect_typed(probe, drafts(probe, place).await?, members).await
}

/// Creates instances whose `firewall.allowedPorts` is not an array of integers. None may be processed: it is rejected at
/// once or later. Digits and fractions may be read as integers. A valid creation is accepted.
#[rejects(rows::CREATE_FIREWALL)]
async fn ports_that_are_not_integers_are_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    let draft = drafts(probe, place).await?;
    let good = draft().await?;
    good.counterpart(probe).await?;
    for wrong in probe.wrong_values() {
        let ports = wrong.instead_of(&json!([22]));
        let bad = draft().await?.inside("firewall", Some(json!({ "allowedPorts": ports })));
        expect_unprocessed(probe, &good, &bad, "firewall.allowedPorts", wrong).await?;
    }
    Ok(())
}

/// Updates an instance. The answer must have the `item_hash` of the message, which is not that of the creation, and `status` `success`.
#[shows(rows::UPDATED)]
async fn update_returns_its_hash(probe: &Probe<'_>) -> Checked {
    let made = made(probe).await?;
    found(probe, instance_call(&made.id)).await?;
    let draft = update(probe, &made.owner, &made.id).await?;
    let answer = draft.send(probe).await?;
    answer.given_status(ACCEPTED)?;
    expect_new_hash(&answer, &[made.answer.json()["item_hash"].clone()])?;
    expect_creation(probe, &answer, &draft).await
}

/// Expects the hash of a message that is not one of these.
fn expect_new_hash(answer: &Answer<'_>, earlier: &[Value]) -> Checked {
    let want = "the hash of its own message, not that of an earlier one";
    answer.expect_json("/item_hash", want, |hash| !earlier.contains(hash)).map(drop)
}

/// Updates the name and description of an instance, in a world of its own after a minute, and reads it alone and in the list. Both must be
/// the new ones, and the other fields of the instance that is read alone as before. A second update must apply, too; in a world of its
/// own, it is one of an instance that was stopped, and must change neither its status nor its times but `updated_at`.
#[shows(rows::UPDATE_APPLIES)]
async fn after_an_update_name_and_description_are_the_new_ones(probe: &Probe<'_>) -> Checked {
    let made = made(probe).await?;
    let mut before = found(probe, instance_call(&made.id)).await?.json();
    if probe.owns_time() {
        probe.advance(Duration::from_mins(1)).await?;
    }
    let update = update(probe, &made.owner, &made.id).await?;
    update.send(probe).await?.given_status(ACCEPTED)?;
    let wanted = |member: &str| update.message["content"][member].clone();
    let is_new = |answer: &Answer<'_>| answer.json()["name"] == wanted("name");
    let answer = until(probe, instance_call(&made.id), is_new).await?;
    answer.given_status(&[200])?;
    let is_offered = probe.settings.network().offers(&LIST);
    let is_listed = |found: &Option<(Answer<'_>, String)>| {
        let named = |(list, at): &(Answer<'_>, String)| list.json().pointer(&format!("{at}/name")).cloned();
        found.as_ref().map_or(!is_offered, |one| named(one) == Some(wanted("name")))
    };
    let listed = polled(probe, async || listed(probe, &made, has_its_id).await, is_listed).await?;
    expect_kept(&answer, &before, KEPT)?;
    let want = format!("an element with the instance_id {}", made.id);
    probe.expect(listed.is_some() || !is_offered, "/instances", want, "none")?;
    // Whether a list shows the other members as reading the instance does belongs to their rows.
    for (answer, at) in [(answer, String::new())].into_iter().chain(listed) {
        for member in ["name", "description"] {
            let wanted = wanted(member);
            answer.expect_json(&format!("{at}/{member}"), &wanted.to_string(), |found| *found == wanted)?;
        }
    }
    if probe.owns_time() && probe.settings.network().offers(&CONTROL) {
        control(probe, &made.owner, &made.id, "stop", 0).await?.send(probe).await?;
        probe.advance(Duration::from_mins(1)).await?;
        before = found(probe, instance_call(&made.id)).await?.json();
    }
    let again = self::update(probe, &made.owner, &made.id).await?;
    again.send(probe).await?.expect_status(ACCEPTED)?;
    let name = &again.message["content"]["name"];
    let answer = until(probe, instance_call(&made.id), |answer| answer.json()["name"] == *name).await?;
    answer.expect_json("/name", &name.to_string(), |found| found == name)?;
    expect_kept(&answer, &before, KEPT)?;
    if probe.owns_time() { expect_kept(&answer, &before, &["status", "ipv6"]) } else { Ok(()) }
}

/// What an update does not change.
const KEPT: &[&str] = &["instance_id", "owner", "cpu", "memory", "disk", "image", "created_at"];

/// Expects members of an instance to be as they were before an update.
fn expect_kept(answer: &Answer<'_>, before: &Value, members: &[&str]) -> Checked {
    for member in members {
        let want = format!("{}, as before the update", before[member]);
        answer.expect_json(&format!("/{member}"), &want, |found| *found == before[member])?;
    }
    Ok(())
}

/// Sends a change of an instance until the instance has been processed.
async fn sent_once_processed<'p>(probe: &'p Probe<'_>, draft: &Draft) -> Result<Answer<'p>, Stop> {
    polled(probe, async || draft.send(probe).await, |answer| ACCEPTED.contains(&answer.status())).await
}

/// Updates a known instance (accepted), then an unknown one. The second answer must be 400, 403 or 404. What `POST /messages`
/// returns to the same is noted.
#[rejects(rows::UPDATE_UNKNOWN, after(errors::BODY))]
async fn update_of_an_unknown_instance_is_rejected(probe: &Probe<'_>) -> Checked {
    let made = made(probe).await?;
    let good = update(probe, &made.owner, &made.id).await?;
    sent_once_processed(probe, &good).await?.counterpart_status(ACCEPTED)?;
    let unknown = update(probe, &made.owner, &another(&made.id)).await?;
    // Elsewhere nothing has to be validated, and there is nothing to change.
    let elsewhere = unknown.clone().to(&message::CREATE, "POST", "/messages").attempt(probe).await?;
    probe.note(format!("at POST /messages it returns {}", elsewhere.status()));
    let answer = unknown.attempt(probe).await?;
    answer.expect_refused()?;
    // The endpoint is there, so its errors are those of the API.
    expect_error_body(&answer)
}

/// Sends `start`, `stop` and `restart` to an instance. Each must be accepted, with an `item_hash` of its own and `status` `success`. The
/// instance may reject `stop` and `restart` unless its status is `running`, and `start` unless it is `stopped`.
#[shows(rows::CONTROLLED)]
async fn every_action_returns_its_hash(probe: &Probe<'_>) -> Checked {
    const ACTIONS: [&str; 7] = ["stop", "stop", "restart", "stop", "start", "start", "restart"];
    let made = made(probe).await?;
    let mut status = found(probe, instance_call(&made.id)).await?.json()["status"].clone();
    let mut hashes = vec![made.answer.json()["item_hash"].clone()];
    for (action, seconds_ago) in ACTIONS.into_iter().zip((0..7).rev()) {
        let draft = control(probe, &made.owner, &made.id, action, seconds_ago).await?;
        let answer = draft.send(probe).await?;
        let may_reject = status != if action == "start" { "stopped" } else { "running" };
        let got = answer.status();
        if may_reject && REJECTED.contains(&got) {
            probe.note(format!("`{action}` of an instance that is {status} returns {got}"));
            continue;
        }
        answer.expect(
            ACCEPTED.contains(&got),
            At::status_named(format!("status of `{action}`")),
            Want::one_of(ACCEPTED),
            got.to_string(),
        )?;
        expect_new_hash(&answer, &hashes)?;
        hashes.push(answer.json()["item_hash"].clone());
        expect_creation(probe, &answer, &draft).await?;
        status = found(probe, instance_call(&made.id)).await?.json()["status"].clone();
    }
    Ok(())
}

/// Sends `restart` to an instance (accepted), then another action, none, and actions of another type. None may be processed: it
/// is rejected at once or later.
#[rejects(rows::ACTION)]
async fn unknown_action_is_rejected(probe: &Probe<'_>) -> Checked {
    let made = made(probe).await?;
    let good = control(probe, &made.owner, &made.id, "restart", 9).await?;
    sent_once_processed(probe, &good).await?.counterpart_status(ACCEPTED)?;
    for wrong in probe.wrong_values() {
        let valid = control(probe, &made.owner, &made.id, "restart", 0).await?;
        let strange = valid.inside("action", wrong.instead_of(&json!("restart")));
        expect_unprocessed(probe, &good, &strange, "action", wrong).await?;
    }
    Ok(())
}

/// Sends `restart` to a known instance (accepted), then to an unknown one. The second answer must be 400, 403 or 404.
#[rejects(rows::CONTROL_UNKNOWN, after(errors::BODY))]
async fn action_on_an_unknown_instance_is_rejected(probe: &Probe<'_>) -> Checked {
    let made = made(probe).await?;
    let good = control(probe, &made.owner, &made.id, "restart", 9).await?;
    sent_once_processed(probe, &good).await?.counterpart_status(ACCEPTED)?;
    let unknown = control(probe, &made.owner, &another(&made.id), "restart", 0).await?;
    let answer = unknown.attempt(probe).await?;
    answer.expect_refused()?;
    // The endpoint is there, so its errors are those of the API.
    expect_error_body(&answer)
}
