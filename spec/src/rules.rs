//! Rules: where a rule is applied, and the one place where it can be switched off.
//!
//! Every rule that can refuse an input, and every statement about an output, passes through a [`Rules`] under its
//! requirement. The reference rules [`Strict`] enforces all of them; [`Without`] lets one be violated, which is how vectors
//! prove that a case is refused by the rule it names; the simulator's own rules do the same for a running service.

use crate::Id;

/// An input that was refused: by which rule, and what was seen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{rule}: {why}")]
pub struct Refused {
    /// The rule that refused it.
    pub rule: Id,
    /// What was seen, for logs; never shown to a peer.
    pub why: String,
}

/// A rule's own account of itself: enforced, or violated in one of its variants.
pub trait Rules {
    /// How `rule` is broken at this moment: `None` when it is kept, else the variant's name (empty for the plain
    /// one). Asking counts as consulting the rule.
    fn violated(&mut self, rule: Id) -> Option<&'static str>;

    /// A guard: refuses unless `holds`.
    fn require(&mut self, rule: Id, holds: bool, why: impl FnOnce() -> String) -> Result<(), Refused> {
        match self.violated(rule) {
            None if !holds => Err(Refused { rule, why: why() }),
            _ => Ok(()),
        }
    }

    /// A parse: strict, with a lenient way on when the rule is violated.
    fn parse<T>(
        &mut self,
        rule: Id,
        strict: impl FnOnce() -> Result<T, String>,
        lenient: impl FnOnce() -> Result<T, String>,
    ) -> Result<T, Refused> {
        let parsed = if self.violated(rule).is_none() { strict() } else { lenient() };
        parsed.map_err(|why| Refused { rule, why })
    }

    /// An effect: the conforming value, or what the violated variant makes of it.
    fn effect<T>(&mut self, rule: Id, conforming: T, deviating: impl FnOnce(T, &'static str) -> T) -> T {
        match self.violated(rule) {
            None => conforming,
            Some(variant) => deviating(conforming, variant),
        }
    }
}

/// Every rule is kept.
#[derive(Clone, Copy, Debug, Default)]
pub struct Strict;

impl Rules for Strict {
    fn violated(&mut self, _: Id) -> Option<&'static str> {
        None
    }
}

/// Every rule but one is kept.
#[derive(Clone, Copy, Debug)]
pub struct Without(pub Id);

impl Rules for Without {
    fn violated(&mut self, rule: Id) -> Option<&'static str> {
        (rule == self.0).then_some("")
    }
}

impl<G: Rules> Rules for &mut G {
    fn violated(&mut self, rule: Id) -> Option<&'static str> {
        (**self).violated(rule)
    }
}
