//! The simulator's maximum values. The documents show none of them, so nothing asserts them.

/// The maximum nesting depth of arrays and objects in a body; lower than what the JSON parser allows.
pub const DEPTH: usize = 100;

/// The maximum number of messages in a conversation.
pub const MESSAGES: usize = 16_384;

/// The maximum number of parts or blocks in a message.
pub const PARTS: usize = 4096;

/// The maximum number of tools in a request.
pub const TOOLS: usize = 1024;

/// The size in bytes from which a body counts as large.
pub const LARGE_BYTES: usize = 4 << 20;
