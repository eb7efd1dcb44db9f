//! The function of verifiable random numbers: ECVRF-EDWARDS25519-SHA512-TAI of RFC 9381.
//!
//! It proves the seed together with the bounds, so that a value can be verified although `POST /vrf/verify` does not
//! send the bounds. The proof string is the hex of the function's 80 bytes, of `min`, `max` and `count`.

use assay_spec::crypto::ed25519;
use assay_spec::crypto::text::{hex, parse_hex};
use assay_spec::network::vrf::{Claim, Drawn, Wanted};
use sha2::{Digest, Sha512};
use vrf_rfc9381::ec::edwards25519::EdVrfProof;
use vrf_rfc9381::ec::edwards25519::tai::{EdVrfEdwards25519TaiPublicKey, EdVrfEdwards25519TaiSecretKey};
use vrf_rfc9381::{Ciphersuite, Proof, Prover, Verifier};

/// The length of the function's proof in bytes.
const PROOF_BYTES: usize = 80;

/// Draws a value with a node's key, given by its 32-byte seed. The same input gives the same value.
pub(in crate::network) fn generate(secret: [u8; 32], wanted: &Wanted) -> Option<Drawn> {
    let key = EdVrfEdwards25519TaiSecretKey::from_slice(&secret).ok()?;
    let proof = key.prove(&alpha(wanted)).ok()?;
    let beta = proof.proof_to_hash(Ciphersuite::ECVRF_EDWARDS25519_SHA512_TAI).ok()?;
    let mut bytes = proof.encode_to_pi();
    for number in [wanted.min, wanted.max, wanted.count] {
        bytes.extend_from_slice(&number.to_be_bytes());
    }
    let (seed, value) = (wanted.seed.clone(), draw(&beta, wanted, 0));
    Some(Drawn { seed, value, proof: hex(&bytes), status: "success" })
}

/// All values of a draw, the returned one first.
pub(in crate::network) fn values(secret: [u8; 32], wanted: &Wanted) -> Option<Vec<i64>> {
    let key = EdVrfEdwards25519TaiSecretKey::from_slice(&secret).ok()?;
    let beta =
        key.prove(&alpha(wanted)).ok()?.proof_to_hash(Ciphersuite::ECVRF_EDWARDS25519_SHA512_TAI).ok()?;
    Some((0..wanted.count.unsigned_abs()).map(|n| draw(&beta, wanted, n)).collect())
}

/// Whether a value is the one that its seed gives with a node's public key.
pub(in crate::network) fn verify(public_key: [u8; 32], claim: &Claim) -> bool {
    verified(public_key, claim).is_some_and(|value| value == claim.value)
}

/// The public half of a node's key.
pub(super) fn public_key(secret: [u8; 32]) -> [u8; 32] {
    ed25519::key_from_seed(secret).verifying_key().to_bytes()
}

fn verified(public_key: [u8; 32], claim: &Claim) -> Option<i64> {
    let bytes = parse_hex(&claim.proof)?;
    // A proof has exactly one string form.
    if bytes.len() != PROOF_BYTES + 24 || hex(&bytes) != claim.proof {
        return None;
    }
    let number = |n: usize| {
        let at = PROOF_BYTES + 8 * n;
        i64::from_be_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
    };
    let wanted = Wanted { seed: claim.seed.clone(), min: number(0), max: number(1), count: number(2) };
    if wanted.min > wanted.max {
        return None;
    }
    let pi = &bytes[..PROOF_BYTES];
    let proof = EdVrfProof::decode_pi(pi).ok()?;
    // The library reduces what it reads. Reject a proof that the library would write differently.
    if proof.encode_to_pi() != pi {
        return None;
    }
    let key = EdVrfEdwards25519TaiPublicKey::from_slice(&public_key).ok()?;
    let beta = key.verify(&alpha(&wanted), proof).ok()?;
    Some(draw(&beta, &wanted, 0))
}

/// The proven input: the bounds, each in eight bytes, and the seed.
fn alpha(wanted: &Wanted) -> Vec<u8> {
    let numbers = [wanted.min, wanted.max, wanted.count].map(i64::to_be_bytes);
    [numbers.as_flattened(), wanted.seed.as_bytes()].concat()
}

/// The `n`th value: 16 bytes of SHA-512(beta, n) over the size of the range, which leaves a bias below 2^-64.
fn draw(beta: &[u8], wanted: &Wanted, n: u64) -> i64 {
    let digest = Sha512::new().chain_update(beta).chain_update(n.to_be_bytes()).finalize();
    let number = u128::from_be_bytes(digest[..16].try_into().expect("16 of 64 bytes"));
    let size = (i128::from(wanted.max) - i128::from(wanted.min)).unsigned_abs() + 1;
    let value = i128::from(wanted.min) + (number % size).cast_signed();
    i64::try_from(value).expect("a value between two integers of 64 bits")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECRET: [u8; 32] = [7; 32];

    fn wanted(seed: &str, min: i64, max: i64) -> Wanted {
        Wanted { seed: seed.into(), min, max, count: 1 }
    }

    fn claim(drawn: &Drawn) -> Claim {
        Claim { seed: drawn.seed.clone(), value: drawn.value, proof: drawn.proof.clone() }
    }

    /// RFC 9381, appendix B.3, examples 16 to 18.
    #[test]
    fn function_matches_the_test_vectors_of_the_rfc() {
        let cases = [
            (
                "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
                "",
                "8657106690b5526245a92b003bb079ccd1a92130477671f6fc01ad16f26f723f26f8a57ccaed74ee1b190bed1f479d9727d2d0f9b005a6e456a35d4fb0daab1268a1b0db10836d9826a528ca76567805",
                "90cf1df3b703cce59e2a35b925d411164068269d7b2d29f3301c03dd757876ff66b71dda49d2de59d03450451af026798e8f81cd2e333de5cdf4f3e140fdd8ae",
            ),
            (
                "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
                "72",
                "f3141cd382dc42909d19ec5110469e4feae18300e94f304590abdced48aed5933bf0864a62558b3ed7f2fea45c92a465301b3bbf5e3e54ddf2d935be3b67926da3ef39226bbc355bdc9850112c8f4b02",
                "eb4440665d3891d668e7e0fcaf587f1b4bd7fbfe99d0eb2211ccec90496310eb5e33821bc613efb94db5e5b54c70a848a0bef4553a41befc57663b56373a5031",
            ),
            (
                "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
                "af82",
                "9bc0f79119cc5604bf02d23b4caede71393cedfbb191434dd016d30177ccbf8096bb474e53895c362d8628ee9f9ea3c0e52c7a5c691b6c18c9979866568add7a2d41b00b05081ed0f58ee5e31b3a970e",
                "645427e5d00c62a23fb703732fa5d892940935942101e456ecca7bb217c61c452118fec1219202a0edcf038bb6373241578be7217ba85a2687f7a0310b2df19f",
            ),
        ];
        for (secret, alpha, pi, beta) in cases {
            let secret = parse_hex(secret).unwrap();
            let alpha = parse_hex(alpha).unwrap();
            let key = EdVrfEdwards25519TaiSecretKey::from_slice(&secret).unwrap();
            let proof = key.prove(&alpha).unwrap();
            assert_eq!(hex(&proof.encode_to_pi()), pi);
            assert_eq!(hex(&proof.proof_to_hash(Ciphersuite::ECVRF_EDWARDS25519_SHA512_TAI).unwrap()), beta);
            assert_eq!(hex(&key.verifier().verify(&alpha, proof).unwrap()), beta);
        }
    }

    #[test]
    fn only_the_drawn_value_verifies() {
        let drawn = generate(SECRET, &wanted("s", -10, 10)).unwrap();
        let key = public_key(SECRET);
        assert!(verify(key, &claim(&drawn)));
        assert_eq!(generate(SECRET, &wanted("s", -10, 10)).unwrap(), drawn);
        let good = claim(&drawn);
        let other = Claim { value: good.value + 1, ..good.clone() };
        assert!(!verify(key, &other));
        assert!(!verify(key, &Claim { seed: "t".into(), ..good.clone() }));
        assert!(!verify(public_key([8; 32]), &good));
        for (at, digit) in good.proof.char_indices() {
            let mut proof = good.proof.clone();
            proof.replace_range(at..=at, if digit == '0' { "1" } else { "0" });
            assert!(!verify(key, &Claim { proof, ..good.clone() }), "digit {at}");
        }
        for proof in [
            "",
            "0x",
            "zz",
            &good.proof.to_uppercase(),
            &format!("{}00", good.proof),
            &"00".repeat(104),
            &"ff".repeat(104),
        ] {
            assert!(!verify(key, &Claim { proof: proof.to_owned(), ..good.clone() }), "{proof:.20}");
        }
    }

    /// s plus the group's order is the same scalar in other bytes.
    #[test]
    fn proof_has_exactly_one_form() {
        const ORDER: &str = "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010";
        let drawn = generate(SECRET, &wanted("s", 0, 9)).unwrap();
        let mut bytes = parse_hex(&drawn.proof).unwrap();
        let mut carry = 0_u16;
        for (byte, order) in bytes[48..80].iter_mut().zip(parse_hex(ORDER).unwrap()) {
            carry += u16::from(*byte) + u16::from(order);
            *byte = carry as u8;
            carry >>= 8;
        }
        assert!(EdVrfProof::decode_pi(&bytes[..80]).is_ok(), "the library accepts it");
        assert!(!verify(public_key(SECRET), &Claim { proof: hex(&bytes), ..claim(&drawn) }));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn values_are_between_their_bounds(seed in "\\PC{0,12}", a in any::<i64>(), b in any::<i64>(), count in 1..5_i64) {
            let wanted = Wanted { seed, min: a.min(b), max: a.max(b), count };
            let drawn = generate(SECRET, &wanted).unwrap();
            let values = values(SECRET, &wanted).unwrap();
            prop_assert_eq!(values.len() as i64, count);
            prop_assert_eq!(values[0], drawn.value);
            prop_assert!(values.iter().all(|value| (wanted.min..=wanted.max).contains(value)));
            prop_assert!(verify(public_key(SECRET), &claim(&drawn)));
        }
    }
}
