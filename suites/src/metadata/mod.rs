//! Checks of the token metadata service (document 1).

mod contract;
mod overrides;
mod paths;
mod records;
mod root;
mod token;
mod validation;
mod wire;

use crate::check::Check;
use crate::profile::{Metadata, MetadataContract};

/// Every check of the service, by file.
pub const CHECKS: &[&[Check]] = &[
    root::CHECKS,
    contract::CHECKS,
    token::CHECKS,
    overrides::CHECKS,
    paths::CHECKS,
    validation::CHECKS,
    records::CHECKS,
];

/// What a profile brings for this service. Where it names no contract, a control API may tell of some.
#[derive(Clone, Debug, Default)]
pub struct Fixtures {
    /// Contracts that the target knows.
    pub contracts: Vec<MetadataContract>,
    /// An id that no token of these contracts has.
    pub unknown_token: Option<String>,
    /// The path at which the target describes its interface.
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
