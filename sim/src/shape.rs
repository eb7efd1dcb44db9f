//! Shapes: what the control API takes, each declared once. Its parser, whose errors name the place and the nearest known name,
//! its JSON Schema and the reference page follow from the declaration.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use assay_spec::instant::DAY;
use assay_spec::{Instant, duration, names};
use serde_json::{Map, Value, json};

use crate::serve::ClockMode;

/// The longest duration, unless a shape has its own.
pub const YEAR: i64 = 366 * DAY;

/// What a value may be.
pub trait Shape: Sized {
    /// Whether a member of this type may be absent.
    const IS_OPTIONAL: bool = false;
    /// Whether it is an object with declared members, which need no name of the whole.
    const HAS_MEMBERS: bool = false;

    /// What it may be, as a JSON Schema.
    fn schema() -> Value;
    /// Reads a value at this place. The error begins with the place.
    fn read(value: &Value, at: &str) -> Result<Self, String>;
    /// What an absent member is.
    fn absent() -> Option<Self> {
        None
    }
}

/// A member of an object, or a parameter of a query.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    about: &'static str,
    /// Whether it must be there.
    pub is_needed: bool,
    /// What it may be.
    pub schema: fn() -> Value,
}

impl Field {
    pub(crate) const fn new<T: Shape>(
        names: &[&'static str],
        about: &'static str,
        has_default: bool,
    ) -> Field {
        let is_needed = !T::IS_OPTIONAL && !has_default;
        Field { name: last(names), about, is_needed, schema: T::schema }
    }

    /// What it is.
    pub fn about(&self) -> &'static str {
        self.about.trim_start()
    }

    /// Its schema with its description.
    pub(crate) fn described(&self) -> Value {
        let mut schema = (self.schema)();
        schema["description"] = json!(self.about());
        schema
    }
}

/// An object whose members are declared.
pub trait Record: Shape {
    /// Its members.
    const FIELDS: &'static [Field];
}

/// Declares an object: a struct whose members have a comment each. `name as "written": Type = default`; a member without a default
/// must be there, unless its type is an `Option`.
macro_rules! record {
    ($(#[$meta:meta])* $vis:vis struct $name:ident {
        $($(#[doc = $about:literal])+ $(#[serde($serde:meta)])?
        $field_vis:vis $field:ident $(as $written:literal)?: $type:ty $(= $default:expr)?),* $(,)?
    }) => {
        $(#[$meta])*
        $vis struct $name { $($(#[doc = $about])+ $(#[serde($serde)])? $field_vis $field: $type),* }

        impl $crate::shape::Record for $name {
            const FIELDS: &'static [$crate::shape::Field] = &[$($crate::shape::Field::new::<$type>(
                &[stringify!($field) $(, $written)?],
                concat!($($about),+),
                !stringify!($($default)?).is_empty(),
            )),*];
        }

        impl $crate::shape::Shape for $name {
            const HAS_MEMBERS: bool = true;

            fn schema() -> serde_json::Value {
                $crate::shape::object(<Self as $crate::shape::Record>::FIELDS)
            }

            fn read(value: &serde_json::Value, at: &str) -> Result<Self, String> {
                let fields = <Self as $crate::shape::Record>::FIELDS;
                let members = $crate::shape::members(value, at, fields)?;
                // For an object without members.
                let _ = members;
                Ok($name { $($field: {
                    let name = $crate::shape::last(&[stringify!($field) $(, $written)?]);
                    let default: [fn() -> $type; _] = [$(|| $default)?];
                    $crate::shape::member(members, at, name, &default)?
                }),* })
            }
        }
    };
}
pub(crate) use record;

/// The last of these names: the written one, if it differs from that of the field.
pub(crate) const fn last(names: &[&'static str]) -> &'static str {
    names[names.len() - 1]
}

/// The schema of an object with these members and no others.
pub(crate) fn object(fields: &[Field]) -> Value {
    let properties: Map<String, Value> =
        fields.iter().map(|field| (field.name.to_owned(), field.described())).collect();
    let needed: Vec<&str> = fields.iter().filter(|field| field.is_needed).map(|field| field.name).collect();
    let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    if !needed.is_empty() {
        schema["required"] = json!(needed);
    }
    schema
}

/// The members of an object, none of which is unknown.
pub(crate) fn members<'v>(
    value: &'v Value,
    at: &str,
    fields: &[Field],
) -> Result<&'v Map<String, Value>, String> {
    let members = value.as_object().ok_or_else(|| wrong(at, "an object", value))?;
    check_names(members, at, "key", fields)?;
    Ok(members)
}

/// Rejects a member that is not declared.
pub(crate) fn check_names(
    members: &Map<String, Value>,
    at: &str,
    what: &str,
    fields: &[Field],
) -> Result<(), String> {
    let known = || fields.iter().map(|field| field.name);
    match members.keys().find(|name| known().all(|known| known != *name)) {
        Some(name) => Err(format!("{}: unknown {what}{}", inside(at, name), names::unknown(name, known()))),
        None => Ok(()),
    }
}

/// Reads a member.
pub(crate) fn member<T: Shape>(
    members: &Map<String, Value>,
    at: &str,
    name: &str,
    default: &[fn() -> T],
) -> Result<T, String> {
    match members.get(name) {
        Some(value) => T::read(value, &inside(at, name)),
        None => default
            .first()
            .map(|default| default())
            .or_else(T::absent)
            .ok_or_else(|| format!("{}: missing", inside(at, name))),
    }
}

/// Reads the arguments of an action; none is the same as no arguments.
pub(crate) fn arguments<T: Record>(arguments: &Value) -> Result<T, String> {
    arguments_at(arguments, "arguments")
}

fn arguments_at<T: Record>(arguments: &Value, at: &str) -> Result<T, String> {
    let none = json!({});
    T::read(if arguments.is_null() { &none } else { arguments }, at)
}

/// The place of a member.
pub fn inside(at: &str, name: &str) -> String {
    let is_plain = !name.is_empty()
        && name.len() <= 60
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    match (at, is_plain) {
        ("", true) => name.to_owned(),
        (at, true) => format!("{at}.{name}"),
        (at, false) => format!("{at}[{name:.60?}]"),
    }
}

/// A value of another type. It does not show the value, which may be a secret.
fn wrong(at: &str, wanted: &str, value: &Value) -> String {
    let found = match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    let at = if at.is_empty() { "the body" } else { at };
    format!("{at}: must be {wanted}, not {found}")
}

impl Shape for String {
    fn schema() -> Value {
        json!({ "type": "string" })
    }

    fn read(value: &Value, at: &str) -> Result<Self, String> {
        value.as_str().map(str::to_owned).ok_or_else(|| wrong(at, "a string", value))
    }
}

impl Shape for bool {
    fn schema() -> Value {
        json!({ "type": "boolean" })
    }

    fn read(value: &Value, at: &str) -> Result<Self, String> {
        value.as_bool().ok_or_else(|| wrong(at, "true or false", value))
    }
}

/// Any value.
impl Shape for Value {
    fn schema() -> Value {
        json!({})
    }

    fn read(value: &Value, _: &str) -> Result<Self, String> {
        Ok(value.clone())
    }
}

/// A whole number in a range. `7.0` is the same number as `7` in JSON.
fn whole(value: &Value, at: &str, least: u64, most: u64) -> Result<u64, String> {
    let outside = || format!("{at}: must be a whole number from {least} to {most}");
    let Value::Number(number) = value else { return Err(wrong(at, "a whole number", value)) };
    let fraction = || {
        let number = number.as_f64()?;
        // Above 2^53 a fraction is not exact.
        (number.fract() == 0.0 && (0.0..9_007_199_254_740_992.0).contains(&number)).then_some(number as u64)
    };
    let number = number.as_u64().or_else(fraction).ok_or_else(outside)?;
    if (least..=most).contains(&number) { Ok(number) } else { Err(outside()) }
}

fn whole_schema(least: u64, most: u64) -> Value {
    json!({ "type": "integer", "minimum": least, "maximum": most })
}

macro_rules! numbers {
    ($($type:ty)*) => {$(
        impl Shape for $type {
            fn schema() -> Value {
                whole_schema(0, <$type>::MAX as u64)
            }

            fn read(value: &Value, at: &str) -> Result<Self, String> {
                whole(value, at, 0, <$type>::MAX as u64).map(|number| number as $type)
            }
        }
    )*};
}
numbers!(u64 usize);

/// A whole number in this range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whole<const LEAST: u64, const MOST: u64>(pub u64);

impl<const LEAST: u64, const MOST: u64> Shape for Whole<LEAST, MOST> {
    fn schema() -> Value {
        whole_schema(LEAST, MOST)
    }

    fn read(value: &Value, at: &str) -> Result<Self, String> {
        whole(value, at, LEAST, MOST).map(Whole)
    }
}

/// A duration: milliseconds, or a string such as `1h30m`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Millis<const MOST: i64 = YEAR>(pub i64);

impl<const MOST: i64> Shape for Millis<MOST> {
    fn schema() -> Value {
        json!({ "anyOf": [
            { "type": "integer", "minimum": 0, "maximum": MOST },
            { "type": "string", "pattern": duration::PATTERN, "examples": ["90s", "1h30m"] },
        ] })
    }

    fn read(value: &Value, at: &str) -> Result<Self, String> {
        let ms = match value {
            Value::String(text) => duration::parse(text).map_err(|why| format!("{at}: {why}"))?,
            Value::Number(number) => {
                let number = number.as_i64().or_else(|| whole(value, at, 0, u64::MAX).ok()?.try_into().ok());
                number.unwrap_or(-1)
            }
            _ => return Err(wrong(at, "a number of milliseconds or a duration such as 1h30m", value)),
        };
        if (0..=MOST).contains(&ms) {
            return Ok(Millis(ms));
        }
        let most = duration::write(MOST.unsigned_abs());
        Err(format!("{at}: must be from 0 to {most}, in milliseconds or as a duration such as 1h30m"))
    }
}

/// When: a time in milliseconds since 1970, or a duration from now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(untagged)]
pub enum Moment {
    /// At this time.
    At(Instant),
    /// So many milliseconds after the time at which it is set.
    After(i64),
}

impl Moment {
    /// The moment, if it is set now.
    #[must_use]
    pub fn from(self, now: Instant) -> Moment {
        match self {
            Moment::After(ms) => Moment::At(now + ms),
            at @ Moment::At(_) => at,
        }
    }

    /// The time, if it is set now and is not over.
    pub fn ahead(self, now: Instant) -> Option<Instant> {
        match self.from(now) {
            Moment::At(at) if at > now => Some(at),
            _ => None,
        }
    }

    /// Whether it has come.
    pub fn has_come(self, now: Instant) -> bool {
        matches!(self, Moment::At(at) if now >= at)
    }
}

/// A time in milliseconds since 1970.
impl Shape for Instant {
    fn schema() -> Value {
        json!({ "type": "integer", "minimum": i64::MIN, "maximum": i64::MAX })
    }

    fn read(value: &Value, at: &str) -> Result<Self, String> {
        let ms = value.as_i64().or_else(|| whole(value, at, 0, i64::MAX as u64).ok()?.try_into().ok());
        ms.map(Instant).ok_or_else(|| wrong(at, "a whole number of milliseconds since 1970", value))
    }
}

impl Shape for Moment {
    fn schema() -> Value {
        let mut schema = Millis::<YEAR>::schema();
        schema["anyOf"][0] = Instant::schema();
        schema
    }

    fn read(value: &Value, at: &str) -> Result<Self, String> {
        match value {
            Value::String(_) => Millis::<YEAR>::read(value, at).map(|Millis(ms)| Moment::After(ms)),
            Value::Number(_) => Instant::read(value, at).map(Moment::At),
            _ => Err(wrong(at, "milliseconds since 1970, or a duration from now such as 1h30m", value)),
        }
    }
}

impl<T: Shape> Shape for Option<T> {
    const IS_OPTIONAL: bool = true;

    fn schema() -> Value {
        match T::schema() {
            Value::Object(mut schema) if schema.contains_key("anyOf") => {
                let forms = schema["anyOf"].as_array_mut().expect("a list of schemas");
                forms.push(json!({ "type": "null" }));
                Value::Object(schema)
            }
            schema => json!({ "anyOf": [schema, { "type": "null" }] }),
        }
    }

    fn read(value: &Value, at: &str) -> Result<Self, String> {
        if value.is_null() { Ok(None) } else { T::read(value, at).map(Some) }
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

impl<T: Shape> Shape for Vec<T> {
    fn schema() -> Value {
        json!({ "type": "array", "items": T::schema() })
    }

    fn read(value: &Value, at: &str) -> Result<Self, String> {
        let list = value.as_array().ok_or_else(|| wrong(at, "a list", value))?;
        list.iter().enumerate().map(|(n, one)| T::read(one, &format!("{at}[{n}]"))).collect()
    }
}

impl<T: Shape> Shape for BTreeMap<String, T> {
    fn schema() -> Value {
        json!({ "type": "object", "additionalProperties": T::schema() })
    }

    fn read(value: &Value, at: &str) -> Result<Self, String> {
        let members = value.as_object().ok_or_else(|| wrong(at, "an object", value))?;
        let read = |(name, value): (&String, &Value)| Ok((name.clone(), T::read(value, &inside(at, name))?));
        members.iter().map(read).collect()
    }
}

/// A value that is written as one of a few words.
pub trait Word: Copy + 'static {
    /// The words, with what each means.
    const WORDS: &'static [(&'static str, Self)];
}

impl<T: Word> Shape for T {
    fn schema() -> Value {
        json!({ "enum": T::WORDS.iter().map(|(word, _)| *word).collect::<Vec<_>>() })
    }

    fn read(value: &Value, at: &str) -> Result<Self, String> {
        let written = value.as_str().ok_or_else(|| wrong(at, "a string", value))?;
        let found = T::WORDS.iter().find(|(word, _)| *word == written);
        let known = T::WORDS.iter().map(|(word, _)| *word);
        found.map(|(_, meaning)| *meaning).ok_or_else(|| unknown(at, "value", written, known))
    }
}

impl Word for ClockMode {
    const WORDS: &'static [(&'static str, ClockMode)] =
        &[("manual", ClockMode::Manual), ("auto", ClockMode::Auto), ("real", ClockMode::Real)];
}

/// An unknown name at a place.
pub(crate) fn unknown<'n>(
    at: &str,
    what: &str,
    written: &str,
    known: impl Iterator<Item = &'n str> + Clone,
) -> String {
    format!("{at}: unknown {what} {written:.60?}{}", names::unknown(written, known))
}

/// Names that are known only when the program runs.
pub trait Names {
    /// What they are names of.
    const WHAT: &'static str;
    /// The names.
    fn known() -> Vec<&'static str>;
}

/// One of these names.
#[derive(Clone, Debug)]
pub struct Name<N>(pub &'static str, PhantomData<N>);

impl<N: Names> Shape for Name<N> {
    fn schema() -> Value {
        json!({ "enum": N::known() })
    }

    fn read(value: &Value, at: &str) -> Result<Self, String> {
        let written = value.as_str().ok_or_else(|| wrong(at, "a string", value))?;
        let known = N::known();
        let found = known.iter().find(|name| **name == written);
        let found = found.ok_or_else(|| unknown(at, N::WHAT, written, known.iter().copied()))?;
        Ok(Name(found, PhantomData))
    }
}

/// An action of the control API.
#[derive(Clone, Copy, Debug)]
pub struct Action {
    /// Its name within its service.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// Its arguments.
    pub arguments: &'static [Field],
    /// Checks arguments; the place is theirs.
    pub check: fn(&Value, &str) -> Result<(), String>,
}

impl Action {
    /// An action with these arguments.
    pub(crate) const fn taking<A: Record>(name: &'static str, about: &'static str) -> Action {
        Action {
            name,
            about,
            arguments: A::FIELDS,
            check: |value, at| arguments_at::<A>(value, at).map(drop),
        }
    }

    /// Its arguments and what it does, such as `{hash, at_once?}: …`.
    pub fn described(&self) -> String {
        format!("{}: {}", form(&object(self.arguments)), self.about)
    }
}

record! {
    /// No arguments.
    pub(crate) struct Nothing {}
}

/// The form of a value in a few words, such as `{mode, at?}` or `list of string`, from its schema.
pub fn form(schema: &Value) -> String {
    if let Some(forms) = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array()) {
        let mut all: Vec<String> = Vec::new();
        for form in forms.iter().map(form) {
            if !all.contains(&form) {
                all.push(form);
            }
        }
        return all.join(" or ");
    }
    match schema["type"].as_str() {
        Some("object") => match (schema["properties"].as_object(), &schema["additionalProperties"]) {
            (Some(members), _) => {
                let needed = schema["required"].as_array();
                let is_needed =
                    |name: &str| needed.is_some_and(|needed| needed.iter().any(|one| one == name));
                let member = |name: &String| format!("{name}{}", if is_needed(name) { "" } else { "?" });
                format!("{{{}}}", members.keys().map(member).collect::<Vec<_>>().join(", "))
            }
            (None, Value::Object(inner)) => format!("{{name: {}}}", form(&Value::Object(inner.clone()))),
            (None, _) => "object".to_owned(),
        },
        Some("array") => format!("list of {}", form(&schema["items"])),
        Some(kind) => kind.to_owned(),
        None if schema["enum"].is_array() => "name".to_owned(),
        None => "value".to_owned(),
    }
}
