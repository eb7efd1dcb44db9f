//! An external property of a token.

use serde::Serialize;
use serde_json::{Map, Value};

use super::members::{boolean, object, optional, required, text, texts};
use super::requirements::records::{ALLOWED, FALLBACK, MANDATORY, SOURCE};
use crate::shape::{Field, ShapeKind, may, must};
use crate::{Refused, Rules};

/// The shape of an external property, for OpenAPI.
pub(super) const SHAPE: ShapeKind = ShapeKind::Object(MEMBERS);
const MEMBERS: &[Field] = &[
    must("source", ShapeKind::Text).owned(&SOURCE),
    may("mandatory", ShapeKind::Boolean).or_null().owned(&MANDATORY),
    may("allowed", ShapeKind::Array(&ShapeKind::Text)).or_null().owned(&ALLOWED),
    may("fallback", ShapeKind::Object(&[])).or_null().owned(&FALLBACK),
];

/// An external property. The document does not show what its members mean.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ExternalProperties {
    /// `source`.
    pub source: String,
    /// `mandatory`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mandatory: Option<bool>,
    /// `allowed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed: Option<Vec<String>>,
    /// `fallback`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<Map<String, Value>>,
}

impl ExternalProperties {
    /// Parses an external property.
    pub fn read(value: &Value, rules: &mut dyn Rules) -> Result<ExternalProperties, Refused> {
        Ok(ExternalProperties {
            source: required(value, "source", &SOURCE, text, rules)?,
            mandatory: optional(value, "mandatory", &MANDATORY, boolean, rules)?,
            allowed: optional(value, "allowed", &ALLOWED, texts, rules)?,
            fallback: optional(value, "fallback", &FALLBACK, object, rules)?,
        })
    }
}
