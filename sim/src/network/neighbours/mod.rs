//! The services beside the network: scheduler, status, credit.

pub(super) mod calls;
