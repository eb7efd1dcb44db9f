//! Where deviations act: at the places that their rows declare, and at no other.

use std::collections::BTreeMap;

use assay_sim::deviation::{Deviation, Scoped};
use assay_sim::seam::Seam;
use assay_sim::world;
use assay_spec::{Place, Service};

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
    let elsewhere = |place: &Place, deviation: &Deviation| {
        let declared = deviation.requirement.places;
        !declared.is_empty() && !declared.iter().any(|declared| declared.contains(place))
    };
    let conforming = day(&[]);
    for place in places {
        // One deviation of each row; if they change something together, each is tried alone.
        let mut outside: BTreeMap<u32, String> = BTreeMap::new();
        let edits = world::deviations().into_iter().filter(is_edit);
        for what in edits.filter(|deviation| elsewhere(place, deviation)) {
            outside.insert(what.requirement.key, Scoped { what, at: *place }.to_string());
        }
        let names: Vec<String> = outside.into_values().collect();
        if day(&names) == conforming {
            continue;
        }
        let acts = |name: &&String| day(std::slice::from_ref(*name)) != conforming;
        let acting: Vec<&String> = names.iter().filter(acts).collect();
        panic!("{acting:#?} act, although their rows do not declare {place}");
    }
}
