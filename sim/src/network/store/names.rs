//! Texts that many messages share, once each, under small numbers.

use std::sync::Arc;

use imbl::{OrdMap, Vector};

/// The number of a text.
pub(in crate::network) type Name = u32;

/// The texts. Cheap to clone; nothing is ever taken out.
#[derive(Clone, Debug, Default)]
pub(in crate::network) struct Names {
    by_text: OrdMap<Arc<str>, Name>,
    texts: Vector<Arc<str>>,
}

impl Names {
    /// The number of a text that some message has.
    pub(in crate::network) fn find(&self, text: &str) -> Option<Name> {
        self.by_text.get(text).copied()
    }

    /// The number of a text, a new one where it is new.
    pub(in crate::network) fn intern(&mut self, text: &str) -> Name {
        if let Some(name) = self.find(text) {
            return name;
        }
        let name = self.texts.len() as Name;
        let text: Arc<str> = text.into();
        self.texts.push_back(text.clone());
        self.by_text.insert(text, name);
        name
    }

    /// The text of a number.
    pub(in crate::network) fn text(&self, name: Name) -> Arc<str> {
        self.texts.get(name as usize).cloned().unwrap_or_default()
    }
}
