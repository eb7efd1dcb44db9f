//! What a case's world is like.

use super::server_deviations::ServerDeviation;

/// The version that most worlds ask for.
pub(super) const VERSION: &str = "2026.7";

/// A world, and what lies between it and the client.
#[derive(Clone, Copy)]
pub(super) struct Scene {
    /// The version to publish; the client is told none where there is none.
    pub(super) version: Option<&'static str>,
    /// What the domain is bound to.
    pub(super) binding: Binding,
    /// Requirements that the server does not keep.
    pub(super) deviations: &'static [&'static str],
    /// A condition that the documents foresee.
    pub(super) fault: Option<&'static str>,
    /// Limits that differ from the documents'.
    pub(super) limits: &'static [(&'static str, i64)],
    /// The lead of the server's clock over the client's.
    pub(super) skew_ms: i64,
    /// What lies between server and client.
    pub(super) wire: Wire,
    /// How the world goes on.
    pub(super) script: Script,
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
    /// Every prepare's answer is falsified.
    Deviation(ServerDeviation),
    /// A minute passes before each of the first submits arrives.
    Late(usize),
    /// The answer to the first submit is lost, and its connection with it.
    Cut,
}

/// How a world goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Script {
    /// With the wall clock; the client ends by itself.
    Run,
    /// With the wall clock; the client may wait, and is watched for a while.
    MayWait,
    /// Time stands still until a submit has waited for a while.
    Hold,
    /// Five minutes pass at once when the client has met the safety ceiling and was watched for a while.
    Ceiling,
}

/// A world in which nothing is wrong.
pub(super) const CONFORMING: Scene = Scene {
    version: Some(VERSION),
    binding: Binding::Bound,
    deviations: &[],
    fault: None,
    limits: &[],
    skew_ms: 0,
    wire: Wire::Plain,
    script: Script::Run,
};

impl Scene {
    /// A conforming world behind a deviating wire.
    pub(super) const fn deviating(deviation: ServerDeviation) -> Scene {
        Scene { wire: Wire::Deviation(deviation), ..CONFORMING }
    }

    /// Whether the client may still run when it is no longer watched.
    pub(super) fn may_wait(&self) -> bool {
        matches!(self.script, Script::MayWait | Script::Ceiling)
    }
}
