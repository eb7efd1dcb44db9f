//! The token metadata service (document 1).
//!
//! Documents of contracts and of their tokens, found under a content identifier or under a URI. The document shows no
//! states, so there is no machine, and no condition of the service but that something is not known.

pub mod attribute;
pub mod contract;
pub mod excuses;
pub mod external;
mod members;
pub mod overrides;
pub mod requirements;
pub mod root;
pub mod route;
pub mod template;
pub mod token;
pub mod validation;

use crate::endpoint::Endpoint;
use crate::machine::Machine;
use crate::shape::{Field, ShapeKind, must};

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

/// The service's state machines.
pub static MACHINES: &[&Machine] = &[];

/// Declares an endpoint: `endpoint!(NAME "name" "path" [statuses] member of its shape: value)`.
macro_rules! endpoint {
    ($(#[doc = $about:literal])+ $name:ident $short:literal $path:literal [$($status:literal),*] $($member:ident: $value:expr),* $(,)?) => {
        $crate::endpoint::endpoint! {
            $(#[doc = $about])+
            Metadata $name $short "GET" $path None [$($status),*] "document 1, Token metadata service";
            $($member: $value),*
        }
    };
}
use endpoint;

/// Besides the 422 of an id that is no integer: a contract or token that is not known, or that cannot be fetched.
const UNKNOWN: &[u16] = &[404, 410, 504];
/// A content identifier in a path needs no note; a URI does.
const URI_NOTE: &str = "`contract_uri` usually holds colons and slashes itself. It may stand in the path as it is, \
     `/https://host/name//`, which no path parameter of OpenAPI can express: the last two slashes in a row end it. A \
     generated client encodes them (`%2F`, `%3A`), which names the same contract. The two slashes behind the parameter \
     are part of the path and must not be folded into one.";
/// A token's number.
const TOKEN_ID: &[Field] = &[must("token_id", ShapeKind::Integer)];
