//! AVX-512: sixteen lanes of 32 bits, with rotations and functions of three words as single instructions.

use core::arch::x86_64::{
    __m512i, _mm_cvtsi128_si64, _mm_extract_epi64, _mm512_add_epi32, _mm512_extracti32x4_epi32,
    _mm512_ror_epi32, _mm512_set1_epi32, _mm512_setr_epi32, _mm512_setr_epi64, _mm512_shuffle_epi8,
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
#[target_feature(enable = "avx512f,avx512bw")]
fn splat(word: u32) -> Words {
    _mm512_set1_epi32(word as i32)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn add(x: Words, y: Words) -> Words {
    _mm512_add_epi32(x, y)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn xor(x: Words, y: Words) -> Words {
    _mm512_xor_si512(x, y)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn xor3(x: Words, y: Words, z: Words) -> Words {
    _mm512_ternarylogic_epi32::<0x96>(x, y, z)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn shr<const BITS: u32>(x: Words) -> Words {
    _mm512_srli_epi32::<BITS>(x)
}

/// The bits of `f` where `e` is set, and of `g` elsewhere.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn choose(e: Words, f: Words, g: Words) -> Words {
    _mm512_ternarylogic_epi32::<0xca>(e, f, g)
}

/// The bits that at least two of the words have. Other instruction sets use the last argument.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn majority(a: Words, b: Words, c: Words, _: &mut Words) -> Words {
    _mm512_ternarylogic_epi32::<0xe8>(a, b, c)
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
    let words = [words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7]];
    let [w0, w1, w2, w3, w4, w5, w6, w7] = words.map(i64::from_le_bytes);
    let (low, high) = (0x0405_0607_0001_0203, 0x0c0d_0e0f_0809_0a0b);
    let order = _mm512_setr_epi64(low, high, low, high, low, high, low, high);
    _mm512_shuffle_epi8(_mm512_setr_epi64(w0, w1, w2, w3, w4, w5, w6, w7), order)
}

/// Four rows, as four columns in each quarter of the registers.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn transpose_quarters([r0, r1, r2, r3]: [Words; 4]) -> [Words; 4] {
    let (a0, a1) = (_mm512_unpacklo_epi32(r0, r1), _mm512_unpackhi_epi32(r0, r1));
    let (a2, a3) = (_mm512_unpacklo_epi32(r2, r3), _mm512_unpackhi_epi32(r2, r3));
    [
        _mm512_unpacklo_epi64(a0, a2),
        _mm512_unpackhi_epi64(a0, a2),
        _mm512_unpacklo_epi64(a1, a3),
        _mm512_unpackhi_epi64(a1, a3),
    ]
}

/// Quarters of four registers: quarter `n` of each of them becomes register `n`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn transpose_whole(x: Words, y: Words, z: Words, w: Words) -> [Words; 4] {
    let (a0, a1) = (_mm512_shuffle_i32x4::<0x88>(x, y), _mm512_shuffle_i32x4::<0xdd>(x, y));
    let (a2, a3) = (_mm512_shuffle_i32x4::<0x88>(z, w), _mm512_shuffle_i32x4::<0xdd>(z, w));
    [
        _mm512_shuffle_i32x4::<0x88>(a0, a2),
        _mm512_shuffle_i32x4::<0x88>(a1, a3),
        _mm512_shuffle_i32x4::<0xdd>(a0, a2),
        _mm512_shuffle_i32x4::<0xdd>(a1, a3),
    ]
}

/// Rows of one message each become columns of one word each.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn transpose(rows: &[Words; 16]) -> [Words; 16] {
    // Quarter `q` of `first[n]` is word `4 * q + n` of the first four rows.
    let first = transpose_quarters([rows[0], rows[1], rows[2], rows[3]]);
    let second = transpose_quarters([rows[4], rows[5], rows[6], rows[7]]);
    let third = transpose_quarters([rows[8], rows[9], rows[10], rows[11]]);
    let fourth = transpose_quarters([rows[12], rows[13], rows[14], rows[15]]);
    let [w0, w4, w8, w12] = transpose_whole(first[0], second[0], third[0], fourth[0]);
    let [w1, w5, w9, w13] = transpose_whole(first[1], second[1], third[1], fourth[1]);
    let [w2, w6, w10, w14] = transpose_whole(first[2], second[2], third[2], fourth[2]);
    let [w3, w7, w11, w15] = transpose_whole(first[3], second[3], third[3], fourth[3]);
    [w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14, w15]
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn read_columns(columns: &[[u32; LANES]; 8]) -> [Words; 8] {
    let mut words = [splat(0); 8];
    for n in 0..8 {
        let [w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14, w15] =
            columns[n].map(|word| word as i32);
        words[n] = _mm512_setr_epi32(w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14, w15);
    }
    words
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn write_columns(columns: &mut [[u32; LANES]; 8], words: &[Words; 8]) {
    for n in 0..8 {
        let quarters = [
            _mm512_extracti32x4_epi32::<0>(words[n]),
            _mm512_extracti32x4_epi32::<1>(words[n]),
            _mm512_extracti32x4_epi32::<2>(words[n]),
            _mm512_extracti32x4_epi32::<3>(words[n]),
        ];
        for (place, quarter) in columns[n].chunks_exact_mut(4).zip(quarters) {
            let (low, high) = (_mm_cvtsi128_si64(quarter), _mm_extract_epi64::<1>(quarter));
            place.copy_from_slice(&[low as u32, (low >> 32) as u32, high as u32, (high >> 32) as u32]);
        }
    }
}
