//! The worlds of the gateway client, by requirement.

use assay_spec::Id;
use assay_spec::gateway::requirements::{client, confidential};

use super::scene::{CONFORMING, PAID, Pays, Scene, Step, Tool, Way, Wire};
use super::trace::Trace;
use super::{Case, judge};
use crate::harness::check::Checked;

/// A world in which the client must do something.
const fn shows(requirement: Id, fact: &'static str, scene: Scene, judge: fn(&Trace) -> Checked) -> Case {
    Case { requirement, fact, scene, judge, counterpart: None }
}

/// A world in which the client must not do something, while it answers in the conforming one.
const fn forbids(requirement: Id, fact: &'static str, scene: Scene, judge: fn(&Trace) -> Checked) -> Case {
    Case { requirement, fact, scene, judge, counterpart: Some(judge::answers) }
}

const DIRECT: Scene = Scene { way: Way::Direct, ..CONFORMING };
const SEALED: Scene = Scene { way: Way::Sealed, ..CONFORMING };
const STREAMED: Scene = Scene { stream: true, ..CONFORMING };

const TOOLS: [Tool; 2] =
    [Tool { name: "read_thermometer", result: "-3.5" }, Tool { name: "read_barometer", result: "1013" }];
/// A world whose model calls a tool.
const TOOL: Scene = Scene { tools: TOOLS.split_at(1).0, ..CONFORMING };

/// A world whose enclave has an invalid attestation.
const fn deviating(faults: &'static [Step]) -> Scene {
    Scene { script: faults, ..SEALED }
}

const NO_FAULTS: Step = Step::Faults("[]");
/// A stream that stays silent for so long, and then fails.
const SHORT_SILENCE: Step = Step::Limits(&[("silent_ms", 3000)]);
const SILENT: &str = r#"[{"fault": "gateway.stream-silent"}]"#;
const REBOOT: Step = Step::Action("gateway.reboot", "{}");

/// Every case.
pub(super) static CASES: &[Case] = &[
    shows(&client::BEARER, "key_goes_to_the_gateway_as_a_bearer_token", CONFORMING, judge::sends_the_key),
    shows(&client::BEARER, "key_goes_to_a_listed_server_alike", DIRECT, judge::sends_the_key),
    shows(
        &client::DISCOVERS_AGAIN,
        "discovery_is_asked_again",
        Scene { script: &[Step::Ask, Step::Rest, Step::Ask], ..DIRECT },
        judge::discovers_again,
    ),
    forbids(
        &client::NO_VANISHED_URL,
        "vanished_url_is_not_used",
        Scene { script: &[Step::Ask, Step::LastLeaves, Step::Rest, Step::Ask, Step::Ask], ..DIRECT },
        judge::leaves_the_vanished_alone,
    ),
    shows(
        &client::OTHER_SERVER,
        "another_server_is_tried_where_one_takes_no_connection",
        Scene {
            script: &[Step::Ask, Step::OthersFail("gateway.server-down"), Step::Ask, Step::Ask, Step::Ask],
            ..DIRECT
        },
        judge::tries_another,
    ),
    shows(
        &client::OTHER_SERVER,
        "another_server_is_tried_where_one_answers_nonsense",
        Scene {
            script: &[
                Step::Ask,
                Step::OthersFail("gateway.server-wrong-answer"),
                Step::Ask,
                Step::Ask,
                Step::Ask,
            ],
            ..DIRECT
        },
        judge::tries_another,
    ),
    forbids(
        &client::ERROR_EVENT,
        "error_event_is_no_answer",
        Scene {
            script: &[
                Step::Faults(r#"[{"fault": "gateway.stream-error-event"}]"#),
                Step::Ask,
                NO_FAULTS,
                Step::Ask,
            ],
            ..STREAMED
        },
        judge::does_not_report_a_partial_answer,
    ),
    forbids(
        &client::DEAD_STREAM,
        "stream_that_breaks_off_is_no_answer",
        Scene {
            way: Way::Direct,
            script: &[Step::Faults(r#"[{"fault": "gateway.server-dies"}]"#), Step::Ask, NO_FAULTS, Step::Ask],
            ..STREAMED
        },
        judge::does_not_report_a_partial_answer,
    ),
    forbids(
        &client::DEAD_STREAM,
        "stream_that_falls_silent_is_no_answer",
        Scene {
            way: Way::Direct,
            script: &[SHORT_SILENCE, Step::Faults(SILENT), Step::Ask, NO_FAULTS, Step::Ask],
            ..STREAMED
        },
        judge::does_not_report_a_partial_answer,
    ),
    forbids(
        &client::ERROR_EVENT,
        "error_event_after_a_silence_is_no_answer",
        Scene { script: &[SHORT_SILENCE, Step::Faults(SILENT), Step::Ask, NO_FAULTS, Step::Ask], ..STREAMED },
        judge::does_not_report_a_partial_answer,
    ),
    shows(
        &client::PAYMENT,
        "request_is_paid_for_after_a_402",
        Scene { pays: Pays::Payment, script: PAID, ..CONFORMING },
        judge::pays,
    ),
    shows(
        &client::TOOL_RESULT,
        "result_of_a_tool_is_sent_with_the_id_of_its_call",
        TOOL,
        judge::returns_results,
    ),
    shows(
        &client::TOOL_RESULT,
        "result_of_a_tool_goes_to_a_listed_server_alike",
        Scene { way: Way::Direct, ..TOOL },
        judge::returns_results,
    ),
    shows(
        &client::TOOL_RESULT,
        "each_of_two_calls_gets_its_own_result",
        Scene { tools: &TOOLS, ..TOOL },
        judge::returns_results,
    ),
    shows(&client::COOKIES, "cookie_is_sent_back", CONFORMING, judge::sends_cookies_back),
    forbids(
        &client::REFUSED_KEY,
        "refused_key_is_not_hammered",
        Scene { pays: Pays::Revoked, script: &[Step::Ask], ..CONFORMING },
        judge::gives_up_a_refused_key,
    ),
    shows(
        &client::UNAVAILABLE,
        "gateway_without_servers_is_not_hammered",
        Scene {
            script: &[Step::Faults(r#"[{"fault": "gateway.server-down"}]"#), Step::Ask, NO_FAULTS, Step::Ask],
            ..CONFORMING
        },
        judge::comes_back_later,
    ),
    shows(&confidential::NOT_AN_ADDRESS, "item_hash_is_no_host", SEALED, judge::uses_no_hash_as_address),
    forbids(
        &confidential::NOT_AN_ADDRESS,
        "entry_that_cannot_be_verified_is_refused",
        Scene { can_verify: false, script: &[Step::Ask], ..SEALED },
        judge::refuses_what_it_cannot_verify,
    ),
    shows(&confidential::RESOLVED, "item_hash_is_resolved_first", SEALED, judge::resolves_first),
    shows(
        &confidential::RESOLVED,
        "item_hash_is_resolved_again_after_a_boot",
        Scene { script: &[Step::Ask, REBOOT, Step::Ask], ..SEALED },
        judge::resolves_again,
    ),
    shows(
        &confidential::ATTESTED_FIRST,
        "nothing_goes_out_before_the_attestation",
        SEALED,
        judge::attests_first,
    ),
    forbids(
        &confidential::REFUSED,
        "other_deployment_gets_no_request",
        deviating(&[
            Step::Faults(r#"[{"fault": "gateway.enclave-unverifiable", "where": {"what": "measurement"}}]"#),
            Step::Ask,
        ]),
        judge::sends_the_enclave_nothing,
    ),
    forbids(
        &confidential::REFUSED,
        "attestation_of_another_certificate_gets_no_request",
        deviating(&[
            Step::Faults(r#"[{"fault": "gateway.enclave-unverifiable", "where": {"what": "certificate"}}]"#),
            Step::Ask,
        ]),
        judge::sends_the_enclave_nothing,
    ),
    forbids(
        &confidential::REFUSED,
        "replayed_attestation_gets_no_request",
        deviating(&[
            Step::Faults(r#"[{"fault": "gateway.enclave-unverifiable", "where": {"what": "nonce"}}]"#),
            Step::Ask,
        ]),
        judge::sends_the_enclave_nothing,
    ),
    forbids(
        &confidential::REFUSED,
        "forged_attestation_gets_no_request",
        deviating(&[
            Step::Faults(r#"[{"fault": "gateway.enclave-unverifiable", "where": {"what": "signature"}}]"#),
            Step::Ask,
        ]),
        judge::sends_the_enclave_nothing,
    ),
    forbids(
        &confidential::PINNED,
        "connection_with_another_certificate_gets_no_request",
        Scene { wire: Wire::Impostor, script: &[Step::Ask], ..SEALED },
        judge::sends_the_impostor_nothing,
    ),
    shows(
        &confidential::REBOOTED,
        "booted_enclave_is_attested_anew",
        Scene { script: &[Step::Ask, REBOOT, Step::Ask, REBOOT, Step::Ask], ..SEALED },
        judge::attests_every_boot,
    ),
    forbids(
        &confidential::REBOOTED,
        "enclave_that_has_booted_into_another_gets_no_request",
        Scene {
            script: &[
                Step::Ask,
                Step::Faults(
                    r#"[{"fault": "gateway.enclave-unverifiable", "where": {"what": "measurement"}}]"#,
                ),
                REBOOT,
                Step::Ask,
            ],
            ..SEALED
        },
        judge::sends_nothing_after_the_boot,
    ),
];
