//! The body of a 422.

use serde_json::Value;

use super::members::{objects, required, text};
use super::requirements::validation::{DETAIL, LOC, MSG, TYPE};
use crate::json::is_integer;
use crate::shape::{ShapeKind, object};
use crate::{Refused, Rules};

object! {
    /// Why parameters were rejected.
    #[derive(Clone, Debug, PartialEq)]
    pub struct HttpValidationError {
        /// One error for each rejected parameter.
        detail: Vec<ValidationError> = must("detail", ShapeKind::Array(&ValidationError::SHAPE)),
    }
}

object! {
    /// Why one parameter was rejected. All members are required.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ValidationError {
        /// The location: strings and integers.
        loc: Vec<Value> = must("loc", ShapeKind::Array(&ShapeKind::Either(&[ShapeKind::Text, ShapeKind::Integer])))
            .owned(&LOC).free("which words name a place is not shown"),
        /// The message, human-readable.
        msg: String = must("msg", ShapeKind::Text).owned(&MSG).free("its wording is open"),
        /// The type, machine-readable. The document does not show its values.
        kind: String = must("type", ShapeKind::Text).owned(&TYPE).free("its words are not listed"),
    }
}

impl HttpValidationError {
    /// Parses the body of a 422. Ignores members that are not listed.
    pub fn read(value: &Value, rules: &mut dyn Rules) -> Result<HttpValidationError, Refused> {
        let errors = required(value, "detail", &DETAIL, objects, rules)?;
        let detail = errors.iter().map(|error| ValidationError::read(error, rules));
        Ok(HttpValidationError { detail: detail.collect::<Result<_, _>>()? })
    }
}

impl ValidationError {
    fn read(value: &Value, rules: &mut dyn Rules) -> Result<ValidationError, Refused> {
        Ok(ValidationError {
            loc: required(value, "loc", &LOC, places, rules)?,
            msg: required(value, "msg", &MSG, text, rules)?,
            kind: required(value, "type", &TYPE, text, rules)?,
        })
    }
}

fn places(value: &Value) -> Option<Vec<Value>> {
    let places = value.as_array()?;
    let is_place = |place: &Value| place.is_string() || is_integer(place);
    places.iter().all(is_place).then(|| places.clone())
}
