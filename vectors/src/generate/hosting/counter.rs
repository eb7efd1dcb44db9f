//! A 16-byte nonce with which the cipher's counter starts at its greatest value.
//!
//! A nonce that is not 12 bytes long is hashed into the first counter block. The counter is the block's last four bytes
//! and wraps without a carry. An implementation with a 16-byte counter carries and encrypts the next block differently.
//! A random nonce shows this once in 2^32 draws, so the nonce is computed by inverting the hash.

use assay_spec::crypto::aead::{Nonce, seal};

/// The nonce for `key` whose first counter block is `block` with its last four bytes set to ff.
pub(super) fn wrapping_nonce(key: &[u8; 32], block: [u8; 16]) -> [u8; 16] {
    let first = u128::from_be_bytes(block) | 0xffff_ffff;
    let inverse = invert(hash_key(key));
    // Two rounds of the hash: the nonce's block, and its length of 128 bits.
    times(times(first, inverse) ^ 128, inverse).to_be_bytes()
}

/// The cipher's hash key, computed from the tags of two encryptions whose additional data differ in one bit.
fn hash_key(key: &[u8; 32]) -> u128 {
    let tag = |data: u128| {
        let (_, tag) = seal(key, Nonce::Twelve([0; 12]), &data.to_be_bytes(), b"");
        u128::from_be_bytes(tag)
    };
    // The difference is the square of the hash key. 127 more squarings give its root.
    (0..127).fold(tag(0) ^ tag(ONE), |value, _| times(value, value))
}

/// The field's one. Bits count from the left.
const ONE: u128 = 1 << 127;

/// The inverse: `value` to the power of 2^128 - 2.
fn invert(value: u128) -> u128 {
    let squares = std::iter::successors(Some(times(value, value)), |square| Some(times(*square, *square)));
    squares.take(127).fold(ONE, times)
}

/// A product in the field of GCM.
fn times(a: u128, b: u128) -> u128 {
    let (mut product, mut shifted) = (0, b);
    for bit in (0..128).rev() {
        if a >> bit & 1 == 1 {
            product ^= shifted;
        }
        shifted = if shifted & 1 == 1 { shifted >> 1 ^ 0xe1 << 120 } else { shifted >> 1 };
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_invert_form_a_field() {
        let value = 0x0123_4567_89ab_cdef_0011_2233_4455_6677;
        assert_eq!(times(value, ONE), value);
        assert_eq!(times(value, invert(value)), ONE);
    }

    /// The second block of the key stream is the encryption of the block whose counter is zero.
    #[test]
    fn counter_wraps_after_the_first_block() {
        let (key, block) = ([7; 32], [9; 16]);
        let nonce = wrapping_nonce(&key, block);
        // `other` starts one step earlier, so its second block is this stream's first.
        let mut before = block;
        before[12..].copy_from_slice(&0xffff_fffe_u32.to_be_bytes());
        let inverse = invert(hash_key(&key));
        let other = times(times(u128::from_be_bytes(before), inverse) ^ 128, inverse).to_be_bytes();
        let stream = |nonce, blocks: usize| seal(&key, Nonce::Sixteen(nonce), &[], &vec![0; 16 * blocks]).0;
        assert_eq!(stream(nonce, 2), stream(other, 3)[16..]);
    }
}
