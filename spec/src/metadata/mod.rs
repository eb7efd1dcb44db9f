//! The token metadata service (document 1).
//!
//! Documents of contracts and tokens, by content identifier or by URI. The document defines no states, so there is no
//! state machine.

pub mod attribute;
pub mod contract;
pub mod exemptions;
pub mod external;
mod members;
pub mod mistakes;
pub mod overrides;
pub mod places;
pub mod rejections;
pub mod requirements;
pub mod root;
pub mod route;
pub mod template;
pub mod token;
pub mod validation;
pub mod values;

use crate::endpoint::Endpoint;
use crate::limit::Limit;
use crate::machine::Machine;
use crate::reply::ErrorForm;
use crate::shape::{Field, Reply, ShapeKind, must};

/// The service's endpoints, in the order of the document's table.
pub static ENDPOINTS: &[&Endpoint] = &[
    &root::ROOT,
    &contract::BY_CID,
    &contract::BY_URI,
    &token::BY_CID_JSON,
    &token::BY_CID,
    &token::BY_URI_JSON,
    &token::BY_URI,
    &overrides::BY_CID,
    &overrides::BY_URI,
];

/// The service's limits. The document shows none.
pub static LIMITS: &[&Limit] = &[];

/// The service's state machines.
pub static MACHINES: &[&Machine] = &[];

/// The members of an interface description, which some servers offer at a path of the same form.
const DESCRIPTION: &[&str] = &["openapi", "swagger"];
/// The forms of errors.
const ERRORS: &[ErrorForm] = &[
    ErrorForm::new(
        &[422],
        &requirements::validation::DETAIL,
        Reply::Json(validation::HttpValidationError::SHAPE),
    ),
    ErrorForm::open(&[], "the documents do not show the bodies of other errors"),
];

/// Declares an endpoint: `endpoint!(NAME "name" "path" [statuses] member of its shape: value)`.
macro_rules! endpoint {
    ($(#[doc = $about:literal])+ $name:ident $short:literal $path:literal [$($status:literal),*] $($member:ident: $value:expr),* $(,)?) => {
        $crate::endpoint::endpoint! {
            $(#[doc = $about])+
            Metadata $name $short "GET" $path None [$($status),*] "document 1, Token metadata service";
            errors: $crate::metadata::ERRORS, others: $crate::metadata::DESCRIPTION, $($member: $value),*
        }
    };
}
use endpoint;

/// Beyond the 422 for a non-integer id: the contract or token is unknown, or cannot be fetched.
const UNKNOWN: &[u16] = &[404, 410, 504];
/// A URI in a path needs a note; a content identifier does not.
const URI_NOTE: &str = "`contract_uri` usually has colons and slashes itself. It may be in the path unencoded, \
     `/https://host/name//`, which an OpenAPI path parameter cannot express: the last double slash ends it. A \
     generated client encodes them (`%2F`, `%3A`), which names the same contract. The double slash after the parameter \
     is part of the path and must not be merged into one.";
/// The token id.
/// Why most members of documents are free.
const OPERATOR: &str = "the operator of the collection chooses it";
const TOKEN_ID: &[Field] = &[must("token_id", ShapeKind::Integer)];
