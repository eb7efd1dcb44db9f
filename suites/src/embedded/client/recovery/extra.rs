//! Records that are written after the history: by the wallet, by its session key, by a stranger.

use assay_spec::Strict;
use assay_spec::crypto::address::Address;
use assay_spec::crypto::secp256k1::{SigningKey, key_from_secret};
use assay_spec::crypto::text::parse_prefixed_hex;
use assay_spec::hosting::record::sign;
use serde_json::{Value, json};

use super::super::stage::Stage;
use crate::http::exchange::Request;

/// A record that repeats another one with changes.
#[derive(Clone, Copy)]
pub(super) struct Extra {
    /// Who signs and sends it.
    pub(super) by: Author,
    /// What it repeats.
    pub(super) of: Base,
    /// It amends that record; otherwise it refers to what that record refers to.
    pub(super) amends: bool,
    /// How much later its `time` is, in seconds.
    pub(super) later_s: i64,
    /// What it changes in the message.
    pub(super) edit: fn(&mut Value),
}

/// Who signs a record.
#[derive(Clone, Copy)]
pub(super) enum Author {
    /// The owner's wallet.
    Wallet,
    /// A key that the owner's `security` lists.
    Session,
    /// A key that nothing lists.
    Stranger,
}

/// A record of the history.
#[derive(Clone, Copy)]
pub(super) enum Base {
    /// The last map of projects.
    Projects,
    /// The terminal record of the first live deployment.
    Live,
    /// The first claim of a machine.
    Claim,
}

/// The keys of an owner, as the simulator returns them with the history.
pub(super) struct Authors<'a>(pub(super) &'a Value);

impl Authors<'_> {
    fn key(&self, author: Author) -> Result<SigningKey, String> {
        let member = match author {
            Author::Wallet => "wallet_key",
            Author::Session => "session_key",
            Author::Stranger => return Ok(stranger()),
        };
        let secret =
            self.0[member].as_str().and_then(parse_prefixed_hex).and_then(|bytes| bytes.try_into().ok());
        let key = secret.and_then(|secret| key_from_secret(&secret));
        key.ok_or_else(|| format!("the history has no {member}"))
    }
}

/// A key that nothing lists.
pub(super) fn stranger() -> SigningKey {
    key_from_secret(&[0x5a; 32]).expect("a valid key")
}

impl Extra {
    /// Writes it to the node.
    pub(super) async fn write(&self, stage: &Stage, authors: Authors<'_>) -> Result<(), String> {
        let base = self.base(stage).await?;
        let key = authors.key(self.by)?;
        let mut message = base.clone();
        let time = base["content"]["time"].as_i64().unwrap_or_default();
        message["content"]["time"] = json!(time + self.later_s);
        if self.amends {
            message["content"]["ref"] = base["item_hash"].clone();
        }
        (self.edit)(&mut message);
        let now = stage.handle.read(|world| world.core.now());
        let message = json!({
            "chain": message["chain"], "channel": message["channel"], "type": message["type"],
            "timestamp": now.seconds(), "content": message["content"],
        });
        let signature = sign(&key, &message.to_string(), &mut Strict).map_err(|refused| refused.why)?;
        let address = Address::from_key(&key).to_string();
        let body = json!({ "message": message, "signature": signature, "address": address });
        let post = Request { body: body.to_string().into(), ..Request::new("POST", "/api/v0/messages") };
        stage.send("network", &post.header("Content-Type", "application/json")).await.map(drop)
    }

    /// The record that it repeats.
    async fn base(&self, stage: &Stage) -> Result<Value, String> {
        let written = stage.perform("hosting.records", &json!({}))?;
        let records = written["records"].as_array().into_iter().flatten();
        let live = written["deployments"]
            .as_array()
            .into_iter()
            .flatten()
            .find(|one| one["state"] == "live" && one["legacy"] == false && one["terminal"].is_string());
        let hash = match self.of {
            Base::Projects => records.rev().find(|one| one["kind"] == "projects").map(|one| &one["hash"]),
            Base::Claim => records.clone().find(|one| one["kind"] == "claim").map(|one| &one["hash"]),
            Base::Live => live.map(|one| &one["terminal"]),
        };
        let hash = hash.and_then(Value::as_str).ok_or("the history has no such record")?;
        let found = stage.send("network", &Request::new("GET", &format!("/api/v0/messages/{hash}"))).await?;
        Ok(found["message"].clone())
    }
}
