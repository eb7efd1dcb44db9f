//! What a case's world is like.

/// The model that most worlds ask for: several servers have it.
pub(super) const OPEN: &str = "assay-chat";
/// The confidential model.
pub(super) const SEALED: &str = "assay-sealed";

/// A world, and what happens in it.
#[derive(Clone, Copy)]
pub(super) struct Scene {
    /// Whom the client asks.
    pub(super) way: Way,
    /// Answers are to be streamed.
    pub(super) stream: bool,
    /// What the client pays with.
    pub(super) pays: Pays,
    /// What happens, in order.
    pub(super) script: &'static [Step],
    /// What lies between the client and the enclave.
    pub(super) wire: Wire,
}

/// Whom a client asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Way {
    /// The gateway.
    Gateway,
    /// The servers that the gateway lists.
    Direct,
    /// A confidential deployment.
    Sealed,
}

/// What a client pays with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Pays {
    /// A valid key.
    Key,
    /// A key that is revoked.
    Revoked,
    /// A payment for each request.
    Payment,
}

/// What happens next.
#[derive(Clone, Copy)]
pub(super) enum Step {
    /// The client is asked something, and tells what it came to.
    Ask,
    /// The world gets exactly these faults (JSON).
    Faults(&'static str),
    /// An action of the control API, with its arguments (JSON).
    Action(&'static str, &'static str),
    /// The server that the client has used last leaves: discovery lists it no longer.
    LastLeaves,
    /// Of the model's servers all but one fail in this way, the one among them that the client has used last.
    OthersFail(&'static str),
    /// Longer than a list of servers may be used.
    Rest,
}

/// What lies between the client and the enclave.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wire {
    /// Nothing.
    Plain,
    /// Somebody who lets the first connection through and shows a certificate of their own at every other.
    Impostor,
}

/// A world in which nothing is wrong.
pub(super) const CONFORMING: Scene = Scene {
    way: Way::Gateway,
    stream: false,
    pays: Pays::Key,
    script: &[Step::Ask, Step::Ask],
    wire: Wire::Plain,
};

impl Scene {
    /// The model that is asked.
    pub(super) fn model(&self) -> &'static str {
        if self.way == Way::Sealed { SEALED } else { OPEN }
    }

    /// The same client where nothing is wrong.
    pub(super) fn counterpart(&self) -> Scene {
        let pays = if self.pays == Pays::Revoked { Pays::Key } else { self.pays };
        let script = if pays == Pays::Payment { PAID } else { CONFORMING.script };
        Scene { way: self.way, stream: self.stream, pays, script, wire: Wire::Plain }
    }
}

/// Payments are asked for, and made.
pub(super) const PAID: &[Step] = &[Step::Action("gateway.payments", r#"{"on": true}"#), Step::Ask];
