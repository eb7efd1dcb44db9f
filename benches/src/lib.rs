//! Benchmarks, and what they share: a world with bound domains, and a client that publishes under them. Use them to see what a
//! change costs; each figure is beside that of a peer, or of a lower limit.
//!
//! ```sh
//! cargo bench -p assay-benches --bench submit
//! ```
//!
//! Rule of this layer: public API only, with the peer or the limit in the same group.

pub mod chat;
#[cfg(feature = "peers")]
pub mod peers;
pub mod ratios;
pub mod serving;

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use assay_sim::clock::EPOCH;
use assay_sim::{ExchangeId, Input, Output, RequestHead, Site, World, drop, publish};
use assay_spec::crypto::{ed25519, text};
use assay_spec::publish::envelope::{self, Claims};
use assay_spec::publish::{prepare, submit};
use assay_spec::{Dialect, Instant, Service};
use bytes::Bytes;
use criterion::Criterion;
use ed25519_dalek::SigningKey;
use http::{HeaderMap, HeaderValue, Method, header};
use mimalloc::MiMalloc;
use serde_json::{Value, json};

/// The allocator of the program, for every bench and its peers.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The exchange's site.
pub const EXCHANGE: Site = publish::SITES[0];
/// The chain's site.
pub const CHAIN: Site = publish::SITES[1];
/// A content identifier without content.
pub const CID: &str = "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi";
/// Longer than two slots of the chain: everything broadcast before has landed.
pub const CONFIRMATION_MS: i64 = 800;

/// Settings that keep all benches to about a minute.
pub fn criterion() -> Criterion {
    Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args()
}

/// A publisher: one key, bound to every domain that it uses.
#[derive(Clone, Debug)]
pub struct Publisher {
    key: SigningKey,
    dialect: Dialect,
}

impl Default for Publisher {
    fn default() -> Self {
        Publisher { key: ed25519::key_from_seed([7; 32]), dialect: Dialect::default() }
    }
}

/// A request for a world.
#[derive(Clone, Debug)]
pub struct Post {
    /// The head.
    pub head: RequestHead,
    /// The body.
    pub body: Bytes,
}

impl Publisher {
    /// The key, base58.
    pub fn address(&self) -> String {
        ed25519::address(&self.key)
    }

    /// The name of domain `n`.
    pub fn domain(n: usize) -> String {
        format!("d{n}.assay.example")
    }

    /// A world of `domains` bound domains, at the documented limits.
    pub fn world(&self, domains: usize) -> World {
        let mut world = World::new(1, EPOCH, self.dialect.clone());
        for n in 0..domains {
            let binding = json!({ "domain": Publisher::domain(n), "key": self.address() });
            world.perform("publish.bind", &binding).expect("the action takes a domain and a key");
        }
        world
    }

    /// The body of a prepare.
    pub fn prepare_body(domain: &str) -> String {
        json!({ "op": "pub", "domain": domain, "cid": CID, "version": "1.2.3" }).to_string()
    }

    /// A signed prepare.
    pub fn prepare(&self, domain: &str, now: Instant) -> Post {
        self.post(prepare::ENDPOINT.path, domain, now, Publisher::prepare_body(domain))
    }

    /// A signed submit of a prepare's response.
    pub fn submit(&self, domain: &str, now: Instant, prepared: &Value) -> Post {
        let message = prepared["message"].as_str().and_then(text::parse_base64);
        let message = message.expect("a prepare returns a message");
        let signature = text::base64(&ed25519::sign(&self.key, &message));
        let body = json!({ "prepareId": prepared["prepareId"], "signature": signature }).to_string();
        self.post(submit::ENDPOINT.path, domain, now, body)
    }

    /// The `Authorization` header of a POST.
    pub fn authorization(&self, path: &str, domain: &str, time: Instant, body: &[u8]) -> String {
        envelope::sign(&self.dialect, &self.key, &Claims { method: "POST", path, domain, time, body })
    }

    fn post(&self, path: &str, domain: &str, now: Instant, body: String) -> Post {
        let authorization = self.authorization(path, domain, now, body.as_bytes());
        let mut post = unsigned(path, body);
        let value = HeaderValue::try_from(authorization).expect("the envelope is a header value");
        post.head.headers.insert(header::AUTHORIZATION, value);
        post
    }
}

/// A POST to the exchange without an envelope.
pub fn unsigned(path: &str, body: impl Into<Bytes>) -> Post {
    let mut headers = HeaderMap::new();
    headers.insert(header::HOST, HeaderValue::from_static("publish.sim"));
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let peer = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let head = RequestHead { site: EXCHANGE, peer, method: Method::POST, target: path.to_owned(), headers };
    Post { head, body: body.into() }
}

/// An upload of a zip to the anonymous drop.
pub fn upload(zip: &[u8]) -> Post {
    let form = ["--assay\r\ncontent-disposition: form-data; name=\"artifact\"\r\n\r\n", "\r\n--assay--\r\n"];
    let body = [form[0].as_bytes(), zip, form[1].as_bytes()].concat();
    let mut post = unsigned(assay_spec::drop::upload::ENDPOINT.path, body);
    post.head.site = drop::SITE;
    let value = HeaderValue::from_static("multipart/form-data; boundary=assay");
    post.head.headers.insert(header::CONTENT_TYPE, value);
    post
}

/// A GET of a file under a live site's URL.
pub fn page_of(url: &str, file: &str) -> Post {
    let path = url.splitn(4, '/').last().unwrap_or_default();
    let mut post = unsigned(&format!("/{path}{file}"), Bytes::new());
    (post.head.site, post.head.method) = (drop::SITE, Method::GET);
    post
}

/// Lifts the limits on drops per address and per day.
pub fn lift_drop_limits(world: &mut World) {
    let limits = json!({ "hour_ms": 1, "day_ms": 1 });
    world.set_limits(Service::Drop, &limits).expect("these limits have names");
}

/// Lifts the limits on requests per address and on publishes per domain and day.
pub fn lift_limits(world: &mut World) {
    let limits = json!({ "request_window_ms": 1, "publish_window_ms": 1, "requests_per_window": 100_000 });
    world.set_limits(Service::Publish, &limits).expect("these limits have names");
}

/// Sends a whole request to a world; there may be no output yet.
pub fn input(world: &mut World, post: Post) -> Vec<Output> {
    let exchange = world.next_exchange();
    world.input(Input::Head(Box::new(post.head)));
    // A body that is too large is rejected before its end.
    let early = world.input(Input::Body(exchange, post.body));
    let outputs = world.input(Input::End(exchange));
    if early.is_empty() { outputs } else { early }
}

/// Moves a world's time forward.
pub fn advance(world: &mut World, ms: i64) -> Vec<Output> {
    let until = world.core.now() + ms;
    world.advance_to(until).1
}

/// The status and body of the only response among `outputs`.
pub fn answer(outputs: &[Output]) -> (u16, Bytes) {
    let (mut answered, mut body) = (None, Bytes::new());
    for output in outputs {
        match output {
            Output::Head { status, .. } => answered = Some(*status),
            Output::Frame { bytes, .. } => body = bytes.clone(),
            Output::End { .. } | Output::Cut { .. } | Output::Outgoing { .. } => {}
        }
    }
    (answered.expect("a response begins with its head"), body)
}

/// The exchanges with a 200 response.
pub fn accepted(outputs: &[Output]) -> impl Iterator<Item = ExchangeId> {
    outputs.iter().filter_map(|output| match output {
        Output::Head { exchange, status: 200, .. } => Some(*exchange),
        _ => None,
    })
}

/// Prepares one of the publisher's domains in `world`; returns the response's JSON.
pub fn prepared(world: &mut World, publisher: &Publisher, domain: &str) -> Value {
    let outputs = input(world, publisher.prepare(domain, world.core.now()));
    let (status, body) = answer(&outputs);
    assert_eq!(status, 200, "{}", String::from_utf8_lossy(&body));
    serde_json::from_slice(&body).expect("a prepare returns JSON")
}
