//! Webhooks (document 2, "Events" and "Endpoints").
//!
//! The payload of a delivery is not shown; payload and signature below are the project's own.

use hmac::{Hmac, KeyInit, Mac};
use serde::Serialize;
use serde_json::{Map, Value};
use sha2::Sha256;

use crate::crypto::text::hex;
use crate::network::endpoint;
use crate::network::members::{filled, read_member};
use crate::network::message::MessageType;
use crate::network::mistakes::webhooks::{EVENTS, SECRET, URL};
use crate::network::requirements::webhooks::REGISTERED as REGISTERED_ROW;
use crate::network::shapes::{ERRORS, FILLED, SUCCESS};
use crate::relation::Fresh;
use crate::shape::{Body, Field, Reply, ShapeKind, must};
use crate::{Refused, Rules};

/// The content of a registration, for the API description.
const REGISTRATION: &[Field] = &[
    must("url", ShapeKind::Text),
    must("events", ShapeKind::Array(&ShapeKind::Text)),
    must("secret", ShapeKind::Text),
];
/// The response to it.
const REGISTERED: &[Field] = &[
    // A server may keep one registration of each URL for its owner.
    must("webhook_id", FILLED).fresh(Fresh::Per(&["/address", "/message/content/url"])),
    must("status", SUCCESS),
];

endpoint! {
    /// Registers a webhook.
    CREATE "create-webhook" "POST" "/api/v0/webhooks" Envelope [200, 400, 401, 403, 429, 500]
    group: "Webhooks",
    body: Body::Envelope { kind: Some(MessageType::Webhook.name()), content: REGISTRATION },
    reply: Reply::Json(ShapeKind::Object(REGISTERED)),
    row: Some(&REGISTERED_ROW),
    errors: ERRORS,
}

/// The event of a message that was accepted.
pub const MESSAGE_NEW: &str = "message.new";
/// The event of a program that was run.
pub const PROGRAM_EXECUTED: &str = "program.executed";
/// The header that carries a delivery's signature.
pub const SIGNATURE_HEADER: &str = "webhook-signature";

/// A registration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registration {
    /// The URL for deliveries.
    pub url: String,
    /// The event names. Unknown names are kept, but no delivery follows.
    pub events: Vec<String>,
    /// The key that signs deliveries.
    pub secret: String,
}

impl Registration {
    /// Reads a WEBHOOK's content.
    pub fn parse(content: &Map<String, Value>, rules: &mut dyn Rules) -> Result<Registration, Refused> {
        let url = read_member(&URL, "url", content, filled, rules)?.to_owned();
        let texts = |sent: Option<&Value>| serde_json::from_value(sent?.clone()).ok();
        let events = read_member(&EVENTS, "events", content, texts, rules)?;
        let secret = content.get("secret");
        let secret = rules.read_value(
            &SECRET,
            secret,
            || (secret.cloned(), None),
            // The secret itself stays out of the log.
            |secret| {
                secret.and_then(Value::as_str).ok_or_else(|| "secret is missing or not a string".to_owned())
            },
        )?;
        Ok(Registration { url, events, secret: secret.to_owned() })
    }

    /// Whether an event is delivered.
    pub fn wants(&self, event: &str) -> bool {
        self.events.iter().any(|wanted| wanted == event)
    }
}

/// The payload of a delivery.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Delivery {
    /// The event.
    pub event: String,
    /// The registration.
    pub webhook_id: String,
    /// Seconds since the epoch.
    pub timestamp: i64,
    /// The event's data.
    pub data: Value,
}

/// The signature of a delivery's body: the hex of its HMAC-SHA256 under the secret.
pub fn sign(secret: &str, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("any length is a key");
    mac.update(body);
    hex(&mac.finalize().into_bytes())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Id, Strict, Without};

    #[test]
    fn malformed_registrations_are_rejected() {
        let good = json!({"url": "http://127.0.0.1:9/", "events": [MESSAGE_NEW, "other"], "secret": ""});
        let parse = |content: &Value| Registration::parse(content.as_object().unwrap(), &mut Strict);
        let registration = parse(&good).unwrap();
        assert!(registration.wants(MESSAGE_NEW) && !registration.wants(PROGRAM_EXECUTED));
        let cases: [(Id, &str, Value); 6] = [
            (&URL, "url", json!(1)),
            (&URL, "url", json!("")),
            (&EVENTS, "events", json!("message.new")),
            (&EVENTS, "events", json!([1])),
            (&EVENTS, "events", json!(null)),
            (&SECRET, "secret", json!(7)),
        ];
        for (rule, name, value) in cases {
            let mut bad = good.clone();
            bad[name] = value;
            assert_eq!(parse(&bad).unwrap_err().rule, rule);
            assert!(Registration::parse(bad.as_object().unwrap(), &mut Without(rule)).is_ok());
        }
    }

    /// RFC 4231, test case 2.
    #[test]
    fn deliveries_are_signed_by_hmac() {
        assert_eq!(
            sign("Jefe", b"what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }
}
