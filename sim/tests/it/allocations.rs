//! What requests allocate, and that they leave nothing behind once every bounded list is full. Allocations are counted, so the
//! figures are the same on every machine.

use allocation_counter::measure;
use assay_sim::clock::EPOCH;
use assay_sim::gateway::GATEWAY;
use assay_sim::network::sites::PRIMARY;
use assay_sim::publish::SITES;
use assay_sim::{Input, Site, drop, metadata, world};
use assay_spec::{Service, catalogue};
use serde_json::json;

use crate::common::{Call, Client, Driver, PREPARE};

/// After this many requests of one kind, journal and log are full.
const WARM: usize = 2_000;
const COUNTED: usize = 1_000;
/// The time between two requests: longer than the windows of rates.
const STEP_MS: i64 = 10;

/// One kind of request.
struct Kind {
    site: Site,
    call: Call,
    status: u16,
    /// The most allocations for a request and its response: about a tenth above what was counted.
    most: u64,
}

fn kinds() -> Vec<Kind> {
    let get = |target: &str| Call::new("GET", target, Vec::new(), Vec::new());
    let post = |target: &str, body: &str| {
        let headers = vec![("content-type", b"application/json".to_vec())];
        Call::new("POST", target, headers, body.as_bytes().to_vec())
    };
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"getHealth"}"#;
    let alice = Client::new(1, "a.example");
    let kind = |site, call, status, most| Kind { site, call, status, most };
    vec![
        kind(SITES[1], get("/health"), 200, 20),
        kind(SITES[1], post("/", call), 200, 44),
        kind(SITES[0], alice.publish(EPOCH), 404, 63),
        kind(SITES[0], post(PREPARE, "{}"), 404, 47),
        kind(metadata::SITE, get("/unknown"), 404, 43),
        kind(GATEWAY, get("/v1/models"), 200, 195),
        kind(GATEWAY, post("/v1/chat/completions", "{}"), 401, 62),
        kind(PRIMARY, get("/api/v0/messages.json"), 200, 42),
        kind(PRIMARY, get("/api/v0/messages/unknown"), 404, 58),
        kind(drop::SITE, get("/unknown"), 404, 28),
    ]
}

/// A world whose windows of rates are shorter than a step.
fn unhurried() -> Driver {
    let mut driver = Driver::unhurried(1);
    let limits = json!({ "request_window_ms": 1, "publish_window_ms": 1 });
    driver.world.set_limits(Service::Publish, &limits).expect("known limits");
    driver
}

/// What each of `count` requests allocates, and what stays of all.
fn send(driver: &mut Driver, kind: &Kind, count: usize) -> (u64, i64) {
    let mut most = 0;
    let all = measure(|| {
        for _ in 0..count {
            driver.advance(STEP_MS);
            let mut status = 0;
            let one = measure(|| {
                let exchange = driver.start_at(kind.site, &kind.call);
                status = driver.reply(exchange).expect("an answer at once").status;
            });
            assert_eq!(status, kind.status, "{} {}", kind.site.name, kind.call);
            most = one.count_total.max(most);
        }
    });
    (most, all.bytes_current)
}

#[test]
fn requests_allocate_little() {
    let seen = kinds().into_iter().map(|kind| {
        let mut driver = unhurried();
        // Tables that are made when they are first used belong to no request.
        send(&mut driver, &kind, 1);
        let (most, _) = send(&mut driver, &kind, 100);
        (most > kind.most).then(|| format!("{} {}: {most} allocations", kind.site.name, kind.call.target))
    });
    let seen: Vec<String> = seen.flatten().collect();
    assert!(seen.is_empty(), "{seen:#?}");
}

/// Each declared endpoint gets the same request many times: its raw path and, in a POST, an empty object.
#[test]
fn no_endpoint_keeps_what_it_has_answered() {
    /// Maps and lists keep some spare room.
    const SPARE: i64 = 16 * 1024;
    let (mut wrong, mut answered) = (Vec::new(), 0);
    for endpoint in catalogue::endpoints() {
        let name = catalogue::site(endpoint);
        let site = world::sites().into_iter().find(|site| site.name == name).expect("a site of the world");
        let body = if endpoint.method == "POST" { "{}" } else { "" };
        let headers = vec![("content-type", b"application/json".to_vec())];
        let call = Call::new(endpoint.method, endpoint.path, headers, body.into());
        let mut driver = unhurried();
        let mut send = |count: usize| {
            for _ in 0..count {
                driver.advance(STEP_MS);
                let exchange = driver.start_at(site, &call);
                answered += usize::from(driver.reply(exchange).is_some());
                driver.input(Input::Abort(exchange));
            }
        };
        send(WARM);
        let left = measure(|| send(COUNTED)).bytes_current;
        if left > SPARE {
            wrong.push(format!("{name} {} {}: {left} bytes stay", endpoint.method, endpoint.path));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(answered, catalogue::endpoints().count() * (WARM + COUNTED), "all were answered at once");
}

#[test]
fn requests_leave_nothing_behind() {
    /// Maps and lists keep some spare room.
    const SPARE: i64 = 16 * 1024;
    let seen = kinds().into_iter().map(|kind| {
        let mut driver = unhurried();
        send(&mut driver, &kind, WARM);
        let (_, left) = send(&mut driver, &kind, COUNTED);
        (left > SPARE).then(|| format!("{} {}: {left} bytes stay", kind.site.name, kind.call.target))
    });
    let seen: Vec<String> = seen.flatten().collect();
    assert!(seen.is_empty(), "{seen:#?}");
}
