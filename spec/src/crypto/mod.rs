//! Cryptography that several services share.

pub mod address;
pub mod aead;
pub mod base64;
pub mod ecies;
pub mod ed25519;
pub mod eip191;
pub mod keccak;
pub mod memo;
pub mod secp256k1;
pub mod text;
