//! Where the rows of the node API apply: its endpoints, and what the network does besides requests.

use crate::Place;
use crate::place::join;

const CREATE_MESSAGE: Place = Place::at("create-message");

/// `POST /messages`: a message of any type.
pub const MESSAGE_CREATION: &[Place] = &[CREATE_MESSAGE];
/// Each endpoint that takes an envelope.
pub const CREATIONS: &[Place] = &[
    CREATE_MESSAGE,
    OWN_TYPE[0],
    OWN_TYPE[1],
    OWN_TYPE[2],
    OWN_TYPE[3],
    OWN_TYPE[4],
    OWN_TYPE[5],
    OWN_TYPE[6],
];
/// Each endpoint that takes an envelope with a type of its own.
pub const OWN_TYPE: &[Place] = &[
    Place::at("create-aggregate"),
    Place::at("create-program"),
    Place::at("create-instance"),
    Place::at("update-instance"),
    Place::at("control-instance"),
    Place::at("pin"),
    Place::at("create-webhook"),
];
/// `POST /aggregates`.
pub const AGGREGATE_CREATION: &[Place] = &[OWN_TYPE[0]];
/// Each endpoint that takes an AGGREGATE.
pub const AGGREGATE_WRITES: &[Place] = &[OWN_TYPE[0], CREATE_MESSAGE];
/// `POST /programs`.
pub const PROGRAM_CREATION: &[Place] = &[OWN_TYPE[1]];
/// `POST /instances`.
pub const INSTANCE_CREATION: &[Place] = &[OWN_TYPE[2]];
/// The endpoints that take an INSTANCE and an `INSTANCE_UPDATE`.
pub const INSTANCE_CHANGED: &[Place] = &[OWN_TYPE[2], OWN_TYPE[3]];
/// `PUT /instances/{instance_id}`.
pub const INSTANCE_UPDATE: &[Place] = &[OWN_TYPE[3]];
/// `POST /instances/{instance_id}/control`.
pub const INSTANCE_CONTROL: &[Place] = &[OWN_TYPE[4]];
/// Each endpoint that changes the instance in its path.
pub const INSTANCE_CHANGES: &[Place] = &[OWN_TYPE[3], OWN_TYPE[4]];
/// `POST /ipfs/pin`.
pub const PIN_CREATION: &[Place] = &[OWN_TYPE[5]];
/// `POST /webhooks`.
pub const WEBHOOK_CREATION: &[Place] = &[OWN_TYPE[6]];
/// Each endpoint that takes a WEBHOOK.
pub const WEBHOOK_WRITES: &[Place] = &[OWN_TYPE[6], CREATE_MESSAGE];

/// `GET /messages/{hash}`.
pub const MESSAGE: &[Place] = &[Place::at("message")];
/// `GET /messages`.
pub const MESSAGES: &[Place] = &[LISTS[0]];
/// `GET /messages.json`.
pub const FLAT: &[Place] = &[Place::at("messages-flat")];
/// The lists of messages.
pub const LISTED: &[Place] = &[MESSAGES[0], FLAT[0]];
/// Where a message's record is read.
pub const RECORDS: &[Place] = &[MESSAGE[0], MESSAGES[0], FLAT[0]];
/// Each list with pages.
pub const LISTS: &[Place] = &[
    Place::at("messages"),
    Place::at("aggregates"),
    Place::at("instances"),
    Place::at("events"),
    Place::at("transactions"),
];
/// `POST /storage/store`.
pub const UPLOAD: &[Place] = &[Place::at("store-file")];
/// `GET /storage/{hash}`.
pub const FILE: &[Place] = &[FILES[0]];
/// `GET /storage/raw/{hash}`.
pub const RAW_FILE: &[Place] = &[FILES[1]];
/// Each endpoint that returns a file.
pub const FILES: &[Place] = &[Place::at("file"), Place::at("raw-file")];
/// `GET /aggregates/{address}/{key}`.
pub const AGGREGATE: &[Place] = &[Place::at("aggregate")];
/// `GET /aggregates`.
pub const AGGREGATES: &[Place] = &[LISTS[1]];
/// `GET /aggregates/{address}.json`.
pub const AGGREGATES_OF: &[Place] = &[Place::at("aggregates-of")];
/// A write of an aggregate is applied, and its address's aggregates are read.
pub const REWRITES: &[Place] = &[PROCESSING[0], AGGREGATES_OF[0]];
/// An update of an instance is applied, and lists show it.
pub const INSTANCE_UPDATES: &[Place] = &[PROCESSING[0], INSTANCES[0]];
/// `POST /run/{program_hash}`.
pub const RUN: &[Place] = &[Place::at("run")];
/// `GET /instances/{instance_id}`.
pub const INSTANCE: &[Place] = &[Place::at("instance")];
/// `GET /instances`.
pub const INSTANCES: &[Place] = &[LISTS[2]];
/// `GET /ipfs/{hash}`.
pub const PINNED: &[Place] = &[Place::at("pinned")];
/// `GET /indexer/{network}/events`.
pub const EVENTS: &[Place] = &[LISTS[3]];
/// `GET /indexer/{network}/transactions`.
pub const TRANSACTIONS: &[Place] = &[LISTS[4]];
/// The lists of indexed chain data.
pub const INDEXER: &[Place] = &[EVENTS[0], TRANSACTIONS[0]];
/// `POST /vrf/generate`.
pub const VRF_GENERATE: &[Place] = &[Place::at("vrf-generate")];
/// `POST /vrf/verify`.
pub const VRF_VERIFY: &[Place] = &[Place::at("vrf-verify")];
/// `GET /info/public.json`.
pub const INFO: &[Place] = &[Place::at("info")];
/// The metrics of each kind of node.
pub const METRICS: &[Place] = &[Place::at("core-metrics"), Place::at("compute-metrics")];
/// `GET /core/{node_hash}/metrics`.
pub const CORE_METRICS: &[Place] = &[METRICS[0]];
/// `GET /compute/{node_hash}/metrics`.
pub const COMPUTE_METRICS: &[Place] = &[METRICS[1]];
/// `GET /metrics.json`.
pub const NODE_METRICS: &[Place] = &[Place::at("node-metrics")];
/// `GET /about/login`.
pub const LOGIN: &[Place] = &[Place::at("login")];
/// `GET /vm/{hash}`.
pub const VM: &[Place] = &[Place::at("vm")];
/// `GET /status/check/{check_name}`.
pub const STATUS_CHECK: &[Place] = &[Place::at("status-check")];

/// Each endpoint that returns what messages have written.
const STORED: &[Place] = &[
    MESSAGE[0],
    MESSAGES[0],
    FLAT[0],
    FILES[0],
    FILES[1],
    AGGREGATE[0],
    AGGREGATES[0],
    AGGREGATES_OF[0],
    INSTANCE[0],
    INSTANCES[0],
    PINNED[0],
];
/// Each endpoint of the API that returns something else.
const COMPUTED: &[Place] =
    &[EVENTS[0], TRANSACTIONS[0], VRF_GENERATE[0], VRF_VERIFY[0], INFO[0], METRICS[0], METRICS[1]];
/// Each endpoint that shows what messages have written.
pub const READINGS: &[Place] = &join::<12>(&[STORED, RUN]);
/// The general endpoints, by the class of their rate.
pub const GENERAL: &[Place] = &join::<19>(&[STORED, COMPUTED, NODE_METRICS]);
/// The endpoints that take a signature, by the class of their rate.
pub const AUTHENTICATED: &[Place] = &join::<9>(&[MESSAGE_CREATION, OWN_TYPE, UPLOAD]);
/// The endpoints whose class has a lower limit than another class.
pub const BELOW: &[Place] = &join::<20>(&[RUN, GENERAL]);
/// The endpoints whose class of the rate is documented, and one that takes a signature.
pub const RATED: &[Place] = &join::<21>(&[BELOW, MESSAGE_CREATION]);
/// Each endpoint below the prefix of the API.
pub const API: &[Place] = &join::<28>(&[AUTHENTICATED, RUN, STORED, COMPUTED]);
/// Each endpoint of a core node.
pub const CORE: &[Place] = &join::<29>(&[API, NODE_METRICS]);
/// A message is validated and applied.
pub const PROCESSING: &[Place] = &[Place::at("processing")];
/// A later message arrives and is applied, and a message is read after it.
pub const LATER_MESSAGES: &[Place] = &[CREATE_MESSAGE, PROCESSING[0], MESSAGE[0]];
/// Payers run out of credits, and what they do not pay for is removed.
pub const REMOVAL: &[Place] = &[Place::at("removal")];
/// A STORE in `removing`: how it gets there, and what is shown of it.
pub const REMOVING: &[Place] = &[REMOVAL[0], MESSAGE[0], FILES[0], FILES[1]];
/// Each endpoint that takes a JSON body with several members.
pub const BODIES: &[Place] = &join::<10>(&[CREATIONS, VRF_GENERATE, VRF_VERIFY]);
/// The measurement program publishes the results of an hour.
pub const MEASUREMENT: &[Place] = &[Place::at("measurement")];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::network::limits::Rate;
    use crate::network::requirements::GROUPS;
    use crate::network::{self as network, COMPUTE};
    use crate::requirement::{Evidence, Subject};

    fn names(places: &[Place]) -> BTreeSet<&'static str> {
        places.iter().map(|place| place.endpoint).collect()
    }

    #[test]
    fn places_have_the_names_of_endpoints() {
        let core = network::CORE.iter();
        assert_eq!(names(CORE), core.clone().map(|endpoint| endpoint.name).collect());
        let compute = COMPUTE.iter().map(|endpoint| endpoint.name).collect();
        assert_eq!(names(&[LOGIN, VM, STATUS_CHECK].concat()), compute);
        let of = |class: Rate| {
            let own = core.clone().filter(move |endpoint| Rate::for_endpoint(endpoint) == class);
            own.map(|endpoint| endpoint.name).collect::<BTreeSet<_>>()
        };
        let declared = [GENERAL, AUTHENTICATED, RUN].map(names);
        assert_eq!(declared, Rate::ALL.map(of));
    }

    /// Rows without a place, and why.
    const NOWHERE: [(&str, &str); 7] = [
        ("network.errors.media-type", "each JSON response shows it"),
        ("network.limits.retry-after-window", "the limits of all endpoints have one window"),
        ("network.webhooks.delivered", "the client receives it"),
        ("network.measurement.every-node", "each node is probed in turn"),
        ("network.neighbours.scheduler", "open, and no rule of it is applied"),
        ("network.neighbours.status", "open, and no rule of it is applied"),
        ("network.neighbours.credit", "open, and no rule of it is applied"),
    ];

    #[test]
    fn rows_about_a_server_have_places() {
        // What binds a record, a reader or a client has no place at the server; neither has what only vectors show.
        let rows = GROUPS.iter().flat_map(|group| group.iter());
        let about_server =
            rows.filter(|row| row.subject == Subject::Server && row.evidence != Evidence::Vector);
        let bare: BTreeSet<String> =
            about_server.filter(|row| row.places.is_empty()).map(ToString::to_string).collect();
        assert_eq!(bare, NOWHERE.map(|(row, _)| row.to_owned()).into());
    }
}
