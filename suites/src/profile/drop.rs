//! The `[drop]` table of a profile: the anonymous drop.

use assay_spec::cid::Estimate;
use assay_spec::drop::limits::{DROP_ID_CHARACTERS, DROPS_PER_HOUR};
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};

use super::key::{Key, Section, table};
use super::{at_least_one, base_url, is_default, optional_base_url};

table! { "drop";
    /// A target of the drop's suite.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct Drop {
        /// Base URL of the service, without a trailing slash.
        pub url: String => serde(deserialize_with = "base_url"),
        /// An instance of the service that has paused drops, for 1 more check.
        pub paused_url: Option<String> = "\"http://127.0.0.1:4119\""
            => serde(default, deserialize_with = "optional_base_url"),
        /// The header from which the service reads the client's address.
        pub forwarding_header: Option<String> = "\"X-Forwarded-For\""
            => serde(default, deserialize_with = "optional_header_name"),
        /// The readings that the target declares.
        pub readings: DropReadings => serde(default, skip_serializing_if = "is_default"),
        /// The limits of a run.
        pub limits: DropLimits => serde(default, skip_serializing_if = "is_default"),
    }
}

impl Section for Drop {
    const TABLES: &'static [&'static str] = &["drop", "drop.readings", "drop.limits"];
    const KEYS: &'static [&'static [Key]] = &[Drop::KEYS, DropLimits::KEYS];
}

/// The readings that the target declares, where the document allows several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DropReadings {
    /// The number of characters of a drop id after its prefix; 1 or more.
    #[serde(deserialize_with = "at_least_one_character")]
    pub drop_id_len: usize,
    /// How a folder's size is estimated; the size decides whether it is sharded.
    pub hamt_size: HamtSize,
    /// A proxy in front of the target buffers uploads, so that the target never sees two at once.
    pub buffered_uploads: bool,
}

impl Default for DropReadings {
    fn default() -> Self {
        Self { drop_id_len: DROP_ID_CHARACTERS, hamt_size: HamtSize::default(), buffered_uploads: false }
    }
}

/// An estimate of a folder's size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HamtSize {
    /// The bytes of names and CIDs.
    #[default]
    Links,
    /// The bytes of the folder's block.
    Block,
}

impl From<HamtSize> for Estimate {
    fn from(size: HamtSize) -> Estimate {
        match size {
            HamtSize::Links => Estimate::Links,
            HamtSize::Block => Estimate::Block,
        }
    }
}

table! { "drop.limits";
    /// How many uploads a run may send from one address, and how long it waits for a site.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct DropLimits {
        /// Uploads per hour; the documented limit is 10 per address.
        pub drops_per_hour: u32 = "9" => serde(deserialize_with = "at_least_one"),
        /// How long a new site may take until it is live, in seconds. Checks fetch it again until then.
        pub live_seconds: u32 = "10" => serde(deserialize_with = "at_least_one"),
    }
}

/// How long a service may take until a new site is live. The document shows no time.
const LIVE_SECONDS: u32 = 10;

impl Default for DropLimits {
    fn default() -> Self {
        Self { drops_per_hour: DROPS_PER_HOUR.u32() - 1, live_seconds: LIVE_SECONDS }
    }
}

fn at_least_one_character<'de, D: Deserializer<'de>>(input: D) -> Result<usize, D::Error> {
    at_least_one(input).map(|count| count as usize)
}

pub(super) fn optional_header_name<'de, D: Deserializer<'de>>(input: D) -> Result<Option<String>, D::Error> {
    let name = String::deserialize(input)?;
    let is_token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    if name.is_empty() || !name.bytes().all(is_token) {
        return Err(D::Error::custom("not a header name, such as X-Forwarded-For"));
    }
    Ok(Some(name))
}

#[cfg(test)]
mod tests {
    use crate::profile::Profile;

    #[test]
    fn errors_show_their_position() {
        let cases = [
            "[drop]\nforwarding_header = \"X\"",
            "[drop]\nurl = \"http://a\"\nforwarding_header = \"X: \"",
            "[drop]\nurl = \"http://a\"\n[drop.limits]\ndrops_per_hour = 0",
            "[drop]\nurl = \"http://a\"\nlimits = { live_seconds = 0 }",
            "[drop]\nurl = \"http://a\"\nreadings = { hamt_size = \"bytes\" }",
            "[drop]\nurl = \"http://a\"\nreadings = { drop_id_length = 22 }",
        ];
        let error = |text: &str| Profile::parse(text, "p.toml").unwrap_err().to_string();
        insta::assert_snapshot!(cases.map(error).join("\n\n"), @r#"
        p.toml:1:1: drop: missing field `url`
          |
        1 | [drop]
          | ^^^^^^

        p.toml:3:21: drop.forwarding_header: not a header name, such as X-Forwarded-For
          |
        3 | forwarding_header = "X: "
          |                     ^^^^^

        p.toml:4:18: drop.limits.drops_per_hour: must be 1 or more
          |
        4 | drops_per_hour = 0
          |                  ^

        p.toml:3:27: drop.limits.live_seconds: must be 1 or more
          |
        3 | limits = { live_seconds = 0 }
          |                           ^

        p.toml:3:26: drop.readings.hamt_size: unknown value `bytes`; known here: links, block
          |
        3 | readings = { hamt_size = "bytes" }
          |                          ^^^^^^^

        p.toml:3:14: drop.readings.drop_id_length: unknown key `drop_id_length`; did you mean `drop_id_len`?
          |
        3 | readings = { drop_id_length = …
          |              ^^^^^^^^^^^^^^
        "#);
    }
}
