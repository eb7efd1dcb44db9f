//! The world of a case.

use serde_json::{Value, json};

/// A task, and the wire between the program and the node.
#[derive(Clone, Copy)]
pub struct Scene {
    /// What the program is asked for.
    pub(super) task: Task,
    /// What happens to its requests.
    pub(super) wire: Wire,
}

/// What a program is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::embedded::client) enum Task {
    /// To create a POST.
    Post,
    /// To write an aggregate.
    Aggregate,
    /// To pin content.
    Pin,
    /// To create an instance.
    Instance,
    /// To upload a file.
    Upload,
    /// To list the messages of another address, more than one page holds.
    List,
    /// To read a message that the first node lacks.
    Read,
}

/// What happens between program and node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wire {
    /// Nothing.
    Plain,
    /// The first request takes effect, and its connection is closed without a response.
    Lost,
    /// The first request takes effect and returns 500.
    Fails,
    /// The response to the first request takes a few seconds.
    Late,
    /// The first request returns 429, and does not take effect.
    Limited,
    /// Each request returns 400, and does not take effect.
    Rejected,
    /// For a few seconds each request returns 500, and does not take effect.
    Down,
}

impl Task {
    /// The endpoint, and the type of the message that it creates; empty if it creates none.
    pub(super) const fn endpoint(self) -> (&'static str, &'static str) {
        match self {
            Task::Post => ("/api/v0/messages", "POST"),
            Task::Aggregate => ("/api/v0/aggregates", "AGGREGATE"),
            Task::Pin => ("/api/v0/ipfs/pin", "IPFS_PIN"),
            Task::Instance => ("/api/v0/instances", "INSTANCE"),
            Task::Upload => ("/api/v0/storage/store", "STORE"),
            Task::List | Task::Read => ("/api/v0/messages", ""),
        }
    }

    /// The content of the message to create.
    pub(super) fn content(self, address: &str) -> Value {
        match self {
            Task::Aggregate => {
                json!({ "address": address, "key": "check", "content": { "a": 1, "b": "\u{e9}\u{1f300}" } })
            }
            Task::Pin => json!({ "hash": "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy" }),
            Task::Instance => json!({
                "name": "check", "description": "An instance", "cpu": 1, "memory": 2048, "disk": 20480,
                "image": "debian-12", "ssh_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICheck check",
                "firewall": { "allowedPorts": [22, 443] },
            }),
            _ => json!({
                "address": address, "type": "check-note", "content": { "text": "A note: \"\u{e9}\u{1f300}\"", "n": 1.5 },
            }),
        }
    }
}
