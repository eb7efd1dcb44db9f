//! Rule 6 at the edges of the curve: the keys, points and scalars on which verifiers of Ed25519 differ.
//!
//! One policy, the chain's own: neither the key nor R may have a small order, both are written as the curve's points
//! are, S is below the group's order, and `[S]B = R + [k]A` holds as it stands, without the cofactor. Every signature
//! here that is refused satisfies the equation in one of the ways in which others read it; the generator asserts
//! that, so that nothing is refused for being mere noise.

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
use crate::generate::world::NOW;

/// The document leaves open how strictly a signature is verified where the curve has edges.
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

/// How a verifier may read the equation.
#[derive(Clone, Copy, PartialEq)]
enum Equation {
    /// As it stands.
    Plain,
    /// Both sides times eight.
    Cofactored,
}

/// A key and a signature of a message.
struct Forged {
    key: [u8; 32],
    signature: [u8; 64],
}

impl Forged {
    /// The signature with the points as they are written; `S = r + ka`.
    fn new(key: [u8; 32], point: [u8; 32], secret: (Scalar, Scalar), message: &[u8]) -> Forged {
        let (r, a) = secret;
        let s = r + challenge(&point, &key, message) * a;
        let mut signature = [0; 64];
        signature[..32].copy_from_slice(&point);
        signature[32..].copy_from_slice(s.as_bytes());
        Forged { key, signature }
    }

    /// Whether a verifier that takes every point would take it.
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
        ("key-identity", EIGHT_TORSION[0].compress().0, "Under the neutral element every message is signed."),
        ("key-order-2", EIGHT_TORSION[4].compress().0, "A key of order 2."),
        ("key-order-4", EIGHT_TORSION[2].compress().0, "A key of order 4."),
        ("key-order-8", EIGHT_TORSION[1].compress().0, "A key of order 8."),
        ("key-identity-above-prime", above_prime(1), "The neutral element, whose coordinate is not reduced."),
        ("key-identity-negative", negative(EIGHT_TORSION[0]), "The neutral element with a sign."),
        ("key-order-4-above-prime", above_prime(0), "A key of order 4, whose coordinate is not reduced."),
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
        ("r-identity-above-prime", above_prime(1), Equation::Plain, "So it is, and not reduced."),
        ("r-identity-negative", negative(EIGHT_TORSION[0]), Equation::Plain, "So it is, with a sign."),
        (
            "r-order-8",
            EIGHT_TORSION[1].compress().0,
            Equation::Cofactored,
            "R has order 8; only times the cofactor the equation holds.",
        ),
    ] {
        let forged = Forged::new(key, point, (Scalar::ZERO, a), message);
        assert!(forged.holds(message, equation), "{name} is noise");
        assert!(equation == Equation::Plain || !forged.holds(message, Equation::Plain), "{name} is plain");
        forge(g, name, &forged, why);
    }
    let mut again = Forged::new(key, EIGHT_TORSION[0].compress().0, (Scalar::ZERO, a), message);
    assert!(again.holds(message, Equation::Plain), "the neutral element is R");
    again.signature[..32].copy_from_slice(&above_prime(1));
    let why = "R is hashed reduced and sent as it is not: good for those who write it anew before they hash.";
    forge(g, "r-written-anew", &again, why);
}

/// A point of the large group with a part of order 8 in it.
fn mixed_orders(g: &mut Group, message: &[u8]) {
    let a = keys::key("client").to_scalar();
    let mixed = |scalar: &Scalar| (EdwardsPoint::mul_base(scalar) + EIGHT_TORSION[1]).compress().0;
    let key = mixed(&a);
    let signed = |r: Scalar| Forged::new(key, EdwardsPoint::mul_base(&r).compress().0, (r, a), message);
    let good = found(MIXED, message, signed);
    let mut input = plain(&NOW.to_string(), BODY.as_bytes());
    input["authorization"] = resigned(&input, &good.signature);
    input["bindings"][0]["key"] = bs58::encode(key).into_string().into();
    let why = "The key has a part of order 8, which k happens to cancel: the equation holds as it stands.";
    g.accept(MIXED, input, why).read_as(STRICT);

    let cofactored = |forged: &Forged| {
        forged.holds(message, Equation::Cofactored) && !forged.holds(message, Equation::Plain)
    };
    let mut draws = (0u8..=255).map(|n| signed(draw(MIXED, n)));
    let residue = draws.find(cofactored).expect("seven of eight");
    let (old, new) = (hex(&signature(g.input(MIXED))), hex(&residue.signature));
    let why = "The same key where k does not: only times the cofactor the equation holds.";
    let edit = splice(SIGNATURE, 0, old, new);
    g.reject("key-mixed-order-residue", MIXED, [edit], &rows::SIGNATURE, why).read_as(STRICT);

    let r = draw("r-mixed-order", 0);
    let forged = Forged::new(keys::key("client").verifying_key().to_bytes(), mixed(&r), (r, a), message);
    assert!(cofactored(&forged), "r-mixed-order is noise");
    let why = "R has a part of order 8: only times the cofactor the equation holds.";
    forge(g, "r-mixed-order", &forged, why);
}

/// S in other ways to write it.
fn scalars(g: &mut Group) {
    let good = signature(g.input("prepare"));
    let mut high = good;
    for _ in 0..8 {
        high = super::binding::malleated(&high);
    }
    assert!(high[63] & 0x80 != 0, "the highest bit of S is not set");
    let edit = splice(SIGNATURE, 0, hex(&good), hex(&high));
    let why = "Eight times the order added: S has its highest bit, which some do not look at.";
    g.reject("signature-malleated-high", "prepare", [edit], &rows::SIGNATURE, why);
    let mut turned = good;
    turned[32..].reverse();
    let edit = splice(SIGNATURE, 32, hex(&good[32..]), hex(&turned[32..]));
    let why = "S is written with its highest byte first.";
    g.reject("signature-scalar-reversed", "prepare", [edit], &rows::SIGNATURE, why);
    let edit = splice(SIGNATURE, 0, hex(&good), hex(&[&good[32..], &good[..32]].concat()));
    g.reject("signature-swapped", "prepare", [edit], &rows::SIGNATURE, "R stands before S.");
}

/// Coordinates without a point.
fn no_points(g: &mut Group) {
    let none = (2u8..=255).map(|y| [&[y][..], &[0; 31]].concat()).find(|bytes| decoded(bytes).is_none());
    let none = none.expect("every other coordinate has no point");
    let edit = splice(SIGNATURE, 0, hex(&signature(g.input("prepare"))[..32]), hex(&none));
    g.reject("r-no-point", "prepare", [edit], &rows::SIGNATURE, "No point has that coordinate.");
    let edit = set("/in/bindings/0/key", address("client"), bs58::encode(none).into_string());
    g.reject("key-no-point", "prepare", [edit], &rows::SIGNATURE, "Nor has a key.");
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

/// The first signature that satisfies the equation as it stands; where a small order is in it, one of eight does.
fn found(name: &str, message: &[u8], sign: impl Fn(Scalar) -> Forged) -> Forged {
    let mut draws = (0u8..=255).map(|n| sign(draw(name, n)));
    draws.find(|forged| forged.holds(message, Equation::Plain)).expect("one of eight")
}

fn draw(name: &str, n: u8) -> Scalar {
    Scalar::from_bytes_mod_order(bytes(&format!("scalar {name} {n}")))
}

fn challenge(point: &[u8; 32], key: &[u8; 32], message: &[u8]) -> Scalar {
    let hash = Sha512::new().chain_update(point).chain_update(key).chain_update(message).finalize();
    Scalar::from_bytes_mod_order_wide(&hash.into())
}

/// A point as the most lenient read it: coordinates above the prime and needless signs are taken.
fn decoded(bytes: &[u8]) -> Option<EdwardsPoint> {
    CompressedEdwardsY::from_slice(bytes).ok()?.decompress()
}

/// A small coordinate with the field's prime added: 2^255 - 19 + y.
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
