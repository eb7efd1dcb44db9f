//! Valid messages for each endpoint that takes an envelope.

use assay_spec::Place;
use assay_spec::network::places::{
    AGGREGATE_CREATION, INSTANCE_CHANGES, INSTANCE_CONTROL, INSTANCE_CREATION, INSTANCE_UPDATE,
    MESSAGE_CREATION, PIN_CREATION, WEBHOOK_CREATION,
};
use assay_spec::network::{CORE, aggregate, pin, program, webhook};
use serde_json::json;

use super::caller::{Caller, caller, common};
use super::scene::{Created, polled, post_draft};
use super::wire::Draft;
use super::{ACCEPTED, CREATED, instances, programs, scene, upload, webhooks};
use crate::harness::check::Stop;
use crate::harness::probe::{Answer, Evidence, Probe};

/// The reply to an accepted registration.
const REGISTERED: Evidence =
    Evidence { what: "a string `webhook_id`", shows: |body| body["webhook_id"].is_string() };

/// The messages of one endpoint, and what they rest on.
pub(super) struct Creation {
    place: Place,
    /// The instance that is changed, and its owner.
    instance: Option<(Caller, String)>,
    /// The content that is pinned.
    file: String,
}

/// What messages name, once a check has made it.
#[derive(Debug, Default)]
pub(super) struct Named {
    /// The identifier of an instance of the common sender.
    instance: Option<String>,
    /// The name of a file.
    file: Option<String>,
}

impl Creation {
    /// Makes what the messages of this endpoint name. If that fails, the check is inconclusive.
    pub(super) async fn at(probe: &Probe<'_>, place: Place) -> Result<Creation, Stop> {
        let instance = if changes(place) { Some(instances::settled(probe).await?) } else { None };
        let file = if names_a_file(place) { stored(probe).await? } else { String::new() };
        Ok(Creation { place, instance, file })
    }

    /// As [`Creation::at`], for messages that are rejected: the checks of a run share what they name, and the valid
    /// counterpart, where they share the target.
    pub(super) async fn rejected(probe: &Probe<'_>, place: Place) -> Result<Creation, Stop> {
        if probe.has_control() || !(changes(place) || names_a_file(place)) {
            return Creation::at(probe, place).await;
        }
        let mut known = probe.settings.network().named.lock().await;
        let known = if changes(place) { &mut known.instance } else { &mut known.file };
        let shared = probe.share(&format!("network.{}", place.endpoint), || Ok(json!(known)));
        let shared = shared.ok().and_then(|shared| shared.as_str().map(str::to_owned));
        let owner = common(probe);
        let name = match shared {
            Some(name) => name,
            None if changes(place) => instances::settled_of(probe, &owner).await?,
            None => stored(probe).await?,
        };
        *known = Some(name.clone());
        if changes(place) {
            return Ok(Creation { place, instance: Some((owner, name)), file: String::new() });
        }
        Ok(Creation { place, instance: None, file: name })
    }

    /// A valid message: of a new sender, or of the owner of the instance that it changes.
    pub(super) async fn draft(&self, probe: &Probe<'_>) -> Result<Draft, Stop> {
        let sender = caller(probe);
        if let Some((owner, id)) = &self.instance {
            return match self.place {
                place if INSTANCE_UPDATE.contains(&place) => instances::update(probe, owner, id).await,
                _ => {
                    // At another time it is another message. A server may reject old ones.
                    let [first, second, ..] = probe.draw("restart");
                    let ago = 1 + i64::from(u16::from_be_bytes([first, second]) % 240);
                    instances::control(probe, owner, id, "restart", ago).await
                }
            };
        }
        let (endpoint, path, kind, content) = match self.place {
            place if MESSAGE_CREATION.contains(&place) => return post_draft(probe, &sender).await,
            place if AGGREGATE_CREATION.contains(&place) => {
                let draft = scene::aggregate(probe, &sender).await?;
                return Ok(draft.to(&aggregate::CREATE, "POST", "/aggregates"));
            }
            Place { endpoint: "create-program", .. } => {
                (&program::CREATE, "/programs", "PROGRAM", programs::content(probe))
            }
            Place { endpoint: "create-instance", .. } => return instances::wanted(probe, &sender).await,
            Place { endpoint: "pin", .. } => {
                (&pin::PIN, "/ipfs/pin", "IPFS_PIN", json!({ "hash": self.file }))
            }
            _ => {
                let content = webhooks::content(probe, "program.executed");
                (&webhook::CREATE, "/webhooks", "WEBHOOK", content)
            }
        };
        Ok(Draft::new(probe, &sender, kind, content).await?.to(endpoint, "POST", path))
    }

    /// The valid counterpart of messages that are rejected. It is sent, unless another check of the run has sent one to a
    /// target that they share.
    pub(super) async fn counterpart(&self, probe: &Probe<'_>) -> Result<Draft, Stop> {
        let good = self.draft(probe).await?;
        good.counterpart(probe).await?;
        Ok(good)
    }

    /// What shows that a message was accepted.
    pub(super) fn evidence(&self) -> Evidence {
        if self.place.endpoint == webhook::CREATE.name { REGISTERED } else { CREATED }
    }

    /// How many messages its sender has sent before.
    pub(super) fn before(&self) -> usize {
        usize::from(self.instance.is_some())
    }
}

/// Whether messages change an instance.
fn changes(place: Place) -> bool {
    INSTANCE_UPDATE.contains(&place) || INSTANCE_CONTROL.contains(&place)
}

/// Whether messages name a file.
fn names_a_file(place: Place) -> bool {
    place.endpoint == pin::PIN.name
}

/// The name of a new file.
async fn stored(probe: &Probe<'_>) -> Result<String, Stop> {
    upload::stored(probe, &caller(probe)).await?.name(probe).await
}

/// In a world of its own, sends a message to each endpoint that the target has for instances, pins and webhooks. Returns those whose
/// hash is known.
pub(super) async fn of_other_types(probe: &Probe<'_>) -> Result<Vec<Created>, Stop> {
    let mut sent = Vec::new();
    if !probe.owns_time() {
        return Ok(sent);
    }
    let offered = CORE.iter().filter(|endpoint| probe.settings.network().offers(endpoint));
    let offered: Vec<&str> = offered.map(|endpoint| endpoint.name).collect();
    let others = [INSTANCE_CREATION, INSTANCE_CHANGES, PIN_CREATION, WEBHOOK_CREATION].concat();
    for place in others.into_iter().filter(|place| offered.contains(&place.endpoint)) {
        match sent_to(probe, place).await {
            Ok(messages) => sent.extend(messages),
            // The target does not have this endpoint.
            Err(Stop::NotApplicable(why)) => probe.note(why),
            Err(stop) => return Err(stop),
        }
    }
    Ok(sent)
}

/// Sends a message to an endpoint with a type of its own.
async fn sent_to(probe: &Probe<'_>, place: Place) -> Result<Vec<Created>, Stop> {
    let creation = Creation::at(probe, place).await?;
    let draft = creation.draft(probe).await?;
    let answer = draft.send(probe).await?;
    answer.given_accepted(ACCEPTED, creation.evidence())?;
    let hashes = hashes(probe, &answer, &draft.caller).await?;
    Ok(hashes.into_iter().map(|hash| Created { hash, draft: draft.clone() }).collect())
}

/// The hashes of a message that was accepted: that of the answer, or those in the list of its sender, who has sent nothing
/// else.
pub(super) async fn hashes(
    probe: &Probe<'_>,
    answer: &Answer<'_>,
    sender: &Caller,
) -> Result<Vec<String>, Stop> {
    let hash = answer.json()["item_hash"].as_str().filter(|hash| !hash.is_empty()).map(str::to_owned);
    if let Some(hash) = hash {
        return Ok(vec![hash]);
    }
    let read = async || scene::list_of(probe, sender, &[]).await;
    Ok(polled(probe, read, |list| !list.items.is_empty()).await?.strings("item_hash"))
}
