//! The application's deviations: how a record is written when a requirement is switched off. What is done stands
//! where the record is made; here stands what that is.

use assay_spec::hosting::requirements::{
    bundle, claims, deployments, envelope, forget, history, identifiers, instances, projects, records,
    recovery, security,
};

use crate::deviation::{Deviation, deviations};

/// Every deviation of the application.
pub(super) const ALL: &[Deviation] = deviations! {
    records::CHANNEL => "a creation stands on the default channel";
    records::SIGNATURE => "records are signed as requests are: over their own text";
    records::ADDRESS => "the address of a creation has no 0x";
    records::TIME => "the time of a claim is in milliseconds";

    identifiers::PROJECT => "a project's id has one character too few";
    identifiers::DEPLOYMENT => "a deployment's id has one character too many";

    envelope::FORM => "`v` is text";
    envelope::VERSION => "`v` is 2";
    envelope::ALGORITHM => "`alg` is another cipher's";
    envelope::CIPHERTEXT => "`ct` is no base64";
    envelope::IV => "`iv` has 16 bytes";
    envelope::TAG => "`tag` has 12 bytes";
    envelope::USER => "`deks.user` is no base64";
    envelope::ENCRYPTION => "`deks.encryption` is no base64";
    envelope::NO_OTHERS => "`deks.backend` is written as well";
    envelope::WALLET_OPENS => "`deks.user` is a stranger's";
    envelope::KEY_E_OPENS => "`deks.encryption` is a stranger's";

    bundle::FORM => "`deks` is an array";
    bundle::VERSION => "`v` is 2";
    bundle::KIND => "`kind` is another";
    bundle::ALGORITHM => "`alg` is another cipher's";
    bundle::CIPHERTEXT => "`ct` is no base64";
    bundle::IV => "`iv` has 16 bytes";
    bundle::TAG => "`tag` has 12 bytes";
    bundle::VM => "`deks.vm` is no base64";
    bundle::ENCRYPTION => "`deks.encryption` is no base64";
    bundle::TWO_RECIPIENTS => "`deks.user` is there as well";
    bundle::KEY_E_OPENS => "`deks.encryption` is a stranger's";
    bundle::TARBALL => "the manifest alone is in the bundle";

    projects::TYPE => "an edit is a POST";
    projects::KEY => "the key of an edit is `project`";
    projects::OWNER => "an edit by the session key stands under that key's own address";
    projects::SIGNER => "the delegate sends edits, and may";
    projects::MAP => "the only key of the map is `entries`, under which an array stands";
    projects::ENTRY => "`public` is an array";
    projects::ID => "an entry's id is not its key";
    projects::SCHEMA_VERSION => "`schemaVersion` is text";
    projects::FRAMEWORK => "`framework` is a number";
    projects::DEPLOY_TARGET => "`deployTarget` is neither";
    projects::CREATED_AT => "`createdAt` is no time";
    projects::UPDATED_AT => "`updatedAt` is no time";
    projects::DELETED => "`deleted` is text";
    projects::ENCRYPTED => "`encrypted` is an empty text";
    projects::PLAINTEXT_FORM => "the plaintext is an array";
    projects::PLAINTEXT_NAME => "`name` is a number";
    projects::PLAINTEXT_SOURCE => "`source` is neither";
    projects::PLAINTEXT_REPO => "`repo` has no slash";
    projects::PLAINTEXT_BRANCH => "`branch` is a number";
    projects::PLAINTEXT_INSTALLATION => "`installationId` is text";
    projects::PLAINTEXT_BUILD => "`buildCommand` is null";
    projects::PLAINTEXT_OUTPUT => "`outputDir` is a number";
    projects::TOMBSTONE => "a deleted project's envelope stays as it was";

    deployments::TYPE => "a creation is an AGGREGATE under the delegate's own address";
    deployments::CONTENT_TYPE => "the type of a creation is another";
    deployments::DELEGATE => "a stranger sends creations";
    deployments::BODY => "the body of a creation is text";
    deployments::DEPLOYMENT_ID => "`deploymentId` is a number";
    deployments::PROJECT_ID => "`projectId` is nobody's";
    deployments::SCHEMA => "`schemaVersion` is 3, with a `storeRef`";
    deployments::PUBLIC => "`public` is an array";
    deployments::RUN_ID => "`runId` is text";
    deployments::RUN_ATTEMPT => "`runAttempt` is text";
    deployments::CREATED_AT => "`createdAt` is no time";
    deployments::ENCRYPTED => "`encrypted` is null";
    deployments::CREATION_QUEUED => "a creation is live";
    deployments::CREATION_STORE_REF => "a creation has a `storeRef`";
    deployments::CREATION_URL => "a creation has a `url`";
    deployments::CREATION_FINISHED => "a creation has a `finishedAt`";
    deployments::AMEND_TYPE => "the type of a terminal record is another";
    deployments::AMEND_REF => "a terminal record refers to the deployment's id";
    deployments::SAME_DEPLOYMENT => "a terminal record names another deployment";
    deployments::SAME_PROJECT => "a terminal record names another project";
    deployments::TERMINAL_STATUS => "a terminal record is queued";
    deployments::LIVE_STORE_REF => "a live deployment's `storeRef` is the content's identifier";
    deployments::FAILED_STORE_REF => "a failed deployment has a `storeRef`";
    deployments::URL => "a terminal record's `url` is a number";
    deployments::FINISHED_AT => "a terminal record's `finishedAt` is no time";
    deployments::PLAINTEXT_FORM => "the plaintext is an array";
    deployments::PLAINTEXT_COMMIT => "`commit` is a number";
    deployments::PLAINTEXT_MESSAGE => "`commitMessage` is a number";
    deployments::PLAINTEXT_BRANCH => "`branch` is a number";
    deployments::PLAINTEXT_RUN => "`actionsRunUrl` is a number";
    deployments::PLAINTEXT_ERROR => "`error` is a number";

    instances::BUNDLE_HASH => "`bundleHash` has 63 digits";
    instances::BUNDLE_HASH_VALUE => "`bundleHash` is another hash";
    instances::BUNDLE_WRAPPED => "the tarball is pinned as it is";

    claims::TYPE => "a claim is an AGGREGATE";
    claims::CONTENT_TYPE => "the type of a claim is another";
    claims::SENDER => "`content.address` of a claim is the owner's";
    claims::SIGNATURE => "a claim is signed as a request is: over its own text";
    claims::BODY => "the body of a claim is text";
    claims::V => "`v` is 2";
    claims::INSTANCE_HASH => "`instanceHash` is another message's";
    claims::PUBKEY => "`pubkey` has no 0x";
    claims::KEY_OF_ADDRESS => "the claimed key is a stranger's";
    claims::REGISTERED_AT => "`registeredAt` is no time";
    claims::ONCE => "a machine claims twice";

    security::TYPE => "security is a POST";
    security::KEY => "the key is `safety`";
    security::OWNER => "the wallet posts security as well, under the session key's address";
    security::SIGNER => "the delegate posts security as well";
    security::AUTHORIZATIONS => "`authorizations` is an object";
    security::ENTRY => "the first authorization is an address";
    security::ENTRY_ADDRESS => "the session key's address has no 0x";
    security::ENTRY_PUBKEY => "the session key's `pubkey` has no 0x";
    security::ENTRY_PUBKEY_ADDRESS => "the session key's `pubkey` is another's";
    security::SESSION_TYPES => "a session key may FORGET";
    security::SESSION_CHANNELS => "a session key may write on every channel";
    security::SESSION_AGGREGATE_KEYS => "a session key may write `security`";
    security::SESSION_POST_TYPES => "a session key may write amends alone";
    security::DELEGATE_NO_PUBKEY => "the delegate's authorization has a `pubkey`";
    security::ENCRYPTION_KEY => "`encryptionKey` is text";
    security::ENCRYPTION_PUBKEY => "`encryptionKey.pubkey` has no 0x";
    security::ENCRYPTION_SCHEME => "`encryptionKey.scheme` is another";
    security::ENCRYPTION_REGISTERED_AT => "`encryptionKey.registeredAt` is no time";
    security::ENCRYPTION_IS_E => "a stranger's key is registered";
    security::NOT_A_SIGNER => "the encryption key is authorised";

    forget::TYPE => "hashes to forget are sent as a POST";
    forget::DELEGATE => "the wallet stores artifacts and forgets them";
    forget::ADDRESS => "`content.address` is the delegate's";
    forget::STORES => "a creation is among the hashes";
    forget::CLASSIFIED => "what cannot be forgotten is among the hashes";
    forget::EVERY => "the last hash is left out";
    forget::OWN => "another project's artifact is among the hashes";
    forget::ONE => "one FORGET for each hash";

    history::QUEUED_FIRST => "a terminal record is a second older than its creation";
    history::ONE_CREATION => "a deployment is created twice";
    history::ONE_AMEND => "a deployment ends twice";
    history::FINISHES => "a deployment that failed has no terminal record";
    history::SECURITY_ONCE => "security is registered anew with each further project";
    history::SECURITY_EXISTS => "there is no security";
    history::CREATED_AT_KEPT => "an edit changes `createdAt`";
    history::UPDATED_AT_MOVES => "an edit sets `updatedAt` back";
    history::MAP_KEPT => "an edit changes the other projects' framework";
    history::ENTRY_STAYS => "a deleted project is missing in the map";
    history::DELETED_STAYS => "a later map has a deleted project as it was";
    history::TOMBSTONE_FIRST => "artifacts are forgotten before the tombstone is written";
    history::FRESH_IV => "all envelopes have one IV";
    history::FRESH_KEY => "all envelopes have one key";

    recovery::LIVE_RESOLVES => "what a live deployment refers to is a STORE without a file";
};
