//! What the document leaves open, varied.

use crate::variation::Variation;

/// The last byte of a signature.
pub(super) const SIGNATURE_BIT: Variation =
    Variation { name: "hosting.signature-bit", about: "a signature's last byte is 0 or 1" };
/// A signature's text.
pub(super) const SIGNATURE_BARE: Variation =
    Variation { name: "hosting.signature-bare", about: "a signature has no 0x before it" };
/// What is left of an envelope that was emptied.
pub(super) const TOMBSTONE_KEEPS: Variation =
    Variation { name: "hosting.tombstone-keeps", about: "a deleted project's envelope keeps `v` and `alg`" };
/// The schema of projects.
pub(super) const SCHEMA_2: Variation =
    Variation { name: "hosting.project-schema-2", about: "the entries of projects are of schema 2" };
/// Whose address a delegate's record holds.
pub(super) const DELEGATE_ADDRESS: Variation = Variation {
    name: "hosting.delegate-address",
    about: "`content.address` of a deployment's records is the delegate's",
};
/// Who signs an edit.
pub(super) const WALLET_EDITS: Variation =
    Variation { name: "hosting.wallet-edits", about: "the wallet signs what a session key would" };
/// No address of a site.
pub(super) const URL_NULL: Variation =
    Variation { name: "hosting.url-null", about: "a live deployment's `url` is null" };
/// No time of the end.
pub(super) const FINISHED_NULL: Variation =
    Variation { name: "hosting.finished-null", about: "`finishedAt` of a terminal record is null" };
/// No run.
pub(super) const RUN_NULL: Variation =
    Variation { name: "hosting.run-null", about: "`runId` and `runAttempt` are null" };
/// A queued deployment to a machine says that there is no hash yet.
pub(super) const HASH_QUEUED: Variation = Variation {
    name: "hosting.hash-queued",
    about: "a queued deployment to a machine has `bundleHash` null",
};
/// More members in what is written.
pub(super) const MORE_MEMBERS: Variation = Variation {
    name: "hosting.more-members",
    about: "entries, bodies and plaintexts have a member besides the documented ones",
};
/// Security comes second.
pub(super) const SECURITY_AFTER: Variation =
    Variation { name: "hosting.security-after", about: "security is written after the first project" };
/// The map, the other way round.
pub(super) const MAP_REVERSED: Variation =
    Variation { name: "hosting.map-reversed", about: "the newest project comes first in the map" };
/// A hash that stands twice.
pub(super) const FORGET_TWICE: Variation =
    Variation { name: "hosting.forget-twice", about: "the first hash of a FORGET stands in it twice" };
/// A session key's address alone.
pub(super) const NO_PUBKEY: Variation =
    Variation { name: "hosting.no-pubkey", about: "a session key's authorization has no `pubkey`" };
/// A project from a file instead of a repository.
pub(super) const UPLOADED: Variation =
    Variation { name: "hosting.uploaded", about: "projects are uploads: no repository, no branch" };
/// The workflow request that is pending.
pub(super) const PENDING_WORKFLOW: Variation = Variation {
    name: "hosting.pending-workflow",
    about: "plaintexts of projects hold a pending workflow request",
};
/// Other names in the manifest.
pub(super) const MANIFEST_OTHER: Variation = Variation {
    name: "hosting.manifest-other",
    about: "a bundle's manifest has other names for its members",
};
/// Times without milliseconds, and with an offset.
pub(super) const TIMES_OFFSET: Variation =
    Variation { name: "hosting.times-offset", about: "times have no fraction, and the offset +00:00" };
/// Empty and null texts of a deployment.
pub(super) const PLAINTEXT_NULL: Variation =
    Variation { name: "hosting.plaintext-null", about: "every member of a deployment's plaintext is null" };

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
];
