//! The mistakes that programs make with token metadata (document 1). The files beside this one say only what the document
//! says. An entry says which program reads otherwise at one place of them, and why that is tempting, with its code.

use std::borrow::Cow;

use crate::Id;
use crate::metadata::attribute::AttributeValue;
use crate::metadata::requirements;
use crate::metadata::route::{Found, RouteKind, endpoint};
use crate::metadata::token::TokenId;
use crate::rules::{Mistake, Reading, mistakes};

mistakes! {
    /// The metadata document of a contract.
    mod contract {
        BY_CID => "A server finds contracts only by their URI, because its database has them under that.",
            |_at: ()| -> Result<(), String> { Err("the contract is not found".to_owned()) }
        BY_URI => "A server finds contracts only by content identifier, because slashes in a parameter match no route.",
            |_at: ()| -> Result<(), String> { Err("the contract is not found".to_owned()) }
    }

    /// The metadata document of a token.
    mod token {
        BY_CID_JSON => "A server has no route that ends in `.json`, because its framework takes the ending for a format.",
            |_at: ()| -> Result<(), String> { Err("the token is not found".to_owned()) }
        BY_CID => "A server serves files that a job has written, and each of their names ends in `.json`.",
            |_at: ()| -> Result<(), String> { Err("the token is not found".to_owned()) }
        BY_URI_JSON => "A server that is called with a URI has no route for `.json`, because contracts ask without it.",
            |_at: ()| -> Result<(), String> { Err("the token is not found".to_owned()) }
        BY_URI => "A server that is called with a URI expects `.json`, because the URIs in contracts end in it.",
            |_at: ()| -> Result<(), String> { Err("the token is not found".to_owned()) }
    }

    /// The overrides of a token.
    mod overrides {
        BY_CID => "A server has no route for overrides, because it stores the documents with the overrides applied.",
            |_at: ()| -> Result<(), String> { Err("the overrides are not found".to_owned()) }
        BY_URI => "A server keeps overrides by content identifier, and finds none for a URI.",
            |_at: ()| -> Result<(), String> { Err("the overrides are not found".to_owned()) }
    }

    /// Paths.
    mod paths {
        DOUBLE_SLASH => "A server behind a proxy gets the path with merged slashes, as file systems read it.",
            |path: &[u8]| -> Cow<'_, [u8]> { merged(path) }
        REQUIRED => "A server takes an empty id for no id, because its router ignores a slash at the end.",
            |found: Found<'_>| -> Result<Found<'_>, String> {
                let kind = if found.id.is_empty() { RouteKind::Contract } else { found.kind };
                Ok(Found { kind, ..found })
            }
        LAST => "A server splits at the first double slash, because its router matches from the left.",
            |rest: &[u8]| -> Option<usize> { rest.windows(2).position(|two| two == b"//") }
        DECODED => "A server compares the bytes of the path, because the addresses that it knows need no encoding.",
            |parameter: &[u8]| -> Cow<'_, [u8]> { Cow::Borrowed(parameter) }
        TEXT => "A server replaces bytes that are not UTF-8, as its framework does for paths.",
            |bytes: &[u8]| -> Result<String, String> { Ok(String::from_utf8_lossy(bytes).into_owned()) }
        SHAPE => "A server takes each other path for a contract, because that route matches everything.",
            |path: &[u8]| -> Result<Found<'_>, String> {
                let kind = if path.is_empty() { RouteKind::Root } else { RouteKind::Contract };
                Ok(Found { kind, by_uri: false, contract: path, id: b"" })
            }
    }

    /// Rejected parameters.
    mod validation {
        INTEGER => "A server looks the id up as a string, and finds no token.",
            |id: &str| -> Result<TokenId, String> { Ok(TokenId(id.to_owned())) }
        ODD_ID => "A server decodes an id and converts it to a number without a handler for either error.",
            |path: &[u8]| -> Result<(), String> {
                let is_odd = path.len() > ORDINARY || path.windows(3).any(|part| part == b"%ff" || part == b"%00");
                if is_odd { Err("the path is answered like any other".to_owned()) } else { Ok(()) }
            }
    }
}

/// The longest path with an ordinary id.
const ORDINARY: usize = 2_000;

/// A program takes the default of its language for a required member that a document lacks. Every member has this mistake.
pub(super) fn default_value<T: Default>(rule: Id) -> Mistake<Reading<(), T>> {
    Mistake {
        rule,
        about: "A program takes the default of its language for a missing member.",
        misread: |()| Ok(T::default()),
    }
}

impl Default for AttributeValue {
    fn default() -> Self {
        AttributeValue::Boolean(false)
    }
}

/// A path of a known form with repeated slashes merged into one.
fn merged(path: &[u8]) -> Cow<'_, [u8]> {
    let is_doubled = path.get(1..).is_some_and(|rest| rest.windows(2).any(|two| two == b"//"));
    if !is_doubled || endpoint(path).is_none() {
        return Cow::Borrowed(path);
    }
    let mut merged = path.to_vec();
    merged.dedup_by(|one, other| (*one, *other) == (b'/', b'/'));
    merged.into()
}
