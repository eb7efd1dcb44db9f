//! The confidential deployment: its boots, and stand-ins for how it is resolved and attested.
//!
//! How an item hash is resolved and how an enclave is attested is not shown. The simulator's stand-ins let a client
//! that verifies be judged: `GET /stand-in/v1/resolve/<item hash>` at the gateway tells the address of the present
//! boot, and `GET /stand-in/v1/attestation?nonce=<hex>` at the enclave answers a statement that the world's authority
//! has signed. Nothing asserts them of another target.

use std::sync::Arc;

use assay_spec::crypto::ed25519;
use assay_spec::crypto::text::hex;
use assay_spec::gateway::requirements::confidential::STAND_INS;
use ed25519_dalek::SigningKey;
use http::HeaderMap;
use serde_json::{Value, json};

use super::{ENCLAVE, State, faults, pool};
use crate::core::Core;
use crate::outgoing::SUFFIX;
use crate::refusal::Refusal;
use crate::world::Reply;

/// Where an item hash is resolved, at the gateway.
pub const RESOLVE: &str = "/stand-in/v1/resolve/";
/// Where an enclave is attested.
pub const ATTESTATION: &str = "/stand-in/v1/attestation";
/// What a nonce has, in bytes.
const NONCE_BYTES: std::ops::RangeInclusive<usize> = 8..=64;

/// The confidential deployment.
#[derive(Clone, Debug)]
pub(super) struct Enclave {
    /// Its item hash, hexadecimal.
    pub(super) item_hash: String,
    /// How often it has booted.
    pub(super) boot: u64,
    /// The SHA-256 of this boot's certificate.
    certificate: [u8; 32],
    /// Who vouches for enclaves.
    authority: Arc<SigningKey>,
}

impl Enclave {
    /// The enclave at its first boot.
    pub(super) fn new(core: &Core) -> Enclave {
        let authority = core.rng.draw("gateway.attestation-authority", b"", 0);
        Enclave {
            item_hash: hex(&core.rng.draw("gateway.item-hash", b"", 0)),
            boot: 1,
            certificate: certificate(core, 1),
            authority: Arc::new(ed25519::key_from_seed(authority)),
        }
    }

    /// It boots: a fresh address and a fresh certificate.
    pub(super) fn reboot(&mut self, core: &Core) {
        self.boot += 1;
        self.certificate = certificate(core, self.boot);
    }

    /// The enclave, for people. `authority` is the public key of who vouches for it.
    pub(super) fn view(&self, core: &Core) -> Value {
        json!({
            "item_hash": self.item_hash,
            "boot": self.boot,
            "url": self.url(core),
            "certificate_sha256": hex(&self.certificate),
            "authority": hex(self.authority.verifying_key().as_bytes()),
        })
    }

    /// Its present address.
    fn url(&self, core: &Core) -> String {
        match core.place(ENCLAVE) {
            Some(_) => pool::url(core, ENCLAVE),
            None => format!("https://{}-{}{SUFFIX}", ENCLAVE.name, self.boot),
        }
    }

    /// Whether a request was meant for a boot that is over: its `Host` names another one.
    pub(super) fn is_past(&self, headers: &HeaderMap) -> bool {
        let host = headers.get(http::header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let name = host.split(':').next().unwrap_or_default().strip_suffix(SUFFIX);
        let boot = name.and_then(|name| name.strip_prefix(ENCLAVE.name)?.strip_prefix('-'));
        boot.is_some_and(|boot| boot != self.boot.to_string())
    }
}

/// The text that the authority signs: a word of its own, then item hash, nonce and certificate in hexadecimal digits,
/// a line each.
pub fn statement(item_hash: &str, nonce: &str, certificate_sha256: &str) -> String {
    format!("assay stand-in attestation v1\n{item_hash}\n{nonce}\n{certificate_sha256}\n")
}

/// Tells the present address of a confidential deployment.
pub(super) fn resolve(state: &State, core: &Core, item_hash: &str) -> Result<Reply, Refusal> {
    if item_hash != state.enclave.item_hash {
        return Err(Refusal::new(&STAND_INS, "an unknown item hash"));
    }
    Ok(core.json(200, json!({ "address": state.enclave.url(core) })))
}

/// Attests the enclave of now.
pub(super) fn attest(state: &State, core: &mut Core, query: &str) -> Result<Reply, Reply> {
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let nonce = pairs.into_iter().find(|(name, _)| *name == "nonce").map(|(_, value)| value);
    let digits = |text: &&str| {
        text.len().is_multiple_of(2)
            && NONCE_BYTES.contains(&(text.len() / 2))
            && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    };
    let Some(nonce) = nonce.filter(digits) else {
        let wanted = "nonce is 8 to 64 bytes in lower-case hexadecimal digits";
        return Err(super::refusal::error(core, 422, wanted));
    };
    let enclave = &state.enclave;
    let (mut item_hash, mut said) = (enclave.item_hash.clone(), nonce.to_owned());
    let mut certificate = hex(&enclave.certificate);
    let wrong = wrong(core);
    let other = hex(&core.rng.draw("gateway.attestation-lie", nonce.as_bytes(), 0));
    match wrong {
        Some("measurement") => item_hash = other,
        Some("certificate") => certificate = other,
        Some("nonce") => said = other[..nonce.len().min(other.len())].to_owned(),
        _ => {}
    }
    let text = statement(&item_hash, &said, &certificate);
    let mut signature = ed25519::sign(&enclave.authority, text.as_bytes());
    if wrong == Some("signature") {
        signature[0] ^= 1;
    }
    Ok(core.json(
        200,
        json!({
            "item_hash": item_hash,
            "nonce": said,
            "certificate_sha256": certificate,
            "signature": hex(&signature),
        }),
    ))
}

/// What is wrong with an attestation, where a fault says so.
fn wrong(core: &mut Core) -> Option<&'static str> {
    let what = ["measurement", "certificate", "nonce", "signature"];
    what.into_iter().find(|what| {
        let occasion = [("server", ENCLAVE.name), ("what", *what)];
        core.fault(faults::ENCLAVE_UNVERIFIABLE, &occasion)
    })
}

/// The SHA-256 of a boot's certificate.
fn certificate(core: &Core, boot: u64) -> [u8; 32] {
    core.rng.draw("gateway.certificate", ENCLAVE.name.as_bytes(), boot)
}
