//! What the service gives the harness.

use std::sync::Arc;

use assay_spec::Service;
use assay_spec::gateway::requirements::payment;

use super::readings::READINGS;
use super::{CORE, Fixtures, PARALLEL, simulated, survey};
use crate::documents::openapi::Notes;
use crate::harness::data::{Sent, Sums};
use crate::harness::probe::Settings;
use crate::harness::suite::{
    self as harness, FixtureReader, Questions, Simulator, Sites, Suite, UrlFlag, questions,
};
use crate::http::curl::KEY_VARIABLE;

/// What the service gives the harness.
pub static SUITE: Suite = Suite {
    service: Service::Gateway,
    about: "an inference gateway and its backing servers",
    url_flag: Some(UrlFlag {
        name: "gateway-url",
        about: "Base URL of an inference gateway; its key is read from the environment variable ASSAY_GATEWAY_KEY",
        secret: Some((KEY_VARIABLE, "key")),
        variables: &simulated::URL_VARIABLES,
    }),
    core: CORE,
    is_parallel: PARALLEL,
    fixtures: FixtureReader::new(
        || Arc::new(Fixtures::default()),
        |profile, secrets| {
            let owned = |key: &str| secrets.get(key).map(str::to_owned);
            Ok(profile.gateway.as_ref().map(|gateway| {
                let fixtures = Fixtures::new(gateway, owned("gateway.key"), owned("gateway.revoked_key"));
                let values = (0..).map_while(|n| owned(&format!("gateway.payments[{n}]"))).collect();
                let fixtures = fixtures.paying(owned("gateway.second_key"), values);
                Arc::new(fixtures) as Arc<dyn harness::Fixtures>
            }))
        },
    ),
    sites: Sites {
        urls: |profile| profile.gateway.iter().map(|own| ("gateway".to_owned(), own.url.clone())).collect(),
        keys: &[],
        forwarding: |_| None,
        pace: |profile, pace| match &profile.gateway {
            Some(own) => pace.limiting_as("gateway", own.limits.requests_per_minute, None),
            None => pace,
        },
        counted_at: "gateway",
        apart: &[],
        is_named: |profile| profile.gateway.is_some(),
    },
    questions: Questions {
        readings: |at, found| Box::pin(survey::readings(at, found)),
        remedy: |status| matches!(status, 401..=403).then_some("set a valid key: [gateway] key"),
        ..questions!()
    },
    opening: |_| Sums::default(),
    uses: |_| Sent::default(),
    is_error: |body| body["detail"].is_string(),
    has_own_errors: false,
    lifetime: |_| None,
    is_down: |settings, request| settings.gateway().is_down(request),
    offers: |settings, endpoint| settings.gateway().offers(endpoint),
    openapi: Notes {
        about: "",
        meanings: &[(404, "The model is not known."), (503, "Every server of the model failed.")],
    },
    commands: super::explore::COMMANDS,
    prepared_by: None,
    judged_with: &[],
    without_effect: |_| Vec::new(),
    rejected_elsewhere: &[],
    may_reject: &[&payment::USED_AGAIN],
    readings: READINGS,
    simulator: Simulator {
        shows: simulated::shows,
        adopts: simulated::adopts,
        operated: |profile, _, _| {
            profile.gateway.iter_mut().for_each(|table| table.revoked_key = None);
            Ok(())
        },
        ..Simulator::new(|sim, profile| {
            profile.gateway = Some(simulated::table(sim)?);
            Ok(())
        })
    },
};

impl Settings {
    /// What the checks of the service need from the profile.
    pub fn gateway(&self) -> &Fixtures {
        self.fixtures.get()
    }
}
