//! Plans: the cost of a run, skipped checks with reasons, and that planning sends nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::net::TcpListener;
use std::sync::Arc;

use assay_spec::{Dialect, Service};
use assay_suites::embedded::Embedded;
use assay_suites::harness::check::{Check, Need, Weight};
use assay_suites::harness::data::{Run, Verdict};
use assay_suites::harness::pace::Pace;
use assay_suites::harness::probe::Settings;
use assay_suites::harness::run::Runner;
use assay_suites::harness::run::plan::{Plan, Planned, Wishes, foresee, plan, select};
use assay_suites::harness::target::Remote;
use assay_suites::report::words;
use assay_suites::services;
use assay_suites::services::SUITES;
use assay_suites::services::publish::{Fixtures, Pool};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// A shared target with all services at one address and no control API.
async fn foreign(url: &str) -> Remote {
    let sites =
        ["gateway", "metadata", "network", "publish", "drop"].map(|site| (site.to_owned(), url.to_owned()));
    Remote::new(BTreeMap::from(sites), None).await.expect("no control API")
}

async fn foreseen(target: &Remote, wishes: &Wishes) -> Vec<Planned> {
    foresee(target, &services::settings(), wishes, &services::checks()).await
}

fn reason<'a>(planned: &'a [Planned], id: &str) -> Option<&'a str> {
    let planned = planned.iter().find(|planned| planned.check.requirement.to_string() == id);
    planned.expect("a check of that id").left_out.as_ref().map(|why| why.reason.as_str())
}

fn everything() -> Wishes {
    Wishes { include: [Weight::Heavy, Weight::Destructive].into(), ..Wishes::default() }
}

#[tokio::test]
async fn planning_sends_nothing_and_says_what_the_checks_would_say() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.set_nonblocking(true).expect("it does not wait");
    let url = format!("http://{}", listener.local_addr().expect("its address"));
    let target = foreign(&url).await;
    let planned = foreseen(&target, &everything()).await;
    let none = listener.accept().expect_err("no connection");
    assert_eq!(none.kind(), std::io::ErrorKind::WouldBlock);

    let clock = reason(&planned, "publish.prepare.lock-expires").expect("time cannot be moved");
    assert!(clock.contains("moves time"), "{clock}");
    let domain = reason(&planned, "publish.prepare.message").expect("no domain is named");
    assert_eq!(domain, "needs a bound domain ([publish] key and domains)");
    assert_eq!(reason(&planned, "metadata.root.html"), None, "it needs nothing");

    // A run against a target gives the planned verdicts and reasons.
    let left_out: Vec<&Planned> = planned
        .iter()
        .filter(|planned| planned.check.requirement.service == Service::Publish && planned.left_out.is_some())
        .collect();
    let checks: Vec<&'static Check> = left_out.iter().map(|planned| planned.check).collect();
    let run = run_against(&target, &services::settings(), &plan(&target, &checks)).await;
    for (outcome, planned) in run.outcomes.iter().zip(&left_out) {
        let foreseen = planned.left_out.as_ref().map(|why| (why.verdict, why.reason.clone()));
        assert_eq!(foreseen, Some((outcome.verdict, words::reason(outcome))), "{}", outcome.requirement);
    }
    assert!(!left_out.is_empty());
}

async fn run_against(target: &Remote, settings: &Settings, planned: &[Planned]) -> Run {
    let pace = Pace::default();
    let runner = Runner { target, settings, pace: &pace, jobs: 1 };
    runner.run(planned, |_| {}).await
}

#[tokio::test]
async fn heavy_and_destructive_checks_need_include_on_a_shared_target() {
    let target = foreign("http://127.0.0.1:1").await;
    let planned = foreseen(&target, &Wishes::default()).await;
    let of = |weight: Weight| -> BTreeSet<String> {
        let checks = services::checks().into_iter().filter(|check| check.weight() == weight);
        checks.map(|check| check.requirement.to_string()).collect()
    };
    for weight in [Weight::Heavy, Weight::Destructive] {
        assert!(!of(weight).is_empty());
        let wanted = format!("--include {}", weight.name());
        for id in of(weight) {
            let reason = reason(&planned, &id).expect("it is skipped");
            assert!(reason.contains(&wanted) || reason.starts_with("needs "), "{id}: {reason}");
        }
    }
    let left_out = |planned: &[Planned]| {
        let asks = |planned: &&Planned| {
            planned.left_out.as_ref().is_some_and(|why| why.reason.contains("--include"))
        };
        planned.iter().filter(asks).count()
    };
    assert!(left_out(&planned) > 0);
    assert_eq!(left_out(&foreseen(&target, &everything()).await), 0);
    let embedded = Embedded::new(1, Dialect::default());
    let planned = foresee(&embedded, &services::settings(), &Wishes::default(), &services::checks()).await;
    assert!(planned.iter().all(|planned| planned.left_out.is_none()), "every check has its own world");
}

#[tokio::test]
async fn a_read_only_run_sends_no_writing_request_whatever_is_planned() {
    let target = foreign("http://127.0.0.1:1").await;
    let wishes = Wishes { read_only: true, ..everything() };
    let planned = foreseen(&target, &wishes).await;
    assert!(
        planned.iter().all(|planned| planned.left_out.is_some() || planned.check.costs().own.writes == 0)
    );
    let stored = reason(&planned, "network.messages.found").expect("a message would stay");
    assert!(stored.contains("--read-only"), "{stored}");

    // The guard holds even without the plan.
    let embedded = Embedded::new(1, Dialect::default());
    let settings = Settings { read_only: true, ..services::settings() };
    let checks = select(
        services::checks(),
        &[],
        &["network.messages", "drop.upload", "publish.prepare"].map(str::to_owned),
    );
    let pace = Pace::default();
    let runner = Runner { target: &embedded, settings: &settings, pace: &pace, jobs: 4 };
    let run = runner.run(&plan(&embedded, &checks), |_| {}).await;
    assert_eq!(run.sent.writes, 0);
    assert!(run.count(Verdict::NotTestable) > 10);
    for outcome in &run.outcomes {
        let writes = services::check(outcome.requirement).is_some_and(|check| check.costs().own.writes > 0);
        let verdict = if writes { Verdict::NotTestable } else { Verdict::Pass };
        assert_eq!(outcome.verdict, verdict, "{}: {}", outcome.requirement, words::reason(outcome));
    }
}

#[tokio::test]
async fn real_time_runs_the_checks_that_can_wait() {
    let target = foreign("http://127.0.0.1:1").await;
    let id = "publish.prepare.lock-expires";
    let without = foreseen(&target, &everything()).await;
    let why = reason(&without, id).expect("nothing moves time");
    assert!(why.ends_with(", or --real-time"), "{why}");
    assert_eq!(Plan::new(SUITES, &target, &Pace::default(), &without, None, 1).waits, (0, 0));
    let mut settings = Settings { real_time: true, ..services::settings() };
    let own = settings.fixtures.get_mut::<Fixtures>();
    own.key = Some([7; 32]);
    own.pool = Arc::new(Pool::new((0..9).map(|n| format!("d{n}.example"))));
    let planned = foresee(&target, &settings, &everything(), &services::checks()).await;
    assert_eq!(reason(&planned, id), None);
    let plan = Plan::new(SUITES, &target, &Pace::default(), &planned, None, 1);
    let waiting = planned.iter().filter(|planned| planned.check.waits > 0).count();
    assert!(waiting > 0);
    assert_eq!(plan.waits, (waiting, 360));
    assert!(plan.text().contains("waiting up to 360 s, beside the others"), "{}", plan.text());
    // Without a wait of its own, a check still needs a control API.
    let longer = planned
        .iter()
        .filter(|planned| planned.check.needs.contains(&Need::Clock) && planned.check.waits == 0);
    assert!(longer.clone().count() > 0 && longer.clone().all(|planned| planned.left_out.is_some()));
}

#[tokio::test]
async fn a_plan_adds_up_as_text_and_json() {
    let embedded = Embedded::new(1, Dialect::default());
    let planned = plan(&embedded, &services::checks());
    let plan = Plan::new(SUITES, &embedded, &Pace::default(), &planned, None, 2);
    let requests: u64 = services::checks().iter().map(|check| u64::from(check.costs().own.requests)).sum();
    assert_eq!((plan.sum().requests, plan.is_exact), (requests, true));
    assert_eq!(plan.json()["together"]["requests"], requests);
    assert!(plan.text().contains("requests: exact;"), "{}", plan.text());

    let target = foreign("http://127.0.0.1:1").await;
    let pace = Pace::new(BTreeMap::from([("gateway".to_owned(), 30)]));
    let planned = foreseen(&target, &Wishes::default()).await;
    let plan = Plan::new(SUITES, &target, &pace, &planned, Some(80), 1);
    let (text, json) = (plan.text(), plan.json());
    assert!(
        text.contains("as measured at the simulator") && text.contains("80 ms a request, measured"),
        "{text}"
    );
    let out: u64 = plan.left_out.values().map(|ids| ids.len() as u64).sum();
    assert_eq!(plan.sum().checks + out, services::checks().len() as u64);
    assert_eq!(plan.sum().left_out, out);
    assert!(plan.seconds > 0);
    assert_eq!(plan.deadline().as_secs(), 4 * plan.seconds + 3600);
    let listed = json["left_out"].as_array().expect("the reasons");
    let listed: usize = listed.iter().map(|why| why["checks"].as_array().map_or(0, Vec::len)).sum();
    assert_eq!(listed as u64, out);
}

#[tokio::test]
async fn a_429_is_excused_at_the_declared_limit_only() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("its address"));
    let serving = tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut head = [0; 1024];
            let _ = stream.read(&mut head).await;
            let refusal = b"HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n";
            let _ = stream.write_all(refusal).await;
        }
    });
    let target = foreign(&url).await;
    let checks = select(services::checks(), &[], &["metadata.root.html".to_owned()]);
    let (settings, jobs) = (services::settings(), 1);
    for (limits, verdict, said) in [
        (vec![("metadata", 1)], Verdict::Inconclusive, "this run has reached the declared rate limit (429)"),
        (vec![("metadata", 2)], Verdict::Fail, "wanted 200, got 429"),
        (vec![("gateway", 1)], Verdict::Fail, "wanted 200, got 429"),
    ] {
        let limits = limits.into_iter().map(|(site, limit)| (site.to_owned(), limit));
        let pace = Pace::new(limits.collect());
        let runner = Runner { target: &target, settings: &settings, pace: &pace, jobs };
        let run = runner.run(&plan(&target, &checks), |_| {}).await;
        assert_eq!(run.count(verdict), checks.len());
        for outcome in &run.outcomes {
            assert!(words::reason(outcome).contains(said), "{}", words::reason(outcome));
        }
    }
    serving.abort();
}
