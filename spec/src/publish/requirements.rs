//! Every statement of document 3 about the signed publishing exchange, one row each.

crate::requirements! {
    service Publish;

    /// Canonical domains.
    mod domain {
        /// A canonical domain contains only lowercase ASCII letters, digits, hyphens and dots.
        ALPHABET: Must Record Vector rule "domain.alphabet" ["Canonical domain" 0x91ca_cac8];
        /// A canonical domain does not end in a dot.
        NO_TRAILING_DOT: Must Record Vector rule "domain.trailing-dot" ["Canonical domain" 0x91ca_cac8];
        /// A canonical domain has at least two labels.
        TWO_LABELS: Must Record Vector rule "domain.two-labels" ["Canonical domain" 0x91ca_cac8];
        /// Each label of a canonical domain has 1 to 63 characters.
        LABEL_LENGTH: Must Record Vector rule "domain.label-length" ["Canonical domain" 0x91ca_cac8];
        /// No label of a canonical domain starts or ends with a hyphen.
        NO_EDGE_HYPHEN: Must Record Vector rule "domain.hyphen" ["Canonical domain" 0x91ca_cac8];
        /// A canonical domain has at most 253 characters.
        TOTAL_LENGTH: Must Record Vector rule "domain.length" ["Canonical domain" 0x91ca_cac8];
    }

    /// The `Authorization` header of both endpoints, and the response when it is invalid.
    mod envelope at EVERY {
        /// The header is the scheme, one space and the envelope; the server rejects any other scheme or spacing.
        SCHEME: Must Server Check values HEADER rule "vfkey.envelope" rejects UNAUTHENTICATED ["Request envelope (header `Authorization`)" 0x8119_accd, "Exchange (both endpoints)" 0x764f_cb51, "Errors" 0x20c3_886d];
        /// The envelope is two parts joined by a single dot.
        TWO_PARTS: Must Server Check values ENVELOPE rule "vfkey.envelope" rejects UNAUTHENTICATED ["Request envelope (header `Authorization`)" 0x8119_accd, "Errors" 0x20c3_886d];
        /// Both parts are base64url without padding; the server rejects padding and any other alphabet.
        BASE64URL: Must Server Check values PART rule "vfkey.envelope" rejects UNAUTHENTICATED ["Request envelope (header `Authorization`)" 0xe8b0_769a, "Request envelope (header `Authorization`)" 0xb07a_33c8, "Errors" 0x20c3_886d];
        /// The signature part decodes to exactly 64 bytes.
        SIGNATURE_LENGTH: Must Server Check rule "vfkey.envelope" rejects UNAUTHENTICATED ["Request envelope (header `Authorization`)" 0xb07a_33c8, "Errors" 0x20c3_886d];
        /// The message begins with the version 1 envelope prefix.
        PREFIX: Must Server Check values PREFIXES rule "vfkey.envelope" rejects UNAUTHENTICATED ["Request envelope (header `Authorization`)" 0x5646_86c5, "Versioning" 0x38d2_f117, "Errors" 0x20c3_886d];
        /// The prefix is followed by a JSON object with exactly the keys `v`, `m`, `p`, `d`, `t` and `h`.
        SIX_KEYS: Must Server Check values MEMBERS rule "vfkey.envelope" rejects UNAUTHENTICATED ["Request envelope (header `Authorization`)" 0x5646_86c5, "Exchange (both endpoints)" 0x061b_cd5b, "Errors" 0x20c3_886d];
        /// `v` is the number 1.
        VERSION: Must Server Check values VERSION rule "vfkey.envelope" rejects UNAUTHENTICATED ["Request envelope (header `Authorization`)" 0xe12b_66e4, "Errors" 0x20c3_886d];
        /// The server accepts the keys in any order, because the signature covers the bytes as sent.
        KEY_ORDER_FREE: Must Server Check accepts ORDERS ["Exchange (both endpoints)" 0x061b_cd5b];
        /// `m` equals the request method.
        METHOD: Must Server Check values METHOD rule "vfkey.method-path" rejects UNAUTHENTICATED ["Request envelope (header `Authorization`)" 0x6d14_10db, "Exchange (both endpoints)" 0x3b48_193f, "Errors" 0x20c3_886d];
        /// `p` equals the request path as sent.
        PATH: Must Server Check values PATH rule "vfkey.method-path" rejects UNAUTHENTICATED ["Request envelope (header `Authorization`)" 0xc22b_dcff, "Exchange (both endpoints)" 0x3b48_193f, "Errors" 0x20c3_886d];
        /// `p` does not include the query.
        QUERY_NOT_SIGNED: Must Server Check accepts QUERIES ["Request envelope (header `Authorization`)" 0xc22b_dcff];
        /// `t` is a string that parses to a time.
        TIME_FORM: Must Server Check values TIME rule "vfkey.time" rejects UNAUTHENTICATED ["Request envelope (header `Authorization`)" 0xb4dc_293a, "Exchange (both endpoints)" 0x6a74_be82, "Errors" 0x20c3_886d];
        /// `t` is at most 10 minutes before or after the server's clock.
        TIME_WINDOW: Must Server Check rule "vfkey.time" rejects UNAUTHENTICATED ["Exchange (both endpoints)" 0x6a74_be82, "Limits" 0x1999_43c9, "Errors" 0x20c3_886d];
        /// `h` is the SHA-256 of the body bytes as received.
        BODY_HASH: Must Server Check values HASH rule "vfkey.body-hash" rejects UNAUTHENTICATED ["Request envelope (header `Authorization`)" 0x2383_9bde, "Exchange (both endpoints)" 0xd02c_8d66, "Errors" 0x20c3_886d];
        /// For an empty body, the server accepts the hash of zero bytes as `h`.
        EMPTY_BODY: Must Server Check at UNREAD ["Request envelope (header `Authorization`)" 0x2383_9bde];
        /// `d` is canonical as sent; the server does not normalize it into a bound domain.
        DOMAIN_AS_SENT: Must Server Check values DOMAIN rule "vfkey.domain" rejects UNAUTHENTICATED ["Request envelope (header `Authorization`)" 0x314f_ac8d, "Exchange (both endpoints)" 0xe78f_a865, "Errors" 0x20c3_886d];
        /// The server accepts every canonical domain as `d`: only the grammar counts.
        DOMAIN_FORMS: Must Server Check at PREPARES accepts DOMAINS ["Canonical domain" 0x91ca_cac8, "Exchange (both endpoints)" 0xe78f_a865];
        /// The server rejects a request for a domain that has no live binding.
        BINDING: Must Server Check rule "vfkey.binding" rejects UNAUTHENTICATED ["Exchange (both endpoints)" 0xf7ad_6cad, "Domain binding" 0x6e56_f18c, "Errors" 0x20c3_886d];
        /// The signature verifies over exactly the message bytes as sent, with the key bound to the domain.
        SIGNATURE: Must Server Check at BY_BOUND rule "vfkey.binding" rejects UNAUTHENTICATED ["Request envelope (header `Authorization`)" 0xb07a_33c8, "Exchange (both endpoints)" 0x061b_cd5b, "Exchange (both endpoints)" 0xf7ad_6cad, "Errors" 0x20c3_886d];
        /// If the feature is not enabled for the account, the server responds as to any authentication failure.
        FEATURE: Must Server Check rejects UNAUTHENTICATED ["Exchange (both endpoints)" 0x815b_2072, "Errors" 0x20c3_886d];
        /// Every authentication failure returns the same plain-text 404, byte for byte.
        BLANKET: Must Server Check rejects UNAUTHENTICATED ["Exchange (both endpoints)" 0x815b_2072, "Errors" 0x9832_6688, "Errors" 0x20c3_886d];
        /// The response to an unauthenticated request reveals nothing about its body.
        BEFORE_BODY: Must Server Check at UNREAD rejects UNAUTHENTICATED ["Exchange (both endpoints)" 0x815b_2072, "Errors" 0x20c3_886d];
    }

    /// The first call of the exchange: prepare.
    mod prepare at PREPARES {
        /// `prepareId` is a UUID; each prepare returns a new one.
        PREPARE_ID: Must Server Check ["POST /api/vf-cli/publish/prepare" 0x8174_af1a];
        /// `message` is the transaction message in standard base64.
        MESSAGE: Must Server Check ["POST /api/vf-cli/publish/prepare" 0xb731_1fef, "POST /api/vf-cli/publish/prepare" 0x2a7a_41c8];
        /// `feePayer` is the base58 address of account 0 of the message.
        FEE_PAYER: Must Server Check ["POST /api/vf-cli/publish/prepare" 0xc200_ec34];
        /// `lastValidBlockHeight` is a non-negative integer.
        LAST_VALID_BLOCK_HEIGHT: Must Server Check ["POST /api/vf-cli/publish/prepare" 0xfc90_78e4];
        /// `payload` equals the record in the message, as a string.
        PAYLOAD: Must Server Check ["POST /api/vf-cli/publish/prepare" 0xe67d_7345];
        /// `expiresAt` is 60 seconds after the prepare, in milliseconds since the epoch.
        EXPIRES_AT: Must Server Check ["POST /api/vf-cli/publish/prepare" 0xf1d1_fbb9, "Limits" 0xc557_8809];
        /// `txtObserved` is null or an object with `vault`, `agreeing`, `required`, `reason` and `at`.
        TXT_OBSERVED: Must Server Check ["POST /api/vf-cli/publish/prepare" 0x21a0_1573];
        /// `txtObserved` is what was observed last, or null.
        TXT_LAST: Must Server Check ["POST /api/vf-cli/publish/prepare" 0x21a0_1573];
        /// The server rejects a body that is not a JSON object.
        BODY_JSON: Must Server Check at UNREAD rejects FIELD ["Endpoints" 0xd924_cff3, "POST /api/vf-cli/publish/prepare" 0x04ac_a038, "Errors" 0xd64e_6bfb];
        /// The server rejects a prepare whose `domain` is missing or not a string.
        DOMAIN_REQUIRED: Must Server Check rejects FIELD ["POST /api/vf-cli/publish/prepare" 0xd4b0_d9bd, "Errors" 0xd64e_6bfb];
        /// If the body's `domain` differs from `d`, the server responds as to any authentication failure.
        DOMAIN_MATCH: Must Server Check rejects UNAUTHENTICATED ["POST /api/vf-cli/publish/prepare" 0xd4b0_d9bd, "Exchange (both endpoints)" 0xbd44_3aa3, "Errors" 0x20c3_886d];
        /// The server trims whitespace around the body's `domain`.
        DOMAIN_TRIMMED: Must Server Check accepts PADDINGS ["POST /api/vf-cli/publish/prepare" 0xd4b0_d9bd];
        /// The server rejects a publish whose `cid` is missing, empty or not a string, unless it reads a number as a string.
        CID_REQUIRED: Must Server Check at PREPARE_PUB values CID rejects FIELD ["POST /api/vf-cli/publish/prepare" 0x3936_45f6, "Errors" 0xd64e_6bfb];
        /// The server accepts any non-empty string as `cid`; it does not validate it.
        CID_NOT_VALIDATED: Must Server Check at PREPARE_PUB accepts CIDS ["POST /api/vf-cli/publish/prepare" 0x3936_45f6];
        /// If `version` is missing or blank, the record has version `0`.
        VERSION_DEFAULT: Must Server Check at PREPARE_PUB accepts BLANKS ["POST /api/vf-cli/publish/prepare" 0xa13d_f808];
        /// The server rejects a `version` that is not a string, unless it reads a number as a string.
        VERSION_STRING: Must Server Check at PREPARE_PUB values LABEL rejects FIELD ["POST /api/vf-cli/publish/prepare" 0xa13d_f808, "Errors" 0xd64e_6bfb];
        /// A prepare without `op` publishes, the same as with `op` = `pub`.
        OP_DEFAULT: Must Server Check at PREPARE_PUB ["POST /api/vf-cli/publish/prepare" 0x0704_24b4];
        /// The server rejects an unknown `op`.
        OP_KNOWN: Must Server Check at PREPARE_PUB values OP rejects FIELD ["POST /api/vf-cli/publish/prepare" 0x0704_24b4, "Errors" 0xd64e_6bfb];
        /// The server rejects a transfer whose `newAuthority` is not the key scheme followed by a base58 public key.
        NEW_AUTHORITY: Must Server Check at PREPARE_TRANSFER values AUTHORITY rejects NEW_AUTHORITY ["POST /api/vf-cli/publish/prepare" 0xf7dc_a569];
        /// The server rejects a `newAuthority` that equals the bound key.
        NEW_AUTHORITY_DIFFERS: Must Server Check at PREPARE_TRANSFER rejects FIELD ["POST /api/vf-cli/publish/prepare" 0xf7dc_a569, "Errors" 0xd64e_6bfb];
        /// At most one publish per domain is in flight; the server rejects a second prepare.
        ONE_IN_FLIGHT: Must Server Check rejects CONFLICT ["States and transitions" 0x11f0_65de, "Errors" 0x23ca_2cb3];
        /// The one-in-flight lock of a domain does not block other domains.
        LOCK_PER_DOMAIN: Must Server Check ["States and transitions" 0x11f0_65de];
        /// The one-in-flight lock also rejects a replayed prepare.
        REPLAY: Must Server Check rejects REPLAYED ["Exchange (both endpoints)" 0x8c81_47fa];
        /// When a prepare expires without a submit, the domain is free again.
        LOCK_EXPIRES: Must Server Check ["States and transitions" 0xecca_fb99];
        /// The server rejects a prepare for a domain whose binding is not publishable.
        PUBLISHABLE: Must Server Check rejects CONFLICT ["States and transitions" 0x11f0_65de, "Errors" 0x23ca_2cb3];
        /// The server rejects a record that is too large for one transaction, and does not lock the domain.
        RECORD_FITS: Must Server Check at PREPARE_PUB rejects FIELD ["Errors" 0xd64e_6bfb];
        /// A rejected prepare does not lock its domain.
        LOCKS_NOTHING: Must Server Check ["States and transitions" 0x11f0_65de, "Errors" 0xd64e_6bfb];
    }

    /// What applies to every endpoint of the exchange.
    mod exchange at ENDPOINTS {
        /// Error responses are JSON objects with a string `error`, except the blanket 404 and the 413.
        ERROR_JSON: Must Server Check at EVERY rejects ERRORS ["Errors" 0x9832_6688];
        /// A JSON response has a JSON media type.
        MEDIA_TYPE: Should Server Check at EVERY ["Errors" 0x9832_6688];
        /// The 413 has the media type of plain text, if it has one.
        PLAIN_TYPE: Should Server Check ["Errors" 0x9832_6688];
        /// The server rejects a body over 64 KiB with a plain-text 413, and accepts a smaller one.
        BODY_LIMIT: Must Server Check rejects TOO_LARGE ["Endpoints" 0xd924_cff3, "Errors" 0x9832_6688, "Errors" 0x7b8d_73b3, "Limits" 0xab44_1245];
        /// The server accepts at most 30 publishes per domain in 24 hours.
        DAILY_LIMIT: Must Server Check at FIRST rejects LIMITED ["Errors" 0x116e_f23c, "Limits" 0xa453_170c];
        /// The 24 hours of the publish limit are a rolling window.
        DAILY_WINDOW: Must Server Check at FIRST rejects DAY ["Limits" 0xa453_170c];
        /// Whether prepares that are not submitted, replays, transfers and accepts count against the publish limit is left open; the
        /// simulator counts each accepted prepare.
        DAILY_COUNTS: May Server Open("the limit is of publishes and applies to prepare; no sentence says which prepares are publishes") ["Limits" 0xa453_170c, "Exchange (both endpoints)" 0x8c81_47fa];
        /// A rejected prepare does not count against the publish limit of its domain.
        DAILY_REJECTED: Must Server Check at FIRST ["Limits" 0xa453_170c];
        /// The server accepts at most 30 requests per IP address in a minute; the 429 carries `Retry-After`.
        RATE_PER_IP: Must Server Check rejects LIMITED ["Errors" 0x116e_f23c, "Limits" 0x22b8_c295];
        /// `Retry-After` of the limit per IP address is at most 60 seconds: its window is a minute.
        RETRY_AFTER_WINDOW: Should Server Check ["Errors" 0x116e_f23c, "Limits" 0x22b8_c295];
        /// Requests of one IP address do not count for another.
        PER_ADDRESS: Must Server Check ["Limits" 0x22b8_c295];
        /// A standby node responds with the error `not-primary` and a reason.
        STANDBY: Must Server Check rejects NO_WRITES ["Errors" 0x3a20_9d00];
        /// A passive backend responds with the error `backend is passive`.
        PASSIVE: Must Server Check rejects NO_WRITES ["Errors" 0x3a20_9d00];
        /// The server reads the value of a JSON body, whatever its spelling is: the order of members, white space, escapes. The hash
        /// covers the bytes as received.
        SPELLING: Must Server Check accepts SPELLINGS ["Exchange (both endpoints)" 0xd02c_8d66];
    }

    /// The record that is written to the chain.
    mod record {
        /// A record begins with the version 1 record prefix, the requested kind and a colon.
        KIND: Must Server Check at PREPARES ["The record (memo data)" 0xa822_12f1, "Versioning" 0x38d2_f117];
        /// The record's object has exactly the keys of its kind, in order.
        KEYS: Must Server Check at PREPARES ["The record (memo data)" 0xa822_12f1, "The record (memo data)" 0xfeb7_e83f];
        /// The record's object has no whitespace between its tokens.
        COMPACT: Must Server Check at PREPARES ["The record (memo data)" 0xa822_12f1];
        /// Strings of a record escape quotes, backslashes and control characters as JSON does, and nothing else.
        ESCAPING: Must Server Check at PREPARE_PUB accepts ESCAPES keeps ESCAPES ["The record (memo data)" 0xa822_12f1];
        /// `d` of a record is the requested domain.
        DOMAIN: Must Server Check at PREPARES ["The record (memo data)" 0xfeb7_e83f, "Signed publishing exchange" 0x3ac0_9098];
        /// `c` of a record is the requested content identifier.
        CID: Must Server Check at PREPARE_PUB accepts CIDS keeps CIDS ["The record (memo data)" 0xfeb7_e83f, "Signed publishing exchange" 0x3ac0_9098];
        /// `v` of a record is the requested version.
        VERSION: Must Server Check at PREPARE_PUB accepts VERSIONS keeps VERSIONS ["The record (memo data)" 0xfeb7_e83f, "Signed publishing exchange" 0x3ac0_9098];
        /// `t` of a record has exactly three decimals and ends in `Z`.
        TIME_FORM: Must Server Check at PREPARES ["The record (memo data)" 0xfeb7_e83f];
        /// `t` of a record is the time at which the service prepared it.
        TIME_NOW: Must Server Check at PREPARES ["The record (memo data)" 0xfeb7_e83f];
        /// A transfer record has domain, new vault and time.
        TRANSFER: Must Server Check at PREPARE_TRANSFER ["The record (memo data)" 0xcb3b_966b];
        /// An accept record has domain, transaction signature of the pending transfer and time.
        ACCEPT: Must Server Check at PREPARE_ACCEPT ["The record (memo data)" 0x2a00_b5d9];
        /// Every value of a record is a non-empty string.
        NOT_EMPTY: Must Record Vector rule "record.empty" ["The record (memo data)" 0x2281_4a8d];
        /// A record is strict UTF-8: the record prefix, a known kind, a colon and a JSON object of strings.
        FORM: Must Record Vector rule "record.form" ["The record (memo data)" 0xa822_12f1, "The record (memo data)" 0xfeb7_e83f, "The record (memo data)" 0xcb3b_966b, "The record (memo data)" 0x2a00_b5d9];
        /// A record's domain is canonical.
        CANONICAL_DOMAIN: Must Record Vector rule "record.domain" ["The record (memo data)" 0xfeb7_e83f];
        /// A record's time is exactly ISO 8601 with milliseconds and `Z`.
        EXACT_TIME: Must Record Vector rule "record.time" ["The record (memo data)" 0xfeb7_e83f];
        /// A record equals its canonical encoding, byte for byte.
        CANONICAL: Must Record Vector rule "record.canonical" ["The record (memo data)" 0xa822_12f1];
    }

    /// The transaction message that carries the record.
    mod message at PREPARES {
        /// The message is a legacy message in shortest encoding, with nothing left over.
        LEGACY: Must Server Check rule "message.encoding" ["The transaction message" 0x96b4_2889];
        /// The header counts two required signatures, one read-only signer and one read-only non-signer.
        HEADER: Must Server Check ["The transaction message" 0x1dad_ed2a];
        /// Account 0 is the service's fee payer, not the client.
        FEE_PAYER: Must Server Check ["The transaction message" 0xe4ad_b306];
        /// Account 1 is the publishing key.
        CLIENT: Must Server Check ["The transaction message" 0x483b_58a2];
        /// Account 2 is the chain's memo program.
        MEMO_PROGRAM: Must Server Check ["The transaction message" 0xcf68_673c];
        /// The message has exactly three accounts: fee payer, publishing key and memo program.
        THREE_ACCOUNTS: Must Server Check ["The transaction message" 0x1dad_ed2a, "The transaction message" 0xe4ad_b306, "The transaction message" 0x483b_58a2, "The transaction message" 0xcf68_673c];
        /// The message has exactly one instruction.
        ONE_INSTRUCTION: Must Server Check ["The transaction message" 0xd52a_f16c];
        /// The instruction's program is the memo program.
        INSTRUCTION_PROGRAM: Must Server Check ["The transaction message" 0xd52a_f16c];
        /// The instruction's account list is exactly `[1]`.
        INSTRUCTION_ACCOUNTS: Must Server Check ["The transaction message" 0xd52a_f16c];
        /// The chain still accepts the recent blockhash.
        BLOCKHASH: Must Server Check ["The transaction message" 0xa2a1_d422];
    }

    /// The second call of the exchange: submit.
    mod submit at SUBMITS {
        /// A submit with a valid signature lands the record; the response comes after confirmation.
        LANDS: Must Server Check ["States and transitions" 0x05a3_de43, "POST /api/vf-cli/publish/submit" 0xabe4_670e, "Signed publishing exchange" 0xd2f5_9d6d];
        /// `signature` in the response is the fee payer's signature over the message, in base58.
        SIGNATURE: Must Server Check ["POST /api/vf-cli/publish/submit" 0x1888_daf0, "States and transitions" 0x05a3_de43];
        /// The server rejects a submit without `prepareId` or `signature`.
        FIELDS: Must Server Check at SUBMIT_UNKNOWN values FIELD rejects FIELD ["POST /api/vf-cli/publish/submit" 0x50df_85c1, "POST /api/vf-cli/publish/submit" 0xd844_b0b9, "Errors" 0xd64e_6bfb];
        /// The server rejects a `signature` that is not standard base64 of 64 bytes, unless a common decoder reads 64 bytes that
        /// verify.
        SIGNATURE_FORM: Must Server Check values SIGNATURE rejects FIELD ["POST /api/vf-cli/publish/submit" 0x50df_85c1, "States and transitions" 0x3b51_e480, "Errors" 0xd64e_6bfb];
        /// The server rejects a signature that does not verify over the prepared message.
        SIGNATURE_VERIFIES: Must Server Check rejects FIELD ["POST /api/vf-cli/publish/submit" 0x50df_85c1, "States and transitions" 0x3b51_e480, "Errors" 0xd64e_6bfb];
        /// After a rejected signature, the prepare can still be submitted.
        STAYS_PREPARED: Must Server Check ["States and transitions" 0x3b51_e480, "Errors" 0xd64e_6bfb];
        /// A rejected signature does not extend the prepare's lifetime.
        EXPIRY_UNCHANGED: Must Server Check rejects GONE ["States and transitions" 0x3b51_e480, "Errors" 0x0a1f_7938];
        /// The server responds with 410 to an unknown `prepareId`.
        UNKNOWN: Must Server Check at SUBMIT_UNKNOWN rejects GONE ["Errors" 0x0a1f_7938];
        /// The server responds with 410 to a submit later than 60 seconds after the prepare.
        EXPIRED: Must Server Check at PREPARES rejects GONE ["States and transitions" 0xecca_fb99, "Errors" 0x0a1f_7938];
        /// A client cannot submit a prepare of another domain.
        FOREIGN: Must Server Check rejects FOREIGN ["POST /api/vf-cli/publish/submit" 0xd844_b0b9, "Errors" 0x0a1f_7938];
        /// The same submit, repeated within 60 seconds, returns the same signature.
        REPEAT: Must Server Check ["States and transitions" 0x41d5_f7e6, "Exchange (both endpoints)" 0x8c81_47fa, "Limits" 0x08c0_4ce7];
        /// A repeated submit does not write a second record.
        NO_SECOND_RECORD: Must Server Check ["States and transitions" 0x41d5_f7e6];
        /// The server rejects a submit of a prepare that is already being submitted.
        IN_FLIGHT: Must Server Check rejects CONFLICT ["Errors" 0x23ca_2cb3];
        /// After a confirmed publish, the domain is free again.
        LOCK_FREED: Must Server Check ["States and transitions" 0x05a3_de43];
        /// If the blockhash expires before confirmation, the prepare expires and submit returns 410.
        BLOCKHASH_EXPIRED: Must Server Check rejects GONE ["States and transitions" 0x8a3f_b54e, "Errors" 0x0a1f_7938];
        /// If the chain rejects the transaction, submit returns 502.
        REJECTED: Must Server Check rejects CHAIN ["Errors" 0x7b05_700c];
        /// After about three minutes without confirmation, the service stops waiting; its 410 says "safety ceiling", and the
        /// 410 for a prepare that was not broadcast does not.
        SAFETY_CEILING: Must Server Check rejects GONE ["Errors" 0x0a1f_7938, "Limits" 0x4e0e_4ddc];
        /// An unresolved publish keeps the domain locked, because it can still land.
        UNRESOLVED_LOCK: Must Server NotObservable("the documents do not say when the lock is freed; a simulator test covers it") ["Errors" 0x0a1f_7938];
    }

    /// A transfer of a domain from one key to another.
    mod transfer {
        /// A confirmed transfer freezes the old key; its requests return 409 with the cause `transfer-frozen`.
        FREEZES: Must Server Check at FROZEN rejects CONFLICT ["States and transitions" 0x92b4_598d, "Errors" 0x23ca_2cb3, "Transfer and accept" 0xefdf_eba4];
        /// A transfer that is only prepared does not freeze the old key.
        FREEZES_ONCE_CONFIRMED: Must Server Check at PREPARE_TRANSFER ["States and transitions" 0x92b4_598d];
        /// While a transfer is pending, the server accepts an accept by the incoming key.
        ACCEPT_ADMITTED: Must Server Check at BY_INCOMING ["States and transitions" 0xecc3_89ec, "Transfer and accept" 0x7574_d3cc, "Exchange (both endpoints)" 0xec4f_533a];
        /// The server rejects an accept while no transfer is pending.
        ACCEPT_NEEDS_PENDING: Must Server Check at BY_INCOMING rejects UNAUTHENTICATED ["Transfer and accept" 0x7574_d3cc, "Exchange (both endpoints)" 0xec4f_533a, "Errors" 0x20c3_886d];
        /// The server rejects an accept by any key other than the incoming key.
        ACCEPT_BY_INCOMING: Must Server Check at BY_INCOMING rejects UNAUTHENTICATED ["Transfer and accept" 0x7574_d3cc, "Exchange (both endpoints)" 0xec4f_533a, "Errors" 0x20c3_886d];
        /// The server rejects every request of the incoming key except an accept.
        INCOMING_ONLY_ACCEPTS: Must Server Check at BY_BOUND rejects UNAUTHENTICATED ["Exchange (both endpoints)" 0xf7ad_6cad, "Exchange (both endpoints)" 0xec4f_533a, "Errors" 0x20c3_886d];
        /// The body of an accept's submit has `op` = `accept`.
        ACCEPT_SAYS_SO: Should Server Check at SUBMIT_ACCEPT rejects NO_OP ["POST /api/vf-cli/publish/submit" 0x50df_85c1, "Transfer and accept" 0x7574_d3cc];
        /// The server rejects a second accept for the same transfer.
        SECOND_ACCEPT: Must Server Check at PREPARE_ACCEPT rejects CONFLICT ["States and transitions" 0xecc3_89ec, "Errors" 0x23ca_2cb3];
    }

    /// What any verifier sees on the chain.
    mod chain at CHAIN {
        /// The chain has the confirmed transaction under the returned signature, without an error.
        FOUND: Must Server Check ["Events" 0x97bd_3c38, "Signed publishing exchange" 0x2b65_79f5];
        /// The confirmed transaction carries exactly the signed message, with both signatures.
        MESSAGE: Must Server Check ["Signed publishing exchange" 0xd2f5_9d6d, "Signed publishing exchange" 0x2b65_79f5];
        /// The log shows the memo program's invocation and its success.
        INVOCATION: Must Server Check ["Events" 0x97bd_3c38];
        /// The log names the publishing key as signer inside the memo invocation.
        SIGNED_BY: Must Server Check ["Events" 0x97bd_3c38, "Signed publishing exchange" 0x2b65_79f5];
        /// The log shows the memo with its length in bytes.
        MEMO_LINE: Must Server Check ["Events" 0x97bd_3c38];
    }

    /// What a client checks before it signs.
    mod check {
        /// The client signs only if the message decodes as a legacy message and encodes back to the same bytes.
        ENCODING: Must Client Vector rule "check.encoding" ["Checks the client runs before signing" 0xba31_a275];
        /// The client signs only if the header requires exactly two signatures.
        TWO_SIGNATURES: Must Client Vector rule "check.two-signatures" ["Checks the client runs before signing" 0x53ed_2d33];
        /// The client signs only if account 1 is its key.
        CLIENT_ACCOUNT: Must Client Vector rule "check.client-account" ["Checks the client runs before signing" 0xe2f0_5670];
        /// The client signs only if account 0 is not its key.
        FEE_PAYER: Must Client Vector rule "check.fee-payer" ["Checks the client runs before signing" 0xd36f_754f];
        /// The client signs only if the message has exactly one instruction.
        ONE_INSTRUCTION: Must Client Vector rule "check.one-instruction" ["Checks the client runs before signing" 0xf4ab_60ca];
        /// The client signs only if the instruction's program is the memo program.
        MEMO_PROGRAM: Must Client Vector rule "check.memo-program" ["Checks the client runs before signing" 0xc56c_0bcb];
        /// The client signs only if the instruction's account list is exactly `[1]`.
        INSTRUCTION_ACCOUNTS: Must Client Vector rule "check.instruction-accounts" ["Checks the client runs before signing" 0x6f6c_1195];
        /// The client signs only if the data is strict UTF-8 and a record with no empty field and a canonical domain.
        RECORD_FORM: Must Client Vector rule "check.record-form" ["Checks the client runs before signing" 0x8b8b_067e];
        /// The client signs only if the data is the canonical encoding of its record.
        RECORD_CANONICAL: Must Client Vector rule "check.record-canonical" ["Checks the client runs before signing" 0xa009_030f, "Checks the client runs before signing" 0x90b7_5971];
        /// The client signs only if the record has the requested kind.
        KIND: Must Client Vector rule "check.kind" ["Checks the client runs before signing" 0xbb82_14f6];
        /// The client signs only if the record has the requested domain.
        DOMAIN: Must Client Vector rule "check.domain" ["Checks the client runs before signing" 0x7dc0_01be];
        /// The client signs only if cid and version (or new authority, or transfer) equal the requested ones.
        FIELDS: Must Client Vector rule "check.fields" ["Checks the client runs before signing" 0x9511_f996];
        /// The client signs only if `t` has exactly the documented form and is within 10 minutes of its clock.
        TIME: Must Client Vector rule "check.time" ["Checks the client runs before signing" 0xbe9d_b04f, "Limits" 0xe91c_43e1];
    }

    /// How a client uses the exchange.
    mod client {
        /// With a conforming service, the client signs exactly the bytes of `message`, and one record lands.
        PUBLISHES: Must Client Client ["POST /api/vf-cli/publish/prepare" 0x2a7a_41c8, "POST /api/vf-cli/publish/submit" 0x50df_85c1];
        /// The client sends every request with `Content-Type: application/json`.
        CONTENT_TYPE: Must Client Client ["Endpoints" 0xd924_cff3];
        /// The client signs a new envelope for every request, with the time in exactly the documented form.
        ENVELOPE: Must Client Client ["Request envelope (header `Authorization`)" 0xb4dc_293a, "Exchange (both endpoints)" 0x764f_cb51];
        /// A client that sends no version expects exactly `0`.
        DEFAULT_VERSION: Must Client Client ["POST /api/vf-cli/publish/prepare" 0xa13d_f808];
        /// The client checks the bytes of `message`, whatever `payload` says.
        MESSAGE_DECIDES: Must Client Client ["POST /api/vf-cli/publish/prepare" 0xe67d_7345];
        /// The client at most warns about a TXT record that names another key.
        TXT_WARNS: Must Client Client ["POST /api/vf-cli/publish/prepare" 0x21a0_1573];
        /// A client whose clock differs from the server's by less than 10 minutes can publish.
        SKEW_TOLERATED: Must Client Client ["Checks the client runs before signing" 0xbe9d_b04f, "Limits" 0x1999_43c9, "Limits" 0xe91c_43e1];
        /// The client waits for the response to a submit.
        WAITS: Must Client Client ["POST /api/vf-cli/publish/submit" 0xabe4_670e];
        /// After a lost response, the client does not prepare again: it sends the same submit again, or finds its record on the
        /// chain.
        RESUBMITS: Should Client Client ["States and transitions" 0x41d5_f7e6, "Exchange (both endpoints)" 0x8c81_47fa];
        /// After a plain 410, the client prepares once more.
        PREPARES_AGAIN: Must Client Client ["Errors" 0x0a1f_7938];
        /// After a second 410 in a row, the client stops.
        SECOND_GONE_STOPS: Must Client Client ["Errors" 0x0a1f_7938];
        /// After a safety-ceiling 410, the client does not sign a second record while the first can land.
        SAFETY_CEILING: Must Client Client ["Errors" 0x0a1f_7938];
        /// The client does not retry blindly after a 404.
        NO_BLIND_RETRY: Should Client Client ["Errors" 0x20c3_886d];
        /// The client stops when the server reports that a transfer has frozen its key.
        FROZEN_STOPS: Must Client Client ["States and transitions" 0x92b4_598d, "Errors" 0x23ca_2cb3];
        /// After a 429, the client sends nothing until `Retry-After` has passed.
        RETRY_AFTER: Must Client Client ["Errors" 0x116e_f23c];
        /// After a 503, the client retries later, not at once and not in a tight loop.
        RETRIES_LATER: Must Client Client ["Errors" 0x3a20_9d00];
        /// After a 502, the client retries later, not at once and not in a tight loop.
        CHAIN_FAILS: Must Client Client ["Errors" 0x7b05_700c];
        /// To transfer a domain, the client asks with the bound key for a transfer to the new key.
        TRANSFERS: Must Client Client ["POST /api/vf-cli/publish/prepare" 0xf7dc_a569, "Transfer and accept" 0xefdf_eba4];
        /// To accept a domain, the client signs both calls with the incoming key, and both bodies say so.
        ACCEPTS: Must Client Client ["POST /api/vf-cli/publish/submit" 0x50df_85c1, "Transfer and accept" 0x7574_d3cc];
        /// After the submit, the client looks up the transaction on the chain.
        VERIFIES: Should Client Client ["After submit (verification)" 0xe877_9245];
        /// The client does not report a record as verified whose log is truncated.
        UNVERIFIED: Should Client Client ["After submit (verification)" 0x8e7a_1dc9];
    }

    /// What a verifier checks after the submit.
    mod verify {
        /// The transaction's meta has no error.
        NO_ERROR: Must Verifier Vector rule "verify.error" ["After submit (verification)" 0xe877_9245];
        /// The data of the message's only memo instruction is the record.
        RECORD: Must Verifier Vector rule "verify.record" ["After submit (verification)" 0xe877_9245];
        /// The memo program was invoked and succeeded.
        MEMO_SUCCEEDED: Must Verifier Vector rule "verify.invocation" ["After submit (verification)" 0xe877_9245];
        /// The log line that names the client as signer is inside the memo invocation, at its depth.
        SIGNED_BY: Must Verifier Vector rule "verify.signed-by" ["After submit (verification)" 0xe877_9245, "After submit (verification)" 0x20ad_f977, "Signed publishing exchange" 0x2b65_79f5];
        /// A transaction with a truncated log is not verified.
        NOT_TRUNCATED: Must Verifier Vector rule "verify.truncated" ["After submit (verification)" 0x8e7a_1dc9];
    }
}
