//! The target of a run: base URLs, and how to reach them.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use assay_spec::limit::Limit;
use assay_spec::{Service, catalogue};
use serde_json::{Value, json};
use tokio::sync::Mutex;
use url::Url;

use crate::harness::check::Check;
use crate::harness::control::{Control, Offer};
use crate::harness::data::{Conditions, ControlError};
use crate::harness::environment::Environment;
use crate::harness::recording::Recorder;
use crate::harness::suite::{Suite, Suites};
use crate::http::curl::Reach;
use crate::http::tls::Trust;
use crate::http::transport::Http;

use crate::http::connect::{Connect, Dial};
use crate::http::sockets::{FIRST, Sockets};

/// Whether a fork's site is on the same host as the site, with at least the same security.
fn is_beside(site: &str, fork: &str) -> bool {
    let (Ok(site), Ok(fork)) = (Url::parse(site), Url::parse(fork)) else { return false };
    site.host() == fork.host() && (site.scheme() == fork.scheme() || fork.scheme() == "https")
}

/// A future of an environment.
pub type EnvironmentFuture<'a> = Pin<Box<dyn Future<Output = Result<Environment, ControlError>> + Send + 'a>>;

/// A future of the command that opens a kept environment, if there is one.
pub type Leaving<'a> = Pin<Box<dyn Future<Output = Option<String>> + Send + 'a>>;

/// A future of the end of a run.
pub type Ending<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// Something that can be tested.
pub trait Target: Send + Sync {
    /// Its name in reports.
    fn name(&self) -> String;
    /// What its control API offers.
    fn offer(&self) -> &Offer;
    /// The site names that it has.
    fn has_site(&self, name: &str) -> bool;
    /// An environment for requests to a service.
    fn environment(&self, service: Service) -> EnvironmentFuture<'_>;
    /// An environment for one check.
    fn environment_of(&self, check: &'static Check) -> EnvironmentFuture<'_> {
        self.environment(check.requirement.service)
    }
    /// A check has ended; with `keep` its environment stays for inspection.
    fn leave(&self, environment: Environment, keep: bool) -> Leaving<'_>;
    /// All checks have ended.
    fn end(&self) -> Ending<'_> {
        Box::pin(std::future::ready(()))
    }
    /// The environment that a check would have, reached through `connector`, if that is known without a request.
    fn dry(&self, _: Arc<dyn Connect>) -> Option<Environment> {
        None
    }
    /// Leaves out a site that is not what the profile says.
    fn leave_out(&mut self, _site: &str) {}
    /// How it is reached, for a command that repeats a request.
    fn reach(&self) -> Reach<'_> {
        Reach::default()
    }
    /// Remarks for the report about connections, once the checks have run.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }
    /// The conditions of the verdicts. The caller adds the profile.
    fn conditions(&self) -> Conditions;
    /// The simulator owns the clock, so any number of checks may run in parallel.
    fn is_embedded(&self) -> bool;

    /// Whether what its control API records of a check is read after the check.
    fn is_traced(&self) -> bool {
        true
    }
}

/// A target at base URLs.
pub struct Remote {
    connector: Sockets,
    sites: BTreeMap<String, String>,
    control: Option<Control>,
    offer: Offer,
    forwarding: BTreeMap<String, String>,
    /// The sites that are not what the profile says.
    left_out: BTreeMap<String, String>,
    /// The services whose checks start from a prepared world.
    prepared: BTreeMap<Service, Prepared>,
}

/// A forked world: its sites, and its control API.
type World = (BTreeMap<String, String>, Control);

/// The world from which the checks of a service start.
struct Prepared {
    /// What prepares it.
    action: &'static str,
    world: Mutex<Start>,
}

#[derive(Default)]
enum Start {
    /// No check has needed it.
    #[default]
    Unasked,
    /// It cannot be prepared.
    Unavailable,
    Ready(Control),
}

impl Remote {
    /// A target at these sites; asks its control API, if any, what it offers.
    pub async fn new(
        sites: BTreeMap<String, String>,
        control: Option<(String, Option<String>)>,
    ) -> Result<Remote, String> {
        Remote::trusting(Trust::default(), sites, control).await
    }

    /// As [`Remote::new`]; its sites and its control API show certificates that `trust` trusts.
    pub async fn trusting(
        trust: Trust,
        sites: BTreeMap<String, String>,
        control: Option<(String, Option<String>)>,
    ) -> Result<Remote, String> {
        Remote::over(Sockets { trust, ..Sockets::default() }, sites, control).await
    }

    /// As [`Remote::new`]; its sites and its control API are reached through `connector`.
    pub async fn over(
        connector: Sockets,
        sites: BTreeMap<String, String>,
        control: Option<(String, Option<String>)>,
    ) -> Result<Remote, String> {
        let mut remote = Remote::unasked(connector, sites, control);
        remote.learn_offer().await?;
        Ok(remote)
    }

    /// As [`Remote::over`], before its control API is asked what it offers.
    pub fn unasked(
        connector: Sockets,
        sites: BTreeMap<String, String>,
        control: Option<(String, Option<String>)>,
    ) -> Remote {
        let control = control.map(|(base, token)| Control::new(Arc::new(connector.clone()), &base, token));
        Remote {
            connector,
            sites,
            control,
            offer: Offer::default(),
            forwarding: BTreeMap::new(),
            left_out: BTreeMap::new(),
            prepared: BTreeMap::new(),
        }
    }

    /// The same target. Where checks run in forks, those of a service that prepares its worlds start from one that is
    /// prepared once.
    #[must_use]
    pub fn prepared_by(mut self, suites: Suites) -> Remote {
        let prepared = |suite: &Suite| {
            Some((suite.service, Prepared { action: suite.prepared_by?, world: Mutex::default() }))
        };
        self.prepared = suites.iter().filter_map(prepared).collect();
        self
    }

    /// Asks its control API, if any, what it offers.
    pub async fn learn_offer(&mut self) -> Result<(), String> {
        if let Some(control) = &self.control {
            let info = control.info().await.map_err(|error| error.to_string())?;
            let addresses = self.offer.addresses;
            self.offer = Offer { addresses, ..Offer::read(&info) };
            if self.offer.forks {
                self.belongs_to(&info["sites"])?;
            }
        }
        Ok(())
    }

    /// Checks run in forks of what the control API serves: an error names a site that it serves at another URL.
    fn belongs_to(&self, served: &Value) -> Result<(), String> {
        let parsed = |url: &str| Url::parse(url.trim_end_matches('/')).ok();
        for (site, url) in &self.sites {
            let Some(other) = served[site].as_str().filter(|other| parsed(other) != parsed(url)) else {
                continue;
            };
            return Err(format!(
                "the profile names {url} for {site}, but its control API serves {site} at {other}: correct the URL, or \
                 remove `control`"
            ));
        }
        Ok(())
    }

    /// The same target, whose sites take the client's address from these headers.
    #[must_use]
    pub fn forwarded_by(mut self, headers: BTreeMap<String, String>) -> Remote {
        self.offer.addresses = !headers.is_empty();
        self.forwarding = headers;
        self
    }

    /// Checks that a server listens at every site, and measures its latency. An error names the URL.
    pub async fn reach(&self) -> Result<(), String> {
        for (site, base) in &self.sites {
            let began = Instant::now();
            let to = Dial::to(base);
            let http = self.connector.transport.http;
            let connection = self.connector.dial_within(to, http, FIRST).await.map_err(|e| e.to_string())?;
            // Failed attempts say nothing about the latency.
            if connection.again == 0 {
                self.connector.transport.measured(site, began.elapsed());
            }
        }
        Ok(())
    }

    /// A new world, forked from one of the control API.
    async fn fork(&self, origin: &Control) -> Result<World, ControlError> {
        let fork = origin.call("POST", "fork", Some(json!({ "mode": "auto" }))).await?;
        let path = fork["path"].as_str().ok_or_else(|| "control POST fork: no `path`".to_owned())?;
        let sites: BTreeMap<String, String> =
            serde_json::from_value(fork["sites"].clone()).map_err(|e| format!("control POST fork: {e}"))?;
        let root = self.control.as_ref().unwrap_or(origin);
        Ok((sites, root.world(path)))
    }

    /// A fork in which what was sent to the target before does not count: it counts against the limits until their windows
    /// are over.
    async fn fork_at_rest(&self, root: &Control, service: Service) -> Result<World, ControlError> {
        let (sites, world) = self.fork(root).await?;
        if let Some(window) = longest_window(service).filter(|_| self.offer.clock) {
            world.advance(window.value + 1).await?;
        }
        Ok((sites, world))
    }

    /// The world that is prepared for the checks of a service. `None` if none is, or the control API cannot prepare it: then
    /// each check prepares its own, and reports the failure.
    async fn prepared(&self, root: &Control, service: Service) -> Option<Control> {
        let Prepared { action, world } = self.prepared.get(&service)?;
        let mut world = world.lock().await;
        if let Start::Unasked = *world {
            *world = self.prepare(root, service, action).await.map_or(Start::Unavailable, Start::Ready);
        }
        match &*world {
            Start::Ready(world) => Some(world.clone()),
            Start::Unasked | Start::Unavailable => None,
        }
    }

    async fn prepare(&self, root: &Control, service: Service, action: &str) -> Option<Control> {
        if !self.offer.actions.iter().any(|offered| offered == action) {
            return None;
        }
        let (_, world) = self.fork_at_rest(root, service).await.ok()?;
        let prepared = async {
            world.perform(action, json!({})).await?;
            // Nothing is sent to it.
            world.call("POST", "close", None).await
        };
        if prepared.await.is_err() {
            let _ = world.call("DELETE", "", None).await;
            return None;
        }
        Some(world)
    }

    /// The proxies between this machine and the sites.
    fn proxies(&self) -> BTreeSet<String> {
        let through = |base: &String| self.connector.proxies.for_url(&Url::parse(base).ok()?).ok()?;
        self.sites.values().filter_map(through).map(|proxy| proxy.to_string()).collect()
    }
}

/// The longest time within which a service counts something.
fn longest_window(service: Service) -> Option<&'static Limit> {
    let windows =
        catalogue::limits().filter(|limit| limit.service == service).filter_map(|limit| limit.window);
    windows.map(|(time, _)| time).max_by_key(|time| time.value)
}

impl Target for Remote {
    fn name(&self) -> String {
        let control = self.control.as_ref().map_or("without control", |_| "with control");
        // A run has the same name before and after its first questions, so that it can be resumed.
        let mut sites: Vec<_> = self.sites.iter().chain(&self.left_out).collect();
        // The services first, then what belongs to them.
        sites.sort_by_key(|(name, _)| (Service::named(name).is_none(), *name));
        let sites: Vec<String> = sites.iter().map(|(name, url)| format!("{name} {url}")).collect();
        let proxies: String = self.proxies().iter().map(|proxy| format!(", through {proxy}")).collect();
        format!("{} ({control}{proxies})", sites.join(", "))
    }

    fn offer(&self) -> &Offer {
        &self.offer
    }

    fn has_site(&self, name: &str) -> bool {
        self.sites.contains_key(name)
    }

    fn environment(&self, service: Service) -> EnvironmentFuture<'_> {
        Box::pin(async move {
            let environment = Environment {
                connector: Arc::new(self.connector.clone()),
                sites: self.sites.clone(),
                control: self.control.clone(),
                own: false,
                forwarding: self.forwarding.clone(),
                recorder: Recorder::default(),
            };
            let Some(control) = self.control.as_ref().filter(|_| self.offer.forks) else {
                return Ok(environment);
            };
            let prepared = match self.prepared(control, service).await {
                Some(prepared) => self.fork(&prepared).await.ok(),
                None => None,
            };
            let (sites, control) = match prepared {
                Some(world) => world,
                None => self.fork_at_rest(control, service).await?,
            };
            // Only sites that the profile names are tested.
            let sites: BTreeMap<String, String> =
                sites.into_iter().filter(|(name, _)| self.sites.contains_key(name)).collect();
            if let Some((name, _)) = sites.iter().find(|(name, url)| !is_beside(&self.sites[*name], url)) {
                // Keys are sent only to the target's own sites.
                let why = format!("control POST fork: {name} is on another host than in the profile");
                return Err(why.into());
            }
            Ok(Environment { sites, control: Some(control), own: true, ..environment })
        })
    }

    fn leave(&self, environment: Environment, keep: bool) -> Leaving<'_> {
        Box::pin(async move {
            let control = environment.control.filter(|_| environment.own)?;
            // A world that cannot be deleted or closed only keeps its ports.
            if !keep {
                let _ = control.call("DELETE", "", None).await;
                return None;
            }
            control.call("POST", "close", None).await.ok().map(|_| control.opening())
        })
    }

    fn end(&self) -> Ending<'_> {
        Box::pin(async move {
            for prepared in self.prepared.values() {
                if let Start::Ready(world) = std::mem::take(&mut *prepared.world.lock().await) {
                    // The simulator replaces a closed world when it needs the place.
                    let _ = world.call("DELETE", "", None).await;
                }
            }
        })
    }

    fn dry(&self, connector: Arc<dyn Connect>) -> Option<Environment> {
        Some(Environment {
            control: self.control.as_ref().map(|control| control.reached_by(connector.clone())),
            connector,
            sites: self.sites.clone(),
            own: self.offer.forks,
            forwarding: self.forwarding.clone(),
            recorder: Recorder::default(),
        })
    }

    fn leave_out(&mut self, site: &str) {
        self.left_out.extend(self.sites.remove(site).map(|url| (site.to_owned(), url)));
    }

    fn reach(&self) -> Reach<'_> {
        let Sockets { trust, transport, .. } = &self.connector;
        Reach {
            ca_file: trust.file(),
            shows_identity: trust.has_identity(),
            over_two: transport.http == Http::Two,
        }
    }

    fn remarks(&self) -> Vec<String> {
        self.connector.transport.remarks()
    }

    fn conditions(&self) -> Conditions {
        Conditions {
            offer: self.control.is_some().then(|| self.offer.clone()),
            sites: self.sites.clone(),
            forwarding: self.forwarding.clone(),
            ..Conditions::default()
        }
    }

    fn is_embedded(&self) -> bool {
        false
    }
}
