//! The metadata document of a contract.

use serde_json::Value;

use super::members::{optional, required, text, texts};
use super::requirements::contract as own;
use super::requirements::records as rows;
use super::template::TokenMetadataTemplate;
use crate::metadata::OPERATOR;
use crate::metadata::{UNKNOWN, URI_NOTE, endpoint};
use crate::shape::{Reply, ShapeKind, object};
use crate::{Refused, Rules};

endpoint! {
    /// Returns a contract's document by the content identifier of its metadata.
    BY_CID "contract-by-cid" "/{contract_metadata_cid}" [200, 422]
    group: "Contracts", reply: Reply::Json(ContractMetadata::SHAPE), row: Some(&own::BY_CID), open: UNKNOWN
}
endpoint! {
    /// Returns a contract's document by the contract's URI.
    BY_URI "contract-by-uri" "/{contract_uri}//" [200, 422]
    group: "Contracts", reply: Reply::Json(ContractMetadata::SHAPE), row: Some(&own::BY_URI), open: UNKNOWN, note: URI_NOTE
}

object! {
    /// A contract's document. Only its name is required.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct ContractMetadata {
        /// Its name.
        name: String = must("name", ShapeKind::Text).owned(&rows::CONTRACT_NAME).free(OPERATOR),
        /// Its symbol.
        #[serde(skip_serializing_if = "Option::is_none")]
        symbol: Option<String> = may("symbol", ShapeKind::Text)
            .or_null().owned(&rows::CONTRACT_SYMBOL).free(OPERATOR),
        /// Its description.
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<String> = may("description", ShapeKind::Text)
            .or_null().owned(&rows::CONTRACT_DESCRIPTION).free(OPERATOR),
        /// Its image.
        #[serde(skip_serializing_if = "Option::is_none")]
        image: Option<String> = may("image", ShapeKind::Text)
            .or_null().owned(&rows::CONTRACT_IMAGE).free(OPERATOR),
        /// `banner_image`.
        #[serde(skip_serializing_if = "Option::is_none")]
        banner_image: Option<String> = may("banner_image", ShapeKind::Text)
            .or_null().owned(&rows::CONTRACT_BANNER_IMAGE).free(OPERATOR),
        /// `featured_image`.
        #[serde(skip_serializing_if = "Option::is_none")]
        featured_image: Option<String> = may("featured_image", ShapeKind::Text)
            .or_null().owned(&rows::CONTRACT_FEATURED_IMAGE).free(OPERATOR),
        /// `external_link`.
        #[serde(skip_serializing_if = "Option::is_none")]
        external_link: Option<String> = may("external_link", ShapeKind::Text)
            .or_null().owned(&rows::CONTRACT_EXTERNAL_LINK).free(OPERATOR),
        /// `collaborators`.
        #[serde(skip_serializing_if = "Option::is_none")]
        collaborators: Option<Vec<String>> = may("collaborators", ShapeKind::Array(&ShapeKind::Text))
            .or_null().owned(&rows::CONTRACT_COLLABORATORS).free(OPERATOR),
        /// `ref`.
        #[serde(skip_serializing_if = "Option::is_none")]
        reference: Option<String> = may("ref", ShapeKind::Text)
            .or_null().owned(&rows::CONTRACT_REF).free(OPERATOR),
        /// Its owner.
        #[serde(skip_serializing_if = "Option::is_none")]
        owner: Option<String> = may("owner", ShapeKind::Text)
            .or_null().owned(&rows::CONTRACT_OWNER).free(OPERATOR),
        /// The template of its tokens' documents.
        #[serde(skip_serializing_if = "Option::is_none")]
        default_token_template: Option<TokenMetadataTemplate> = may("default_token_template", TokenMetadataTemplate::SHAPE)
            .or_null().owned(&rows::CONTRACT_TEMPLATE),
    }
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
