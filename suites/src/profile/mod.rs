//! The profile of a target: URLs, secrets, fixtures and readings, as TOML.
//!
//! Everything in a profile is checked when it is read, so that nothing is sent on a misspelt word; each error shows
//! the place it is about. A secret is only named here, never written.

mod drop;
mod endpoints;
mod gate;
mod gateway;
mod hosting;
mod key;
mod metadata;
mod network;
mod publish;
mod secret;
mod transport;
mod wrong;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use assay_spec::Dialect;
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::support::files;

pub use drop::{Drop, DropLimits, DropReadings, HamtSize};
pub use endpoints::{EndpointName, Endpoints, GatewayApi, Listing, NodeApi};
pub use gate::{FailOn, Gate, Percent};
pub use gateway::{
    Detail, Gateway, GatewayLimits, GatewayModels, GatewayReadings, IdPath, Payments, VERSION,
};
pub use hosting::{Hosting, HostingReadings, TombstoneForm};
pub use key::Key;
use key::Section;
pub use metadata::{Metadata, MetadataContract, MetadataLimits, MetadataReadings};
pub use network::{
    AggregateWrite, FORGET_SETTLE_SECONDS, MetricsBase, MetricsType, Network, NetworkFixtures, NetworkLimits,
    NetworkReadings, SigningScheme,
};
pub use publish::{EscapeProfile, MemoLogForm, Publish, PublishLimits, PublishReadings};
pub(crate) use secret::is_in_header;
pub use secret::{HeaderSecret, Secret, SecretError, Secrets};
pub use transport::{HeaderText, Transport};
pub use wrong::{ProfileError, Source, Wrong};

macro_rules! sections {
    ($(($module:ident $variant:ident $document:literal))*) => {
        /// A profile as written in its file.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Profile {
            /// The seed of everything the run draws; none means that the run picks one and prints it.
            pub seed: Option<u64>,
            /// The target's own words for what the documents neutralise.
            #[serde(default, skip_serializing_if = "is_default")]
            pub dialect: Dialect,
            /// Certificates (PEM) of authorities that the target's https servers may name, besides those that this machine
            /// trusts; a relative path starts at the profile's folder.
            pub ca_file: Option<PathBuf>,
            /// The certificate (PEM, with its chain) that this client shows to the target's https servers that ask for one.
            pub client_certificate: Option<PathBuf>,
            /// The key of that certificate (PEM).
            pub client_key: Option<Secret>,
            /// How requests go out.
            #[serde(default, skip_serializing_if = "is_default")]
            pub transport: Transport,
            /// Headers of every request to the target's own sites, by name; checks' own headers of the same name go before.
            #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
            pub headers: BTreeMap<String, HeaderText>,
            /// How much must be tested before the target conforms.
            #[serde(default, skip_serializing_if = "is_default")]
            pub gate: Gate,
            /// Base URL of a control API, without a trailing slash.
            #[serde(default, deserialize_with = "optional_base_url")]
            pub control: Option<String>,
            /// The bearer token of the control API.
            pub control_token: Option<Secret>,
            $(
                #[doc = concat!("`", stringify!($module), "`; none means that it is not tested.")]
                pub $module: Option<$variant>,
            )*
        }

        /// The keys of the services' tables.
        pub fn keys() -> impl Iterator<Item = &'static Key> {
            [$(<$variant as Section>::KEYS),*].into_iter().flatten().copied().flatten()
        }

        /// The keys whose values are tables.
        fn tables() -> impl Iterator<Item = &'static str> {
            let services = [$(<$variant as Section>::TABLES),*].into_iter().flatten();
            ["dialect", "transport", "headers", "gate"].into_iter().chain(services.copied())
        }

        /// The keys whose values are arrays of tables.
        fn arrays() -> impl Iterator<Item = &'static str> {
            [$(<$variant as Section>::ARRAYS),*].into_iter().flatten().copied()
        }

        fn wrong_section(profile: &DeTable<'_>) -> Option<(&'static str, Range<usize>)> {
            [$(<$variant as Section>::wrong),*].into_iter().find_map(|wrong| wrong(profile))
        }
    };
}

assay_spec::for_each_service!(sections);

/// A profile and where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The profile.
    pub profile: Profile,
    /// The folder of its file: where relative paths start.
    pub folder: PathBuf,
    /// Its text, for errors that come to light behind reading it.
    pub source: Source,
}

impl Profile {
    /// Reads and checks the profile at `path`.
    pub fn load(path: &Path) -> Result<Loaded, ProfileError> {
        let file = path.display().to_string();
        if path.try_exists().is_ok_and(|exists| !exists) {
            return Err(ProfileError::Missing(file));
        }
        let text = files::read_text(path, "a profile", files::CONFIGURATION_BYTES)
            .map_err(|e| ProfileError::Unreadable { file: file.clone(), why: e.why })?;
        Profile::of_text(text, file, path.parent().unwrap_or(Path::new("")))
    }

    /// Reads and checks a profile's text; `file` is its name in errors, and relative paths start at `folder`.
    pub fn of_text(text: String, file: String, folder: &Path) -> Result<Loaded, ProfileError> {
        let profile = Profile::parse(&text, &file)?;
        Ok(Loaded { profile, folder: folder.to_owned(), source: Source::new(file, text) })
    }

    /// Reads and checks a profile's text; `file` is its name in errors.
    pub fn parse(text: &str, file: &str) -> Result<Profile, ProfileError> {
        let (table, broken) = DeTable::parse_recoverable(text);
        let table = table.get_ref();
        let wrong = |message: (&str, bool), span: Range<usize>| {
            ProfileError::Wrong(Box::new(Wrong::in_text(text, file, table, message, span)))
        };
        if broken.is_empty()
            && let Some((message, span)) = wrong_form(table)
        {
            return Err(wrong((&message, false), span));
        }
        let profile: Profile = toml::from_str(text)
            .map_err(|e| wrong((e.message(), broken.is_empty()), e.span().unwrap_or_default()))?;
        match wrong_text(table) {
            Some((message, span)) => Err(wrong((message, true), span)),
            None => Ok(profile),
        }
    }

    /// The secrets that the profile names, by their keys, in its order; those in headers are apart.
    pub fn secrets(&self) -> Vec<(String, Secret)> {
        let written = toml::Table::try_from(self).expect("a profile has a TOML form");
        let at = |path: &str| {
            let (mut parts, first) = (path.split('.'), written.get(path.split('.').next()?)?);
            parts.next();
            parts.try_fold(first, |value, part| value.get(part))
        };
        let secret = |value: &toml::Value| Secret::deserialize(value.clone()).ok();
        let all =
            secret_keys().filter_map(|key| Some((at(&key)?, key))).flat_map(|(value, key)| match value {
                toml::Value::Array(values) => {
                    let one = |(n, value)| Some((format!("{key}[{n}]"), secret(value)?));
                    values.iter().enumerate().filter_map(one).collect()
                }
                value => Vec::from_iter(secret(value).map(|secret| (key, secret))),
            });
        all.collect()
    }

    /// The secrets in headers of every request, by keys such as `headers.X-Auth`.
    pub(crate) fn header_secrets(&self) -> impl Iterator<Item = (String, &Secret)> {
        self.headers.iter().filter_map(|(name, text)| match text {
            HeaderText::Secret(secret) => Some((format!("headers.{name}"), secret)),
            HeaderText::Plain(_) => None,
        })
    }

    /// The keys that make a run read something outside the profile: secrets, files and what a command prints.
    pub fn reads(&self) -> impl Iterator<Item = String> {
        let files = [("ca_file", &self.ca_file), ("client_certificate", &self.client_certificate)];
        let files = files.into_iter().filter(|(_, file)| file.is_some()).map(|(key, _)| key);
        let secrets = self.secrets().into_iter().map(|(key, _)| key);
        let payments = self.gateway.as_ref().and_then(|gateway| gateway.payments.as_ref());
        let command = payments.filter(|payments| matches!(payments, Payments::Command { .. }));
        let secrets = secrets.chain(command.map(|_| "gateway.payments".to_owned()));
        files.map(str::to_owned).chain(secrets).chain(self.header_secrets().map(|(key, _)| key))
    }

    /// The profile as TOML that [`Profile::parse`] reads back.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("texts, numbers and tables have a TOML form")
    }
}

/// The keys that name secrets, in the order of the profile.
fn secret_keys() -> impl Iterator<Item = String> {
    let services = keys().filter(|key| key.is_secret()).map(Key::path);
    ["client_key", "control_token"].into_iter().map(str::to_owned).chain(services)
}

/// A value that should be a table. The types would take an array of a table's values, in their order, for it.
fn wrong_form(table: &DeTable<'_>) -> Option<(String, Range<usize>)> {
    let at = |key: &str| {
        let (mut parts, mut table) = (key.split('.').peekable(), table);
        loop {
            let value = table.get(parts.next()?)?;
            match (parts.peek(), value.get_ref()) {
                (None, _) => return Some(value),
                (Some(_), DeValue::Table(inner)) => table = inner,
                (Some(_), _) => return None,
            }
        }
    };
    let is_table = |value: &Spanned<DeValue<'_>>| value.get_ref().is_table();
    let wrong = |key: &str, value: &Spanned<DeValue<'_>>| (format!("wanted a table: [{key}]"), value.span());
    let single =
        tables().find_map(|key| at(key).filter(|value| !is_table(value)).map(|value| wrong(key, value)));
    single.or_else(|| {
        arrays().find_map(|key| {
            let item = at(key)?.get_ref().as_array()?.iter().find(|item| !is_table(item))?;
            Some(wrong(&format!("[{key}]"), item))
        })
    })
}

/// What the types cannot say, checked on the table, which knows the place of each text.
fn wrong_text(table: &DeTable<'_>) -> Option<(&'static str, Range<usize>)> {
    let inner = |name: &str| table.get(name).and_then(|value| value.get_ref().as_table());
    let literals = inner("dialect").into_iter().flat_map(DeTable::values);
    let texts = |value: &Spanned<DeValue<'_>>| Some((value.get_ref().as_str()?.to_owned(), value.span()));
    let empty = literals.filter_map(texts).find(|(text, _)| text.trim().is_empty());
    let empty = empty.map(|(_, span)| ("a literal of the dialect can't be empty", span));
    empty.or_else(|| transport::wrong_header(table)).or_else(|| wrong_section(table))
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn base_url<'de, D: Deserializer<'de>>(input: D) -> Result<String, D::Error> {
    BaseUrl::deserialize(input).map(|url| url.0)
}

fn optional_base_url<'de, D: Deserializer<'de>>(input: D) -> Result<Option<String>, D::Error> {
    BaseUrl::deserialize(input).map(|url| Some(url.0))
}

fn base_urls<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<String>, D::Error> {
    let urls = Vec::<BaseUrl>::deserialize(input)?;
    Ok(urls.into_iter().map(|url| url.0).collect())
}

fn at_least_one<'de, D: Deserializer<'de>>(input: D) -> Result<u32, D::Error> {
    let count = u32::deserialize(input)?;
    if count == 0 { Err(D::Error::custom("must be 1 or more")) } else { Ok(count) }
}

fn optional_at_least_one<'de, D: Deserializer<'de>>(input: D) -> Result<Option<u32>, D::Error> {
    at_least_one(input).map(Some)
}

/// Reads a base URL as profiles hold it: without a trailing slash. An error says what is wrong with it.
pub fn parse_base_url(text: &str) -> Result<String, String> {
    BaseUrl::try_from(text.to_owned()).map(|url| url.0)
}

#[derive(Deserialize)]
#[serde(try_from = "String")]
struct BaseUrl(String);

impl TryFrom<String> for BaseUrl {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        // The URL parser ignores them, and then reports contain them.
        if text.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err("a base URL holds no white space and no control characters".into());
        }
        let is_scheme = |c: char| c.is_ascii_alphanumeric() || "+.-".contains(c);
        let (scheme, rest) = text.split_at(text.find(|c| !is_scheme(c)).unwrap_or(text.len()));
        if scheme.is_empty() || !rest.starts_with("://") {
            let host = ["http:", "https:"].iter().find_map(|start| text.strip_prefix(start));
            let host = host.unwrap_or(&text).trim_start_matches('/');
            // What precedes an `@` or follows a `?` may be a secret.
            let shown = if host.contains(['@', '?', '#']) { "\u{2026}" } else { host };
            return Err(format!("the scheme is missing: write http://{shown}"));
        }
        if !["http", "https"].contains(&scheme.to_lowercase().as_str()) {
            return Err(format!("{scheme} is not supported; write http:// or https://"));
        }
        let url = url::Url::parse(&text).map_err(|e| format!("not a URL: {e}"))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err("a base URL holds no user or password".into());
        }
        for (is_there, what, mark) in
            [(url.query().is_some(), "query", '?'), (url.fragment().is_some(), "fragment", '#')]
        {
            if is_there {
                return Err(format!("a base URL has no {what}; remove \"{mark}\u{2026}\""));
            }
        }
        Ok(BaseUrl(text.trim_end_matches('/').to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: &str = r#"
seed = 7
control = "http://127.0.0.1:4100/"
control_token = { env = "TOKEN" }

[dialect]
auth_scheme = "Key"

[publish]
url = "http://127.0.0.1:4101"
chain_url = "http://127.0.0.1:4102/rpc"
domains = ["a.example", "b.example"]
key = { file = "keys/a.hex" }
readings = { transfer_needs_cid = true }

[publish.limits]
requests_per_minute = 6

[drop]
url = "http://127.0.0.1:4103/"
forwarding_header = "X-Forwarded-For"
readings = { drop_id_len = 30, hamt_size = "block", buffered_uploads = true }
limits = { drops_per_hour = 3 }
"#;

    fn error(text: &str) -> String {
        Profile::parse(text, "p.toml").unwrap_err().to_string()
    }

    #[test]
    fn a_full_profile() {
        let profile = Profile::parse(FULL, "p.toml").unwrap();
        assert_eq!(profile.seed, Some(7));
        assert_eq!(profile.control.as_deref(), Some("http://127.0.0.1:4100"));
        assert_eq!(profile.control_token, Some(Secret::Env("TOKEN".into())));
        assert_eq!(profile.dialect, Dialect { auth_scheme: "Key".into(), ..Dialect::default() });
        let publish = profile.publish.clone().unwrap();
        assert_eq!(publish.domains, ["a.example", "b.example"]);
        assert_eq!(publish.key, Some(Secret::File("keys/a.hex".into())));
        assert!(publish.readings.transfer_needs_cid && !publish.readings.lenient_rule7);
        assert_eq!(publish.limits.requests_per_minute, Some(6));
        let drop = profile.drop.clone().unwrap();
        assert_eq!(drop.url, "http://127.0.0.1:4103");
        assert_eq!(drop.forwarding_header.as_deref(), Some("X-Forwarded-For"));
        let readings = DropReadings { drop_id_len: 30, hamt_size: HamtSize::Block, buffered_uploads: true };
        assert_eq!(drop.readings, readings);
        assert_eq!(drop.limits.drops_per_hour, 3);
    }

    #[test]
    fn what_is_written_is_read_back() {
        for text in [
            FULL,
            "",
            "seed = 18446744073709551615",
            "[publish]\nurl = \"http://[::1]:4101\"\n",
            "[drop]\nurl = \"http://a\"\n",
            "ca_file = \"p.ca.pem\"\n[publish]\nurl = \"https://a:1\"\n",
        ] {
            let profile = Profile::parse(text, "p.toml").unwrap();
            let written = profile.to_toml();
            assert_eq!(Profile::parse(&written, "p.toml").unwrap(), profile, "{written}");
        }
    }

    #[test]
    fn a_written_profile_shows_only_what_is_not_default() {
        let publish = "[publish]\nurl = \"http://127.0.0.1:4101\"\nkey = { env = \"KEY\" }\n";
        let profile = Profile::parse(publish, "p.toml").unwrap();
        insta::assert_snapshot!(profile.to_toml(), @r#"
        [publish]
        url = "http://127.0.0.1:4101"

        [publish.key]
        env = "KEY"
        "#);
    }

    #[test]
    fn errors_show_their_place() {
        let cases = [
            "sed = 1",
            "[publish]\nurl = \"http://a\"\nurll = 1",
            "[publish]\nurl = \"http://a\"\nlimits = { request_per_minute = 1 }",
            "[dialect]\nwholly_other = \"x\"",
            "[publish]\ndomains = []",
            "seed = \"x\"",
            "seed = 1\nseed = 2",
            "[publish]\n\turl = \"http:/\u{e9}/ \"x",
            "[publish]\nurl = \"127.0.0.1:4101\"",
            "[publish]\nurl = \"ftp://a.example\"",
            "ca_file = 1",
            "control = \"http://a.example/?x\"",
            "control = \"http://a.example/#x\"",
            "control = \"http://u:p@a.example/\"",
            "[publish]\nurl = \"http://a\"\nchain_url = \"nowhere\"",
            "[publish]\nurl = \"http://a\"\ndomains = [\n  \"a.example\",\n  \"B.example\",\n]",
            "[publish]\nurl = \"http://a\"\npending_transfer = \"2nBhEBYYvfa\"",
            "[publish]\nurl = \"http://a\"\n[publish.limits]\nrequests_per_minute = 0",
            "[dialect]\nauth_scheme = \" \"",
        ];
        insta::assert_snapshot!(cases.map(error).join("\n\n"), @r##"
        p.toml:1:1: sed: unknown key `sed`; did you mean `seed`?
          |
        1 | sed = …
          | ^^^

        p.toml:3:1: publish.urll: unknown key `urll`; did you mean `url`?
          |
        3 | urll = …
          | ^^^^

        p.toml:3:12: publish.limits.request_per_minute: unknown key `request_per_minute`; did you mean `requests_per_minute`?
          |
        3 | limits = { request_per_minute = …
          |            ^^^^^^^^^^^^^^^^^^

        p.toml:2:1: dialect.wholly_other: unknown key `wholly_other`; known here: discovery_prefix, version_header, confidential_scheme, channel, records_channel, retired_channel, deployment_type, vm_claim_type, bundle_kind, hosted_source, derivation_title, scoring_type, metrics_type, scoring_channel, auth_scheme, auth_prefix, record_prefix, key_scheme, txt_label, memo_program
          |
        2 | wholly_other = …
          | ^^^^^^^^^^^^

        p.toml:1:1: publish: missing field `url`
          |
        1 | [publish]
          | ^^^^^^^^^

        p.toml:1:8: seed: invalid type: string "x", expected a whole number, at most 9223372036854775807
          |
        1 | seed = "x"
          |        ^^^

        p.toml:2:1: seed: duplicate key
          |
        2 | seed = …
          | ^^^^

        p.toml:2:19: publish.url: unexpected key or value, expected newline, `#`
          |
        2 | 	url = …
          | 	       ^

        p.toml:2:7: publish.url: the scheme is missing: write http://127.0.0.1:4101
          |
        2 | url = "127.0.0.1:4101"
          |       ^^^^^^^^^^^^^^^^

        p.toml:2:7: publish.url: ftp is not supported; write http:// or https://
          |
        2 | url = "ftp://a.example"
          |       ^^^^^^^^^^^^^^^^^

        p.toml:1:11: ca_file: invalid type: integer `1`, expected path string
          |
        1 | ca_file = 1
          |           ^

        p.toml:1:11: control: a base URL has no query; remove "?…"
          |
        1 | control = …
          |           ^

        p.toml:1:11: control: a base URL has no fragment; remove "#…"
          |
        1 | control = …
          |           ^

        p.toml:1:11: control: a base URL holds no user or password
          |
        1 | control = …
          |           ^

        p.toml:3:13: publish.chain_url: the scheme is missing: write http://nowhere
          |
        3 | chain_url = "nowhere"
          |             ^^^^^^^^^

        p.toml:5:3: publish.domains[1]: not a canonical domain: two labels or more of lower-case letters, digits and hyphens
          |
        5 |   "B.example",
          |   ^^^^^^^^^^^

        p.toml:3:20: publish.pending_transfer: not a transaction signature: 64 bytes in base58
          |
        3 | pending_transfer = "2nBhEBYYvfa"
          |                    ^^^^^^^^^^^^^

        p.toml:4:23: publish.limits.requests_per_minute: must be 1 or more
          |
        4 | requests_per_minute = 0
          |                       ^

        p.toml:2:15: dialect.auth_scheme: a literal of the dialect can't be empty
          |
        2 | auth_scheme = " "
          |               ^^^
        "##);
    }

    #[test]
    fn an_inline_secret_is_refused_and_not_repeated() {
        let cases = [
            "control_token = \"hunter2\"",
            "control_token = \"hunter2",
            "control_token = hunter2",
            "control_token = { value = \"hunter2\" }",
            "control_token = { env = \"A\", file = \"hunter2\" }",
            "[publish]\nurl = \"http://a\"\nkey = \"hunter2\"",
            "publish.key = \"hunter2\"",
            "publish = { url = \"http://a\", key = \"hunter2\" }",
            "[publish]\nurl = \"http://a\"\n[publish.key]\nvalue = \"hunter2\"",
            "[publish]\nurl = \"http://a\"\nkey = ['hunter2']",
            "[publish]\nurl = \"http://a\"\nkey = 42",
        ];
        let errors = cases.map(error).join("\n\n");
        assert!(!errors.contains("hunter"), "{errors}");
        insta::assert_snapshot!(errors, @r#"
        p.toml:1:17: control_token: a secret must not be in the profile; write { env = "NAME" } or { file = "path" }
          |
        1 | control_token = …
          |                 ^

        p.toml:1:25: control_token: invalid basic string, expected `"`
          |
        1 | control_token = …
          |                  ^

        p.toml:1:17: control_token: string values must be quoted, expected literal string
          |
        1 | control_token = …
          |                 ^

        p.toml:1:17: control_token: a secret must not be in the profile; write { env = "NAME" } or { file = "path" }
          |
        1 | control_token = …
          |                 ^

        p.toml:1:17: control_token: a secret has one source: either env or file
          |
        1 | control_token = …
          |                 ^

        p.toml:3:7: publish.key: a secret must not be in the profile; write { env = "NAME" } or { file = "path" }
          |
        3 | key = …
          |       ^

        p.toml:1:15: publish.key: a secret must not be in the profile; write { env = "NAME" } or { file = "path" }
          |
        1 | publish.key = …
          |               ^

        p.toml:1:37: publish.key: a secret must not be in the profile; write { env = "NAME" } or { file = "path" }
          |
        1 | publish = …
          |            ^

        p.toml:3:1: publish.key: a secret must not be in the profile; write { env = "NAME" } or { file = "path" }
          |
        3 | [publish.key]
          | ^^^^^^^^^^^^^

        p.toml:3:7: publish.key: invalid type: sequence, expected { env = "NAME" } or { file = "path" }
          |
        3 | key = …
          |       ^

        p.toml:3:7: publish.key: a secret must not be in the profile; write { env = "NAME" } or { file = "path" }
          |
        3 | key = …
          |       ^
        "#);
    }

    #[test]
    fn what_may_be_a_secret_out_of_its_place_is_not_repeated() {
        let gateway = "[gateway]\nurl = \"http://a\"\n";
        for (text, words) in [
            ("control_tokn = \"hunter2\"".to_owned(), "did you mean `control_token`?"),
            ("control_tokn = \"hunter2\"".to_owned(), "1 | control_tokn = \u{2026}"),
            (format!("{gateway}api_key = \"hunter2\""), "3 | api_key = \u{2026}"),
            ("gateway = { url = \"http://hunter2\", zzz = 1 }".to_owned(), "1 | gateway = \u{2026}"),
            (
                "gateway = { limits = { answer_seconds = 0 }, key = \"hunter2\" }".to_owned(),
                "1 | gateway = \u{2026}",
            ),
            ("[gatway]\nkey = \"hunter2\"".to_owned(), "1 | [gatway]"),
            (format!("{gateway}key = \"\"\"\nhunter2\u{1}\"\"\""), "p.toml:"),
            (format!("{gateway}key = \"\"\"\nab=hunter2\u{1}\"\"\""), "p.toml:"),
            (format!("{gateway}key = [\n hunter2"), "p.toml:"),
            (format!("{gateway}key: \"hunter2\""), "3 | key: \u{2026}"),
            ("hunter2".to_owned(), "1 | \u{2026}"),
            ("[gateway]\nurl = \"http://a\" key = \"hunter2\"".to_owned(), "2 | url = \u{2026}"),
            ("[gateway]\nurl = \"http://u:hunter2@a\"".to_owned(), "gateway.url: a base URL holds no user"),
            ("[gateway]\nurl = \"http://a/?api_key=hunter2\"".to_owned(), "2 | url = \u{2026}"),
            (
                "[network]\nurl = \"http://a\"\ncompute_urls = [\"http://u:hunter2@a\"]".to_owned(),
                "compute_urls = \u{2026}",
            ),
            (format!("{gateway}key = 123456789012345678901"), "gateway.key: a secret must not be in"),
            (format!("{gateway}key = 1.5"), "gateway.key: a secret must not be in"),
        ] {
            let said = error(&text);
            assert!(said.contains(words), "{words}: {said}");
            let hidden = ["hunter2", "u:h", "1234567890", "1.5", "\u{1}"];
            assert!(!hidden.iter().any(|hidden| said.contains(hidden)), "{said}");
        }
        // A terminal would act on it.
        assert!(error("\"a\\u001b[2J\" = 1").contains("unknown key `a\\u{1b}[2J`"));
    }

    #[test]
    fn an_array_is_no_table() {
        for table in tables() {
            let text = match table.split_once('.') {
                Some((parent, name)) => format!("[{parent}]\nurl = \"http://a\"\n{name} = [3]"),
                None => format!("{table} = [\"http://127.0.0.1:4718\"]"),
            };
            let said = error(&text);
            assert!(said.contains(&format!(": {table}: wanted a table: [{table}]")), "{said}");
        }
        let metadata = "[metadata]\nurl = \"http://a\"\n";
        for (text, words) in [
            (
                "[[gateway]]\nurl = \"http://a\"".to_owned(),
                "p.toml:1:1: gateway[0]: wanted a table: [gateway]",
            ),
            ("drop = 3".to_owned(), "p.toml:1:8: drop: wanted a table: [drop]"),
            (
                format!("{metadata}contracts = [[\"bafy\"]]"),
                "p.toml:3:14: metadata.contracts[0]: wanted a table",
            ),
            (format!("{metadata}contracts = 3"), "metadata.contracts: invalid type"),
        ] {
            let said = error(&text);
            assert!(said.contains(words), "{said}");
        }
    }

    #[test]
    fn a_url_holds_nothing_that_breaks_a_line() {
        for url in [
            " http://a/ ",
            "http://a\\n",
            "http://a\\u0000",
            "http://a/b c",
            "http://a\\u0085",
            "ht\\ttp://a",
        ] {
            let said = error(&format!("[publish]\nurl = \"{url}\""));
            assert!(said.contains("p.toml:2:7: publish.url: a base URL holds no white space"), "{said}");
        }
        assert!(
            error("[network]\nurl = \"http://a\"\ncompute_urls = [\"http://a\\n\"]")
                .contains("no white space")
        );
        assert!(parse_base_url(" http://a").is_err());
    }

    #[test]
    fn a_profile_knows_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.toml");
        let missing = Profile::load(&path).unwrap_err();
        assert!(missing.to_string().ends_with(" does not exist; assay init writes a first one"), "{missing}");
        std::fs::write(&path, FULL).unwrap();
        assert_eq!(Profile::load(&path).unwrap().folder, folder.path());
        std::fs::write(&path, "sed = 1").unwrap();
        let wrong = Profile::load(&path).unwrap_err().to_string();
        assert!(wrong.starts_with(&format!("{}:1:1: sed: ", path.display())), "{wrong}");
    }
}
