//! The worlds of the recovery tool, by requirement.

use assay_spec::Id;
use assay_spec::crypto::secp256k1::public_key;
use assay_spec::crypto::text::prefixed_hex;
use assay_spec::hosting::requirements::{
    amends, authority, claims, deployments, envelope, projects, records, recovery,
};
use assay_spec::network::requirements::store;
use serde_json::{Value, json};

use super::extra::{Author, Base, Extra, stranger};
use super::scene::{CONFORMING, History, Nodes, Scene};
use super::{Case, Trace, judge};
use crate::harness::check::Checked;

/// A world from which the tool must recover something.
const fn shows(requirement: Id, fact: &'static str, scene: Scene, judge: fn(&Trace) -> Checked) -> Case {
    Case { requirement, fact, scene, judge, counterpart: None }
}

/// A world in which something must not count, while the same is recovered from the conforming one.
const fn forbids(requirement: Id, fact: &'static str, scene: Scene, judge: fn(&Trace) -> Checked) -> Case {
    Case { requirement, fact, scene, judge, counterpart: Some(judge::all) }
}

/// A history with artifacts in every state.
const LONG: Scene = Scene { history: History::Long(60), ..CONFORMING };
const CLAIMS: Scene = Scene { claims: true, ..CONFORMING };

/// The history in which the application and the nodes vary.
const fn varied(variations: &'static [&'static str]) -> Scene {
    Scene { variations, ..CONFORMING }
}

/// The history with a record that is written afterwards.
const fn with(extra: &'static [Extra]) -> Scene {
    Scene { extra, ..CONFORMING }
}

/// A second terminal record of a live deployment: it failed.
const FAILED: Extra =
    Extra { by: Author::Session, of: Base::Live, amends: false, later_s: 3600, edit: failed };

fn failed(message: &mut Value) {
    message["content"]["content"]["public"]["status"] = json!("failed");
    message["content"]["content"]["public"]["storeRef"] = Value::Null;
}

/// Its artifact is a message that is not a STORE: the creation.
fn of_no_store(message: &mut Value) {
    message["content"]["content"]["public"]["storeRef"] = message["content"]["ref"].clone();
}

/// All projects are deleted, on the retired channel.
fn retired(message: &mut Value) {
    message["channel"] = json!("SVC_CHANNEL_V0");
    for entry in message["content"]["content"].as_object_mut().into_iter().flat_map(|map| map.values_mut()) {
        entry["public"]["deleted"] = json!(true);
    }
}

/// The claim names the key of its sender, which is not the machine.
fn of_another_key(message: &mut Value) {
    message["content"]["content"]["pubkey"] = json!(prefixed_hex(&public_key(&stranger())));
}

/// Every case.
pub(super) static CASES: &[Case] = &[
    shows(&recovery::OWNER_ALONE, "projects_are_recovered_with_the_wallet_key", CONFORMING, judge::projects),
    shows(
        &recovery::OWNER_ALONE,
        "deployments_are_recovered_with_the_wallet_key",
        CONFORMING,
        judge::deployments,
    ),
    shows(&recovery::OWNER_ALONE, "long_history_is_read_to_its_end", LONG, judge::deployments),
    shows(
        &recovery::OWNER_ALONE,
        "other_permitted_forms_of_records_are_read",
        varied(&[
            "hosting.signature-bare",
            "hosting.no-pubkey",
            "hosting.map-reversed",
            "hosting.times-offset",
            "hosting.url-null",
            "hosting.run-null",
            "hosting.plaintext-null",
            "hosting.security-after",
            "hosting.delegate-address",
        ]),
        judge::all,
    ),
    shows(
        &recovery::OWNER_ALONE,
        "other_permitted_forms_of_answers_are_read",
        varied(&[
            "network.hash-base58",
            "network.past-end-404",
            "network.stripped-empty",
            "network.removed-nested",
            "network.ascending",
            "network.confirmed",
            "network.aggregate-replaced",
        ]),
        judge::all,
    ),
    shows(&recovery::CONTENT, "artifact_is_that_of_the_last_record", CONFORMING, judge::live),
    forbids(
        &recovery::STRANGERS,
        "records_of_strangers_change_nothing",
        with(&[Extra { by: Author::Stranger, ..FAILED }]),
        judge::deployments,
    ),
    shows(
        &recovery::ASK_OTHERS,
        "artifacts_that_the_first_node_lacks_are_asked_of_the_next",
        Scene { nodes: Nodes::MirrorFirst, faults: r#"[{"fault": "network.lagging"}]"#, ..CONFORMING },
        judge::live,
    ),
    shows(
        &recovery::LEGACY_NO_LOOKUP,
        "content_identifier_of_a_record_is_not_looked_up",
        CONFORMING,
        judge::looks_up_no_cid,
    ),
    shows(&recovery::ROLE_RECOVERY, "no_envelope_is_skipped", CONFORMING, judge::legacy_plaintexts),
    shows(
        &envelope::READ_ANYWAY,
        "envelopes_of_versions_1_and_2_are_opened",
        CONFORMING,
        judge::legacy_plaintexts,
    ),
    shows(
        &projects::SCHEMA_READ,
        "entry_of_schema_2_is_read",
        varied(&["hosting.project-schema-2"]),
        judge::projects,
    ),
    shows(
        &projects::PLAINTEXT_MORE,
        "plaintext_with_more_members_is_read",
        varied(&["hosting.pending-workflow", "hosting.more-members"]),
        judge::projects,
    ),
    shows(
        &projects::TOMBSTONE_READ,
        "deleted_project_is_deleted_whatever_its_entry_is",
        Scene { deviations: &["hosting.projects.created-at"], ..CONFORMING },
        judge::deleted,
    ),
    shows(
        &projects::TOMBSTONE_READ,
        "deleted_project_with_half_an_envelope_is_deleted",
        varied(&["hosting.tombstone-keeps"]),
        judge::deleted,
    ),
    shows(
        &deployments::LEGACY_READ,
        "deployments_of_earlier_schemas_are_recovered",
        CONFORMING,
        judge::legacy,
    ),
    shows(&deployments::LEGACY_WARNING, "earlier_schema_is_warned_about", CONFORMING, judge::legacy_warnings),
    shows(
        &deployments::LEGACY_CID,
        "artifact_of_an_earlier_schema_is_its_cid",
        CONFORMING,
        judge::legacy_cids,
    ),
    shows(&claims::EARLIEST, "earliest_claim_wins", CLAIMS, judge::claims),
    forbids(
        &claims::INVALID,
        "earlier_claim_that_the_machine_did_not_sign_loses",
        Scene {
            extra: &[Extra {
                by: Author::Stranger,
                of: Base::Claim,
                amends: false,
                later_s: -60,
                edit: of_another_key,
            }],
            ..CLAIMS
        },
        judge::claims,
    ),
    shows(&authority::EMPTY_ALL, "records_of_a_listed_key_count", CONFORMING, judge::deployments),
    shows(&amends::REF, "deployments_have_the_state_of_their_amends", CONFORMING, judge::deployments),
    shows(
        &amends::FORWARD,
        "amend_of_an_amend_is_followed",
        with(&[Extra { amends: true, ..FAILED }]),
        judge::deployments,
    ),
    shows(
        &amends::LARGER_TIME,
        "later_of_two_amends_wins",
        Scene { faults: r#"[{"fault": "hosting.fork"}]"#, ..CONFORMING },
        judge::deployments,
    ),
    forbids(
        &amends::LOCAL,
        "amend_of_a_losing_amend_loses",
        Scene {
            faults: r#"[{"fault": "hosting.fork"}]"#,
            extra: &[Extra { amends: true, edit: |_| {}, ..FAILED }],
            ..CONFORMING
        },
        judge::deployments,
    ),
    forbids(
        &amends::ORDER,
        "amend_that_arrives_later_with_an_earlier_time_loses",
        with(&[Extra { later_s: -1, ..FAILED }]),
        judge::deployments,
    ),
    forbids(
        &amends::AUTHORITY,
        "later_amend_of_a_stranger_loses",
        with(&[Extra { by: Author::Stranger, ..FAILED }]),
        judge::deployments,
    ),
    forbids(
        &records::UNSIGNED,
        "records_with_a_signature_over_something_else_are_not_read",
        Scene { deviations: &["hosting.records.signature"], ..CONFORMING },
        judge::no_others,
    ),
    forbids(
        &records::RETIRED,
        "records_on_the_retired_channel_are_not_read",
        with(&[Extra {
            by: Author::Wallet,
            of: Base::Projects,
            amends: false,
            later_s: 3600,
            edit: retired,
        }]),
        judge::projects,
    ),
    shows(&store::READ_LIVE, "artifact_is_the_content_identifier_of_the_store", CONFORMING, judge::live),
    shows(&store::READ_REMOVING, "artifact_that_will_be_removed_is_available", LONG, judge::live),
    shows(&store::READ_FORGOTTEN, "forgotten_artifact_is_warned_about", LONG, judge::forgotten),
    shows(&store::READ_REMOVED, "removed_artifact_is_warned_about", LONG, judge::removed),
    shows(
        &store::READ_GONE,
        "gone_artifact_is_warned_about",
        Scene { variations: &["network.gone"], ..LONG },
        judge::removed,
    ),
    shows(&store::READ_ABSENT, "absent_artifact_is_warned_about", LONG, judge::absent),
    shows(
        &store::READ_NOT_STORE,
        "message_that_is_no_store_is_absent",
        with(&[Extra { edit: of_no_store, ..FAILED }]),
        judge::absent,
    ),
    shows(
        &store::READ_UNDECIDED,
        "undecided_artifact_is_not_warned_about",
        Scene { deviations: &["hosting.recovery.live-resolves"], ..CONFORMING },
        judge::undecided,
    ),
];
