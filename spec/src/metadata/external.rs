//! An external property of a token.

use serde_json::{Map, Value};

use super::members::{boolean, object, optional, required, text, texts};
use super::requirements::records::{ALLOWED, FALLBACK, MANDATORY, SOURCE};
use crate::metadata::OPERATOR;
use crate::shape::{ShapeKind, object};
use crate::{Refused, Rules};

object! {
    /// An external property. The document does not show what its members mean.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct ExternalProperties {
        /// `source`.
        source: String = must("source", ShapeKind::Text).owned(&SOURCE).free(OPERATOR),
        /// `mandatory`.
        #[serde(skip_serializing_if = "Option::is_none")]
        mandatory: Option<bool> = may("mandatory", ShapeKind::Boolean)
            .or_null().owned(&MANDATORY).free(OPERATOR),
        /// `allowed`.
        #[serde(skip_serializing_if = "Option::is_none")]
        allowed: Option<Vec<String>> = may("allowed", ShapeKind::Array(&ShapeKind::Text))
            .or_null().owned(&ALLOWED).free(OPERATOR),
        /// `fallback`.
        #[serde(skip_serializing_if = "Option::is_none")]
        fallback: Option<Map<String, Value>> = may("fallback", ShapeKind::Object(&[]))
            .or_null().owned(&FALLBACK).free(OPERATOR),
    }
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
