//! Maximum values. The documents show none of them, so each server has its own, and nothing asserts these.

use crate::Service::Gateway;
use crate::limit::{Limit, Unit};

/// The maximum nesting depth of arrays and objects in a body; lower than what the JSON parser allows.
pub static DEPTH: Limit =
    Limit::own(Gateway, "depth", 100, Unit::Element, "the arrays and objects around a value");
/// The maximum number of messages in a conversation.
pub static MESSAGES: Limit =
    Limit::own(Gateway, "messages", 16_384, Unit::Element, "the messages of a conversation");
/// The maximum number of parts or blocks in a message.
pub static PARTS: Limit =
    Limit::own(Gateway, "parts", 4096, Unit::Element, "the parts or blocks of a message");
/// The maximum number of tools in a request.
pub static TOOLS: Limit = Limit::own(Gateway, "tools", 1024, Unit::Element, "the tools of a request");
/// The size from which a body counts as large.
pub static LARGE: Limit = Limit::own(Gateway, "large_bytes", 4 << 20, Unit::Byte, "the bytes of a body");

/// Every limit of the gateway.
pub static LIMITS: &[&Limit] = &[&DEPTH, &MESSAGES, &PARTS, &TOOLS, &LARGE];
