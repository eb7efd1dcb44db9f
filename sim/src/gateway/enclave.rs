//! The confidential deployment: its boots, and stand-ins for its resolution and attestation.
//!
//! The document does not show how an item hash is resolved or how an enclave is attested. With the simulator's
//! stand-ins a client that verifies can be judged: the gateway returns the address of the current boot, and the
//! enclave returns a statement signed by the world's authority. No check asserts the stand-ins of another target.

use std::sync::Arc;

use assay_spec::crypto::ed25519;
use assay_spec::crypto::text::hex;
use assay_spec::gateway::requirements::confidential::STAND_INS;
use assay_spec::gateway::stand_in::Statement;
use ed25519_dalek::SigningKey;
use http::HeaderMap;
use serde_json::{Value, json};

use super::{ENCLAVE, State, faults, pool};
use crate::core::Core;
use crate::exchange::Reply;
use crate::outgoing::SUFFIX;
use crate::refusal::Refusal;
use crate::tls;

/// The length of a nonce, in bytes.
const NONCE_BYTES: std::ops::RangeInclusive<usize> = 8..=64;

/// The confidential deployment.
#[derive(Clone, Debug)]
pub(super) struct Enclave {
    /// Its item hash, in hex.
    pub(super) item_hash: String,
    /// How often it has booted.
    pub(super) boot: u64,
    /// The authority that signs attestations.
    authority: Arc<SigningKey>,
}

impl Enclave {
    /// The enclave at its first boot.
    pub(super) fn new(core: &Core) -> Enclave {
        let authority = core.rng.draw("gateway.attestation-authority", b"", 0);
        Enclave {
            item_hash: hex(&core.rng.draw("gateway.item-hash", b"", 0)),
            boot: 1,
            authority: Arc::new(ed25519::key_from_seed(authority)),
        }
    }

    /// Boots: a new address and a new certificate.
    pub(super) fn reboot(&mut self) {
        self.boot += 1;
    }

    /// The enclave, for display. `authority` is the public key of its authority.
    pub(super) fn view(&self, core: &Core) -> Value {
        json!({
            "item_hash": self.item_hash,
            "boot": self.boot,
            "url": self.url(core),
            "authority": hex(self.authority.verifying_key().as_bytes()),
        })
    }

    /// Its current address.
    fn url(&self, core: &Core) -> String {
        match core.site_url(ENCLAVE) {
            Some(_) => pool::url(core, ENCLAVE),
            None => format!("https://{}-{}{SUFFIX}", ENCLAVE.name, self.boot),
        }
    }

    /// The SHA-256 of this boot's certificate.
    fn certificate(&self, core: &Core) -> [u8; 32] {
        tls::Authority::new(core.rng).naming(core.public_host()).leaf(ENCLAVE.name, self.boot).sha256()
    }

    /// Whether a request was meant for an earlier boot: its `Host` names another one.
    pub(super) fn is_past(&self, headers: &HeaderMap) -> bool {
        let host = headers.get(http::header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let name = host.split(':').next().unwrap_or_default().strip_suffix(SUFFIX);
        let boot = name.and_then(|name| name.strip_prefix(ENCLAVE.name)?.strip_prefix('-'));
        boot.is_some_and(|boot| boot != self.boot.to_string())
    }
}

/// Returns the current address of a confidential deployment.
pub(super) fn resolve(core: &Core, state: &State, item_hash: &str) -> Result<Reply, Refusal> {
    if item_hash != state.enclave.item_hash {
        return Err(Refusal::new(&STAND_INS, "unknown item hash"));
    }
    Ok(core.json(200, json!({ "address": state.enclave.url(core) })))
}

/// Attests the current boot of the enclave.
pub(super) fn attest(core: &mut Core, state: &State, query: &str) -> Reply {
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let nonce = pairs.into_iter().find(|(name, _)| *name == "nonce").map(|(_, value)| value);
    let digits = |text: &&str| {
        text.len().is_multiple_of(2)
            && NONCE_BYTES.contains(&(text.len() / 2))
            && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    };
    let Some(nonce) = nonce.filter(digits) else {
        let wanted = "nonce must be 8 to 64 bytes in lowercase hex";
        return super::refusal::error(core, 422, wanted);
    };
    let enclave = &state.enclave;
    let mut statement = Statement {
        item_hash: enclave.item_hash.clone(),
        nonce: nonce.to_owned(),
        certificate_sha256: enclave.certificate(core),
    };
    let other = core.rng.draw("gateway.attestation-deviation", nonce.as_bytes(), 0);
    let wrong = wrong(core);
    match wrong {
        Some("measurement") => statement.item_hash = hex(&other),
        Some("certificate") => statement.certificate_sha256 = other,
        Some("nonce") => statement.nonce = hex(&other),
        _ => {}
    }
    let mut attestation = statement.attest(&enclave.authority);
    if wrong == Some("signature") {
        // Well-formed, but not a valid signature of any key.
        attestation["signature"] = json!(hex(&[&other[..], &other[..]].concat()));
    }
    core.json(200, attestation)
}

/// The parts of an attestation that a fault makes wrong.
pub(super) const WRONG: [&str; 4] = ["measurement", "certificate", "nonce", "signature"];

/// Which part of the attestation a fault makes wrong, if any.
fn wrong(core: &mut Core) -> Option<&'static str> {
    WRONG.into_iter().find(|what| {
        let occasion = [("server", ENCLAVE.name), ("what", *what)];
        core.fault(faults::ENCLAVE_UNVERIFIABLE, &occasion)
    })
}
