//! The `[network]` table of a profile: the node API.

use std::collections::BTreeMap;

use assay_spec::network::limits::{FORGET_RETRIES, FORGET_RETRY};
use serde::{Deserialize, Serialize};

use super::drop::optional_header_name;
use super::key::{Key, Section, table};
use super::{
    EndpointName, Endpoints, Secret, at_least_one, base_url, base_urls, is_default, optional_at_least_one,
    optional_base_url,
};

table! { "network";
    /// A target of the node API's suite.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct Network {
        /// Base URL of the load-balanced address, without `/api/v0` and without a trailing slash.
        pub url: String => serde(deserialize_with = "base_url"),
        /// The alternative address, which also serves node metrics.
        pub alt_url: Option<String> = "\"http://127.0.0.1:4108\""
            => serde(default, deserialize_with = "optional_base_url"),
        /// A mirror.
        pub mirror_url: Option<String> = "\"http://127.0.0.1:4109\""
            => serde(default, deserialize_with = "optional_base_url"),
        /// Compute nodes.
        pub compute_urls: Vec<String> = "[\"http://127.0.0.1:4110\"]"
            => serde(default, deserialize_with = "base_urls", skip_serializing_if = "Vec::is_empty"),
        /// The scheduler.
        pub scheduler_url: Option<String> = "\"http://127.0.0.1:4112\""
            => serde(default, deserialize_with = "optional_base_url"),
        /// The status service.
        pub status_url: Option<String> = "\"http://127.0.0.1:4113\""
            => serde(default, deserialize_with = "optional_base_url"),
        /// The credit API.
        pub credit_url: Option<String> = "\"http://127.0.0.1:4114\""
            => serde(default, deserialize_with = "optional_base_url"),
        /// The header from which the nodes read the client's address.
        pub forwarding_header: Option<String> = "\"X-Forwarded-For\""
            => serde(default, deserialize_with = "optional_header_name"),
        /// The key of the owner of removed, pending and rejected, 64 hex digits: 1 more check for each of them.
        pub owner_key: Option<Secret> = "{ env = \"OWNER_KEY\" }",
        /// A declared endpoint that is missing is a failure; otherwise it is only reported as not offered.
        pub strict: bool => serde(default, skip_serializing_if = "is_default"),
        /// The endpoints that the target offers: all except those set to `false` here.
        pub endpoints: Endpoints => serde(default, skip_serializing_if = "is_default"),
        /// The readings that the target declares.
        pub readings: NetworkReadings => serde(default, skip_serializing_if = "is_default"),
        /// What exists at the target before a run. Not needed with a control API.
        pub fixtures: NetworkFixtures => serde(default, skip_serializing_if = "is_default"),
        /// The pace of a run.
        pub limits: NetworkLimits => serde(default, skip_serializing_if = "is_default"),
    }
}

impl Section for Network {
    const TABLES: &'static [&'static str] =
        &["network", "network.endpoints", "network.readings", "network.fixtures", "network.limits"];
    const KEYS: &'static [&'static [Key]] = &[Network::KEYS, NetworkFixtures::KEYS, NetworkLimits::KEYS];
}

impl Network {
    /// The base URLs by site name.
    pub fn sites(&self) -> BTreeMap<String, String> {
        let compute = self.compute_urls.iter().enumerate();
        let compute = compute.map(|(n, url)| (format!("compute-{}", n + 1), url.clone()));
        let others = [
            ("network-alt", &self.alt_url),
            ("network-mirror", &self.mirror_url),
            ("scheduler", &self.scheduler_url),
            ("status", &self.status_url),
            ("credit", &self.credit_url),
        ];
        let others = others.into_iter().filter_map(|(name, url)| Some((name.to_owned(), url.clone()?)));
        [("network".to_owned(), self.url.clone())].into_iter().chain(others).chain(compute).collect()
    }
}

/// The readings that the target declares, where the document allows several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkReadings {
    /// What a signature covers. If not set, messages are signed as their string form and this is not tested.
    pub signing_scheme: Option<SigningScheme>,
    /// The target verifies signatures and rejects invalid ones.
    pub verifies_signatures: bool,
    /// The target applies the authorizations of `security` to writes.
    pub enforces_security: bool,
    /// What a later write of some members does to an aggregate. If not set, the check only reports it.
    pub aggregate_write: Option<AggregateWrite>,
    /// The number of the first page.
    pub first_page: u64,
    /// How long a FORGET may take until it is applied or abandoned, in seconds.
    pub forget_settle_seconds: u64,
    /// The content type of measurements.
    pub metrics_content_type: MetricsType,
    /// The address that serves node metrics. If not set, the alternative address and then the primary one are asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metrics_base: Option<MetricsBase>,
}

impl Default for NetworkReadings {
    fn default() -> Self {
        Self {
            signing_scheme: None,
            verifies_signatures: false,
            enforces_security: false,
            aggregate_write: None,
            first_page: 1,
            forget_settle_seconds: FORGET_SETTLE_SECONDS,
            metrics_content_type: MetricsType::default(),
            metrics_base: None,
        }
    }
}

/// The time of all retries of a FORGET (this project's choice), plus one more.
pub const FORGET_SETTLE_SECONDS: u64 = (FORGET_RETRIES.u64() + 1) * FORGET_RETRY.u64() / 1000;

/// How long a node may take until it has processed what was sent. The document shows no time.
const PROCESS_SECONDS: u32 = 10;

/// What a signature covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SigningScheme {
    /// The message's string form.
    General,
    /// The digest of the message's canonical JSON.
    CanonicalRecord,
    /// Either of the two.
    Either,
    /// Signatures are not checked.
    NoneChecked,
}

/// What a later write of some members does to an aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AggregateWrite {
    /// The other members are kept.
    Merged,
    /// The other members are removed.
    Replaced,
}

/// The content type of measurements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MetricsType {
    /// The content type with which they are published.
    Scoring,
    /// The content type with which they are requested.
    Network,
    /// Either.
    #[default]
    Both,
}

/// The address that serves node metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MetricsBase {
    /// `alt_url`.
    Alternative,
    /// `url`.
    Primary,
}

table! { "network.fixtures";
    /// What exists at the target before a run.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct NetworkFixtures {
        /// The hash of a program that can be run.
        pub program: Option<String> = "\"hash\"",
        /// The runtime of the programs that checks create.
        pub runtime: Option<String> = "\"python3\"",
        /// The image of the instances that checks create.
        pub image: Option<String> = "\"debian-12\"",
        /// The SSH key of the instances that checks create.
        pub ssh_key: Option<String> = "\"ssh-ed25519 …\"",
        /// The URL of the webhooks that checks register.
        pub webhook_url: Option<String> = "\"https://example.com/hook\"",
        /// A network whose events and transactions are indexed.
        pub indexer_network: Option<String> = "\"name\"",
        /// A contract on that network that has emitted events.
        pub indexer_contract: Option<String> = "\"0xab\"",
        /// A core node with measurements.
        pub core_node: Option<String> = "\"hash\"",
        /// A compute node with measurements.
        pub compute_node: Option<String> = "\"hash\"",
        /// The address that publishes measurements.
        pub publisher: Option<String> = "\"0xab\"",
        /// The diagnostic VM of a compute node.
        pub diagnostic_vm: Option<String> = "\"hash\"",
        /// A status check of a compute node.
        pub status_check: Option<String> = "\"name\"",
        /// A STORE message that is being removed, for 1 more check. The run does not forget it.
        pub removing: Option<String> = "\"hash\"",
        /// A STORE message that was removed, for 1 more check.
        pub removed: Option<String> = "\"hash\"",
        /// The file of that STORE message, for 1 more check.
        pub removed_file: Option<String> = "\"hash\"",
        /// A STORE message that stays pending, of the owner.
        pub pending: Option<String> = "\"hash\"",
        /// A STORE message that was rejected, of the owner.
        pub rejected: Option<String> = "\"hash\"",
        /// A message that the mirror does not have yet, for 1 more check.
        pub mirror_lacks: Option<String> = "\"hash\"",
        /// An address with more than 100 messages, for 1 more check; otherwise it writes them with --include heavy.
        pub large_list: Option<String> = "\"0xab\"",
    }
}

table! { "network.limits";
    /// The pace of a run.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct NetworkLimits {
        /// At most so many requests per minute to all nodes together. If not set: 90, and 270 to endpoints that take a signature, which is below the documented limits; 90 together after a 429 that these limits do not explain; at loopback and private addresses only after the first 429.
        pub requests_per_minute: Option<u32> = "90" => serde(deserialize_with = "optional_at_least_one"),
        /// At most so many program runs per minute. If not set: 9; at loopback and private addresses only after the first 429.
        pub runs_per_minute: Option<u32> = "9" => serde(deserialize_with = "optional_at_least_one"),
        /// How long the node may take to process what was sent, in seconds. Checks read it again until then.
        pub process_seconds: u32 = "10" => serde(deserialize_with = "at_least_one"),
        /// An endpoint whose requests count as authenticated. If not set, that class is not tested.
        pub authenticated: Option<EndpointName>,
    }
}

impl Default for NetworkLimits {
    fn default() -> Self {
        Self {
            requests_per_minute: None,
            runs_per_minute: None,
            process_seconds: PROCESS_SECONDS,
            authenticated: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use assay_spec::network::ENDPOINTS;

    use super::*;
    use crate::profile::{NodeApi, Profile};

    const FULL: &str = r#"
[network]
url = "http://127.0.0.1:4104/"
alt_url = "http://127.0.0.1:4105"
mirror_url = "http://127.0.0.1:4106"
compute_urls = ["http://127.0.0.1:4107/", "http://127.0.0.1:4108"]
forwarding_header = "X-Forwarded-For"
strict = true
endpoints = { run = false, vrf_generate = true, create_message = false }
fixtures = { program = "ab" }

[network.readings]
signing_scheme = "canonical-record"
verifies_signatures = true
aggregate_write = "replaced"
first_page = 0
forget_settle_seconds = 30
metrics_content_type = "network"

[network.limits]
requests_per_minute = 50
authenticated = "create_message"
"#;

    #[test]
    fn full_table_is_read_and_written_back() {
        let profile = Profile::parse(FULL, "p.toml").expect("a profile");
        let network = profile.network.clone().expect("the table");
        assert_eq!(network.url, "http://127.0.0.1:4104");
        assert_eq!(network.compute_urls, ["http://127.0.0.1:4107", "http://127.0.0.1:4108"]);
        assert_eq!(network.forwarding_header.as_deref(), Some("X-Forwarded-For"));
        assert_eq!(network.endpoints.absent(), BTreeSet::from(["create-message", "run"]));
        assert_eq!(network.readings.signing_scheme, Some(SigningScheme::CanonicalRecord));
        assert_eq!(network.readings.aggregate_write, Some(AggregateWrite::Replaced));
        assert_eq!(network.limits.authenticated.map(EndpointName::name), Some("create-message"));
        let written = profile.to_toml();
        assert_eq!(Profile::parse(&written, "p.toml").expect("what was written"), profile, "{written}");
    }

    #[test]
    fn missing_keys_have_their_defaults() {
        let profile = Profile::parse("[network]\nurl = \"http://a\"", "p.toml").expect("a profile");
        let network = profile.network.expect("the table");
        assert_eq!(network.readings, NetworkReadings::default());
        assert!(network.readings.signing_scheme.is_none() && !network.readings.verifies_signatures);
        assert!(network.endpoints.absent().is_empty() && !network.strict);
        assert_eq!((network.limits.requests_per_minute, network.limits.runs_per_minute), (None, None));
    }

    #[test]
    fn every_endpoint_can_be_switched_off() {
        for endpoint in ENDPOINTS {
            let key = EndpointName::<NodeApi>::from_endpoint(endpoint).key();
            let text = format!("[network]\nurl = \"http://a\"\nendpoints = {{ {key} = false }}");
            let network = Profile::parse(&text, "p.toml").expect("a switch").network.expect("the table");
            assert_eq!(network.endpoints.absent(), BTreeSet::from([endpoint.name]));
        }
    }

    #[test]
    fn errors_show_their_position() {
        let cases = [
            "[network]\nalt_url = \"http://a\"",
            "[network]\nurl = \"http://a\"\nmirror_url = \"a\"",
            "[network]\nurl = \"http://a\"\ncompute_urls = [\"http://b\", \"c\"]",
            "[network]\nurl = \"http://a\"\n[network.endpoints]\ncreate_mesage = false",
            "[network]\nurl = \"http://a\"\n[network.endpoints]\nrun = \"no\"",
            "[network]\nurl = \"http://a\"\nforwarding_header = \"X: \"",
            "[network]\nurl = \"http://a\"\nreadings = { signing_scheme = \"none\" }",
            "[network]\nurl = \"http://a\"\nlimits = { runs_per_minute = 0 }",
            "[network]\nurl = \"http://a\"\nlimits = { process_seconds = 0 }",
        ];
        let error = |text: &str| {
            let wrong = Profile::parse(text, "p.toml").expect_err("wrong").to_string();
            wrong.lines().next().unwrap_or_default().to_owned()
        };
        insta::assert_snapshot!(cases.map(error).join("\n"), @r#"
        p.toml:1:1: network: missing field `url`
        p.toml:3:14: network.mirror_url: the scheme is missing: write http://a
        p.toml:3:16: network.compute_urls: the scheme is missing: write http://c
        p.toml:4:1: network.endpoints.create_mesage: unknown key `create_mesage`; did you mean `create_message`?
        p.toml:4:7: network.endpoints.run: invalid type: string "no", expected a boolean
        p.toml:3:21: network.forwarding_header: not a header name, such as X-Forwarded-For
        p.toml:3:31: network.readings.signing_scheme: unknown value `none`; known here: general, canonical-record, either, none-checked
        p.toml:3:30: network.limits.runs_per_minute: must be 1 or more
        p.toml:3:30: network.limits.process_seconds: must be 1 or more
        "#);
    }
}
