//! A valid request to each endpoint of a core node.

use assay_spec::Place;
use assay_spec::network::{aggregate, info, instance, message, probes, program, query};

use super::caller::caller;
use super::creations::Creation;
use super::replies::found;
use super::scene::{created, posted};
use super::upload::Way;
use super::wire::{Call, path_with};
use super::{indexer, instances, metrics, pins, programs, scene, upload, vrf};
use crate::harness::check::Stop;
use crate::harness::probe::Probe;

/// A request that should be accepted.
pub(super) struct Valid {
    pub(super) call: Call,
    /// What the answer shows of what was written before. Empty: nothing.
    pub(super) shows: String,
}

/// The endpoints that show one thing that was written, and 404 until it is there.
const SINGLE: [&str; 5] = ["message", "file", "raw-file", "instance", "pinned"];

/// A valid request to the endpoint of a place. What it reads is written first, and is there; if not, the check is
/// inconclusive.
pub(super) async fn valid(probe: &Probe<'_>, place: Place) -> Result<Valid, Stop> {
    let valid = prepared(probe, place).await?;
    if SINGLE.contains(&place.endpoint) {
        found(probe, valid.call.clone()).await?;
    }
    Ok(valid)
}

/// As [`valid`], but nothing is read before.
pub(super) async fn prepared(probe: &Probe<'_>, place: Place) -> Result<Valid, Stop> {
    let owner = caller(probe);
    let mut shows = String::new();
    let call = match place.endpoint {
        "store-file" => upload::Upload::new(probe, &owner).call(probe),
        "run" => {
            let hash = programs::runnable(probe).await?;
            Call::post(&program::RUN, &format!("/run/{hash}"), "{\"variables\":{}}")
        }
        "message" => {
            let hash = created(probe, scene::aggregate(probe, &owner).await?).await?.hash;
            let call = Call::get(&message::READ, &format!("/messages/{hash}"));
            shows = hash;
            call
        }
        "messages" | "messages-flat" => {
            shows = posted(probe, &owner).await?.hash;
            let (endpoint, path) = match place.endpoint {
                "messages" => (&query::LIST, "/messages"),
                _ => (&query::FLAT, "/messages.json"),
            };
            Call::get(endpoint, &path_with(path, &[("addresses", &owner.address)]))
        }
        "file" | "raw-file" => {
            let way = if place.endpoint == "file" { Way::Plain } else { Way::Raw };
            let names = upload::stored(probe, &owner).await?.names(probe).await?;
            let (_, name) = upload::fetch(probe, way, &names).await?;
            way.call(&name)
        }
        "aggregate" | "aggregates" | "aggregates-of" => {
            let sent = created(probe, scene::aggregate(probe, &owner).await?).await?;
            let (address, key) = (&owner.address, sent.draft.message["content"]["key"].clone());
            key.as_str().unwrap_or_default().clone_into(&mut shows);
            let read = Call::get(&aggregate::READ, &format!("/aggregates/{address}/{shows}"));
            match place.endpoint {
                "aggregate" => read,
                "aggregates" => {
                    Call::get(&aggregate::LIST, &path_with("/aggregates", &[("address", address)]))
                }
                _ => Call::get(&aggregate::OF_ADDRESS, &format!("/aggregates/{address}.json")),
            }
        }
        "instance" | "instances" => {
            let (owner, id) = instances::new(probe).await?;
            shows = id;
            match place.endpoint {
                "instance" => instances::instance_call(&shows),
                _ => Call::get(&instance::LIST, &path_with("/instances", &[("address", &owner.address)])),
            }
        }
        "pinned" => {
            let (_, name) = pins::pinned(probe).await?;
            pins::at(&name)
        }
        "events" | "transactions" => indexer::whole(probe, place.endpoint).await?,
        "vrf-generate" => vrf::post(&vrf::wanted(&vrf::seed(probe))),
        "vrf-verify" => vrf::verify(&vrf::claim(probe).await?),
        "info" => Call::get(&info::PUBLIC, "/info/public.json"),
        "core-metrics" | "compute-metrics" => metrics::of_measured(probe, place).await?,
        "node-metrics" => Call::bare(&probes::METRICS, "GET", "/metrics.json"),
        _ => Creation::at(probe, place).await?.draft(probe).await?.call(),
    };
    Ok(Valid { call, shows })
}
