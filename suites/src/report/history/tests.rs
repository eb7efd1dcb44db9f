use serde_json::json;

use super::*;

/// A report of checks `publish.a.0`, `publish.a.1`, ….
fn report(began: Option<&str>, verdicts: &[&str]) -> String {
    let outcome = |(n, verdict): (usize, &&str)| json!({ "id": format!("publish.a.{n}"), "fact": "it_does", "verdict": verdict, "elapsed_ms": 1000 * n, "more": [1] });
    let outcomes: Vec<Value> =
        verdicts.iter().enumerate().filter(|(_, verdict)| !verdict.is_empty()).map(outcome).collect();
    let services = json!([{ "service": "publish", "tested": verdicts.len().min(1), "applicable": verdicts.len(), "percent": 0, "core": null }]);
    json!({
        "version": 7, "assay": "0.1.0", "target": "http://127.0.0.1:1", "began": began, "result": "does not conform",
        "is_partial": false, "services": services, "outcomes": outcomes, "bodies": { "x": {} },
    })
    .to_string()
}

fn history(reports: &[String]) -> History {
    let read = |(n, text): (usize, &String)| Summary::read(&format!("{n}.json"), text).expect("a report");
    History::new(reports.iter().enumerate().map(read).collect())
}

#[test]
fn every_course_of_verdicts_has_its_state() {
    let runs = [
        [
            "pass",
            "pass",
            "fail",
            "fail",
            "fail",
            "not-testable",
            "unstable",
            "pass",
            "pass",
            "known-failure",
            "pass",
        ],
        [
            "pass",
            "fail",
            "not-testable",
            "pass",
            "fail",
            "",
            "pass",
            "",
            "inconclusive",
            "unexpected-pass",
            "warn",
        ],
        [
            "pass",
            "pass",
            "pass",
            "fail",
            "error",
            "not-applicable",
            "pass",
            "fail",
            "inconclusive",
            "pass",
            "warn",
        ],
    ];
    let history = history(&runs.map(|run| report(None, &run)));
    let by_id: BTreeMap<&str, (State, usize)> =
        history.checks.iter().map(|track| (track.id.as_str(), (track.state, track.changes))).collect();
    let states: Vec<(State, usize)> = (0..11).map(|n| by_id[format!("publish.a.{n}").as_str()]).collect();
    assert_eq!(
        states,
        [
            (State::Passing, 0),
            (State::Flaky, 2),
            (State::Fixed, 1),
            (State::Flaky, 2),
            (State::Failing, 0),
            (State::Untested, 0),
            (State::Flaky, 1),
            (State::Broken, 1),
            (State::Broken, 1),
            (State::Fixed, 1),
            (State::Broken, 1),
        ]
    );
}

#[test]
fn runs_are_ordered_by_time_only_if_each_has_one() {
    let [late, early] = [Some("2026-11-02T00:00:00.000Z"), Some("2026-11-01T00:00:00.000Z")];
    let files = |reports: &[String]| -> Vec<String> {
        history(reports).runs.iter().map(|run| run.file.clone()).collect()
    };
    assert_eq!(files(&[report(late, &["pass"]), report(early, &["pass"])]), ["1.json", "0.json"]);
    let mixed = [report(late, &["pass"]), report(None, &["pass"]), report(early, &["pass"])];
    assert_eq!(files(&mixed), ["0.json", "1.json", "2.json"]);
    assert!(history(&mixed).order().contains("command line"));
}

#[test]
fn a_report_that_cannot_be_read_says_why() {
    let good = report(None, &["pass"]);
    for (text, why) in [
        (String::new(), "the file is empty"),
        ("[]".to_owned(), "not a report of assay run --json"),
        ("{\"version\": 7".to_owned(), "line 1 column"),
        (good.replace("\"version\":7", "\"version\":8"), "has version 8; this program reads versions 3 to 7"),
        (good.replace("\"version\":7", "\"version\":2"), "has version 2"),
        (
            good.replace("\"verdict\":\"pass\"", "\"verdict\":\"good\""),
            "outcomes[0].verdict: not a verdict: \"good\"",
        ),
        (good.replace("\"tested\":1", "\"tested\":2"), "services: publish: 2 tested of 1 applicable checks"),
        (format!("{good}\n{good}"), "publish.a.0 is listed twice"),
        (format!("{good}\n{{\"version\": x"), "line 2 column"),
    ] {
        let said = Summary::read("x.json", &text).expect_err(&text);
        assert!(said.contains(why), "{said}");
    }
}

#[test]
fn a_partial_report_and_an_earlier_version_are_read() {
    let begun = report(Some("t"), &[]).replace("\"is_partial\":false", "\"is_partial\":true");
    let line = report(None, &["pass", "fail"]);
    let text = format!("{begun}\n{line}\n{{\"version\":7,\"outcomes\":[{{\"id\"");
    let read = Summary::read("x.json.partial", &text).expect("a partial report");
    assert_eq!((read.outcomes.len(), read.run.result.as_str()), (2, "partial"));
    assert_eq!(read.run.elapsed_ms, Some(1000));
    let mut old: Value = serde_json::from_str(&line).expect("JSON");
    for member in ["services", "began", "result"] {
        old.as_object_mut().expect("an object").remove(member);
    }
    old["version"] = 3.into();
    let read = Summary::read("old.json", &old.to_string()).expect("an earlier version");
    let share = Share { service: "publish".to_owned(), tested: 2, applicable: 2 };
    assert_eq!(read.run.services, [share]);
}

#[test]
fn the_same_run_is_known_by_its_time() {
    let read = |began, verdict| Summary::read("x", &report(began, &[verdict])).expect("a report");
    assert!(read(Some("t"), "pass").is_same(&read(Some("t"), "pass")));
    assert!(!read(Some("t"), "pass").is_same(&read(Some("t"), "fail")));
    assert!(!read(None, "pass").is_same(&read(None, "pass")), "runs of the embedded simulator are equal");
}

#[test]
fn the_terminal_shows_it_in_80_columns() {
    let began = |n: usize| format!("2026-11-{:02}T08:30:00.000Z", n + 1);
    let verdicts = |n: usize| {
        [if n.is_multiple_of(2) { "pass" } else { "fail" }, "pass", if n > 3 { "fail" } else { "pass" }]
    };
    let reports: Vec<String> = (0..15).map(|n| report(Some(&began(n)), &verdicts(n))).collect();
    let text = terminal::write(&history(&reports));
    insta::assert_snapshot!(text, @r"
    15 runs of http://127.0.0.1:1, ordered by when they began

    runs (15; 3 before)
       4  2026-11-04 08:30     2 of    3 pass      3 s  does not conform
       5  2026-11-05 08:30     2 of    3 pass      3 s  does not conform
       6  2026-11-06 08:30     1 of    3 pass      3 s  does not conform
       7  2026-11-07 08:30     2 of    3 pass      3 s  does not conform
       8  2026-11-08 08:30     1 of    3 pass      3 s  does not conform
       9  2026-11-09 08:30     2 of    3 pass      3 s  does not conform
      10  2026-11-10 08:30     1 of    3 pass      3 s  does not conform
      11  2026-11-11 08:30     2 of    3 pass      3 s  does not conform
      12  2026-11-12 08:30     1 of    3 pass      3 s  does not conform
      13  2026-11-13 08:30     2 of    3 pass      3 s  does not conform
      14  2026-11-14 08:30     1 of    3 pass      3 s  does not conform
      15  2026-11-15 08:30     2 of    3 pass      3 s  does not conform

    flaky (1): changed back and forth, or unstable in a run
      .F.F.F.F.F.F.F.  publish.a.0
      . pass, F fail

    broken (1): passed before
      ....FFFFFFFFFFF  publish.a.2

    tested: first run, last run, least
      publish    33 %   33 %   33 %

    slowest: median, last
          2 s      2 s  publish.a.2
          1 s      1 s  publish.a.1
         0 ms     0 ms  publish.a.0

    3 checks: 1 flaky, 1 broken, 1 passing
    ");
    let long = "long-name-".repeat(30);
    let hostile =
        reports[0].replace("publish.a.0", &format!("{long}\\u001b[2J")).replace("127.0.0.1:1", &long);
    let text = terminal::write(&history(&[hostile.clone(), hostile]));
    assert!(!text.contains('\u{1b}') && text.contains("long-name-"), "{text}");
    let longest = text.lines().skip(5).map(|line| line.chars().count()).max();
    assert!(longest <= Some(80), "{text}");
}

#[test]
fn the_page_shows_it_and_data_in_it_is_inert() {
    let hostile =
        "</script><script>document.title='acted'</script><img src=x onerror=alert(1)>\" onload=\"@RUNS@";
    let mut reports: Vec<Value> = (0..70)
        .map(|n| {
            report(
                Some(&format!("2026-11-01T00:00:{n:02}.000Z")),
                &[["pass", "fail"][n % 2], "pass", "", "warn"],
            )
        })
        .map(|text| serde_json::from_str(&text).expect("JSON"))
        .collect();
    for report in &mut reports[60..] {
        for member in ["target", "result", "assay", "began"] {
            report[member] = format!("{}{hostile}", report[member].as_str().unwrap_or_default()).into();
        }
        report["outcomes"][0]["id"] = hostile.into();
        report["outcomes"][0]["fact"] = hostile.into();
    }
    let reports: Vec<String> = reports.iter().map(ToString::to_string).collect();
    let page = html::write(&history(&reports));
    assert_eq!((page.matches("<script").count(), page.matches("</script").count()), (2, 2));
    assert!(!page.contains("<img") && !page.contains("onload=\""), "{page}");
    for part in [
        "The page shows the last 60 runs; 10 are before them.",
        "aria-label=\"runs 11 to 70 pass\"",
        "earlier changes, ",
        "<th scope=\"row\"><code>publish.a.1</code>",
        "<th scope=\"col\">service</th>",
        "&lt;/script&gt;",
        "The runs have several targets",
    ] {
        assert!(page.contains(part), "{part} in {page}");
    }
    assert_eq!(html::write(&history(&reports)), page, "the same reports, the same bytes");
}
