//! A key of the profile is one declaration: its name, type, doc comment, and default or example. The parsing, the comments
//! of `assay init` and the reading of secrets follow from it.

use std::ops::Range;

use toml::de::DeTable;

/// A key of the profile.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its table, such as `gateway.models`.
    pub table: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its type.
    kind: &'static str,
    /// Its default, or an example if it has none, as TOML; empty if `assay init` does not write it.
    pub example: &'static str,
    /// Its doc comment: its purpose, and what it unlocks.
    about: &'static str,
}

impl Key {
    pub(super) const fn new(
        table: &'static str,
        name: &'static str,
        kind: &'static str,
        example: &[&'static str],
        about: &'static str,
    ) -> Key {
        let example = if let [example] = example { example } else { "" };
        Key { table, name, kind, example, about }
    }

    /// Its purpose, and what it unlocks, as plain text.
    pub fn about(&self) -> String {
        self.about.trim().replace('`', "")
    }

    /// The whole key, such as `gateway.models.chat`.
    pub fn path(&self) -> String {
        format!("{}.{}", self.table, self.name)
    }

    /// Whether its value names a secret, or some.
    pub fn is_secret(&self) -> bool {
        matches!(self.kind, "Option<Secret>" | "Option<HeaderSecret>" | "Option<Payments>")
    }

    /// Whether that secret is sent unchanged in a header.
    pub fn is_in_header(&self) -> bool {
        matches!(self.kind, "Option<HeaderSecret>" | "Option<Payments>")
    }
}

/// A service's part of the profile.
pub(super) trait Section {
    /// The keys whose values are tables.
    const TABLES: &'static [&'static str];
    /// The keys whose values are arrays of tables.
    const ARRAYS: &'static [&'static str] = &[];
    /// The other keys, by table.
    const KEYS: &'static [&'static [Key]];

    /// What the types cannot say, checked on the whole profile, which knows the place of each string.
    fn wrong(_profile: &DeTable<'_>) -> Option<(&'static str, Range<usize>)> {
        None
    }
}

/// Declares a table of the profile: a struct, and its keys. `field: Type = "example" => serde(…),` is a key that `assay
/// init` writes, with its doc comment; the example is TOML.
macro_rules! table {
    (
        $table:literal;
        $(#[$meta:meta])*
        pub struct $name:ident {
            $($(#[doc = $doc:literal])+
            pub $field:ident: $type:ty $(= $example:literal)? $(=> $($attr:meta),+)?,)+
        }
    ) => {
        $(#[$meta])*
        pub struct $name {
            $($(#[doc = $doc])+ $($(#[$attr])+)? pub $field: $type,)+
        }

        impl $name {
            /// Its keys, in the order in which `assay init` writes them.
            pub(crate) const KEYS: &'static [$crate::profile::Key] = &[$($crate::profile::Key::new(
                $table,
                stringify!($field),
                stringify!($type),
                &[$($example)?],
                concat!($($doc),+),
            ),)+];
        }
    };
}
pub(super) use table;
