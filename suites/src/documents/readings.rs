//! The readings of ambiguous sentences that a profile can declare: what each means for the checks, and which checks are
//! skipped without it. `assay readings`, the comments of a new profile and `assay doctor` use this one table.

use assay_spec::{Id, Service};
use serde_json::{Value, json};

use crate::profile::Profile;

/// One reading.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// Its key, such as `drop.readings.hamt_size`.
    pub key: &'static str,
    /// Its possible values, in words.
    pub values: &'static str,
    /// Its default, as TOML; `None` means undeclared.
    pub default: Option<&'static str>,
    /// Another valid value, as TOML.
    pub example: &'static str,
    /// An invalid value, as TOML.
    pub wrong: &'static str,
    /// Its meaning for checks, in one or two sentences.
    pub means: &'static str,
    /// The rows with the ambiguous sentences; the first one's source is the reading's source.
    pub rows: &'static [Id],
    /// The rows whose checks are skipped by default, because the documents do not require them.
    pub silent: &'static [Id],
}

impl Reading {
    /// The service that it belongs to.
    pub fn service(&self) -> Service {
        let name = self.key.split('.').next().unwrap_or_default();
        Service::named(name).expect("a test checks that each key starts with a service's name")
    }

    /// The last part of the key.
    pub fn name(&self) -> &'static str {
        self.key.rsplit('.').next().unwrap_or(self.key)
    }

    /// The table of the key, such as `drop.readings`.
    pub fn table(&self) -> &'static str {
        self.key.rsplit_once('.').map_or("", |(table, _)| table)
    }

    /// The document and the sections of the sentence.
    pub fn source(&self) -> String {
        self.rows.first().map(|row| row.source()).unwrap_or_default()
    }

    /// Whether a profile declares another value than the default.
    pub fn is_declared(&self, profile: &Profile) -> bool {
        // TOML integers have 63 bits, so a seed may not fit; it is not a reading.
        let written = Profile { seed: None, ..profile.clone() }.to_toml();
        let Ok(written) = written.parse::<toml::Table>() else { return false };
        let written = toml::Value::Table(written);
        let found = self.key.split('.').try_fold(&written, |value, part| value.get(part));
        let default = self.default.map(|text| format!("v = {text}")).and_then(|text| {
            let table: Option<toml::Table> = text.parse().ok();
            table?.remove("v")
        });
        found.is_some_and(|found| Some(found) != default.as_ref())
    }
}

/// The readings as text, one block each.
pub fn table(readings: &[&Reading]) -> String {
    let mut text = String::new();
    for reading in readings {
        let default = reading.default.unwrap_or("undeclared");
        text.push_str(&format!("{} = {} (default: {default})\n", reading.key, reading.values));
        for line in textwrap(reading.means, 104) {
            text.push_str(&format!("    {line}\n"));
        }
        text.push_str(&format!("    source: {}\n", reading.source()));
        for (label, rows) in [("about", reading.rows), ("skipped by default", reading.silent)] {
            let ids: Vec<String> = rows.iter().map(ToString::to_string).collect();
            for (n, line) in textwrap(&ids.join(", "), 84).iter().enumerate() {
                let label = if n == 0 { format!("{label}:") } else { String::new() };
                text.push_str(&format!("    {label:<20}{line}\n"));
            }
        }
        text.push('\n');
    }
    text
}

/// The readings as JSON: an array of objects.
pub fn json(readings: &[&Reading]) -> Value {
    let ids = |rows: &[Id]| rows.iter().map(ToString::to_string).collect::<Vec<_>>();
    readings
        .iter()
        .map(|reading| {
            json!({
                "key": reading.key,
                "values": reading.values,
                "default": reading.default,
                "example": reading.example,
                "means": reading.means,
                "source": reading.source(),
                "requirements": ids(reading.rows),
                "silent": ids(reading.silent),
            })
        })
        .collect()
}

/// Wraps a string at spaces into lines of at most `width` characters.
pub(crate) fn textwrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::profile::{
        DropReadings, GatewayReadings, HostingReadings, MemoLogForm, MetadataReadings, MetricsBase,
        NetworkReadings, PublishReadings, TombstoneForm,
    };
    use crate::services::{self, SUITES};

    /// A profile with the table of the reading and one line in it.
    fn profile(reading: &Reading, value: &str) -> String {
        let service = reading.service().name();
        let url = "url = \"http://127.0.0.1:1\"";
        let (table, name) = (reading.table(), reading.name());
        if table == service {
            format!("[{service}]\n{url}\n{name} = {value}\n")
        } else {
            format!("[{service}]\n{url}\n[{table}]\n{name} = {value}\n")
        }
    }

    fn keys<T: serde::Serialize>(service: &str, readings: T) -> Vec<String> {
        let written = toml::Value::try_from(readings).expect("a table");
        let table = written.as_table().expect("a table");
        table.keys().map(|key| format!("{service}.readings.{key}")).collect()
    }

    #[test]
    fn every_field_of_readings_is_described() {
        // Optional fields are set here so that each one is serialized; a new field does not compile without this.
        let gateway = GatewayReadings::default();
        let metadata = MetadataReadings { interface_path: Some("/openapi.json".to_owned()) };
        let NetworkReadings { signing_scheme, aggregate_write, .. } =
            Profile::parse(
                "[network]\nurl = \"http://a\"\n[network.readings]\nsigning_scheme = \"either\"\naggregate_write = \"merged\"",
                "p.toml",
            )
            .expect("a profile")
            .network
            .expect("the table")
            .readings;
        let network = NetworkReadings {
            signing_scheme,
            aggregate_write,
            verifies_signatures: true,
            enforces_security: true,
            first_page: 1,
            forget_settle_seconds: 1,
            metrics_content_type: NetworkReadings::default().metrics_content_type,
            metrics_base: Some(MetricsBase::Primary),
        };
        let hosting = HostingReadings {
            project_entry_schema: Some(1),
            ecies_nonce_len: 16,
            tombstone_form: Some(TombstoneForm::Literal),
            derivation_lines: Some(["a", "b", "c", "d"].map(str::to_owned)),
        };
        let publish =
            PublishReadings { memo_log_form: Some(MemoLogForm::Plain), ..PublishReadings::default() };
        let fields: BTreeSet<String> = [
            keys("gateway", gateway),
            keys("metadata", metadata),
            keys("network", network),
            keys("hosting", hosting),
            keys("publish", publish),
            keys("drop", DropReadings::default()),
        ]
        .into_iter()
        .flatten()
        .collect();
        let described = SUITES.readings(&[]).into_iter().map(|reading| reading.key.to_owned());
        let described: BTreeSet<String> = described.filter(|key| key.contains(".readings.")).collect();
        assert_eq!(described, fields);
    }

    #[test]
    fn a_profile_accepts_each_value_and_rejects_others_with_their_position() {
        for reading in SUITES.readings(&[]) {
            let key = reading.key;
            for value in [reading.default, Some(reading.example)].into_iter().flatten() {
                let text = profile(reading, value);
                let parsed =
                    Profile::parse(&text, "p.toml").unwrap_or_else(|e| panic!("{key} = {value}: {e}"));
                assert_eq!(reading.is_declared(&parsed), Some(value) != reading.default, "{key} = {value}");
            }
            let text = profile(reading, reading.wrong);
            let wrong = Profile::parse(&text, "p.toml").expect_err(key).to_string();
            let line = text.lines().count();
            assert!(wrong.starts_with(&format!("p.toml:{line}:")) && wrong.contains(key), "{key}: {wrong}");
        }
    }

    #[test]
    fn missing_keys_have_their_defaults() {
        for reading in SUITES.readings(&[]) {
            let service = reading.service().name();
            let text = format!("[{service}]\nurl = \"http://127.0.0.1:1\"\n");
            let profile = Profile::parse(&text, "p.toml").expect("a profile");
            assert!(!reading.is_declared(&profile), "{}", reading.key);
            // With another reading declared, the whole table is parsed.
            for other in
                SUITES.readings(&[reading.service()]).into_iter().filter(|other| other.key != reading.key)
            {
                let text = super::tests::profile(other, other.example);
                let profile = Profile::parse(&text, "p.toml").expect("a profile");
                assert!(!reading.is_declared(&profile), "{} beside {}", reading.key, other.key);
            }
        }
    }

    #[test]
    fn rows_are_of_the_service_and_have_checks() {
        let checked: BTreeSet<u32> = services::checks().iter().map(|check| check.requirement.key).collect();
        for reading in SUITES.readings(&[]) {
            assert!(!reading.rows.is_empty(), "{} has a source", reading.key);
            for row in reading.rows.iter().chain(reading.silent) {
                assert_eq!(row.service, reading.service(), "{}: {row}", reading.key);
            }
            for row in reading.silent {
                assert!(checked.contains(&row.key), "{}: {row} has no check", reading.key);
            }
            let sentences = reading.means.matches(". ").count() + 1;
            assert!(sentences <= 2 && reading.means.ends_with('.'), "{}", reading.key);
        }
    }

    #[test]
    fn the_text_names_all_that_a_reader_needs() {
        let text = table(&SUITES.readings(&[Service::Drop]));
        insta::assert_snapshot!(text);
        assert!(text.lines().all(|line| line.chars().count() <= 110));
    }
}
