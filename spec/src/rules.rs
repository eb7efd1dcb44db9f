//! Rules: the one place where a rule is applied, and where it can be switched off.
//!
//! Every rule that can reject an input, and every statement about an output, is asked of a [`Rules`] by its
//! requirement. [`Strict`] enforces all of them. [`Without`] switches one off: vectors use it to prove that a case is
//! rejected by the rule it names. The simulator has its own implementation for a running service.

use serde_json::Value;

use crate::Id;

/// A rejected input: the rule, and what was seen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{rule}: {why}")]
pub struct Refused {
    /// The rule that rejected it.
    pub rule: Id,
    /// What was seen, for logs. Never sent to a peer.
    pub why: String,
}

/// Tells for each rule whether it is enforced, or violated in one of its variants. Rules are passed as `&mut dyn Rules`, so
/// that a function that consults them is compiled once; how it consults them is in the methods of `dyn Rules`.
pub trait Rules {
    /// How `rule` is violated now: `None` if it is enforced, else the variant's name (empty for the plain variant).
    /// Each call counts as consulting the rule.
    fn violated(&mut self, rule: Id) -> Option<&'static str>;

    /// A guard: rejects unless `holds` or the rule is violated in this part.
    fn guard(
        &mut self,
        rule: Id,
        part: &'static str,
        holds: bool,
        why: &mut dyn FnMut() -> String,
    ) -> Result<(), Refused> {
        if self.is_off(rule, part) || holds { Ok(()) } else { Err(Refused { rule, why: why() }) }
    }

    /// What is decided next is about a wrong value of this kind. The place is left again if the value is accepted.
    fn judge(&mut self, _kind: Option<&'static str>) {}

    /// Whether uncommon valid values that `rule` accepts are rejected.
    fn rejects_uncommon(&mut self, _rule: Id) -> bool {
        false
    }

    /// Whether these rules are as [`Strict`]: all are enforced, and nothing is noted. Then several threads may share the work,
    /// each with its own `Strict`.
    fn are_strict(&self) -> bool {
        false
    }

    /// The reverse of a guard: rejects only if the rule is violated and not `holds`.
    fn admit(&mut self, rule: Id, holds: bool, why: &mut dyn FnMut() -> String) -> Result<(), Refused> {
        if self.violated(rule).is_some() && !holds { Err(Refused { rule, why: why() }) } else { Ok(()) }
    }

    /// Whether `rule` is violated in this part: the part is the variant's name, or the variant has no name.
    fn is_off(&mut self, rule: Id, part: &'static str) -> bool {
        self.violated(rule).is_some_and(|variant| part.is_empty() || variant.is_empty() || variant == part)
    }
}

impl dyn Rules + '_ {
    /// A guard: rejects unless `holds`.
    pub fn require(&mut self, rule: Id, holds: bool, why: impl Fn() -> String) -> Result<(), Refused> {
        self.guard(rule, "", holds, &mut || why())
    }

    /// A guard of a rule that declares wrong values: rejects unless `holds`. `valid` is the valid value, if it is known.
    pub fn require_value(
        &mut self,
        rule: Id,
        sent: Option<&Value>,
        valid: Option<&Value>,
        holds: bool,
        why: impl Fn() -> String,
    ) -> Result<(), Refused> {
        if holds {
            return self.require(rule, holds, why);
        }
        self.judge(Some(rule.kind(sent, valid)));
        self.require(rule, holds, why)?;
        self.judge(None);
        Ok(())
    }

    /// A guard of a rule that declares wrong values of a string. It makes the valid value only for a rejection.
    pub fn require_text(
        &mut self,
        rule: Id,
        sent: Option<&Value>,
        valid: &str,
        holds: bool,
        why: impl Fn() -> String,
    ) -> Result<(), Refused> {
        if holds {
            return self.require(rule, holds, why);
        }
        self.require_value(rule, sent, Some(&Value::from(valid)), holds, why)
    }

    /// A parser of a rule that declares wrong values: strict, or lenient when the rule is violated.
    pub fn parse_value<T>(
        &mut self,
        rule: Id,
        sent: &Value,
        valid: Option<&Value>,
        strict: impl FnOnce() -> Result<T, String>,
        lenient: impl FnOnce() -> Result<T, String>,
    ) -> Result<T, Refused> {
        self.parse_lazily(rule, || (sent.clone(), valid.cloned()), strict, lenient)
    }

    /// As `parse_value`. `values` makes what was sent and the valid value, only for a rejection.
    pub fn parse_lazily<T>(
        &mut self,
        rule: Id,
        values: impl FnOnce() -> (Value, Option<Value>),
        strict: impl FnOnce() -> Result<T, String>,
        lenient: impl FnOnce() -> Result<T, String>,
    ) -> Result<T, Refused> {
        let why = match strict() {
            Ok(parsed) => {
                self.guard(rule, "", true, &mut String::new)?;
                return Ok(parsed);
            }
            Err(why) => why,
        };
        let (sent, valid) = values();
        self.judge(Some(rule.kind(Some(&sent), valid.as_ref())));
        let parsed = if self.violated(rule).is_none() { Err(why) } else { lenient() };
        let parsed = parsed.map_err(|why| Refused { rule, why })?;
        self.judge(None);
        Ok(parsed)
    }

    /// What a rule accepts that declares uncommon valid values. `ordinary` is the ordinary value, if it is known.
    pub fn accept_value(&mut self, rule: Id, sent: &Value, ordinary: Option<&Value>) -> Result<(), Refused> {
        let kind = rule.accepted_kind(sent, ordinary);
        if kind.is_empty() {
            return Ok(());
        }
        self.judge(Some(kind));
        if self.rejects_uncommon(rule) {
            Err(Refused { rule, why: format!("{sent} is not accepted") })
        } else {
            Ok(())
        }
    }

    /// A guard of a rule with several parts. Each part can be violated alone.
    pub fn require_part(
        &mut self,
        rule: Id,
        part: &'static str,
        holds: bool,
        why: impl Fn() -> String,
    ) -> Result<(), Refused> {
        self.guard(rule, part, holds, &mut || why())
    }

    /// The reverse of a guard, for what must be accepted: rejects only if the rule is violated and not `holds`.
    pub fn forbid(&mut self, rule: Id, holds: bool, why: impl Fn() -> String) -> Result<(), Refused> {
        self.admit(rule, holds, &mut || why())
    }

    /// How an input is understood: as documented, or otherwise if the rule is violated.
    pub fn interpret<T>(&mut self, rule: Id, documented: T, otherwise: impl FnOnce() -> T) -> T {
        if self.violated(rule).is_none() { documented } else { otherwise() }
    }

    /// A parser: strict, or lenient when the rule is violated.
    pub fn parse<T>(
        &mut self,
        rule: Id,
        strict: impl FnOnce() -> Result<T, String>,
        lenient: impl FnOnce() -> Result<T, String>,
    ) -> Result<T, Refused> {
        let parsed = if self.violated(rule).is_none() { strict() } else { lenient() };
        parsed.map_err(|why| Refused { rule, why })
    }

    /// An output: the conforming value, or the violated variant's value.
    pub fn effect<T>(&mut self, rule: Id, conforming: T, deviating: impl FnOnce(T, &'static str) -> T) -> T {
        match self.violated(rule) {
            None => conforming,
            Some(variant) => deviating(conforming, variant),
        }
    }
}

/// Enforces every rule.
#[derive(Clone, Copy, Debug, Default)]
pub struct Strict;

impl Rules for Strict {
    fn violated(&mut self, _: Id) -> Option<&'static str> {
        None
    }

    fn are_strict(&self) -> bool {
        true
    }
}

/// Enforces every rule but one.
#[derive(Clone, Copy, Debug)]
pub struct Without(pub Id);

impl Rules for Without {
    fn violated(&mut self, rule: Id) -> Option<&'static str> {
        (rule == self.0).then_some("")
    }
}
