//! Ambient judgement: a field that is wrong at one endpoint is found in any response, and fails the row that owns it.

use std::collections::{BTreeMap, BTreeSet};

use assay_spec::shape::{Reply, ShapeKind};
use assay_spec::{Dialect, Service, catalogue, field};
use assay_suites::embedded::{Embedded, cells};
use assay_suites::harness::check::Check;
use assay_suites::harness::data::{Run, Verdict, Worlds};
use assay_suites::harness::judge::ambient::breaches;
use assay_suites::harness::pace::Pace;
use assay_suites::harness::probe::Settings;
use assay_suites::harness::run::Runner;
use assay_suites::harness::run::plan::plan;
use assay_suites::http::exchange::{Exchange, Request, Response};
use assay_suites::report::json;
use assay_suites::report::words::reason;
use assay_suites::rerun::judge::judge;
use assay_suites::rerun::merge;
use assay_suites::services;
use assay_vectors::exchange::{exchanges, rejections};

/// The deadline of a prepare, in seconds.
const DEADLINE: &str = "field:POST /api/vf-cli/publish/prepare/200/expiresAt=seconds";
/// The row that owns it.
const OWNER: &str = "publish.prepare.expires-at";
/// A check that prepares, and has nothing to do with deadlines.
const OTHER: &str = "publish.prepare.one-in-flight";

fn named(ids: &[&str]) -> Vec<&'static Check> {
    let find = |id: &&str| {
        let row = catalogue::requirement(id).expect("a row");
        services::check(row).expect("a check")
    };
    ids.iter().map(find).collect()
}

async fn run(deviation: Option<&str>, ids: &[&str]) -> Run {
    let settings = Settings { seed: 1, ..services::settings() };
    let deviations: Vec<String> = deviation.iter().map(ToString::to_string).collect();
    let target = Embedded::new(1, Dialect::default()).with(&deviations, &[]).expect("a deviation");
    let pace = Pace::default();
    let runner = Runner { target: &target, settings: &settings, pace: &pace, jobs: 2 };
    runner.run(&plan(&target, &named(ids)), |_| {}).await
}

fn verdicts(run: &Run) -> BTreeMap<String, Verdict> {
    run.outcomes.iter().map(|outcome| (outcome.requirement.to_string(), outcome.verdict)).collect()
}

#[tokio::test]
async fn a_wrong_field_fails_its_owner_wherever_it_is_seen() {
    let run = run(Some(DEADLINE), &[OTHER]).await;
    let found = verdicts(&run);
    assert_eq!(found[OTHER], Verdict::Pass, "the check that was running keeps its own verdict");
    assert_eq!(found[OWNER], Verdict::Fail);
    assert_eq!(found.len(), 2);
    let own =
        run.outcomes.iter().find(|outcome| outcome.requirement.to_string() == OWNER).expect("the owner");
    assert!(
        own.seen_by.is_some() && reason(own).contains("/expiresAt") && reason(own).contains(OTHER),
        "{}",
        reason(own)
    );
    let at = own.failure.as_ref().and_then(|failure| failure.exchange).expect("an exchange");
    assert!(own.exchanges[at].request.target.ends_with("/prepare"));
    assert_eq!(own.answers, 3, "only the first prepare of each operation was accepted");
    assert_eq!(run.exit_code(), 1);
}

#[tokio::test]
async fn a_conforming_run_counts_the_responses_of_each_owner() {
    let run = run(None, &[OTHER, OWNER]).await;
    assert!(run.outcomes.iter().all(|outcome| outcome.verdict == Verdict::Pass));
    let own =
        run.outcomes.iter().find(|outcome| outcome.requirement.to_string() == OWNER).expect("the owner");
    assert_eq!(own.answers, 9, "one response to each operation, and two of the check of the owner");
}

#[tokio::test]
async fn a_report_is_judged_again_with_the_same_verdicts() {
    for ids in [&[OTHER][..], &[OTHER, OWNER, "publish.prepare.payload"]] {
        let report = json::read(&json::write(&run(Some(DEADLINE), ids).await)).expect("a report");
        let judged = judge(&report, None).await.expect("the report's profile");
        assert!(judged.holds(), "{}", judged.text());
        assert_eq!(judged.same, report.outcomes.len());
    }
}

#[tokio::test]
async fn a_record_that_differs_from_its_request_fails_its_row_and_shows_both() {
    let (sender, reader) = ("network.messages.sender", "network.messages.found");
    let run = run(Some("field:GET /api/v0/messages/{hash}/200/message.sender=other"), &[reader]).await;
    let found = verdicts(&run);
    assert_eq!((found[reader], found[sender]), (Verdict::Pass, Verdict::Fail), "{found:?}");
    let own = run.outcomes.iter().find(|outcome| outcome.requirement.to_string() == sender).expect("the row");
    let methods: Vec<&str> = own.exchanges.iter().map(|exchange| &*exchange.request.method).collect();
    assert_eq!(methods, ["POST", "GET"]);
    assert_eq!(own.seen_by.map(ToString::to_string).as_deref(), Some(reader));
    let failure = own.failure.as_ref().expect("a failure");
    assert_eq!((&*failure.place, failure.exchange), ("/message/sender", Some(1)));
    let report = json::read(&json::write(&run)).expect("a report");
    assert!(judge(&report, None).await.expect("the report's profile").holds());
    assert_eq!(json::write(&report), json::write(&run));
}

#[tokio::test]
async fn parts_of_a_run_are_judged_together() {
    // The first part has seen the wrong field, and the second has the owner's check, which has not.
    let (first, second) = (run(Some(DEADLINE), &[OTHER]).await, run(None, &[OWNER]).await);
    for parts in [[first.clone(), second.clone()], [second, first]] {
        let whole = merge::parts(parts.to_vec()).expect("parts of one run");
        let found = verdicts(&whole);
        assert_eq!((found[OTHER], found[OWNER], found.len()), (Verdict::Pass, Verdict::Fail, 2));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sample_of_the_cells_is_closed() {
    let settings = Settings { seed: 1, ..services::settings() };
    let found = cells::prove_cells(1, Service::ALL, &settings, 4, 25).await.expect("worlds");
    let differences = cells::differences(&found, true).expect("suites/holes.toml");
    assert!(differences.is_empty(), "{differences:#?}");
    let closed: usize = found.values().map(cells::Census::closed).sum();
    assert!(closed > 50, "{closed}");
}

#[test]
fn every_listed_hole_is_a_cell() {
    let listed = cells::listed().expect("suites/holes.toml");
    let rows: BTreeSet<String> = cells::row_cells(Service::ALL).into_iter().map(|(name, _)| name).collect();
    assert!(listed.iter().all(|name| rows.contains(name) || field::cell(name).is_some()), "{listed:?}");
    // Lower a number when one is closed.
    let of_rows = listed.iter().filter(|name| rows.contains(*name)).count();
    assert_eq!((listed.len() - of_rows, of_rows), (0, 0), "the list may only shrink");
}

#[test]
fn what_is_not_declared_only_shrinks() {
    let open = |service: &Service| {
        let own = catalogue::endpoints().filter(|endpoint| endpoint.service == *service);
        own.map(|endpoint| field::open(endpoint).len()).sum::<usize>()
    };
    let counts: Vec<(&str, usize)> =
        Service::ALL.iter().map(|service| (service.name(), open(service))).collect();
    // Lower a number when a field is declared; `assay requirements --undeclared` prints what is not, and why.
    let known =
        [("gateway", 13), ("metadata", 0), ("network", 24), ("hosting", 1), ("publish", 0), ("drop", 5)];
    assert_eq!(counts, known);
}

#[test]
fn what_may_have_any_value_only_shrinks() {
    let free = |service: &Service| {
        let own = catalogue::endpoints().filter(|endpoint| endpoint.service == *service);
        own.map(|endpoint| field::free(endpoint).len()).sum::<usize>()
    };
    let counts: Vec<(&str, usize)> =
        Service::ALL.iter().map(|service| (service.name(), free(service))).collect();
    // Lower a number when a relation is declared; `assay requirements --undeclared` prints the fields, and why.
    let known =
        [("gateway", 29), ("metadata", 112), ("network", 265), ("hosting", 0), ("publish", 22), ("drop", 0)];
    assert_eq!(counts, known);
}

/// A hand-written exchange as the suites record it.
fn recorded(service: &str, written: &assay_vectors::exchange::Exchange) -> Exchange {
    let mut words = written.request.head[0].split(' ');
    let (method, target) = (words.next().expect("a method"), words.next().expect("a target"));
    let status = written.response.head[0].split(' ').nth(1).and_then(|status| status.parse().ok());
    let headers = written.response.head[1..].iter().map(|line| {
        let (name, value) = line.split_once(": ").expect("a header");
        (name.to_lowercase(), value.as_bytes().to_vec())
    });
    Exchange {
        site: service.to_owned(),
        base: "http://a.example".to_owned(),
        request: Request::new(method, target).body(written.request.body.clone()),
        cut: None,
        slot: None,
        response: Ok(Response {
            status: status.expect("a status"),
            headers: headers.collect(),
            body: written.response.body.clone().into(),
        }),
    }
}

#[test]
fn hand_written_exchanges_are_as_declared() {
    let mut parts = 0;
    for service in Service::ALL {
        for written in exchanges(service.name()).into_iter().chain(rejections(service.name())) {
            for (head, body) in [
                (&written.request.head, &written.request.body),
                (&written.response.head, &written.response.body),
            ] {
                let length = head.iter().find_map(|line| line.strip_prefix("Content-Length: "));
                // A stream says no length.
                let is_right = length.is_none_or(|length| length == body.len().to_string());
                assert!(is_right, "{service} {}: {length:?}", written.endpoint);
            }
            let exchange = recorded(service.name(), &written);
            let (judged, broken) = breaches(&exchange, &Dialect::default(), Worlds::Shared);
            assert!(broken.is_empty(), "{service} {}: {broken:?}", written.endpoint);
            parts += judged;
        }
    }
    assert!(parts > 250, "{parts}");
}

/// The endpoints of which the documents show nothing but that they exist.
const NOT_SHOWN: [&str; 11] = [
    "node-metrics",
    "login",
    "vm",
    "status-check",
    "plan",
    "allocation",
    "nodes",
    "services",
    "payment",
    "token-to-credit",
    "rehydrate",
];

#[test]
fn every_success_of_every_endpoint_is_written_by_hand() {
    let mut missing = Vec::new();
    let mut not_shown = Vec::new();
    for endpoint in catalogue::endpoints() {
        let service = endpoint.service.name();
        // Endpoint, status and content type.
        let written: BTreeSet<(String, u16, String)> = exchanges(service)
            .iter()
            .map(|written| {
                let exchange = recorded(service, written);
                let path = exchange.request.target.split('?').next().unwrap_or_default();
                let method = &exchange.request.method;
                let found =
                    catalogue::endpoint_at(&Dialect::default(), endpoint.service, service, method, path);
                let response = exchange.response.as_ref().expect("a response");
                let content_type = response.header("content-type").unwrap_or_default().to_owned();
                (found.map_or("", |found| found.name).to_owned(), response.status, content_type)
            })
            .collect();
        let has = |status: u16, content_type: &str| {
            let fits = |known: &str| content_type == "*/*" || known.starts_with(content_type);
            written.iter().any(|(name, known, of)| *name == endpoint.name && *known == status && fits(of))
        };
        let shape = &endpoint.shape;
        let is_written = written.iter().any(|(name, ..)| name == endpoint.name);
        if shape.row.is_none() && !matches!(shape.reply, Reply::Bytes) && !is_written {
            not_shown.push(endpoint.name);
            continue;
        }
        // Whether another endpoint than the chat streams is left open.
        let is_open = matches!(shape.reply, Reply::JsonOrEvents(_, ShapeKind::Open(_)));
        let types = &shape.reply.types()[..if is_open { 1 } else { shape.reply.types().len() }];
        for status in endpoint.statuses.iter().filter(|status| (200..300).contains(*status)) {
            for content_type in types.iter().filter(|content_type| !has(*status, content_type)) {
                missing.push(format!("{} {} {status} {content_type}", endpoint.method, endpoint.path));
            }
        }
    }
    assert!(missing.is_empty(), "write these by hand, from the document: {missing:#?}");
    assert_eq!(not_shown, NOT_SHOWN, "what is not shown may only shrink");
}

#[test]
fn every_declared_error_form_is_written_by_hand() {
    for service in Service::ALL {
        // A form by its status and the rows of its fields.
        let mut written: BTreeSet<(u16, &str)> = BTreeSet::new();
        for rejection in rejections(service.name()) {
            let exchange = recorded(service.name(), &rejection);
            let status = exchange.response.as_ref().expect("a response").status;
            let own = catalogue::endpoints()
                .find(|endpoint| endpoint.service == *service && endpoint.name == rejection.endpoint);
            let endpoint = own.unwrap_or_else(|| panic!("{service}: no endpoint {}", rejection.endpoint));
            assert!(status >= 400 && endpoint.statuses.contains(&status), "{service} {status}");
            let expected = endpoint.expected(status).expect("a declared error");
            assert!(
                breaches(&exchange, &Dialect::default(), Worlds::Shared).0 > 0,
                "{service} {status} is judged"
            );
            written.extend(expected.row.map(|row| (status, row.name)));
        }
        let own = catalogue::endpoints().filter(|endpoint| endpoint.service == *service);
        for (endpoint, status) in own.flat_map(|endpoint| {
            endpoint.statuses.iter().filter(|status| **status >= 400).map(move |status| (endpoint, *status))
        }) {
            let Some(expected) = endpoint.expected(status) else { continue };
            let Some(row) = expected.row.filter(|_| !matches!(expected.body, Reply::Open(_))) else {
                continue;
            };
            assert!(written.contains(&(status, row.name)), "{service}: {} {status}", endpoint.path);
        }
    }
}
