//! Rules: the one place where a rule is applied, and where it can be switched off.
//!
//! Every rule that can reject an input, and every statement about an output, is asked of a [`Rules`] by its
//! requirement. [`Strict`] enforces all of them. [`Without`] switches one off: vectors use it to prove that a case is
//! rejected by the rule it names. A running service has its own implementation.
//!
//! What a program does that violates a rule is not in the function that asks the rule. Where an input is only rejected,
//! nothing is needed: the function goes on. Where the function needs another value to go on, it names a [`Mistake`] of the
//! service's `mistakes.rs`:
//!
//! ```text
//! // What the document says.
//! let encoded = rules.read(&SCHEME, header, |header| …)?;
//! // Who gets it wrong, and how, in `mistakes.rs`.
//! SCHEME => "A server behind a proxy …", |header: &str| -> Result<&str, String> { … }
//! ```

use std::borrow::Cow;
use std::ops::Deref;

use serde_json::Value;

use crate::{Id, Requirement};

/// What a program keeps of a value that it changes.
const CHANGED: &str = "changed";

/// A rejected input: the rule, and what was seen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{rule}: {why}")]
pub struct Refused {
    /// The rule that rejected it.
    pub rule: Id,
    /// What was seen, for logs. Never sent to a peer.
    pub why: String,
}

/// Reads an input, or says why it rejects it.
pub type Reading<I, T> = fn(I) -> Result<T, String>;

/// A mistake that programs make with a rule, at one place of a function. `F` is the type of its code: a function of the same
/// input as the strict one there, with the same output.
///
/// A function of `spec` names it in place of the row: where a row is wanted, `&MISTAKE` is the row.
#[derive(Clone, Copy, Debug)]
pub struct Mistake<F> {
    /// The rule.
    pub rule: Id,
    /// Who makes it, and why it is tempting.
    pub about: &'static str,
    /// What they do with the input.
    pub misread: F,
}

impl<F> Deref for Mistake<F> {
    type Target = Requirement;

    fn deref(&self) -> &Requirement {
        self.rule
    }
}

impl<F: Copy> Mistake<F> {
    /// The same mistake with another rule, where several rules share one function.
    #[must_use]
    pub const fn under(&self, rule: Id) -> Mistake<F> {
        Mistake { rule, about: self.about, misread: self.misread }
    }
}

/// Declares the mistakes of a service: modules with the names of the groups of rows, and `ALL`, which lists them.
///
/// An entry is `ROW => "who makes it, and why it is tempting", |input: Type| -> Type { code }`. `ROW as PLACE` names the
/// place of a second mistake with the same row. `for<'a>` before the input names lifetimes that the output has.
macro_rules! mistakes {
    ($(
        $(#[doc = $about:literal])+
        mod $group:ident { $(
            $row:ident $(as $place:ident)? => $why:literal,
            $(for<$($life:lifetime),+>)? |$input:ident: $type:ty| -> $output:ty $code:block
        )+ }
    )+) => {
        $(
            $(#[doc = $about])+
            pub mod $group {
                use super::*;

                $($crate::rules::mistakes! {
                    @ [$($place)? $row] [$($($life),+)?] requirements::$group::$row, $why, $input, $type, $output, $code
                })+
            }
        )+

        /// Every mistake: its rule, and who makes it.
        pub static ALL: &[($crate::Id, &str)] = &[$($((&requirements::$group::$row, $why)),+),+];
    };
    (@ [$name:ident $($row:ident)?] [$($life:lifetime),*]
        $rule:path, $why:literal, $input:ident, $type:ty, $output:ty, $code:block) => {
        #[doc = $why]
        pub static $name: $crate::rules::Mistake<for<$($life),*> fn($type) -> $output> =
            $crate::rules::Mistake { rule: &$rule, about: $why, misread: |$input| $code };
    };
}
pub(crate) use mistakes;

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

    /// What follows is about an uncommon valid value of these kinds, which `rule` accepts.
    fn judge_uncommon(&mut self, _rule: Id, _kinds: Vec<&'static str>) {}

    /// Whether uncommon valid values that `rule` accepts are rejected.
    fn rejects_uncommon(&mut self, _rule: Id) -> bool {
        false
    }

    /// Whether values that `rule` keeps are changed.
    fn changes_kept(&mut self, _rule: Id) -> bool {
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

    /// Reads an input as the document says. What it rejects is misread if the rule is violated.
    pub fn read<I: Copy, T>(
        &mut self,
        rule: &Mistake<Reading<I, T>>,
        input: I,
        strict: impl FnOnce(I) -> Result<T, String>,
    ) -> Result<T, Refused> {
        let strict = strict(input);
        self.require(rule.rule, strict.is_ok(), || strict.as_ref().err().cloned().unwrap_or_default())?;
        strict.or_else(|_| (rule.misread)(input)).map_err(|why| Refused { rule: rule.rule, why })
    }

    /// As `read`, for a rule that declares wrong values. `values` makes what was sent and the valid value, as
    /// far as they are known, only for a rejection.
    pub fn read_value<I: Copy, T>(
        &mut self,
        rule: &Mistake<Reading<I, T>>,
        input: I,
        values: impl FnOnce() -> (Option<Value>, Option<Value>),
        strict: impl FnOnce(I) -> Result<T, String>,
    ) -> Result<T, Refused> {
        let strict = strict(input);
        if strict.is_ok() {
            return self.read(rule, input, |_| strict);
        }
        let (sent, valid) = values();
        self.judge(Some(rule.kind(sent.as_ref(), valid.as_ref())));
        let misread = self.read(rule, input, |_| strict)?;
        self.judge(None);
        Ok(misread)
    }

    /// Rejects an input. The value is what the mistake makes of it if the rule is violated.
    pub fn refuse<I: Copy, T>(
        &mut self,
        rule: &Mistake<Reading<I, T>>,
        input: I,
        why: impl Into<String>,
    ) -> Result<T, Refused> {
        self.read(rule, input, |_| Err(why.into()))
    }

    /// Derives a value from an input as the document says, or as the mistake does if the rule is violated.
    pub fn derive<I, T>(
        &mut self,
        rule: &Mistake<fn(I) -> T>,
        input: I,
        documented: impl FnOnce(I) -> T,
    ) -> T {
        if self.violated(rule.rule).is_none() { documented(input) } else { (rule.misread)(input) }
    }

    /// The code of a step that is called several times: the documented one, or the mistake's if the rule is violated.
    pub fn step<F: Copy>(&mut self, rule: &Mistake<F>, documented: F) -> F {
        if self.violated(rule.rule).is_none() { documented } else { rule.misread }
    }

    /// Keeps a value that is as the document says. The mistake changes it if the rule is violated.
    pub fn keep<T>(&mut self, rule: &Mistake<fn(T) -> T>, documented: T) -> T {
        self.derive(rule, documented, |documented| documented)
    }

    /// The document demands that this is accepted. The mistake rejects it if the rule is violated.
    pub fn accept<I>(&mut self, rule: &Mistake<Reading<I, ()>>, input: I) -> Result<(), Refused> {
        let misread = (rule.misread)(input);
        self.admit(rule.rule, misread.is_ok(), &mut || misread.clone().err().unwrap_or_default())
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

    /// What a rule accepts that declares uncommon valid values. `ordinary` is the ordinary value, if it is known.
    pub fn accept_value(&mut self, rule: Id, sent: &Value, ordinary: Option<&Value>) -> Result<(), Refused> {
        let kinds = rule.accepted_kinds(sent, ordinary);
        if kinds.is_empty() {
            return Ok(());
        }
        self.judge_uncommon(rule, kinds);
        if self.rejects_uncommon(rule) {
            Err(Refused { rule, why: format!("{sent} is not accepted") })
        } else {
            Ok(())
        }
    }

    /// Keeps a value as it was sent, unless the rule is violated for one of its kinds.
    pub fn keep_value(&mut self, rule: Id, sent: &Value) -> Option<Value> {
        let kinds = rule.kept_kinds(sent);
        if kinds.is_empty() {
            return None;
        }
        self.judge_uncommon(rule, kinds);
        self.changes_kept(rule).then(|| Value::from(CHANGED))
    }

    /// As [`dyn Rules::keep_value`], for a string.
    pub fn keep_text<'a>(&mut self, rules: impl IntoIterator<Item = Id>, sent: &'a str) -> Cow<'a, str> {
        let kept = Value::from(sent);
        let is_changed = rules.into_iter().any(|rule| self.keep_value(rule, &kept).is_some());
        Cow::Borrowed(if is_changed { CHANGED } else { sent })
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
