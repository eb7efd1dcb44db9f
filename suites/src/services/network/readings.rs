//! How ambiguous sentences about the service can be read.

use assay_spec::network::requirements as rows;

use crate::documents::readings::Reading;

/// What a profile can declare.
pub(super) const READINGS: &[Reading] = &[
    Reading {
        key: "network.strict",
        values: "true or false",
        default: Some("false"),
        example: "true",
        wrong: "\"true\"",
        means: "What happens if an endpoint is declared but absent. If true, its checks fail; if false, they are not \
                applicable.",
        rows: &[&rows::info::PREFIX],
        silent: &[],
    },
    Reading {
        key: "network.endpoints",
        values: "one switch for each endpoint, such as { run = false }",
        default: None,
        example: "{ run = false }",
        wrong: "{ runs = false }",
        means: "Which of the listed endpoints the node has. Endpoints that are switched off get no requests; their \
                checks are not applicable.",
        rows: &[&rows::info::PUBLIC],
        silent: &[],
    },
    Reading {
        key: "network.limits.authenticated",
        values: "the name of an endpoint: \"create_message\" or \"create_aggregate\"",
        default: None,
        example: "\"create_message\"",
        wrong: "\"nothing\"",
        means: "An endpoint whose requests count as authenticated; the document does not name one. Undeclared, the \
                limit of authenticated requests is not tested.",
        rows: &[&rows::limits::AUTHENTICATED],
        silent: &[&rows::limits::AUTHENTICATED],
    },
    Reading {
        key: "network.readings.signing_scheme",
        values: "\"general\", \"canonical-record\", \"either\" or \"none-checked\"",
        default: None,
        example: "\"either\"",
        wrong: "\"none\"",
        means: "What the signature of a message covers: its text, or the digest of its canonical JSON. Undeclared, \
                messages are signed as text and signatures are not tested.",
        rows: &[&rows::signing::GENERAL_TAKEN, &rows::signing::RECORD_TAKEN],
        silent: &[&rows::signing::GENERAL_TAKEN, &rows::signing::RECORD_TAKEN],
    },
    Reading {
        key: "network.readings.verifies_signatures",
        values: "true or false",
        default: Some("false"),
        example: "true",
        wrong: "\"yes\"",
        means: "Whether the node rejects messages that another key has signed. If false, this is not tested.",
        rows: &[&rows::signing::VERIFIED, &rows::storage::SIGNATURE],
        silent: &[&rows::signing::VERIFIED, &rows::storage::SIGNATURE],
    },
    Reading {
        key: "network.readings.enforces_security",
        values: "true or false",
        default: Some("false"),
        example: "true",
        wrong: "\"yes\"",
        means: "Whether the node applies the authorizations of `security` to writes, which the document describes for \
                readers. If false, this is not tested.",
        rows: &[
            &rows::aggregates::OWNER,
            &rows::aggregates::DELEGATE,
            &rows::aggregates::DELEGATE_LIMITS,
            &rows::aggregates::DELEGATE_REVOKED,
        ],
        silent: &[
            &rows::aggregates::OWNER,
            &rows::aggregates::DELEGATE,
            &rows::aggregates::DELEGATE_LIMITS,
            &rows::aggregates::DELEGATE_REVOKED,
        ],
    },
    Reading {
        key: "network.readings.aggregate_write",
        values: "\"merged\" or \"replaced\"",
        default: None,
        example: "\"merged\"",
        wrong: "\"kept\"",
        means: "Whether a later write keeps or removes the other members of an aggregate. Undeclared, both are \
                accepted and the observed one is noted.",
        rows: &[&rows::aggregates::PARTIAL],
        silent: &[],
    },
    Reading {
        key: "network.readings.first_page",
        values: "the number of the first page, such as 0",
        default: Some("1"),
        example: "0",
        wrong: "-1",
        means: "The number of the first page of a list. Every check that pages starts with it.",
        rows: &[
            &rows::paging::FIRST_PAGE,
            &rows::paging::PAGE,
            &rows::paging::PAGES,
            &rows::paging::PAST_END,
            &rows::paging::ODD_VALUES,
        ],
        silent: &[],
    },
    Reading {
        key: "network.readings.forget_settle_seconds",
        values: "seconds",
        default: Some("3600"),
        example: "10",
        wrong: "\"10s\"",
        means: "How long the node may take to apply or finally reject a FORGET. Checks of rejected ones wait that \
                long.",
        rows: &[
            &rows::forget::RETRIED,
            &rows::forget::FINALLY_REJECTED,
            &rows::forget::ALL_OR_NOTHING,
            &rows::forget::REMOVED_FAILS,
            &rows::forget::REJECTED_FAILS,
        ],
        silent: &[],
    },
    Reading {
        key: "network.readings.metrics_content_type",
        values: "\"scoring\", \"network\" or \"both\"",
        default: Some("\"both\""),
        example: "\"scoring\"",
        wrong: "\"metrics\"",
        means: "The content type of the measurements. By default they must be found under at least one of the two \
                types.",
        rows: &[&rows::measurement::CONTENT_TYPE],
        silent: &[],
    },
    Reading {
        key: "network.readings.metrics_base",
        values: "\"alternative\" or \"primary\"",
        default: None,
        example: "\"primary\"",
        wrong: "\"mirror\"",
        means: "The address that serves node metrics; the document names both. Undeclared, the alternative address is \
                asked first, and the primary one if that has none.",
        rows: &[&rows::metrics::ALTERNATIVE, &rows::metrics::CORE, &rows::metrics::COMPUTE],
        silent: &[],
    },
];
