//! The trace of a publishing client.

use assay_spec::Dialect;
use assay_spec::publish::{prepare, submit};

use super::super::trace::{Around, Call};

/// What a client did in one world.
pub struct Trace {
    /// The service's names of types, channels and schemes.
    pub(super) dialect: Dialect,
    /// The client's public key.
    pub(super) key: [u8; 32],
    /// Requests to the exchange's two endpoints, in order.
    pub(super) calls: Vec<Call>,
    /// Requests to other paths of the exchange.
    pub(super) strays: Vec<String>,
    /// Requests to the chain.
    pub(super) chain: Vec<Call>,
    /// How many requests to the chain returned 502 on the wire; they are not among those above.
    pub(super) failed_lookups: usize,
    /// What a transfer or an accept must say in its bodies.
    pub(super) wanted: serde_json::Value,
    /// Records that landed.
    pub(super) landed: u64,
    /// How it ended, and what reports show besides.
    pub(super) around: Around,
}

impl Call {
    /// Whether it is a prepare.
    pub(super) fn is_prepare(&self) -> bool {
        self.path() == prepare::ENDPOINT.path
    }

    /// Whether it is a submit.
    pub(super) fn is_submit(&self) -> bool {
        self.path() == submit::ENDPOINT.path
    }
}

impl Trace {
    /// The prepares, each with its index among the calls.
    pub(super) fn prepares(&self) -> Vec<(usize, &Call)> {
        self.calls.iter().enumerate().filter(|(_, call)| call.is_prepare()).collect()
    }

    /// The submits, each with its index among the calls.
    pub(super) fn submits(&self) -> Vec<(usize, &Call)> {
        self.calls.iter().enumerate().filter(|(_, call)| call.is_submit()).collect()
    }
}

/// Shows the answers to prepares as the wire has altered them.
pub(super) fn with_altered_answers(calls: &mut [Call], altered_answers: Vec<Vec<u8>>) {
    let prepared = calls.iter_mut().filter(|call| call.is_prepare() && call.status() == 200);
    for (call, altered) in prepared.zip(altered_answers) {
        if let Some(response) = &mut call.response {
            response.body = altered.into();
        }
    }
}
