//! Limits that the control API can change.

use assay_spec::names;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::shape::{self, Millis, Shape, Whole};

/// A limit that can be changed.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// Its name. That of a time ends in `_ms`.
    pub name: &'static str,
    about: &'static str,
    amount: &'static Amount,
}

/// How a limit is read, and its schema.
type Amount = (fn(&Value, &str) -> Result<Value, String>, fn() -> Value);

impl Limit {
    pub(crate) const fn new<T: Limited>(name: &'static str, about: &'static str) -> Limit {
        Limit { name, about, amount: &(T::read, T::schema) }
    }

    /// What it limits.
    pub fn about(&self) -> &'static str {
        self.about.trim_start()
    }

    /// Its schema with its description.
    pub(crate) fn described(&self) -> Value {
        let mut schema = (self.amount.1)();
        schema["description"] = json!(self.about());
        schema
    }
}

/// The type of a limit.
pub(crate) trait Limited {
    /// Reads a value at this place, as a number.
    fn read(value: &Value, at: &str) -> Result<Value, String>;
    /// What it may be.
    fn schema() -> Value;
}

macro_rules! limited {
    ($($type:ty: $shape:ty;)*) => {$(
        impl Limited for $type {
            fn read(value: &Value, at: &str) -> Result<Value, String> {
                <$shape>::read(value, at).map(|number| json!(number.0))
            }

            fn schema() -> Value {
                <$shape>::schema()
            }
        }
    )*};
}

limited! {
    u8: Whole<0, 1>;
    u32: Whole<0, { u32::MAX as u64 }>;
    u64: Whole<0, { u64::MAX }>;
    usize: Whole<0, { usize::MAX as u64 }>;
    i64: Millis<{ i64::MAX }>;
}

/// Declares the limits of a service: a struct whose members have a comment and a default each.
macro_rules! limits {
    ($(#[$meta:meta])* pub struct $name:ident {
        $($(#[doc = $about:literal])+ pub $field:ident: $type:ty = $default:expr),* $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $name { $($(#[doc = $about])+ pub $field: $type),* }

        impl Default for $name {
            fn default() -> Self {
                $name { $($field: $default),* }
            }
        }

        impl $name {
            /// Each limit.
            pub const ALL: &'static [$crate::limits::Limit] =
                &[$($crate::limits::Limit::new::<$type>(stringify!($field), concat!($($about),+))),*];
        }
    };
}
pub(crate) use limits;

/// The schema of the limits of a service.
pub(crate) fn schema(limits: &[Limit], are_all: bool) -> Value {
    let described = |limit: &Limit| {
        // A limit in force is always a number.
        let schema = limit.described();
        let mut shown =
            if are_all && schema.get("anyOf").is_some() { schema["anyOf"][0].clone() } else { schema };
        shown["description"] = json!(limit.about());
        (limit.name.to_owned(), shown)
    };
    let properties: serde_json::Map<String, Value> = limits.iter().map(described).collect();
    let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    if are_all {
        schema["required"] = limits.iter().map(|limit| limit.name).collect();
    }
    schema
}

/// Applies the limits in `changes`. An unknown name or an impossible value changes nothing; the error begins with the name.
pub fn change<T: Serialize + DeserializeOwned>(
    limits: &mut T,
    known: &[Limit],
    changes: &Value,
) -> Result<(), String> {
    let mut all = serde_json::to_value(&*limits).map_err(|e| e.to_string())?;
    for (name, value) in members(changes)? {
        let limit = known.iter().find(|limit| limit.name == name);
        let limit = limit.ok_or_else(|| unknown(name, known))?;
        all[name] = (limit.amount.0)(value, name)?;
    }
    *limits = serde_json::from_value(all).map_err(|e| e.to_string())?;
    Ok(())
}

fn unknown(name: &str, known: &[Limit]) -> String {
    let near = names::unknown(name, known.iter().map(|limit| limit.name));
    format!("{}: unknown limit{near}", shape::inside("", name))
}

/// The changes of a service's limits.
fn members(changes: &Value) -> Result<&serde_json::Map<String, Value>, String> {
    changes.as_object().ok_or_else(|| "must be an object that maps names of limits to numbers".to_owned())
}

/// A service without limits.
pub(crate) fn change_none(changes: &Value) -> Result<(), String> {
    match members(changes)?.keys().next() {
        Some(name) => Err(unknown(name, &[])),
        None => Ok(()),
    }
}
