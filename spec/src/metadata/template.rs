//! Templates of tokens' documents.

use serde_json::Value;

use super::attribute::{Attribute, AttributeValue};
use super::external::ExternalProperties;
use super::members::{list, optional, required, text};
use super::requirements::records as rows;
use super::token::{MetadataResponse, TokenId};
use crate::metadata::OPERATOR;
use crate::shape::{ShapeKind, object};
use crate::{Refused, Rules};

/// The default `tag` of a template.
pub const TAG: &str = "{id}";

object! {
    /// A template. Only its name is required.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct TokenMetadataTemplate {
        /// `name`.
        name: String = must("name", ShapeKind::Text).owned(&rows::TEMPLATE_NAME).free(OPERATOR),
        /// `image`.
        #[serde(skip_serializing_if = "Option::is_none")]
        image: Option<String> = may("image", ShapeKind::Text)
            .or_null().owned(&rows::TEMPLATE_IMAGE).free(OPERATOR),
        /// `animation_url`.
        #[serde(skip_serializing_if = "Option::is_none")]
        animation_url: Option<String> = may("animation_url", ShapeKind::Text)
            .or_null().owned(&rows::TEMPLATE_ANIMATION_URL).free(OPERATOR),
        /// `description`.
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<String> = may("description", ShapeKind::Text)
            .or_null().owned(&rows::TEMPLATE_DESCRIPTION).free(OPERATOR),
        /// `external_url`.
        #[serde(skip_serializing_if = "Option::is_none")]
        external_url: Option<String> = may("external_url", ShapeKind::Text)
            .or_null().owned(&rows::TEMPLATE_EXTERNAL_URL).free(OPERATOR),
        /// `attributes`.
        #[serde(skip_serializing_if = "Option::is_none")]
        attributes: Option<Vec<Attribute>> = may("attributes", ShapeKind::Array(&Attribute::SHAPE))
            .or_null().owned(&rows::TEMPLATE_ATTRIBUTES),
        /// `external_properties`.
        #[serde(skip_serializing_if = "Option::is_none")]
        external_properties: Option<Vec<ExternalProperties>> = may("external_properties", ShapeKind::Array(&ExternalProperties::SHAPE))
            .or_null().owned(&rows::TEMPLATE_EXTERNAL_PROPERTIES),
        /// The placeholder for a token's id; [`TAG`] if missing.
        #[serde(skip_serializing_if = "Option::is_none")]
        tag: Option<String> = may("tag", ShapeKind::Text).or_null().owned(&rows::TEMPLATE_TAG).free(OPERATOR),
    }
}

impl TokenMetadataTemplate {
    /// Parses a template. Ignores members that are not listed.
    pub fn read(value: &Value, rules: &mut dyn Rules) -> Result<TokenMetadataTemplate, Refused> {
        let external = &rows::TEMPLATE_EXTERNAL_PROPERTIES;
        Ok(TokenMetadataTemplate {
            name: required(value, "name", &rows::TEMPLATE_NAME, text, rules)?,
            image: optional(value, "image", &rows::TEMPLATE_IMAGE, text, rules)?,
            animation_url: optional(value, "animation_url", &rows::TEMPLATE_ANIMATION_URL, text, rules)?,
            description: optional(value, "description", &rows::TEMPLATE_DESCRIPTION, text, rules)?,
            external_url: optional(value, "external_url", &rows::TEMPLATE_EXTERNAL_URL, text, rules)?,
            attributes: list(value, "attributes", &rows::TEMPLATE_ATTRIBUTES, Attribute::read, rules)?,
            external_properties: list(
                value,
                "external_properties",
                external,
                ExternalProperties::read,
                rules,
            )?,
            tag: optional(value, "tag", &rows::TEMPLATE_TAG, text, rules)?,
        })
    }

    /// A token's document: each occurrence of the tag in the template's strings becomes the id. An empty tag never
    /// occurs.
    pub fn of_token(&self, id: &TokenId) -> MetadataResponse {
        let tag = self.tag.as_deref().unwrap_or(TAG);
        let filled =
            |text: &String| if tag.is_empty() { text.clone() } else { text.replace(tag, id.as_str()) };
        let attribute = |attribute: &Attribute| Attribute {
            trait_type: attribute.trait_type.clone(),
            value: match &attribute.value {
                AttributeValue::Text(text) => AttributeValue::Text(filled(text)),
                other => other.clone(),
            },
        };
        let external = |property: &ExternalProperties| ExternalProperties {
            source: filled(&property.source),
            ..property.clone()
        };
        MetadataResponse {
            name: filled(&self.name),
            image: self.image.as_ref().map(filled),
            animation_url: self.animation_url.as_ref().map(filled),
            description: self.description.as_ref().map(filled),
            external_url: self.external_url.as_ref().map(filled),
            attributes: self.attributes.as_ref().map(|all| all.iter().map(attribute).collect()),
            external_properties: self
                .external_properties
                .as_ref()
                .map(|all| all.iter().map(external).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Strict;

    fn template(value: &Value) -> TokenMetadataTemplate {
        TokenMetadataTemplate::read(value, &mut Strict).expect("a template")
    }

    #[test]
    fn the_id_replaces_every_tag() {
        let id = TokenId::parse("42").expect("an integer");
        let of = |value: Value| serde_json::to_value(template(&value).of_token(&id)).expect("JSON");
        let value = json!({
            "name": "#{id} of {id}", "image": "i/{id}.png",
            "attributes": [{"trait_type": "{id}", "value": "n{id}"}, {"trait_type": "n", "value": 1}],
            "external_properties": [{"source": "s/{id}"}],
        });
        let made = json!({
            "name": "#42 of 42", "image": "i/42.png",
            "attributes": [{"trait_type": "{id}", "value": "n42"}, {"trait_type": "n", "value": 1}],
            "external_properties": [{"source": "s/42"}],
        });
        assert_eq!(of(value), made);
        assert_eq!(of(json!({"name": "$ {id}", "tag": "$"})), json!({"name": "42 {id}"}));
        assert_eq!(of(json!({"name": "a", "tag": ""})), json!({"name": "a"}));
    }
}
