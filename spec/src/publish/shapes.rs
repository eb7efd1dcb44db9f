//! The fields of a prepare's request and response, and the forms of errors.

use crate::field::CONTENT_TYPE;
use crate::publish::limits::REQUEST_WINDOW;
use crate::publish::requirements::envelope::BLANKET;
use crate::publish::requirements::exchange::{
    BODY_LIMIT, ERROR_JSON, PLAIN_TYPE, RATE_PER_IP, RETRY_AFTER_WINDOW, STANDBY,
};
use crate::publish::requirements::transfer::FREEZES;
use crate::reply::{ErrorForm, Header, HeaderRule, Unavailable};
use crate::shape::{Case, Field, Reply, ShapeKind, may, must};

/// The members of a prepare's body, for OpenAPI. Which are required depends on `op`.
pub(super) const PREPARE: &[Field] = &[
    must("domain", ShapeKind::Text),
    may("cid", ShapeKind::Text),
    may("version", ShapeKind::Text),
    may("op", ShapeKind::OneOf(&["pub", "transfer", "accept"])),
    may("newAuthority", ShapeKind::Text),
];

/// The forms of errors. A 429 of a prepare may also come from the limit per domain, which need not say when to send again.
pub(super) const PREPARE_ERRORS: &[ErrorForm] =
    &[NOT_FOUND, TOO_LARGE, LIMITED.headers(MAY_SAY_WHEN), BUSY, CONFLICT, OTHER];
/// The forms of errors of a submit, whose 429 comes from the limit per address.
pub(super) const SUBMIT_ERRORS: &[ErrorForm] =
    &[NOT_FOUND, TOO_LARGE, LIMITED.headers(SAYS_WHEN), BUSY, CONFLICT, OTHER];
const NOT_FOUND: ErrorForm = ErrorForm::new(&[404], &BLANKET, Reply::Text("404 Not Found"));
const TOO_LARGE: ErrorForm =
    ErrorForm::new(&[413], &BODY_LIMIT, Reply::Text("Payload Too Large")).headers(PLAIN);
const PLAIN: &[Header] =
    &[Header { name: CONTENT_TYPE, rule: HeaderRule::MediaType("text/plain"), row: &PLAIN_TYPE }];
const LIMITED: ErrorForm = ErrorForm::new(&[429], &ERROR_JSON, ERROR);
const MAY_SAY_WHEN: &[Header] =
    &[Header { name: "retry-after", rule: HeaderRule::WhenPresent, row: &RATE_PER_IP }];
const SAYS_WHEN: &[Header] = &[
    Header { name: "retry-after", rule: HeaderRule::When, row: &RATE_PER_IP },
    Header {
        name: "retry-after",
        rule: HeaderRule::AtMost(REQUEST_WINDOW.value / 1_000),
        row: &RETRY_AFTER_WINDOW,
    },
];
const BUSY: ErrorForm = ErrorForm::new(&[503], &ERROR_JSON, Reply::Json(ShapeKind::Case(&NOT_WRITING)))
    .unavailable(&[
        Unavailable {
            says: Some(("error", Some(NOT_PRIMARY))),
            why: "the node is a standby (503 not-primary)",
        },
        Unavailable {
            says: Some(("error", Some("backend is passive"))),
            why: "the backend is passive (503)",
        },
    ]);
/// What every error says.
const SENTENCE: Field = must("error", ShapeKind::Text).free("its wording is open");
const NOT_WRITING: Case = Case {
    member: "error",
    words: &[NOT_PRIMARY],
    then: &[SENTENCE, must("reason", ShapeKind::Text).owned(&STANDBY).free("its wording is open")],
    otherwise: &[SENTENCE],
};
const NOT_PRIMARY: &str = "not-primary";
const CONFLICT: ErrorForm = ErrorForm::new(&[409], &ERROR_JSON, REFUSED);
const REFUSED: Reply = Reply::Json(ShapeKind::Object(&[
    SENTENCE,
    may("cause", ShapeKind::Text).owned(&FREEZES).free("the causes are not listed"),
]));
const OTHER: ErrorForm = ErrorForm::new(&[], &ERROR_JSON, ERROR);
const ERROR: Reply = Reply::Json(ShapeKind::Object(&[SENTENCE]));
