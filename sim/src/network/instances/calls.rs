//! The endpoints of instances.

use assay_spec::Id;
use assay_spec::network::content::Content;
use assay_spec::network::instance::{Control, Instance, InstanceFilter, LIST};
use assay_spec::network::message::MessageType;
use assay_spec::network::requirements::instances::{CPU, DESCRIPTION, DISK, MEMORY, NAME, SAME_ID, UNKNOWN};
use serde_json::json;

use super::machines::{Instances, id_of, ipv6_of, record};
use crate::core::Core;
use crate::exchange::Reply;
use crate::network::call::Call;
use crate::network::messages::create::Take;
use crate::network::paging::{self, ReadPage};
use crate::network::state::State;
use crate::refusal::Refusal;
use crate::seam::{Answer, Body, steps};

/// What an instance keeps as its creation said it.
const KEPT: [(Id, &str); 5] =
    [(&NAME, "name"), (&DESCRIPTION, "description"), (&CPU, "cpu"), (&MEMORY, "memory"), (&DISK, "disk")];

/// One instance, as the reply with its record knows it.
#[derive(Clone, Debug)]
pub(in crate::network) struct Shown {
    /// Its record.
    pub(in crate::network) instance: Instance,
    /// The number of its updates.
    pub(in crate::network) changes: u32,
}

/// Creates an instance.
pub(in crate::network) fn create(
    core: &mut Core,
    state: &mut State,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let created = Take::run(core, state, call, Some(MessageType::Instance), &|_, _, _| Ok(()))?;
    let id = id_of(core, created.hash);
    let ipv6 = ipv6_of(core, created.hash).to_string();
    Ok(created.reply(core, call, &[("instance_id", json!(id)), ("ipv6", json!(ipv6))]))
}

/// Reads one instance.
pub(in crate::network) fn read(
    core: &mut Core,
    state: &mut State,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let instances = state.seen(core, call.site).derived.instances;
    let shown = FindInstance::run(core, &instances, call.capture(0))?;
    let mut body = json!(shown.instance);
    for (rule, member) in KEPT {
        core.keep_member(rule, &mut body, member);
    }
    Ok(core.reply(Answer::new(shown, 200, Body::Json(body))))
}

steps! {
    FindInstance(instances: &Instances, id: &str) -> Result<Shown, Refusal> = find;
}

/// The instance with that identifier.
pub(in crate::network) fn find(core: &mut Core, instances: &Instances, id: &str) -> Result<Shown, Refusal> {
    let machine =
        instances.find(id).ok_or_else(|| Refusal::new(&UNKNOWN, format!("no instance {id:.80}")))?;
    Ok(Shown { instance: record(core, id, machine), changes: machine.changes })
}

/// Lists instances in pages.
pub(in crate::network) fn list(
    core: &mut Core,
    state: &mut State,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let page = ReadPage::run(core, &state.limits, &call.params)?;
    let filter = core.step(InstanceFilter::parse(&call.params));
    let instances = state.seen(core, call.site).derived.instances;
    let found = SelectInstances::run(core, &instances, &filter);
    paging::page(core, &LIST, "instances", page, &found)
}

steps! {
    SelectInstances(instances: &Instances, filter: &InstanceFilter) -> Vec<Instance> = select;
}

/// The instances that a filter selects.
pub(in crate::network) fn select(
    core: &mut Core,
    instances: &Instances,
    filter: &InstanceFilter,
) -> Vec<Instance> {
    instances.select(core, filter)
}

/// Updates an instance.
pub(in crate::network) fn update(
    core: &mut Core,
    state: &mut State,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let kind = Some(MessageType::InstanceUpdate);
    let created = Take::run(core, state, call, kind, &|core, _, content| match content {
        Content::InstanceUpdate(update) => same_id(core, call, &update.instance_id),
        _ => Ok(()),
    })?;
    Ok(created.reply(core, call, &[]))
}

/// Starts, stops or restarts an instance.
pub(in crate::network) fn control(
    core: &mut Core,
    state: &mut State,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let kind = Some(MessageType::InstanceControl);
    let created = Take::run(core, state, call, kind, &|core, _, content| match content {
        Content::InstanceControl(control) => AdmitControl::run(core, call, control),
        _ => Ok(()),
    })?;
    Ok(created.reply(core, call, &[]))
}

steps! {
    AdmitControl(call: &Call<'_>, control: &Control) -> Result<(), Refusal> = admit_control;
}

/// Every action on the instance that the path names is admitted.
pub(in crate::network) fn admit_control(
    core: &mut Core,
    call: &Call<'_>,
    control: &Control,
) -> Result<(), Refusal> {
    same_id(core, call, &control.instance_id)
}

/// Path and content must name the same instance.
fn same_id(core: &mut Core, call: &Call<'_>, id: &str) -> Result<(), Refusal> {
    let path = call.capture(0);
    Ok(core.require(&SAME_ID, path == id, || format!("the path names {path:.80}, the content {id:.80}"))?)
}
