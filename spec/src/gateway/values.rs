//! What the rows of the gateway reject in place of a valid value. Frameworks read some values as another type; which, the
//! document leaves open.

use serde_json::{Value, json};

use crate::value::{
    ARRAY, BOOLEAN, FRACTION, LONGER, MISSING, NULL, NUMBER, OBJECT, SHORTER, STRING, UPPER, ValueKind, WORD,
};

const READ: &str = "a framework may read it as a string";

/// A required string.
pub const REQUIRED_TEXT: &[ValueKind] = &[
    MISSING,
    OBJECT,
    ARRAY,
    NULL.beyond_quick(),
    NUMBER.may_be_accepted(READ).beyond_quick(),
    BOOLEAN.may_be_accepted(READ).beyond_quick(),
];
/// A string.
pub const TEXT: &[ValueKind] = &[
    OBJECT,
    ARRAY,
    NUMBER.may_be_accepted(READ).beyond_quick(),
    BOOLEAN.may_be_accepted(READ).beyond_quick(),
];
/// A string or an array.
pub const CONTENT: &[ValueKind] =
    &[OBJECT, NUMBER.may_be_accepted(READ).beyond_quick(), BOOLEAN.may_be_accepted(READ).beyond_quick()];
/// A string or an array, in the messages format.
pub const BLOCKS: &[ValueKind] = &[OBJECT, BOOLEAN, NUMBER.may_be_accepted(READ).beyond_quick()];
/// An object.
pub const OBJECTS: &[ValueKind] = &[NUMBER, ARRAY, STRING.beyond_quick(), BOOLEAN.beyond_quick()];
/// A required array.
pub const REQUIRED_LIST: &[ValueKind] = &[
    MISSING,
    OBJECT,
    NULL.beyond_quick(),
    STRING.beyond_quick(),
    NUMBER.beyond_quick(),
    BOOLEAN.beyond_quick(),
];
/// An array.
pub const LIST: &[ValueKind] =
    &[OBJECT, STRING.beyond_quick(), NUMBER.beyond_quick(), BOOLEAN.beyond_quick()];
/// A boolean.
pub const SWITCH: &[ValueKind] = &[
    OBJECT,
    ARRAY,
    WORD.beyond_quick(),
    NUMBER.may_be_accepted("a framework may read it as true").beyond_quick(),
];
/// A required integer.
pub const COUNT: &[ValueKind] = &[
    MISSING,
    OBJECT,
    ARRAY,
    WORD,
    NULL.beyond_quick(),
    BOOLEAN.may_be_accepted("a framework may read it as 1").beyond_quick(),
    FRACTION.may_be_accepted("a framework may round it").beyond_quick(),
];

/// The `Authorization` of a key that was issued.
pub const KEYS: &[ValueKind] = &[
    SHORTER,
    LONGER,
    UPPER_KEY.beyond_quick(),
    QUOTED_KEY.beyond_quick(),
    OTHER_SCHEME.beyond_quick(),
    NO_KEY,
    BEYOND_ASCII,
];
/// The id of a model.
pub const MODELS: &[ValueKind] = &[
    SHORTER,
    LONGER.beyond_quick(),
    UPPER.may_be_accepted("letter case of an id may not count").beyond_quick(),
];

const UPPER_KEY: ValueKind = ValueKind::near("upper-case", |valid| edited(valid, str::to_uppercase));
const QUOTED_KEY: ValueKind = ValueKind::near("quoted", |valid| edited(valid, |key| format!("\"{key}\"")));
/// Credentials of another scheme instead of a key.
const OTHER_SCHEME: ValueKind = ValueKind::text(
    "other-scheme",
    |_| Some(json!("Basic YXNzYXk6YXNzYXk=")),
    |sent| sent.and_then(Value::as_str).is_some_and(|sent| sent.starts_with("Basic ")),
);

/// The scheme without a key.
const NO_KEY: ValueKind = ValueKind::text(
    "empty",
    |_| Some(json!("Bearer ")),
    |sent| sent.and_then(Value::as_str).is_some_and(|sent| sent.trim() == "Bearer"),
);
/// A key with letters beyond ASCII, which some servers cannot compare.
const BEYOND_ASCII: ValueKind = ValueKind::text(
    "beyond-ascii",
    |_| Some(json!("Bearer schl\u{fc}ssel")),
    |sent| sent.and_then(Value::as_str).is_some_and(|sent| !sent.is_ascii()),
);

/// The header with another key.
fn edited(valid: &Value, edit: fn(&str) -> String) -> Option<Value> {
    let (scheme, key) = valid.as_str()?.split_once(' ')?;
    Some(json!(format!("{scheme} {}", edit(key))))
}
