//! The exchange's limits as values; the defaults are the document's.

use assay_spec::publish::limits as document;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The limits in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// The largest request body, in bytes.
    pub body_bytes: usize,
    /// How long a prepare can be submitted.
    pub prepare_lifetime_ms: i64,
    /// How long a confirmed submit can be repeated.
    pub repeat_window_ms: i64,
    /// How long a submit waits for the chain.
    pub confirmation_wait_ms: i64,
    /// Publishes of a domain in the publish window.
    pub publishes_per_window: u32,
    /// The publish window.
    pub publish_window_ms: i64,
    /// Requests of an address in the request window.
    pub requests_per_window: u32,
    /// The request window.
    pub request_window_ms: i64,
    /// The longest record that fits one transaction, in bytes.
    pub record_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: document::BODY_BYTES,
            prepare_lifetime_ms: document::PREPARE_LIFETIME_MS,
            repeat_window_ms: document::REPEAT_WINDOW_MS,
            confirmation_wait_ms: document::CONFIRMATION_WAIT_MS,
            publishes_per_window: document::PUBLISHES_PER_DAY,
            publish_window_ms: document::PUBLISH_WINDOW_MS,
            requests_per_window: document::REQUESTS_PER_MINUTE,
            request_window_ms: document::REQUEST_WINDOW_MS,
            record_bytes: document::RECORD_BYTES,
        }
    }
}

impl Limits {
    /// Changes the limits that `changes` names; an unknown name or a value of another type changes nothing.
    pub fn set(&mut self, changes: &Value) -> Result<(), String> {
        let mut all = serde_json::to_value(&*self).map_err(|e| e.to_string())?;
        let (Some(all_members), Some(changes)) = (all.as_object_mut(), changes.as_object()) else {
            return Err("limits are an object of names and numbers".to_owned());
        };
        for (name, value) in changes {
            if !all_members.contains_key(name) {
                let known: Vec<&String> = all_members.keys().collect();
                return Err(format!("no limit is named {name:?}; known: {known:?}"));
            }
            all_members.insert(name.clone(), value.clone());
        }
        *self = serde_json::from_value(all).map_err(|e| e.to_string())?;
        Ok(())
    }
}
