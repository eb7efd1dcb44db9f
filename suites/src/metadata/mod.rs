//! Checks of the token metadata service (document 1).

use crate::check::Check;

/// Every check of the service, by file.
pub const CHECKS: &[&[Check]] = &[];

/// What a profile brings for this service.
#[derive(Clone, Debug, Default)]
pub struct Fixtures {}
