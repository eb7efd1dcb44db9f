//! Deviations: one requirement broken at a time, each in the table of its service.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;

use assay_spec::value::Wrong;
use assay_spec::{Id, Place, Service, catalogue};
use serde_json::{Value, json};

use crate::seam::Seam;

/// The variant of [`Deviation::failure`].
const FAILURE: &str = "fails";

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
    /// Where it acts, with its code.
    pub seam: Seam,
}

impl Deviation {
    /// The places of its requirement where it shows.
    pub fn places(&self) -> &'static [Place] {
        self.shows_at.unwrap_or(self.requirement.places)
    }

    /// What a requirement rejects is answered as an internal error. Every requirement has this deviation besides those in the
    /// tables.
    pub const fn failure(requirement: Id) -> Deviation {
        let about = "what it rejects returns 500";
        Deviation { requirement, variant: FAILURE, about, shows_at: None, seam: Seam::Failure }
    }

    /// The kinds of wrong values by which it shows; one empty name if its requirement declares none, or if it changes
    /// something else than what is accepted.
    pub fn values(&self) -> Vec<&'static str> {
        let is_shown = |wrong: &&Wrong| match self.seam {
            Seam::Guard => !wrong.is_hollow,
            Seam::Failure => true,
            _ => false,
        };
        let names: Vec<_> = self.requirement.rejected().filter(is_shown).map(|wrong| wrong.name).collect();
        if names.is_empty() { vec![""] } else { names }
    }
}

/// The last of these.
pub(crate) const fn last<T: Copy>(all: &[T]) -> T {
    all[all.len() - 1]
}

/// A service's table of deviations: `ROW, "variant" => "what the service does instead", seam |value: &mut Type| code;`.
/// `at PLACES` after the string names the places where it shows, if these are not all places of the row.
///
/// The seams are `guard` (without code), `reply`, `limits` and `step`.
macro_rules! deviations {
    ($(
        $rule:expr $(, $variant:literal)? => $about:literal $(at $places:path)?
        , $seam:ident $(|$value:ident: &mut $type:ty| $code:expr)?;
    )*) => {
        &[$(Deviation {
            requirement: &$rule,
            variant: concat!("" $(, $variant)?),
            about: $about,
            shows_at: $crate::deviation::last(&[None $(, Some($places))?]),
            seam: $crate::seam::seam!($seam $(($value, $type, $code))?),
        }),*]
    };
}
pub(crate) use deviations;

/// `publish.envelope.time-window/past`
impl fmt::Display for Deviation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slash = if self.variant.is_empty() { "" } else { "/" };
        f.pad(&format!("{}{slash}{}", self.requirement, self.variant))
    }
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
    #[error("unknown requirement {0:?}")]
    Requirement(String),
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

    /// Edits a value that passes a seam.
    pub(crate) fn edit<T: Any>(&self, value: &mut T) {
        for edit in self.here.values().filter_map(|deviation| deviation.seam.edit()) {
            edit.apply(value);
        }
    }

    /// Activates exactly these deviations.
    pub(crate) fn set(&mut self, deviations: Vec<Scoped<Deviation>>) {
        self.all = deviations;
        self.enter(&Place::ANY);
    }

    /// Whether some apply at a few places only.
    pub(crate) fn are_scoped(&self) -> bool {
        self.all.iter().any(|deviation| deviation.at != Place::ANY)
    }

    /// The world is at this place now.
    pub(crate) fn enter(&mut self, place: &Place) {
        let here = self.all.iter().filter(|deviation| deviation.at.contains(place));
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
    let rule = catalogue::requirement(id).ok_or_else(|| UnknownDeviation::Requirement(id.to_owned()))?;
    if variant == FAILURE {
        return Ok(Deviation::failure(rule));
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
