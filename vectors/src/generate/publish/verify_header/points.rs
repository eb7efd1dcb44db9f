//! Rule 6 at the edge cases of the curve: keys, points and scalars on which Ed25519 verifiers differ.
//!
//! The policy is the chain's: neither the key nor R has small order, both are canonical encodings of points, S is
//! below the group order, and `[S]B = R + [k]A` holds without the cofactor. Every forged signature here satisfies the
//! equation as some other verifiers read it. The generator asserts this, so that no case is rejected merely because
//! its signature is random.

use assay_spec::crypto::text::hex;
use assay_spec::publish::requirements::envelope as rows;
use curve25519_dalek::constants::EIGHT_TORSION;
use curve25519_dalek::edwards::{CompressedEdwardsY, EdwardsPoint};
use curve25519_dalek::scalar::Scalar;
use serde_json::{Value, json};
use sha2::{Digest, Sha512};

use super::{BODY, MESSAGE, SIGNATURE, plain, signature};
use crate::case::Edit;
use crate::edit::{content, look};
use crate::generate::group::{Group, set, splice};
use crate::generate::keys::{self, address, bytes};
use crate::generate::publish::world::NOW;

/// The reading of how strictly edge cases of the curve are verified. The document leaves it open.
const STRICT: &str = "A-069/strict-signature";

const MIXED: &str = "key-mixed-order";

pub(super) fn cases(g: &mut Group) {
    let message = look(g.input("prepare"), MESSAGE).and_then(|message| content(&message)).expect("a message");
    small_order_keys(g, &message);
    small_order_points(g, &message);
    mixed_orders(g, &message);
    scalars(g);
    no_points(g);
}

/// The verification equation, as verifiers read it.
#[derive(Clone, Copy, PartialEq)]
enum Equation {
    /// Without the cofactor.
    Plain,
    /// Both sides multiplied by eight.
    Cofactored,
}

/// A key and its signature of a message.
struct Forged {
    key: [u8; 32],
    signature: [u8; 64],
}

impl Forged {
    /// The signature over the points as encoded; `S = r + ka`.
    fn new(key: [u8; 32], point: [u8; 32], secret: (Scalar, Scalar), message: &[u8]) -> Forged {
        let (r, a) = secret;
        let s = r + challenge(&point, &key, message) * a;
        let mut signature = [0; 64];
        signature[..32].copy_from_slice(&point);
        signature[32..].copy_from_slice(s.as_bytes());
        Forged { key, signature }
    }

    /// Whether a verifier that accepts every point accepts the signature.
    fn holds(&self, message: &[u8], equation: Equation) -> bool {
        let (point, scalar) = self.signature.split_at(32);
        let k = challenge(point.try_into().expect("32 bytes"), &self.key, message);
        let s = Scalar::from_canonical_bytes(scalar.try_into().expect("32 bytes")).expect("below the order");
        let [point, key] = [point, &self.key[..]].map(|bytes| decoded(bytes).expect("a point"));
        let rest = EdwardsPoint::mul_base(&s) - point - key * k;
        match equation {
            Equation::Plain => rest == EdwardsPoint::default(),
            Equation::Cofactored => rest.is_small_order(),
        }
    }
}

fn small_order_keys(g: &mut Group, message: &[u8]) {
    for (name, key, why) in [
        (
            "key-identity",
            EIGHT_TORSION[0].compress().0,
            "With the neutral element as key, one signature is valid for every message.",
        ),
        ("key-order-2", EIGHT_TORSION[4].compress().0, "The key has order 2."),
        ("key-order-4", EIGHT_TORSION[2].compress().0, "The key has order 4."),
        ("key-order-8", EIGHT_TORSION[1].compress().0, "The key has order 8."),
        (
            "key-identity-above-prime",
            above_prime(1),
            "The key is the neutral element, with a coordinate that is not reduced.",
        ),
        (
            "key-identity-negative",
            negative(EIGHT_TORSION[0]),
            "The key is the neutral element with its sign bit set.",
        ),
        (
            "key-order-4-above-prime",
            above_prime(0),
            "The key has order 4 and a coordinate that is not reduced.",
        ),
    ] {
        let forged = found(name, message, |r| {
            Forged::new(key, EdwardsPoint::mul_base(&r).compress().0, (r, Scalar::ZERO), message)
        });
        forge(g, name, &forged, why);
    }
}

fn small_order_points(g: &mut Group, message: &[u8]) {
    let a = keys::key("client").to_scalar();
    let key = keys::key("client").verifying_key().to_bytes();
    for (name, point, equation, why) in [
        ("r-identity", EIGHT_TORSION[0].compress().0, Equation::Plain, "R is the neutral element."),
        (
            "r-identity-above-prime",
            above_prime(1),
            Equation::Plain,
            "R is the neutral element, with a coordinate that is not reduced.",
        ),
        (
            "r-identity-negative",
            negative(EIGHT_TORSION[0]),
            Equation::Plain,
            "R is the neutral element with its sign bit set.",
        ),
        (
            "r-order-8",
            EIGHT_TORSION[1].compress().0,
            Equation::Cofactored,
            "R has order 8. The equation holds only with the cofactor.",
        ),
    ] {
        let forged = Forged::new(key, point, (Scalar::ZERO, a), message);
        assert!(forged.holds(message, equation), "{name} does not satisfy its equation");
        assert!(
            equation == Equation::Plain || !forged.holds(message, Equation::Plain),
            "{name} satisfies the equation without the cofactor"
        );
        forge(g, name, &forged, why);
    }
    let mut again = Forged::new(key, EIGHT_TORSION[0].compress().0, (Scalar::ZERO, a), message);
    assert!(again.holds(message, Equation::Plain), "the neutral element is R");
    again.signature[..32].copy_from_slice(&above_prime(1));
    let why =
        "R is sent unreduced but hashed reduced. Only verifiers that re-encode R before hashing accept it.";
    forge(g, "r-written-anew", &again, why);
}

/// Points with a component of order 8.
fn mixed_orders(g: &mut Group, message: &[u8]) {
    let a = keys::key("client").to_scalar();
    let mixed = |scalar: &Scalar| (EdwardsPoint::mul_base(scalar) + EIGHT_TORSION[1]).compress().0;
    let key = mixed(&a);
    let signed = |r: Scalar| Forged::new(key, EdwardsPoint::mul_base(&r).compress().0, (r, a), message);
    let good = found(MIXED, message, signed);
    let mut input = plain(&NOW.to_string(), BODY.as_bytes());
    input["authorization"] = resigned(&input, &good.signature);
    input["bindings"][0]["key"] = bs58::encode(key).into_string().into();
    let why = "The key has a component of order 8, which k cancels: the equation holds without the cofactor.";
    g.accept(MIXED, input, why).read_as(STRICT);

    let cofactored = |forged: &Forged| {
        forged.holds(message, Equation::Cofactored) && !forged.holds(message, Equation::Plain)
    };
    let mut draws = (0u8..=255).map(|n| signed(draw(MIXED, n)));
    let residue = draws.find(cofactored).expect("seven draws in eight leave a residue");
    let (old, new) = (hex(&signature(g.input(MIXED))), hex(&residue.signature));
    let why = "The key has a component of order 8, which k does not cancel: the equation holds only with the cofactor.";
    let edit = splice(SIGNATURE, 0, old, new);
    g.reject("key-mixed-order-residue", MIXED, [edit], &rows::SIGNATURE, why).read_as(STRICT);

    let r = draw("r-mixed-order", 0);
    let forged = Forged::new(keys::key("client").verifying_key().to_bytes(), mixed(&r), (r, a), message);
    assert!(cofactored(&forged), "r-mixed-order does not satisfy the cofactored equation alone");
    let why = "R has a component of order 8: the equation holds only with the cofactor.";
    forge(g, "r-mixed-order", &forged, why);
}

/// Other encodings of S.
fn scalars(g: &mut Group) {
    let good = signature(g.input("prepare"));
    let mut high = good;
    for _ in 0..8 {
        high = super::binding::malleated(&high);
    }
    assert!(high[63] & 0x80 != 0, "the highest bit of S is not set");
    let edit = splice(SIGNATURE, 0, hex(&good), hex(&high));
    let why =
        "Eight times the group order is added to S. This sets its highest bit, which some verifiers ignore.";
    g.reject("signature-malleated-high", "prepare", [edit], &rows::SIGNATURE, why);
    let mut turned = good;
    turned[32..].reverse();
    let edit = splice(SIGNATURE, 32, hex(&good[32..]), hex(&turned[32..]));
    let why = "S is big-endian instead of little-endian.";
    g.reject("signature-scalar-reversed", "prepare", [edit], &rows::SIGNATURE, why);
    let edit = splice(SIGNATURE, 0, hex(&good), hex(&[&good[32..], &good[..32]].concat()));
    g.reject("signature-swapped", "prepare", [edit], &rows::SIGNATURE, "R comes before S.");
}

/// Coordinates that belong to no point.
fn no_points(g: &mut Group) {
    let none = (2u8..=255).map(|y| [&[y][..], &[0; 31]].concat()).find(|bytes| decoded(bytes).is_none());
    let none = none.expect("every other coordinate has no point");
    let edit = splice(SIGNATURE, 0, hex(&signature(g.input("prepare"))[..32]), hex(&none));
    g.reject(
        "r-no-point",
        "prepare",
        [edit],
        &rows::SIGNATURE,
        "No point of the curve has the coordinate of R.",
    );
    let edit = set("/in/bindings/0/key", address("client"), bs58::encode(none).into_string());
    g.reject(
        "key-no-point",
        "prepare",
        [edit],
        &rows::SIGNATURE,
        "No point of the curve has the coordinate of the key.",
    );
}

fn forge(g: &mut Group, name: &str, forged: &Forged, why: &str) {
    let good = signature(g.input("prepare"));
    let mut edits: Vec<Edit> = vec![splice(SIGNATURE, 0, hex(&good), hex(&forged.signature))];
    let own = address("client");
    let key = bs58::encode(forged.key).into_string();
    if key != own {
        edits.push(set("/in/bindings/0/key", own, key));
    }
    g.reject(name, "prepare", edits, &rows::SIGNATURE, why).read_as(STRICT);
}

/// The first signature that satisfies the equation without the cofactor. With a small-order key, one draw in eight
/// does.
fn found(name: &str, message: &[u8], sign: impl Fn(Scalar) -> Forged) -> Forged {
    let mut draws = (0u8..=255).map(|n| sign(draw(name, n)));
    draws
        .find(|forged| forged.holds(message, Equation::Plain))
        .expect("one draw in eight satisfies the equation")
}

fn draw(name: &str, n: u8) -> Scalar {
    Scalar::from_bytes_mod_order(bytes(&format!("scalar {name} {n}")))
}

fn challenge(point: &[u8; 32], key: &[u8; 32], message: &[u8]) -> Scalar {
    let hash = Sha512::new().chain_update(point).chain_update(key).chain_update(message).finalize();
    Scalar::from_bytes_mod_order_wide(&hash.into())
}

/// A point as the most lenient verifiers decode it: unreduced coordinates and needless sign bits are accepted.
fn decoded(bytes: &[u8]) -> Option<EdwardsPoint> {
    CompressedEdwardsY::from_slice(bytes).ok()?.decompress()
}

/// A small coordinate plus the field prime: 2^255 - 19 + y.
fn above_prime(y: u8) -> [u8; 32] {
    let mut bytes = [0xff; 32];
    (bytes[0], bytes[31]) = (0xed + y, 0x7f);
    bytes
}

fn negative(point: EdwardsPoint) -> [u8; 32] {
    let mut bytes = point.compress().0;
    bytes[31] |= 0x80;
    bytes
}

fn resigned(input: &Value, signature: &[u8]) -> Value {
    let message = look(input, MESSAGE).and_then(|message| content(&message)).expect("a message");
    json!(assay_spec::publish::envelope::seal(&assay_spec::Dialect::default(), &message, signature))
}
