//! How a target is reached: protocol, limits, headers of every request, and the client's certificate.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use toml::de::{DeTable, DeValue};

use super::{Profile, Secret, is_default};
use crate::target::Sockets;
use crate::tls::{Identity, Trust};
use crate::transport::{ExtraHeader, Http};

/// The longest that an answer may be given at least, in seconds.
const LONGEST: u32 = 3600;
/// Headers that belong to a connection or a body, or that checks are about.
const NOT_EXTRA: [&str; 11] = [
    "accept-encoding",
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "transfer-encoding",
    "upgrade",
];

/// How requests go out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Transport {
    /// The HTTP that is spoken: `1.1`, `2` or `auto`.
    #[serde(skip_serializing_if = "is_default")]
    pub http: Http,
    /// How long an answer may take at least, in seconds; more where the target is far away or a check says so.
    #[serde(deserialize_with = "seconds")]
    pub answer_seconds: u32,
}

impl Default for Transport {
    fn default() -> Self {
        Transport { http: Http::One, answer_seconds: 15 }
    }
}

/// The value of a header: as it stands, or where it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum HeaderText {
    /// Reports may show it.
    Plain(String),
    /// No report shows it.
    Secret(Secret),
}

/// By hand, since a derived reader would not say what is wrong with a secret.
impl<'de> Deserialize<'de> for HeaderText {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_any(HeaderVisitor)
    }
}

struct HeaderVisitor;

impl<'de> Visitor<'de> for HeaderVisitor {
    type Value = HeaderText;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a text, { env = \"NAME\" } or { file = \"path\" }")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<HeaderText, E> {
        Ok(HeaderText::Plain(text.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<HeaderText, A::Error> {
        Secret::deserialize(MapAccessDeserializer::new(map)).map(HeaderText::Secret)
    }
}

fn seconds<'de, D: Deserializer<'de>>(input: D) -> Result<u32, D::Error> {
    let seconds = u32::deserialize(input)?;
    if (1..=LONGEST).contains(&seconds) { Ok(seconds) } else { Err(D::Error::custom("must be 1 to 3600")) }
}

/// What is wrong with a name or a plain value of `[headers]`, and where.
pub(super) fn wrong_header(table: &DeTable<'_>) -> Option<(&'static str, Range<usize>)> {
    let headers = table.get("headers")?.get_ref().as_table()?;
    headers.iter().find_map(|(name, value)| {
        let wrong_value = match value.get_ref() {
            DeValue::String(text) => wrong_value(text).map(|why| (why, value.span())),
            _ => None,
        };
        wrong_name(name.get_ref()).map(|why| (why, name.span())).or(wrong_value)
    })
}

fn wrong_name(name: &str) -> Option<&'static str> {
    if http::HeaderName::from_bytes(name.as_bytes()).is_err() {
        return Some("no name of a header");
    }
    let is_other = NOT_EXTRA.iter().any(|other| name.eq_ignore_ascii_case(other));
    is_other
        .then_some("a header that belongs to the connection or to what checks send; it can't be set for all")
}

fn wrong_value(value: &str) -> Option<&'static str> {
    let is_text = value.chars().all(|c| matches!(c, ' '..='~'));
    let is_bare = value.trim() == value && !value.is_empty();
    (!is_text || !is_bare)
        .then_some("no value of a header: visible ASCII characters, with spaces only between them")
}

impl Profile {
    /// Whom connections to the target trust, and who connects; `folder` is the profile's. An error names the file.
    pub fn trust(&self, folder: &Path) -> Result<Trust, String> {
        let trust = match &self.ca_file {
            Some(path) => Trust::with_file(&folder.join(path))?,
            None => Trust::default(),
        };
        let (path, key) = match (&self.client_certificate, &self.client_key) {
            (Some(path), Some(key)) => (folder.join(path), key),
            (None, None) => return Ok(trust),
            (Some(_), None) => return Err("client_certificate needs client_key".to_owned()),
            (None, Some(_)) => return Err("client_key needs client_certificate".to_owned()),
        };
        let text = key.read(folder).map_err(|e| format!("client_key: {e}"))?;
        let place = match key {
            Secret::Env(name) => format!("client_key (environment variable {name})"),
            Secret::File(path) => format!("client_key ({})", folder.join(path).display()),
        };
        Ok(trust.with_identity(Identity::read(&path, &format!("{text}\n"), &place)?))
    }

    /// How the target is reached; `folder` is the profile's.
    pub fn sockets(&self, folder: &Path) -> Result<Sockets, String> {
        let Transport { http, answer_seconds } = self.transport;
        let headers = extra_headers(&self.headers, folder)?;
        let floor = Duration::from_secs(answer_seconds.into());
        let transport = crate::transport::Transport::new(http, floor, headers);
        Ok(Sockets { trust: self.trust(folder)?, transport: Arc::new(transport), ..Sockets::default() })
    }
}

fn extra_headers(headers: &BTreeMap<String, HeaderText>, folder: &Path) -> Result<Vec<ExtraHeader>, String> {
    let read = |(name, text): (&String, &HeaderText)| {
        let (value, is_secret) = match text {
            HeaderText::Plain(text) => (text.clone(), false),
            HeaderText::Secret(secret) => {
                (secret.read(folder).map_err(|e| format!("headers.{name}: {e}"))?, true)
            }
        };
        match wrong_value(&value) {
            Some(why) => Err(format!("headers.{name}: {why}")),
            None => Ok(ExtraHeader { name: name.clone(), value, is_secret }),
        }
    };
    headers.iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Profile::parse(text, "p.toml").unwrap_err().to_string()
    }

    #[test]
    fn everything_is_read_and_written_back() {
        let text = "client_certificate = \"c.pem\"\nclient_key = { file = \"c.key\" }\n\
                    [transport]\nhttp = \"auto\"\nanswer_seconds = 40\n\
                    [headers]\nX-Gate = { env = \"GATE\" }\nX-Team = \"assay\"\n";
        let profile = Profile::parse(text, "p.toml").unwrap();
        assert_eq!(profile.transport, Transport { http: Http::Auto, answer_seconds: 40 });
        assert_eq!(profile.headers["X-Gate"], HeaderText::Secret(Secret::Env("GATE".into())));
        assert_eq!(profile.headers["X-Team"], HeaderText::Plain("assay".into()));
        assert_eq!(Profile::parse(&profile.to_toml(), "p.toml"), Ok(profile));
        assert_eq!(Profile::default().to_toml(), "");
    }

    #[test]
    fn each_error_names_its_place() {
        for (text, words) in [
            ("[transport]\nhttp = \"3\"", "p.toml:2:8: transport.http: "),
            ("[transport]\nanswer_seconds = 0", "transport.answer_seconds: must be 1 to 3600"),
            ("[transport]\nanswer_second = 9", "did you mean `answer_seconds`?"),
            ("[headers]\n\"X y\" = \"1\"", "p.toml:2:1: headers.X y: no name of a header"),
            ("[headers]\nHost = \"a\"", "p.toml:2:1: headers.Host: a header that belongs to the connection"),
            ("[headers]\nX = \"a\\nb\"", "p.toml:2:5: headers.X: no value of a header"),
            ("[headers]\nX = \" a\"", "headers.X: no value"),
            ("[headers]\nX = 1", "headers.X: invalid type: integer `1`"),
            ("[headers]\nX = { evn = \"A\" }", "headers.X: a secret can't stand in the profile"),
        ] {
            let said = error(text);
            assert!(said.contains(words), "{said}");
        }
        assert!(!error("[headers]\nX = \"hunter2\\n\"").contains("hunter2"));
    }

    #[test]
    fn secrets_that_cannot_be_used_are_refused_without_a_character_of_them() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("x"), "hunter2\nhunter3").unwrap();
        for (text, words) in [
            ("[headers]\nX = { file = \"x\" }", "headers.X: no value of a header"),
            ("[headers]\nX = { file = \"none\" }", "headers.X: cannot read the secret in "),
            ("client_certificate = \"c.pem\"", "client_certificate needs client_key"),
            ("client_key = { file = \"x\" }", "client_key needs client_certificate"),
            ("client_certificate = \"c.pem\"\nclient_key = { file = \"x\" }", "c.pem: "),
        ] {
            let why = Profile::parse(text, "p.toml").unwrap().sockets(folder.path()).unwrap_err();
            assert!(why.contains(words) && !why.contains("hunter"), "{why}");
        }
    }
}
