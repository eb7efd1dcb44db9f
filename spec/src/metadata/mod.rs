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

/// Declares an endpoint: `endpoint!(NAME "name" "path" [statuses]);`.
macro_rules! endpoint {
    ($(#[doc = $about:literal])+ $name:ident $short:literal $path:literal [$($status:literal),*]) => {
        $(#[doc = $about])+
        pub static $name: $crate::endpoint::Endpoint = $crate::endpoint::Endpoint {
            service: $crate::Service::Metadata,
            name: $short,
            method: "GET",
            path: $path,
            auth: $crate::endpoint::Auth::None,
            statuses: &[$($status),*],
            source: "document 1, Token metadata service",
        };
    };
}
use endpoint;
