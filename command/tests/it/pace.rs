//! The pace of a run at a target that others use: it changes no verdict, and a target that answers nothing, or asks to come
//! back much later, costs little. Time is virtual.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use assay_spec::gateway::requirements::chat;
use assay_spec::metadata::requirements::token;
use assay_spec::{Dialect, Id, Service};
use assay_suites::embedded::{Embedded, cells};
use assay_suites::harness::control::Offer;
use assay_suites::harness::data::{Conditions, Outcome, Run, Verdict, Why};
use assay_suites::harness::environment::Environment;
use assay_suites::harness::pace::Pace;
use assay_suites::harness::probe::Settings;
use assay_suites::harness::recording::Recorder;
use assay_suites::harness::run::Runner;
use assay_suites::harness::run::plan::{plan, select};
use assay_suites::harness::setup::{self, SetupError};
use assay_suites::harness::target::{EnvironmentFuture, Leaving, Target};
use assay_suites::http::connect::{Connect, Connecting, Stream};
use assay_suites::http::exchange::Broken;
use assay_suites::http::transport::Transport;
use assay_suites::profile::{MetadataContract, Profile};
use assay_suites::services;
use assay_suites::services::{gateway, metadata};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::runtime::{Builder, Runtime};
use tokio::time::Instant;

/// A target that the checks share.
pub(crate) struct Shared {
    pub(crate) environment: Environment,
    pub(crate) offer: Offer,
}

impl Target for Shared {
    fn name(&self) -> String {
        "shared".to_owned()
    }

    fn offer(&self) -> &Offer {
        &self.offer
    }

    fn has_site(&self, name: &str) -> bool {
        self.environment.sites.contains_key(name)
    }

    fn environment(&self, _: Service) -> EnvironmentFuture<'_> {
        Box::pin(async { Ok(self.environment.clone()) })
    }

    fn leave(&self, _: Environment, _: bool) -> Leaving<'_> {
        Box::pin(std::future::ready(None))
    }

    fn conditions(&self) -> Conditions {
        Conditions { sites: self.environment.sites.clone(), ..Conditions::default() }
    }

    fn is_embedded(&self) -> bool {
        false
    }
}

/// What a server sends after the head of its nth request; nothing if it answers none.
type Answers = fn(usize, &str) -> Option<String>;

/// Servers in memory that answer as a function says.
struct Scripted {
    answers: BTreeMap<String, Answers>,
    transport: Transport,
    asked: Arc<AtomicUsize>,
}

impl Connect for Scripted {
    fn connect<'a>(&'a self, base: &'a str, _: Option<IpAddr>) -> Connecting<'a> {
        Box::pin(async move {
            let unknown = || Broken::Unreachable(format!("{base}: no such server"));
            let answers = *self.answers.get(base).ok_or_else(unknown)?;
            let (ours, mut theirs) = tokio::io::duplex(64 * 1024);
            let asked = self.asked.clone();
            tokio::spawn(async move {
                let mut head = Vec::new();
                while !head.windows(4).any(|end| end == b"\r\n\r\n") {
                    if theirs.read_buf(&mut head).await.unwrap_or_default() == 0 {
                        return;
                    }
                }
                let n = asked.fetch_add(1, Ordering::Relaxed);
                match answers(n, &String::from_utf8_lossy(&head)) {
                    Some(answer) => {
                        let _ = theirs.write_all(answer.as_bytes()).await;
                    }
                    None => std::future::pending().await,
                }
            });
            Ok(Box::new(ours) as Box<dyn Stream>)
        })
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn keeps(&self) -> bool {
        false
    }

    fn transport(&self) -> &Transport {
        &self.transport
    }
}

/// These sites, and the number of requests that they got.
fn scripted(sites: &[(&str, Answers)]) -> (Shared, Arc<AtomicUsize>) {
    let url = |site: &str| format!("http://{site}.test");
    let asked = Arc::new(AtomicUsize::new(0));
    let answers = sites.iter().map(|(site, answers)| (url(site), *answers)).collect();
    let connector = Scripted { answers, transport: Transport::default(), asked: asked.clone() };
    let environment = Environment {
        connector: Arc::new(connector),
        sites: sites.iter().map(|(site, _)| ((*site).to_owned(), url(site))).collect(),
        control: None,
        own: false,
        forwarding: BTreeMap::new(),
        recorder: Recorder::default(),
    };
    (Shared { environment, offer: Offer::default() }, asked)
}

/// A runtime whose time passes only when everything waits.
pub(crate) fn virtual_time() -> Runtime {
    Builder::new_current_thread().enable_time().start_paused(true).build().expect("a runtime")
}

#[expect(clippy::unnecessary_wraps, reason = "an answer may be missing, and this is one")]
fn http(status: &str, headers: &str, body: &str) -> Option<String> {
    let length = body.len();
    Some(format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n{headers}\r\n{body}"))
}

pub(crate) async fn run(
    target: &Shared,
    settings: &Settings,
    pace: &Pace,
    filters: &[&str],
    jobs: usize,
) -> Run {
    let filters: Vec<String> = filters.iter().map(|&filter| filter.to_owned()).collect();
    let checks = select(services::checks(), &[], &filters);
    let runner = Runner { target, settings, pace, jobs };
    runner.run(&plan(target, &checks), |_| {}).await
}

pub(crate) fn outcome(run: &Run, row: Id) -> &Outcome {
    run.outcomes.iter().find(|outcome| outcome.requirement == row).expect("it ran")
}

/// The gateway of the simulator with a deviation, shared by all checks, and settings with its key.
async fn deviating_gateway(deviation: &str) -> (Shared, Settings) {
    let embedded = Embedded::new(1, Dialect::default()).with(&[deviation.to_owned()], &[]).expect("its name");
    let environment = embedded.environment(Service::Gateway).await.expect("a world");
    let control = environment.control.clone().expect("the simulator has one");
    let state = control.call("GET", "state?service=gateway", None).await.expect("its state");
    let mut settings = Settings { seed: 7, ..services::settings() };
    let key = state["gateway"]["keys"]["valid"].as_str().expect("a key").to_owned();
    settings.fixtures.get_mut::<gateway::Fixtures>().set_key(Some(key));
    let environment = Environment { own: false, control: None, ..environment };
    (Shared { environment, offer: Offer::default() }, settings)
}

/// The deviation of a row that only the last request of its check shows: a pace delays it most.
fn latest(row: Id) -> String {
    let last = row.values.last().expect("the row rejects values").name;
    let mut cells = cells::row_cells(&[row.service]).into_iter();
    let of_value = |(name, of): &(String, Id)| *of == row && name.ends_with(&format!("value={last}"));
    cells.rfind(of_value).expect("a cell").0
}

/// The verdicts of a run at the gateway, which accepts a wrong list of messages, and how long it took.
fn verdicts(pace: &Pace, jobs: usize) -> (Vec<(String, Verdict)>, Duration) {
    virtual_time().block_on(async {
        let (target, settings) = deviating_gateway(&latest(&chat::MESSAGES)).await;
        let began = Instant::now();
        let run = run(&target, &settings, pace, &["gateway.*"], jobs).await;
        let found = outcome(&run, &chat::MESSAGES);
        assert_eq!(found.verdict, Verdict::Fail, "{found:?}");
        let all = run.outcomes.iter().map(|one| (one.requirement.to_string(), one.verdict)).collect();
        (all, began.elapsed())
    })
}

/// A pace that delays a run by some minutes.
fn paced() -> Pace {
    Pace::default().limiting("gateway", 30)
}

#[test]
fn a_pace_changes_no_verdict() {
    let (wanted, without) = verdicts(&Pace::default(), 1);
    assert!(without < Duration::from_mins(1), "{without:?}");
    for (pace, jobs) in [(paced(), 1), (Pace::default(), 16)] {
        let (found, took) = verdicts(&pace, jobs);
        assert_eq!(found, wanted, "{jobs} jobs, {took:?}");
    }
    let (_, with) = verdicts(&paced(), 1);
    assert!(with > Duration::from_mins(3), "the pace delays the run: {with:?}");
}

#[test]
fn a_hundred_runs_beside_each_other_give_one_set_of_verdicts() {
    let (wanted, _) = verdicts(&Pace::default(), 1);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for n in 0..50 {
                    assert_eq!(verdicts(&paced(), 16).0, wanted, "run {n}");
                }
            });
        }
    });
}

/// A document of a contract or a token.
const DOCUMENT: &str = "{\"name\": \"a\"}";

/// A contract with these tokens.
fn with_contract(tokens: &[&str]) -> Settings {
    let mut settings = Settings { seed: 7, ..services::settings() };
    settings.fixtures.get_mut::<metadata::Fixtures>().contracts = vec![MetadataContract {
        cid: Some("bafk".to_owned()),
        tokens: tokens.iter().map(|&id| id.to_owned()).collect(),
        ..MetadataContract::default()
    }];
    settings
}

#[test]
fn a_long_retry_after_is_not_waited_for_and_after_three_no_request_is_sent() {
    virtual_time().block_on(async {
        let answers: Answers = |_, _| http("429 Too Many Requests", "Retry-After: 3600\r\n", "");
        let (target, asked) = scripted(&[("metadata", answers)]);
        let (settings, pace) = (with_contract(&["1"]), Pace::default());
        let began = Instant::now();
        let run = run(&target, &settings, &pace, &["metadata.*"], 1).await;
        assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
        assert_eq!(asked.load(Ordering::Relaxed), 3);
        let found = outcome(&run, &token::BY_CID);
        assert_eq!(found.verdict, Verdict::Inconclusive, "{:?}", found.reason);
        assert!(
            run.outcomes.iter().any(|one| one.reason.said.contains("Retry-After: 3600")),
            "the value is named"
        );
        assert_eq!(run.count(Verdict::Fail), 0);
        let seen = &pace.observations()[0];
        assert_eq!((seen.site.as_str(), seen.sent), ("metadata", 1));
        assert!(run.remarks.contains(&seen.to_string()), "{:?}", run.remarks);
    });
}

#[test]
fn a_short_retry_after_is_waited_for() {
    virtual_time().block_on(async {
        let answers: Answers = |n, head| match n {
            0 => http("429 Too Many Requests", "Retry-After: 60\r\n", ""),
            _ if head.starts_with("GET /bafk/1") => {
                http("200 OK", "Content-Type: application/json\r\n", DOCUMENT)
            }
            _ => http("404 Not Found", "", ""),
        };
        let (target, _) = scripted(&[("metadata", answers)]);
        let began = Instant::now();
        let run = run(&target, &with_contract(&["1"]), &Pace::default(), &["metadata.token.by-cid"], 1).await;
        assert_eq!(outcome(&run, &token::BY_CID).verdict, Verdict::Pass, "{run:?}");
        assert!(began.elapsed() >= Duration::from_mins(1), "{:?}", began.elapsed());
    });
}

#[test]
fn each_named_token_is_read() {
    virtual_time().block_on(async {
        // The service knows a document of each token but of one.
        let answers: Answers = |_, head| match head.split(' ').nth(1) {
            Some("/bafk/4") => http("404 Not Found", "", ""),
            _ => http("200 OK", "Content-Type: application/json\r\n", DOCUMENT),
        };
        let (target, _) = scripted(&[("metadata", answers)]);
        let found = async |tokens: &[&str]| {
            let filter = ["metadata.token.by-cid"];
            let run = run(&target, &with_contract(tokens), &Pace::default(), &filter, 1).await;
            (outcome(&run, &token::BY_CID).verdict, run.remarks)
        };
        assert_eq!(found(&["1", "2", "3", "4", "5"]).await.0, Verdict::Fail, "the fourth is missing");
        assert_eq!(found(&["1", "2", "3", "5"]).await.0, Verdict::Pass);
        let many: Vec<String> = (10..30).map(|id| id.to_string()).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let (_, remarks) = found(&many).await;
        assert!(remarks.iter().any(|one| one.contains("5 of 20 tokens of /bafk")), "{remarks:?}");
    });
}

/// What the survey says before the checks of these services run.
async fn confirm(target: &mut Shared, profile: &str, services: &[Service]) -> Result<usize, String> {
    let loaded =
        Profile::of_text(profile.to_owned(), "p.toml".to_owned(), Path::new(".")).expect("a profile");
    let (mut settings, pace) = (services::settings(), Pace::default());
    let confirmed = setup::confirm(target, &mut settings, &pace, &loaded.source, services, 0).await;
    match confirmed {
        Ok(wrong) => Ok(wrong.len()),
        Err(SetupError::Bad(why) | SetupError::Unreachable(why)) => Err(why),
    }
}

#[test]
fn a_server_that_speaks_tls_is_named_at_once() {
    virtual_time().block_on(async {
        let alert: Answers = |_, _| Some("\u{15}\u{3}\u{3}\u{0}\u{2}\u{2}\u{a}".to_owned());
        for service in Service::ALL.iter().copied() {
            let (mut target, _) = scripted(&[(service.name(), alert)]);
            let began = Instant::now();
            let profile = format!("[{service}]\nurl = \"http://{service}.test\"\n");
            let why = confirm(&mut target, &profile, &[service]).await.expect_err("no HTTP");
            assert!(why.contains("write https://"), "{service}: {why}");
            assert!(began.elapsed() < Duration::from_secs(2), "{service}: {:?}", began.elapsed());
        }
    });
}

#[test]
fn another_service_is_named_for_every_service() {
    virtual_time().block_on(async {
        let embedded = Embedded::new(1, Dialect::default());
        let world = embedded.environment(Service::Gateway).await.expect("a world");
        // Every other service at the URL of a drop.
        for service in Service::ALL.iter().copied().filter(|service| *service != Service::Drop) {
            let sites = [(service.name().to_owned(), world.sites["drop"].clone())];
            let environment = Environment { own: false, control: None, sites: sites.into(), ..world.clone() };
            let mut target = Shared { environment, offer: Offer::default() };
            let profile = format!("[{service}]\nurl = \"http://drop.sim\"\n");
            let began = Instant::now();
            let confirmed = confirm(&mut target, &profile, &[service]).await;
            if !services::SUITES.get(service).questions.is_recognizable {
                continue;
            }
            let why = confirmed.expect_err("a drop");
            assert!(why.contains("it looks like the drop service"), "{service}: {why}");
            assert!(began.elapsed() < Duration::from_secs(2), "{service}: {:?}", began.elapsed());
        }
    });
}

#[test]
fn a_server_that_answers_nothing_costs_one_timeout() {
    virtual_time().block_on(async {
        let mute: Answers = |_, _| None;
        let profile = "[metadata]\nurl = \"http://metadata.test\"\n[drop]\nurl = \"http://drop.test\"\n";
        let (mut target, _) = scripted(&[("metadata", mute), ("drop", mute)]);
        let began = Instant::now();
        let services = [Service::Metadata, Service::Drop];
        let why = confirm(&mut target, profile, &services).await.expect_err("no answer");
        assert!(why.contains("metadata.test") && why.contains("drop.test"), "{why}");
        assert!(began.elapsed() < Duration::from_mins(1), "{:?}", began.elapsed());
        // Beside a server that answers, it gets no request of a check.
        let missing: Answers = |_, head| {
            if head.starts_with("POST") {
                http("400 Bad Request", "Content-Type: application/json\r\n", "{\"error\": \"no\"}")
            } else {
                http("405 Method Not Allowed", "", "")
            }
        };
        let (mut target, asked) = scripted(&[("metadata", mute), ("drop", missing)]);
        confirm(&mut target, profile, &services).await.expect("one of them answers");
        let before = asked.load(Ordering::Relaxed);
        let run = run(&target, &with_contract(&["1"]), &Pace::default(), &["metadata.token.*"], 1).await;
        assert_eq!(asked.load(Ordering::Relaxed), before);
        let found = outcome(&run, &token::BY_CID);
        assert_eq!(found.verdict, Verdict::Inconclusive, "{:?}", found.reason);
        assert!(
            found.reason.why == Why::Silent && found.reason.said.contains("metadata.test"),
            "{:?}",
            found.reason
        );
    });
}

#[test]
fn heavy_checks_come_last() {
    for jobs in [1, 16] {
        virtual_time().block_on(async {
            let (target, _) = scripted(&[("drop", |_, _| http("404 Not Found", "", ""))]);
            let (settings, pace) = (Settings { seed: 7, ..services::settings() }, Pace::default());
            let checks = select(services::checks(), &[Service::Drop], &[]);
            let runner = Runner { target: &target, settings: &settings, pace: &pace, jobs };
            let mut weights = Vec::new();
            let weight = |row| services::check(row).expect("a check").weight();
            runner.run(&plan(&target, &checks), |ran| weights.push(weight(ran.outcome.requirement))).await;
            assert!(weights.is_sorted() && weights.first() < weights.last(), "{jobs}: {weights:?}");
        });
    }
}
