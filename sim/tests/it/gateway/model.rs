//! Requests and responses of a gateway client.

use assay_sim::gateway::GATEWAY;
use assay_sim::{ExchangeId, Reply, Site};
use assay_spec::Service;
use serde_json::{Value, json};

use crate::common::{Call, Driver, body_of};

/// The endpoints that require a key, each with a valid body.
pub(crate) fn families(model: &str) -> [(&'static str, Value); 5] {
    [
        ("/v1/chat/completions", chat(model)),
        ("/v1/completions", json!({ "model": model, "prompt": "Say something." })),
        ("/completions", json!({ "model": model, "prompt": "Say something." })),
        ("/v1/responses", json!({ "model": model, "input": "Say something." })),
        (
            "/v1/messages",
            json!({ "model": model, "max_tokens": 64, "messages": [{ "role": "user", "content": "Say something." }] }),
        ),
    ]
}

/// A conversation of one message.
pub(crate) fn chat(model: &str) -> Value {
    json!({ "model": model, "messages": [{ "role": "user", "content": "Say something about rivers." }] })
}

/// The same, streamed.
pub(crate) fn streamed(model: &str) -> Value {
    let mut body = chat(model);
    body["stream"] = json!(true);
    body
}

/// A POST with this key, if any.
pub(crate) fn post(path: &str, key: Option<&str>, body: &Value) -> Call {
    post_bytes(path, key, body.to_string().into_bytes())
}

pub(crate) fn post_bytes(path: &str, key: Option<&str>, body: Vec<u8>) -> Call {
    let mut headers = vec![("content-type", b"application/json".to_vec())];
    headers.extend(key.map(|key| ("authorization", format!("Bearer {key}").into_bytes())));
    Call::new("POST", path, headers, body)
}

pub(crate) fn get(path: &str, key: Option<&str>) -> Call {
    let headers = key.map(|key| ("authorization", format!("Bearer {key}").into_bytes()));
    Call::new("GET", path, headers.into_iter().collect(), Vec::new())
}

impl Driver {
    pub(crate) fn gateway(&self) -> Value {
        self.world.view(Service::Gateway)
    }

    /// The world's key in this state.
    pub(crate) fn key(&self, state: &str) -> String {
        self.gateway()["keys"][state].as_str().expect("a key").to_owned()
    }

    /// Sends a call to a site and lets as much time pass as the answer takes.
    pub(crate) fn ask_at(&mut self, site: Site, call: &Call) -> Reply {
        let exchange = self.start_at(site, call);
        self.wait(exchange)
    }

    pub(crate) fn request(&mut self, call: &Call) -> Reply {
        self.ask_at(GATEWAY, call)
    }

    /// A chat with a valid key.
    pub(crate) fn chat(&mut self, model: &str) -> Reply {
        let key = self.key("valid");
        self.request(&post("/v1/chat/completions", Some(&key), &chat(model)))
    }

    /// A chat with a valid key that begins to be streamed.
    pub(crate) fn stream(&mut self, site: Site, model: &str) -> ExchangeId {
        let key = self.key("valid");
        self.start_at(site, &post("/v1/chat/completions", Some(&key), &streamed(model)))
    }

    /// Faults that keep servers down, by site name.
    pub(crate) fn down(&mut self, sites: &[&str]) {
        let fault = |site: &&str| json!({ "fault": "gateway.server-down", "where": { "server": site } });
        self.set_faults(&sites.iter().map(fault).collect());
    }

    pub(crate) fn set_variations(&mut self, names: &[&str]) {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        self.world.set_variations(&names).expect("known variations");
    }

    pub(crate) fn set_deviations(&mut self, names: &[&str]) {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        self.world.set_deviations(&names).expect("known deviations");
    }

    pub(crate) fn set_gateway_limits(&mut self, limits: &Value) {
        self.world.set_limits(Service::Gateway, limits).expect("known limits");
    }
}

/// The `detail` of an error, which is a string in every error.
pub(crate) fn detail(reply: &Reply) -> String {
    body_of(reply)["detail"].as_str().unwrap_or_else(|| panic!("no detail: {reply:?}")).to_owned()
}

/// The data of each event of a stream; comments and other fields are ignored.
pub(crate) fn events(body: &[u8]) -> Vec<String> {
    let text = std::str::from_utf8(body).expect("event streams are UTF-8").replace("\r\n", "\n");
    let mut events = Vec::new();
    for block in text.split("\n\n").filter(|block| !block.is_empty()) {
        let data = block.lines().filter_map(|line| line.strip_prefix("data:"));
        let data: Vec<&str> = data.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
        events.push(data.join("\n"));
    }
    events
}

/// The concatenated deltas of a stream.
pub(crate) fn said(body: &[u8]) -> String {
    let events = events(body);
    let chunks = events.iter().filter(|data| *data != "[DONE]");
    let chunks = chunks.map(|data| serde_json::from_str::<Value>(data).expect("JSON"));
    chunks
        .map(|chunk| chunk["choices"][0]["delta"]["content"].as_str().unwrap_or_default().to_owned())
        .collect()
}

/// The text of a whole chat completion.
pub(crate) fn text_of(reply: &Reply) -> String {
    body_of(reply)["choices"][0]["message"]["content"].as_str().expect("a string").to_owned()
}
