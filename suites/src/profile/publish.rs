//! The `[publish]` table of a profile: the signed publishing exchange.

use assay_spec::publish::domain::is_canonical;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use toml::de::DeTable;

use super::drop::optional_header_name;
use super::key::{Key, Section, table};
use super::{Secret, at_least_one, base_url, is_default, optional_at_least_one, optional_base_url};

table! { "publish";
    /// A target of the publishing suite.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct Publish {
        /// Base URL of the service, without a trailing slash.
        pub url: String => serde(deserialize_with = "base_url"),
        /// A node of the chain, for 7 more checks: those of confirmed transactions.
        pub chain_url: Option<String> = "\"http://127.0.0.1:4117\""
            => serde(default, deserialize_with = "optional_base_url"),
        /// A standby node of the service, for 1 more check.
        pub standby_url: Option<String> = "\"http://127.0.0.1:4119\""
            => serde(default, deserialize_with = "optional_base_url"),
        /// The header from which the service reads the client's address.
        pub forwarding_header: Option<String> = "\"X-Forwarded-For\""
            => serde(default, deserialize_with = "optional_header_name"),
        /// Bound domains with which a run publishes, up to 30 times a day each. One runs 70 checks, two 75.
        pub domains: Vec<String> = "[\"a.example\"]" => serde(default, skip_serializing_if = "Vec::is_empty"),
        /// The seed of the key bound to these domains, 64 hex digits.
        pub key: Option<Secret> = "{ env = \"PUBLISH_KEY\" }",
        /// A domain with a pending transfer from `key` to `second_key`, for 3 more checks. The run does not accept it.
        pub pending: Option<String> = "\"b.example\"",
        /// The incoming key of that transfer and of transferable, 64 hex digits.
        pub second_key: Option<Secret> = "{ env = \"SECOND_PUBLISH_KEY\" }",
        /// Domains bound to `second_key`, which a run uses like domains. One beside a single domain runs 3 more checks.
        pub second_domains: Vec<String> = "[\"g.example\"]" => serde(default, skip_serializing_if = "Vec::is_empty"),
        /// The transaction signature of that transfer, for 1 more check.
        pub pending_transfer: Option<String> = "\"2nBhEBYYvfaAe16UMNqRHre4YNSskvuYgx3M6E4JP1oDYvZEJHvoPzyUidNgNX5r9sTyN1J9UxtbCXy2rqYcuyuv\"",
        /// A domain that the run transfers from key to `second_key` and back, for 7 more checks. The target confirms each accept.
        pub transferable: Option<String> = "\"e.example\"",
        /// A domain bound to key that is not publishable, for 1 more check.
        pub not_publishable: Option<String> = "\"c.example\"",
        /// A domain bound to key whose account does not have the feature, for 1 more check.
        pub feature_off: Option<String> = "\"d.example\"",
        /// A domain bound to key whose transactions the chain rejects, for 1 more check.
        pub chain_rejects: Option<String> = "\"f.example\"",
        /// The readings that the target declares.
        pub readings: PublishReadings => serde(default, skip_serializing_if = "is_default"),
        /// What the run may ask of the target.
        pub limits: PublishLimits => serde(default, skip_serializing_if = "is_default"),
    }
}

impl Section for Publish {
    const TABLES: &'static [&'static str] = &["publish", "publish.readings", "publish.limits"];
    const KEYS: &'static [&'static [Key]] = &[Publish::KEYS, PublishLimits::KEYS];

    fn wrong(profile: &DeTable<'_>) -> Option<(&'static str, Range<usize>)> {
        let publish = profile.get("publish")?.get_ref().as_table()?;
        let lists = ["domains", "second_domains"].into_iter().filter_map(|key| publish.get(key));
        let domains = lists.filter_map(|list| list.get_ref().as_array()).flatten();
        let single = ["pending", "transferable", "not_publishable", "feature_off", "chain_rejects"];
        let names = domains.chain(single.into_iter().filter_map(|key| publish.get(key)));
        let names = names.map(|name| (name, IS_DOMAIN));
        let transfer = publish.get("pending_transfer").map(|signature| (signature, IS_SIGNATURE));
        let mut invalid = names
            .chain(transfer)
            .filter(|(value, (is_valid, _))| value.get_ref().as_str().is_some_and(|value| !is_valid(value)));
        invalid.next().map(|(value, (_, why))| (why, value.span()))
    }
}

/// Whether a string is valid, and what it must be.
type Form = (fn(&str) -> bool, &'static str);

const IS_DOMAIN: Form =
    (is_canonical, "not a canonical domain: two labels or more of lower-case letters, digits and hyphens");
const IS_SIGNATURE: Form = (
    |text| bs58::decode(text).into_vec().is_ok_and(|bytes| bytes.len() == 64),
    "not a transaction signature: 64 bytes in base58",
);

/// Where the document allows several readings, those that the target declares.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PublishReadings {
    /// A transfer needs a `cid` like any other publish.
    pub transfer_needs_cid: bool,
    /// The rule that body and envelope name the same domain is applied leniently.
    pub lenient_rule7: bool,
    /// How strings of a record are written, besides the quotes, backslashes and control characters.
    pub escape_profile: EscapeProfile,
    /// How the chain's log shows a memo. If not set, either is accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memo_log_form: Option<MemoLogForm>,
}

/// How the characters of a record's strings are written that JSON need not escape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EscapeProfile {
    /// As they are.
    Raw,
    /// Those outside ASCII as `\u` escapes.
    Ascii,
    /// In any valid way: the document does not choose one.
    #[default]
    Any,
}

/// How the chain's log shows a memo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MemoLogForm {
    /// As it is.
    Plain,
    /// In quotes, with quotes and backslashes escaped.
    Quoted,
}

table! { "publish.limits";
    /// The pace of a run.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct PublishLimits {
        /// At most so many requests per minute. If not set: 30, the documented limit.
        pub requests_per_minute: Option<u32> = "30" => serde(deserialize_with = "optional_at_least_one"),
        /// How long the chain may take to show what was confirmed, and the target to confirm an accept, in seconds. Checks ask again until then.
        pub shown_seconds: u32 = "10" => serde(deserialize_with = "at_least_one"),
    }
}

/// How long a node of the chain may take until it shows what another has confirmed, and an operator until an accept is
/// confirmed. The document names no time.
const SHOWN_SECONDS: u32 = 10;

impl Default for PublishLimits {
    fn default() -> Self {
        Self { requests_per_minute: None, shown_seconds: SHOWN_SECONDS }
    }
}
