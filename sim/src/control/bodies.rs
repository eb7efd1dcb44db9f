//! The bodies and queries of the control API.

use std::collections::BTreeMap;

use assay_spec::{Service, names};
use serde_json::{Map, Value, json};

use crate::fault::{self, Fault};
use crate::limits;
use crate::serve::ClockMode;
use crate::shape::{self, Millis, Name, Names, Shape, inside, object, record};
use crate::world;

record! {
    /// A change of the clock.
    pub(super) struct SetClock {
        /// How far time moves forward.
        advance: Option<Millis>,
        /// The same under another name.
        advance_ms: Option<Millis>,
        /// How time moves from now on.
        pub(super) mode: Option<ClockMode>,
    }
}

impl SetClock {
    /// How far time moves forward, in milliseconds.
    pub(super) fn ms(&self) -> Result<Option<i64>, String> {
        match (self.advance, self.advance_ms) {
            (Some(_), Some(_)) => Err("advance: write advance or advance_ms, not both".to_owned()),
            (advance, advance_ms) => Ok(advance.or(advance_ms).map(|Millis(ms)| ms)),
        }
    }
}

/// The faults to be set.
pub(super) struct Faults(pub(super) Vec<Fault>);

impl Shape for Faults {
    fn schema() -> Value {
        json!({ "type": "array", "items": fault::schema(&world::faults(), false) })
    }

    fn read(value: &Value, at: &str) -> Result<Self, String> {
        Vec::read(value, at).map(Faults)
    }
}

/// A deviation to be activated: a name, or a name and where.
pub(super) struct Deviation(pub(super) String);

record! {
    struct Scoped {
        /// The name of the deviation.
        id: String,
        /// Where it acts.
        at: At,
    }
}

record! {
    /// A place.
    struct At {
        /// The endpoint.
        endpoint: Option<String>,
        /// The operation.
        op: Option<String>,
        /// The state of what the request acts on.
        state: Option<String>,
        /// The kind of wrong value.
        value: Option<String>,
    }
}

impl Shape for Deviation {
    fn schema() -> Value {
        let name =
            "the name of a deviation, as GET info lists them, of a field deviation, or of a wrong limit";
        json!({ "anyOf": [{ "type": "string", "description": name }, object(<Scoped as shape::Record>::FIELDS)] })
    }

    fn read(value: &Value, at: &str) -> Result<Self, String> {
        let name = if value.is_object() {
            let Scoped { id, at: At { endpoint, op, state, value } } = Scoped::read(value, at)?;
            let parts = [("endpoint", endpoint), ("op", op), ("state", state), ("value", value)];
            let parts = parts.into_iter().filter_map(|(part, value)| Some(format!("{part}={}", value?)));
            let parts = parts.collect::<Vec<_>>().join(",");
            if parts.is_empty() { id } else { format!("{id}@{parts}") }
        } else {
            String::read(value, at)?
        };
        world::check_deviation(&name).map_err(|why| format!("{at}: {why}"))?;
        Ok(Deviation(name))
    }
}

/// A variation to be activated.
pub(super) struct Variation(pub(super) String);

impl Shape for Variation {
    fn schema() -> Value {
        json!({ "enum": world::variations().iter().map(|one| one.name).collect::<Vec<_>>() })
    }

    fn read(value: &Value, at: &str) -> Result<Self, String> {
        let name = String::read(value, at)?;
        world::variation(&name).map_err(|why| format!("{at}: {why}"))?;
        Ok(Variation(name))
    }
}

/// The limits to be changed, by service in the order of their names.
pub(super) struct Limits(pub(super) Vec<(Service, Value)>);

/// The limits of every service as a schema; `are_all` as in a response.
pub(super) fn limits_schema(are_all: bool) -> Value {
    let all = world::limits();
    let of = |(service, known): &(Service, &[limits::Limit])| {
        (service.name().to_owned(), limits::schema(known, are_all))
    };
    let properties: Map<String, Value> = all.iter().map(of).collect();
    let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    if are_all {
        schema["required"] = all.iter().map(|(service, _)| service.name()).collect();
    }
    schema
}

impl Shape for Limits {
    fn schema() -> Value {
        limits_schema(false)
    }

    fn read(value: &Value, at: &str) -> Result<Self, String> {
        let changes = BTreeMap::<String, Value>::read(value, at)?;
        let read = |(name, limits): (String, Value)| {
            let known = Service::ALL.iter().map(|service| service.name());
            let unknown =
                || format!("{}: unknown service{}", inside(at, &name), names::unknown(&name, known));
            let service = Service::named(&name).ok_or_else(unknown)?;
            BTreeMap::<String, Value>::read(&limits, &inside(at, &name))?;
            Ok((service, limits))
        };
        changes.into_iter().map(read).collect::<Result<_, _>>().map(Limits)
    }
}

record! {
    struct ToPerform {
        /// The action, as `service.name`.
        action: String,
        /// Its arguments.
        arguments: Value = Value::Null,
    }
}

/// An action to be performed.
pub(super) struct Action {
    pub(super) action: String,
    pub(super) arguments: Value,
}

impl Shape for Action {
    const HAS_MEMBERS: bool = true;

    fn schema() -> Value {
        let one = |(name, action): &(String, shape::Action)| {
            let arguments = object(action.arguments);
            let is_needed = arguments.get("required").is_some();
            let arguments =
                if is_needed { arguments } else { json!({ "anyOf": [arguments, { "type": "null" }] }) };
            json!({
                "type": "object",
                "description": action.about,
                "properties": { "action": { "const": name }, "arguments": arguments },
                "required": if is_needed { vec!["action", "arguments"] } else { vec!["action"] },
                "additionalProperties": false,
            })
        };
        json!({ "anyOf": world::actions().iter().map(one).collect::<Vec<_>>() })
    }

    fn read(value: &Value, at: &str) -> Result<Self, String> {
        let ToPerform { action, arguments } = ToPerform::read(value, at)?;
        Ok(Action { action, arguments })
    }
}

record! {
    /// Which services are wanted.
    pub(super) struct OfService {
        /// One service; all without it.
        pub(super) service: Option<Name<ServiceName>>,
    }
}

/// The services.
pub(super) struct ServiceName;

impl Names for ServiceName {
    const WHAT: &'static str = "service";

    fn known() -> Vec<&'static str> {
        Service::ALL.iter().map(|service| service.name()).collect()
    }
}

record! {
    /// Which entries of the journal are wanted.
    pub(super) struct From {
        /// The number of the first entry.
        pub(super) from: u64 = 0,
    }
}

record! {
    /// How many requests are waited for.
    pub(super) struct AtLeast {
        /// The number of requests.
        pub(super) at_least: usize,
    }
}

record! {
    /// The snapshot to be restored.
    pub(super) struct Restore {
        /// Its name.
        pub(super) snapshot: String,
    }
}

record! {
    /// How a fork begins.
    pub(super) struct ForkBody {
        /// How its time moves; `auto` without it.
        pub(super) mode: ClockMode = ClockMode::Auto,
    }
}
