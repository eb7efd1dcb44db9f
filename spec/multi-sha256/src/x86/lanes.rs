//! One message in each lane of a vector register: the same steps for all lanes at once.
//!
//! `lane_kernel!` writes the rounds of FIPS 180-4 in terms of the operations of a module for one instruction set, which
//! all need its `target_feature`. A trait cannot have such methods.

/// Defines `compress` for the instruction set of the module where it is used. `load` of this module returns the first 16
/// words of every lane.
macro_rules! lane_kernel {
    ($features:literal, $lanes:literal) => {
        /// Compresses as many blocks of each message as the shortest list has.
        #[target_feature(enable = $features)]
        #[allow(clippy::many_single_char_names, reason = "the names of the standard")]
        pub(super) fn compress(columns: &mut Columns<$lanes>, blocks: [&[Block]; $lanes]) {
            let count = blocks.iter().map(|blocks| blocks.len()).min().unwrap_or(0);
            let blocks = blocks.map(|blocks| &blocks[..count]);
            let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = read_columns(&columns.0);
            for n in 0..count {
                let before = [a, b, c, d, e, f, g, h];
                let mut b_xor_c = xor(b, c);
                let mut w = load(&blocks, n);

                macro_rules! round {
                    ($i:literal $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident, $k:expr) => {
                        let choice = add(choose($e, $f, $g), add(w[$i], splat($k[$i])));
                        let sum = add(add($h, xor3(ror!($e, 6), ror!($e, 11), ror!($e, 25))), choice);
                        let major = majority($a, $b, $c, &mut b_xor_c);
                        $d = add($d, sum);
                        $h = add(sum, add(xor3(ror!($a, 2), ror!($a, 13), ror!($a, 22)), major));
                    };
                }
                // Replaces word `i` of the schedule by the word that is 16 further.
                macro_rules! extend {
                    ($i:literal) => {
                        let (near, far) = (w[($i + 1) % 16], w[($i + 14) % 16]);
                        let near = xor3(ror!(near, 7), ror!(near, 18), shr::<3>(near));
                        let far = xor3(ror!(far, 17), ror!(far, 19), shr::<10>(far));
                        w[$i] = add(add(w[$i], near), add(w[($i + 9) % 16], far));
                    };
                }
                macro_rules! rounds {
                    ($k:expr, $extend:ident) => {
                        round!(0 a b c d e f g h, $k);
                        $extend!(0);
                        round!(1 h a b c d e f g, $k);
                        $extend!(1);
                        round!(2 g h a b c d e f, $k);
                        $extend!(2);
                        round!(3 f g h a b c d e, $k);
                        $extend!(3);
                        round!(4 e f g h a b c d, $k);
                        $extend!(4);
                        round!(5 d e f g h a b c, $k);
                        $extend!(5);
                        round!(6 c d e f g h a b, $k);
                        $extend!(6);
                        round!(7 b c d e f g h a, $k);
                        $extend!(7);
                        round!(8 a b c d e f g h, $k);
                        $extend!(8);
                        round!(9 h a b c d e f g, $k);
                        $extend!(9);
                        round!(10 g h a b c d e f, $k);
                        $extend!(10);
                        round!(11 f g h a b c d e, $k);
                        $extend!(11);
                        round!(12 e f g h a b c d, $k);
                        $extend!(12);
                        round!(13 d e f g h a b c, $k);
                        $extend!(13);
                        round!(14 c d e f g h a b, $k);
                        $extend!(14);
                        round!(15 b c d e f g h a, $k);
                        $extend!(15);
                    };
                }
                macro_rules! last {
                    ($i:literal) => {};
                }
                let (k, _) = ROUND.as_chunks::<16>();
                for k in &k[..3] {
                    rounds!(k, extend);
                }
                rounds!(k[3], last);

                [a, b, c, d, e, f, g, h] = [
                    add(a, before[0]),
                    add(b, before[1]),
                    add(c, before[2]),
                    add(d, before[3]),
                    add(e, before[4]),
                    add(f, before[5]),
                    add(g, before[6]),
                    add(h, before[7]),
                ];
            }
            write_columns(&mut columns.0, &[a, b, c, d, e, f, g, h]);
        }
    };
}

pub(super) use lane_kernel;
