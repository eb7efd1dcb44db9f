//! No report and no request contains a claim token in any encoding, and no report contains a secret of a profile that
//! the target repeats.

use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use assay_spec::{Dialect, Service};
use assay_suites::embedded::Embedded;
use assay_suites::harness::control::Offer;
use assay_suites::harness::data::{Conditions, Outcome, Run, Verdict};
use assay_suites::harness::environment::Environment;
use assay_suites::harness::pace::Pace;
use assay_suites::harness::probe::Settings;
use assay_suites::harness::run::Runner;
use assay_suites::harness::run::plan::{plan, select};
use assay_suites::harness::setup;
use assay_suites::harness::target::{EnvironmentFuture, Leaving, Target};
use assay_suites::http::connect::{Connect, Connecting, Stream};
use assay_suites::profile::{Loaded, Profile};
use assay_suites::report::diff::{Verdicts, diff};
use assay_suites::report::{annotations, badge, ctrf, html, json, junit, markdown, sarif, terminal};
use assay_suites::rerun::judge::judge;
use assay_suites::rerun::merge;
use assay_suites::services;
use assay_suites::services::SUITES;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

use crate::unpaced;

/// The bytes received and sent over each connection to the target, without calls of the control API.
type Heard = Arc<Mutex<Vec<[Vec<u8>; 2]>>>;

/// The embedded simulator, with recorded connections.
struct Overheard {
    target: Embedded,
    heard: Heard,
}

impl Target for Overheard {
    fn name(&self) -> String {
        self.target.name()
    }

    fn offer(&self) -> &Offer {
        self.target.offer()
    }

    fn has_site(&self, name: &str) -> bool {
        self.target.has_site(name)
    }

    fn environment(&self, service: Service) -> EnvironmentFuture<'_> {
        Box::pin(async move {
            let environment = self.target.environment(service).await?;
            let connector = Arc::new(Tap { inner: environment.connector.clone(), heard: self.heard.clone() });
            Ok(Environment { connector, ..environment })
        })
    }

    fn leave(&self, environment: Environment, keep: bool) -> Leaving<'_> {
        self.target.leave(environment, keep)
    }

    fn conditions(&self) -> Conditions {
        self.target.conditions()
    }

    /// As over sockets: a failure has a command that repeats its exchange.
    fn is_embedded(&self) -> bool {
        false
    }
}

struct Tap {
    inner: Arc<dyn Connect>,
    heard: Heard,
}

impl Connect for Tap {
    fn connect<'a>(&'a self, base: &'a str, source: Option<std::net::IpAddr>) -> Connecting<'a> {
        Box::pin(async move {
            let stream = self.inner.connect(base, source).await?;
            let mut heard = self.heard.lock().expect("not poisoned");
            heard.push(Default::default());
            let number = heard.len() - 1;
            Ok(Box::new(Tapped { stream, heard: self.heard.clone(), number }) as Box<dyn Stream>)
        })
    }

    /// What is heard is sorted by connection: one request and its response.
    fn keeps(&self) -> bool {
        false
    }
}

struct Tapped {
    stream: Box<dyn Stream>,
    heard: Heard,
    number: usize,
}

impl AsyncRead for Tapped {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(cx, buffer);
        let mut heard = self.heard.lock().expect("not poisoned");
        heard[self.number][0].extend_from_slice(&buffer.filled()[before..]);
        polled
    }
}

impl AsyncWrite for Tapped {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(cx, bytes);
        if let Poll::Ready(Ok(written)) = polled {
            let mut heard = self.heard.lock().expect("not poisoned");
            heard[self.number][1].extend_from_slice(&bytes[..written]);
        }
        polled
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// Every report of a run, with its name.
fn every_report(run: &Run) -> [(&'static str, String); 10] {
    [
        ("json", json::write(run)),
        ("html", html::write(run, html::Options { full: true, ..html::Options::default() })),
        ("markdown", markdown::write(run)),
        ("junit", junit::write(run)),
        ("sarif", sarif::write(run)),
        ("ctrf", ctrf::write(run)),
        ("annotations", annotations::write(run)),
        ("badge", badge::write(run)),
        ("terminal", terminal::summary(run, false)),
        ("terminal in colour", terminal::summary(run, true)),
    ]
}

/// Every string between `before` and the next of `ends`.
fn between<'a>(text: &'a str, before: &str, ends: &[char]) -> Vec<&'a str> {
    text.match_indices(before).filter_map(|(at, _)| text[at + before.len()..].split(ends).next()).collect()
}

/// The output of a run.
struct Left {
    /// Every report.
    reports: String,
    /// The heads of all requests, which proxies and logs see.
    heads: String,
    /// Every received token, as in the response and as in the claim URL.
    tokens: Vec<String>,
}

/// Runs the whole suite under these deviations and variations.
async fn run(deviations: &[&str], variations: &[&str]) -> Left {
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let target = Embedded::new(1, Dialect::default())
        .with(&names(deviations), &names(variations))
        .expect("known deviations and variations");
    let heard = Heard::default();
    let target = Overheard { target, heard: heard.clone() };
    let (settings, pace) = (Settings { seed: 1, ..services::settings() }, Pace::default());
    let runner = Runner { target: &target, settings: &settings, pace: &pace, jobs: 4 };
    let checks = select(services::checks(), &[Service::Drop], &[]);
    let run = runner.run(&plan(&target, &checks), |_| {}).await;
    let reports = every_report(&run).map(|(_, report)| report);
    let (mut tokens, mut heads) = (Vec::new(), String::new());
    for [came, went] in heard.lock().expect("not poisoned").iter() {
        let head = went.windows(4).position(|end| end == b"\r\n\r\n").unwrap_or(went.len());
        heads.push_str(&String::from_utf8_lossy(&went[..head]));
        let text = String::from_utf8_lossy(came);
        tokens.extend(between(&text, "\"claimToken\":\"", &['"']).into_iter().map(str::to_owned));
        tokens.extend(between(&text, "#claim=", &['&', '"']).into_iter().map(str::to_owned));
    }
    Left { reports: reports.concat(), heads, tokens }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_report_and_no_request_shows_a_claim_token() {
    // Deviations whose failures contain a response with a token, and checks that quote it.
    let deviations = [
        "drop.cid.version",
        "drop.response.drop-id",
        "drop.response.claim-token/same",
        "drop.response.expires-at/late",
        "drop.response.claim-url",
        "drop.response.token-in-fragment",
        "drop.site.live",
        "drop.site.claimed-stays",
        "drop.limits.one-upload",
    ];
    for variations in [&[][..], &["drop.token-encoded"], &["drop.token-encoded", "drop.claim-elsewhere"]] {
        let Left { reports, heads, tokens } = run(&deviations, variations).await;
        assert!(heads.contains("POST /api/drop") && heads.contains("GET /live/"));
        assert!(tokens.len() > 50, "{}", tokens.len());
        for token in &tokens {
            assert!(token.len() > 20, "{token:?} is not a token");
            assert!(!reports.contains(token) && !heads.contains(token), "{token} under {variations:?}");
        }
        let quoted = "wanted a new token for each drop, got \\\"[redacted claim token]\\\"";
        let at = reports.find("wanted a new token").unwrap_or_default();
        assert!(reports.contains(quoted), "the secret is named where it was: {:.500}", &reports[at..]);
        assert!(reports.contains("#claim=[redacted claim token]&exp="), "{variations:?}");
    }
}

/// The planted secrets, with their profile keys.
const PLANTED: [(&str, &str); 6] = [
    ("control_token", "Ctl~Token+9f/Zq=77"),
    ("gateway.key", "sk-gw_Live/8c1+Q~aa41"),
    ("gateway.revoked_key", "sk-gw_Old/77+R~bb52x"),
    ("hosting.wallet_key", "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318"),
    ("publish.key", "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"),
    ("headers.X-Auth", "Auth-Pass/5e+W~cc63y"),
];

/// The secret in every encoding that a target may use.
fn written(secret: &str) -> Vec<String> {
    let percent: String = secret.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let lower: String = secret.bytes().map(|byte| format!("%{byte:02x}")).collect();
    let unicode: String = secret.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect();
    let base64 = |before: &str| assay_spec::crypto::text::base64(format!("{before}{secret}").as_bytes());
    let digits = assay_spec::crypto::text::hex(secret.as_bytes());
    let html: String = secret.chars().map(|c| format!("&#x{:x};", u32::from(c))).collect();
    let middle = secret.len() / 2 - 6;
    vec![
        digits.to_uppercase(),
        html,
        secret[..12].to_owned(),
        secret[middle..middle + 12].to_owned(),
        secret[secret.len() - 12..].to_owned(),
        digits[7..19].to_owned(),
        base64("")[4..16].to_owned(),
        digits,
        secret.to_owned(),
        secret.to_lowercase(),
        secret.to_uppercase(),
        secret.replace('/', "\\/"),
        percent,
        lower,
        unicode,
        base64(""),
        base64("a"),
        base64("ab"),
        base64("Bearer ").replace('+', "-").replace('/', "_"),
    ]
}

/// A secret that the server makes up: a claim token.
const LEARNED: &str = "tok-Live/4d9+R~dd74-Yx";

/// Serves one response: all forms of these secrets, in headers and in the body.
async fn repeat_everything(mut stream: TcpStream, response: impl Fn(&[u8]) -> String) -> std::io::Result<()> {
    let mut head = Vec::new();
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        if stream.read_buf(&mut head).await? == 0 {
            return Ok(());
        }
    }
    stream.write_all(response(&head).as_bytes()).await?;
    stream.shutdown().await?;
    // A connection that is closed before the request is read is reset.
    tokio::io::copy(&mut stream, &mut tokio::io::sink()).await.map(|_| ())
}

/// A server of such responses, and its URL.
async fn repeating_server(response: fn(&[u8]) -> String) -> (String, tokio::task::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("a port"));
    let server = tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(repeat_everything(stream, response));
        }
    });
    (url, server)
}

fn http_response(status: &str, secrets: &[String], name: &str, body: &str) -> String {
    let headers: String = secrets.iter().map(|text| format!("x-said: {text}\r\n")).collect();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\
         x-{name}: named\r\n{headers}\r\n{body}",
        body.len(),
    )
}

/// An upload whose claim token is also in every other place.
fn learned(_: &[u8]) -> String {
    let all = written(LEARNED);
    let body = serde_json::json!({
        "dropId": "drop_1", "claimToken": LEARNED, "cid": all, "url": "http://127.0.0.1:1/", "expiresAt": all.join(" "),
    });
    http_response("200 OK", &all, "claim", &body.to_string().replace("\\\\u", "\\u"))
}

/// The planted secrets, in names and values of headers and in the body.
fn planted(head: &[u8]) -> String {
    let all: Vec<String> = PLANTED.iter().flat_map(|(_, secret)| written(secret)).collect();
    let faults: serde_json::Map<String, serde_json::Value> =
        PLANTED.iter().map(|(_, secret)| ((*secret).to_owned(), serde_json::json!({}))).collect();
    let body = serde_json::json!({
        "time": "T1", "forks": false, "faults": faults, "actions": {}, "error": all.join(" "), "id": PLANTED[1].1,
    });
    // Two of the encodings must not be escaped again.
    let body = body.to_string().replace("\\\\u", "\\u").replace("\\\\/", "\\/");
    let status = if head.starts_with(b"GET") { "200 OK" } else { "400 Bad Request" };
    http_response(status, &all, PLANTED[3].1, &body)
}

/// Asserts that no form of these secrets is in any report or in `diff`, and that `judge` and `merge` give the same
/// verdicts on the report. Returns all outputs with their names.
async fn hidden(run: &Run, loaded: &Loaded, secrets: &[(&str, &str)]) -> Vec<(&'static str, String)> {
    // Without the profile's readings and fixtures, checks would decide otherwise.
    assert!(judge(run, Some(loaded)).await.expect_err("no profile").contains("no profile of its target"));
    let mut run = run.clone();
    run.conditions.profile = loaded.profile.to_toml();
    let run = &run;
    let report = json::read(&json::write(run)).expect("a report");
    let judged = judge(&report, Some(loaded)).await.expect("its profile is good");
    assert!(judged.differs.is_empty() && judged.unjudged.is_empty(), "{}", judged.text());
    let merged = merge::parts(vec![report]).expect("one run");
    let verdicts = |run: &Run| -> Vec<(String, Verdict)> {
        run.outcomes.iter().map(|outcome| (outcome.requirement.to_string(), outcome.verdict)).collect()
    };
    assert_eq!(verdicts(&merged), verdicts(run));
    let changes = diff(&Verdicts::default(), &Verdicts::from_run(run));
    let more = [("diff", changes.text()), ("diff as JSON", changes.json().to_string())];
    let outputs: Vec<_> = every_report(run).into_iter().chain(more).collect();
    for (name, output) in &outputs {
        for (key, secret) in secrets {
            for form in written(secret) {
                assert!(!output.contains(&form), "{key} as {form} in {name}");
                let escaped = serde_json::to_string(&form).expect("a string");
                assert!(!output.contains(escaped.trim_matches('"')), "{key} as {escaped} in {name}");
            }
        }
    }
    outputs
}

#[tokio::test(flavor = "multi_thread")]
async fn no_report_shows_a_secret_that_the_run_learned() {
    let (url, server) = repeating_server(learned).await;
    let text = format!("seed = 1\n[drop]\nurl = \"{url}\"\n");
    let loaded = Profile::of_text(text, "p.toml".into(), Path::new(".")).expect("a good profile");
    let (target, settings, pace) = setup::connect(SUITES, &loaded, None).await.expect("it listens");
    let runner = Runner { target: &target, settings: &settings, pace: &pace, jobs: 1 };
    let checks = select(services::checks(), &[Service::Drop], &["drop.response".to_owned()]);
    let run = runner.run(&plan(&target, &checks), |_| {}).await;
    server.abort();
    assert!(run.outcomes.iter().filter(|one| one.verdict.is_bad()).count() > 2, "{:?}", run.outcomes);
    for (name, output) in hidden(&run, &loaded, &[("claim token", LEARNED)]).await {
        let is_readable = ["html", "markdown", "terminal"].contains(&name);
        assert!(!is_readable || output.contains("[redacted claim token]"), "{name} names what it hides");
    }
}

/// As [`learned`]; every other response repeats that token, and sets a cookie.
fn repeated(head: &[u8], status: &str) -> String {
    if head.starts_with(b"POST /api/drop") {
        return learned(head);
    }
    let all = written(LEARNED);
    let body = serde_json::json!({ "error": all.join(" "), "cookie": COOKIE, "token": LEARNED });
    let response = http_response(status, &all, "claim", &body.to_string().replace("\\\\u", "\\u"));
    response.replacen("\r\n", &format!("\r\nset-cookie: session={COOKIE}; Path=/\r\n"), 1)
}

/// The name of a session that the server makes up.
const COOKIE: &str = "5e55-0c81a7/9f+e2~Bx47";

#[tokio::test(flavor = "multi_thread")]
async fn what_one_check_learned_is_hidden_in_the_checks_before_and_after_it() {
    for response in
        [|head: &[u8]| repeated(head, "400 Bad Request"), |head: &[u8]| repeated(head, "404 Not Found")]
    {
        what_one_check_learned_is_hidden(response).await;
    }
}

async fn what_one_check_learned_is_hidden(response: fn(&[u8]) -> String) {
    let (url, server) = repeating_server(response).await;
    let text = format!("seed = 1\n[network]\nurl = \"{url}\"\n[drop]\nurl = \"{url}\"\n");
    let loaded = Profile::of_text(unpaced(&text), "p.toml".into(), Path::new(".")).expect("a good profile");
    let (target, settings, pace) = setup::connect(SUITES, &loaded, None).await.expect("it listens");
    let runner = Runner { target: &target, settings: &settings, pace: &pace, jobs: 1 };
    let planned = |filter: &str| plan(&target, &select(services::checks(), &[], &[filter.to_owned()]));
    let all = ["network.info", "drop.response", "network.aggregates"].map(planned).concat();
    let mut early = Vec::new();
    let run = runner.run(&all, |ran| early.push(ran.outcome.clone())).await;
    server.abort();
    let shows = |outcomes: &[Outcome]| {
        json::write(&Run { outcomes: outcomes.to_vec(), ..Run::new(SUITES) }).contains(LEARNED)
    };
    let at = early.iter().position(|one| one.requirement.service == Service::Drop).expect("a drop");
    assert!(shows(&early[..at]), "the first checks saw the token before it was known");
    assert!(!shows(&early[at..]), "the last ones saw it after");
    let networks = run.outcomes.iter().filter(|one| one.requirement.service == Service::Network);
    let is_marked = |one: &Outcome| one.disguises.iter().any(|it| it.name == "claim token");
    assert!(networks.filter(|one| is_marked(one)).count() > 3);
    hidden(&run, &loaded, &[("claim token", LEARNED), ("cookie", COOKIE)]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_report_shows_a_secret_that_the_target_repeats() {
    let (url, server) = repeating_server(planted).await;
    let folder = tempfile::tempdir().expect("a folder");
    for (key, secret) in PLANTED {
        std::fs::write(folder.path().join(key), secret).expect("a file");
    }
    let place = |key: &str| format!("{{ file = {key:?} }}");
    let [control, key, revoked, wallet, publish, auth] = PLANTED.map(|(key, _)| place(key));
    let text = format!(
        "seed = 1\ncontrol = \"{url}/control\"\ncontrol_token = {control}\n\
         [gateway]\nurl = \"{url}\"\nkey = {key}\nrevoked_key = {revoked}\n[gateway.limits]\nrequests_per_minute = 100000\n\
         [hosting]\nwallet_key = {wallet}\n\
         [publish]\nurl = \"{url}\"\ndomains = [\"a.example\"]\nkey = {publish}\n\
         [publish.limits]\nrequests_per_minute = 100000\n\
         [headers]\nX-Auth = {auth}\n",
    );
    let loaded = Profile::of_text(text, "p.toml".into(), folder.path()).expect("a good profile");
    let (target, settings, pace) = setup::connect(SUITES, &loaded, None).await.expect("it listens");
    let runner = Runner { target: &target, settings: &settings, pace: &pace, jobs: 1 };
    let checks = select(services::checks(), &[Service::Gateway, Service::Publish], &[]);
    let run = runner.run(&plan(&target, &checks), |_| {}).await;
    server.abort();
    let count = |verdict: &Verdict| (verdict.name(), run.count(*verdict));
    let counts: Vec<_> = Verdict::ALL.iter().map(count).collect();
    // The control API's response is invalid too, which is an error, not a failure.
    let is_red = |one: &&Outcome| one.verdict.is_bad() || one.verdict == Verdict::Error;
    assert!(run.outcomes.iter().filter(is_red).count() > 50, "most checks fail: {counts:?}");
    for (name, report) in hidden(&run, &loaded, &PLANTED).await {
        let is_full = !["annotations", "badge", "diff", "diff as JSON"].contains(&name);
        assert!(
            !is_full || report.contains("[redacted gateway.key]") || report.contains("[redacted key]"),
            "{name} names what it hides"
        );
    }
}
