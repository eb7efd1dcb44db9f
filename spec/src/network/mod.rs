//! The network's node API (document 2).
//!
//! Signed messages and the data that nodes derive from them: files, aggregates, programs, instances and pins. Also
//! indexed chain data, verifiable random numbers, webhooks and node metrics.

pub mod aggregate;
pub mod content;
pub mod envelope;
pub mod error;
pub mod exemptions;
pub mod forget;
pub mod indexer;
pub mod info;
pub mod instance;
pub mod limits;
pub mod machines;
pub mod measurement;
mod members;
pub mod message;
pub mod metrics;
pub mod mistakes;
pub mod neighbours;
pub mod paging;
pub mod params;
pub mod pin;
pub mod places;
pub mod probes;
pub mod program;
pub mod query;
pub mod rejections;
pub mod requirements;
pub mod route;
mod shapes;
pub mod signing;
pub mod storage;
pub mod store;
pub mod values;
pub mod vrf;
pub mod webhook;

use crate::endpoint::Endpoint;
use crate::machine::Machine;

/// The endpoints of a core channel node.
pub static CORE: &[&Endpoint] = &[
    &message::READ,
    &query::LIST,
    &query::FLAT,
    &message::CREATE,
    &storage::STORE,
    &storage::FILE,
    &storage::RAW,
    &aggregate::READ,
    &aggregate::LIST,
    &aggregate::OF_ADDRESS,
    &aggregate::CREATE,
    &program::CREATE,
    &program::RUN,
    &instance::CREATE,
    &instance::READ,
    &instance::LIST,
    &instance::UPDATE,
    &instance::CONTROL,
    &pin::PIN,
    &pin::READ,
    &indexer::EVENTS,
    &indexer::TRANSACTIONS,
    &vrf::GENERATE,
    &vrf::VERIFY,
    &webhook::CREATE,
    &info::PUBLIC,
    &metrics::CORE,
    &metrics::COMPUTE,
    &probes::METRICS,
];

/// The endpoints of a compute resource node that the measurement program probes.
pub static COMPUTE: &[&Endpoint] = &[&probes::LOGIN, &probes::VM, &probes::STATUS_CHECK];

/// The name of the site that offers an endpoint: the first node, the first compute node, or a neighbour.
pub fn site(endpoint: &Endpoint) -> &'static str {
    let is_one_of = |known: &[&Endpoint]| known.iter().any(|one| std::ptr::eq(*one, endpoint));
    match endpoint {
        _ if is_one_of(COMPUTE) => "compute-1",
        _ if is_one_of(&[&neighbours::PLAN, &neighbours::ALLOCATION, &neighbours::NODES]) => "scheduler",
        _ if is_one_of(&[&neighbours::SERVICES]) => "status",
        _ if is_one_of(&[&neighbours::PAYMENT, &neighbours::TOKEN_TO_CREDIT]) => "credit",
        _ => "network",
    }
}

/// The service's endpoints: those of every kind of node and of the neighbours.
pub static ENDPOINTS: &[&Endpoint] = &joined::<38>([CORE, COMPUTE, neighbours::ALL]);

/// Concatenates the lists. `N` is their total length.
const fn joined<const N: usize>(lists: [&[&'static Endpoint]; 3]) -> [&'static Endpoint; N] {
    let mut all = [lists[0][0]; N];
    let (mut list, mut at, mut from) = (0, 0, 0);
    while at < N {
        if from == lists[list].len() {
            (list, from) = (list + 1, 0);
        }
        all[at] = lists[list][from];
        (at, from) = (at + 1, from + 1);
    }
    assert!(list == 2 && from == lists[2].len(), "an endpoint is missing from the list");
    all
}

/// The service's limits.
pub use limits::LIMITS;

/// The service's state machines.
pub static MACHINES: &[&Machine] =
    &[&machines::STORE, &machines::FORGET, &machines::INSTANCE, &machines::MEASUREMENT];

/// Declares an endpoint: `endpoint!(NAME "name" METHOD "path" Auth [statuses] member of its shape: value)`.
macro_rules! endpoint {
    ($(#[doc = $about:literal])+ $name:ident $short:literal $method:literal $path:literal $auth:ident [$($status:literal),*] $($member:ident: $value:expr),* $(,)?) => {
        $crate::endpoint::endpoint! {
            $(#[doc = $about])+
            Network $name $short $method $path $auth [$($status),*] "document 2, Endpoints";
            json_type: Some(&$crate::network::requirements::errors::MEDIA_TYPE),
            $($member: $value),*
        }
    };
}
use endpoint;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn endpoints_are_listed_once_and_nodes_offer_only_those() {
        let names: BTreeSet<_> = ENDPOINTS.iter().map(|endpoint| endpoint.name).collect();
        assert_eq!(names.len(), ENDPOINTS.len());
        let places: BTreeSet<_> = ENDPOINTS.iter().map(|endpoint| (endpoint.method, endpoint.path)).collect();
        assert_eq!(places.len(), ENDPOINTS.len());
        assert!(CORE.iter().chain(COMPUTE).all(|endpoint| names.contains(endpoint.name)));
    }

    #[test]
    fn every_endpoint_of_the_document_is_declared() {
        let api: Vec<_> = ENDPOINTS.iter().filter(|endpoint| endpoint.path.starts_with("/api/v0/")).collect();
        // 28 rows of the document's table, plus the neighbours.
        assert_eq!(api.len(), 28 + 6 - 1, "the status service is below /api, not /api/v0");
    }
}
