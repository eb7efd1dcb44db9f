//! Where the rows of token metadata apply: the forms of its paths, which are its endpoints.

use crate::Place;

/// The root.
pub const ROOT: &[Place] = &[Place::at("root")];
/// The document of a contract.
pub const CONTRACT: &[Place] = &[Place::at("contract-by-cid"), Place::at("contract-by-uri")];
/// The document of a contract by its content identifier.
pub const CONTRACT_BY_CID: &[Place] = &[CONTRACT[0]];
/// The document of a contract by its URI.
pub const CONTRACT_BY_URI: &[Place] = &[CONTRACT[1]];
/// The document of a token.
pub const TOKEN: &[Place] = &[
    Place::at("token-by-cid-json"),
    Place::at("token-by-cid"),
    Place::at("token-by-uri-json"),
    Place::at("token-by-uri"),
];
/// The document of a token, with `.json`.
pub const TOKEN_JSON: &[Place] = &[TOKEN[0], TOKEN[2]];
/// The document of a token by content identifier, with `.json`.
pub const TOKEN_BY_CID_JSON: &[Place] = &[TOKEN[0]];
/// The document of a token by content identifier.
pub const TOKEN_BY_CID: &[Place] = &[TOKEN[1]];
/// The document of a token by URI, with `.json`.
pub const TOKEN_BY_URI_JSON: &[Place] = &[TOKEN[2]];
/// The document of a token by URI.
pub const TOKEN_BY_URI: &[Place] = &[TOKEN[3]];
/// The overrides of a token by content identifier.
pub const OVERRIDES_BY_CID: &[Place] = &[Place::at("overrides-by-cid")];
/// The overrides of a token by URI.
pub const OVERRIDES_BY_URI: &[Place] = &[Place::at("overrides-by-uri")];
/// Each document.
pub const DOCUMENTS: &[Place] = &[CONTRACT[0], CONTRACT[1], TOKEN[0], TOKEN[1], TOKEN[2], TOKEN[3]];
/// Each document by URI: the same as by content identifier.
pub const DOCUMENTS_BY_URI: &[Place] = &[CONTRACT[1], TOKEN[2], TOKEN[3]];
/// Each path with the id of a token.
pub const WITH_ID: &[Place] =
    &[TOKEN[0], TOKEN[1], TOKEN[2], TOKEN[3], OVERRIDES_BY_CID[0], OVERRIDES_BY_URI[0]];
/// Each path with a parameter that can be empty.
pub const CAN_BE_EMPTY: &[Place] =
    &[CONTRACT[1], TOKEN[0], TOKEN[1], TOKEN[2], TOKEN[3], OVERRIDES_BY_CID[0], OVERRIDES_BY_URI[0]];
/// Each path with a contract.
pub const EVERY: &[Place] = &[
    CONTRACT[0],
    CONTRACT[1],
    TOKEN[0],
    TOKEN[1],
    TOKEN[2],
    TOKEN[3],
    OVERRIDES_BY_CID[0],
    OVERRIDES_BY_URI[0],
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::metadata::ENDPOINTS;

    #[test]
    fn places_have_the_names_of_endpoints() {
        let names: BTreeSet<&str> = [ROOT, EVERY].concat().iter().map(|place| place.endpoint).collect();
        assert_eq!(names, ENDPOINTS.iter().map(|endpoint| endpoint.name).collect());
    }
}
