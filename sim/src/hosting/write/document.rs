//! The JSON documents inside records, before they are encrypted or signed.

use std::sync::Arc;

use serde_json::Value;

/// A kind of document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::hosting) enum DocumentKind {
    /// The entry of an active project.
    Entry,
    /// The entry of a deleted project.
    Tombstone,
    /// The private part of a project's entry.
    Project,
    /// The body of a creation.
    Creation,
    /// The body of a terminal record.
    Terminal,
    /// The private part of both.
    Deployment,
    /// The private part of a record of an earlier schema.
    Earlier,
}

/// A document.
#[derive(Clone, PartialEq)]
pub(in crate::hosting) struct Document {
    /// Its kind.
    pub(in crate::hosting) kind: DocumentKind,
    /// Its content.
    pub(in crate::hosting) value: Value,
    /// What the body of a deployment's record was made from.
    pub(in crate::hosting) about: About,
}

/// What the body of a deployment's record is made from.
#[derive(Clone, Default, PartialEq)]
pub(in crate::hosting) struct About {
    /// The deployment runs on a virtual machine.
    pub(in crate::hosting) is_machine: bool,
    /// It is live.
    pub(in crate::hosting) is_live: bool,
    /// The content identifier of its artifact.
    pub(in crate::hosting) cid: Option<Arc<str>>,
    /// Another project of its owner.
    pub(in crate::hosting) other_project: Option<Arc<str>>,
}

impl Document {
    /// A document.
    pub(super) fn new(kind: DocumentKind, value: Value) -> Document {
        Document { kind, value, about: About::default() }
    }

    /// Sets a member of documents of these kinds.
    pub(in crate::hosting) fn put(&mut self, kinds: &[DocumentKind], pointer: &str, value: Value) {
        if kinds.contains(&self.kind) {
            put(&mut self.value, pointer, value);
        }
    }
}

/// Sets the member at a pointer, if the object that holds it exists. The empty pointer is the whole document.
pub(in crate::hosting) fn put(document: &mut Value, pointer: &str, value: Value) {
    let Some((parent, name)) = pointer.rsplit_once('/') else {
        *document = value;
        return;
    };
    if let Some(Value::Object(members)) = document.pointer_mut(parent) {
        members.insert(name.to_owned(), value);
    }
}
