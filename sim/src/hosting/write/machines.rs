//! Virtual machines: their INSTANCE, the claim of their key, and the bundles that they run.

use serde_json::{Map, Value, json};

use super::{iso, seal};
use crate::core::Core;
use crate::hosting::accounts::{Accounts, Machine, Owner};
use crate::hosting::keys;
use crate::seam::steps;

/// The body of a claim, with values that are not in it.
#[derive(Clone, PartialEq)]
pub(in crate::hosting) struct ClaimBody {
    /// The body.
    pub(in crate::hosting) body: Value,
    /// The hash of a message that is not an INSTANCE.
    pub(in crate::hosting) other: String,
    /// A public key that is not the machine's.
    pub(in crate::hosting) strange_pubkey: String,
}

/// The members of a manifest. The document does not name them.
#[derive(Clone, PartialEq)]
pub(in crate::hosting) struct Manifest(pub(in crate::hosting) Vec<(&'static str, Value)>);

/// A tarball of a manifest and code.
#[derive(Clone, PartialEq)]
pub(in crate::hosting) struct Tarball {
    /// The manifest.
    pub(in crate::hosting) manifest: String,
    /// The tarball.
    pub(in crate::hosting) bytes: Vec<u8>,
}

/// The content of an INSTANCE.
pub(super) fn instance(owner: &Owner, machine: &Machine, time_s: i64) -> Value {
    json!({
        "name": format!("host of {}", machine.project), "description": "runs what is deployed", "cpu": 1,
        "memory": 1024, "disk": 10, "image": "base", "ssh_key": "ssh-ed25519 AAAA",
        "firewall": { "allowedPorts": [443] }, "address": &*owner.address, "time": time_s,
    })
}

/// The body of a claim. `other` is a message that is not an INSTANCE.
pub(super) fn claim(core: &mut Core, machine: &Machine, other: String, time_s: i64) -> Value {
    let body = json!({
        "v": 1, "instanceHash": machine.instance.as_deref().unwrap_or_default(),
        "pubkey": machine.key.public_text(), "registeredAt": iso(core, time_s),
    });
    let strange_pubkey = keys::stranger(core).public_text();
    core.step(ClaimBody { body, other, strange_pubkey }).body
}

/// The tarball of these files, in this order.
pub(in crate::hosting) fn tarball(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (name, bytes) in files {
        let mut header = tar::Header::new_ustar();
        header.set_mode(0o644);
        header.set_size(bytes.len() as u64);
        tar.append_data(&mut header, name, *bytes).expect("the name is short, and memory does not fail");
    }
    tar.into_inner().expect("memory does not fail")
}

/// The file of a bundle for a machine.
pub(super) fn bundle(
    core: &mut Core,
    accounts: &mut Accounts,
    owner: &Owner,
    machine: &Machine,
    code: &[u8],
) -> Vec<u8> {
    let members = vec![
        ("framework", json!("express")),
        ("runtimeVersion", json!("22")),
        ("start", json!("node server.js")),
        ("env", json!({ "PORT": "443" })),
    ];
    let Manifest(members) = core.step(Manifest(members));
    let members: Map<String, Value> =
        members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let manifest = Value::Object(members).to_string();
    let bytes = tarball(&[("manifest.json", manifest.as_bytes()), ("server.js", code)]);
    let Tarball { bytes, .. } = core.step(Tarball { manifest, bytes });
    Wrap::run(core, accounts, owner, machine, &bytes)
}

steps! {
    /// Encrypts a tarball for a machine.
    Wrap(accounts: &mut Accounts, owner: &Owner, machine: &Machine, tar: &[u8]) -> Vec<u8> = wrap;
}

/// Encrypts a tarball for a machine.
pub(in crate::hosting) fn wrap(
    core: &mut Core,
    accounts: &mut Accounts,
    owner: &Owner,
    machine: &Machine,
    tar: &[u8],
) -> Vec<u8> {
    seal::bundle(core, accounts, owner, machine.key.public(), tar).to_string().into_bytes()
}
