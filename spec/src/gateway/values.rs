//! What the rows of the gateway reject in place of a valid value. Frameworks read some values as another type; which, the
//! document leaves open.

use serde_json::{Value, json};

use crate::value::{
    ARRAY, BOOLEAN, FRACTION, LONGER, MISSING, NULL, NUMBER, OBJECT, SHORTER, STRING, UPPER, WORD, Wrong,
};

const READ: &str = "a framework may read it as a string";

/// A required string.
pub const REQUIRED_TEXT: &[Wrong] =
    &[MISSING, OBJECT, ARRAY, NULL.deep(), NUMBER.open(READ).deep(), BOOLEAN.open(READ).deep()];
/// A string.
pub const TEXT: &[Wrong] = &[OBJECT, ARRAY, NUMBER.open(READ).deep(), BOOLEAN.open(READ).deep()];
/// A string or an array.
pub const CONTENT: &[Wrong] = &[OBJECT, NUMBER.open(READ).deep(), BOOLEAN.open(READ).deep()];
/// A string or an array, in the messages format.
pub const BLOCKS: &[Wrong] = &[OBJECT, BOOLEAN, NUMBER.open(READ).deep()];
/// An object.
pub const OBJECTS: &[Wrong] = &[NUMBER, ARRAY, STRING.deep(), BOOLEAN.deep()];
/// A required array.
pub const REQUIRED_LIST: &[Wrong] =
    &[MISSING, OBJECT, NULL.deep(), STRING.deep(), NUMBER.deep(), BOOLEAN.deep()];
/// An array.
pub const LIST: &[Wrong] = &[OBJECT, STRING.deep(), NUMBER.deep(), BOOLEAN.deep()];
/// A boolean.
pub const SWITCH: &[Wrong] =
    &[OBJECT, ARRAY, WORD.deep(), NUMBER.open("a framework may read it as true").deep()];
/// A required integer.
pub const COUNT: &[Wrong] = &[
    MISSING,
    OBJECT,
    ARRAY,
    WORD,
    NULL.deep(),
    BOOLEAN.open("a framework may read it as 1").deep(),
    FRACTION.open("a framework may round it").deep(),
];

/// The `Authorization` of a key that was issued.
pub const KEYS: &[Wrong] = &[SHORTER, LONGER, UPPER_KEY.deep(), QUOTED_KEY.deep(), OTHER_SCHEME.deep()];
/// The id of a model.
pub const MODELS: &[Wrong] =
    &[SHORTER, LONGER.deep(), UPPER.open("letter case of an id may not count").deep()];

const UPPER_KEY: Wrong = Wrong::near("upper-case", |valid| edited(valid, str::to_uppercase));
const QUOTED_KEY: Wrong = Wrong::near("quoted", |valid| edited(valid, |key| format!("\"{key}\"")));
/// Credentials of another scheme instead of a key.
const OTHER_SCHEME: Wrong = Wrong::text(
    "other-scheme",
    |_| Some(json!("Basic YXNzYXk6YXNzYXk=")),
    |sent| sent.and_then(Value::as_str).is_some_and(|sent| sent.starts_with("Basic ")),
);

/// The header with another key.
fn edited(valid: &Value, edit: fn(&str) -> String) -> Option<Value> {
    let (scheme, key) = valid.as_str()?.split_once(' ')?;
    Some(json!(format!("{scheme} {}", edit(key))))
}
