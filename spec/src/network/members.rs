//! The members of a content, as rules read them.

use serde_json::{Map, Value};

use crate::rules::{Mistake, Reading};
use crate::{Id, Refused, Rules};

/// The string member with that name.
pub(crate) fn text<'a>(members: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    members.get(name)?.as_str()
}

/// The string, if it is one and not empty.
pub(crate) fn filled(sent: Option<&Value>) -> Option<&str> {
    sent?.as_str().filter(|text| !text.is_empty())
}

/// Reads a member as its rule says. `strict` finds nothing in what the rule rejects.
pub(crate) fn read_member<'a, T>(
    rule: &Mistake<Reading<Option<&'a Value>, T>>,
    name: &str,
    members: &'a Map<String, Value>,
    strict: impl FnOnce(Option<&'a Value>) -> Option<T>,
    rules: &mut dyn Rules,
) -> Result<T, Refused> {
    let sent = members.get(name);
    rules.read_value(
        rule,
        sent,
        || (sent.cloned(), None),
        |sent| strict(sent).ok_or_else(|| shown(members, name)),
    )
}

/// Requires that a member holds what its rule says.
pub(crate) fn member(
    rule: Id,
    name: &str,
    members: &Map<String, Value>,
    holds: bool,
    rules: &mut dyn Rules,
) -> Result<(), Refused> {
    rules.require_value(rule, members.get(name), None, holds, || shown(members, name))
}

/// `name is …`, for an error message.
pub(crate) fn shown(members: &Map<String, Value>, name: &str) -> String {
    match members.get(name) {
        None => format!("{name} is missing"),
        Some(value) => format!("{name} is {:.60}", value.to_string()),
    }
}
