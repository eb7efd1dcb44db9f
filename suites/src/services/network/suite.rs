//! What the service gives the harness.

use std::sync::Arc;

use assay_spec::Service;

use super::super::hosting;
use super::readings::READINGS;
use super::{CHECKS, CORE, Fixtures, LEARNING, MIRROR, PARALLEL, RUNS, is_error_body, survey};
use crate::documents::openapi::Notes;
use crate::harness::plan::Sums;
use crate::harness::probe::Settings;
use crate::harness::suite::{FixtureReader, Key, Questions, Sites, Suite};
use crate::profile::Network;

/// What the service gives the harness.
pub static SUITE: Suite = Suite {
    service: Service::Network,
    about: "a node of the network",
    checks: CHECKS,
    core: CORE,
    is_parallel: PARALLEL,
    fixtures: FixtureReader::new(
        || Arc::new(Fixtures::default()),
        |profile, secrets| {
            let Some(network) = &profile.network else { return Ok(None) };
            let key = secrets.get("network.owner_key").map(hosting::wallet).transpose();
            let owner_key = key.map_err(|why| ("network.owner_key", why))?;
            Ok(Some(Arc::new(Fixtures { owner_key, ..Fixtures::new(network) })))
        },
    ),
    sites: Sites {
        urls: |profile| profile.network.iter().flat_map(Network::sites).collect(),
        keys: &[
            ("network-alt", "network.alt_url"),
            (MIRROR, "network.mirror_url"),
            ("scheduler", "network.scheduler_url"),
            ("status", "network.status_url"),
            ("credit", "network.credit_url"),
            ("compute-*", "network.compute_urls"),
        ],
        forwarding: |profile| profile.network.as_ref()?.forwarding_header.clone(),
        pace: |profile, pace| match &profile.network {
            Some(own) => {
                let limits = &own.limits;
                // The client's address is the same for all nodes.
                let nodes = own.sites().into_keys().map(|site| (site, "network".to_owned())).collect();
                pace.limiting("network", limits.requests_per_minute)
                    .limiting(RUNS, limits.runs_per_minute)
                    .counting_as(nodes)
            }
            None => pace,
        },
        counted_at: "network",
        is_named: |profile| profile.network.is_some(),
    },
    questions: Questions {
        recognise: |at| Box::pin(survey::recognise(at)),
        discover: |at, found, examples| Box::pin(survey::discover(at, found, examples)),
        wrong_fixtures: |survey, domains| Box::pin(survey::wrong_fixtures(survey, domains)),
        is_recognizable: true,
        beside: &[],
        remedy: |_| None,
        reads_from: None,
    },
    opening: |_| Sums { requests: LEARNING, ..Sums::default() },
    is_error: is_error_body,
    has_own_errors: true,
    offers: |settings, endpoint| settings.network().offers(endpoint),
    openapi: Notes {
        about: " The documents do not show which of these endpoints a running service has. They show only the paths of \
                a compute node, the scheduler, the status service and the credit service, which have addresses of \
                their own.",
        meanings: &[],
    },
    prepared_by: None,
    judged_with: &[],
    readings: READINGS,
    keys: KEYS,
};

impl Settings {
    /// What the checks of the service need from the profile.
    pub fn network(&self) -> &Fixtures {
        self.fixtures.get()
    }
}

/// The keys of the profile that are not readings, in the order they are written.
const KEYS: &[Key] = &[
    Key {
        table: "network",
        name: "alt_url",
        example: "\"http://127.0.0.1:4108\"",
        about: "The alternative address, which also serves node metrics.",
    },
    Key { table: "network", name: "mirror_url", example: "\"http://127.0.0.1:4109\"", about: "A mirror." },
    Key {
        table: "network",
        name: "compute_urls",
        example: "[\"http://127.0.0.1:4110\"]",
        about: "Compute nodes.",
    },
    Key {
        table: "network",
        name: "scheduler_url",
        example: "\"http://127.0.0.1:4112\"",
        about: "The scheduler.",
    },
    Key {
        table: "network",
        name: "status_url",
        example: "\"http://127.0.0.1:4113\"",
        about: "The status service.",
    },
    Key {
        table: "network",
        name: "credit_url",
        example: "\"http://127.0.0.1:4114\"",
        about: "The credit API.",
    },
    Key {
        table: "network",
        name: "forwarding_header",
        example: "\"X-Forwarded-For\"",
        about: "The header from which the nodes read the client's address.",
    },
    Key {
        table: "network",
        name: "owner_key",
        example: "{ env = \"OWNER_KEY\" }",
        about: "The key of the owner of removed, pending and rejected, 64 hex digits: 1 more check for each of them.",
    },
    Key {
        table: "network.fixtures",
        name: "program",
        example: "\"hash\"",
        about: "The hash of a program that can be run.",
    },
    Key {
        table: "network.fixtures",
        name: "runtime",
        example: "\"python3\"",
        about: "The runtime of the programs that checks create.",
    },
    Key {
        table: "network.fixtures",
        name: "image",
        example: "\"debian-12\"",
        about: "The image of the instances that checks create.",
    },
    Key {
        table: "network.fixtures",
        name: "ssh_key",
        example: "\"ssh-ed25519 …\"",
        about: "The SSH key of the instances that checks create.",
    },
    Key {
        table: "network.fixtures",
        name: "webhook_url",
        example: "\"https://example.com/hook\"",
        about: "The URL of the webhooks that checks register.",
    },
    Key {
        table: "network.fixtures",
        name: "indexer_network",
        example: "\"name\"",
        about: "A network whose events and transactions are indexed.",
    },
    Key {
        table: "network.fixtures",
        name: "indexer_contract",
        example: "\"0xab\"",
        about: "A contract on that network that has emitted events.",
    },
    Key {
        table: "network.fixtures",
        name: "core_node",
        example: "\"hash\"",
        about: "A core node with measurements.",
    },
    Key {
        table: "network.fixtures",
        name: "compute_node",
        example: "\"hash\"",
        about: "A compute node with measurements.",
    },
    Key {
        table: "network.fixtures",
        name: "publisher",
        example: "\"0xab\"",
        about: "The address that publishes measurements.",
    },
    Key {
        table: "network.fixtures",
        name: "diagnostic_vm",
        example: "\"hash\"",
        about: "The diagnostic VM of a compute node.",
    },
    Key {
        table: "network.fixtures",
        name: "status_check",
        example: "\"name\"",
        about: "A status check of a compute node.",
    },
    Key {
        table: "network.fixtures",
        name: "removing",
        example: "\"hash\"",
        about: "A STORE message that is being removed, for 1 more check. The run does not forget it.",
    },
    Key {
        table: "network.fixtures",
        name: "removed",
        example: "\"hash\"",
        about: "A STORE message that was removed, for 1 more check.",
    },
    Key {
        table: "network.fixtures",
        name: "removed_file",
        example: "\"hash\"",
        about: "The file of that STORE message, for 1 more check.",
    },
    Key {
        table: "network.fixtures",
        name: "pending",
        example: "\"hash\"",
        about: "A STORE message that stays pending, of the owner.",
    },
    Key {
        table: "network.fixtures",
        name: "rejected",
        example: "\"hash\"",
        about: "A STORE message that was rejected, of the owner.",
    },
    Key {
        table: "network.fixtures",
        name: "mirror_lacks",
        example: "\"hash\"",
        about: "A message that the mirror does not have yet, for 1 more check.",
    },
    Key {
        table: "network.fixtures",
        name: "large_list",
        example: "\"0xab\"",
        about: "An address with more than 100 messages, for 1 more check; otherwise it writes them with --include heavy.",
    },
    Key {
        table: "network.limits",
        name: "requests_per_minute",
        example: "90",
        about: "Requests per minute to all nodes together.",
    },
    Key { table: "network.limits", name: "runs_per_minute", example: "9", about: "Program runs per minute." },
];
