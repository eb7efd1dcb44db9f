//! Behaviour that the document leaves open.

use crate::variation::Variation;

/// The last byte of a signature.
pub(super) const SIGNATURE_BIT: Variation =
    Variation { name: "hosting.signature-bit", about: "the last byte of a signature is 0 or 1" };
/// The prefix of a signature.
pub(super) const SIGNATURE_BARE: Variation =
    Variation { name: "hosting.signature-bare", about: "a signature has no `0x`" };
/// The envelope of a deleted project.
pub(super) const TOMBSTONE_KEEPS: Variation = Variation {
    name: "hosting.tombstone-keeps",
    about: "the envelope of a deleted project keeps `v` and `alg`",
};
/// The schema of projects.
pub(super) const SCHEMA_2: Variation =
    Variation { name: "hosting.project-schema-2", about: "`schemaVersion` of project entries is 2" };
/// The address in a delegate's record.
pub(super) const DELEGATE_ADDRESS: Variation = Variation {
    name: "hosting.delegate-address",
    about: "`content.address` of deployment records is the delegate's address",
};
/// Who signs an edit.
pub(super) const WALLET_EDITS: Variation =
    Variation { name: "hosting.wallet-edits", about: "the wallet signs instead of a session key" };
/// The URL of a deployment.
pub(super) const URL_NULL: Variation =
    Variation { name: "hosting.url-null", about: "`url` of a live deployment is null" };
/// The time when a deployment finished.
pub(super) const FINISHED_NULL: Variation =
    Variation { name: "hosting.finished-null", about: "`finishedAt` of a terminal record is null" };
/// The run of a deployment.
pub(super) const RUN_NULL: Variation =
    Variation { name: "hosting.run-null", about: "`runId` and `runAttempt` are null" };
/// The hash of a queued deployment to a machine.
pub(super) const HASH_QUEUED: Variation = Variation {
    name: "hosting.hash-queued",
    about: "a queued deployment to a machine has a `bundleHash` of null",
};
/// Undocumented members.
pub(super) const MORE_MEMBERS: Variation = Variation {
    name: "hosting.more-members",
    about: "entries, bodies and plaintexts have an undocumented member",
};
/// The order of `security` and the first project.
pub(super) const SECURITY_AFTER: Variation =
    Variation { name: "hosting.security-after", about: "`security` is written after the first project" };
/// The order of the map.
pub(super) const MAP_REVERSED: Variation =
    Variation { name: "hosting.map-reversed", about: "the newest project comes first in the map" };
/// Duplicate hashes in a FORGET.
pub(super) const FORGET_TWICE: Variation =
    Variation { name: "hosting.forget-twice", about: "the first hash of a FORGET is in it twice" };
/// The public key of a session key.
pub(super) const NO_PUBKEY: Variation =
    Variation { name: "hosting.no-pubkey", about: "the authorization of a session key has no `pubkey`" };
/// The source of a project.
pub(super) const UPLOADED: Variation =
    Variation { name: "hosting.uploaded", about: "projects are uploads, without repository and branch" };
/// The pending workflow request.
pub(super) const PENDING_WORKFLOW: Variation = Variation {
    name: "hosting.pending-workflow",
    about: "the plaintext of a project contains a pending workflow request",
};
/// The member names of a manifest.
pub(super) const MANIFEST_OTHER: Variation =
    Variation { name: "hosting.manifest-other", about: "the manifest of a bundle uses other member names" };
/// The format of times.
pub(super) const TIMES_OFFSET: Variation =
    Variation { name: "hosting.times-offset", about: "times have no fraction and use the offset +00:00" };
/// Null members of a deployment.
pub(super) const PLAINTEXT_NULL: Variation =
    Variation { name: "hosting.plaintext-null", about: "every member of a deployment's plaintext is null" };

/// Amends of terminal records.
pub(super) const AMEND_CHAIN: Variation = Variation {
    name: "hosting.amend-chain",
    about: "a terminal record is amended by another one, which refers to it",
};
/// The envelope of an old project.
pub(super) const LEGACY_ENTRY: Variation = Variation {
    name: "hosting.legacy-entry",
    about: "the entry of the first project has an envelope of version 2",
};

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
