//! Stored records: signing and recovering with a wallet key, wrapping keys compared with another library, and
//! opening an envelope.

use std::hint::black_box;

use assay_benches::criterion;
use assay_spec::Strict;
use assay_spec::crypto::aead::{self, Nonce};
use assay_spec::crypto::ecies::NonceLength;
use assay_spec::crypto::secp256k1::{SigningKey, key_from_secret, public_key, sign};
use assay_spec::hosting::envelope::{self, Keys, Reader, Recipients, Secrets};
use assay_spec::hosting::wrapping::{Ephemeral, unwrap, wrap};
use criterion::{Criterion, criterion_group, criterion_main};

/// The plaintext of a project, of typical length.
const PLAINTEXT: &[u8] = br#"{"name":"site","source":"codehost","repo":"owner/site","branch":"main","installationId":7,"buildCommand":"make","outputDir":"dist"}"#;

fn key(fill: u8) -> SigningKey {
    key_from_secret(&[fill; 32]).expect("a scalar")
}

fn ephemeral(fill: u8) -> Ephemeral {
    Ephemeral { key: key(fill), nonce: Nonce::Sixteen([fill; 16]) }
}

fn signature(c: &mut Criterion) {
    let (wallet, digest) = (key(1), [7; 32]);
    let signed = sign(&wallet, &digest);
    let mut group = c.benchmark_group("hosting_signature");
    group.bench_function("sign", |b| b.iter(|| sign(&wallet, black_box(&digest))));
    group.bench_function("recover", |b| b.iter(|| black_box(signed).recover(&digest).expect("a key")));
    group.finish();
}

fn wrapping(c: &mut Criterion) {
    let (wallet, drawn, dek) = (key(1), ephemeral(5), [9; 32]);
    let public = public_key(&wallet);
    let wrapped = wrap(&public, &drawn, &dek, &mut Strict).expect("a point").bytes;
    let mut group = c.benchmark_group("hosting_wrapping");
    group.bench_function("wrap", |b| {
        b.iter(|| wrap(black_box(&public), &drawn, &dek, &mut Strict).expect("a point").bytes);
    });
    // The peer draws its key pair and nonce itself.
    group.bench_function("peer_ecies_wrap", |b| {
        b.iter(|| ecies::encrypt(black_box(&public), &dek).expect("a point"));
    });
    group.bench_function("unwrap", |b| {
        b.iter(|| {
            unwrap(&wallet, black_box(&wrapped), NonceLength::Sixteen, &mut Strict).expect("ours").plaintext
        });
    });
    group.bench_function("peer_ecies_unwrap", |b| {
        b.iter(|| ecies::decrypt(&[1; 32], black_box(&wrapped)).expect("ours"));
    });
    group.finish();
}

fn opening(c: &mut Criterion) {
    let keys = Keys { wallet: Some(key(1)), encryption: None };
    let recipients = Recipients { user: public_key(&key(1)), encryption: public_key(&key(2)) };
    let secrets = Secrets { dek: [9; 32].into(), iv: [8; 12], user: ephemeral(5), encryption: ephemeral(6) };
    let sealed = envelope::seal(PLAINTEXT, &recipients, &secrets, &mut Strict).expect("points");
    let (ciphertext, tag) = aead::seal(&[9; 32], Nonce::Twelve([8; 12]), &[], PLAINTEXT);
    let mut group = c.benchmark_group("hosting_envelope");
    group.bench_function("open", |b| {
        b.iter(|| envelope::open(black_box(&sealed.envelope), Reader::recovery(), &keys, &mut Strict));
    });
    group.bench_function("seal", |b| {
        b.iter(|| envelope::seal(black_box(PLAINTEXT), &recipients, &secrets, &mut Strict));
    });
    group.bench_function("limit_cipher_alone", |b| {
        b.iter(|| aead::open(&[9; 32], Nonce::Twelve([8; 12]), &[], black_box(&ciphertext), &tag));
    });
    group.finish();
}

criterion_group! { name = benches; config = criterion(); targets = signature, wrapping, opening }
criterion_main!(benches);
