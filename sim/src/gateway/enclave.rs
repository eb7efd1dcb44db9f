//! The confidential deployment: its boots, and stand-ins for how it is resolved and attested.
//!
//! How an item hash is resolved and how an enclave is attested is not shown. The simulator's stand-ins let a client
//! that verifies be judged: the gateway tells the address of the present boot, and the enclave answers a statement that
//! the world's authority has signed. Nothing asserts them of another target.

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
use crate::outgoing::SUFFIX;
use crate::refusal::Refusal;
use crate::tls;
use crate::world::Reply;

/// What a nonce has, in bytes.
const NONCE_BYTES: std::ops::RangeInclusive<usize> = 8..=64;

/// The confidential deployment.
#[derive(Clone, Debug)]
pub(super) struct Enclave {
    /// Its item hash, hexadecimal.
    pub(super) item_hash: String,
    /// How often it has booted.
    pub(super) boot: u64,
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
            authority: Arc::new(ed25519::key_from_seed(authority)),
        }
    }

    /// It boots: a fresh address and a fresh certificate.
    pub(super) fn reboot(&mut self) {
        self.boot += 1;
    }

    /// The enclave, for people. `authority` is the public key of who vouches for it.
    pub(super) fn view(&self, core: &Core) -> Value {
        json!({
            "item_hash": self.item_hash,
            "boot": self.boot,
            "url": self.url(core),
            "authority": hex(self.authority.verifying_key().as_bytes()),
        })
    }

    /// Its present address.
    fn url(&self, core: &Core) -> String {
        match core.site_url(ENCLAVE) {
            Some(_) => pool::url(core, ENCLAVE),
            None => format!("https://{}-{}{SUFFIX}", ENCLAVE.name, self.boot),
        }
    }

    /// The SHA-256 of this boot's certificate.
    fn certificate(&self, core: &Core) -> [u8; 32] {
        tls::Authority::new(core.rng).leaf(ENCLAVE.name, self.boot).sha256()
    }

    /// Whether a request was meant for a boot that is over: its `Host` names another one.
    pub(super) fn is_past(&self, headers: &HeaderMap) -> bool {
        let host = headers.get(http::header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let name = host.split(':').next().unwrap_or_default().strip_suffix(SUFFIX);
        let boot = name.and_then(|name| name.strip_prefix(ENCLAVE.name)?.strip_prefix('-'));
        boot.is_some_and(|boot| boot != self.boot.to_string())
    }
}

/// Tells the present address of a confidential deployment.
pub(super) fn resolve(state: &State, core: &Core, item_hash: &str) -> Result<Reply, Refusal> {
    if item_hash != state.enclave.item_hash {
        return Err(Refusal::new(&STAND_INS, "an unknown item hash"));
    }
    Ok(core.json(200, json!({ "address": state.enclave.url(core) })))
}

/// Attests the enclave of now.
pub(super) fn attest(state: &State, core: &mut Core, query: &str) -> Reply {
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let nonce = pairs.into_iter().find(|(name, _)| *name == "nonce").map(|(_, value)| value);
    let digits = |text: &&str| {
        text.len().is_multiple_of(2)
            && NONCE_BYTES.contains(&(text.len() / 2))
            && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    };
    let Some(nonce) = nonce.filter(digits) else {
        let wanted = "nonce is 8 to 64 bytes in lower-case hexadecimal digits";
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
        // Good in form, and signed by nobody.
        attestation["signature"] = json!(hex(&[&other[..], &other[..]].concat()));
    }
    core.json(200, attestation)
}

/// What is wrong with an attestation, where a fault says so.
fn wrong(core: &mut Core) -> Option<&'static str> {
    let what = ["measurement", "certificate", "nonce", "signature"];
    what.into_iter().find(|what| {
        let occasion = [("server", ENCLAVE.name), ("what", *what)];
        core.fault(faults::ENCLAVE_UNVERIFIABLE, &occasion)
    })
}
