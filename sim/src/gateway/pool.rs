//! The pool: models, the servers that run them, the gateway's view of each server's health, and the order in which
//! servers are tried.
//!
//! A failed request marks a server as unhealthy, a response marks it as healthy. Health checks run on a timer; in a
//! world where nothing happens there are none, so that time can pass without events.

use std::sync::{Arc, LazyLock};

use assay_spec::crypto::text::hex;
use serde_json::{Value, json};

use super::model::Traits;
use super::script::Scripted;
use super::{ENCLAVE, SERVERS, State};
use crate::core::Core;
use crate::exchange::Site;

/// The number of a server: its index in the pool.
pub(super) type Number = usize;

/// The confidential deployment's number.
pub(super) const CONFIDENTIAL: Number = SERVERS.len();

/// A backing server.
#[derive(Clone, Debug)]
pub(super) struct Server {
    /// Its site.
    pub(super) site: Site,
    /// Whether it belongs to the pool.
    pub(super) joined: bool,
    /// How often it has left the pool.
    pub(super) left: u32,
    /// Whether it runs.
    pub(super) up: bool,
    /// Whether the gateway considers it healthy.
    pub(super) well: bool,
    /// Requests in progress.
    pub(super) busy: u32,
    /// Requests answered.
    pub(super) answered: u64,
}

/// A model.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Model {
    /// Its id.
    pub(super) id: Arc<str>,
    /// Its abilities.
    pub(super) traits: Traits,
    /// The servers that run it.
    pub(super) servers: Vec<Number>,
    /// The answers that were written for it.
    pub(super) answers: Vec<Scripted>,
}

/// The models of every world.
pub(super) static MODELS: LazyLock<[Arc<Model>; 4]> = LazyLock::new(|| {
    let writes = Traits { tools: false, vision: false, image: false };
    [
        made("assay-chat", Traits { tools: true, vision: true, image: false }, &[0, 1, 2]),
        made("assay-text", writes, &[0, 1]),
        made("assay-draw", Traits { image: true, ..writes }, &[2]),
        made("assay-sealed", writes, &[CONFIDENTIAL]),
    ]
});

/// A model that no server runs, in the worlds that list one.
pub(super) static IDLE: LazyLock<Arc<Model>> =
    LazyLock::new(|| made("assay-idle", Traits { tools: false, vision: false, image: false }, &[]));

fn made(id: &str, traits: Traits, servers: &[Number]) -> Arc<Model> {
    Arc::new(Model { id: id.into(), traits, servers: servers.to_vec(), answers: Vec::new() })
}

/// The ids of the models of every world.
pub(super) fn ids() -> Vec<&'static str> {
    MODELS.iter().map(|model| &*model.id).collect()
}

/// The names of the sites of all servers.
pub(super) fn site_names() -> Vec<&'static str> {
    SERVERS.iter().chain([&ENCLAVE]).map(|site| site.name).collect()
}

impl Model {
    /// The model of that id.
    pub(super) fn find(core: &mut Core, state: &State, id: &str) -> Option<Arc<Model>> {
        models(core, state).into_iter().find(|model| *model.id == *id)
    }

    /// The model, for display. `failed` is the number of requests that no server has answered.
    pub(super) fn view(&self, failed: u64) -> Value {
        let site = |number: &Number| SERVERS.get(*number).unwrap_or(&ENCLAVE).name;
        json!({
            "id": &*self.id,
            "kind": if self.traits.image { "image" } else { "text" },
            "tools": self.traits.tools,
            "always_calls": self.traits.tools && self.answers.is_empty(),
            "vision": self.traits.vision,
            "confidential": self.servers.contains(&CONFIDENTIAL),
            "failed": failed,
            "servers": self.servers.iter().map(site).collect::<Vec<_>>(),
        })
    }
}

/// The models that the gateway knows.
#[derive(Clone, PartialEq)]
pub(super) struct Models(pub(super) Vec<Arc<Model>>);

/// The models that the gateway knows.
pub(super) fn models(core: &mut Core, state: &State) -> Vec<Arc<Model>> {
    core.step(Models(state.script.models().to_vec())).0
}

/// The sticky cookie.
#[derive(Clone, PartialEq)]
pub(super) struct Cookie {
    /// Its name.
    pub(super) name: &'static str,
    /// Its attributes.
    pub(super) attributes: &'static str,
}

impl Cookie {
    /// The cookie of the simulator. The document gives it no name.
    pub(super) const STICKY: Cookie = Cookie { name: "svc-session", attributes: "Path=/; HttpOnly" };
}

/// The servers. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    servers: Arc<Vec<Server>>,
    /// The number of routed requests: servers with equal load take turns.
    routed: u64,
}

impl Pool {
    /// Every server is in the pool, runs, and is considered healthy.
    pub(super) fn new() -> Pool {
        let server = |site: &Site| Server {
            site: *site,
            joined: true,
            left: 0,
            up: true,
            well: true,
            busy: 0,
            answered: 0,
        };
        let servers = SERVERS.iter().chain([&ENCLAVE]).map(server).collect();
        Pool { servers: Arc::new(servers), routed: 0 }
    }

    /// The server of that number.
    pub(super) fn at(&self, number: Number) -> &Server {
        &self.servers[number]
    }

    /// Mutable access to the server of that number.
    pub(super) fn at_mut(&mut self, number: Number) -> &mut Server {
        &mut Arc::make_mut(&mut self.servers)[number]
    }

    /// The number of the server at a site.
    pub(super) fn number(&self, site: Site) -> Option<Number> {
        self.servers.iter().position(|server| server.site == site)
    }

    /// The number of the server whose site has that name.
    pub(super) fn named(&self, name: &str) -> Option<Number> {
        self.servers.iter().position(|server| server.site.name == name)
    }

    /// The number of servers.
    pub(super) fn len(&self) -> usize {
        self.servers.len()
    }

    /// The servers of a model, in the order in which they are tried: healthy ones first, of these the one that the
    /// caller's cookie names, then by load. Every server of the pool is included: one considered unhealthy may have
    /// recovered.
    pub(super) fn order(&mut self, model: &Model, sticky: Option<Number>) -> Vec<Number> {
        let mut order: Vec<Number> =
            model.servers.iter().copied().filter(|number| self.at(*number).joined).collect();
        if !order.is_empty() {
            let turn = usize::try_from(self.routed).unwrap_or_default() % order.len();
            order.rotate_left(turn);
        }
        self.routed += 1;
        order.sort_by_key(|number| {
            let server = self.at(*number);
            (!server.well, sticky != Some(*number), server.busy)
        });
        order
    }

    /// The servers of a model that discovery lists: those of the pool that are considered healthy.
    pub(super) fn listed(&self, model: &Model) -> Vec<Number> {
        let runs = |number: &Number| self.at(*number).joined && self.at(*number).well;
        model.servers.iter().copied().filter(runs).collect()
    }

    /// The servers, for display.
    pub(super) fn view(&self, core: &Core) -> Value {
        let view = |server: &Server| {
            json!({
                "site": server.site.name,
                "url": url(core, server.site),
                "listed": server.joined,
                "left": server.left,
                "up": server.up,
                "well": server.well,
                "busy": server.busy,
                "answered": server.answered,
            })
        };
        self.servers.iter().take(CONFIDENTIAL).map(view).collect()
    }
}

/// The base URL of a server, without a trailing slash.
pub(super) fn url(core: &Core, site: Site) -> String {
    let place = core.site_url(site).map(|url| url.trim_end_matches('/').to_owned());
    place.unwrap_or_else(|| format!("https://{}.sim", site.name))
}

/// The sticky cookie's value for a server: a keyed word that reveals nothing about it.
pub(super) fn cookie_of(core: &Core, number: Number) -> String {
    hex(&core.rng.draw("gateway.sticky", &number.to_be_bytes(), 0)[..12])
}
