//! The STORE message: its statuses, and what remains of it and its file once it is forgotten or removed.

use std::time::Duration;

use assay_spec::network::message;
use assay_spec::network::requirements::{messages, store as rows};
use serde_json::{Value, json};

use super::caller::{Caller, caller};
use super::flat::flat_of;
use super::replies::until;
use super::scene::{
    TWO_DAYS, forgotten, list_of, look, look_until, once_settled, read, reclaimed, run_out, status,
};
use super::upload::{Stored, Way, expect_remains, is_readable, is_served, of_equal_bytes, stored};
use super::wire::{ALTERNATIVE, Call, MIRROR, PRIMARY, pass};
use super::{given, pins};
use crate::harness::check::{Checked, Stop, rejects, shows};
use crate::harness::probe::{Answer, Probe};

/// The statuses that readers see.
const STATUSES: [&str; 6] = ["processed", "removing", "removed", "forgotten", "pending", "rejected"];

/// Uploads a file and reads its STORE message. `status` must be one of the six documented values.
#[shows(rows::STATUS, after(messages::WRAPPER))]
async fn the_status_is_one_of_the_six(probe: &Probe<'_>) -> Checked {
    let stored = stored(probe, &caller(probe)).await?;
    let answer = look(probe, &stored.hash).await?;
    answer.given_status(&[200])?;
    let is_known = |status: &Value| status.as_str().is_some_and(|status| STATUSES.contains(&status));
    answer.expect_json("/status", &STATUSES.join(", "), is_known).map(drop)
}

/// Uploads a file and reads its STORE message, which must be processed. `message.content.item_hash` must be a string
/// that is not empty.
#[shows(rows::PROCESSED)]
async fn a_processed_store_names_its_file(probe: &Probe<'_>) -> Checked {
    let stored = stored(probe, &caller(probe)).await?;
    let answer = read(probe, &stored.hash).await?;
    let status = answer.json()["status"].clone();
    probe.given(status == "processed", format!("the STORE is {status}"))?;
    let is_name = |name: &Value| name.as_str().is_some_and(|name| !name.is_empty());
    answer.expect_json("/message/content/item_hash", "a string that is not empty", is_name).map(drop)
}

/// Uploads a file and reads its message. `message.type` must be `STORE`.
#[shows(rows::TYPE)]
async fn the_message_of_an_upload_is_a_store(probe: &Probe<'_>) -> Checked {
    let stored = stored(probe, &caller(probe)).await?;
    let answer = read(probe, &stored.hash).await?;
    answer.expect_json("/message/type", "\"STORE\"", |kind| kind == "STORE").map(drop)
}

/// Uploads a file and sends a FORGET for it. If that is not accepted, the check is inconclusive.
async fn stored_and_forgotten(probe: &Probe<'_>) -> Result<Stored, Stop> {
    let owner = caller(probe);
    let stored = stored(probe, &owner).await?;
    forgotten(probe, &owner, &[&stored.hash]).await?;
    Ok(stored)
}

/// Uploads a file, sends a FORGET for it and reads the STORE message. The answer must be 200 with `status` `forgotten`.
#[shows(rows::FORGOTTEN, after(messages::WRAPPER))]
async fn a_forgotten_store_says_so(probe: &Probe<'_>) -> Checked {
    let stored = stored_and_forgotten(probe).await?;
    let answer = once_settled(probe, &stored.hash, "forgotten").await?;
    answer.expect_status(&[200])?;
    answer.expect_json("/status", "\"forgotten\"", |status| status == "forgotten").map(drop)
}

/// Uploads a file, sends a FORGET for it and reads the STORE message. `message.content.item_hash` must be missing, null
/// or empty.
#[shows(rows::STRIPPED)]
async fn a_forgotten_store_names_no_file(probe: &Probe<'_>) -> Checked {
    let stored = stored_and_forgotten(probe).await?;
    let answer = once_settled(probe, &stored.hash, "forgotten").await?;
    answer.given_status(&[200])?;
    let status = answer.json()["status"].clone();
    probe.given(status == "forgotten", format!("the STORE is {status}"))?;
    let found = answer.json().pointer("/message/content/item_hash").cloned().unwrap_or_default();
    let is_stripped = found.is_null() || found == "";
    answer.expect(is_stripped, "/message/content/item_hash", "missing, null or empty", found.to_string())
}

/// Uploads a file, reads its STORE message, sends a FORGET for it and reads it again, by hash and in both lists. No member that
/// `message.content` had should still be there.
#[shows(rows::EMPTIED, after(rows::STRIPPED))]
async fn a_forgotten_store_has_no_content(probe: &Probe<'_>) -> Checked {
    let owner = caller(probe);
    let stored = stored(probe, &owner).await?;
    let before = read(probe, &stored.hash).await?.json()["message"]["content"].clone();
    probe.given(
        before.as_object().is_some_and(|members| !members.is_empty()),
        "the STORE has no content before",
    )?;
    forgotten(probe, &owner, &[&stored.hash]).await?;
    let answer = once_settled(probe, &stored.hash, "forgotten").await?;
    answer.given_status(&[200])?;
    let after = answer.json();
    probe.given(after["status"] == "forgotten", format!("the STORE is {}", after["status"]))?;
    let expect_emptied = |answer: &Answer<'_>, at: &str, content: &Value| {
        let is_kept = |(name, value): (&String, &Value)| !value.is_null() && content[name] == *value;
        let kept = before.as_object().into_iter().flatten().find(|member| is_kept(*member));
        let got = kept.map_or_else(String::new, |(name, value)| format!("{name}: {value}"));
        answer.expect(kept.is_none(), at, "no member of what was sent", got)
    };
    expect_emptied(&answer, "/message/content", &after["message"]["content"])?;
    for list in [list_of(probe, &owner, &[]).await?, flat_of(probe, &owner, &[]).await?] {
        // Whether a list has the STORE is the subject of other checks.
        if let Some(listed) = list.items.iter().find(|item| item["item_hash"] == *stored.hash) {
            expect_emptied(&list.answer, "content of the STORE in the list", &listed["content"])?;
        }
    }
    Ok(())
}

/// The sites of core nodes that this run knows.
fn nodes(probe: &Probe<'_>) -> Vec<&'static str> {
    [PRIMARY, ALTERNATIVE, MIRROR].into_iter().filter(|site| probe.sees(site)).collect()
}

/// Uploads a file that can be downloaded. Returns the names under which it may be found.
async fn stored_and_read(probe: &Probe<'_>, owner: &Caller) -> Result<(Stored, Vec<String>), Stop> {
    let stored = stored(probe, owner).await?;
    let names = stored.names(probe).await?;
    probe.given(
        is_readable(probe, PRIMARY, &stored, &names).await?,
        "the file cannot be downloaded before the test begins",
    )?;
    Ok((stored, names))
}

/// Expects that no node still serves the file.
async fn expect_gone(probe: &Probe<'_>, stored: &Stored, names: &[String]) -> Checked {
    for site in nodes(probe) {
        let mut readable = is_readable(probe, site, stored, names).await?;
        for name in names {
            let pinned = pins::at(name).to(site).attempt(probe).await?;
            readable |= pinned.status() == 200 && pinned.response.body == stored.upload.bytes;
        }
        let got = if readable { "200" } else { "no file" };
        probe.expect(!readable, &format!("the file at {site}"), "no file", got)?;
    }
    Ok(())
}

/// Uploads a file, sends a FORGET for it and lets two days pass. No core node may still serve its bytes.
#[shows(rows::FORGOTTEN_BYTES, needs(Clock))]
async fn forgotten_files_are_gone_after_two_days(probe: &Probe<'_>) -> Checked {
    let owner = caller(probe);
    let (stored, names) = stored_and_read(probe, &owner).await?;
    forgotten(probe, &owner, &[&stored.hash]).await?;
    pass(probe, TWO_DAYS).await?;
    expect_gone(probe, &stored, &names).await
}

/// Uploads a file and takes away its owner's credits. The STORE message must have `status` `removing` and still name
/// its file, and the file must still be served.
#[shows(
    rows::REMOVING,
    needs(Clock, Actions),
    or_given("[network.fixtures] removing", |settings| settings.network().given.removing.is_some()),
)]
async fn store_that_is_being_removed_is_complete(probe: &Probe<'_>) -> Checked {
    if let Some(hash) = given(probe, "removing", |given| &given.removing)? {
        let file = expect_removing(probe, hash).await?;
        let mut readable = false;
        for name in [file.as_str(), hash] {
            readable = readable || is_served(probe, PRIMARY, name, |_| true).await?;
        }
        return probe.expect(readable, "the file", "200", "no file");
    }
    let owner = caller(probe);
    let stored = stored(probe, &owner).await?;
    let served = served(probe, &stored).await?;
    probe.given(!served.is_empty(), "the file is not served before")?;
    run_out(probe, &owner).await?;
    expect_removing(probe, &stored.hash).await?;
    for call in served {
        let answer = call.send(probe).await?;
        answer.expect_status(&[200])?;
        let is_whole = answer.response.body == stored.upload.bytes;
        answer.expect(is_whole, "body", "the bytes of the file", answer.response.text())?;
    }
    Ok(())
}

/// The calls that return the bytes of a file.
async fn served(probe: &Probe<'_>, stored: &Stored) -> Result<Vec<Call>, Stop> {
    let mut served = Vec::new();
    for name in stored.names(probe).await? {
        for way in [Way::Plain, Way::Raw] {
            let answer = way.call(&name).attempt(probe).await?;
            if answer.status() == 200 && answer.response.body == stored.upload.bytes {
                served.push(way.call(&name));
            }
        }
    }
    Ok(served)
}

/// Expects the STORE message to say that it is being removed, and to name its file. Returns that name.
async fn expect_removing(probe: &Probe<'_>, hash: &str) -> Result<String, Stop> {
    let answer = look_until(probe, hash, "removing").await?;
    answer.expect_status(&[200])?;
    answer.expect_json("/status", "\"removing\"", |status| status == "removing")?;
    let is_name = |name: &Value| name.as_str().is_some_and(|name| !name.is_empty());
    let name = answer.expect_json("/message/content/item_hash", "a string that is not empty", is_name)?;
    Ok(name.as_str().unwrap_or_default().to_owned())
}

/// Uploads a file, takes away its owner's credits and lets two days pass. Reading the STORE message must return 410, or
/// 200 with `status` `removed` and with `removed_at`, `size` and `reason`, at the top, in `message` or in its content. In a world
/// of its own the three must be the same a minute later.
#[shows(
    rows::REMOVED,
    needs(Clock, Actions),
    or_given("[network.fixtures] removed", |settings| settings.network().given.removed.is_some()),
)]
async fn a_reclaimed_store_says_so_or_is_gone(probe: &Probe<'_>) -> Checked {
    let hash = if let Some(hash) = given(probe, "removed", |given| &given.removed)? {
        hash.clone()
    } else {
        let owner = caller(probe);
        let stored = stored(probe, &owner).await?;
        reclaimed(probe, &owner).await?;
        stored.hash
    };
    let answer = look_until(probe, &hash, "removed").await?;
    answer.expect_status(&[200, 410])?;
    probe.note(format!("a reclaimed STORE returns {}", answer.status()));
    if answer.status() == 410 {
        return Ok(());
    }
    answer.expect_json("/status", "\"removed\"", |status| status == "removed")?;
    let before = said_of_removal(&answer);
    for (name, value) in OF_REMOVAL.iter().zip(&before) {
        answer.expect(!value.is_null(), &format!("/{name}"), "a value", "missing or null")?;
    }
    if probe.owns_time() {
        probe.advance(Duration::from_mins(1)).await?;
        let answer = look(probe, &hash).await?;
        // From now on it may be 410.
        answer.given_status(&[200, 410])?;
        if answer.status() == 410 {
            return Ok(());
        }
        for ((name, before), after) in OF_REMOVAL.iter().zip(&before).zip(said_of_removal(&answer)) {
            answer.expect(*before == after, &format!("/{name}"), before.to_string(), after.to_string())?;
        }
    }
    Ok(())
}

/// What a response says about a removal.
const OF_REMOVAL: [&str; 3] = ["removed_at", "size", "reason"];

/// The values of [`OF_REMOVAL`], null where one is missing.
fn said_of_removal(answer: &Answer<'_>) -> [Value; 3] {
    let body = answer.json();
    let places = [&body, &body["message"], &body["message"]["content"]];
    OF_REMOVAL.map(|name| {
        let found = places.iter().map(|place| &place[name]).find(|value| !value.is_null());
        found.cloned().unwrap_or_default()
    })
}

/// Uploads a file, takes away its owner's credits and lets two days pass. No core node may still serve its bytes.
#[shows(
    rows::REMOVED_BYTES,
    needs(Clock, Actions),
    or_given(
        "[network.fixtures] removed_file", |settings| { settings.network().given.removed_file.is_some() },
    ),
)]
async fn the_file_of_a_reclaimed_store_is_gone(probe: &Probe<'_>) -> Checked {
    if let Some(name) = given(probe, "removed_file", |given| &given.removed_file)? {
        // A file that is there shows that the node serves files.
        let (known, names) = stored_and_read(probe, &caller(probe)).await?;
        for site in nodes(probe) {
            let readable = is_served(probe, site, name, |_| true).await?;
            let got = if readable { "200" } else { "no file" };
            probe.expect(!readable, &format!("the file at {site}"), "no file", got)?;
        }
        let is_there = is_readable(probe, PRIMARY, &known, &names).await?;
        return probe.conclusive(is_there, "a file that was just uploaded is gone, too");
    }
    let owner = caller(probe);
    let (stored, names) = stored_and_read(probe, &owner).await?;
    reclaimed(probe, &owner).await?;
    expect_gone(probe, &stored, &names).await
}

/// Uploads the same bytes for two owners, takes away the credits of the first and lets two days pass. The second STORE must be neither
/// removed nor `removing`, and a node must serve its file.
#[shows(rows::REMOVED_ALONE, needs(Clock, Actions), after(rows::REMOVED))]
async fn store_of_equal_bytes_remains_after_a_removal(probe: &Probe<'_>) -> Checked {
    let (one, other) = of_equal_bytes(probe).await?;
    reclaimed(probe, &one.upload.caller).await?;
    let gone = look_until(probe, &one.hash, "removed").await?;
    let is_gone = gone.status() == 410 || status(&gone) == "removed";
    probe.given(is_gone, "a STORE whose payer ran out two days ago is not removed")?;
    expect_remains(probe, &other).await
}

/// Uploads a file while the mirror lags and reads its message at the mirror. The answer must be 404; a file from before
/// is found there.
#[rejects(
    rows::LAGGING,
    needs(Faults),
    or_given(
        "[network.fixtures] mirror_lacks", |settings| { settings.network().given.mirror_lacks.is_some() },
    ),
)]
async fn a_node_that_lacks_the_message_does_not_find_it(probe: &Probe<'_>) -> Checked {
    let at_mirror = |hash: &str| Call::get(&message::READ, &format!("/messages/{hash}")).to(MIRROR);
    if let Some(hash) = given(probe, "mirror_lacks", |given| &given.mirror_lacks)? {
        look(probe, hash).await?.counterpart_status(&[200])?;
        return at_mirror(hash).attempt(probe).await?.expect_refused();
    }
    let owner = caller(probe);
    // The mirror follows before the fault.
    let early = stored(probe, &owner).await?;
    // A node may lack a message for a moment after it was sent.
    until(probe, at_mirror(&early.hash), |answer| answer.status() == 200)
        .await?
        .counterpart_status(&[200])?;
    probe.faults(json!([{ "fault": "network.lagging" }])).await?;
    let late = stored(probe, &owner).await?;
    let answer = at_mirror(&late.hash).attempt(probe).await;
    probe.faults(json!([])).await?;
    answer?.expect_refused()
}
