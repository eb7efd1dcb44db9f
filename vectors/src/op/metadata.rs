//! `metadata.route` and `metadata.record`.

use assay_spec::metadata::contract::ContractMetadata;
use assay_spec::metadata::route::{Address, route as resource};
use assay_spec::metadata::token::MetadataResponse;
use assay_spec::metadata::validation::HttpValidationError;
use assay_spec::{Dialect, Rules};
use serde_json::{Value, json};

use super::{Members, OpError};

/// The listed path that a raw path matches, and its parameters.
pub(super) fn route(_: &Dialect, input: &Members<'_>, rules: &mut dyn Rules) -> Result<Value, OpError> {
    let found = resource(&input.bytes("raw_path")?, rules).map_err(|refused| (refused, "parse"))?;
    let (contract, id) = found.parameters();
    let named = |by_uri: bool| contract.filter(|it| it.is_uri() == by_uri).map(Address::text);
    Ok(json!({
        "path": found.endpoint().path,
        "contract_metadata_cid": named(false),
        "contract_uri": named(true),
        "token_id": id.map(ToString::to_string),
    }))
}

/// Validates a document. The output is empty.
pub(super) fn record(_: &Dialect, input: &Members<'_>, rules: &mut dyn Rules) -> Result<Value, OpError> {
    let wrong = |what: &str| OpError::BadRequest(what.to_owned());
    let document = input.value("document").ok_or_else(|| wrong("document: a JSON value is missing"))?;
    let read = match input.text("kind")? {
        "contract" => ContractMetadata::read(document, rules).map(drop),
        "token" => MetadataResponse::read(document, rules).map(drop),
        "validation-error" => HttpValidationError::read(document, rules).map(drop),
        other => return Err(OpError::BadRequest(format!("kind: {other:?} is not a kind of document"))),
    };
    read.map_err(|refused| (refused, "check"))?;
    Ok(json!({}))
}
