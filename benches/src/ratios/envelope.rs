//! Verifying the header of a request with all its rules, compared with the two operations that cannot be avoided.

use std::hint::black_box;

use assay_sim::clock::EPOCH;
use assay_spec::Dialect;
use assay_spec::crypto::text::parse_base64url;
use assay_spec::publish::envelope::{Binding, Request, verify_strict};
use assay_spec::publish::prepare;
use ed25519_dalek::{Signature, VerifyingKey};
use sha2::{Digest, Sha256};

use super::{Effort, compare, print_head, print_row, seconds_each};
use crate::Publisher;

/// The header of a prepare, with what its verification needs.
pub struct Header {
    dialect: Dialect,
    authorization: String,
    body: String,
    bindings: [Binding; 1],
    message: Vec<u8>,
    signature: [u8; 64],
    key: [u8; 32],
}

impl Default for Header {
    fn default() -> Header {
        let publisher = Publisher::default();
        let domain = Publisher::domain(0);
        let body = Publisher::prepare_body(&domain);
        let authorization = publisher.authorization(prepare::ENDPOINT.path, &domain, EPOCH, body.as_bytes());
        let bindings = [Binding { domain, key: publisher.address(), incoming_key: None }];
        // The parts of the header, decoded in advance.
        let (message, signature) =
            authorization.rsplit(' ').next().and_then(|sealed| sealed.split_once('.')).expect("two parts");
        let message = parse_base64url(message).expect("base64url");
        let signature: [u8; 64] =
            parse_base64url(signature).and_then(|bytes| bytes.try_into().ok()).expect("a signature");
        let key = assay_spec::crypto::ed25519::parse_address(&publisher.address()).expect("an address");
        Header { dialect: Dialect::default(), authorization, body, bindings, message, signature, key }
    }
}

impl Header {
    /// All server rules.
    pub fn verify(&self) {
        let request = Request {
            authorization: Some(&self.authorization),
            method: "POST",
            target: prepare::ENDPOINT.path,
            body: self.body.as_bytes(),
            op: Some("pub"),
        };
        let admitted = verify_strict(&self.dialect, black_box(&request), EPOCH, &self.bindings);
        black_box(admitted.expect("admitted"));
    }

    /// Strict verification of the signature, and the hash of the body.
    pub fn verify_bare(&self) {
        let key = VerifyingKey::from_bytes(black_box(&self.key)).expect("a point");
        let signature = Signature::from_bytes(black_box(&self.signature));
        key.verify_strict(black_box(&self.message), &signature).expect("signed");
        black_box(Sha256::digest(black_box(&self.body)));
    }
}

/// Prints the ratio.
pub fn print(effort: Effort) {
    println!("\nHeader verification\n");
    print_head();
    let header = Header::default();
    let [ratio] = compare(
        4 * effort.rounds(),
        &mut || seconds_each(500, || header.verify()),
        [&mut || seconds_each(500, || header.verify_bare())],
    );
    print_row("header of a request, all rules", "ed25519 (strict) and SHA-256", &ratio);
}
