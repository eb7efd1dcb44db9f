//! What the service gives the harness.

use std::sync::Arc;

use assay_spec::Service;
use assay_spec::limit::Limit;
use assay_spec::network::limits::{AUTHENTICATED, GENERAL, HEAVY, Rate};
use assay_spec::network::requirements::paging;

use super::super::hosting;
use super::readings::READINGS;
use super::{CORE, Fixtures, MIRROR, PARALLEL, is_error_body, simulated, survey};
use crate::documents::openapi::Notes;
use crate::harness::data::{Sent, Sums};
use crate::harness::pace::Documented;
use crate::harness::probe::Settings;
use crate::harness::suite::{Apart, FixtureReader, Simulator, Sites, Suite, UrlFlag, questions};
use crate::profile::Network;

/// What the pace calls requests to endpoints that require authentication.
const SIGNED: &str = "network signed";
/// What it calls program runs.
const RUNS: &str = "network run";

/// The classes of requests that have limits of their own (document 2, "Limits").
pub static APART: &[Apart] = &[
    Apart {
        class: SIGNED,
        holds: |endpoint| Rate::for_endpoint(endpoint) == Rate::Authenticated,
        are_writes: true,
    },
    Apart { class: RUNS, holds: |endpoint| Rate::for_endpoint(endpoint) == Rate::Heavy, are_writes: false },
];

/// What the service gives the harness.
pub static SUITE: Suite = Suite {
    service: Service::Network,
    about: "a node of the network",
    url_flag: Some(UrlFlag {
        name: "network-url",
        about: "Base URL of a node of the network",
        secret: None,
        variables: &[],
    }),
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
                pace.limiting_as("network", limits.requests_per_minute, Some(documented(&GENERAL, 10)))
                    .with_part("network", SIGNED, limits.requests_per_minute, documented(&AUTHENTICATED, 30))
                    .with_part("network", RUNS, limits.runs_per_minute, documented(&HEAVY, 1))
                    .counting_as(nodes)
            }
            None => pace,
        },
        counted_at: "network",
        apart: APART,
        is_named: |profile| profile.network.is_some(),
    },
    questions: questions!(),
    opening: |_| Sums::default(),
    uses: |_| Sent::default(),
    is_error: is_error_body,
    has_own_errors: true,
    lifetime: |_| None,
    is_down: |_, _| false,
    offers: |settings, endpoint| settings.network().offers(endpoint),
    openapi: Notes {
        about: " The documents do not show which of these endpoints a running service has. They show only the paths of \
                a compute node, the scheduler, the status service and the credit service, which have addresses of \
                their own.",
        meanings: &[],
    },
    commands: super::explore::COMMANDS,
    prepared_by: None,
    judged_with: &[],
    without_effect: |_| Vec::new(),
    rejected_elsewhere: &[],
    may_reject: &[&paging::ODD_VALUES],
    readings: READINGS,
    simulator: Simulator {
        operated: |profile, _, _| {
            profile.network.iter_mut().for_each(simulated::leave_the_node);
            Ok(())
        },
        quick: simulated::QUICK,
        ..Simulator::new(|sim, profile| {
            profile.network = Some(simulated::table(sim));
            Ok(())
        })
    },
};

/// A documented limit, kept with this many requests to spare: answers are delayed by different times.
fn documented(limit: &'static Limit, to_spare: u32) -> Documented {
    Documented { limit, per_minute: limit.u32() - to_spare, is_kept_nearby: false }
}

impl Settings {
    /// What the checks of the service need from the profile.
    pub fn network(&self) -> &Fixtures {
        self.fixtures.get()
    }
}
