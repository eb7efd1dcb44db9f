//! The application's deviations: how a record is written when a requirement is switched off. The code is
//! where the record is made.

use assay_spec::hosting::requirements::{
    bundle, claims, deployments, envelope, forget, history, identifiers, instances, projects, records,
    recovery, security,
};

use crate::deviation::{Deviation, deviations};

/// Every deviation of the application.
pub(super) const ALL: &[Deviation] = deviations! {
    records::CHANNEL => "a creation is on the default channel";
    records::SIGNATURE => "records are signed like requests, over their own text";
    records::ADDRESS => "the address of a creation has no `0x`";
    records::TIME => "the time of a claim is in milliseconds";

    identifiers::PROJECT => "a project's id has one character too few";
    identifiers::DEPLOYMENT => "a deployment's id has one character too many";

    envelope::FORM => "`v` is a string";
    envelope::VERSION => "`v` is 2";
    envelope::ALGORITHM => "`alg` names another cipher";
    envelope::CIPHERTEXT => "`ct` is not base64";
    envelope::IV => "`iv` has 16 bytes";
    envelope::TAG => "`tag` has 12 bytes";
    envelope::USER => "`deks.user` is not base64";
    envelope::ENCRYPTION => "`deks.encryption` is not base64";
    envelope::NO_OTHERS => "`deks.backend` is also written";
    envelope::WALLET_OPENS => "`deks.user` is wrapped to an unrelated key";
    envelope::KEY_E_OPENS => "`deks.encryption` is wrapped to an unrelated key";

    bundle::FORM => "`deks` is an array";
    bundle::VERSION => "`v` is 2";
    bundle::KIND => "`kind` has another value";
    bundle::ALGORITHM => "`alg` names another cipher";
    bundle::CIPHERTEXT => "`ct` is not base64";
    bundle::IV => "`iv` has 16 bytes";
    bundle::TAG => "`tag` has 12 bytes";
    bundle::VM => "`deks.vm` is not base64";
    bundle::ENCRYPTION => "`deks.encryption` is not base64";
    bundle::TWO_RECIPIENTS => "`deks.user` is also present";
    bundle::KEY_E_OPENS => "`deks.encryption` is wrapped to an unrelated key";
    bundle::TARBALL => "the bundle contains only the manifest";

    projects::TYPE => "an edit is sent as a POST";
    projects::KEY => "the key of an edit is `project`";
    projects::OWNER => "an edit by the session key is under that key's address";
    projects::SIGNER => "the delegate signs edits and is authorized to";
    projects::MAP => "the map has only the key `entries`, with an array";
    projects::ENTRY => "`public` is an array";
    projects::ID => "the `id` of an entry is not its key in the map";
    projects::SCHEMA_VERSION => "`schemaVersion` is a string";
    projects::FRAMEWORK => "`framework` is a number";
    projects::DEPLOY_TARGET => "`deployTarget` is neither `ipfs` nor `instance`";
    projects::CREATED_AT => "`createdAt` is not a valid time";
    projects::UPDATED_AT => "`updatedAt` is not a valid time";
    projects::DELETED => "`deleted` is a string";
    projects::ENCRYPTED => "`encrypted` is an empty string";
    projects::PLAINTEXT_FORM => "the plaintext is an array";
    projects::PLAINTEXT_NAME => "`name` is a number";
    projects::PLAINTEXT_SOURCE => "`source` is neither `codehost` nor `upload`";
    projects::PLAINTEXT_REPO => "`repo` has no slash";
    projects::PLAINTEXT_BRANCH => "`branch` is a number";
    projects::PLAINTEXT_INSTALLATION => "`installationId` is a string";
    projects::PLAINTEXT_BUILD => "`buildCommand` is null";
    projects::PLAINTEXT_OUTPUT => "`outputDir` is a number";
    projects::TOMBSTONE => "the envelope of a deleted project is not emptied";

    deployments::TYPE => "a creation is an AGGREGATE under the delegate's own address";
    deployments::CONTENT_TYPE => "a creation has another content type";
    deployments::DELEGATE => "creations are sent by an unrelated address";
    deployments::BODY => "the body of a creation is a string";
    deployments::DEPLOYMENT_ID => "`deploymentId` is a number";
    deployments::PROJECT_ID => "`projectId` names no project";
    deployments::SCHEMA => "`schemaVersion` is 3, with a `storeRef`";
    deployments::PUBLIC => "`public` is an array";
    deployments::RUN_ID => "`runId` is a string";
    deployments::RUN_ATTEMPT => "`runAttempt` is a string";
    deployments::CREATED_AT => "`createdAt` is not a valid time";
    deployments::ENCRYPTED => "`encrypted` is null";
    deployments::CREATION_QUEUED => "the status of a creation is `live`";
    deployments::CREATION_STORE_REF => "a creation has a `storeRef`";
    deployments::CREATION_URL => "a creation has a `url`";
    deployments::CREATION_FINISHED => "a creation has a `finishedAt`";
    deployments::AMEND_TYPE => "a terminal record has another type";
    deployments::AMEND_REF => "`ref` of a terminal record is the deployment id";
    deployments::SAME_DEPLOYMENT => "a terminal record names another deployment";
    deployments::SAME_PROJECT => "a terminal record names another project";
    deployments::TERMINAL_STATUS => "the status of a terminal record is `queued`";
    deployments::LIVE_STORE_REF => "`storeRef` of a live deployment is the CID";
    deployments::FAILED_STORE_REF => "a failed deployment has a `storeRef`";
    deployments::URL => "`url` of a terminal record is a number";
    deployments::FINISHED_AT => "`finishedAt` of a terminal record is not a valid time";
    deployments::PLAINTEXT_FORM => "the plaintext is an array";
    deployments::PLAINTEXT_COMMIT => "`commit` is a number";
    deployments::PLAINTEXT_MESSAGE => "`commitMessage` is a number";
    deployments::PLAINTEXT_BRANCH => "`branch` is a number";
    deployments::PLAINTEXT_RUN => "`actionsRunUrl` is a number";
    deployments::PLAINTEXT_ERROR => "`error` is a number";

    instances::BUNDLE_HASH => "`bundleHash` has 63 digits";
    instances::BUNDLE_HASH_VALUE => "`bundleHash` is another hash";
    instances::BUNDLE_WRAPPED => "the tarball is pinned without encryption";

    claims::TYPE => "a claim is sent as an AGGREGATE";
    claims::CONTENT_TYPE => "a claim has another content type";
    claims::SENDER => "`content.address` of a claim is the owner's address";
    claims::SIGNATURE => "a claim is signed like a request, over its own text";
    claims::BODY => "the body of a claim is a string";
    claims::V => "`v` is 2";
    claims::INSTANCE_HASH => "`instanceHash` is the hash of another message";
    claims::PUBKEY => "`pubkey` has no `0x`";
    claims::KEY_OF_ADDRESS => "the claimed key is an unrelated key";
    claims::REGISTERED_AT => "`registeredAt` is not a valid time";
    claims::ONCE => "a machine writes two claims";

    security::TYPE => "`security` is sent as a POST";
    security::KEY => "the aggregate key is `safety`";
    security::OWNER => "the wallet also posts `security` under the session key's address";
    security::SIGNER => "the delegate also posts `security`";
    security::AUTHORIZATIONS => "`authorizations` is an object";
    security::ENTRY => "the first authorization is a string (its address)";
    security::ENTRY_ADDRESS => "the session key's `address` has no `0x`";
    security::ENTRY_PUBKEY => "the session key's `pubkey` has no `0x`";
    security::ENTRY_PUBKEY_ADDRESS => "the session key's `pubkey` is another key";
    security::SESSION_TYPES => "a session key is authorized for FORGET";
    security::SESSION_CHANNELS => "a session key is authorized for every channel";
    security::SESSION_AGGREGATE_KEYS => "a session key is authorized for `security`";
    security::SESSION_POST_TYPES => "a session key is authorized only for amends";
    security::DELEGATE_NO_PUBKEY => "the delegate's authorization has a `pubkey`";
    security::ENCRYPTION_KEY => "`encryptionKey` is a string";
    security::ENCRYPTION_PUBKEY => "`encryptionKey.pubkey` has no `0x`";
    security::ENCRYPTION_SCHEME => "`encryptionKey.scheme` has another value";
    security::ENCRYPTION_REGISTERED_AT => "`encryptionKey.registeredAt` is not a valid time";
    security::ENCRYPTION_IS_E => "an unrelated key is registered as `encryptionKey`";
    security::NOT_A_SIGNER => "the encryption key is in `authorizations`";

    forget::TYPE => "a FORGET is sent as a POST";
    forget::DELEGATE => "the wallet signs the STORE and FORGET of artifacts";
    forget::ADDRESS => "`content.address` is the delegate's address";
    forget::STORES => "the hashes include a creation";
    forget::CLASSIFIED => "the hashes include a STORE that cannot be forgotten";
    forget::EVERY => "the last hash is missing";
    forget::OWN => "the hashes include an artifact of another project";
    forget::ONE => "each hash has its own FORGET";

    history::QUEUED_FIRST => "a terminal record is one second older than its creation";
    history::ONE_CREATION => "a deployment has two creations";
    history::ONE_AMEND => "a deployment has two terminal records";
    history::FINISHES => "a failed deployment has no terminal record";
    history::SECURITY_ONCE => "`security` is written again with each further project";
    history::SECURITY_EXISTS => "`security` is never written";
    history::CREATED_AT_KEPT => "an edit changes `createdAt`";
    history::UPDATED_AT_MOVES => "an edit sets `updatedAt` back";
    history::MAP_KEPT => "an edit changes the framework of other projects";
    history::ENTRY_STAYS => "a deleted project is missing from the map";
    history::DELETED_STAYS => "a later map contains a deleted project unchanged";
    history::TOMBSTONE_FIRST => "artifacts are forgotten before the tombstone is written";
    history::FRESH_IV => "all envelopes share one IV";
    history::FRESH_KEY => "all envelopes share one key";

    recovery::LIVE_RESOLVES => "`storeRef` of a live deployment names a STORE without a file";
};
