//! Who may write in the name of an owner: the owner, and the signers that its security aggregate authorizes.

use assay_spec::network::message::MessageType;
use assay_spec::network::query::MessageFilter;
use serde_json::{Map, Value};

use crate::network::store::Store;

/// The key of the aggregate that lists authorizations.
const SECURITY: &str = "security";

/// What the signer wants to write.
#[derive(Clone, Copy, Debug)]
pub(in crate::network) struct Wish<'a> {
    /// The type of the message.
    pub(in crate::network) kind: MessageType,
    /// The channel of the message.
    pub(in crate::network) channel: &'a str,
    /// The key of the aggregate that the message writes.
    pub(in crate::network) aggregate_key: Option<&'a str>,
}

/// What an owner's `security` says about a signer. Addresses are compared case-insensitively.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::network) enum Authority {
    /// The signer is the owner.
    Own,
    /// An authorization allows the message.
    Allowed,
    /// There are authorizations, and none allows the message.
    Beyond,
    /// An earlier `security` allowed the message. The latest does not list the signer.
    Revoked,
    /// No `security` lists the signer.
    Stranger,
}

impl Authority {
    /// The authority of `signer` over what belongs to `owner`.
    pub(in crate::network) fn find(store: &Store, owner: &str, signer: &str, wish: Wish<'_>) -> Authority {
        if owner.eq_ignore_ascii_case(signer) {
            return Authority::Own;
        }
        let mut written = authorizations(store, owner).into_iter();
        match allowed(&written.next().unwrap_or_default(), signer, wish) {
            Some(true) => Authority::Allowed,
            Some(false) => Authority::Beyond,
            None if written.any(|entries| allowed(&entries, signer, wish) == Some(true)) => {
                Authority::Revoked
            }
            None => Authority::Stranger,
        }
    }
}

/// Whether `signer` may write in the name of `owner`.
pub(in crate::network) fn may(store: &Store, owner: &str, signer: &str, wish: Wish<'_>) -> bool {
    matches!(Authority::find(store, owner, signer, wish), Authority::Own | Authority::Allowed)
}

/// Whether one of the signer's entries allows the message; `None` if it has none.
fn allowed(entries: &[Value], signer: &str, wish: Wish<'_>) -> Option<bool> {
    let entries = entries.iter().filter_map(Value::as_object);
    let mut own = entries
        .filter(|entry| text(entry, "address").is_some_and(|address| address.eq_ignore_ascii_case(signer)))
        .peekable();
    own.peek()?;
    // The authorizations themselves are excluded: a signer that may write them may write everything.
    Some(wish.aggregate_key != Some(SECURITY) && own.any(|entry| allows_all(entry, wish)))
}

/// Whether every list of an entry allows the message.
fn allows_all(entry: &Map<String, Value>, wish: Wish<'_>) -> bool {
    allows(entry, "types", Some(wish.kind.name()))
        && allows(entry, "channels", Some(wish.channel))
        && (wish.kind != MessageType::Aggregate || allows(entry, "aggregate_keys", wish.aggregate_key))
}

/// The authorizations of each `security` that the owner signed, the latest first.
fn authorizations(store: &Store, owner: &str) -> Vec<Vec<Value>> {
    let filter = MessageFilter {
        addresses: Some(vec![owner.to_owned()]),
        types: Some(vec![MessageType::Aggregate.name().to_owned()]),
        ..MessageFilter::default()
    };
    let selection = store.select(&filter);
    let written = selection.at(0..selection.total()).into_iter().filter_map(|number| {
        let mut members = store.message(number).members();
        let own = text(&members, "key") == Some(SECURITY)
            && text(&members, "address").is_none_or(|address| address.eq_ignore_ascii_case(owner));
        match members.remove("content")? {
            Value::Object(mut content) if own => content.remove("authorizations"),
            _ => None,
        }
    });
    written.map(|entries| entries.as_array().cloned().unwrap_or_default()).collect()
}

/// Whether a list of an entry contains a value. An empty or missing list allows every value.
fn allows(entry: &Map<String, Value>, list: &str, value: Option<&str>) -> bool {
    let listed = entry.get(list).and_then(Value::as_array).filter(|listed| !listed.is_empty());
    listed.is_none_or(|listed| listed.iter().any(|one| one.as_str() == value))
}

fn text<'a>(members: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    members.get(name)?.as_str()
}
