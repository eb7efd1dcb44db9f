//! What the service gives the harness.

use std::sync::Arc;

use assay_spec::Service;

use super::super::network;
use super::readings::READINGS;
use super::{CORE, Fixtures, PARALLEL, simulated, survey};
use crate::documents::openapi::Notes;
use crate::harness::data::{Sent, Sums};
use crate::harness::probe::Settings;
use crate::harness::suite::{FixtureReader, Questions, Simulator, Sites, Source, Suite, questions};

/// What the service gives the harness.
pub static SUITE: Suite = Suite {
    service: Service::Hosting,
    about: "the records that a hosting application keeps there",
    url_flag: None,
    core: CORE,
    is_parallel: PARALLEL,
    fixtures: FixtureReader::new(
        || Arc::new(Fixtures::default()),
        |profile, secrets| {
            let Some(hosting) = &profile.hosting else { return Ok(None) };
            let fixtures = Fixtures::new(hosting, secrets.get("hosting.wallet_key"));
            Ok(Some(Arc::new(fixtures.map_err(|why| ("hosting.wallet_key", why))?)))
        },
    ),
    sites: Sites {
        urls: |profile| {
            let url = profile.hosting.as_ref().and_then(|own| own.url.clone());
            url.into_iter().map(|url| ("hosting".to_owned(), url)).collect()
        },
        keys: &[],
        forwarding: |_| None,
        pace: |_, pace| pace,
        counted_at: "network",
        apart: network::APART,
        is_named: |profile| profile.hosting.is_some(),
    },
    questions: Questions {
        // Nothing identifies an application's pages.
        is_recognizable: false,
        reads_from: Some(Source { service: Service::Network, records: "stored records", server: "node" }),
        ..questions!()
    },
    opening: |_| Sums::default(),
    uses: |_| Sent::default(),
    is_error: |body| body["error"].is_string(),
    has_own_errors: false,
    lifetime: |_| None,
    is_down: |_, _| false,
    offers: |_, _| true,
    openapi: Notes {
        about: " Its records are messages of the network. The documents name only this endpoint.",
        meanings: &[],
    },
    commands: &[],
    prepared_by: Some("hosting.seed-history"),
    judged_with: &["hosting.wallet_key"],
    without_effect: |_| Vec::new(),
    rejected_elsewhere: &[],
    may_reject: &[],
    readings: READINGS,
    simulator: Simulator {
        operated: |profile, history, write_secret| {
            profile.hosting = Some(simulated::operated(history, write_secret)?);
            Ok(())
        },
        ..Simulator::new(|sim, profile| {
            profile.hosting = Some(simulated::table(sim));
            Ok(())
        })
    },
};

impl Settings {
    /// What the checks of the service need from the profile.
    pub fn hosting(&self) -> &Fixtures {
        self.fixtures.get()
    }
}
