//! Access to members of a request by name and type.

use assay_spec::crypto::ed25519::parse_address;
use assay_spec::rules::{Mistake, Reading};
use assay_spec::{Instant, Rules};
use serde_json::{Map, Value};

use super::OpError;
use crate::bytes::Recipe;

/// An object of a request. A null member counts as absent.
pub(crate) struct Members<'a> {
    members: &'a Map<String, Value>,
    prefix: String,
}

impl<'a> Members<'a> {
    /// The members of `in`.
    pub(crate) fn from_input(input: &'a Value) -> Result<Self, OpError> {
        let members = input.as_object().ok_or_else(|| bad("in: an object is missing"))?;
        Ok(Members { members, prefix: String::new() })
    }

    /// The members of an element of the list `name`.
    pub(crate) fn within(element: &'a Value, name: &str) -> Result<Self, OpError> {
        let members = element.as_object().ok_or_else(|| bad(&format!("{name}: objects are missing")))?;
        Ok(Members { members, prefix: format!("{name}.") })
    }

    /// A nested object.
    pub(crate) fn object(&self, name: &str) -> Result<Members<'a>, OpError> {
        let members =
            self.value(name).and_then(Value::as_object).ok_or_else(|| self.wrong(name, "an object"))?;
        Ok(Members { members, prefix: format!("{}{name}.", self.prefix) })
    }

    /// The members as they are.
    pub(crate) fn map(&self) -> &'a Map<String, Value> {
        self.members
    }

    /// A member that is present and not null.
    pub(crate) fn value(&self, name: &str) -> Option<&'a Value> {
        self.members.get(name).filter(|value| !value.is_null())
    }

    /// A string.
    pub(crate) fn text(&self, name: &str) -> Result<&'a str, OpError> {
        self.optional_text(name)?.ok_or_else(|| self.wrong(name, "a string"))
    }

    /// A string, if present.
    pub(crate) fn optional_text(&self, name: &str) -> Result<Option<&'a str>, OpError> {
        let text = |value: &'a Value| value.as_str().ok_or_else(|| self.wrong(name, "a string"));
        self.value(name).map(text).transpose()
    }

    /// A whole number from 0 to 65535.
    pub(crate) fn number(&self, name: &str) -> Result<u16, OpError> {
        let number = self.value(name).and_then(Value::as_u64).and_then(|number| number.try_into().ok());
        number.ok_or_else(|| self.wrong(name, "a whole number up to 65535"))
    }

    /// Bytes.
    pub(crate) fn bytes(&self, name: &str) -> Result<Vec<u8>, OpError> {
        self.recipe(name).map(|recipe| recipe.to_bytes())
    }

    /// Bytes that are generated on reading.
    pub(crate) fn recipe(&self, name: &str) -> Result<Recipe, OpError> {
        let value = self.value(name).ok_or_else(|| self.wrong(name, "bytes"))?;
        Recipe::read(&format!("{}{name}", self.prefix), value).map_err(OpError::BadRequest)
    }

    /// An array, empty if absent.
    pub(crate) fn list(&self, name: &str) -> Result<&'a [Value], OpError> {
        match self.value(name) {
            None => Ok(&[]),
            Some(Value::Array(values)) => Ok(values),
            Some(_) => Err(self.wrong(name, "an array")),
        }
    }

    /// A clock time. It is never under test, so an invalid one makes the request malformed.
    pub(crate) fn clock(&self, name: &str) -> Result<Instant, OpError> {
        Instant::parse_exact(self.text(name)?)
            .ok_or_else(|| self.wrong(name, "a time with milliseconds and Z"))
    }

    /// 32 bytes in base58. `rule` rejects an invalid value.
    pub(crate) fn key(
        &self,
        name: &str,
        rule: &Mistake<Reading<&'a str, [u8; 32]>>,
        rules: &mut dyn Rules,
    ) -> Result<[u8; 32], OpError> {
        let read = |text: &str| parse_address(text).ok_or_else(|| format!("{name} is not a key"));
        Ok(rules.read(rule, self.text(name)?, read).map_err(|refused| (refused, "parse"))?)
    }

    fn wrong(&self, name: &str, wanted: &str) -> OpError {
        bad(&format!("{}{name}: {wanted} is missing", self.prefix))
    }
}

fn bad(why: &str) -> OpError {
    OpError::BadRequest(why.to_owned())
}
