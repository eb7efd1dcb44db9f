//! Where deviations act: at the places that their rows declare, and at no other.

use std::collections::BTreeMap;

use assay_sim::deviation::{Deviation, Scoped};
use assay_sim::seam::Seam;
use assay_sim::world;
use assay_spec::{Id, Place, Service};

/// Groups and rows that the simulator also applies at a place where no sentence demands it: `POST /messages` need not validate
/// what the endpoint of a type does, the flat list has no pages, a tombstone may have any public members, neither the channel nor
/// the signed bytes of a FORGET are shown, a wrong document of a token is wrong at all its paths, which must agree, and of a
/// submit that does not say that it is one of an accept, only the bound key is admitted.
const CHOICES: [(&str, &str); 12] = [
    ("token.by-cid", "token-by-cid-json"),
    ("token.by-cid", "token-by-uri"),
    ("token.by-cid", "token-by-uri-json"),
    ("aggregates", "create-message"),
    ("projects", "projects"),
    ("records", "forget"),
    ("paging", "messages-flat"),
    ("programs", "create-message"),
    ("instances", "create-message"),
    ("pins", "create-message"),
    ("webhooks", "create-message"),
    ("envelope.signature", "submit"),
];

/// Whether a place is declared for a row, or the simulator applies it there by choice.
pub(crate) fn is_known(row: Id, place: &Place) -> bool {
    let id = row.to_string();
    let names = [row.group, id.split_once('.').expect("an id begins with its service").1];
    let is_choice = CHOICES.iter().any(|(of, endpoint)| names.contains(of) && *endpoint == place.endpoint);
    is_choice || row.places.is_empty() || row.places.iter().any(|declared| declared.contains(place))
}

/// A deviation that edits replies, limits or steps does not act at a place that its row does not declare. `day` gives all that
/// a client meets while some deviations are active.
pub(crate) fn edits_act_where_declared(
    service: Service,
    places: &[Place],
    day: impl Fn(&[String]) -> Vec<String>,
) {
    let is_edit = |deviation: &Deviation| {
        deviation.requirement.service == service && !matches!(deviation.seam, Seam::Guard)
    };
    let elsewhere = |place: &Place, deviation: &Deviation| !is_known(deviation.requirement, place);
    let conforming = day(&[]);
    // One deviation of each row at each place.
    let mut outside: BTreeMap<(Place, u32), String> = BTreeMap::new();
    for place in places {
        let edits = world::deviations().into_iter().filter(is_edit);
        for what in edits.filter(|deviation| elsewhere(place, deviation)) {
            outside.insert((*place, what.requirement.key), Scoped { what, at: *place }.to_string());
        }
    }
    let names: Vec<String> = outside.into_values().collect();
    let acts = |names: &[String]| day(names) != conforming;
    let found = acting(&names, &acts);
    assert!(found.is_empty(), "{found:#?} act, although their rows do not declare these places");
}

/// Those of the names that act, found by halves. If several act together only, these.
fn acting(names: &[String], acts: &impl Fn(&[String]) -> bool) -> Vec<String> {
    if names.is_empty() || !acts(names) {
        return Vec::new();
    }
    let (one, other) = names.split_at(names.len() / 2);
    if one.is_empty() {
        return names.to_vec();
    }
    let found = [acting(one, acts), acting(other, acts)].concat();
    if found.is_empty() { names.to_vec() } else { found }
}
