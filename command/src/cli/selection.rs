//! The checks that a command is about.

use assay_spec::Service;
use assay_spec::requirement::Level;
use assay_suites::harness::check::Check;
use assay_suites::harness::run::plan::select;
use assay_suites::harness::select::{Filter, each_selects};
use assay_suites::services;
use clap::Args;

use super::{Ending, parse_service};

/// The heading of the options that select checks.
pub(crate) const WHICH: &str = "Which checks";

#[derive(Args)]
#[command(next_help_heading = WHICH)]
pub(crate) struct Selection {
    /// Only these checks: an id, a part of ids or facts, or a pattern with * and ?
    filters: Vec<String>,
    /// Leave out these checks: an id, a part of ids or facts, or a pattern with * and ? (repeatable)
    #[arg(long, value_name = "FILTER")]
    exclude: Vec<String>,
    /// Only checks of requirements with this level: must or should (repeatable)
    #[arg(long = "level", value_parser = parse_level)]
    levels: Vec<Level>,
    /// Only this service (repeatable)
    #[arg(long = "service", value_parser = parse_service)]
    pub(crate) services: Vec<Service>,
}

fn parse_level(name: &str) -> Result<Level, String> {
    let levels = [Level::Must, Level::Should];
    let found = levels.into_iter().find(|level| level.name() == name);
    found.ok_or_else(|| "unknown level; use must or should".to_owned())
}

impl Selection {
    /// Whether nothing is excluded.
    pub(crate) fn is_everything(&self) -> bool {
        self.has_whole_services() && self.services.is_empty()
    }

    /// Whether every check of each selected service is selected.
    pub(crate) fn has_whole_services(&self) -> bool {
        self.filters.is_empty() && self.exclude.is_empty() && self.levels.is_empty()
    }

    /// The selected checks. Each filter must match a check of some service.
    pub(crate) fn checks(&self) -> Result<Vec<&'static Check>, Ending> {
        let all = services::checks();
        let names = all.iter().map(|check| (check.requirement, check.fact));
        for filters in [&self.filters, &self.exclude] {
            each_selects("check", "assay run --list", filters, &names).map_err(Ending::Bad)?;
        }
        let excluded = Filter::read_all(&self.exclude);
        let mut checks = select(all, &self.services, &self.filters);
        checks.retain(|check| {
            let level = check.requirement.level;
            (self.levels.is_empty() || self.levels.contains(&level))
                && !excluded.iter().any(|filter| filter.selects(check.requirement, check.fact))
        });
        if checks.is_empty() { Err(none()) } else { Ok(checks) }
    }
}

/// The error of a selection without checks.
pub(crate) fn none() -> Ending {
    Ending::Bad("no check matches these filters; assay run --list shows every check".to_owned())
}
