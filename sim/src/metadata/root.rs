//! The page at the root, and the interface description, where a framework declares its version.

use assay_spec::metadata::ENDPOINTS;
use assay_spec::metadata::root;
use serde_json::{Map, Value, json};

use crate::core::Core;
use crate::exchange::Reply;
use crate::seam::{Answer, Body};

/// The path of the interface description. The document shows none; this one is the simulator's.
pub(super) const INTERFACE: &str = "/openapi.json";

/// The page.
pub(super) const PAGE: &str = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Token metadata</title></head>\n\
    <body><h1>Token metadata</h1><p>Documents of contracts and their tokens.</p></body></html>\n";

/// The page, as its reply knows it.
#[derive(Clone)]
pub(super) struct Page;

/// The interface description, as its reply knows it.
#[derive(Clone)]
pub(super) struct Interface;

/// The page at the root.
pub(super) fn page(core: &mut Core) -> Reply {
    core.reply(Answer::new(Page, 200, Body::Typed("text/html; charset=utf-8", PAGE.into())))
}

/// The interface description.
pub(super) fn interface(core: &mut Core) -> Reply {
    let paths: Map<String, Value> = ENDPOINTS
        .iter()
        .map(|endpoint| {
            let statuses: Map<String, Value> = endpoint
                .statuses
                .iter()
                .map(|status| (status.to_string(), json!({ "description": endpoint.name })))
                .collect();
            (endpoint.path.to_owned(), json!({ "get": { "responses": statuses } }))
        })
        .collect();
    let info = json!({ "title": "Token metadata", "version": root::VERSION });
    let description = json!({ "openapi": "3.1.0", "info": info, "paths": paths });
    core.reply(Answer::new(Interface, 200, Body::Json(description)))
}
