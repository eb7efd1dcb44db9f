//! Runs against a simulator as a foreign server, without its control API: what each fixture of a profile lets run, and that
//! a run can be repeated.

mod drop;
mod gateway;
mod metadata;
mod network;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use assay_sim::World;
use assay_sim::serve::ClockMode;
use assay_spec::Service;
use assay_spec::crypto::ed25519;
use assay_spec::instant::DAY;
use assay_suites::embedded::sim::{Options, Served, start};
use assay_suites::harness::control::Control;
use assay_suites::http::sockets::Tcp;
use assay_suites::services::publish::signing_key;
use assay_suites::services::publish::verify::call;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::profiles::assay;

/// A simulator that limits no requests, whose time moves while a request waits for the chain, and a folder with its key.
async fn served() -> (Served, TempDir) {
    served_at(ClockMode::Auto).await
}

async fn served_at(clock: ClockMode) -> (Served, TempDir) {
    const UNLIMITED: [&str; 4] = [
        "publish.requests-per-window",
        "network.general-per-window",
        "network.authenticated-per-window",
        "network.heavy-per-window",
    ];
    // A FORGET with a target that cannot be forgotten is retried for less than a second.
    let limits = UNLIMITED.map(|name| format!("{name}=100000"));
    let limits = [&limits[..], &["network.forget-retry-ms=50".to_owned()]].concat();
    let forwarded_header = Some("X-Forwarded-For".to_owned());
    let options = Options { limits, forwarded_header, clock, ..Options::new(7) };
    let served = start(&options).await;
    let (served, folder) = (served.expect("a simulator on any port"), tempfile::tempdir().expect("a folder"));
    served.write_profile(&folder.path().join("all.toml"), None).expect("a profile");
    (served, folder)
}

/// A profile of the exchange with so many domains, and these lines.
fn profile(served: &Served, domains: usize, more: &str) -> String {
    let domains: Vec<String> = (1..=domains).map(domain).collect();
    format!(
        "[publish]\nurl = \"{}\"\nchain_url = \"{}\"\nkey = {{ file = \"all.key\" }}\ndomains = {domains:?}\n{more}\
         [publish.limits]\nrequests_per_minute = 100000\n",
        served.sites["publish"], served.sites["chain"],
    )
}

fn domain(n: usize) -> String {
    format!("pool-{n:03}.assay.example")
}

/// What a run of the exchange's checks shows: as [`ran`], with the publishes.
async fn shown(folder: &TempDir, profile: &str) -> String {
    ran(folder, "publish", profile, &[]).await
}

/// The control API of a simulator, which the runs do not know.
fn control(served: &Served) -> Control {
    Control::new(Arc::new(Tcp), &served.control, None)
}

/// Text in which each site's URL, and each of these values, is replaced by its name.
fn named(mut text: String, served: &Served, names: &[(&str, &str)]) -> String {
    let sites = served.sites.iter().map(|(name, url)| (url.as_str(), *name));
    for (value, name) in sites.chain(names.iter().copied()) {
        text = text.replace(value, &format!("<{name}>"));
    }
    text
}

/// What a run of a service's checks shows: how many checks have each verdict, the reasons, and what was sent. The plan must
/// not say less.
async fn ran(folder: &TempDir, service: &str, profile: &str, more: &[&str]) -> String {
    std::fs::write(folder.path().join("p.toml"), profile).expect("written");
    let run = ["run", "--profile", "p.toml", "--seed", "1", "--service", service];
    let run = [&run[..], more, &["--json"]].concat();
    let (code, said) = assay(folder.path(), &[], &[&run[..], &["plan.json", "--plan"]].concat()).await;
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = assay(folder.path(), &[], &[&run[..], &["run.json"]].concat()).await;
    let read = |name: &str| -> Value {
        let text = std::fs::read_to_string(folder.path().join(name)).unwrap_or_else(|_| panic!("{said}"));
        serde_json::from_str(&text).expect("JSON")
    };
    let (plan, report) = (read("plan.json"), read("run.json"));
    let mut reasons: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for outcome in report["outcomes"].as_array().expect("the outcomes") {
        let text = |member: &str| outcome[member].as_str().unwrap_or_default();
        *reasons.entry((text("verdict"), text("reason"))).or_default() += 1;
    }
    let planned = &plan["services"][service];
    let sent = match service {
        "publish" => vec![("requests", sent(&report)), ("publishes", publishes(&report))],
        _ => vec![("requests", sent(&report))],
    };
    for (member, sent) in sent.iter().copied() {
        assert!(
            planned[member].as_u64().is_some_and(|planned| planned >= sent),
            "{sent} {member}: {planned}"
        );
    }
    let mut text = format!("exit code {}\n", code.unwrap_or(-1));
    for finding in said.lines().filter_map(|line| line.strip_prefix("  x ")) {
        // The reasons of the checks have the rest.
        let place: Vec<&str> = finding.splitn(3, ": ").take(2).collect();
        let _ = writeln!(text, "finding: {}", place.join(": "));
    }
    for ((verdict, reason), count) in reasons {
        let _ = writeln!(text, "{count:>4} {verdict} {reason}");
    }
    for (member, sent) in sent {
        let _ = writeln!(text, "sent: {sent} of {} {member} planned", planned[member]);
    }
    text
}

/// The checks that pass, the requests and the publishes that a row of the service's page promises.
fn documented(service: &str, row: &str) -> Vec<u64> {
    let page = format!("{}/../docs/services/{service}.md", env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(page).expect("the page");
    let line = page.lines().find_map(|line| line.strip_prefix(&format!("| {row} |")));
    let cells = line.unwrap_or_else(|| panic!("no row {row:?}")).split('|');
    cells.filter_map(|cell| cell.trim().parse().ok()).collect()
}

/// The same numbers of a run.
fn counted(shown: &str) -> Vec<u64> {
    let counts = shown.lines().filter_map(|line| {
        let mut words = line.trim().trim_start_matches("sent: ").split(' ');
        let count = words.next()?.parse().ok()?;
        (line.contains(" pass") || line.starts_with("sent")).then_some(count)
    });
    counts.collect()
}

fn sent(report: &Value) -> u64 {
    report["sent"]["requests"].as_u64().expect("a number")
}

/// How many prepares were accepted; checks that read the same response have the same exchange.
fn publishes(report: &Value) -> u64 {
    let outcomes = report["outcomes"].as_array().expect("the outcomes").iter();
    let exchanges = outcomes.flat_map(|outcome| outcome["exchanges"].as_array().into_iter().flatten());
    let accepted = exchanges.filter(|exchange| {
        let is_prepare =
            exchange["request"]["target"].as_str().is_some_and(|target| target.ends_with("/prepare"));
        is_prepare && exchange["response"]["status"] == 200
    });
    // Each has an id of its own in its body.
    let bodies: BTreeSet<&str> =
        accepted.filter_map(|exchange| exchange["response"]["body"].as_str()).collect();
    bodies.len() as u64
}

/// The address of the key that the domains are bound to.
fn address(folder: &TempDir) -> String {
    let read = std::fs::read_to_string(folder.path().join("all.key")).expect("the key");
    ed25519::address(&signing_key(&read).expect("a key"))
}

/// Gives domains the states that a profile can declare, and returns its lines.
fn declared(served: &Served, folder: &TempDir) -> String {
    let key = address(folder);
    std::fs::write(folder.path().join("second.key"), "09".repeat(32)).expect("written");
    let second = ed25519::address(&ed25519::key_from_seed([9; 32]));
    let transfer = bs58::encode([3; 64]).into_string();
    let bindings = [
        json!({ "domain": "b.example", "key": key, "pending": { "key": second, "transfer": transfer } }),
        json!({ "domain": "c.example", "key": key, "publishable": false }),
        json!({ "domain": "d.example", "key": key, "feature": false }),
    ];
    for binding in bindings {
        let bind = |world: &mut World| (world.perform("publish.bind", &binding).expect("bound"), Vec::new());
        served.handle.change(bind);
    }
    format!(
        "pending = \"b.example\"\nsecond_key = {{ file = \"second.key\" }}\npending_transfer = \"{transfer}\"\n\
         not_publishable = \"c.example\"\nfeature_off = \"d.example\"\n"
    )
}

/// All wrong values are sent.
const FULL: [&str; 2] = ["--depth", "full"];

/// The domains that are locked at the simulator.
fn locked(served: &Served) -> usize {
    let view = served.handle.read(|world| world.view(Service::Publish));
    let bindings = view["bindings"].as_object().expect("the bindings");
    bindings.values().filter(|binding| !binding["locked_by"].is_null()).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn one_domain_runs_most_checks_of_the_exchange_again_and_again() {
    let (served, folder) = served().await;
    let one = profile(&served, 1, "");
    let first = shown(&folder, &one).await;
    assert_eq!(counted(&first), documented("publish", "also `chain_url`"));
    insta::assert_snapshot!("one_domain", first);
    assert_eq!(locked(&served), 0);
    // Publishes of the day are left for some checks.
    insta::assert_snapshot!("one_domain_at_once_again", shown(&folder, &one).await);
    assert_eq!(locked(&served), 0);
    control(&served).advance(DAY + 1).await.expect("time moves");
    insta::assert_snapshot!("one_domain_a_day_later", shown(&folder, &one).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn eight_domains_run_all_checks_that_need_no_other_state() {
    let (served, folder) = served().await;
    let eight = profile(&served, 8, "");
    let first = shown(&folder, &eight).await;
    assert_eq!(counted(&first), documented("publish", "also eight domains"));
    insta::assert_snapshot!("eight_domains", first);
    insta::assert_snapshot!("eight_domains_at_once_again", shown(&folder, &eight).await);
    control(&served).advance(DAY + 1).await.expect("time moves");
    let full = ran(&folder, "publish", &eight, &FULL).await;
    assert_eq!(counted(&full), documented("publish", "eight domains with `--depth full`"));
    insta::assert_snapshot!("eight_domains_in_full", full);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_chain_the_checks_of_the_chain_are_left_out() {
    let (served, folder) = served().await;
    let one = profile(&served, 1, "");
    let one: String =
        one.lines().filter(|line| !line.starts_with("chain_url")).map(|line| format!("{line}\n")).collect();
    let shown = shown(&folder, &one).await;
    assert_eq!(counted(&shown), documented("publish", "`key` and one domain"));
    insta::assert_snapshot!("one_domain_without_a_chain", shown);
}

#[tokio::test(flavor = "multi_thread")]
async fn domains_in_other_states_run_their_checks() {
    let (served, folder) = served().await;
    let lines = declared(&served, &folder);
    let shown = shown(&folder, &profile(&served, 8, &lines)).await;
    let row = "also `pending`, `second_key`, `pending_transfer`, `not_publishable` and `feature_off`";
    assert_eq!(counted(&shown), documented("publish", row));
    insta::assert_snapshot!("eight_domains_and_states", shown);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_standby_node_runs_its_check() {
    let (served, folder) = served().await;
    let (standby, _) = super::fixtures::served().await;
    control(&standby).faults(json!([{ "fault": "publish.standby" }])).await.expect("faults");
    for (site, snapshot) in [("publish", "standby"), ("metadata", "standby_is_no_exchange")] {
        let line = format!("standby_url = \"{}\"\n", standby.sites[site]);
        let shown = ran(&folder, "publish", &profile(&served, 1, &line), &["publish.exchange"]).await;
        insta::assert_snapshot!(snapshot, named(shown, &standby, &[]));
    }
}

/// The signature of the last transaction of an address.
async fn newest_transaction(served: &Served, address: &str) -> String {
    let found = call(&served.sites["chain"], "getSignaturesForAddress", json!([address])).await;
    let newest = &found.expect("the chain answers")[0]["signature"];
    newest.as_str().expect("a transaction").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn states_that_are_not_so_are_findings() {
    let (served, folder) = served().await;
    let _ = declared(&served, &folder);
    // Of a publish, which transfers nothing.
    let _ = ran(&folder, "publish", &profile(&served, 1, ""), &["publish.chain.found"]).await;
    let transfer = newest_transaction(&served, &address(&folder)).await;
    let lines = format!(
        "pending = \"pool-009.assay.example\"\nsecond_key = {{ file = \"second.key\" }}\n\
         pending_transfer = \"{transfer}\"\nnot_publishable = \"unbound.example\"\n\
         feature_off = \"pool-009.assay.example\"\n"
    );
    // The key of `b.example` is frozen by its pending transfer.
    let profile = profile(&served, 8, &lines).replace("domains = [", "domains = [\"b.example\", ");
    insta::assert_snapshot!("eight_domains_and_wrong_states", shown(&folder, &profile).await);
}
