//! AVX2: eight lanes of 32 bits.

use core::arch::x86_64::{
    __m256i, _mm256_add_epi32, _mm256_and_si256, _mm256_extract_epi64, _mm256_or_si256,
    _mm256_permute2x128_si256, _mm256_set1_epi32, _mm256_setr_epi32, _mm256_setr_epi64x, _mm256_shuffle_epi8,
    _mm256_slli_epi32, _mm256_srli_epi32, _mm256_unpackhi_epi32, _mm256_unpackhi_epi64,
    _mm256_unpacklo_epi32, _mm256_unpacklo_epi64, _mm256_xor_si256,
};

use super::lanes::lane_kernel;
use crate::Block;
use crate::consts::ROUND;
use crate::schedule::Columns;

/// Messages that are hashed at once.
pub(super) const LANES: usize = 8;

/// A word of each message.
type Words = __m256i;

macro_rules! ror {
    ($x:expr, $bits:literal) => {
        _mm256_or_si256(_mm256_srli_epi32::<$bits>($x), _mm256_slli_epi32::<{ 32 - $bits }>($x))
    };
}

lane_kernel!("avx2", 8);

#[inline]
#[target_feature(enable = "avx2")]
fn splat(word: u32) -> Words {
    _mm256_set1_epi32(word as i32)
}

#[inline]
#[target_feature(enable = "avx2")]
fn add(x: Words, y: Words) -> Words {
    _mm256_add_epi32(x, y)
}

#[inline]
#[target_feature(enable = "avx2")]
fn xor(x: Words, y: Words) -> Words {
    _mm256_xor_si256(x, y)
}

#[inline]
#[target_feature(enable = "avx2")]
fn xor3(x: Words, y: Words, z: Words) -> Words {
    xor(xor(x, y), z)
}

#[inline]
#[target_feature(enable = "avx2")]
fn shr<const BITS: i32>(x: Words) -> Words {
    _mm256_srli_epi32::<BITS>(x)
}

/// The bits of `f` where `e` is set, and of `g` elsewhere.
#[inline]
#[target_feature(enable = "avx2")]
fn choose(e: Words, f: Words, g: Words) -> Words {
    xor(g, _mm256_and_si256(e, xor(f, g)))
}

/// The bits that at least two of the words have. `b_xor_c` becomes that of the next round.
#[inline]
#[target_feature(enable = "avx2")]
fn majority(a: Words, b: Words, _: Words, b_xor_c: &mut Words) -> Words {
    let a_xor_b = xor(a, b);
    let majority = xor(b, _mm256_and_si256(a_xor_b, *b_xor_c));
    *b_xor_c = a_xor_b;
    majority
}

/// The words of block `n` of each message.
#[inline]
#[target_feature(enable = "avx2")]
fn load(blocks: &[&[Block]; LANES], n: usize) -> [Words; 16] {
    let zero = splat(0);
    let (mut low, mut high) = ([zero; LANES], [zero; LANES]);
    for lane in 0..LANES {
        let (halves, _) = blocks[lane][n].as_chunks::<32>();
        (low[lane], high[lane]) = (big_endian(&halves[0]), big_endian(&halves[1]));
    }
    let ([w0, w1, w2, w3, w4, w5, w6, w7], [w8, w9, w10, w11, w12, w13, w14, w15]) =
        (transpose(low), transpose(high));
    [w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14, w15]
}

#[inline]
#[target_feature(enable = "avx2")]
fn big_endian(bytes: &[u8; 32]) -> Words {
    let (words, _) = bytes.as_chunks::<8>();
    let [w0, w1, w2, w3] = [words[0], words[1], words[2], words[3]].map(i64::from_le_bytes);
    let (low, high) = (0x0405_0607_0001_0203, 0x0c0d_0e0f_0809_0a0b);
    _mm256_shuffle_epi8(_mm256_setr_epi64x(w0, w1, w2, w3), _mm256_setr_epi64x(low, high, low, high))
}

/// Rows of one message each become columns of one word each.
#[inline]
#[target_feature(enable = "avx2")]
fn transpose([r0, r1, r2, r3, r4, r5, r6, r7]: [Words; 8]) -> [Words; 8] {
    let (a0, a1) = (_mm256_unpacklo_epi32(r0, r1), _mm256_unpackhi_epi32(r0, r1));
    let (a2, a3) = (_mm256_unpacklo_epi32(r2, r3), _mm256_unpackhi_epi32(r2, r3));
    let (a4, a5) = (_mm256_unpacklo_epi32(r4, r5), _mm256_unpackhi_epi32(r4, r5));
    let (a6, a7) = (_mm256_unpacklo_epi32(r6, r7), _mm256_unpackhi_epi32(r6, r7));
    let (b0, b1) = (_mm256_unpacklo_epi64(a0, a2), _mm256_unpackhi_epi64(a0, a2));
    let (b2, b3) = (_mm256_unpacklo_epi64(a1, a3), _mm256_unpackhi_epi64(a1, a3));
    let (b4, b5) = (_mm256_unpacklo_epi64(a4, a6), _mm256_unpackhi_epi64(a4, a6));
    let (b6, b7) = (_mm256_unpacklo_epi64(a5, a7), _mm256_unpackhi_epi64(a5, a7));
    [
        _mm256_permute2x128_si256::<0x20>(b0, b4),
        _mm256_permute2x128_si256::<0x20>(b1, b5),
        _mm256_permute2x128_si256::<0x20>(b2, b6),
        _mm256_permute2x128_si256::<0x20>(b3, b7),
        _mm256_permute2x128_si256::<0x31>(b0, b4),
        _mm256_permute2x128_si256::<0x31>(b1, b5),
        _mm256_permute2x128_si256::<0x31>(b2, b6),
        _mm256_permute2x128_si256::<0x31>(b3, b7),
    ]
}

#[inline]
#[target_feature(enable = "avx2")]
fn read_columns(columns: &[[u32; LANES]; 8]) -> [Words; 8] {
    let mut words = [splat(0); 8];
    for n in 0..8 {
        let [w0, w1, w2, w3, w4, w5, w6, w7] = columns[n].map(|word| word as i32);
        words[n] = _mm256_setr_epi32(w0, w1, w2, w3, w4, w5, w6, w7);
    }
    words
}

#[inline]
#[target_feature(enable = "avx2")]
fn write_columns(columns: &mut [[u32; LANES]; 8], words: &[Words; 8]) {
    for n in 0..8 {
        let pairs = [
            _mm256_extract_epi64::<0>(words[n]),
            _mm256_extract_epi64::<1>(words[n]),
            _mm256_extract_epi64::<2>(words[n]),
            _mm256_extract_epi64::<3>(words[n]),
        ];
        for (place, pair) in columns[n].chunks_exact_mut(2).zip(pairs) {
            (place[0], place[1]) = (pair as u32, (pair >> 32) as u32);
        }
    }
}
