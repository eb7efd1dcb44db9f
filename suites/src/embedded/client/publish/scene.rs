//! The world of a case.

use super::super::Ability;
use super::server_deviations::ServerDeviation;
use super::{ACCEPTS, CHAIN, DEFAULT_VERSION, TRANSFERS, VERSIONS};

/// The version to publish in most worlds.
pub(super) const VERSION: &str = "2026.7";

/// A world, and the wire between it and the client.
#[derive(Clone, Copy)]
pub struct Scene {
    /// What the client is asked for.
    pub(super) asks: Asks,
    /// The version to publish; `None` leaves `ASSAY_VERSION` unset.
    pub(super) version: Option<&'static str>,
    /// What the domain is bound to.
    pub(super) binding: Binding,
    /// The server's deviations.
    pub(super) deviations: &'static [&'static str],
    /// A fault: a condition that the documents describe.
    pub(super) fault: Option<&'static str>,
    /// Limits that differ from the documents'.
    pub(super) limits: &'static [(&'static str, i64)],
    /// How far the server's clock is ahead of the client's.
    pub(super) skew_ms: i64,
    /// The wire between server and client.
    pub(super) wire: Wire,
    /// It is about what the client reads on the chain.
    pub(super) reads_chain: bool,
    /// How time and the run proceed.
    pub(super) script: Script,
}

/// What the client is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::embedded::client) enum Asks {
    /// To publish.
    Publish,
    /// To transfer the domain to another key.
    Transfer,
    /// To accept the domain, with the incoming key of a transfer that has landed.
    Accept,
}

/// What a domain is bound to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Binding {
    /// The client's key.
    Bound,
    /// Nothing.
    Unbound,
    /// The client's key, frozen by a transfer.
    Frozen,
}

/// What happens between server and client.
#[derive(Clone, Copy)]
pub(super) enum Wire {
    /// Nothing.
    Plain,
    /// Every answer to a prepare is altered.
    Deviation(ServerDeviation),
    /// A minute passes before each of the first N submits arrives.
    Late(usize),
    /// The connection of the first submit is closed without an answer.
    Cut,
    /// The first N requests to the chain return 502.
    ChainDown(usize),
}

/// How time and the run proceed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Script {
    /// Time follows the wall clock; the client exits by itself.
    Run,
    /// Time follows the wall clock; the client may wait, and is watched for a while.
    MayWait,
    /// Time stops until a submit has waited for a while.
    Hold,
    /// After the client has met the safety ceiling and was watched for a while, time jumps by five minutes.
    Ceiling,
}

/// A world in which nothing is wrong.
pub(super) const CONFORMING: Scene = Scene {
    asks: Asks::Publish,
    version: Some(VERSION),
    binding: Binding::Bound,
    deviations: &[],
    fault: None,
    limits: &[],
    skew_ms: 0,
    wire: Wire::Plain,
    reads_chain: false,
    script: Script::Run,
};

/// A conforming world in which the domain is transferred.
pub(super) const TRANSFER: Scene = Scene { asks: Asks::Transfer, ..CONFORMING };
/// A conforming world in which the domain is accepted.
pub(super) const ACCEPT: Scene = Scene { asks: Asks::Accept, ..CONFORMING };

impl Scene {
    /// A conforming world whose wire alters answers to prepares.
    pub(super) const fn deviating(deviation: ServerDeviation) -> Scene {
        Scene { wire: Wire::Deviation(deviation), ..CONFORMING }
    }

    /// The conforming world in which the client is asked for the same.
    pub(super) fn counterpart(&self) -> Scene {
        Scene { asks: self.asks, version: self.version, ..CONFORMING }
    }

    /// The same world for a client that sends no version.
    pub(super) fn without_version(&self) -> Scene {
        Scene { version: None, ..*self }
    }

    /// The abilities that a client needs in it. A world with an ordinary version can also do without one.
    pub(super) fn needs(&self) -> Vec<&'static Ability> {
        let mut needs = Vec::new();
        if self.asks != Asks::Publish {
            needs.push(&TRANSFERS);
        }
        if self.asks == Asks::Accept {
            needs.push(&ACCEPTS);
        }
        match self.version {
            _ if self.asks != Asks::Publish => {}
            None => needs.push(&DEFAULT_VERSION),
            Some(VERSION) => {}
            Some(_) => needs.push(&VERSIONS),
        }
        if self.reads_chain {
            needs.push(&CHAIN);
        }
        needs
    }

    /// Whether the client may still run when the case ends.
    pub(super) fn may_wait(&self) -> bool {
        matches!(self.script, Script::MayWait | Script::Ceiling)
    }
}
