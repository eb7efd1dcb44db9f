//! Reads the members of a record one by one, each with its own rule.

use jiff::civil::DateTime;
use serde_json::{Map, Number, Value};

use crate::crypto::address::Address;
use crate::hosting::mistakes::records::{NO_ADDRESS, NUMBER_OR_NULL, OBJECT, TEXT, TEXT_OR_NULL, TEXTS};
use crate::rules::{Mistake, Reading};
use crate::{Id, Instant, Refused, Rules};

/// The longest string in one field, in bytes: the project's own limit.
pub const TEXT_BYTES: usize = 64 * 1024;
/// The most elements of one list: the project's own limit.
pub const LIST_ITEMS: usize = 10_000;

/// An object's members, and their place for error messages.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a> {
    members: &'a Map<String, Value>,
    place: &'static str,
}

impl<'a> Fields<'a> {
    /// `place` is empty or ends in a full stop.
    pub(super) const fn new(members: &'a Map<String, Value>, place: &'static str) -> Fields<'a> {
        Fields { members, place }
    }

    pub(super) fn value(&self, name: &str) -> Option<&'a Value> {
        self.members.get(name)
    }

    /// `place.name is …`, shortened.
    pub(super) fn shown(&self, name: &str) -> String {
        match self.members.get(name) {
            None => format!("{}{name} is missing", self.place),
            Some(Value::String(text)) if text.len() > TEXT_BYTES => {
                format!("{}{name} has {} bytes", self.place, text.len())
            }
            Some(value) => format!("{}{name} is {}", self.place, cut(value)),
        }
    }

    /// Rejects under `rule` unless `read` accepts the member.
    pub(super) fn read<T>(
        &self,
        name: &str,
        rule: &Mistake<Reading<Option<&'a Value>, T>>,
        rules: &mut dyn Rules,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<T, Refused> {
        rules.read(rule, self.value(name), |value| value.and_then(read).ok_or_else(|| self.shown(name)))
    }

    /// A string of limited length.
    pub(super) fn text(&self, name: &str, rule: Id, rules: &mut dyn Rules) -> Result<String, Refused> {
        self.text_that(name, rule, rules, |_| true)
    }

    /// A string that `good` accepts.
    pub(super) fn text_that(
        &self,
        name: &str,
        rule: Id,
        rules: &mut dyn Rules,
        good: impl FnOnce(&str) -> bool,
    ) -> Result<String, Refused> {
        let text =
            self.read(name, &TEXT.under(rule), rules, |value| short(value).filter(|text| good(text)))?;
        Ok(text.to_owned())
    }

    /// A string or null; must be present.
    pub(super) fn text_or_null(
        &self,
        name: &str,
        rule: Id,
        rules: &mut dyn Rules,
    ) -> Result<Option<String>, Refused> {
        let text = self.read(name, &TEXT_OR_NULL.under(rule), rules, |value| match value {
            Value::Null => Some(None),
            other => short(other).map(Some),
        })?;
        Ok(text.map(str::to_owned))
    }

    /// A number or null; must be present.
    pub(super) fn number_or_null(
        &self,
        name: &str,
        rule: Id,
        rules: &mut dyn Rules,
    ) -> Result<Option<Number>, Refused> {
        self.read(name, &NUMBER_OR_NULL.under(rule), rules, |value| match value {
            Value::Null => Some(None),
            Value::Number(number) => Some(Some(number.clone())),
            _ => None,
        })
    }

    /// An ISO 8601 time, as written.
    pub(super) fn moment(&self, name: &str, rule: Id, rules: &mut dyn Rules) -> Result<String, Refused> {
        self.text_that(name, rule, rules, is_iso)
    }

    /// An ISO 8601 time or null.
    pub(super) fn moment_or_null(
        &self,
        name: &str,
        rule: Id,
        rules: &mut dyn Rules,
    ) -> Result<Option<String>, Refused> {
        match self.value(name) {
            Some(Value::Null) => self.text_or_null(name, rule, rules),
            _ => self.moment(name, rule, rules).map(Some),
        }
    }

    /// An object.
    pub(super) fn object(
        &self,
        name: &str,
        rule: Id,
        rules: &mut dyn Rules,
    ) -> Result<&'a Map<String, Value>, Refused> {
        self.read(name, &OBJECT.under(rule), rules, Value::as_object)
    }

    /// A list of strings; empty if missing.
    pub(super) fn texts(&self, name: &str, rule: Id, rules: &mut dyn Rules) -> Result<Vec<String>, Refused> {
        if self.value(name).is_none() {
            return Ok(Vec::new());
        }
        self.read(name, &TEXTS.under(rule), rules, |value| {
            let items = value.as_array().filter(|items| items.len() <= LIST_ITEMS)?;
            items.iter().map(|item| short(item).map(str::to_owned)).collect()
        })
    }

    /// An address in any letter case.
    pub(super) fn address(&self, name: &str, rule: Id, rules: &mut dyn Rules) -> Result<Address, Refused> {
        self.read(name, &NO_ADDRESS.under(rule), rules, |value| short(value).and_then(Address::parse))
    }
}

/// The members of a value that must be an object. `what` names it in error messages.
pub(super) fn members<'a>(
    value: &'a Value,
    what: &str,
    rule: Id,
    rules: &mut dyn Rules,
) -> Result<&'a Map<String, Value>, Refused> {
    rules.read(&OBJECT.under(rule), Some(value), |_| {
        value.as_object().ok_or_else(|| format!("{what} is {}", cut(value)))
    })
}

/// Whether a string is an ISO 8601 date and time, with or without an offset.
pub(super) fn is_iso(text: &str) -> bool {
    let plain = text.len() <= 64 && text.contains('T') && !text.contains([' ', '[']);
    plain && (Instant::parse_iso(text).is_some() || text.parse::<DateTime>().is_ok())
}

/// A value as a short string for logs.
pub(super) fn cut(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("an array of {}", items.len()),
        Value::Object(members) => format!("an object of {} members", members.len()),
        other => format!("{:.60}", other.to_string()),
    }
}

/// A string of limited length.
pub(super) fn short(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| text.len() <= TEXT_BYTES)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn times_have_a_date_and_a_time_of_day() {
        for good in ["2026-03-04T05:06:07.089Z", "2026-03-04T05:06:07+02:00", "2026-03-04T05:06:07"] {
            assert!(is_iso(good), "{good}");
        }
        for bad in
            ["", "2026-03-04", "yesterday", "1772600767", "2026-02-30T00:00:00Z", "2026-03-04 05:06:07Z"]
        {
            assert!(!is_iso(bad), "{bad}");
        }
    }

    #[test]
    fn shown_values_are_short() {
        let long = "x".repeat(TEXT_BYTES + 1);
        let members = json!({"a": long, "b": [1, 2], "c": {"d": 1}});
        let fields = Fields::new(members.as_object().unwrap(), "public.");
        assert_eq!(fields.shown("a"), "public.a has 65537 bytes");
        assert_eq!(fields.shown("b"), "public.b is an array of 2");
        assert_eq!(fields.shown("c"), "public.c is an object of 1 members");
        assert_eq!(fields.shown("d"), "public.d is missing");
    }
}
