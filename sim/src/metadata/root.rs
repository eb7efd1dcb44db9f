//! The page at the root, and the interface description, where a framework declares its version.

use assay_spec::Rules;
use assay_spec::metadata::ENDPOINTS;
use assay_spec::metadata::requirements::root::{HTML, VERSION};
use assay_spec::metadata::root;
use serde_json::{Map, Value, json};

use super::variations;
use crate::core::Core;
use crate::refusal::Refusal;
use crate::world::Reply;

/// The path of the interface description. The document shows none; this one is the simulator's.
pub(super) const INTERFACE: &str = "/openapi.json";

const PAGE: &str = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Token metadata</title></head>\n\
    <body><h1>Token metadata</h1><p>Documents of contracts and their tokens.</p></body></html>\n";

/// The page at the root.
pub(super) fn page(core: &mut Core) -> Result<Reply, Refusal> {
    match core.violated(&HTML) {
        Some("missing") => return Err(Refusal::new(&HTML, "switched off: there is no page")),
        Some("type") => return Ok(core.text(200, PAGE)),
        Some(_) => return Ok(core.json(200, json!({ "status": "ok" }))),
        None => {}
    }
    Ok(if core.varies(variations::HTML_BARE) {
        Reply::new(200, "text/html", "<p>Token metadata")
    } else {
        Reply::new(200, "text/html; charset=utf-8", PAGE)
    })
}

/// The interface description.
pub(super) fn interface(core: &mut Core) -> Reply {
    let version = core.effect(&VERSION, root::VERSION, |_, _| "0.2.0");
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
    let info = json!({ "title": "Token metadata", "version": version });
    core.json(200, json!({ "openapi": "3.1.0", "info": info, "paths": paths }))
}
