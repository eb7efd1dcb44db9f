//! A simulator for the tests of a client: [`Sim`] is one world, in process or on free ports of loopback.
//!
//! Equal builders and equal requests give equal bytes. The clock begins at [`EPOCH`] and moves to the next timer while a request
//! waits, so no test waits for it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use assay_spec::{Dialect, Instant, Service};
use serde_json::Value;

use crate::clock::EPOCH;
use crate::control::bodies::Faults;
use crate::exchange::Site;
use crate::received::{self, Filter, Received};
use crate::scenario::Scenario;
use crate::serve::{ClockMode, Handle, Listener, SiteService, open_sites};
use crate::shape::Shape;
use crate::world::World;
use crate::{drop, gateway, metadata, network, publish};

/// Why a simulator does not start, or does not take a setting.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A setting is invalid. The message names its place and the nearest known name.
    #[error("{0}")]
    Invalid(String),
    /// A site cannot listen.
    #[error("cannot listen: {0}")]
    Listen(#[from] std::io::Error),
}

/// How a simulator begins.
#[derive(Clone, Debug)]
pub struct Builder {
    seed: u64,
    epoch: Instant,
    clock: ClockMode,
    only: BTreeSet<Service>,
    limits: Vec<(Service, Value)>,
    deviations: Vec<String>,
    variations: Vec<String>,
    scenario: Option<String>,
}

impl Default for Builder {
    fn default() -> Builder {
        Builder {
            seed: 1,
            epoch: EPOCH,
            clock: ClockMode::Auto,
            only: BTreeSet::new(),
            limits: Vec::new(),
            deviations: Vec::new(),
            variations: Vec::new(),
            scenario: None,
        }
    }
}

impl Builder {
    /// The seed of all ids, keys and answers; 1 without it.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Builder {
        self.seed = seed;
        self
    }

    /// When the world begins; [`EPOCH`] without it.
    #[must_use]
    pub fn epoch(mut self, epoch: Instant) -> Builder {
        self.epoch = epoch;
        self
    }

    /// How time moves; [`ClockMode::Auto`] without it.
    #[must_use]
    pub fn clock(mut self, clock: ClockMode) -> Builder {
        self.clock = clock;
        self
    }

    /// Only these services listen; without it, all do.
    #[must_use]
    pub fn only(mut self, services: impl IntoIterator<Item = Service>) -> Builder {
        self.only.extend(services);
        self
    }

    /// Limits of a service by name, such as `json!({ "requests_per_window": 1000 })`.
    #[must_use]
    pub fn limits(mut self, service: Service, limits: Value) -> Builder {
        self.limits.push((service, limits));
        self
    }

    /// Breaks a requirement, such as `drop.response.expires-at/seconds`.
    #[must_use]
    pub fn deviate(mut self, deviation: impl Into<String>) -> Builder {
        self.deviations.push(deviation.into());
        self
    }

    /// Applies behaviour that the documents leave open, such as `drop.status-201`.
    #[must_use]
    pub fn vary(mut self, variation: impl Into<String>) -> Builder {
        self.variations.push(variation.into());
        self
    }

    /// The world begins as this scenario says. It is the content of a TOML file, as `assay sim --scenario` takes it.
    #[must_use]
    pub fn scenario(mut self, toml: impl Into<String>) -> Builder {
        self.scenario = Some(toml.into());
        self
    }

    /// The simulator without sockets: its sites are services in this process.
    pub fn build(self) -> Result<Sim, Error> {
        let mut world = World::new(self.seed, self.epoch, Dialect::default());
        let limit = |world: &mut World| {
            let mut all = self.limits.iter();
            all.try_for_each(|(service, limits)| {
                world
                    .set_limits(*service, limits)
                    .map_err(|why| Error::Invalid(format!("limits.{service}.{why}")))
            })
        };
        limit(&mut world)?;
        world.set_deviations(&self.deviations).map_err(Error::Invalid)?;
        world.set_variations(&self.variations).map_err(Error::Invalid)?;
        let mut outputs = Vec::new();
        if let Some(toml) = &self.scenario {
            let invalid = |wrong: crate::scenario::Wrong| Error::Invalid(wrong.to_string());
            let scenario = Scenario::parse("scenario", toml).map_err(invalid)?;
            let scenario = scenario.with(&self.deviations, &self.variations);
            outputs = scenario.begin(&mut world).map_err(invalid)?;
            // The builder's own limits come last, as on the command line.
            limit(&mut world)?;
        }
        let handle = Handle::new(world, self.clock).only(self.only);
        handle.change(|_| ((), outputs));
        Ok(Sim { start: handle.snapshot(), handle, listeners: Vec::new() })
    }

    /// The simulator with every site on a free port of loopback. It needs a tokio runtime, and stops when it is dropped.
    pub async fn start(self) -> Result<Sim, Error> {
        let mut sim = self.build()?;
        (sim.listeners, _) = open_sites(&sim.handle, SocketAddr::new(LOOPBACK, 0)).await?;
        Ok(sim)
    }
}

/// The address of clients in this process, and of the sites that listen.
const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// A simulator of every service.
pub struct Sim {
    handle: Handle,
    /// The world as it began.
    start: World,
    listeners: Vec<Listener>,
}

impl Sim {
    /// A simulator as yet without settings.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// The inference gateway.
    pub fn gateway(&self) -> At<'_> {
        self.at(gateway::GATEWAY)
    }

    /// The token metadata service.
    pub fn metadata(&self) -> At<'_> {
        self.at(metadata::SITE)
    }

    /// The node API, where stored records are, too.
    pub fn network(&self) -> At<'_> {
        self.at(network::sites::PRIMARY)
    }

    /// The publishing exchange.
    pub fn publish(&self) -> At<'_> {
        self.at(publish::SITES[0])
    }

    /// The chain behind the publishing exchange.
    pub fn chain(&self) -> At<'_> {
        self.at(publish::SITES[1])
    }

    /// The site drop.
    pub fn drop(&self) -> At<'_> {
        self.at(drop::SITE)
    }

    /// Any site; [`crate::world::sites`] lists them.
    pub fn at(&self, site: Site) -> At<'_> {
        At { sim: self, site }
    }

    /// A key that the gateway accepts.
    pub fn gateway_key(&self) -> String {
        self.state(Service::Gateway)["keys"]["valid"].as_str().unwrap_or_default().to_owned()
    }

    /// The state of a service, as `GET state` of the control API shows it.
    pub fn state(&self, service: Service) -> Value {
        self.handle.read(|world| world.view(service))
    }

    /// The time of the world.
    pub fn now(&self) -> Instant {
        self.handle.read(|world| world.core.now())
    }

    /// Moves time forward. It returns once the requests of the world to other servers, such as webhooks, have their outcome.
    pub async fn advance(&self, by: Duration) -> Result<(), Error> {
        let ms = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
        let stuck =
            |fired| Error::Invalid(format!("advance: {fired} timers fired, and the time was not reached"));
        self.handle.advance_settled(ms).await.map_err(stuck)?;
        Ok(())
    }

    /// Sets the faults, as `PUT faults` of the control API takes them: `json!([{ "fault": "drop.busy", "times": 1 }])`. Those that
    /// were set before end.
    pub fn set_faults(&self, faults: &Value) -> Result<(), Error> {
        let Faults(faults) = Faults::read(faults, "faults").map_err(Error::Invalid)?;
        self.handle.change(|world| (world.set_faults(faults), Vec::new())).map_err(Error::Invalid)
    }

    /// Performs an action, such as `drop.claim`. The arguments and the answer are those of the control API.
    pub fn perform(&self, action: &str, arguments: &Value) -> Result<Value, Error> {
        self.handle.change(|world| match world.perform(action, arguments) {
            Ok((answer, outputs)) => (Ok(answer), outputs),
            Err(why) => (Err(Error::Invalid(why)), Vec::new()),
        })
    }

    /// The requests of this kind that the simulator has received. It keeps the latest 512 events of its journal: about 100 requests.
    pub fn received(&self, kind: &Requests) -> Selected {
        let mut all = self.handle.read(received::all);
        let kept = all.iter().map(line).collect();
        all.retain(|received| kind.0.takes(received));
        Selected { kind: kind.described(), requests: all, kept }
    }

    /// Begins the world again: state, time, faults and received requests are as at the start.
    pub fn reset(&self) {
        self.handle.restore(self.start.clone());
    }

    /// The served world, for what this interface does not have.
    pub fn handle(&self) -> &Handle {
        &self.handle
    }
}

/// A site of a simulator.
#[derive(Clone, Copy)]
pub struct At<'s> {
    sim: &'s Sim,
    site: Site,
}

impl At<'_> {
    /// Its base URL, without a slash at the end. It panics if the site does not listen.
    #[track_caller]
    pub fn url(self) -> String {
        let url = self.sim.handle.site_urls().remove(self.site.name);
        url.unwrap_or_else(|| {
            panic!(
                "{} does not listen: use `start` in place of `build`, and name its service in `only`",
                self.site.name
            )
        })
    }

    /// It as a [`tower::Service`] in this process, for a client at 127.0.0.1.
    pub fn service(self) -> SiteService {
        self.sim.handle.site(self.site, LOOPBACK)
    }
}

/// A kind of requests: those for which all holds that it says.
#[derive(Clone, Debug)]
pub struct Requests(Filter);

/// Every request.
pub fn any() -> Requests {
    Requests(Filter {
        after: 0,
        site: None,
        method: None,
        path: None,
        status: None,
        rule: None,
        limit: usize::MAX,
    })
}

/// Requests with the method GET and this path; `*` at its end is any ending.
pub fn get(path: &str) -> Requests {
    any().method("GET").path(path)
}

/// Requests with the method POST and this path; `*` at its end is any ending.
pub fn post(path: &str) -> Requests {
    any().method("POST").path(path)
}

impl Requests {
    /// With this method.
    #[must_use]
    pub fn method(mut self, method: &str) -> Requests {
        self.0.method = Some(method.to_owned());
        self
    }

    /// With this path; `*` at its end is any ending.
    #[must_use]
    pub fn path(mut self, path: &str) -> Requests {
        self.0.path = Some(path.to_owned());
        self
    }

    /// With this status in the response.
    #[must_use]
    pub fn status(mut self, status: u16) -> Requests {
        self.0.status = Some(received::Status::exactly(status));
        self
    }

    /// That violate a rule whose name begins like this, such as `publish.envelope`.
    #[must_use]
    pub fn rule(mut self, beginning: &str) -> Requests {
        self.0.rule = Some(beginning.to_owned());
        self
    }

    fn described(&self) -> String {
        let Filter { method, path, status, rule, .. } = &self.0;
        let words = [method.clone(), path.clone(), status.as_ref().map(ToString::to_string), rule.clone()];
        let words: Vec<String> = words.into_iter().flatten().collect();
        if words.is_empty() { "of any kind".to_owned() } else { words.join(" ") }
    }
}

/// The requests of a kind, oldest first.
#[derive(Clone, Debug)]
pub struct Selected {
    kind: String,
    requests: Vec<Received>,
    /// A line for each request that was received.
    kept: Vec<String>,
}

/// How many lines of received requests a message shows.
const SHOWN: usize = 20;

impl Selected {
    /// Returns the requests. It panics unless there are `count` of them; the message lists what was received.
    #[track_caller]
    pub fn expect(self, count: usize) -> Vec<Received> {
        assert!(self.requests.len() == count, "{}", self.unlike(count));
        self.requests
    }

    /// The requests.
    pub fn list(self) -> Vec<Received> {
        self.requests
    }

    fn unlike(&self, count: usize) -> String {
        let mut text = format!("requests {}: wanted {count}, received {}", self.kind, self.requests.len());
        let from = self.kept.len().saturating_sub(SHOWN);
        match from {
            0 => text.push_str("\nreceived requests:"),
            more => _ = write!(text, "\nreceived requests, without the first {more}:"),
        }
        for line in &self.kept[from..] {
            _ = write!(text, "\n  {line}");
        }
        if self.kept.is_empty() {
            text.push_str(" none");
        }
        text
    }
}

/// `404 GET network /nothing-here  network.info.prefix: no endpoint at /nothing-here`.
fn line(received: &Received) -> String {
    let Received { site, method, target, status, why, .. } = received;
    let status = status.map_or_else(|| "---".to_owned(), |status| status.to_string());
    let mut line = format!("{status} {method} {site} {target}");
    for one in why {
        _ = write!(line, "  {}: {}", one.requirement, one.why);
    }
    line
}

#[cfg(test)]
mod tests {
    use http::Request;
    use http_body_util::{BodyExt, Full};
    use serde_json::json;
    use tower::ServiceExt;

    use super::*;

    #[tokio::test]
    async fn a_test_without_sockets_sees_what_it_sent() {
        let sim = Sim::builder().seed(7).build().expect("no settings");
        let ask = async |path: &str| {
            let request = Request::get(path).header("host", "node").body(Full::<bytes::Bytes>::default());
            let response = sim.network().service().oneshot(request.expect("a request")).await;
            let response = response.expect("services do not fail");
            let status = response.status().as_u16();
            response.into_body().collect().await.expect("a whole body");
            status
        };
        assert_eq!([ask("/api/v0/messages.json").await, ask("/nothing").await], [200, 404]);
        sim.received(&get("/api/v0/messages.json")).expect(1);
        let refused = sim.received(&any().status(404)).expect(1);
        assert_eq!(refused[0].why[0].requirement, "network.info.prefix");
        assert_eq!(refused[0].response.body.json()["status"], json!("error"));
        let why = sim.received(&post("/nothing").rule("network.")).unlike(2);
        let expected = "requests POST /nothing network.: wanted 2, received 0\nreceived requests:\n  200 GET network /api/v0/messages.json\n  404 GET network /nothing  network.info.prefix: no endpoint at /nothing";
        assert_eq!(why, expected);
        sim.reset();
        sim.received(&any()).expect(0);
    }

    #[tokio::test]
    async fn time_faults_and_actions_are_those_of_the_control_api() {
        let scenario = "[[fault]]\nfault = \"drop.busy\"\n";
        let sim = Sim::builder().only([Service::Drop]).scenario(scenario).start().await.expect("a scenario");
        assert!(sim.drop().url().starts_with("http://127.0.0.1:"));
        assert_eq!(sim.handle().read(|world| world.core.faults.list().len()), 1);
        sim.set_faults(&json!([])).expect("no fault");
        let why = sim.set_faults(&json!([{ "fault": "drop.bussy" }])).expect_err("no such fault").to_string();
        assert!(why.contains("faults[0].fault") && why.contains("drop.busy"), "{why}");
        sim.advance(Duration::from_hours(1)).await.expect("an hour");
        assert_eq!(sim.now() - EPOCH, 3_600_000);
        let domain =
            json!({ "domain": "shop.example", "key": "G5TvB6pvzwuhsgXzG9KvsbR31TFV8zQcp7JewNSPQXje" });
        sim.perform("publish.bind", &domain).expect("a domain");
        assert!(sim.perform("publish.bin", &domain).is_err());
        sim.reset();
        assert_eq!(sim.now(), EPOCH);
    }

    #[test]
    fn wrong_settings_are_named() {
        let begun = |builder: Builder| builder.build().err().map(|e| e.to_string()).unwrap_or_default();
        let cases = [
            (Sim::builder().deviate("drop.response.expires-at/days"), "drop.response.expires-at/seconds"),
            (Sim::builder().vary("drop.status-20"), "drop.status-201"),
            (Sim::builder().limits(Service::Drop, json!({ "lifetime": 1 })), "limits.drop.lifetime"),
            (Sim::builder().scenario("[[fault]]\nfault = \"drop.bussy\""), "scenario:2: fault[0].fault"),
        ];
        for (builder, wanted) in cases {
            let why = begun(builder);
            assert!(why.contains(wanted), "{wanted}: {why}");
        }
    }
}
