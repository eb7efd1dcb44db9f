//! The metadata document of a token, and token ids.

use std::fmt;

use serde_json::Value;

use super::attribute::Attribute;
use super::external::ExternalProperties;
use super::members::{list, optional, required, text};
use super::requirements::records as rows;
use super::requirements::token as own;
use crate::metadata::OPERATOR;
use crate::metadata::{TOKEN_ID, UNKNOWN, URI_NOTE, endpoint};
use crate::shape::{Reply, ShapeKind, object};
use crate::{Refused, Rules};

endpoint! {
    /// Returns a token's document by the content identifier of the contract's metadata, with `.json` after the id.
    BY_CID_JSON "token-by-cid-json" "/{contract_metadata_cid}/{token_id}.json" [200, 422]
    group: "Tokens", path: TOKEN_ID, reply: Reply::Json(MetadataResponse::SHAPE), row: Some(&own::BY_CID_JSON), open: UNKNOWN
}
endpoint! {
    /// Returns a token's document by the content identifier of the contract's metadata.
    BY_CID "token-by-cid" "/{contract_metadata_cid}/{token_id}" [200, 422]
    group: "Tokens", path: TOKEN_ID, reply: Reply::Json(MetadataResponse::SHAPE), row: Some(&own::BY_CID), open: UNKNOWN
}
endpoint! {
    /// Returns a token's document by the contract's URI, with `.json` after the id.
    BY_URI_JSON "token-by-uri-json" "/{contract_uri}//{token_id}.json" [200, 422]
    group: "Tokens", path: TOKEN_ID, reply: Reply::Json(MetadataResponse::SHAPE), row: Some(&own::BY_URI_JSON), open: UNKNOWN, note: URI_NOTE
}
endpoint! {
    /// Returns a token's document by the contract's URI.
    BY_URI "token-by-uri" "/{contract_uri}//{token_id}" [200, 422]
    group: "Tokens", path: TOKEN_ID, reply: Reply::Json(MetadataResponse::SHAPE), row: Some(&own::BY_URI), open: UNKNOWN, note: URI_NOTE
}

object! {
    /// A token's document. Only its name is required.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct MetadataResponse {
        /// `name`.
        name: String = must("name", ShapeKind::Text).owned(&rows::TOKEN_NAME).free(OPERATOR),
        /// `image`.
        #[serde(skip_serializing_if = "Option::is_none")]
        image: Option<String> = may("image", ShapeKind::Text)
            .or_null().owned(&rows::TOKEN_IMAGE).free(OPERATOR),
        /// `animation_url`.
        #[serde(skip_serializing_if = "Option::is_none")]
        animation_url: Option<String> = may("animation_url", ShapeKind::Text)
            .or_null().owned(&rows::TOKEN_ANIMATION_URL).free(OPERATOR),
        /// `description`.
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<String> = may("description", ShapeKind::Text)
            .or_null().owned(&rows::TOKEN_DESCRIPTION).free(OPERATOR),
        /// `external_url`.
        #[serde(skip_serializing_if = "Option::is_none")]
        external_url: Option<String> = may("external_url", ShapeKind::Text)
            .or_null().owned(&rows::TOKEN_EXTERNAL_URL).free(OPERATOR),
        /// `attributes`.
        #[serde(skip_serializing_if = "Option::is_none")]
        attributes: Option<Vec<Attribute>> = may("attributes", ShapeKind::Array(&Attribute::SHAPE))
            .or_null().owned(&rows::TOKEN_ATTRIBUTES),
        /// `external_properties`.
        #[serde(skip_serializing_if = "Option::is_none")]
        external_properties: Option<Vec<ExternalProperties>> = may("external_properties", ShapeKind::Array(&ExternalProperties::SHAPE))
            .or_null().owned(&rows::TOKEN_EXTERNAL_PROPERTIES),
    }
}

impl MetadataResponse {
    /// Parses a token's document. Ignores members that are not listed.
    pub fn read(value: &Value, rules: &mut dyn Rules) -> Result<MetadataResponse, Refused> {
        let external = &rows::TOKEN_EXTERNAL_PROPERTIES;
        Ok(MetadataResponse {
            name: required(value, "name", &rows::TOKEN_NAME, text, rules)?,
            image: optional(value, "image", &rows::TOKEN_IMAGE, text, rules)?,
            animation_url: optional(value, "animation_url", &rows::TOKEN_ANIMATION_URL, text, rules)?,
            description: optional(value, "description", &rows::TOKEN_DESCRIPTION, text, rules)?,
            external_url: optional(value, "external_url", &rows::TOKEN_EXTERNAL_URL, text, rules)?,
            attributes: list(value, "attributes", &rows::TOKEN_ATTRIBUTES, Attribute::read, rules)?,
            external_properties: list(
                value,
                "external_properties",
                external,
                ExternalProperties::read,
                rules,
            )?,
        })
    }
}

/// A token's id: an integer of any size. Two strings for the same integer are the same id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TokenId(pub(super) String);

impl TokenId {
    /// Parses an optional minus and digits. The document does not state which other strings are integers.
    pub fn parse(text: &str) -> Option<TokenId> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let significant = digits.trim_start_matches('0');
        let sign = if text.len() > digits.len() && !significant.is_empty() { "-" } else { "" };
        Some(TokenId(format!("{sign}{}", if significant.is_empty() { "0" } else { significant })))
    }

    /// The integer in its shortest form.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TokenId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_integer_has_one_form() {
        let id = |text: &str| TokenId::parse(text).map(|id| id.to_string());
        let long = "9".repeat(80);
        for (text, form) in
            [("7", "7"), ("007", "7"), ("0", "0"), ("-0", "0"), ("-07", "-7"), ("000", "0"), (&long, &long)]
        {
            assert_eq!(id(text).as_deref(), Some(form), "{text}");
        }
        for text in ["", "-", "--7", "+7", " 7", "7 ", "1.0", "1e3", "0x7", "1_000", "\u{0667}", "7\n", "abc"]
        {
            assert_eq!(id(text), None, "{text:?}");
        }
    }
}
