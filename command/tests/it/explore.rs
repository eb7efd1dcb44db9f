//! Exploration: it finds wrong servers, and nothing at right ones.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use assay_spec::{Dialect, Service, catalogue};
use assay_suites::embedded::Embedded;
use assay_suites::embedded::explore::{Explored, Wishes, explore_embedded, proof};
use assay_suites::embedded::sim::{Options, start};
use assay_suites::harness::probe::Settings;
use assay_suites::harness::run::Never;
use assay_suites::harness::run::plan::select;
use assay_suites::services;

async fn explored(deviation: &str, variations: &[&str], services: Vec<Service>, requests: u64) -> Explored {
    let deviations: Vec<String> =
        Some(deviation.to_owned()).filter(|name| !name.is_empty()).into_iter().collect();
    let variations: Vec<String> = variations.iter().map(|name| (*name).to_owned()).collect();
    let target = Embedded::new(1, Dialect::default()).with(&deviations, &variations).expect("known names");
    let settings = Settings { seed: 1, ..services::settings() };
    let wishes = Wishes { requests, focus: Vec::new(), cases: Vec::new(), halt: Box::new(Never) };
    Box::pin(explore_embedded(target, settings, services, wishes)).await.expect("it ends")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conforming_server_gives_no_finding_and_no_open_answer() {
    let all = explored("", &[], Vec::new(), 150).await;
    assert!(all.findings.is_empty(), "{}", all.text());
    let (sent, mute): (Vec<_>, Vec<_>) = all.services.iter().partition(|(_, counts)| counts.requests > 0);
    let mute: Vec<Service> = mute.into_iter().map(|(service, _)| *service).collect();
    assert_eq!(mute, [Service::Hosting], "only the records have no commands yet");
    for (service, counts) in sent {
        assert!(counts.compared >= 150 && counts.undetermined.is_empty(), "{service}: {counts:?}");
        assert!(counts.reached.len() > 25, "{service}: {}", counts.reached.len());
    }
    assert!(all.adopted.is_empty(), "{:?}", all.adopted);
}

/// Each deviation, what exploration says of it, and the shortest steps that it found.
#[tokio::test(flavor = "multi_thread")]
async fn a_finding_names_the_row_and_the_shortest_steps() {
    let wrong = [
        "gateway.chat.answered",
        "gateway.errors.detail-404",
        "metadata.validation.loc/absent",
        "metadata.token.by-uri-json",
        "network.instances.created-id",
        "network.storage.signature",
        "network.envelope.content",
        "publish.envelope.feature",
        "publish.prepare.payload",
        "drop.zip.root-index",
        "drop.site.separate",
    ];
    let mut text = String::new();
    for name in wrong {
        let service = Service::named(name.split('.').next().unwrap_or_default()).expect("a service");
        let found = explored(name, &[], vec![service], 150).await;
        let first = found.findings.iter().min_by_key(|one| one.case.steps().len()).expect(name);
        let failure = first.outcome.failure.as_ref().expect("a failure");
        let steps = first.case.steps().join(", ");
        let _ = writeln!(
            text,
            "{name}\n    {} by {steps}: {} is not {}",
            first.outcome.requirement,
            failure.place,
            {
                let want: String = failure.want.chars().take(40).collect();
                want
            }
        );
    }
    insta::assert_snapshot!(text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_variation_is_no_finding_and_is_named() {
    let all = explored("", &["network.processed-later", "network.codes"], vec![Service::Network], 200).await;
    assert!(all.findings.is_empty(), "{}", all.text());
    assert!(!all.adopted.is_empty(), "{}", all.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proof_counts_what_was_found_and_what_was_not() {
    let settings = Settings { seed: 1, ..services::settings() };
    let searches = proof::prove(&settings, &select(services::checks(), &[Service::Metadata], &[]), 60, 8, 2)
        .await
        .expect("it ends");
    assert!(proof::holds(&searches), "{}", proof::text(&searches, true));
    let found = searches.iter().filter(|one| !one.is_allowed && one.found.is_some()).count();
    assert!(found >= 5, "{}", proof::text(&searches, true));
    assert!(proof::text(&searches, false).contains("deviations found; 0 of"));
}

fn assay(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let ran = Command::new(env!("CARGO_BIN_EXE_assay"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("it runs");
    let text = [ran.stdout, ran.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    (ran.status.code(), text)
}

/// A URL and the fixtures of an operator, without a control API.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_a_control_api_is_explored_by_reads_and_on_request_by_writes() {
    let folder = tempfile::tempdir().expect("a folder");
    for (deviation, code) in [(None, 0), (Some("gateway.chat.answered"), 1)] {
        let deviations = deviation.map(str::to_owned).into_iter().collect();
        let served = start(&Options { deviations, ..Options::new(7) }).await.expect("it starts");
        let path = folder.path().join("own.toml");
        served.write_profile(&path, None).expect("a profile");
        let text = std::fs::read_to_string(&path).expect("the profile");
        let without: Vec<&str> = text.lines().filter(|line| !line.starts_with("control")).collect();
        std::fs::write(&path, without.join("\n")).expect("the profile is written");
        let arguments =
            ["explore", "--profile", "own.toml", "--service", "gateway", "--requests", "40", "--writes"];
        let at = folder.path().to_owned();
        let (found, text) =
            tokio::task::spawn_blocking(move || assay(&at, &arguments)).await.expect("it ends");
        assert_eq!(found, Some(code), "{text}");
        assert_eq!(text.contains("gateway.chat.answered"), deviation.is_some(), "{text}");
        let sent = served.handle.read(|world| world.core.journal.count());
        assert!(sent > 20, "{sent}");
    }
}

#[test]
fn wrong_arguments_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    for (arguments, why) in [
        (&["explore", "--deviation", "network.none"][..], "network.none"),
        (&["explore", "--requests", "0"], "--requests"),
        (&["explore", "--profile", "none.toml"], "none.toml"),
        (&["explore", "--drop-url", "http://127.0.0.1:9", "--deviation", "drop.site.live"], "remove"),
        (&["explore", "--service", "none"], "none"),
        (&["prove", "--every", "2"], "--every"),
    ] {
        let (code, text) = assay(folder.path(), arguments);
        assert!(code == Some(2) && text.contains(why), "{arguments:?}: {code:?} {text}");
    }
    let (code, text) = assay(folder.path(), &["explore", "--service", "hosting"]);
    assert!(code == Some(1) && text.contains("nothing was sent"), "{code:?} {text}");
    let (code, text) = assay(folder.path(), &["explore", "--drop-url", "http://127.0.0.1:9"]);
    assert_eq!(code, Some(3), "{text}");
}

#[test]
fn saved_sequences_are_sent_again_and_others_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let wrong = ["explore", "--service", "metadata", "--deviation", "metadata.validation.loc/absent"];
    let run = |more: &[&str]| assay(folder.path(), &[&wrong[..], more].concat());
    let (code, text) = run(&["--requests", "60", "--save", "cases"]);
    assert_eq!(code, Some(1), "{text}");
    let saved = std::fs::read_dir(folder.path().join("cases")).expect("a folder").count();
    assert!(saved > 0, "{text}");
    let (code, text) = run(&["--cases", "cases"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains(&format!("{saved} finding")), "{text}");
    let right = ["explore", "--service", "metadata", "--cases", "cases"];
    let (code, text) = assay(folder.path(), &right);
    assert_eq!(code, Some(0), "{text}");
    for (text, why) in [
        ("{}", "missing field `service`"),
        (r#"{"service": "x", "names": "00", "steps": []}"#, r#"service: "x" is unknown"#),
        (r#"{"service": "drop", "names": "00", "steps": []}"#, r#"names: "00" is not 16 hex digits"#),
        (
            r#"{"service": "drop", "names": "0000000000000000", "steps": [{ "command": "sing", "draws": "" }]}"#,
            r#"steps: drop has no command "sing""#,
        ),
    ] {
        std::fs::write(folder.path().join("bad.json"), text).expect("it is written");
        let (code, said) = assay(folder.path(), &["explore", "--cases", "bad.json"]);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains("bad.json") && said.contains(why), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_sequences_with_a_rule_in_focus_are_sent() {
    let row = catalogue::requirement("network.forget.applies").expect("a row");
    for (focus, is_reached) in [(vec![row], true), (Vec::new(), false)] {
        let wishes = Wishes { requests: 20, focus, cases: Vec::new(), halt: Box::new(Never) };
        let target = Embedded::new(1, Dialect::default());
        let settings = Settings { seed: 1, ..services::settings() };
        let explored = explore_embedded(target, settings, vec![Service::Network], wishes);
        let explored = Box::pin(explored).await.expect("it ends");
        assert_eq!(explored.services[&Service::Network].reached.contains(&row.key), is_reached);
    }
}

#[test]
fn time_ends_an_exploration_and_an_unknown_focus_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, text) = assay(folder.path(), &["explore", "--focus", "network.banana"]);
    assert_eq!(code, Some(2), "{text}");
    let (code, text) = assay(folder.path(), &["explore", "--service", "metadata", "--time", "1s"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("metadata"), "{text}");
}

/// A case that writes is not sent to a server of others, unless that is wanted.
#[tokio::test(flavor = "multi_thread")]
async fn a_saved_sequence_that_writes_needs_a_flag_at_a_shared_target() {
    let folder = tempfile::tempdir().expect("a folder");
    let step = format!(r#"{{ "command": "infer", "draws": "{}" }}"#, "00".repeat(32));
    let case = format!(r#"{{ "service": "gateway", "names": "{}", "steps": [{step}] }}"#, "00".repeat(8));
    std::fs::write(folder.path().join("case.json"), case).expect("it is written");
    let served = start(&Options::new(7)).await.expect("it starts");
    let path = folder.path().join("own.toml");
    served.write_profile(&path, None).expect("a profile");
    let text = std::fs::read_to_string(&path).expect("the profile");
    let without: Vec<&str> = text.lines().filter(|line| !line.starts_with("control")).collect();
    std::fs::write(&path, without.join("\n")).expect("the profile is written");
    for (more, code) in [(&[][..], 2), (&["--writes"][..], 0)] {
        let all = [&["explore", "--profile", "own.toml", "--cases", "case.json"][..], more].concat();
        let at = folder.path().to_owned();
        let (found, text) = tokio::task::spawn_blocking(move || assay(&at, &all)).await.expect("it ends");
        assert_eq!(found, Some(code), "{text}");
        assert_eq!(text.contains("add --writes"), code == 2, "{text}");
    }
}
