//! Writes to the aggregate `security`: the authorized senders, and the owner's encryption key.

use std::collections::BTreeSet;

use assay_spec::crypto::address::Address;
use assay_spec::crypto::secp256k1::public_key as public_key_of;
use assay_spec::crypto::text::prefixed_hex;
use assay_spec::hosting::requirements::{records, security as rows};
use serde_json::{Value, json};

use super::found::{Found, found};
use super::judge::{
    ARRAY, MOMENT, OBJECT, POINT, Seen, each, every, exactly, expect, is_address, is_address_of, is_object,
    is_public_key, public_key, some,
};
use super::message::{Message, MessageKind};
use crate::harness::check::{Checked, Stop, shows};
use crate::harness::probe::Probe;

members! {
    /// Reads every write to `security`. `type` must be `AGGREGATE`.
    TYPE security_is_an_aggregate:
        every(Security, "/type"), exactly("AGGREGATE"), rests!(rows::OWNER, rows::SIGNER);
    /// Reads every write to `security`. `content.key` must be `security`.
    KEY security_has_its_key:
        every(Security, "/content/key"), exactly("security"), rests!(rows::OWNER, rows::SIGNER);
    /// Reads every write to `security`. `encryptionKey` must be an object.
    ENCRYPTION_KEY encryption_keys_are_objects:
        every(Security, "/content/content/encryptionKey"), OBJECT, rests!();
    /// Reads every write to `security`. `encryptionKey.pubkey` must be `0x04` and 128 hexadecimal digits of a curve
    /// point.
    ENCRYPTION_PUBKEY encryption_keys_are_points:
        every(Security, "/content/content/encryptionKey/pubkey"), POINT, KEY;
    /// Reads every write to `security`. `encryptionKey.scheme` must be `wallet-sig-v1`.
    ENCRYPTION_SCHEME encryption_keys_name_their_scheme:
        every(Security, "/content/content/encryptionKey/scheme"), exactly("wallet-sig-v1"), KEY;
    /// Reads every write to `security`. `encryptionKey.registeredAt` must be an ISO 8601 time.
    ENCRYPTION_REGISTERED_AT encryption_keys_name_when_they_were_registered:
        every(Security, "/content/content/encryptionKey/registeredAt"), MOMENT, KEY;
    /// Reads every write to `security`. `authorizations` must be an array.
    AUTHORIZATIONS authorizations_are_an_array:
        every(Security, "/content/content/authorizations"), ARRAY, rests!();
}

const KEY: &[assay_spec::Id] = rests!(rows::ENCRYPTION_KEY);
const ENTRY: &[assay_spec::Id] = rests!(rows::AUTHORIZATIONS, rows::ENTRY);
const SESSION: &[assay_spec::Id] =
    rests!(rows::AUTHORIZATIONS, rows::ENTRY, rows::DELEGATE_NO_PUBKEY, rows::ENTRY_ADDRESS);

/// The addresses that the owner's `security` lists. Without a write to `security`, the check is not testable.
pub(super) fn delegates(found: &Found) -> Result<BTreeSet<Address>, Stop> {
    let security = found.security();
    some(found, security.len(), "write to `security`")?;
    let entries = security.into_iter().filter(|one| one.sender() == Some(found.owner)).flat_map(entries);
    Ok(entries.filter_map(|one| one.value?["address"].as_str().and_then(Address::parse)).collect())
}

/// The session keys that the owner's `security` allows to write `projects`.
pub(super) fn may_write_projects(found: &Found) -> Vec<Address> {
    let allows = |entry: &Value, member: &str, wanted: &str| match entry[member].as_array() {
        None => true,
        Some(items) => items.is_empty() || items.iter().any(|item| item == wanted),
    };
    let writes = found.security().into_iter().filter(|one| one.sender() == Some(found.owner));
    let entries = writes.flat_map(entries).filter_map(|one| one.value);
    let allowed = entries.filter(|entry| {
        is_session(found, entry)
            && allows(entry, "types", "AGGREGATE")
            && allows(entry, "aggregate_keys", "projects")
    });
    allowed.filter_map(|entry| entry["address"].as_str().and_then(Address::parse)).collect()
}

/// The authorizations in a write to `security`.
fn entries(security: &Message) -> Vec<Seen<'_>> {
    let items = security.body()["authorizations"].as_array().into_iter().flatten().enumerate();
    items
        .map(|(n, entry)| Seen {
            message: security,
            place: format!("/content/content/authorizations/{n}"),
            value: Some(entry),
        })
        .collect()
}

/// The senders of deployments and FORGETs.
fn senders(found: &Found) -> BTreeSet<Address> {
    let sent = [MessageKind::Creation, MessageKind::Amend, MessageKind::Forget]
        .into_iter()
        .flat_map(|kind| found.of_kind(kind));
    sent.filter_map(Message::sender).collect()
}

/// Whether an authorization is a session key's: it is not a delegate's, and has a `pubkey` or has written `projects`.
fn is_session(found: &Found, entry: &Value) -> bool {
    let address = entry["address"].as_str().and_then(Address::parse);
    let is_delegate = address.is_some_and(|address| senders(found).contains(&address));
    let mut writers = found.of_kind(MessageKind::Projects).into_iter().filter_map(Message::sender);
    let writes = address.is_some_and(|address| writers.any(|writer| writer == address));
    !is_delegate && (entry.get("pubkey").is_some() || writes)
}

/// Judges a member of every authorization that `is_wanted` selects.
async fn each_entry(
    probe: &Probe<'_>,
    what: &str,
    member: &str,
    is_wanted: impl Fn(&Found, &Value) -> bool,
    want: &str,
    holds: impl Fn(Option<&Value>) -> bool,
) -> Checked {
    let found = found(probe).await?;
    let entries = found.security().into_iter().flat_map(entries);
    let wanted = entries.filter(|one| one.value.is_some_and(|entry| is_wanted(&found, entry)));
    let seen = wanted.map(|one| Seen {
        place: format!("{}/{member}", one.place),
        value: one.value.and_then(|entry| entry.get(member)),
        ..one
    });
    each(probe, &found, what, seen, want, holds)
}

/// Reads every write to `security` that the owner sent. `content.address` must be the owner's; writes by others under
/// their own addresses do not count.
#[shows(rows::OWNER, after = rests!(records::ADDRESS))]
async fn security_belongs_to_the_owners_address(probe: &Probe<'_>) -> Checked {
    let found = found(probe).await?;
    let owner = found.owner;
    let want = format!("the owner's address, {owner}");
    let of_owner = found.of_kind(MessageKind::Security).into_iter().filter(|one| one.sender() == Some(owner));
    let seen = of_owner.map(|one| one.at("/content/address"));
    each(probe, &found, "write to `security` by the owner", seen, &want, is_address_of(owner))
}

/// Reads every write to `security` under the owner's address. `sender` must be the owner.
#[shows(rows::SIGNER, after = rests!())]
async fn security_is_written_by_the_wallet_alone(probe: &Probe<'_>) -> Checked {
    let owner = found(probe).await?.owner;
    let want = format!("the owner's address, {owner}");
    every(probe, MessageKind::Security, "/sender", &want, is_address_of(owner)).await
}

/// Derives E from the owner's wallet key. `encryptionKey.pubkey` of every write to `security` must be E's public key.
#[shows(rows::ENCRYPTION_IS_E, after = rests!(rows::ENCRYPTION_KEY, rows::ENCRYPTION_PUBKEY))]
async fn the_encryption_key_is_the_wallets_e(probe: &Probe<'_>) -> Checked {
    let found = found(probe).await?;
    let key = super::key_e::needed(probe, &found)?;
    let want = prefixed_hex(&public_key_of(&key));
    let seen = found.security().into_iter().map(|one| one.at("/content/content/encryptionKey/pubkey"));
    each(probe, &found, "write", seen, &want, |value| {
        value.and_then(Value::as_str).is_some_and(|text| text.eq_ignore_ascii_case(&want))
    })
}

/// Reads every write to `security`. No authorization may name the encryption key or its address.
#[shows(
    rows::NOT_A_SIGNER,
    after = rests!(
        rows::ENTRY_PUBKEY_ADDRESS, rows::ENCRYPTION_KEY, rows::ENCRYPTION_PUBKEY, rows::AUTHORIZATIONS,
        rows::ENTRY,
    ),
)]
async fn the_encryption_key_may_write_nothing(probe: &Probe<'_>) -> Checked {
    let found = found(probe).await?;
    let mut count = 0;
    for security in found.security() {
        let key = security.body()["encryptionKey"]["pubkey"].as_str().and_then(public_key);
        let Some(key) = key else { continue };
        let address = Address::from_public_key(&key);
        count += 1;
        for entry in entries(security) {
            let value = entry.value.unwrap_or(&Value::Null);
            let is_it = value["address"].as_str().and_then(Address::parse) == Some(address)
                || value["pubkey"].as_str().and_then(public_key) == Some(key);
            expect(
                probe,
                &found,
                security,
                !is_it,
                &entry.place,
                "not the encryption key",
                "the encryption key",
            )?;
        }
    }
    some(&found, count, "valid encryption key")
}

/// Reads every authorization. It must be an object.
#[shows(rows::ENTRY, after = rests!(rows::AUTHORIZATIONS))]
async fn authorizations_are_objects(probe: &Probe<'_>) -> Checked {
    let found = found(probe).await?;
    let seen = found.security().into_iter().flat_map(entries);
    each(probe, &found, "authorization", seen, "an object", is_object)
}

/// Reads every authorization. `address` must be `0x` and 40 hexadecimal digits.
#[shows(rows::ENTRY_ADDRESS, after = ENTRY)]
async fn authorizations_name_an_address(probe: &Probe<'_>) -> Checked {
    let want = "0x and 40 hexadecimal digits";
    each_entry(probe, "authorization", "address", |_, entry| entry.is_object(), want, is_address).await
}

/// Reads every session key's authorization. `pubkey`, where it is present, must be `0x04` and 128 hexadecimal digits.
#[shows(rows::ENTRY_PUBKEY, after = ENTRY)]
async fn keys_of_authorizations_are_65_bytes(probe: &Probe<'_>) -> Checked {
    let want = "0x04 and 128 hexadecimal digits, or missing";
    let holds = |value: Option<&Value>| value.is_none() || is_public_key(value);
    each_entry(probe, "session key", "pubkey", is_session, want, holds).await
}

/// Reads every session key's authorization. `address` must be the address of `pubkey`, where `pubkey` is present.
#[shows(
    rows::ENTRY_PUBKEY_ADDRESS,
    after = rests!(
        rows::AUTHORIZATIONS, rows::ENTRY, rows::ENTRY_ADDRESS, rows::ENTRY_PUBKEY, rows::DELEGATE_NO_PUBKEY,
    ),
)]
async fn keys_of_authorizations_have_their_address(probe: &Probe<'_>) -> Checked {
    let found = found(probe).await?;
    let mut count = 0;
    for security in found.security() {
        for entry in entries(security) {
            let value = entry.value.unwrap_or(&Value::Null);
            if !is_session(&found, value) {
                continue;
            }
            count += 1;
            let address =
                value["pubkey"].as_str().and_then(public_key).map(|key| Address::from_public_key(&key));
            let holds = address.is_none_or(|address| is_address_of(address)(value.get("address")));
            let want = address.map(|address| address.to_string()).unwrap_or_default();
            let place = format!("{}/address", entry.place);
            expect(probe, &found, security, holds, &place, &want, &value["address"].to_string())?;
        }
    }
    some(&found, count, "session key")
}

/// Judges an array in every session key's authorization; its order is ignored.
async fn session(probe: &Probe<'_>, member: &str, wanted: &Value) -> Checked {
    let strings = |value: &Value| -> Option<BTreeSet<String>> {
        value.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
    };
    let want = strings(wanted);
    each_entry(probe, "session key", member, is_session, &wanted.to_string(), |value| {
        value.and_then(strings) == want
    })
    .await
}

/// Reads every session key's authorization. `types` must be POST and AGGREGATE.
#[shows(rows::SESSION_TYPES, after = SESSION)]
async fn session_keys_write_posts_and_aggregates(probe: &Probe<'_>) -> Checked {
    session(probe, "types", &json!(["POST", "AGGREGATE"])).await
}

/// Reads every session key's authorization. `channels` must be the records channel alone.
#[shows(rows::SESSION_CHANNELS, after = SESSION)]
async fn session_keys_write_on_the_records_channel(probe: &Probe<'_>) -> Checked {
    session(probe, "channels", &json!([probe.settings.dialect.records_channel])).await
}

/// Reads every session key's authorization. `aggregate_keys` must be `projects` and `deployments`.
#[shows(rows::SESSION_AGGREGATE_KEYS, after = SESSION)]
async fn session_keys_never_write_security(probe: &Probe<'_>) -> Checked {
    session(probe, "aggregate_keys", &json!(["projects", "deployments"])).await
}

/// Reads every session key's authorization. `post_types` must be an empty array.
#[shows(rows::SESSION_POST_TYPES, after = SESSION)]
async fn session_keys_write_any_post(probe: &Probe<'_>) -> Checked {
    session(probe, "post_types", &json!([])).await
}

/// Reads the authorizations of delegates: those who sent a deployment or a FORGET. `pubkey` must be missing.
#[shows(rows::DELEGATE_NO_PUBKEY, after = ENTRY)]
async fn delegates_have_no_key_beside_their_address(probe: &Probe<'_>) -> Checked {
    let is_delegate = |found: &Found, entry: &Value| {
        let address = entry["address"].as_str().and_then(Address::parse);
        address.is_some_and(|address| senders(found).contains(&address))
    };
    let what = "delegate's authorization";
    each_entry(probe, what, "pubkey", is_delegate, "missing", |value| value.is_none()).await
}
