//! The index: one list for every value that a filter can name.

use assay_spec::network::message::Message;
use imbl::OrdMap;
use serde_json::Value;

use super::names::{Name, Names};
use super::ranked::Ranked;
use super::stored::Stored;

/// What a list contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Dim {
    /// Every message.
    All,
    /// Messages of a sender, in lower case.
    Sender,
    /// Messages of a channel.
    Channel,
    /// Messages of a type, by its position among the types.
    Type,
    /// Messages whose content has that type.
    ContentType,
    /// Messages with a tag.
    Tag,
    /// Messages whose content has a member with that name.
    Key,
    /// Messages with more tags than are listed individually.
    ManyTags,
    /// Messages with more members than are listed individually.
    ManyKeys,
}

/// How many tags and members of one message are listed individually. This bounds the memory that a message
/// can cost.
const LISTED: usize = 32;

/// The lists. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    lists: OrdMap<(Dim, Name), Ranked>,
}

impl Index {
    /// The list of a value; `None` if no message has it.
    pub(super) fn list(&self, dim: Dim, name: Name) -> Option<&Ranked> {
        self.lists.get(&(dim, name))
    }

    /// Takes a list out, to be changed and put back: then it is not shared and need not be copied.
    pub(super) fn take(&mut self, dim: Dim, name: Name) -> Ranked {
        self.lists.get_mut(&(dim, name)).map(std::mem::take).unwrap_or_default()
    }

    pub(super) fn put(&mut self, dim: Dim, name: Name, list: Ranked) {
        self.lists.insert((dim, name), list);
    }
}

/// The lists that contain a message.
pub(super) fn entries(stored: &Stored, message: &Message, names: &mut Names) -> Vec<(Dim, Name)> {
    let mut entries = vec![
        (Dim::All, 0),
        (Dim::Sender, stored.sender_folded()),
        (Dim::Channel, stored.channel()),
        (Dim::Type, stored.kind() as Name),
    ];
    entries.extend(stored.content_type().map(|name| (Dim::ContentType, name)));
    let mut several = |one: Dim, many: Dim, mut texts: Vec<String>| {
        texts.sort_unstable();
        texts.dedup();
        if texts.len() > LISTED {
            entries.push((many, 0));
        } else {
            entries.extend(texts.iter().map(|text| (one, names.intern(text))));
        }
    };
    several(Dim::Tag, Dim::ManyTags, message.tags());
    several(Dim::Key, Dim::ManyKeys, members(message));
    entries
}

fn members(message: &Message) -> Vec<String> {
    match serde_json::from_str(&message.content) {
        Ok(Value::Object(members)) => members.into_iter().map(|(name, _)| name).collect(),
        _ => Vec::new(),
    }
}
