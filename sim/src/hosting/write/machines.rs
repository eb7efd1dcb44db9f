//! Virtual machines: their INSTANCE, the claim of their key, and the bundles that they run.

use assay_spec::Rules;
use assay_spec::hosting::requirements::{bundle, claims, instances};
use serde_json::{Value, json};

use super::deviate::{MemberDeviations, Wrong, deviate};
use super::tar::tarball;
use super::{iso, seal};
use crate::core::Core;
use crate::hosting::accounts::{Accounts, Machine, Owner};
use crate::hosting::variations;

/// Deviations of a claim.
const CLAIM: MemberDeviations = &[
    (&claims::V, Wrong::Put("/v", "2")),
    (
        &claims::PUBKEY,
        Wrong::Do(|body| {
            body["pubkey"] = json!(body["pubkey"].as_str().unwrap_or_default().trim_start_matches("0x"));
        }),
    ),
    (&claims::REGISTERED_AT, Wrong::Put("/registeredAt", "\"today\"")),
];

/// The content of an INSTANCE.
pub(super) fn instance(owner: &Owner, machine: &Machine, time_s: i64) -> Value {
    json!({
        "name": format!("host of {}", machine.project), "description": "runs what is deployed", "cpu": 1,
        "memory": 1024, "disk": 10, "image": "base", "ssh_key": "ssh-ed25519 AAAA",
        "firewall": { "allowedPorts": [443] }, "address": &*owner.address, "time": time_s,
    })
}

/// The body of a claim. `other` is a message that is not an INSTANCE.
pub(super) fn claim(core: &mut Core, machine: &Machine, other: &str, time_s: i64) -> Value {
    let instance = machine.instance.as_deref().unwrap_or_default().to_owned();
    let instance = core.effect(&claims::INSTANCE_HASH, instance, |_, _| other.to_owned());
    let foreign = crate::hosting::keys::stranger(core).public_text();
    let pubkey = core.effect(&claims::KEY_OF_ADDRESS, machine.key.public_text(), |_, _| foreign);
    let body =
        json!({ "v": 1, "instanceHash": instance, "pubkey": pubkey, "registeredAt": iso(core, time_s) });
    let body = deviate(core, body, CLAIM);
    core.effect(&claims::BODY, body, |body, _| json!(body.to_string()))
}

/// The file of a bundle for a machine.
pub(super) fn bundle(
    core: &mut Core,
    accounts: &mut Accounts,
    owner: &Owner,
    machine: &Machine,
    code: &[u8],
) -> Vec<u8> {
    let names = if core.varies(variations::MANIFEST_OTHER) {
        ["type", "node", "run", "environment"]
    } else {
        ["framework", "runtimeVersion", "start", "env"]
    };
    let mut manifest = json!({});
    let values = [json!("express"), json!("22"), json!("node server.js"), json!({ "PORT": "443" })];
    for (name, value) in names.into_iter().zip(values) {
        manifest[name] = value;
    }
    let manifest = manifest.to_string();
    let tar = tarball(&[("manifest.json", manifest.as_bytes()), ("server.js", code)]);
    let tar = core.effect(&bundle::TARBALL, tar, |_, _| manifest.into_bytes());
    if core.violated(&instances::BUNDLE_WRAPPED).is_some() {
        return tar;
    }
    seal::bundle(core, accounts, owner, machine.key.public(), &tar).to_string().into_bytes()
}
