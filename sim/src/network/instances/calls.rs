//! The endpoints of instances.

use assay_spec::Id;
use assay_spec::Rules;
use assay_spec::network::content::Content;
use assay_spec::network::instance::InstanceFilter;
use assay_spec::network::message::MessageType;
use assay_spec::network::requirements::errors::FORBIDDEN;
use assay_spec::network::requirements::instances::{
    CONTROL_UNKNOWN, CONTROLLED, CPU, CREATED, CREATED_AT, CREATED_ID, CREATED_IPV6, DESCRIPTION, DISK, ID,
    IMAGE, IPV6, LISTED, MEMORY, NAME, OWNER, SAME_ID, STATUS, UNKNOWN, UPDATE_UNKNOWN, UPDATED, UPDATED_AT,
};
use serde_json::{Value, json};

use super::super::call::Call;
use super::super::deviations::{ZERO_ADDRESS, change};
use super::super::{State, create as creation, paging, variations};
use super::{Machine, id_of, ipv6_of, record, same_id};
use crate::core::Core;
use crate::exchange::Reply;
use crate::refusal::Refusal;

/// Creates an instance.
pub(in crate::network) fn create(
    state: &mut State,
    core: &mut Core,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let created = creation::take(state, core, call, Some(MessageType::Instance), |_, _, _| Ok(()))?;
    let id = id_of(core, created.hash);
    let id = core.effect(&CREATED_ID, json!(id), |conforming, variant| match variant {
        "type" => json!(7),
        _ => json!(format!("{}-0", conforming.as_str().unwrap_or_default())),
    });
    let ipv6 = ipv6_of(core, created.hash).to_string();
    let ipv6 = if core.varies(variations::IPV6_LATER) { Value::Null } else { json!(ipv6) };
    let ipv6 = core.effect(&CREATED_IPV6, ipv6, |_, _| json!("203.0.113.7"));
    Ok(creation::reply(core, &CREATED, &created, &[("instance_id", id), ("ipv6", ipv6)]))
}

/// Reads one instance.
pub(in crate::network) fn read(
    state: &mut State,
    core: &mut Core,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let id = call.capture(0);
    let Some(machine) = state.seen(core, call.site).derived.instances.find(id) else {
        core.require(&UNKNOWN, false, || format!("no instance {id:.80}"))?;
        let now = core.now().seconds();
        // Complete, so that only the status is wrong.
        let shown = json!({
            "instance_id": id, "owner": ZERO_ADDRESS, "name": "", "description": "", "cpu": 0, "memory": 0,
            "disk": 0, "image": "", "ipv6": "::", "status": "stopped", "created_at": now, "updated_at": now,
        });
        return Ok(core.json(200, shown));
    };
    let shown = falsified(core, json!(record(core, id, machine)), machine);
    Ok(core.json(200, shown))
}

/// The record of a single instance, changed by the deviations.
fn falsified(core: &mut Core, mut shown: Value, machine: &Machine) -> Value {
    let longer = |text: Value, _| json!(format!("{}-", text.as_str().unwrap_or_default()));
    let more = |number: Value, _| json!(number.as_i64().unwrap_or_default() + 1);
    let mut deviate = |name: &str, rule, wrong: &dyn Fn(Value, &'static str) -> Value| {
        change(core, rule, &mut shown[name], wrong);
    };
    deviate("instance_id", &ID, &longer);
    deviate("owner", &OWNER, &|_, _| json!(ZERO_ADDRESS));
    // Fields set by an update are covered by the deviations of the update.
    if machine.changes == 0 {
        deviate("name", &NAME, &longer);
        deviate("description", &DESCRIPTION, &longer);
    }
    deviate("cpu", &CPU, &more);
    deviate("memory", &MEMORY, &more);
    deviate("disk", &DISK, &more);
    deviate("image", &IMAGE, &longer);
    deviate("ipv6", &IPV6, &|_, _| json!("2001:db8::7"));
    deviate("status", &STATUS, &|_, _| json!(1));
    deviate("created_at", &CREATED_AT, &|_, _| json!(machine.created.0));
    deviate("updated_at", &UPDATED_AT, &|_, _| json!(machine.created.seconds() - 60));
    shown
}

/// Lists instances in pages.
pub(in crate::network) fn list(
    state: &mut State,
    core: &mut Core,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let page = paging::read(core, &state.limits, &call.params)?;
    let filter = InstanceFilter::parse(&call.params, core);
    let found = state.seen(core, call.site).derived.instances.select(core, &filter);
    let name = core.effect(&LISTED, "instances", |_, _| "items");
    paging::page(core, name, page, &found, |_, instance| json!(instance))
}

/// Updates an instance.
pub(in crate::network) fn update(
    state: &mut State,
    core: &mut Core,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let created =
        creation::take(
            state,
            core,
            call,
            Some(MessageType::InstanceUpdate),
            |core, _, content| match content {
                Content::InstanceUpdate(update) => same_id(core, call, &update.instance_id),
                _ => Ok(()),
            },
        );
    let created = created.map_err(|refusal| milder(core, refusal, &UPDATE_UNKNOWN))?;
    Ok(creation::reply(core, &UPDATED, &created, &[]))
}

/// Starts, stops or restarts an instance.
pub(in crate::network) fn control(
    state: &mut State,
    core: &mut Core,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let created =
        creation::take(state, core, call, Some(MessageType::InstanceControl), |core, _, content| {
            let Content::InstanceControl(control) = content else { return Ok(()) };
            let action = control.action.name();
            if core.violated(&CONTROLLED).is_some_and(|variant| variant == action) {
                return Err(Refusal::new(&CONTROLLED, format!("{action} is rejected")));
            }
            same_id(core, call, &control.instance_id)
        });
    let created = created.map_err(|refusal| milder(core, refusal, &CONTROL_UNKNOWN))?;
    Ok(creation::reply(core, &CONTROLLED, &created, &[]))
}

/// Under those variations, a request for an unknown instance is malformed or forbidden instead of not found.
fn milder(core: &Core, refusal: Refusal, rule: Id) -> Refusal {
    let other: Id = match () {
        () if refusal.refused.rule != rule => return refusal,
        () if core.varies(variations::INSTANCE_UNKNOWN_400) => &SAME_ID,
        () if core.varies(variations::INSTANCE_UNKNOWN_403) => &FORBIDDEN,
        () => return refusal,
    };
    Refusal::new(other, refusal.refused.why)
}
