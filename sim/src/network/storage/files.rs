//! Files: `POST /storage/store`, `GET /storage/{hash}` and `GET /storage/raw/{hash}`.

use assay_spec::cid::{self, Layout};
use assay_spec::endpoint::Endpoint;
use assay_spec::network::message::{Draft, MessageType};
use assay_spec::network::requirements::errors::UNAUTHORIZED;
use assay_spec::network::requirements::storage::{FORMS, MULTIPART, SIZE, UNKNOWN, UNKNOWN_RAW};
use assay_spec::network::signing::verify_file;
use assay_spec::network::storage::{DEFAULT_CONTENT_TYPE, FILE, Part, RAW, Upload};
use assay_spec::network::values::AGAIN;
use assay_spec::{Id, Refused};
use bytes::Bytes;
use http::HeaderValue;
use http::header::CONTENT_TYPE;
use serde_json::{Value, json};

use crate::core::Core;
use crate::exchange::{Reply, Site};
use crate::form;
use crate::network::call::Call;
use crate::network::limits::Limits;
use crate::network::messages::create::{self, Created};
use crate::network::sites;
use crate::network::state::{Replica, State};
use crate::network::store::{Life, Store};
use crate::refusal::Refusal;
use crate::seam::steps;

/// The maximum size of an upload form besides the file, in bytes.
const FORM_BYTES: usize = 64 * 1024;

/// Which hashes name a file.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::network) struct Names {
    /// The hash of its content.
    pub(in crate::network) by_content: bool,
    /// The hash of a message that keeps it.
    pub(in crate::network) by_message: bool,
}

/// A file.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::network) struct Content {
    /// Its bytes.
    pub(in crate::network) bytes: Bytes,
    /// Its content type.
    pub(in crate::network) content_type: String,
}

/// A file as an endpoint returns it.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::network) struct Download {
    /// The endpoint.
    pub(in crate::network) endpoint: &'static Endpoint,
    /// The file.
    pub(in crate::network) content: Content,
}

impl Download {
    /// Changes the files that an endpoint returns.
    pub(in crate::network) fn change(&mut self, endpoint: &Endpoint, edit: impl FnOnce(&mut Content)) {
        if std::ptr::eq(self.endpoint, endpoint) {
            edit(&mut self.content);
        }
    }
}

/// The largest body of an upload.
pub(in crate::network) fn body_limit(limits: &Limits) -> usize {
    limits.file_bytes.saturating_add(FORM_BYTES)
}

/// Stores a file and the STORE message that keeps it.
pub(in crate::network) fn upload(
    core: &mut Core,
    state: &mut State,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let parts = Parts::run(core, call)?;
    let borrowed: Vec<Part<'_>> = parts.iter().map(borrow).collect();
    let dialect = core.dialect.clone();
    let upload = Upload::parse(&dialect, &borrowed, core)?;
    let fits = upload.file.len() <= state.limits.file_bytes
        && state.primary.store.bytes().saturating_add(upload.file.len() as u64) <= state.limits.stored_bytes;
    core.require(&SIZE, fits, || format!("a file of {} bytes", upload.file.len()))?;
    if upload.signature.is_empty() {
        return Err(Refusal::new(&UNAUTHORIZED, "the signature is missing"));
    }
    verify_file(upload.file, &upload.signature, &upload.address, core)?;
    let file =
        parts.iter().find(|part| part.name == "file").map_or_else(Bytes::new, |part| part.bytes.clone());
    let cid = FileName::run(core, &file)?;
    if state.primary.store.files.find(&cid).is_some_and(|file| file.kept_by > 0) {
        core.accept_value(&FORMS, &json!(AGAIN))?;
    }

    let now = core.now();
    let content = Value::Object(upload.content(&cid, now.seconds())).to_string();
    let draft = Draft {
        chain: "ETH",
        sender: &upload.address,
        kind: MessageType::Store,
        channel: &upload.channel,
        timestamp: now.seconds(),
        content: &content,
    };
    // The file must be there before the message that keeps it is validated.
    state.primary.store.files.put(&cid, file, upload.content_type);
    let stored = create::store(core, state, &draft.signed(&upload.signature));
    // The message was rejected, or was known and its file is gone: nothing keeps the file.
    state.primary.store.files.drop_unkept(&cid);
    let created = Created::find(state, stored?);
    Ok(created.reply(core, call, &[]))
}

/// Reads a file with its content type.
pub(in crate::network) fn file(
    core: &mut Core,
    state: &mut State,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let content = read(core, state, call, &UNKNOWN)?;
    Ok(served(core, &FILE, content))
}

/// Reads a file's bytes.
pub(in crate::network) fn raw(core: &mut Core, state: &mut State, call: &Call<'_>) -> Result<Reply, Refusal> {
    let Content { bytes, .. } = read(core, state, call, &UNKNOWN_RAW)?;
    Ok(served(core, &RAW, Content { bytes, content_type: DEFAULT_CONTENT_TYPE.to_owned() }))
}

/// The file that a request names.
fn read(core: &mut Core, state: &State, call: &Call<'_>, unknown: Id) -> Result<Content, Refusal> {
    let (replica, hash) = (state.seen(core, call.site), call.capture(0));
    let found = FindFile::run(core, &replica, hash, call.site);
    found.ok_or_else(|| Refusal::new(unknown, format!("no file {hash:.80}")))
}

/// A response with content.
pub(in crate::network) fn served(core: &mut Core, endpoint: &'static Endpoint, content: Content) -> Reply {
    let Content { bytes, content_type } = core.step(Download { endpoint, content }).content;
    let reply = Reply::new(200, DEFAULT_CONTENT_TYPE, bytes);
    // The value came from a header, so it is normally valid in one.
    match HeaderValue::try_from(content_type) {
        Ok(content_type) => reply.header(CONTENT_TYPE.as_str(), content_type),
        Err(_) => reply,
    }
}

steps! {
    Parts(call: &Call<'_>) -> Result<Vec<form::Part>, Refused> = parts;
}

/// The parts of the form.
pub(in crate::network) fn parts(_: &mut Core, call: &Call<'_>) -> Result<Vec<form::Part>, Refused> {
    let parts = form::parts(&call.request.head.headers, call.body());
    parts.map_err(|why| Refused { rule: &MULTIPART, why })
}

fn borrow(part: &form::Part) -> Part<'_> {
    Part { name: &part.name, content_type: part.content_type.as_deref(), bytes: &part.bytes }
}

steps! {
    FileName(file: &Bytes) -> Result<String, Refused> = name;
}

/// The hash of a file: its content identifier.
pub(in crate::network) fn name(_: &mut Core, file: &Bytes) -> Result<String, Refused> {
    let summary = cid::of_file(&&file[..], &Layout::default(), &cid::Discard);
    summary.map(|summary| summary.cid.to_string()).map_err(|e| Refused { rule: &SIZE, why: e.to_string() })
}

steps! {
    FindFile(replica: &Replica, hash: &str, site: Site) -> Option<Content> = find;
}

/// The file with a hash, of its content or of a message that keeps it.
pub(in crate::network) fn find(
    core: &mut Core,
    replica: &Replica,
    hash: &str,
    site: Site,
) -> Option<Content> {
    let Names { by_content, by_message } = core.step(Names { by_content: true, by_message: true });
    let (store, now, node) = (&replica.store, core.now(), sites::node(site));
    let file = |cid: &str| store.files.at(cid, node, now);
    if let Some(life) = life(store, hash).filter(|_| by_message) {
        let file = file(life.cid.as_deref()?)?;
        let content_type = life.content_type.as_deref().unwrap_or(&file.content_type).to_owned();
        return Some(Content { bytes: file.bytes.clone(), content_type });
    }
    let file = file(hash).filter(|_| by_content)?;
    Some(Content { bytes: file.bytes.clone(), content_type: file.content_type.to_string() })
}

/// The lifecycle data of the STORE with a hash.
fn life<'a>(store: &'a Store, hash: &str) -> Option<&'a Life> {
    store.life(store.find_text(hash)?).map(|life| &**life)
}
