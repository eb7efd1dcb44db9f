//! The recovery suite against faulty tools. A tool breaks one rule of the reader in `assay-spec`, in the way that is tempting.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use assay_spec::crypto::address::Address;
use assay_spec::crypto::secp256k1::key_from_secret;
use assay_spec::crypto::text::parse_hex;
use assay_spec::hosting::envelope::{Keys, Role};
use assay_spec::requirement::Subject;
use assay_spec::{Dialect, Rules, Strict, Without, catalogue};
use assay_suites::embedded::client::Client;
use assay_suites::embedded::client::recovery::{ABILITIES, Case, Suite, all};
use assay_suites::harness::data::{Outcome, Verdict};
use assay_suites::http::sockets::Tcp;
use assay_suites::report::words::reason;
use assay_suites::services::hosting::collect::{Wanted, recover};
use libtest_mimic::{Failed, Trial};

use super::{all_pass, left_out, none_pass};

/// Started with this flag, the program is a tool.
pub(crate) const FLAG: &str = "--recovery-fault";

/// The rule that a tool must break to fail in a world, where it is another one than the world's requirement.
const BROKEN: &[(&str, &str)] = &[
    ("deployments_are_recovered_with_the_wallet_key", "hosting.amends.ref"),
    ("long_history_is_read_to_its_end", "hosting.amends.ref"),
    ("records_on_the_retired_channel_are_not_read", "hosting.records.channel"),
];
/// The worlds whose faulty tools are the careless variants in `suites/interop/clients/recovery.py`: they read what this one
/// never asks for, or do what no single rule of the reader forbids.
const ELSEWHERE: &[&str] = &[
    "records_of_strangers_change_nothing",
    "later_amend_of_a_stranger_loses",
    "deleted_project_with_half_an_envelope_is_deleted",
    "earlier_claim_that_the_machine_did_not_sign_loses",
    "amend_that_arrives_later_with_an_earlier_time_loses",
];

/// Runs the tool that breaks this rule. Returns the program's exit code.
pub(crate) fn run(name: &str) -> i32 {
    match name {
        "idle" => return 0,
        "hangs" => loop {
            std::thread::park();
        },
        "prints-nonsense" => {
            println!("[]");
            return 0;
        }
        _ => {}
    }
    let mut rules: Box<dyn Rules> = match catalogue::requirement(name) {
        Some(rule) => Box::new(Without(rule)),
        None => Box::new(Strict),
    };
    let variable = |name: &str| std::env::var(name).expect("the suite sets it");
    let secret = parse_hex(&variable("ASSAY_WALLET_KEY")).and_then(|bytes| bytes.try_into().ok());
    let wanted = Wanted {
        connector: Arc::new(Tcp),
        nodes: variable("ASSAY_NODE_URLS").split(' ').map(str::to_owned).collect(),
        owner: Address::parse(&variable("ASSAY_ADDRESS")).expect("an address"),
        keys: Keys { wallet: secret.and_then(|secret| key_from_secret(&secret)), encryption: None },
        dialect: Dialect::default(),
        role: Role::RecoveryTool,
        first_page: 1,
        timeout: Duration::from_secs(10),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let recovered = runtime.block_on(recover(&wanted, &mut *rules)).expect("a node answers");
    println!("{}", serde_json::to_string(&recovered).expect("JSON"));
    0
}

/// The tests.
pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = vec![
        Trial::test("recovery::assay_recover_conforms", || {
            let mut suite = suite("none")?;
            suite.client.command = [env!("CARGO_BIN_EXE_assay"), "recover"].map(str::to_owned).to_vec();
            all_pass(&judged(&suite, &all())?)
        }),
        Trial::test("recovery::a_conforming_tool_conforms", || all_pass(&judged(&suite("none")?, &all())?)),
        Trial::test("recovery::an_idle_tool_passes_nothing", || none_pass(&judged(&suite("idle")?, &all())?)),
        Trial::test("recovery::a_tool_that_prints_a_list_passes_nothing", || {
            none_pass(&judged(&suite("prints-nonsense")?, &all())?)
        }),
        Trial::test("recovery::a_tool_that_hangs_fails", hanging_tool_fails),
        Trial::test("recovery::a_tool_that_reads_one_node_conforms", || lacks("no-mirrors", 1)),
        Trial::test("recovery::a_tool_without_claims_conforms", || lacks("no-claims", 2)),
        Trial::test("recovery::cases_are_about_readers", cases_are_about_readers),
    ];
    for case in all() {
        if !ELSEWHERE.contains(&case.fact) {
            trials.push(Trial::test(format!("recovery::caught::{}", case.fact), move || is_caught(case)));
        }
    }
    trials
}

fn suite(fault: &str) -> Result<Suite, Failed> {
    let program = std::env::current_exe()?.display().to_string();
    let client = Client::new(vec![program, FLAG.to_owned(), fault.to_owned()], 1);
    Ok(Suite {
        client: Client { limit: Duration::from_secs(if fault == "hangs" { 2 } else { 30 }), ..client },
    })
}

fn judged(suite: &Suite, cases: &[&'static Case]) -> Result<Vec<Outcome>, Failed> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(runtime.block_on(suite.run(cases, |_| {})).outcomes)
}

/// The tool that breaks the requirement of a world fails in it.
fn is_caught(case: &'static Case) -> Result<(), Failed> {
    let other = BROKEN.iter().find(|(fact, _)| *fact == case.fact).map(|(_, rule)| (*rule).to_owned());
    let rule = other.unwrap_or_else(|| case.requirement.to_string());
    match &judged(&suite(&rule)?, &[case])?[..] {
        [outcome] if outcome.verdict == Verdict::Fail => Ok(()),
        outcomes => Err(outcomes
            .iter()
            .map(|one| format!("without {rule}: {:?} {}", one.verdict, reason(one)))
            .collect::<String>()
            .into()),
    }
}

fn hanging_tool_fails() -> Result<(), Failed> {
    let case = all().into_iter().next().ok_or("no case")?;
    let outcomes = judged(&suite("hangs")?, &[case])?;
    let is_failed = outcomes.iter().all(|one| one.verdict == Verdict::Fail);
    if is_failed { Ok(()) } else { Err(outcomes.iter().map(reason).collect::<String>().into()) }
}

fn lacks(flag: &str, count: usize) -> Result<(), Failed> {
    let mut suite = suite("none")?;
    suite.client.without = ABILITIES.iter().copied().filter(|ability| ability.flag == flag).collect();
    left_out(&judged(&suite, &all())?, flag, count)
}

/// Each case is about a reader, and no fact appears twice.
fn cases_are_about_readers() -> Result<(), Failed> {
    let cases = all();
    let facts: BTreeSet<&str> = cases.iter().map(|case| case.fact).collect();
    let others = cases.iter().filter(|case| case.requirement.subject != Subject::Reader);
    let others: Vec<String> = others.map(|case| case.requirement.to_string()).collect();
    if facts.len() == cases.len() && others.is_empty() { Ok(()) } else { Err(format!("{others:?}").into()) }
}
