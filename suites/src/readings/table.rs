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
        means: "Which of the listed endpoints the gateway has. What is switched off is not asked, and checks of it alone \
                are not applicable.",
        rows: &[&gateways::errors::OTHER_PATHS, &gateways::completions::NATIVE],
        silent: &[],
    },
    Reading {
        key: "gateway.readings.payment_flow",
        values: "true or false",
        default: Some("false"),
        example: "true",
        wrong: "\"on\"",
        means: "Whether a request without a key is asked to pay. With it the flow is tested and 402 is taken beside 401; \
                without it only 401 is.",
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
        means: "The form of `detail` where a body is not valid: a text by the document, an array by the framework that \
                many servers are built on.",
        rows: &[&gateways::errors::DETAIL_422],
        silent: &[],
    },
    Reading {
        key: "gateway.readings.models_id_path",
        values: "a way to the ids, such as \"data[].id\"",
        default: Some("\"data[].id\""),
        example: "\"models[]\"",
        wrong: "\"data[0].id\"",
        means: "Where the list of models holds the ids. Where the way leads nowhere, checks that compare the list with \
                discovery are not applicable.",
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
        means: "Whether discovery may list servers without TLS, as on a bench. Without it such an entry fails.",
        rows: &[&gateways::discovery::ENTRY],
        silent: &[],
    },
    Reading {
        key: "gateway.readings.wire_compat",
        values: "true or false",
        default: Some("false"),
        example: "true",
        wrong: "\"yes\"",
        means: "Replies hold what the customary client libraries read and the document does not list: the text of an \
                answer and the ids of tool calls. Undeclared, nobody looks for them.",
        rows: &[&gateways::chat::ANSWER_TEXT, &gateways::tools::CALL_ID],
        silent: &[&gateways::chat::ANSWER_TEXT, &gateways::tools::CALL_ID],
    },
    Reading {
        key: "gateway.readings.version",
        values: "a text, as the version header holds one",
        default: Some("\"2023-06-01\""),
        example: "\"2026-01-01\"",
        wrong: "20260101",
        means: "The value of the version header with which messages are asked for. Which dates a gateway takes is not \
                shown, so nothing but this value is sent.",
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
    means: "Where the service describes its interface as JSON with `info.version`. Undeclared, nobody looks for the \
            version that it declares.",
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
        means: "What an endpoint means that is declared and not there. With it its checks fail, without it they are not \
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
        means: "Which of the listed endpoints the node has. What is switched off is not asked, and its checks are not \
                applicable.",
        rows: &[&networks::info::PUBLIC],
        silent: &[],
    },
    Reading {
        key: "network.limits.authenticated",
        values: "the name of an endpoint: \"create_message\" or \"create_aggregate\"",
        default: None,
        example: "\"create_message\"",
        wrong: "\"nothing\"",
        means: "An endpoint whose requests count as authenticated, since the document does not say which do. Undeclared, \
                that class of the limits is not tested.",
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
                messages are signed as their text and nothing is asserted about it.",
        rows: &[&networks::signing::GENERAL_TAKEN, &networks::signing::RECORD_TAKEN],
        silent: &[&networks::signing::GENERAL_TAKEN, &networks::signing::RECORD_TAKEN],
    },
    Reading {
        key: "network.readings.verifies_signatures",
        values: "true or false",
        default: Some("false"),
        example: "true",
        wrong: "\"yes\"",
        means: "The node refuses what another key has signed. Undeclared, it is not held to it.",
        rows: &[&networks::signing::VERIFIED, &networks::storage::SIGNATURE],
        silent: &[&networks::signing::VERIFIED, &networks::storage::SIGNATURE],
    },
    Reading {
        key: "network.readings.aggregate_write",
        values: "\"merged\" or \"replaced\"",
        default: None,
        example: "\"merged\"",
        wrong: "\"kept\"",
        means: "What becomes of an aggregate's other members when some are written later. Both are taken; what was met \
                and not declared is noted.",
        rows: &[&networks::aggregates::PARTIAL],
        silent: &[],
    },
    Reading {
        key: "network.readings.first_page",
        values: "the number of the first page, such as 0",
        default: Some("1"),
        example: "0",
        wrong: "-1",
        means: "The number that the first page of a list has. Every check that pages begins with it.",
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
        means: "How long a FORGET may take until it is applied or given up. Checks of failed ones wait for as long.",
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
        means: "Under which of the two named types measurements are found. By default they must be found under at least \
                one of them.",
        rows: &[&networks::measurement::CONTENT_TYPE],
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
        means: "The `schemaVersion` of a project's entry, for which the document shows two numbers. Undeclared, either is \
                taken.",
        rows: &[&hostings::projects::SCHEMA_VERSION],
        silent: &[],
    },
    Reading {
        key: "hosting.readings.ecies_nonce_len",
        values: "16 or 12",
        default: Some("16"),
        example: "12",
        wrong: "13",
        means: "Bytes of the nonce inside a wrapped key, which libraries choose differently. It decides how long a \
                wrapped key is and how it is opened.",
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
        key: "hosting.readings.derivation_lines",
        values: "an array of four texts",
        default: None,
        example: "[\"a\", \"b\", \"c\", \"d\"]",
        wrong: "[\"a\"]",
        means: "The sentences that the wallet signs for its key E, which the document retells and does not quote. Without \
                them no check derives that key.",
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
        means: "Whether a transfer needs a `cid` as a publish does. With it the suite sends one along with every transfer.",
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
        means: "Whether another domain in the body than in the envelope may be called malformed. With it 400 is taken \
                beside 404.",
        rows: &[&publishes::prepare::DOMAIN_MATCH],
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
        means: "Characters of a drop's id behind its prefix, of which the document shows an example. Ids of another length \
                fail.",
        rows: &[&drops::response::DROP_ID],
        silent: &[],
    },
    Reading {
        key: "drop.readings.hamt_size",
        values: "\"links\" or \"block\"",
        default: Some("\"links\""),
        example: "\"block\"",
        wrong: "\"bytes\"",
        means: "How the size of a folder is estimated that decides whether it is sharded: by the bytes of names and \
                identifiers, or by its block. Sites between the two limits have another identifier in each reading.",
        rows: &[&drops::cid::SHARDED],
        silent: &[],
    },
    Reading {
        key: "drop.readings.buffered_uploads",
        values: "true or false",
        default: Some("false"),
        example: "true",
        wrong: "\"true\"",
        means: "Something before the target holds uploads back until they are complete. Then two uploads are never seen at \
                once, and that the second is refused cannot be tested.",
        rows: &[&drops::limits::ONE_UPLOAD],
        silent: &[],
    },
];
