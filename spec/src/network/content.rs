//! Parses the content of a message by its type, as far as the document gives it a form.

use serde_json::{Map, Value};

use crate::network::message::MessageType;
use crate::network::requirements::{aggregates, instances, programs, webhooks};
use crate::network::{aggregate, forget, instance, pin, program, webhook};
use crate::{Refused, Rules};

/// A parsed content.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// A POST or a STORE: any object. The validation of a STORE checks whether it names a file.
    Any,
    /// A write to an aggregate.
    Aggregate(aggregate::Write),
    /// A program.
    Program(program::Program),
    /// A new instance.
    Instance(instance::Wanted),
    /// New data of an instance.
    InstanceUpdate(instance::Update),
    /// An action on an instance.
    InstanceControl(instance::Control),
    /// A pin.
    IpfsPin(pin::Pin),
    /// A registration for events.
    Webhook(webhook::Registration),
    /// A FORGET's targets.
    Forget(forget::Targets),
}

impl Content {
    /// Reads the content of a message of type `kind`.
    pub fn parse(
        kind: MessageType,
        content: &Map<String, Value>,
        rules: &mut dyn Rules,
    ) -> Result<Content, Refused> {
        let takes = match kind {
            MessageType::Aggregate => Some(&aggregates::CREATED),
            MessageType::Program => Some(&programs::CREATED),
            MessageType::Instance => Some(&instances::CREATED),
            MessageType::Webhook => Some(&webhooks::EVENT_NAMES),
            _ => None,
        };
        if let Some(row) = takes {
            rules.accept_value(row, &Value::Object(content.clone()), None)?;
        }
        Ok(match kind {
            MessageType::Store | MessageType::Post => Content::Any,
            MessageType::Aggregate => Content::Aggregate(aggregate::Write::parse(content, rules)?),
            MessageType::Program => Content::Program(program::Program::parse(content, rules)?),
            MessageType::Instance => Content::Instance(instance::Wanted::parse(content, rules)?),
            MessageType::InstanceUpdate => Content::InstanceUpdate(instance::Update::parse(content, rules)?),
            MessageType::InstanceControl => {
                Content::InstanceControl(instance::Control::parse(content, rules)?)
            }
            MessageType::IpfsPin => Content::IpfsPin(pin::Pin::parse(content, rules)?),
            MessageType::Webhook => Content::Webhook(webhook::Registration::parse(content, rules)?),
            MessageType::Forget => Content::Forget(forget::Targets::parse(content, rules)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::Strict;

    #[test]
    fn every_type_reads_its_content() {
        let contents = [
            json!({"item_hash": "ab"}),
            json!({"anything": 1}),
            json!({"key": "k", "address": "0x1", "content": {}}),
            json!({"name": "n", "description": "d", "code": "c", "runtime": "r", "memory": 1, "timeout": 1}),
            json!({"name": "n", "description": "d", "cpu": 1, "memory": 1, "disk": 1, "image": "i", "ssh_key": "s",
                "firewall": {"allowedPorts": [22]}}),
            json!({"instance_id": "i", "name": "n", "description": "d", "firewall": {"allowedPorts": []}}),
            json!({"instance_id": "i", "action": "stop"}),
            json!({"hash": "h"}),
            json!({"url": "http://127.0.0.1/", "events": ["message.new"], "secret": "s"}),
            json!({"address": "0x1", "hashes": ["h"], "time": 1}),
        ];
        for (kind, content) in MessageType::ALL.into_iter().zip(&contents) {
            assert!(
                Content::parse(kind, content.as_object().unwrap(), &mut Strict).is_ok(),
                "{}",
                kind.name()
            );
        }
        let refused =
            MessageType::ALL[2..].iter().all(|kind| Content::parse(*kind, &Map::new(), &mut Strict).is_err());
        assert!(refused, "every type with a documented form rejects an empty content");
    }

    proptest! {
        #[test]
        fn odd_values_never_panic(kind in 0..10_usize, name in 0..16_usize, value in 0..7_usize) {
            let names = ["key", "address", "content", "time", "runtime", "memory", "timeout", "code", "cpu", "disk",
                "firewall", "action", "hash", "url", "events", "hashes"];
            let values = [json!(null), json!(-1), json!(1e300), json!(u64::MAX), json!([[]]), json!({"allowedPorts": [-1]}), json!("")];
            let content = json!({names[name]: values[value]});
            let _ = Content::parse(MessageType::ALL[kind], content.as_object().unwrap(), &mut Strict);
        }
    }
}
