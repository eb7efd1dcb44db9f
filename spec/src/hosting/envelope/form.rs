//! The members of an envelope.

use serde_json::{Map, Value};

use super::{ROWS, TEXT_BYTES, VERSION, rows};
use crate::crypto::base64::Padding;
use crate::hosting::mistakes::envelope::{NESTED, NO_DEKS, NO_VERSION, NOT_JSON};
use crate::hosting::mistakes::records::DUPLICATES;
use crate::hosting::requirements::records::{NUMBERS, SIZE};
use crate::hosting::{fields, sealed};
use crate::json::{self, Fault};
use crate::{Id, Refused, Rules};

/// The version, the members, and the wrapped keys.
pub(super) struct Form {
    pub(super) version: i64,
    pub(super) members: Map<String, Value>,
    pub(super) deks: Map<String, Value>,
}

/// Parses an envelope: JSON within the size limit, without duplicate keys, without numbers that readers interpret
/// differently.
pub fn parse(text: &str, rules: &mut dyn Rules) -> Result<Value, Refused> {
    parse_json(text, TEXT_BYTES, &rows::FORM, rules)
}

/// Parses JSON; `rule` requires it to be JSON.
pub(in crate::hosting) fn parse_json(
    text: &str,
    limit: usize,
    rule: Id,
    rules: &mut dyn Rules,
) -> Result<Value, Refused> {
    rules.require(&SIZE, text.len() <= limit, || {
        format!("the JSON has {} bytes, the limit is {limit}", text.len())
    })?;
    let value = match json::parse_unique(text) {
        Ok(value) => value,
        Err(fault @ Fault::Duplicate(_)) => rules.refuse(&DUPLICATES, text, fault.to_string())?,
        Err(Fault::Syntax(why)) => rules.refuse(&NOT_JSON.under(rule), text, format!("not JSON: {why}"))?,
    };
    let odd = json::odd_number(&value).map(ToString::to_string);
    rules.require(&NUMBERS, odd.is_none(), || {
        format!("the number {} is not portable", odd.clone().unwrap_or_default())
    })?;
    Ok(value)
}

/// Reads the members that decide how to continue.
pub(super) fn read(envelope: &Value, rules: &mut dyn Rules) -> Result<Form, Refused> {
    let members = rules.read(&NESTED, envelope, |envelope| {
        envelope.as_object().cloned().ok_or_else(|| format!("the envelope is {}", fields::cut(envelope)))
    })?;
    let shown = |name: &str| match members.get(name) {
        None => format!("{name} is missing"),
        Some(value) => format!("{name} is {}", fields::cut(value)),
    };
    let version = members.get("v").and_then(json::integer);
    let version = rules.read(&NO_VERSION, (), |()| version.ok_or_else(|| shown("v")))?;
    let deks = rules.read(&NO_DEKS, &members, |members| {
        members.get("deks").and_then(Value::as_object).cloned().ok_or_else(|| shown("deks"))
    })?;
    Ok(Form { version, members, deks })
}

/// Checks the rules for a writer: version 3, the cipher's members, both recipients and no other.
pub fn check_written(envelope: &Value, rules: &mut dyn Rules) -> Result<(), Refused> {
    let form = read(envelope, rules)?;
    rules.require(&rows::VERSION, form.version == VERSION, || format!("v is {}", form.version))?;
    sealed::read(&form.members, &ROWS, TEXT_BYTES, Padding::Required, rules)?;
    for (name, rule) in [("user", &rows::USER), ("encryption", &rows::ENCRYPTION)] {
        let place = format!("deks.{name}");
        let wrapped = sealed::bytes(form.deks.get(name), &place, rule, TEXT_BYTES, Padding::Required, rules)?;
        let plausible = matches!(wrapped.len(), 125 | 129) && wrapped[0] == 4;
        rules.require(rule, plausible, || {
            format!("{place} has {} bytes, too few for a wrapped key", wrapped.len())
        })?;
    }
    let other = form.deks.keys().find(|name| !matches!(name.as_str(), "user" | "encryption"));
    rules.require(&rows::NO_OTHERS, other.is_none(), || format!("deks has the member {other:.60?}"))
}
