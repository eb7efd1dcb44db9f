//! Request and response parts that several endpoints share.

use serde_json::Value;

use crate::network::error::ErrorBody;
use crate::network::limits::{PAGE_DEFAULT, PAGE_MAXIMUM};
use crate::network::message::Confirmation;
use crate::network::paging::Pagination;
use crate::network::requirements::{envelope, errors, limits, messages, paging};
use crate::relation::{Alike, Resource};
use crate::reply::{ErrorForm, Header, HeaderRule, Whole};
use crate::shape::{Field, Form, Reply, ShapeKind, may, must};

/// The page number.
pub(super) const PAGE: Field =
    may("page", ShapeKind::Within { least: 1, most: None, otherwise: None }).selects(&paging::PAGES);
/// Elements per page. A value above the maximum is reduced to the maximum.
pub(super) const LIMIT: Field = may(
    "limit",
    ShapeKind::Within { least: 1, most: Some(PAGE_MAXIMUM.u64()), otherwise: Some(PAGE_DEFAULT.u64()) },
)
.selects(&paging::LIMIT);

/// A string that is not empty.
pub(super) const FILLED: ShapeKind = ShapeKind::Form(Form::NotEmpty);

/// The object beside the array of a list.
pub(super) const PAGINATION: Field =
    must("pagination", Pagination::SHAPE).owned(&paging::INTEGERS).present(&paging::NAMED);

/// What a page of a list must keep: its pagination is consistent with its elements. Whether `total_pages` fits `total` is
/// not judged, since neither is known to be the wrong one.
pub(super) const PAGED: &[Whole] = &[
    Whole {
        row: &paging::MAXIMUM,
        want: "at most 100 elements",
        breaks: |body| {
            elements(body)
                .filter(|count| *count > PAGE_MAXIMUM.u64())
                .map(|count| format!("{count} elements"))
        },
    },
    Whole {
        row: &paging::PER_PAGE,
        want: "a `per_page` that is not less than the number of elements",
        breaks: |body| {
            let (count, most) = (elements(body)?, body["pagination"]["per_page"].as_u64()?);
            (most < count).then(|| format!("{most} with {count} elements"))
        },
    },
    Whole {
        row: &paging::TOTAL,
        want: "a `total` that is not less than the number of elements",
        breaks: |body| {
            let (count, total) = (elements(body)?, body["pagination"]["total"].as_u64()?);
            (total < count).then(|| format!("{total} with {count} elements"))
        },
    },
];

/// The number of elements beside a pagination.
fn elements(body: &Value) -> Option<u64> {
    const NAMES: [&str; 5] = ["messages", "aggregates", "instances", "events", "transactions"];
    let array = NAMES.iter().find_map(|name| body[*name].as_array())?;
    Some(array.len() as u64)
}

/// The forms of the API's errors.
pub(super) const ERRORS: &[ErrorForm] = &[
    ErrorForm::open(&[410], "a removed message may be described in any way"),
    // A 404 or 405 in another form is of a server that does not have the endpoint.
    ErrorForm::new(&[404, 405], &errors::BODY, ERROR).or_foreign(),
    ErrorForm::new(&[429], &errors::BODY, ERROR).headers(AGAIN),
    ErrorForm::new(&[], &errors::BODY, ERROR),
];
const ERROR: Reply = Reply::Json(ErrorBody::SHAPE);
const AGAIN: &[Header] =
    &[Header { name: "retry-after", rule: HeaderRule::Seconds, row: &limits::RETRY_AFTER }];

/// The error form of the services beside the API.
pub(super) const NO_ERRORS: &[ErrorForm] =
    &[ErrorForm::open(&[], "the documents show the error form of the API only")];

/// A stored message: its record repeats what the envelope held ("Message record").
pub(super) const MESSAGE: &Resource = &Resource {
    name: "message",
    sent: &[
        ("chain", "/message/chain"),
        ("sender", "/address"),
        ("type", "/message/type"),
        ("channel", "/message/channel"),
        ("timestamp", "/message/timestamp"),
        ("content", "/message/content"),
        ("signature", "/signature"),
    ],
};
const HASH: Field = must("item_hash", FILLED).names(MESSAGE);

/// The response of `POST /messages`.
pub(super) const CREATED: Reply = Reply::Json(ShapeKind::Object(&[
    HASH.owned(&envelope::REPLY_HASH),
    must("status", SUCCESS).owned(&envelope::REPLY_STATUS),
]));
/// The response of the other create calls; some add members. One row owns all of it.
pub(super) const ACCEPTED: Reply = Reply::Json(ShapeKind::Object(&[HASH, must("status", SUCCESS)]));
/// The status of every create call.
pub(super) const SUCCESS: ShapeKind = ShapeKind::OneOf(&["success"]);

/// A message's record.
pub(super) const RECORD: [Field; 9] = [
    HASH.owned(&messages::ITEM_HASH),
    must("chain", ShapeKind::Text).owned(&messages::CHAIN).same_in(MESSAGE),
    must("sender", ShapeKind::Text).owned(&messages::SENDER).alike_in(MESSAGE, Alike::AnyCase),
    must("type", ShapeKind::Text).owned(&messages::TYPE).same_in(MESSAGE),
    must("channel", ShapeKind::Text).owned(&messages::CHANNEL).same_in(MESSAGE),
    must("timestamp", ShapeKind::Seconds).owned(&messages::TIMESTAMP).same_in(MESSAGE),
    must("content", ShapeKind::Object(&[])).owned(&messages::CONTENT).alike_in(MESSAGE, Alike::Holds),
    must("signature", ShapeKind::Text).owned(&messages::SIGNATURE).same_in(MESSAGE),
    must("confirmations", ShapeKind::Array(&Confirmation::SHAPE)).owned(&messages::CONFIRMATIONS),
];
/// A record in a list: a STORE in it may be forgotten, which leaves its content open.
pub(super) const LISTED: [Field; 9] = {
    let mut fields = RECORD;
    fields[6].required = false;
    fields[6].nullable = true;
    fields
};
