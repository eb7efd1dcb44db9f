//! The checks, one folder for each service.
//!
//! Imports `harness` and what is below it; no other folder matches on a service. Entry point: [`SUITES`].

pub mod drop;
pub mod gateway;
pub mod hosting;
pub mod metadata;
pub mod network;
pub mod publish;

use assay_spec::Id;

use crate::harness::check::Check;
use crate::harness::probe::Settings;
use crate::harness::suite::Suites;

macro_rules! list {
    ($(($module:ident $variant:ident $document:literal))*) => {
        /// Every service.
        pub const SUITES: Suites = Suites(&[$(&$module::SUITE),*]);
    };
}

assay_spec::for_each_service!(list);

/// Every check, in the order of the requirements.
pub fn checks() -> Vec<&'static Check> {
    SUITES.checks()
}

/// The check of a requirement.
pub fn check(requirement: Id) -> Option<&'static Check> {
    SUITES.check(requirement)
}

/// The settings of a run in worlds of its own.
pub fn settings() -> Settings {
    Settings::new(SUITES)
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_check_has_a_doc_comment() {
        let missing: Vec<_> = super::checks().into_iter().filter(|check| check.doc.is_empty()).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
