//! Runs against a simulator as a foreign server, without its control API: what each fixture of a profile lets run, and that
//! a run can be repeated.

mod drop;
mod gateway;
mod metadata;
mod network;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use assay_sim::World;
use assay_sim::exchange::ExchangeId;
use assay_sim::serve::ClockMode;
use assay_spec::crypto::ed25519;
use assay_spec::instant::DAY;
use assay_spec::publish::requirements::transfer::{INCOMING_ONLY_ACCEPTS, SECOND_ACCEPT};
use assay_spec::{Id, Service};
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
/// not say less than that by more than a twentieth, or ten requests.
async fn ran(folder: &TempDir, service: &str, profile: &str, more: &[&str]) -> String {
    std::fs::write(folder.path().join("p.toml"), profile).expect("written");
    let run = ["run", "--profile", "p.toml", "--seed", "1", "--service", service];
    let run = [&run[..], more, &["--json"]].concat();
    let (code, said) = assay(folder.path(), &[], &[&run[..], &["plan.json", "--plan"]].concat()).await;
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = assay(folder.path(), &[], &[&run[..], &["run.json", "--json-full"]].concat()).await;
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
        let is_enough =
            planned[member].as_u64().is_some_and(|planned| planned + (planned / 20).max(10) >= sent);
        assert!(is_enough, "{sent} {member}: {planned}");
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

/// The same numbers of a run. The plan of a documented run says at most a quarter more than it sends, or 100 requests.
fn counted(shown: &str) -> Vec<u64> {
    let planned =
        shown.lines().find_map(|line| line.strip_prefix("sent: ")?.strip_suffix(" requests planned"));
    let (sent, planned) = planned.and_then(|line| line.split_once(" of ")).expect("what was sent");
    let [sent, planned] = [sent, planned].map(|count| count.parse::<u64>().expect("a number"));
    assert!(planned <= sent + (sent / 4).max(100), "{shown}");
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

/// The address of the key of the domains.
fn key(folder: &TempDir) -> String {
    let read = std::fs::read_to_string(folder.path().join("all.key")).expect("the key");
    ed25519::address(&signing_key(&read).expect("a key"))
}

fn bind(served: &Served, binding: &Value) {
    served.handle.change(|world| (world.perform("publish.bind", binding).expect("bound"), Vec::new()));
}

/// Gives domains the states that a profile can declare, and returns its lines.
fn declared(served: &Served, folder: &TempDir) -> String {
    let key = key(folder);
    std::fs::write(folder.path().join("second.key"), "09".repeat(32)).expect("written");
    let second = ed25519::address(&ed25519::key_from_seed([9; 32]));
    let transfer = bs58::encode([3; 64]).into_string();
    let bindings = [
        json!({ "domain": "b.example", "key": key, "pending": { "key": second, "transfer": transfer } }),
        json!({ "domain": "c.example", "key": key, "publishable": false }),
        json!({ "domain": "d.example", "key": key, "feature": false }),
    ];
    for binding in &bindings {
        bind(served, binding);
    }
    format!(
        "pending = \"b.example\"\nsecond_key = {{ file = \"second.key\" }}\npending_transfer = \"{transfer}\"\n\
         not_publishable = \"c.example\"\nfeature_off = \"d.example\"\n"
    )
}

/// The domain that runs may transfer.
const TRANSFERABLE: &str = "e.example";

/// Binds it to the first key, and returns the lines of the profile.
fn transferable(served: &Served, folder: &TempDir) -> String {
    let _ = declared(served, folder);
    bind(served, &json!({ "domain": TRANSFERABLE, "key": key(folder) }));
    format!("transferable = \"{TRANSFERABLE}\"\nsecond_key = {{ file = \"second.key\" }}\n")
}

/// A task that ends with its test.
struct Operator(tokio::task::JoinHandle<()>);

impl Drop for Operator {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// An operator who confirms an accept as soon as the run has asked for that. For each transfer: whether checks read its
/// responses.
fn operator(served: &Served, transfers: &'static [bool]) -> Operator {
    let handle = served.handle.clone();
    Operator(tokio::spawn(async move {
        let mut confirmed = 0;
        for is_read in transfers.iter().cycle() {
            confirmed = loop {
                match handle.read(|world| asked(world, confirmed, *is_read)) {
                    Some(exchange) => break exchange,
                    // The run asks again after a second.
                    None => tokio::time::sleep(Duration::from_millis(20)).await,
                }
            };
            let domain = json!({ "domain": TRANSFERABLE });
            handle
                .change(|world| (world.perform("publish.confirm-transfer", &domain), Vec::new()))
                .expect("an accept");
        }
    }))
}

/// The exchange, later than this one, in which the run asked whether its accept is confirmed. It was rejected, because the
/// incoming key may only accept. If checks read the transfer, a second accept came just before.
fn asked(world: &World, confirmed: ExchangeId, is_read: bool) -> Option<ExchangeId> {
    let last = |rule: Id, after: ExchangeId| {
        let by_rule = world.core.log.lines().filter(|line| line.requirement == rule.to_string());
        by_rule.map(|line| line.exchange).filter(|exchange| *exchange > after).last()
    };
    let before = if is_read { last(&SECOND_ACCEPT, confirmed)? } else { confirmed };
    last(&INCOMING_ONLY_ACCEPTS, before).filter(|_| binding(world, TRANSFERABLE)["state"] == "accepted")
}

/// The run goes there and back, and its checks read the first transfer.
const THERE_AND_BACK: &[bool] = &[true, false];

/// The domain whose transactions the chain rejects.
const REJECTING: &str = "f.example";

/// Binds it, and makes the chain reject its transactions.
async fn rejecting(served: &Served, folder: &TempDir) {
    bind(served, &json!({ "domain": REJECTING, "key": key(folder) }));
    let fault = json!([{ "fault": "publish.transaction-rejected", "where": { "domain": REJECTING } }]);
    control(served).faults(fault).await.expect("faults");
}

fn binding(world: &World, domain: &str) -> Value {
    world.view(Service::Publish)["bindings"][domain].clone()
}

/// The state of the domain, and the key that it is bound to.
fn left(served: &Served, folder: &TempDir) -> String {
    let binding = served.handle.read(|world| binding(world, TRANSFERABLE));
    let key = if binding["key"] == key(folder) { "key" } else { "second_key" };
    format!("{} {key}", binding["state"].as_str().expect("a state"))
}

/// What the report of the last run remarks.
fn remarks(folder: &TempDir) -> Vec<Value> {
    let report = std::fs::read(folder.path().join("run.json")).expect("a report");
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    report["remarks"].as_array().expect("a list").clone()
}

/// Only the most likely wrong values are sent.
const QUICK: [&str; 2] = ["--depth", "quick"];
/// All uncommon valid values are sent, too.
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

/// Other clients may have locked a domain, but hardly five of them at once.
#[tokio::test(flavor = "multi_thread")]
async fn one_lock_for_all_domains_is_inconclusive() {
    let (served, folder) = served().await;
    let deviation = ["publish.prepare.lock-per-domain".to_owned()];
    served.handle.change(|world| (world.set_deviations(&deviation), Vec::new())).expect("a deviation");
    let text = shown(&folder, &profile(&served, 8, "")).await;
    assert!(text.contains("inconclusive 5 domains in a row returned 409"), "{text}");
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
    // No minute passes in which a domain is unlocked, so this needs more domains.
    let full = ran(&folder, "publish", &profile(&served, 12, ""), &FULL).await;
    assert_eq!(counted(&full), documented("publish", "twelve domains with `--depth full`"));
    insta::assert_snapshot!("twelve_domains_in_full", full);
    control(&served).advance(DAY + 1).await.expect("time moves");
    let quick = ran(&folder, "publish", &eight, &QUICK).await;
    assert_eq!(counted(&quick), documented("publish", "eight domains with `--depth quick`"));
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
async fn all_states_together_run_the_most_checks() {
    let (served, folder) = served().await;
    let lines = declared(&served, &folder);
    let more = transferable(&served, &folder).replace("second_key = { file = \"second.key\" }\n", "");
    let _operator = operator(&served, THERE_AND_BACK);
    rejecting(&served, &folder).await;
    let lines = format!("{lines}{more}chain_rejects = \"{REJECTING}\"\n");
    // The operator sees what is rejected, not for which domain: another one has a pending transfer, too.
    let shown = ran(&folder, "publish", &profile(&served, 8, &lines), &["--jobs", "1"]).await;
    insta::assert_snapshot!("eight_domains_and_all_states", shown);
    assert_eq!(left(&served, &folder), "bound key");
    assert_eq!(counted(&shown), documented("publish", "also `transferable` and `chain_rejects`"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_domain_whose_transactions_the_chain_rejects_runs_its_check() {
    let (served, folder) = served().await;
    let one = profile(&served, 1, &format!("chain_rejects = \"{REJECTING}\"\n"));
    let run = async |profile: &str| ran(&folder, "publish", profile, &["publish.submit.rejected"]).await;
    rejecting(&served, &folder).await;
    let first = run(&one).await;
    insta::assert_snapshot!("chain_rejects", first);
    assert_eq!((run(&one).await, locked(&served)), (first.clone(), 0));
    control(&served).advance(DAY + 1).await.expect("time moves");
    assert_eq!(run(&one).await, first);
    control(&served).faults(json!([])).await.expect("faults");
    insta::assert_snapshot!("chain_accepts", run(&one).await);
    let unbound = one.replace(REJECTING, "unbound.example");
    insta::assert_snapshot!("chain_rejects_is_not_bound", run(&unbound).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_domain_that_may_be_transferred_goes_there_and_back() {
    let (served, folder) = served().await;
    let lines = transferable(&served, &folder);
    let _operator = operator(&served, THERE_AND_BACK);
    let one = shown(&folder, &profile(&served, 1, &lines)).await;
    let row = "one domain, `chain_url`, `transferable` and `second_key`";
    assert_eq!(counted(&one), documented("publish", row));
    insta::assert_snapshot!("one_domain_and_transferable", one);
    assert_eq!((left(&served, &folder), locked(&served)), ("bound key".to_owned(), 0));
    let is_left = |remark: &Value| remark.as_str().is_some_and(|remark| remark.contains(TRANSFERABLE));
    assert!(!remarks(&folder).iter().any(is_left), "it is as it was: {:?}", remarks(&folder));
    control(&served).advance(DAY + 1).await.expect("time moves");
    let eight = profile(&served, 8, &lines);
    let first = shown(&folder, &eight).await;
    let row = "eight domains, `chain_url`, `transferable` and `second_key`";
    assert_eq!(counted(&first), documented("publish", row));
    insta::assert_snapshot!("eight_domains_and_transferable", first);
    // What was read of the trip is in the report of each check.
    let (code, said) = assay(folder.path(), &[], &["judge", "run.json", "--profile", "p.toml"]).await;
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(left(&served, &folder), "bound key");
    insta::assert_snapshot!("eight_domains_and_transferable_at_once_again", shown(&folder, &eight).await);
    assert_eq!(left(&served, &folder), "bound key");
    control(&served).advance(DAY + 1).await.expect("time moves");
    assert_eq!(shown(&folder, &eight).await, first);
    assert_eq!(left(&served, &folder), "bound key");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_domain_of_the_second_key_counts_as_one_of_the_first() {
    let (served, folder) = served().await;
    let _ = declared(&served, &folder);
    let second = ed25519::address(&ed25519::key_from_seed([9; 32]));
    bind(&served, &json!({ "domain": "g.example", "key": second }));
    let lines = "second_domains = [\"g.example\"]\nsecond_key = { file = \"second.key\" }\n";
    let both = profile(&served, 1, lines);
    let first = shown(&folder, &both).await;
    insta::assert_snapshot!("one_domain_and_one_of_a_second_key", first);
    assert_eq!(
        counted(&first),
        documented("publish", "one domain, `chain_url`, `second_key` and one of `second_domains`")
    );
    control(&served).advance(DAY + 1).await.expect("time moves");
    assert_eq!(shown(&folder, &profile(&served, 2, "")).await, first);
    control(&served).advance(DAY + 1).await.expect("time moves");
    // It is bound to the first key.
    let wrong = both.replace("g.example", &domain(9));
    insta::assert_snapshot!("second_domain_of_another_key", shown(&folder, &wrong).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trip_finds_a_wrong_exchange() {
    const WRONG: [&str; 7] = [
        "publish.transfer.freezes",
        "publish.transfer.accept-admitted",
        "publish.transfer.accept-by-incoming",
        "publish.transfer.incoming-only-accepts",
        "publish.transfer.second-accept",
        "publish.record.transfer",
        "publish.record.accept",
    ];
    let (served, folder) = served().await;
    let one = hasty(&profile(&served, 1, &transferable(&served, &folder)));
    let control = control(&served);
    for wrong in WRONG {
        // Some leave it pending.
        let _ = control.perform("publish.unbind", json!({ "domain": TRANSFERABLE })).await;
        bind(&served, &json!({ "domain": TRANSFERABLE, "key": key(&folder) }));
        control.advance(DAY + 1).await.expect("time moves");
        control.call("PUT", "deviations", Some(json!([wrong]))).await.expect("a deviation");
        let shown = ran(&folder, "publish", &one, &[wrong]).await;
        assert!(shown.starts_with("exit code 1") && shown.contains("1 fail"), "{wrong}: {shown}");
    }
}

/// The profile of a run that waits two seconds for the confirmation of an accept.
fn hasty(profile: &str) -> String {
    profile.replace("[publish.limits]\n", "[publish.limits]\nshown_seconds = 2\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transfer_that_no_operator_confirms_is_a_finding_of_the_next_run() {
    let (served, folder) = served().await;
    let one = hasty(&profile(&served, 1, &transferable(&served, &folder)));
    insta::assert_snapshot!("transferable_without_an_operator", shown(&folder, &one).await);
    assert_eq!(left(&served, &folder), "accepted key");
    let remark = "[publish] transferable: e.example is accepted, and no operator has confirmed it yet";
    assert!(remarks(&folder).contains(&json!(remark)), "{:?}", remarks(&folder));
    control(&served).advance(DAY + 1).await.expect("time moves");
    insta::assert_snapshot!("transferable_is_not_confirmed", shown(&folder, &one).await);
    assert_eq!(left(&served, &folder), "accepted key");
    // The operator was late: the next run transfers it back.
    let late = json!({ "domain": TRANSFERABLE });
    control(&served).perform("publish.confirm-transfer", late).await.expect("an accept");
    let _operator = operator(&served, &[true]);
    assert_eq!(left(&served, &folder), "bound second_key");
    control(&served).advance(DAY + 1).await.expect("time moves");
    insta::assert_snapshot!("transferable_goes_back", shown(&folder, &one).await);
    assert_eq!(left(&served, &folder), "bound key");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_domain_that_may_not_be_transferred_is_a_finding() {
    let (served, folder) = served().await;
    let one = profile(&served, 1, &transferable(&served, &folder));
    for (other, snapshot) in
        [("unbound.example", "transferable_is_not_bound"), ("b.example", "transferable_is_pending")]
    {
        let wrong = one.replace(TRANSFERABLE, other);
        let shown = ran(&folder, "publish", &wrong, &["publish.transfer"]).await;
        insta::assert_snapshot!(snapshot, shown);
    }
    assert_eq!(left(&served, &folder), "bound key");
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

/// The signature of the last transaction that the key has signed.
async fn newest_transaction(served: &Served, folder: &TempDir) -> String {
    // The default is what is final, which takes a while.
    let params = json!([key(folder), { "commitment": "confirmed" }]);
    let found = call(&served.sites["chain"], "getSignaturesForAddress", params).await;
    let newest = &found.expect("the chain answers")[0]["signature"];
    newest.as_str().expect("a transaction").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn states_that_are_not_so_are_findings() {
    let (served, folder) = served().await;
    let _ = declared(&served, &folder);
    // Of a publish, which transfers nothing.
    let _ = ran(&folder, "publish", &profile(&served, 1, ""), &["publish.chain.found"]).await;
    let transfer = newest_transaction(&served, &folder).await;
    let lines = format!(
        "pending = \"pool-009.assay.example\"\nsecond_key = {{ file = \"second.key\" }}\n\
         pending_transfer = \"{transfer}\"\nnot_publishable = \"unbound.example\"\n\
         feature_off = \"pool-009.assay.example\"\n"
    );
    // The key of `b.example` is frozen by its pending transfer.
    let profile = profile(&served, 8, &lines).replace("domains = [", "domains = [\"b.example\", ");
    insta::assert_snapshot!("eight_domains_and_wrong_states", shown(&folder, &profile).await);
}
