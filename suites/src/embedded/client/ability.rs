//! What a client may leave out. The worlds that need it are not applicable to a client that declares so.

use std::collections::BTreeSet;

/// Something that the documents leave to the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ability {
    /// The flag that declares that the client lacks it, without the dashes.
    pub flag: &'static str,
    /// What a client without it does not do: the rest of a sentence that begins with `the client`.
    pub lack: &'static str,
}

/// The abilities that a client lacks.
pub type Without = BTreeSet<Ability>;

impl Ability {
    /// Why a world that needs it is not applicable.
    pub(super) fn reason(&self) -> String {
        format!("the client {} (--{})", self.lack, self.flag)
    }
}
