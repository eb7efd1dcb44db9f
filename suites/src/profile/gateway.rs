//! The `[gateway]` table of a profile: the inference gateway.

use std::fmt;

use serde::de::{Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::key::{Key, Section, table};
use super::secret::NOT_INLINE;
use super::{
    Endpoints, GatewayApi, HeaderSecret, Secret, at_least_one, base_url, base_urls, is_default,
    optional_at_least_one, optional_base_url,
};

table! { "gateway";
    /// A target of the gateway's suite.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct Gateway {
        /// Base URL of the gateway, without a trailing slash.
        pub url: String => serde(deserialize_with = "base_url"),
        /// A valid API key. Without one only endpoints that need no key are tested.
        pub key: Option<HeaderSecret> = "{ env = \"GATEWAY_KEY\" }",
        /// Servers of the chat model to call directly, instead of those that discovery lists.
        pub server_urls: Vec<String> = "[\"https://127.0.0.1:4103\"]"
            => serde(default, deserialize_with = "base_urls", skip_serializing_if = "Vec::is_empty"),
        /// A key that was revoked, for 2 more checks.
        pub revoked_key: Option<HeaderSecret> = "{ file = \"revoked.key\" }",
        /// A second valid key, which only the run uses: its tokens are counted.
        pub second_key: Option<HeaderSecret> = "{ env = \"SECOND_GATEWAY_KEY\" }",
        /// Values of X-PAYMENT, each for one request without a key, or `{ command = ["PROGRAM"] }` that prints a new one: 2 more
        /// checks with `readings.payment_flow`.
        pub payments: Option<Payments> = "[{ env = \"GATEWAY_PAYMENT\" }, { file = \"second.payment\" }]"
            => serde(alias = "payment"),
        /// A URL that returns JSON with the number of tokens that `second_key` has spent, for 1 more check.
        pub usage_url: Option<String> = "\"http://127.0.0.1:4101/usage\""
            => serde(default, deserialize_with = "optional_base_url"),
        /// The path of that number.
        pub usage_path: Option<IdPath> = "\"spent\"",
        /// The endpoints that the target offers: all except those set to `false` here.
        pub endpoints: Endpoints<GatewayApi> => serde(default, skip_serializing_if = "is_default"),
        /// Models of the target, by capability.
        pub models: GatewayModels => serde(default, skip_serializing_if = "is_default"),
        /// The readings that the target declares.
        pub readings: GatewayReadings => serde(default, skip_serializing_if = "is_default"),
        /// The pace of a run.
        pub limits: GatewayLimits => serde(default, skip_serializing_if = "is_default"),
    }
}

impl Section for Gateway {
    const TABLES: &'static [&'static str] =
        &["gateway", "gateway.endpoints", "gateway.models", "gateway.readings", "gateway.limits"];
    const KEYS: &'static [&'static [Key]] = &[Gateway::KEYS, GatewayModels::KEYS, GatewayLimits::KEYS];
}

/// Where payments come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Payments {
    /// Values. A run sends none of them twice where a reply is wanted.
    Values(Vec<HeaderSecret>),
    /// A program and its arguments. It prints one payment, and is started for each request.
    Command {
        /// The program, then its arguments.
        command: Vec<String>,
    },
}

/// Written by hand, since a derived implementation would quote an inline secret in its error.
impl<'de> Deserialize<'de> for Payments {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_any(PaymentsVisitor)
    }
}

struct PaymentsVisitor;

impl<'de> Visitor<'de> for PaymentsVisitor {
    type Value = Payments;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of secrets, or { command = [\"PROGRAM\", \"ARGUMENT\"] }")
    }

    fn visit_str<E: serde::de::Error>(self, _: &str) -> Result<Payments, E> {
        Err(E::custom(NOT_INLINE))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Payments, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = seq.next_element()? {
            values.push(value);
        }
        Ok(Payments::Values(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Payments, A::Error> {
        let found = match map.next_key::<String>()?.as_deref() {
            Some("command") => Payments::Command { command: map.next_value()? },
            Some("env") => Payments::Values(vec![Secret::Env(map.next_value()?)]),
            Some("file") => Payments::Values(vec![Secret::File(map.next_value()?)]),
            _ => return Err(A::Error::custom("not a list of secrets, { env }, { file } or { command }")),
        };
        match map.next_key::<String>()? {
            None => Ok(found),
            Some(_) => Err(A::Error::custom("payments have one source: a list, env, file or command")),
        }
    }
}

table! { "gateway.models";
    /// Ids of models by capability. The API has no field that shows capabilities.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct GatewayModels {
        /// A text model. If not set, the first model in discovery that answers is used.
        pub chat: Option<String> = "\"name\"",
        /// A model that is flagged for tool calls. The API has no field that shows this.
        pub tools: Option<String> = "\"name\"",
        /// A model that calls each tool that a prompt names, with arguments that fit, and repeats its result, for 2 more
        /// checks.
        pub always_calls: Option<String> = "\"name\"",
        /// A model that accepts images.
        pub vision: Option<String> = "\"name\"",
        /// A model whose servers have all failed, for 3 more checks.
        pub down: Option<String> = "\"name\"",
        /// A model with several servers, of which one has failed, for 1 more check.
        pub one_down: Option<String> = "\"name\"",
        /// A model whose streams fail midway, for 1 more check.
        pub fails_midway: Option<String> = "\"name\"",
    }
}

/// The readings that the target declares, where the document allows several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_excessive_bools, reason = "one field for each key of the profile")]
pub struct GatewayReadings {
    /// A request without a key may return 402.
    pub payment_flow: bool,
    /// The form of `detail` in a 422.
    pub gateway_422_detail: Detail,
    /// The path of the ids in the model list.
    pub models_id_path: IdPath,
    /// A payment pays for one request.
    pub payments_single_use: bool,
    /// Discovery may list servers without TLS, as in a test setup.
    pub allow_http_servers: bool,
    /// Replies contain what common client libraries read beyond the document: the content and the ids of tool calls.
    pub wire_compat: bool,
    /// The value of the version header.
    pub version: String,
}

impl Default for GatewayReadings {
    fn default() -> Self {
        Self {
            payment_flow: false,
            gateway_422_detail: Detail::default(),
            models_id_path: IdPath::default(),
            payments_single_use: false,
            allow_http_servers: false,
            wire_compat: false,
            version: VERSION.to_owned(),
        }
    }
}

/// The default date in the version header. The document does not show which dates a target accepts.
pub const VERSION: &str = "2023-06-01";

/// The form of an error's `detail`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Detail {
    /// A string, as the document says.
    #[default]
    String,
    /// An array, as a common framework writes it.
    Array,
    /// Either.
    Either,
}

impl Detail {
    /// The form in words.
    pub const fn words(self) -> &'static str {
        match self {
            Detail::String => "a string",
            Detail::Array => "an array",
            Detail::Either => "a string or an array",
        }
    }

    /// Whether a `detail` has this form.
    pub fn holds(self, detail: &Value) -> bool {
        match self {
            Detail::String => detail.is_string(),
            Detail::Array => detail.is_array(),
            Detail::Either => detail.is_string() || detail.is_array(),
        }
    }
}

/// A path to strings in a JSON document: `data[].id` is the `id` of every element of `data`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdPath(Vec<Step>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Member(String),
    Each,
}

impl Default for IdPath {
    fn default() -> Self {
        IdPath(vec![Step::Member("data".to_owned()), Step::Each, Step::Member("id".to_owned())])
    }
}

impl IdPath {
    /// Parses `data[].id`, `[].id` or `models[]`.
    pub fn parse(text: &str) -> Option<IdPath> {
        let mut steps = Vec::new();
        for (n, part) in text.split('.').enumerate() {
            let name = part.trim_end_matches("[]");
            // Only the whole document has no name.
            if name.contains(['[', ']']) || (name.is_empty() && (n > 0 || part.is_empty())) {
                return None;
            }
            if !name.is_empty() {
                steps.push(Step::Member(name.to_owned()));
            }
            steps.extend((0..(part.len() - name.len()) / 2).map(|_| Step::Each));
        }
        Some(IdPath(steps))
    }

    /// The default path of the tokens that a key has spent.
    pub(crate) fn spent() -> IdPath {
        IdPath(vec![Step::Member("spent".to_owned())])
    }

    /// The values at the path; `None` if it does not exist.
    pub fn resolve<'d>(&self, document: &'d Value) -> Option<Vec<&'d Value>> {
        let mut found = vec![document];
        for step in &self.0 {
            found = match step {
                Step::Member(name) => found.into_iter().map(|one| one.get(name)).collect::<Option<_>>()?,
                Step::Each => found
                    .into_iter()
                    .map(Value::as_array)
                    .collect::<Option<Vec<_>>>()?
                    .into_iter()
                    .flatten()
                    .collect(),
            };
        }
        Some(found)
    }
}

impl fmt::Display for IdPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, step) in self.0.iter().enumerate() {
            match step {
                Step::Member(name) if n == 0 => f.write_str(name)?,
                Step::Member(name) => write!(f, ".{name}")?,
                Step::Each => f.write_str("[]")?,
            }
        }
        Ok(())
    }
}

impl Serialize for IdPath {
    fn serialize<S: serde::Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for IdPath {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let text = String::deserialize(input)?;
        IdPath::parse(&text).ok_or_else(|| D::Error::custom("not a path to ids, such as data[].id"))
    }
}

table! { "gateway.limits";
    /// The pace of a run.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct GatewayLimits {
        /// At most so many requests per minute to the gateway and its servers together. If not set: no limit at loopback and private addresses; elsewhere 600, and half as many after each 429.
        pub requests_per_minute: Option<u32> = "600" => serde(deserialize_with = "optional_at_least_one"),
        /// The time limit for a complete response, in seconds.
        pub answer_seconds: u32 = "60" => serde(deserialize_with = "at_least_one"),
    }
}

impl Default for GatewayLimits {
    fn default() -> Self {
        Self { requests_per_minute: None, answer_seconds: 60 }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;
    use crate::profile::Profile;

    const FULL: &str = r#"
[gateway]
url = "http://127.0.0.1:4101/"
server_urls = ["https://127.0.0.1:4103/"]
key = { env = "KEY" }
revoked_key = { file = "revoked.key" }
second_key = { env = "SECOND" }
payments = [{ env = "PAYMENT" }, { file = "second.payment" }]
usage_url = "http://127.0.0.1:4101/usage"
usage_path = "tokens.spent"
endpoints = { native_completions = false, messages = true }
models = { chat = "a", tools = "b", always_calls = "g", vision = "c", down = "d", one_down = "e", fails_midway = "f" }
limits = { requests_per_minute = 5, answer_seconds = 300 }

[gateway.readings]
payment_flow = true
gateway_422_detail = "either"
models_id_path = "[].model.name"
payments_single_use = true
allow_http_servers = true
wire_compat = true
version = "2026-01-01"
"#;

    #[test]
    fn full_table_is_read_and_written_back() {
        let profile = Profile::parse(FULL, "p.toml").expect("a profile");
        let gateway = profile.gateway.clone().expect("the table");
        assert_eq!(gateway.url, "http://127.0.0.1:4101");
        assert_eq!(gateway.server_urls, ["https://127.0.0.1:4103"]);
        assert_eq!(gateway.endpoints.absent(), BTreeSet::from(["native-completions"]));
        assert_eq!(gateway.models.vision.as_deref(), Some("c"));
        assert_eq!(gateway.readings.gateway_422_detail, Detail::Either);
        let written = profile.to_toml();
        assert_eq!(Profile::parse(&written, "p.toml").expect("what was written"), profile, "{written}");
    }

    #[test]
    fn payments_are_values_or_a_command() {
        let read = |text: &str| {
            let text = format!("[gateway]\nurl = \"http://a\"\npayments = {text}");
            let profile = Profile::parse(&text, "p.toml").expect("a profile");
            let written = Profile::parse(&profile.to_toml(), "p.toml").expect("what was written");
            assert_eq!(written, profile, "{text}");
            let secrets: Vec<String> = profile.secrets().into_iter().map(|(key, _)| key).collect();
            let reads = profile.reads().count();
            (profile.gateway.expect("the table").payments.expect("payments"), secrets, reads)
        };
        let one = Payments::Values(vec![Secret::Env("A".to_owned())]);
        assert_eq!(read("{ env = \"A\" }"), (one, vec!["gateway.payments[0]".to_owned()], 1));
        let two = ["gateway.payments[0]", "gateway.payments[1]"].map(str::to_owned).to_vec();
        assert_eq!(read("[{ env = \"A\" }, { file = \"b\" }]").1, two);
        let command = Payments::Command { command: vec!["pay".to_owned(), "1".to_owned()] };
        assert_eq!(read("{ command = [\"pay\", \"1\"] }"), (command, Vec::new(), 1));
    }

    #[test]
    fn missing_keys_have_the_documents_defaults() {
        let profile = Profile::parse("[gateway]\nurl = \"http://a\"", "p.toml").expect("a profile");
        let gateway = profile.gateway.expect("the table");
        assert_eq!(gateway.readings, GatewayReadings::default());
        assert!(!gateway.readings.payment_flow && !gateway.readings.wire_compat);
        assert_eq!(gateway.readings.models_id_path.to_string(), "data[].id");
        assert!(gateway.key.is_none() && gateway.endpoints.absent().is_empty());
    }

    #[test]
    fn ids_are_found_at_the_path() {
        let list = json!({ "data": [{ "id": "a" }, { "id": "b", "more": 1 }], "object": "list" });
        let resolve = |path: &str, document: &Value| {
            let found = IdPath::parse(path).expect("a path").resolve(document)?.into_iter().cloned();
            Some(found.collect::<Vec<_>>())
        };
        let two = Some(vec![json!("a"), json!("b")]);
        assert_eq!(resolve("data[].id", &list), two);
        assert_eq!(resolve("[]", &json!(["a", "b"])), two);
        assert_eq!(resolve("models[]", &json!({ "models": ["a", "b"] })), two);
        assert_eq!(resolve("a.b[][].c", &json!({ "a": { "b": [[{ "c": "a" }], [{ "c": "b" }]] } })), two);
        assert_eq!(resolve("data[].id", &json!({ "data": [] })), Some(Vec::new()));
        for other in [json!({}), json!({ "data": {} }), json!({ "data": [{}] }), json!([])] {
            assert_eq!(resolve("data[].id", &other), None, "{other}");
        }
    }

    #[test]
    fn errors_show_their_position_and_no_secret() {
        let cases = [
            "[gateway]\nkey = { env = \"K\" }",
            "[gateway]\nurl = \"http://a\"\nkey = \"sk-written-here\"",
            "[gateway]\nurl = \"http://a\"\nrevoked_key = \"sk-written-here\"",
            "[gateway]\nurl = \"http://a\"\npayments = [\"pay-written-here\"]",
            "[gateway]\nurl = \"http://a\"\npayments = \"pay-written-here\"",
            "[gateway]\nurl = \"http://a\"\npayments = { print = \"x\" }",
            "[gateway]\nurl = \"http://a\"\npayment = \"pay-written-here\"",
            "[gateway]\nurl = \"http://a\"\n[gateway.endpoints]\nmesages = false",
            "[gateway]\nurl = \"http://a\"\nreadings = { models_id_path = \"data[0].id\" }",
            "[gateway]\nurl = \"http://a\"\nreadings = { gateway_422_detail = \"text\" }",
            "[gateway]\nurl = \"http://a\"\nlimits = { answer_seconds = 0 }",
        ];
        let error = |text: &str| {
            let wrong = Profile::parse(text, "p.toml").expect_err("wrong").to_string();
            assert!(!wrong.contains("written-here"), "{wrong}");
            wrong.lines().next().unwrap_or_default().to_owned()
        };
        insta::assert_snapshot!(cases.map(error).join("\n"), @r#"
        p.toml:1:1: gateway: missing field `url`
        p.toml:3:7: gateway.key: a secret must not be in the profile; write { env = "NAME" } or { file = "path" }
        p.toml:3:15: gateway.revoked_key: a secret must not be in the profile; write { env = "NAME" } or { file = "path" }
        p.toml:3:13: gateway.payments[0]: a secret must not be in the profile; write { env = "NAME" } or { file = "path" }
        p.toml:3:12: gateway.payments: a secret must not be in the profile; write { env = "NAME" } or { file = "path" }
        p.toml:3:12: gateway.payments: not a list of secrets, { env }, { file } or { command }
        p.toml:3:11: gateway.payment: a secret must not be in the profile; write { env = "NAME" } or { file = "path" }
        p.toml:4:1: gateway.endpoints.mesages: unknown key `mesages`; did you mean `messages`?
        p.toml:3:31: gateway.readings.models_id_path: not a path to ids, such as data[].id
        p.toml:3:35: gateway.readings.gateway_422_detail: unknown value `text`; known here: string, array, either
        p.toml:3:29: gateway.limits.answer_seconds: must be 1 or more
        "#);
    }

    #[test]
    fn path_consists_of_names_and_brackets() {
        for text in ["data[].id", "[].id", "[]", "a.b", "a[][].b"] {
            assert_eq!(IdPath::parse(text).map(|path| path.to_string()).as_deref(), Some(text));
        }
        for text in ["", ".", "a.", ".a", "a[0]", "a[", "a..b", "a.[].b", "a[]b"] {
            assert_eq!(IdPath::parse(text), None, "{text}");
        }
    }
}
