//! Deviations: one requirement broken at a time, each in the table of its service.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use assay_spec::names::did_you_mean;
use assay_spec::value::ValueKind;
use assay_spec::{Id, Place, Service, catalogue};
use serde_json::{Value, json};

use crate::seam::Seam;

/// The deviations that every requirement has besides those in the tables: a variant, what the simulator does, and the seam.
const GENERATED: [(&str, &str, Seam); 4] = [
    ("status-500", "what it rejects returns 500", Seam::Failure),
    ("rejects-uncommon", "uncommon valid values that it accepts are rejected", Seam::Refusal),
    ("takes-effect", "what it rejects takes effect all the same", Seam::Effect),
    ("changes-kept", "values that it keeps are changed", Seam::Change),
];

/// One way to break one requirement.
#[derive(Clone, Copy, Debug)]
pub struct Deviation {
    /// The requirement that is switched off.
    pub requirement: Id,
    /// Which way; empty for the default one.
    pub variant: &'static str,
    /// What the simulator does instead.
    pub about: &'static str,
    /// The places of its requirement where it shows, if it does not show at all of them.
    pub shows_at: Option<&'static [Place]>,
    /// Whether it shows by each uncommon valid value that its requirement accepts.
    pub by_value: bool,
    /// Where it acts, with its code.
    pub seam: Seam,
}

impl Deviation {
    /// The places of its requirement where it shows.
    pub fn places(&self) -> &'static [Place] {
        self.shows_at.unwrap_or(self.requirement.places)
    }

    /// What a requirement rejects is answered as an internal error.
    pub const fn failure(requirement: Id) -> Deviation {
        Deviation::generated(requirement, 0)
    }

    /// The uncommon valid values that a requirement accepts are rejected.
    pub const fn refusal(requirement: Id) -> Deviation {
        Deviation::generated(requirement, 1)
    }

    /// What a requirement rejects takes effect all the same, in the services that know how ([`SimService::act`]).
    ///
    /// [`SimService::act`]: crate::services::SimService::act
    pub const fn effect(requirement: Id) -> Deviation {
        Deviation::generated(requirement, 2)
    }

    /// Values that a requirement keeps as they were sent are changed.
    pub const fn change(requirement: Id) -> Deviation {
        Deviation::generated(requirement, 3)
    }

    const fn generated(requirement: Id, which: usize) -> Deviation {
        let (variant, about, seam) = GENERATED[which];
        Deviation { requirement, variant, about, shows_at: None, by_value: false, seam }
    }

    /// The kinds of values by which it shows; one empty name if its requirement declares none, or if it changes something else
    /// than what is accepted.
    pub fn values(&self) -> Vec<&'static str> {
        if matches!(self.seam, Seam::Change) {
            return self.requirement.kept.iter().map(|kept| kept.name).collect();
        }
        let is_shown = |wrong: &&ValueKind| match self.seam {
            Seam::Guard => !wrong.is_unusable,
            Seam::Failure => true,
            _ => false,
        };
        // A server may reject some of them.
        let is_refusal = matches!(self.seam, Seam::Refusal);
        let accepted = self.requirement.accepted.iter();
        let accepted = accepted.filter(|value| !is_refusal || value.may_be_rejected.is_empty());
        let is_accepted = self.by_value || is_refusal;
        let rejected = self.requirement.rejected().filter(is_shown);
        let names: Vec<_> =
            rejected.chain(accepted.filter(|_| is_accepted)).map(|wrong| wrong.name).collect();
        if names.is_empty() { vec![""] } else { names }
    }
}

/// The last of these.
pub(crate) const fn last<T: Copy>(all: &[T]) -> T {
    all[all.len() - 1]
}

/// One table of several. The length is the sum of theirs.
pub(crate) const fn join<const LENGTH: usize>(tables: &[&[Deviation]]) -> [Deviation; LENGTH] {
    let mut all = [tables[0][0]; LENGTH];
    let (mut table, mut at) = (0, 0);
    while table < tables.len() {
        let mut place = 0;
        while place < tables[table].len() {
            all[at] = tables[table][place];
            (at, place) = (at + 1, place + 1);
        }
        table += 1;
    }
    all
}

/// A service's table of deviations: `ROW, "variant" => "what the service does instead", seam |value: &mut Type| code;`.
/// `by value` after the string says that it shows by each uncommon valid value that the row accepts, `at PLACES` names the places
/// where it shows, if these are not all places of the row.
///
/// The seams are `guard` (without code), `reply`, `limits` and `step`.
macro_rules! deviations {
    ($(
        $rule:expr $(, $variant:literal)? => $about:literal $(by $by:ident)? $(at $places:path)?
        , $seam:ident $(|$value:ident: &mut $type:ty| $code:expr)?;
    )*) => {
        &[$(Deviation {
            requirement: &$rule,
            variant: concat!("" $(, $variant)?),
            about: $about,
            shows_at: $crate::deviation::last(&[None $(, Some($places))?]),
            by_value: !stringify!($($by)?).is_empty(),
            seam: $crate::seam::seam!($seam $(($value, $type, $code))?),
        }),*]
    };
}
pub(crate) use deviations;

/// `publish.envelope.time-window/past`
impl fmt::Display for Deviation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&name(self.requirement, self.variant))
    }
}

/// The name of a deviation.
pub(crate) fn name(requirement: Id, variant: &str) -> String {
    let slash = if variant.is_empty() { "" } else { "/" };
    format!("{requirement}{slash}{variant}")
}

/// Something wrong, at these places only.
#[derive(Clone, Copy, Debug)]
pub struct Scoped<T> {
    /// What is wrong.
    pub what: T,
    /// Where.
    pub at: Place,
}

/// `publish.envelope.time-window/past@endpoint=prepare,op=transfer`
impl<T: fmt::Display> fmt::Display for Scoped<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self.at.parts().map(|(name, value)| format!("{name}={value}")).collect();
        let at = if parts.is_empty() { "" } else { "@" };
        f.pad(&format!("{}{at}{}", self.what, parts.join(",")))
    }
}

impl<T: fmt::Display> Scoped<T> {
    /// As the control API shows it: a name, or an object with `id` and `at`.
    pub fn json(&self) -> Value {
        if self.at == Place::ANY {
            return json!(self.what.to_string());
        }
        let at: BTreeMap<&str, &str> = self.at.parts().collect();
        json!({ "id": self.what.to_string(), "at": at })
    }
}

/// The name of a deviation, and where it acts: `id` or `id@endpoint=prepare,op=transfer`.
pub fn split(name: &str) -> Result<(&str, Place), String> {
    let Some((id, at)) = name.rsplit_once('@').filter(|(_, at)| at.contains('=')) else {
        return Ok((name, Place::ANY));
    };
    let service = id.split_once('.').and_then(|(service, _)| Service::named(service));
    let at = catalogue::place(service, at.split(',').map(|part| part.split_once('=').unwrap_or((part, ""))));
    at.map(|at| (id, at)).map_err(|why| format!("{name:?}: {why}"))
}

/// The kinds of the uncommon valid values of an input, by the key of the row that accepts them.
pub(crate) type Uncommon = BTreeMap<u32, Vec<&'static str>>;

/// The requirements that are switched off.
#[derive(Clone, Debug, Default)]
pub struct Deviations {
    all: Vec<Scoped<Deviation>>,
    /// Those that apply at the current place, by key.
    here: BTreeMap<u32, Deviation>,
}

/// A name that is not a known deviation.
#[derive(Debug, thiserror::Error)]
pub enum UnknownDeviation {
    /// No requirement has that id.
    #[error("unknown requirement {0:?}{1}")]
    Requirement(String, String),
    /// The requirement has other deviations.
    #[error("unknown deviation {0:?}; this requirement has: {1}")]
    Variant(String, String),
    /// The requirement has no deviation.
    #[error("no deviation breaks {0:?}")]
    None(String),
}

impl Deviations {
    /// The variant by which the guards of `rule` are violated where it is applied, if they are.
    pub fn violated(&self, rule: Id) -> Option<&'static str> {
        let deviation = self.here.get(&rule.key)?;
        matches!(deviation.seam, Seam::Guard).then_some(deviation.variant)
    }

    /// Whether what `rule` rejects here is answered as an internal error.
    pub(crate) fn fails(&self, rule: Id) -> bool {
        self.here.get(&rule.key).is_some_and(|deviation| matches!(deviation.seam, Seam::Failure))
    }

    /// Whether uncommon valid values that `rule` accepts are rejected here.
    pub(crate) fn rejects_uncommon(&self, rule: Id) -> bool {
        self.here.get(&rule.key).is_some_and(|deviation| matches!(deviation.seam, Seam::Refusal))
    }

    /// Whether values that `rule` keeps are changed here.
    pub(crate) fn changes_kept(&self, rule: Id) -> bool {
        self.here.get(&rule.key).is_some_and(|deviation| matches!(deviation.seam, Seam::Change))
    }

    /// Whether what `rule` rejects here takes effect all the same.
    pub(crate) fn takes_effect(&self, rule: Id) -> bool {
        self.here.get(&rule.key).is_some_and(|deviation| matches!(deviation.seam, Seam::Effect))
    }

    /// Edits a value that passes a seam.
    pub(crate) fn edit<T: Any>(&self, value: &mut T) {
        for edit in self.here.values().filter_map(|deviation| deviation.seam.edit()) {
            edit.apply(value);
        }
    }

    /// Activates exactly these deviations.
    pub(crate) fn set(&mut self, deviations: Vec<Scoped<Deviation>>) {
        self.all = deviations;
        self.enter(&Place::ANY, &Uncommon::new());
    }

    /// Whether some apply at a few places only.
    pub(crate) fn are_scoped(&self) -> bool {
        self.all.iter().any(|deviation| deviation.at != Place::ANY)
    }

    /// The world is at this place now, and has seen these uncommon values there.
    pub(crate) fn enter(&mut self, place: &Place, uncommon: &Uncommon) {
        let is_here = |deviation: &&Scoped<Deviation>| {
            let kinds = uncommon.get(&deviation.what.requirement.key);
            let mut kinds = kinds.into_iter().flatten();
            deviation.at.contains(place) || kinds.any(|kind| deviation.at.contains(&place.value(kind)))
        };
        let here = self.all.iter().filter(is_here);
        self.here = here.map(|deviation| (deviation.what.requirement.key, deviation.what)).collect();
    }

    /// The active deviations.
    pub fn list(&self) -> impl Iterator<Item = &Scoped<Deviation>> {
        self.all.iter()
    }
}

/// Finds a deviation in `known` by its name: `id` or `id/variant`.
pub fn find(known: &[Deviation], name: &str) -> Result<Deviation, UnknownDeviation> {
    let (id, variant) = name.split_once('/').unwrap_or((name, ""));
    let rule = catalogue::requirement(id).ok_or_else(|| {
        let names: BTreeSet<String> =
            known.iter().map(|deviation| deviation.requirement.to_string()).collect();
        let near = did_you_mean(id, names.iter().map(String::as_str));
        UnknownDeviation::Requirement(id.to_owned(), near)
    })?;
    if let Some(which) = GENERATED.iter().position(|(generated, ..)| *generated == variant) {
        return Ok(Deviation::generated(rule, which));
    }
    let of_rule = || known.iter().filter(|deviation| deviation.requirement == rule);
    of_rule().find(|deviation| deviation.variant == variant).copied().ok_or_else(|| {
        let names: Vec<String> = of_rule().map(ToString::to_string).collect();
        if names.is_empty() {
            return UnknownDeviation::None(id.to_owned());
        }
        UnknownDeviation::Variant(name.to_owned(), names.join(", "))
    })
}
