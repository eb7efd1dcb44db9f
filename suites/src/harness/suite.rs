//! What a service gives the harness: one [`Suite`] for each, in `services/<service>/mod.rs`. The list of them, [`Suites`],
//! is an argument of a run; no module of the harness imports a service.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use assay_spec::endpoint::Endpoint;
use assay_spec::limit::Limit;
use assay_spec::{Id, Place as At, Service};
use serde_json::Value;

use super::check::{self, Check, Core};
use super::data::{Sent, Sums};
use super::explore::Command;
use super::pace::Pace;
use super::probe::Settings;
use super::survey::{Asked, Found, Survey, WrongFixture};
use crate::documents::openapi::Notes;
use crate::documents::readings::Reading;
use crate::http::exchange::{Exchange, Request};
use crate::profile::{Profile, Secret, Secrets};

/// A question to a target.
pub type Asking<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// What a service gives the harness.
pub struct Suite {
    /// The service.
    pub service: Service,
    /// What a server of it is, in words, such as `a token metadata service`.
    pub about: &'static str,
    /// The command line's flag for its base URL, unless a URL alone is not enough.
    pub url_flag: Option<UrlFlag>,
    /// What it must have shown before it can conform.
    pub core: Core,
    /// Its checks may run beside each other where they share the target.
    pub is_parallel: bool,
    /// What its checks need from the profile.
    pub fixtures: FixtureReader,
    /// Where its URLs are in the profile, and how they are paced.
    pub sites: Sites,
    /// How a server is recognized, and what it is asked before the checks run.
    pub questions: Questions,
    /// What its checks send together on a shared target because of what the profile names, and the domains that they use.
    pub opening: fn(&Pace) -> Sums,
    /// The publishes and uploads that a request uses up.
    pub uses: fn(&Exchange) -> Sent,
    /// Whether an error's body is in the service's own form.
    pub is_error: fn(&Value) -> bool,
    /// The service's own error form tells by itself that an endpoint exists; otherwise only with a documented status.
    pub has_own_errors: bool,
    /// What a check makes on a shared target ends after this time: a longer delay may be what failed.
    pub lifetime: fn(&Check) -> Option<&'static Limit>,
    /// Whether the profile declares that what a request asks for is down. Its `Retry-After` does not concern the site.
    pub is_down: fn(&Settings, &Request) -> bool,
    /// Whether the target has an endpoint, according to the profile.
    pub offers: fn(&Settings, &Endpoint) -> bool,
    /// How ambiguous sentences can be read.
    pub readings: &'static [Reading],
    /// What the simulator of the command line prepares for it, and writes into a profile.
    pub simulator: Simulator,
    /// What its `OpenAPI` document says besides the declarations.
    pub openapi: Notes,
    /// What exploration sends.
    pub commands: &'static [Command],
    /// The action of a control API that prepares the worlds of its checks.
    pub prepared_by: Option<&'static str>,
    /// The secrets without which a verdict cannot be recomputed: keys of the profile, or tables that end with `.`.
    pub judged_with: &'static [&'static str],
    /// Where what a row rejects must not take effect.
    pub without_effect: fn(Id) -> Vec<At>,
    /// Rows whose check makes elsewhere what is rejected at their place.
    pub rejected_elsewhere: &'static [Id],
    /// Rows that leave it open to reject what their check sends.
    pub may_reject: &'static [Id],
}

impl Suite {
    /// How many of its checks run at a time where they share the target.
    pub(crate) const fn parallel(&self, jobs: usize) -> usize {
        if self.is_parallel { jobs } else { 1 }
    }
}

/// A flag of the command line for a base URL.
pub struct UrlFlag {
    /// Its name, such as `drop-url`.
    pub name: &'static str,
    /// Its help.
    pub about: &'static str,
    /// The environment variable of the service's secret, and the key that names it in the service's table.
    pub secret: Option<(&'static str, &'static str)>,
    /// The environment variables from which client libraries read the URL, and the path that each expects behind it.
    pub variables: &'static [(&'static str, &'static str)],
}

/// Fixtures; `None` if the profile does not name the service. An error names the key with the wrong value, and why it is
/// wrong.
pub type FixturesRead = Result<Option<Arc<dyn Fixtures>>, (&'static str, String)>;

/// How fixtures are made.
pub struct FixtureReader {
    /// Those of a world that the run owns.
    pub own: fn() -> Arc<dyn Fixtures>,
    /// Those of a profile that names the service.
    pub read: fn(&Profile, &Secrets) -> FixturesRead,
    /// Gives the settings of a dry run their own copy of what checks take from each other.
    pub detach: fn(&mut Settings),
    /// Keeps this shard's part of what checks take from each other; the number and the count of shards.
    pub share: fn(&Settings, usize, usize),
    /// Takes out what the target does not confirm, as `wrong` in the settings lists it.
    pub leave_out: fn(&mut Settings),
    /// Notes how far the target's clock is ahead of this machine's, in milliseconds.
    pub skewed: fn(&mut Settings, Option<i64>),
    /// What the checks have left at the target in another state.
    pub left: fn(&Settings) -> Vec<String>,
}

impl FixtureReader {
    /// A reader of fixtures that checks do not take from each other.
    pub const fn new(
        own: fn() -> Arc<dyn Fixtures>,
        read: fn(&Profile, &Secrets) -> FixturesRead,
    ) -> FixtureReader {
        FixtureReader {
            own,
            read,
            detach: |_| {},
            share: |_, _, _| {},
            leave_out: |_| {},
            skewed: |_, _| {},
            left: |_| Vec::new(),
        }
    }
}

/// The URLs of a service in a profile.
pub struct Sites {
    /// Base URLs by site name.
    pub urls: fn(&Profile) -> BTreeMap<String, String>,
    /// Further sites that are not services, and their profile keys.
    pub keys: &'static [(&'static str, &'static str)],
    /// The header that its sites take the client's address from.
    pub forwarding: fn(&Profile) -> Option<String>,
    /// Applies the profile's limits to a pace.
    pub pace: fn(&Profile, Pace) -> Pace,
    /// The site whose limit its requests count for.
    pub counted_at: &'static str,
    /// The requests to it that have a limit of their own.
    pub apart: &'static [Apart],
    /// Whether the profile names the service.
    pub is_named: fn(&Profile) -> bool,
}

/// Requests with a limit of their own.
pub struct Apart {
    /// What the pace calls them.
    pub class: &'static str,
    /// Whether the requests to an endpoint are among them.
    pub holds: fn(&Endpoint) -> bool,
    /// A check sends as many of them as requests that write; otherwise few.
    pub are_writes: bool,
}

/// What a simulator on sockets prepares, and the table that its profile gets.
pub struct Simulator {
    /// Prepares the world before it is served.
    pub prepare: fn(&mut dyn SimulatedWorld) -> Result<(), String>,
    /// Sets the service's table.
    pub profile: fn(&Simulated<'_>, &mut Profile) -> Result<(), String>,
    /// Leaves in the table what an operator has who is not the server's developer. The value is what `prepared_by` returned.
    pub operated: fn(&mut Profile, &Value, WriteSecret<'_>) -> Result<(), String>,
    /// What a developer needs to use the service.
    pub shows: fn(&Simulated<'_>) -> Vec<Shown>,
    /// What else an operator may declare.
    pub more: fn(&mut dyn SimulatedWorld, &mut Profile, WriteSecret<'_>) -> Result<(), String>,
    /// Limits, as JSON, without which a run only takes longer. The table states them.
    pub quick: &'static str,
    /// Makes a request to another server one that a simulator with this state knows: its key and its model.
    pub adopts: fn(&mut Request, &Value),
}

/// Something that exists in a simulator from its start, such as a key.
pub struct Shown {
    /// What it is.
    pub what: &'static str,
    /// Its value.
    pub value: String,
    /// The environment variables from which client libraries read it.
    pub variables: &'static [&'static str],
}

impl Simulator {
    /// A simulator that is not prepared, and whose table an operator has, too.
    pub const fn new(profile: fn(&Simulated<'_>, &mut Profile) -> Result<(), String>) -> Simulator {
        Simulator {
            prepare: |_| Ok(()),
            profile,
            operated: |_, _, _| Ok(()),
            shows: |_| Vec::new(),
            more: |_, _, _| Ok(()),
            quick: "{}",
            adopts: |_, _| {},
        }
    }
}

/// Writes a secret into a file beside the profile, with this extension.
pub type WriteSecret<'s> = &'s dyn Fn(&str, &str) -> Result<Secret, String>;

/// A world that is not served yet.
pub trait SimulatedWorld {
    /// Draws bytes from the world's seed.
    fn draw(&self, stream: &str) -> [u8; 32];
    /// Performs an action of the control API.
    fn perform(&mut self, action: &str, arguments: &Value) -> Result<(), String>;
}

/// A served world.
pub struct Simulated<'s> {
    /// Base URLs by site.
    pub sites: &'s BTreeMap<&'static str, String>,
    /// The header from which every site takes the client's address.
    pub forwarding_header: Option<String>,
    /// Draws bytes from the world's seed.
    pub draw: &'s dyn Fn(&str) -> [u8; 32],
    /// The state of a service, as the control API shows it.
    pub state: &'s dyn Fn(Service) -> Value,
    /// The limits of a service, as the control API shows them.
    pub limits: &'s dyn Fn(Service) -> Value,
    /// Keeps a secret.
    pub write_secret: WriteSecret<'s>,
}

impl Simulated<'_> {
    /// The base URL of a site.
    pub fn url(&self, site: &str) -> String {
        self.sites[site].clone()
    }

    /// A limit of a service; a limit that no profile can state is the largest.
    pub fn limit(&self, service: Service, name: &str) -> u32 {
        (self.limits)(service)[name].as_u64().and_then(|limit| limit.try_into().ok()).unwrap_or(u32::MAX)
    }
}

/// The questions that a target gets before the checks run. `questions!()` makes them from the functions of `survey`.
pub struct Questions {
    /// Looks for what the documents promise of any server of this kind.
    pub recognise: for<'a> fn(Asked<'a>) -> Asking<'a, Result<Found, String>>,
    /// Adds what a first profile can hold.
    pub discover: for<'a> fn(Asked<'a>, &'a mut Found, &'a [String]) -> Asking<'a, ()>,
    /// Adds the readings that responses show, for a diagnosis before a run.
    pub readings: for<'a> fn(Asked<'a>, &'a mut Found) -> Asking<'a, ()>,
    /// The fixtures that the target does not confirm. The number is that of the domains that the checks use.
    pub wrong_fixtures: for<'a> fn(&'a Survey<'a>, usize) -> Asking<'a, Vec<WrongFixture>>,
    /// Something identifies a server of this kind.
    pub is_recognizable: bool,
    /// Services at the same documented URL.
    pub at_same_url: &'static [Service],
    /// How to fix an answer that does not look like the service's, by its status.
    pub remedy: fn(u16) -> Option<&'static str>,
    /// The service that its records are read from.
    pub reads_from: Option<Source>,
}

macro_rules! questions {
    () => {
        $crate::harness::suite::Questions {
            recognise: |at| Box::pin(survey::recognise(at)),
            discover: |at, found, examples| Box::pin(survey::discover(at, found, examples)),
            wrong_fixtures: |at, domains| Box::pin(survey::wrong_fixtures(at, domains)),
            readings: |_, _| Box::pin(async {}),
            is_recognizable: true,
            at_same_url: &[],
            remedy: |_| None,
            reads_from: None,
        }
    };
}
pub(crate) use questions;

/// A service that the records of another are read from.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// The service.
    pub service: Service,
    /// The records, such as `stored records`.
    pub records: &'static str,
    /// What a server of it is called, such as `node`.
    pub server: &'static str,
}

/// What the checks of a service need from the profile, and what they share in a run.
pub trait Fixtures: Any + fmt::Debug + Send + Sync {}

impl<T: Any + fmt::Debug + Send + Sync> Fixtures for T {}

/// The services of a run, in their order.
#[derive(Clone, Copy)]
pub struct Suites(pub &'static [&'static Suite]);

impl Suites {
    /// Of each service.
    pub fn iter(self) -> impl Iterator<Item = &'static Suite> {
        self.0.iter().copied()
    }

    /// Of one service.
    pub fn get(self, service: Service) -> &'static Suite {
        self.iter().find(|suite| suite.service == service).expect("every service has a suite")
    }

    /// Every check of these services, in the order of the requirements.
    pub fn checks(self) -> Vec<&'static Check> {
        let is_listed = |check: &&Check| self.iter().any(|suite| suite.service == check.requirement.service);
        check::all().iter().copied().filter(is_listed).collect()
    }

    /// The check of a requirement.
    pub fn check(self, requirement: Id) -> Option<&'static Check> {
        let found = check::all().binary_search_by_key(&requirement.key, |check| check.requirement.key);
        found.ok().map(|n| check::all()[n])
    }

    /// The readings of these services; of all services if none is named.
    pub fn readings(self, services: &[Service]) -> Vec<&'static Reading> {
        let wanted = |suite: &&Suite| services.is_empty() || services.contains(&suite.service);
        self.iter().filter(wanted).flat_map(|suite| suite.readings).collect()
    }

    /// The suite of the service with this site's name.
    pub fn of_site(self, site: &str) -> Option<&'static Suite> {
        self.iter().find(|suite| suite.service.name() == site)
    }

    /// The profile key of a site that is not a service, such as `network.compute_urls[0]` for `compute-1`.
    pub fn key_of_site(self, site: &str) -> Option<String> {
        let mut known = self.iter().flat_map(|suite| suite.sites.keys);
        let key = |(name, key): &(&str, &str)| match name.strip_suffix('*') {
            None => (*name == site).then(|| (*key).to_owned()),
            Some(prefix) => {
                let number = site.strip_prefix(prefix)?.parse::<usize>().ok()?.checked_sub(1)?;
                Some(format!("{key}[{number}]"))
            }
        };
        known.find_map(key)
    }
}

impl fmt::Debug for Suites {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(|suite| suite.service.name())).finish()
    }
}

/// The fixtures of a run by service.
#[derive(Clone, Debug)]
pub struct FixtureMap(BTreeMap<Service, Arc<dyn Fixtures>>);

impl FixtureMap {
    /// Those of worlds that the run owns.
    pub fn own(suites: Suites) -> FixtureMap {
        FixtureMap(suites.iter().map(|suite| (suite.service, (suite.fixtures.own)())).collect())
    }

    /// Replaces those of a service.
    pub fn set(&mut self, service: Service, fixtures: Arc<dyn Fixtures>) {
        self.0.insert(service, fixtures);
    }

    /// Those of the service whose type is `T`.
    pub fn get<T: Fixtures>(&self) -> &T {
        let mut found = self.0.values().filter_map(|one| (&**one as &dyn Any).downcast_ref());
        found.next().expect("the type is that of a service of the run")
    }

    /// As [`FixtureMap::get`], to change them.
    pub fn get_mut<T: Fixtures + Clone>(&mut self) -> &mut T {
        let found = self.0.values_mut().find(|one| (&***one as &dyn Any).is::<T>());
        let one = found.expect("the type is that of a service of the run");
        if Arc::get_mut(one).is_none() {
            *one = Arc::new((&**one as &dyn Any).downcast_ref::<T>().expect("seen above").clone());
        }
        let own = Arc::get_mut(one).expect("nothing else has it");
        (own as &mut dyn Any).downcast_mut().expect("seen above")
    }
}
