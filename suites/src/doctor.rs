//! What keeps a target from being tested, or from being tested in full: found before any check runs.
//!
//! How many checks each point concerns comes from the plan, so that the numbers are those of a run.

mod points;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use assay_spec::Service;

use crate::check;
use crate::control::Control;
use crate::profile::{Loaded, Secrets};
use crate::redact::Hidden;
use crate::setup;
use crate::survey::{Asked, Level, Survey, level};
use crate::target::{Remote, Sockets};

/// What was found about a target.
#[derive(Clone, Debug, Default)]
pub struct Diagnosis {
    /// What concerns all of it.
    pub general: Vec<Point>,
    /// By service, in their order; those that the profile does not name have no part.
    pub services: Vec<Part>,
}

/// What was found about one service.
#[derive(Clone, Debug)]
pub struct Part {
    /// The service.
    pub service: Service,
    /// Where it is; empty where it has no URL of its own.
    pub url: String,
    /// Somebody answers there.
    pub is_reached: bool,
    /// How many checks there are.
    pub checks: usize,
    /// How many of them can say something.
    pub ready: usize,
    /// What was found.
    pub points: Vec<Point>,
}

/// One line of a diagnosis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// How grave it is.
    pub mark: Mark,
    /// What was found.
    pub what: String,
    /// How many checks it concerns, where that is known.
    pub checks: Option<usize>,
    /// What helps; empty where nothing needs to.
    pub remedy: String,
}

/// How grave a point is, the gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// It has to be put right before a run says what it should.
    Hinders,
    /// Some checks say nothing, or less.
    Weakens,
    /// As it should be.
    Good,
}

impl Mark {
    /// The mark as a line begins with it.
    pub const fn sign(self) -> char {
        match self {
            Mark::Hinders => 'x',
            Mark::Weakens => '!',
            Mark::Good => '+',
        }
    }
}

impl Point {
    pub(crate) fn new(mark: Mark, what: impl Into<String>, remedy: impl Into<String>) -> Point {
        Point { mark, what: what.into(), checks: None, remedy: remedy.into() }
    }

    pub(crate) fn concerning(self, checks: usize) -> Point {
        Point { checks: Some(checks), ..self }
    }
}

impl Diagnosis {
    /// 0 where every named service can be tested, 1 where something hinders, 3 where nothing that was asked is reached.
    pub fn exit_code(&self) -> u8 {
        let is_asked = self.services.iter().any(|part| !part.url.is_empty());
        if is_asked && self.services.iter().all(|part| !part.is_reached) {
            return 3;
        }
        let mut points = self.general.iter().chain(self.services.iter().flat_map(|part| &part.points));
        u8::from(self.services.is_empty() || points.any(|point| point.mark == Mark::Hinders))
    }
}

/// A line each: mark, what, how many checks, remedy.
impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.general.iter().try_for_each(|point| write!(f, "{point}"))?;
        for Part { service, url, checks, ready, points, .. } in &self.services {
            let at = if url.is_empty() { String::new() } else { format!(" {url}") };
            writeln!(f, "{}{at}: {ready} of {checks} checks can run", service.name())?;
            points.iter().try_for_each(|point| write!(f, "{point}"))?;
        }
        match self.exit_code() {
            0 => writeln!(f, "every service that is named can be tested"),
            3 => writeln!(f, "nothing was reached"),
            _ => writeln!(f, "something has to be put right first (x)"),
        }
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = match self.checks {
            Some(1) => " [1 check]".to_owned(),
            Some(checks) => format!(" [{checks} checks]"),
            None => String::new(),
        };
        let mut lines = self.what.lines();
        writeln!(f, "  {} {}{count}", self.mark.sign(), lines.next().unwrap_or_default())?;
        lines.try_for_each(|line| writeln!(f, "    {line}"))?;
        if self.remedy.is_empty() { Ok(()) } else { writeln!(f, "    -> {}", self.remedy) }
    }
}

/// Looks at everything that a profile names. Nothing is changed at the target: only GETs are sent.
pub async fn diagnose(loaded: &Loaded) -> Diagnosis {
    let profile = &loaded.profile;
    let mut general = Vec::new();
    let (mut secrets, mut wrong) = Secrets::read(loaded);
    // A key that is no key is hidden all the same.
    let hidden = secrets.hidden();
    let settings = loop {
        match setup::settings(loaded, &secrets, Some(1)) {
            Ok(settings) => break settings,
            // A key that is no key counts as missing, so that the rest is looked at all the same.
            Err(bad) => {
                for wrong in &bad {
                    secrets.forget(&wrong.key);
                }
                wrong.extend(bad);
            }
        }
    };
    let (connector, misfits) = loaded.sockets(&secrets);
    general.extend(misfits.iter().map(|misfit| {
        let remedy = if misfit.key.starts_with("headers.") {
            "put another value there"
        } else {
            "put the file right; a relative path starts at the profile's folder"
        };
        Point::new(Mark::Hinders, misfit.to_string(), remedy)
    }));
    let offered = offer(loaded, &secrets, &connector, &hidden).await;
    general.extend(offered.iter().map(points::control));
    // What no service owns: the control API's token, the client's key, secrets in headers.
    let of_none = |key: &str| Service::named(key.split('.').next().unwrap_or_default()).is_none();
    general.extend(points::wrong(of_none, &wrong, None));
    let sites = setup::sites(profile);
    let urls: Vec<(Service, String)> = Service::ALL
        .iter()
        .copied()
        .filter_map(|service| Some((service, sites.get(service.name())?.clone())))
        .collect();
    let survey = Survey {
        connector: Arc::new(connector.clone()),
        dialect: &profile.dialect,
        gateway_key: secrets.of("gateway.key"),
        hidden,
    };
    let asked = survey.ask(&urls).await;
    let mut silent = BTreeMap::new();
    for (site, url) in sites.iter().filter(|(site, _)| Service::named(site).is_none()) {
        if let Err(why) = survey.listens(url).await {
            silent.insert(site.clone(), why);
        }
    }
    let control = matches!(offered, Some((_, Ok(_))))
        .then(|| profile.control.clone().map(|base| (base, secrets.of("control_token").map(str::to_owned))));
    // A control API that has just answered may be gone; then the plan is made without it.
    let target = match Remote::over(connector.clone(), sites.clone(), control.flatten()).await {
        Ok(target) => Some(target),
        Err(_) => Remote::over(connector, sites, None).await.ok(),
    };
    let tells = matches!(&offered, Some((_, Ok(level))) if level.actions > 0);
    let node = asked.iter().find(|asked| asked.service == Service::Network);
    let mut services = Vec::new();
    if let Some(target) = target {
        let target = target.forwarded_by(setup::forwarding(profile));
        for service in Service::ALL.iter().copied().filter(|service| is_named(loaded, *service)) {
            let checks: Vec<_> =
                check::all().into_iter().filter(|check| check.requirement.service == service).collect();
            let planned = points::foreseen(&target, &settings, &checks).await;
            let asked = asked.iter().find(|asked| asked.service == service);
            let known =
                points::Known { loaded, wrong: &wrong, silent: &silent, node, tells, planned: &planned };
            services.push(part(service, asked, &known));
        }
    }
    if services.is_empty() {
        let remedy =
            "name a service's URL, such as [network] url = \"http://127.0.0.1:4107\", or run assay init";
        general.push(Point::new(Mark::Hinders, "the profile names no service to test", remedy));
    }
    Diagnosis { general, services }
}

fn part(service: Service, asked: Option<&Asked>, known: &points::Known<'_>) -> Part {
    // Stored records are read from the node, where the application has no URL of its own.
    let node = known.node.filter(|_| service == Service::Hosting);
    let is_reached = asked.or(node).is_some_and(|asked| asked.found.is_ok());
    let checks = known.planned.len();
    let ready = if is_reached { points::ready(service, known) } else { 0 };
    let points = points::for_service(service, asked, known);
    let url = asked.map(|asked| asked.url.clone()).unwrap_or_default();
    Part { service, url, is_reached, checks, ready, points }
}

fn is_named(loaded: &Loaded, service: Service) -> bool {
    let profile = &loaded.profile;
    match service {
        Service::Gateway => profile.gateway.is_some(),
        Service::Metadata => profile.metadata.is_some(),
        Service::Network => profile.network.is_some(),
        Service::Hosting => profile.hosting.is_some(),
        Service::Publish => profile.publish.is_some(),
        Service::Drop => profile.drop.is_some(),
    }
}

async fn offer(
    loaded: &Loaded,
    secrets: &Secrets,
    connector: &Sockets,
    hidden: &Hidden,
) -> Option<(String, Result<Level, String>)> {
    let base = loaded.profile.control.clone()?;
    let token = secrets.of("control_token").map(str::to_owned);
    let level = level(&Control::new(Arc::new(connector.clone()), &base, token), hidden).await;
    Some((base, level))
}
