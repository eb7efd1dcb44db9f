//! Deflate streams that consist mostly of one repeated bit.

/// A deflate stream of zero bytes: one block, in which a 0 bit encodes the longest match, one byte back.
pub(super) fn zeros(count: usize) -> Vec<u8> {
    const MATCH: usize = 258;
    let mut bits = Bits::default();
    // Last block, dynamic codes: 286 literals and lengths, 2 distances, 18 code length codes.
    bits.put(&[1, 0, 1]);
    bits.number(29, 5);
    bits.number(1, 5);
    bits.number(14, 4);
    // In the order 16 17 18 0 8 7 9 6 10 5 11 4 12 3 13 2 14 1: "18" gets one bit, "2" and "1" get two.
    for length in [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2] {
        bits.number(length, 3);
    }
    let none = |bits: &mut Bits, count: usize| {
        bits.put(&[0]);
        bits.number(count - 11, 7);
    };
    let (one, two) = ([1, 0], [1, 1]);
    // A zero byte and the end of the block get two bits, a match of 258 bytes one; both distances get one.
    bits.put(&two);
    none(&mut bits, 138);
    none(&mut bits, 117);
    bits.put(&two);
    none(&mut bits, 28);
    bits.put(&one);
    bits.put(&one);
    bits.put(&one);
    let (zero, end) = ([1, 0], [1, 1]);
    bits.put(&zero);
    let (matches, rest) = ((count - 1) / MATCH, (count - 1) % MATCH);
    bits.put(&vec![0; 2 * matches]);
    (0..rest).for_each(|_| bits.put(&zero));
    bits.put(&end);
    bits.bytes
}

/// A bit writer. The lowest bit of a byte comes first.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    used: usize,
}

impl Bits {
    fn put(&mut self, bits: &[u8]) {
        for bit in bits {
            if self.used.is_multiple_of(8) {
                self.bytes.push(0);
            }
            *self.bytes.last_mut().expect("a byte was pushed") |= bit << (self.used % 8);
            self.used += 1;
        }
    }

    fn number(&mut self, number: usize, width: usize) {
        (0..width).for_each(|n| self.put(&[(number >> n & 1) as u8]));
    }
}
