//! Artifacts: the uploads that pin them.

use assay_spec::cid::{self, Layout};
use assay_spec::crypto::text::sha256_hex;
use assay_spec::hosting::places::FORGET;
use assay_spec::network::signing::sign_file;
use assay_spec::network::storage;

use super::{Sent, machines};
use crate::core::Core;
use crate::hosting::State;
use crate::hosting::accounts::{Owner, Target};
use crate::hosting::keys::{self, Secret};
use crate::seam::steps;

/// The multipart boundary.
const BOUNDARY: &str = "hosting-form-boundary";

/// An artifact to store.
pub(in crate::hosting) struct Artifact {
    /// The file.
    pub(in crate::hosting) file: Vec<u8>,
    /// Its content type.
    pub(in crate::hosting) content_type: &'static str,
}

/// The upload of an artifact. Its sender is also the one who forgets it.
pub(super) fn pin(
    core: &mut Core,
    state: &mut State,
    owner: &Owner,
    deployment: &str,
    text: &str,
) -> Option<Sent> {
    let project = state.accounts.project(&state.accounts.deployment(deployment)?.project)?.clone();
    let file = match project.target {
        Target::Site => {
            format!("<!doctype html>\n<title>{}</title>\n<p>{deployment}</p>\n{text}\n", project.name)
                .into_bytes()
        }
        Target::Machine => {
            let machine = state.accounts.machine(project.machine.as_deref()?)?.clone();
            let code = format!("// {deployment}\n{text}\n");
            machines::bundle(core, &mut state.accounts, owner, &machine, code.as_bytes())
        }
    };
    let cid = cid::of_file(&&file[..], &Layout::default(), &cid::Discard).ok()?.cid.to_string();
    let hash = sha256_hex(&file);
    if let Some(deployment) = state.accounts.deployment_mut(deployment) {
        deployment.cid = Some(cid.into());
        deployment.bundle_hash = (project.target == Target::Machine).then(|| hash.into());
    }
    let content_type = match project.target {
        Target::Site => "text/html",
        Target::Machine => "application/json",
    };
    Some(Store::run(core, owner, &Artifact { file, content_type }))
}

steps! {
    /// Stores an artifact.
    Store(owner: &Owner, artifact: &Artifact) -> Sent = store;
}

/// Uploads an artifact as a form.
pub(in crate::hosting) fn store(core: &mut Core, owner: &Owner, artifact: &Artifact) -> Sent {
    let Artifact { file, content_type } = artifact;
    let sender = pinner(core, owner);
    let channel = core.dialect.records_channel.clone();
    let head = format!(
        "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"file\"; filename=\"artifact\"\r\ncontent-type: {content_type}\r\n\r\n"
    );
    let mut form = [head.as_bytes(), file].concat();
    for (name, value) in
        [("address", sender.address()), ("signature", sign_file(&sender.key(), file)), ("channel", channel)]
    {
        let part =
            format!("\r\n--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}");
        form.extend_from_slice(part.as_bytes());
    }
    form.extend_from_slice(format!("\r\n--{BOUNDARY}--\r\n").as_bytes());
    Sent {
        target: storage::STORE.path.to_owned(),
        content_type: "multipart/form-data; boundary=hosting-form-boundary",
        body: form.into(),
        time_s: core.now().seconds(),
        entry: None,
    }
}

/// Who stores and forgets artifacts; the network accepts a FORGET only from the sender of the STORE.
pub(in crate::hosting) fn pinner(core: &mut Core, owner: &Owner) -> Secret {
    core.within(FORGET[0], |core| Pinner::run(core, owner))
}

steps! {
    /// Who forgets artifacts, and therefore stores them.
    Pinner(owner: &Owner) -> Secret = forgetter;
}

/// The sender of a FORGET: the delegate.
pub(in crate::hosting) fn forgetter(core: &mut Core, _: &Owner) -> Secret {
    keys::delegate(core)
}
