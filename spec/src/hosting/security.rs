//! User security (document 2, "Security aggregate", "Signing of stored records"): the authorized signers of an owner,
//! and the encryption key.

use serde_json::{Map, Value, json};

use super::claim::{is_public_key, may_be_key_of};
use super::fields::{Fields, LIST_ITEMS, members};
use super::record::Record;
use crate::crypto::address::Address;
use crate::hosting::mistakes::security::AUTHORIZATIONS;
use crate::hosting::requirements::security::{
    BODY, DELEGATE_NO_PUBKEY, ENCRYPTION_KEY, ENCRYPTION_PUBKEY, ENCRYPTION_REGISTERED_AT, ENCRYPTION_SCHEME,
    ENTRY, ENTRY_ADDRESS, ENTRY_AGGREGATE_KEYS, ENTRY_CHANNELS, ENTRY_POST_TYPES, ENTRY_PUBKEY,
    ENTRY_PUBKEY_ADDRESS, ENTRY_TYPES, KEY as KEY_RULE, NOT_A_SIGNER, SESSION_AGGREGATE_KEYS,
    SESSION_CHANNELS, SESSION_POST_TYPES, SESSION_TYPES, TYPE,
};
use crate::network::signing::parse_public_key;
use crate::{Dialect, Refused, Rules, Strict};

/// The aggregate's key.
pub const KEY: &str = "security";
/// The scheme of the encryption key.
pub const SCHEME: &str = "wallet-sig-v1";
/// The types of a session key's entry.
pub const SESSION_KINDS: [&str; 2] = ["POST", "AGGREGATE"];
/// The aggregate keys of a session key's entry.
pub const SESSION_KEYS: [&str; 2] = ["projects", "deployments"];

/// Whether an entry looks like a session key's or a delegate's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// A key in the owner's browser.
    SessionKey,
    /// The application's backend.
    Delegate,
}

/// The permissions of another signer. An empty list allows everything of its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authorization {
    /// The signer's address.
    pub address: Address,
    /// The signer's key, which a session key's entry may hold.
    pub pubkey: Option<String>,
    /// Message types.
    pub types: Vec<String>,
    /// Channels.
    pub channels: Vec<String>,
    /// Aggregate keys.
    pub aggregate_keys: Vec<String>,
    /// Content types of POSTs.
    pub post_types: Vec<String>,
}

/// The encryption key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncryptionKey {
    /// `0x04` and 128 hexadecimal digits, as written.
    pub pubkey: String,
    /// ISO 8601, as written.
    pub registered_at: String,
}

/// The current security of an owner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Security {
    /// The other signers.
    pub authorizations: Vec<Authorization>,
    /// The encryption key.
    pub encryption_key: Option<EncryptionKey>,
}

impl Authorization {
    /// Reads one entry.
    pub fn parse(entry: &Value, rules: &mut dyn Rules) -> Result<Authorization, Refused> {
        let fields = Fields::new(members(entry, "an authorization", &ENTRY, rules)?, "authorization.");
        let address = fields.address("address", &ENTRY_ADDRESS, rules)?;
        let pubkey = match fields.value("pubkey") {
            None | Some(Value::Null) => None,
            Some(_) => Some(fields.text_that("pubkey", &ENTRY_PUBKEY, rules, is_public_key)?),
        };
        let stated = fields.value("address").and_then(Value::as_str).unwrap_or_default();
        let is_own = pubkey.as_deref().is_none_or(|key| may_be_key_of(key, stated));
        rules
            .require(&ENTRY_PUBKEY_ADDRESS, is_own, || format!("the address of the key is not {address}"))?;
        Ok(Authorization {
            address,
            pubkey,
            types: fields.texts("types", &ENTRY_TYPES, rules)?,
            channels: fields.texts("channels", &ENTRY_CHANNELS, rules)?,
            aggregate_keys: fields.texts("aggregate_keys", &ENTRY_AGGREGATE_KEYS, rules)?,
            post_types: fields.texts("post_types", &ENTRY_POST_TYPES, rules)?,
        })
    }

    /// A session key's entry. `pubkey` is informational.
    pub fn session(dialect: &Dialect, address: Address, pubkey: Option<&str>) -> Authorization {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        Authorization {
            address,
            pubkey: pubkey.map(str::to_owned),
            types: texts(&SESSION_KINDS),
            channels: texts(&[&dialect.records_channel]),
            aggregate_keys: texts(&SESSION_KEYS),
            post_types: Vec::new(),
        }
    }

    /// A delegate's entry. The document does not show its lists; these are the ones that its records need.
    pub fn delegate(dialect: &Dialect, address: Address) -> Authorization {
        Authorization {
            types: ["POST", "FORGET", "STORE"].map(str::to_owned).to_vec(),
            aggregate_keys: Vec::new(),
            ..Self::session(dialect, address, None)
        }
    }

    /// The kind of entry: a session key's has a `pubkey`, or allows AGGREGATE without FORGET.
    pub fn role(&self) -> Role {
        let lists = |kind: &str| self.types.iter().any(|listed| listed == kind);
        if self.pubkey.is_some() || (lists("AGGREGATE") && !lists("FORGET")) {
            Role::SessionKey
        } else {
            Role::Delegate
        }
    }

    /// The entry's JSON, members in the document's order.
    pub fn to_json(&self) -> Value {
        let mut entry = json!({"address": self.address.to_string()});
        if let Some(pubkey) = &self.pubkey {
            entry["pubkey"] = pubkey.as_str().into();
        }
        entry["types"] = json!(self.types);
        entry["channels"] = json!(self.channels);
        entry["aggregate_keys"] = json!(self.aggregate_keys);
        entry["post_types"] = json!(self.post_types);
        entry
    }
}

impl EncryptionKey {
    /// Reads `encryptionKey`.
    pub fn parse(value: &Value, rules: &mut dyn Rules) -> Result<EncryptionKey, Refused> {
        let fields = Fields::new(members(value, "encryptionKey", &ENCRYPTION_KEY, rules)?, "encryptionKey.");
        let pubkey = fields.text_that("pubkey", &ENCRYPTION_PUBKEY, rules, is_public_key)?;
        fields.text_that("scheme", &ENCRYPTION_SCHEME, rules, |scheme| scheme == SCHEME)?;
        let registered_at = fields.moment("registeredAt", &ENCRYPTION_REGISTERED_AT, rules)?;
        Ok(EncryptionKey { pubkey, registered_at })
    }

    /// The address of the key; the key signs nothing.
    pub fn address(&self) -> Option<Address> {
        parse_public_key(&self.pubkey, &mut Strict).ok().map(|key| Address::from_public_key(&key))
    }

    /// The member's JSON, members in the document's order.
    pub fn to_json(&self) -> Value {
        json!({"pubkey": self.pubkey, "scheme": SCHEME, "registeredAt": self.registered_at})
    }
}

impl Security {
    /// Reads the aggregate's content. Invalid parts allow nothing and are reported; the rest is still read.
    pub fn read(content: &Map<String, Value>, rules: &mut dyn Rules) -> (Security, Vec<Refused>) {
        let (mut security, mut faults) = (Security::default(), Vec::new());
        let fields = Fields::new(content, "");
        let listed = fields.read("authorizations", &AUTHORIZATIONS, rules, |listed| {
            listed.as_array().map(Vec::as_slice).filter(|listed| listed.len() <= LIST_ITEMS)
        });
        match listed {
            Ok(listed) => {
                for entry in listed {
                    match Authorization::parse(entry, rules) {
                        Ok(entry) => security.authorizations.push(entry),
                        Err(fault) => faults.push(fault),
                    }
                }
            }
            Err(fault) => faults.push(fault),
        }
        match EncryptionKey::parse(fields.value("encryptionKey").unwrap_or(&Value::Null), rules) {
            Ok(key) => security.encryption_key = Some(key),
            Err(fault) => faults.push(fault),
        }
        let signs = security.encryption_key.as_ref().and_then(EncryptionKey::address);
        let listed = security.authorizations.iter().any(|entry| Some(entry.address) == signs);
        let held =
            rules.require(&NOT_A_SIGNER, !listed, || "an authorization lists encryptionKey".to_owned());
        faults.extend(held.err());
        (security, faults)
    }

    /// The aggregate's content as JSON, members in the document's order.
    pub fn to_json(&self) -> Value {
        let entries: Vec<Value> = self.authorizations.iter().map(Authorization::to_json).collect();
        let mut content = json!({"authorizations": entries});
        if let Some(key) = &self.encryption_key {
            content["encryptionKey"] = key.to_json();
        }
        content
    }
}

/// The content of the AGGREGATE that writes `security`.
pub fn content(owner: &str, security: &Security, time: i64) -> Value {
    json!({"address": owner, "key": KEY, "content": security.to_json(), "time": time})
}

/// The body of an AGGREGATE of security.
pub fn body<'a>(record: &'a Record, rules: &mut dyn Rules) -> Result<&'a Map<String, Value>, Refused> {
    rules.require(&TYPE, record.kind == "AGGREGATE", || format!("the type is {:.40}", record.kind))?;
    let key = record.key.as_deref();
    rules.require(&KEY_RULE, key == Some(KEY), || format!("the key is {:.40}", key.unwrap_or("missing")))?;
    record.body_of(&BODY, rules)
}

/// Checks an aggregate of security against the rules for its writer. `delegate` comes from outside the record.
pub fn judge(
    record: &Record,
    dialect: &Dialect,
    delegate: Option<Address>,
    rules: &mut dyn Rules,
) -> Result<Security, Refused> {
    let (security, faults) = Security::read(body(record, rules)?, rules);
    if let Some(fault) = faults.into_iter().next() {
        return Err(fault);
    }
    for entry in &security.authorizations {
        if delegate == Some(entry.address) {
            rules.require(&DELEGATE_NO_PUBKEY, entry.pubkey.is_none(), || {
                "the delegate's authorization has a pubkey".to_owned()
            })?;
        } else if entry.role() == Role::SessionKey {
            judge_session(entry, dialect, rules)?;
        }
    }
    Ok(security)
}

fn judge_session(entry: &Authorization, dialect: &Dialect, rules: &mut dyn Rules) -> Result<(), Refused> {
    let same = |listed: &[String], wanted: &[&str]| {
        listed.len() == wanted.len() && wanted.iter().all(|text| listed.iter().any(|listed| listed == text))
    };
    let channel = dialect.records_channel.as_str();
    for (rule, name, listed, wanted) in [
        (&SESSION_TYPES, "types", &entry.types, &SESSION_KINDS[..]),
        (&SESSION_CHANNELS, "channels", &entry.channels, &[channel][..]),
        (&SESSION_AGGREGATE_KEYS, "aggregate_keys", &entry.aggregate_keys, &SESSION_KEYS[..]),
        (&SESSION_POST_TYPES, "post_types", &entry.post_types, &[][..]),
    ] {
        rules.require(rule, same(listed, wanted), || {
            format!("{name} of {} are {:.200}", entry.address, format!("{listed:?}"))
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crypto::secp256k1::{key_from_secret, public_key};
    use crate::crypto::text::prefixed_hex;
    use crate::{Id, Without};

    fn address_and_key(secret: u8) -> (Address, String) {
        let key = key_from_secret(&[secret; 32]).unwrap();
        (Address::from_key(&key), prefixed_hex(&public_key(&key)))
    }

    fn sample() -> Security {
        let dialect = Dialect::default();
        let (session, key) = address_and_key(2);
        Security {
            authorizations: vec![
                Authorization::session(&dialect, session, Some(&key)),
                Authorization::delegate(&dialect, address_and_key(3).0),
            ],
            encryption_key: Some(EncryptionKey {
                pubkey: address_and_key(4).1,
                registered_at: "2026-03-04T05:06:07.089Z".into(),
            }),
        }
    }

    fn record(content: &Value) -> Record {
        let address = address_and_key(1).0.to_string();
        let message = json!({
            "item_hash": "h", "sender": address, "type": "AGGREGATE", "channel": "SVC_CHANNEL_V1", "signature": "",
            "content": {"address": address, "key": "security", "content": content, "time": 1},
        });
        Record::parse(&message.to_string(), &mut Strict).unwrap()
    }

    fn judged(content: &Value, rules: &mut dyn Rules) -> Result<Security, Refused> {
        judge(&record(content), &Dialect::default(), Some(address_and_key(3).0), rules)
    }

    #[test]
    fn written_security_is_read_back_with_its_roles() {
        let security = sample();
        assert_eq!(judged(&security.to_json(), &mut Strict), Ok(security.clone()));
        let roles: Vec<Role> = security.authorizations.iter().map(Authorization::role).collect();
        assert_eq!(roles, [Role::SessionKey, Role::Delegate]);
        let bare = Authorization::session(&Dialect::default(), address_and_key(2).0, None);
        assert_eq!(bare.role(), Role::SessionKey);
    }

    #[test]
    fn each_fault_breaks_one_rule_only() {
        let entry = "/authorizations/0";
        let cases: [(Id, String, Value); 22] = [
            (&AUTHORIZATIONS, "/authorizations".into(), json!({})),
            (&ENTRY, entry.into(), json!("x")),
            (&ENTRY_ADDRESS, format!("{entry}/address"), "0x12".into()),
            (&ENTRY_ADDRESS, format!("{entry}/address"), Value::Null),
            (&ENTRY_PUBKEY, format!("{entry}/pubkey"), "0x04".into()),
            (&ENTRY_PUBKEY, format!("{entry}/pubkey"), 7.into()),
            (&ENTRY_PUBKEY_ADDRESS, format!("{entry}/pubkey"), address_and_key(5).1.into()),
            (&ENTRY_TYPES, format!("{entry}/types"), "POST".into()),
            (&ENTRY_CHANNELS, format!("{entry}/channels"), json!([1])),
            (&ENTRY_AGGREGATE_KEYS, format!("{entry}/aggregate_keys"), json!({})),
            (&ENTRY_POST_TYPES, format!("{entry}/post_types"), 7.into()),
            (&SESSION_TYPES, format!("{entry}/types"), json!(["POST"])),
            (&SESSION_CHANNELS, format!("{entry}/channels"), json!(["SVC"])),
            (&SESSION_AGGREGATE_KEYS, format!("{entry}/aggregate_keys"), json!(["projects", "security"])),
            (&SESSION_POST_TYPES, format!("{entry}/post_types"), json!(["x"])),
            (&DELEGATE_NO_PUBKEY, "/authorizations/1/pubkey".into(), address_and_key(3).1.into()),
            (&ENCRYPTION_KEY, "/encryptionKey".into(), Value::Null),
            (&ENCRYPTION_PUBKEY, "/encryptionKey/pubkey".into(), address_and_key(4).1[..60].into()),
            (&ENCRYPTION_SCHEME, "/encryptionKey/scheme".into(), "wallet-sig-v2".into()),
            (&ENCRYPTION_REGISTERED_AT, "/encryptionKey/registeredAt".into(), 7.into()),
            (&NOT_A_SIGNER, "/encryptionKey/pubkey".into(), address_and_key(3).1.into()),
            (&ENCRYPTION_PUBKEY, "/encryptionKey/pubkey".into(), format!("0x04{}", "11".repeat(64)).into()),
        ];
        for (rule, pointer, wrong) in cases {
            let mut content = sample().to_json();
            let (parent, name) = pointer.rsplit_once('/').unwrap();
            match content.pointer_mut(parent).unwrap() {
                Value::Array(items) => items[name.parse::<usize>().unwrap()] = wrong,
                object => object[name] = wrong,
            }
            assert_eq!(judged(&content, &mut Strict).expect_err(&pointer).rule, rule, "{pointer}");
            // An entry that is not an object has no address, and a missing key has no form.
            let bare = rule == &ENTRY || rule == &ENCRYPTION_KEY;
            let violated = judged(&content, &mut Without(rule));
            // A list that is read as empty still differs from a session key's list.
            let lists: [Id; 3] = [&ENTRY_TYPES, &ENTRY_CHANNELS, &ENTRY_AGGREGATE_KEYS];
            let read = Security::read(content.as_object().unwrap(), &mut Without(rule));
            let passes = violated.is_ok() || (lists.contains(&rule) && read.1.is_empty());
            assert!(bare || passes, "{pointer} without {rule}: {violated:?}");
        }
        let mut other = record(&sample().to_json());
        other.key = Some("projects".into());
        assert_eq!(judge(&other, &Dialect::default(), None, &mut Strict).unwrap_err().rule, &KEY_RULE);
        other.kind = "POST".into();
        assert_eq!(judge(&other, &Dialect::default(), None, &mut Strict).unwrap_err().rule, &TYPE);
        assert_eq!(judged(&json!(7), &mut Strict).unwrap_err().rule, &BODY);
    }

    #[test]
    fn one_invalid_entry_does_not_affect_the_others() {
        let mut content = sample().to_json();
        content["authorizations"][0]["types"] = 7.into();
        let (security, faults) = Security::read(content.as_object().unwrap(), &mut Strict);
        assert_eq!((security.authorizations.len(), faults.len()), (1, 1));
        assert!(security.encryption_key.is_some());
    }
}
