//! Draws some of many by a seed.

use std::collections::BTreeSet;

use assay_spec::crypto::text::sha256_hex;

/// The place of something among others in an order that the seed draws.
pub(crate) fn rank(seed: u64, name: &str) -> String {
    sha256_hex(format!("{seed} {name}").as_bytes())
}

/// At most so many of these, drawn by the seed, in their order.
pub(crate) fn drawn<T>(seed: u64, all: Vec<T>, most: usize, name: impl Fn(&T) -> String) -> Vec<T> {
    if all.len() <= most {
        return all;
    }
    let mut ranks: Vec<(String, usize)> =
        all.iter().enumerate().map(|(n, one)| (rank(seed, &name(one)), n)).collect();
    ranks.sort();
    let taken: BTreeSet<usize> = ranks.into_iter().take(most).map(|(_, n)| n).collect();
    all.into_iter().enumerate().filter(|(n, _)| taken.contains(n)).map(|(_, one)| one).collect()
}

#[cfg(test)]
mod tests {
    use super::drawn;

    #[test]
    fn seed_draws_some_of_many_in_their_order() {
        let of = |seed: u64, most: usize| drawn(seed, (0..20).collect(), most, |n: &i32| n.to_string());
        assert_eq!(of(1, 20), (0..20).collect::<Vec<_>>());
        let (one, other) = (of(1, 5), of(2, 5));
        assert_eq!((one.len(), of(1, 5) == one, one == other), (5, true, false), "{one:?} {other:?}");
        assert!(one.is_sorted() && other.is_sorted());
        let seen: std::collections::BTreeSet<i32> = (0..40).flat_map(|seed| of(seed, 5)).collect();
        assert_eq!(seen.len(), 20, "each is drawn by some seed");
    }
}
