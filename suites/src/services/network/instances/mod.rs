//! Virtual machine instances: creating, reading and controlling them. The document does not show how a control action
//! changes the status, so nothing asserts it.

mod calls;
mod record;

use std::net::Ipv6Addr;

use assay_spec::crypto::ed25519;
use assay_spec::crypto::text::base64;
use assay_spec::network::instance::{CONTROL, CREATE, READ, UPDATE};
use serde_json::{Value, json};

use super::ACCEPTED;
use super::caller::{Caller, caller};
use super::replies::found;
use super::wire::{Call, Draft, now};
use crate::harness::check::Stop;
use crate::harness::probe::{Answer, Probe};

/// The content of a new valid instance.
pub(super) fn content(probe: &Probe<'_>) -> Value {
    let label = assay_spec::crypto::text::hex(&probe.draw("instance")[..8]);
    let given = &probe.settings.network().given;
    json!({
        "name": format!("check-{label}"), "description": format!("an instance of the check {label}"),
        "cpu": 2, "memory": 1536, "disk": 20_480, "image": given.image.as_deref().unwrap_or("debian-12"),
        "ssh_key": given.ssh_key.clone().unwrap_or_else(|| ssh_key(probe)), "firewall": { "allowedPorts": [22, 443] },
    })
}

/// A new SSH public key (RFC 4253, section 6.6, and RFC 8709).
fn ssh_key(probe: &Probe<'_>) -> String {
    const KIND: &str = "ssh-ed25519";
    let key = ed25519::key_from_seed(probe.draw("ssh-key")).verifying_key().to_bytes();
    let part = |bytes: &[u8]| [&(bytes.len() as u32).to_be_bytes()[..], bytes].concat();
    format!("{KIND} {} check", base64(&[part(KIND.as_bytes()), part(&key)].concat()))
}

/// A creation of an instance of `owner`.
pub(super) async fn wanted(probe: &Probe<'_>, owner: &Caller) -> Result<Draft, Stop> {
    Ok(Draft::new(probe, owner, "INSTANCE", content(probe)).await?.to(&CREATE, "POST", "/instances"))
}

/// An instance that was created.
struct Made<'p> {
    answer: Answer<'p>,
    owner: Caller,
    id: String,
    /// The content of the creation.
    content: Value,
}

/// Creates an instance of a new owner. If that is not accepted, the check is inconclusive.
async fn made<'p>(probe: &'p Probe<'_>) -> Result<Made<'p>, Stop> {
    made_by(probe, caller(probe)).await
}

/// As [`made`], of this owner.
async fn made_by<'p>(probe: &'p Probe<'_>, owner: Caller) -> Result<Made<'p>, Stop> {
    let draft = wanted(probe, &owner).await?;
    Made::read(probe, draft.send(probe).await?, owner, &draft)
}

impl<'p> Made<'p> {
    /// Reads the answer to a creation, which must be accepted.
    fn read(probe: &Probe<'_>, answer: Answer<'p>, owner: Caller, draft: &Draft) -> Result<Made<'p>, Stop> {
        answer.given_status(ACCEPTED)?;
        let id = answer.json()["instance_id"].as_str().unwrap_or_default().to_owned();
        probe.given(!id.is_empty(), "the answer to a creation has no instance_id")?;
        Ok(Made { answer, owner, id, content: draft.message["content"].clone() })
    }

    fn ipv6(&self) -> Option<Ipv6Addr> {
        ipv6(&self.answer.json()["ipv6"])
    }
}

/// An address. The document gives a string and no form, so a prefix length may follow.
fn ipv6(value: &Value) -> Option<Ipv6Addr> {
    let text = value.as_str()?;
    let (address, prefix) = text.split_once('/').unwrap_or((text, "128"));
    prefix.parse::<u8>().is_ok_and(|bits| bits <= 128).then(|| address.parse().ok()).flatten()
}

pub(super) fn instance_call(id: &str) -> Call {
    Call::get(&READ, &format!("/instances/{id}"))
}

/// An instance and its record.
async fn recorded<'p>(probe: &'p Probe<'_>) -> Result<(Made<'p>, Answer<'p>), Stop> {
    let made = made(probe).await?;
    let answer = found(probe, instance_call(&made.id)).await?;
    Ok((made, answer))
}

/// An instance that was created: its owner and its identifier.
pub(super) async fn new(probe: &Probe<'_>) -> Result<(Caller, String), Stop> {
    let Made { owner, id, .. } = made(probe).await?;
    Ok((owner, id))
}

/// An instance that was created and can be read: its owner and its identifier.
pub(super) async fn settled(probe: &Probe<'_>) -> Result<(Caller, String), Stop> {
    let owner = caller(probe);
    let id = settled_of(probe, &owner).await?;
    Ok((owner, id))
}

/// As [`settled`], of this owner.
pub(super) async fn settled_of(probe: &Probe<'_>, owner: &Caller) -> Result<String, Stop> {
    let Made { id, .. } = made_by(probe, owner.clone()).await?;
    found(probe, instance_call(&id)).await?;
    Ok(id)
}

/// An update of an instance.
pub(super) async fn update(probe: &Probe<'_>, owner: &Caller, id: &str) -> Result<Draft, Stop> {
    let label = assay_spec::crypto::text::hex(&probe.draw("update")[..8]);
    let content = json!({
        "instance_id": id, "name": format!("renamed-{label}"), "description": format!("described anew: {label}"),
        "firewall": { "allowedPorts": [22] },
    });
    let draft = Draft::new(probe, owner, "INSTANCE_UPDATE", content).await?;
    Ok(draft.to(&UPDATE, "PUT", &format!("/instances/{id}")))
}

/// An action on an instance, dated `seconds_ago`, so that the same action at another time is another message.
pub(super) async fn control(
    probe: &Probe<'_>,
    owner: &Caller,
    id: &str,
    action: &str,
    seconds_ago: i64,
) -> Result<Draft, Stop> {
    let then = now(probe).await? + -1000 * seconds_ago;
    let content = json!({ "instance_id": id, "action": action });
    let draft = Draft::dated(probe, owner, "INSTANCE_CONTROL", content, then);
    Ok(draft.to(&CONTROL, "POST", &format!("/instances/{id}/control")))
}
