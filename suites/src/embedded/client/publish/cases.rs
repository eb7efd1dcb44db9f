//! The worlds of the publishing client, by requirement.

use assay_spec::Id;
use assay_spec::publish::limits::RECORD_SKEW;
use assay_spec::publish::requirements::{check, client as rows};

use super::scene::{ACCEPT, Binding, CONFORMING, Scene, Script, TRANSFER, Wire};
use super::server_deviations::{self, ServerDeviation};
use super::trace::Trace;
use super::{Case, judge};
use crate::harness::check::Checked;

/// A skew of the clocks that a client must accept.
const ACCEPTED_SKEW_MS: i64 = RECORD_SKEW.value - RECORD_SKEW.slack_ms();

/// A world in which the client must publish.
const fn publishes(requirement: Id, fact: &'static str, scene: Scene) -> Case {
    Case { requirement, fact, scene, judge: judge::publishes, counterpart: None }
}

/// A world in which the client must do something.
const fn shows(requirement: Id, fact: &'static str, scene: Scene, judge: fn(&Trace) -> Checked) -> Case {
    Case { requirement, fact, scene, judge, counterpart: None }
}

/// A world in which the client must not do something that it does in the conforming world.
const fn forbids(requirement: Id, fact: &'static str, scene: Scene, judge: fn(&Trace) -> Checked) -> Case {
    Case { requirement, fact, scene, judge, counterpart: Some(judge::publishes) }
}

/// A world whose prepare returns a message that must not be signed.
const fn refuses(requirement: Id, fact: &'static str, deviation: ServerDeviation) -> Case {
    forbids(requirement, fact, Scene::deviating(deviation), judge::signs_nothing)
}

/// A world whose chain does not prove the record. The client says so by its exit code.
const fn doubts(fact: &'static str, scene: Scene) -> Case {
    let (requirement, judge) =
        (&rows::UNVERIFIED, judge::reports_an_unverified_record as fn(&Trace) -> Checked);
    Case { requirement, fact, scene, judge, counterpart: Some(judge::reports_success) }
}

/// Every case.
pub(super) static CASES: &[Case] = &[
    refuses(&check::ENCODING, "left_over_byte_is_not_signed", server_deviations::LEFT_OVER),
    refuses(&check::ENCODING, "long_length_is_not_signed", server_deviations::LONG_LENGTH),
    refuses(&check::ENCODING, "versioned_message_is_not_signed", server_deviations::VERSIONED),
    refuses(&check::TWO_SIGNATURES, "one_signature_is_not_signed", server_deviations::ONE_SIGNATURE),
    refuses(&check::TWO_SIGNATURES, "three_signatures_are_not_signed", server_deviations::THREE_SIGNATURES),
    refuses(
        &check::CLIENT_ACCOUNT,
        "foreign_client_account_is_not_signed",
        server_deviations::FOREIGN_CLIENT,
    ),
    refuses(&check::FEE_PAYER, "client_as_fee_payer_is_not_signed", server_deviations::CLIENT_PAYS),
    refuses(
        &check::ONE_INSTRUCTION,
        "second_instruction_is_not_signed",
        server_deviations::SECOND_INSTRUCTION,
    ),
    refuses(&check::MEMO_PROGRAM, "foreign_program_is_not_signed", server_deviations::FOREIGN_PROGRAM),
    refuses(&check::MEMO_PROGRAM, "account_as_program_is_not_signed", server_deviations::ACCOUNT_AS_PROGRAM),
    refuses(&check::INSTRUCTION_ACCOUNTS, "fee_payer_passed_is_not_signed", server_deviations::PAYER_PASSED),
    refuses(&check::INSTRUCTION_ACCOUNTS, "nobody_passed_is_not_signed", server_deviations::NOBODY_PASSED),
    refuses(&check::RECORD_FORM, "next_record_version_is_not_signed", server_deviations::NEXT_VERSION),
    refuses(&check::RECORD_FORM, "byte_order_mark_is_not_signed", server_deviations::BYTE_ORDER_MARK),
    forbids(
        &check::RECORD_FORM,
        "broken_text_is_not_signed",
        Scene { version: Some("2026-\u{fffd}"), ..Scene::deviating(server_deviations::BROKEN_TEXT) },
        judge::signs_nothing,
    ),
    refuses(&check::RECORD_CANONICAL, "swapped_keys_are_not_signed", server_deviations::KEYS_SWAPPED),
    refuses(&check::RECORD_CANONICAL, "blanks_are_not_signed", server_deviations::BLANKS),
    refuses(&check::RECORD_CANONICAL, "needless_escape_is_not_signed", server_deviations::NEEDLESS_ESCAPE),
    refuses(&check::RECORD_CANONICAL, "key_given_twice_is_not_signed", server_deviations::KEY_TWICE),
    refuses(&check::KIND, "transfer_record_is_not_signed", server_deviations::TRANSFER),
    refuses(&check::DOMAIN, "other_domain_is_not_signed", server_deviations::OTHER_DOMAIN),
    refuses(&check::FIELDS, "other_cid_is_not_signed", server_deviations::OTHER_CID),
    refuses(&check::FIELDS, "other_version_is_not_signed", server_deviations::OTHER_VERSION),
    forbids(
        &check::FIELDS,
        "other_new_key_is_not_signed",
        Scene { deviations: &["publish.record.transfer"], ..TRANSFER },
        judge::signs_nothing,
    ),
    forbids(
        &check::FIELDS,
        "other_transfer_is_not_signed",
        Scene { deviations: &["publish.record.accept"], ..ACCEPT },
        judge::signs_nothing,
    ),
    refuses(&check::TIME, "time_without_milliseconds_is_not_signed", server_deviations::TIME_WITHOUT_MS),
    refuses(&check::TIME, "time_with_offset_is_not_signed", server_deviations::TIME_WITH_OFFSET),
    refuses(&check::TIME, "time_eleven_minutes_ago_is_not_signed", server_deviations::TIME_PAST),
    refuses(&check::TIME, "time_in_eleven_minutes_is_not_signed", server_deviations::TIME_FUTURE),
    // The server's clock and its records are off alike: a client that takes its time from the server notices nothing.
    forbids(
        &check::TIME,
        "record_of_a_server_ahead_is_not_signed",
        Scene { skew_ms: 660_000, deviations: &["publish.envelope.time-window/past"], ..CONFORMING },
        judge::signs_nothing,
    ),
    forbids(
        &check::TIME,
        "record_of_a_server_behind_is_not_signed",
        Scene { skew_ms: -660_000, deviations: &["publish.envelope.time-window/future"], ..CONFORMING },
        judge::signs_nothing,
    ),
    publishes(&rows::PUBLISHES, "conforming_exchange_is_gone_through", CONFORMING),
    shows(&rows::CONTENT_TYPE, "requests_are_json_by_their_type", CONFORMING, judge::says_json),
    shows(&rows::ENVELOPE, "envelopes_are_fresh_and_exact", CONFORMING, judge::seals_each_request),
    publishes(&rows::DEFAULT_VERSION, "default_version_is_signed", Scene { version: None, ..CONFORMING }),
    forbids(
        &rows::DEFAULT_VERSION,
        "other_default_version_is_not_signed",
        Scene { version: None, deviations: &["publish.prepare.version-default"], ..CONFORMING },
        judge::signs_nothing,
    ),
    publishes(
        &rows::MESSAGE_DECIDES,
        "payload_with_a_blank_changes_nothing",
        Scene::deviating(server_deviations::PAYLOAD_BLANK),
    ),
    publishes(
        &rows::MESSAGE_DECIDES,
        "payload_of_another_domain_changes_nothing",
        Scene::deviating(server_deviations::PAYLOAD_OTHER),
    ),
    publishes(
        &rows::TXT_WARNS,
        "disagreeing_txt_record_changes_nothing",
        Scene { fault: Some("publish.txt-disagrees"), ..CONFORMING },
    ),
    publishes(
        &rows::TXT_WARNS,
        "missing_txt_record_changes_nothing",
        Scene { fault: Some("publish.txt-missing"), ..CONFORMING },
    ),
    publishes(
        &rows::SKEW_TOLERATED,
        "server_nine_minutes_ahead_is_good",
        Scene { skew_ms: ACCEPTED_SKEW_MS, ..CONFORMING },
    ),
    publishes(
        &rows::SKEW_TOLERATED,
        "server_nine_minutes_behind_is_good",
        Scene { skew_ms: -ACCEPTED_SKEW_MS, ..CONFORMING },
    ),
    shows(
        &rows::WAITS,
        "slow_submit_is_waited_for",
        Scene { script: Script::Hold, ..CONFORMING },
        judge::waits_for_the_answer,
    ),
    shows(
        &rows::RESUBMITS,
        "lost_answer_leads_to_no_other_record",
        Scene { wire: Wire::Cut, ..CONFORMING },
        judge::learns_the_outcome,
    ),
    shows(
        &rows::PREPARES_AGAIN,
        "expired_prepare_is_prepared_again",
        Scene { wire: Wire::Late(1), ..CONFORMING },
        judge::prepares_once_more,
    ),
    forbids(
        &rows::SECOND_GONE_STOPS,
        "second_expiry_in_a_row_ends_it",
        Scene { wire: Wire::Late(usize::MAX), script: Script::MayWait, ..CONFORMING },
        judge::stops_at_the_second_410,
    ),
    forbids(
        &rows::SAFETY_CEILING,
        "nothing_is_signed_beside_what_can_still_land",
        Scene {
            fault: Some("publish.chain-slow"),
            limits: &[("confirmation_wait_ms", 300)],
            // The documents do not say when the lock of an unresolved publish ends; here it ends at once.
            deviations: &["publish.prepare.one-in-flight"],
            script: Script::Ceiling,
            ..CONFORMING
        },
        judge::signs_one_record,
    ),
    forbids(
        &rows::NO_BLIND_RETRY,
        "unbound_domain_is_tried_once",
        Scene { binding: Binding::Unbound, script: Script::MayWait, ..CONFORMING },
        judge::tries_once,
    ),
    forbids(
        &rows::FROZEN_STOPS,
        "frozen_key_does_not_loop",
        Scene { binding: Binding::Frozen, script: Script::MayWait, ..CONFORMING },
        judge::gives_up_the_frozen_key,
    ),
    forbids(
        &rows::RETRY_AFTER,
        "retry_after_is_kept",
        Scene {
            // From the first request on, however long the client takes to sign.
            limits: &[("requests_per_window", 0), ("request_window_ms", 2000)],
            script: Script::MayWait,
            ..CONFORMING
        },
        judge::keeps_retry_after,
    ),
    forbids(
        &rows::RETRIES_LATER,
        "standby_is_not_hammered",
        Scene { fault: Some("publish.standby"), script: Script::MayWait, ..CONFORMING },
        judge::comes_back_later,
    ),
    forbids(
        &rows::RETRIES_LATER,
        "passive_backend_is_not_hammered",
        Scene { fault: Some("publish.passive"), script: Script::MayWait, ..CONFORMING },
        judge::comes_back_later,
    ),
    forbids(
        &rows::CHAIN_FAILS,
        "failing_chain_is_not_hammered",
        Scene { fault: Some("publish.transaction-rejected"), script: Script::MayWait, ..CONFORMING },
        judge::comes_back_after_a_502,
    ),
    shows(&rows::TRANSFERS, "transfer_is_gone_through", TRANSFER, judge::asks_for_it),
    shows(&rows::ACCEPTS, "accept_is_gone_through", ACCEPT, judge::asks_for_it),
    shows(
        &rows::VERIFIES,
        "landed_record_is_looked_up",
        Scene { reads_chain: true, ..CONFORMING },
        judge::looks_up_the_transaction,
    ),
    shows(
        &rows::VERIFIES,
        "lookup_that_gets_a_502_leads_to_no_other_record",
        Scene { reads_chain: true, wire: Wire::ChainDown(2), script: Script::MayWait, ..CONFORMING },
        judge::publishes_once_beside_a_failing_chain,
    ),
    doubts(
        "record_with_a_truncated_log_is_not_verified",
        Scene { fault: Some("publish.log-truncated"), reads_chain: true, ..CONFORMING },
    ),
];
