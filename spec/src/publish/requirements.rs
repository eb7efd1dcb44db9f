//! Every statement of document 3 about the signed publishing exchange, one row each.

crate::requirements! {
    service Publish;

    /// Canonical domains.
    mod domain {
        /// A canonical domain has no bytes but lower-case ASCII letters, digits, hyphens and the dots between labels.
        ALPHABET: Must Record Vector rule "domain.alphabet" ["Canonical domain" 1 0x91ca_cac8];
        /// A canonical domain does not end in a dot.
        NO_TRAILING_DOT: Must Record Vector rule "domain.trailing-dot" ["Canonical domain" 1 0x91ca_cac8];
        /// A canonical domain has two labels or more.
        TWO_LABELS: Must Record Vector rule "domain.two-labels" ["Canonical domain" 1 0x91ca_cac8];
        /// Each label of a canonical domain has 1 to 63 characters.
        LABEL_LENGTH: Must Record Vector rule "domain.label-length" ["Canonical domain" 1 0x91ca_cac8];
        /// No label of a canonical domain begins or ends with a hyphen.
        NO_EDGE_HYPHEN: Must Record Vector rule "domain.hyphen" ["Canonical domain" 1 0x91ca_cac8];
        /// A canonical domain has at most 253 characters.
        TOTAL_LENGTH: Must Record Vector rule "domain.length" ["Canonical domain" 1 0x91ca_cac8];
    }

    /// The `Authorization` header of both endpoints, and what a server answers when it is wrong.
    mod envelope {
        /// The header is the scheme word, one space and the envelope; any other word or spacing is refused.
        SCHEME: Must Server Check rule "vfkey.envelope" ["Request envelope (header `Authorization`)" 1 0x8119_accd, "Exchange (both endpoints)" 1 0x764f_cb51];
        /// The envelope is two parts with a single dot between them.
        TWO_PARTS: Must Server Check rule "vfkey.envelope" ["Request envelope (header `Authorization`)" 1 0x8119_accd];
        /// Both parts are base64url without padding; padding and the other alphabet are refused.
        BASE64URL: Must Server Check rule "vfkey.envelope" ["Request envelope (header `Authorization`)" 2 0xe8b0_769a, "Request envelope (header `Authorization`)" 3 0xb07a_33c8];
        /// The signature part decodes to exactly 64 bytes.
        SIGNATURE_LENGTH: Must Server Check rule "vfkey.envelope" ["Request envelope (header `Authorization`)" 3 0xb07a_33c8];
        /// The message begins with the envelope prefix of version 1.
        PREFIX: Must Server Check rule "vfkey.envelope" ["Request envelope (header `Authorization`)" 4 0x5646_86c5, "Versioning" 1 0x38d2_f117];
        /// What follows the prefix is a JSON object with six keys, none missing and none besides.
        SIX_KEYS: Must Server Check rule "vfkey.envelope" ["Request envelope (header `Authorization`)" 4 0x5646_86c5, "Exchange (both endpoints)" 3 0x061b_cd5b];
        /// `v` is the number 1.
        VERSION: Must Server Check rule "vfkey.envelope" ["Request envelope (header `Authorization`)" 5 0xe12b_66e4];
        /// The keys may stand in any order, since the signature covers the bytes as sent.
        KEY_ORDER_FREE: Must Server Check ["Exchange (both endpoints)" 3 0x061b_cd5b];
        /// `m` is the request's method.
        METHOD: Must Server Check rule "vfkey.method-path" ["Request envelope (header `Authorization`)" 6 0x6d14_10db, "Exchange (both endpoints)" 4 0x3b48_193f];
        /// `p` is the request's path as sent.
        PATH: Must Server Check rule "vfkey.method-path" ["Request envelope (header `Authorization`)" 7 0xc22b_dcff, "Exchange (both endpoints)" 4 0x3b48_193f];
        /// The query is no part of `p`.
        QUERY_NOT_SIGNED: Must Server Check ["Request envelope (header `Authorization`)" 7 0xc22b_dcff];
        /// `t` is a text that parses to a time.
        TIME_FORM: Must Server Check rule "vfkey.time" ["Request envelope (header `Authorization`)" 9 0xb4dc_293a, "Exchange (both endpoints)" 5 0x6a74_be82];
        /// `t` is at most 10 minutes before or after the server's clock.
        TIME_WINDOW: Must Server Check rule "vfkey.time" ["Exchange (both endpoints)" 5 0x6a74_be82, "Limits" 3 0x1999_43c9];
        /// `h` is the SHA-256 of the body bytes as received.
        BODY_HASH: Must Server Check rule "vfkey.body-hash" ["Request envelope (header `Authorization`)" 10 0x2383_9bde, "Exchange (both endpoints)" 6 0xd02c_8d66];
        /// The hash of nothing is good for an empty body.
        EMPTY_BODY: Must Server Check ["Request envelope (header `Authorization`)" 10 0x2383_9bde];
        /// `d` is canonical as sent; the server does not normalise it into a domain that is bound.
        DOMAIN_AS_SENT: Must Server Check rule "vfkey.domain" ["Request envelope (header `Authorization`)" 8 0x314f_ac8d, "Exchange (both endpoints)" 7 0xe78f_a865];
        /// A domain without a live binding is refused.
        BINDING: Must Server Check rule "vfkey.binding" ["Exchange (both endpoints)" 8 0xf7ad_6cad, "Domain binding" 1 0x6e56_f18c];
        /// The signature verifies over exactly the message bytes as sent, under the key bound to the domain.
        SIGNATURE: Must Server Check rule "vfkey.binding" ["Request envelope (header `Authorization`)" 3 0xb07a_33c8, "Exchange (both endpoints)" 3 0x061b_cd5b, "Exchange (both endpoints)" 8 0xf7ad_6cad];
        /// An account without the feature is answered like a wrong envelope.
        FEATURE: Must Server Check ["Exchange (both endpoints)" 12 0x815b_2072, "Errors" 2 0x20c3_886d];
        /// Every authentication failure has the same plain-text answer, byte for byte.
        BLANKET: Must Server Check ["Exchange (both endpoints)" 12 0x815b_2072, "Errors" 1 0x9832_6688, "Errors" 2 0x20c3_886d];
        /// A request that is not authenticated learns nothing about its body.
        BEFORE_BODY: Must Server Check ["Exchange (both endpoints)" 12 0x815b_2072, "Errors" 2 0x20c3_886d];
    }

    /// The first call of the exchange.
    mod prepare {
        /// `prepareId` is a UUID, another one for every prepare.
        PREPARE_ID: Must Server Check ["POST /api/vf-cli/publish/prepare" 8 0x8174_af1a];
        /// `message` is the transaction message in standard base64.
        MESSAGE: Must Server Check ["POST /api/vf-cli/publish/prepare" 7 0xb731_1fef, "POST /api/vf-cli/publish/prepare" 9 0x2a7a_41c8];
        /// `feePayer` is the base58 address of account 0 of the message.
        FEE_PAYER: Must Server Check ["POST /api/vf-cli/publish/prepare" 10 0xc200_ec34];
        /// `lastValidBlockHeight` is an integer, not negative.
        LAST_VALID_BLOCK_HEIGHT: Must Server Check ["POST /api/vf-cli/publish/prepare" 11 0xfc90_78e4];
        /// `payload` is the text of the record that the message carries.
        PAYLOAD: Must Server Check ["POST /api/vf-cli/publish/prepare" 12 0xe67d_7345];
        /// `expiresAt` is 60 seconds after the prepare, in milliseconds.
        EXPIRES_AT: Must Server Check ["POST /api/vf-cli/publish/prepare" 13 0xf1d1_fbb9, "Limits" 5 0xc557_8809];
        /// `txtObserved` is null or an object of `vault`, `agreeing`, `required`, `reason` and `at`.
        TXT_OBSERVED: Must Server Check ["POST /api/vf-cli/publish/prepare" 14 0x21a0_1573];
        /// A body that is no JSON object is a malformed request.
        BODY_JSON: Must Server Check ["Endpoints" 2 0xd924_cff3, "POST /api/vf-cli/publish/prepare" 1 0x04ac_a038, "Errors" 3 0xd64e_6bfb];
        /// `domain` must be given, as a string.
        DOMAIN_REQUIRED: Must Server Check ["POST /api/vf-cli/publish/prepare" 2 0xd4b0_d9bd, "Errors" 3 0xd64e_6bfb];
        /// The body's domain is the envelope's; another one is answered like a wrong envelope.
        DOMAIN_MATCH: Must Server Check ["POST /api/vf-cli/publish/prepare" 2 0xd4b0_d9bd, "Exchange (both endpoints)" 10 0xbd44_3aa3, "Errors" 2 0x20c3_886d];
        /// White space around the body's domain is trimmed.
        DOMAIN_TRIMMED: Must Server Check ["POST /api/vf-cli/publish/prepare" 2 0xd4b0_d9bd];
        /// `cid` must be given for a publish, as a string that is not empty.
        CID_REQUIRED: Must Server Check ["POST /api/vf-cli/publish/prepare" 3 0x3936_45f6, "Errors" 3 0xd64e_6bfb];
        /// Whatever text `cid` holds is taken; the service does not validate it.
        CID_NOT_VALIDATED: Must Server Check ["POST /api/vf-cli/publish/prepare" 3 0x3936_45f6];
        /// A version that is omitted or empty becomes `0`.
        VERSION_DEFAULT: Must Server Check ["POST /api/vf-cli/publish/prepare" 4 0xa13d_f808];
        /// A version must be a string.
        VERSION_STRING: Must Server Check ["POST /api/vf-cli/publish/prepare" 4 0xa13d_f808, "Errors" 3 0xd64e_6bfb];
        /// `op` omitted publishes, as `pub` does.
        OP_DEFAULT: Must Server Check ["POST /api/vf-cli/publish/prepare" 5 0x0704_24b4];
        /// An operation that is not known is malformed.
        OP_KNOWN: Must Server Check ["POST /api/vf-cli/publish/prepare" 5 0x0704_24b4, "Errors" 3 0xd64e_6bfb];
        /// A transfer names the new authority as the key scheme and a base58 public key.
        NEW_AUTHORITY: Must Server Check ["POST /api/vf-cli/publish/prepare" 6 0xf7dc_a569];
        /// The new authority differs from the key that is bound.
        NEW_AUTHORITY_DIFFERS: Must Server Check ["POST /api/vf-cli/publish/prepare" 6 0xf7dc_a569, "Errors" 3 0xd64e_6bfb];
        /// A domain has one publish in flight at most; a second prepare is refused.
        ONE_IN_FLIGHT: Must Server Check ["States and transitions" 1 0x11f0_65de, "Errors" 4 0x23ca_2cb3];
        /// The one-in-flight lock is the domain's own; other domains are free.
        LOCK_PER_DOMAIN: Must Server Check ["States and transitions" 1 0x11f0_65de];
        /// A replayed prepare meets the lock like any other.
        REPLAY: Must Server Check ["Exchange (both endpoints)" 11 0x8c81_47fa];
        /// A prepare that was never submitted expires and leaves the domain free.
        LOCK_EXPIRES: Must Server Check ["States and transitions" 4 0xecca_fb99];
        /// A domain whose binding is not publishable is refused.
        PUBLISHABLE: Must Server Check ["States and transitions" 1 0x11f0_65de, "Errors" 4 0x23ca_2cb3];
        /// A record that does not fit one transaction is refused, and nothing is locked by it.
        RECORD_FITS: Must Server Check ["Errors" 3 0xd64e_6bfb];
    }

    /// What every endpoint of the exchange keeps.
    mod exchange {
        /// Refusals are JSON objects with a text `error`, except the blanket 404 and the 413.
        ERROR_JSON: Must Server Check ["Errors" 1 0x9832_6688];
        /// A body over 64 KiB is refused, in plain text; one below is not.
        BODY_LIMIT: Must Server Check ["Endpoints" 2 0xd924_cff3, "Errors" 1 0x9832_6688, "Errors" 6 0x7b8d_73b3, "Limits" 2 0xab44_1245];
        /// A domain has at most 30 publishes in a rolling day.
        DAILY_LIMIT: Must Server Check ["Errors" 7 0x116e_f23c, "Limits" 8 0xa453_170c];
        /// The day of the publish limit rolls.
        DAILY_WINDOW: Must Server Check ["Limits" 8 0xa453_170c];
        /// An address has at most 30 requests a minute; the refusal says when to come back.
        RATE_PER_IP: Must Server Check ["Errors" 7 0x116e_f23c, "Limits" 9 0x22b8_c295];
        /// A standby node says that it is not the primary, and why.
        STANDBY: Must Server Check ["Errors" 9 0x3a20_9d00];
        /// A passive backend says so.
        PASSIVE: Must Server Check ["Errors" 9 0x3a20_9d00];
    }

    /// The text that is written to the chain.
    mod record {
        /// A record begins with the record prefix of version 1, the kind it was asked for and a colon.
        KIND: Must Server Check ["The record (memo data)" 1 0xa822_12f1, "Versioning" 1 0x38d2_f117];
        /// The object has its keys in the kind's order and no others.
        KEYS: Must Server Check ["The record (memo data)" 1 0xa822_12f1, "The record (memo data)" 3 0xfeb7_e83f];
        /// The object holds no white space between its tokens.
        COMPACT: Must Server Check ["The record (memo data)" 1 0xa822_12f1];
        /// Quotes, backslashes and control characters are escaped as JSON does, and nothing else.
        ESCAPING: Must Server Check ["The record (memo data)" 1 0xa822_12f1];
        /// `d` is the domain asked for.
        DOMAIN: Must Server Check ["The record (memo data)" 3 0xfeb7_e83f, "Signed publishing exchange" 3 0x3ac0_9098];
        /// `c` is the content identifier asked for.
        CID: Must Server Check ["The record (memo data)" 3 0xfeb7_e83f, "Signed publishing exchange" 3 0x3ac0_9098];
        /// `v` is the version asked for.
        VERSION: Must Server Check ["The record (memo data)" 3 0xfeb7_e83f, "Signed publishing exchange" 3 0x3ac0_9098];
        /// `t` has exactly three decimals and a `Z`.
        TIME_FORM: Must Server Check ["The record (memo data)" 3 0xfeb7_e83f];
        /// `t` is the time at which the service prepared the record.
        TIME_NOW: Must Server Check ["The record (memo data)" 3 0xfeb7_e83f];
        /// A transfer record holds domain, new vault and time.
        TRANSFER: Must Server Check ["The record (memo data)" 4 0xcb3b_966b];
        /// An accept record holds domain, transaction signature of the pending transfer and time.
        ACCEPT: Must Server Check ["The record (memo data)" 5 0x2a00_b5d9];
        /// Every value of a record is a string that is not empty.
        NOT_EMPTY: Must Record Vector rule "record.empty" ["The record (memo data)" 2 0x2281_4a8d];
        /// A record is strict UTF-8: the record prefix, a known kind, a colon and a JSON object of strings.
        FORM: Must Record Vector rule "record.form" ["The record (memo data)" 1 0xa822_12f1, "The record (memo data)" 3 0xfeb7_e83f, "The record (memo data)" 4 0xcb3b_966b, "The record (memo data)" 5 0x2a00_b5d9];
        /// A record's domain is canonical.
        CANONICAL_DOMAIN: Must Record Vector rule "record.domain" ["The record (memo data)" 3 0xfeb7_e83f];
        /// A record's time is exactly ISO 8601 with milliseconds and `Z`.
        EXACT_TIME: Must Record Vector rule "record.time" ["The record (memo data)" 3 0xfeb7_e83f];
        /// A record is its own canonical encoding, byte for byte.
        CANONICAL: Must Record Vector rule "record.canonical" ["The record (memo data)" 1 0xa822_12f1];
    }

    /// The transaction message that carries the record.
    mod message {
        /// The message is a legacy one in shortest encoding, with nothing left over.
        LEGACY: Must Server Check rule "message.encoding" ["The transaction message" 1 0x96b4_2889];
        /// The header counts two signers, one read-only signer and one read-only account without signature.
        HEADER: Must Server Check ["The transaction message" 2 0x1dad_ed2a];
        /// Account 0 is the service's fee payer, and not the client.
        FEE_PAYER: Must Server Check ["The transaction message" 3 0xe4ad_b306];
        /// Account 1 is the publishing key.
        CLIENT: Must Server Check ["The transaction message" 4 0x483b_58a2];
        /// Account 2 is the chain's memo program.
        MEMO_PROGRAM: Must Server Check ["The transaction message" 5 0xcf68_673c];
        /// The message has these three accounts and no more.
        THREE_ACCOUNTS: Must Server Check ["The transaction message" 2 0x1dad_ed2a, "The transaction message" 3 0xe4ad_b306, "The transaction message" 4 0x483b_58a2, "The transaction message" 5 0xcf68_673c];
        /// The message has one instruction.
        ONE_INSTRUCTION: Must Server Check ["The transaction message" 7 0xd52a_f16c];
        /// The instruction's program is the memo program.
        INSTRUCTION_PROGRAM: Must Server Check ["The transaction message" 7 0xd52a_f16c];
        /// The instruction's accounts are account 1 alone.
        INSTRUCTION_ACCOUNTS: Must Server Check ["The transaction message" 7 0xd52a_f16c];
        /// The recent blockhash is one the chain still accepts.
        BLOCKHASH: Must Server Check ["The transaction message" 6 0xa2a1_d422];
    }

    /// The second call of the exchange.
    mod submit {
        /// A good signature lands the record, and the answer comes once it is confirmed.
        LANDS: Must Server Check ["States and transitions" 2 0x05a3_de43, "POST /api/vf-cli/publish/submit" 3 0xabe4_670e, "Signed publishing exchange" 2 0xd2f5_9d6d];
        /// `signature` is the fee payer's signature over the message, in base58.
        SIGNATURE: Must Server Check ["POST /api/vf-cli/publish/submit" 4 0x1888_daf0, "States and transitions" 2 0x05a3_de43];
        /// `prepareId` and `signature` must be given.
        FIELDS: Must Server Check ["POST /api/vf-cli/publish/submit" 1 0x50df_85c1, "POST /api/vf-cli/publish/submit" 2 0xd844_b0b9, "Errors" 3 0xd64e_6bfb];
        /// A signature that is not standard base64 of 64 bytes is malformed.
        SIGNATURE_FORM: Must Server Check ["POST /api/vf-cli/publish/submit" 1 0x50df_85c1, "States and transitions" 3 0x3b51_e480, "Errors" 3 0xd64e_6bfb];
        /// A signature that does not verify over the prepared message is refused.
        SIGNATURE_VERIFIES: Must Server Check ["POST /api/vf-cli/publish/submit" 1 0x50df_85c1, "States and transitions" 3 0x3b51_e480, "Errors" 3 0xd64e_6bfb];
        /// A refused signature leaves the prepare usable.
        STAYS_PREPARED: Must Server Check ["States and transitions" 3 0x3b51_e480, "Errors" 3 0xd64e_6bfb];
        /// A refused signature does not prolong the prepare.
        EXPIRY_UNCHANGED: Must Server Check ["States and transitions" 3 0x3b51_e480];
        /// An unknown `prepareId` is gone.
        UNKNOWN: Must Server Check ["Errors" 5 0x0a1f_7938];
        /// After 60 seconds a prepare is gone.
        EXPIRED: Must Server Check ["States and transitions" 4 0xecca_fb99, "Errors" 5 0x0a1f_7938];
        /// A prepare of another domain is out of reach.
        FOREIGN: Must Server Check ["POST /api/vf-cli/publish/submit" 2 0xd844_b0b9];
        /// The same submit again, within 60 seconds, returns the same signature.
        REPEAT: Must Server Check ["States and transitions" 6 0x41d5_f7e6, "Exchange (both endpoints)" 11 0x8c81_47fa, "Limits" 6 0x08c0_4ce7];
        /// A repeated submit writes no second record.
        NO_SECOND_RECORD: Must Server Check ["States and transitions" 6 0x41d5_f7e6];
        /// A prepare that is being submitted is not submitted again.
        IN_FLIGHT: Must Server Check ["Errors" 4 0x23ca_2cb3];
        /// A confirmed publish leaves the domain free.
        LOCK_FREED: Must Server Check ["States and transitions" 2 0x05a3_de43];
        /// A blockhash that expires before confirmation ends the prepare.
        BLOCKHASH_EXPIRED: Must Server Check ["States and transitions" 5 0x8a3f_b54e, "Errors" 5 0x0a1f_7938];
        /// A transaction that the chain rejects is a failure of the on-chain path.
        REJECTED: Must Server Check ["Errors" 8 0x7b05_700c];
        /// After about three minutes without an answer from the chain the service stops waiting, and says so.
        SAFETY_CEILING: Must Server Check ["Errors" 5 0x0a1f_7938, "Limits" 7 0x4e0e_4ddc];
        /// An unresolved publish keeps the domain locked, since it can still land.
        UNRESOLVED_LOCK: Must Server NotObservable("the documents do not say when the lock is freed; the simulator's own walk holds it") ["Errors" 5 0x0a1f_7938];
    }

    /// A domain handed from one key to another.
    mod transfer {
        /// A confirmed transfer freezes the old key, and the refusal names the cause.
        FREEZES: Must Server Check ["States and transitions" 7 0x92b4_598d, "Errors" 4 0x23ca_2cb3, "Transfer and accept" 2 0xefdf_eba4];
        /// A transfer that was only prepared freezes nothing.
        FREEZES_ONCE_CONFIRMED: Must Server Check ["States and transitions" 7 0x92b4_598d];
        /// While a transfer is pending, an accept by the incoming key is admitted.
        ACCEPT_ADMITTED: Must Server Check ["States and transitions" 8 0xecc3_89ec, "Transfer and accept" 3 0x7574_d3cc, "Exchange (both endpoints)" 9 0xec4f_533a];
        /// An accept is refused while no transfer is pending.
        ACCEPT_NEEDS_PENDING: Must Server Check ["Transfer and accept" 3 0x7574_d3cc, "Exchange (both endpoints)" 9 0xec4f_533a];
        /// An accept by a key that is not the incoming one is refused.
        ACCEPT_BY_INCOMING: Must Server Check ["Transfer and accept" 3 0x7574_d3cc, "Exchange (both endpoints)" 9 0xec4f_533a];
        /// The incoming key may do nothing but accept.
        INCOMING_ONLY_ACCEPTS: Must Server Check ["Exchange (both endpoints)" 8 0xf7ad_6cad, "Exchange (both endpoints)" 9 0xec4f_533a];
        /// A submit of an accept says so in its body.
        ACCEPT_SAYS_SO: Must Server Check ["POST /api/vf-cli/publish/submit" 1 0x50df_85c1, "Transfer and accept" 3 0x7574_d3cc];
        /// A second accept for the same transfer is refused.
        SECOND_ACCEPT: Must Server Check ["States and transitions" 8 0xecc3_89ec, "Errors" 4 0x23ca_2cb3];
    }

    /// What anyone sees on the chain.
    mod chain {
        /// The confirmed transaction is found under the returned signature, without an error.
        FOUND: Must Server Check ["Events" 2 0x97bd_3c38, "Signed publishing exchange" 5 0x2b65_79f5];
        /// The confirmed transaction carries exactly the message that was signed, under both signatures.
        MESSAGE: Must Server Check ["Signed publishing exchange" 2 0xd2f5_9d6d, "Signed publishing exchange" 5 0x2b65_79f5];
        /// The log shows the memo program's invocation and its success.
        INVOCATION: Must Server Check ["Events" 2 0x97bd_3c38];
        /// The log names the publishing key as signer, inside the invocation.
        SIGNED_BY: Must Server Check ["Events" 2 0x97bd_3c38, "Signed publishing exchange" 5 0x2b65_79f5];
        /// The log shows the memo with its length in bytes.
        MEMO_LINE: Must Server Check ["Events" 2 0x97bd_3c38];
    }

    /// What a client verifies before it signs.
    mod check {
        /// The message decodes as a legacy message and encodes back to the same bytes.
        ENCODING: Must Client Vector rule "check.encoding" ["Checks the client runs before signing" 2 0xba31_a275];
        /// The header asks for two signatures.
        TWO_SIGNATURES: Must Client Vector rule "check.two-signatures" ["Checks the client runs before signing" 3 0x53ed_2d33];
        /// Account 1 is the client's key.
        CLIENT_ACCOUNT: Must Client Vector rule "check.client-account" ["Checks the client runs before signing" 4 0xe2f0_5670];
        /// Account 0 is not the client's key.
        FEE_PAYER: Must Client Vector rule "check.fee-payer" ["Checks the client runs before signing" 5 0xd36f_754f];
        /// There is one instruction.
        ONE_INSTRUCTION: Must Client Vector rule "check.one-instruction" ["Checks the client runs before signing" 6 0xf4ab_60ca];
        /// Its program is the memo program.
        MEMO_PROGRAM: Must Client Vector rule "check.memo-program" ["Checks the client runs before signing" 7 0xc56c_0bcb];
        /// Its accounts are account 1 alone.
        INSTRUCTION_ACCOUNTS: Must Client Vector rule "check.instruction-accounts" ["Checks the client runs before signing" 8 0x6f6c_1195];
        /// The data is strict UTF-8 and parses as a record with no empty field and a canonical domain.
        RECORD_FORM: Must Client Vector rule "check.record-form" ["Checks the client runs before signing" 9 0x8b8b_067e];
        /// The data is the canonical encoding of that record.
        RECORD_CANONICAL: Must Client Vector rule "check.record-canonical" ["Checks the client runs before signing" 10 0xa009_030f, "Checks the client runs before signing" 15 0x90b7_5971];
        /// The kind is the one that was asked for.
        KIND: Must Client Vector rule "check.kind" ["Checks the client runs before signing" 11 0xbb82_14f6];
        /// The domain is the one that was asked for.
        DOMAIN: Must Client Vector rule "check.domain" ["Checks the client runs before signing" 12 0x7dc0_01be];
        /// Content identifier and version, new authority or transfer are the ones that were asked for.
        FIELDS: Must Client Vector rule "check.fields" ["Checks the client runs before signing" 13 0x9511_f996];
        /// The time has exactly the record's form and is within 10 minutes of the client's clock.
        TIME: Must Client Vector rule "check.time" ["Checks the client runs before signing" 14 0xbe9d_b04f, "Limits" 4 0xe91c_43e1];
    }

    /// How a client goes through the exchange.
    mod client {
        /// Given a conforming exchange, the client signs exactly the bytes of `message`, and one record lands.
        PUBLISHES: Must Client Client ["POST /api/vf-cli/publish/prepare" 9 0x2a7a_41c8, "POST /api/vf-cli/publish/submit" 1 0x50df_85c1];
        /// Every request is JSON by its `Content-Type`.
        CONTENT_TYPE: Must Client Client ["Endpoints" 2 0xd924_cff3];
        /// Every request carries an envelope of its own, with the time in exactly the printed form.
        ENVELOPE: Must Client Client ["Request envelope (header `Authorization`)" 9 0xb4dc_293a, "Exchange (both endpoints)" 1 0x764f_cb51];
        /// A client that sends no version expects `0`, and nothing else.
        DEFAULT_VERSION: Must Client Client ["POST /api/vf-cli/publish/prepare" 4 0xa13d_f808];
        /// `payload` is for display; whatever it says, the bytes of `message` decide.
        MESSAGE_DECIDES: Must Client Client ["POST /api/vf-cli/publish/prepare" 12 0xe67d_7345];
        /// A TXT record that names another key is a warning at most.
        TXT_WARNS: Must Client Client ["POST /api/vf-cli/publish/prepare" 14 0x21a0_1573];
        /// Clocks that differ by less than 10 minutes keep nobody from publishing.
        SKEW_TOLERATED: Must Client Client ["Checks the client runs before signing" 14 0xbe9d_b04f, "Limits" 3 0x1999_43c9, "Limits" 4 0xe91c_43e1];
        /// A submit is waited for until it is answered.
        WAITS: Must Client Client ["POST /api/vf-cli/publish/submit" 3 0xabe4_670e];
        /// A submit whose answer was lost is sent again as it was; nothing is prepared anew.
        RESUBMITS: Must Client Client ["States and transitions" 6 0x41d5_f7e6, "Exchange (both endpoints)" 11 0x8c81_47fa];
        /// A plain 410 is answered by one new prepare.
        PREPARES_AGAIN: Must Client Client ["Errors" 5 0x0a1f_7938];
        /// A second 410 in a row ends it.
        SECOND_GONE_STOPS: Must Client Client ["Errors" 5 0x0a1f_7938];
        /// After a safety ceiling no second record is signed while the first can land.
        SAFETY_CEILING: Must Client Client ["Errors" 5 0x0a1f_7938];
        /// A 404 is not tried again blindly.
        NO_BLIND_RETRY: Must Client Client ["Errors" 2 0x20c3_886d];
        /// A key that a transfer has frozen does not go on trying.
        FROZEN_STOPS: Must Client Client ["States and transitions" 7 0x92b4_598d, "Errors" 4 0x23ca_2cb3];
        /// After a 429 nothing is sent before `Retry-After` has passed.
        RETRY_AFTER: Must Client Client ["Errors" 7 0x116e_f23c];
        /// A node that may not write is asked again later, not at once and over and over.
        RETRIES_LATER: Must Client Client ["Errors" 9 0x3a20_9d00];
    }

    /// What anyone verifies after the submit.
    mod verify {
        /// The transaction's meta holds no error.
        NO_ERROR: Must Verifier Vector rule "verify.error" ["After submit (verification)" 1 0xe877_9245];
        /// The message carries the record as its one memo instruction's data.
        RECORD: Must Verifier Vector rule "verify.record" ["After submit (verification)" 1 0xe877_9245];
        /// The memo program was invoked and succeeded.
        MEMO_SUCCEEDED: Must Verifier Vector rule "verify.invocation" ["After submit (verification)" 1 0xe877_9245];
        /// The log line that names the client as signer stands inside the memo invocation, at its depth.
        SIGNED_BY: Must Verifier Vector rule "verify.signed-by" ["After submit (verification)" 1 0xe877_9245, "After submit (verification)" 2 0x20ad_f977, "Signed publishing exchange" 5 0x2b65_79f5];
        /// A truncated log verifies nothing.
        NOT_TRUNCATED: Must Verifier Vector rule "verify.truncated" ["After submit (verification)" 3 0x8e7a_1dc9];
    }
}
