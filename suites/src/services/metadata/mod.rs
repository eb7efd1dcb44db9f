//! Checks of the token metadata service (document 1).

mod contract;
mod explore;
mod overrides;
mod paths;
mod readings;
mod records;
mod root;
mod simulated;
mod suite;
pub(crate) mod survey;
mod token;
mod validation;
mod wire;

pub use suite::SUITE;

use crate::harness::check::Core;
use crate::profile::{Metadata, MetadataContract};

/// Whether checks may run beside each other at a shared target. Checks only read.
pub(crate) const PARALLEL: bool = true;

/// What the service must have shown.
pub const CORE: Core = {
    use assay_spec::metadata::requirements::{contract, token};
    Core::new(
        "a document can be read",
        const {
            &[
                &contract::BY_CID,
                &contract::BY_URI,
                &token::BY_CID_JSON,
                &token::BY_CID,
                &token::BY_URI_JSON,
                &token::BY_URI,
            ]
        },
    )
};

/// What a profile configures for this service. If it names no contracts, a control API may list some.
#[derive(Clone, Debug, Default)]
pub struct Fixtures {
    /// Contracts that the target knows.
    pub contracts: Vec<MetadataContract>,
    /// An id that no token of these contracts has.
    pub unknown_token: Option<String>,
    /// The path of the target's interface description.
    pub interface_path: Option<String>,
}

impl Fixtures {
    /// The fixtures of a profile.
    pub fn new(profile: &Metadata) -> Fixtures {
        Fixtures {
            contracts: profile.contracts.clone(),
            unknown_token: profile.unknown_token.clone(),
            interface_path: profile.readings.interface_path.clone(),
        }
    }
}
