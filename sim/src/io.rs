//! What goes into a world, and what comes out of it.

use std::sync::Arc;

use assay_spec::Instant;
use bytes::Bytes;
use http::HeaderMap;

use crate::exchange::{ExchangeId, RequestHead};
use crate::outgoing::{Outcome, Outgoing, OutgoingId};

/// What goes into a world.
#[derive(Clone, Debug)]
pub enum Input {
    /// A request begins. Its exchange number must be [`World::next_exchange`](crate::World::next_exchange).
    Head(Box<RequestHead>),
    /// Bytes of its body.
    Body(ExchangeId, Bytes),
    /// It is complete.
    End(ExchangeId),
    /// Its client disconnected.
    Abort(ExchangeId),
    /// Time moves to this moment; timers fire on the way.
    Tick(Instant),
    /// The outcome of an outgoing request. One that is not in progress is ignored.
    Incoming(OutgoingId, Outcome),
}

/// What comes out of a world.
#[derive(Clone, Debug)]
pub enum Output {
    /// A reply begins.
    Head {
        /// The exchange.
        exchange: ExchangeId,
        /// The status.
        status: u16,
        /// The headers; the transport adds framing.
        headers: HeaderMap,
    },
    /// Bytes of a reply.
    Frame {
        /// The exchange.
        exchange: ExchangeId,
        /// The bytes.
        bytes: Bytes,
    },
    /// A reply is complete.
    End {
        /// The exchange.
        exchange: ExchangeId,
    },
    /// A reply breaks off, or never begins: its connection closes.
    Cut {
        /// The exchange.
        exchange: ExchangeId,
    },
    /// A request of the world to an outside server; [`Input::Incoming`] reports its outcome.
    Outgoing {
        /// Its number.
        id: OutgoingId,
        /// The request; its target is a plain HTTP URL.
        request: Arc<Outgoing>,
    },
}

impl Output {
    /// The exchange it belongs to; 0 if none.
    pub const fn exchange(&self) -> ExchangeId {
        match self {
            Output::Head { exchange, .. }
            | Output::Frame { exchange, .. }
            | Output::End { exchange }
            | Output::Cut { exchange } => *exchange,
            Output::Outgoing { .. } => 0,
        }
    }

    /// Whether it is the last output of its exchange.
    pub const fn is_last(&self) -> bool {
        matches!(self, Output::End { .. } | Output::Cut { .. })
    }
}
