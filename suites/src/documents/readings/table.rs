//! The table of readings, in the order of the services.

use assay_spec::drop::requirements as drops;
use assay_spec::gateway::requirements as gateways;
use assay_spec::hosting::requirements as hostings;
use assay_spec::metadata::requirements as metadatas;
use assay_spec::network::requirements as networks;
use assay_spec::publish::requirements as publishes;

use super::Reading;

/// By service.
pub(super) static ALL: &[&[Reading]] = &[GATEWAY, METADATA, NETWORK, HOSTING, PUBLISH, DROP];

static GATEWAY: &[Reading] = &[
    Reading {
        key: "gateway.endpoints",
        values: "one switch for each endpoint, such as { native_completions = false }",
        default: None,
        example: "{ native_completions = false }",
        wrong: "{ native = false }",
        means: "Which of the listed endpoints the gateway has. Endpoints that are switched off get no requests; \
                their checks are not applicable.",
        rows: &[&gateways::errors::OTHER_PATHS, &gateways::completions::NATIVE],
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
            &gateways::auth::MISSING_KEY,
            &gateways::payment::REQUIRED,
            &gateways::payment::DETAIL,
            &gateways::payment::INVALID_KEY,
            &gateways::payment::VALID_KEY,
        ],
        silent: &[
            &gateways::payment::REQUIRED,
            &gateways::payment::DETAIL,
            &gateways::payment::INVALID_KEY,
            &gateways::payment::VALID_KEY,
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
        rows: &[&gateways::errors::DETAIL_422],
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
            &gateways::models::SHAPE,
            &gateways::models::IDS,
            &gateways::models::COVERS_DISCOVERY,
            &gateways::discovery::COVERS,
        ],
        silent: &[],
    },
    Reading {
        key: "gateway.readings.allow_http_servers",
        values: "true or false",
        default: Some("false"),
        example: "true",
        wrong: "1",
        means: "Whether discovery may list servers without TLS, as on a test bench. If false, such an entry fails.",
        rows: &[&gateways::discovery::ENTRY],
        silent: &[],
    },
    Reading {
        key: "gateway.readings.wire_compat",
        values: "true or false",
        default: Some("false"),
        example: "true",
        wrong: "\"yes\"",
        means: "Replies contain members that common client libraries read and the document does not list: the \
                content of an answer and the ids of tool calls. If false, they are not checked.",
        rows: &[&gateways::chat::ANSWER_TEXT, &gateways::tools::CALL_ID, &gateways::tools::CALL_IDS],
        silent: &[&gateways::chat::ANSWER_TEXT, &gateways::tools::CALL_ID, &gateways::tools::CALL_IDS],
    },
    Reading {
        key: "gateway.readings.version",
        values: "a string, as sent in the version header",
        default: Some("\"2023-06-01\""),
        example: "\"2026-01-01\"",
        wrong: "20260101",
        means: "The value of the version header in requests for messages. The document does not say which dates a \
                gateway accepts, so only this value is sent.",
        rows: &[&gateways::messages::VERSION_HEADER, &gateways::messages::MESSAGE_OBJECT],
        silent: &[],
    },
];

static METADATA: &[Reading] = &[Reading {
    key: "metadata.readings.interface_path",
    values: "a path, such as \"/openapi.json\"",
    default: None,
    example: "\"/openapi.json\"",
    wrong: "\"openapi.json\"",
    means: "Where the service describes its interface as JSON with `info.version`. Undeclared, that version is not \
            checked.",
    rows: &[&metadatas::root::VERSION],
    silent: &[&metadatas::root::VERSION],
}];

static NETWORK: &[Reading] = &[
    Reading {
        key: "network.strict",
        values: "true or false",
        default: Some("false"),
        example: "true",
        wrong: "\"true\"",
        means: "What happens if an endpoint is declared but absent. If true, its checks fail; if false, they are not \
                applicable.",
        rows: &[&networks::info::PREFIX],
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
        rows: &[&networks::info::PUBLIC],
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
        rows: &[&networks::limits::AUTHENTICATED],
        silent: &[&networks::limits::AUTHENTICATED],
    },
    Reading {
        key: "network.readings.signing_scheme",
        values: "\"general\", \"canonical-record\", \"either\" or \"none-checked\"",
        default: None,
        example: "\"either\"",
        wrong: "\"none\"",
        means: "What the signature of a message covers: its text, or the digest of its canonical JSON. Undeclared, \
                messages are signed as text and signatures are not tested.",
        rows: &[&networks::signing::GENERAL_TAKEN, &networks::signing::RECORD_TAKEN],
        silent: &[&networks::signing::GENERAL_TAKEN, &networks::signing::RECORD_TAKEN],
    },
    Reading {
        key: "network.readings.verifies_signatures",
        values: "true or false",
        default: Some("false"),
        example: "true",
        wrong: "\"yes\"",
        means: "Whether the node rejects messages that another key has signed. If false, this is not tested.",
        rows: &[&networks::aggregates::OWNER, &networks::signing::VERIFIED, &networks::storage::SIGNATURE],
        silent: &[&networks::aggregates::OWNER, &networks::signing::VERIFIED, &networks::storage::SIGNATURE],
    },
    Reading {
        key: "network.readings.aggregate_write",
        values: "\"merged\" or \"replaced\"",
        default: None,
        example: "\"merged\"",
        wrong: "\"kept\"",
        means: "Whether a later write keeps or removes the other members of an aggregate. Undeclared, both are \
                accepted and the observed one is noted.",
        rows: &[&networks::aggregates::PARTIAL],
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
            &networks::paging::FIRST_PAGE,
            &networks::paging::PAGE,
            &networks::paging::PAGES,
            &networks::paging::PAST_END,
            &networks::paging::ODD_VALUES,
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
            &networks::forget::RETRIED,
            &networks::forget::FINALLY_REJECTED,
            &networks::forget::ALL_OR_NOTHING,
            &networks::forget::REMOVED_FAILS,
            &networks::forget::REJECTED_FAILS,
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
        rows: &[&networks::measurement::CONTENT_TYPE],
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
        rows: &[&networks::metrics::ALTERNATIVE, &networks::metrics::CORE, &networks::metrics::COMPUTE],
        silent: &[],
    },
];

static HOSTING: &[Reading] = &[
    Reading {
        key: "hosting.readings.project_entry_schema",
        values: "1 or 2",
        default: None,
        example: "2",
        wrong: "3",
        means: "The `schemaVersion` of a project entry; the document shows two numbers. Undeclared, both are \
                accepted.",
        rows: &[&hostings::projects::SCHEMA_VERSION],
        silent: &[],
    },
    Reading {
        key: "hosting.readings.ecies_nonce_len",
        values: "16 or 12",
        default: Some("16"),
        example: "12",
        wrong: "13",
        means: "The nonce length in a wrapped key, in bytes; libraries differ. It determines the length of a wrapped \
                key and how it is decrypted.",
        rows: &[
            &hostings::envelope::USER,
            &hostings::envelope::ENCRYPTION,
            &hostings::envelope::WALLET_OPENS,
            &hostings::envelope::KEY_E_OPENS,
            &hostings::bundle::VM,
            &hostings::bundle::ENCRYPTION,
            &hostings::bundle::KEY_E_OPENS,
            &hostings::bundle::TARBALL,
        ],
        silent: &[],
    },
    Reading {
        key: "hosting.readings.tombstone_form",
        values: "\"literal\" or \"keep-v\"",
        default: None,
        example: "\"literal\"",
        wrong: "\"empty\"",
        means: "What the envelope of a deleted project keeps: nothing, or its `v` and `alg`. Undeclared, both are \
                accepted.",
        rows: &[&hostings::projects::TOMBSTONE],
        silent: &[],
    },
    Reading {
        key: "hosting.readings.derivation_lines",
        values: "an array of four strings",
        default: None,
        example: "[\"a\", \"b\", \"c\", \"d\"]",
        wrong: "[\"a\"]",
        means: "The lines that the wallet signs to derive its key E; the document describes but does not quote them. \
                Undeclared, no check derives that key.",
        rows: &[
            &hostings::security::ENCRYPTION_IS_E,
            &hostings::envelope::KEY_E_OPENS,
            &hostings::bundle::KEY_E_OPENS,
            &hostings::bundle::TARBALL,
        ],
        silent: &[
            &hostings::security::ENCRYPTION_IS_E,
            &hostings::envelope::KEY_E_OPENS,
            &hostings::bundle::KEY_E_OPENS,
            &hostings::bundle::TARBALL,
        ],
    },
];

static PUBLISH: &[Reading] = &[
    Reading {
        key: "publish.readings.transfer_needs_cid",
        values: "true or false",
        default: Some("false"),
        example: "true",
        wrong: "\"no\"",
        means: "Whether a transfer needs a `cid`, as a publish does. If true, the suite sends one with every \
                transfer.",
        rows: &[
            &publishes::prepare::CID_REQUIRED,
            &publishes::prepare::NEW_AUTHORITY,
            &publishes::prepare::NEW_AUTHORITY_DIFFERS,
            &publishes::record::TRANSFER,
            &publishes::transfer::FREEZES,
            &publishes::transfer::ACCEPT_ADMITTED,
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
        rows: &[&publishes::prepare::DOMAIN_MATCH],
        silent: &[],
    },
    Reading {
        key: "publish.readings.escape_profile",
        values: "\"raw\", \"ascii\" or \"any\"",
        default: Some("\"raw\""),
        example: "\"ascii\"",
        wrong: "\"html\"",
        means: "How a record writes the characters that JSON need not escape: as they are, those outside ASCII \
                escaped, or in any valid way. Quotes, backslashes and control characters are always escaped.",
        rows: &[&publishes::record::ESCAPING],
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
        rows: &[&publishes::chain::MEMO_LINE],
        silent: &[],
    },
];

static DROP: &[Reading] = &[
    Reading {
        key: "drop.readings.drop_id_len",
        values: "characters, 1 or more",
        default: Some("22"),
        example: "30",
        wrong: "0",
        means: "The number of characters of a drop id after its prefix; the document only shows an example. Ids of \
                another length fail.",
        rows: &[&drops::response::DROP_ID],
        silent: &[],
    },
    Reading {
        key: "drop.readings.hamt_size",
        values: "\"links\" or \"block\"",
        default: Some("\"links\""),
        example: "\"block\"",
        wrong: "\"bytes\"",
        means: "How the size of a folder is measured to decide whether it is sharded: by the bytes of names and \
                identifiers, or by its block. Sites between the two limits have a different identifier in each \
                reading.",
        rows: &[&drops::cid::SHARDED],
        silent: &[],
    },
    Reading {
        key: "drop.readings.buffered_uploads",
        values: "true or false",
        default: Some("false"),
        example: "true",
        wrong: "\"true\"",
        means: "Whether a proxy in front of the target buffers uploads until they are complete. Then two uploads \
                never overlap, and the rejection of the second one cannot be tested.",
        rows: &[&drops::limits::ONE_UPLOAD],
        silent: &[],
    },
];
