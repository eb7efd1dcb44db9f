//! What the service gives the harness.

use std::sync::Arc;

use assay_spec::Service;

use super::readings::READINGS;
use super::{CORE, Fixtures, PARALLEL, simulated, survey, wire};
use crate::documents::openapi::Notes;
use crate::harness::data::{Sent, Sums};
use crate::harness::probe::Settings;
use crate::harness::suite::{FixtureReader, Simulator, Sites, Suite, UrlFlag, questions};

/// What the service gives the harness.
pub static SUITE: Suite = Suite {
    service: Service::Metadata,
    about: "a token metadata service",
    url_flag: Some(UrlFlag {
        name: "metadata-url",
        about: "Base URL of a token metadata service",
        secret: None,
        variables: &[],
    }),
    core: CORE,
    is_parallel: PARALLEL,
    fixtures: FixtureReader {
        leave_out: |settings| {
            let wrong = settings.wrong.clone();
            let is_right = |key: &str| !wrong.contains_key(&format!("metadata.contracts{key}"));
            let contracts = &mut settings.fixtures.get_mut::<Fixtures>().contracts;
            for (n, contract) in contracts.iter_mut().enumerate() {
                let mut at = 0..;
                contract
                    .tokens
                    .retain(|_| at.next().is_none_or(|at| is_right(&format!("[{n}].tokens[{at}]"))));
                contract.overridden.take_if(|_| !is_right(&format!("[{n}].overridden")));
            }
            let mut numbers = 0..;
            contracts.retain(|_| numbers.next().is_none_or(|n| is_right(&format!("[{n}]"))));
        },
        left: |settings| wire::remarks(settings.metadata()),
        ..FixtureReader::new(
            || Arc::new(Fixtures::default()),
            |profile, _| Ok(profile.metadata.as_ref().map(|own| Arc::new(Fixtures::new(own)) as _)),
        )
    },
    sites: Sites {
        urls: |profile| profile.metadata.iter().map(|own| ("metadata".to_owned(), own.url.clone())).collect(),
        keys: &[],
        forwarding: |_| None,
        pace: |profile, pace| match &profile.metadata {
            Some(own) => pace.limiting_as("metadata", own.limits.requests_per_minute, None),
            None => pace,
        },
        counted_at: "metadata",
        apart: &[],
        is_named: |profile| profile.metadata.is_some(),
    },
    questions: questions!(),
    opening: |_| Sums::default(),
    uses: |_| Sent::default(),
    is_error: |body| body["detail"].is_array(),
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
        shows: simulated::shows,
        ..Simulator::new(|sim, profile| {
            profile.metadata = Some(simulated::table(sim));
            Ok(())
        })
    },
};

impl Settings {
    /// What the checks of the service need from the profile.
    pub fn metadata(&self) -> &Fixtures {
        self.fixtures.get()
    }
}
