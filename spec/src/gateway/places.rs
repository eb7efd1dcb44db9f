//! Where the rows of the gateway apply: the endpoint, and whether the request asks for a stream. They apply at a server
//! that is called directly as at the gateway.

use crate::Place;

/// A whole response is asked for.
pub const WHOLE: &str = "whole";
/// A stream is asked for.
pub const STREAM: &str = "stream";

const CHATS: Place = Place::at("chat");

/// Each endpoint that runs a model. Only the chat is documented to stream.
pub const INFERENCE: &[Place] = &[
    CHATS.op(WHOLE),
    CHATS.op(STREAM),
    Place::at("completions"),
    Place::at("native-completions"),
    Place::at("responses"),
    Place::at("messages"),
];
/// The same, whether a stream is asked for or not.
pub const BODIES: &[Place] = &[
    CHATS,
    Place::at("completions"),
    Place::at("native-completions"),
    Place::at("responses"),
    Place::at("messages"),
];
/// A chat.
pub const CHAT: &[Place] = &[CHATS.op(WHOLE), CHATS.op(STREAM)];
/// A chat, whether a stream is asked for or not.
pub const ANY_CHAT: &[Place] = &[CHATS];
/// A chat that asks for a whole response.
pub const CHAT_WHOLE: &[Place] = &[CHATS.op(WHOLE)];
/// A chat that asks for a stream.
pub const CHAT_STREAM: &[Place] = &[CHATS.op(STREAM)];
/// Completions.
pub const COMPLETIONS: &[Place] = &[Place::at("completions")];
/// Completions at their native path.
pub const NATIVE: &[Place] = &[Place::at("native-completions")];
/// Completions at either path.
pub const BOTH_COMPLETIONS: &[Place] = &[Place::at("completions"), Place::at("native-completions")];
/// Responses.
pub const RESPONSES: &[Place] = &[Place::at("responses")];
/// The messages format.
pub const MESSAGES: &[Place] = &[Place::at("messages")];
/// The endpoints that the document names for servers.
pub const DIRECT: &[Place] = &[CHATS, Place::at("completions"), Place::at("messages")];
/// The check of a key.
pub const KEY_CHECK: &[Place] = &[Place::at("auth-check")];
/// The list of models.
pub const MODELS: &[Place] = &[Place::at("models")];
/// Discovery.
pub const DISCOVERY: &[Place] = &[Place::at("discovery")];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::gateway::ENDPOINTS;

    #[test]
    fn places_have_the_names_of_endpoints() {
        let names = [INFERENCE, KEY_CHECK, MODELS, DISCOVERY].concat();
        let names: BTreeSet<&str> = names.iter().map(|place| place.endpoint).collect();
        assert_eq!(names, ENDPOINTS.iter().map(|endpoint| endpoint.name).collect());
    }
}
