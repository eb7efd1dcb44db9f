//! Claims of machines' keys.

use std::collections::BTreeMap;

use assay_spec::crypto::address::Address;
use assay_spec::hosting::requirements::{claims as rows, records};

use super::found::absent;
use super::judge::{MOMENT, OBJECT, POINT, each, every, exactly, expect, is, number, public_key, some, with};
use super::message::MessageKind;
use super::scene::{expect_signed, is_hash};
use crate::harness::check::{Checked, shows};
use crate::harness::probe::Probe;

members! {
    /// Reads every claim of a machine's key. `type` must be `POST`.
    TYPE claims_are_posts: every(Claim, "/type"), exactly("POST"), rests!();
    /// Reads every claim of a machine's key. `content.content` must be an object.
    BODY claims_hold_an_object: every(Claim, "/content/content"), OBJECT, rests!();
    /// Reads every claim of a machine's key. `v` must be 1.
    V claims_have_version_1: every(Claim, "/content/content/v"), number(1), rests!(rows::BODY);
    /// Reads every claim of a machine's key. `pubkey` must be `0x04` and 128 hexadecimal digits of a curve point.
    PUBKEY claimed_keys_are_points: every(Claim, "/content/content/pubkey"), POINT, rests!(rows::BODY);
    /// Reads every claim of a machine's key. `registeredAt` must be an ISO 8601 time.
    REGISTERED_AT claims_name_when_they_were_made:
        every(Claim, "/content/content/registeredAt"), MOMENT, rests!(rows::BODY);
}

/// Reads every claim of a machine's key. `content.type` must be the claim type.
#[shows(rows::CONTENT_TYPE, after = rests!(rows::TYPE))]
async fn claims_have_their_type(probe: &Probe<'_>) -> Checked {
    let kind = &probe.settings.dialect.vm_claim_type;
    every(probe, MessageKind::Claim, "/content/type", kind, is(kind)).await
}

/// Reads every claim of a machine's key. `content.address` must be the sender's address.
#[shows(rows::SENDER, after = rests!(records::ADDRESS))]
async fn machines_claim_for_themselves(probe: &Probe<'_>) -> Checked {
    let found = with(probe, MessageKind::Claim).await?;
    for claim in found.of_kind(MessageKind::Claim) {
        let holds = claim.sender().is_some() && claim.sender() == claim.address();
        let got = claim.value["content"]["address"].to_string();
        expect(probe, &found, claim, holds, "/content/address", "the sender's address", &got)?;
    }
    Ok(())
}

/// Reads every claim of a machine's key. `signature` must be the sender's signature over the canonical JSON.
#[shows(rows::SIGNATURE, after = rests!(records::TIME, records::ADDRESS))]
async fn claims_are_signed_by_their_machines(probe: &Probe<'_>) -> Checked {
    let found = with(probe, MessageKind::Claim).await?;
    found.of_kind(MessageKind::Claim).into_iter().try_for_each(|claim| expect_signed(probe, &found, claim))
}

/// Looks up `instanceHash` of the latest claims, on each node until one has it. It must be the hash of an INSTANCE message;
/// what each node lacks is not judged, except in a history that the run let the application write.
#[shows(rows::INSTANCE_HASH, after = rests!(rows::BODY))]
async fn claims_name_an_instance(probe: &Probe<'_>) -> Checked {
    let found = with(probe, MessageKind::Claim).await?;
    let mut count = 0;
    for claim in found.of_kind(MessageKind::Claim).into_iter().rev().take(10) {
        let hash = claim.id("instanceHash");
        let (place, want) = ("/content/content/instanceHash", "the hash of an INSTANCE message");
        if !is_hash(hash) {
            return expect(
                probe,
                &found,
                claim,
                false,
                place,
                want,
                &claim.body()["instanceHash"].to_string(),
            );
        }
        let answer = found.lookup_anywhere(probe, hash).await?;
        answer.given_status(&[200, 404])?;
        if answer.status() == 404 && !found.is_whole {
            continue;
        }
        count += 1;
        let kind = answer.json()["message"]["type"].clone();
        let got = format!("{hash}: {} {kind}", answer.status());
        answer.expect(kind == "INSTANCE", &format!("{place} of {}", claim.hash()), want, got)?;
    }
    if count == 0 { Err(absent("the instances of the claims")) } else { Ok(()) }
}

/// Reads every claim of a machine's key. The address of `pubkey` must be the sender's.
#[shows(rows::KEY_OF_ADDRESS, after = rests!(rows::BODY, rows::PUBKEY, rows::SIGNATURE))]
async fn claimed_keys_are_their_senders(probe: &Probe<'_>) -> Checked {
    let found = with(probe, MessageKind::Claim).await?;
    let mut count = 0;
    for claim in found.of_kind(MessageKind::Claim) {
        let Some(key) = public_key(claim.id("pubkey")) else { continue };
        count += 1;
        let address = Address::from_public_key(&key);
        let holds = claim.sender() == Some(address);
        let want = "the key whose address sends the claim";
        expect(
            probe,
            &found,
            claim,
            holds,
            "/content/content/pubkey",
            want,
            &format!("the key of {address}"),
        )?;
    }
    some(&found, count, "claim with a valid key")
}

/// Reads every claim of a machine's key. No sender may have more than one.
#[shows(rows::ONCE, after = rests!())]
async fn machines_claim_once(probe: &Probe<'_>) -> Checked {
    let found = with(probe, MessageKind::Claim).await?;
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    for claim in found.of_kind(MessageKind::Claim) {
        let sender = claim.value["sender"].to_string().to_lowercase();
        let before = seen.insert(sender, claim.hash());
        let got = before.map(|hash| format!("another one, {hash}")).unwrap_or_default();
        expect(probe, &found, claim, before.is_none(), "claims of the sender", "one", &got)?;
    }
    each(
        probe,
        &found,
        "claim",
        found.of_kind(MessageKind::Claim).into_iter().map(|one| one.at("/sender")),
        "a sender",
        |one| one.is_some(),
    )
}
