//! An owner's records, judged without a control API: with address and key, or with the address alone.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use assay_sim::clock::EPOCH;
use assay_sim::serve::ClockMode;
use assay_sim::world;
use assay_spec::crypto::address::Address;
use assay_spec::crypto::secp256k1::key_from_secret;
use assay_spec::crypto::text::parse_hex;
use assay_spec::hosting::envelope::{Keys, Role};
use assay_spec::hosting::key_e::Sentences;
use assay_spec::{Dialect, Service};
use assay_suites::embedded::sim::{Options, Served, start};
use assay_suites::harness::control::Control;
use assay_suites::harness::data::{Run, Verdict};
use assay_suites::harness::pace::Pace;
use assay_suites::harness::run::Runner;
use assay_suites::harness::run::plan::{plan, select};
use assay_suites::harness::target::Remote;
use assay_suites::http::sockets::Tcp;
use assay_suites::profile::{Hosting, HostingReadings};
use assay_suites::report;
use assay_suites::report::words::reason;
use assay_suites::services;
use assay_suites::services::hosting::Fixtures;
use assay_suites::services::hosting::collect::{Recovered, Wanted, recover};
use futures_util::StreamExt;
use serde_json::{Value, json};

const HALF_AN_HOUR_MS: i64 = 30 * 60 * 1000;

/// A simulator whose application has written its seed history, with the owner's address and key.
async fn simulated_owner(deviations: &[&str]) -> (Served, String, String) {
    varied_owner(deviations, &[]).await
}

/// As [`simulated_owner`], with these variations.
async fn varied_owner(deviations: &[&str], variations: &[&str]) -> (Served, String, String) {
    let options = Options {
        clock: ClockMode::Manual,
        epoch: EPOCH,
        limits: vec!["network.general-per-window=1000000".to_owned()],
        deviations: deviations.iter().map(|&name| name.to_owned()).collect(),
        variations: variations.iter().map(|&name| name.to_owned()).collect(),
        ..Options::new(7)
    };
    let served = start(&options).await.expect("a simulator on any port");
    let control = Control::new(Arc::new(Tcp), &served.control, None);
    let simulated_owner = control.perform("hosting.seed-history", json!({})).await.expect("a seed history");
    // A variation may let a node validate late, or lag behind another.
    control.advance(HALF_AN_HOUR_MS).await.expect("time");
    let text = |member: &str| simulated_owner[member].as_str().expect(member).to_owned();
    let (owner, key) = (text("owner"), text("wallet_key"));
    (served, owner, key)
}

/// Runs checks of the records of `owner` against the nodes alone.
async fn run(served: &Served, owner: &str, key: Option<&str>, filters: &[&str]) -> Run {
    run_with(served, fixtures(owner, key), filters).await
}

fn fixtures(owner: &str, key: Option<&str>) -> Fixtures {
    let sentences = Sentences::default();
    let lines = [sentences.purpose, sentences.assurance].concat();
    let lines: [String; 4] = lines.try_into().expect("two sentences of two lines");
    let hosting = Hosting {
        url: None,
        owner: Some(owner.to_owned()),
        wallet_key: None,
        new_since: None,
        readings: HostingReadings { derivation_lines: Some(lines), ..HostingReadings::default() },
    };
    Fixtures::new(&hosting, key).expect("the owner's key")
}

async fn run_with(served: &Served, fixtures: Fixtures, filters: &[&str]) -> Run {
    let settings = services::settings().with(fixtures);
    let nodes = ["network", "network-alt", "network-mirror"].into_iter();
    let sites = nodes.map(|name| (name.to_owned(), served.sites[name].clone())).collect();
    let target = Remote::new(sites, None).await.expect("the sites are known");
    let pace = Pace::default();
    let runner = Runner { target: &target, settings: &settings, pace: &pace, jobs: 1 };
    let filters: Vec<String> = filters.iter().map(|&filter| filter.to_owned()).collect();
    let checks = select(services::checks(), &[Service::Hosting], &filters);
    runner.run(&plan(&target, &checks), |_| {}).await
}

fn with_verdict(run: &Run, verdict: Verdict) -> BTreeSet<String> {
    run.outcomes.iter().filter(|o| o.verdict == verdict).map(|o| o.requirement.to_string()).collect()
}

/// Rows about what is written now, or what must have ended: a history without its times shows neither.
const UNTIMED: [&str; 2] = ["hosting.history.finishes", "hosting.history.one-amend"];

#[tokio::test(flavor = "multi_thread")]
async fn records_are_judged_by_address_and_key_without_control() {
    let (served, owner, key) = simulated_owner(&[]).await;
    let run = run(&served, &owner, Some(&key), &[]).await;
    let silent = with_verdict(&run, Verdict::NotTestable);
    assert!(silent.iter().all(|id| UNTIMED.contains(&id.as_str())), "{silent:?}");
    let odd: Vec<_> = run.outcomes.iter().filter(|o| o.verdict.is_bad()).map(reason).collect();
    assert_eq!(with_verdict(&run, Verdict::Pass).len() + silent.len(), run.outcomes.len(), "{odd:?}");
    let digits = key.trim_start_matches("0x");
    assert!(!report::json::write(&run).contains(digits), "no key in any report");
}

/// What `assay recover` and the checks make of the seed history under a variation.
async fn agrees(variation: &'static str) -> Result<(), String> {
    let (served, owner, key) = varied_owner(&[], &[variation]).await;
    agrees_on(variation, &served, &owner, &key, 6).await
}

/// Expects that `assay recover` and the checks find the same records, and that no check is red. There are at least this many
/// deployments, and if there are any, projects and claims.
async fn agrees_on(name: &str, served: &Served, owner: &str, key: &str, least: usize) -> Result<(), String> {
    let secret: [u8; 32] =
        parse_hex(key.trim_start_matches("0x")).expect("hex").try_into().expect("32 bytes");
    let wanted = Wanted {
        connector: Arc::new(Tcp),
        nodes: ["network", "network-mirror"].map(|site| served.sites[site].clone()).to_vec(),
        owner: Address::parse(owner).expect("an address"),
        keys: Keys { wallet: key_from_secret(&secret), encryption: None },
        dialect: Dialect::default(),
        role: Role::RecoveryTool,
        first_page: 1,
        timeout: Duration::from_secs(15),
    };
    let recovered = recover(&wanted, &mut assay_spec::Strict).await?;
    let Recovered { recovery, nodes, complete } = &recovered;
    let fixtures = fixtures(owner, Some(key));
    let run = run_with(served, fixtures.clone(), &[]).await;
    let read = fixtures.records_read().await;
    let of = |kind: &str| read.get(kind).cloned().unwrap_or_default();
    let hashes = |all: Vec<&String>| all.into_iter().cloned().collect::<BTreeSet<String>>();
    let created = hashes(recovery.deployments.iter().map(|one| &one.creation).collect());
    let claimed = hashes(recovery.claims.iter().map(|one| &one.item_hash).collect());
    let written = hashes(recovery.projects.iter().map(|one| &one.item_hash).collect());
    let holds = |holds: bool, why: String| if holds { Ok(()) } else { Err(format!("{name}: {why}")) };
    let strangers = name == "network.strangers" && recovery.ignored.iter().all(|one| one.rule == CLAIM_SELF);
    let is_read = *complete && (recovery.ignored.is_empty() || strangers);
    holds(is_read, format!("{nodes:?} {:?}", recovery.ignored))?;
    holds(nodes.iter().all(|node| node.troubles.is_empty()), format!("{nodes:?}"))?;
    let counts = [created.len(), written.len(), claimed.len()];
    holds(counts[0] >= least && (least == 0 || !counts.contains(&0)), format!("counts {counts:?}"))?;
    let legacy = of("record from before schema 4");
    let creations = &of("creation of a deployment") | &(&legacy & &created);
    holds(creations == created, format!("creations {}, recovered {}", creations.len(), created.len()))?;
    holds(
        of("claim of a machine's key") == claimed,
        format!("claims {:?}, recovered {claimed:?}", of("claim of a machine's key")),
    )?;
    holds(written.is_subset(&of("write to `projects`")), format!("projects {written:?}"))?;
    // A history by chance may lack what a check reads.
    let may_be_silent = |id: &str| least == 0 || UNTIMED.contains(&id);
    let odd = run.outcomes.iter().filter(|one| {
        one.verdict != Verdict::Pass
            && !(one.verdict == Verdict::NotTestable && may_be_silent(&one.requirement.to_string()))
    });
    let odd: Vec<_> =
        odd.map(|one| format!("{} {:?}: {}", one.requirement, one.verdict, reason(one))).collect();
    holds(odd.is_empty(), odd.join("\n"))
}

/// The row by which a stranger's copy of a claim is ignored.
const CLAIM_SELF: &str = "hosting.authority.claim-self";

/// Every variation of the nodes and of the application, and of the format of every response.
#[tokio::test(flavor = "multi_thread")]
async fn recover_and_the_checks_agree_under_every_variation() {
    let names = world::variations().into_iter().map(|variation| variation.name);
    let other = ["gateway.", "metadata.", "publish.", "drop."];
    let names: Vec<&str> =
        names.filter(|name| !other.iter().any(|service| name.starts_with(service))).collect();
    assert!(names.len() > 80, "{names:?}");
    let all: Vec<_> = futures_util::stream::iter(names).map(agrees).buffer_unordered(4).collect().await;
    let wrong: Vec<String> = all.into_iter().filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The actions of a history by chance, with how often each is drawn.
const ACTIONS: [(&str, u32); 9] = [
    ("project", 2),
    ("deploy", 8),
    ("finish", 9),
    ("edit", 3),
    ("delete", 1),
    ("boot", 1),
    ("replace", 1),
    ("rival", 1),
    ("legacy", 2),
];
/// The steps of a history by chance.
const STEPS: u32 = 200;

/// Draws numbers below a bound (`SplitMix64`).
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound.max(1) as u64) as usize
    }

    fn pick<'a>(&mut self, all: &'a [String]) -> &'a str {
        if all.is_empty() { "" } else { &all[self.below(all.len())] }
    }
}

/// A simulator whose application has taken steps by chance, with the owner's address and key, and how many steps there were.
async fn owner_by_chance(seed: u64) -> (Served, String, String, u32) {
    let options = Options {
        clock: ClockMode::Manual,
        epoch: EPOCH,
        limits: vec!["network.general-per-window=1000000".to_owned()],
        ..Options::new(seed)
    };
    let served = start(&options).await.expect("a simulator on any port");
    let control = Control::new(Arc::new(Tcp), &served.control, None);
    let wallet = control.perform("hosting.wallet", json!({})).await.expect("a user");
    let text = |value: &Value, member: &str| value[member].as_str().unwrap_or_default().to_owned();
    let mut chance = Chance(seed);
    let (mut projects, mut deployments): (Vec<String>, Vec<String>) = Default::default();
    let weights: u32 = ACTIONS.iter().map(|(_, weight)| weight).sum();
    let mut possible = 0;
    // What the state of the application does not allow is rejected and changes nothing; then another action is drawn.
    for _ in 0..30 * STEPS {
        if possible == STEPS {
            break;
        }
        let mut drawn = chance.below(weights as usize) as u32;
        let action = ACTIONS.iter().find(|(_, weight)| {
            let is_it = drawn < *weight;
            drawn = drawn.saturating_sub(*weight);
            is_it
        });
        let (action, _) = action.expect("a number below the sum of the weights");
        let signer = ["wallet", "session"][chance.below(2)];
        let project = chance.pick(&projects).to_owned();
        let arguments = match *action {
            "project" => {
                let target = ["ipfs", "instance"][chance.below(2)];
                json!({ "target": target, "signer": signer })
            }
            "finish" => {
                let outcome = ["live", "failed"][usize::from(chance.below(4) == 0)];
                json!({ "deployment": chance.pick(&deployments), "outcome": outcome })
            }
            "edit" => {
                json!({ "project": project, "name": format!("Name {}", chance.below(9)), "signer": signer })
            }
            "delete" => json!({ "project": project, "signer": signer }),
            "legacy" => {
                json!({ "project": project, "schema": chance.below(4), "envelope": 1 + chance.below(2) })
            }
            _ => json!({ "project": project }),
        };
        if let Ok(done) = control.perform(&format!("hosting.{action}"), arguments).await {
            possible += 1;
            let [project, deployment] = ["project", "deployment"].map(|member| text(&done, member));
            match *action {
                "project" => projects.push(project),
                "deploy" => deployments.push(deployment),
                _ => {}
            }
        }
        // Some records are written while others are in progress.
        control.advance(chance.below(20_000) as i64).await.expect("time");
    }
    control.advance(HALF_AN_HOUR_MS).await.expect("time");
    (served, text(&wallet, "owner"), text(&wallet, "wallet_key"), possible)
}

/// How many histories by chance the tests read; more if the environment says so.
fn histories() -> u64 {
    std::env::var("ASSAY_HISTORIES").ok().and_then(|count| count.parse().ok()).unwrap_or(12)
}

#[tokio::test(flavor = "multi_thread")]
async fn recover_and_the_checks_agree_on_histories_by_chance() {
    let one = |seed| async move {
        let (served, owner, key, possible) = owner_by_chance(seed).await;
        let many = if possible == STEPS { Ok(()) } else { Err(format!("{seed}: {possible} steps")) };
        many.and(agrees_on(&format!("history {seed}"), &served, &owner, &key, 0).await)
    };
    let all: Vec<_> =
        futures_util::stream::iter(1..=histories()).map(one).buffer_unordered(4).collect().await;
    let wrong: Vec<String> = all.into_iter().filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn envelopes_are_not_testable_without_a_key() {
    let (served, owner, _) = simulated_owner(&[]).await;
    let run = run(&served, &owner, None, &[]).await;
    let silent = with_verdict(&run, Verdict::NotTestable);
    for id in ["hosting.envelope.wallet-opens", "hosting.projects.plaintext-name", "hosting.bundle.tarball"] {
        assert!(silent.contains(id), "{id}: {silent:?}");
    }
    let needs_key = |o: &&assay_suites::harness::data::Outcome| reason(o).contains("wallet_key");
    let needing = run.outcomes.iter().filter(needs_key).count();
    let others: Vec<_> = silent.iter().filter(|id| UNTIMED.contains(&id.as_str())).collect();
    assert_eq!(needing + others.len(), silent.len(), "{silent:?}");
    assert_eq!(with_verdict(&run, Verdict::Pass).len() + silent.len(), run.outcomes.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn deviation_fails_with_its_exchange() {
    let (served, owner, key) = simulated_owner(&["hosting.deployments.creation-url"]).await;
    let run = run(&served, &owner, Some(&key), &["hosting.deployments.creation"]).await;
    let failed: Vec<_> = run.outcomes.iter().filter(|o| o.verdict == Verdict::Fail).collect();
    let [failed] = failed[..] else { panic!("{:?}", with_verdict(&run, Verdict::Fail)) };
    assert_eq!(failed.requirement.to_string(), "hosting.deployments.creation-url");
    assert!(failed.repeat.first().is_some_and(|line| line.starts_with("curl ")), "{:?}", failed.repeat);
}

#[tokio::test(flavor = "multi_thread")]
async fn owner_without_records_does_not_pass() {
    let (served, _, _) = simulated_owner(&[]).await;
    let run = run(&served, "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf", None, &[]).await;
    assert_eq!(with_verdict(&run, Verdict::NotTestable).len(), run.outcomes.len());
    assert!(run.outcomes.len() > 100);
}
