//! Finds the endpoint of a path. Paths are compared as received: nothing is decoded, merged or cut.

use assay_spec::endpoint::Endpoint as Declared;
use assay_spec::gateway::stand_in::{ATTESTATION, RESOLVE};
use assay_spec::gateway::{auth, chat, completions, discovery, messages, models, responses};
use http::Method;

use super::call::Family;
use super::pool::{CONFIDENTIAL, Number};
use crate::core::Core;

/// An endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Endpoint<'a> {
    /// Inference.
    Infer(Family),
    /// The list of models.
    Models,
    /// Discovery.
    Discovery,
    /// The key check.
    KeyCheck,
    /// The stand-in for the resolution of an item hash.
    Resolve(&'a str),
    /// The stand-in for the attestation of an enclave.
    Attestation,
}

/// The result for a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found<'a> {
    /// An endpoint.
    Endpoint(Endpoint<'a>),
    /// An endpoint with another method.
    OtherMethod(&'static str),
    /// No endpoint.
    Nothing,
}

/// Finds the endpoint of a request, at the gateway or at the server of that number.
pub(super) fn find<'a>(core: &Core, at: Option<Number>, method: &Method, path: &'a str) -> Found<'a> {
    let families: [(&Declared, Family); 5] = [
        (&chat::ENDPOINT, Family::Chat),
        (&completions::ENDPOINT, Family::Completions),
        (&responses::ENDPOINT, Family::Responses),
        (&messages::ENDPOINT, Family::Messages),
        (&completions::NATIVE, Family::Native),
    ];
    let prefix = core.dialect.discovery_prefix.as_str();
    // A declaration has the documents' prefix; a dialect may have its own.
    let under = |declared: &Declared| {
        let rest = declared.path.strip_prefix("/svc").unwrap_or_default();
        path.strip_prefix(prefix) == Some(rest)
    };
    let (endpoint, wanted) =
        if let Some((declared, family)) = families.iter().find(|(declared, _)| declared.path == path) {
            (Endpoint::Infer(*family), declared.method)
        } else if path == models::LIST.path {
            (Endpoint::Models, models::LIST.method)
        } else if at.is_none() && under(&discovery::ENDPOINT) {
            (Endpoint::Discovery, discovery::ENDPOINT.method)
        } else if under(&auth::CHECK) {
            (Endpoint::KeyCheck, auth::CHECK.method)
        } else if let Some(item_hash) = path.strip_prefix(RESOLVE).filter(|_| at.is_none()) {
            (Endpoint::Resolve(item_hash), "GET")
        } else if at == Some(CONFIDENTIAL) && path == ATTESTATION {
            (Endpoint::Attestation, "GET")
        } else {
            return Found::Nothing;
        };
    if method.as_str() == wanted { Found::Endpoint(endpoint) } else { Found::OtherMethod(wanted) }
}
