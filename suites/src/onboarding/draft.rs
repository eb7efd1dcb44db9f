//! Writes a draft profile: detected values are filled in, every other key is a comment with its default.
//!
//! A line that begins with `#` and a letter is a disabled key; in a comment a space follows the `#`.

use assay_spec::{Dialect, Service};
use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::documents::readings::textwrap;
use crate::harness::suite::Suite;
use crate::harness::survey::{Found, SurveyResult};
use crate::profile::{self, Profile, Secret, Transport};
use crate::services::SUITES;

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
    /// Environment variables that hold secrets, by profile key.
    pub secrets: BTreeMap<&'static str, &'d str>,
    /// The environment variable that holds the control API's token.
    pub control_token_env: Option<&'d str>,
    /// Every table and key is written, not only those of the surveyed services.
    pub has_all: bool,
    /// Base URLs of further sites, by site name: `chain`, `network-alt`, `compute-1`.
    pub sites: BTreeMap<String, String>,
}

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
        for suite in SUITES.iter() {
            if self.has_all || self.asked.iter().any(|asked| asked.service == suite.service) {
                self.service(suite, &mut text);
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

    fn service(&self, suite: &Suite, text: &mut String) {
        let service = suite.service;
        let asked = self.asked.iter().find(|asked| asked.service == service);
        let found = asked.and_then(|asked| asked.found.as_ref().ok());
        let name = service.name();
        prose(text, &format!("{name}: {}", suite.about));
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
        let values = self.values(suite, asked, found);
        let tables = ["", ".endpoints", ".models", ".fixtures", ".readings", ".limits"];
        for table in tables.map(|part| format!("{name}{part}")) {
            let mut keys = keys(suite, &table);
            // Readings have defaults; without a value they only fill the page.
            let is_fixture = ![".endpoints", ".readings"].iter().any(|part| table.ends_with(part));
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
        suite: &Suite,
        asked: Option<&SurveyResult>,
        found: Option<&Found>,
    ) -> BTreeMap<String, String> {
        let literal = |text: &str| toml::Value::from(text).to_string();
        let known = found.into_iter().flat_map(|found| &found.values);
        let mut values: BTreeMap<String, String> =
            known.map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
        let url = asked.map_or(NOWHERE, |asked| asked.url.as_str());
        values.insert(format!("{}.url", suite.service.name()), literal(url));
        for (key, name) in &self.secrets {
            values.insert((*key).to_owned(), format!("{{ env = {} }}", literal(name)));
        }
        for (site, key) in suite.sites.keys {
            match site.strip_suffix('*') {
                None => values.extend(self.sites.get(*site).map(|url| ((*key).to_owned(), literal(url)))),
                Some(prefix) => values.extend(self.numbered(prefix).map(|urls| ((*key).to_owned(), urls))),
            }
        }
        values
    }

    /// The URLs of numbered sites, as a TOML array.
    fn numbered(&self, prefix: &str) -> Option<String> {
        let numbered = self.sites.iter().filter_map(|(name, url)| Some((name.strip_prefix(prefix)?, url)));
        let mut numbered: Vec<(&str, &String)> = numbered.collect();
        // Sort by number (10 after 2); names without a number come last.
        numbered.sort_by_key(|(number, _)| number.parse().unwrap_or(u64::MAX));
        let urls: Vec<toml::Value> = numbered.into_iter().map(|(_, url)| url.as_str().into()).collect();
        (!urls.is_empty()).then(|| toml::Value::Array(urls).to_string())
    }
}

/// The keys of a table: name, default or example, and purpose.
fn keys(suite: &Suite, table: &str) -> Vec<(String, String, String)> {
    let url = (!table.contains('.')).then(|| ("url".to_owned(), String::new(), String::new()));
    let own = profile::keys().filter(|key| key.table == table && !key.example.is_empty());
    let own = own.map(|key| (key.name.into(), key.example.into(), key.about()));
    let readings = suite.readings.iter().filter(|reading| reading.table() == table);
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
        "How much of a service must be tested before it conforms: the percentage of the applicable checks that give a result. fail_on = \"should\" also fails for warnings, \"inconclusive\" for every inconclusive check.",
    );
    text.push_str("[gate]\n");
    line(text, false, "min_coverage", "0");
    line(text, false, "fail_on", "\"must\"");
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
        SurveyResult {
            service,
            is_recognizable: true,
            url: format!("http://127.0.0.1:1/{}", service.name()),
            found,
        }
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
            secrets: BTreeMap::from([("gateway.key", "KEY")]),
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
            // An alias is known, and not drafted.
            let missing: Vec<_> = known.difference(&drafted).filter(|key| **key != "payment").collect();
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
