//! A virtual machine's claim of its key (document 2, "VM public key claim").
//!
//! Only the VM signs a claim, so the claimer chooses the time. The document does not prevent a claimer from choosing
//! an earlier time.

use serde_json::{Value, json};

use super::fields::Fields;
use super::record::Record;
use crate::crypto::address::Address;
use crate::hosting::mistakes::claims::{EARLIEST, INVALID, OTHER_INSTANCE, TIE, V};
use crate::hosting::requirements::claims::{
    BODY, CONTENT_TYPE, INSTANCE_HASH, KEY_OF_ADDRESS, PUBKEY, REGISTERED_AT, SENDER, SIGNATURE, TYPE,
};
use crate::json;
use crate::network::signing::parse_public_key;
use crate::{Dialect, Refused, Rules, Strict};

/// The version of a claim.
pub const VERSION: i64 = 1;

/// A parsed claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The claim's own hash.
    pub item_hash: String,
    /// The VM's address.
    pub address: Address,
    /// The hash of the VM's INSTANCE message.
    pub instance_hash: String,
    /// The claimed key: `0x04` and 128 hexadecimal digits, as written.
    pub pubkey: String,
    /// ISO 8601, as written.
    pub registered_at: String,
    /// `content.time`, in seconds since the epoch.
    pub time: i64,
}

impl Claim {
    /// Reads a claim with all rules, including its signature.
    pub fn parse(record: &Record, dialect: &Dialect, rules: &mut dyn Rules) -> Result<Claim, Refused> {
        rules.require(&TYPE, record.kind == "POST", || format!("the type is {:.40}", record.kind))?;
        let stated = record.content_type.as_deref() == Some(dialect.vm_claim_type.as_str());
        rules.require(&CONTENT_TYPE, stated, || {
            format!("content.type is {:.60}", record.content_type.as_deref().unwrap_or("missing"))
        })?;
        let fields = Fields::new(record.body_of(&BODY, rules)?, "");
        fields.read("v", &V, rules, |v| json::integer(v).filter(|v| *v == VERSION))?;
        let instance_hash =
            fields.text_that("instanceHash", &INSTANCE_HASH, rules, |hash| !hash.is_empty())?;
        let pubkey = fields.text_that("pubkey", &PUBKEY, rules, is_public_key)?;
        let registered_at = fields.moment("registeredAt", &REGISTERED_AT, rules)?;
        rules.require(&SENDER, record.sender == record.address, || {
            format!("the sender is {}, but content.address is {}", record.sender, record.address)
        })?;
        rules.require(&KEY_OF_ADDRESS, may_be_key_of(&pubkey, &record.address.to_string()), || {
            format!("the address of the key is not {}", record.address)
        })?;
        let signed = record.signed();
        rules.require(&SIGNATURE, signed.is_ok(), || {
            signed.as_ref().map_or_else(ToString::to_string, |()| String::new())
        })?;
        Ok(Claim {
            item_hash: record.item_hash.clone(),
            address: record.address,
            instance_hash,
            pubkey,
            registered_at,
            time: record.time,
        })
    }
}

/// The winning claim of a VM: the earliest by time; at the same time, the one with the smaller hash.
pub fn select<'a>(claims: &'a [Claim], instance_hash: &str, rules: &mut dyn Rules) -> Option<&'a Claim> {
    let is_of_machine = rules.step(&OTHER_INSTANCE, |(claim, instance)| claim.instance_hash == instance);
    let by_time = rules.step(&EARLIEST, |(a, b)| a.time.cmp(&b.time));
    let by_hash = rules.step(&TIE, |(a, b)| a.item_hash.cmp(&b.item_hash));
    let of_machine = claims.iter().filter(|claim| is_of_machine((claim, instance_hash)));
    of_machine.min_by(|a, b| by_time((a, b)).then_with(|| by_hash((a, b))))
}

/// Reads records and selects among the valid claims; returns the others with the rule that rejected them.
pub fn winner(
    records: &[Record],
    instance_hash: &str,
    dialect: &Dialect,
    rules: &mut dyn Rules,
) -> (Option<Claim>, Vec<(String, Refused)>) {
    let (mut claims, mut refused) = (Vec::new(), Vec::new());
    for record in records {
        match Claim::parse(record, dialect, rules) {
            Ok(claim) => claims.push(claim),
            Err(why) => refused.push((record.item_hash.clone(), why)),
        }
    }
    let valid = rules.derive(&INVALID, (claims, &refused[..]), |(claims, _)| claims);
    (select(&valid, instance_hash, rules).cloned(), refused)
}

/// The content of a claim's POST.
pub fn content(
    dialect: &Dialect,
    address: &str,
    instance_hash: &str,
    pubkey: &str,
    registered_at: &str,
    time: i64,
) -> Value {
    json!({
        "address": address, "type": dialect.vm_claim_type,
        "content": {
            "v": VERSION, "instanceHash": instance_hash, "pubkey": pubkey, "registeredAt": registered_at,
        },
        "time": time,
    })
}

/// Whether `text` is a public key in its one form.
pub(super) fn is_public_key(text: &str) -> bool {
    text.len() == 132 && parse_public_key(text, &mut Strict).is_ok()
}

/// Whether a key is not the key of another address. If one of the two is malformed, there is nothing to compare: the rule of
/// its form rejects it.
pub(super) fn may_be_key_of(key: &str, address: &str) -> bool {
    let of_key = parse_public_key(key, &mut Strict).map(|key| Address::from_public_key(&key));
    of_key.ok().zip(Address::parse(address)).is_none_or(|(of_key, address)| of_key == address)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::crypto::secp256k1::{SigningKey, key_from_secret, public_key};
    use crate::crypto::text::prefixed_hex;
    use crate::hosting::record::sign;
    use crate::{Id, Without};

    fn key(secret: u8) -> SigningKey {
        key_from_secret(&[secret; 32]).unwrap()
    }

    /// A claim's record, changed before and after the key signed it.
    fn record(
        signer: &SigningKey,
        before: impl FnOnce(&mut Value),
        after: impl FnOnce(&mut Value),
    ) -> Record {
        let address = Address::from_key(&key(1)).to_string();
        let pubkey = prefixed_hex(&public_key(&key(1)));
        let content = content(&Dialect::default(), &address, "vm", &pubkey, "2026-03-04T05:06:07Z", 7);
        let mut message = json!({
            "item_hash": "h1", "sender": Address::from_key(signer).to_string(), "type": "POST",
            "channel": "SVC_CHANNEL_V1", "content": content,
        });
        before(&mut message);
        message["signature"] = sign(signer, &message.to_string(), &mut Strict).unwrap().into();
        after(&mut message);
        Record::parse(&message.to_string(), &mut Strict).unwrap()
    }

    fn with(pointer: &str, wrong: Value) -> Record {
        record(&key(1), |message| *message.pointer_mut(pointer).unwrap() = wrong, |_| ())
    }

    #[test]
    fn each_fault_breaks_one_rule_only() {
        let dialect = Dialect::default();
        let good = record(&key(1), |_| (), |_| ());
        assert_eq!(Claim::parse(&good, &dialect, &mut Strict).unwrap().instance_hash, "vm");
        let point = prefixed_hex(&public_key(&key(2)));
        let cases: [(Id, Record); 13] = [
            (&TYPE, with("/type", "AGGREGATE".into())),
            (&CONTENT_TYPE, with("/content/type", "svc".into())),
            (&V, with("/content/content/v", 2.into())),
            (&V, with("/content/content/v", "1".into())),
            (&INSTANCE_HASH, with("/content/content/instanceHash", "".into())),
            (&PUBKEY, with("/content/content/pubkey", point[2..].into())),
            (&PUBKEY, with("/content/content/pubkey", format!("0x04{}", "00".repeat(64)).into())),
            (&PUBKEY, with("/content/content/pubkey", point[..100].into())),
            (&REGISTERED_AT, with("/content/content/registeredAt", 7.into())),
            (&SENDER, record(&key(2), |_| (), |_| ())),
            (&KEY_OF_ADDRESS, with("/content/content/pubkey", point.clone().into())),
            (&SIGNATURE, record(&key(1), |_| (), |message| message["content"]["time"] = 6.into())),
            (&BODY, with("/content/content", 7.into())),
        ];
        for (rule, record) in cases {
            assert_eq!(
                Claim::parse(&record, &dialect, &mut Strict).unwrap_err().rule,
                rule,
                "{}",
                record.text
            );
            let violated = Claim::parse(&record, &dialect, &mut Without(rule));
            assert!(rule == &BODY || violated.is_ok(), "{} without {rule}", record.text);
        }
    }

    fn claim(instance: &str, time: i64, item_hash: &str) -> Claim {
        Claim {
            item_hash: item_hash.into(),
            address: Address([0; 20]),
            instance_hash: instance.into(),
            pubkey: String::new(),
            registered_at: String::new(),
            time,
        }
    }

    #[test]
    fn earliest_claim_of_the_machine_wins() {
        let claims = [claim("vm", 9, "a"), claim("vm", 5, "c"), claim("vm", 5, "b"), claim("other", 1, "d")];
        let chosen = |rules: &mut Without| select(&claims, "vm", rules).unwrap().item_hash.clone();
        assert_eq!(select(&claims, "vm", &mut Strict).unwrap().item_hash, "b");
        assert_eq!(chosen(&mut Without(&EARLIEST)), "a");
        assert_eq!(chosen(&mut Without(&TIE)), "c");
        assert_eq!(chosen(&mut Without(&OTHER_INSTANCE)), "d");
        assert_eq!(select(&claims, "none", &mut Strict), None);
    }

    #[test]
    fn invalid_claim_never_wins_and_is_reported() {
        let dialect = Dialect::default();
        let forged = record(&key(1), |m| m["item_hash"] = "h0".into(), |m| m["content"]["time"] = 1.into());
        let records = [forged, record(&key(1), |_| (), |_| ())];
        let (chosen, refused) = winner(&records, "vm", &dialect, &mut Strict);
        assert_eq!(chosen.unwrap().item_hash, "h1");
        assert_eq!((refused[0].0.as_str(), refused[0].1.rule), ("h0", &SIGNATURE));
        assert_eq!(winner(&records, "vm", &dialect, &mut Without(&SIGNATURE)).0.unwrap().item_hash, "h0");
        assert_eq!(winner(&records, "vm", &dialect, &mut Without(&INVALID)).0, None);
    }

    proptest! {
        #[test]
        fn order_of_arrival_does_not_matter(times in proptest::collection::vec(0_i64..4, 1..8)) {
            let mut claims: Vec<Claim> =
                times.iter().enumerate().map(|(n, time)| claim("vm", *time, &format!("h{n}"))).collect();
            let first = select(&claims, "vm", &mut Strict).cloned();
            claims.reverse();
            prop_assert_eq!(select(&claims, "vm", &mut Strict).cloned(), first);
        }
    }
}
