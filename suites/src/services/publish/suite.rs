//! What the service gives the harness.

use std::collections::BTreeMap;
use std::sync::Arc;

use assay_spec::publish::limits::{PREPARE_LIFETIME, REQUESTS};
use assay_spec::publish::places::{PREPARES, PUB, SUBMITS, TRANSFER};
use assay_spec::publish::requirements::{envelope, prepare, submit};
use assay_spec::{Id, Place, Service};

use super::readings::READINGS;
use super::{CORE, Fixtures, PARALLEL, PREPARE, Pool, STANDBY, opening, simulated, survey};
use crate::documents::openapi::Notes;
use crate::harness::data::{Depth, Sent};
use crate::harness::pace::Documented;
use crate::harness::probe::Settings;
use crate::harness::suite::{FixtureReader, Questions, Simulator, Sites, Suite, UrlFlag, questions};

/// The pace of requests. A wait for the next minute may be longer than a prepare lives.
const REQUEST_RATE: Documented =
    Documented { limit: &REQUESTS, per_minute: REQUESTS.u32(), is_kept_nearby: true };

/// What the service gives the harness.
pub static SUITE: Suite = Suite {
    service: Service::Publish,
    about: "a signed publishing exchange",
    url_flag: Some(UrlFlag {
        name: "publish-url",
        about: "Base URL of a publishing exchange",
        secret: None,
        variables: &[],
    }),
    core: CORE,
    is_parallel: PARALLEL,
    fixtures: FixtureReader {
        detach: |settings| {
            let own = settings.fixtures.get_mut::<Fixtures>();
            own.pool = Arc::new(Pool::new(own.pool.names()));
            own.transferable = own.transferable.as_ref().map(|pool| Arc::new(Pool::new(pool.names())));
        },
        share: |settings, number, of| {
            let own = settings.publish();
            // One shard alone transfers a domain.
            for pool in [&own.pool].into_iter().chain(&own.transferable) {
                pool.retain(|n, _| n % of == number - 1);
            }
        },
        leave_out: |settings| {
            let own = settings.publish();
            let is_right = |(entry, _): (String, _)| !settings.wrong.contains_key(&entry);
            own.pool.retain(|_, domain| own.entry(domain).is_none_or(is_right));
            own.pool.shuffle(settings.seed);
        },
        skewed: |settings, ahead_ms| settings.fixtures.get_mut::<Fixtures>().ahead_ms = ahead_ms,
        left: |settings| {
            let own = settings.publish();
            let transferred = own.transferable.iter().flat_map(|pool| pool.left());
            transferred.chain(own.pool.used()).collect()
        },
        ..FixtureReader::new(
            || Arc::new(Fixtures::default()),
            |profile, secrets| {
                let Some(publish) = &profile.publish else { return Ok(None) };
                let [key, second_key] = ["publish.key", "publish.second_key"].map(|key| secrets.get(key));
                Ok(Some(Arc::new(Fixtures::new(publish, key, second_key)?)))
            },
        )
    },
    sites: Sites {
        urls: |profile| {
            let Some(own) = &profile.publish else { return BTreeMap::new() };
            let urls = [
                ("publish", Some(&own.url)),
                ("chain", own.chain_url.as_ref()),
                (STANDBY, own.standby_url.as_ref()),
            ];
            urls.into_iter().filter_map(|(site, url)| Some((site.to_owned(), url?.clone()))).collect()
        },
        keys: &[("chain", "publish.chain_url"), (STANDBY, "publish.standby_url")],
        forwarding: |profile| profile.publish.as_ref()?.forwarding_header.clone(),
        pace: |profile, pace| match &profile.publish {
            Some(own) => pace
                .limiting_as("publish", own.limits.requests_per_minute, Some(REQUEST_RATE))
                .with_domains(own.domains.len() + own.second_domains.len(), own.pending.is_some())
                .with_trip(
                    own.transferable.as_ref().and(own.second_key.as_ref()).map(|_| own.limits.shown_seconds),
                ),
            None => pace,
        },
        counted_at: "publish",
        apart: &[],
        is_named: |profile| profile.publish.is_some(),
    },
    questions: Questions { at_same_url: &[Service::Drop], ..questions!() },
    opening,
    uses: |exchange| {
        let is_accepted = exchange.response.as_ref().is_ok_and(|answer| answer.status == 200);
        let is_prepare = exchange.request.target.ends_with(PREPARE);
        Sent { publishes: u64::from(is_accepted && is_prepare), ..Sent::default() }
    },
    is_error: |body| body["error"].is_string(),
    has_own_errors: false,
    lifetime: |check| (check.costs().at(Depth::Standard, false).publishes > 0).then_some(&PREPARE_LIFETIME),
    is_down: |_, _| false,
    offers: |_, _| true,
    openapi: Notes {
        about: " A client checks the transaction's message byte by byte before it signs; a schema cannot express this.",
        meanings: &[
            (404, "Any failure of the envelope; all look alike."),
            (410, "The prepare is not known, or can no longer land."),
        ],
    },
    commands: super::explore::COMMANDS,
    prepared_by: None,
    judged_with: &["publish."],
    without_effect,
    rejected_elsewhere: &[&submit::EXPIRED],
    may_reject: &[],
    readings: READINGS,
    simulator: Simulator {
        shows: simulated::shows,
        prepare: simulated::prepare,
        operated: |profile, _, _| {
            profile.publish.iter_mut().for_each(|table| table.domains.truncate(simulated::FEW));
            Ok(())
        },
        more: simulated::pending,
        quick: r#"{"requests_per_window": 100000}"#,
        ..Simulator::new(|sim, profile| {
            profile.publish = Some(simulated::table(sim)?);
            Ok(())
        })
    },
};

impl Settings {
    /// What the checks of the service need from the profile.
    pub fn publish(&self) -> &Fixtures {
        self.fixtures.get()
    }
}

/// Where what a row rejects must not take effect: a rejected prepare locks nothing, a rejected submit leaves the prepare as it
/// is. Rows that reject for the state of the domain, or for none, have nothing to show.
fn without_effect(row: Id) -> Vec<Place> {
    let no_domain = [
        &prepare::ONE_IN_FLIGHT,
        &prepare::REPLAY,
        &prepare::PUBLISHABLE,
        &envelope::FEATURE,
        &envelope::BINDING,
        &prepare::LOCKS_NOTHING,
    ];
    // What the check of that row sends: it judges them.
    let is_malformed = |place: &Place| match place.op {
        PUB => row == &prepare::CID_REQUIRED,
        TRANSFER => row == &prepare::NEW_AUTHORITY,
        _ => row == &prepare::DOMAIN_REQUIRED,
    };
    let places: &[Place] = match row.group {
        "envelope" | "prepare" if !no_domain.contains(&row) => PREPARES,
        "submit" if [&submit::SIGNATURE_FORM, &submit::SIGNATURE_VERIFIES].contains(&row) => SUBMITS,
        _ => &[],
    };
    places.iter().filter(|place| row.places.contains(place) && !is_malformed(place)).copied().collect()
}
