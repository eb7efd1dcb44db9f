//! What the service gives the harness.

use std::sync::Arc;

use assay_spec::Service;

use super::readings::READINGS;
use super::{CHECKS, CORE, FINDING, Fixtures, PARALLEL, survey};
use crate::documents::openapi::Notes;
use crate::harness::plan::Sums;
use crate::harness::probe::Settings;
use crate::harness::suite::{self as harness, FixtureReader, Key, Questions, Sites, Suite};

/// What the service gives the harness.
pub static SUITE: Suite = Suite {
    service: Service::Gateway,
    about: "an inference gateway and its backing servers",
    checks: CHECKS,
    core: CORE,
    is_parallel: PARALLEL,
    fixtures: FixtureReader::new(
        || Arc::new(Fixtures::default()),
        |profile, secrets| {
            let owned = |key: &str| secrets.get(key).map(str::to_owned);
            Ok(profile.gateway.as_ref().map(|gateway| {
                let fixtures = Fixtures::new(gateway, owned("gateway.key"), owned("gateway.revoked_key"));
                let fixtures = fixtures.paying(owned("gateway.second_key"), owned("gateway.payment"));
                Arc::new(fixtures) as Arc<dyn harness::Fixtures>
            }))
        },
    ),
    sites: Sites {
        urls: |profile| profile.gateway.iter().map(|own| ("gateway".to_owned(), own.url.clone())).collect(),
        keys: &[],
        forwarding: |_| None,
        pace: |profile, pace| match &profile.gateway {
            Some(own) => pace.limiting("gateway", own.limits.requests_per_minute),
            None => pace,
        },
        counted_at: "gateway",
        is_named: |profile| profile.gateway.is_some(),
    },
    questions: Questions {
        recognise: |at| Box::pin(survey::recognise(at)),
        discover: |at, found, examples| Box::pin(survey::discover(at, found, examples)),
        wrong_fixtures: |survey, domains| Box::pin(survey::wrong_fixtures(survey, domains)),
        is_recognizable: true,
        beside: &[],
        remedy: |status| matches!(status, 401..=403).then_some("set a valid key: [gateway] key"),
        reads_from: None,
    },
    opening: |_| Sums { requests: FINDING, ..Sums::default() },
    is_error: |body| body["detail"].is_string(),
    has_own_errors: false,
    offers: |settings, endpoint| settings.gateway().offers(endpoint),
    openapi: Notes {
        about: "",
        meanings: &[(404, "The model is not known."), (503, "Every server of the model failed.")],
    },
    prepared_by: None,
    judged_with: &[],
    readings: READINGS,
    keys: KEYS,
};

impl Settings {
    /// What the checks of the service need from the profile.
    pub fn gateway(&self) -> &Fixtures {
        self.fixtures.get()
    }
}

/// The keys of the profile that are not readings, in the order they are written.
const KEYS: &[Key] = &[
    Key {
        table: "gateway",
        name: "key",
        example: "{ env = \"GATEWAY_KEY\" }",
        about: "A valid API key. Without one only endpoints that need no key are tested.",
    },
    Key {
        table: "gateway",
        name: "server_urls",
        example: "[\"https://127.0.0.1:4103\"]",
        about: "Servers of the chat model to call directly, instead of those that discovery lists.",
    },
    Key {
        table: "gateway",
        name: "revoked_key",
        example: "{ file = \"revoked.key\" }",
        about: "A key that was revoked, for 2 more checks.",
    },
    Key {
        table: "gateway",
        name: "second_key",
        example: "{ env = \"SECOND_GATEWAY_KEY\" }",
        about: "A second valid key, which only the run uses: its tokens are counted.",
    },
    Key {
        table: "gateway",
        name: "payment",
        example: "{ env = \"GATEWAY_PAYMENT\" }",
        about: "A value of X-PAYMENT that pays for requests without a key, for 1 more check with readings.payment_flow.",
    },
    Key {
        table: "gateway",
        name: "usage_url",
        example: "\"http://127.0.0.1:4101/usage\"",
        about: "A URL that returns JSON with the number of tokens that second_key has spent, for 1 more check.",
    },
    Key { table: "gateway", name: "usage_path", example: "\"spent\"", about: "The path of that number." },
    Key {
        table: "gateway.models",
        name: "chat",
        example: "\"name\"",
        about: "A text model. If not set, the first model in discovery that answers is used.",
    },
    Key {
        table: "gateway.models",
        name: "tools",
        example: "\"name\"",
        about: "A model that is flagged for tool calls. The API has no field that shows this.",
    },
    Key {
        table: "gateway.models",
        name: "always_calls",
        example: "\"name\"",
        about: "A model that calls each tool that a prompt names, with arguments that fit, and repeats its result, for 2 more \
         checks.",
    },
    Key {
        table: "gateway.models",
        name: "vision",
        example: "\"name\"",
        about: "A model that accepts images.",
    },
    Key {
        table: "gateway.models",
        name: "down",
        example: "\"name\"",
        about: "A model whose servers have all failed, for 3 more checks.",
    },
    Key {
        table: "gateway.models",
        name: "one_down",
        example: "\"name\"",
        about: "A model with several servers, of which one has failed, for 1 more check.",
    },
    Key {
        table: "gateway.models",
        name: "fails_midway",
        example: "\"name\"",
        about: "A model whose streams fail midway, for 1 more check.",
    },
    Key {
        table: "gateway.limits",
        name: "requests_per_minute",
        example: "30",
        about: "Requests per minute to the gateway and its servers together.",
    },
    Key {
        table: "gateway.limits",
        name: "answer_seconds",
        example: "60",
        about: "The time limit for a complete response, in seconds.",
    },
];
