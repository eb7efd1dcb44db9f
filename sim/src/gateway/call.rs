//! Inference requests of all wire formats.

use std::sync::Arc;

use assay_spec::gateway::mistakes::chat::{IMAGE, ORDINARY, PARTS};
use assay_spec::gateway::mistakes::messages::ORDINARY as MESSAGES_ORDINARY;
use assay_spec::gateway::mistakes::tools::{ROUND_TRIP, TAKEN};
use assay_spec::gateway::requirements as rows;
use assay_spec::gateway::{chat, completions, messages, responses};
use assay_spec::requirement::Evidence;
use assay_spec::{Id, Refused, Rules};
use serde_json::Value;

use super::model::Prompt;
use super::wire;
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
    /// Every kind.
    pub(super) const ALL: [Family; 5] =
        [Family::Chat, Family::Completions, Family::Native, Family::Responses, Family::Messages];

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

    /// Whether the document names it for servers that are called directly.
    pub(super) fn is_direct(self) -> bool {
        matches!(self, Family::Chat | Family::Completions | Family::Messages)
    }

    /// The requirement that a body of another form violates.
    pub(super) fn body(self) -> Id {
        match self {
            Family::Chat => &rows::chat::BODY,
            Family::Completions | Family::Native => &rows::completions::BODY,
            Family::Responses => &rows::responses::BODY,
            Family::Messages => &rows::messages::BODY,
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
        let Lenient(lenient) = core.step(Lenient(false));
        let rules = &mut Choice { core, lenient };
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

    /// Accepts what the formats allow: text parts, images, tools and their results, and what client libraries send besides.
    pub(super) fn admit(&self, core: &mut Core) -> Result<(), Refused> {
        let of_whole = match self.family {
            Family::Chat => &ORDINARY,
            Family::Messages => &MESSAGES_ORDINARY,
            Family::Completions | Family::Native | Family::Responses => return Ok(()),
        };
        core.accept(of_whole, &*self.body)?;
        core.accept_value(of_whole, &self.body)?;
        if self.family != Family::Chat {
            return Ok(());
        }
        let mut rules = [&PARTS, &IMAGE, &ROUND_TRIP, &TAKEN].into_iter();
        rules.try_for_each(|rule| core.accept(rule, &*self.body))?;
        for message in self.body["messages"].as_array().into_iter().flatten() {
            core.accept_value(&PARTS, &message["content"])?;
            core.accept_value(&IMAGE, &message["content"])?;
        }
        Ok(())
    }

    /// Whether it is a chat that asks for a stream.
    pub(super) fn is_streamed_chat(&self) -> bool {
        self.stream && self.family == Family::Chat
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

/// Whether the rules that are only the simulator's choice pass everything.
#[derive(Clone, PartialEq)]
pub(super) struct Lenient(pub(super) bool);

/// The world's rules, of which some may pass everything.
struct Choice<'a> {
    core: &'a mut Core,
    lenient: bool,
}

impl Choice<'_> {
    fn passes(&self, rule: Id) -> bool {
        self.lenient && matches!(rule.evidence, Evidence::Open(_)) && rule != &rows::input::LIMITS
    }
}

impl Rules for Choice<'_> {
    fn violated(&mut self, rule: Id) -> Option<&'static str> {
        if self.passes(rule) { Some("") } else { Rules::violated(self.core, rule) }
    }

    fn guard(
        &mut self,
        rule: Id,
        part: &'static str,
        holds: bool,
        why: &mut dyn FnMut() -> String,
    ) -> Result<(), Refused> {
        if self.passes(rule) { Ok(()) } else { self.core.guard(rule, part, holds, why) }
    }

    fn judge(&mut self, kind: Option<&'static str>) {
        self.core.judge(kind);
    }

    fn judge_uncommon(&mut self, rule: Id, kinds: Vec<&'static str>) {
        self.core.judge_uncommon(rule, kinds);
    }

    fn rejects_uncommon(&mut self, rule: Id) -> bool {
        self.core.rejects_uncommon(rule)
    }

    fn changes_kept(&mut self, rule: Id) -> bool {
        self.core.changes_kept(rule)
    }
}
