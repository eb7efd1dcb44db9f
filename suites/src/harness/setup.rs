//! Makes from a profile what a run needs: the target, the settings of the checks, and the pace.
//!
//! Errors in a profile are reported with their position; all missing or invalid secrets are reported together.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use assay_spec::Service;

use crate::harness::pace::Pace;
use crate::harness::probe::{Settings, wall_clock};
use crate::harness::survey::{Survey, SurveyResult, WrongFixture, leave_out, reasons};
use crate::harness::target::{Remote, Target};
use crate::onboarding::draft::key_of_site;
use crate::profile::{Loaded, Network, Profile, Secrets, Source, Wrong};
use crate::services::drop;
use crate::services::gateway;
use crate::services::hosting;
use crate::services::metadata;
use crate::services::network;
use crate::services::publish;

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
pub async fn connect(loaded: &Loaded, seed: Option<u64>) -> Result<(Remote, Settings, Pace), SetupError> {
    let (mut target, settings, pace) = prepare(loaded, seed)?;
    meet(&mut target, true).await?;
    Ok((target, settings, pace))
}

/// Asks the control API of a target what it offers, and, with `reaches_sites`, checks that a server listens at every site.
pub async fn meet(target: &mut Remote, reaches_sites: bool) -> Result<(), SetupError> {
    target.learn_offer().await.map_err(SetupError::Unreachable)?;
    if reaches_sites {
        target.reach().await.map_err(SetupError::Unreachable)?;
    }
    Ok(())
}

/// As [`connect`], before anything is sent.
pub fn prepare(loaded: &Loaded, seed: Option<u64>) -> Result<(Remote, Settings, Pace), SetupError> {
    let (secrets, mut wrong) = Secrets::read(loaded);
    let (sockets, misfits) = loaded.sockets(&secrets);
    wrong.extend(misfits);
    let mut settings = settings(loaded, &secrets, seed).unwrap_or_else(|more| {
        wrong.extend(more);
        Settings::default()
    });
    if !wrong.is_empty() {
        return Err(bad(&wrong));
    }
    for secret in sockets.proxies.secrets() {
        settings.secrets.add_secret("proxy password", secret);
    }
    let profile = &loaded.profile;
    let sites = sites(profile);
    if sites.is_empty() {
        return Err(SetupError::Bad("the profile names no service to test".to_owned()));
    }
    let token = secrets.get("control_token").map(str::to_owned);
    let control = profile.control.clone().map(|base| (base, token));
    let target = Remote::unasked(sockets, sites, control);
    Ok((target.forwarded_by(forwarding(profile)), settings, pace(profile)))
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
    let Ok(environment) = target.environment(Service::Network).await else { return Ok(Vec::new()) };
    let named = target.conditions().sites;
    let mut urls: Vec<(&String, &String)> =
        environment.sites.iter().filter_map(|(site, url)| Some((url, named.get(site)?))).collect();
    // No URL is replaced within a longer one.
    urls.sort_by_key(|(url, _)| Reverse(url.len()));
    let as_named =
        |text: &str| urls.iter().fold(text.to_owned(), |text, (url, name)| text.replace(*url, name));
    let mut sites = environment.sites.clone();
    // Stored records are read from a node.
    let is_read = |service: Service| {
        services.contains(&service) || service == Service::Network && services.contains(&Service::Hosting)
    };
    sites.retain(|site, _| Service::named(site).is_none_or(is_read));
    let survey = Survey { connector: environment.connector.clone(), settings, pace, sites: &sites };
    let mut found = survey.run().await;
    survey.name_others(&mut found).await;
    let strangers: Vec<String> = found.iter().filter_map(SurveyResult::stranger).collect();
    if !strangers.is_empty() {
        let strangers = as_named(&strangers.join("\nassay: "));
        target.leave(environment, false).await;
        return Err(SetupError::Unreachable(strangers));
    }
    // A server that does not answer confirms nothing; the checks say so.
    let is_silent =
        |service: &Service| found.iter().any(|found| found.service == *service && found.found.is_err());
    let answering: Vec<Service> = services.iter().copied().filter(|service| !is_silent(service)).collect();
    let mut wrong = survey.wrong_fixtures(&answering, domains).await;
    for wrong in &mut wrong {
        wrong.what = as_named(&wrong.what);
    }
    let exchange = found.iter().find(|found| found.service == Service::Publish);
    let ahead_ms = exchange.and_then(|exchange| exchange.found.as_ref().ok()?.skew_ms);
    leave_out(reasons(&wrong, source), settings);
    settings.publish.ahead_ms = ahead_ms;
    for site in sites.keys() {
        if key_of_site(site).is_some_and(|key| settings.wrong.contains_key(&key)) {
            target.leave_out(site);
        }
    }
    target.leave(environment, false).await;
    Ok(wrong)
}

/// The settings of the checks, from the profile and its readable secrets. Nothing is sent. Errors are about invalid
/// secrets.
pub fn settings(loaded: &Loaded, secrets: &Secrets, seed: Option<u64>) -> Result<Settings, Vec<Wrong>> {
    let profile = &loaded.profile;
    let seed = seed.or(profile.seed).unwrap_or_else(|| wall_clock().0.unsigned_abs());
    let mut settings = Settings { seed, dialect: profile.dialect.clone(), ..Settings::default() };
    settings.secrets = secrets.hidden();
    let mut wrong = Vec::new();
    let owned = |key: &str| secrets.get(key).map(str::to_owned);
    if let Some(gateway) = &profile.gateway {
        let fixtures = gateway::Fixtures::new(gateway, owned("gateway.key"), owned("gateway.revoked_key"));
        settings.gateway = fixtures.paying(owned("gateway.second_key"), owned("gateway.payment"));
    }
    if let Some(metadata) = &profile.metadata {
        settings.metadata = metadata::Fixtures::new(metadata);
    }
    if let Some(network) = &profile.network {
        settings.network = network::Fixtures::new(network);
        match secrets.get("network.owner_key").map(hosting::wallet).transpose() {
            Ok(key) => settings.network.owner_key = key,
            Err(why) => wrong.push(loaded.source.wrong_at("network.owner_key", &why)),
        }
    }
    if let Some(hosting) = &profile.hosting {
        match hosting::Fixtures::new(hosting, secrets.get("hosting.wallet_key")) {
            Ok(fixtures) => settings.hosting = fixtures,
            Err(why) => wrong.push(loaded.source.wrong_at("hosting.wallet_key", &why)),
        }
    }
    if let Some(publish) = &profile.publish {
        let keys = ["publish.key", "publish.second_key"].map(|key| secrets.get(key));
        match publish::Fixtures::new(publish, keys[0], keys[1]) {
            Ok(fixtures) => settings.publish = fixtures,
            Err((key, why)) => wrong.push(loaded.source.wrong_at(key, &why)),
        }
    }
    if let Some(drop) = &profile.drop {
        settings.drop = drop::Fixtures::new(drop);
    }
    if wrong.is_empty() { Ok(settings) } else { Err(wrong) }
}

/// The base URLs of a profile, by site name.
pub fn sites(profile: &Profile) -> BTreeMap<String, String> {
    let mut sites = BTreeMap::new();
    let mut add = |name: &str, url: Option<&String>| {
        sites.extend(url.map(|url| (name.to_owned(), url.clone())));
    };
    add("gateway", profile.gateway.as_ref().map(|gateway| &gateway.url));
    add("metadata", profile.metadata.as_ref().map(|metadata| &metadata.url));
    add("hosting", profile.hosting.as_ref().and_then(|hosting| hosting.url.as_ref()));
    add("publish", profile.publish.as_ref().map(|publish| &publish.url));
    add("chain", profile.publish.as_ref().and_then(|publish| publish.chain_url.as_ref()));
    add("drop", profile.drop.as_ref().map(|drop| &drop.url));
    add(drop::PAUSED, profile.drop.as_ref().and_then(|drop| drop.paused_url.as_ref()));
    add(publish::STANDBY, profile.publish.as_ref().and_then(|publish| publish.standby_url.as_ref()));
    sites.extend(profile.network.iter().flat_map(Network::sites));
    sites
}

/// By site, the header that it takes the client's address from.
pub fn forwarding(profile: &Profile) -> BTreeMap<String, String> {
    let mut forwarding = BTreeMap::new();
    if let Some(network) = &profile.network
        && let Some(header) = &network.forwarding_header
    {
        forwarding.extend(network.sites().into_keys().map(|site| (site, header.clone())));
    }
    let publish = profile.publish.as_ref().and_then(|publish| publish.forwarding_header.as_ref());
    let drops = profile.drop.as_ref().and_then(|drop| drop.forwarding_header.as_ref());
    for (site, header) in [("publish", publish), ("drop", drops), (drop::PAUSED, drops)] {
        forwarding.extend(header.map(|header| (site.to_owned(), header.clone())));
    }
    forwarding
}

/// The pace of a profile.
pub fn pace(profile: &Profile) -> Pace {
    let (mut per_minute, mut counted_as) = (BTreeMap::new(), BTreeMap::new());
    let mut limit = |site: &str, count: Option<u32>| {
        per_minute.extend(count.map(|count| (site.to_owned(), count)));
    };
    limit("gateway", profile.gateway.as_ref().map(|gateway| gateway.limits.requests_per_minute));
    limit("metadata", profile.metadata.as_ref().map(|metadata| metadata.limits.requests_per_minute));
    limit("network", profile.network.as_ref().map(|network| network.limits.requests_per_minute));
    limit(network::RUNS, profile.network.as_ref().map(|network| network.limits.runs_per_minute));
    limit("publish", profile.publish.as_ref().map(|publish| publish.limits.requests_per_minute));
    if let Some(network) = &profile.network {
        // The client's address is the same for all nodes.
        counted_as.extend(network.sites().into_keys().map(|site| (site, "network".to_owned())));
    }
    let mut pace = Pace::new(per_minute).counting_as(counted_as);
    if let Some(publish) = &profile.publish {
        pace = pace.with_domains(publish.domains.len(), publish.pending.is_some());
    }
    match &profile.drop {
        Some(drop) => pace.with_drops(drop.limits.drops_per_hour),
        None => pace,
    }
}

fn bad(wrong: &[Wrong]) -> SetupError {
    let texts: Vec<String> = wrong.iter().map(ToString::to_string).collect();
    SetupError::Bad(texts.join("\n\n"))
}
