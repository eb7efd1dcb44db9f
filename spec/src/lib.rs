#![doc = include_str!("../README.md")]
//!
//! Rule of this layer: no input or output, no clock, no randomness, no async. The same input bytes give the same
//! output bytes. Each service has its own folder. Shared modules are beside them.
//!
//! # Which function says what a section says
//!
//! A function takes the rules that are enforced: [`Strict`] enforces all of them. The folder of a service has its statements
//! in `requirements`, its limits in `limits`, and its states in `machines`.
//!
//! | document 1 | |
//! |---|---|
//! | Model discovery entry | [`gateway::discovery::Server::parse`] |
//! | Chat request body | [`gateway::chat::parse`], [`gateway::data_url::parse`] |
//! | Messages-format request body | [`gateway::messages::parse`] |
//! | Inference gateway (paths) | [`gateway::ENDPOINTS`], [`gateway::completions::parse`], [`gateway::responses::parse`] |
//! | Authentication | [`gateway::auth::bearer`] |
//! | Token metadata service (paths) | [`metadata::route::route`], [`metadata::ENDPOINTS`] |
//! | Token metadata records | [`metadata::contract`], [`metadata::token`], [`metadata::template`] |
//!
//! | document 2 | |
//! |---|---|
//! | Message record | [`network::message`], [`network::content`] |
//! | Request envelope for creating records | [`network::envelope::Envelope::parse`] |
//! | Aggregate; Instance; Pagination object | [`network::aggregate`], [`network::instance`], [`network::paging`] |
//! | Indexer records; Node metrics records | [`network::indexer`], [`network::metrics`] |
//! | Reading the STORE message | [`network::store::classify`] |
//! | General request signing | [`network::signing::verify_request`], [`network::signing::check`] |
//! | Signing of stored records | [`network::signing::verify_record`], [`hosting::authority::judge`] |
//! | Stored records | [`hosting::record`], [`hosting::project`], [`hosting::deployment`], [`hosting::security`] |
//! | Stored records: keys of machines | [`hosting::claim::select`] |
//! | Decryption of an envelope; Primitives | [`hosting::envelope::open`], [`hosting::bundle::open`] |
//! | Deriving E | [`hosting::key_e`] |
//! | Amend chain resolution | [`hosting::amends::resolve`] |
//! | What the service does: recovery | [`hosting::recovery::Reader`] |
//!
//! | document 3 | |
//! |---|---|
//! | Canonical domain | [`publish::domain::check`] |
//! | Request envelope; Exchange | [`publish::envelope::verify`] |
//! | The record | [`publish::record::Record::parse`] |
//! | The transaction message | [`publish::message::Message::decode`] |
//! | prepare; submit | [`publish::prepare::wanted`], [`publish::submit::fields`] |
//! | Checks the client runs before signing | [`publish::check::check_message`] |
//! | After submit | [`publish::verify::verify_transaction`] |
//! | POST /api/drop; Drop response | [`drop::zip::inspect`], [`drop::source::is_valid`], [`drop::response`] |
//! | Computing the content identifier | [`cid::of_folder`], [`cid::of_entries`], [`cid::of_file`] |
//!
//! # Examples
//!
//! Verify the header of a publish:
//!
//! ```
//! use assay_spec::crypto::ed25519;
//! use assay_spec::publish::envelope::{Binding, Claims, Request, sign, verify_strict};
//! use assay_spec::{Dialect, Instant};
//!
//! let (dialect, key) = (Dialect::default(), ed25519::key_from_seed([7; 32]));
//! let time = Instant::parse_exact("2026-03-04T05:06:07.089Z").expect("an instant");
//! let (path, domain, body) = ("/api/vf-cli/publish/prepare", "site.example", br#"{"domain":"site.example"}"#);
//! let header = sign(&dialect, &key, &Claims { method: "POST", path, domain, time, body });
//!
//! let request = Request { authorization: Some(&header), method: "POST", target: path, body, op: None };
//! let bindings = [Binding { domain: domain.into(), key: ed25519::address(&key), incoming_key: None }];
//! let admitted = verify_strict(&dialect, &request, time + 1000, &bindings).expect("signed by the bound key");
//! assert_eq!(admitted.domain, domain);
//! let refused = verify_strict(&dialect, &request, time + 3_600_000, &bindings).unwrap_err();
//! assert_eq!(refused.rule.to_string(), "publish.envelope.time-window");
//! ```
//!
//! Decode a message of the network, and check its signature:
//!
//! ```
//! use assay_spec::crypto::{address::Address, secp256k1::key_from_secret};
//! use assay_spec::network::envelope::{Envelope, body, message_text};
//! use assay_spec::network::signing::{Scheme, check, sign_request};
//! use assay_spec::{Dialect, Instant, Strict};
//!
//! let key = key_from_secret(&[1; 32]).expect("a key");
//! let (sender, time) = (Address::from_key(&key).to_string(), 1_770_000_000);
//! let content = serde_json::json!({ "address": sender, "type": "note", "content": "hello", "time": time });
//! let message = message_text("ETH", Some("TEST"), "POST", time, &content, Some("nonce-1"));
//! let sent = body(&message, &sign_request(&key, &message), &sender);
//!
//! let (dialect, now) = (Dialect::default(), Instant(time * 1000));
//! let read = |sent: &str| Envelope::parse(&dialect, sent.as_bytes(), None, now, &mut Strict).expect("an envelope");
//! assert_eq!(check(&read(&sent), &mut Strict), Ok(Some(Scheme::Request)));
//! let refused = check(&read(&sent.replace("hello", "bye")), &mut Strict).unwrap_err();
//! assert_eq!(refused.rule.to_string(), "network.signing.verified");
//! ```
//!
//! Open an envelope of a hosting application, and recover the project that it belongs to:
//!
//! ```
//! use assay_spec::crypto::address::Address;
//! use assay_spec::crypto::aead::{Key, Nonce};
//! use assay_spec::crypto::secp256k1::{key_from_secret, public_key};
//! use assay_spec::hosting::envelope::{Keys, Outcome, Reader, Recipients, Role, Secrets, open, seal};
//! use assay_spec::hosting::{project, record, recovery, wrapping::Ephemeral};
//! use assay_spec::{Dialect, Strict};
//! use serde_json::json;
//!
//! let key = |secret: u8| key_from_secret(&[secret; 32]).expect("a key");
//! let ephemeral = |secret: u8| Ephemeral { key: key(secret), nonce: Nonce::Sixteen([secret; 16]) };
//! let secrets = Secrets { dek: Key::new([5; 32]), iv: [6; 12], user: ephemeral(3), encryption: ephemeral(4) };
//! let (wallet, recipients) = (key(1), Recipients { user: public_key(&key(1)), encryption: public_key(&key(2)) });
//! let plaintext = json!({
//!     "name": "Site", "source": "upload", "repo": null, "branch": null, "installationId": null,
//!     "buildCommand": "", "outputDir": "dist",
//! });
//! let sealed = seal(plaintext.to_string().as_bytes(), &recipients, &secrets, &mut Strict).expect("two points");
//! let sealed = sealed.envelope;
//!
//! let keys = Keys { wallet: Some(wallet.clone()), encryption: None };
//! let outcome = open(&sealed, Reader::recovery(), &keys, &mut Strict).expect("a valid envelope");
//! assert!(matches!(outcome, Outcome::Opened(opened) if opened.plaintext == plaintext));
//!
//! let (owner, dialect, time) = (Address::from_key(&wallet), Dialect::default(), "2026-03-04T05:06:07.089Z");
//! let entry = json!({
//!     "id": "proj_AAAAAAAAAAAA", "schemaVersion": project::SCHEMA, "encrypted": sealed,
//!     "public": {
//!         "framework": "static", "deployTarget": "ipfs", "createdAt": time, "updatedAt": time, "deleted": false,
//!     },
//! });
//! let entries = [("proj_AAAAAAAAAAAA".to_owned(), entry)].into_iter().collect();
//! let mut message = json!({
//!     "item_hash": "hash", "chain": "ETH", "sender": owner.to_string(), "type": "AGGREGATE",
//!     "channel": dialect.records_channel, "timestamp": 1_770_000_000, "confirmations": [],
//!     "content": project::aggregate(&owner.to_string(), &entries, 1_770_000_000),
//! });
//! message["signature"] = record::sign(&wallet, &message.to_string(), &mut Strict).expect("a record").into();
//!
//! let mut reader = recovery::Reader::new(owner, dialect, Role::RecoveryTool, 1);
//! reader.message(&message.to_string(), &mut Strict);
//! assert!(reader.needs(&mut Strict).is_empty(), "no deployment names a STORE message");
//! let recovered = reader.finish(&keys, &mut Strict);
//! assert_eq!(recovered.projects[0].plaintext, Some(plaintext));
//! ```
//!
//! Compute the content identifier of a folder:
//!
//! ```
//! use assay_spec::Strict;
//! use assay_spec::cid::{Discard, Entry, Layout, of_entries};
//!
//! let files = [("index.html".to_owned(), Entry::File(b"<h1>Hello</h1>"))].into_iter().collect();
//! let summary = of_entries(&files, &Layout::default(), &mut Strict, &Discard).expect("a folder");
//! assert_eq!(summary.cid.to_string(), "bafybeifb4p7fpqjrbvsng5t5ydpd5hfwzfxmdath35v24rgixpqp3bptku");
//! ```

pub mod catalogue;
pub mod cid;
pub mod crypto;
pub mod dialect;
pub mod drop;
pub mod duration;
pub mod endpoint;
pub mod field;
pub mod gateway;
pub mod hosting;
pub mod instant;
pub mod json;
pub mod limit;
pub mod machine;
pub mod metadata;
pub mod names;
pub mod network;
pub mod place;
pub mod publish;
pub mod rejection;
pub mod relation;
pub mod reply;
pub mod requirement;
pub mod rules;
pub mod service;
pub mod shape;
pub mod spelling;
pub mod sse;
pub mod value;

pub use dialect::Dialect;
pub use instant::Instant;
pub use place::Place;
pub use requirement::{Id, Requirement};
pub use rules::{Refused, Rules, Strict, Without};
pub use service::Service;
