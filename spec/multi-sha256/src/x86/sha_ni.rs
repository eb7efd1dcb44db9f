//! The instructions for SHA-256, on several messages in turn.
//!
//! Each round waits for the one before it, so one message leaves the unit idle for half of the time. The rounds of other
//! messages fill the gaps.

use core::arch::x86_64::{
    __m128i, _mm_add_epi32, _mm_alignr_epi8, _mm_blend_epi16, _mm_extract_epi32, _mm_set_epi32,
    _mm_set_epi64x, _mm_sha256msg1_epu32, _mm_sha256msg2_epu32, _mm_sha256rnds2_epu32, _mm_shuffle_epi8,
    _mm_shuffle_epi32,
};

use crate::consts::ROUND;
use crate::{Block, State};

/// Compresses as many blocks of each message as the shortest list has.
#[target_feature(enable = "sha,sse4.1,ssse3")]
#[expect(clippy::needless_range_loop, reason = "each loop runs over several arrays")]
pub(super) fn compress<const S: usize>(states: &mut [State; S], blocks: [&[Block]; S]) {
    let count = blocks.iter().map(|blocks| blocks.len()).min().unwrap_or(0);
    let blocks = blocks.map(|blocks| &blocks[..count]);
    let zero = _mm_set_epi64x(0, 0);
    let (mut abef, mut cdgh) = ([zero; S], [zero; S]);
    for s in 0..S {
        (abef[s], cdgh[s]) = load_state(&states[s]);
    }
    for n in 0..count {
        let (abef_before, cdgh_before) = (abef, cdgh);
        let mut w = [[zero; 4]; S];
        for s in 0..S {
            w[s] = load_block(&blocks[s][n]);
        }
        for group in 0..16 {
            for s in 0..S {
                if group >= 4 {
                    extend(&mut w[s], group % 4);
                }
                rounds(group, &mut abef[s], &mut cdgh[s], w[s][group % 4]);
            }
        }
        for s in 0..S {
            abef[s] = _mm_add_epi32(abef[s], abef_before[s]);
            cdgh[s] = _mm_add_epi32(cdgh[s], cdgh_before[s]);
        }
    }
    for s in 0..S {
        states[s] = store_state(abef[s], cdgh[s]);
    }
}

/// Four rounds.
#[inline]
#[target_feature(enable = "sha,sse4.1,ssse3")]
fn rounds(group: usize, abef: &mut __m128i, cdgh: &mut __m128i, w: __m128i) {
    let k = &ROUND[4 * group..4 * group + 4];
    let sum = _mm_add_epi32(w, _mm_set_epi32(k[3] as i32, k[2] as i32, k[1] as i32, k[0] as i32));
    *cdgh = _mm_sha256rnds2_epu32(*cdgh, *abef, sum);
    *abef = _mm_sha256rnds2_epu32(*abef, *cdgh, _mm_shuffle_epi32::<0x0e>(sum));
}

/// Replaces group `n` of the schedule by the group that is four further.
#[inline]
#[target_feature(enable = "sha,sse4.1,ssse3")]
fn extend(w: &mut [__m128i; 4], n: usize) {
    let (w0, w1, w2, w3) = (w[n], w[(n + 1) % 4], w[(n + 2) % 4], w[(n + 3) % 4]);
    let sum = _mm_add_epi32(_mm_sha256msg1_epu32(w0, w1), _mm_alignr_epi8::<4>(w3, w2));
    w[n] = _mm_sha256msg2_epu32(sum, w3);
}

#[inline]
#[target_feature(enable = "sha,sse4.1,ssse3")]
fn load_block(block: &Block) -> [__m128i; 4] {
    let big_endian = _mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203);
    let (words, _) = block.as_chunks::<16>();
    let mut w = [big_endian; 4];
    for n in 0..4 {
        let bytes = u128::from_le_bytes(words[n]);
        w[n] = _mm_shuffle_epi8(_mm_set_epi64x((bytes >> 64) as i64, bytes as i64), big_endian);
    }
    w
}

/// The order of the state's words that the instructions use.
#[inline]
#[target_feature(enable = "sha,sse4.1,ssse3")]
#[expect(clippy::many_single_char_names, reason = "the names of the standard")]
fn load_state(&[a, b, c, d, e, f, g, h]: &State) -> (__m128i, __m128i) {
    let words = |x: u32, y: u32, z: u32, w: u32| _mm_set_epi32(x as i32, y as i32, z as i32, w as i32);
    (words(a, b, e, f), words(c, d, g, h))
}

#[inline]
#[target_feature(enable = "sha,sse4.1,ssse3")]
fn store_state(abef: __m128i, cdgh: __m128i) -> State {
    let feba = _mm_shuffle_epi32::<0x1b>(abef);
    let dchg = _mm_shuffle_epi32::<0xb1>(cdgh);
    let abcd = _mm_blend_epi16::<0xf0>(feba, dchg);
    let efgh = _mm_alignr_epi8::<8>(dchg, feba);
    [
        _mm_extract_epi32::<0>(abcd) as u32,
        _mm_extract_epi32::<1>(abcd) as u32,
        _mm_extract_epi32::<2>(abcd) as u32,
        _mm_extract_epi32::<3>(abcd) as u32,
        _mm_extract_epi32::<0>(efgh) as u32,
        _mm_extract_epi32::<1>(efgh) as u32,
        _mm_extract_epi32::<2>(efgh) as u32,
        _mm_extract_epi32::<3>(efgh) as u32,
    ]
}
