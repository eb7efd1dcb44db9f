//! A small hosting application: it writes signed records and keeps what a reader should find.

use assay_spec::crypto::address::Address;
use assay_spec::crypto::aead::{Key, Nonce};
use assay_spec::crypto::secp256k1::{SigningKey, key_from_secret, public_key};
use assay_spec::crypto::text::{prefixed_hex, sha256_hex};
use assay_spec::hosting::envelope::{Keys, Recipients, Role, Secrets, seal};
use assay_spec::hosting::recovery::{Reader, Recovery};
use assay_spec::hosting::security::{Authorization, EncryptionKey, Security};
use assay_spec::hosting::wrapping::Ephemeral;
use assay_spec::hosting::{deployment, identifier, project, record, security};
use assay_spec::{Dialect, Instant, Rules, Strict};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

pub(crate) fn key(secret: u8) -> SigningKey {
    key_from_secret(&[secret; 32]).unwrap()
}

pub(crate) fn address(secret: u8) -> String {
    Address::from_key(&key(secret)).to_string()
}

pub(crate) const WALLET: u8 = 1;
pub(crate) const SESSION: u8 = 2;
pub(crate) const DELEGATE: u8 = 3;
pub(crate) const ENCRYPTION: u8 = 4;
pub(crate) const STRANGER: u8 = 9;

/// The application.
pub(crate) struct App {
    pub(crate) dialect: Dialect,
    pub(crate) time: i64,
    pub(crate) messages: Vec<String>,
    pub(crate) entries: Map<String, Value>,
    drawn: u64,
}

impl App {
    pub(crate) fn new() -> App {
        let dialect = Dialect::default();
        let mut app =
            App { dialect, time: 1_770_000_000, messages: Vec::new(), entries: Map::new(), drawn: 0 };
        let session = Address::from_key(&key(SESSION));
        let held = Security {
            authorizations: vec![
                Authorization::session(
                    &app.dialect,
                    session,
                    Some(&prefixed_hex(&public_key(&key(SESSION)))),
                ),
                Authorization::delegate(&app.dialect, Address::from_key(&key(DELEGATE))),
            ],
            encryption_key: Some(EncryptionKey {
                pubkey: prefixed_hex(&public_key(&key(ENCRYPTION))),
                registered_at: app.now(),
            }),
        };
        app.send(WALLET, "AGGREGATE", security::content(&address(WALLET), &held, app.time));
        app
    }

    pub(crate) fn now(&self) -> String {
        Instant(self.time * 1000).to_string()
    }

    /// Bytes that are different on each call.
    pub(crate) fn draw<const N: usize>(&mut self) -> [u8; N] {
        self.drawn += 1;
        let digest = Sha256::digest(self.drawn.to_be_bytes());
        std::array::from_fn(|n| digest[n])
    }

    /// Signs and stores a message, and returns its hash.
    pub(crate) fn send(&mut self, signer: u8, kind: &str, content: Value) -> String {
        let text = signed(signer, kind, &content);
        self.messages.push(text);
        item_hash(signer, kind, &content)
    }

    pub(crate) fn seal(&mut self, plaintext: &Value) -> Map<String, Value> {
        let recipients =
            Recipients { user: public_key(&key(WALLET)), encryption: public_key(&key(ENCRYPTION)) };
        let mut ephemeral =
            || Ephemeral { key: key_from_secret(&self.draw()).unwrap(), nonce: Nonce::Sixteen(self.draw()) };
        let (user, encryption) = (ephemeral(), ephemeral());
        let secrets = Secrets { dek: Key::new(self.draw()), iv: self.draw(), user, encryption };
        let sealed = seal(plaintext.to_string().as_bytes(), &recipients, &secrets, &mut Strict).unwrap();
        sealed.envelope.as_object().unwrap().clone()
    }

    /// Creates a project, and returns its identifier.
    pub(crate) fn project(&mut self, signer: u8, name: &str) -> String {
        let id = identifier::project(self.draw());
        self.edit(signer, &id, name);
        id
    }

    /// Writes a new version of a project's entry.
    pub(crate) fn edit(&mut self, signer: u8, id: &str, name: &str) {
        self.time += 1;
        let encrypted = self.seal(&json!({
            "name": name, "source": "upload", "repo": null, "branch": null, "installationId": null,
            "buildCommand": "", "outputDir": "dist",
        }));
        let live = project::Live {
            id: id.to_owned(),
            schema_version: project::SCHEMA,
            public: project::Public {
                framework: "static".into(),
                deploy_target: project::DeployTarget::Ipfs,
                created_at: self.now(),
                updated_at: self.now(),
                deleted: false,
            },
            encrypted,
        };
        self.entries.insert(id.to_owned(), project::entry(&live));
        self.write_projects(signer);
    }

    /// Deletes a project.
    pub(crate) fn delete(&mut self, id: &str, form: project::Tombstone) {
        self.time += 1;
        let entry = project::Entry::parse(id, &self.entries[id], &mut Strict).unwrap();
        let project::Entry::Live(live) = entry else { return };
        self.entries.insert(id.to_owned(), project::tombstone(&live, &self.now(), form));
        self.write_projects(WALLET);
    }

    fn write_projects(&mut self, signer: u8) {
        let content = project::aggregate(&address(WALLET), &self.entries, self.time);
        self.send(signer, "AGGREGATE", content);
    }

    /// Creates a deployment; returns the hash of its creation message and its content.
    pub(crate) fn deploy(&mut self, project: &str) -> (String, deployment::Deployment) {
        self.time += 1;
        let created = deployment::Deployment {
            deployment_id: identifier::deployment(self.draw()),
            project_id: project.to_owned(),
            schema: Some(deployment::SCHEMA),
            public: deployment::Public {
                status: deployment::Status::Queued,
                store_ref: None,
                url: None,
                run_id: Some(self.time.into()),
                run_attempt: Some(1.into()),
                created_at: self.now(),
                finished_at: None,
                bundle_hash: None,
                cid: None,
            },
            encrypted: Some(self.seal(&deployment::Plaintext::default().to_json())),
        };
        let content = deployment::creation(&self.dialect, &address(WALLET), &created, self.time);
        (self.send(DELEGATE, "POST", content), created)
    }

    /// Writes a deployment's end at `time`, as an amend of the message `target`.
    pub(crate) fn finish(
        &mut self,
        (target, created): (&str, &deployment::Deployment),
        store_ref: Option<&str>,
        time: i64,
    ) -> String {
        let encrypted = self.seal(&json!({
            "commit": "c", "commitMessage": null, "branch": null, "actionsRunUrl": null,
            "error": if store_ref.is_some() { Value::Null } else { "it failed".into() },
        }));
        let ended = deployment::terminal_of(created, store_ref, None, &self.now(), encrypted);
        self.send(DELEGATE, "POST", deployment::amend(&address(WALLET), target, &ended, time))
    }

    /// Writes a record of schema 3, which contains its identifier itself.
    pub(crate) fn legacy(&mut self, project: &str, cid: &str) -> String {
        self.time += 1;
        let body = json!({
            "deploymentId": identifier::deployment(self.draw()), "projectId": project, "schemaVersion": 3,
            "public": {"status": "live", "cid": cid, "createdAt": self.now()},
        });
        let content = json!({
            "address": address(WALLET), "type": self.dialect.deployment_type, "content": body, "time": self.time,
        });
        self.send(DELEGATE, "POST", content)
    }
}

/// A message's hash.
pub(crate) fn item_hash(signer: u8, kind: &str, content: &Value) -> String {
    sha256_hex(format!("{signer} {kind} {content}").as_bytes())
}

/// A message's record, signed over its canonical JSON.
pub(crate) fn signed(signer: u8, kind: &str, content: &Value) -> String {
    let mut message = json!({
        "item_hash": item_hash(signer, kind, content), "chain": "ETH", "sender": address(signer), "type": kind,
        "channel": "SVC_CHANNEL_V1", "timestamp": content["time"], "content": content,
    });
    message["signature"] = record::sign(&key(signer), &message.to_string(), &mut Strict).unwrap().into();
    message["confirmations"] = json!([]);
    message.to_string()
}

/// Only the wallet's key.
pub(crate) fn wallet() -> Keys {
    Keys { wallet: Some(key(WALLET)), ..Keys::default() }
}

/// Reads messages. `answer` responds to every lookup.
pub(crate) fn recover<'a>(
    messages: impl IntoIterator<Item = &'a String>,
    nodes: usize,
    answer: impl FnMut(&str, usize) -> (u16, Value),
) -> Recovery {
    recover_by(messages, nodes, &mut Strict, answer)
}

/// As [`recover`], with these rules.
pub(crate) fn recover_by<'a>(
    messages: impl IntoIterator<Item = &'a String>,
    nodes: usize,
    rules: &mut dyn Rules,
    mut answer: impl FnMut(&str, usize) -> (u16, Value),
) -> Recovery {
    let mut reader =
        Reader::new(Address::from_key(&key(WALLET)), Dialect::default(), Role::RecoveryTool, nodes);
    for message in messages {
        reader.message(message, rules);
    }
    loop {
        let needs = reader.needs(rules);
        if needs.is_empty() {
            return reader.finish(&wallet(), rules);
        }
        for lookup in needs {
            let (status, body) = answer(&lookup.hash, lookup.node);
            reader.answer(&lookup, status, Some(&body), rules);
        }
    }
}
