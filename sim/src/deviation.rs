//! Deviations: one requirement broken at a time, each in the table of its service.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;

use assay_spec::{Id, catalogue};

use crate::seam::Seam;

/// One way to break one requirement.
#[derive(Clone, Copy, Debug)]
pub struct Deviation {
    /// The requirement that is switched off.
    pub requirement: Id,
    /// Which way; empty for the default one.
    pub variant: &'static str,
    /// What the simulator does instead.
    pub about: &'static str,
    /// Where it acts, with its code.
    pub seam: Seam,
}

/// A service's table of deviations: `ROW, "variant" => "what the service does instead", seam |value: &mut Type| code;`.
///
/// The seams are `guard` (without code), `reply`, `limits` and `step`. An entry without a seam has its code in a handler.
macro_rules! deviations {
    ($(
        $rule:expr $(, $variant:literal)? => $about:literal
        $(, $seam:ident $(|$value:ident: &mut $type:ty| $code:expr)?)?;
    )*) => {
        &[$(Deviation {
            requirement: &$rule,
            variant: concat!("" $(, $variant)?),
            about: $about,
            seam: $crate::seam::seam!($($seam $(($value, $type, $code))?)?),
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

/// The requirements that are switched off, by key.
#[derive(Clone, Debug, Default)]
pub struct Deviations(BTreeMap<u32, Deviation>);

/// A name that is not a known deviation.
#[derive(Debug, thiserror::Error)]
pub enum UnknownDeviation {
    /// No requirement has that id.
    #[error("unknown requirement {0:?}")]
    Requirement(String),
    /// The requirement has no such deviation.
    #[error("unknown deviation {0:?}; this requirement has: {1}")]
    Variant(String, String),
}

impl Deviations {
    /// The variant by which `rule` is violated where it is applied, if it is.
    pub fn violated(&self, rule: Id) -> Option<&'static str> {
        let deviation = self.0.get(&rule.key)?;
        matches!(deviation.seam, Seam::Guard | Seam::Handler).then_some(deviation.variant)
    }

    /// Edits a value that passes a seam.
    pub(crate) fn edit<T: Any>(&self, value: &mut T) {
        for edit in self.0.values().filter_map(|deviation| deviation.seam.edit()) {
            edit.apply(value);
        }
    }

    /// Activates exactly these deviations.
    pub fn set(&mut self, deviations: impl IntoIterator<Item = Deviation>) {
        self.0 = deviations.into_iter().map(|deviation| (deviation.requirement.key, deviation)).collect();
    }

    /// The active deviations.
    pub fn list(&self) -> impl Iterator<Item = &Deviation> {
        self.0.values()
    }
}

/// Finds a deviation in `known` by its name: `id` or `id/variant`.
pub fn find(known: &[Deviation], name: &str) -> Result<Deviation, UnknownDeviation> {
    let (id, variant) = name.split_once('/').unwrap_or((name, ""));
    let rule = catalogue::requirement(id).ok_or_else(|| UnknownDeviation::Requirement(id.to_owned()))?;
    let of_rule = || known.iter().filter(|deviation| deviation.requirement == rule);
    of_rule().find(|deviation| deviation.variant == variant).copied().ok_or_else(|| {
        let names: Vec<String> = of_rule().map(ToString::to_string).collect();
        UnknownDeviation::Variant(name.to_owned(), names.join(", "))
    })
}
