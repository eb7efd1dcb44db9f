//! Writes a draft profile: detected values are filled in, every other key is a comment with its default.
//!
//! A line that begins with `#` and a letter is a disabled key; in a comment a space follows the `#`.

use assay_spec::{Dialect, Service};
use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::documents::readings::{self, textwrap};
use crate::harness::survey::{Found, SurveyResult};
use crate::profile::{Profile, Secret, Transport};

/// The input of a draft.
#[derive(Clone, Debug, Default)]
pub struct Draft<'d> {
    /// The surveyed services; the others are written as comments.
    pub asked: &'d [SurveyResult],
    /// The base URL of a control API that responded.
    pub control: Option<&'d str>,
    /// The URL of a control API that did not respond, and why.
    pub control_lost: Option<(&'d str, &'d str)>,
    /// A profile with the files for trust and client certificates.
    pub files: Option<&'d Profile>,
    /// The environment variable that holds the gateway's key.
    pub gateway_key_env: Option<&'d str>,
    /// The environment variable that holds the control API's token.
    pub control_token_env: Option<&'d str>,
    /// Every table and key is written, not only those of the surveyed services.
    pub has_all: bool,
    /// Base URLs of further sites, by site name: `chain`, `network-alt`, `compute-1`.
    pub sites: BTreeMap<String, String>,
}

/// A profile key that is not a reading: its table, its name, a value to show, and its purpose.
type Key = (&'static str, &'static str, &'static str, &'static str);

/// The keys in the order they are written. A key without a default is shown with an example.
const KEYS: &[Key] = &[
    (
        "gateway",
        "key",
        "{ env = \"GATEWAY_KEY\" }",
        "A valid API key. Without one only endpoints that need no key are tested.",
    ),
    (
        "gateway",
        "server_urls",
        "[\"https://127.0.0.1:4103\"]",
        "Servers of the chat model to call directly, instead of those that discovery lists.",
    ),
    ("gateway", "revoked_key", "{ file = \"revoked.key\" }", "A key that was revoked, for 2 more checks."),
    (
        "gateway",
        "second_key",
        "{ env = \"SECOND_GATEWAY_KEY\" }",
        "A second valid key, which only the run uses: its tokens are counted.",
    ),
    (
        "gateway",
        "payment",
        "{ env = \"GATEWAY_PAYMENT\" }",
        "A value of X-PAYMENT that pays for requests without a key, for 1 more check with readings.payment_flow.",
    ),
    (
        "gateway",
        "usage_url",
        "\"http://127.0.0.1:4101/usage\"",
        "A URL that returns JSON with the number of tokens that second_key has spent, for 1 more check.",
    ),
    ("gateway", "usage_path", "\"spent\"", "The path of that number."),
    (
        "gateway.models",
        "chat",
        "\"name\"",
        "A text model. If not set, the first model in discovery that answers is used.",
    ),
    (
        "gateway.models",
        "tools",
        "\"name\"",
        "A model that is flagged for tool calls. The API has no field that shows this.",
    ),
    (
        "gateway.models",
        "always_calls",
        "\"name\"",
        "A model that calls each tool that a prompt names, with arguments that fit, and repeats its result, for 2 more \
         checks.",
    ),
    ("gateway.models", "vision", "\"name\"", "A model that accepts images."),
    ("gateway.models", "down", "\"name\"", "A model whose servers have all failed, for 3 more checks."),
    (
        "gateway.models",
        "one_down",
        "\"name\"",
        "A model with several servers, of which one has failed, for 1 more check.",
    ),
    ("gateway.models", "fails_midway", "\"name\"", "A model whose streams fail midway, for 1 more check."),
    (
        "gateway.limits",
        "requests_per_minute",
        "30",
        "Requests per minute to the gateway and its servers together.",
    ),
    ("gateway.limits", "answer_seconds", "60", "The time limit for a complete response, in seconds."),
    ("metadata", "unknown_token", "\"999999999999\"", "An integer that is not the id of a token."),
    (
        "metadata",
        "contracts",
        "[{ cid = \"bafk\", uri_path = \"https://a.example/1\", tokens = [\"1\"], overridden = \"1\" }]",
        "Contracts that the target knows, with one address or both. Without any, only the root can be tested.",
    ),
    ("metadata.limits", "requests_per_minute", "120", "Requests per minute."),
    (
        "network",
        "alt_url",
        "\"http://127.0.0.1:4108\"",
        "The alternative address, which also serves node metrics.",
    ),
    ("network", "mirror_url", "\"http://127.0.0.1:4109\"", "A mirror."),
    ("network", "compute_urls", "[\"http://127.0.0.1:4110\"]", "Compute nodes."),
    ("network", "scheduler_url", "\"http://127.0.0.1:4112\"", "The scheduler."),
    ("network", "status_url", "\"http://127.0.0.1:4113\"", "The status service."),
    ("network", "credit_url", "\"http://127.0.0.1:4114\"", "The credit API."),
    (
        "network",
        "forwarding_header",
        "\"X-Forwarded-For\"",
        "The header from which the nodes read the client's address.",
    ),
    (
        "network",
        "owner_key",
        "{ env = \"OWNER_KEY\" }",
        "The key of the owner of removed, pending and rejected, 64 hex digits: 1 more check for each of them.",
    ),
    ("network.fixtures", "program", "\"hash\"", "The hash of a program that can be run."),
    ("network.fixtures", "runtime", "\"python3\"", "The runtime of the programs that checks create."),
    ("network.fixtures", "image", "\"debian-12\"", "The image of the instances that checks create."),
    ("network.fixtures", "ssh_key", "\"ssh-ed25519 …\"", "The SSH key of the instances that checks create."),
    (
        "network.fixtures",
        "webhook_url",
        "\"https://example.com/hook\"",
        "The URL of the webhooks that checks register.",
    ),
    (
        "network.fixtures",
        "indexer_network",
        "\"name\"",
        "A network whose events and transactions are indexed.",
    ),
    (
        "network.fixtures",
        "indexer_contract",
        "\"0xab\"",
        "A contract on that network that has emitted events.",
    ),
    ("network.fixtures", "core_node", "\"hash\"", "A core node with measurements."),
    ("network.fixtures", "compute_node", "\"hash\"", "A compute node with measurements."),
    ("network.fixtures", "publisher", "\"0xab\"", "The address that publishes measurements."),
    ("network.fixtures", "diagnostic_vm", "\"hash\"", "The diagnostic VM of a compute node."),
    ("network.fixtures", "status_check", "\"name\"", "A status check of a compute node."),
    (
        "network.fixtures",
        "removing",
        "\"hash\"",
        "A STORE message that is being removed, for 1 more check. The run does not forget it.",
    ),
    ("network.fixtures", "removed", "\"hash\"", "A STORE message that was removed, for 1 more check."),
    ("network.fixtures", "removed_file", "\"hash\"", "The file of that STORE message, for 1 more check."),
    ("network.fixtures", "pending", "\"hash\"", "A STORE message that stays pending, of the owner."),
    ("network.fixtures", "rejected", "\"hash\"", "A STORE message that was rejected, of the owner."),
    (
        "network.fixtures",
        "mirror_lacks",
        "\"hash\"",
        "A message that the mirror does not have yet, for 1 more check.",
    ),
    (
        "network.fixtures",
        "large_list",
        "\"0xab\"",
        "An address with more than 100 messages, for 1 more check; otherwise it writes them with --include heavy.",
    ),
    ("network.limits", "requests_per_minute", "90", "Requests per minute to all nodes together."),
    ("network.limits", "runs_per_minute", "9", "Program runs per minute."),
    (
        "hosting",
        "owner",
        "\"0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf\"",
        "The owner whose records are tested. If not set, the owner of wallet_key.",
    ),
    (
        "hosting",
        "wallet_key",
        "{ env = \"WALLET_KEY\" }",
        "The owner's wallet key. Without it encrypted records cannot be tested.",
    ),
    (
        "publish",
        "chain_url",
        "\"http://127.0.0.1:4117\"",
        "A node of the chain, for 7 more checks: those of confirmed transactions.",
    ),
    (
        "publish",
        "standby_url",
        "\"http://127.0.0.1:4119\"",
        "A standby node of the service, for 1 more check.",
    ),
    (
        "publish",
        "forwarding_header",
        "\"X-Forwarded-For\"",
        "The header from which the service reads the client's address.",
    ),
    (
        "publish",
        "domains",
        "[\"a.example\"]",
        "Bound domains with which a run publishes, up to 30 times a day each. One runs 70 checks, two 75.",
    ),
    (
        "publish",
        "key",
        "{ env = \"PUBLISH_KEY\" }",
        "The seed of the key bound to these domains, 64 hex digits.",
    ),
    (
        "publish",
        "pending",
        "\"b.example\"",
        "A domain with a pending transfer from key to second_key, for 3 more checks. The run does not accept it.",
    ),
    (
        "publish",
        "second_key",
        "{ env = \"SECOND_PUBLISH_KEY\" }",
        "The incoming key of that transfer, 64 hex digits.",
    ),
    (
        "publish",
        "pending_transfer",
        "\"2nBhEBYYvfaAe16UMNqRHre4YNSskvuYgx3M6E4JP1oDYvZEJHvoPzyUidNgNX5r9sTyN1J9UxtbCXy2rqYcuyuv\"",
        "The transaction signature of that transfer, for 1 more check.",
    ),
    (
        "publish",
        "not_publishable",
        "\"c.example\"",
        "A domain bound to key that is not publishable, for 1 more check.",
    ),
    (
        "publish",
        "feature_off",
        "\"d.example\"",
        "A domain bound to key whose account does not have the feature, for 1 more check.",
    ),
    ("publish.limits", "requests_per_minute", "30", "Requests per minute."),
    (
        "drop",
        "paused_url",
        "\"http://127.0.0.1:4119\"",
        "An instance of the service that has paused drops, for 1 more check.",
    ),
    (
        "drop",
        "forwarding_header",
        "\"X-Forwarded-For\"",
        "The header from which the service reads the client's address.",
    ),
    ("drop.limits", "drops_per_hour", "9", "Uploads per hour; the documented limit is 10 per address."),
];

/// The top-level keys: a name, a value to show, and its purpose.
const TOP: &[(&str, &str, &str)] = &[
    ("seed", "1", "The seed of all random values of a run. If not set, each run picks one and prints it."),
    (
        "ca_file",
        "\"ca.pem\"",
        "Certificates (PEM) of authorities to trust in addition to those of this machine.",
    ),
    ("client_certificate", "\"client.pem\"", "The certificate (PEM, with its chain) of this client."),
    ("client_key", "{ file = \"client.key\" }", "The private key of that certificate (PEM)."),
    (
        "control",
        "\"http://127.0.0.1:4100/_sim/v1\"",
        "A control API that moves time, sets faults and forks worlds.",
    ),
    ("control_token", "{ env = \"CONTROL_TOKEN\" }", "Its bearer token."),
];

/// Further sites of a service, and their profile keys.
const SITES: &[(Service, &str, &str)] = &[
    (Service::Publish, "chain", "publish.chain_url"),
    (Service::Publish, crate::services::publish::STANDBY, "publish.standby_url"),
    (Service::Drop, crate::services::drop::PAUSED, "drop.paused_url"),
    (Service::Network, "network-alt", "network.alt_url"),
    (Service::Network, "network-mirror", "network.mirror_url"),
    (Service::Network, "scheduler", "network.scheduler_url"),
    (Service::Network, "status", "network.status_url"),
    (Service::Network, "credit", "network.credit_url"),
];

/// The profile key of a site that is not a service, such as `network.compute_urls[0]` for `compute-1`.
pub fn key_of_site(site: &str) -> Option<String> {
    let number =
        site.strip_prefix("compute-").and_then(|number| number.parse::<usize>().ok()?.checked_sub(1));
    let compute = number.map(|number| format!("network.compute_urls[{number}]"));
    compute.or_else(|| SITES.iter().find(|(_, name, _)| *name == site).map(|(.., key)| (*key).to_owned()))
}

/// The example URL of a service that was not surveyed.
const NOWHERE: &str = "http://127.0.0.1:8080";

impl Draft<'_> {
    /// The profile's text.
    pub fn text(&self) -> String {
        let mut text = String::from(
            "# A profile of a target, for `assay run --profile` and `assay doctor --profile`.\n\
             # A line that begins with # and no space is a disabled key with its default or an example.\n\
             # Do not write secrets here: write { env = \"NAME\" } or { file = \"path\" }.\n",
        );
        text.push_str(if self.has_all { "\n" } else { "# `assay init --all` writes every key.\n\n" });
        self.top(&mut text);
        if self.has_all {
            dialect(&mut text);
            transport(&mut text);
            gate(&mut text);
        }
        for service in Service::ALL {
            if self.has_all || self.asked.iter().any(|asked| asked.service == *service) {
                self.service(*service, &mut text);
            }
        }
        text
    }

    fn top(&self, text: &mut String) {
        let literal = |text: &str| toml::Value::from(text).to_string();
        let path = |path: &PathBuf| literal(&path.display().to_string());
        let file = |key: &Secret| match key {
            Secret::File(file) => format!("{{ file = {} }}", path(file)),
            Secret::Env(name) => format!("{{ env = {} }}", literal(name)),
        };
        let mut is_empty = true;
        for (name, example, why) in TOP {
            let value = match *name {
                "control" => self.control.map(literal),
                "control_token" => self
                    .control_token_env
                    .filter(|_| self.control.is_some())
                    .map(|name| format!("{{ env = {} }}", literal(name))),
                "ca_file" => self.files.and_then(|files| files.ca_file.as_ref()).map(path),
                "client_certificate" => {
                    self.files.and_then(|files| files.client_certificate.as_ref()).map(path)
                }
                "client_key" => self.files.and_then(|files| files.client_key.as_ref()).map(file),
                _ => None,
            };
            let is_lost = *name == "control" && self.control_lost.is_some();
            if !self.has_all && value.is_none() && !is_lost {
                continue;
            }
            prose(text, why);
            if let ("control", Some((url, why))) = (*name, self.control_lost) {
                prose(text, &format!("{url} did not respond: {why}"));
            }
            line(text, value.is_some(), name, value.as_deref().unwrap_or(example));
            is_empty = false;
        }
        if !is_empty {
            text.push('\n');
        }
    }

    fn service(&self, service: Service, text: &mut String) {
        let asked = self.asked.iter().find(|asked| asked.service == service);
        let found = asked.and_then(|asked| asked.found.as_ref().ok());
        let name = service.name();
        prose(text, &format!("{name}: {}", about(service)));
        for note in found.iter().flat_map(|found| &found.notes) {
            prose(text, &format!("- {note}"));
        }
        if let Some(SurveyResult { found: Err(why), .. }) = asked {
            prose(text, &format!("- disabled: {why}"));
        }
        let is_on = found.is_some();
        if !is_on && !self.has_all {
            text.push('\n');
            return;
        }
        let values = self.values(service, asked, found);
        let tables = ["", ".endpoints", ".models", ".fixtures", ".readings", ".limits"];
        for table in tables.map(|part| format!("{name}{part}")) {
            let mut keys = keys(&table);
            // Readings and limits have defaults; without a value they only fill the page.
            let is_fixture = ![".endpoints", ".readings", ".limits"].iter().any(|part| table.ends_with(part));
            keys.retain(|(key, ..)| {
                self.has_all || is_fixture || values.contains_key(&format!("{table}.{key}"))
            });
            if keys.is_empty() {
                continue;
            }
            // An empty table has no effect, so a single key below it can be enabled.
            text.push_str(&format!("{}[{table}]\n", if is_on { "" } else { "#" }));
            for (key, default, why) in keys {
                let full = format!("{table}.{key}");
                let value = values.get(full.as_str());
                if key != "url" {
                    prose(text, &why);
                }
                line(text, is_on && value.is_some(), &key, value.unwrap_or(&default));
            }
        }
        text.push('\n');
    }

    /// The values to fill in, as TOML by key.
    fn values(
        &self,
        service: Service,
        asked: Option<&SurveyResult>,
        found: Option<&Found>,
    ) -> BTreeMap<String, String> {
        let literal = |text: &str| toml::Value::from(text).to_string();
        let known = found.into_iter().flat_map(|found| &found.values);
        let mut values: BTreeMap<String, String> =
            known.map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
        let url = asked.map_or(NOWHERE, |asked| asked.url.as_str());
        values.insert(format!("{}.url", service.name()), literal(url));
        if let (Service::Gateway, Some(name)) = (service, self.gateway_key_env) {
            values.insert("gateway.key".to_owned(), format!("{{ env = {} }}", literal(name)));
        }
        for (of, site, key) in SITES {
            let url = self.sites.get(*site).filter(|_| *of == service);
            values.extend(url.map(|url| ((*key).to_owned(), literal(url))));
        }
        let compute = self.sites.iter().filter_map(|(name, url)| Some((name.strip_prefix("compute-")?, url)));
        let mut compute: Vec<(&str, &String)> = compute.collect();
        // Sort by number (10 after 2); names without a number come last.
        compute.sort_by_key(|(number, _)| number.parse().unwrap_or(u64::MAX));
        let compute: Vec<toml::Value> = compute.into_iter().map(|(_, url)| url.as_str().into()).collect();
        if service == Service::Network && !compute.is_empty() {
            values.insert("network.compute_urls".to_owned(), toml::Value::Array(compute).to_string());
        }
        values
    }
}

/// The keys of a table: name, default or example, and purpose.
fn keys(table: &str) -> Vec<(String, String, String)> {
    let url = (!table.contains('.')).then(|| ("url".to_owned(), String::new(), String::new()));
    let own = KEYS.iter().filter(|(of, ..)| *of == table);
    let own = own.map(|(_, name, value, why)| ((*name).into(), (*value).into(), (*why).into()));
    let readings = readings::all().into_iter().filter(|reading| reading.table() == table);
    let readings = readings.map(|reading| {
        let value = reading.default.unwrap_or(reading.example);
        (
            reading.name().to_owned(),
            value.to_owned(),
            format!("{} Values: {}.", reading.means, reading.values),
        )
    });
    url.into_iter().chain(own).chain(readings).collect()
}

fn about(service: Service) -> &'static str {
    match service {
        Service::Gateway => "an inference gateway and its backing servers",
        Service::Metadata => "a token metadata service",
        Service::Network => "a node of the network",
        Service::Hosting => "the records that a hosting application keeps there",
        Service::Publish => "a signed publishing exchange",
        Service::Drop => "an anonymous drop",
    }
}

/// The product names that the documents neutralise, with the documents' values as defaults.
fn dialect(text: &mut String) {
    prose(text, "The target's own names where the documents use neutral ones (svc, chain).");
    text.push_str("[dialect]\n");
    let written = toml::Table::try_from(Dialect::default()).expect("a dialect is a table of strings");
    for (name, value) in &written {
        line(text, false, name, &value.to_string());
    }
    text.push('\n');
}

fn transport(text: &mut String) {
    prose(
        text,
        "How requests are sent: http = \"1.1\", \"2\" or \"auto\"; answer_seconds is the minimum time limit for a response.",
    );
    text.push_str("[transport]\n");
    let written = toml::Table::try_from(Transport::default()).expect("settings are a table");
    line(text, false, "http", "\"1.1\"");
    for (name, value) in written.iter().filter(|(name, _)| *name != "http") {
        line(text, false, name, &value.to_string());
    }
    prose(
        text,
        "Headers of every request to the origins in this profile: a string, or where a secret is kept.",
    );
    text.push_str("[headers]\n");
    line(text, false, "X-Auth", "{ env = \"AUTH_TOKEN\" }");
    text.push('\n');
}

fn gate(text: &mut String) {
    prose(
        text,
        "How much of a service must be tested before it conforms: the percentage of the applicable checks that give a result.",
    );
    text.push_str("[gate]\n");
    line(text, false, "min_coverage", "0");
    for service in Service::ALL {
        line(text, false, service.name(), "0");
    }
    text.push('\n');
}

/// Writes comment lines. TOML allows no control characters, but a target's strings may contain them.
fn prose(text: &mut String, words: &str) {
    let is_bad = |c: char| c.is_control() && !c.is_whitespace();
    for line in textwrap(&words.replace(is_bad, "\u{fffd}"), 106) {
        text.push_str(&format!("# {line}\n"));
    }
}

fn line(text: &mut String, is_on: bool, name: &str, value: &str) {
    text.push_str(&format!("{}{name} = {value}\n", if is_on { "" } else { "#" }));
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn found(values: &[(&'static str, &str)]) -> Found {
        let values = values.iter().map(|(key, value)| (*key, (*value).to_owned())).collect();
        Found { notes: vec!["/svc/models: 2 models".to_owned()], values, ..Found::default() }
    }

    fn asked(service: Service, found: Result<Found, String>) -> SurveyResult {
        SurveyResult { service, url: format!("http://127.0.0.1:1/{}", service.name()), found }
    }

    /// The draft with every disabled key enabled.
    fn switched_on(text: &str) -> String {
        let on = |line: &str| match line.strip_prefix('#') {
            Some(key) if !key.starts_with(' ') => key.to_owned(),
            _ => line.to_owned(),
        };
        text.lines().map(on).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn found_values_are_filled_in_and_the_rest_is_a_comment() {
        let all = [
            asked(Service::Gateway, Ok(found(&[("gateway.models.chat", "\"a \\\"b\\\"\"")]))),
            asked(Service::Publish, Ok(Found::default())),
            asked(Service::Drop, Err("http://127.0.0.1:1: connection refused".to_owned())),
        ];
        let files = Profile {
            ca_file: Some("a \"b\".pem".into()),
            client_certificate: Some("/c.pem".into()),
            client_key: Some(Secret::File("/c.key".into())),
            ..Profile::default()
        };
        let draft = Draft {
            asked: &all,
            sites: BTreeMap::from([("chain".to_owned(), "http://127.0.0.1:3".to_owned())]),
            control: Some("http://127.0.0.1:2/_sim/v1"),
            files: Some(&files),
            gateway_key_env: Some("KEY"),
            control_token_env: Some("TOKEN"),
            ..Draft::default()
        };
        let text = draft.text();
        let profile = Profile::parse(&text, "p.toml").unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(profile.control.as_deref(), Some("http://127.0.0.1:2/_sim/v1"));
        assert_eq!(profile.control_token, Some(Secret::Env("TOKEN".to_owned())));
        assert_eq!(profile.ca_file, files.ca_file);
        assert_eq!(profile.client_certificate, files.client_certificate);
        assert_eq!(profile.client_key, files.client_key);
        let gateway = profile.gateway.expect("it was reached");
        assert_eq!(gateway.models.chat.as_deref(), Some("a \"b\""));
        assert_eq!(gateway.key, Some(Secret::Env("KEY".to_owned())));
        assert_eq!(gateway.models.tools, None);
        let publish = profile.publish.expect("it was reached");
        assert_eq!(publish.chain_url.as_deref(), Some("http://127.0.0.1:3"));
        assert_eq!((publish.url.as_str(), publish.domains.len()), ("http://127.0.0.1:1/publish", 0));
        assert!(profile.drop.is_none() && profile.network.is_none() && profile.hosting.is_none());
        assert!(text.contains("# - disabled: http://127.0.0.1:1: connection refused"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
    }

    #[test]
    fn target_strings_stay_in_comments_and_compute_nodes_are_sorted() {
        let all = [asked(Service::Network, Ok(Found::default()))];
        let url = |n: usize| format!("http://127.0.0.1:{n}");
        let draft = Draft {
            asked: &all,
            control_lost: Some(("http://127.0.0.1:2", "status 500: \u{1b}[31m\u{0}\r\nseed = 2\u{7f}")),
            sites: (1..12).map(|n| (format!("compute-{n}"), url(n))).collect(),
            ..Draft::default()
        };
        let text = draft.text();
        let profile = Profile::parse(&text, "p.toml").unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(profile.seed, None);
        assert_eq!(
            profile.network.expect("it was reached").compute_urls,
            (1..12).map(url).collect::<Vec<_>>()
        );
    }

    #[test]
    fn every_key_can_be_enabled_and_none_is_missing() {
        let text = switched_on(&Draft { has_all: true, ..Draft::default() }.text());
        let profile = Profile::parse(&text, "p.toml").unwrap_or_else(|e| panic!("{e}\n{text}"));
        let table: toml::Table = text.parse().expect("TOML");
        for service in Service::ALL {
            assert!(table.contains_key(service.name()), "{}", service.name());
        }
        assert!(
            profile.drop.is_some() && profile.hosting.is_some_and(|hosting| hosting.wallet_key.is_some())
        );
        // The errors for unknown keys list every key of a profile.
        let mut tables: Vec<String> = vec![String::new()];
        for service in Service::ALL {
            tables.push(service.name().to_owned());
            let inner = table[service.name()].as_table().expect("a table").iter();
            let inner =
                inner.filter(|(name, value)| value.is_table() && !SECRET_OR_SWITCH.contains(&name.as_str()));
            tables.extend(inner.map(|(name, _)| format!("{}.{name}", service.name())));
        }
        for place in tables {
            let header = if place.is_empty() { String::new() } else { format!("[{place}]\n") };
            let error =
                Profile::parse(&format!("{header}qqqqqqqqqqqqqqqqqq = 1"), "p.toml").expect_err("unknown");
            let error = error.to_string();
            let (_, known) = error.split_once("known here: ").unwrap_or_else(|| panic!("{place}: {error}"));
            let known: BTreeSet<&str> = known.lines().next().unwrap_or_default().split(", ").collect();
            let inner = place.split('.').filter(|part| !part.is_empty());
            let value = inner.fold(toml::Value::Table(table.clone()), |value, part| value[part].clone());
            let drafted: BTreeSet<&str> =
                value.as_table().expect("a table").keys().map(String::as_str).collect();
            let missing: Vec<_> = known.difference(&drafted).collect();
            assert!(missing.is_empty(), "{place}: {missing:?} are missing from the draft");
        }
    }

    const SECRET_OR_SWITCH: [&str; 8] = [
        "payment",
        "owner_key",
        "key",
        "second_key",
        "revoked_key",
        "wallet_key",
        "endpoints",
        "control_token",
    ];
}
