//! Hostile input to the gateway: each returns a documented status, nothing hangs or causes an internal error, and the
//! next valid request is still accepted.

use std::time::Duration;

use assay_spec::{Dialect, Service};
use assay_suites::embedded::Embedded;
use assay_suites::harness::{environment::Environment, target::Target};
use assay_suites::http::client::{Limits, exchange};
use assay_suites::http::exchange::{Request, Response};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Every endpoint that takes a body.
const POSTS: [&str; 5] =
    ["/v1/chat/completions", "/v1/completions", "/completions", "/v1/responses", "/v1/messages"];
/// The statuses that a hostile body may return.
const DOCUMENTED: [u16; 4] = [200, 404, 413, 422];

/// A simulated gateway and a valid key.
struct Gateway {
    environment: Environment,
    key: String,
}

impl Gateway {
    async fn start() -> Gateway {
        let target = Embedded::new(1, Dialect::default());
        let environment = target.environment(Service::Gateway).await.expect("a world");
        let control = environment.control.clone().expect("its control API");
        let state = control.call("GET", "state", None).await.expect("its state");
        let key = state["gateway"]["keys"]["valid"].as_str().expect("a valid key").to_owned();
        Gateway { environment, key }
    }

    async fn send(&self, request: Request) -> Response {
        let base = &self.environment.sites["gateway"];
        let stream = self.environment.connector.connect(base, None).await.expect("the gateway listens");
        let limits = Limits { timeout: Duration::from_mins(1), ..Limits::default() };
        exchange(stream, &request, "gateway.sim", limits).await.expect("an answer")
    }

    fn request(&self, method: &str, path: &str) -> Request {
        Request::new(method, path).header("Authorization", format!("Bearer {}", self.key))
    }

    /// Posts a body with a JSON content type.
    async fn post(&self, path: &str, body: impl Into<Vec<u8>>) -> Response {
        let request = self.request("POST", path).header("Content-Type", "application/json");
        self.send(request.body(body)).await
    }

    /// Asserts that an ordinary chat is still accepted.
    async fn still_answers(&self) {
        let response = self.post(POSTS[0], good().to_string()).await;
        assert_eq!(response.status, 200, "{}", response.text());
    }
}

fn good() -> Value {
    json!({ "model": "assay-chat", "messages": [{ "role": "user", "content": "hello" }] })
}

fn chat(messages: &Value) -> Vec<u8> {
    json!({ "model": "assay-chat", "messages": messages }).to_string().into_bytes()
}

fn expect(what: &str, response: &Response, wanted: &[u16]) {
    let (status, text) = (response.status, response.text());
    let shown: String = text.chars().take(300).collect();
    assert!(wanted.contains(&status), "{what}: {status} instead of {wanted:?}: {shown}");
    if status >= 400 {
        let body = response.json().unwrap_or_default();
        assert!(body["detail"].is_string(), "{what}: {status} without a detail: {shown}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_that_are_not_valid_json_are_rejected_everywhere() {
    let gateway = Gateway::start().await;
    let (open, close) = ("[".repeat(100_000), "]".repeat(100_000));
    let bodies: Vec<(&str, Vec<u8>)> = vec![
        ("nothing", Vec::new()),
        ("spaces", b" \n".to_vec()),
        ("not JSON", b"hello".to_vec()),
        ("truncated JSON", br#"{"model":"assay-chat","mess"#.to_vec()),
        ("two JSON values", b"{}{}".to_vec()),
        ("a comment", b"{/* */}".to_vec()),
        ("a byte order mark", b"\xef\xbb\xbf{}".to_vec()),
        ("UTF-16", b"{\0}\0".to_vec()),
        ("invalid UTF-8", b"{\"model\":\"assay-chat\xff\"}".to_vec()),
        ("a truncated character", b"{\"model\":\"\xf0\x9f\xa6\"}".to_vec()),
        ("an overlong slash", b"{\"model\":\"\xc0\xaf\"}".to_vec()),
        ("a raw NUL", b"{\"model\":\"a\0b\"}".to_vec()),
        ("half a surrogate", br#"{"model":"\ud800","messages":[]}"#.to_vec()),
        ("null", b"null".to_vec()),
        ("a number", b"1e999".to_vec()),
        ("an array", b"[]".to_vec()),
        ("an empty object", b"{}".to_vec()),
        ("a deeply nested array", format!("{open}{close}").into_bytes()),
        ("a deeply nested array without its end", open.into_bytes()),
        ("binary data", vec![0xff; 4096]),
    ];
    for path in POSTS {
        for (what, body) in &bodies {
            expect(&format!("{what} at {path}"), &gateway.post(path, body.clone()).await, &[422]);
        }
    }
    gateway.still_answers().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn large_messages_are_accepted_or_rejected() {
    let gateway = Gateway::start().await;
    let many: Vec<Value> = (0..100_000)
        .map(|n| json!({ "role": "user", "content": format!("message {n}: {}", "word ".repeat(16)) }))
        .collect();
    let body = chat(&Value::Array(many));
    assert!(body.len() > 10_000_000);
    expect("10 MB of messages", &gateway.post(POSTS[0], body).await, &[200, 413, 422]);
    let long = chat(&json!([{ "role": "user", "content": "word ".repeat(2_000_000) }]));
    expect("one message of 10 MB", &gateway.post(POSTS[0], long).await, &[200, 413, 422]);
    let image = format!("data:image/png;base64,{}", "A".repeat(10_000_000));
    let parts = json!([{ "type": "image_url", "image_url": { "url": image } }]);
    let body = chat(&json!([{ "role": "user", "content": parts }]));
    expect("an image of 10 MB", &gateway.post(POSTS[0], body).await, &[200, 413, 422]);
    let huge = vec![b' '; 64 * 1024 * 1024];
    expect("64 MB of spaces", &gateway.post(POSTS[0], huge).await, &[413, 422]);
    gateway.still_answers().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_members_are_rejected() {
    let gateway = Gateway::start().await;
    let tool = |function: Value| {
        let mut body = good();
        body["tools"] = json!([{ "type": "function", "function": function }]);
        body.to_string().into_bytes()
    };
    let image = |url: &str| {
        let parts = json!([{ "type": "image_url", "image_url": { "url": url } }]);
        chat(&json!([{ "role": "user", "content": parts }]))
    };
    let user = |content: Value| chat(&json!([{ "role": "user", "content": content }]));
    let cases: Vec<(&str, Vec<u8>, &[u16])> = vec![
        ("an unknown role", chat(&json!([{ "role": "emperor", "content": "x" }])), &[422, 200]),
        ("an empty role", chat(&json!([{ "role": "", "content": "x" }])), &[422, 200]),
        ("a role with NUL", chat(&json!([{ "role": "user\u{0}", "content": "x" }])), &[422, 200]),
        ("no messages", chat(&json!([])), &[422, 200]),
        ("a null message", chat(&json!([null])), &[422]),
        ("no parts", user(json!([])), &[422, 200]),
        ("a part without a type", user(json!([{ "text": "x" }])), &[422]),
        ("NUL in content", user(json!("a\u{0}b")), &[200]),
        ("bidirectional control characters", user(json!("\u{202e}\u{feff}\u{2028}")), &[200]),
        (
            "a model with NUL",
            good().to_string().replace("assay-chat", "assay-chat\\u0000").into_bytes(),
            &[404],
        ),
        ("a model with slashes", good().to_string().replace("assay-chat", "../../etc").into_bytes(), &[404]),
        ("an empty model", good().to_string().replace("assay-chat", "").into_bytes(), &[404, 422]),
        ("a tool without a name", tool(json!({ "parameters": {} })), &[422]),
        ("a tool with an empty name", tool(json!({ "name": "" })), &[422, 200]),
        ("a tool with NUL in its name", tool(json!({ "name": "a\u{0}" })), &[422, 200]),
        (
            "a schema that refers to itself",
            tool(json!({ "name": "a", "parameters": { "type": "object", "$ref": "#" } })),
            &[422, 200],
        ),
        (
            "a schema that nothing satisfies",
            tool(json!({ "name": "a", "parameters": {
                "type": "object", "required": ["x"],
                "properties": { "x": { "type": "string", "pattern": "(a*)*b$", "minLength": 1e9, "enum": [] } },
            } })),
            &[422, 200],
        ),
        (
            "a schema with a huge minItems",
            tool(json!({ "name": "a", "parameters": {
                "type": "object", "required": ["x"],
                "properties": { "x": { "type": "array", "minItems": 1_000_000_000, "items": { "type": "string" } } },
            } })),
            &[422, 200],
        ),
        ("an image that is not base64", image("data:image/png;base64,@@@@"), &[422, 200]),
        ("an empty image", image("data:image/png;base64,"), &[422, 200]),
        ("an image without base64", image("data:image/png,abc"), &[422, 200]),
        ("a file URL as image", image("file:///etc/passwd"), &[422, 200]),
        ("an unreachable image URL", image("http://127.0.0.1:1/x.png"), &[422, 200]),
        ("an image URL with a line break", image("data:image/png;base64,AAAA\r\nX: 1"), &[422, 200]),
        ("an image with huge declared dimensions", image(&huge_png()), &[422, 200]),
    ];
    for (what, body, wanted) in cases {
        expect(what, &gateway.post(POSTS[0], body).await, wanted);
    }
    let twice = good().to_string().replacen('{', r#"{"model":7,"#, 1);
    expect("a member twice", &gateway.post(POSTS[0], twice).await, &[200, 422]);
    for number in ["1e999", "-1", "0", "0.5", "1e3", "18446744073709551616", &"9".repeat(1000)] {
        let body = format!(
            r#"{{"model":"assay-chat","max_tokens":{number},"messages":[{{"role":"user","content":"x"}}]}}"#
        );
        for path in [POSTS[0], POSTS[4]] {
            let what: String = format!("max_tokens {number} at {path}").chars().take(80).collect();
            expect(&what, &gateway.post(path, body.clone()).await, &[200, 422]);
        }
    }
    gateway.still_answers().await;
}

/// A PNG whose header declares four billion columns and rows.
fn huge_png() -> String {
    use base64::Engine;
    let head = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\xff\xff\xff\xff\xff\xff\xff\x08\x02\0\0\0\0\0\0\0";
    format!("data:image/png;base64,{}", base64::engine::general_purpose::STANDARD.encode(head))
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_and_traversing_paths_are_rejected() {
    let gateway = Gateway::start().await;
    for path in [
        "/%00",
        "/v1/models%00",
        "/v1%2Fmodels",
        "/v1%2fchat%2fcompletions",
        "/v1/%2e%2e/svc/models",
        "/v1/../svc/models",
        "/svc/auth/%2e%2e/models",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/v1/models/",
        "//v1/models",
        "/v1//models",
        "/V1/MODELS",
        "/v1/models;x=1",
        "/v1/models%20",
        "/v1/models%",
        "/v1/models%zz",
        "/v1/%ff%fe",
        "/v1/mod\u{e9}ls",
        "*",
        "/_sim/v1/state",
        "/stand-in/v1/resolve/",
        "/stand-in/v1/resolve/%00",
        "/stand-in/v1/resolve/..%2f..",
    ] {
        for method in ["GET", "POST"] {
            let response = gateway.send(gateway.request(method, path)).await;
            let status = response.status;
            assert!(
                [400, 404, 405, 422].contains(&status),
                "{method} {path:?}: {status} {}",
                response.text()
            );
        }
    }
    let long = format!("/v1/{}", "a".repeat(50_000));
    let status = gateway.send(gateway.request("GET", &long)).await.status;
    assert!([404, 414, 431].contains(&status), "{status}");
    // A query changes nothing.
    let status = gateway.send(gateway.request("GET", "/v1/models?%00=%ff&&=")).await.status;
    assert_eq!(status, 200);
    for method in ["PUT", "DELETE", "PATCH", "OPTIONS", "BREW"] {
        let status = gateway.send(gateway.request(method, POSTS[0])).await.status;
        assert!([400, 404, 405, 501].contains(&status), "{method}: {status}");
    }
    gateway.still_answers().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_keys_are_rejected() {
    let gateway = Gateway::start().await;
    let key = gateway.key.clone();
    let values: Vec<Vec<u8>> = vec![
        Vec::new(),
        b"Bearer".to_vec(),
        b"Bearer ".to_vec(),
        b"Bearer \xff\xfe".to_vec(),
        b"Bearer a\tb".to_vec(),
        b"Basic dXNlcjpwYXNz".to_vec(),
        format!("Bearer {key}, Bearer {key}").into_bytes(),
        format!("Bearer {key} {key}").into_bytes(),
        format!("Bearer {}", &key[..key.len() - 1]).into_bytes(),
        format!("Bearer {}", key.to_ascii_uppercase()).into_bytes(),
        format!("Bearer \"{key}\"").into_bytes(),
        format!("Bearer {}", "k".repeat(50_000)).into_bytes(),
        b"Bearer ' OR 1=1 --".to_vec(),
    ];
    for value in values {
        for path in POSTS {
            let request = Request::new("POST", path)
                .header("Authorization", value.clone())
                .header("Content-Type", "application/json")
                .body(good().to_string());
            let response = gateway.send(request).await;
            let shown = String::from_utf8_lossy(&value).chars().take(60).collect::<String>();
            expect(&format!("{shown:?} at {path}"), &response, &[401]);
        }
        let check = Request::new("GET", "/svc/auth/check").header("Authorization", value);
        assert_eq!(gateway.send(check).await.status, 401);
    }
    gateway.still_answers().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_payments_cause_no_error() {
    let gateway = Gateway::start().await;
    let control = gateway.environment.control.clone().expect("a control API");
    control.perform("gateway.payments", json!({ "on": true })).await.expect("the payment flow is enabled");
    let long = vec![b'A'; 50_000];
    for value in [&b""[..], b"{", b"\xff\xfe", b"null", b"not base64 at all!", &long] {
        let request = Request::new("POST", POSTS[0])
            .header("X-PAYMENT", value)
            .header("Content-Type", "application/json")
            .body(good().to_string());
        let response = gateway.send(request).await;
        let shown: String = String::from_utf8_lossy(value).chars().take(20).collect();
        expect(&shown, &response, &[402]);
    }
    gateway.still_answers().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn disconnecting_clients_do_no_harm() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let gateway = Gateway::start().await;
    let mut body = good();
    body["stream"] = json!(true);
    let request = gateway.request("POST", POSTS[0]).header("Content-Type", "application/json");
    let bytes = request.body(body.to_string()).bytes("gateway.sim");
    for sent in [1, 40, bytes.len() - 5, bytes.len()] {
        for read in [0, 1, 200] {
            let base = &gateway.environment.sites["gateway"];
            let mut stream =
                gateway.environment.connector.connect(base, None).await.expect("the gateway listens");
            stream.write_all(&bytes[..sent]).await.expect("the request is sent");
            if sent == bytes.len() && read > 0 {
                let mut some = vec![0; read];
                stream.read_exact(&mut some).await.expect("the start of a response");
            }
            drop(stream);
        }
    }
    gateway.still_answers().await;
}

/// JSON of any shape with limited depth.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        prop::sample::select(vec![
            "user",
            "tool",
            "assistant",
            "text",
            "image_url",
            "function",
            "assay-chat"
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let name = prop::sample::select(vec![
            "type",
            "text",
            "image_url",
            "url",
            "role",
            "content",
            "tool_call_id",
            "tool_calls",
            "function",
            "name",
            "parameters",
            "properties",
            "required",
            "x",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((name, inner), 0..4).prop_map(|members| {
                members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
            }),
        ]
    })
}

#[test]
fn any_body_returns_a_documented_status() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let gateway = runtime.block_on(Gateway::start());
    let member = prop::sample::select(vec![
        "model",
        "messages",
        "stream",
        "tools",
        "tool_choice",
        "max_tokens",
        "prompt",
        "input",
        "system",
        "n",
        "temperature",
        "response_format",
        "stop",
    ]);
    let path = prop::sample::select(POSTS.to_vec());
    let config = ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(path in path, changes in prop::collection::vec((member, any_json()), 1..4))| {
        let mut body = json!({
            "model": "assay-chat", "max_tokens": 8, "prompt": "x", "input": "x",
            "messages": [{ "role": "user", "content": "x" }],
        });
        for (member, value) in changes {
            body[member] = value;
        }
        let response = runtime.block_on(gateway.post(path, body.to_string()));
        prop_assert!(DOCUMENTED.contains(&response.status), "{path} {body}: {}", response.status);
    });
    runtime.block_on(gateway.still_answers());
}
