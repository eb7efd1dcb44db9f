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
