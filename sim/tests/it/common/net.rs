//! A caller of the node API: wallets, signed messages, uploads, and their results.

use assay_sim::network::sites::PRIMARY;
use assay_sim::{Reply, Site};
use assay_spec::Service;
use assay_spec::crypto::address::Address;
use assay_spec::crypto::secp256k1::{SigningKey, key_from_secret};
use assay_spec::network::envelope;
use assay_spec::network::signing::{sign_file, sign_request};
use serde_json::{Value, json};

use super::drop::{Form, get};
use super::{Call, Driver, body_of, show};

/// The paths, written out, so that the simulator and its tests cannot share a wrong one.
pub(crate) const MESSAGES: &str = "/api/v0/messages";
pub(crate) const FLAT: &str = "/api/v0/messages.json";
pub(crate) const STORAGE: &str = "/api/v0/storage/store";

/// A wallet.
#[derive(Clone)]
pub(crate) struct Wallet {
    key: SigningKey,
    pub(crate) address: String,
}

impl Wallet {
    /// The wallet of that number, from 1.
    pub(crate) fn new(number: u16) -> Wallet {
        let [high, low] = number.to_be_bytes();
        let secret = std::array::from_fn(|at| [high, low][at % 2]);
        let key = key_from_secret(&secret).expect("a number above 0 is a key");
        let address = Address::from_key(&key).to_string();
        Wallet { key, address }
    }

    /// The body of a signed call that creates a message.
    pub(crate) fn envelope(&self, message: &Value) -> Value {
        let text = message.to_string();
        let body = envelope::body(&text, &sign_request(&self.key, &text), &self.address);
        serde_json::from_str(&body).expect("an envelope is JSON")
    }

    /// A call that creates a message, at the endpoint for all types.
    pub(crate) fn create(&self, message: &Value) -> Call {
        post(MESSAGES, &self.envelope(message))
    }

    /// An upload to a channel.
    pub(crate) fn upload(&self, file: &[u8], content_type: &str) -> Call {
        self.form(file, content_type).call_to(STORAGE)
    }

    /// The form of an upload.
    pub(crate) fn form(&self, file: &[u8], content_type: &str) -> Form {
        let head = format!(
            "content-disposition: form-data; name=\"file\"; filename=\"f\"\r\ncontent-type: {content_type}"
        );
        Form::default()
            .part(&head, file)
            .field("address", self.address.as_bytes())
            .field("signature", sign_file(&self.key, file).as_bytes())
    }
}

/// A message of this type, sent now.
pub(crate) fn message(driver: &Driver, kind: &str, content: &Value) -> Value {
    message_at(driver.now().seconds(), kind, content)
}

/// A message of this type, sent at this second.
pub(crate) fn message_at(timestamp: i64, kind: &str, content: &Value) -> Value {
    json!({ "chain": "ETH", "channel": "TEST", "type": kind, "timestamp": timestamp, "content": content })
}

/// A POST of JSON.
pub(crate) fn post(target: &str, body: &Value) -> Call {
    let headers = vec![("content-type", b"application/json".to_vec())];
    Call::new("POST", target, headers, body.to_string().into_bytes())
}

impl Form {
    /// The upload of this form to a path.
    pub(crate) fn call_to(&self, path: &str) -> Call {
        Call { target: path.to_owned(), ..self.call() }
    }
}

/// An uploaded file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Uploaded {
    /// The message's hash.
    pub(crate) hash: String,
    /// The file's.
    pub(crate) cid: String,
}

impl Driver {
    /// A world without rate limits.
    pub(crate) fn unhurried(seed: u64) -> Driver {
        let mut driver = Driver::new(seed);
        driver.lift_rates();
        driver
    }

    pub(crate) fn lift_rates(&mut self) {
        let many = 1_000_000;
        self.set_network_limits(&json!({
            "general_per_window": many, "authenticated_per_window": many, "heavy_per_window": many,
            "rate_window_ms": 1,
        }));
    }

    pub(crate) fn set_network_limits(&mut self, limits: &Value) {
        self.world.set_limits(Service::Network, limits).expect("known limits");
    }

    /// Sends a call to a site of the network, which answers at once.
    pub(crate) fn net_at(&mut self, site: Site, call: &Call) -> Reply {
        let exchange = self.start_at(site, call);
        self.reply(exchange).expect("the network answers at once")
    }

    /// Sends a call to the primary.
    pub(crate) fn net(&mut self, call: &Call) -> Reply {
        self.net_at(PRIMARY, call)
    }

    /// The JSON of a GET that must succeed.
    pub(crate) fn read(&mut self, target: &str) -> Value {
        let reply = self.net(&get(target));
        assert_eq!(reply.status, 200, "{target}: {}", show(&reply));
        body_of(&reply)
    }

    /// Creates a message that must be accepted; returns its hash.
    pub(crate) fn take_message(&mut self, wallet: &Wallet, message: &Value) -> String {
        let reply = self.net(&wallet.create(message));
        assert_eq!(reply.status, 200, "{}", show(&reply));
        let body = body_of(&reply);
        assert_eq!(body["status"], "success");
        body["item_hash"].as_str().expect("a hash").to_owned()
    }

    /// Uploads a file that must be accepted.
    pub(crate) fn store_file(&mut self, wallet: &Wallet, file: &[u8]) -> Uploaded {
        let reply = self.net(&wallet.upload(file, "text/plain"));
        assert_eq!(reply.status, 200, "{}", show(&reply));
        let hash = body_of(&reply)["item_hash"].as_str().expect("a hash").to_owned();
        let cid = self.wrapper(&hash)["message"]["content"]["item_hash"].as_str().expect("a file").to_owned();
        Uploaded { hash, cid }
    }

    /// Sends a FORGET that must be accepted; returns its hash.
    pub(crate) fn forget(&mut self, wallet: &Wallet, hashes: &[&str]) -> String {
        let time = self.now().seconds();
        let content = json!({ "address": wallet.address, "hashes": hashes, "time": time });
        let message = message(self, "FORGET", &content);
        self.take_message(wallet, &message)
    }

    /// The response for one message, which must exist.
    pub(crate) fn wrapper(&mut self, hash: &str) -> Value {
        self.read(&format!("{MESSAGES}/{hash}"))
    }

    /// The status of a message.
    pub(crate) fn status_of(&mut self, hash: &str) -> String {
        self.wrapper(hash)["status"].as_str().expect("a status").to_owned()
    }

    /// The HTTP status of a file.
    pub(crate) fn file_status(&mut self, site: Site, hash: &str) -> u16 {
        self.net_at(site, &get(&format!("/api/v0/storage/raw/{hash}"))).status
    }

    /// Every hash of a list, read page by page.
    pub(crate) fn hashes_of(&mut self, target: &str, limit: usize) -> Vec<String> {
        let mut hashes = Vec::new();
        let sign = if target.contains('?') { '&' } else { '?' };
        for page in 1.. {
            let list = self.read(&format!("{target}{sign}limit={limit}&page={page}"));
            let messages = list["messages"].as_array().expect("an array");
            assert!(messages.len() <= limit);
            if messages.is_empty() {
                let pagination = &list["pagination"];
                assert_eq!(pagination["total"], hashes.len(), "{pagination}");
                assert_eq!(pagination["total_pages"], hashes.len().div_ceil(limit), "{pagination}");
                return hashes;
            }
            hashes.extend(messages.iter().map(|one| one["item_hash"].as_str().expect("a hash").to_owned()));
        }
        unreachable!("pages end")
    }

    pub(crate) fn network(&self) -> Value {
        self.world.view(Service::Network)
    }

    pub(crate) fn deviate(&mut self, name: &str) {
        self.world.set_deviations(&[name.to_owned()]).expect("a known deviation");
    }

    pub(crate) fn apply_variations(&mut self, names: &[&str]) {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        self.world.set_variations(&names).expect("known variations");
    }
}

/// The error body, which every refusal must have; returns its status.
pub(crate) fn refused(reply: &Reply) -> u16 {
    let body = body_of(reply);
    assert_eq!(body["status"], "error", "{}", show(reply));
    assert!(body["error"].is_string() && body["code"].is_string(), "{}", show(reply));
    reply.status
}
