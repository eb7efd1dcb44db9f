//! What the reference takes at most. None of it is shown by the documents, so nothing asserts it.

/// How deep arrays and objects of a body may nest; below what the JSON reader can take.
pub const DEPTH: usize = 100;

/// How many messages a conversation may have.
pub const MESSAGES: usize = 16_384;

/// How many parts or blocks a message may have.
pub const PARTS: usize = 4096;

/// How many tools a request may declare.
pub const TOOLS: usize = 1024;

/// From how many bytes on a body counts as a large one.
pub const LARGE_BYTES: usize = 4 << 20;
