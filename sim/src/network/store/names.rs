//! Interned strings: strings that many messages share, under small numbers.

use std::sync::Arc;

use imbl::{OrdMap, Vector};

/// The number of a string.
pub(in crate::network) type Name = u32;

/// The strings. Cheap to clone; no string is ever removed.
#[derive(Clone, Debug, Default)]
pub(in crate::network) struct Names {
    by_text: OrdMap<Arc<str>, Name>,
    texts: Vector<Arc<str>>,
}

impl Names {
    /// The number of a string, if a message has it.
    pub(in crate::network) fn find(&self, text: &str) -> Option<Name> {
        self.by_text.get(text).copied()
    }

    /// The number of a string; a new string gets a new number.
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

    /// The string with that number.
    pub(in crate::network) fn text(&self, name: Name) -> Arc<str> {
        self.texts.get(name as usize).cloned().unwrap_or_default()
    }
}
