//! The built-in target: every check gets its own world. The only folder that knows the simulator.

pub mod cells;
pub mod client;
pub mod constant;
pub mod costs;
pub mod explore;
mod matrix;
pub mod mixes;
pub mod prove;
mod rehearsal;
pub mod rejected;
pub mod shared;
pub mod sim;
pub mod site_urls;
mod trial;

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};

use assay_sim::clock::EPOCH;
use assay_sim::control::{Hub, PREFIX, router};
use assay_sim::serve::{ClockMode, Handle, IN_MEMORY, connection};
use assay_sim::{Site, World, world};
use assay_spec::limit::Limit;
use assay_spec::{Dialect, Id, Service, catalogue};
use axum::Router;
use serde_json::json;

use crate::harness::check::Check;
use crate::harness::control::{Control, Offer};
use crate::harness::data::Conditions;
use crate::harness::environment::Environment;
use crate::harness::recording::Recorder;
use crate::harness::target::{EnvironmentFuture, Leaving, Target};
use crate::http::connect::{Connect, Connecting, Stream};
use crate::http::exchange::Broken;
use crate::http::transport::Transport;
use crate::services::SUITES;

use rehearsal::{Rehearsals, Start};

/// How much an in-memory connection holds before its writer waits.
const BUFFER: usize = 64 * 1024;
/// The host name of the control API in memory.
const CONTROL: &str = "control.sim";

/// The ways in which the simulator can break a requirement: the name of the deviation, and what happens instead.
pub fn deviations_of(requirement: Id) -> Vec<(String, String)> {
    let all = world::deviations().into_iter();
    let own = all.filter(|deviation| deviation.requirement == requirement);
    let limits = catalogue::limits().flat_map(Limit::wrong).filter(|wrong| wrong.row() == requirement);
    own.map(|deviation| (deviation.to_string(), deviation.about.to_owned()))
        .chain(limits.map(|wrong| (wrong.to_string(), wrong.about())))
        .collect()
}

/// Every deviation and variation that edits a type of the simulator: the name of the type, its own name, and what happens
/// instead.
pub fn edits() -> Vec<(String, String, &'static str)> {
    let deviations = world::deviations().into_iter();
    let deviations = deviations.map(|one| (one.seam, one.to_string(), one.about));
    let variations = world::variations().into_iter().map(|one| (one.seam, one.name.to_owned(), one.about));
    let named = deviations
        .chain(variations)
        .filter_map(|(seam, name, about)| seam.edit().map(|edit| (edit.type_name(), name, about)));
    let mut all: Vec<_> = named.collect();
    all.sort_by(|one, other| one.0.cmp(&other.0));
    all
}

/// The embedded simulator.
#[derive(Clone)]
pub struct Embedded {
    world: World,
    /// The same world after the hosting application has written its seed history: the start of every check of records.
    with_history: OnceLock<World>,
    offer: Offer,
    is_traced: bool,
    /// The deviations and the variations of its worlds.
    changed_by: [Vec<String>; 2],
    /// The rehearsals that its checks make.
    rehearsals: Option<Arc<Rehearsals>>,
    /// Where checks go on, by the key of their requirement.
    starts: BTreeMap<u32, Start>,
}

impl Embedded {
    /// A target whose worlds all start in the same state, with this seed.
    pub fn new(seed: u64, dialect: Dialect) -> Embedded {
        let names = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        let offer = Offer {
            clock: true,
            faults: names(world::faults().iter().map(|kind| kind.name).collect()),
            actions: world::actions().into_iter().map(|(name, _)| name).collect(),
            forks: true,
            addresses: true,
        };
        let world = World::new(seed, EPOCH, dialect);
        Embedded {
            world,
            with_history: OnceLock::new(),
            offer,
            is_traced: true,
            changed_by: Default::default(),
            rehearsals: None,
            starts: BTreeMap::new(),
        }
    }

    /// The same target with requirements switched off or variations applied.
    pub fn with(mut self, deviations: &[String], variations: &[String]) -> Result<Embedded, String> {
        self.world.set_deviations(deviations)?;
        self.world.set_variations(variations)?;
        self.with_history = OnceLock::new();
        self.changed_by = [deviations.to_vec(), variations.to_vec()];
        Ok(self)
    }

    /// The same target; the trace of a check says which deviations and variations would have changed something.
    #[must_use]
    pub fn watched(mut self) -> Embedded {
        self.world.core.watch_changes();
        self.with_history = OnceLock::new();
        self
    }

    /// The same target, watched, whose checks make rehearsals.
    fn rehearsing(self, rehearsals: Arc<Rehearsals>) -> Embedded {
        Embedded { rehearsals: Some(rehearsals), ..self.watched() }
    }

    /// The same target; these checks go on from their rehearsals.
    fn starting(self, starts: BTreeMap<u32, Start>) -> Embedded {
        Embedded { starts, ..self }
    }

    /// The same target, whose worlds do not report what a check did to them.
    #[must_use]
    pub fn untraced(self) -> Embedded {
        Embedded { is_traced: false, ..self }
    }

    /// The environment of a world.
    fn environment_in(world: World, mode: ClockMode) -> (Environment, Handle) {
        let sites = urls(&world);
        let handle = Handle::new(world, mode);
        let hub = Arc::new(Hub::new(handle.clone(), sites.clone()).allowing([CONTROL.to_owned()]));
        let memory = Memory { handle: handle.clone(), control: router(hub), transport: Transport::default() };
        let connector: Arc<dyn Connect> = Arc::new(memory);
        let environment = Environment {
            connector: connector.clone(),
            sites: sites.into_iter().map(|(name, url)| (name.to_owned(), url)).collect(),
            control: Some(Control::new(connector, &format!("http://{CONTROL}{PREFIX}"), None)),
            own: true,
            forwarding: BTreeMap::new(),
            recorder: Recorder::default(),
        };
        (environment, handle)
    }

    /// The environment of a check that goes on from its rehearsal.
    async fn resumed(&self, start: &Start) -> Result<Environment, String> {
        let (mut world, mode) = start.world();
        let [deviations, variations] = &self.changed_by;
        world.set_deviations(deviations)?;
        world.set_variations(variations)?;
        let (environment, _) = Embedded::environment_in(world, mode);
        let recorder = start.follow(&environment).await;
        Ok(Environment { sites: start.sites().clone(), recorder, ..environment })
    }

    /// The world in which a check of a service starts.
    fn beginning(&self, service: Service) -> World {
        let Some(action) = SUITES.get(service).prepared_by else { return self.world.clone() };
        let with_history = self.with_history.get_or_init(|| {
            let mut world = self.world.clone();
            // If the application cannot write it, the check asks again and reports the failure.
            let _ = world.perform(action, &json!({}));
            world
        });
        with_history.clone()
    }
}

impl Target for Embedded {
    fn name(&self) -> String {
        "embedded simulator".to_owned()
    }

    fn offer(&self) -> &Offer {
        &self.offer
    }

    fn has_site(&self, name: &str) -> bool {
        world::sites().iter().any(|site| site.name == name)
    }

    fn environment(&self, service: Service) -> EnvironmentFuture<'_> {
        Box::pin(async move { Ok(Embedded::environment_in(self.beginning(service), ClockMode::Auto).0) })
    }

    fn environment_of(&self, check: &'static Check) -> EnvironmentFuture<'_> {
        Box::pin(async move {
            if let Some(start) = self.starts.get(&check.requirement.key) {
                return Ok(self.resumed(start).await?);
            }
            let world = self.beginning(check.requirement.service);
            let (mut environment, handle) = Embedded::environment_in(world, ClockMode::Auto);
            if let Some(rehearsals) = &self.rehearsals {
                environment.recorder = rehearsals.recorder(check, &handle, &environment.sites);
            }
            Ok(environment)
        })
    }

    fn leave(&self, environment: Environment, _: bool) -> Leaving<'_> {
        drop(environment);
        Box::pin(std::future::ready(None))
    }

    fn conditions(&self) -> Conditions {
        let sites = urls(&self.world).into_iter().map(|(name, url)| (name.to_owned(), url)).collect();
        Conditions { is_embedded: true, offer: Some(self.offer.clone()), sites, ..Conditions::default() }
    }

    fn is_embedded(&self) -> bool {
        true
    }

    fn is_traced(&self) -> bool {
        self.is_traced
    }
}

/// Connections in memory: real framing, without sockets.
struct Memory {
    handle: Handle,
    control: Router,
    /// Of this world alone, so that no check depends on another.
    transport: Transport,
}

/// The URLs of a world's sites in memory.
fn urls(world: &World) -> BTreeMap<&'static str, String> {
    let boots = world.boots();
    let scheme = |site: Site| if site.tls { "https" } else { "http" };
    let url = |site: Site| format!("{}://{}", scheme(site), host(&boots, site));
    world::sites().into_iter().map(|site| (site.name, url(site))).collect()
}

/// The host of a site in memory. A site that reboots has another name after each boot.
fn host(boots: &[(Site, u64)], site: Site) -> String {
    match boot_of(boots, site) {
        Some(boot) => format!("{}-{boot}.sim", site.name),
        None => format!("{}.sim", site.name),
    }
}

/// The current boot of a site that reboots.
fn boot_of(boots: &[(Site, u64)], site: Site) -> Option<u64> {
    boots.iter().find(|(booting, _)| *booting == site).map(|(_, boot)| *boot)
}

/// There is no TLS in memory, but a URL must have the site's scheme.
impl Connect for Memory {
    fn connect<'a>(&'a self, base: &'a str, source: Option<IpAddr>) -> Connecting<'a> {
        Box::pin(async move {
            let (ours, theirs) = tokio::io::duplex(BUFFER);
            let asked = url::Url::parse(base).map_err(|e| Broken::Unreachable(format!("{base}: {e}")))?;
            let asked_host = asked.host_str().filter(|_| asked.port().is_none()).unwrap_or_default();
            if asked_host == CONTROL {
                drop(tokio::spawn(connection(theirs, self.control.clone())));
                return Ok(Box::new(ours) as Box<dyn Stream>);
            }
            let boots = self.handle.read(World::boots);
            let site = world::sites().into_iter().find(|site| host(&boots, *site) == asked_host);
            let site = site.ok_or_else(|| Broken::Unreachable(format!("{base}: no such site")))?;
            match (site.tls, asked.scheme()) {
                (true, "https") | (false, "http") => {}
                (true, _) => return Err(Broken::Closed("since the site speaks https".to_owned())),
                (false, _) => return Err(Broken::Tls(format!("{base}: the server does not speak TLS"))),
            }
            let handle = self.handle.clone();
            let boot = boot_of(&boots, site).unwrap_or(0);
            let peer = source.unwrap_or(IN_MEMORY);
            tokio::spawn(async move { handle.connection(theirs, site, peer, boot).await });
            Ok(Box::new(ours) as Box<dyn Stream>)
        })
    }

    fn transport(&self) -> &Transport {
        &self.transport
    }
}
