//! Valid messages for each endpoint that takes an envelope.

use assay_spec::Place;
use assay_spec::network::places::{AGGREGATE_CREATION, INSTANCE_CONTROL, INSTANCE_UPDATE, MESSAGE_CREATION};
use assay_spec::network::{aggregate, pin, program, webhook};
use serde_json::json;

use super::caller::{Caller, caller};
use super::wire::Draft;
use super::{ACCEPTED, CREATED, instances, messages, polled, post_draft, programs, storage, webhooks};
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

impl Creation {
    /// Makes what the messages of this endpoint name. If that fails, the check is inconclusive.
    pub(super) async fn at(probe: &Probe<'_>, place: Place) -> Result<Creation, Stop> {
        let changes = INSTANCE_UPDATE.contains(&place) || INSTANCE_CONTROL.contains(&place);
        let instance = if changes { Some(instances::settled(probe).await?) } else { None };
        let file = if place.endpoint == pin::PIN.name {
            storage::stored(probe, &caller(probe)).await?.name(probe).await?
        } else {
            String::new()
        };
        Ok(Creation { place, instance, file })
    }

    /// A valid message: of a new sender, or of the owner of the instance that it changes.
    pub(super) async fn draft(&self, probe: &Probe<'_>) -> Result<Draft, Stop> {
        let sender = caller(probe);
        if let Some((owner, id)) = &self.instance {
            return match self.place {
                place if INSTANCE_UPDATE.contains(&place) => instances::update(probe, owner, id).await,
                _ => {
                    // At another time it is another message.
                    let [first, second, ..] = probe.draw("restart");
                    let ago = 1 + i64::from(u16::from_be_bytes([first, second]) % 3600);
                    instances::control(probe, owner, id, "restart", ago).await
                }
            };
        }
        let (endpoint, path, kind, content) = match self.place {
            place if MESSAGE_CREATION.contains(&place) => return post_draft(probe, &sender).await,
            place if AGGREGATE_CREATION.contains(&place) => {
                let draft = messages::aggregate(probe, &sender).await?;
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

    /// Sends a valid message, the counterpart of what is rejected. Returns it.
    pub(super) async fn counterpart(&self, probe: &Probe<'_>) -> Result<Draft, Stop> {
        let good = self.draft(probe).await?;
        good.send(probe).await?.counterpart_status(ACCEPTED)?;
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
    let read = async || super::list_of(probe, sender, &[]).await;
    Ok(polled(probe, read, |list| !list.items.is_empty()).await?.strings("item_hash"))
}
