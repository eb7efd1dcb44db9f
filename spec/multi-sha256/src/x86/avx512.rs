//! AVX-512: sixteen lanes of 32 bits.

use core::arch::x86_64::{
    __m512i, _mm256_extract_epi64, _mm512_add_epi32, _mm512_extracti64x4_epi64, _mm512_ror_epi32,
    _mm512_set1_epi32, _mm512_set4_epi64, _mm512_setr_epi32, _mm512_setr_epi64, _mm512_shuffle_epi8,
    _mm512_shuffle_i32x4, _mm512_srli_epi32, _mm512_ternarylogic_epi32, _mm512_unpackhi_epi32,
    _mm512_unpackhi_epi64, _mm512_unpacklo_epi32, _mm512_unpacklo_epi64, _mm512_xor_si512,
};

use super::lanes::lane_kernel;
use crate::Block;
use crate::consts::ROUND;
use crate::schedule::Columns;

/// Messages that are hashed at once.
pub(super) const LANES: usize = 16;

/// A word of each message.
type Words = __m512i;

macro_rules! ror {
    ($x:expr, $bits:literal) => {
        _mm512_ror_epi32::<$bits>($x)
    };
}

lane_kernel!("avx512f,avx512bw", 16);

#[inline]
#[target_feature(enable = "avx512f")]
fn splat(word: u32) -> Words {
    _mm512_set1_epi32(word as i32)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn add(x: Words, y: Words) -> Words {
    _mm512_add_epi32(x, y)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn xor(x: Words, y: Words) -> Words {
    _mm512_xor_si512(x, y)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn xor3(x: Words, y: Words, z: Words) -> Words {
    _mm512_ternarylogic_epi32::<0b1001_0110>(x, y, z)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn shr<const BITS: u32>(x: Words) -> Words {
    _mm512_srli_epi32::<BITS>(x)
}

/// The bits of `f` where `e` is set, and of `g` elsewhere.
#[inline]
#[target_feature(enable = "avx512f")]
fn choose(e: Words, f: Words, g: Words) -> Words {
    _mm512_ternarylogic_epi32::<0b1100_1010>(e, f, g)
}

/// The bits that at least two of the words have.
#[inline]
#[target_feature(enable = "avx512f")]
fn majority(a: Words, b: Words, c: Words, _: &mut Words) -> Words {
    _mm512_ternarylogic_epi32::<0b1110_1000>(a, b, c)
}

/// The words of block `n` of each message.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load(blocks: &[&[Block]; LANES], n: usize) -> [Words; 16] {
    let mut rows = [splat(0); LANES];
    for lane in 0..LANES {
        rows[lane] = big_endian(&blocks[lane][n]);
    }
    transpose(&rows)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn big_endian(block: &Block) -> Words {
    let (words, _) = block.as_chunks::<8>();
    let [w0, w1, w2, w3, w4, w5, w6, w7] =
        [words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7]]
            .map(i64::from_le_bytes);
    let (low, high) = (0x0405_0607_0001_0203, 0x0c0d_0e0f_0809_0a0b);
    let order = _mm512_set4_epi64(high, low, high, low);
    _mm512_shuffle_epi8(_mm512_setr_epi64(w0, w1, w2, w3, w4, w5, w6, w7), order)
}

/// Rows of one message each become columns of one word each.
#[inline]
#[target_feature(enable = "avx512f")]
fn transpose(rows: &[Words; LANES]) -> [Words; 16] {
    // In each quarter of a register: four words of four messages.
    let mut quarters = [[splat(0); 4]; 4];
    for (four, rows) in quarters.iter_mut().zip(rows.as_chunks::<4>().0) {
        let [r0, r1, r2, r3] = *rows;
        let (a0, a1) = (_mm512_unpacklo_epi32(r0, r1), _mm512_unpackhi_epi32(r0, r1));
        let (a2, a3) = (_mm512_unpacklo_epi32(r2, r3), _mm512_unpackhi_epi32(r2, r3));
        *four = [
            _mm512_unpacklo_epi64(a0, a2),
            _mm512_unpackhi_epi64(a0, a2),
            _mm512_unpacklo_epi64(a1, a3),
            _mm512_unpackhi_epi64(a1, a3),
        ];
    }
    let [q0, q1, q2, q3] = quarters;
    let mut words = [splat(0); 16];
    for n in 0..4 {
        // The even quarters, and the odd ones.
        let (e0, e1) = (even(q0[n], q1[n]), even(q2[n], q3[n]));
        let (o0, o1) = (odd(q0[n], q1[n]), odd(q2[n], q3[n]));
        words[n] = even(e0, e1);
        words[4 + n] = even(o0, o1);
        words[8 + n] = odd(e0, e1);
        words[12 + n] = odd(o0, o1);
    }
    words
}

/// The first and the third quarter of both.
#[inline]
#[target_feature(enable = "avx512f")]
fn even(x: Words, y: Words) -> Words {
    _mm512_shuffle_i32x4::<0b10_00_10_00>(x, y)
}

/// The second and the fourth quarter of both.
#[inline]
#[target_feature(enable = "avx512f")]
fn odd(x: Words, y: Words) -> Words {
    _mm512_shuffle_i32x4::<0b11_01_11_01>(x, y)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn read_columns(columns: &[[u32; LANES]; 8]) -> [Words; 8] {
    let mut words = [splat(0); 8];
    for n in 0..8 {
        let [w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, wa, wb, wc, wd, we, wf] =
            columns[n].map(|word| word as i32);
        words[n] = _mm512_setr_epi32(w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, wa, wb, wc, wd, we, wf);
    }
    words
}

#[inline]
#[target_feature(enable = "avx512f")]
fn write_columns(columns: &mut [[u32; LANES]; 8], words: &[Words; 8]) {
    for n in 0..8 {
        let halves = [_mm512_extracti64x4_epi64::<0>(words[n]), _mm512_extracti64x4_epi64::<1>(words[n])];
        for (places, half) in columns[n].chunks_exact_mut(8).zip(halves) {
            let pairs = [
                _mm256_extract_epi64::<0>(half),
                _mm256_extract_epi64::<1>(half),
                _mm256_extract_epi64::<2>(half),
                _mm256_extract_epi64::<3>(half),
            ];
            for (place, pair) in places.chunks_exact_mut(2).zip(pairs) {
                (place[0], place[1]) = (pair as u32, (pair >> 32) as u32);
            }
        }
    }
}
