//! The token metadata service (document 1): documents of contracts and their tokens, made from the seed.
//!
//! The document describes no conditions, states or limits of this service: it has no faults, and time changes nothing.

mod collections;
mod contract;
mod deviations;
mod overrides;
mod refusal;
mod root;
mod token;
mod variations;

use std::sync::Arc;

use assay_spec::endpoint::Endpoint;
use assay_spec::metadata::mistakes::validation::ODD_ID;
use assay_spec::metadata::requirements::contract::UNKNOWN;
use assay_spec::metadata::route::{Address, Form, Resource, endpoint, route, written};
use assay_spec::metadata::token::TokenId;
use assay_spec::{Refused, Service};
use http::{HeaderValue, Method};
use serde_json::{Map, Value, json};

use crate::core::Core;
use crate::deviation::Deviation;
use crate::exchange::{ExchangeId, Reply, Request, Site};
use crate::fault;
use crate::limits::Limit;
use crate::refusal::Refusal;
use crate::seam::steps;
use crate::services::SimService;
use crate::shape::Action;
use crate::variation::Variation;

use collections::{Collection, UNKNOWN_TOKEN};
use contract::Shown;
use token::CheckId;

/// The service.
pub const SITE: Site = Site { service: Service::Metadata, name: "metadata", port: 6, tls: false };

/// No endpoint takes a body; a body that arrives is read to its end.
const BODY_BYTES: usize = 1024 * 1024;

/// The state of the service; its collections never change.
#[derive(Clone, Debug)]
pub struct State {
    collections: Arc<[Collection]>,
}

impl SimService for State {
    type Timer = std::convert::Infallible;
    type OutgoingContext = std::convert::Infallible;

    const SITES: &'static [Site] = &[SITE];
    const FAULTS: &'static [fault::FaultKind] = &[];
    const VARIATIONS: &'static [Variation] = variations::ALL;
    const DEVIATIONS: &'static [Deviation] = deviations::ALL;
    const ACTIONS: &'static [Action] = &[];
    const LIMITS: &'static [Limit] = &[];

    fn new(core: &Core) -> State {
        State { collections: collections::made_from(core.rng).into() }
    }

    fn body_limit(&self, _: Site) -> usize {
        BODY_BYTES
    }

    fn handle(&mut self, core: &mut Core, _: ExchangeId, request: &Request) -> Option<Reply> {
        Some(self.answer(core, request).unwrap_or_else(|refusal| {
            core.refuse(&refusal.refused);
            refusal::answer(core, &refusal)
        }))
    }

    fn fire(&mut self, _: &mut Core, timer: Self::Timer) {
        match timer {}
    }

    fn perform(&mut self, _: &mut Core, action: &str, _: &Value) -> Result<Value, String> {
        Err(format!("metadata has no action {action:?}"))
    }

    /// The collections, with each URI as it appears in a path.
    fn view(&self, _: &Core) -> Value {
        let view = |collection: &Collection| {
            let path = collection.uri.as_ref().map(|uri| written(uri, Form::Raw));
            let overridden = collection.tokens.iter().filter(|(_, overrides)| !overrides.is_empty());
            // What overrides change is left open.
            let template = collection.tokens.iter().filter(|(_, overrides)| overrides.is_empty());
            let name = |(id, _): (&TokenId, _)| {
                (id.to_string(), json!({ "name": token::filled(collection, id, &[])["name"] }))
            };
            json!({
                "cid": collection.cid,
                "uri": collection.uri,
                "path": path,
                "tokens": collection.tokens.keys().map(ToString::to_string).collect::<Vec<_>>(),
                "overridden": overridden.map(|(id, _)| id.to_string()).collect::<Vec<_>>(),
                "document": { "name": collection.metadata.name },
                "token_documents": template.map(name).collect::<Map<_, _>>(),
            })
        };
        json!({
            "contracts": self.collections.iter().map(view).collect::<Vec<_>>(),
            "unknown_token": UNKNOWN_TOKEN,
            "interface_path": root::INTERFACE,
        })
    }

    fn limits(&self) -> Value {
        json!({})
    }

    fn set_limits(&mut self, limits: &Value) -> Result<(), String> {
        crate::limits::change_none(limits)
    }
}

steps! {
    Route(state: &State, path: &[u8]) -> Result<Resource, Refused> = State::route;
}

steps! {
    Find(state: &State, address: &Address) -> Result<usize, Refused> = State::find;
}

impl State {
    fn answer(&self, core: &mut Core, request: &Request) -> Result<Reply, Refusal> {
        if !matches!(request.head.method, Method::GET | Method::HEAD) {
            let allowed = HeaderValue::from_static("GET, HEAD");
            return Ok(refusal::error(core, 405, "Method Not Allowed").header("allow", allowed));
        }
        let path = request.path();
        if path == root::INTERFACE {
            return Ok(root::interface(core));
        }
        let has_id = |named: &Endpoint| ODD_ID.places.iter().any(|at| at.endpoint == named.name);
        if endpoint(path.as_bytes()).is_some_and(has_id) {
            core.accept(&ODD_ID, path.as_bytes())?;
        }
        let resource = Route::run(core, self, path.as_bytes())?;
        if let (_, Some(id)) = resource.parameters() {
            CheckId::run(core, id)?;
        }
        match &resource {
            Resource::Root => Ok(root::page(core)),
            Resource::Contract(address) => {
                let index = Find::run(core, self, address)?;
                let Shown { index, .. } = core.step(Shown { by_uri: address.is_uri(), index });
                contract::document(core, &self.collections[index], address)
            }
            Resource::Token { contract, id, suffix } => {
                let of = self.found(core, contract)?;
                token::document(core, of, contract, id, *suffix)
            }
            Resource::Overrides { contract, id } => {
                let of = self.found(core, contract)?;
                overrides::list(core, of, contract, id)
            }
        }
    }

    /// The collection at an address.
    fn found(&self, core: &mut Core, address: &Address) -> Result<&Collection, Refused> {
        Ok(&self.collections[Find::run(core, self, address)?])
    }

    /// The index of the collection at an address.
    fn find(_: &mut Core, state: &State, address: &Address) -> Result<usize, Refused> {
        let found = state.collections.iter().position(|collection| collection.is_at(address));
        let why = || format!("unknown contract {:.200?}", address.text());
        found.ok_or_else(|| Refused { rule: &UNKNOWN, why: why() })
    }

    /// What a path names.
    fn route(core: &mut Core, _: &State, path: &[u8]) -> Result<Resource, Refused> {
        route(path, core)
    }
}
