//! The client suites catch every faulty client for the right reason, and pass a conforming one.
//!
//! This program is both the tests and the clients: with `--fault NAME` it is the publishing client of that name, with
//! `--gateway-fault NAME` the gateway client, with `--node-fault NAME` the program
//! that uses a node, with `--recovery-fault RULE` the recovery tool that breaks that rule.

mod client;
mod gateway;
mod gateways;
mod nodes;
mod recoveries;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use assay_spec::requirement::{Evidence, Level, Subject};
use assay_spec::{Id, Service, catalogue};
use assay_suites::embedded::client::publish::{ABILITIES, Case, Suite, all};
use assay_suites::embedded::client::{Client, Hold, duties};
use assay_suites::harness::data::{Outcome, Verdict};
use assay_suites::report::words::{account, reason};
use libtest_mimic::{Arguments, Failed, Trial};

use client::Fault;

/// A fault, the place of the failure, and the facts that it breaks.
type Caught = (&'static str, Fault, &'static str, &'static [&'static str]);

const LOST: &str = "lost_answer_leads_to_no_other_record";

/// Every faulty client.
const CAUGHT: &[Caught] = &[
    (
        "check.encoding",
        Fault::Without("check.encoding"),
        "submit",
        &["left_over_byte_is_not_signed", "long_length_is_not_signed", "versioned_message_is_not_signed"],
    ),
    (
        "check.two-signatures",
        Fault::Without("check.two-signatures"),
        "submit",
        &["one_signature_is_not_signed", "three_signatures_are_not_signed"],
    ),
    (
        "check.client-account",
        Fault::Without("check.client-account"),
        "submit",
        &["foreign_client_account_is_not_signed"],
    ),
    ("check.fee-payer", Fault::Without("check.fee-payer"), "submit", &["client_as_fee_payer_is_not_signed"]),
    (
        "check.one-instruction",
        Fault::Without("check.one-instruction"),
        "submit",
        &["second_instruction_is_not_signed"],
    ),
    (
        "check.memo-program",
        Fault::Without("check.memo-program"),
        "submit",
        &["foreign_program_is_not_signed", "account_as_program_is_not_signed"],
    ),
    (
        "check.instruction-accounts",
        Fault::Without("check.instruction-accounts"),
        "submit",
        &["fee_payer_passed_is_not_signed", "nobody_passed_is_not_signed"],
    ),
    (
        "check.record-form",
        Fault::Without("check.record-form"),
        "submit",
        &["next_record_version_is_not_signed", "byte_order_mark_is_not_signed", "broken_text_is_not_signed"],
    ),
    (
        "check.record-canonical",
        Fault::Without("check.record-canonical"),
        "submit",
        &[
            "swapped_keys_are_not_signed",
            "blanks_are_not_signed",
            "needless_escape_is_not_signed",
            "key_given_twice_is_not_signed",
        ],
    ),
    ("check.kind", Fault::Without("check.kind"), "submit", &["transfer_record_is_not_signed"]),
    ("check.domain", Fault::Without("check.domain"), "submit", &["other_domain_is_not_signed"]),
    (
        "check.fields",
        Fault::Without("check.fields"),
        "submit",
        &[
            "other_cid_is_not_signed",
            "other_version_is_not_signed",
            "other_default_version_is_not_signed",
            "other_new_key_is_not_signed",
            "other_transfer_is_not_signed",
        ],
    ),
    (
        "check.time",
        Fault::Without("check.time"),
        "submit",
        &[
            "time_without_milliseconds_is_not_signed",
            "time_with_offset_is_not_signed",
            "time_eleven_minutes_ago_is_not_signed",
            "time_in_eleven_minutes_is_not_signed",
            "record_of_a_server_ahead_is_not_signed",
            "record_of_a_server_behind_is_not_signed",
        ],
    ),
    (
        "lossy-text",
        Fault::LossyText,
        "submit",
        &["byte_order_mark_is_not_signed", "broken_text_is_not_signed"],
    ),
    (
        "server-clock",
        Fault::ServerClock,
        "submit",
        &["record_of_a_server_ahead_is_not_signed", "record_of_a_server_behind_is_not_signed"],
    ),
    ("any-version", Fault::AnyVersion, "submit", &["other_default_version_is_not_signed"]),
    (
        "signs-before-checking",
        Fault::SignsFirst,
        "submit",
        &["other_domain_is_not_signed", "foreign_program_is_not_signed"],
    ),
    (
        "payload-checked",
        Fault::ChecksPayload,
        "submit",
        &[
            "other_domain_is_not_signed",
            "transfer_record_is_not_signed",
            "payload_of_another_domain_changes_nothing",
        ],
    ),
    ("payload-compared", Fault::ComparesPayload, "submit", &["payload_with_a_blank_changes_nothing"]),
    ("signs-the-text", Fault::SignsText, "/signature", &["conforming_exchange_is_gone_through"]),
    ("no-content-type", Fault::NoContentType, "header content-type", &["requests_are_json_by_their_type"]),
    ("time-in-seconds", Fault::CoarseTime, "/t of the envelope", &["envelopes_are_fresh_and_exact"]),
    ("txt-refused", Fault::RefusesTxt, "submit", &["disagreeing_txt_record_changes_nothing"]),
    ("txt-required", Fault::RequiresTxt, "submit", &["missing_txt_record_changes_nothing"]),
    (
        "no-skew",
        Fault::NoSkew,
        "submit",
        &["server_nine_minutes_ahead_is_good", "server_nine_minutes_behind_is_good"],
    ),
    ("impatient", Fault::Impatient, "submit", &["slow_submit_is_waited_for"]),
    ("prepares-after-loss", Fault::PreparesAfterLoss, "prepare", &[LOST]),
    ("gives-up-after-loss", Fault::GivesUpAfterLoss, "submit", &[LOST]),
    ("gives-up-when-gone", Fault::GivesUpWhenGone, "prepare", &["expired_prepare_is_prepared_again"]),
    (
        "prepares-for-ever",
        Fault::PreparesForEver,
        "requests after the second 410",
        &["second_expiry_in_a_row_ends_it"],
    ),
    ("hammers-after-502", Fault::Hammers, "requests", &["failing_chain_is_not_hammered"]),
    (
        "publishes-for-a-lookup",
        Fault::PublishesForLookup,
        "the chain",
        &["lookup_that_gets_a_502_leads_to_no_other_record"],
    ),
    ("log-not-read", Fault::ReadsNoLog, "exit code", &["record_with_a_truncated_log_is_not_verified"]),
    ("ceiling-ignored", Fault::IgnoresCeiling, "submit", &["nothing_is_signed_beside_what_can_still_land"]),
    ("retries-404", Fault::Retries(404), "requests after the 404", &["unbound_domain_is_tried_once"]),
    ("retries-409", Fault::Retries(409), "prepare", &["frozen_key_does_not_loop"]),
    ("submits-when-frozen", Fault::SubmitsWhenFrozen, "submit", &["frozen_key_does_not_loop"]),
    ("retries-429", Fault::Retries(429), "requests after the 429", &["retry_after_is_kept"]),
    (
        "retries-503",
        Fault::Retries(503),
        "requests",
        &["standby_is_not_hammered", "passive_backend_is_not_hammered"],
    ),
    (
        "transfer-ignored",
        Fault::IgnoresTransfer,
        "/op of /api/vf-cli/publish/prepare",
        &["transfer_is_gone_through"],
    ),
    ("accept-unsaid", Fault::AcceptUnsaid, "submit", &["accept_is_gone_through"]),
    ("submit-trusted", Fault::TrustsSubmit, "requests to the chain", &["landed_record_is_looked_up"]),
    ("reports-at-once", Fault::TrustsSubmit, "exit code", &["record_with_a_truncated_log_is_not_verified"]),
    ("hangs", Fault::Hangs, "the client", &["conforming_exchange_is_gone_through"]),
];

/// Clients without a fault that differ from the others, and one that does nothing.
const CONFORMING: &[(&str, Fault)] = &[
    ("idle", Fault::Idle),
    ("no-version", Fault::SendsNoVersion),
    ("looks-after-loss", Fault::LooksAfterLoss),
    ("stops-at-the-ceiling", Fault::StopsAtCeiling),
    ("signs-slowly", Fault::SignsSlowly),
    ("repeats-after-200", Fault::RepeatsAfterSuccess),
];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).take(2).collect();
    if let [flag, name] = &words[..]
        && flag == "--fault"
    {
        let fault = CAUGHT.iter().find(|(known, ..)| known == name).map(|(_, fault, ..)| *fault);
        let own = CONFORMING.iter().find(|(known, _)| known == name).map(|(_, manner)| *manner);
        let fault = fault.or(own).unwrap_or(Fault::None);
        std::process::exit(client::run(fault));
    }
    if let [flag, name] = &words[..]
        && flag == gateways::FLAG
    {
        std::process::exit(gateways::run(name));
    }
    if let [flag, name] = &words[..]
        && flag == nodes::FLAG
    {
        std::process::exit(nodes::run(name));
    }
    if let [flag, name] = &words[..]
        && flag == recoveries::FLAG
    {
        std::process::exit(recoveries::run(name));
    }
    let mut arguments = Arguments::from_args();
    // The worlds wait for the wall clock, so few cores can run many of them.
    arguments.test_threads = arguments.test_threads.or(Some(32));
    let mut trials = vec![
        Trial::test("a_conforming_client_conforms", || all_pass(&judged(&suite("none")?, &all())?)),
        Trial::test("assay_publish_conforms", || {
            let mut suite = suite("none")?;
            suite.client.command = [env!("CARGO_BIN_EXE_assay"), "publish"].map(str::to_owned).to_vec();
            all_pass(&judged(&suite, &all())?)
        }),
        Trial::test("a_client_without_transfers_conforms", || lacks("transfer-ignored", "no-transfers", 4)),
        Trial::test("a_client_without_accepts_conforms", || lacks("none", "no-accepts", 2)),
        Trial::test("a_client_without_versions_conforms", || lacks("no-version", "no-versions", 1)),
        Trial::test("a_client_that_sends_every_version_conforms", || lacks("none", "no-default-version", 2)),
        Trial::test("a_client_without_a_chain_conforms", || lacks("submit-trusted", "no-chain", 3)),
        Trial::test("a_client_that_finds_its_lost_record_conforms", || {
            passes("looks-after-loss", "lost_answer_leads_to_no_other_record")
        }),
        Trial::test("a_client_that_stops_at_the_ceiling_conforms", || {
            passes("stops-at-the-ceiling", "nothing_is_signed_beside_what_can_still_land")
        }),
        Trial::test("a_client_that_signs_slowly_conforms", || {
            passes("signs-slowly", "second_expiry_in_a_row_ends_it")?;
            passes("signs-slowly", "retry_after_is_kept")
        }),
        Trial::test("a_client_that_repeats_its_submit_conforms", || {
            passes("repeats-after-200", "slow_submit_is_waited_for")?;
            passes("repeats-after-200", "conforming_exchange_is_gone_through")
        }),
        Trial::test("a_world_that_is_held_open_judges_what_arrives", held_world_judges_what_arrives),
        // A client that does nothing violates no "must not" rule, but no check may pass for it.
        Trial::test("an_idle_client_passes_nothing", || none_pass(&judged(&suite("idle")?, &all())?)),
        Trial::test("rows_and_cases_belong_together", rows_and_cases_belong_together),
        Trial::test("the_page_of_duties_is_current", page_of_duties_is_current),
    ];
    for (name, _, place, facts) in CAUGHT {
        trials.push(Trial::test(format!("caught::{name}"), move || is_caught(name, place, facts)));
    }
    trials.extend(gateways::trials());
    trials.extend(nodes::trials());
    trials.extend(recoveries::trials());
    libtest_mimic::run(&arguments, trials).exit();
}

fn suite(fault: &str) -> Result<Suite, Failed> {
    let program = std::env::current_exe()?.display().to_string();
    let client = Client::new(vec![program, "--fault".to_owned(), fault.to_owned()], 1);
    let seconds = Duration::from_secs;
    // A client that hangs uses up the limit.
    let limit = seconds(if fault == "hangs" { 5 } else { 15 });
    Ok(Suite { client: Client { limit, jobs: 6, ..client }, quiet: seconds(4), slow: seconds(3) })
}

fn judged(suite: &Suite, cases: &[&'static Case]) -> Result<Vec<Outcome>, Failed> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(runtime.block_on(suite.run(cases, |_| {})).outcomes)
}

/// Every world passes.
fn all_pass(outcomes: &[Outcome]) -> Result<(), Failed> {
    let bad = outcomes.iter().filter(|outcome| outcome.verdict != Verdict::Pass);
    let bad: Vec<String> = bad
        .map(|outcome| {
            let account = outcome.why.iter().map(account).collect::<Vec<_>>().join("\n  ");
            format!("{}: {:?} {}\n  {account}", outcome.fact, outcome.verdict, reason(outcome))
        })
        .collect();
    if bad.is_empty() { Ok(()) } else { Err(bad.join("\n").into()) }
}

/// No world passes.
fn none_pass(outcomes: &[Outcome]) -> Result<(), Failed> {
    let passed = outcomes.iter().filter(|outcome| outcome.verdict == Verdict::Pass);
    let passed: Vec<&str> = passed.map(|outcome| outcome.fact).collect();
    if passed.is_empty() { Ok(()) } else { Err(format!("{passed:?}").into()) }
}

/// A client that declares what it lacks passes all other worlds, and so many are not applicable.
fn lacks(fault: &str, flag: &str, count: usize) -> Result<(), Failed> {
    let mut suite = suite(fault)?;
    suite.client.without = ABILITIES.iter().copied().filter(|ability| ability.flag == flag).collect();
    left_out(&judged(&suite, &all())?, flag, count)
}

/// So many outcomes are not applicable because of this flag, and all others pass.
fn left_out(outcomes: &[Outcome], flag: &str, count: usize) -> Result<(), Failed> {
    let is_left_out = |outcome: &&Outcome| {
        outcome.verdict == Verdict::NotApplicable && reason(outcome).ends_with(&format!("(--{flag})"))
    };
    let (left_out, rest): (Vec<&Outcome>, Vec<&Outcome>) = outcomes.iter().partition(is_left_out);
    let bad: Vec<String> = rest
        .iter()
        .filter(|outcome| outcome.verdict != Verdict::Pass)
        .map(|outcome| format!("{}: {}", outcome.fact, reason(outcome)))
        .collect();
    if bad.is_empty() && left_out.len() == count {
        return Ok(());
    }
    let facts: Vec<&str> = left_out.iter().map(|outcome| outcome.fact).collect();
    Err(format!("not applicable: {facts:?}\n{}", bad.join("\n")).into())
}

/// A client with a name of its own passes a world.
fn passes(client: &str, fact: &str) -> Result<(), Failed> {
    let cases: Vec<&Case> = all().into_iter().filter(|case| case.fact == fact).collect();
    match &judged(&suite(client)?, &cases)?[..] {
        [outcome] => fails_there(outcome, None),
        outcomes => Err(format!("{} worlds are named {fact}", outcomes.len()).into()),
    }
}

/// A client that is started by hand, with the environment that is printed, is judged at the end.
fn held_world_judges_what_arrives() -> Result<(), Failed> {
    for (fault, verdict) in [("none", Verdict::Pass), ("gives-up-when-gone", Verdict::Fail)] {
        let suite = suite(fault)?;
        let case = all().into_iter().find(|case| case.fact == "expired_prepare_is_prepared_again");
        let case = case.ok_or("no such world")?;
        let lines = Mutex::new(Vec::new());
        let say = |line: &str| lines.lock().expect("no panic").push(line.to_owned());
        let by_hand = async {
            let mut command = tokio::process::Command::new(&suite.client.command[0]);
            command.args(&suite.client.command[1..]);
            for line in lines.lock().expect("no panic").iter() {
                if let Some((name, value)) =
                    line.strip_prefix("export ").and_then(|line| line.split_once('='))
                {
                    command.env(name, value.trim_matches('\''));
                }
            }
            let ended = command.status().await;
            assert!(ended.is_ok_and(|status| status.success() == (verdict == Verdict::Pass)));
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let run = runtime.block_on(suite.hold(case, Hold { say: &say, end: std::pin::pin!(by_hand) }));
        let lines = lines.lock().expect("no panic").join("\n");
        let submits = lines.matches("POST /api/vf-cli/publish/submit -> ").count();
        assert_eq!(submits, if verdict == Verdict::Pass { 2 } else { 1 }, "{lines}");
        assert_eq!(run.outcomes[0].verdict, verdict, "{lines}");
    }
    Ok(())
}

/// Every row whose evidence is this suite has a case, every check before signing has one, and no fact appears twice.
fn rows_and_cases_belong_together() -> Result<(), Failed> {
    let cases = all();
    belong_together(Service::Publish, cases.iter().map(|case| (case.requirement.to_string(), case.fact)))
}

/// The tables of docs/client-duties.md are those of the cases. Otherwise the right page is written to the target folder.
fn page_of_duties_is_current() -> Result<(), Failed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = std::fs::read_to_string(root.join("docs/client-duties.md"))?;
    let introduction = page.split("\n## ").next().unwrap_or_default();
    let ending = page.rsplit("\n## ").next().unwrap_or_default();
    let current = format!("{introduction}{}\n## {ending}", duties());
    if page == current {
        return Ok(());
    }
    let right = root.join("target/client-duties.md");
    std::fs::write(&right, current)?;
    Err(format!("docs/client-duties.md is not current; {} is", right.display()).into())
}

/// Every row of a service whose evidence is its client suite has a case, and no fact appears twice.
fn belong_together(
    service: Service,
    cases: impl ExactSizeIterator<Item = (String, &'static str)>,
) -> Result<(), Failed> {
    let count = cases.len();
    let (covered, facts): (BTreeSet<String>, BTreeSet<&str>) = cases.unzip();
    let rows = catalogue::requirements().filter(|row| row.service == service);
    // Open rows assert nothing.
    let rows = rows.filter(|row| !matches!(row.evidence, Evidence::Open(_)));
    let wanted = rows.filter(|row| row.evidence == Evidence::Client || row.subject == Subject::Client);
    let wanted: Vec<Id> = wanted.collect();
    let unsaid: Vec<&Id> = wanted.iter().filter(|row| row.anchors.is_empty()).collect();
    assert!(unsaid.is_empty(), "no sentence of a document: {unsaid:?}");
    let wanted: BTreeSet<String> = wanted.iter().map(ToString::to_string).collect();
    if covered == wanted && facts.len() == count {
        return Ok(());
    }
    let differing: Vec<&String> = covered.symmetric_difference(&wanted).collect();
    Err(format!("{differing:?}, {} facts of {count} cases", facts.len()).into())
}

/// The fault breaks these facts at this place, and the conforming exchange only if that is one of them.
fn is_caught(name: &str, place: &str, facts: &[&str]) -> Result<(), Failed> {
    let conforming = "conforming_exchange_is_gone_through";
    let cases: Vec<&Case> =
        all().into_iter().filter(|case| case.fact == conforming || facts.contains(&case.fact)).collect();
    let mut caught = 0;
    for outcome in judged(&suite(name)?, &cases)? {
        let broken = facts.contains(&outcome.fact);
        fails_there(&outcome, broken.then_some(place))?;
        caught += usize::from(broken);
    }
    if caught == facts.len() { Ok(()) } else { Err(format!("not all facts of {facts:?} exist").into()) }
}

/// Expects an outcome to fail at this place, or to pass without one.
fn fails_there(outcome: &Outcome, place: Option<&str>) -> Result<(), Failed> {
    let there = outcome.failure.as_ref().map(|failure| failure.place.as_str());
    let red = if outcome.requirement.level == Level::Should { Verdict::Warn } else { Verdict::Fail };
    let want = if place.is_some() { red } else { Verdict::Pass };
    if outcome.verdict == want && there == place {
        return Ok(());
    }
    let got = outcome.verdict.name();
    let account = outcome.why.iter().map(account).collect::<Vec<_>>().join("\n  ");
    Err(format!("{}: {got} instead of {}: {}\n  {account}", outcome.fact, want.name(), reason(outcome))
        .into())
}
