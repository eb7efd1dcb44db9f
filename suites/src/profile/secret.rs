//! References to secrets in a profile: where they are kept, never their values.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use assay_spec::names::nearest;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

use super::{Loaded, Wrong};
use crate::http::hiding::Hidden;
use crate::support::files;

/// A secret that is sent unchanged in a header.
pub type HeaderSecret = Secret;

/// Where a secret is kept. A profile never contains the secret, so its parsed values do not either.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Secret {
    /// An environment variable.
    Env(String),
    /// A file; a relative path starts at the profile's folder.
    File(PathBuf),
}

/// Why a secret cannot be read. No message contains any part of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SecretError {
    /// The variable is missing or not valid UTF-8.
    #[error("the environment variable {0} is not set or is not valid UTF-8")]
    Env(String),
    /// The file cannot be read or is not valid UTF-8.
    #[error("cannot read the secret in {}: {why}", path.display())]
    File {
        /// The file, resolved.
        path: PathBuf,
        /// The system's reason.
        why: String,
    },
    /// The secret is empty.
    #[error("the secret in {0} is empty")]
    Empty(String),
}

impl Secret {
    /// Reads the secret, without surrounding whitespace. `folder` is the profile's.
    pub fn read(&self, folder: &Path) -> Result<String, SecretError> {
        let (text, place) = match self {
            Secret::Env(name) => {
                (std::env::var(name).map_err(|_| SecretError::Env(name.clone()))?, name.clone())
            }
            Secret::File(path) => {
                let path = folder.join(path);
                let text = files::read_text(&path, "a secret", files::SECRET_BYTES)
                    .map_err(|e| SecretError::File { path: path.clone(), why: e.why })?;
                (text, path.display().to_string())
            }
        };
        let text = text.trim();
        if text.is_empty() { Err(SecretError::Empty(place)) } else { Ok(text.to_owned()) }
    }
}

/// The secrets that a profile names, by their keys.
fn named(loaded: &Loaded) -> impl Iterator<Item = (String, Secret)> {
    let in_headers = loaded.profile.header_secrets().map(|(key, secret)| (key, secret.clone()));
    loaded.profile.secrets().into_iter().chain(in_headers)
}

/// Whether the secret of a service's key is sent unchanged in a header.
pub(crate) fn is_in_header(path: &str) -> bool {
    let path = path.split('[').next().unwrap_or_default();
    super::keys().any(|key| key.is_in_header() && key.path() == path)
}

/// The secrets of a profile that could be read, by their keys. They are never printed.
#[derive(Clone, Default)]
pub struct Secrets(BTreeMap<String, String>);

impl Secrets {
    /// Reads all secrets of the profile. Returns an error with its position for each that cannot be read.
    pub fn read(loaded: &Loaded) -> (Secrets, Vec<Wrong>) {
        let (mut secrets, mut wrong) = (Secrets::default(), Vec::new());
        let is_in_header = |path: &str| path == "control_token" || is_in_header(path);
        for (key, secret) in named(loaded) {
            match secret.read(&loaded.folder) {
                Ok(text) if is_in_header(&key) && !text.bytes().all(|b| b.is_ascii_graphic()) => {
                    let why = "not a valid key: use visible ASCII characters without spaces";
                    wrong.push(loaded.source.wrong_at(&key, why));
                }
                Ok(text) => {
                    secrets.0.insert(key, text);
                }
                Err(why) => {
                    let kind = if matches!(secret, Secret::Env(_)) { "env" } else { "file" };
                    let hint = secret.near(&loaded.folder);
                    let hint = hint.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                    wrong.push(loaded.source.wrong_at(&format!("{key}.{kind}"), &format!("{why}{hint}")));
                }
            }
        }
        (secrets, wrong)
    }

    /// Reads only the secrets of the profile that are in environment variables, as far as they are set.
    pub fn of_environment(loaded: &Loaded) -> Secrets {
        let variables = named(loaded).filter(|(_, secret)| matches!(secret, Secret::Env(_)));
        Secrets(
            variables.filter_map(|(key, secret)| Some((key, secret.read(&loaded.folder).ok()?))).collect(),
        )
    }

    /// Removes a secret, for example an unusable one.
    pub fn forget(&mut self, key: &str) {
        self.0.remove(key);
    }

    /// Sets a value for a secret that cannot be read.
    pub(crate) fn stand_in(&mut self, key: &str, value: String) {
        self.0.insert(key.to_owned(), value);
    }

    /// All secrets, to hide them in every outcome.
    pub fn hidden(&self) -> Hidden {
        let mut hidden = Hidden::default();
        // A header secret is listed by the header's name only.
        for (key, value) in &self.0 {
            hidden.add_secret(key.strip_prefix("headers.").unwrap_or(key), value);
        }
        hidden
    }

    /// The secret of that key, such as `gateway.key`.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl Secret {
    /// The name of an existing variable or file that this one may be a misspelling of.
    fn near(&self, folder: &Path) -> Option<String> {
        let (written, known): (String, Vec<String>) = match self {
            Secret::Env(name) => {
                let set = std::env::vars_os().filter(|(_, value)| !value.is_empty());
                (name.clone(), set.filter_map(|(name, _)| name.into_string().ok()).collect())
            }
            Secret::File(path) => return near_file(&folder.join(path)),
        };
        near_name(&written, &known)
    }
}

/// The name of an existing file that this path may be a misspelling of.
pub(super) fn near_file(path: &Path) -> Option<String> {
    let beside = std::fs::read_dir(path.parent().filter(|parent| !parent.as_os_str().is_empty())?);
    let files = beside.ok()?.take(MOST_FILES).flatten();
    let files = files.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    let names: Vec<String> = files.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    near_name(path.file_name()?.to_str()?, &names)
}

fn near_name(written: &str, known: &[String]) -> Option<String> {
    let others = known.iter().map(String::as_str).filter(|name| *name != written);
    nearest(written, others, written.chars().count() / 3).map(str::to_owned)
}

/// How many files of a folder are searched for a suggestion.
const MOST_FILES: usize = 1000;

/// Written by hand, since a derived implementation would quote an inline secret in its error.
impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_any(SecretVisitor)
    }
}

struct SecretVisitor;

pub(super) const NOT_INLINE: &str =
    "a secret must not be in the profile; write { env = \"NAME\" } or { file = \"path\" }";

impl<'de> Visitor<'de> for SecretVisitor {
    type Value = Secret;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{ env = \"NAME\" } or { file = \"path\" }")
    }

    fn visit_str<E: serde::de::Error>(self, _: &str) -> Result<Secret, E> {
        Err(E::custom(NOT_INLINE))
    }

    fn visit_bool<E: serde::de::Error>(self, _: bool) -> Result<Secret, E> {
        Err(E::custom(NOT_INLINE))
    }

    fn visit_i64<E: serde::de::Error>(self, _: i64) -> Result<Secret, E> {
        Err(E::custom(NOT_INLINE))
    }

    fn visit_u64<E: serde::de::Error>(self, _: u64) -> Result<Secret, E> {
        Err(E::custom(NOT_INLINE))
    }

    fn visit_i128<E: serde::de::Error>(self, _: i128) -> Result<Secret, E> {
        Err(E::custom(NOT_INLINE))
    }

    fn visit_u128<E: serde::de::Error>(self, _: u128) -> Result<Secret, E> {
        Err(E::custom(NOT_INLINE))
    }

    fn visit_f64<E: serde::de::Error>(self, _: f64) -> Result<Secret, E> {
        Err(E::custom(NOT_INLINE))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Secret, A::Error> {
        let secret = match map.next_key::<String>()?.as_deref() {
            Some("env") => Secret::Env(map.next_value()?),
            Some("file") => Secret::File(map.next_value()?),
            _ => return Err(A::Error::custom(NOT_INLINE)),
        };
        match map.next_key::<String>()? {
            None => Ok(secret),
            Some(_) => Err(A::Error::custom("a secret has one source: either env or file")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_read_from_variables_and_files() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("key"), " abc\n").unwrap();
        std::fs::write(folder.path().join("blank"), "\n").unwrap();
        std::fs::write(folder.path().join("binary"), b"\xff").unwrap();
        let read = |secret: Secret| secret.read(folder.path());
        assert_eq!(read(Secret::File("key".into())).as_deref(), Ok("abc"));
        assert!(read(Secret::File(folder.path().join("key"))).is_ok());
        assert!(matches!(read(Secret::File("blank".into())), Err(SecretError::Empty(_))));
        assert!(matches!(read(Secret::File("binary".into())), Err(SecretError::File { .. })));
        assert!(matches!(read(Secret::File("absent".into())), Err(SecretError::File { .. })));
        let name = "ASSAY_TEST_NO_SUCH_VARIABLE";
        assert_eq!(read(Secret::Env(name.into())), Err(SecretError::Env(name.into())));
        assert!(read(Secret::Env("PATH".into())).is_ok());
    }

    #[test]
    fn all_missing_secrets_are_reported_with_position_and_suggestion() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("wallet.key"), "the secret itself").unwrap();
        std::fs::write(folder.path().join("blank.key"), "").unwrap();
        let text = "control_token = { env = \"PATHH\" }\n[hosting]\nwallet_key = { file = \"walet.key\" }\n\
                    [publish]\nurl = \"http://a\"\n[publish.key]\nfile = \"blank.key\"\n";
        let loaded = crate::profile::Profile::of_text(text.into(), "p.toml".into(), folder.path()).unwrap();
        let (secrets, wrong) = Secrets::read(&loaded);
        assert_eq!(secrets.get("hosting.wallet_key"), None);
        let all_errors: Vec<String> = wrong.iter().map(ToString::to_string).collect();
        let all_errors = all_errors.join("\n\n").replace(&folder.path().display().to_string(), "FOLDER");
        assert!(
            !all_errors.contains("itself") && !all_errors.contains(&std::env::var("PATH").unwrap()),
            "{all_errors}"
        );
        insta::assert_snapshot!(all_errors, @r#"
        p.toml:1:25: control_token.env: the environment variable PATHH is not set or is not valid UTF-8; did you mean `PATH`?
          |
        1 | control_token = { env = "PATHH" }
          |                         ^^^^^^^

        p.toml:3:23: hosting.wallet_key.file: cannot read the secret in FOLDER/walet.key: No such file or directory (os error 2); did you mean `wallet.key`?
          |
        3 | wallet_key = { file = "walet.key" }
          |                       ^^^^^^^^^^^

        p.toml:7:8: publish.key.file: the secret in FOLDER/blank.key is empty
          |
        7 | file = "blank.key"
          |        ^^^^^^^^^^^
        "#);
    }
}
