//! How ambiguous sentences about the service can be read.

use assay_spec::gateway::requirements as rows;

use crate::documents::readings::Reading;

/// What a profile can declare.
pub(super) const READINGS: &[Reading] = &[
    Reading {
        key: "gateway.endpoints",
        values: "one switch for each endpoint, such as { native_completions = false }",
        default: None,
        example: "{ native_completions = false }",
        wrong: "{ native = false }",
        means: "Which of the listed endpoints the gateway has. Endpoints that are switched off get no requests; \
                their checks are not applicable.",
        rows: &[&rows::errors::OTHER_PATHS, &rows::completions::NATIVE],
        silent: &[],
    },
    Reading {
        key: "gateway.readings.payment_flow",
        values: "true or false",
        default: Some("false"),
        example: "true",
        wrong: "\"on\"",
        means: "Whether a request without a key may be answered with a payment request. If true, the payment flow is \
                tested and 402 is accepted as well as 401; if false, only 401 is accepted.",
        rows: &[
            &rows::auth::MISSING_KEY,
            &rows::payment::REQUIRED,
            &rows::payment::INVALID,
            &rows::payment::DETAIL,
            &rows::payment::INVALID_KEY,
            &rows::payment::VALID_KEY,
        ],
        silent: &[
            &rows::payment::REQUIRED,
            &rows::payment::INVALID,
            &rows::payment::DETAIL,
            &rows::payment::INVALID_KEY,
            &rows::payment::VALID_KEY,
        ],
    },
    Reading {
        key: "gateway.readings.gateway_422_detail",
        values: "\"string\", \"array\" or \"either\"",
        default: Some("\"string\""),
        example: "\"array\"",
        wrong: "\"text\"",
        means: "The type of `detail` for an invalid body: a string according to the document, an array in the \
                framework that many servers use.",
        rows: &[&rows::errors::DETAIL_422],
        silent: &[],
    },
    Reading {
        key: "gateway.readings.models_id_path",
        values: "a path to the ids, such as \"data[].id\"",
        default: Some("\"data[].id\""),
        example: "\"models[]\"",
        wrong: "\"data[0].id\"",
        means: "The path of the ids in the list of models. If nothing is found there, checks that compare the list \
                with discovery are not applicable.",
        rows: &[
            &rows::models::SHAPE,
            &rows::models::IDS,
            &rows::models::COVERS_DISCOVERY,
            &rows::discovery::COVERS,
        ],
        silent: &[],
    },
    Reading {
        key: "gateway.readings.payments_single_use",
        values: "true or false",
        default: Some("false"),
        example: "true",
        wrong: "\"once\"",
        means: "Whether a payment pays for one request only. If true, a payment that was used must be rejected; if false, any \
                answer below 500 is accepted.",
        rows: &[&rows::payment::USED_AGAIN],
        silent: &[],
    },
    Reading {
        key: "gateway.readings.allow_http_servers",
        values: "true or false",
        default: Some("false"),
        example: "true",
        wrong: "1",
        means: "Whether discovery may list servers without TLS, as on a test bench. If false, such an entry fails.",
        rows: &[&rows::discovery::ENTRY],
        silent: &[],
    },
    Reading {
        key: "gateway.readings.wire_compat",
        values: "true or false",
        default: Some("false"),
        example: "true",
        wrong: "\"yes\"",
        means: "Replies contain members that common client libraries read and the document does not list: the \
                content of an answer, the ids of tool calls, and the pieces of tool calls in streams. If false, they \
                are not checked.",
        rows: &[
            &rows::chat::ANSWER_TEXT,
            &rows::tools::CALL_ID,
            &rows::tools::CALL_IDS,
            &rows::tools::STREAMED,
        ],
        silent: &[
            &rows::chat::ANSWER_TEXT,
            &rows::tools::CALL_ID,
            &rows::tools::CALL_IDS,
            &rows::tools::STREAMED,
        ],
    },
    Reading {
        key: "gateway.readings.version",
        values: "a string, as sent in the version header",
        default: Some("\"2023-06-01\""),
        example: "\"2026-01-01\"",
        wrong: "20260101",
        means: "The value of the version header in requests for messages. The document does not say which dates a \
                gateway accepts, so only this value is sent.",
        rows: &[&rows::messages::VERSION_HEADER, &rows::messages::MESSAGE_OBJECT],
        silent: &[],
    },
];
