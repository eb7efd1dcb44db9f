//! The paths of the control API, each declared once: the routes, the OpenAPI document and the page `docs/control-api.md` follow
//! from this list.

use axum::handler::Handler;
use axum::middleware;
use axum::response::Response;
use axum::routing::{self, MethodRouter};
use serde_json::{Value, json};

use super::bodies::{
    Action, AtLeast, Deviation, Faults, ForkBody, From, Limits, OfService, Restore, SetClock, Variation,
};
use super::take::no_query;
use super::{answers, bad, openapi};
use crate::received;
use crate::shape::{Field, Nothing, Record, Shape};

/// A method at a path.
pub struct Endpoint {
    /// The method.
    pub method: &'static str,
    /// The path behind the prefix.
    pub path: &'static str,
    /// What it does.
    pub about: &'static str,
    /// Whether each forked world has it, too.
    pub is_of_world: bool,
    /// The parameters of the query.
    pub query: &'static [Field],
    /// The body, if it takes one.
    pub body: Option<Body>,
    /// The media type of the response, and its schema.
    pub answer: (&'static str, fn() -> Value),
    /// The statuses of errors, besides those that every path has.
    pub errors: Vec<u16>,
    pub(super) route: MethodRouter,
}

/// The body of a request.
#[derive(Clone, Copy)]
pub struct Body {
    /// Its schema.
    pub schema: fn() -> Value,
    /// Whether it must be there.
    pub is_needed: bool,
}

impl Endpoint {
    fn new(method: &'static str, path: &'static str, route: MethodRouter, about: &'static str) -> Endpoint {
        let is_of_world = !path.starts_with("worlds/");
        let mut errors = Vec::new();
        if !is_of_world {
            errors.push(404);
        }
        // Until it declares a query.
        errors.push(400);
        let answer = ("application/json", answers::nothing as fn() -> Value);
        Endpoint { method, path, about, is_of_world, query: &[], body: None, answer, errors, route }
    }

    /// It is not a part of a forked world.
    fn of_all_worlds(mut self) -> Endpoint {
        self.is_of_world = false;
        self
    }

    fn asks<T: Record>(mut self) -> Endpoint {
        self.query = T::FIELDS;
        self
    }

    fn takes<T: Shape>(mut self) -> Endpoint {
        self.body = Some(Body { schema: T::schema, is_needed: true });
        self
    }

    fn may_take<T: Record>(mut self) -> Endpoint {
        self.body = Some(Body { schema: T::schema, is_needed: false });
        self
    }

    fn answers(mut self, schema: fn() -> Value) -> Endpoint {
        self.answer.1 = schema;
        self
    }

    fn with_type(mut self, media_type: &'static str) -> Endpoint {
        self.answer.0 = media_type;
        self
    }

    fn or(mut self, status: u16) -> Endpoint {
        self.errors.push(status);
        self
    }

    /// The statuses of its errors, lowest first.
    pub fn statuses(&self, is_in_fork: bool) -> Vec<u16> {
        let mut statuses = self.errors.clone();
        // The rights of the caller.
        statuses.extend([401, 403]);
        if self.body.is_some() {
            // A body that is slow or too long, that has another type, or that does not fit into memory.
            statuses.extend([408, 413, 415, 503]);
        }
        if is_in_fork {
            statuses.push(404);
        }
        statuses.sort_unstable();
        statuses.dedup();
        statuses
    }

    /// The handler. Where no query is declared, each parameter is unknown.
    pub(super) fn route(&self) -> MethodRouter {
        let route = self.route.clone();
        if !self.query.is_empty() {
            return route;
        }
        route.route_layer(middleware::from_fn(
            async |request: axum::extract::Request, next: middleware::Next| -> Response {
                match no_query(request.uri().query()) {
                    Ok(()) => next.run(request).await,
                    Err(why) => bad(why),
                }
            },
        ))
    }
}

fn get<T: 'static, H: Handler<T, ()>>(path: &'static str, handler: H, about: &'static str) -> Endpoint {
    Endpoint::new("GET", path, routing::get(handler), about)
}

fn put<T: 'static, H: Handler<T, ()>>(path: &'static str, handler: H, about: &'static str) -> Endpoint {
    Endpoint::new("PUT", path, routing::put(handler), about)
}

fn post<T: 'static, H: Handler<T, ()>>(path: &'static str, handler: H, about: &'static str) -> Endpoint {
    Endpoint::new("POST", path, routing::post(handler), about)
}

fn delete<T: 'static, H: Handler<T, ()>>(path: &'static str, handler: H, about: &'static str) -> Endpoint {
    Endpoint::new("DELETE", path, routing::delete(handler), about)
}

/// Every method at every path, in the order of the page.
pub fn all() -> Vec<Endpoint> {
    [what_is_set(), what_is_seen(), worlds()].into_iter().flatten().collect()
}

fn what_is_set() -> Vec<Endpoint> {
    vec![
        get("openapi.json", openapi::serve, "Returns the description of this API, an OpenAPI 3.1 document.")
            .of_all_worlds()
            .answers(|| json!({ "type": "object", "required": ["openapi", "paths"] })),
        get(
            "info",
            super::info,
            "Returns name, seed, time level and sites, and the names of faults, actions, variations and deviations, each with what it does.",
        )
        .answers(answers::info),
        get("ca", super::ca, "Returns the certificate of the authority that signs the https sites, as PEM.")
            .with_type("application/x-pem-file")
            .answers(String::schema),
        get("clock", super::clock, "Returns the time of the world, in milliseconds since 1970, and how it moves.")
            .answers(answers::clock),
        post(
            "clock",
            super::set_clock,
            "Moves time forward, or changes how it moves, or both. `fired` is the number of timers that were due.",
        )
        .takes::<SetClock>()
        .answers(answers::clock),
        get("faults", super::faults, "Lists the active faults with their receipts.").answers(answers::faults),
        put("faults", super::set_faults, "Replaces all faults by these.")
            .takes::<Faults>()
            .answers(answers::faults),
        get("deviations", super::deviations, "Lists the active deviations.").answers(answers::deviations),
        put("deviations", super::set_deviations, "Replaces all deviations by these.")
            .takes::<Vec<Deviation>>()
            .answers(answers::deviations),
        get("variations", super::variations, "Lists the active variations.")
            .answers(Vec::<Variation>::schema),
        put("variations", super::set_variations, "Replaces all variations by these.")
            .takes::<Vec<Variation>>()
            .answers(Vec::<Variation>::schema),
        get("limits", super::limits, "Returns the limits in force, by service.").answers(answers::limits),
        put(
            "limits",
            super::set_limits,
            "Changes these limits and no others. If one of them is wrong, none is changed.",
        )
        .takes::<Limits>()
        .answers(answers::limits),
        get("actions", super::scheduled, "Lists the actions with a time, those that are over first, with what has become of them.")
            .answers(answers::scheduled),
        post(
            "actions",
            super::perform,
            "Performs an action of a service, now or at a later time; the response is its result, or its number and its time.",
        )
            .takes::<Action>()
            .answers(answers::anything),
    ]
}

fn what_is_seen() -> Vec<Endpoint> {
    vec![
        get("state", super::state, "Returns the state of every service by its name, or of one.")
            .asks::<OfService>()
            .answers(answers::state),
        get("log", super::log, "Lists why requests were rejected, oldest first.").answers(answers::log),
        get(
            "coverage",
            super::coverage,
            "Lists which rules, variations and transitions the requests have exercised.",
        )
        .answers(answers::coverage),
        get("journal", super::journal, "Returns the fingerprint, the number of entries, and those still kept.")
            .asks::<From>()
            .answers(answers::journal),
        get(
            "requests",
            super::requests,
            "Returns the requests that the journal still keeps, with their responses and violated rules.",
        )
        .asks::<received::Filter>()
        .answers(answers::requests),
        get(
            "changes",
            super::changes,
            "Streams the number of journal entries as server-sent events: at once, and after each change. It ends with the world.",
        )
        .with_type("text/event-stream")
        .answers(String::schema),
        get("machines", super::machines, "Returns the transitions of each state machine, and whether they were made.")
            .answers(answers::machines),
        get(
            "waiting",
            super::waiting,
            "Returns once that many requests wait for their response; after three seconds it returns 408.",
        )
        .asks::<AtLeast>()
        .answers(answers::waiting)
        .or(408),
    ]
}

fn worlds() -> Vec<Endpoint> {
    vec![
        post("snapshot", super::snapshot, "Keeps a copy of the world; at most 64 are kept.")
            .may_take::<Nothing>()
            .answers(answers::snapshot),
        post("restore", super::restore, "Replaces the world by that copy.")
            .takes::<Restore>()
            .answers(answers::clock),
        post(
            "fork",
            super::fork,
            "Makes a copy of the world, which listens at its own ports; its control paths are under `worlds/{world}`.",
        )
        .may_take::<ForkBody>()
        .answers(answers::world)
        .or(500),
        post("worlds/{world}/close", super::close, "Closes the sites of a forked world; its state stays."),
        post(
            "worlds/{world}/open",
            super::open,
            "Opens the sites of a closed world, at the same ports if they are free.",
        )
        .answers(answers::world)
        .or(500),
        delete("worlds/{world}", super::end, "Ends a forked world."),
    ]
}
