//! Inference requests of all wire formats.

use std::sync::Arc;

use assay_spec::gateway::requirements as rows;
use assay_spec::gateway::{chat, completions, messages, responses};
use assay_spec::requirement::Evidence;
use assay_spec::{Id, Refused, Rules};
use serde_json::Value;

use super::model::Prompt;
use super::{variations, wire};
use crate::core::Core;

/// A kind of inference request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// Chat completions.
    Chat,
    /// Plain completions.
    Completions,
    /// Plain completions at their native path.
    Native,
    /// Responses.
    Responses,
    /// The messages format.
    Messages,
}

/// A parsed request.
#[derive(Clone, Debug)]
pub(super) struct Call {
    /// Its kind.
    pub(super) family: Family,
    /// The model that it names.
    pub(super) model: String,
    /// Whether the answer is streamed.
    pub(super) stream: bool,
    /// The body as received.
    pub(super) body: Arc<Value>,
    prompt: Arc<Prompt>,
}

impl Family {
    /// Its name in the occasions of faults.
    pub(super) fn name(self) -> &'static str {
        match self {
            Family::Chat => chat::ENDPOINT.name,
            Family::Completions => completions::ENDPOINT.name,
            Family::Native => completions::NATIVE.name,
            Family::Responses => responses::ENDPOINT.name,
            Family::Messages => messages::ENDPOINT.name,
        }
    }

    /// The requirement that an unknown model violates.
    pub(super) fn unknown_model(self) -> Id {
        match self {
            Family::Chat => &rows::errors::UNKNOWN_MODEL,
            Family::Completions | Family::Native => &rows::completions::UNKNOWN_MODEL,
            Family::Responses => &rows::responses::UNKNOWN_MODEL,
            Family::Messages => &rows::messages::UNKNOWN_MODEL,
        }
    }

    /// The requirement that an invalid key violates at the gateway.
    pub(super) fn invalid_key(self) -> Id {
        match self {
            Family::Chat => &rows::auth::INVALID_KEY_CHAT,
            Family::Completions => &rows::auth::INVALID_KEY_COMPLETIONS,
            Family::Native => &rows::auth::INVALID_KEY_NATIVE,
            Family::Responses => &rows::auth::INVALID_KEY_RESPONSES,
            Family::Messages => &rows::auth::INVALID_KEY_MESSAGES,
        }
    }
}

impl Call {
    /// Parses a body.
    pub(super) fn parse(core: &mut Core, family: Family, body: &[u8]) -> Result<Call, Refused> {
        let rules = &mut Choice(core);
        let (model, stream, body, prompt) = match family {
            Family::Chat => {
                let request = chat::parse(body, rules)?;
                let prompt = wire::chat::prompt(&request.body);
                (request.model, request.stream, request.body, prompt)
            }
            Family::Completions | Family::Native => {
                let request = completions::parse(body, rules)?;
                let prompt = wire::completions::prompt(&request.body);
                (request.model, request.stream, request.body, prompt)
            }
            Family::Responses => {
                let request = responses::parse(body, rules)?;
                let prompt = wire::responses::prompt(&request.body);
                (request.model, request.stream, request.body, prompt)
            }
            Family::Messages => {
                let request = messages::parse(body, rules)?;
                let prompt = wire::messages::prompt(&request.body);
                (request.model, request.stream, request.body, prompt)
            }
        };
        Ok(Call { family, model, stream, body: Arc::new(body), prompt: Arc::new(prompt) })
    }

    /// The prompt for the model.
    pub(super) fn prompt(&self) -> &Prompt {
        &self.prompt
    }

    /// The whole reply.
    pub(super) fn reply(&self, of: &wire::Of<'_>) -> Value {
        match self.family {
            Family::Chat => wire::chat::reply(of),
            Family::Completions => wire::completions::reply(of),
            Family::Native => wire::native::reply(of),
            Family::Responses => wire::responses::reply(of),
            Family::Messages => wire::messages::reply(of),
        }
    }

    /// The reply as events of a stream.
    pub(super) fn events(&self, of: &wire::Of<'_>) -> Vec<wire::Event> {
        match self.family {
            Family::Chat => wire::chat::events(of),
            Family::Completions => wire::completions::events(of),
            Family::Native => wire::native::events(of),
            Family::Responses => wire::responses::events(of),
            Family::Messages => wire::messages::events(of),
        }
    }

    /// The event of a stream that fails after `sent` events.
    pub(super) fn broken(&self, text: &str, sent: usize) -> wire::Event {
        match self.family {
            Family::Chat => wire::chat::broken(text, sent),
            Family::Completions | Family::Native => wire::completions::broken(text, sent),
            Family::Responses => wire::responses::broken(text, sent),
            Family::Messages => wire::messages::broken(text, sent),
        }
    }
}

/// The world's rules. While the variation is active, rules that are only the simulator's choice always pass.
struct Choice<'a>(&'a mut Core);

impl Choice<'_> {
    fn passes(&self, rule: Id) -> bool {
        matches!(rule.evidence, Evidence::Open(_))
            && rule != &rows::input::LIMITS
            && self.0.varies(variations::LENIENT)
    }
}

impl Rules for Choice<'_> {
    fn violated(&mut self, rule: Id) -> Option<&'static str> {
        if self.passes(rule) { Some("") } else { self.0.violated(rule) }
    }

    fn require(&mut self, rule: Id, holds: bool, why: impl FnOnce() -> String) -> Result<(), Refused> {
        if self.passes(rule) { Ok(()) } else { self.0.require(rule, holds, why) }
    }
}
