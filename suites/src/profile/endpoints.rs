//! Switches of a service's endpoints, by their names in `assay_spec`.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::marker::PhantomData;

use assay_spec::endpoint::Endpoint;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};

/// A service whose endpoints a profile can switch off.
pub trait Listing: Copy + Debug + Ord {
    /// An example endpoint name, for error messages.
    const EXAMPLE: &'static str;
    /// Its endpoints.
    fn endpoints() -> &'static [&'static Endpoint];
}

/// The node API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeApi;

impl Listing for NodeApi {
    const EXAMPLE: &'static str = "run";

    fn endpoints() -> &'static [&'static Endpoint] {
        assay_spec::network::ENDPOINTS
    }
}

/// The inference gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GatewayApi;

impl Listing for GatewayApi {
    const EXAMPLE: &'static str = "native_completions";

    fn endpoints() -> &'static [&'static Endpoint] {
        assay_spec::gateway::ENDPOINTS
    }
}

/// The name of an endpoint. A profile writes it with underscores, such as `create_message`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EndpointName<L: Listing = NodeApi>(&'static str, PhantomData<L>);

/// Switches of endpoints, such as `run = false`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoints<L: Listing = NodeApi>(BTreeSet<EndpointName<L>>);

impl<L: Listing> EndpointName<L> {
    /// The name of an endpoint from its declaration.
    pub fn from_endpoint(endpoint: &Endpoint) -> EndpointName<L> {
        EndpointName(endpoint.name, PhantomData)
    }

    /// The endpoint's short name.
    pub fn name(self) -> &'static str {
        self.0
    }

    /// The name as a profile writes it.
    pub(super) fn key(self) -> String {
        self.0.replace('-', "_")
    }

    fn parse<E: serde::de::Error>(key: &str) -> Result<EndpointName<L>, E> {
        let names = L::endpoints().iter().map(|endpoint| EndpointName::from_endpoint(endpoint));
        names.clone().find(|name| name.key() == key).ok_or_else(|| {
            let known: Vec<String> = names.map(|name: EndpointName<L>| format!("`{}`", name.key())).collect();
            E::custom(format!("unknown field `{key}`, expected one of {}", known.join(", ")))
        })
    }
}

impl<L: Listing> Endpoints<L> {
    /// The names of the endpoints that are switched off.
    pub fn absent(&self) -> BTreeSet<&'static str> {
        self.0.iter().map(|endpoint| endpoint.0).collect()
    }
}

impl<L: Listing> Default for Endpoints<L> {
    fn default() -> Self {
        Endpoints(BTreeSet::new())
    }
}

impl<L: Listing> Serialize for EndpointName<L> {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.serialize_str(&self.key())
    }
}

impl<'de, L: Listing> Deserialize<'de> for EndpointName<L> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        EndpointName::parse(&String::deserialize(input)?)
    }
}

impl<L: Listing> Serialize for Endpoints<L> {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        let mut map = output.serialize_map(Some(self.0.len()))?;
        for endpoint in &self.0 {
            map.serialize_entry(&endpoint.key(), &false)?;
        }
        map.end()
    }
}

impl<'de, L: Listing> Deserialize<'de> for Endpoints<L> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_map(Switches(PhantomData))
    }
}

/// Reads switches one by one, so that an error points to its key.
struct Switches<L>(PhantomData<L>);

impl<'de, L: Listing> Visitor<'de> for Switches<L> {
    type Value = Endpoints<L>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "switches of endpoints, such as {{ {} = false }}", L::EXAMPLE)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Endpoints<L>, A::Error> {
        let mut off = BTreeSet::new();
        while let Some(name) = map.next_key::<EndpointName<L>>()? {
            if map.next_value::<bool>()? {
                off.remove(&name)
            } else {
                off.insert(name)
            };
        }
        Ok(Endpoints(off))
    }
}
