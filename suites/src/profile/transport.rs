//! How the target is reached: protocol, timeouts, extra headers, and the client's certificate.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error as _, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use toml::de::{DeTable, DeValue};

use super::secret::near_file;
use super::{Loaded, Profile, Secret, Secrets, Wrong, is_default};
use crate::http::sockets::Sockets;
use crate::http::tls::{Identity, Trust};
use crate::http::transport::{ExtraHeader, Http};

/// The maximum of `answer_seconds`.
const LONGEST: u32 = 3600;
/// Headers that belong to the connection or the body, or that checks set themselves.
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

/// How requests are sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Transport {
    /// The HTTP version: `1.1`, `2` or `auto`.
    #[serde(deserialize_with = "spoken", skip_serializing_if = "is_default")]
    pub http: Http,
    /// The minimum time limit for a response, in seconds. A distant target or a check may raise it.
    #[serde(deserialize_with = "seconds")]
    pub answer_seconds: u32,
}

impl Default for Transport {
    fn default() -> Self {
        Transport { http: Http::One, answer_seconds: 15 }
    }
}

/// The value of a header: a literal string, or where a secret is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum HeaderText {
    /// A literal value; reports may show it.
    Plain(String),
    /// A secret; reports never show it.
    Secret(Secret),
}

/// Written by hand, since a derived implementation would not say what is wrong with a secret.
impl<'de> Deserialize<'de> for HeaderText {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_any(HeaderVisitor)
    }
}

struct HeaderVisitor;

impl<'de> Visitor<'de> for HeaderVisitor {
    type Value = HeaderText;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a string, { env = \"NAME\" } or { file = \"path\" }")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<HeaderText, E> {
        Ok(HeaderText::Plain(text.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<HeaderText, A::Error> {
        Secret::deserialize(MapAccessDeserializer::new(map)).map(HeaderText::Secret)
    }
}

/// Written by hand, since a derived implementation would only say that it expected a string or a table.
fn spoken<'de, D: Deserializer<'de>>(input: D) -> Result<Http, D::Error> {
    let other = || D::Error::custom("expected \"1.1\", \"2\" or \"auto\"");
    let text = String::deserialize(input).map_err(|_| other())?;
    let text: serde::de::value::StringDeserializer<D::Error> = text.into_deserializer();
    Http::deserialize(text).map_err(|_| other())
}

fn seconds<'de, D: Deserializer<'de>>(input: D) -> Result<u32, D::Error> {
    let seconds = u32::deserialize(input)?;
    if (1..=LONGEST).contains(&seconds) { Ok(seconds) } else { Err(D::Error::custom("must be 1 to 3600")) }
}

/// The first invalid name or literal value in `[headers]`, with its position.
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
        return Some("not a valid header name");
    }
    let is_other = NOT_EXTRA.iter().any(|other| name.eq_ignore_ascii_case(other));
    is_other.then_some(
        "this header belongs to the connection or is set by checks; it cannot be set for all requests",
    )
}

fn wrong_value(value: &str) -> Option<&'static str> {
    let is_text = value.chars().all(|c| matches!(c, ' '..='~'));
    let is_bare = value.trim() == value && !value.is_empty();
    (!is_text || !is_bare)
        .then_some("not a valid header value: use visible ASCII characters, with spaces only between them")
}

/// Keys with their errors.
type Misfits = Vec<(String, String)>;

/// Reads a secret; `None` if it cannot be read and that is already reported.
type Read<'r> = &'r dyn Fn(&str, &Secret) -> Result<Option<String>, String>;

impl Profile {
    /// The trusted authorities and the client's identity; `folder` is the profile's. An error names the file.
    pub fn trust(&self, folder: &Path) -> Result<Trust, String> {
        without(self.whom(folder, &|_, secret| from_place(secret, folder)))
    }

    /// How the target is reached; `folder` is the profile's. [`Loaded::sockets`] also returns the positions of errors.
    pub fn sockets(&self, folder: &Path) -> Result<Sockets, String> {
        without(self.ways(folder, &|_, secret| from_place(secret, folder)))
    }

    /// Trust from the valid files, and the errors of the others.
    fn whom(&self, folder: &Path, read: Read<'_>) -> (Trust, Misfits) {
        let mut wrong = Misfits::new();
        let mut misfit = |key: &str, why: String| wrong.push((key.to_owned(), why));
        let mut trust = Trust::default();
        if let Some(path) = self.ca_file.as_ref().map(|path| folder.join(path)) {
            match Trust::with_file(&path) {
                Ok(with_file) => trust = with_file,
                Err(why) => misfit("ca_file", hinted(why, &path)),
            }
        }
        match (&self.client_certificate, &self.client_key) {
            (Some(path), Some(key)) => {
                let path = folder.join(path);
                let place = match key {
                    Secret::Env(name) => format!("client_key (environment variable {name})"),
                    Secret::File(path) => format!("client_key ({})", folder.join(path).display()),
                };
                match read("client_key", key) {
                    Ok(Some(text)) => match Identity::read(&path, &format!("{text}\n"), &place) {
                        Ok(identity) => trust = trust.with_identity(identity),
                        Err(why) if why.starts_with(&place) => misfit("client_key", why),
                        Err(why) => misfit("client_certificate", hinted(why, &path)),
                    },
                    Ok(None) => {}
                    Err(why) => misfit("client_key", why),
                }
            }
            (Some(_), None) => misfit("client_certificate", "needs client_key".to_owned()),
            (None, Some(_)) => misfit("client_key", "needs client_certificate".to_owned()),
            (None, None) => {}
        }
        (trust, wrong)
    }

    /// How the target is reached, from the valid settings, and the errors of the others.
    fn ways(&self, folder: &Path, read: Read<'_>) -> (Sockets, Misfits) {
        let (trust, mut wrong) = self.whom(folder, read);
        let mut headers = Vec::new();
        for (name, text) in &self.headers {
            let key = format!("headers.{name}");
            let (value, is_secret) = match text {
                HeaderText::Plain(text) => (Ok(Some(text.clone())), false),
                HeaderText::Secret(secret) => (read(&key, secret), true),
            };
            match value.map(|value| value.map(|value| (wrong_value(&value), value))) {
                Ok(Some((None, value))) => headers.push(ExtraHeader { name: name.clone(), value, is_secret }),
                Ok(Some((Some(why), _))) => wrong.push((key, why.to_owned())),
                Ok(None) => {}
                Err(why) => wrong.push((key, why)),
            }
        }
        let Transport { http, answer_seconds } = self.transport;
        let min_timeout = Duration::from_secs(answer_seconds.into());
        let transport = Arc::new(crate::http::transport::Transport::new(http, min_timeout, headers));
        (Sockets { trust, transport, ..Sockets::default() }, wrong)
    }
}

impl Loaded {
    /// How the target is reached with these secrets, from the valid settings, and the errors of the others with their
    /// positions. A secret that cannot be read is not reported here.
    pub fn sockets(&self, secrets: &Secrets) -> (Sockets, Vec<Wrong>) {
        let read = |key: &str, _: &Secret| Ok(secrets.get(key).map(str::to_owned));
        let (sockets, wrong) = self.profile.ways(&self.folder, &read);
        (sockets, wrong.into_iter().map(|(key, why)| self.source.wrong_at(&key, &why)).collect())
    }
}

fn from_place(secret: &Secret, folder: &Path) -> Result<Option<String>, String> {
    secret.read(folder).map(Some).map_err(|e| e.to_string())
}

/// The value, or the first error.
fn without<T>((made, wrong): (T, Misfits)) -> Result<T, String> {
    wrong.into_iter().next().map_or(Ok(made), |(key, why)| Err(format!("{key}: {why}")))
}

/// The reason, with a suggestion of a similar file name if the file does not exist.
fn hinted(why: String, path: &Path) -> String {
    match near_file(path).filter(|_| !path.exists()) {
        Some(near) => format!("{why}; did you mean `{near}`?"),
        None => why,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Profile::parse(text, "p.toml").unwrap_err().to_string()
    }

    #[test]
    fn all_keys_are_read_and_written_back() {
        let text = "client_certificate = \"c.pem\"\nclient_key = { file = \"c.key\" }\n\
                    [transport]\nhttp = \"auto\"\nanswer_seconds = 40\n\
                    [headers]\nX-Auth = { env = \"AUTH\" }\nX-Team = \"assay\"\n";
        let profile = Profile::parse(text, "p.toml").unwrap();
        assert_eq!(profile.transport, Transport { http: Http::Auto, answer_seconds: 40 });
        assert_eq!(profile.headers["X-Auth"], HeaderText::Secret(Secret::Env("AUTH".into())));
        assert_eq!(profile.headers["X-Team"], HeaderText::Plain("assay".into()));
        assert_eq!(Profile::parse(&profile.to_toml(), "p.toml"), Ok(profile));
        assert_eq!(Profile::default().to_toml(), "");
    }

    #[test]
    fn each_error_shows_its_position() {
        for (text, words) in [
            ("[transport]\nhttp = \"3\"", "p.toml:2:8: transport.http: "),
            ("[transport]\nhttp = 2", "p.toml:2:8: transport.http: expected \"1.1\", \"2\" or \"auto\""),
            ("[transport]\nanswer_seconds = 0", "transport.answer_seconds: must be 1 to 3600"),
            ("[transport]\nanswer_second = 9", "did you mean `answer_seconds`?"),
            ("[headers]\n\"X y\" = \"1\"", "p.toml:2:1: headers.X y: not a valid header name"),
            ("[headers]\nHost = \"a\"", "p.toml:2:1: headers.Host: this header belongs to the connection"),
            ("[headers]\nX = \"a\\nb\"", "p.toml:2:5: headers.X: not a valid header value"),
            ("[headers]\nX = \" a\"", "headers.X: not a valid header value"),
            ("[headers]\nX = 1", "headers.X: invalid type: integer `1`"),
            ("[headers]\nX = { evn = \"A\" }", "headers.X: a secret must not be in the profile"),
        ] {
            let said = error(text);
            assert!(said.contains(words), "{said}");
        }
        assert!(!error("[headers]\nX = \"hunter2\\n\"").contains("hunter2"));
    }

    #[test]
    fn unusable_secrets_are_rejected_without_being_shown() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("x"), "hunter2\nhunter3").unwrap();
        for (text, words) in [
            ("[headers]\nX = { file = \"x\" }", "headers.X: not a valid header value"),
            ("[headers]\nX = { file = \"none\" }", "headers.X: cannot read the secret in "),
            ("client_certificate = \"c.pem\"", "client_certificate: needs client_key"),
            ("client_key = { file = \"x\" }", "client_key: needs client_certificate"),
            ("client_certificate = \"c.pem\"\nclient_key = { file = \"x\" }", "c.pem: "),
        ] {
            let why = Profile::parse(text, "p.toml").unwrap().sockets(folder.path()).unwrap_err();
            assert!(why.contains(words) && !why.contains("hunter"), "{why}");
        }
    }

    #[test]
    fn all_errors_are_reported_at_their_position_and_the_rest_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("auth"), "hunter2\nhunter3").unwrap();
        std::fs::write(folder.path().join("ca.pem"), "no certificate").unwrap();
        let text = "ca_file = \"ca.pm\"\nclient_certificate = \"c.pem\"\n[headers]\n\
                    X-Auth = { env = \"PATHH\" }\n\"X.Other\" = { file = \"none\" }\nX-Bad = { file = \"auth\" }\n\
                    X-Good = { env = \"PATH\" }\nX-Team = \"assay\"\n";
        let loaded = Profile::of_text(text.into(), "p.toml".into(), folder.path()).unwrap();
        let (secrets, missing) = Secrets::read(&loaded);
        let (sockets, misfits) = loaded.sockets(&secrets);
        let all_errors: Vec<String> = missing.iter().chain(&misfits).map(ToString::to_string).collect();
        let all_errors = all_errors.join("\n\n");
        for words in [
            "p.toml:4:18: headers.X-Auth.env: the environment variable PATHH is not set",
            "did you mean `PATH`?",
            "p.toml:5:22: headers.X.Other.file: cannot read the secret in ",
            "p.toml:6:9: headers.X-Bad: not a valid header value",
            "p.toml:1:11: ca_file: ",
            "did you mean `ca.pem`?",
            "p.toml:2:22: client_certificate: needs client_key",
        ] {
            assert!(all_errors.contains(words), "{words}: {all_errors}");
        }
        assert!(!all_errors.contains("hunter") && all_errors.matches("p.toml:").count() == 5, "{all_errors}");
        let names: Vec<&str> = sockets.transport.headers.iter().map(|header| header.name.as_str()).collect();
        assert_eq!(names, ["X-Good", "X-Team"]);
        // A key that cannot be read is reported once.
        let text = "client_certificate = \"c.pem\"\nclient_key = { file = \"none\" }\n";
        let loaded = Profile::of_text(text.into(), "p.toml".into(), folder.path()).unwrap();
        let (secrets, missing) = Secrets::read(&loaded);
        assert_eq!((missing.len(), loaded.sockets(&secrets).1), (1, Vec::new()));
    }
}
