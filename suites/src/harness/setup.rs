//! Makes from a profile what a run needs: the target, the settings of the checks, and the pace.
//!
//! Errors in a profile are reported with their position; all missing or invalid secrets are reported together.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use assay_spec::Service;

use crate::harness::pace::Pace;
use crate::harness::probe::{Settings, wall_clock};
use crate::harness::suite::{Suite, Suites};
use crate::harness::survey::{Survey, WrongFixture, leave_out, reasons, way_to};
use crate::harness::target::{Remote, Target};
use crate::http::connect::is_near;
use crate::profile::{Loaded, Profile, Secrets, Source, Wrong};

/// Why a run cannot start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// The profile, or something that it names, is invalid.
    #[error("{0}")]
    Bad(String),
    /// The target does not respond; the message contains the URL.
    #[error("{0}")]
    Unreachable(String),
}

/// Connects to the target of a profile; returns the target, the settings of the checks, and the pace.
///
/// Without a seed (argument or profile) the seed is random, so that every run uses new names on a real server.
pub async fn connect(
    suites: Suites,
    loaded: &Loaded,
    seed: Option<u64>,
) -> Result<(Remote, Settings, Pace), SetupError> {
    let (mut target, settings, pace) = prepare(suites, loaded, seed)?;
    meet(&mut target, true).await?;
    Ok((target, settings, pace))
}

/// Asks the control API of a target what it offers, and, with `reaches_sites`, checks that a server listens at every site.
pub async fn meet(target: &mut Remote, reaches_sites: bool) -> Result<(), SetupError> {
    target.learn_offer().await.map_err(SetupError::Unreachable)?;
    if reaches_sites {
        let explained = |why: String| SetupError::Unreachable(format!("{why}\n    -> {}", way_to(&why)));
        target.reach().await.map_err(explained)?;
    }
    Ok(())
}

/// As [`connect`], before anything is sent.
pub fn prepare(
    suites: Suites,
    loaded: &Loaded,
    seed: Option<u64>,
) -> Result<(Remote, Settings, Pace), SetupError> {
    let (secrets, mut wrong) = Secrets::read(loaded);
    let (sockets, misfits) = loaded.sockets(&secrets);
    wrong.extend(misfits);
    let mut settings = settings(suites, loaded, &secrets, seed).unwrap_or_else(|more| {
        wrong.extend(more);
        Settings::new(suites)
    });
    if !wrong.is_empty() {
        return Err(bad(&wrong));
    }
    for secret in sockets.proxies.secrets() {
        settings.secrets.add_secret("proxy password", secret);
    }
    let profile = &loaded.profile;
    let sites = sites(suites, profile);
    if sites.is_empty() {
        return Err(SetupError::Bad("the profile names no service to test".to_owned()));
    }
    let token = secrets.get("control_token").map(str::to_owned);
    let control = profile.control.clone().map(|base| (base, token));
    let target = Remote::unasked(sockets, sites, control).prepared_by(suites);
    Ok((target.forwarded_by(forwarding(suites, profile)), settings, pace(suites, profile)))
}

/// Asks the target whether it is what the profile says. Leaves out the fixtures and sites that it does not confirm, and
/// returns them. If another service answers at a URL, a run would show nothing. `domains` is the number of domains that
/// the checks use.
///
/// A simulator is asked in a world that ends with the questions: they do not count toward its rates, which the worlds of
/// the checks start with. Messages contain the URLs of the profile.
pub async fn confirm(
    target: &mut dyn Target,
    settings: &mut Settings,
    pace: &Pace,
    source: &Source,
    services: &[Service],
    domains: usize,
) -> Result<Vec<WrongFixture>, SetupError> {
    // Without an environment there are no checks either; they say why.
    let Some(first) = services.first() else { return Ok(Vec::new()) };
    let Ok(environment) = target.environment(*first).await else { return Ok(Vec::new()) };
    let named = target.conditions().sites;
    let mut urls: Vec<(&String, &String)> =
        environment.sites.iter().filter_map(|(site, url)| Some((url, named.get(site)?))).collect();
    // No URL is replaced within a longer one.
    urls.sort_by_key(|(url, _)| Reverse(url.len()));
    let as_named =
        |text: &str| urls.iter().fold(text.to_owned(), |text, (url, name)| text.replace(*url, name));
    let mut sites = environment.sites.clone();
    let suites = settings.suites;
    let is_read = |service: Service| {
        let read_by =
            |by: &Service| suites.get(*by).questions.reads_from.is_some_and(|from| from.service == service);
        services.contains(&service) || services.iter().any(read_by)
    };
    sites.retain(|site, _| Service::named(site).is_none_or(is_read));
    let survey = Survey { connector: environment.connector.clone(), settings, pace, sites: &sites };
    let mut found = survey.run().await;
    survey.name_others(&mut found).await;
    let mut strangers = Vec::new();
    for found in &found {
        let why = found.stranger();
        if (why.is_some() || found.found.is_err()) && survey.speaks_tls(&found.url).await {
            strangers.push(format!("{}: the server speaks TLS: write https:// in the URL", found.url));
        } else {
            strangers.extend(why.map(|why| format!("{why}; correct the URL of [{}]", found.service)));
        }
    }
    if !strangers.is_empty() {
        let strangers = as_named(&strangers.join("\nassay: "));
        target.leave(environment, false).await;
        return Err(SetupError::Unreachable(strangers));
    }
    let mut mute = Vec::new();
    for found in &found {
        if let Err(why) = &found.found
            && survey.is_mute(found).await
        {
            mute.push((found.service, as_named(&format!("{}: {why}", found.service))));
        }
    }
    if services.iter().all(|service| mute.iter().any(|(mute, _)| mute == service)) {
        let whys: Vec<String> = mute
            .into_iter()
            .map(|(_, why)| format!("{why}: the server accepts connections and does not answer"))
            .collect();
        target.leave(environment, false).await;
        return Err(SetupError::Unreachable(whys.join("\nassay: ")));
    }
    for (service, why) in mute {
        let server = if environment.own { service.name() } else { &environment.sites[service.name()] };
        environment.connector.transport().stop_for_good(server, why);
    }
    // A server that does not answer confirms nothing; the checks say so.
    let is_silent =
        |service: &Service| found.iter().any(|found| found.service == *service && found.found.is_err());
    let answering: Vec<Service> = services.iter().copied().filter(|service| !is_silent(service)).collect();
    let mut wrong = survey.wrong_fixtures(&answering, domains).await;
    for wrong in &mut wrong {
        wrong.what = as_named(&wrong.what);
    }
    leave_out(reasons(&wrong, source), settings);
    for suite in suites.iter() {
        let own = found.iter().find(|found| found.service == suite.service);
        (suite.fixtures.skewed)(settings, own.and_then(|own| own.found.as_ref().ok()?.skew_ms));
    }
    for site in sites.keys() {
        if suites.key_of_site(site).is_some_and(|key| settings.wrong.contains_key(&key)) {
            target.leave_out(site);
        }
    }
    target.leave(environment, false).await;
    Ok(wrong)
}

/// The settings of the checks, from the profile and its readable secrets. Nothing is sent. Errors are about invalid
/// secrets.
pub fn settings(
    suites: Suites,
    loaded: &Loaded,
    secrets: &Secrets,
    seed: Option<u64>,
) -> Result<Settings, Vec<Wrong>> {
    let profile = &loaded.profile;
    let seed = seed.or(profile.seed).unwrap_or_else(unused_seed);
    let mut settings = Settings { seed, dialect: profile.dialect.clone(), ..Settings::new(suites) };
    settings.secrets = secrets.hidden();
    let mut wrong = Vec::new();
    for suite in suites.iter() {
        match (suite.fixtures.read)(profile, secrets) {
            Ok(Some(fixtures)) => settings.fixtures.set(suite.service, fixtures),
            Ok(None) => {}
            Err((key, why)) => wrong.push(loaded.source.wrong_at(key, &why)),
        }
    }
    if wrong.is_empty() { Ok(settings) } else { Err(wrong) }
}

/// The base URLs of a profile, by site name.
pub fn sites(suites: Suites, profile: &Profile) -> BTreeMap<String, String> {
    suites.iter().flat_map(|suite| (suite.sites.urls)(profile)).collect()
}

/// By site, the header that it takes the client's address from.
pub fn forwarding(suites: Suites, profile: &Profile) -> BTreeMap<String, String> {
    let of_suite = |suite: &'static Suite| {
        let header = (suite.sites.forwarding)(profile);
        let sites = header.is_some().then(|| (suite.sites.urls)(profile)).into_iter().flatten();
        sites.filter_map(move |(site, _)| Some((site, header.clone()?)))
    };
    suites.iter().flat_map(of_suite).collect()
}

/// The pace of a profile.
pub fn pace(suites: Suites, profile: &Profile) -> Pace {
    let pace = suites.iter().fold(Pace::default(), |pace, suite| (suite.sites.pace)(profile, pace));
    pace.reaching(sites(suites, profile).into_iter().map(|(site, url)| (site, is_near(&url))))
}

fn bad(wrong: &[Wrong]) -> SetupError {
    let texts: Vec<String> = wrong.iter().map(ToString::to_string).collect();
    SetupError::Bad(texts.join("\n\n"))
}
/// A seed that no other run has: the time, and the process, since two runs may begin in one millisecond. JSON readers hold it
/// exactly.
fn unused_seed() -> u64 {
    wall_clock().0.unsigned_abs() * 1000 + u64::from(std::process::id() % 1000)
}
