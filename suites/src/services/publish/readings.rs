//! How ambiguous sentences about the service can be read.

use assay_spec::publish::requirements as rows;

use crate::documents::readings::Reading;

/// What a profile can declare.
pub(super) const READINGS: &[Reading] = &[
    Reading {
        key: "publish.readings.transfer_needs_cid",
        values: "true or false",
        default: Some("false"),
        example: "true",
        wrong: "\"no\"",
        means: "Whether a transfer needs a `cid`, as a publish does. If true, the suite sends one with every \
                transfer.",
        rows: &[
            &rows::prepare::CID_REQUIRED,
            &rows::prepare::NEW_AUTHORITY,
            &rows::prepare::NEW_AUTHORITY_DIFFERS,
            &rows::record::TRANSFER,
            &rows::transfer::FREEZES,
            &rows::transfer::ACCEPT_ADMITTED,
        ],
        silent: &[],
    },
    Reading {
        key: "publish.readings.lenient_rule7",
        values: "true or false",
        default: Some("false"),
        example: "true",
        wrong: "7",
        means: "Whether a domain in the body that differs from the envelope's may count as malformed. If true, 400 \
                is accepted as well as 404.",
        rows: &[&rows::prepare::DOMAIN_MATCH],
        silent: &[],
    },
    Reading {
        key: "publish.readings.escape_profile",
        values: "\"raw\", \"ascii\" or \"any\"",
        default: Some("\"any\""),
        example: "\"ascii\"",
        wrong: "\"html\"",
        means: "How a record writes the characters that JSON need not escape: as they are, those outside ASCII \
                escaped, or in any valid way. Quotes, backslashes and control characters are always escaped.",
        rows: &[&rows::record::ESCAPING],
        silent: &[],
    },
    Reading {
        key: "publish.readings.memo_log_form",
        values: "\"plain\" or \"quoted\"",
        default: None,
        example: "\"quoted\"",
        wrong: "\"json\"",
        means: "How the chain's log shows a memo: as it is, as in the document, or in quotes, as the public program \
                prints it. Undeclared, both are accepted.",
        rows: &[&rows::chain::MEMO_LINE],
        silent: &[],
    },
];
