//! The record of an instance, member by member, and which instances are listed.

use std::time::Duration;

use assay_spec::json::is_integer;
use assay_spec::network::instance::{CONTROL, LIST};
use assay_spec::network::requirements::{errors, instances as rows};
use serde_json::Value;

use super::super::ACCEPTED;
use super::super::replies::{expect_recent, found, is_address, is_seconds, until};
use super::super::scene::{List, another, list, polled};
use super::super::wire::{Call, expect_error_body, now, path_with};
use super::{Made, caller, control, instance_call, ipv6, made, made_by, recorded, update, wanted};
use crate::harness::check::{Checked, Stop, rejects, shows};
use crate::harness::probe::{Answer, Probe};

/// What each endpoint returns of an instance: alone, and in its owner's list. The pointer is that of its record. A list without
/// an element that `is_it` is left out: which elements it has is the subject of other checks.
async fn shown<'p>(
    probe: &'p Probe<'_>,
    is_it: impl Fn(&Made<'_>, &Value) -> bool,
) -> Result<(Made<'p>, Vec<(Answer<'p>, String)>), Stop> {
    let (made, answer) = recorded(probe).await?;
    let mut all = vec![(answer, String::new())];
    all.extend(listed(probe, &made, is_it).await?);
    Ok((made, all))
}

/// The list of the owner's instances, and the pointer to this one in it. `None`: the instance is not in the list, or the target
/// does not offer the list.
pub(super) async fn listed<'p>(
    probe: &'p Probe<'_>,
    made: &Made<'_>,
    is_it: impl Fn(&Made<'_>, &Value) -> bool,
) -> Result<Option<(Answer<'p>, String)>, Stop> {
    if !probe.settings.network().offers(&LIST) {
        return Ok(None);
    }
    let List { answer, items } = select(probe, &[("address", &made.owner.address)]).await?;
    let at = items.iter().position(|item| is_it(made, item));
    Ok(at.map(|at| (answer, format!("/instances/{at}"))))
}

pub(super) fn has_its_id(made: &Made<'_>, item: &Value) -> bool {
    item["instance_id"] == *made.id
}

/// Creates an instance, and reads it alone and in the list. `instance_id` must be the one that the creation returned.
#[shows(rows::ID)]
async fn an_instance_has_the_identifier_that_was_asked_for(probe: &Probe<'_>) -> Checked {
    let (made, all) = shown(probe, |made, item| item["name"] == made.content["name"]).await?;
    for (answer, at) in all {
        answer.expect_json(&format!("{at}/instance_id"), &made.id, |id| id == made.id.as_str())?;
    }
    Ok(())
}

/// Creates an instance and reads it. `owner` must be its creator's address.
#[shows(rows::OWNER)]
async fn owner_is_the_creator(probe: &Probe<'_>) -> Checked {
    let (made, answer) = recorded(probe).await?;
    let owner = &made.owner.address;
    answer.expect_json("/owner", owner, |found| is_address(found, owner)).map(drop)
}

/// Expects a member of the record to be what the creation sent: a value of all kinds that the row keeps. No sentence says that an
/// instance of each size is offered, so if the creation is rejected, an ordinary instance is created instead.
async fn same(probe: &Probe<'_>, member: &str) -> Checked {
    let owner = caller(probe);
    let mut uncommon = wanted(probe, &owner).await?;
    if let Some(kept) = probe.kept_value() {
        uncommon = uncommon.inside(member, Some(kept));
    }
    let answer = uncommon.send(probe).await?;
    let made = if answer.is_malformed() {
        made_by(probe, owner).await?
    } else {
        Made::read(probe, answer, owner, &uncommon)?
    };
    let answer = found(probe, instance_call(&made.id)).await?;
    let wanted = &made.content[member];
    answer.expect_json(&format!("/{member}"), &wanted.to_string(), |found| found == wanted).map(drop)
}

/// Creates an instance and reads it. `name` must be what was sent.
#[shows(rows::NAME)]
async fn an_instance_has_its_name(probe: &Probe<'_>) -> Checked {
    same(probe, "name").await
}

/// Creates an instance and reads it. `description` must be what was sent.
#[shows(rows::DESCRIPTION)]
async fn an_instance_has_its_description(probe: &Probe<'_>) -> Checked {
    same(probe, "description").await
}

/// Creates an instance and reads it. `cpu` must be what was sent.
#[shows(rows::CPU)]
async fn an_instance_has_its_processors(probe: &Probe<'_>) -> Checked {
    same(probe, "cpu").await
}

/// Creates an instance and reads it. `memory` must be what was sent.
#[shows(rows::MEMORY)]
async fn an_instance_has_its_memory(probe: &Probe<'_>) -> Checked {
    same(probe, "memory").await
}

/// Creates an instance and reads it. `disk` must be what was sent.
#[shows(rows::DISK)]
async fn an_instance_has_its_disk(probe: &Probe<'_>) -> Checked {
    same(probe, "disk").await
}

/// Creates an instance and reads it. `image` must be what was sent.
#[shows(rows::IMAGE)]
async fn an_instance_has_its_image(probe: &Probe<'_>) -> Checked {
    same(probe, "image").await
}

/// Creates an instance, in a world of its own two, and reads each alone and in the list. `ipv6` must be the address that the creation returned; if it returned none, an IPv6
/// address, or null or empty.
#[shows(rows::IPV6)]
async fn an_instance_has_the_address_it_was_given(probe: &Probe<'_>) -> Checked {
    expect_its_address(probe).await?;
    if probe.owns_time() { expect_its_address(probe).await } else { Ok(()) }
}

async fn expect_its_address(probe: &Probe<'_>) -> Checked {
    let (made, all) = shown(probe, has_its_id).await?;
    let returned = made.answer.json()["ipv6"].clone();
    let is_later = returned.is_null() || returned == "";
    let given = made.ipv6();
    probe.given(is_later || given.is_some(), "the creation returned no IPv6 address")?;
    for (answer, at) in all {
        let at = format!("{at}/ipv6");
        if is_later {
            let is_open = |found: &Value| found.is_null() || found == "" || ipv6(found).is_some();
            answer.expect_json(&at, "an IPv6 address, or null or empty", is_open)?;
        } else {
            answer.expect_json(&at, &returned.to_string(), |found| ipv6(found) == given)?;
        }
    }
    Ok(())
}

/// Creates an instance and reads it. `status` must be a string.
#[shows(rows::STATUS)]
async fn status_is_a_string(probe: &Probe<'_>) -> Checked {
    let (_, answer) = recorded(probe).await?;
    answer.expect_json("/status", "a string", Value::is_string).map(drop)
}

/// Creates an instance and reads it. `created_at` must be an integer of seconds, at most an hour from the target's clock.
#[shows(rows::CREATED_AT)]
async fn created_at_is_the_time_in_seconds(probe: &Probe<'_>) -> Checked {
    let (_, answer) = recorded(probe).await?;
    expect_recent(probe, &answer, "/created_at").await
}

/// Creates an instance, and reads it alone and in the list. `updated_at` must be an integer of seconds, not before `created_at`, and at
/// most an hour from the target's clock. In a world of its own, it must be the time of an update after a minute.
#[shows(rows::UPDATED_AT)]
async fn an_instance_was_not_updated_before_its_creation(probe: &Probe<'_>) -> Checked {
    let (made, all) = shown(probe, has_its_id).await?;
    for (answer, at) in all {
        let created = answer.json().pointer(&format!("{at}/created_at")).cloned().unwrap_or_default();
        probe.given(is_seconds(&created), "created_at is not an integer of seconds")?;
        let want = format!("an integer of seconds, {created} or later");
        let is_later = |at: &Value| is_integer(at) && is_seconds(at) && at.as_i64() >= created.as_i64();
        let at = format!("{at}/updated_at");
        answer.expect_json(&at, &want, is_later)?;
        expect_recent(probe, &answer, &at).await?;
    }
    if probe.owns_time() { updated_at_moves(probe, &made).await } else { Ok(()) }
}

/// Updates an instance after a minute. `updated_at` must be the time of the update.
async fn updated_at_moves(probe: &Probe<'_>, made: &Made<'_>) -> Checked {
    probe.advance(Duration::from_mins(1)).await?;
    let sent = now(probe).await?.seconds();
    let update = update(probe, &made.owner, &made.id).await?;
    update.send(probe).await?.given_status(ACCEPTED)?;
    let name = &update.message["content"]["name"];
    let answer = until(probe, instance_call(&made.id), |answer| answer.json()["name"] == *name).await?;
    answer.given(answer.json()["name"] == *name, "the update does not apply")?;
    let want = format!("{sent} or later, the time of the update");
    answer.expect_json("/updated_at", &want, |at| at.as_i64() >= Some(sent)).map(drop)
}

/// Reads a known instance (200), then an unknown identifier of the same form. The second answer must be 404.
#[rejects(rows::UNKNOWN, after(errors::BODY))]
async fn unknown_instance_is_not_found(probe: &Probe<'_>) -> Checked {
    let made = made(probe).await?;
    until(probe, instance_call(&made.id), |answer| answer.status() == 200)
        .await?
        .counterpart_status(&[200])?;
    let answer = instance_call(&another(&made.id)).attempt(probe).await?;
    answer.expect_refused()?;
    expect_error_body(&answer)
}

/// The first page of a hundred instances that a query selects.
async fn select<'p>(probe: &'p Probe<'_>, query: &[(&str, &str)]) -> Result<List<'p>, Stop> {
    let page = probe.settings.network().first_page.to_string();
    let query = [query, &[("page", page.as_str()), ("limit", "100")]].concat();
    list(probe, &LIST, &path_with("/instances", &query), "instances").await
}

/// As [`select`], read again at a shared target until an instance is listed.
async fn select_with<'p>(
    probe: &'p Probe<'_>,
    query: &[(&str, &str)],
    made: &Made<'_>,
) -> Result<List<'p>, Stop> {
    let has_it = |list: &List<'_>| list.items.iter().any(|item| has_its_id(made, item));
    polled(probe, async || select(probe, query).await, has_it).await
}

/// Expects an instance in a list.
pub(super) fn expect_listed(list: &List<'_>, made: &Made<'_>) -> Checked {
    let is_listed = list.items.iter().any(|item| has_its_id(made, item));
    let got = list.strings("instance_id").join(", ");
    list.answer.expect(is_listed, "/instances/*/instance_id", &made.id, got)
}

/// Creates an instance and lists its owner's instances. `instances` must be an array.
#[shows(rows::LISTED)]
async fn instances_are_listed_under_their_name(probe: &Probe<'_>) -> Checked {
    let made = made(probe).await?;
    let page = probe.settings.network().first_page.to_string();
    let query = [("address", made.owner.address.as_str()), ("page", page.as_str())];
    let answer = found(probe, Call::get(&LIST, &path_with("/instances", &query))).await?;
    answer.expect_json("/instances", "an array", Value::is_array).map(drop)
}

/// Creates an instance for each of two owners and lists with `address` set to each. Its instance must be listed, and no
/// other's.
#[shows(rows::BY_ADDRESS)]
async fn the_address_selects_instances(probe: &Probe<'_>) -> Checked {
    let (one, other) = (recorded(probe).await?.0, recorded(probe).await?.0);
    for made in [&one, &other] {
        let owner = &made.owner.address;
        let selected = select_with(probe, &[("address", owner)], made).await?;
        expect_listed(&selected, made)?;
        selected.expect_each(&format!("owner {owner}"), |item| is_address(&item["owner"], owner))?;
    }
    Ok(())
}

/// Creates an instance and lists with `status` set to `running` and to `stopped`, alone and beside its owner's `address`. Every
/// element must have that status, and that owner if one is named. An instance that has it before and after must be listed beside
/// its owner's address; which it has is left open. It is listed again after a `stop`.
#[shows(rows::BY_STATUS)]
async fn the_status_selects_instances(probe: &Probe<'_>) -> Checked {
    let (made, record) = recorded(probe).await?;
    expect_by_status(probe, &made, &record).await?;
    if !probe.settings.network().offers(&CONTROL) {
        return Ok(());
    }
    let stop = control(probe, &made.owner, &made.id, "stop", 0).await?.send(probe).await?;
    if !ACCEPTED.contains(&stop.status()) {
        probe.note(format!("`stop` returns {}", stop.status()));
        return Ok(());
    }
    expect_by_status(probe, &made, &found(probe, instance_call(&made.id)).await?).await
}

/// Expects the lists of each status to hold only instances with it, and an instance with that status beside its owner's address.
/// `before` is its record.
async fn expect_by_status(probe: &Probe<'_>, made: &Made<'_>, before: &Answer<'_>) -> Checked {
    let before = before.json()["status"].clone();
    for status in ["running", "stopped"] {
        let selected = select(probe, &[("status", status)]).await?;
        selected.expect_each(&format!("status {status}"), |item| item["status"] == status)?;
        let owner = &made.owner.address;
        let query = [("address", owner.as_str()), ("status", status)];
        let is_its = before == status;
        let selected =
            if is_its { select_with(probe, &query, made).await? } else { select(probe, &query).await? };
        selected.expect_each(&format!("status {status} and owner {owner}"), |item| {
            item["status"] == status && is_address(&item["owner"], owner)
        })?;
        if is_its {
            let after = found(probe, instance_call(&made.id)).await?.json()["status"].clone();
            if after == before {
                expect_listed(&selected, made)?;
            }
        }
    }
    Ok(())
}
