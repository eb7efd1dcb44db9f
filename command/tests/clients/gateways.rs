//! The gateway client suite against faulty clients.

use std::time::Duration;

use assay_spec::Service;
use assay_suites::embedded::client::Client;
use assay_suites::embedded::client::gateway::{ABILITIES, Case, Suite, all};
use assay_suites::harness::data::{Outcome, Verdict};
use libtest_mimic::{Failed, Trial};

use super::gateway::{self, Fault};
use super::{all_pass, belong_together, fails_there, left_out, none_pass};

/// Started with this flag, the program is a client.
pub(crate) const FLAG: &str = "--gateway-fault";

/// The conforming world.
const CONFORMING: &str = "key_goes_to_the_gateway_as_a_bearer_token";

/// A fault, and the facts that it breaks, by the place of the failure.
type Caught = (&'static str, Fault, &'static [(&'static str, &'static [&'static str])]);

const NONSENSE: &str = "another_server_is_tried_where_one_answers_nonsense";
const DOWN: &str = "another_server_is_tried_where_one_takes_no_connection";
const ERROR_EVENT: &str = "error_event_is_no_answer";
const DEAD_STREAM: &str = "stream_that_breaks_off_is_no_answer";
const SILENT: &str = "stream_that_falls_silent_is_no_answer";
const SILENT_ERROR: &str = "error_event_after_a_silence_is_no_answer";
const UNVERIFIABLE: &str = "entry_that_cannot_be_verified_is_refused";
const TOOL: &str = "result_of_a_tool_is_sent_with_the_id_of_its_call";
const TOOL_DIRECT: &str = "result_of_a_tool_goes_to_a_listed_server_alike";
const TOOLS: &str = "each_of_two_calls_gets_its_own_result";
const PAID: &str = "request_is_paid_for_after_a_402";
const BOOTED: &str = "booted_enclave_is_attested_anew";
const BOOTED_OTHER: &str = "enclave_that_has_booted_into_another_gets_no_request";
const IMPOSTOR: &str = "connection_with_another_certificate_gets_no_request";
const FIRST: &str = "nothing_goes_out_before_the_attestation";

/// Every faulty client.
const CAUGHT: &[Caught] = &[
    ("other-scheme", Fault::OtherScheme, &[("header authorization", &[CONFORMING])]),
    ("other-header", Fault::OtherHeader, &[("header authorization", &[CONFORMING])]),
    (
        "no-key-to-servers",
        Fault::NoKeyToServers,
        &[("header authorization", &["key_goes_to_a_listed_server_alike"])],
    ),
    (
        "discovers-once",
        Fault::DiscoversOnce,
        &[("discovery", &["discovery_is_asked_again"]), ("request", &["vanished_url_is_not_used"])],
    ),
    ("fixes-url", Fault::FixesUrl, &[("request", &["vanished_url_is_not_used"])]),
    ("gives-up", Fault::GivesUp, &[("answer", &[DOWN, NONSENSE])]),
    ("same-server", Fault::SameServer, &[("answer", &[DOWN, NONSENSE])]),
    ("takes-nonsense", Fault::TakesNonsense, &[("answer", &[NONSENSE])]),
    ("skips-error-events", Fault::SkipsErrorEvents, &[("answer", &[ERROR_EVENT, SILENT_ERROR])]),
    ("dies-of-errors", Fault::DiesOfErrors, &[("answer", &[ERROR_EVENT, DEAD_STREAM])]),
    ("stream-storm", Fault::StreamStorm, &[("requests", &[ERROR_EVENT])]),
    ("takes-dead-streams", Fault::TakesDeadStreams, &[("answer", &[DEAD_STREAM, SILENT])]),
    ("takes-silence", Fault::TakesSilence, &[("answer", &[SILENT, SILENT_ERROR])]),
    ("takes-any-enclave", Fault::TakesAnyEnclave, &[("request", &[UNVERIFIABLE])]),
    ("never-pays", Fault::NeverPays, &[("request", &[PAID])]),
    ("asks-again-unpaid", Fault::AsksAgainUnpaid, &[("header x-payment", &[PAID])]),
    ("pays-with-key", Fault::PaysWithKey, &[("header authorization", &[PAID])]),
    ("pays-for-another", Fault::PaysForAnother, &[("request", &[PAID])]),
    ("runs-no-tool", Fault::RunsNoTool, &[("request", &[TOOL, TOOL_DIRECT, TOOLS])]),
    ("forgets-conversation", Fault::ForgetsConversation, &[("messages", &[TOOL, TOOL_DIRECT, TOOLS])]),
    ("names-tool", Fault::NamesTool, &[("tool_call_id", &[TOOL, TOOL_DIRECT, TOOLS])]),
    ("results-as-user", Fault::ResultsAsUser, &[("messages", &[TOOL, TOOL_DIRECT, TOOLS])]),
    ("first-result-only", Fault::FirstResultOnly, &[("messages", &[TOOLS])]),
    ("same-result", Fault::SameResult, &[("content", &[TOOLS])]),
    ("quotes-results", Fault::QuotesResults, &[("content", &[TOOL, TOOL_DIRECT, TOOLS])]),
    ("drops-cookies", Fault::DropsCookies, &[("header cookie", &["cookie_is_sent_back"])]),
    ("hammers-rejected", Fault::HammersRejected, &[("requests", &["refused_key_is_not_hammered"])]),
    ("reports-rejection", Fault::ReportsRejection, &[("answer", &["refused_key_is_not_hammered"])]),
    (
        "hammers-unavailable",
        Fault::HammersUnavailable,
        &[("requests", &["gateway_without_servers_is_not_hammered"])],
    ),
    (
        "hash-as-path",
        Fault::HashAsPath,
        &[("request", &["item_hash_is_no_host"]), ("resolution", &["item_hash_is_resolved_first"])],
    ),
    (
        "resolves-once",
        Fault::ResolvesOnce,
        &[("resolution", &["item_hash_is_resolved_again_after_a_boot"]), ("answer", &[BOOTED])],
    ),
    (
        "sends-first",
        Fault::SendsFirst,
        &[(
            "request",
            &[
                FIRST,
                "other_deployment_gets_no_request",
                "attestation_of_another_certificate_gets_no_request",
                "replayed_attestation_gets_no_request",
                "forged_attestation_gets_no_request",
                BOOTED,
                BOOTED_OTHER,
            ],
        )],
    ),
    ("attests-once", Fault::AttestsOnce, &[("request", &[BOOTED, BOOTED_OTHER, IMPOSTOR])]),
    (
        "any-measurement",
        Fault::AnyMeasurement,
        &[("request", &["other_deployment_gets_no_request", BOOTED_OTHER])],
    ),
    (
        "any-certificate",
        Fault::AnyCertificate,
        &[("request", &["attestation_of_another_certificate_gets_no_request"])],
    ),
    ("any-nonce", Fault::AnyNonce, &[("request", &["replayed_attestation_gets_no_request"])]),
    (
        "any-signature",
        Fault::AnySignature,
        &[(
            "request",
            &[
                "forged_attestation_gets_no_request",
                "other_deployment_gets_no_request",
                "replayed_attestation_gets_no_request",
                "attestation_of_another_certificate_gets_no_request",
            ],
        )],
    ),
    ("no-pin", Fault::NoPin, &[("request", &[IMPOSTOR])]),
    ("hangs", Fault::Hangs, &[("the client", &[CONFORMING])]),
];

/// Runs the client of that name. Returns the program's exit code.
pub(crate) fn run(name: &str) -> i32 {
    let fault = CAUGHT.iter().find(|(known, ..)| *known == name).map(|(_, fault, _)| *fault);
    gateway::run(fault.unwrap_or(match name {
        "idle" => Fault::Idle,
        "refuses-enclaves" => Fault::RefusesEnclaves,
        _ => Fault::None,
    }))
}

/// The tests.
pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = vec![
        Trial::test("gateway::a_conforming_client_conforms", || all_pass(&judged(&suite("none")?, &all())?)),
        Trial::test("gateway::assay_chat_conforms", || {
            let mut suite = suite("none")?;
            suite.client.command = [env!("CARGO_BIN_EXE_assay"), "chat"].map(str::to_owned).to_vec();
            all_pass(&judged(&suite, &all())?)
        }),
        Trial::test("gateway::an_idle_client_passes_nothing", || {
            none_pass(&judged(&suite("idle")?, &all())?)
        }),
        Trial::test("gateway::rows_and_cases_belong_together", || {
            let cases = all();
            let cases = cases.iter().map(|case| (case.requirement.to_string(), case.fact));
            belong_together(Service::Gateway, cases)
        }),
        Trial::test("gateway::client_without_tools_conforms", || lacks("runs-no-tool", "no-tools")),
        Trial::test("gateway::client_without_streams_conforms", || lacks("skips-error-events", "no-streams")),
        Trial::test("gateway::client_without_payments_conforms", || lacks("never-pays", "no-payments")),
        Trial::test("gateway::client_without_direct_calls_conforms", || lacks("gives-up", "no-direct")),
        Trial::test("gateway::client_without_confidential_models_conforms", || {
            lacks("refuses-enclaves", "no-confidential")
        }),
        Trial::test("gateway::every_world_catches_a_faulty_client", every_world_catches_a_faulty_client),
    ];
    for (name, _, places) in CAUGHT {
        trials.push(Trial::test(format!("gateway::caught::{name}"), move || is_caught(name, places)));
    }
    trials
}

fn suite(fault: &str) -> Result<Suite, Failed> {
    let program = std::env::current_exe()?.display().to_string();
    let client = Client::new(vec![program, FLAG.to_owned(), fault.to_owned()], 1);
    // A client that hangs uses up the limit.
    let limit = Duration::from_secs(if fault == "hangs" { 5 } else { 20 });
    Ok(Suite::new(Client { limit, jobs: 6, ..client }))
}

fn judged(suite: &Suite, cases: &[&'static Case]) -> Result<Vec<Outcome>, Failed> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(runtime.block_on(suite.run(cases, |_| {})).outcomes)
}

/// A client that declares what it lacks passes all other worlds. The worlds that need it are not applicable.
fn lacks(fault: &str, flag: &str) -> Result<(), Failed> {
    let mut suite = suite(fault)?;
    suite.client.without = ABILITIES.iter().copied().filter(|ability| ability.flag == flag).collect();
    let outcomes = judged(&suite, &all())?;
    let count = outcomes.iter().filter(|outcome| outcome.verdict == Verdict::NotApplicable).count();
    let few = ("no-payments", 1, 1);
    let (least, most) = if flag == few.0 { (few.1, few.2) } else { (3, outcomes.len() / 2 + 8) };
    if !(least..=most).contains(&count) {
        return Err(format!("{count} worlds of {} are not applicable", outcomes.len()).into());
    }
    left_out(&outcomes, flag, count)
}

/// Every world has a client that fails in it.
fn every_world_catches_a_faulty_client() -> Result<(), Failed> {
    let broken: Vec<&str> =
        CAUGHT.iter().flat_map(|(.., places)| *places).flat_map(|(_, facts)| facts.iter().copied()).collect();
    let idle: Vec<&str> = all().iter().map(|case| case.fact).filter(|fact| !broken.contains(fact)).collect();
    if idle.is_empty() { Ok(()) } else { Err(format!("no client fails in {idle:?}").into()) }
}

/// The fault breaks these facts at these places, and the conforming world only if that is one of them.
fn is_caught(name: &str, places: &[(&str, &[&str])]) -> Result<(), Failed> {
    let place_of =
        |fact: &str| places.iter().find(|(_, facts)| facts.contains(&fact)).map(|(place, _)| *place);
    let cases: Vec<&Case> =
        all().into_iter().filter(|case| case.fact == CONFORMING || place_of(case.fact).is_some()).collect();
    let mut caught = 0;
    for outcome in judged(&suite(name)?, &cases)? {
        let place = place_of(outcome.fact);
        fails_there(&outcome, place)?;
        caught += usize::from(place.is_some());
    }
    let wanted: usize = places.iter().map(|(_, facts)| facts.len()).sum();
    if caught == wanted { Ok(()) } else { Err(format!("not all facts of {places:?} exist").into()) }
}
