//! Kernels for x86-64.
//!
//! The kernels are safe code: intrinsics without pointers are safe in a function that enables their features. Only the
//! call of such a function is not, because it needs a processor that has the features. Each type here proves that: its
//! field is private, and only `detect` makes a value. So each call below holds its condition.

mod avx2;
mod avx512;
mod lanes;
mod sha_ni;

use crate::Block;
use crate::schedule::{Columns, Kernel, Rows};

/// A processor with the instructions for SHA-256.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShaNi(());

impl ShaNi {
    pub(crate) fn detect() -> Option<ShaNi> {
        let has_all = is_x86_feature_detected!("sha")
            && is_x86_feature_detected!("sse4.1")
            && is_x86_feature_detected!("ssse3");
        has_all.then_some(ShaNi(()))
    }
}

impl<const S: usize> Kernel<S> for ShaNi {
    type States = Rows<S>;

    #[expect(unsafe_code, reason = "the comment shows why the call holds")]
    fn compress(self, states: &mut Rows<S>, blocks: [&[Block]; S]) {
        // SAFETY: the only condition is that the processor has `sha`, `sse4.1` and `ssse3`, the features that the function
        // enables. `detect` found all of them, or there would be no `self`.
        unsafe { sha_ni::compress(&mut states.0, blocks) }
    }
}

/// A processor with AVX2.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

impl Avx2 {
    pub(crate) fn detect() -> Option<Avx2> {
        is_x86_feature_detected!("avx2").then_some(Avx2(()))
    }
}

impl Kernel<{ avx2::LANES }> for Avx2 {
    type States = Columns<{ avx2::LANES }>;

    #[expect(unsafe_code, reason = "the comment shows why the call holds")]
    fn compress(self, states: &mut Self::States, blocks: [&[Block]; avx2::LANES]) {
        // SAFETY: the only condition is that the processor has `avx2`, the feature that the function enables. `detect`
        // found it, or there would be no `self`.
        unsafe { avx2::compress(states, blocks) }
    }
}

/// A processor with AVX-512 for words and bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512(());

impl Avx512 {
    pub(crate) fn detect() -> Option<Avx512> {
        let has_all = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
        has_all.then_some(Avx512(()))
    }
}

impl Kernel<{ avx512::LANES }> for Avx512 {
    type States = Columns<{ avx512::LANES }>;

    #[expect(unsafe_code, reason = "the comment shows why the call holds")]
    fn compress(self, states: &mut Self::States, blocks: [&[Block]; avx512::LANES]) {
        // SAFETY: the only condition is that the processor has `avx512f` and `avx512bw`, the features that the function
        // enables. `detect` found both, or there would be no `self`.
        unsafe { avx512::compress(states, blocks) }
    }
}
