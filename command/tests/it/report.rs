//! The HTML page of a whole run: its size, its rows, and that data in it is inert.

use std::path::PathBuf;

use assay_spec::{Dialect, Service, catalogue};
use assay_suites::embedded::Embedded;
use assay_suites::harness::data::{Account, Failure, Run, Verdict};
use assay_suites::harness::pace::Pace;
use assay_suites::harness::probe::Settings;
use assay_suites::harness::run::Runner;
use assay_suites::harness::run::plan::{plan, select};
use assay_suites::http::exchange::{Exchange, Request, Response};
use assay_suites::report::html::{self, Options};
use assay_suites::report::{json, markdown};
use assay_suites::services;

/// The maximum size of a page; larger ones open slowly.
const PAGE_BYTES: usize = 1_550_000;

/// A run of the embedded simulator, conforming or not, of all services or some.
async fn run(deviations: &[&str], services: &[Service]) -> Run {
    let deviations: Vec<String> = deviations.iter().map(|&name| name.to_owned()).collect();
    let target = Embedded::new(1, Dialect::default()).with(&deviations, &[]).expect("known deviations");
    let (settings, pace) = (Settings { seed: 1, ..services::settings() }, Pace::default());
    let runner = Runner { target: &target, settings: &settings, pace: &pace, jobs: 4 };
    runner.run(&plan(&target, &select(services::checks(), services, &[])), |_| {}).await
}

/// Writes a page to the tests' temporary folder, for inspection.
fn leave(name: &str, page: &str) {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, page).expect("the folder for tests can be written to");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_run_is_a_page_with_every_row() {
    let run = run(&[], &[]).await;
    let page = html::write(&run, Options::default());
    leave("whole.html", &page);
    for row in catalogue::requirements() {
        assert_eq!(page.matches(&format!("\"id\":\"{row}\"")).count(), 1, "{row}");
    }
    assert!(page.len() < PAGE_BYTES, "{} bytes", page.len());
    assert_eq!(page, html::write(&run, Options::default()), "the same run, the same bytes");
    let full = html::write(&run, Options { full: true, ..Options::default() });
    assert!(full.len() > 2 * page.len(), "the exchanges of passes: {} bytes", full.len());
    // For programs, and for a comment of at most 65,536 characters.
    let (json, markdown) = (json::brief(&run).len(), markdown::write(&run).len());
    assert!(json < 3_000_000 && markdown < 60_000, "{json} and {markdown} bytes");
    // Every check fails for a reason of its own, with long values.
    let mut failing = run;
    for outcome in &mut failing.outcomes {
        let long = format!("{} {}", outcome.requirement, "long ".repeat(2000));
        outcome.verdict = Verdict::Fail;
        let place = outcome.requirement.to_string();
        outcome.failure = Some(Failure::new(&place, long.clone(), long.clone(), None));
        outcome.repeat = vec![long.clone(); 3];
        outcome.why = vec![Account { words: long.clone(), ..Account::default() }; 50];
        outcome.reason = long.into();
    }
    let page = html::write(&failing, Options::default());
    leave("failing.html", &page);
    assert!(page.len() < PAGE_BYTES, "{} bytes", page.len());
    let (summary, comment) = (markdown::write(&failing).len(), markdown::comment(&failing, None).len());
    assert!(summary < 60_000 && comment < 10_000, "{summary} and {comment} bytes");
}

#[tokio::test(flavor = "multi_thread")]
async fn data_from_a_target_is_inert() {
    let deviations = ["drop.cid.version", "drop.response.claim-url"];
    let mut run = run(&deviations, &[Service::Publish, Service::Drop]).await;
    let hostile = "</script></style></pre><script>document.title='acted'</script><img src=x onerror=\"document.title='acted'\">\
        <!-- \u{202e}\u{2066}\0 @CATALOGUE@ @SCRIPT@ <a href='javascript:1'>\u{1b}[31m";
    for (n, outcome) in run.outcomes.iter_mut().enumerate().filter(|(n, _)| n % 20 == 3) {
        outcome.verdict = Verdict::Fail;
        outcome.reason = format!("it said {hostile}").into();
        outcome.notes = vec![hostile.into()];
        outcome.why = vec![Account { words: hostile.into(), ..Account::default() }];
        outcome.repeat = vec![format!("curl '{hostile}'")];
        outcome.elapsed_ms = Some(17 * n as u64);
        let many = |got: &str| {
            format!("{{\"a\":[1,2,3],\"status\":\"{got}\",\"words\":\"{}\"}}", "long ".repeat(20))
        };
        let got = if n % 40 == 3 { many("queued") } else { hostile.into() };
        outcome.failure = Some(Failure::new(hostile, many("live"), got, Some(0)));
        let request = Request::new("POST", &format!("/{hostile}")).header("x", hostile).body(hostile);
        let headers = vec![("x".to_owned(), hostile.as_bytes().to_vec()), (hostile.into(), vec![0xff])];
        let response = Response { status: 200, headers, body: hostile.to_owned().into() };
        let text =
            Response { status: 500, headers: Vec::new(), body: many(&hostile.replace('\0', "")).into() };
        let base = format!("http://127.0.0.1/{hostile}");
        let exchange = |response| Exchange {
            site: hostile.into(),
            base: base.clone(),
            request: request.clone(),
            cut: None,
            slot: None,
            response,
        };
        outcome.exchanges = vec![exchange(Ok(response)), exchange(Ok(text))];
    }
    run.target = hostile.into();
    run.remarks = vec![hostile.into()];
    run.conditions.profile = hostile.into();
    let page = html::write(&run, Options::default());
    leave("hostile.html", &page);
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script").count(), 2);
    assert!(!page.contains("<img") && !page.contains("<a href='"));
    for mark in ['\0', '\u{1b}', '\u{202e}', '\u{2066}'] {
        assert!(!page.contains(mark), "{mark:?}");
    }
    assert!(page.contains("&lt;/script&gt;") && page.contains("\\u{202e}"));
}
