//! Behaviour that the document leaves open.

use crate::variation::Variation;

/// The last byte of a signature.
pub(super) const SIGNATURE_BIT: Variation =
    Variation::named("hosting.signature-bit", "the last byte of a signature is 0 or 1");
/// The prefix of a signature.
pub(super) const SIGNATURE_BARE: Variation =
    Variation::named("hosting.signature-bare", "a signature has no `0x`");
/// The envelope of a deleted project.
pub(super) const TOMBSTONE_KEEPS: Variation =
    Variation::named("hosting.tombstone-keeps", "the envelope of a deleted project keeps `v` and `alg`");
/// The schema of projects.
pub(super) const SCHEMA_2: Variation =
    Variation::named("hosting.project-schema-2", "`schemaVersion` of project entries is 2");
/// The address in a delegate's record.
pub(super) const DELEGATE_ADDRESS: Variation = Variation::named(
    "hosting.delegate-address",
    "`content.address` of deployment records is the delegate's address",
);
/// Who signs an edit.
pub(super) const WALLET_EDITS: Variation =
    Variation::named("hosting.wallet-edits", "the wallet signs instead of a session key");
/// The URL of a deployment.
pub(super) const URL_NULL: Variation =
    Variation::named("hosting.url-null", "`url` of a live deployment is null");
/// The time when a deployment finished.
pub(super) const FINISHED_NULL: Variation =
    Variation::named("hosting.finished-null", "`finishedAt` of a terminal record is null");
/// The run of a deployment.
pub(super) const RUN_NULL: Variation =
    Variation::named("hosting.run-null", "`runId` and `runAttempt` are null");
/// The hash of a queued deployment to a machine.
pub(super) const HASH_QUEUED: Variation =
    Variation::named("hosting.hash-queued", "a queued deployment to a machine has a `bundleHash` of null");
/// Undocumented members.
pub(super) const MORE_MEMBERS: Variation =
    Variation::named("hosting.more-members", "entries, bodies and plaintexts have an undocumented member");
/// The order of `security` and the first project.
pub(super) const SECURITY_AFTER: Variation =
    Variation::named("hosting.security-after", "`security` is written after the first project");
/// The order of the map.
pub(super) const MAP_REVERSED: Variation =
    Variation::named("hosting.map-reversed", "the newest project comes first in the map");
/// Duplicate hashes in a FORGET.
pub(super) const FORGET_TWICE: Variation =
    Variation::named("hosting.forget-twice", "the first hash of a FORGET is in it twice");
/// The public key of a session key.
pub(super) const NO_PUBKEY: Variation =
    Variation::named("hosting.no-pubkey", "the authorization of a session key has no `pubkey`");
/// The source of a project.
pub(super) const UPLOADED: Variation =
    Variation::named("hosting.uploaded", "projects are uploads, without repository and branch");
/// The pending workflow request.
pub(super) const PENDING_WORKFLOW: Variation = Variation::named(
    "hosting.pending-workflow",
    "the plaintext of a project contains a pending workflow request",
);
/// The member names of a manifest.
pub(super) const MANIFEST_OTHER: Variation =
    Variation::named("hosting.manifest-other", "the manifest of a bundle uses other member names");
/// The format of times.
pub(super) const TIMES_OFFSET: Variation =
    Variation::named("hosting.times-offset", "times have no fraction and use the offset +00:00");
/// Null members of a deployment.
pub(super) const PLAINTEXT_NULL: Variation =
    Variation::named("hosting.plaintext-null", "every member of a deployment's plaintext is null");

/// Amends of terminal records.
pub(super) const AMEND_CHAIN: Variation = Variation::named(
    "hosting.amend-chain",
    "a terminal record is amended by another one, which refers to it",
);
/// The envelope of an old project.
pub(super) const LEGACY_ENTRY: Variation =
    Variation::named("hosting.legacy-entry", "the entry of the first project has an envelope of version 2");

/// Every variation of the application.
pub(super) const ALL: &[Variation] = &[
    SIGNATURE_BIT,
    SIGNATURE_BARE,
    TOMBSTONE_KEEPS,
    SCHEMA_2,
    DELEGATE_ADDRESS,
    WALLET_EDITS,
    URL_NULL,
    FINISHED_NULL,
    RUN_NULL,
    HASH_QUEUED,
    MORE_MEMBERS,
    SECURITY_AFTER,
    MAP_REVERSED,
    FORGET_TWICE,
    NO_PUBKEY,
    UPLOADED,
    PENDING_WORKFLOW,
    MANIFEST_OTHER,
    TIMES_OFFSET,
    PLAINTEXT_NULL,
    AMEND_CHAIN,
    LEGACY_ENTRY,
];
