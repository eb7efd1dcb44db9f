//! What the service gives the harness.

use std::collections::BTreeMap;
use std::sync::Arc;

use assay_spec::Service;

use super::readings::READINGS;
use super::{CHECKS, CORE, Fixtures, PARALLEL, Pool, STANDBY, opening, survey};
use crate::documents::openapi::Notes;
use crate::harness::probe::Settings;
use crate::harness::suite::{FixtureReader, Key, Questions, Sites, Suite};

/// What the service gives the harness.
pub static SUITE: Suite = Suite {
    service: Service::Publish,
    about: "a signed publishing exchange",
    checks: CHECKS,
    core: CORE,
    is_parallel: PARALLEL,
    fixtures: FixtureReader {
        detach: |settings| {
            let own = settings.fixtures.get_mut::<Fixtures>();
            own.pool = Arc::new(Pool::new(own.pool.names()));
        },
        share: |settings, number, of| settings.publish().pool.retain(|n, _| n % of == number - 1),
        leave_out: |settings| {
            let own = settings.publish();
            let is_right = |n: usize| !settings.wrong.contains_key(&format!("publish.domains[{n}]"));
            own.pool.retain(|_, domain| own.number(domain).is_none_or(is_right));
        },
        skewed: |settings, ahead_ms| settings.fixtures.get_mut::<Fixtures>().ahead_ms = ahead_ms,
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
                .limiting("publish", own.limits.requests_per_minute)
                .with_domains(own.domains.len(), own.pending.is_some()),
            None => pace,
        },
        counted_at: "publish",
        is_named: |profile| profile.publish.is_some(),
    },
    questions: Questions {
        recognise: |at| Box::pin(survey::recognise(at)),
        discover: |at, found, examples| Box::pin(survey::discover(at, found, examples)),
        wrong_fixtures: |survey, domains| Box::pin(survey::wrong_fixtures(survey, domains)),
        is_recognizable: true,
        beside: &[Service::Drop],
        remedy: |_| None,
        reads_from: None,
    },
    opening,
    is_error: |body| body["error"].is_string(),
    has_own_errors: false,
    offers: |_, _| true,
    openapi: Notes {
        about: " A client checks the transaction's message byte by byte before it signs; a schema cannot express this.",
        meanings: &[
            (404, "Any failure of the envelope; all look alike."),
            (410, "The prepare is not known, or can no longer land."),
        ],
    },
    prepared_by: None,
    judged_with: &["publish."],
    readings: READINGS,
    keys: KEYS,
};

impl Settings {
    /// What the checks of the service need from the profile.
    pub fn publish(&self) -> &Fixtures {
        self.fixtures.get()
    }
}

/// The keys of the profile that are not readings, in the order they are written.
const KEYS: &[Key] = &[
    Key {
        table: "publish",
        name: "chain_url",
        example: "\"http://127.0.0.1:4117\"",
        about: "A node of the chain, for 7 more checks: those of confirmed transactions.",
    },
    Key {
        table: "publish",
        name: "standby_url",
        example: "\"http://127.0.0.1:4119\"",
        about: "A standby node of the service, for 1 more check.",
    },
    Key {
        table: "publish",
        name: "forwarding_header",
        example: "\"X-Forwarded-For\"",
        about: "The header from which the service reads the client's address.",
    },
    Key {
        table: "publish",
        name: "domains",
        example: "[\"a.example\"]",
        about: "Bound domains with which a run publishes, up to 30 times a day each. One runs 70 checks, two 75.",
    },
    Key {
        table: "publish",
        name: "key",
        example: "{ env = \"PUBLISH_KEY\" }",
        about: "The seed of the key bound to these domains, 64 hex digits.",
    },
    Key {
        table: "publish",
        name: "pending",
        example: "\"b.example\"",
        about: "A domain with a pending transfer from key to second_key, for 3 more checks. The run does not accept it.",
    },
    Key {
        table: "publish",
        name: "second_key",
        example: "{ env = \"SECOND_PUBLISH_KEY\" }",
        about: "The incoming key of that transfer, 64 hex digits.",
    },
    Key {
        table: "publish",
        name: "pending_transfer",
        example: "\"2nBhEBYYvfaAe16UMNqRHre4YNSskvuYgx3M6E4JP1oDYvZEJHvoPzyUidNgNX5r9sTyN1J9UxtbCXy2rqYcuyuv\"",
        about: "The transaction signature of that transfer, for 1 more check.",
    },
    Key {
        table: "publish",
        name: "not_publishable",
        example: "\"c.example\"",
        about: "A domain bound to key that is not publishable, for 1 more check.",
    },
    Key {
        table: "publish",
        name: "feature_off",
        example: "\"d.example\"",
        about: "A domain bound to key whose account does not have the feature, for 1 more check.",
    },
    Key {
        table: "publish.limits",
        name: "requests_per_minute",
        example: "30",
        about: "Requests per minute.",
    },
];
