//! Kinds of values: what a row rejects in place of a valid value, or accepts in place of an ordinary one. A check sends
//! them, a guard of a server names them, and each is a cell of a proof.

use serde_json::{Value, json};

/// A kind of wrong value, or of an uncommon valid one.
#[derive(Clone, Copy, Debug)]
pub struct ValueKind {
    /// Its name in a place, such as `null`.
    pub name: &'static str,
    /// Makes the value from a valid one. `None`: the member is missing.
    make: fn(&Value) -> Option<Value>,
    /// Whether a value is of this kind, whatever the valid value is.
    is: fn(Option<&Value>) -> bool,
    /// Why a server may accept it. Empty: it must reject it.
    pub may_be_accepted: &'static str,
    /// Why a server may reject it, where the row accepts uncommon values. Empty: it must accept it.
    pub may_be_rejected: &'static str,
    /// Whether `--depth quick` leaves it out. Valid ones that use up a limit are sent with `--depth full` only.
    pub is_beyond_quick: bool,
    /// Whether nothing valid can be read from it: a server that accepts it rejects what follows from it.
    pub is_unusable: bool,
}

impl ValueKind {
    /// A kind of string, made of a valid string, and recognized without it.
    pub const fn text(
        name: &'static str,
        make: fn(&Value) -> Option<Value>,
        is: fn(Option<&Value>) -> bool,
    ) -> ValueKind {
        let (may_be_accepted, may_be_rejected) = ("", "");
        ValueKind {
            name,
            make,
            is,
            may_be_accepted,
            may_be_rejected,
            is_beyond_quick: false,
            is_unusable: false,
        }
    }

    /// A kind that only the comparison with the valid value shows.
    pub const fn near(name: &'static str, make: fn(&Value) -> Option<Value>) -> ValueKind {
        ValueKind::text(name, make, |_| false)
    }

    /// Why a server may accept it, too.
    #[must_use]
    pub const fn may_be_accepted(self, why: &'static str) -> ValueKind {
        ValueKind { may_be_accepted: why, ..self }
    }

    /// Why a server may reject it, too. If it accepts it, it must not change it.
    #[must_use]
    pub const fn may_be_rejected(self, why: &'static str) -> ValueKind {
        ValueKind { may_be_rejected: why, ..self }
    }

    /// Sent only if all values are sent.
    #[must_use]
    pub const fn beyond_quick(self) -> ValueKind {
        ValueKind { is_beyond_quick: true, ..self }
    }

    /// Sent at every depth.
    #[must_use]
    pub const fn at_each_depth(self) -> ValueKind {
        ValueKind { is_beyond_quick: false, ..self }
    }

    /// Nothing valid can be read from it.
    #[must_use]
    pub const fn unusable(self) -> ValueKind {
        ValueKind { is_unusable: true, ..self }
    }

    /// The value in place of a valid one. `None`: the member is missing.
    pub fn instead_of(&self, valid: &Value) -> Option<Value> {
        (self.make)(valid)
    }

    /// Whether `sent` is of this kind. `valid` is the valid value, if it is known.
    fn has(&self, sent: Option<&Value>, valid: Option<&Value>) -> bool {
        (self.is)(sent) || valid.is_some_and(|valid| self.instead_of(valid).as_ref() == sent)
    }
}

/// Uncommon valid strings: each a name and the string. Those after `deep` are sent only in a world of the run's own.
macro_rules! strings {
    ($($name:literal: $text:expr),* ; deep $($deep:literal: $other:expr),* $(,)?) => {
        &[
            $($crate::value::strings!(one $name, $text),)*
            $($crate::value::strings!(one $deep, $other).beyond_quick()),*
        ]
    };
    (one $name:expr, $text:expr) => {
        $crate::value::ValueKind::text(
            $name,
            |_| Some(serde_json::Value::from($text)),
            |sent| sent.is_some_and(|sent| *sent == $text),
        )
    };
}
pub(crate) use strings;

/// A kind that is a property of a string, with one that has it alone, or `around` a valid one. One value that is sent at every depth
/// has all that can be together.
macro_rules! has {
    ($name:literal, $text:expr, $is:expr) => {
        $crate::value::has!(@ $name, |_| Some(serde_json::Value::from($text)), $is)
    };
    ($name:literal around, $edit:expr, $is:expr) => {
        $crate::value::has!(@ $name, |valid| {
            let edit: fn(&str) -> String = $edit;
            Some(serde_json::Value::from(edit(valid.as_str().unwrap_or_default())))
        }, $is)
    };
    (@ $name:literal, $make:expr, $is:expr) => {
        $crate::value::ValueKind::text($name, $make, |sent| {
            let is: fn(&str) -> bool = $is;
            is(sent.and_then(serde_json::Value::as_str).unwrap_or_default())
        })
        .beyond_quick()
    };
}
pub(crate) use has;

/// A kind that is a property of a value, with one that has it alone. One value that is sent at every depth has all that can be
/// together.
macro_rules! property {
    ($name:literal, $value:expr, $is:expr) => {
        $crate::value::ValueKind::text(
            $name,
            |_| Some($value),
            |sent| {
                let is: fn(&serde_json::Value) -> bool = $is;
                sent.is_some_and(is)
            },
        )
        .beyond_quick()
    };
}
pub(crate) use property;

/// The name of the kind of `sent`, if `kinds` has it. `valid` is the valid value, if it is known.
pub fn kind(kinds: &[ValueKind], sent: Option<&Value>, valid: Option<&Value>) -> &'static str {
    kinds.iter().find(|kind| kind.has(sent, valid)).map_or("", |kind| kind.name)
}

/// The names of all kinds of `sent`: kinds that are properties may be together in one value. `valid` is the valid value, if it is
/// known.
pub fn each_kind(kinds: &[ValueKind], sent: Option<&Value>, valid: Option<&Value>) -> Vec<&'static str> {
    kinds.iter().filter(|kind| kind.has(sent, valid)).map(|kind| kind.name).collect()
}

/// How many of `kinds` are sent: all, or without the deep ones.
pub const fn count(kinds: &[ValueKind], all: bool) -> u32 {
    let (mut n, mut found) = (0, 0);
    while n < kinds.len() {
        if all || !kinds[n].is_beyond_quick {
            found += 1;
        }
        n += 1;
    }
    found
}

fn as_text(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}

fn edited(valid: &Value, edit: impl FnOnce(&str) -> String) -> Option<Value> {
    valid.as_str().map(|text| json!(edit(text)))
}

/// It is missing.
pub const MISSING: ValueKind = ValueKind::text("missing", |_| None, |sent| sent.is_none());
/// It is null.
pub const NULL: ValueKind =
    ValueKind::text("null", |_| Some(Value::Null), |sent| sent.is_some_and(Value::is_null));
/// It is true.
pub const BOOLEAN: ValueKind =
    ValueKind::text("boolean", |_| Some(json!(true)), |sent| sent.is_some_and(Value::is_boolean));
/// A number instead of a value of another type.
pub const NUMBER: ValueKind =
    ValueKind::text("number", |_| Some(json!(7)), |sent| sent.is_some_and(Value::is_number));
/// A string instead of a value of another type: the value as JSON.
pub const STRING: ValueKind = ValueKind::text(
    "string",
    |valid| Some(json!(valid.to_string())),
    |sent| sent.is_some_and(Value::is_string),
);
/// A number with a fraction instead of an integer.
pub const FRACTION: ValueKind = ValueKind::text(
    "fraction",
    |valid| Some(json!(valid.as_f64().unwrap_or_default() + 0.5)),
    |sent| sent.is_some_and(|sent| sent.as_f64().is_some_and(|number| number.fract() != 0.0)),
);
/// A negative number.
pub const NEGATIVE: ValueKind = ValueKind::text(
    "negative",
    |_| Some(json!(-1)),
    |sent| sent.and_then(Value::as_f64).is_some_and(|number| number < 0.0),
);
/// The next number.
pub const ANOTHER: ValueKind =
    ValueKind::near("another", |valid| valid.as_i64().map(|number| json!(number + 1)));
/// An array with the value.
pub const ARRAY: ValueKind =
    ValueKind::text("array", |valid| Some(json!([valid])), |sent| sent.is_some_and(Value::is_array));
/// An object with the value.
pub const OBJECT: ValueKind = ValueKind::text(
    "object",
    |valid| Some(json!({ "value": valid })),
    |sent| sent.is_some_and(Value::is_object),
);
/// An empty string.
pub const EMPTY: ValueKind = ValueKind::text("empty", |_| Some(json!("")), |sent| sent == Some(&json!("")));
/// Another word.
pub const WORD: ValueKind =
    ValueKind::text("word", |_| Some(json!("another")), |sent| as_text(sent) == "another");
/// Upper case.
pub const UPPER: ValueKind = ValueKind::text(
    "upper-case",
    |valid| edited(valid, str::to_uppercase),
    |sent| {
        let text = as_text(sent);
        text.contains(char::is_uppercase) && !text.contains(char::is_lowercase)
    },
);
/// A space before it.
pub const SPACE_BEFORE: ValueKind = ValueKind::text(
    "space-before",
    |valid| edited(valid, |text| format!(" {text}")),
    |sent| as_text(sent).starts_with(char::is_whitespace),
);
/// A newline after it.
pub const NEWLINE_AFTER: ValueKind = ValueKind::text(
    "newline-after",
    |valid| edited(valid, |text| format!("{text}\n")),
    |sent| as_text(sent).ends_with(char::is_whitespace),
);
/// A null character after it.
pub const ZERO_AFTER: ValueKind = ValueKind::text(
    "zero-after",
    |valid| edited(valid, |text| format!("{text}\0")),
    |sent| as_text(sent).ends_with('\0'),
);
/// Its last character as the full-width form, which looks the same.
pub const FULL_WIDTH: ValueKind = ValueKind::text(
    "full-width",
    |valid| {
        edited(valid, |text| {
            let wide = |last: char| char::from_u32(u32::from(last) + 0xfee0).unwrap_or('\u{ff01}');
            let mut text = text.to_owned();
            let last = text.pop().map(wide);
            text.extend(last);
            text
        })
    },
    |sent| !as_text(sent).is_ascii(),
);
/// In quotation marks.
pub const QUOTED: ValueKind = ValueKind::text(
    "quoted",
    |valid| edited(valid, |text| format!("\"{text}\"")),
    |sent| as_text(sent).starts_with('"'),
);
/// Without its last character.
pub const SHORTER: ValueKind = ValueKind::near("shorter", |valid| {
    edited(valid, |text| {
        let mut text = text.to_owned();
        text.pop();
        text
    })
});
/// With its last character twice.
pub const LONGER: ValueKind = ValueKind::near("longer", |valid| {
    edited(valid, |text| format!("{text}{}", text.chars().next_back().unwrap_or('x')))
});

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: &[ValueKind] = &[
        MISSING,
        NULL,
        BOOLEAN,
        ARRAY,
        OBJECT,
        EMPTY,
        WORD,
        SPACE_BEFORE,
        NEWLINE_AFTER,
        ZERO_AFTER,
        FULL_WIDTH,
        QUOTED,
        UPPER,
        SHORTER,
        LONGER,
    ];

    #[test]
    fn each_kind_is_recognized() {
        let valid = json!("valid-value");
        for wrong in ALL {
            let made = wrong.instead_of(&valid);
            assert_ne!(made.as_ref(), Some(&valid), "{}", wrong.name);
            assert_eq!(kind(ALL, made.as_ref(), Some(&valid)), wrong.name);
        }
        assert_eq!(kind(ALL, Some(&json!("other words")), Some(&valid)), "");
        let numbers = [FRACTION, NEGATIVE, ANOTHER, NUMBER, STRING];
        for wrong in &numbers[..3] {
            assert_eq!(kind(&numbers, wrong.instead_of(&json!(3)).as_ref(), Some(&json!(3))), wrong.name);
        }
    }

    #[test]
    fn each_kind_has_something_in_place_of_any_value() {
        // Exploration asks for a wrong value in place of one that is wrong already.
        let odd =
            [json!(""), json!(":"), json!(" "), json!("é"), json!("e\u{301}:é"), json!("😀"), json!(null)];
        let others = [json!(true), json!(0), json!(-1.5), json!(u64::MAX), json!([]), json!([""]), json!({})];
        for requirement in crate::catalogue::requirements() {
            let kinds = [requirement.values, requirement.accepted, requirement.kept];
            for (kind, valid) in kinds
                .into_iter()
                .flatten()
                .flat_map(|kind| odd.iter().chain(&others).map(move |valid| (kind, valid)))
            {
                // Neither panics.
                let made = kind.instead_of(valid);
                let _ = kind.has(made.as_ref(), Some(valid));
            }
        }
    }
}
