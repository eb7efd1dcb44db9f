//! What the rows of the node API reject in place of a valid value.

use serde_json::{Value, json};

use crate::value::{
    ARRAY, BOOLEAN, EMPTY, FRACTION, LONGER, MISSING, NULL, NUMBER, OBJECT, SHORTER, STRING, UPPER, WORD,
    Wrong,
};

const READ: &str = "a number may be read as a string";

/// `message`: an object.
pub const MESSAGE: &[Wrong] = &[MISSING, ARRAY, NUMBER, NULL, STRING, BOOLEAN.deep()];
/// `signature`: a string. Whether it may be missing is left open.
pub const SIGNATURE: &[Wrong] = &[NUMBER, OBJECT, ARRAY, BOOLEAN.deep()];
/// `address` of an envelope: a string that is not empty.
pub const ADDRESS: &[Wrong] = &[MISSING, NUMBER, EMPTY, ARRAY, NULL.deep(), BOOLEAN.deep(), OBJECT.deep()];
/// `type`: a string.
pub const TYPE: &[Wrong] = &[MISSING, NUMBER, NULL, ARRAY, BOOLEAN.deep(), OBJECT.deep()];
/// `timestamp`: an integer.
pub const TIMESTAMP: &[Wrong] = &[
    MISSING,
    STRING,
    BOOLEAN,
    NULL,
    OBJECT,
    ARRAY.deep(),
    FRACTION.open("a fraction may be rounded").deep(),
];
/// `content`: an object.
pub const CONTENT: &[Wrong] = &[MISSING, NUMBER, ARRAY, NULL, STRING, BOOLEAN.deep()];
/// A string that a message needs. One of another type may be rejected later.
pub const NEEDED: &[Wrong] = &[MISSING, NUMBER.open(READ), ARRAY, OBJECT.deep()];
/// A string of a message. One of another type may be rejected later.
pub const TEXT: &[Wrong] = &[NUMBER.open(READ), OBJECT, ARRAY];
/// An integer of a message. One of another type may be rejected later.
pub const COUNT: &[Wrong] = &[
    STRING.open("digits may be read as an integer"),
    FRACTION.open("a fraction may be rounded"),
    ARRAY,
    OBJECT,
];
/// A string of an instance. One of another type may be rejected later.
pub const LABEL: &[Wrong] = &[OBJECT, ARRAY, NUMBER.open(READ), BOOLEAN.open(READ)];
/// An address in a message. Whether it may be missing is left open.
pub const OWNER: &[Wrong] = &[OBJECT, ARRAY];
/// An object in a message.
pub const MEMBERS: &[Wrong] = &[NUMBER, WORD, ARRAY, BOOLEAN.deep()];
/// An array of strings in a message.
pub const EVENTS: &[Wrong] = &[OBJECT, NESTED, NUMBER_INSIDE.open(READ), NUMBER.deep(), BOOLEAN.deep()];

/// The hashes of a FORGET: an array of strings.
pub const HASHES: &[Wrong] =
    &[MISSING, NESTED, NUMBER_INSIDE.open(READ), OBJECT, WORD, NUMBER.deep(), NULL.deep(), BOOLEAN.deep()];
/// The ports of a firewall: an array of integers.
pub const PORTS: &[Wrong] = &[
    Wrong::text("text-inside", |_| Some(json!(["22"])), |sent| items(sent).iter().any(Value::is_string))
        .open("digits may be read as an integer"),
    Wrong::text("fraction-inside", |_| Some(json!([22.5])), |sent| items(sent).iter().any(Value::is_f64))
        .open("a fraction may be rounded"),
    NESTED,
    OBJECT,
    WORD.deep(),
    NUMBER.deep(),
    BOOLEAN.deep(),
];
/// The action of a control: one of three words.
pub const ACTIONS: &[Wrong] = &[
    WORD,
    EMPTY,
    NUMBER,
    ARRAY,
    MISSING.deep(),
    NULL.deep(),
    BOOLEAN.deep(),
    OBJECT.deep(),
    LONGER.deep(),
    SHORTER.deep(),
    UPPER.open("a server may compare words without regard to case").deep(),
];

/// An array in an array.
const NESTED: Wrong =
    Wrong::text("nested", |valid| Some(json!([valid])), |sent| items(sent).iter().any(Value::is_array));
/// An array with a number.
const NUMBER_INSIDE: Wrong =
    Wrong::text("number-inside", |_| Some(json!([7])), |sent| items(sent).iter().any(Value::is_number));

fn items(sent: Option<&Value>) -> &[Value] {
    sent.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// The variables of a run: an object of strings.
pub const VARIABLES: &[Wrong] = &[
    WORD,
    ARRAY,
    NUMBER.deep(),
    BOOLEAN.deep(),
    Wrong::text(
        "number-inside",
        |_| Some(json!({ "name": 7 })),
        |sent| sent.and_then(Value::as_object).is_some_and(|members| members.values().any(Value::is_number)),
    )
    .open(READ),
];
