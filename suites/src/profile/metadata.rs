//! The `[metadata]` table of a profile: the token metadata service.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toml::de::DeTable;

use super::key::{Key, Section, table};
use super::{base_url, is_default, optional_at_least_one};

table! { "metadata";
    /// A target of the metadata suite.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct Metadata {
        /// Base URL of the service, without a trailing slash.
        pub url: String => serde(deserialize_with = "base_url"),
        /// An integer that is not the id of a token.
        pub unknown_token: Option<String> = "\"999999999999\"" => serde(default, deserialize_with = "optional_segment"),
        /// Contracts that the target knows, with one address or both. Without any, only the root can be tested. `document` and `token_documents` name members that tell documents apart.
        pub contracts: Vec<MetadataContract> = "[{ cid = \"bafk\", uri_path = \"https://a.example/1\", tokens = [\"1\"], overridden = \"1\", document = { name = \"A\" }, token_documents = { 1 = { name = \"A 1\" } } }]"
            => serde(default, skip_serializing_if = "Vec::is_empty"),
        /// The readings that the target declares.
        pub readings: MetadataReadings => serde(default, skip_serializing_if = "is_default"),
        /// The pace of a run.
        pub limits: MetadataLimits => serde(default, skip_serializing_if = "is_default"),
    }
}

impl Section for Metadata {
    const TABLES: &'static [&'static str] = &["metadata", "metadata.readings", "metadata.limits"];
    const ARRAYS: &'static [&'static str] = &["metadata.contracts"];
    const KEYS: &'static [&'static [Key]] = &[Metadata::KEYS, MetadataLimits::KEYS];

    fn wrong(table: &DeTable<'_>) -> Option<(&'static str, Range<usize>)> {
        let contracts =
            table.get("metadata")?.get_ref().as_table()?.get("contracts")?.get_ref().as_array()?;
        let has_none =
            |contract: &DeTable<'_>| !["cid", "uri_path"].iter().any(|key| contract.contains_key(*key));
        let bare = contracts.iter().find(|item| item.get_ref().as_table().is_some_and(has_none))?;
        Some(("a contract needs cid or uri_path", bare.span()))
    }
}

/// A contract that the target knows. If both addresses are set, both lead to the same contract.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MetadataContract {
    /// The content identifier of its metadata.
    #[serde(deserialize_with = "optional_segment", skip_serializing_if = "Option::is_none")]
    pub cid: Option<String>,
    /// Its URI exactly as written in a path before the double slash, raw or percent-encoded.
    #[serde(deserialize_with = "optional_path", skip_serializing_if = "Option::is_none")]
    pub uri_path: Option<String>,
    /// Ids of some of its tokens.
    #[serde(deserialize_with = "segments", skip_serializing_if = "Vec::is_empty")]
    pub tokens: Vec<String>,
    /// The id of a token that has overrides.
    #[serde(deserialize_with = "optional_segment", skip_serializing_if = "Option::is_none")]
    pub overridden: Option<String>,
    /// Members that tell the contract's document from others, such as its name.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub document: Map<String, Value>,
    /// Members that tell the document of a token from others, by the token's id.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub token_documents: BTreeMap<String, Map<String, Value>>,
}

/// The readings that the target declares, where the document allows several.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MetadataReadings {
    /// The path of the target's interface description, JSON with `info.version`, such as `/openapi.json`.
    #[serde(deserialize_with = "optional_rooted", skip_serializing_if = "Option::is_none")]
    pub interface_path: Option<String>,
}

table! { "metadata.limits";
    /// The pace of a run.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct MetadataLimits {
        /// At most so many requests per minute. If not set: no limit at loopback and private addresses; elsewhere 600, and half as many after each 429.
        pub requests_per_minute: Option<u32> = "600" => serde(deserialize_with = "optional_at_least_one"),
    }
}

impl MetadataContract {
    /// The contracts in a control API's state.
    pub fn from_state(state: &Value) -> Vec<MetadataContract> {
        let string = |value: &Value| value.as_str().map(str::to_owned);
        let strings = |value: &Value| value.as_array().into_iter().flatten().filter_map(string).collect();
        let contract = |contract: &Value| MetadataContract {
            cid: string(&contract["cid"]),
            uri_path: string(&contract["path"]),
            tokens: strings(&contract["tokens"]),
            overridden: string(&contract["overridden"][0]),
            document: serde_json::from_value(contract["document"].clone()).unwrap_or_default(),
            token_documents: serde_json::from_value(contract["token_documents"].clone()).unwrap_or_default(),
        };
        state["contracts"].as_array().into_iter().flatten().map(contract).collect()
    }
}

/// Whether a string can be in a request line: no spaces, no query, no fragment.
fn is_path(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'?' | b'#'))
}

fn checked<'de, D: Deserializer<'de>>(
    input: D,
    holds: impl Fn(&str) -> bool,
    what: &str,
) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(input)?;
    if holds(&text) { Ok(Some(text)) } else { Err(D::Error::custom(what)) }
}

const SEGMENT: &str = "not a path segment: use printable ASCII without `/`, `?` and `#`";

fn is_segment(text: &str) -> bool {
    is_path(text) && !text.contains('/')
}

fn optional_segment<'de, D: Deserializer<'de>>(input: D) -> Result<Option<String>, D::Error> {
    checked(input, is_segment, SEGMENT)
}

fn optional_path<'de, D: Deserializer<'de>>(input: D) -> Result<Option<String>, D::Error> {
    checked(input, is_path, "not part of a path: use printable ASCII without `?` and `#`")
}

fn optional_rooted<'de, D: Deserializer<'de>>(input: D) -> Result<Option<String>, D::Error> {
    let is_rooted = |text: &str| is_path(text) && text.starts_with('/');
    checked(input, is_rooted, "not a path: it must begin with `/` and must not contain `?` and `#`")
}

fn segments<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<String>, D::Error> {
    let segments = Vec::<String>::deserialize(input)?;
    if segments.iter().all(|segment| is_segment(segment)) {
        Ok(segments)
    } else {
        Err(D::Error::custom(SEGMENT))
    }
}

#[cfg(test)]
mod tests {
    use crate::profile::Profile;

    const FULL: &str = r#"
[metadata]
url = "http://127.0.0.1:4106/"
unknown_token = "999"

[[metadata.contracts]]
cid = "bafy"
uri_path = "https://tokens.example/c%20d"
tokens = ["1", "100000000000000000000"]
overridden = "1"

[[metadata.contracts]]
uri_path = "chain:1:0xab"

[metadata.readings]
interface_path = "/openapi.json"

[metadata.limits]
requests_per_minute = 6
"#;

    #[test]
    fn full_table_is_read_and_written_back() {
        let profile = Profile::parse(FULL, "p.toml").expect("a profile");
        let metadata = profile.metadata.clone().expect("the table");
        assert_eq!(metadata.url, "http://127.0.0.1:4106");
        assert_eq!(metadata.contracts[0].uri_path.as_deref(), Some("https://tokens.example/c%20d"));
        assert_eq!(metadata.contracts[0].tokens, ["1", "100000000000000000000"]);
        assert_eq!(metadata.contracts[1].cid, None);
        assert_eq!(metadata.readings.interface_path.as_deref(), Some("/openapi.json"));
        assert_eq!(metadata.limits.requests_per_minute, Some(6));
        let written = profile.to_toml();
        assert_eq!(Profile::parse(&written, "p.toml").expect("what was written"), profile, "{written}");
    }

    #[test]
    fn errors_show_their_position() {
        let table = |line: &str| format!("[metadata]\nurl = \"http://a\"\n{line}");
        let cases = [
            "[metadata]\nunknown_token = \"1\"".to_owned(),
            table("unknown_token = \"a b\""),
            table("contracts = [{ cid = \"a/b\" }]"),
            table("contracts = [{ uri_path = \"a?b\" }]"),
            table("contracts = [{ tokens = [\"1\", \"\"] }]"),
            table("contracts = [{ uri = \"a\" }]"),
            table("readings = { interface_path = \"openapi.json\" }"),
            table("limits = { requests_per_minute = 0 }"),
        ];
        let error = |text: &String| {
            let wrong = Profile::parse(text, "p.toml").expect_err("wrong").to_string();
            wrong.lines().next().unwrap_or_default().to_owned()
        };
        insta::assert_snapshot!(cases.iter().map(error).collect::<Vec<_>>().join("\n"), @r#"
        p.toml:1:1: metadata: missing field `url`
        p.toml:3:17: metadata.unknown_token: not a path segment: use printable ASCII without `/`, `?` and `#`
        p.toml:3:22: metadata.contracts[0].cid: not a path segment: use printable ASCII without `/`, `?` and `#`
        p.toml:3:27: metadata.contracts[0].uri_path: not part of a path: use printable ASCII without `?` and `#`
        p.toml:3:25: metadata.contracts[0].tokens: not a path segment: use printable ASCII without `/`, `?` and `#`
        p.toml:3:16: metadata.contracts[0].uri: unknown key `uri`; known here: cid, uri_path, tokens, overridden, document, token_documents
        p.toml:3:31: metadata.readings.interface_path: not a path: it must begin with `/` and must not contain `?` and `#`
        p.toml:3:34: metadata.limits.requests_per_minute: must be 1 or more
        "#);
    }

    #[test]
    fn error_shows_which_contract_is_invalid() {
        let contracts =
            "[metadata]\nurl = \"http://a\"\n[[metadata.contracts]]\ncid = \"a\"\n[[metadata.contracts]]\n";
        for (line, words) in [
            ("cid = \"a b\"", "p.toml:6:7: metadata.contracts[1].cid: not a path segment"),
            (
                "cidd = \"a\"",
                "p.toml:6:1: metadata.contracts[1].cidd: unknown key `cidd`; did you mean `cid`?",
            ),
            ("tokens = [\"1\"]", "p.toml:5:1: metadata.contracts[1]: a contract needs cid or uri_path"),
            ("", "p.toml:5:1: metadata.contracts[1]: a contract needs cid or uri_path"),
        ] {
            let wrong = Profile::parse(&format!("{contracts}{line}"), "p.toml").expect_err(line).to_string();
            assert!(wrong.contains(words), "{wrong}");
        }
    }
}
