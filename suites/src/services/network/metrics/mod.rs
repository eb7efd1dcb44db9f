//! Node metrics: records of a node over two weeks. The document does not show their container: an array, or an object
//! with arrays.

mod failures;
mod records;

use assay_spec::Place;
use assay_spec::network::metrics::{COMPUTE, CORE};
use assay_spec::network::places::CORE_METRICS;
use serde_json::{Value, json};

use super::measurement::{self, Measured};
use super::replies::elements;
use super::scene::List;
use super::wire::{ALTERNATIVE, Call, PRIMARY};
use crate::harness::check::Stop;
use crate::harness::probe::{Answer, Probe};
use crate::profile::MetricsBase;

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NodeKind {
    Core,
    Compute,
}

const KINDS: [NodeKind; 2] = [NodeKind::Core, NodeKind::Compute];

impl NodeKind {
    fn call(self, id: &str) -> Call {
        match self {
            NodeKind::Core => Call::get(&CORE, &format!("/core/{id}/metrics")),
            NodeKind::Compute => Call::get(&COMPUTE, &format!("/compute/{id}/metrics")),
        }
        .shared()
    }

    /// The kind whose metrics an endpoint returns.
    fn at(place: Place) -> NodeKind {
        if CORE_METRICS.contains(&place) { NodeKind::Core } else { NodeKind::Compute }
    }

    fn name(self) -> &'static str {
        match self {
            NodeKind::Core => "core",
            NodeKind::Compute => "compute",
        }
    }
}

/// Measured nodes: those that the profile names, or those of a target whose control API starts measurements.
struct Nodes {
    core: Option<String>,
    compute: Option<String>,
}

impl Nodes {
    /// The hash of a node of that kind.
    fn hash(&self, kind: NodeKind) -> Result<&str, Stop> {
        let (id, name) = match kind {
            NodeKind::Core => (&self.core, "core_node"),
            NodeKind::Compute => (&self.compute, "compute_node"),
        };
        let why =
            || Stop::NotTestable(format!("needs the hash of a measured node ([network.fixtures] {name})"));
        id.as_deref().ok_or_else(why)
    }
}

/// Nodes with at least one measurement.
async fn measured(probe: &Probe<'_>) -> Result<Nodes, Stop> {
    let given = &probe.settings.network().given;
    if given.core_node.is_some() || given.compute_node.is_some() {
        probe.rest_on("network.fixtures.core_node")?;
        probe.rest_on("network.fixtures.compute_node")?;
        return Ok(Nodes { core: given.core_node.clone(), compute: given.compute_node.clone() });
    }
    let Measured { nodes, .. } = measurement::measured(probe, 1).await?;
    // One hour is enough; later measurements would change the records under test.
    probe.perform("network.measure", json!({ "on": false })).await?;
    let first = |kind: NodeKind| {
        let of_kind = nodes.iter().find(|node| node["kind"] == kind.name());
        of_kind.and_then(|node| node["node_id"].as_str().map(str::to_owned))
    };
    Ok(Nodes { core: first(NodeKind::Core), compute: first(NodeKind::Compute) })
}

/// The call for the metrics of a measured node.
pub(super) async fn of_measured(probe: &Probe<'_>, place: Place) -> Result<Call, Stop> {
    let nodes = measured(probe).await?;
    let kind = NodeKind::at(place);
    Ok(kind.call(nodes.hash(kind)?))
}

/// Reads a node's metrics from the address that the profile names; otherwise from the alternative address, which the
/// document names for them, or else from the primary one.
async fn answer<'p>(
    probe: &'p Probe<'_>,
    kind: NodeKind,
    id: &str,
) -> Result<(Answer<'p>, &'static str), Stop> {
    let base = probe.settings.network().metrics_base;
    if base == Some(MetricsBase::Alternative) {
        return Ok((kind.call(id).to(ALTERNATIVE).send(probe).await?, ALTERNATIVE));
    }
    if base.is_none() && probe.sees(ALTERNATIVE) {
        let answer = kind.call(id).to(ALTERNATIVE).attempt(probe).await?;
        if answer.status() == 200 {
            return Ok((answer, ALTERNATIVE));
        }
    }
    Ok((kind.call(id).send(probe).await?, PRIMARY))
}

/// A node's records. If the answer is not a list, the check is inconclusive.
async fn list<'p>(probe: &'p Probe<'_>, kind: NodeKind, id: &str) -> Result<List<'p>, Stop> {
    let (answer, _) = answer(probe, kind, id).await?;
    answer.given_status(&[200])?;
    let items = elements(&answer.json());
    probe.given(items.is_some(), "the answer is neither an array nor an object with arrays")?;
    Ok(List { answer, items: items.unwrap_or_default() })
}

/// As [`list`], with at least one record.
async fn some<'p>(probe: &'p Probe<'_>, kind: NodeKind, id: &str) -> Result<List<'p>, Stop> {
    let list = list(probe, kind, id).await?;
    probe.found(!list.items.is_empty(), format!("the {} node has no records", kind.name()))?;
    Ok(list)
}

/// The records of the measured nodes.
pub(super) async fn served(probe: &Probe<'_>) -> Result<Vec<Value>, Stop> {
    let nodes = measured(probe).await?;
    let mut served = Vec::new();
    for (kind, id) in KINDS.into_iter().filter_map(|kind| Some((kind, nodes.hash(kind).ok()?))) {
        served.extend(list(probe, kind, id).await?.items);
    }
    Ok(served)
}

/// A member of a record that is present and not null. Another check judges null.
fn present<'a>(record: &'a Value, member: &str) -> Option<&'a Value> {
    record.get(member).filter(|value| !value.is_null())
}
