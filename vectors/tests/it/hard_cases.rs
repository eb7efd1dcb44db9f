//! The hard cases by name, each with its verdict, so that none is lost.

use std::collections::BTreeMap;

use assay_vectors::{Case, Expect, cases};

/// The subject, the place of its cases, their verdict, and their names.
const HARD: &[(&str, &str, &str, &str)] = &[
    (
        "ECIES: hybrid and compressed ephemeral keys",
        "hosting/ecies-decrypt",
        "reject",
        "ephemeral-hybrid ephemeral-hybrid-other ephemeral-compressed ephemeral-mark-00 \
         ephemeral-mark-02 ephemeral-mark-05",
    ),
    (
        "ECIES: hybrid and compressed ephemeral keys",
        "hosting/ecies-encrypt",
        "reject",
        "recipient-hybrid recipient-compressed",
    ),
    ("ECIES: hybrid and compressed ephemeral keys", "hosting/envelope-open", "reject", "user-hybrid"),
    (
        "ECIES: a point off the curve, and at infinity",
        "hosting/ecies-decrypt",
        "accept",
        "ephemeral-least ephemeral-greatest",
    ),
    (
        "ECIES: a point off the curve, and at infinity",
        "hosting/ecies-decrypt",
        "reject",
        "ephemeral-off-curve ephemeral-infinity ephemeral-x-too-large",
    ),
    (
        "ECIES: a point off the curve, and at infinity",
        "hosting/ecies-encrypt",
        "reject",
        "recipient-off-curve recipient-infinity recipient-large-coordinate",
    ),
    (
        "ECIES: a shared coordinate that begins with zero",
        "hosting/ecies-decrypt",
        "accept",
        "leading-zero leading-zero-second leading-zero-ephemeral",
    ),
    (
        "ECIES: a shared coordinate that begins with zero",
        "hosting/ecies-encrypt",
        "accept",
        "leading-zero leading-zero-second leading-zero-ephemeral",
    ),
    ("ECIES: lengths of 64, 65, 96 and 97", "hosting/ecies-decrypt", "accept", "empty one-byte"),
    (
        "ECIES: lengths of 64, 65, 96 and 97",
        "hosting/ecies-decrypt",
        "reject",
        "length-0 length-64 length-65 length-96 cut-97",
    ),
    (
        "ECIES: a nonce of 12 bytes",
        "hosting/ecies-decrypt",
        "accept",
        "nonce-12 by-eciespy-nonce-12 by-eciesjs-nonce-12",
    ),
    (
        "ECIES: a nonce of 12 bytes",
        "hosting/ecies-decrypt",
        "reject",
        "nonce-12-length-92 read-with-12 read-with-16",
    ),
    (
        "ECIES: swapped fields",
        "hosting/ecies-decrypt",
        "reject",
        "tag-before-nonce tag-at-the-end ephemeral-swapped another-ephemeral",
    ),
    ("ECIES: a counter that wraps", "hosting/ecies-decrypt", "accept", "counter-wraps"),
    (
        "AES-GCM: base64 without padding",
        "hosting/base64-decode",
        "reject",
        "padding-none padding-less padding-more padding-needless",
    ),
    ("AES-GCM: base64 without padding", "hosting/envelope-open", "reject", "tag-padding"),
    ("AES-GCM: the URL alphabet", "hosting/base64-decode", "reject", "url-plus url-slash"),
    ("AES-GCM: the URL alphabet", "hosting/envelope-open", "reject", "url-alphabet"),
    ("AES-GCM: nonzero unused bits", "hosting/base64-decode", "reject", "bits-of-one bits-of-two"),
    ("AES-GCM: nonzero unused bits", "hosting/envelope-open", "reject", "tag-spare-bits"),
    (
        "AES-GCM: white space",
        "hosting/base64-decode",
        "reject",
        "space-before space-inside newline-behind carriage-return",
    ),
    ("AES-GCM: white space", "hosting/envelope-open", "reject", "ct-lines iv-space"),
    ("AES-GCM: a short tag", "hosting/envelope-open", "reject", "tag-12 tag-15 tag-17 tag-empty"),
    ("AES-GCM: a short tag", "hosting/bundle-open", "reject", "tag-15 tag-17"),
    (
        "Ed25519: keys of small order",
        "publish/vfkey-verify",
        "reject",
        "key-identity key-identity-above-prime key-identity-negative key-order-2 key-order-4 \
         key-order-4-above-prime key-order-8",
    ),
    (
        "Ed25519: R of small order, or not canonical",
        "publish/vfkey-verify",
        "reject",
        "r-identity r-identity-above-prime r-identity-negative r-order-8 r-written-anew \
         r-no-point key-no-point",
    ),
    (
        "Ed25519: S that is not canonical",
        "publish/vfkey-verify",
        "reject",
        "signature-malleated signature-malleated-high signature-scalar-reversed",
    ),
    ("Ed25519: points of mixed order", "publish/vfkey-verify", "accept", "key-mixed-order"),
    (
        "Ed25519: points of mixed order",
        "publish/vfkey-verify",
        "reject",
        "key-mixed-order-residue r-mixed-order",
    ),
    (
        "shortvec: both sides of every length",
        "publish/transaction-decode",
        "accept",
        "data-0 data-127 data-128 data-255 data-256 data-16383 data-16384 data-32767 data-32768 \
         data-65535",
    ),
    (
        "shortvec: both sides of every length",
        "publish/transaction-encode",
        "accept",
        "record-0 record-127 record-128 record-16383 record-16384 record-65535",
    ),
    ("shortvec: both sides of every length", "publish/transaction-encode", "reject", "record-65536"),
    (
        "shortvec: aliases",
        "publish/transaction-decode",
        "reject",
        "alias-zero alias-0-in-3 alias-127-in-2 alias-127-in-3 alias-128-in-3 alias-255-in-3 \
         alias-256-in-3 alias-2047-in-3 alias-16383-in-3 alias-data-3 alias-accounts \
         alias-accounts-in-3 alias-instructions alias-instructions-in-3 alias-indices \
         alias-indices-in-3",
    ),
    (
        "shortvec: too long, too large, cut",
        "publish/transaction-decode",
        "reject",
        "length-4-bytes length-4-bytes-of-128 length-5-bytes length-endless length-65536 \
         length-196608 length-1048576 length-beyond-end cut-data-length",
    ),
    ("messages: a version prefix", "publish/transaction-decode", "accept", "header-7f"),
    (
        "messages: a version prefix",
        "publish/transaction-decode",
        "reject",
        "versioned version-1 version-127 first-byte-ff",
    ),
    ("messages: a version prefix", "publish/check-message", "reject", "versioned"),
    (
        "messages: an additional or duplicate account",
        "publish/check-message",
        "accept",
        "extra-account client-twice program-twice payer-twice",
    ),
    (
        "messages: an additional or duplicate account",
        "publish/check-message",
        "reject",
        "accounts-twice client-pays",
    ),
    ("messages: a trailing byte", "publish/check-message", "reject", "trailing-byte"),
    ("messages: a trailing byte", "publish/transaction-decode", "reject", "trailing-byte"),
    ("messages: a trailing byte", "publish/verify-transaction", "reject", "message-trailing-byte"),
    (
        "messages: two instructions, none, an empty instruction",
        "publish/check-message",
        "reject",
        "two-instructions no-instruction second-instruction-other record-nothing",
    ),
    (
        "messages: two instructions, none, an empty instruction",
        "publish/verify-transaction",
        "reject",
        "two-memos",
    ),
    ("messages: another program", "publish/check-message", "accept", "other-memo-program"),
    (
        "messages: another program",
        "publish/check-message",
        "reject",
        "other-program program-fee-payer program-beyond",
    ),
    (
        "messages: another program",
        "publish/verify-transaction",
        "reject",
        "other-program signer-in-other-program",
    ),
    (
        "messages: a memo that imitates a line of the log",
        "publish/verify-transaction",
        "accept",
        "memo-says-truncated memo-says-failed memo-says-signed program-says-truncated",
    ),
    (
        "messages: a memo that imitates a line of the log",
        "publish/verify-transaction",
        "reject",
        "signer-in-memo signer-on-second-line signed-by-memo-alone success-imitated",
    ),
    (
        "messages: a memo that imitates a line of the log",
        "publish/check-message",
        "accept",
        "looks-like-a-log",
    ),
    (
        "messages: quotes, newlines, U+200B, combining marks, a byte order mark",
        "publish/record-parse",
        "accept",
        "quote newline zero-width joined overridden combining combining-many decomposed \
         bom-inside looks-like-a-log",
    ),
    (
        "messages: quotes, newlines, U+200B, combining marks, a byte order mark",
        "publish/record-parse",
        "reject",
        "bom raw-newline",
    ),
    (
        "messages: quotes, newlines, U+200B, combining marks, a byte order mark",
        "publish/check-message",
        "accept",
        "beyond-ascii escapes",
    ),
    (
        "messages: quotes, newlines, U+200B, combining marks, a byte order mark",
        "publish/check-message",
        "reject",
        "cid-decomposed cid-seen cid-unseen cid-trimmed record-bom",
    ),
    (
        "messages: quotes, newlines, U+200B, combining marks, a byte order mark",
        "publish/verify-transaction",
        "accept",
        "quoted quoted-twice",
    ),
    (
        "messages: quotes, newlines, U+200B, combining marks, a byte order mark",
        "publish/verify-transaction",
        "reject",
        "signer-with-zero-width",
    ),
    (
        "records: key order and white space",
        "publish/record-parse",
        "reject",
        "keys-swapped space-after-colon space-after-comma space-in-front space-before \
         trailing-space trailing-newline",
    ),
    (
        "records: escapes",
        "publish/record-parse",
        "reject",
        "escaped-capital escaped-letter escaped-key escaped-slash escaped-accent escaped-emoji \
         escaped-quote escaped-less-than escaped-line-separator long-escape upper-case-escape \
         lone-surrogate",
    ),
    ("records: a blank version", "publish/record-parse", "accept", "blank-version"),
    ("records: a blank version", "publish/record-parse", "reject", "empty-version"),
    ("records: a blank version", "publish/check-message", "accept", "version-empty version-omitted"),
    ("records: a blank version", "publish/check-message", "reject", "record-empty-version"),
    (
        "records: milliseconds missing, a leap second, the year 10000",
        "publish/record-parse",
        "accept",
        "last-millisecond",
    ),
    (
        "records: milliseconds missing, a leap second, the year 10000",
        "publish/record-parse",
        "reject",
        "time-without-milliseconds time-leap-second time-year-10000 time-year-signed time-hour-24 \
         time-comma time-basic time-other-digits",
    ),
    (
        "records: milliseconds missing, a leap second, the year 10000",
        "publish/check-message",
        "reject",
        "time-without-milliseconds time-leap-second time-year-10000 time-year-signed",
    ),
    (
        "records: milliseconds missing, a leap second, the year 10000",
        "publish/vfkey-verify",
        "reject",
        "time-year-10000 time-month-13",
    ),
    ("domains: 63 and 64, 253 and 254", "publish/domain", "accept", "label-63 total-253"),
    ("domains: 63 and 64, 253 and 254", "publish/domain", "reject", "label-64 label-64-last total-254"),
    (
        "domains: hyphens and underscore",
        "publish/domain",
        "accept",
        "inner-hyphen double-hyphen hyphens-inside",
    ),
    (
        "domains: hyphens and underscore",
        "publish/domain",
        "reject",
        "leading-hyphen trailing-hyphen hyphen-last-label hyphen-alone underscore",
    ),
    (
        "domains: a trailing dot, one label, an empty label",
        "publish/domain",
        "reject",
        "trailing-dot single-label empty-label empty-label-last leading-dot",
    ),
    (
        "domains: IDN both ways, upper case",
        "publish/domain",
        "accept",
        "punycode punycode-last punycode-broken",
    ),
    (
        "domains: IDN both ways, upper case",
        "publish/domain",
        "reject",
        "punycode-upper-case non-ascii full-width-dot ideographic-stop soft-hyphen kelvin-sign \
         upper-case",
    ),
    (
        "canonical JSON: keys beyond the BMP",
        "network/record-canonical",
        "accept",
        "names-beyond-bmp names-by-utf16",
    ),
    ("canonical JSON: keys that look like integers", "network/record-canonical", "accept", "numbers-as-keys"),
    ("canonical JSON: U+2028", "network/record-canonical", "accept", "line-separator line-separator-in-name"),
    (
        "canonical JSON: lone surrogates",
        "network/record-canonical",
        "reject",
        "lone-high-surrogate lone-low-surrogate surrogates-swapped high-surrogate-and-letter \
         high-surrogate-twice lone-surrogate-in-name",
    ),
    (
        "canonical JSON: duplicate keys",
        "network/record-canonical",
        "reject",
        "type-twice time-twice nested-twice escaped-twice unsigned-twice",
    ),
    (
        "canonical JSON: numbers",
        "network/record-canonical",
        "accept",
        "values shortest-fraction smallest-fraction zero-fraction whole-exponent zero-with-sign",
    ),
    (
        "canonical JSON: numbers",
        "network/record-canonical",
        "reject",
        "small-fraction large-exponent two-to-53 minus-two-to-53 beyond-64-bits leading-zero plus \
         not-a-number",
    ),
    (
        "UnixFS: one byte around every threshold",
        "drop/cid-file",
        "accept",
        "empty byte chunk-less-1 chunk chunk-and-1 chunks-2-less-1 chunks-2 chunks-2-and-1 \
         chunks-174-less-1 chunks-174 chunks-175 chunks-348 chunks-349",
    ),
    (
        "UnixFS: one byte around every threshold",
        "drop/cid-directory",
        "accept",
        "flat sharded below-limit-by-links limit-by-links above-limit-by-links \
         below-limit-by-block limit-by-block above-limit-by-block between-by-links between-by-block",
    ),
    ("UnixFS: one byte around every threshold", "drop/inspect-zip", "accept", "size extracted files"),
    (
        "UnixFS: one byte around every threshold",
        "drop/inspect-zip",
        "reject",
        "size-above extracted-above files-1001",
    ),
    (
        "VfKey: ten minutes, and one millisecond more",
        "publish/vfkey-verify",
        "accept",
        "window-oldest window-newest",
    ),
    (
        "VfKey: ten minutes, and one millisecond more",
        "publish/vfkey-verify",
        "reject",
        "window-too-old window-too-new",
    ),
    (
        "VfKey: ten minutes, and one millisecond more",
        "publish/check-message",
        "accept",
        "time-oldest time-newest",
    ),
    (
        "VfKey: ten minutes, and one millisecond more",
        "publish/check-message",
        "reject",
        "time-too-old time-too-new",
    ),
    ("amends: cycles", "hosting/amends-resolve", "accept", "cycle cycle-apart itself dangling"),
    (
        "amends: forks",
        "hosting/amends-resolve",
        "accept",
        "fork fork-reversed fork-local fork-local-reversed forks-on-the-way stranger",
    ),
    (
        "amends: equal times",
        "hosting/amends-resolve",
        "accept",
        "tie tie-reversed tie-of-three same-time older",
    ),
];

#[test]
fn every_hard_case_exists_with_its_verdict() {
    let all = cases();
    let by_id: BTreeMap<&str, &Case> = all.iter().map(|case| (case.id.as_str(), case)).collect();
    let mut missing = Vec::new();
    for (item, place, verdict, names) in HARD {
        for name in names.split_whitespace() {
            let id = format!("{place}/{name}");
            let found = by_id.get(id.as_str()).map(|case| match case.expect {
                Expect::Accept { .. } => "accept",
                Expect::Reject { .. } => "reject",
            });
            if found != Some(*verdict) {
                missing.push(format!("{item}: {id} is {found:?}, not {verdict}"));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}
