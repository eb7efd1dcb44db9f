//! The tools that a request declares (document 1, "Chat request body").

use serde_json::{Map, Value};

use super::body::{given, kind, optional, required, within, wrong};
use super::limits;
use super::requirements::tools::{DESCRIPTION, FUNCTION, NAME, PARAMETERS, TOOL, TOOLS, TYPE};
use crate::{Refused, Rules};

/// A function that the model may call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: Option<String>,
    /// The schema of its arguments: a JSON object.
    pub parameters: Option<Value>,
}

/// The tools of a request; empty if `tools` is missing or null.
pub(super) fn parse(request: &Map<String, Value>, rules: &mut dyn Rules) -> Result<Vec<Tool>, Refused> {
    let declared = optional(request, "tools", &TOOLS, rules, Value::as_array)?;
    let declared = declared.map(Vec::as_slice).unwrap_or_default();
    within(&"the number of tools", declared.len(), &limits::TOOLS, rules)?;
    let mut tools = Vec::with_capacity(declared.len());
    for value in declared {
        tools.extend(tool(value, rules)?);
    }
    Ok(tools)
}

/// One tool; `None` if a rule is violated and there is nothing to call.
fn tool(value: &Value, rules: &mut dyn Rules) -> Result<Option<Tool>, Refused> {
    let Value::Object(tool) = value else {
        wrong(&TOOL, Some(value), rules, || format!("a tool is {}, not an object", kind(value)))?;
        return Ok(None);
    };
    required(tool, "type", &TYPE, rules, |kind| (kind == "function").then_some(()))?;
    let Some(function) = required(tool, "function", &FUNCTION, rules, Value::as_object)? else {
        return Ok(None);
    };
    let name = required(function, "name", &NAME, rules, Value::as_str)?;
    let description = optional(function, "description", &DESCRIPTION, rules, Value::as_str)?;
    optional(function, "parameters", &PARAMETERS, rules, Value::as_object)?;
    let parameters = given(function, "parameters").filter(|parameters| parameters.is_object());
    Ok(name.map(|name| Tool {
        name: name.to_owned(),
        description: description.map(str::to_owned),
        parameters: parameters.cloned(),
    }))
}
