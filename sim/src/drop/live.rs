//! Live sites: the files of a drop at its URL, served like by any static file host.

use std::sync::Arc;

use assay_spec::drop::machines::DropState;
use assay_spec::drop::requirements::site::REMOVED;
use bytes::Bytes;
use http::{HeaderValue, Method};
use percent_encoding::percent_decode_str;

use super::{Files, State, refusal};
use crate::core::Core;
use crate::exchange::{Reply, Request};
use crate::refusal::Refusal;
use crate::seam::steps;

/// The page of a directory.
pub(super) const INDEX: &str = "index.html";

/// Handles every request except the upload.
pub(super) fn serve(core: &mut Core, state: &State, request: &Request) -> Reply {
    let Some((root, rest)) = split(request.path()) else { return missing(core) };
    let Some(drop) = state.roots.get(root).and_then(|id| state.drops.get(id)) else { return missing(core) };
    if drop.state == DropState::Removed {
        return refusal::answer(core, &Refusal::new(&REMOVED, "the site was removed"));
    }
    if core.now() < drop.live_at {
        return missing(core);
    }
    if !matches!(request.head.method, Method::GET | Method::HEAD) {
        return refusal::error(core, 405, "only GET and HEAD")
            .header("allow", HeaderValue::from_static("GET, HEAD"));
    }
    let Ok(path) = percent_decode_str(rest).decode_utf8() else { return missing(core) };
    let Some(path) = path.strip_prefix('/') else { return to_folder(core, request) };
    if path.is_empty() || path.ends_with('/') {
        return Page::run(core, &drop.files, request, path);
    }
    show(core, &drop.files, path).unwrap_or_else(|| {
        if is_folder(&drop.files, path) { to_folder(core, request) } else { missing(core) }
    })
}

steps! {
    Page(files: &Files, request: &Request, folder: &str) -> Reply = page;
}

/// The page of a folder, at the folder's own path.
pub(super) fn page(core: &mut Core, files: &Files, _: &Request, folder: &str) -> Reply {
    show(core, files, &format!("{folder}{INDEX}")).unwrap_or_else(|| missing(core))
}

/// A file of the site, if there is one.
fn show(core: &mut Core, files: &Files, path: &str) -> Option<Reply> {
    let content = File::run(core, files, path)?;
    let reply = Reply { status: 200, headers: http::HeaderMap::new(), body: Bytes::from_owner(content) };
    Some(reply.header("content-type", content_type(path)))
}

steps! {
    File(files: &Files, path: &str) -> Option<Arc<[u8]>> = file;
}

/// A file of a site.
pub(super) fn file(_: &mut Core, files: &Files, path: &str) -> Option<Arc<[u8]>> {
    files.get(path).cloned()
}

/// Splits a path into its root (the first two segments) and the rest.
fn split(path: &str) -> Option<(&str, &str)> {
    let segments = path.strip_prefix('/')?;
    let mut slashes = segments.match_indices('/').map(|(at, _)| at + 1);
    slashes.next()?;
    Some(path.split_at(slashes.next().unwrap_or(path.len())))
}

fn is_folder(files: &Files, path: &str) -> bool {
    let inside = format!("{path}/");
    files.range(inside.clone()..).next().is_some_and(|(name, _)| name.starts_with(&inside))
}

/// Redirects to the same path with a slash, so that relative links of the page work.
fn to_folder(core: &mut Core, request: &Request) -> Reply {
    redirect(core, request, "/")
}

/// Redirects to the same path with more at its end.
pub(super) fn redirect(core: &mut Core, request: &Request, more: &str) -> Reply {
    let location = HeaderValue::try_from(format!("{}{more}", request.path()));
    match location {
        Ok(location) => core.text(301, "").header("location", location),
        Err(_) => missing(core),
    }
}

fn missing(core: &mut Core) -> Reply {
    refusal::error(core, 404, "not found")
}

fn content_type(file: &str) -> HeaderValue {
    let guess = mime_guess::from_path(file).first_or_octet_stream();
    let charset = if guess.type_() == mime_guess::mime::TEXT { "; charset=utf-8" } else { "" };
    HeaderValue::try_from(format!("{guess}{charset}"))
        .unwrap_or(HeaderValue::from_static("application/octet-stream"))
}
