//! Who may write in the name of an owner: the owner, and the signers that its security aggregate authorizes.

use assay_spec::network::message::MessageType;
use assay_spec::network::query::MessageFilter;
use serde_json::{Map, Value};

use super::store::Store;

/// The key of the aggregate that lists authorizations.
const SECURITY: &str = "security";

/// What the signer wants to write.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wish<'a> {
    /// The type of the message.
    pub(super) kind: MessageType,
    /// The channel of the message.
    pub(super) channel: &'a str,
    /// The key of the aggregate that the message writes.
    pub(super) aggregate_key: Option<&'a str>,
}

/// Whether `signer` may write in the name of `owner`. Addresses are compared case-insensitively.
pub(super) fn may(store: &Store, owner: &str, signer: &str, wish: Wish<'_>) -> bool {
    if owner.eq_ignore_ascii_case(signer) {
        return true;
    }
    // The authorizations themselves are excluded: a signer that may write them may write everything.
    if wish.aggregate_key == Some(SECURITY) {
        return false;
    }
    let authorizations = authorizations(store, owner);
    authorizations.iter().filter_map(Value::as_object).any(|entry| {
        let is_signer = text(entry, "address").is_some_and(|address| address.eq_ignore_ascii_case(signer));
        is_signer
            && allows(entry, "types", Some(wish.kind.name()))
            && allows(entry, "channels", Some(wish.channel))
            && (wish.kind != MessageType::Aggregate || allows(entry, "aggregate_keys", wish.aggregate_key))
    })
}

/// The latest authorizations that the owner signed.
fn authorizations(store: &Store, owner: &str) -> Vec<Value> {
    let filter = MessageFilter {
        addresses: Some(vec![owner.to_owned()]),
        types: Some(vec![MessageType::Aggregate.name().to_owned()]),
        ..MessageFilter::default()
    };
    let selection = store.select(&filter);
    let written = selection.at(0..selection.total()).into_iter().find_map(|number| {
        let mut members = store.message(number).members();
        let own = text(&members, "key") == Some(SECURITY)
            && text(&members, "address").is_none_or(|address| address.eq_ignore_ascii_case(owner));
        match members.remove("content")? {
            Value::Object(mut content) if own => content.remove("authorizations"),
            _ => None,
        }
    });
    match written {
        Some(Value::Array(entries)) => entries,
        _ => Vec::new(),
    }
}

/// Whether a list of an entry contains a value. An empty or missing list allows every value.
fn allows(entry: &Map<String, Value>, list: &str, value: Option<&str>) -> bool {
    let listed = entry.get(list).and_then(Value::as_array).filter(|listed| !listed.is_empty());
    listed.is_none_or(|listed| listed.iter().any(|one| one.as_str() == value))
}

fn text<'a>(members: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    members.get(name)?.as_str()
}
