//! Files: `POST /storage/store`, `GET /storage/{hash}` and `GET /storage/raw/{hash}`.

use assay_spec::cid::{self, Layout};
use assay_spec::crypto::text::sha256_hex;
use assay_spec::network::machines::StoreState;
use assay_spec::network::message::{Draft, MessageType};
use assay_spec::network::requirements::errors::UNAUTHORIZED;
use assay_spec::network::requirements::storage::{
    CONTENT, CONTENT_TYPE, MULTIPART, RAW, SIZE, STORED, UNKNOWN, UNKNOWN_RAW,
};
use assay_spec::network::requirements::store::REMOVING;
use assay_spec::network::signing::verify_file;
use assay_spec::network::storage::{DEFAULT_CONTENT_TYPE, Part, Upload};
use assay_spec::{Id, Refused, Rules};
use bytes::Bytes;
use http::HeaderValue;
use http::header::CONTENT_TYPE as CONTENT_TYPE_HEADER;
use serde_json::{Value, json};

use super::call::Call;
use super::deviations::ZERO_ADDRESS;
use super::limits::Limits;
use super::store::Store;
use super::{State, create, sites, variations};
use crate::core::Core;
use crate::exchange::Reply;
use crate::form;
use crate::refusal::Refusal;

/// The maximum size of an upload form besides the file, in bytes.
const FORM_BYTES: usize = 64 * 1024;

/// The largest body of an upload.
pub(super) fn body_limit(limits: &Limits) -> usize {
    limits.file_bytes.saturating_add(FORM_BYTES)
}

/// Stores a file and the STORE message that keeps it.
pub(super) fn upload(state: &mut State, core: &mut Core, call: &Call<'_>) -> Result<Reply, Refusal> {
    let parts = parts(core, call)?;
    let borrowed: Vec<Part<'_>> = parts.iter().map(borrow).collect();
    let dialect = core.dialect.clone();
    let upload = Upload::parse(&dialect, &borrowed, core)?;
    let fits = upload.file.len() <= state.limits.file_bytes
        && state.primary.store.bytes().saturating_add(upload.file.len() as u64) <= state.limits.stored_bytes;
    core.require(&SIZE, fits, || format!("a file of {} bytes", upload.file.len()))?;
    // Where a rule about the form is violated, there may be nothing that could have been signed.
    let whole = parts.iter().any(|part| part.name == "file") && !upload.address.is_empty();
    if whole {
        signed(core, &upload)?;
    }
    let file =
        parts.iter().find(|part| part.name == "file").map_or_else(Bytes::new, |part| part.bytes.clone());
    let cid = name(core, &file)?;

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
    let stored = create::store(state, core, &draft.signed(&upload.signature));
    // The message was rejected, or was known and its file is gone: nothing keeps the file.
    state.primary.store.files.drop_unkept(&cid);
    let number = stored?;
    let hash = state.primary.store.stored(number).hash().text(core);
    let status = core.effect(&STORED, "success", |_, _| "stored");
    Ok(create::success(core, json!({ "item_hash": hash, "status": status })))
}

/// Reads a file with its content type.
pub(super) fn file(state: &mut State, core: &mut Core, call: &Call<'_>) -> Result<Reply, Refusal> {
    let Some((bytes, content_type)) = find(state, core, call) else { return missing(core, call, &UNKNOWN) };
    let bytes = core.effect(&CONTENT, bytes, |bytes, _| changed(&bytes));
    let content_type = core.effect(&CONTENT_TYPE, content_type, |_, _| "application/x-file".to_owned());
    Ok(served(bytes, content_type))
}

/// A response with the content as it was uploaded.
pub(super) fn served(bytes: Bytes, content_type: String) -> Reply {
    let reply = Reply::new(200, DEFAULT_CONTENT_TYPE, bytes);
    // The value came from a header, so it is normally valid in one.
    match HeaderValue::try_from(content_type) {
        Ok(content_type) => reply.header(CONTENT_TYPE_HEADER.as_str(), content_type),
        Err(_) => reply,
    }
}

/// Reads a file's bytes.
pub(super) fn raw(state: &mut State, core: &mut Core, call: &Call<'_>) -> Result<Reply, Refusal> {
    let Some((bytes, _)) = find(state, core, call) else { return missing(core, call, &UNKNOWN_RAW) };
    let bytes = core.effect(&RAW, bytes, |bytes, _| changed(&bytes));
    Ok(Reply::new(200, DEFAULT_CONTENT_TYPE, bytes))
}

/// The parts of the form. Where the rule is violated, any body is a file.
fn parts(core: &mut Core, call: &Call<'_>) -> Result<Vec<form::Part>, Refused> {
    let (headers, body) = (&call.request.head.headers, call.body());
    let part = |name: &str, bytes: Bytes| form::Part { name: name.to_owned(), content_type: None, bytes };
    core.parse(
        &MULTIPART,
        || form::parts(headers, body),
        || {
            let instead = vec![
                part("file", body.clone()),
                part("address", Bytes::from_static(ZERO_ADDRESS.as_bytes())),
            ];
            Ok(form::parts(headers, body).unwrap_or(instead))
        },
    )
}

fn borrow(part: &form::Part) -> Part<'_> {
    Part { name: &part.name, content_type: part.content_type.as_deref(), bytes: &part.bytes }
}

fn signed(core: &mut Core, upload: &Upload<'_>) -> Result<(), Refusal> {
    if core.violated(&MULTIPART).is_some() && upload.address == ZERO_ADDRESS {
        return Ok(());
    }
    if upload.signature.is_empty() {
        return Err(Refusal::new(&UNAUTHORIZED, "the signature is missing"));
    }
    Ok(verify_file(upload.file, &upload.signature, &upload.address, core)?)
}

/// The hash of a file: its content identifier.
pub(super) fn name(core: &Core, file: &Bytes) -> Result<String, Refused> {
    if core.varies(variations::FILE_HASH_HEX) {
        return Ok(sha256_hex(file));
    }
    let summary = cid::of_file(&&file[..], &Layout::default(), &cid::Discard);
    summary.map(|summary| summary.cid.to_string()).map_err(|e| Refused { rule: &SIZE, why: e.to_string() })
}

/// The file with a hash (of its content or of a message that keeps it), and its content type.
fn find(state: &State, core: &mut Core, call: &Call<'_>) -> Option<(Bytes, String)> {
    let (text, now, node) = (call.capture(0), core.now(), sites::node(call.site));
    let (by_content, by_message) =
        (!core.varies(variations::FILES_BY_MESSAGE), !core.varies(variations::FILES_BY_CONTENT));
    let replica = state.seen(core, call.site);
    let store = &replica.store;
    let file = |cid: &str| store.files.at(cid, node, now);
    let number = store.find_text(text).filter(|_| by_message);
    let of_message = number.and_then(|number| store.life(number));
    let found = match of_message {
        Some(life) => life.cid.as_deref().and_then(file).map(|file| {
            let content_type = life.content_type.as_deref().unwrap_or(&file.content_type);
            (file.bytes.clone(), content_type.to_owned())
        }),
        None if by_content => file(text).map(|file| (file.bytes.clone(), file.content_type.to_string())),
        None => None,
    };
    // The deviation removes the file of a STORE in `removing` too early.
    let early = core.violated(&REMOVING) == Some("bytes") && is_removing(store, text);
    found.filter(|_| !early)
}

/// Whether the hash names a message in `removing`, or its file.
fn is_removing(store: &Store, text: &str) -> bool {
    let number = store.find_text(text);
    let owned = store.owners().flat_map(|owner| store.owned_by(owner));
    let mut lives = owned.filter_map(|number| Some((number, store.life(number)?)));
    lives.any(|(other, life)| {
        store.state(other) == StoreState::Removing
            && (number == Some(other) || life.cid.as_deref() == Some(text))
    })
}

/// The file is not found. Where the rule is violated, it is empty.
fn missing(core: &mut Core, call: &Call<'_>, rule: Id) -> Result<Reply, Refusal> {
    core.require(rule, false, || format!("no file {:.80}", call.capture(0)))?;
    Ok(Reply::new(200, DEFAULT_CONTENT_TYPE, Bytes::new()))
}

/// Changed bytes: one more at the end.
fn changed(bytes: &Bytes) -> Bytes {
    [&bytes[..], b"\n"].concat().into()
}
