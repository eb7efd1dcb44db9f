//! Every kernel that this processor has, compared with the `sha2` crate.

use proptest::collection::vec;
use proptest::prelude::*;
use sha2::{Digest as _, Sha256};

use crate::plan::Plan;
use crate::schedule::{Kernel, Single, States};
use crate::{Block, Digest, State};

/// Lengths at which the padding changes its form.
const EDGES: [usize; 15] = [0, 1, 54, 55, 56, 57, 63, 64, 65, 118, 119, 120, 127, 128, 129];

fn wanted(messages: &[&[u8]]) -> Vec<Digest> {
    messages.iter().map(|message| Sha256::digest(message).into()).collect()
}

/// Asserts that each plan gives the digests of the `sha2` crate.
fn assert_digests(messages: &[&[u8]]) {
    let wanted = wanted(messages);
    assert_eq!(crate::digests(messages), wanted);
    for plan in Plan::all() {
        assert_eq!(plan.digests(messages), wanted, "{plan:?}");
    }
}

/// Bytes that differ between messages.
fn message(seed: usize, len: usize) -> Vec<u8> {
    (0..len).map(|n| (n * 31 + seed * 131 + n / 256 + 7) as u8).collect()
}

fn slices(messages: &[Vec<u8>]) -> Vec<&[u8]> {
    messages.iter().map(Vec::as_slice).collect()
}

#[test]
fn digests_are_those_of_the_standard() {
    let start = |digest: &Digest| u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]]);
    let end = |digest: &Digest| u32::from_be_bytes([digest[28], digest[29], digest[30], digest[31]]);
    let two_blocks: &[u8] = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    for plan in Plan::all() {
        // Examples of FIPS 180, so often that every lane has each of them.
        let messages = [b"abc", two_blocks, b""].repeat(16);
        let digests = plan.digests(&messages);
        for digests in digests.as_chunks::<3>().0 {
            let [abc, two_blocks, empty] = digests.each_ref().map(|digest| (start(digest), end(digest)));
            assert_eq!(abc, (0xba78_16bf, 0xf200_15ad), "{plan:?}");
            assert_eq!(two_blocks, (0x248d_6a61, 0x19db_06c1), "{plan:?}");
            assert_eq!(empty, (0xe3b0_c442, 0x7852_b855), "{plan:?}");
        }
    }
}

#[test]
fn no_message_gives_no_digest() {
    assert_digests(&[]);
}

#[test]
fn one_message_of_each_length() {
    for len in 0..=260 {
        assert_digests(&[&message(len, len)]);
    }
}

#[test]
fn every_count_of_each_edge() {
    for len in EDGES {
        let messages: Vec<_> = (0..40).map(|seed| message(seed, len)).collect();
        let messages = slices(&messages);
        for count in 0..=messages.len() {
            assert_digests(&messages[..count]);
        }
    }
}

#[test]
fn edges_in_every_lane() {
    let messages: Vec<_> = EDGES.iter().enumerate().map(|(seed, &len)| message(seed, len)).collect();
    let mut messages = slices(&messages).repeat(3);
    for _ in 0..16 {
        messages.rotate_left(1);
        assert_digests(&messages);
    }
}

#[test]
fn one_long_message_among_short_ones() {
    let long = message(0, 70_000);
    for count in [1, 2, 3, 4, 7, 8, 15, 16, 17, 33] {
        for place in [0, count / 2, count - 1] {
            let mut messages: Vec<_> = (0..count).map(|seed| message(seed, seed)).collect();
            messages[place].clone_from(&long);
            assert_digests(&slices(&messages));
        }
    }
}

#[test]
fn chunks_of_a_file() {
    let file = message(3, 20 * 16_384 + 5);
    assert_digests(&file.chunks(16_384).collect::<Vec<_>>());
}

#[test]
fn the_same_message_in_every_lane() {
    let message = message(1, 1000);
    assert_digests(&[message.as_slice(); 64]);
}

#[test]
fn width_is_a_count_of_messages() {
    let all = Plan::all();
    assert!(all.iter().any(|plan| plan.width() == 1), "the portable plan is missing");
    for plan in all {
        assert!((1..=16).contains(&plan.width()), "{plan:?}");
    }
    assert_eq!(crate::width(), Plan::detect().width());
}

/// Asserts that a kernel compresses what all lanes have, and nothing more.
fn assert_compresses<const LANES: usize, K: Kernel<LANES>>(kernel: K, seed: &[State], lists: &[Vec<Block>]) {
    let mut states = K::States::initial();
    for (lane, state) in seed[..LANES].iter().enumerate() {
        states.set(lane, state);
        assert_eq!(states.state(lane), *state);
    }
    let blocks: [&[Block]; LANES] = std::array::from_fn(|lane| lists[lane].as_slice());
    kernel.compress(&mut states, blocks);
    let count = blocks.iter().map(|blocks| blocks.len()).min().unwrap_or(0);
    for (lane, state) in seed[..LANES].iter().enumerate() {
        let mut wanted = *state;
        sha2::block_api::compress256(&mut wanted, &blocks[lane][..count]);
        assert_eq!(states.state(lane), wanted, "lane {lane} of {LANES}");
    }
}

/// A message: short, at an edge, or long.
fn any_message() -> impl Strategy<Value = Vec<u8>> {
    let edge = prop::sample::select(&EDGES[..]).prop_flat_map(|len| vec(any::<u8>(), len));
    prop_oneof![4 => vec(any::<u8>(), 0..300), 2 => edge, 1 => vec(any::<u8>(), 0..5000)]
}

fn any_block() -> impl Strategy<Value = Block> {
    vec(any::<u8>(), 64).prop_map(|bytes| bytes.try_into().expect("64 bytes"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn digests_equal_those_of_another_implementation(messages in vec(any_message(), 0..70)) {
        assert_digests(&slices(&messages));
    }

    #[test]
    fn equal_lengths_give_the_same_digests(len in 0usize..700, count in 0usize..40, seed in any::<usize>()) {
        let messages: Vec<_> = (0..count).map(|n| message(n + seed % 1000, len)).collect();
        assert_digests(&slices(&messages));
    }

    #[test]
    fn kernels_compress_what_every_lane_has(
        seed in vec(any::<State>(), 16),
        lists in vec(vec(any_block(), 1..5), 16),
    ) {
        assert_compresses::<1, _>(Single, &seed, &lists);
        #[cfg(target_arch = "x86_64")]
        {
            let plan = Plan::detect();
            if let Some(kernel) = plan.sha_ni {
                assert_compresses::<1, _>(kernel, &seed, &lists);
                assert_compresses::<2, _>(kernel, &seed, &lists);
                assert_compresses::<4, _>(kernel, &seed, &lists);
            }
            if let Some(kernel) = plan.avx2 {
                assert_compresses::<8, _>(kernel, &seed, &lists);
            }
            if let Some(kernel) = plan.avx512 {
                assert_compresses::<16, _>(kernel, &seed, &lists);
            }
        }
    }
}
