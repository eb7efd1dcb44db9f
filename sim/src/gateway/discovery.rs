//! The models, and the servers that currently run them.

use assay_spec::Rules;
use assay_spec::gateway::requirements::discovery::CURRENT;
use bytes::Bytes;
use serde_json::{Map, Value, json};

use super::pool::{self, CONFIDENTIAL, IDLE, MODELS, Model, Number};
use super::{State, deviations, variations, wire};
use crate::core::Core;
use crate::exchange::Reply;
use crate::variation;

/// `GET /svc/models`: servers by model.
pub(super) fn discovery(state: &State, core: &mut Core) -> Reply {
    let mut object = Map::new();
    for model in listed(core) {
        let mut servers: Vec<String> =
            servers(state, core, model).into_iter().map(|number| entry(state, core, number)).collect();
        if core.varies(variations::LIST_ORDER) {
            servers.reverse();
        }
        if core.varies(variations::SERVERS_TWICE) {
            servers.extend_from_within(..);
        }
        object.insert(model.id.to_owned(), json!({ "servers": servers }));
    }
    let object = deviations::discovery(core, Value::Object(object));
    let mut reply = core.json(200, object);
    if core.varies(variation::JSON_EXTRA) {
        reply.body = without_extra(core, &reply.body);
    }
    reply
}

/// Every member of the object is a model, so the variation with an extra member does not apply here.
fn without_extra(core: &Core, body: &[u8]) -> Bytes {
    let mut object: Value = serde_json::from_slice(body).unwrap_or_default();
    if let Some(members) = object.as_object_mut() {
        members.shift_remove("extra");
    }
    let spaced = core.varies(variation::JSON_SPACE);
    let written = if spaced { serde_json::to_vec_pretty(&object) } else { serde_json::to_vec(&object) };
    written.expect("a JSON value is always written").into()
}

/// `GET /v1/models`: the models of the gateway or of one server.
pub(super) fn list(core: &mut Core, at: Option<Number>) -> Reply {
    let models = listed(core).into_iter();
    let models = models.filter(|model| at.is_none_or(|number| model.servers.contains(&number)));
    let created_s = crate::clock::EPOCH.0 / 1000;
    let mut body = wire::models(models.map(|model| model.id), created_s);
    if core.varies(variations::LIST_BARE)
        && let Some(data) = body["data"].as_array()
    {
        let bare: Vec<Value> = data.iter().map(|model| json!({ "id": model["id"] })).collect();
        body = json!({ "data": bare });
    }
    deviations::list(core, body)
}

fn listed(core: &Core) -> Vec<&'static Model> {
    let mut models: Vec<&'static Model> = MODELS.iter().collect();
    if core.varies(variations::DISCOVERY_GROWS) {
        models.push(&IDLE);
    }
    if core.varies(variations::LIST_ORDER) {
        models.reverse();
    }
    models
}

/// The listed servers: those of the pool that are considered healthy.
fn servers(state: &State, core: &mut Core, model: &Model) -> Vec<Number> {
    let conforming = state.pool.listed(model);
    core.effect(&CURRENT, conforming, |conforming, variant| match variant {
        "joined" => conforming.into_iter().filter(|number| state.pool.at(*number).left == 0).collect(),
        _ => model.servers.to_vec(),
    })
}

/// The entry of a server in discovery.
fn entry(state: &State, core: &Core, number: Number) -> String {
    if number == CONFIDENTIAL {
        return format!("{}{}", core.dialect.confidential_scheme, state.enclave.item_hash);
    }
    let slash = if core.varies(variations::SERVERS_SLASH) { "/" } else { "" };
    format!("{}{slash}", pool::url(core, state.pool.at(number).site))
}
