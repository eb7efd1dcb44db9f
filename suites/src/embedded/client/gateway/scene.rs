//! The world of a case.

use serde_json::{Value, json};

use super::super::Ability;
use super::{CONFIDENTIAL, DIRECT, PAYMENTS, STREAMS, TOOLS};

/// The model of most worlds; several servers have it.
pub(super) const OPEN: &str = "assay-chat";
/// The confidential model.
pub(super) const SEALED: &str = "assay-sealed";

/// A world, and the script that runs in it.
#[derive(Clone, Copy)]
pub struct Scene {
    /// Where the client sends its requests.
    pub(super) way: Way,
    /// Prompts ask for streamed answers.
    pub(super) stream: bool,
    /// How the client pays.
    pub(super) pays: Pays,
    /// The steps, in order.
    pub(super) script: &'static [Step],
    /// The tools that the prompts name, and what each returns.
    pub(super) tools: &'static [Tool],
    /// The wire between the client and the enclave.
    pub(super) wire: Wire,
    /// The client has the attestations' authority, so it can verify an enclave.
    pub(super) can_verify: bool,
}

/// A tool, and what it returns.
#[derive(Clone, Copy)]
pub(super) struct Tool {
    /// Its name.
    pub(super) name: &'static str,
    /// What it returns.
    pub(super) result: &'static str,
}

impl Tool {
    /// Its declaration.
    pub(super) fn declaration(&self) -> Value {
        let parameters = json!({
            "type": "object",
            "properties": { "place": { "type": "string" } },
            "required": ["place"],
        });
        let description = "Reads an instrument at a place";
        let function = json!({ "name": self.name, "description": description, "parameters": parameters });
        json!({ "type": "function", "function": function })
    }
}

/// Where a client sends its requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::embedded::client) enum Way {
    /// The gateway.
    Gateway,
    /// The servers that the gateway lists.
    Direct,
    /// A confidential deployment.
    Sealed,
}

/// How a client pays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::embedded::client) enum Pays {
    /// A valid key.
    Key,
    /// A revoked key.
    Revoked,
    /// A payment for each request.
    Payment,
}

/// One step.
#[derive(Clone, Copy)]
pub(super) enum Step {
    /// The client gets a prompt and replies.
    Ask,
    /// Sets exactly these faults (JSON).
    Faults(&'static str),
    /// Sets limits.
    Limits(&'static [(&'static str, i64)]),
    /// Performs an action of the control API, with its arguments (JSON).
    Action(&'static str, &'static str),
    /// The server that the client used last leaves: discovery no longer lists it.
    LastLeaves,
    /// All of the model's servers but one fail in this way. The one that the client used last fails, too.
    OthersFail(&'static str),
    /// Waits until a list of servers is too old.
    Rest,
}

/// The wire between the client and the enclave.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wire {
    /// Nothing.
    Plain,
    /// An impostor who forwards the first connection and presents another certificate on every later one.
    Impostor,
}

/// A world in which nothing is wrong.
pub(super) const CONFORMING: Scene = Scene {
    way: Way::Gateway,
    stream: false,
    pays: Pays::Key,
    script: &[Step::Ask, Step::Ask],
    tools: &[],
    wire: Wire::Plain,
    can_verify: true,
};

impl Scene {
    /// The model of the prompts.
    pub(super) fn model(&self) -> &'static str {
        if self.way == Way::Sealed { SEALED } else { OPEN }
    }

    /// The same client where nothing is wrong.
    pub(super) fn counterpart(&self) -> Scene {
        let pays = if self.pays == Pays::Revoked { Pays::Key } else { self.pays };
        let script = if pays == Pays::Payment { PAID } else { CONFORMING.script };
        Scene { way: self.way, stream: self.stream, pays, script, ..CONFORMING }
    }

    /// The abilities that a client needs in it.
    pub(super) fn needs(&self) -> Vec<&'static Ability> {
        let needs = [
            (self.way != Way::Gateway, &DIRECT),
            (self.way == Way::Sealed && self.can_verify, &CONFIDENTIAL),
            (self.stream, &STREAMS),
            (self.pays == Pays::Payment, &PAYMENTS),
            (!self.tools.is_empty(), &TOOLS),
        ];
        needs.into_iter().filter(|(is_needed, _)| *is_needed).map(|(_, ability)| ability).collect()
    }
}

/// The gateway asks for a payment, and the client pays.
pub(super) const PAID: &[Step] = &[Step::Action("gateway.payments", r#"{"on": true}"#), Step::Ask];
