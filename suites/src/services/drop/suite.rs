//! What the service gives the harness.

use std::collections::BTreeMap;
use std::sync::Arc;

use assay_spec::Service;

use super::readings::READINGS;
use super::{CORE, Fixtures, PARALLEL, PAUSED, SITE, simulated, survey};
use crate::documents::openapi::Notes;
use crate::harness::data::{Sent, Sums};
use crate::harness::probe::Settings;
use crate::harness::suite::{FixtureReader, Questions, Simulator, Sites, Suite, UrlFlag, questions};

/// What the service gives the harness.
pub static SUITE: Suite = Suite {
    service: Service::Drop,
    about: "an anonymous drop",
    url_flag: Some(UrlFlag {
        name: "drop-url",
        about: "Base URL of an anonymous drop",
        secret: None,
        variables: &[],
    }),
    core: CORE,
    is_parallel: PARALLEL,
    fixtures: FixtureReader::new(
        || Arc::new(Fixtures::default()),
        |profile, _| Ok(profile.drop.as_ref().map(|own| Arc::new(Fixtures::new(own)) as _)),
    ),
    sites: Sites {
        urls: |profile| {
            let Some(own) = &profile.drop else { return BTreeMap::new() };
            let urls = [(SITE, Some(&own.url)), (PAUSED, own.paused_url.as_ref())];
            urls.into_iter().filter_map(|(site, url)| Some((site.to_owned(), url?.clone()))).collect()
        },
        keys: &[(PAUSED, "drop.paused_url")],
        forwarding: |profile| profile.drop.as_ref()?.forwarding_header.clone(),
        pace: |profile, pace| match &profile.drop {
            Some(own) => pace.with_drops(own.limits.drops_per_hour),
            None => pace,
        },
        counted_at: SITE,
        apart: &[],
        is_named: |profile| profile.drop.is_some(),
    },
    questions: Questions { at_same_url: &[Service::Publish], ..questions!() },
    opening: |_| Sums::default(),
    uses: |exchange| Sent {
        drops: u64::from(exchange.request.method == "POST" && exchange.request.target.ends_with("/api/drop")),
        ..Sent::default()
    },
    is_error: |body| body["error"].is_string(),
    has_own_errors: false,
    lifetime: |_| None,
    is_down: |_, _| false,
    offers: |_, _| true,
    openapi: Notes { about: "", meanings: &[] },
    commands: super::explore::COMMANDS,
    prepared_by: None,
    judged_with: &[],
    without_effect: |_| Vec::new(),
    rejected_elsewhere: &[],
    may_reject: &[],
    readings: READINGS,
    simulator: Simulator {
        ..Simulator::new(|sim, profile| {
            profile.drop = Some(simulated::table(sim));
            Ok(())
        })
    },
};

impl Settings {
    /// What the checks of the service need from the profile.
    pub fn drop(&self) -> &Fixtures {
        self.fixtures.get()
    }
}
