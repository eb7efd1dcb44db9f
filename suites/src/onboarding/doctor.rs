//! Finds what prevents a target from being tested, fully or partly, before any check runs.
//!
//! The number of checks per finding comes from the plan, so it is the same as in a run.

mod points;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use assay_spec::Service;

use crate::harness::control::Control;
use crate::harness::data::ControlError;
use crate::harness::setup;
use crate::harness::suite::Suite;
use crate::harness::survey::{Level, Survey, SurveyResult, leave_out, level, reasons};
use crate::harness::target::Remote;
use crate::http::hiding::Hidden;
use crate::http::sockets::Sockets;
use crate::profile::{Loaded, Secrets};
use crate::services;
use crate::services::SUITES;
use crate::support::prose;

/// How many remedies the summary names.
const UNLOCKING: usize = 3;

/// The findings about a target.
#[derive(Clone, Debug, Default)]
pub struct Diagnosis {
    /// Findings about the whole target.
    pub general: Vec<Point>,
    /// One part for each service that the profile names, in order.
    pub services: Vec<Part>,
}

/// The findings about one service.
#[derive(Clone, Debug)]
pub struct Part {
    /// The service.
    pub service: Service,
    /// Its URL; empty if it has none.
    pub url: String,
    /// A server responds at the URL.
    pub is_reached: bool,
    /// The number of checks.
    pub checks: usize,
    /// The number of checks that can run.
    pub ready: usize,
    /// The findings.
    pub points: Vec<Point>,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// Its severity.
    pub mark: Mark,
    /// What was found.
    pub what: String,
    /// The number of affected checks, if known.
    pub checks: Option<usize>,
    /// How to fix it; empty if nothing is wrong.
    pub remedy: String,
}

/// The severity of a finding, the most severe first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// It must be fixed before a run is meaningful.
    Hinders,
    /// Some checks cannot run, or test less.
    Weakens,
    /// Nothing is wrong.
    Good,
}

impl Mark {
    /// The character at the start of a line.
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
    /// 0: nothing has to be fixed before a run. 1: something must be fixed first. 3: no server was reached.
    pub fn exit_code(&self) -> u8 {
        let is_asked = self.services.iter().any(|part| !part.url.is_empty());
        if is_asked && self.services.iter().all(|part| !part.is_reached) {
            return 3;
        }
        let mut points = self.general.iter().chain(self.services.iter().flat_map(|part| &part.points));
        u8::from(self.services.is_empty() || points.any(|point| point.mark == Mark::Hinders))
    }
}

impl Diagnosis {
    /// The remedies that would let most checks run, at most three, each with the number of checks.
    fn unlocking(&self) -> Vec<(usize, Service, &str)> {
        let mut remedies: BTreeMap<(Service, &str), usize> = BTreeMap::new();
        for Part { service, points, .. } in &self.services {
            for point in points.iter().filter(|point| point.mark != Mark::Good) {
                *remedies.entry((*service, &point.remedy)).or_default() += point.checks.unwrap_or_default();
            }
        }
        let remedies = remedies.into_iter().filter(|(_, checks)| *checks > 0);
        let mut most: Vec<_> =
            remedies.map(|((service, remedy), checks)| (checks, service, remedy)).collect();
        most.sort_by_key(|(checks, ..)| std::cmp::Reverse(*checks));
        most.truncate(UNLOCKING);
        most
    }
}

/// One line for each finding: mark, text, number of checks, remedy.
impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.general.iter().try_for_each(|point| write!(f, "{point}"))?;
        for Part { service, url, checks, ready, points, .. } in &self.services {
            let at = if url.is_empty() { String::new() } else { format!(" {url}") };
            let percent = (ready * 100).checked_div(*checks).unwrap_or_default();
            writeln!(f, "{}{at}: {ready} of {checks} checks can run ({percent} %)", service.name())?;
            points.iter().try_for_each(|point| write!(f, "{point}"))?;
        }
        let unlocking = if self.exit_code() == 3 { Vec::new() } else { self.unlocking() };
        if !unlocking.is_empty() {
            writeln!(f, "what would let most checks run:")?;
        }
        for (checks, service, remedy) in unlocking {
            writeln!(f, "  {:>10} of {service}: {remedy}", prose::count(checks, "check"))?;
        }
        let sum = |of: fn(&Part) -> usize| self.services.iter().map(of).sum::<usize>();
        let (ready, checks) = (sum(|part| part.ready), sum(|part| part.checks));
        match self.exit_code() {
            0 if ready == checks => writeln!(f, "every check of the services in the profile can run"),
            0 => writeln!(f, "{ready} of {checks} checks can run ({} %)", ready * 100 / checks),
            3 => writeln!(f, "no server was reached"),
            _ => writeln!(f, "fix the findings marked x first"),
        }
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = match self.checks {
            Some(checks) => format!(" [{}]", prose::count(checks, "check")),
            None => String::new(),
        };
        let mut lines = self.what.lines();
        writeln!(f, "  {} {}{count}", self.mark.sign(), lines.next().unwrap_or_default())?;
        lines.try_for_each(|line| writeln!(f, "    {line}"))?;
        if self.remedy.is_empty() { Ok(()) } else { writeln!(f, "    -> {}", self.remedy) }
    }
}

/// Checks everything that a profile names, with a question for each fixture. The target is not changed.
pub async fn diagnose(loaded: &Loaded) -> Diagnosis {
    let profile = &loaded.profile;
    let mut general = Vec::new();
    let (mut secrets, mut wrong) = Secrets::read(loaded);
    // An invalid key is hidden too.
    let hidden = secrets.hidden();
    let mut settings = loop {
        match setup::settings(SUITES, loaded, &secrets, Some(1)) {
            Ok(settings) => break settings,
            // An invalid key counts as missing, so that the remaining findings are still reported.
            Err(bad) => {
                for wrong in &bad {
                    secrets.forget(&wrong.key);
                }
                wrong.extend(bad);
            }
        }
    };
    settings.secrets = hidden.clone();
    let (connector, misfits) = loaded.sockets(&secrets);
    general.extend(misfits.iter().map(|misfit| {
        let remedy = if misfit.key.starts_with("headers.") {
            "use a valid header value"
        } else {
            "fix the file or its path; a relative path is resolved against the profile's folder"
        };
        Point::new(Mark::Hinders, misfit.to_string(), remedy)
    }));
    let offered = offer(loaded, &secrets, &connector, &hidden).await;
    general.extend(offered.iter().map(points::control));
    // Secrets of no service: the control API's token, the client's key, secrets in headers.
    let of_none = |key: &str| Service::named(key.split('.').next().unwrap_or_default()).is_none();
    general.extend(points::wrong(of_none, &wrong, None));
    let sites = setup::sites(SUITES, profile);
    let pace = setup::pace(SUITES, profile);
    let survey =
        Survey { connector: Arc::new(connector.clone()), settings: &settings, pace: &pace, sites: &sites };
    let mut asked = survey.run().await;
    survey.name_others(&mut asked).await;
    for asked in &mut asked {
        let (suite, service) = (SUITES.get(asked.service), asked.service);
        if let (Ok(found), Some(at)) = (&mut asked.found, survey.at(service.name())) {
            (suite.questions.readings)(at, found).await;
        }
    }
    // Another service, or none, confirms nothing.
    let is_right = |asked: &&SurveyResult| asked.found.is_ok() && asked.stranger().is_none();
    let answering = asked.iter().filter(is_right).map(|asked| asked.service);
    // Records are read from another service.
    let reading =
        SUITES.iter().filter(|suite| suite.questions.reads_from.is_some() && (suite.sites.is_named)(profile));
    let reading = reading.map(|suite| suite.service);
    let answering: BTreeSet<Service> = answering.chain(reading).collect();
    let answering: Vec<Service> = answering.into_iter().collect();
    // A control API makes domains.
    let has_actions = matches!(&offered, Some((_, Ok(level))) if level.actions > 0);
    let domains = if has_actions { 0 } else { usize::MAX };
    let unconfirmed = survey.wrong_fixtures(&answering, domains).await;
    let mut silent = BTreeMap::new();
    for (site, url) in sites.iter().filter(|(site, _)| Service::named(site).is_none()) {
        if let Err(why) = survey.listens(url).await {
            silent.insert(site.clone(), why);
        }
    }
    let control = matches!(offered, Some((_, Ok(_))))
        .then(|| profile.control.clone().map(|base| (base, secrets.get("control_token").map(str::to_owned))));
    // A control API that just responded may be gone; then the plan is made without it.
    let target = match Remote::over(connector.clone(), sites.clone(), control.flatten()).await {
        Ok(target) => Some(target),
        Err(_) => Remote::over(connector, sites.clone(), None).await.ok(),
    };
    leave_out(reasons(&unconfirmed, &loaded.source), &mut settings);
    let source = |suite: &Suite| {
        let source = suite.questions.reads_from?;
        asked.iter().find(|asked| asked.service == source.service)
    };
    let mut services = Vec::new();
    if let Some(target) = target {
        let target = target.forwarded_by(setup::forwarding(SUITES, profile));
        for suite in SUITES.iter().filter(|suite| (suite.sites.is_named)(profile)) {
            let service = suite.service;
            let checks: Vec<_> =
                services::checks().into_iter().filter(|check| check.requirement.service == service).collect();
            let planned = points::foreseen(&target, &settings, &checks).await;
            let asked = asked.iter().find(|asked| asked.service == service);
            let known = points::Known {
                loaded,
                wrong: &wrong,
                unconfirmed: &unconfirmed,
                silent: &silent,
                source: source(suite),
                tells: has_actions,
                planned: &planned,
            };
            services.push(part(service, asked, &known));
        }
    }
    if services.is_empty() {
        let remedy =
            "add the URL of a service, such as [network] url = \"http://127.0.0.1:4107\", or run assay init";
        general.push(Point::new(Mark::Hinders, "the profile names no service to test", remedy));
    }
    Diagnosis { general, services }
}

fn part(service: Service, asked: Option<&SurveyResult>, known: &points::Known<'_>) -> Part {
    let is_reached = asked.or(known.source).is_some_and(|asked| asked.found.is_ok());
    let checks = known.planned.len();
    let is_stranger = asked.is_some_and(|asked| asked.stranger().is_some());
    let ready = if is_reached && !is_stranger { points::ready(service, known) } else { 0 };
    let points = points::for_service(service, asked, known);
    let url = asked.map(|asked| asked.url.clone()).unwrap_or_default();
    Part { service, url, is_reached, checks, ready, points }
}

async fn offer(
    loaded: &Loaded,
    secrets: &Secrets,
    connector: &Sockets,
    hidden: &Hidden,
) -> Option<(String, Result<Level, ControlError>)> {
    let base = loaded.profile.control.clone()?;
    let token = secrets.get("control_token").map(str::to_owned);
    let level = level(&Control::new(Arc::new(connector.clone()), &base, token), hidden).await;
    Some((base, level))
}
