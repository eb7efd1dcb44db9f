//! The services beside the network: scheduler, status, credit.

pub(super) mod answer;
pub(super) mod credit;
pub(super) mod purchases;
pub(super) mod scheduler;
pub(super) mod status;
