//! FORGET: it forgets all of its targets or none, is retried while a target is not ready, and is finally rejected.

use assay_spec::network::requirements::{forget as rows, listing, messages, paging, store};
use serde_json::{Value, json};

use super::caller::{Caller, caller};
use super::replies::expect_unprocessed;
use super::scene::{
    TWO_DAYS, another, created, forget, forgotten, list_of, look, look_until, once_settled, post_content,
    reclaimed, run_out, settling, status,
};
use super::upload::{expect_remains, of_equal_bytes, stored};
use super::wire::{Draft, now, pass};
use super::{ACCEPTED, REJECTED, given_of_owner, owned};
use crate::harness::check::{Checked, Stop, rejects, shows};
use crate::harness::probe::{Answer, Probe};

/// The keys of the profile with which a check of a batch runs without a control API.
macro_rules! given_key {
    ($state:literal) => {
        concat!("[network] owner_key and [network.fixtures] ", $state)
    };
}

/// Sends a FORGET with a target that cannot be forgotten: it is accepted and retried, or rejected at once.
async fn tried<'p>(probe: &'p Probe<'_>, owner: &Caller, hashes: &[&str]) -> Result<Answer<'p>, Stop> {
    let answer = forget(probe, owner, &json!(hashes)).await?.send(probe).await?;
    let status = answer.status();
    let is_known = ACCEPTED.contains(&status) || REJECTED.contains(&status);
    probe.given(is_known, format!("a FORGET with a target that cannot be forgotten returned {status}"))?;
    probe.note(format!("a FORGET with a target that cannot be forgotten returned {status}"));
    Ok(answer)
}

/// Expects a message to have a status.
async fn expect_state(probe: &Probe<'_>, hash: &str, want: &str) -> Checked {
    let answer = once_settled(probe, hash, want).await?;
    let got = if answer.status() == 200 { status(&answer) } else { answer.status().to_string() };
    answer.expect(got == want, "/status", want, got.clone())
}

/// The valid counterpart: a FORGET for this target alone works.
async fn counterpart(probe: &Probe<'_>, owner: &Caller, hash: &str) -> Checked {
    forgotten(probe, owner, &[hash]).await?;
    let state = status(&once_settled(probe, hash, "forgotten").await?);
    probe.counterpart(
        state == "forgotten",
        format!("after a FORGET for it alone, the target is {state}, not forgotten"),
    )
}

/// Uploads two files and sends one FORGET for both. Both STORE messages must have `status` `forgotten`.
#[shows(rows::APPLIES, after(store::FORGOTTEN))]
async fn every_target_is_forgotten(probe: &Probe<'_>) -> Checked {
    let owner = caller(probe);
    let (one, other) = (stored(probe, &owner).await?.hash, stored(probe, &owner).await?.hash);
    forgotten(probe, &owner, &[&one, &other]).await?;
    expect_state(probe, &one, "forgotten").await?;
    expect_state(probe, &other, "forgotten").await
}

/// Sends a FORGET for a file and for an unknown hash. The file must stay `processed`; a FORGET for it alone works.
#[rejects(rows::ALL_OR_NOTHING, after(store::FORGOTTEN, store::STATUS))]
async fn unknown_target_keeps_the_others(probe: &Probe<'_>) -> Checked {
    let owner = caller(probe);
    let good = stored(probe, &owner).await?.hash;
    tried(probe, &owner, &[&good, &another(&good)]).await?;
    pass(probe, settling(probe)).await?;
    expect_state(probe, &good, "processed").await?;
    counterpart(probe, &owner, &good).await
}

/// Takes away the credits of a file's owner, and sends a FORGET while the file's `status` is `removing`. It must become
/// `forgotten`.
#[shows(rows::REMOVING_TARGET, needs(Clock, Actions), after(store::FORGOTTEN, store::REMOVING))]
async fn target_that_is_being_removed_is_forgotten(probe: &Probe<'_>) -> Checked {
    let owner = caller(probe);
    let target = stored(probe, &owner).await?.hash;
    run_out(probe, &owner).await?;
    let state = status(&look_until(probe, &target, "removing").await?);
    probe.given(state == "removing", format!("a STORE whose payer ran out is {state}"))?;
    forgotten(probe, &owner, &[&target]).await?;
    expect_state(probe, &target, "forgotten").await
}

/// Sends a FORGET for a file and for another that the network has removed. The file must stay `processed`; a FORGET for
/// it alone works.
#[rejects(
    rows::REMOVED_FAILS,
    needs(Clock, Actions),
    or_given(given_key!("removed"), |settings| owned(settings, |given| &given.removed)),
    after(store::FORGOTTEN, store::STATUS, store::REMOVED),
)]
async fn removed_target_keeps_the_others(probe: &Probe<'_>) -> Checked {
    if let Some((owner, bad)) = given_of_owner(probe, "removed", |given| &given.removed)? {
        return keeps_the_others(probe, &owner, bad).await;
    }
    let owner = caller(probe);
    let bad = stored(probe, &owner).await?.hash;
    reclaimed(probe, &owner).await?;
    let gone = look_until(probe, &bad, "removed").await?;
    let is_gone = gone.status() == 410 || status(&gone) == "removed";
    probe.given(is_gone, "a STORE whose payer ran out two days ago is not removed")?;
    // Give the owner credits again, so that the next file stays.
    probe.perform("network.balance", json!({ "address": owner.address, "credits": null })).await?;
    let good = stored(probe, &owner).await?.hash;
    tried(probe, &owner, &[&good, &bad]).await?;
    pass(probe, settling(probe)).await?;
    expect_state(probe, &good, "processed").await?;
    counterpart(probe, &owner, &good).await
}

/// Sends a FORGET of the profile's owner for a new file and for a message that cannot be forgotten. The file must stay
/// `processed`; a FORGET for it alone works.
async fn keeps_the_others(probe: &Probe<'_>, owner: &Caller, bad: &str) -> Checked {
    let good = stored(probe, owner).await?.hash;
    tried(probe, owner, &[&good, bad]).await?;
    pass(probe, settling(probe)).await?;
    expect_state(probe, &good, "processed").await?;
    counterpart(probe, owner, &good).await
}

/// The fault that keeps new STORE messages pending until faults are unset.
fn held() -> Value {
    json!([{ "fault": "network.processing-held", "where": { "type": "STORE" } }])
}

/// Sends a FORGET for a file and for another whose `status` is `pending`. The file must stay `processed`; a FORGET for
/// it alone works.
#[rejects(
    rows::PENDING_FAILS,
    needs(Faults),
    or_given(given_key!("pending"), |settings| owned(settings, |given| &given.pending)),
    after(store::FORGOTTEN, store::STATUS),
)]
async fn pending_target_keeps_the_others(probe: &Probe<'_>) -> Checked {
    if let Some((owner, bad)) = given_of_owner(probe, "pending", |given| &given.pending)? {
        return keeps_the_others(probe, &owner, bad).await;
    }
    let owner = caller(probe);
    let good = stored(probe, &owner).await?.hash;
    probe.faults(held()).await?;
    let bad = stored(probe, &owner).await?.hash;
    let state = status(&look_until(probe, &bad, "pending").await?);
    probe.given(state == "pending", format!("a STORE whose processing is held is {state}"))?;
    tried(probe, &owner, &[&good, &bad]).await?;
    expect_state(probe, &good, "processed").await?;
    probe.faults(json!([])).await?;
    counterpart(probe, &owner, &good).await
}

/// Sends a FORGET for a file and for another whose `status` is `rejected`. The file must stay `processed`; a FORGET for
/// it alone works.
#[rejects(
    rows::REJECTED_FAILS,
    needs(Clock, Faults),
    or_given(given_key!("rejected"), |settings| owned(settings, |given| &given.rejected)),
    after(store::FORGOTTEN, store::STATUS),
)]
async fn rejected_target_keeps_the_others(probe: &Probe<'_>) -> Checked {
    if let Some((owner, bad)) = given_of_owner(probe, "rejected", |given| &given.rejected)? {
        return keeps_the_others(probe, &owner, bad).await;
    }
    let owner = caller(probe);
    probe.faults(json!([{ "fault": "network.invalid" }])).await?;
    let bad = stored(probe, &owner).await?.hash;
    let state = status(&look_until(probe, &bad, "rejected").await?);
    probe.faults(json!([])).await?;
    probe.given(state == "rejected", format!("an invalid STORE is {state}"))?;
    let good = stored(probe, &owner).await?.hash;
    tried(probe, &owner, &[&good, &bad]).await?;
    pass(probe, settling(probe)).await?;
    expect_state(probe, &good, "processed").await?;
    counterpart(probe, &owner, &good).await
}

/// Sends a FORGET for a file and for a pending one, then lets the second be processed. Both must become `forgotten`. A
/// target that rejects the FORGET at once is not judged.
#[shows(rows::RETRIED, needs(Clock, Faults), after(store::FORGOTTEN, rows::APPLIES, rows::PENDING_FAILS))]
async fn forget_applies_once_its_targets_are_processed(probe: &Probe<'_>) -> Checked {
    let owner = caller(probe);
    let good = stored(probe, &owner).await?.hash;
    probe.faults(held()).await?;
    let late = stored(probe, &owner).await?.hash;
    let answer = tried(probe, &owner, &[&good, &late]).await?;
    if !ACCEPTED.contains(&answer.status()) {
        let why = format!("the node rejects a FORGET with a pending target at once ({})", answer.status());
        return Err(Stop::NotApplicable(why));
    }
    let state = status(&look_until(probe, &good, "processed").await?);
    probe.given(state == "processed", format!("a FORGET whose target is pending left the other {state}"))?;
    probe.faults(json!([])).await?;
    pass(probe, settling(probe)).await?;
    expect_state(probe, &good, "forgotten").await?;
    expect_state(probe, &late, "forgotten").await
}

/// Sends a FORGET for an unknown hash. It must be rejected at once, or have `status` `rejected` after the settling
/// time.
#[shows(rows::FINALLY_REJECTED, after(messages::WRAPPER, rows::ALL_OR_NOTHING))]
async fn forget_that_keeps_failing_is_rejected(probe: &Probe<'_>) -> Checked {
    let owner = caller(probe);
    let known = stored(probe, &owner).await?.hash;
    let answer = tried(probe, &owner, &[&another(&known)]).await?;
    if !ACCEPTED.contains(&answer.status()) {
        answer.expect_status(REJECTED)?;
        // A node that rejects every message has shown nothing.
        return forgotten(probe, &owner, &[&known]).await.map(drop);
    }
    let hash = answer.json()["item_hash"].as_str().unwrap_or_default().to_owned();
    probe.given(!hash.is_empty(), "the answer to a creation has no item_hash")?;
    pass(probe, settling(probe)).await?;
    expect_state(probe, &hash, "rejected").await
}

/// Sends FORGETs whose `hashes` is missing, an array of an array, an array of a number, or an object. None may be
/// processed: it is rejected at once or later. The number may be read as a string. A FORGET for the file alone is
/// accepted. What an empty array asks for is left open.
#[rejects(rows::HASHES)]
async fn hashes_that_are_not_strings_are_rejected(probe: &Probe<'_>) -> Checked {
    let owner = caller(probe);
    let known = stored(probe, &owner).await?.hash;
    let good = forget(probe, &owner, &json!([known])).await?;
    for wrong in probe.wrong_values() {
        let bad = good.clone().inside("hashes", wrong.instead_of(&json!([known])));
        expect_unprocessed(probe, &good, &bad, "hashes", wrong).await?;
    }
    good.send(probe).await?.counterpart_status(ACCEPTED)
}

/// Uploads the same bytes for two owners, and sends a FORGET for the first STORE. The second must not be forgotten, and a node must
/// serve its file; in a world of its own two days later.
#[shows(rows::EQUAL_BYTES, after(store::FORGOTTEN, rows::APPLIES))]
async fn store_of_equal_bytes_remains(probe: &Probe<'_>) -> Checked {
    let (one, other) = of_equal_bytes(probe).await?;
    forgotten(probe, &one.upload.caller, &[&one.hash]).await?;
    let state = status(&once_settled(probe, &one.hash, "forgotten").await?);
    probe.given(state == "forgotten", format!("the first STORE is {state}"))?;
    if probe.owns_time() {
        pass(probe, TWO_DAYS).await?;
    }
    expect_remains(probe, &other).await
}

/// Sends a POST whose content names a STORE, and a FORGET for the STORE. The POST must still be found and listed, with its
/// `storeRef`.
#[shows(
    rows::POSTS_REMAIN,
    after(store::FORGOTTEN, messages::FOUND, listing::FINDS, listing::ADDRESSES, paging::FIRST_PAGE)
)]
async fn post_that_names_a_forgotten_store_remains(probe: &Probe<'_>) -> Checked {
    let owner = caller(probe);
    let target = stored(probe, &owner).await?.hash;
    let now = now(probe).await?;
    let content = post_content(&owner, now.seconds(), &json!({ "storeRef": target }));
    let post = created(probe, Draft::dated(probe, &owner, "POST", content, now)).await?;
    forgotten(probe, &owner, &[&target]).await?;
    let state = status(&once_settled(probe, &target, "forgotten").await?);
    probe.given(state == "forgotten", format!("the STORE is {state}"))?;
    let answer = look(probe, &post.hash).await?;
    answer.expect_status(&[200])?;
    let is_whole = |named: &Value| *named == *target;
    answer.expect_json("/message/content/content/storeRef", &target, is_whole)?;
    let listed = list_of(probe, &owner, &[&post.hash]).await?;
    let found = listed.strings("item_hash");
    listed.answer.expect(found.contains(&post.hash), "messages", &post.hash, found.join(", "))
}
