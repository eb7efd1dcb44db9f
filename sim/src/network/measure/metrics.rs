//! `GET /core/{node_hash}/metrics` and `GET /compute/{node_hash}/metrics`: a node's records of the last two weeks.
//!
//! The document does not show the container of the records: an array here.

use std::sync::Arc;

use assay_spec::network::mistakes::metrics::ALTERNATIVE;
use assay_spec::network::requirements::metrics::UNKNOWN;
use serde_json::Value;

use super::record::{Failed, Measured};
use crate::core::Core;
use crate::exchange::Reply;
use crate::network::call::Call;
use crate::network::limits::Retention;
use crate::network::nodes::node::NodeKind;
use crate::network::sites;
use crate::network::state::State;
use crate::refusal::Refusal;
use crate::seam::{Answer, Body, steps};

/// The records of a node, as the reply knows them.
#[derive(Clone, Debug)]
pub(in crate::network) struct NodeRecords;

/// One record as returned.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::network) struct ShownRecord {
    /// The record as measured.
    pub(in crate::network) measured: Arc<Measured>,
    /// The record as returned.
    pub(in crate::network) record: Value,
}

impl ShownRecord {
    /// Changes members, as far as the record has them.
    pub(in crate::network) fn edit(&mut self, names: &[&str], edit: impl Fn(&Value) -> Value) {
        for name in names {
            if let Some(value) = self.record.get_mut(*name) {
                *value = edit(value);
            }
        }
    }

    /// Changes members of the records of one kind of node.
    pub(in crate::network) fn edit_of(
        &mut self,
        kind: NodeKind,
        names: &[&str],
        edit: impl Fn(&Value) -> Value,
    ) {
        if self.measured.record.kind() == kind {
            self.edit(names, edit);
        }
    }

    /// Adds fields of failed tests.
    pub(in crate::network) fn fail(&mut self, shown: impl Fn(Failed) -> Option<Value>) {
        for (name, failed) in &self.measured.failed {
            if let Some(value) = shown(*failed) {
                self.record[*name] = value;
            }
        }
    }
}

/// The records of a core node.
pub(in crate::network) fn core(
    core: &mut Core,
    state: &mut State,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    metrics(core, state, call, NodeKind::Core)
}

/// The records of a compute node.
pub(in crate::network) fn compute(
    core: &mut Core,
    state: &mut State,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    metrics(core, state, call, NodeKind::Compute)
}

fn metrics(core: &mut Core, state: &State, call: &Call<'_>, kind: NodeKind) -> Result<Reply, Refusal> {
    core.accept(&ALTERNATIVE, call.site == sites::ALTERNATIVE)?;
    let records = FindRecords::run(core, state, kind, call.capture(0))?;
    let shown = records.into_iter().map(|measured| {
        let record = measured.record.written();
        core.step(ShownRecord { measured, record }).record
    });
    let shown = Value::Array(shown.collect());
    Ok(core.reply(Answer::new(NodeRecords, 200, Body::Json(shown))))
}

steps! {
    FindRecords(state: &State, kind: NodeKind, id: &str) -> Result<Vec<Arc<Measured>>, Refusal> = records;
}

/// The records of the node with a hash, oldest first.
pub(in crate::network) fn records(
    core: &mut Core,
    state: &State,
    kind: NodeKind,
    id: &str,
) -> Result<Vec<Arc<Measured>>, Refusal> {
    let number = state.nodes.find(kind, id);
    let unknown = || Refusal::new(&UNKNOWN, format!("{id:.80} is not a {kind:?} node"));
    Ok(of_node(core, state, number.ok_or_else(unknown)?))
}

/// The records of the node with a number, oldest first.
pub(in crate::network) fn of_node(core: &mut Core, state: &State, number: usize) -> Vec<Arc<Measured>> {
    let Retention(retention_ms) = core.limits(&Retention(state.limits.metrics_retention_ms));
    let now = core.now();
    state.measure.records(number).filter(|one| now - one.at <= retention_ms).cloned().collect()
}
