//! Every statement of document 2 about the stored records, one row each.

crate::requirements! {
    service Hosting;

    /// Every record of the application, whatever its kind.
    mod records {
        /// A record is a message with `item_hash`, `sender`, `type`, `channel`, `signature` and `content`, and its content is an object.
        FORM: Must Reader Vector rule "record.form" ["Stored records written by the hosting application" 0xec1d_d10c, "Stored records written by the hosting application" 0xbb79_9b3e, "Stored records written by the hosting application" 0xb37f_3c53, "Stored records written by the hosting application" 0x5680_55c7];
        /// Every record is on the channel `SVC_CHANNEL_V1`.
        CHANNEL: Must Record Check at ON_CHANNEL rule "record.channel" ["Stored records written by the hosting application" 0xc0d1_6655, "Versioning" 0x1cbf_1b31];
        /// A record on the retired channel is not read.
        RETIRED: Must Reader Vector ["Stored records written by the hosting application" 0x4d0f_7263, "Versioning" 0x1cbf_1b31];
        /// The value of a message's `chain` is left open: the document names the chain by its network.
        CHAIN: Must Record Open("the document says `mainnet` in one place and `ETH`, as an example, in another") ["Stored records written by the hosting application" 0xc0d1_6655];
        /// The signature of a record covers its canonical JSON, and the sender made it.
        SIGNATURE: Must Record Check at SIGNED rule "record.signature" ["Stored records written by the hosting application" 0xec1d_d10c, "Signing of stored records" 0x241b_c8ec, "Signing of stored records" 0x4588_c5e2, "Signing of stored records" 0xef7f_2ed3];
        /// A record that its sender did not sign changes nothing.
        UNSIGNED: Must Reader Vector ["Signing of stored records" 0xef7f_2ed3];
        /// `content.address` is an address: 0x and 40 hexadecimal digits.
        ADDRESS: Must Record Check at RECORDS rule "record.address" ["Stored records written by the hosting application" 0xec1d_d10c, "Stored records written by the hosting application" 0xbb79_9b3e, "Stored records written by the hosting application" 0xb37f_3c53, "Stored records written by the hosting application" 0x5680_55c7];
        /// `content.time` is an integer, in seconds.
        TIME: Must Record Check at RECORDS rule "record.time" ["Stored records written by the hosting application" 0xec1d_d10c, "Stored records written by the hosting application" 0xbb79_9b3e, "Stored records written by the hosting application" 0xb37f_3c53, "Stored records written by the hosting application" 0x5680_55c7];
        /// Whether a signature starts with 0x, and whether its last byte is 27 or 0, is left open; readers accept all forms.
        SIGNATURE_TEXT: Must Record Open("the document names the signature scheme and not the text form of its result") ["Stored records written by the hosting application" 0xec1d_d10c, "Signing of stored records" 0x4588_c5e2];
        /// The meaning of a duplicate key is left open; such a record is not read, and a note names it.
        DUPLICATES: Must Reader Open("JSON itself leaves duplicate keys open, and the document does not mention them") rule "record.duplicate" ["Signing of stored records" 0x241b_c8ec];
        /// How integers beyond 2^53 and fractions below 0.0001 are written is left open; such a record is not read, and a note names it.
        NUMBERS: Must Reader Open("common serializers write such numbers differently, and the document does not choose one") rule "record.number" ["Signing of stored records" 0x241b_c8ec];
        /// The maximum size of a record is left open; readers have a limit.
        SIZE: Must Reader Open("no sentence limits the size of a record") rule "record.size" ["Stored records written by the hosting application" 0xc0d1_6655];
    }

    /// Identifiers.
    mod identifiers {
        /// A project id is `proj_` and 12 characters of A-Z, a-z, 0-9, `_` and `-`.
        PROJECT: Must Record Check at PROJECT_CREATION rule "identifier.project" ["Stored records written by the hosting application" 0xb716_4de5, "Stored records written by the hosting application" 0xef69_6ecd];
        /// A deployment id is `deploy_` and 12 characters of the same alphabet.
        DEPLOYMENT: Must Record Check at CREATION rule "identifier.deployment" ["Stored records written by the hosting application" 0xb716_4de5, "Stored records written by the hosting application" 0xbb79_9b3e];
        /// A drop id is `drop_` and 22 characters of the same alphabet.
        DROP: Must Record Vector rule "identifier.drop" ["Stored records written by the hosting application" 0x507b_55aa];
        /// How the characters are chosen is left open; in the simulator no two ids are equal.
        UNIQUE: Must Record Open("the document gives the form of an id and not its source") ["Stored records written by the hosting application" 0xb716_4de5];
    }

    /// Base64, as in envelopes.
    mod base64 {
        /// Base64 uses the standard alphabet: A-Z, a-z, 0-9, `+` and `/`.
        ALPHABET: Must Record Vector rule "base64.alphabet" ["Decryption of an envelope" 0x37fb_e2d9, "Decryption of an envelope" 0x6aa1_d2f8, "Stored records written by the hosting application" 0x6006_407c, "Stored records written by the hosting application" 0x1030_92cc];
        /// A single remaining character encodes no byte: such a string is not base64.
        LENGTH: Must Record Vector rule "base64.length" ["Decryption of an envelope" 0x37fb_e2d9, "Decryption of an envelope" 0x6aa1_d2f8];
        /// A writer pads base64 and sets the unused bits to zero.
        WRITTEN: Must Record Vector ["Decryption of an envelope" 0x37fb_e2d9, "Decryption of an envelope" 0x6aa1_d2f8, "Stored records written by the hosting application" 0x6006_407c, "Stored records written by the hosting application" 0x1030_92cc];
        /// Whether missing padding is accepted is left open; the strict reader rejects it.
        PADDING: Must Reader Open("the document says `base64` without a dialect, and common decoders differ") rule "base64.padding" ["Decryption of an envelope" 0x37fb_e2d9, "Decryption of an envelope" 0x6aa1_d2f8];
        /// Whether unused bits may be set is left open; the strict reader rejects them.
        TRAILING_BITS: Must Reader Open("the document says `base64` without a dialect, and common decoders differ") rule "base64.trailing-bits" ["Decryption of an envelope" 0x37fb_e2d9, "Decryption of an envelope" 0x6aa1_d2f8];
    }

    /// Wrapping a key for one recipient.
    mod ecies {
        /// A wrapped key is an ephemeral public key (65 bytes), a nonce, a tag (16 bytes) and the ciphertext, in this order.
        LENGTH: Must Record Vector rule "ecies.length" ["Primitives" 0x2aab_6cb4, "Decryption of an envelope" 0x4758_5e17];
        /// The ephemeral key is uncompressed: its first byte is 0x04.
        EPHEMERAL_PREFIX: Must Record Vector rule "ecies.ephemeral-prefix" ["Primitives" 0x2aab_6cb4, "Decryption of an envelope" 0x4758_5e17];
        /// The ephemeral key is a point on the curve.
        EPHEMERAL_POINT: Must Record Vector rule "ecies.ephemeral-point" ["Primitives" 0x2aab_6cb4, "Decryption of an envelope" 0x4758_5e17];
        /// The recipient's key is a point on the curve.
        RECIPIENT: Must Record Vector rule "ecies.recipient" ["Primitives" 0x2aab_6cb4, "Stored records written by the hosting application" 0x9f4c_a9c8, "Stored records written by the hosting application" 0x6006_407c];
        /// The input of the key derivation is the ephemeral key followed by the shared point, each uncompressed.
        SHARED_POINT: Must Record Vector ["Primitives" 0x2aab_6cb4];
        /// The key is 32 bytes of HKDF-SHA256 without salt and info.
        DERIVATION: Must Record Vector ["Primitives" 0x2aab_6cb4];
        /// There is no additional authenticated data.
        ADDITIONAL_DATA: Must Record Vector ["Primitives" 0x2aab_6cb4];
        /// A reader rejects a wrapped key that was changed, or that was wrapped for another key.
        AUTHENTIC: Must Record Vector rule "ecies.authentic" ["Primitives" 0x2aab_6cb4, "Decryption of an envelope" 0x4758_5e17];
        /// The length of the nonce in a wrapped key is left open: 16 bytes as in the libraries, 12 as an option.
        NONCE_LENGTH: Must Record Open("the document refers to common libraries, which have both lengths") ["Primitives" 0x2aab_6cb4, "Decryption of an envelope" 0x4758_5e17];
    }

    /// The derived key E.
    mod key_e {
        /// The derivation message is seven lines joined by newlines; no line is empty.
        LINES: Must Record Vector rule "derivation.lines" ["Deriving E" 0x4b16_dfd9];
        /// No newline follows the last line.
        FINAL_NEWLINE: Must Record Vector rule "derivation.final-newline" ["Deriving E" 0x4b16_dfd9];
        /// The first line is the title.
        TITLE: Must Record Vector rule "derivation.title" ["Deriving E" 0x4b16_dfd9];
        /// The sixth line is `Wallet: ` and the wallet's address with the letter case of its checksum.
        WALLET: Must Record Vector rule "derivation.wallet" ["Deriving E" 0x4b16_dfd9];
        /// The last line is `Version: 1`.
        VERSION: Must Record Vector rule "derivation.version" ["Deriving E" 0x4b16_dfd9, "Versioning" 0x1cbf_1b31];
        /// The message is signed as UTF-8 and its length counts bytes: the title's dash counts three.
        BYTES: Must Record Vector ["Deriving E" 0x4827_cf17, "Deriving E" 0x4b16_dfd9];
        /// The signature is 65 bytes: r, s and v; v is 27 or 28.
        SIGNATURE: Must Record Vector ["Deriving E" 0x391f_c539];
        /// The private key E is the Keccak-256 of these 65 bytes, unchanged.
        PRIVATE: Must Record Vector ["Deriving E" 0x391f_c539];
        /// E's public key is written uncompressed: 65 bytes, or 0x04 and 128 hexadecimal digits.
        PUBLIC: Must Record Vector ["Deriving E" 0xbc36_037c, "Stored records written by the hosting application" 0x9f4c_a9c8];
        /// The same wallet always derives the same E.
        STABLE: Must Record Vector ["Deriving E" 0xa0ca_2d0b, "Stored records written by the hosting application" 0x8a60_1d0c];
        /// What happens when the digest is not a scalar of the curve is left open; Assay treats it as an error.
        RANGE: Must Record Open("the digest is used directly as a key, and the case that it is none is not mentioned") rule "key-e.range" ["Deriving E" 0x391f_c539];
        /// The words of the two sentences are left open: they are part of a template.
        WORDING: Must Record Open("the document describes the two sentences and does not quote them") ["Deriving E" 0x4b16_dfd9];
    }

    /// Encrypted envelopes.
    mod envelope at SEALED {
        /// An envelope is an object whose `v` is an integer and whose `deks` is an object.
        FORM: Must Record Check rule "envelope.form" ["Stored records written by the hosting application" 0x6006_407c, "Stored records written by the hosting application" 0x358c_e228];
        /// An envelope that is written now has `v` 3.
        VERSION: Must Record Check rule "envelope.version" ["Stored records written by the hosting application" 0x6006_407c, "Stored records written by the hosting application" 0xe130_6972, "Versioning" 0x1cbf_1b31];
        /// `alg` is `aes-256-gcm`.
        ALGORITHM: Must Record Check rule "envelope.algorithm" ["Stored records written by the hosting application" 0x6006_407c];
        /// `ct` is base64.
        CIPHERTEXT: Must Record Check rule "envelope.ciphertext" ["Stored records written by the hosting application" 0x6006_407c, "Decryption of an envelope" 0x6aa1_d2f8];
        /// `iv` is base64 of 12 bytes.
        IV: Must Record Check rule "envelope.iv" ["Stored records written by the hosting application" 0x6006_407c, "Primitives" 0x2aab_6cb4, "Decryption of an envelope" 0x6aa1_d2f8, "Decryption of an envelope" 0xc4a9_2891];
        /// `tag` is base64 of 16 bytes.
        TAG: Must Record Check rule "envelope.tag" ["Stored records written by the hosting application" 0x6006_407c, "Primitives" 0x2aab_6cb4, "Decryption of an envelope" 0x6aa1_d2f8, "Decryption of an envelope" 0xc4a9_2891];
        /// `deks.user` is present and is a wrapped key in base64.
        USER: Must Record Check rule "envelope.user" ["Stored records written by the hosting application" 0x6006_407c, "Decryption of an envelope" 0x37fb_e2d9];
        /// `deks.encryption` is present and is a wrapped key in base64.
        ENCRYPTION: Must Record Check rule "envelope.encryption" ["Stored records written by the hosting application" 0x6006_407c, "Decryption of an envelope" 0x37fb_e2d9];
        /// A new envelope has no other recipient: neither `deks.backend` nor `deks.session` is written.
        NO_OTHERS: Must Record Check ["Stored records written by the hosting application" 0x2978_c949, "Signing of stored records" 0xe720_b4a1];
        /// The wallet's key unwraps `deks.user`, and the unwrapped key decrypts the envelope.
        WALLET_OPENS: Must Record Check ["Stored records written by the hosting application" 0x6006_407c, "Decryption of an envelope" 0x37fb_e2d9, "Decryption of an envelope" 0x4758_5e17, "Decryption of an envelope" 0x2dfe_a430, "What the service does" 0x3711_ad20];
        /// E unwraps `deks.encryption`, and the unwrapped key decrypts the envelope.
        KEY_E_OPENS: Must Record Check ["Stored records written by the hosting application" 0x9f4c_a9c8, "Stored records written by the hosting application" 0x6006_407c, "Decryption of an envelope" 0x37fb_e2d9, "Decryption of an envelope" 0x4758_5e17, "Decryption of an envelope" 0x0df8_2d55];
        /// An unwrapped key has 32 bytes.
        KEY_LENGTH: Must Record Vector rule "envelope.key-length" ["Decryption of an envelope" 0x4758_5e17];
        /// A reader rejects a changed ciphertext, IV or tag.
        AUTHENTIC: Must Record Vector rule "envelope.authentic" ["Decryption of an envelope" 0xc4a9_2891, "Primitives" 0x2aab_6cb4];
        /// There is no additional authenticated data.
        ADDITIONAL_DATA: Must Record Vector ["Decryption of an envelope" 0xc4a9_2891, "Primitives" 0x2aab_6cb4];
        /// The plaintext of an envelope is UTF-8.
        UTF8: Must Record Vector rule "envelope.utf8" ["Decryption of an envelope" 0x639f_0bae];
        /// The plaintext of an envelope is JSON.
        JSON: Must Record Vector rule "envelope.json" ["Decryption of an envelope" 0x639f_0bae];
        /// The backend skips an envelope before version 3, with the warning `LEGACY_ENVELOPE_SKIPPED`.
        SKIPPED: Must Reader Vector ["Stored records written by the hosting application" 0xe130_6972, "Versioning" 0xc7fa_91d4];
        /// A recovery tool decrypts versions 1 and 2 with `deks.user`.
        READ_ANYWAY: Must Reader Vector ["Stored records written by the hosting application" 0x2978_c949, "Stored records written by the hosting application" 0xe37e_5aac, "Versioning" 0xc7fa_91d4];
        /// Either key decrypts a version 3 envelope.
        EITHER_KEY: Must Reader Vector ["Decryption of an envelope" 0x37fb_e2d9, "Decryption of an envelope" 0x2dfe_a430, "Decryption of an envelope" 0x0df8_2d55];
        /// The meaning of a version 3 envelope without `deks.encryption` is left open; readers decrypt it with `deks.user` and add a note.
        WITHOUT_ENCRYPTION: Must Reader Open("the member is mandatory for writers, and no sentence tells a reader what to do without it") ["Stored records written by the hosting application" 0x6006_407c];
        /// The meaning of a version after 3 is left open; readers reject it with a message.
        NEWER: Must Reader Open("the document lists versions up to 3") rule "envelope.newer" ["Stored records written by the hosting application" 0x6006_407c, "Versioning" 0x1cbf_1b31];
    }

    /// Bundle envelopes.
    mod bundle at BUNDLE {
        /// A pinned bundle is a JSON object whose `deks` is an object.
        FORM: Must Record Check rule "bundle.form" ["Stored records written by the hosting application" 0x00f6_a451, "Stored records written by the hosting application" 0x1030_92cc];
        /// `v` is 1.
        VERSION: Must Record Check rule "bundle.version" ["Stored records written by the hosting application" 0x1030_92cc, "Versioning" 0x1cbf_1b31];
        /// `kind` is `svc-bundle`.
        KIND: Must Record Check rule "bundle.kind" ["Stored records written by the hosting application" 0x1030_92cc];
        /// `alg` is `aes-256-gcm`.
        ALGORITHM: Must Record Check rule "bundle.algorithm" ["Stored records written by the hosting application" 0x1030_92cc];
        /// `ct` is base64.
        CIPHERTEXT: Must Record Check rule "bundle.ciphertext" ["Stored records written by the hosting application" 0x1030_92cc];
        /// `iv` is base64 of 12 bytes.
        IV: Must Record Check rule "bundle.iv" ["Stored records written by the hosting application" 0x1030_92cc, "Primitives" 0x2aab_6cb4];
        /// `tag` is base64 of 16 bytes.
        TAG: Must Record Check rule "bundle.tag" ["Stored records written by the hosting application" 0x1030_92cc, "Primitives" 0x2aab_6cb4];
        /// `deks.vm` is present and is a wrapped key in base64.
        VM: Must Record Check rule "bundle.vm" ["Stored records written by the hosting application" 0x1030_92cc];
        /// `deks.encryption` is present and is a wrapped key in base64.
        ENCRYPTION: Must Record Check rule "bundle.encryption" ["Stored records written by the hosting application" 0x1030_92cc];
        /// `deks` has these two members and no other.
        TWO_RECIPIENTS: Must Record Check rule "bundle.recipients" ["Stored records written by the hosting application" 0x7afb_8447];
        /// E unwraps `deks.encryption`, and the unwrapped key decrypts the bundle.
        KEY_E_OPENS: Must Record Check ["Stored records written by the hosting application" 0x1030_92cc, "Stored records written by the hosting application" 0x9f4c_a9c8];
        /// The VM's key unwraps `deks.vm`, and the unwrapped key decrypts the bundle.
        VM_OPENS: Must Record Vector ["Stored records written by the hosting application" 0x1030_92cc];
        /// An unwrapped key has 32 bytes.
        KEY_LENGTH: Must Record Vector rule "bundle.key-length" ["Stored records written by the hosting application" 0x1030_92cc, "Primitives" 0x2aab_6cb4];
        /// A reader rejects a changed ciphertext, IV or tag.
        AUTHENTIC: Must Record Vector rule "bundle.authentic" ["Stored records written by the hosting application" 0x1030_92cc, "Primitives" 0x2aab_6cb4];
        /// A reader rejects a bundle whose file does not have the recorded SHA-256, before it uses any key.
        HASH: Must Reader Vector rule "bundle.hash" ["Stored records written by the hosting application" 0xcfbc_c350];
        /// The recorded hash is 64 hexadecimal digits.
        HASH_FORM: Must Reader Vector rule "bundle.hash-form" ["Stored records written by the hosting application" 0xcfbc_c350];
        /// The decrypted bundle is a tarball with the file `manifest.json`, which is JSON.
        TARBALL: Must Record Check rule "bundle.tarball" ["Stored records written by the hosting application" 0x35ac_dbef];
        /// The names of the manifest's members and the compression of the tarball are left open.
        MANIFEST: Must Record Open("the document lists what the manifest and the tarball contain, without names of members or a compression") ["Stored records written by the hosting application" 0x35ac_dbef];
    }

    /// The aggregate `projects`.
    mod projects at MAPS {
        /// Projects are written as an AGGREGATE.
        TYPE: Must Record Check rule "projects.type" ["Stored records written by the hosting application" 0x7245_2d23, "Stored records written by the hosting application" 0xec1d_d10c];
        /// The aggregate's key is `projects`.
        KEY: Must Record Check rule "projects.key" ["Stored records written by the hosting application" 0x7245_2d23, "Stored records written by the hosting application" 0xec1d_d10c];
        /// `content.address` is the owner's address.
        OWNER: Must Record Check ["Stored records written by the hosting application" 0xec1d_d10c];
        /// The sender is the owner's wallet, or a session key that the owner authorized.
        SIGNER: Must Record Check ["Stored records written by the hosting application" 0x7245_2d23, "Stored records written by the hosting application" 0xec1d_d10c, "States and transitions" 0x879c_5482];
        /// `content.content` is an object that maps project ids to entries.
        MAP: Must Record Check rule "projects.map" ["Stored records written by the hosting application" 0xec1d_d10c];
        /// An entry is an object, and its `public` is an object.
        ENTRY: Must Record Check rule "projects.entry" ["Stored records written by the hosting application" 0xec1d_d10c, "Stored records written by the hosting application" 0xef69_6ecd];
        /// An entry's `id` is its key in the map.
        ID: Must Record Check rule "projects.id" ["Stored records written by the hosting application" 0xec1d_d10c, "Stored records written by the hosting application" 0xef69_6ecd];
        /// `schemaVersion` is an integer, 1 or 2: the header of the format says 2, the example of an entry says 1.
        SCHEMA_VERSION: Must Record Check rule "projects.schema-version" ["Stored records written by the hosting application" 0xf37b_4de5, "Versioning" 0x1cbf_1b31];
        /// Readers treat entries of `schemaVersion` 1 and 2 the same.
        SCHEMA_READ: Must Reader Vector ["Stored records written by the hosting application" 0xf37b_4de5, "Versioning" 0x1cbf_1b31];
        /// `public.framework` is a string.
        FRAMEWORK: Must Record Check at LIVING rule "projects.framework" ["Stored records written by the hosting application" 0xd869_ed59];
        /// `public.deployTarget` is `ipfs` or `instance`.
        DEPLOY_TARGET: Must Record Check at LIVING rule "projects.deploy-target" ["Stored records written by the hosting application" 0x15bc_ea97];
        /// `public.createdAt` is an ISO 8601 time.
        CREATED_AT: Must Record Check at LIVING rule "projects.created-at" ["Stored records written by the hosting application" 0xd1d1_75f9];
        /// `public.updatedAt` is an ISO 8601 time.
        UPDATED_AT: Must Record Check at LIVING rule "projects.updated-at" ["Stored records written by the hosting application" 0xd1d1_75f9];
        /// `public.deleted` is a boolean.
        DELETED: Must Record Check rule "projects.deleted" ["Stored records written by the hosting application" 0xecae_c297];
        /// The entry of a project that is not deleted holds an envelope in `encrypted`.
        ENCRYPTED: Must Record Check at LIVING rule "projects.encrypted" ["Stored records written by the hosting application" 0x358c_e228];
        /// The plaintext of the envelope is a JSON object.
        PLAINTEXT_FORM: Must Record Check at LIVING rule "projects.plaintext" ["Stored records written by the hosting application" 0x358c_e228, "Stored records written by the hosting application" 0xb311_4b7e];
        /// `name` is a string.
        PLAINTEXT_NAME: Must Record Check at LIVING rule "projects.name" ["Stored records written by the hosting application" 0xb311_4b7e];
        /// `source` is `codehost` for a hosted repository, or `upload`.
        PLAINTEXT_SOURCE: Must Record Check at LIVING rule "projects.source" ["Stored records written by the hosting application" 0xb311_4b7e];
        /// `repo` is an owner and a name with a slash between them, or null.
        PLAINTEXT_REPO: Must Record Check at LIVING rule "projects.repo" ["Stored records written by the hosting application" 0xb311_4b7e];
        /// `branch` is a string or null.
        PLAINTEXT_BRANCH: Must Record Check at LIVING rule "projects.branch" ["Stored records written by the hosting application" 0xb311_4b7e];
        /// `installationId` is a number or null.
        PLAINTEXT_INSTALLATION: Must Record Check at LIVING rule "projects.installation" ["Stored records written by the hosting application" 0xb311_4b7e];
        /// `buildCommand` is a string.
        PLAINTEXT_BUILD: Must Record Check at LIVING rule "projects.build" ["Stored records written by the hosting application" 0xb311_4b7e];
        /// `outputDir` is a string.
        PLAINTEXT_OUTPUT: Must Record Check at LIVING rule "projects.output" ["Stored records written by the hosting application" 0xb311_4b7e];
        /// Readers accept additional members, such as `pendingWorkflowPrUrl`.
        PLAINTEXT_MORE: Must Reader Vector ["Stored records written by the hosting application" 0x937a_4d33];
        /// When `pendingWorkflowPrUrl` and `pendingWorkflowPrNumber` are present, and their types, are left open.
        PENDING_WORKFLOW: Must Record Open("the document names the two members without types or a time when they are present") ["Stored records written by the hosting application" 0x937a_4d33];
        /// In a deleted project's entry `ct`, `iv`, `tag`, `deks.user` and `deks.encryption` are empty strings.
        TOMBSTONE: Must Record Check at PROJECT_DELETION rule "projects.tombstone" ["States and transitions" 0x879c_5482];
        /// The values of `v` and `alg` in a deleted project's envelope are left open: empty strings or their usual values.
        TOMBSTONE_FORM: Must Record Open("`every field an empty string` contradicts the types of `v` and `deks`") ["States and transitions" 0x879c_5482];
        /// `public.deleted` alone marks a project as deleted: a reader does not decrypt its entry, whatever its form.
        TOMBSTONE_READ: Must Reader Vector ["States and transitions" 0x879c_5482, "Stored records written by the hosting application" 0xecae_c297];
    }

    /// A deployment: its creation and its terminal amend.
    mod deployments at DEPLOYMENTS {
        /// A deployment's messages have the type POST.
        TYPE: Must Record Check rule "deployments.type" ["Stored records written by the hosting application" 0xa12e_7ea3, "Stored records written by the hosting application" 0xbb79_9b3e];
        /// The content of a creation has the type `svc-cloud-deployment`.
        CONTENT_TYPE: Must Record Check at CREATION rule "deployments.content-type" ["Stored records written by the hosting application" 0xa12e_7ea3, "Stored records written by the hosting application" 0xbb79_9b3e, "Amend chain resolution" 0xa23b_f7c9];
        /// The sender is a delegate that the owner's `security` lists.
        DELEGATE: Must Record Check ["Stored records written by the hosting application" 0xa12e_7ea3, "Stored records written by the hosting application" 0xbb79_9b3e, "Signing of stored records" 0x9dfe_9358, "Signing of stored records" 0x4a8f_83e8];
        /// Whether `content.address` is the owner's or the delegate's is left open; readers treat it as the owner's.
        ADDRESS: Must Record Open("the document gives the sender of a deployment record and not its `content.address`") ["Stored records written by the hosting application" 0xbb79_9b3e];
        /// `content.content` is an object.
        BODY: Must Record Check rule "deployments.body" ["Stored records written by the hosting application" 0xbb79_9b3e];
        /// `deploymentId` is a string.
        DEPLOYMENT_ID: Must Record Check rule "deployments.deployment-id" ["Stored records written by the hosting application" 0xbb79_9b3e];
        /// `projectId` is the id of a project of the owner.
        PROJECT_ID: Must Record Check rule "deployments.project-id" ["Stored records written by the hosting application" 0xbb79_9b3e];
        /// `schemaVersion` of a new record is 4.
        SCHEMA: Must Record Check rule "deployments.schema" ["Stored records written by the hosting application" 0x2d14_d6bb, "Stored records written by the hosting application" 0xbb79_9b3e, "Stored records written by the hosting application" 0xde29_9281, "Versioning" 0x1cbf_1b31];
        /// `public` is an object.
        PUBLIC: Must Record Check rule "deployments.public" ["Stored records written by the hosting application" 0xbb79_9b3e];
        /// `public.status` is `queued`, `live` or `failed`.
        STATUS: Must Reader Vector rule "deployments.status" ["Stored records written by the hosting application" 0xbb79_9b3e, "Stored records written by the hosting application" 0x6e6b_b9a5];
        /// `public.storeRef` is null or a string.
        STORE_REF: Must Reader Vector rule "deployments.store-ref" ["Stored records written by the hosting application" 0xbb79_9b3e, "Stored records written by the hosting application" 0x5aae_318a];
        /// `public.runId` is a number or null.
        RUN_ID: Must Record Check rule "deployments.run-id" ["Stored records written by the hosting application" 0xbb79_9b3e];
        /// `public.runAttempt` is a number or null.
        RUN_ATTEMPT: Must Record Check rule "deployments.run-attempt" ["Stored records written by the hosting application" 0xbb79_9b3e];
        /// `public.createdAt` is an ISO 8601 time.
        CREATED_AT: Must Record Check rule "deployments.created-at" ["Stored records written by the hosting application" 0xbb79_9b3e];
        /// `encrypted` is an envelope.
        ENCRYPTED: Must Record Check rule "deployments.encrypted" ["Stored records written by the hosting application" 0xbb79_9b3e];
        /// A creation's `public.status` is `queued`.
        CREATION_QUEUED: Must Record Check at CREATION ["Stored records written by the hosting application" 0xbb79_9b3e, "States and transitions" 0x1f9d_979d];
        /// A creation's `public.storeRef` is null.
        CREATION_STORE_REF: Must Record Check at CREATION ["Stored records written by the hosting application" 0xbb79_9b3e];
        /// A creation's `public.url` is null.
        CREATION_URL: Must Record Check at CREATION ["Stored records written by the hosting application" 0xbb79_9b3e];
        /// A creation's `public.finishedAt` is null.
        CREATION_FINISHED: Must Record Check at CREATION ["Stored records written by the hosting application" 0xbb79_9b3e];
        /// The content of a terminal amend has the type `amend`.
        AMEND_TYPE: Must Record Check at TERMINAL rule "deployments.amend-type" ["Stored records written by the hosting application" 0x6e6b_b9a5];
        /// `content.ref` of a terminal amend is the item hash of its creation.
        AMEND_REF: Must Record Check at TERMINAL rule "deployments.amend-ref" ["Stored records written by the hosting application" 0x6e6b_b9a5, "Amend chain resolution" 0x78ea_ea97];
        /// A terminal amend has the same `deploymentId` as its creation.
        SAME_DEPLOYMENT: Must Record Check at TERMINAL ["Stored records written by the hosting application" 0x6e6b_b9a5];
        /// A terminal amend has the same `projectId` as its creation.
        SAME_PROJECT: Must Record Check at TERMINAL ["Stored records written by the hosting application" 0x6e6b_b9a5];
        /// A terminal amend's `public.status` is `live` or `failed`.
        TERMINAL_STATUS: Must Record Check at TERMINAL ["Stored records written by the hosting application" 0x6e6b_b9a5, "States and transitions" 0xd1ab_f0dd, "States and transitions" 0xbf92_78e7];
        /// A live deployment's `public.storeRef` is the item hash of a STORE message.
        LIVE_STORE_REF: Must Record Check at LIVE ["Stored records written by the hosting application" 0x5aae_318a, "States and transitions" 0xd1ab_f0dd, "Endpoints" 0x0f3d_628a];
        /// A failed deployment's `public.storeRef` is null.
        FAILED_STORE_REF: Must Record Check at FAILED ["Stored records written by the hosting application" 0x5aae_318a, "States and transitions" 0xbf92_78e7];
        /// A terminal amend's `public.url` is a string or null.
        URL: Must Record Check at TERMINAL rule "deployments.url" ["Stored records written by the hosting application" 0xbb79_9b3e, "Stored records written by the hosting application" 0x6e6b_b9a5];
        /// A terminal amend's `public.finishedAt` is an ISO 8601 time or null.
        FINISHED_AT: Must Record Check at TERMINAL rule "deployments.finished-at" ["Stored records written by the hosting application" 0xbb79_9b3e, "Stored records written by the hosting application" 0x6e6b_b9a5];
        /// When a terminal amend's `url` and `finishedAt` are null is left open.
        TERMINAL_REST: Must Record Open("the document says `same shape` and names only `status` and `storeRef`") ["Stored records written by the hosting application" 0x6e6b_b9a5];
        /// The plaintext of the envelope is a JSON object.
        PLAINTEXT_FORM: Must Record Check rule "deployments.plaintext" ["Stored records written by the hosting application" 0xb5ea_d936];
        /// `commit` is a string or null.
        PLAINTEXT_COMMIT: Must Record Check rule "deployments.commit" ["Stored records written by the hosting application" 0xb5ea_d936];
        /// `commitMessage` is a string or null.
        PLAINTEXT_MESSAGE: Must Record Check rule "deployments.commit-message" ["Stored records written by the hosting application" 0xb5ea_d936];
        /// `branch` is a string or null.
        PLAINTEXT_BRANCH: Must Record Check rule "deployments.branch" ["Stored records written by the hosting application" 0xb5ea_d936];
        /// `actionsRunUrl` is a string or null.
        PLAINTEXT_RUN: Must Record Check rule "deployments.run-url" ["Stored records written by the hosting application" 0xb5ea_d936];
        /// `error` is a string or null.
        PLAINTEXT_ERROR: Must Record Check rule "deployments.error" ["Stored records written by the hosting application" 0xb5ea_d936];
        /// Readers accept a record of a schema before 4.
        LEGACY_READ: Must Reader Vector ["Stored records written by the hosting application" 0x2037_1ae9, "Stored records written by the hosting application" 0xf30d_9f7e, "Versioning" 0xc7fa_91d4];
        /// A record of a schema before 4 gives the warning `LEGACY_SCHEMA`.
        LEGACY_WARNING: Must Reader Vector ["Stored records written by the hosting application" 0xf30d_9f7e];
        /// The content identifier of a record before schema 4 is its `public.cid`.
        LEGACY_CID: Must Reader Vector ["Stored records written by the hosting application" 0x2037_1ae9];
        /// The meaning of a record with both `cid` and `storeRef`, or with neither a schema nor a reference, is left open.
        LEGACY_BOTH: Must Reader Open("the document describes legacy records with a `cid` alone") ["Stored records written by the hosting application" 0x2037_1ae9];
    }

    /// Deployments to a virtual machine.
    mod instances {
        /// A live deployment to an instance holds `public.bundleHash`, 64 hexadecimal digits.
        BUNDLE_HASH: Must Record Check at LIVE rule "instances.bundle-hash" ["Stored records written by the hosting application" 0xcfbc_c350];
        /// `public.bundleHash` is the SHA-256 of the pinned file.
        BUNDLE_HASH_VALUE: Must Record Check at LIVE ["Stored records written by the hosting application" 0xcfbc_c350];
        /// `public.storeRef` of a deployment to an instance resolves to a bundle envelope.
        BUNDLE_WRAPPED: Must Record Check at BUNDLE ["Stored records written by the hosting application" 0xcfbc_c350, "Stored records written by the hosting application" 0x00f6_a451];
        /// Without `public.storeRef` a deployment to an instance has no bundle.
        BUNDLE_STORE_REF: Must Reader Vector rule "instances.store-ref" ["Stored records written by the hosting application" 0xcfbc_c350];
        /// Whether a queued deployment holds a hash is left open.
        HASH_QUEUED: Must Record Open("the document says that `public` additionally carries the hash, not in which of the two records") ["Stored records written by the hosting application" 0xcfbc_c350];
    }

    /// Claims of a VM's public key.
    mod claims at CLAIM {
        /// A claim has the type POST.
        TYPE: Must Record Check rule "claims.type" ["Stored records written by the hosting application" 0xd0f9_60a3, "Stored records written by the hosting application" 0xb37f_3c53];
        /// The content of a claim has the type `svc-vm-pubkey`.
        CONTENT_TYPE: Must Record Check rule "claims.content-type" ["Stored records written by the hosting application" 0xd0f9_60a3, "Stored records written by the hosting application" 0xb37f_3c53];
        /// The sender is `content.address`.
        SENDER: Must Record Check rule "claims.sender" ["Stored records written by the hosting application" 0xb37f_3c53];
        /// The VM's own key signs the claim.
        SIGNATURE: Must Record Check rule "claims.signature" ["Stored records written by the hosting application" 0xb37f_3c53, "Signing of stored records" 0x9dfe_9358];
        /// `content.content` is an object.
        BODY: Must Record Check rule "claims.body" ["Stored records written by the hosting application" 0xb37f_3c53];
        /// `v` is 1.
        V: Must Record Check rule "claims.version" ["Stored records written by the hosting application" 0xb37f_3c53, "Versioning" 0x1cbf_1b31];
        /// `instanceHash` is the hash of an INSTANCE message.
        INSTANCE_HASH: Must Record Check rule "claims.instance-hash" ["Stored records written by the hosting application" 0xb37f_3c53];
        /// `pubkey` is 0x04 and 128 hexadecimal digits, and is a point on the curve.
        PUBKEY: Must Record Check rule "claims.pubkey" ["Stored records written by the hosting application" 0xb37f_3c53];
        /// The address of the claimed key is the sender of the claim.
        KEY_OF_ADDRESS: Should Record Check rule "claims.key-of-address" ["Stored records written by the hosting application" 0xb37f_3c53, "Primitives" 0x2aab_6cb4];
        /// `registeredAt` is an ISO 8601 time.
        REGISTERED_AT: Must Record Check rule "claims.registered-at" ["Stored records written by the hosting application" 0xb37f_3c53];
        /// A VM claims once.
        ONCE: Should Record Check ["Stored records written by the hosting application" 0xd0f9_60a3];
        /// A claim that violates one of these rules never wins.
        INVALID: Must Reader Vector ["Stored records written by the hosting application" 0xb37f_3c53, "Signing of stored records" 0x9dfe_9358];
        /// When there are several claims for one VM, the earliest by `content.time` wins.
        EARLIEST: Must Reader Vector ["Stored records written by the hosting application" 0x9bd2_7a65];
        /// A claim for another VM does not count.
        OTHER_INSTANCE: Must Reader Vector ["Stored records written by the hosting application" 0x9bd2_7a65];
        /// Which of two claims of the same second wins is left open; Assay uses the one with the smaller hash.
        TIE: Must Reader Open("the earliest claim wins, and no sentence orders claims of the same second") ["Stored records written by the hosting application" 0x9bd2_7a65];
        /// The document does not prevent a claimer from choosing an earlier time.
        BACKDATED: Must Reader Open("the time is in the claim itself, and nothing else dates it") ["Stored records written by the hosting application" 0x9bd2_7a65];
    }

    /// The aggregate `security`.
    mod security at SECURITY {
        /// Security is written as an AGGREGATE.
        TYPE: Must Record Check rule "security.type" ["Stored records written by the hosting application" 0xbb80_1e3f];
        /// The aggregate's key is `security`.
        KEY: Must Record Check rule "security.key" ["Stored records written by the hosting application" 0xbb80_1e3f, "Stored records written by the hosting application" 0x9f4c_a9c8];
        /// `content.address` is the owner's address.
        OWNER: Must Record Check ["Stored records written by the hosting application" 0xbb80_1e3f];
        /// The sender is the owner's wallet and no other key.
        SIGNER: Must Record Check ["Stored records written by the hosting application" 0xbb80_1e3f];
        /// `content.content` is an object.
        BODY: Must Record Vector rule "security.body" ["Stored records written by the hosting application" 0x9f4c_a9c8];
        /// `authorizations` is an array.
        AUTHORIZATIONS: Must Record Check rule "security.authorizations" ["Stored records written by the hosting application" 0x9f4c_a9c8, "Signing of stored records" 0x4a8f_83e8];
        /// An authorization is an object.
        ENTRY: Must Record Check rule "security.entry" ["Stored records written by the hosting application" 0x9f4c_a9c8, "Signing of stored records" 0x4a8f_83e8];
        /// An authorization's `address` is an address of 42 characters.
        ENTRY_ADDRESS: Must Record Check rule "security.entry-address" ["Signing of stored records" 0xd152_c394];
        /// `pubkey` of a session key, if present, is 0x04 and 128 hexadecimal digits.
        ENTRY_PUBKEY: Must Record Check rule "security.entry-pubkey" ["Signing of stored records" 0xd152_c394];
        /// A session key's `address` is the address of its `pubkey`.
        ENTRY_PUBKEY_ADDRESS: Must Record Check rule "security.entry-pubkey-address" ["Signing of stored records" 0xd152_c394, "Primitives" 0x2aab_6cb4];
        /// An authorization's `types` is an array of strings.
        ENTRY_TYPES: Must Reader Vector rule "security.entry-types" ["Signing of stored records" 0xd152_c394];
        /// An authorization's `channels` is an array of strings.
        ENTRY_CHANNELS: Must Reader Vector rule "security.entry-channels" ["Signing of stored records" 0xd152_c394];
        /// An authorization's `aggregate_keys` is an array of strings.
        ENTRY_AGGREGATE_KEYS: Must Reader Vector rule "security.entry-aggregate-keys" ["Signing of stored records" 0xd152_c394];
        /// An authorization's `post_types` is an array of strings.
        ENTRY_POST_TYPES: Must Reader Vector rule "security.entry-post-types" ["Signing of stored records" 0xd152_c394];
        /// A session key's `types` are POST and AGGREGATE.
        SESSION_TYPES: Must Record Check ["Signing of stored records" 0xd152_c394];
        /// A session key's `channels` holds only `SVC_CHANNEL_V1`.
        SESSION_CHANNELS: Must Record Check ["Signing of stored records" 0xd152_c394, "Versioning" 0x1cbf_1b31];
        /// A session key's `aggregate_keys` are `projects` and `deployments`, not `security`.
        SESSION_AGGREGATE_KEYS: Must Record Check ["Signing of stored records" 0xd152_c394];
        /// A session key's `post_types` is empty.
        SESSION_POST_TYPES: Must Record Check ["Signing of stored records" 0xd152_c394];
        /// The delegate's authorization has no `pubkey`.
        DELEGATE_NO_PUBKEY: Must Record Check rule "security.delegate-pubkey" ["Signing of stored records" 0x1c4a_c90b];
        /// What the delegate's authorization allows is left open; the simulator's allows POST, FORGET and STORE on `SVC_CHANNEL_V1`.
        DELEGATE_ENTRY: Must Record Open("the document describes the entry of a session key and says of the delegate's only that it has no `pubkey`") ["Signing of stored records" 0x4a8f_83e8, "Signing of stored records" 0x1c4a_c90b];
        /// `encryptionKey` is an object.
        ENCRYPTION_KEY: Must Record Check rule "security.encryption-key" ["Stored records written by the hosting application" 0x9f4c_a9c8];
        /// `encryptionKey.pubkey` is 0x04 and 128 hexadecimal digits, and is a point on the curve.
        ENCRYPTION_PUBKEY: Must Record Check rule "security.encryption-pubkey" ["Stored records written by the hosting application" 0x9f4c_a9c8, "Deriving E" 0xbc36_037c];
        /// `encryptionKey.scheme` is `wallet-sig-v1`.
        ENCRYPTION_SCHEME: Must Record Check rule "security.encryption-scheme" ["Stored records written by the hosting application" 0x9f4c_a9c8];
        /// `encryptionKey.registeredAt` is an ISO 8601 time.
        ENCRYPTION_REGISTERED_AT: Must Record Check rule "security.encryption-registered-at" ["Stored records written by the hosting application" 0x9f4c_a9c8];
        /// `encryptionKey.pubkey` is the public key of the wallet's E.
        ENCRYPTION_IS_E: Must Record Check ["Stored records written by the hosting application" 0x9f4c_a9c8, "Deriving E" 0x391f_c539, "Deriving E" 0xbc36_037c, "Deriving E" 0xa0ca_2d0b];
        /// No authorization lists the encryption key.
        NOT_A_SIGNER: Must Record Check rule "security.not-a-signer" ["Stored records written by the hosting application" 0x0dd4_810c];
        /// What an explicit rotation is, is left open: the derived key never changes.
        ROTATION: Must Record Open("one sentence allows an explicit rotation and another says that the key never rotates") ["Stored records written by the hosting application" 0x8a60_1d0c, "Deriving E" 0xa0ca_2d0b];
        /// Whether security is written before or after the first project is left open.
        ORDER: Must Record Open("the document says `at first project creation`, which is neither before nor after") ["Stored records written by the hosting application" 0xbb80_1e3f, "Stored records written by the hosting application" 0x8a60_1d0c];
    }

    /// Which sender may write which record, as a reader decides it.
    mod authority {
        /// The owner of an aggregate or a FORGET is the address in `content.address`.
        OWNER_ADDRESS: Must Reader Vector rule "authority.owner-address" ["Stored records written by the hosting application" 0xec1d_d10c, "Stored records written by the hosting application" 0x5680_55c7];
        /// A record of a sender other than the owner counts only if the owner's security lists the sender.
        LISTED: Must Reader Vector rule "authority.listed" ["Signing of stored records" 0x4a8f_83e8];
        /// A listed sender writes only the types of its authorization.
        TYPES: Must Reader Vector rule "authority.types" ["Signing of stored records" 0xd152_c394];
        /// A listed sender writes only on the channels of its authorization.
        CHANNELS: Must Reader Vector rule "authority.channels" ["Signing of stored records" 0xd152_c394];
        /// A listed sender writes only aggregates under the keys of its authorization.
        AGGREGATE_KEYS: Must Reader Vector rule "authority.aggregate-keys" ["Signing of stored records" 0xd152_c394];
        /// A listed sender writes only posts of the types of its authorization.
        POST_TYPES: Must Reader Vector rule "authority.post-types" ["Signing of stored records" 0xd152_c394];
        /// An empty `post_types` allows every post within the allowed types.
        EMPTY_ALL: Must Reader Vector ["Signing of stored records" 0xd152_c394];
        /// Security counts only if the owner's wallet wrote it, whatever an authorization says.
        SECURITY_OWNER: Must Reader Vector rule "authority.security" ["Stored records written by the hosting application" 0xbb80_1e3f, "Signing of stored records" 0xd152_c394];
        /// A session key cannot forget anything.
        FORGET_SESSION: Must Reader Vector rule "authority.forget" ["Stored records written by the hosting application" 0x4308_db4d, "Stored records written by the hosting application" 0x5680_55c7, "Signing of stored records" 0xd152_c394];
        /// A claim needs no authorization, and no authorization replaces the VM's own signature.
        CLAIM_SELF: Must Reader Vector rule "authority.claim" ["Stored records written by the hosting application" 0xb37f_3c53, "Signing of stored records" 0x9dfe_9358];
        /// A record signed by the encryption key never counts.
        ENCRYPTION_NEVER: Must Reader Vector rule "authority.encryption-key" ["Stored records written by the hosting application" 0x0dd4_810c];
        /// What an empty list other than `post_types` allows is left open; Assay treats it as everything.
        EMPTY_OTHERS: Must Reader Open("the document explains an empty list for `post_types` alone") ["Signing of stored records" 0xd152_c394];
        /// Whether a deployment or a FORGET by the wallet itself counts is left open; Assay accepts it.
        OWNER_POSTS: Must Reader Open("the document names the delegate as signer and does not forbid the owner") ["Stored records written by the hosting application" 0xa12e_7ea3, "Signing of stored records" 0x9dfe_9358];
        /// The purpose of the aggregate key `deployments` is left open: deployments are posts.
        DEPLOYMENTS_KEY: Must Reader Open("the list contains the key, and no sentence describes such an aggregate") ["Signing of stored records" 0xd152_c394];
    }

    /// Forgetting a project's artifacts.
    mod forget at FORGET {
        /// A cleanup is a message of type FORGET.
        TYPE: Must Record Check rule "forget.type" ["Stored records written by the hosting application" 0x4308_db4d, "Stored records written by the hosting application" 0x5680_55c7];
        /// The sender is a delegate that the owner's `security` lists.
        DELEGATE: Must Record Check ["Stored records written by the hosting application" 0x4308_db4d, "Stored records written by the hosting application" 0x5680_55c7, "States and transitions" 0xf217_f297];
        /// `content.address` is the owner's address.
        ADDRESS: Must Record Check rule "forget.address" ["Stored records written by the hosting application" 0x5680_55c7];
        /// `content.hashes` is an array of strings.
        HASHES: Must Record Vector rule "forget.hashes" ["Stored records written by the hosting application" 0x5680_55c7];
        /// Each hash is the hash of a STORE message.
        STORES: Must Record Check ["Stored records written by the hosting application" 0x5680_55c7];
        /// A hash that cannot be forgotten is left out, so that the others are forgotten.
        CLASSIFIED: Must Record Check rule "forget.classified" ["Reading the STORE message (recovery rules)" 0xea18_8145, "Reading the STORE message (recovery rules)" 0x4b4f_2171];
        /// The hashes include every `storeRef` of the project that can be forgotten.
        EVERY: Must Record Check rule "forget.every" ["States and transitions" 0x879c_5482];
        /// No hash is another project's `storeRef`.
        OWN: Must Record Check rule "forget.own" ["States and transitions" 0x879c_5482];
        /// Deleting a project sends one FORGET; another one may follow a FORGET that was rejected.
        ONE: Should Record Check ["Stored records written by the hosting application" 0x4308_db4d, "States and transitions" 0x879c_5482];
        /// Which bytes of a FORGET are signed is left open; Assay signs `hashes` in the place of `content`.
        SIGNED_BYTES: Must Record Open("the canonical JSON of the document has no place for `hashes`") ["Stored records written by the hosting application" 0x5680_55c7, "Signing of stored records" 0x241b_c8ec];
        /// Whether a hash may appear twice is left open; the simulator writes it once.
        DEDUPLICATED: Must Record Open("the document calls `hashes` an array and not a set") ["Stored records written by the hosting application" 0x5680_55c7, "States and transitions" 0x879c_5482];
        /// Whether a FORGET follows for a project without artifacts is left open; the simulator sends none.
        EMPTY: Must Record Open("the document says `one FORGET for all values` and does not mention that there may be none") ["Stored records written by the hosting application" 0x5680_55c7, "States and transitions" 0x879c_5482];
        /// What happens to artifacts that only a `cid` names is left open; they are reported and not forgotten.
        LEGACY: Must Record Open("a FORGET names STORE messages, and such a record names none") ["States and transitions" 0x879c_5482, "Stored records written by the hosting application" 0x2037_1ae9];
    }

    /// The records of an owner, in their order.
    mod history {
        /// A terminal amend is not older than its creation.
        QUEUED_FIRST: Should Record Check at TERMINAL ["States and transitions" 0x1f9d_979d, "States and transitions" 0xd1ab_f0dd, "States and transitions" 0xbf92_78e7];
        /// A terminal amend keeps the `createdAt` of its creation.
        QUEUED_AT_KEPT: Should Record Check at TERMINAL ["Stored records written by the hosting application" 0x6e6b_b9a5];
        /// A deployment is created once.
        ONE_CREATION: Should Record Check at CREATION ["Stored records written by the hosting application" 0xa12e_7ea3, "Stored records written by the hosting application" 0xbb79_9b3e];
        /// A new deployment has one terminal amend and no third message.
        ONE_AMEND: Should Record Check at TERMINAL ["Stored records written by the hosting application" 0xa12e_7ea3, "Stored records written by the hosting application" 0x6e6b_b9a5];
        /// A deployment that has ended has its terminal amend.
        FINISHES: Must Record Check at TERMINAL ["Stored records written by the hosting application" 0xa12e_7ea3, "States and transitions" 0xd1ab_f0dd, "States and transitions" 0xbf92_78e7];
        /// Later projects do not change the encryption key; only an explicit rotation does.
        SECURITY_ONCE: Should Record Check at PROJECT_CREATION ["Stored records written by the hosting application" 0xbb80_1e3f, "Stored records written by the hosting application" 0x8a60_1d0c, "Deriving E" 0xa0ca_2d0b];
        /// An owner with a project has security.
        SECURITY_EXISTS: Must Record Check at SECURITY ["Stored records written by the hosting application" 0xbb80_1e3f, "Stored records written by the hosting application" 0x8a60_1d0c];
        /// A project's `createdAt` does not change.
        CREATED_AT_KEPT: Should Record Check at PROJECT_CHANGES ["Stored records written by the hosting application" 0xd1d1_75f9];
        /// An edit moves a project's `updatedAt` forward, never back.
        UPDATED_AT_MOVES: Should Record Check at PROJECT_CHANGES ["Stored records written by the hosting application" 0xd1d1_75f9];
        /// How many entries a write changes is left open.
        MAP_KEPT: Must Record Open("the document gives a frequency, and says nothing about the entries that a write changes") at MAPS ["Stored records written by the hosting application" 0xec1d_d10c];
        /// A deleted project's entry remains in the map, with `public.deleted` true.
        ENTRY_STAYS: Must Record Check at MAPS ["States and transitions" 0x879c_5482];
        /// A deleted project's entry keeps its framework and its target.
        PUBLIC_KEPT: Should Record Check at PROJECT_DELETION ["States and transitions" 0x879c_5482];
        /// A deleted project is never restored.
        DELETED_STAYS: Should Record Check at MAPS ["States and transitions" 0x879c_5482];
        /// A project's artifacts are forgotten after its entry is marked as deleted.
        TOMBSTONE_FIRST: Should Record Check at FORGET ["States and transitions" 0x879c_5482];
        /// No IV is used in two envelopes.
        FRESH_IV: Should Record Check at SEALED ["Stored records written by the hosting application" 0x6006_407c, "Primitives" 0x2aab_6cb4];
        /// No key encrypts two envelopes.
        FRESH_KEY: Should Record Check at SEALED ["Stored records written by the hosting application" 0x6006_407c, "Decryption of an envelope" 0x4758_5e17];
    }

    /// Amend chains.
    mod amends {
        /// A chain starts with the POST of type `svc-cloud-deployment`.
        CREATION: Must Reader Vector rule "amend.creation" ["Amend chain resolution" 0xa23b_f7c9];
        /// An amend follows the record whose item hash is its `ref`.
        REF: Must Reader Vector ["Amend chain resolution" 0x78ea_ea97];
        /// An amend of an amend is followed, up to the last one.
        FORWARD: Must Reader Vector ["Amend chain resolution" 0x117a_d0d9];
        /// The content of the last record is the deployment's state.
        CONTENT: Must Reader Vector ["Amend chain resolution" 0xb5ae_7266];
        /// Of two amends of one record the one with the larger `time` wins.
        LARGER_TIME: Must Reader Vector ["Amend chain resolution" 0x1fdc_4403];
        /// Only amends of the same record are compared: an amend of a losing amend loses too.
        LOCAL: Must Reader Vector ["Amend chain resolution" 0x117a_d0d9, "Amend chain resolution" 0x1fdc_4403];
        /// An amend whose sender has no authority is ignored before times are compared.
        AUTHORITY: Must Reader Vector ["Signing of stored records" 0x9dfe_9358, "Signing of stored records" 0x4a8f_83e8, "Amend chain resolution" 0x78ea_ea97];
        /// The order in which records arrive changes nothing.
        ORDER: Must Reader Vector ["Amend chain resolution" 0x117a_d0d9, "Amend chain resolution" 0x1fdc_4403];
        /// Which of two amends of the same second wins is left open; Assay uses the one with the smaller hash.
        TIE: Must Reader Open("the larger time wins, and no sentence orders amends of the same second") rule "amend.tie" ["Amend chain resolution" 0x1fdc_4403];
        /// The meaning of amends that refer to one another is left open; reading them terminates.
        CYCLE: Must Reader Open("the document follows references forward and does not mention a cycle") rule "amend.cycle" ["Amend chain resolution" 0x117a_d0d9];
        /// The meaning of an amend of an unknown record is left open; a note names it.
        DANGLING: Must Reader Open("the document starts at the creation and does not mention other amends") rule "amend.dangling" ["Amend chain resolution" 0x78ea_ea97];
        /// Whether an amend may be older than the record it amends is left open; Assay accepts it.
        OLDER: Must Reader Open("the document compares the times of two amends, not of an amend and its target") ["Amend chain resolution" 0x1fdc_4403];
        /// The meaning of an amend with another deployment's id is left open; a note names it.
        OTHER_DEPLOYMENT: Must Reader Open("the document finds amends by their `ref` alone") rule "amend.other-deployment" ["Amend chain resolution" 0x78ea_ea97, "Amend chain resolution" 0xb5ae_7266];
    }

    /// Recovering an owner's history.
    mod recovery {
        /// The owner's wallet key alone recovers projects and deployments.
        OWNER_ALONE: Must Reader Vector ["What the service does" 0x3711_ad20];
        /// An artifact's reference is taken from the deployment's last record.
        CONTENT: Must Reader Vector ["Endpoints" 0x0f3d_628a, "Amend chain resolution" 0xb5ae_7266];
        /// Records of senders without authority change no result.
        STRANGERS: Must Reader Vector ["Signing of stored records" 0xef7f_2ed3, "Signing of stored records" 0x4a8f_83e8];
        /// Before a message is reported absent, another node is queried.
        ASK_OTHERS: Must Reader Vector ["Reading the STORE message (recovery rules)" 0x9608_3658, "What the service does" 0x38f4_f085];
        /// No STORE message is looked up for a record that holds its content identifier.
        LEGACY_NO_LOOKUP: Must Reader Vector ["Stored records written by the hosting application" 0x2037_1ae9];
        /// The backend decrypts envelopes of version 3 with the encryption key.
        ROLE_BACKEND: Must Reader Vector ["Stored records written by the hosting application" 0xe130_6972];
        /// A recovery tool decrypts with the wallet key whatever the version.
        ROLE_RECOVERY: Must Reader Vector ["Stored records written by the hosting application" 0xe37e_5aac];
        /// The artifact of a live deployment of a project that is not deleted resolves to a content identifier.
        LIVE_RESOLVES: Must Record Check at STORES ["Endpoints" 0x0f3d_628a, "Stored records written by the hosting application" 0x5aae_318a];
        /// The meaning of a malformed record for the others is left open; a note names it, and the others are read.
        MALFORMED_NAMED: Must Reader Open("the document tells readers to tolerate older records, and nothing about malformed ones") ["Versioning" 0xc7fa_91d4];
        /// Request and response of rehydration are not shown; both are the simulator's own.
        REHYDRATE: Must Server Open("the document says `not shown` for request and response of this call") ["Endpoints" 0x83e8_19e7];
    }
}
