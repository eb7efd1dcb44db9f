//! The `security` record: whom an owner authorizes, and the owner's encryption key.

use assay_spec::Place;
use assay_spec::hosting::places::MAPS;
use assay_spec::network::message::MessageType;
use serde_json::{Value, json};

use super::iso;
use super::messages::PROJECTS;
use super::sign::Draft;
use crate::core::Core;
use crate::hosting::accounts::Owner;
use crate::hosting::keys::{self, Secret};

/// The delegate writes projects, and is authorized to.
#[derive(Clone, PartialEq)]
pub(in crate::hosting) struct DelegateEdits(pub(in crate::hosting) bool);

/// The body of `security`, with keys that are not in it.
#[derive(Clone, PartialEq)]
pub(in crate::hosting) struct SecurityBody {
    /// The body.
    pub(in crate::hosting) body: Value,
    /// The address of the encryption key.
    pub(in crate::hosting) encryption_address: String,
    /// The public key of the delegate.
    pub(in crate::hosting) delegate_pubkey: String,
    /// A public key that the owner does not use.
    pub(in crate::hosting) strange_pubkey: String,
}

/// The body, with this registration time.
pub(super) fn body(core: &mut Core, owner: &Owner, registered_s: i64) -> Value {
    let delegate = keys::delegate(core);
    let channel = core.dialect.records_channel.clone();
    let session = json!({
        "address": owner.session.address(), "pubkey": owner.session.public_text(),
        "types": ["POST", "AGGREGATE"], "channels": [channel],
        "aggregate_keys": [PROJECTS, "deployments"], "post_types": [],
    });
    let mut types = vec!["POST", "FORGET", "STORE"];
    let edits = |place: &Place| core.within(*place, |core| core.step(DelegateEdits(false)).0);
    if MAPS.iter().any(edits) {
        types.push("AGGREGATE");
    }
    let backend = json!({
        "address": delegate.address(), "types": types, "channels": [channel],
        "aggregate_keys": [], "post_types": [],
    });
    let key = json!({
        "pubkey": owner.encryption.public_text(), "scheme": "wallet-sig-v1",
        "registeredAt": iso(core, registered_s),
    });
    let made = SecurityBody {
        body: json!({ "authorizations": [session, backend], "encryptionKey": key }),
        encryption_address: owner.encryption.address(),
        delegate_pubkey: delegate.public_text(),
        strange_pubkey: keys::stranger(core).public_text(),
    };
    core.step(made).body
}

/// Whether readers find the authorization of the session key in this record.
pub(super) fn admits(draft: &Draft, session: &Secret) -> bool {
    let address = json!(session.address());
    let authorizations = draft.content["content"]["authorizations"].as_array();
    draft.kind == MessageType::Aggregate
        && draft.content["key"] == "security"
        && authorizations.is_some_and(|all| all.iter().any(|one| one["address"] == address))
}
