//! The metadata document of a contract.

use serde::Serialize;
use serde_json::Value;

use super::members::{optional, required, text, texts};
use super::requirements::contract as own;
use super::requirements::records as rows;
use super::template::TokenMetadataTemplate;
use crate::metadata::template::SHAPE as TEMPLATE;
use crate::metadata::{UNKNOWN, URI_NOTE, endpoint};
use crate::shape::{Reply, ShapeKind, may, must};
use crate::{Refused, Rules};

/// The shape of a contract's document, for OpenAPI.
const CONTRACT: ShapeKind = ShapeKind::Object(&[
    must("name", ShapeKind::Text).owned(&rows::CONTRACT_NAME),
    may("symbol", ShapeKind::Text).or_null().owned(&rows::CONTRACT_SYMBOL),
    may("description", ShapeKind::Text).or_null().owned(&rows::CONTRACT_DESCRIPTION),
    may("image", ShapeKind::Text).or_null().owned(&rows::CONTRACT_IMAGE),
    may("banner_image", ShapeKind::Text).or_null().owned(&rows::CONTRACT_BANNER_IMAGE),
    may("featured_image", ShapeKind::Text).or_null().owned(&rows::CONTRACT_FEATURED_IMAGE),
    may("external_link", ShapeKind::Text).or_null().owned(&rows::CONTRACT_EXTERNAL_LINK),
    may("collaborators", ShapeKind::Array(&ShapeKind::Text)).or_null().owned(&rows::CONTRACT_COLLABORATORS),
    may("ref", ShapeKind::Text).or_null().owned(&rows::CONTRACT_REF),
    may("owner", ShapeKind::Text).or_null().owned(&rows::CONTRACT_OWNER),
    may("default_token_template", TEMPLATE).or_null().owned(&rows::CONTRACT_TEMPLATE),
]);
endpoint! {
    /// Returns a contract's document by the content identifier of its metadata.
    BY_CID "contract-by-cid" "/{contract_metadata_cid}" [200, 422]
    group: "Contracts", reply: Reply::Json(CONTRACT), row: Some(&own::BY_CID), open: UNKNOWN
}
endpoint! {
    /// Returns a contract's document by the contract's URI.
    BY_URI "contract-by-uri" "/{contract_uri}//" [200, 422]
    group: "Contracts", reply: Reply::Json(CONTRACT), row: Some(&own::BY_URI), open: UNKNOWN, note: URI_NOTE
}

/// A contract's document. Only its name is required.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ContractMetadata {
    /// Its name.
    pub name: String,
    /// Its symbol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// Its description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// `banner_image`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub banner_image: Option<String>,
    /// `featured_image`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub featured_image: Option<String>,
    /// `external_link`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_link: Option<String>,
    /// `collaborators`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collaborators: Option<Vec<String>>,
    /// `ref`.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Its owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The template of its tokens' documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_token_template: Option<TokenMetadataTemplate>,
}

impl ContractMetadata {
    /// Parses a contract's document. Ignores members that are not listed.
    pub fn read(value: &Value, rules: &mut dyn Rules) -> Result<ContractMetadata, Refused> {
        let template = optional(value, "default_token_template", &rows::CONTRACT_TEMPLATE, as_object, rules)?;
        Ok(ContractMetadata {
            name: required(value, "name", &rows::CONTRACT_NAME, text, rules)?,
            symbol: optional(value, "symbol", &rows::CONTRACT_SYMBOL, text, rules)?,
            description: optional(value, "description", &rows::CONTRACT_DESCRIPTION, text, rules)?,
            image: optional(value, "image", &rows::CONTRACT_IMAGE, text, rules)?,
            banner_image: optional(value, "banner_image", &rows::CONTRACT_BANNER_IMAGE, text, rules)?,
            featured_image: optional(value, "featured_image", &rows::CONTRACT_FEATURED_IMAGE, text, rules)?,
            external_link: optional(value, "external_link", &rows::CONTRACT_EXTERNAL_LINK, text, rules)?,
            collaborators: optional(value, "collaborators", &rows::CONTRACT_COLLABORATORS, texts, rules)?,
            reference: optional(value, "ref", &rows::CONTRACT_REF, text, rules)?,
            owner: optional(value, "owner", &rows::CONTRACT_OWNER, text, rules)?,
            default_token_template: template
                .map(|template| TokenMetadataTemplate::read(&template, rules))
                .transpose()?,
        })
    }
}

fn as_object(value: &Value) -> Option<Value> {
    value.is_object().then(|| value.clone())
}
