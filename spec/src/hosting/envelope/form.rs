//! The members of an envelope.

use serde_json::{Map, Value};

use super::{ROWS, TEXT_BYTES, VERSION, rows};
use crate::crypto::base64::Padding;
use crate::hosting::requirements::records::{DUPLICATES, NUMBERS, SIZE};
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
    let read = json::parse_unique(text);
    let twice = matches!(read, Err(Fault::Duplicate(_)));
    rules.require(&DUPLICATES, !twice, || format!("{}", read.as_ref().expect_err("a duplicate key")))?;
    let value = match read {
        Ok(value) => value,
        // With the rule violated, the last of the two wins, as in most readers.
        Err(Fault::Duplicate(_)) => serde_json::from_str(text).unwrap_or_default(),
        Err(Fault::Syntax(why)) => {
            let stand_in = || Ok(Value::from(text));
            rules.parse(rule, || Err(format!("not JSON: {why}")), stand_in)?
        }
    };
    let odd = json::odd_number(&value).map(ToString::to_string);
    rules.require(&NUMBERS, odd.is_none(), || {
        format!("the number {} is not portable", odd.clone().unwrap_or_default())
    })?;
    Ok(value)
}

/// Reads the members that decide how to continue.
pub(super) fn read(envelope: &Value, rules: &mut dyn Rules) -> Result<Form, Refused> {
    // Lenient: JSON inside a JSON string is accepted as an envelope.
    let inner = envelope.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    rules.require(&rows::FORM, envelope.is_object(), || {
        format!("the envelope is {}", fields::cut(envelope))
    })?;
    let members = inner.as_ref().unwrap_or(envelope).as_object().cloned().unwrap_or_default();
    let shown = |name: &str| match members.get(name) {
        None => format!("{name} is missing"),
        Some(value) => format!("{name} is {}", fields::cut(value)),
    };
    let version = members.get("v").and_then(json::integer);
    rules.require(&rows::FORM, version.is_some(), || shown("v"))?;
    let deks = members.get("deks").and_then(Value::as_object);
    rules.require(&rows::FORM, deks.is_some(), || shown("deks"))?;
    // Lenient: the wrapped keys may be outside `deks`, next to the other members.
    let deks = deks.unwrap_or(&members).clone();
    Ok(Form { version: version.unwrap_or(VERSION), members, deks })
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
