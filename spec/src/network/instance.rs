//! Virtual machine instances (document 2, "Instance" and "Endpoints").
//!
//! What a control action does to the status is not shown; the transitions of the `instance` machine are the project's
//! own.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::json;
use crate::network::endpoint;
use crate::network::machines::InstanceEvent;
use crate::network::members::{filled, member, read_member, shown, text};
use crate::network::message::MessageType;
use crate::network::mistakes::instances::{ACTION, CONTROLLED_ID, CREATE_NUMBERS, CREATE_TEXTS};
use crate::network::params::Params;
use crate::network::requirements::instances as rows;
use crate::network::requirements::instances::CREATE_FIREWALL;
use crate::network::shapes::{ACCEPTED, ERRORS, FILLED, LIMIT, MESSAGE, PAGE, PAGED, PAGINATION, SUCCESS};
use crate::relation::{Alike, Fresh, Resource};
use crate::rules::{Mistake, Reading};
use crate::shape::{Body, Field, Form, Reply, ShapeKind, may, must, object};
use crate::{Refused, Rules};

/// The content of an INSTANCE, for the API description.
const INSTANCE: &[Field] = &[
    must("name", ShapeKind::Text),
    must("description", ShapeKind::Text),
    must("cpu", ShapeKind::Integer),
    must("memory", ShapeKind::Integer),
    must("disk", ShapeKind::Integer),
    must("image", ShapeKind::Text),
    must("ssh_key", ShapeKind::Text),
    must("firewall", ShapeKind::Object(FIREWALL)),
];
const FIREWALL: &[Field] = &[must("allowedPorts", ShapeKind::Array(&ShapeKind::Integer))];
/// An address, or empty until there is one.
const ADDRESS_LATER: ShapeKind = ShapeKind::Either(&[ShapeKind::Form(Form::Ipv6), ShapeKind::OneOf(&[""])]);
/// The response to it.
const INSTANCE_CREATED: &[Field] = &[
    must("item_hash", FILLED).names(MESSAGE),
    must("instance_id", FILLED).owned(&rows::CREATED_ID).names(MACHINE),
    must("ipv6", ADDRESS_LATER).or_null().owned(&rows::CREATED_IPV6).fresh(Fresh::Unique),
    must("status", SUCCESS),
];
/// The parameters of a list.
/// A machine: its record repeats what the message that created it held ("Instances").
const MACHINE: &Resource = &Resource {
    name: "instance",
    sent: &[
        ("owner", "/address"),
        ("name", "/message/content/name"),
        ("description", "/message/content/description"),
        ("cpu", "/message/content/cpu"),
        ("memory", "/message/content/memory"),
        ("disk", "/message/content/disk"),
        ("image", "/message/content/image"),
    ],
};
const LIST_QUERY: &[Field] = &[
    may("address", ShapeKind::Text).selects(&rows::BY_ADDRESS),
    may("status", ShapeKind::Text).selects(&rows::BY_STATUS),
    PAGE,
    LIMIT,
];
/// Its response.
const LIST_REPLY: &[Field] = &[must("instances", ShapeKind::Array(&Instance::SHAPE)), PAGINATION];
/// The content of an `INSTANCE_UPDATE`.
const UPDATE_CONTENT: &[Field] = &[
    must("instance_id", ShapeKind::Text),
    may("name", ShapeKind::Text),
    may("description", ShapeKind::Text),
    may("firewall", ShapeKind::Object(FIREWALL)),
];
/// The content of an `INSTANCE_CONTROL`.
const CONTROL_CONTENT: &[Field] =
    &[must("instance_id", ShapeKind::Text), must("action", ShapeKind::OneOf(&["start", "stop", "restart"]))];

endpoint! {
    /// Creates an instance.
    CREATE "create-instance" "POST" "/api/v0/instances" Envelope [200, 400, 401, 403, 429, 500]
    group: "Instances",
    body: Body::Envelope { kind: Some(MessageType::Instance.name()), content: INSTANCE },
    reply: Reply::Json(ShapeKind::Object(INSTANCE_CREATED)),
    row: Some(&rows::CREATED),
    errors: ERRORS,
}
endpoint! {
    /// Reads an instance.
    READ "instance" "GET" "/api/v0/instances/{instance_id}" None [200, 400, 404, 429, 500]
    group: "Instances",
    reply: Reply::Json(Instance::SHAPE),
    row: Some(&rows::ID),
    errors: ERRORS,
}
endpoint! {
    /// Lists instances in pages.
    LIST "instances" "GET" "/api/v0/instances" None [200, 400, 429, 500]
    group: "Instances",
    query: LIST_QUERY,
    reply: Reply::Json(ShapeKind::Object(LIST_REPLY)),
    row: Some(&rows::LISTED),
    whole: PAGED,
    errors: ERRORS,
}
endpoint! {
    /// Changes an instance.
    UPDATE "update-instance" "PUT" "/api/v0/instances/{instance_id}" Envelope [200, 400, 401, 403, 404, 429, 500]
    group: "Instances",
    body: Body::Envelope { kind: Some(MessageType::InstanceUpdate.name()), content: UPDATE_CONTENT },
    reply: ACCEPTED,
    row: Some(&rows::UPDATED),
    errors: ERRORS,
}
endpoint! {
    /// Starts, stops or restarts an instance.
    CONTROL "control-instance" "POST" "/api/v0/instances/{instance_id}/control" Envelope [200, 400, 401, 403, 404, 429, 500]
    group: "Instances",
    body: Body::Envelope { kind: Some(MessageType::InstanceControl.name()), content: CONTROL_CONTENT },
    reply: ACCEPTED,
    row: Some(&rows::CONTROLLED),
    errors: ERRORS,
}

/// The settings of a new instance. Nothing runs in one, so its key and its ports are only checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
    /// Processors, in a unit that is not shown.
    pub cpu: i64,
    /// Memory, in a unit that is not shown.
    pub memory: i64,
    /// Disk, in a unit that is not shown.
    pub disk: i64,
    /// The image it boots.
    pub image: String,
}

impl Wanted {
    /// Reads an INSTANCE's content. The description and the firewall may be missing.
    pub fn parse<'a>(content: &'a Map<String, Value>, rules: &mut dyn Rules) -> Result<Wanted, Refused> {
        let mut text = |name: &str| {
            let text = |sent: Option<&'a Value>| match sent {
                None if name == "description" => Some(""),
                sent => sent?.as_str(),
            };
            read_member(&CREATE_TEXTS, name, content, text, rules).map(str::to_owned)
        };
        let (name, description, image, _) =
            (text("name")?, text("description")?, text("image")?, text("ssh_key")?);
        let mut number = |name: &str| {
            let number = |sent: Option<&Value>| json::integer(sent?).filter(|number| *number >= 0);
            read_member(&CREATE_NUMBERS, name, content, number, rules)
        };
        let (cpu, memory, disk) = (number("cpu")?, number("memory")?, number("disk")?);
        check_ports(content, rules)?;
        Ok(Wanted { name, description, cpu, memory, disk, image })
    }
}

/// The changes of an `INSTANCE_UPDATE`; an absent member is not changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    /// The instance.
    pub instance_id: String,
    /// Its new name.
    pub name: Option<String>,
    /// Its new description.
    pub description: Option<String>,
}

impl Update {
    /// Reads an `INSTANCE_UPDATE`'s content.
    pub fn parse(content: &Map<String, Value>, rules: &mut dyn Rules) -> Result<Update, Refused> {
        for name in ["name", "description"] {
            let holds = text(content, name).is_some() || !content.contains_key(name);
            member(&CREATE_TEXTS, name, content, holds, rules)?;
        }
        let owned = |name| text(content, name).map(str::to_owned);
        let instance_id = instance_id(content, &CREATE_TEXTS, rules)?;
        check_ports(content, rules)?;
        Ok(Update { instance_id, name: owned("name"), description: owned("description") })
    }
}

/// A control action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// `start`
    Start,
    /// `stop`
    Stop,
    /// `restart`
    Restart,
}

impl Action {
    /// The actions, in the document's order.
    pub const ALL: [Action; 3] = [Action::Start, Action::Stop, Action::Restart];

    /// The action's name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Action::Start => "start",
            Action::Stop => "stop",
            Action::Restart => "restart",
        }
    }

    /// The action with exactly this name.
    pub fn named(name: &str) -> Option<Action> {
        Self::ALL.into_iter().find(|action| action.name() == name)
    }

    /// The state machine event of this action.
    pub const fn event(self) -> InstanceEvent {
        match self {
            Action::Start => InstanceEvent::Start,
            Action::Stop => InstanceEvent::Stop,
            Action::Restart => InstanceEvent::Restart,
        }
    }
}

/// An `INSTANCE_CONTROL`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Control {
    /// The instance.
    pub instance_id: String,
    /// The action.
    pub action: Action,
}

impl Control {
    /// Reads an `INSTANCE_CONTROL`'s content.
    pub fn parse(content: &Map<String, Value>, rules: &mut dyn Rules) -> Result<Control, Refused> {
        let instance_id = instance_id(content, &CONTROLLED_ID, rules)?;
        let sent = content.get("action");
        let action = rules.read_value(
            &ACTION,
            sent,
            || (sent.cloned(), Some(json!("restart"))),
            |sent| {
                let named = sent.and_then(Value::as_str).and_then(Action::named);
                named.ok_or_else(|| shown(content, "action"))
            },
        )?;
        Ok(Control { instance_id, action })
    }
}

object! {
    /// The record of an instance, members in the document's order.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Instance {
        /// Its identifier.
        instance_id: String = must("instance_id", FILLED).owned(&rows::ID).names(MACHINE),
        /// The address that created it.
        owner: String = must("owner", ShapeKind::Text).owned(&rows::OWNER).alike_in(MACHINE, Alike::AnyCase),
        /// Its name.
        name: String = must("name", ShapeKind::Text).owned(&rows::NAME).same_in(MACHINE),
        /// Its description.
        description: String = must("description", ShapeKind::Text).owned(&rows::DESCRIPTION).same_in(MACHINE),
        /// Processors.
        cpu: i64 = must("cpu", ShapeKind::Integer).owned(&rows::CPU).same_in(MACHINE),
        /// Memory.
        memory: i64 = must("memory", ShapeKind::Integer).owned(&rows::MEMORY).same_in(MACHINE),
        /// Disk.
        disk: i64 = must("disk", ShapeKind::Integer).owned(&rows::DISK).same_in(MACHINE),
        /// The image it boots.
        image: String = must("image", ShapeKind::Text).owned(&rows::IMAGE).same_in(MACHINE),
        /// Its IPv6 address.
        ipv6: String = must("ipv6", ShapeKind::Text).owned(&rows::IPV6).derived("the address that the creation returned"),
        /// `running`, `stopped` or another value; the others are not shown.
        status: &'static str = must("status", ShapeKind::Text).owned(&rows::STATUS).free("more values exist than the two that are shown"),
        /// Seconds since the epoch.
        created_at: i64 = must("created_at", ShapeKind::Seconds).owned(&rows::CREATED_AT).same_in(MACHINE).moment(),
        /// Seconds since the epoch.
        updated_at: i64 = must("updated_at", ShapeKind::Seconds).owned(&rows::UPDATED_AT).moment(),
    }
}

/// A filter over instances.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstanceFilter {
    /// The owner is this.
    pub address: Option<String>,
    /// The status is this.
    pub status: Option<String>,
}

impl InstanceFilter {
    /// The filters of `GET /instances`.
    pub fn parse(params: &Params) -> InstanceFilter {
        let text = |name| params.text(name).map(str::to_owned);
        InstanceFilter { address: text("address"), status: text("status") }
    }

    /// Whether the filter matches an instance.
    pub fn matches(&self, instance: &Instance) -> bool {
        self.address.as_ref().is_none_or(|address| address.eq_ignore_ascii_case(&instance.owner))
            && self.status.as_ref().is_none_or(|status| status == instance.status)
    }
}

fn instance_id<'a>(
    content: &'a Map<String, Value>,
    rule: &Mistake<Reading<Option<&'a Value>, &'a str>>,
    rules: &mut dyn Rules,
) -> Result<String, Refused> {
    let given = rules.read(rule, content.get("instance_id"), |sent| {
        filled(sent).ok_or_else(|| shown(content, "instance_id"))
    });
    given.map(str::to_owned)
}

/// `allowedPorts` of a firewall is an array of ports.
fn check_ports(content: &Map<String, Value>, rules: &mut dyn Rules) -> Result<(), Refused> {
    let Some(firewall) = content.get("firewall") else { return Ok(()) };
    let ports = firewall.get("allowedPorts").and_then(|ports| Vec::<u16>::deserialize(ports).ok());
    let sent = firewall.get("allowedPorts");
    rules.require_value(&CREATE_FIREWALL, sent, None, ports.is_some(), || shown(content, "firewall"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Id, Strict, Without};

    fn members(value: &Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn malformed_instances_are_rejected() {
        let good = json!({"name": "n", "cpu": 1, "memory": 2, "disk": 3, "image": "i", "ssh_key": "s",
            "firewall": {"allowedPorts": [0, 65535]}});
        let wanted = Wanted::parse(&members(&good), &mut Strict).unwrap();
        assert_eq!((wanted.cpu, wanted.memory, wanted.disk), (1, 2, 3));
        let cases: [(Id, &str, Value); 13] = [
            (&CREATE_TEXTS, "name", json!(1)),
            (&CREATE_TEXTS, "description", json!(null)),
            (&CREATE_TEXTS, "image", json!({})),
            (&CREATE_TEXTS, "ssh_key", json!([])),
            (&CREATE_NUMBERS, "cpu", json!("1")),
            (&CREATE_NUMBERS, "memory", json!(1.5)),
            (&CREATE_NUMBERS, "disk", json!(-1)),
            (&CREATE_NUMBERS, "disk", json!(u64::MAX)),
            (&CREATE_FIREWALL, "firewall", json!({"allowedPorts": 22})),
            (&CREATE_FIREWALL, "firewall", json!({"allowedPorts": ["22"]})),
            (&CREATE_FIREWALL, "firewall", json!({"allowedPorts": [65536]})),
            (&CREATE_FIREWALL, "firewall", json!({})),
            (&CREATE_FIREWALL, "firewall", json!([])),
        ];
        for (rule, name, value) in cases {
            let mut bad = members(&good);
            bad.insert(name.to_owned(), value);
            assert_eq!(Wanted::parse(&bad, &mut Strict).unwrap_err().rule, rule, "{name}");
            assert!(Wanted::parse(&bad, &mut Without(rule)).is_ok(), "{name}");
        }
    }

    #[test]
    fn only_three_actions_are_accepted() {
        for action in Action::ALL {
            let content = members(&json!({"instance_id": "i", "action": action.name()}));
            assert_eq!(Control::parse(&content, &mut Strict).unwrap().action, action);
        }
        for other in [json!("Start"), json!("erase"), json!(1), json!(null)] {
            let content = members(&json!({"instance_id": "i", "action": other}));
            assert_eq!(Control::parse(&content, &mut Strict).unwrap_err().rule, ACTION.rule);
        }
        assert!(Control::parse(&members(&json!({"action": "start"})), &mut Strict).is_err());
    }

    #[test]
    fn filters_select_by_owner_and_status() {
        let instance = Instance {
            instance_id: "i".into(),
            owner: "0xAb".into(),
            name: String::new(),
            description: String::new(),
            cpu: 1,
            memory: 1,
            disk: 1,
            image: String::new(),
            ipv6: "::1".into(),
            status: "running",
            created_at: 1,
            updated_at: 1,
        };
        for (query, expected) in [
            ("", true),
            ("address=0xaB", true),
            ("address=0x1", false),
            ("status=running", true),
            ("status=stopped", false),
            ("address=0xab&status=stopped", false),
        ] {
            let filter = InstanceFilter::parse(&Params::parse(query));
            assert_eq!(filter.matches(&instance), expected, "{query}");
        }
    }
}
