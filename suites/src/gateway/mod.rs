//! Checks of the inference gateway (document 1).

pub mod client;
mod sse;

use crate::check::Check;

/// Every check of the service, by file.
pub const CHECKS: &[&[Check]] = &[];

/// What a profile brings for this service.
#[derive(Clone, Debug, Default)]
pub struct Fixtures {}
