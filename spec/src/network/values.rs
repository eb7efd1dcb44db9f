//! What the rows of the node API reject in place of a valid value, and what they accept in place of an ordinary one.

use serde_json::{Map, Value, json};

pub use crate::spelling::SPELLINGS;
use crate::value::{
    ARRAY, BOOLEAN, EMPTY, FRACTION, LONGER, MISSING, NULL, NUMBER, OBJECT, SHORTER, STRING, UPPER,
    ValueKind, WORD, has, property, strings,
};

const READ: &str = "a number may be read as a string";

/// `message`: an object.
pub const MESSAGE: &[ValueKind] = &[MISSING, ARRAY, NUMBER, NULL, STRING, BOOLEAN.beyond_quick()];
/// `signature`: a string. Whether it may be missing is left open.
pub const SIGNATURE: &[ValueKind] = &[NUMBER, OBJECT, ARRAY, BOOLEAN.beyond_quick()];
/// `address` of an envelope: a string that is not empty.
pub const ADDRESS: &[ValueKind] =
    &[MISSING, NUMBER, EMPTY, ARRAY, NULL.beyond_quick(), BOOLEAN.beyond_quick(), OBJECT.beyond_quick()];
/// `type`: a string.
pub const TYPE: &[ValueKind] = &[MISSING, NUMBER, NULL, ARRAY, BOOLEAN.beyond_quick(), OBJECT.beyond_quick()];
/// `timestamp`: an integer.
pub const TIMESTAMP: &[ValueKind] = &[
    MISSING,
    STRING,
    BOOLEAN,
    NULL,
    OBJECT,
    ARRAY.beyond_quick(),
    FRACTION.may_be_accepted("a fraction may be rounded").beyond_quick(),
];
/// `content`: an object.
pub const CONTENT: &[ValueKind] = &[MISSING, NUMBER, ARRAY, NULL, STRING, BOOLEAN.beyond_quick()];

/// A kind of member of a content, by its name and value. An element of an array has no name.
macro_rules! member {
    ($name:literal, $member:expr, $is:expr) => {
        property!($name, $member, |sent| {
            let is: fn(&str, &Value) -> bool = $is;
            let members = sent.as_object().filter(|members| members.len() == 1);
            members.and_then(|members| members.iter().next()).is_some_and(|(name, value)| is(name, value))
        })
    };
}

fn has_text(value: &Value, is: impl Fn(&str) -> bool) -> bool {
    value.as_str().is_some_and(is)
}

/// Members of a content that ordinary applications write, and that some servers change.
pub const CONTENTS: &[ValueKind] = &[
    member!("no-text", json!({ "a": "" }), |_, value| value == ""),
    member!("no-elements", json!({ "a": [] }), |_, value| value.as_array().is_some_and(Vec::is_empty)),
    member!("no-members", json!({ "a": {} }), |_, value| value.as_object().is_some_and(Map::is_empty)),
    member!("null", json!({ "a": null }), |_, value| value.is_null()),
    member!("boolean", json!({ "a": true }), |_, value| value.is_boolean()),
    member!("negative", json!({ "a": -7 }), |_, value| value.as_i64().is_some_and(|number| number < 0)),
    member!("fraction", json!({ "a": 1.25 }), |_, value| value.is_f64()),
    member!("digits", json!({ "a": "7" }), |_, value| has_text(value, |text| text.parse::<u32>().is_ok())),
    member!("date", json!({ "a": "2026-01-02T03:04:05.000Z" }), |_, value| {
        has_text(value, |text| text.len() == 24 && text.ends_with('Z'))
    }),
    member!("blanks", json!({ "a": " a " }), |_, value| {
        has_text(value, |text| text.starts_with(' ') && text.ends_with(' '))
    }),
    member!("lines", json!({ "a": "a\r\nb" }), |_, value| has_text(value, |text| text.contains('\r'))),
    member!("markup", json!({ "a": "<&>" }), |_, value| has_text(value, |text| text.contains('<'))),
    member!("escapes", json!({ "a": "\"\\/" }), |_, value| has_text(value, |text| text.contains('"'))),
    member!("emoji", json!({ "a": "\u{1f980}" }), |_, value| {
        has_text(value, |text| text.chars().any(|letter| letter > '\u{ffff}'))
    }),
    member!("decomposed", json!({ "a": "e\u{301}" }), |_, value| has_text(value, |text| text
        .contains('\u{301}'))),
    member!("long", json!({ "a": "a".repeat(4_001) }), |_, value| has_text(value, |text| text.len() > 4_000)),
    member!("name-with-dot", json!({ "a.b": 1 }), |name, _| name.contains('.')),
    member!("name-with-dollar", json!({ "$a": 1 }), |name, _| name.starts_with('$')),
    member!("name-with-underscore", json!({ "_a": 1 }), |name, _| name.starts_with('_')),
    member!("name-with-blank", json!({ "a b": 1 }), |name, _| name.contains(' ')),
    member!("name-decomposed", json!({ "e\u{301}": 1 }), |name, _| name.contains('\u{301}')),
    member!("name-of-the-language", json!({ "constructor": 1 }), |name, _| name == "constructor"),
];
/// A string that a message needs. One of another type may be rejected later.
pub const NEEDED: &[ValueKind] = &[MISSING, NUMBER.may_be_accepted(READ), ARRAY, OBJECT.beyond_quick()];
/// A string of a message. One of another type may be rejected later.
pub const TEXT: &[ValueKind] = &[NUMBER.may_be_accepted(READ), OBJECT, ARRAY];
/// An integer of a message. One of another type may be rejected later.
pub const COUNT: &[ValueKind] = &[
    STRING.may_be_accepted("digits may be read as an integer"),
    FRACTION.may_be_accepted("a fraction may be rounded"),
    ARRAY,
    OBJECT,
];
/// A string of an instance. One of another type may be rejected later.
pub const LABEL: &[ValueKind] = &[OBJECT, ARRAY, NUMBER.may_be_accepted(READ), BOOLEAN.may_be_accepted(READ)];
/// An address in a message. Whether it may be missing is left open.
pub const OWNER: &[ValueKind] = &[OBJECT, ARRAY];
/// An object in a message.
pub const MEMBERS: &[ValueKind] = &[NUMBER, WORD, ARRAY, BOOLEAN.beyond_quick()];
/// An array of strings in a message.
pub const EVENTS: &[ValueKind] =
    &[OBJECT, NESTED, NUMBER_INSIDE.may_be_accepted(READ), NUMBER.beyond_quick(), BOOLEAN.beyond_quick()];

/// The hashes of a FORGET: an array of strings.
pub const HASHES: &[ValueKind] = &[
    MISSING,
    NESTED,
    NUMBER_INSIDE.may_be_accepted(READ),
    OBJECT,
    WORD,
    NUMBER.beyond_quick(),
    NULL.beyond_quick(),
    BOOLEAN.beyond_quick(),
];
/// The ports of a firewall: an array of integers.
pub const PORTS: &[ValueKind] = &[
    ValueKind::text("text-inside", |_| Some(json!(["22"])), |sent| items(sent).iter().any(Value::is_string))
        .may_be_accepted("digits may be read as an integer"),
    ValueKind::text("fraction-inside", |_| Some(json!([22.5])), |sent| items(sent).iter().any(Value::is_f64))
        .may_be_accepted("a fraction may be rounded"),
    NESTED,
    OBJECT,
    WORD.beyond_quick(),
    NUMBER.beyond_quick(),
    BOOLEAN.beyond_quick(),
];
/// The action of a control: one of three words.
pub const ACTIONS: &[ValueKind] = &[
    WORD,
    EMPTY,
    NUMBER,
    ARRAY,
    MISSING.beyond_quick(),
    NULL.beyond_quick(),
    BOOLEAN.beyond_quick(),
    OBJECT.beyond_quick(),
    LONGER.beyond_quick(),
    SHORTER.beyond_quick(),
    UPPER.may_be_accepted("a server may compare words without regard to case").beyond_quick(),
];

/// An array in an array.
const NESTED: ValueKind =
    ValueKind::text("nested", |valid| Some(json!([valid])), |sent| items(sent).iter().any(Value::is_array));
/// An array with a number.
const NUMBER_INSIDE: ValueKind =
    ValueKind::text("number-inside", |_| Some(json!([7])), |sent| items(sent).iter().any(Value::is_number));

fn items(sent: Option<&Value>) -> &[Value] {
    sent.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// The variables of a run: an object of strings.
pub const VARIABLES: &[ValueKind] = &[
    WORD,
    ARRAY,
    NUMBER.beyond_quick(),
    BOOLEAN.beyond_quick(),
    ValueKind::text(
        "number-inside",
        |_| Some(json!({ "name": 7 })),
        |sent| sent.and_then(Value::as_object).is_some_and(|members| members.values().any(Value::is_number)),
    )
    .may_be_accepted(READ),
];

/// Uncommon valid objects: each a name, the member that differs, and its value. `--depth quick` leaves out those
/// after `deep`.
macro_rules! members {
    ($($name:literal $member:literal: $value:tt),* ; deep $($deep:literal $other:literal: $of:tt),* $(,)?) => {
        &[$(members!(one $name $member $value),)* $(members!(one $deep $other $of).beyond_quick()),*]
    };
    (one $name:literal $member:literal $value:tt) => {
        ValueKind::text(
            $name,
            |valid| {
                let mut valid = valid.clone();
                valid.pointer_mut($member).map(|member| *member = json!($value));
                Some(valid)
            },
            |sent| sent.and_then(|sent| sent.pointer($member)).is_some_and(|member| *member == json!($value)),
        )
    };
}

/// The contents of writes of aggregates.
pub const AGGREGATES: &[ValueKind] = members! {
    "no-members" "/content": {};
    deep
};
/// The contents of programs.
pub const PROGRAMS: &[ValueKind] = members! {
    "no-words" "/description": "";
    deep
    "non-ascii" "/name": "caf\u{e9} \u{1f680} (1)",
    "long-words" "/description": "A program.\n\tIt says \"yes\" \\ 100% of the time.\n",
};
/// The variables of runs, as bodies.
pub const RUNS: &[ValueKind] = members! {
    "none" "/variables": {};
    deep
    "empty" "/variables": { "name": "" },
    "non-ascii" "/variables": { "caf\u{e9}": "\u{1f680}" },
    "escapes" "/variables": { "name": "a \"b\" \\ c\n\t" },
};
/// The contents of instances.
pub const INSTANCES: &[ValueKind] = members! {
    "no-ports" "/firewall/allowedPorts": [];
    deep
    "one-port" "/firewall/allowedPorts": [65535],
    "non-ascii" "/name": "caf\u{e9} \u{1f680} (1)",
    "no-words" "/description": "",
};
/// Names and descriptions of instances, of which some servers change a part.
pub const NAMES: &[ValueKind] = &[
    has!("non-ascii", "caf\u{e9} \u{1f680}", |sent| !sent.is_ascii()),
    has!("markup", "<b>&amp;</b>", |sent| sent.contains('<')),
    has!("quotes", "a \"b\" \\ c", |sent| sent.contains('"')),
];
/// Processors of instances that some servers round.
pub const PROCESSORS: &[ValueKind] =
    &[property!("odd", json!(3), |sent| { sent.as_u64().is_some_and(|count| count > 1 && count % 2 == 1) })];
/// Sizes of instances, in MiB, that some servers round.
pub const SIZES: &[ValueKind] =
    &[property!("uneven", json!(10_007), |sent| { sent.as_u64().is_some_and(|size| size % 512 != 0) })];
/// The contents of registrations.
pub const REGISTRATIONS: &[ValueKind] = members! {
    "both-events" "/events": ["message.new", "program.executed"];
    deep
    "port-and-query" "/url": "https://example.com:8443/hook?from=a%20b&to=c",
    "events-in-other-order" "/events": ["program.executed", "message.new"],
};

/// The bounds of a random number.
macro_rules! bounds {
    ($($name:literal: $min:literal to $max:literal),*) => {
        &[$(ValueKind::text(
            $name,
            |valid| {
                let mut range = valid.as_object().cloned().unwrap_or_default();
                range.insert("min".to_owned(), json!($min as i64));
                range.insert("max".to_owned(), json!($max as i64));
                Some(Value::Object(range))
            },
            |sent| sent.is_some_and(|sent| sent["min"] == $min as i64 && sent["max"] == $max as i64),
        )),*]
    };
}
/// The bounds of random numbers, as bodies.
pub const BOUNDS: &[ValueKind] = bounds!("negative": -2_000_000 to -1_000_000, "from-zero": 0 to 1_099_511_627_776, "around-zero": -500 to 500, "far-above-zero": 5_000_000 to 5_000_999);

/// The forms of an upload.
pub const UPLOADS: &[ValueKind] = &[
    strings!(one FIELDS_FIRST, FIELDS_FIRST),
    strings!(one NO_TYPE, NO_TYPE).beyond_quick(),
    strings!(one NO_BYTES, NO_BYTES)
        .may_be_rejected("no sentence says that a file may be empty")
        .beyond_quick(),
    strings!(one AGAIN, AGAIN).beyond_quick(),
];
/// The fields come before the file.
pub const FIELDS_FIRST: &str = "fields-first";
/// The file has no content type.
pub const NO_TYPE: &str = "no-type";
/// The file is empty.
pub const NO_BYTES: &str = "no-bytes";
/// The node has the bytes of the file from an earlier upload.
pub const AGAIN: &str = "again";
