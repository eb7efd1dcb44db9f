//! The services beside the network: scheduler, status, credit. The document names their paths only; requests
//! and responses are the simulator's choice.

pub(super) mod answer;
pub(super) mod credit;
pub(super) mod purchases;
pub(super) mod scheduler;
pub(super) mod status;
