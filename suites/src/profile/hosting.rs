//! The `[hosting]` table of a profile: stored records.

use assay_spec::Instant;
use assay_spec::crypto::address::Address;
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};

use super::key::{Key, Section, table};
use super::{Secret, is_default, optional_base_url};

table! { "hosting";
    /// A hosting application, or an owner whose records are in the profile's node API.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct Hosting {
        /// Base URL of the application's backend, without a trailing slash.
        pub url: Option<String> => serde(default, deserialize_with = "optional_base_url"),
        /// The owner whose records are tested. If not set, the owner of `wallet_key`.
        pub owner: Option<String> = "\"0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf\""
            => serde(default, deserialize_with = "optional_address"),
        /// The owner's wallet key. Without it encrypted records cannot be tested.
        pub wallet_key: Option<Secret> = "{ env = \"WALLET_KEY\" }",
        /// From when on records are new: what the document says about writing applies to them. If not set, the start of the run.
        pub new_since: Option<String> = "\"2026-01-01T00:00:00Z\""
            => serde(default, deserialize_with = "optional_time"),
        /// The readings that the target declares.
        pub readings: HostingReadings => serde(default, skip_serializing_if = "is_default"),
    }
}

impl Section for Hosting {
    const TABLES: &'static [&'static str] = &["hosting", "hosting.readings"];
    const KEYS: &'static [&'static [Key]] = &[Hosting::KEYS];
}

/// The readings that the target declares, where the document allows several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HostingReadings {
    /// `schemaVersion` of a project's entry: 1 or 2. If not set, either is accepted.
    #[serde(deserialize_with = "entry_schema", skip_serializing_if = "Option::is_none")]
    pub project_entry_schema: Option<u64>,
    /// The length of the nonce inside a wrapped key, in bytes: 16 or 12.
    #[serde(deserialize_with = "nonce_length")]
    pub ecies_nonce_len: usize,
    /// What the envelope of a deleted project keeps. If not set, either is accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tombstone_form: Option<TombstoneForm>,
    /// The four lines of the derivation message, in order; the document only paraphrases them. If not set, no check
    /// derives a key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub derivation_lines: Option<[String; 4]>,
}

/// What the envelope of a deleted project keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TombstoneForm {
    /// Nothing: every field is an empty string.
    Literal,
    /// Its `v` and `alg`.
    KeepV,
}

impl Default for HostingReadings {
    fn default() -> Self {
        Self { project_entry_schema: None, ecies_nonce_len: 16, tombstone_form: None, derivation_lines: None }
    }
}

fn entry_schema<'de, D: Deserializer<'de>>(input: D) -> Result<Option<u64>, D::Error> {
    match u64::deserialize(input)? {
        schema @ (1 | 2) => Ok(Some(schema)),
        _ => Err(D::Error::custom("must be 1 or 2")),
    }
}

fn nonce_length<'de, D: Deserializer<'de>>(input: D) -> Result<usize, D::Error> {
    match usize::deserialize(input)? {
        length @ (12 | 16) => Ok(length),
        _ => Err(D::Error::custom("must be 16 or 12")),
    }
}

fn optional_address<'de, D: Deserializer<'de>>(input: D) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(input)?;
    if Address::parse(&text).is_none() {
        return Err(D::Error::custom("not an address: use 0x and 40 hex digits"));
    }
    Ok(Some(text))
}

fn optional_time<'de, D: Deserializer<'de>>(input: D) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(input)?;
    if Instant::parse_iso(&text).is_none() {
        return Err(D::Error::custom("not an ISO 8601 time, such as \"2026-01-01T00:00:00Z\""));
    }
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use crate::profile::Profile;

    #[test]
    fn full_table_is_read_and_written_back() {
        let text = "[hosting]\nurl = \"http://a/\"\nowner = \"0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf\"\n\
                    wallet_key = { env = \"WALLET\" }\n[hosting.readings]\nproject_entry_schema = 2\n\
                    ecies_nonce_len = 12\nderivation_lines = [\"a\", \"b\", \"c\", \"d\"]\n";
        let profile = Profile::parse(text, "p.toml").expect("a good profile");
        let hosting = profile.hosting.clone().expect("the table");
        assert_eq!(hosting.url.as_deref(), Some("http://a"));
        assert_eq!((hosting.readings.project_entry_schema, hosting.readings.ecies_nonce_len), (Some(2), 12));
        assert_eq!(Profile::parse(&profile.to_toml(), "p.toml").expect("what was written"), profile);
    }

    #[test]
    fn errors_show_their_position_and_no_secret() {
        let cases = [
            "[hosting]\nowner = \"0x12\"",
            "[hosting]\nwallet_key = \"0123456789abcdef\"",
            "[hosting]\nreadings = { ecies_nonce_len = 13 }",
            "[hosting]\nreadings = { project_entry_schema = 4 }",
        ];
        let error = |text: &str| Profile::parse(text, "p.toml").expect_err("a wrong profile").to_string();
        insta::assert_snapshot!(cases.map(error).join("\n\n"), @r#"
        p.toml:2:9: hosting.owner: not an address: use 0x and 40 hex digits
          |
        2 | owner = "0x12"
          |         ^^^^^^

        p.toml:2:14: hosting.wallet_key: a secret must not be in the profile; write { env = "NAME" } or { file = "path" }
          |
        2 | wallet_key = …
          |              ^

        p.toml:2:32: hosting.readings.ecies_nonce_len: must be 16 or 12
          |
        2 | readings = { ecies_nonce_len = 13 }
          |                                ^^

        p.toml:2:37: hosting.readings.project_entry_schema: must be 1 or 2
          |
        2 | readings = { project_entry_schema = 4 }
          |                                     ^
        "#);
    }
}
