//! Deviations: one requirement switched off at a time. Only this module and the services' `deviations.rs` deviate.

use std::collections::BTreeMap;
use std::fmt;

use assay_spec::{Id, catalogue};

/// One way to break one requirement.
#[derive(Clone, Copy, Debug)]
pub struct Deviation {
    /// The requirement that is switched off.
    pub requirement: Id,
    /// Which way; empty for the default one.
    pub variant: &'static str,
    /// What the simulator does instead.
    pub about: &'static str,
}

/// A service's table of deviations: `ROW, "variant" => "what the service does instead";`.
macro_rules! deviations {
    ($($rule:expr $(, $variant:literal)? => $about:literal;)*) => {
        &[$(Deviation { requirement: &$rule, variant: concat!("" $(, $variant)?), about: $about }),*]
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
    /// The variant by which `rule` is violated, if it is.
    pub fn violated(&self, rule: Id) -> Option<&'static str> {
        self.0.get(&rule.key).map(|deviation| deviation.variant)
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
