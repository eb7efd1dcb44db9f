//! The fuzz targets: every parser, with the golden vectors as its seeds.
//!
//! A target states what must hold for all inputs, not only that there is no panic. The fuzzer (`fuzz/src/main.rs`) and the test
//! `command/tests/it/fuzz.rs` run the same targets.

use std::collections::BTreeSet;
use std::future::Future;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::LazyLock;
use std::time::Duration;

use assay_sim::clock::EPOCH;
use assay_sim::scenario::Scenario;
use assay_sim::{Input, Output, RequestHead, World, drop};
use assay_spec::crypto::text;
use assay_spec::drop::zip::{self, Limits};
use assay_spec::gateway::{chat, completions, messages, responses, stream};
use assay_spec::publish::check::{Intent, Op, check_message};
use assay_spec::publish::envelope;
use assay_spec::publish::message::Message;
use assay_spec::publish::record::Record;
use assay_spec::publish::verify::{Confirmed, memo_of, verify_transaction};
use assay_spec::sse;
use assay_spec::{Dialect, Id, Refused, Rules, Service, Strict, hosting, json, network};
use assay_suites::embedded::Embedded;
use assay_suites::harness::pace::Pace;
use assay_suites::harness::probe::Settings;
use assay_suites::harness::run::Runner;
use assay_suites::harness::run::plan;
use assay_suites::http::client;
use assay_suites::http::exchange::{Broken, Request};
use assay_suites::onboarding::draft::Draft;
use assay_suites::profile::Profile;
use assay_suites::report;
use assay_suites::services;
use assay_vectors::{Expect, bytes};
use http::{HeaderMap, HeaderValue, Method, header};
use serde_json::Value;

/// A seed longer than this slows a fuzzer down; the tests of the vectors read the longer ones.
const SEED_BYTES: u64 = 32 * 1024;

/// A parser under test.
pub(crate) struct Target {
    /// Its name.
    pub(crate) name: &'static str,
    /// Reads an input of any bytes. Panics if something does not hold.
    pub(crate) run: fn(&[u8]),
    /// Inputs to begin with.
    pub(crate) seeds: fn() -> Vec<Vec<u8>>,
}

/// Every target.
pub(crate) const TARGETS: [Target; 13] = [
    Target { name: "header", run: header, seeds: header_seeds },
    Target { name: "record", run: record, seeds: record_seeds },
    Target { name: "message", run: message, seeds: message_seeds },
    Target { name: "transaction", run: transaction, seeds: transaction_seeds },
    Target { name: "zip", run: zip, seeds: zip_seeds },
    Target { name: "tarball", run: tarball, seeds: tarball_seeds },
    Target { name: "json", run: json, seeds: json_seeds },
    Target { name: "multipart", run: multipart, seeds: multipart_seeds },
    Target { name: "event-stream", run: event_stream, seeds: event_stream_seeds },
    Target { name: "http1", run: http1, seeds: http1_seeds },
    Target { name: "profile", run: profile, seeds: profile_seeds },
    Target { name: "scenario", run: scenario, seeds: scenario_seeds },
    Target { name: "report", run: report, seeds: report_seeds },
];

/// The header of a signed request. A parsed header can be written again.
fn header(data: &[u8]) {
    let Ok(header) = str::from_utf8(data) else { return };
    let dialect = Dialect::default();
    let parsed = every_arm(|rules| {
        let parsed = envelope::Envelope::parse(&dialect, header, rules)?;
        parsed.check_request("POST", "/", rules)?;
        parsed.check_time(EPOCH, &envelope::SKEW_MS, rules)?;
        parsed.check_body(data, rules)?;
        parsed.domain(rules)
    });
    assert!(parsed.is_none_or(|domain| assay_spec::publish::domain::is_canonical(&domain)));
    if let Ok(parsed) = envelope::Envelope::parse(&dialect, header, &mut Strict) {
        assert_eq!(envelope::seal(&dialect, &parsed.message, &parsed.signature), header);
    }
}

fn header_seeds() -> Vec<Vec<u8>> {
    inputs("vfkey.verify", |input| input["authorization"].as_str().map(Into::into))
}

/// The records of all three documents. A published record has one encoding.
fn record(data: &[u8]) {
    let dialect = Dialect::default();
    if let Some(record) = every_arm(|rules| Record::parse(&dialect, data, rules)) {
        assert_eq!(record.encode(&dialect), data);
    }
    every_arm(|rules| network::envelope::Envelope::parse(&dialect, data, None, EPOCH, rules));
    if let Ok(text) = str::from_utf8(data)
        && let Some(record) = every_arm(|rules| hosting::record::Record::parse(text, rules))
    {
        assert_eq!(record.text, text);
    }
}

fn record_seeds() -> Vec<Vec<u8>> {
    let published = inputs("publish.record.parse", |input| recipe(&input["record"]));
    let posted = assay_vectors::exchange::exchanges(Service::Network.name()).into_iter();
    let posted = posted.map(|exchange| exchange.request.body.into_bytes());
    let stored = inputs("hosting.recover", |input| Some(input["messages"][0].to_string().into_bytes()));
    published.into_iter().chain(posted).chain(stored).collect()
}

/// The chain's message, and the checks of a client before it signs. A decoded message has one encoding.
fn message(data: &[u8]) {
    let dialect = Dialect::default();
    let Some(message) = every_arm(|rules| Message::decode(data, rules)) else { return };
    assert_eq!(message.encode(), data);
    let client = message.accounts.get(1).copied().unwrap_or_default();
    let record = memo_of(&dialect, data).and_then(|memo| Record::parse(&dialect, &memo, &mut Strict).ok());
    let asked = Intent {
        domain: record.as_ref().map_or("", Record::domain).to_owned(),
        op: Op::Publish {
            cid: record.as_ref().and_then(|record| record.field("c")).unwrap_or_default().to_owned(),
            version: None,
        },
    };
    if let Some(checked) = every_arm(|rules| check_message(&dialect, data, &client, &asked, EPOCH, rules)) {
        assert_eq!(Some(checked), record);
    }
}

fn message_seeds() -> Vec<Vec<u8>> {
    let message = |input: &Value| recipe(&input["message"]);
    [inputs("transaction.decode", message), inputs("publish.check_message", message)].concat()
}

/// A confirmed transaction: the message in hex on the first line, then the lines of the log.
fn transaction(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut lines = text.split('\n').map(str::to_owned);
    let Some(message) = lines.next().and_then(|line| text::parse_hex(&line)) else { return };
    let dialect = Dialect::default();
    let logs: Vec<String> = lines.collect();
    let decoded = Message::decode(&message, &mut Strict).ok();
    let client = decoded.and_then(|message| message.accounts.get(1).copied()).unwrap_or_default();
    let client = bs58::encode(client).into_string();
    let record = memo_of(&dialect, &message).unwrap_or_default();
    let confirmed = Confirmed { message: &message, failed: false, logs: &logs };
    if every_arm(|rules| verify_transaction(&dialect, &confirmed, &client, &record, rules)).is_some() {
        assert!(logs.contains(&format!("Program log: Signed by {client}")));
    }
}

fn transaction_seeds() -> Vec<Vec<u8>> {
    inputs("publish.verify_transaction", |input| {
        let logs = input["meta"]["logMessages"].as_array()?.iter().filter_map(Value::as_str);
        let message = text::hex(&recipe(&input["message"])?);
        Some(std::iter::once(&*message).chain(logs).collect::<Vec<_>>().join("\n").into_bytes())
    })
}

/// The zip of a drop. An accepted one is within the limits, and no path leaves its folder.
fn zip(data: &[u8]) {
    let limits = Limits { zip_bytes: 256 * 1024, extracted_bytes: 1024 * 1024, files: 100 };
    let Some(found) = every_arm(|rules| zip::inspect(data, &limits, rules)) else { return };
    assert!(data.len() <= limits.zip_bytes && found.bytes <= limits.extracted_bytes);
    assert!(found.files.len() <= limits.files);
    assert_eq!(found.files.values().map(|file| file.len() as u64).sum::<u64>(), found.bytes);
    for path in found.files.keys().chain(&found.directories) {
        assert!(path.split('/').all(|part| !matches!(part, "" | "." | "..")), "{path:?}");
    }
}

fn zip_seeds() -> Vec<Vec<u8>> {
    inputs("drop.inspect_zip", |input| recipe(&input["zip"]))
}

/// The tarball of a bundle. A manifest that was found is an object.
fn tarball(data: &[u8]) {
    use hosting::bundle::{Contents, inspect};
    if let Some(Contents::Manifest(manifest)) = every_arm(|rules| inspect(data, rules)) {
        assert!(manifest.is_object());
    }
}

fn tarball_seeds() -> Vec<Vec<u8>> {
    let opened = assay_vectors::cases().into_iter().filter_map(|case| match case.expect {
        Expect::Accept { ok } => recipe(&ok["tarball"]),
        Expect::Reject { .. } => None,
    });
    opened.chain(inputs("bundle.seal", |input| recipe(&input["tarball"]))).collect()
}

/// JSON without duplicate keys, the compact form, and the bodies of the gateway.
fn json(data: &[u8]) {
    every_arm(|rules| chat::parse(data, rules));
    every_arm(|rules| messages::parse(data, rules));
    every_arm(|rules| completions::parse(data, rules));
    every_arm(|rules| responses::parse(data, rules));
    let Ok(text) = str::from_utf8(data) else { return };
    let value = serde_json::from_str::<Value>(text).ok();
    if let Ok(unique) = json::parse_unique(text) {
        assert_eq!(Some(&unique), value.as_ref());
    }
    if value.is_some() {
        let compact = json::compact(text);
        assert_eq!(serde_json::from_str(&compact).ok(), value);
        assert_eq!(json::compact(&compact), compact);
    }
}

fn json_seeds() -> Vec<Vec<u8>> {
    inputs("gateway.validate", |input| recipe(&input["body"]))
}

/// The form of an upload, behind its content type on the first line. The server sends one complete reply, with a documented
/// status.
fn multipart(data: &[u8]) {
    static WORLD: LazyLock<World> = LazyLock::new(|| World::new(1, EPOCH, Dialect::default()));
    let end = data.iter().position(|byte| *byte == b'\n').unwrap_or(data.len());
    let Ok(content_type) = HeaderValue::from_bytes(&data[..end]) else { return };
    let body = data.get(end + 1..).unwrap_or_default().to_vec();
    let mut world = WORLD.clone();
    let exchange = world.next_exchange();
    let head = RequestHead {
        site: drop::SITE,
        peer: IpAddr::V4(Ipv4Addr::LOCALHOST),
        method: Method::POST,
        target: "/api/drop".to_owned(),
        headers: HeaderMap::from_iter([(header::CONTENT_TYPE, content_type)]),
    };
    let steps = [Input::Head(Box::new(head)), Input::Body(exchange, body.into()), Input::End(exchange)];
    let outputs: Vec<Output> = steps.into_iter().flat_map(|input| world.input(input)).collect();
    let statuses: Vec<u16> = outputs
        .iter()
        .filter_map(|output| match output {
            Output::Head { status, .. } => Some(*status),
            _ => None,
        })
        .collect();
    assert!(matches!(statuses[..], [200 | 400 | 413]), "{statuses:?}");
    assert!(matches!(outputs.last(), Some(Output::End { .. })));
}

fn multipart_seeds() -> Vec<Vec<u8>> {
    let form = |zip: Vec<u8>| {
        let head = b"multipart/form-data; boundary=b\n\
            --b\r\ncontent-disposition: form-data; name=\"source\"\r\n\r\ncli\r\n\
            --b\r\ncontent-disposition: form-data; name=\"artifact\"; filename=\"a.zip\"\r\n\
            content-type: application/zip\r\n\r\n";
        [head, &zip[..], b"\r\n--b--\r\n"].concat()
    };
    zip_seeds().into_iter().map(form).collect()
}

/// Server-sent events, and the chats in them. Events that are written again are read as the same events.
fn event_stream(data: &[u8]) {
    every_arm(|rules| stream::read(data, rules));
    let events = sse::events(data);
    let mut again = String::new();
    for event in &events {
        again.extend(event.name.iter().map(|name| format!("event: {name}\n")));
        again.extend(event.data.split('\n').map(|line| format!("data: {line}\n")));
        again.push('\n');
    }
    assert_eq!(sse::events(again.as_bytes()), events);
}

fn event_stream_seeds() -> Vec<Vec<u8>> {
    exchanged()
        .filter(|body| body.starts_with("data:") || body.starts_with("event:"))
        .map(Into::into)
        .collect()
}

/// The answer of a server over HTTP/1.1. What is kept of it is within the limits, and errors blame the server.
fn http1(data: &[u8]) {
    let limits = client::Limits { timeout: Duration::from_mins(1), head_bytes: 4096, body_bytes: 4096 };
    for method in ["GET", "HEAD"] {
        let stream = tokio::io::join(data, tokio::io::sink());
        match block_on(client::exchange(stream, &Request::new(method, "/"), "server.example", limits)) {
            Ok(response) => {
                assert!((200..=999).contains(&response.status), "{}", response.status);
                assert!(response.body.len() <= limits.body_bytes);
                assert!(method == "GET" || response.body.is_empty());
                let head = response.headers.iter().map(|(name, value)| name.len() + value.len());
                assert!(head.sum::<usize>() <= limits.head_bytes);
            }
            Err(Broken::Closed(_) | Broken::Nonsense(_) | Broken::Limit(_)) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

fn http1_seeds() -> Vec<Vec<u8>> {
    let exchanges =
        Service::ALL.iter().flat_map(|service| assay_vectors::exchange::exchanges(service.name()));
    exchanges.map(|exchange| exchange.response.bytes()).collect()
}

/// A profile. An error names the file; an accepted profile can be written and is read as the same profile.
fn profile(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    match Profile::parse(text, "target.toml") {
        Ok(profile) => {
            let written = toml::to_string(&profile).expect("a profile can be written");
            assert_eq!(Profile::parse(&written, "written.toml").as_ref(), Ok(&profile), "{written}");
        }
        Err(error) => assert!(error.to_string().contains("target.toml"), "{error}"),
    }
}

fn profile_seeds() -> Vec<Vec<u8>> {
    let draft = Draft::default().text();
    // A line that is a disabled key or table begins with `#` and no space.
    let enabled = draft.lines().map(|line| match line.strip_prefix('#') {
        Some(key) if !key.starts_with(' ') => format!("{key}\n"),
        _ => format!("{line}\n"),
    });
    vec![enabled.collect::<String>().into_bytes(), draft.clone().into_bytes()]
}

/// A scenario. An error is one line that names a line of the file; a world that begins with it goes on.
fn scenario(data: &[u8]) {
    static WORLD: LazyLock<World> = LazyLock::new(|| World::new(1, EPOCH, Dialect::default()));
    let Ok(text) = str::from_utf8(data) else { return };
    let mut world = WORLD.clone();
    let begun = Scenario::parse("s.toml", text).and_then(|scenario| scenario.begin(&mut world));
    if let Err(wrong) = begun {
        let wrong = wrong.to_string();
        let line = wrong.strip_prefix("s.toml:").and_then(|rest| rest.split(':').next()?.parse().ok());
        let lines = text.matches('\n').count() + 1;
        assert!(line.is_some_and(|line| (1..=lines).contains(&line)) && !wrong.contains('\n'), "{wrong}");
        return;
    }
    // Limits can make timers frequent.
    world.advance_with_pauses(EPOCH + 60_000);
}

fn scenario_seeds() -> Vec<Vec<u8>> {
    let page = include_str!("../../docs/simulator.md");
    let example = page.split("```toml scenario.toml\n").nth(1).and_then(|rest| rest.split("```").next());
    let other = "deviations = [{ id = \"publish.envelope.scheme\", at = { endpoint = \"prepare\" } }]\n\
                 limits.network.billing_ms = \"1m\"\n[[gateway.models]]\nid = \"a\"\nservers = [\"server-a\"]\n";
    example.into_iter().chain([other]).map(|text| text.as_bytes().to_vec()).collect()
}

/// A report. A report that was read is written as a report that says the same, and in every format.
fn report(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let Ok(run) = report::json::read(text) else { return };
    let written = report::json::write(&run);
    let again = report::json::read(&written).expect("a written report can be read");
    assert_eq!(report::json::write(&again), written);
    for write in [
        report::annotations::write,
        report::badge::write,
        report::junit::write,
        report::markdown::write,
        report::sarif::write,
        report::terminal::endpoints,
    ] {
        write(&run);
    }
    report::html::write(&run, report::html::Options::default());
    report::terminal::summary(&run, true);
}

fn report_seeds() -> Vec<Vec<u8>> {
    let target = Embedded::new(1, Dialect::default());
    let (settings, pace) = (Settings { seed: 1, ..services::settings() }, Pace::default());
    let runner = Runner { target: &target, settings: &settings, pace: &pace, jobs: 1 };
    let one_of_each = |service: &Service| {
        services::checks().into_iter().find(|check| check.requirement.service == *service)
    };
    let checks = Service::ALL.iter().filter_map(one_of_each);
    let one = |check| block_on(runner.run(&plan::plan(&target, &[check]), |_| {}));
    checks.map(|check| report::json::write(&one(check)).into_bytes()).collect()
}

/// Rules of which some are switched off.
#[derive(Default)]
struct Except(BTreeSet<Id>);

impl Rules for Except {
    fn violated(&mut self, rule: Id) -> Option<&'static str> {
        self.0.contains(&rule).then_some("")
    }
}

/// Reads strictly, and returns what was read. Then reads again without the rule that rejected the input, until none does: the
/// lenient arms meet the same bytes.
fn every_arm<T>(mut read: impl FnMut(&mut Except) -> Result<T, Refused>) -> Option<T> {
    let mut rules = Except::default();
    let strict = read(&mut rules);
    let mut rejected = strict.as_ref().err().map(|refused| refused.rule);
    while let Some(rule) = rejected
        && rules.0.insert(rule)
    {
        rejected = read(&mut rules).err().map(|refused| refused.rule);
    }
    strict.ok()
}

/// What `pick` takes from the input of every case of an operation.
fn inputs(op: &str, pick: impl Fn(&Value) -> Option<Vec<u8>>) -> Vec<Vec<u8>> {
    let cases = assay_vectors::cases().into_iter().filter(|case| case.op == op);
    cases.filter_map(|case| pick(&case.input)).collect()
}

/// The bytes of a recipe, unless they are too many.
fn recipe(value: &Value) -> Option<Vec<u8>> {
    let recipe = bytes::Recipe::read("seed", value).ok()?;
    (recipe.size() <= SEED_BYTES).then(|| recipe.to_bytes())
}

/// The bodies of the gateway's responses.
fn exchanged() -> impl Iterator<Item = String> {
    assay_vectors::exchange::exchanges(Service::Gateway.name())
        .into_iter()
        .map(|exchange| exchange.response.body)
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(future)
}
