//! The steps of token metadata that deviations and variations replace.

use assay_spec::Refused;
use assay_spec::metadata::route::{Address, Resource};
use assay_spec::metadata::token::TokenId;
use serde_json::{Map, Value};

use super::collections::Collection;
use super::{State, token};
use crate::seam::steps;

steps! {
    /// What a path names.
    route: Route(state: &State, path: &[u8]) -> Result<Resource, Refused> = State::route;
    /// Checks the id of a token. The document does not limit integers.
    check_id: CheckId(id: &TokenId) -> Result<(), Refused> = token::check_id;
    /// The index of the collection at an address.
    find: Find(state: &State, address: &Address) -> Result<usize, Refused> = State::find;
    /// The overrides of an existing token.
    known: Known(of: &Collection, id: &TokenId) -> Result<Vec<Map<String, Value>>, Refused> = token::known;
}
