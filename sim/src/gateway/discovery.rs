//! The models, and the servers that currently run them.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::pool::{self, CONFIDENTIAL, Model, Number};
use super::{State, wire};
use crate::core::Core;
use crate::exchange::{Reply, Request};
use crate::refusal::Refusal;
use crate::seam::{Answer, Body, steps};

/// The models with their listed servers, in the order of the lists.
#[derive(Clone, PartialEq)]
pub(super) struct Listing(pub(super) Vec<(Arc<Model>, Vec<Number>)>);

/// The discovery object, as its reply knows it.
#[derive(Clone)]
pub(super) struct Discovered {
    /// The prefix of the entries of confidential deployments.
    pub(super) confidential_scheme: String,
}

/// The list of models, as its reply knows it.
#[derive(Clone)]
pub(super) struct ModelList;

impl Answer<Discovered> {
    /// The entries of servers with a URL, and of confidential deployments.
    pub(super) fn entries(&mut self, confidential: bool) -> impl Iterator<Item = &mut String> {
        let scheme = self.about.confidential_scheme.as_str();
        let models = match &mut self.body {
            Body::Names(Value::Object(models)) => Some(models),
            _ => None,
        };
        let servers = models.into_iter().flat_map(|models| models.values_mut());
        let servers = servers.filter_map(|model| model["servers"].as_array_mut()).flatten();
        let entries = servers.filter_map(|entry| match entry {
            Value::String(entry) => Some(entry),
            _ => None,
        });
        entries.filter(move |entry| entry.starts_with(scheme) == confidential)
    }
}

steps! {
    AdmitToLists(state: &State, request: &Request) -> Result<(), Refusal> = admit;
}

/// The lists need no key.
#[expect(clippy::unnecessary_wraps, reason = "what replaces this step may reject")]
pub(super) fn admit(_: &mut Core, _: &State, _: &Request) -> Result<(), Refusal> {
    Ok(())
}

/// `GET /svc/models`: servers by model.
pub(super) fn discovery(core: &mut Core, state: &State) -> Reply {
    let Listing(models) = listing(core, state);
    let servers = |numbers: Vec<Number>| {
        let entries: Vec<String> = numbers.into_iter().map(|number| entry(core, state, number)).collect();
        json!({ "servers": entries })
    };
    let object: Map<String, Value> =
        models.into_iter().map(|(model, numbers)| (model.id.to_string(), servers(numbers))).collect();
    let about = Discovered { confidential_scheme: core.dialect.confidential_scheme.clone() };
    core.reply(Answer::new(about, 200, Body::Names(Value::Object(object))))
}

/// `GET /v1/models`: the models of the gateway or of one server.
pub(super) fn list(core: &mut Core, state: &State, at: Option<Number>) -> Reply {
    let Listing(models) = listing(core, state);
    let models = models.iter().map(|(model, _)| model);
    let models = models.filter(|model| at.is_none_or(|number| model.servers.contains(&number)));
    let created_s = crate::clock::EPOCH.0 / 1000;
    let body = wire::models(models.map(|model| &*model.id), created_s);
    core.reply(Answer::new(ModelList, 200, Body::Json(body)))
}

fn listing(core: &mut Core, state: &State) -> Listing {
    let models = pool::models(core, state).into_iter();
    let servers = |model: Arc<Model>| {
        let servers = ListedServers::run(core, state, &model);
        (model, servers)
    };
    let listing = models.map(servers).collect();
    core.step(Listing(listing))
}

steps! {
    ListedServers(state: &State, model: &Model) -> Vec<Number> = listed_servers;
}

/// The listed servers of a model: those of the pool that are considered healthy.
pub(super) fn listed_servers(_: &mut Core, state: &State, model: &Model) -> Vec<Number> {
    state.pool.listed(model)
}

/// The entry of a server in discovery.
fn entry(core: &Core, state: &State, number: Number) -> String {
    if number == CONFIDENTIAL {
        return format!("{}{}", core.dialect.confidential_scheme, state.enclave.item_hash);
    }
    pool::url(core, state.pool.at(number).site)
}
