//! SHA-256 of several independent messages at once.
//!
//! A digest waits for itself: each round needs the one before it. Several messages do not wait for each other. On x86-64
//! [`digests`] compresses them side by side: sixteen in the lanes of AVX-512, eight in those of AVX2, or two in turn with the
//! instructions for SHA-256. What is fastest depends on the processor and on the number of messages, see
//! `plan.rs`. Elsewhere, and for one message, the `sha2` crate does the work.

mod consts;
mod plan;
mod schedule;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

use plan::Plan;

/// A SHA-256 digest.
pub type Digest = [u8; 32];

/// The block of the compression function.
type Block = [u8; 64];
/// The state between two blocks.
type State = [u32; 8];

/// The digest of each message, in order.
pub fn digests(messages: &[&[u8]]) -> Vec<Digest> {
    Plan::detect().digests(messages)
}

/// How many messages of about the same length keep the processor busy. With fewer messages, [`digests`] is slower per
/// byte; with more, it is as fast.
pub fn width() -> usize {
    Plan::detect().width()
}
