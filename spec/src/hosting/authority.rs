//! Which signer may write which record for an owner (document 2, "Signing of stored records" and the table of stored
//! records).

use super::record::Record;
use super::security::{KEY as SECURITY_KEY, Role, Security};
use crate::crypto::address::Address;
use crate::hosting::deployment::AMEND;
use crate::hosting::mistakes::authority::{EMPTY_ALL, EMPTY_OTHERS, OWNER_POSTS};
use crate::hosting::requirements::authority::{
    AGGREGATE_KEYS, CHANNELS, CLAIM_SELF, ENCRYPTION_NEVER, FORGET_SESSION, LISTED, OWNER_ADDRESS,
    POST_TYPES, SECURITY_OWNER, TYPES,
};
use crate::{Dialect, Refused, Rules};

/// The authority by which a record counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// The owner's wallet wrote it.
    Owner,
    /// A session key of the owner.
    SessionKey,
    /// The owner's delegate.
    Delegate,
    /// A virtual machine, for its own claim.
    Itself,
}

/// The members of a record that decide its authority.
#[derive(Clone, Copy, Debug)]
pub struct Act<'a> {
    /// The signer.
    pub signer: Address,
    /// `content.address`, if known.
    pub address: Option<Address>,
    /// The message's type.
    pub kind: &'a str,
    /// The channel.
    pub channel: &'a str,
    /// The key of an aggregate.
    pub key: Option<&'a str>,
    /// The content type of a POST.
    pub post_type: Option<&'a str>,
}

impl<'a> Act<'a> {
    /// Reads the members from a record.
    pub fn from_record(record: &'a Record) -> Act<'a> {
        Act {
            signer: record.sender,
            address: Some(record.address),
            kind: &record.kind,
            channel: &record.channel,
            key: record.key.as_deref(),
            post_type: record.content_type.as_deref(),
        }
    }
}

/// The authority by which `act` counts for `owner`, or the first rule that it violates. The signature is verified
/// elsewhere.
///
/// An amend belongs to a deployment: a list of post types allows it by either name. A delegate's record may name the
/// delegate in `content.address`; an aggregate and a FORGET name their owner.
pub fn allows(
    owner: Address,
    security: &Security,
    act: &Act<'_>,
    dialect: &Dialect,
    rules: &mut dyn Rules,
) -> Result<Standing, Refused> {
    let is_claim = act.kind == "POST" && act.post_type == Some(dialect.vm_claim_type.as_str());
    if is_claim {
        let own = act.address.is_none_or(|address| address == act.signer);
        rules.require(&CLAIM_SELF, own, || format!("{} claims for another address", act.signer))?;
        return Ok(Standing::Itself);
    }
    let for_owner =
        act.address.is_none_or(|address| address == owner || (act.kind == "POST" && address == act.signer));
    rules.require(&OWNER_ADDRESS, for_owner, || "content.address is not the owner's".to_owned())?;
    if act.signer == owner {
        // The document leaves open whether the wallet's own posts count.
        return rules.derive(&OWNER_POSTS, act, |_| Ok(Standing::Owner));
    }
    let is_security = act.kind == "AGGREGATE" && act.key == Some(SECURITY_KEY);
    rules.require(&SECURITY_OWNER, !is_security, || format!("{} is not the wallet", act.signer))?;
    let encryption = security.encryption_key.as_ref().and_then(super::security::EncryptionKey::address);
    rules.require(&ENCRYPTION_NEVER, encryption != Some(act.signer), || {
        format!("{} is the encryption key", act.signer)
    })?;
    let mut refused = None;
    // The permissions of several entries for one address are combined.
    for entry in security.authorizations.iter().filter(|entry| entry.address == act.signer) {
        match within(entry, act, dialect, rules) {
            Ok(standing) => return Ok(standing),
            Err(why) => refused = refused.or(Some(why)),
        }
    }
    if let Some(why) = refused {
        return Err(why);
    }
    rules.require(&LISTED, false, || format!("no authorization lists {}", act.signer))?;
    Ok(Standing::Delegate)
}

/// The authority by which `record` counts for `owner`.
pub fn judge(
    owner: Address,
    security: &Security,
    record: &Record,
    dialect: &Dialect,
    rules: &mut dyn Rules,
) -> Result<Standing, Refused> {
    allows(owner, security, &Act::from_record(record), dialect, rules)
}

fn within(
    entry: &super::security::Authorization,
    act: &Act<'_>,
    dialect: &Dialect,
    rules: &mut dyn Rules,
) -> Result<Standing, Refused> {
    let allows = rules.step(&EMPTY_OTHERS, allows_any);
    let role = entry.role();
    let forgets = act.kind == "FORGET" && role == Role::SessionKey;
    rules.require(&FORGET_SESSION, !forgets, || format!("{} is a session key", act.signer))?;
    rules.require(&TYPES, allows((&entry.types, &[act.kind])), || {
        format!("the type {:.40} is not allowed for {}", act.kind, act.signer)
    })?;
    rules.require(&CHANNELS, allows((&entry.channels, &[act.channel])), || {
        format!("the channel {:.40} is not allowed for {}", act.channel, act.signer)
    })?;
    if act.kind == "AGGREGATE" {
        let key = act.key.unwrap_or_default();
        rules.require(&AGGREGATE_KEYS, allows((&entry.aggregate_keys, &[key])), || {
            format!("the key {key:.40} is not allowed for {}", act.signer)
        })?;
    }
    if act.kind == "POST" {
        let post_type = act.post_type.unwrap_or_default();
        let names = [post_type, if post_type == AMEND { &dialect.deployment_type } else { post_type }];
        let allows = rules.step(&EMPTY_ALL, allows_any);
        rules.require(&POST_TYPES, allows((&entry.post_types, &names)), || {
            format!("the post type {post_type:.40} is not allowed for {}", act.signer)
        })?;
    }
    Ok(match role {
        Role::SessionKey => Standing::SessionKey,
        Role::Delegate => Standing::Delegate,
    })
}

/// An empty list allows everything.
fn allows_any((listed, wanted): (&[String], &[&str])) -> bool {
    listed.is_empty() || lists((listed, wanted))
}

/// Whether one of the wanted strings is listed.
pub(super) fn lists((listed, wanted): (&[String], &[&str])) -> bool {
    wanted.iter().any(|wanted| listed.iter().any(|listed| listed == wanted))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::crypto::secp256k1::{key_from_secret, public_key};
    use crate::crypto::text::prefixed_hex;
    use crate::hosting::security::{Authorization, EncryptionKey};
    use crate::{Id, Strict, Without};

    const OWNER: Address = Address([1; 20]);
    const SESSION: Address = Address([2; 20]);
    const DELEGATE: Address = Address([3; 20]);
    const STRANGER: Address = Address([9; 20]);

    fn encryption() -> EncryptionKey {
        let pubkey = prefixed_hex(&public_key(&key_from_secret(&[4; 32]).unwrap()));
        EncryptionKey { pubkey, registered_at: "2026-03-04T05:06:07Z".into() }
    }

    fn security() -> Security {
        let dialect = Dialect::default();
        Security {
            authorizations: vec![
                Authorization::session(&dialect, SESSION, None),
                Authorization::delegate(&dialect, DELEGATE),
            ],
            encryption_key: Some(encryption()),
        }
    }

    fn act(signer: Address, kind: &'static str, detail: &'static str) -> Act<'static> {
        Act {
            signer,
            address: Some(OWNER),
            kind,
            channel: "SVC_CHANNEL_V1",
            key: (kind == "AGGREGATE").then_some(detail),
            post_type: (kind == "POST").then_some(detail),
        }
    }

    fn judged(act: &Act<'_>, rules: &mut dyn Rules) -> Result<Standing, Refused> {
        allows(OWNER, &security(), act, &Dialect::default(), rules)
    }

    #[test]
    fn every_kind_of_record_is_judged_for_every_signer() {
        let e = encryption().address().unwrap();
        let rows: [(&str, &str, [Option<Id>; 5]); 6] = [
            (
                "AGGREGATE",
                "security",
                [
                    None,
                    Some(&SECURITY_OWNER),
                    Some(&SECURITY_OWNER),
                    Some(&SECURITY_OWNER),
                    Some(&SECURITY_OWNER),
                ],
            ),
            ("AGGREGATE", "projects", [None, Some(&TYPES), None, Some(&LISTED), Some(&ENCRYPTION_NEVER)]),
            ("POST", "svc-cloud-deployment", [None, None, None, Some(&LISTED), Some(&ENCRYPTION_NEVER)]),
            ("POST", "amend", [None, None, None, Some(&LISTED), Some(&ENCRYPTION_NEVER)]),
            ("FORGET", "", [None, None, Some(&FORGET_SESSION), Some(&LISTED), Some(&ENCRYPTION_NEVER)]),
            ("POST", "svc-vm-pubkey", [Some(&CLAIM_SELF); 5].map(|rule| rule)),
        ];
        for (kind, detail, expected) in rows {
            let signers = [OWNER, DELEGATE, SESSION, STRANGER, e];
            for (signer, expected) in signers.into_iter().zip(expected) {
                // The wallet's claim for its own address needs no owner.
                let expected = expected.filter(|rule| *rule != &CLAIM_SELF || signer != OWNER);
                let refused =
                    judged(&act(signer, kind, detail), &mut Strict).err().map(|refused| refused.rule);
                assert_eq!(refused, expected, "{kind} {detail} {signer}");
            }
        }
        let machine = Act { address: Some(STRANGER), ..act(STRANGER, "POST", "svc-vm-pubkey") };
        assert_eq!(judged(&machine, &mut Strict), Ok(Standing::Itself));
    }

    #[test]
    fn each_rule_rejects_alone_and_can_be_violated() {
        let e = encryption().address().unwrap();
        let mut wide = security();
        wide.authorizations.push(Authorization::session(&Dialect::default(), e, None));
        wide.authorizations[0].post_types = vec!["svc-cloud-deployment".into()];
        wide.authorizations[0].types.push("FORGET".into());
        wide.authorizations[0].pubkey = Some(String::new());
        wide.authorizations[0].aggregate_keys.push("security".into());
        let cases: [(Id, Act<'_>); 9] = [
            (&OWNER_ADDRESS, Act { address: Some(STRANGER), ..act(DELEGATE, "FORGET", "") }),
            (&LISTED, act(STRANGER, "POST", "amend")),
            (&TYPES, act(DELEGATE, "AGGREGATE", "projects")),
            (&CHANNELS, Act { channel: "SVC", ..act(DELEGATE, "POST", "amend") }),
            (&AGGREGATE_KEYS, act(SESSION, "AGGREGATE", "other")),
            (&POST_TYPES, act(SESSION, "POST", "other")),
            (&SECURITY_OWNER, act(SESSION, "AGGREGATE", "security")),
            (&FORGET_SESSION, act(SESSION, "FORGET", "")),
            (&ENCRYPTION_NEVER, act(e, "POST", "amend")),
        ];
        let dialect = Dialect::default();
        for (rule, act) in cases {
            assert_eq!(allows(OWNER, &wide, &act, &dialect, &mut Strict).unwrap_err().rule, rule);
            assert!(allows(OWNER, &wide, &act, &dialect, &mut Without(rule)).is_ok(), "{rule}");
        }
        assert!(allows(OWNER, &wide, &act(SESSION, "POST", "amend"), &dialect, &mut Strict).is_ok());
        let post = act(DELEGATE, "POST", "amend");
        assert_eq!(judged(&post, &mut Without(&EMPTY_ALL)).unwrap_err().rule, &POST_TYPES);
        let own = Act { address: Some(DELEGATE), ..post };
        assert_eq!(judged(&own, &mut Strict), Ok(Standing::Delegate));
    }

    #[test]
    fn empty_list_allows_everything_but_security() {
        let mut open = security();
        let entry = &mut open.authorizations[1];
        (entry.types, entry.channels) = (Vec::new(), Vec::new());
        let dialect = Dialect::default();
        for (kind, detail) in [("AGGREGATE", "projects"), ("POST", "x"), ("FORGET", ""), ("STORE", "")] {
            assert!(
                allows(OWNER, &open, &act(DELEGATE, kind, detail), &dialect, &mut Strict).is_ok(),
                "{kind}"
            );
        }
        let security = act(DELEGATE, "AGGREGATE", "security");
        assert_eq!(allows(OWNER, &open, &security, &dialect, &mut Strict).unwrap_err().rule, &SECURITY_OWNER);
    }

    proptest! {
        #[test]
        fn only_the_owner_writes_security(
            types in proptest::collection::vec("AGGREGATE|POST|FORGET", 0..3),
            keys in proptest::collection::vec("security|projects", 0..3),
            signer in 2_u8..5,
        ) {
            let mut wide = security();
            for entry in &mut wide.authorizations {
                (entry.types, entry.aggregate_keys) = (types.clone(), keys.clone());
            }
            let act = act(Address([signer; 20]), "AGGREGATE", "security");
            prop_assert!(allows(OWNER, &wide, &act, &Dialect::default(), &mut Strict).is_err());
        }
    }
}
