//! The catalogue: every requirement, exemption, endpoint, limit and state machine of every service.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use crate::endpoint::{Auth, Endpoint};
use crate::limit::Limit;
use crate::machine::Machine;
use crate::requirement::Exemption;
use crate::service::entries;
use crate::{Dialect, Id, Place, Service, metadata, network, publish};

static IDS: LazyLock<BTreeMap<String, Id>> =
    LazyLock::new(|| requirements().map(|row| (row.to_string(), row)).collect());

/// Every requirement, in the order of services, groups and rows.
pub fn requirements() -> impl Iterator<Item = Id> {
    entries().into_iter().flat_map(|entry| entry.requirements.iter().flat_map(|group| group.iter().copied()))
}

/// The requirements of one service.
pub fn requirements_of(service: Service) -> impl Iterator<Item = Id> {
    requirements().filter(move |row| row.service == service)
}

/// The requirement with that id, such as `publish.prepare.one-in-flight`.
pub fn requirement(id: &str) -> Option<Id> {
    IDS.get(id).copied()
}

/// The requirements whose rejections carry the rule name `rule`.
pub fn requirements_of_rule(rule: &str) -> impl Iterator<Item = Id> {
    requirements().filter(move |row| row.rule == rule && !rule.is_empty())
}

/// Every exempted sentence.
pub fn exemptions() -> impl Iterator<Item = &'static Exemption> {
    entries().into_iter().flat_map(|entry| entry.exemptions.iter())
}

/// Every endpoint.
pub fn endpoints() -> impl Iterator<Item = &'static Endpoint> {
    entries().into_iter().flat_map(|entry| entry.endpoints.iter().copied())
}

/// The endpoints of one service.
pub fn endpoints_of(service: Service) -> impl Iterator<Item = &'static Endpoint> {
    endpoints().filter(move |endpoint| endpoint.service == service)
}

/// The name of the site that offers an endpoint. The first site of a service has its name.
pub fn site(endpoint: &Endpoint) -> &'static str {
    match endpoint.service {
        Service::Network => network::site(endpoint),
        service => service.name(),
    }
}

/// The service behind a site. `None`: the documents describe no endpoints of that site.
pub fn service_at(name: &str) -> Option<Service> {
    let is_node = || {
        let is_numbered = name.starts_with("network-") || name.starts_with("compute-");
        is_numbered || endpoints_of(Service::Network).any(|endpoint| site(endpoint) == name)
    };
    Service::named(name).or_else(|| is_node().then_some(Service::Network))
}

/// Whether an accepted request leaves data behind: a message, a file, a record, a drop. Inference and draws do not.
pub fn stores(endpoint: &Endpoint) -> bool {
    let is_signed = matches!(endpoint.auth, Auth::VfKey | Auth::Envelope | Auth::FileSignature);
    let is_nameless = endpoint.auth == Auth::None;
    endpoint.method != "GET"
        && (is_signed || is_nameless && matches!(endpoint.service, Service::Drop | Service::Hosting))
}

/// Whether a request to a site that is not documented counts as leaving data behind. Those of a service none of whose
/// endpoints [`stores`] do not; `servers` are those of the gateway, and the chain only reads.
pub fn may_store(site: &str) -> bool {
    let service = service_at(site).or_else(|| (site == "servers").then_some(Service::Gateway));
    site != "chain" && service.is_none_or(|service| endpoints_of(service).any(stores))
}

/// The endpoint that a request to a site of a service is for, by its method and its path as sent without the query.
/// Only the sites of nodes offer the network's API.
pub fn endpoint_at(
    dialect: &Dialect,
    service: Service,
    site: &str,
    method: &str,
    path: &str,
) -> Option<&'static Endpoint> {
    if service == Service::Metadata {
        // Any path names something there, and all that exists is read with GET.
        return metadata::route::endpoint(path.as_bytes()).filter(|_| method == "GET");
    }
    let is_node = site.starts_with(Service::Network.name());
    let is_offered = |endpoint: &&'static Endpoint| {
        service != Service::Network
            || is_node == network::CORE.iter().any(|core| std::ptr::eq(*core, *endpoint))
    };
    let known = endpoints_of(service).filter(is_offered);
    network::route::route(known, method, &dialect.documented(path)).ok().map(|found| found.endpoint)
}

/// Every limit.
pub fn limits() -> impl Iterator<Item = &'static Limit> {
    entries().into_iter().flat_map(|entry| entry.limits.iter().copied())
}

/// The place with these parts, such as `endpoint=prepare`. Only words of places that rows of the service declare are known;
/// without a service, those of every service.
pub fn place<'a>(
    service: Option<Service>,
    parts: impl Iterator<Item = (&'a str, &'a str)>,
) -> Result<Place, String> {
    static WORDS: LazyLock<BTreeSet<(Service, &str, &str)>> = LazyLock::new(|| {
        let named = endpoints().map(|endpoint| (endpoint.service, Place::at(endpoint.name)));
        let states = publish::places::STATES.map(|state| (Service::Publish, Place::ANY.state(state)));
        let rows = requirements().flat_map(|row| row.places.iter().map(|place| (row.service, *place)));
        let values = requirements().flat_map(|row| {
            let kinds = row.rejected().chain(row.accepted).chain(row.kept);
            kinds.map(|kind| (row.service, Place::ANY.value(kind.name)))
        });
        let all = named.chain(states).chain(rows).chain(values);
        let words = |(service, place): (Service, Place)| {
            place.parts().map(|(part, word)| (service, part, word)).collect::<Vec<_>>()
        };
        all.flat_map(words).collect()
    });
    let is_known = |(of, ..): &&(Service, &str, &str)| service.is_none_or(|service| service == *of);
    let mut place = Place::ANY;
    for (name, value) in parts {
        let known = WORDS.iter().filter(is_known).filter(|(_, part, _)| *part == name);
        let words: BTreeSet<&'static str> = known.map(|(.., word)| *word).collect();
        let word = words.get(value).ok_or_else(|| {
            if words.is_empty() {
                format!("unknown part {name:?} of a place; the parts are endpoint, op, state and value")
            } else {
                let words: Vec<&str> = words.iter().copied().collect();
                format!("unknown {name} {value:?}; known: {}", words.join(", "))
            }
        })?;
        *place.part(name).expect("only parts have words") = word;
    }
    Ok(place)
}

/// Every state machine.
pub fn machines() -> impl Iterator<Item = &'static Machine> {
    entries().into_iter().flat_map(|entry| entry.machines.iter().copied())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::requirement::{Anchor, Evidence};

    /// The requirements that cover a sentence of a document.
    fn requirements_at(document: u8, anchor: Anchor) -> impl Iterator<Item = Id> {
        requirements().filter(move |row| row.service.document() == document && row.anchors.contains(&anchor))
    }

    #[test]
    fn ids_are_unique_and_can_be_looked_up() {
        let mut seen = BTreeSet::new();
        for row in requirements() {
            assert!(seen.insert(row.to_string()), "{row} appears twice");
            assert_eq!(requirement(&row.to_string()), Some(row));
        }
    }

    #[test]
    fn keys_follow_the_order_of_the_tables() {
        let keys: Vec<u32> = requirements().map(|row| row.key).collect();
        assert!(keys.is_sorted() && !keys.is_empty());
    }

    #[test]
    fn every_row_has_a_statement_and_a_source() {
        for row in requirements() {
            assert!(row.statement().ends_with('.'), "{row}: the statement must end with a full stop");
            assert!(!row.anchors.is_empty(), "{row} has no anchor");
            for anchor in row.anchors {
                assert!(
                    requirements_at(row.service.document(), *anchor).any(|found| found == row),
                    "{row} is not found by its anchor"
                );
            }
            if let Evidence::NotObservable(why) | Evidence::Open(why) = row.evidence {
                assert!(
                    !why.is_empty() && !why.ends_with('.'),
                    "{row}: the reason is missing or a whole sentence"
                );
            }
        }
    }

    #[test]
    fn no_sentence_is_both_a_row_and_an_exemption() {
        for exemption in exemptions() {
            let row = requirements_at(exemption.document, exemption.anchor).next();
            assert!(
                row.is_none(),
                "{:?} is exempted, but has the row {}",
                exemption.anchor,
                row.expect("some row")
            );
        }
    }

    #[test]
    fn machines_move_between_declared_states_once_per_event() {
        for machine in machines() {
            let mut seen = BTreeSet::new();
            for row in machine.transitions {
                assert!(seen.insert((row.from, row.event)), "{row} appears twice");
            }
        }
    }
}
