//! An attribute of a token.

use serde::Serialize;
use serde_json::{Number, Value};

use super::members::{required, text};
use super::requirements::records::{TRAIT_TYPE, VALUE};
use crate::json::is_integer;
use crate::metadata::OPERATOR;
use crate::shape::{ShapeKind, object};
use crate::{Refused, Rules};

object! {
    /// An attribute. Both members are required.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Attribute {
        /// `trait_type`.
        trait_type: String = must("trait_type", ShapeKind::Text).owned(&TRAIT_TYPE).free(OPERATOR),
        /// `value`.
        value: AttributeValue = must("value", ShapeKind::Either(&[ShapeKind::Boolean, ShapeKind::Integer, ShapeKind::Text]))
            .owned(&VALUE).free(OPERATOR),
    }
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum AttributeValue {
    /// A boolean.
    Boolean(bool),
    /// An integer of any size.
    Integer(Number),
    /// A string.
    Text(String),
}

impl Attribute {
    /// Parses an attribute.
    pub fn read(value: &Value, rules: &mut dyn Rules) -> Result<Attribute, Refused> {
        let trait_type = required(value, "trait_type", &TRAIT_TYPE, text, rules)?;
        let value = required(value, "value", &VALUE, AttributeValue::read, rules)?;
        Ok(Attribute { trait_type, value })
    }
}

impl AttributeValue {
    fn read(value: &Value) -> Option<AttributeValue> {
        match value {
            Value::Bool(is) => Some(AttributeValue::Boolean(*is)),
            Value::String(text) => Some(AttributeValue::Text(text.clone())),
            Value::Number(number) if is_integer(value) => Some(AttributeValue::Integer(number.clone())),
            _ => None,
        }
    }
}
