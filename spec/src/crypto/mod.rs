//! Cryptography by layer; no service owns it.

pub mod ed25519;
pub mod text;
