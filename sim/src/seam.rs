//! Seams: the four places where a deviation or a variation acts. Its code is in its table; the code it changes does not
//! know it.
//!
//! - **guard**: a rule is applied as violated. `require` accepts, and the mistake of the rule takes hold (`mistakes.rs` of
//!   the service in `spec`).
//! - **reply**: edits a typed reply before it is written ([`Answer`]).
//! - **limits**: edits a copy of the limits ([`Core::limits`](crate::Core::limits)).
//! - **step**: edits what a step has made ([`Core::step`](crate::Core::step)), or replaces a step of `steps!`.
//!
//! The last three are an [`Edit`] of one type. The type says where the edit applies: to each value of that type that passes
//! a seam.

use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Index, IndexMut};

use assay_spec::Id;
use http::HeaderMap;
use serde::Serialize;
use serde_json::Value;

use crate::deviation::{self, Deviation};
use crate::variation::Variation;

/// Where a deviation or a variation acts, with its code.
#[derive(Clone, Copy, Debug)]
pub enum Seam {
    /// The rules of its requirement are applied as violated.
    Guard,
    /// Edits a reply.
    Reply(Edit),
    /// Edits a copy of the limits.
    Limits(Edit),
    /// Edits what a step has made, or replaces a step.
    Step(Edit),
    /// None of these: the core applies it to every message that it writes.
    Wire,
    /// What its requirement rejects is answered as an internal error.
    Failure,
    /// Uncommon valid values that its requirement accepts are rejected.
    Refusal,
    /// What its requirement rejects takes effect all the same.
    Effect,
    /// Values that its requirement keeps as they were sent are changed.
    Change,
}

impl Seam {
    /// Its edit, if it has one.
    pub const fn edit(&self) -> Option<Edit> {
        match self {
            Seam::Reply(edit) | Seam::Limits(edit) | Seam::Step(edit) => Some(*edit),
            Seam::Guard | Seam::Wire | Seam::Failure | Seam::Refusal | Seam::Effect | Seam::Change => None,
        }
    }
}

/// Changes values of one type.
#[derive(Clone, Copy, Debug)]
pub struct Edit {
    edited: TypeId,
    name: fn() -> &'static str,
    apply: fn(&mut dyn Any),
    changes: fn(Edit, &dyn Any) -> bool,
}

/// A type whose values pass a seam.
pub(crate) trait Passing: Any + Sized {
    /// Whether an edit changes this value.
    fn is_changed_by(&self, edit: Edit) -> bool;
}

impl<T: Any + Clone + PartialEq> Passing for T {
    fn is_changed_by(&self, edit: Edit) -> bool {
        let mut edited = self.clone();
        edit.apply(&mut edited);
        edited != *self
    }
}

impl Edit {
    /// An edit of values of type `T`. Use the tables' macros, which also write `apply`.
    pub(crate) const fn new<T: Passing>(apply: fn(&mut dyn Any)) -> Edit {
        let changes = |edit: Edit, value: &dyn Any| {
            value.downcast_ref::<T>().is_some_and(|value| value.is_changed_by(edit))
        };
        Edit { edited: TypeId::of::<T>(), name: std::any::type_name::<T>, apply, changes }
    }

    /// The name of the type that it edits, without the modules: `FreeLock`, `Answer<Prepared>`.
    pub fn type_name(self) -> String {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
        let full = (self.name)();
        let ends = full.split_inclusive(|c: char| !is_part(c));
        ends.map(|part| part.rsplit_once("::").map_or(part, |(_, name)| name)).collect()
    }

    /// Whether it changes this value.
    fn changes(self, value: &dyn Any) -> bool {
        (self.changes)(self, value)
    }

    /// Applies it, if it is for values of this type.
    pub(crate) fn apply<T: Any>(self, value: &mut T) {
        if self.edited == TypeId::of::<T>() {
            (self.apply)(value);
        }
    }
}

/// The seam of a table's entry: a name, and for an edit its code as a closure.
macro_rules! seam {
    (guard) => { $crate::seam::Seam::Guard };
    (reply ($($edit:tt)+)) => { $crate::seam::Seam::Reply($crate::seam::edit!($($edit)+)) };
    (limits ($($edit:tt)+)) => { $crate::seam::Seam::Limits($crate::seam::edit!($($edit)+)) };
    (step ($($edit:tt)+)) => { $crate::seam::Seam::Step($crate::seam::edit!($($edit)+)) };
}
macro_rules! edit {
    ($value:ident, $type:ty, $code:expr) => {
        $crate::seam::Edit::new::<$type>(|value| {
            if let Some($value) = value.downcast_mut::<$type>() {
                $code;
            }
        })
    };
}
pub(crate) use {edit, seam};

/// Declares a step that a table can replace, at the function that conforms: `Step(arguments) -> output = function;`.
///
/// Handlers call `Step::run`. An entry of a table sets the function of `Step`.
macro_rules! steps {
    ($(
        $(#[doc = $about:literal])*
        $step:ident($($argument:ident: $type:ty),*) $(-> $output:ty)? = $conforming:path;
    )*) => { $(
        $(#[doc = $about])*
        pub(crate) struct $step(pub(crate) fn(&mut $crate::Core, $($type),*) $(-> $output)?);

        /// What another function does is not known before it runs.
        impl $crate::seam::Passing for $step {
            fn is_changed_by(&self, _: $crate::seam::Edit) -> bool {
                true
            }
        }

        impl $step {
            $(#[doc = $about])*
            pub(crate) fn run(core: &mut $crate::Core, $($argument: $type),*) $(-> $output)? {
                let $step(step) = core.step($step($conforming));
                step(core, $($argument),*)
            }
        }
    )* };
}
pub(crate) use steps;

/// A reply before it is written: what the reply seam edits.
#[derive(Clone, Debug)]
pub struct Answer<T> {
    /// What the reply was made from.
    pub about: T,
    /// The status.
    pub status: u16,
    /// Headers besides the content type.
    pub headers: HeaderMap,
    /// The body.
    pub body: Body,
    /// Takes what is written to a member of a body without members.
    discarded: Value,
}

/// Two answers are equal if the same is written.
impl<T> PartialEq for Answer<T> {
    fn eq(&self, other: &Answer<T>) -> bool {
        (self.status, &self.headers, &self.body) == (other.status, &other.headers, &other.body)
    }
}

/// The body of an [`Answer`].
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// JSON.
    Json(Value),
    /// A JSON object whose members are names, such as those of models. No variation adds one.
    Names(Value),
    /// Plain text.
    Text(String),
    /// Another content type, and the body.
    Typed(&'static str, Cow<'static, str>),
}

impl<T> Answer<T> {
    /// An answer without headers.
    pub fn new(about: T, status: u16, body: Body) -> Answer<T> {
        Answer { about, status, headers: HeaderMap::new(), body, discarded: Value::Null }
    }
}

impl<T: Serialize> Answer<T> {
    /// An answer whose body is `about` as JSON.
    pub fn json(status: u16, about: T) -> Answer<T> {
        let body = Body::Json(serde_json::json!(about));
        Answer::new(about, status, body)
    }
}

/// A member of the body; null if the body has no such member.
impl<T> Index<&str> for Answer<T> {
    type Output = Value;

    fn index(&self, member: &str) -> &Value {
        match &self.body {
            Body::Json(value) | Body::Names(value) => &value[member],
            Body::Text(_) | Body::Typed(..) => &Value::Null,
        }
    }
}

/// A member of the body. Another edit may have made the body something without members; then nothing changes.
impl<T> IndexMut<&str> for Answer<T> {
    fn index_mut(&mut self, member: &str) -> &mut Value {
        match &mut self.body {
            Body::Json(value @ Value::Object(_)) | Body::Names(value @ Value::Object(_)) => {
                &mut value[member]
            }
            _ => {
                self.discarded = Value::Null;
                &mut self.discarded
            }
        }
    }
}

/// The rows and variations that edit values of each type. A value that passes a seam consults them.
#[derive(Debug, Default)]
pub struct Seams {
    rows: BTreeMap<TypeId, Vec<Id>>,
    variations: BTreeMap<TypeId, Vec<&'static str>>,
    edits: BTreeMap<TypeId, Vec<(Change, Edit)>>,
}

/// What an edit belongs to: the row and variant of a deviation, or the name of a variation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change(Option<Id>, &'static str);

impl Change {
    /// The name of the variation, if it belongs to one.
    pub const fn variation(&self) -> Option<&'static str> {
        match self {
            Change(None, name) => Some(name),
            Change(Some(_), _) => None,
        }
    }
}

impl From<&Deviation> for Change {
    fn from(deviation: &Deviation) -> Change {
        Change(Some(deviation.requirement), deviation.variant)
    }
}

impl From<&Variation> for Change {
    fn from(variation: &Variation) -> Change {
        Change(None, variation.name)
    }
}

/// The name of the deviation or the variation.
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change(Some(row), variant) => f.write_str(&deviation::name(row, variant)),
            Change(None, variation) => f.write_str(variation),
        }
    }
}

impl Seams {
    /// The seams of these tables.
    pub fn new(deviations: &[Deviation], variations: &[Variation]) -> Seams {
        let mut seams = Seams::default();
        for deviation in deviations {
            if let Some(edit) = deviation.seam.edit() {
                seams.rows.entry(edit.edited).or_default().push(deviation.requirement);
                seams.edits.entry(edit.edited).or_default().push((deviation.into(), edit));
            }
        }
        for variation in variations {
            if let Some(edit) = variation.seam.edit() {
                seams.variations.entry(edit.edited).or_default().push(variation.name);
                seams.edits.entry(edit.edited).or_default().push((variation.into(), edit));
            }
        }
        seams
    }

    /// The rows with a deviation that edits values of this type.
    pub(crate) fn rows<T: Any>(&self) -> &[Id] {
        self.rows.get(&TypeId::of::<T>()).map_or(&[], Vec::as_slice)
    }

    /// The variations that edit values of this type.
    pub(crate) fn variations<T: Any>(&self) -> &[&'static str] {
        self.variations.get(&TypeId::of::<T>()).map_or(&[], Vec::as_slice)
    }

    /// The edits that would change this value.
    pub(crate) fn changes(&self, value: &dyn Any) -> impl Iterator<Item = Change> {
        let edits = self.edits.get(&value.type_id()).into_iter().flatten();
        edits.filter(move |(_, edit)| edit.changes(value)).map(|(change, _)| *change)
    }
}
