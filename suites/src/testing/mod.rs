//! Checks in a test of your own: a profile goes in, a [`Report`] comes out.
//!
//! Imports everything below it. Entry point: [`run`].

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use assay_spec::Service;

use crate::harness::data::{Run, Verdict};
use crate::harness::judge::conclusion::conclude;
use crate::harness::run::Runner;
use crate::harness::run::plan::{Wishes, foresee_paced, select};
use crate::harness::select::each_selects;
use crate::harness::setup::{confirm, connect};
use crate::harness::target::Target;
use crate::profile::Profile;
use crate::report::{make_readable, make_redacted, terminal};
use crate::services::{self, SUITES};

/// Why a run cannot start: an invalid profile, an unknown filter, or a target that does not answer. The message says where, and
/// what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CannotRun(String);

/// How many checks run at the same time.
const JOBS: usize = 4;

/// What a run found.
pub struct Report(Run);

impl Report {
    /// Whether no check failed, as the exit code 0 of `assay run` says it.
    pub fn is_conforming(&self) -> bool {
        conclude(&self.0).conclusion.exit_code() == 0
    }

    /// How many checks have this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.0.count(verdict)
    }

    /// Every outcome, with its exchanges.
    pub fn run(&self) -> &Run {
        &self.0
    }
}

/// What `assay run` prints: the causes of what did not pass, and how much was tested.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&terminal::report(&self.0, terminal::View::default()))
    }
}

/// Runs checks against the target of a profile (TOML). Each filter is an id, a part of ids or facts, or a pattern with `*` and
/// `?`; without filters, every check of the services that the profile names runs. Files that the profile names are read from the
/// current folder.
pub async fn run(profile: &str, filters: &[&str]) -> Result<Report, CannotRun> {
    let cannot = |why: &dyn fmt::Display| CannotRun(why.to_string());
    let loaded = Profile::of_text(profile.to_owned(), "the profile".to_owned(), Path::new("."));
    let loaded = loaded.map_err(|wrong| cannot(&wrong))?;
    let filters: Vec<String> = filters.iter().map(|filter| (*filter).to_owned()).collect();
    let all = services::checks();
    let names = all.iter().map(|check| (check.requirement, check.fact));
    each_selects("check", "assay run --list", &filters, &names).map_err(CannotRun)?;
    let (mut target, mut settings, pace) =
        connect(SUITES, &loaded, None).await.map_err(|wrong| cannot(&wrong))?;
    let mut checks = select(all, &[], &filters);
    checks.retain(|check| target.has_site(check.requirement.service.name()));
    if checks.is_empty() {
        return Err(CannotRun("no check of the profile's services matches these filters".to_owned()));
    }
    let tested: BTreeSet<Service> = checks.iter().map(|check| check.requirement.service).collect();
    let tested: Vec<Service> = tested.into_iter().collect();
    // A control API makes domains.
    let domains = if target.offer().actions.is_empty() { usize::MAX } else { 0 };
    let confirmed = confirm(&mut target, &mut settings, &pace, &loaded.source, &tested, domains).await;
    confirmed.map_err(|wrong| cannot(&wrong))?;
    let wishes = Wishes::default();
    let planned = foresee_paced(&target, &mut settings, &pace, &wishes, &checks, JOBS).await;
    let runner = Runner { target: &target, settings: &settings, pace: &pace, jobs: JOBS };
    let mut run = runner.run(&planned, |_| ()).await;
    run.is_whole = filters.is_empty();
    run.gate = loaded.profile.gate.clone();
    make_redacted(&mut run);
    make_readable(&mut run);
    Ok(Report(run))
}
