//! The bodies and queries of the control API.

use std::collections::BTreeMap;

use assay_spec::{Service, names};
use serde_json::{Map, Value, json};

use crate::fault::{self, Fault};
use crate::limits;
use crate::serve::ClockMode;
use crate::shape::{self, Millis, Moment, Name, Names, Shape, inside, object, record};
use crate::world;

record! {
    /// A change of the clock.
    pub(crate) struct SetClock {
        /// How far time moves forward.
        advance: Option<Millis>,
        /// The same under another name.
        advance_ms: Option<Millis>,
        /// How time moves from now on.
        pub(crate) mode: Option<ClockMode>,
    }
}

impl SetClock {
    /// How far time moves forward, in milliseconds.
    pub(crate) fn ms(&self) -> Result<Option<i64>, String> {
        match (self.advance, self.advance_ms) {
            (Some(_), Some(_)) => Err("advance: write advance or advance_ms, not both".to_owned()),
            (advance, advance_ms) => Ok(advance.or(advance_ms).map(|Millis(ms)| ms)),
        }
    }
}

/// The faults to be set.
pub(crate) struct Faults(pub(crate) Vec<Fault>);

impl Shape for Faults {
    fn schema() -> Value {
        json!({ "type": "array", "items": fault::schema(&world::faults(), false) })
    }

    fn read(value: &Value, at: &str) -> Result<Self, String> {
        Vec::read(value, at).map(Faults)
    }
}

/// A deviation to be activated: a name, or a name and where.
pub(crate) struct Deviation(pub(crate) String);

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
pub(crate) struct Variation(pub(crate) String);

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
pub(crate) struct Limits(pub(crate) Vec<(Service, Value)>);

/// What is wrong with a limit of a service, with its place. The error begins with the limit's name.
pub(crate) fn at_limit(service: Service, why: &str) -> String {
    format!("limits.{service}.{why}")
}

/// The limits of every service as a schema; `are_all` as in a response.
pub(crate) fn limits_schema(are_all: bool) -> Value {
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
        /// When it is performed; without it, now.
        at: Option<Moment>,
    }
}

/// An action to be performed.
#[derive(Clone, Debug)]
pub(crate) struct Action {
    pub(crate) name: String,
    pub(crate) arguments: Value,
    pub(crate) at: Option<Moment>,
}

impl Shape for Action {
    const HAS_MEMBERS: bool = true;

    fn schema() -> Value {
        let at = Option::<Moment>::schema();
        let one = |(name, action): &(String, shape::Action)| {
            let arguments = object(action.arguments);
            let is_needed = arguments.get("required").is_some();
            let arguments =
                if is_needed { arguments } else { json!({ "anyOf": [arguments, { "type": "null" }] }) };
            json!({
                "type": "object",
                "description": action.about,
                "properties": { "action": { "const": name }, "arguments": arguments, "at": at },
                "required": if is_needed { vec!["action", "arguments"] } else { vec!["action"] },
                "additionalProperties": false,
            })
        };
        json!({ "anyOf": world::actions().iter().map(one).collect::<Vec<_>>() })
    }

    fn read(value: &Value, at: &str) -> Result<Self, String> {
        let ToPerform { action, arguments, at } = ToPerform::read(value, at)?;
        Ok(Action { name: action, arguments, at })
    }
}

record! {
    /// Which services are wanted.
    pub(crate) struct OfService {
        /// One service; all without it.
        pub(crate) service: Option<Name<ServiceName>>,
    }
}

/// The services.
pub(crate) struct ServiceName;

impl Names for ServiceName {
    const WHAT: &'static str = "service";

    fn known() -> Vec<&'static str> {
        Service::ALL.iter().map(|service| service.name()).collect()
    }
}

record! {
    /// Which entries of the journal are wanted.
    pub(crate) struct From {
        /// The number of the first entry.
        pub(crate) from: u64 = 0,
    }
}

record! {
    /// How many requests are waited for.
    pub(crate) struct AtLeast {
        /// The number of requests.
        pub(crate) at_least: usize,
    }
}

record! {
    /// The snapshot to be restored.
    pub(crate) struct Restore {
        /// Its name; `start` is the world as the simulator began with it.
        pub(crate) snapshot: String,
    }
}

record! {
    /// How a fork begins.
    pub(crate) struct ForkBody {
        /// How its time moves; `auto` without it.
        pub(crate) mode: ClockMode = ClockMode::Auto,
    }
}
