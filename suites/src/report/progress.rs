//! The progress of a run on standard error: a bar on a terminal; otherwise a line for each group as it ends, and every
//! 30 s a line with the time that is left. In a run of many groups, those that pass are in the line of their service. The
//! same seam writes the events of the run.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use assay_spec::Id;
use indicatif::{ProgressBar, ProgressStyle};

use super::events::Events;
use super::terminal::{Paint, counts};
use super::{by_group, group};
use crate::harness::data::{Outcome, Run, Verdict};
use crate::support::tell;

/// With more groups than this, those that pass have no line of their own.
const GROUPS: usize = 15;
/// The interval of the lines with the time that is left.
const INTERVAL: Duration = Duration::from_secs(30);

/// The progress of a run.
#[derive(Debug)]
pub struct Progress<'run> {
    bar: ProgressBar,
    lines: Arc<Mutex<Lines>>,
    /// Whether the lines are shown.
    has_lines: bool,
    events: Option<&'run Events>,
    clock: Option<tokio::task::AbortHandle>,
    bad: AtomicUsize,
}

impl<'run> Progress<'run> {
    /// Shows the progress of checks of these rows, unless it is `hidden`, and writes it to `events`. Needs a runtime.
    pub fn start(
        rows: impl Iterator<Item = Id>,
        hidden: bool,
        events: Option<&'run Events>,
    ) -> Progress<'run> {
        let lines = Lines::new(rows);
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {eta} left  {wide_msg}");
        let is_bar = std::io::stderr().is_terminal();
        let bar =
            if hidden || !is_bar { ProgressBar::hidden() } else { ProgressBar::new(lines.total as u64) };
        let bar = bar.with_style(style.expect("the template is well formed"));
        let (lines, has_lines) = (Arc::new(Mutex::new(lines)), !hidden && !is_bar);
        let clock = has_lines.then(|| {
            let (lines, began) = (lines.clone(), Instant::now());
            let ticks = async move {
                loop {
                    tokio::time::sleep(INTERVAL).await;
                    let left = lines.lock().unwrap_or_else(PoisonError::into_inner).left(began.elapsed());
                    if let Some(line) = left {
                        tell(format_args!("{line}\n"));
                    }
                }
            };
            tokio::spawn(ticks).abort_handle()
        });
        if let Some(events) = events {
            events.begin_round();
        }
        Progress { bar, lines, has_lines, events, clock, bad: 0.into() }
    }

    /// With the seconds that the run takes by its plan.
    #[must_use]
    pub fn expecting(self, seconds: u64) -> Progress<'run> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).expected = seconds;
        self
    }

    /// Counts a finished check; `verdict` is what is shown of it.
    pub fn checked(&self, outcome: &Outcome, verdict: Verdict) {
        let row = outcome.requirement;
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let said = lines.checked(row, verdict);
        for line in said.iter().filter(|_| self.has_lines) {
            tell(format_args!("{line}\n"));
        }
        if let (Some(events), Some((left, verdicts))) = (self.events, lines.groups.get(&group(row))) {
            events.checked(outcome, verdict, *left, verdicts);
        }
        drop(lines);
        let is_bad = verdict.is_bad() || verdict == Verdict::Error;
        let bad = self.bad.fetch_add(usize::from(is_bad), Relaxed) + usize::from(is_bad);
        self.bar.set_message(match bad {
            0 => row.to_string(),
            _ => format!("{bad} did not pass, {row}"),
        });
        self.bar.inc(1);
    }

    /// Corrects the lines of groups whose verdicts have changed since they ended: a response to another check, or a
    /// prerequisite that failed later, decides them too.
    /// `verdict` is what is shown of an outcome.
    pub fn settled(&self, run: &Run, verdict: impl Fn(&Outcome) -> Verdict) {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner).corrections(run, verdict);
        for line in lines.iter().filter(|_| self.has_lines) {
            tell(format_args!("{line}\n"));
        }
    }

    /// Removes the bar, or ends the lines.
    pub fn finish(&self) {
        self.clock.iter().for_each(tokio::task::AbortHandle::abort);
        if self.has_lines {
            tell(format_args!("\n"));
        }
        self.bar.finish_and_clear();
    }
}

/// The lines without a terminal.
#[derive(Debug)]
struct Lines {
    /// By group: the checks that have not ended, and the verdicts of the others.
    groups: BTreeMap<String, (usize, BTreeMap<Verdict, usize>)>,
    done: usize,
    total: usize,
    /// How long the run takes by its plan, in seconds; 0 without one.
    expected: u64,
}

impl Lines {
    fn new(rows: impl Iterator<Item = Id>) -> Lines {
        let mut lines = Lines { groups: BTreeMap::new(), done: 0, total: 0, expected: 0 };
        for row in rows {
            lines.groups.entry(group(row)).or_default().0 += 1;
            lines.total += 1;
        }
        lines
    }

    /// The lines of the group and of the service whose last check this is.
    fn checked(&mut self, row: Id, verdict: Verdict) -> Vec<String> {
        self.done += 1;
        let name = group(row);
        let Some((left, verdicts)) = self.groups.get_mut(&name) else { return Vec::new() };
        let Some(fewer) = left.checked_sub(1) else { return Vec::new() };
        *left = fewer;
        *verdicts.entry(verdict).or_default() += 1;
        if fewer > 0 {
            return Vec::new();
        }
        let (_, verdicts) = &self.groups[&name];
        let is_passed = verdicts.keys().all(|verdict| *verdict == Verdict::Pass);
        let own = (!self.is_folded() || !is_passed).then(|| self.line(&name, verdicts));
        let service = row.service.name();
        let whole = self.shown(service).filter(|_| self.is_folded());
        own.into_iter().chain(whole.map(|verdicts| self.line(service, &verdicts))).collect()
    }

    /// Whether groups that pass have no line of their own.
    fn is_folded(&self) -> bool {
        self.groups.len() > GROUPS
    }

    fn line(&self, name: &str, verdicts: &BTreeMap<Verdict, usize>) -> String {
        let width = self.groups.keys().map(String::len).max().unwrap_or_default();
        let count = |verdict| verdicts.get(&verdict).copied().unwrap_or_default();
        format!("{name:width$}  {}", counts(count, Paint::PLAIN))
    }

    /// The verdicts of all checks of a service, once all have ended.
    fn shown(&self, service: &str) -> Option<BTreeMap<Verdict, usize>> {
        let groups = self.groups.iter().filter(|(name, _)| name.split('.').next() == Some(service));
        let mut all: BTreeMap<Verdict, usize> = BTreeMap::new();
        for (_, (left, verdicts)) in groups {
            if *left > 0 {
                return None;
            }
            for (verdict, number) in verdicts {
                *all.entry(*verdict).or_default() += number;
            }
        }
        Some(all)
    }

    /// The lines of groups, and of their services, whose verdicts are not those that were shown.
    fn corrections(&self, run: &Run, verdict: impl Fn(&Outcome) -> Verdict) -> Vec<String> {
        let corrected = |name: &str, now: &BTreeMap<Verdict, usize>| {
            format!("{}, once every response is judged", self.line(name, now))
        };
        let (mut lines, mut services) = (Vec::new(), BTreeMap::new());
        for (name, outcomes) in by_group(run) {
            let Some((left, shown)) = self.groups.get(&name) else { continue };
            let of_service = services.entry(outcomes[0].requirement.service).or_insert_with(BTreeMap::new);
            let mut now: BTreeMap<Verdict, usize> = BTreeMap::new();
            for outcome in outcomes {
                *now.entry(verdict(outcome)).or_default() += 1;
                *of_service.entry(verdict(outcome)).or_default() += 1;
            }
            if *left == 0 && now != *shown {
                lines.push(corrected(&name, &now));
            }
        }
        for (service, now) in services.iter().filter(|_| self.is_folded()) {
            if self.shown(service.name()).is_some_and(|shown| shown != *now) {
                lines.push(corrected(service.name(), now));
            }
        }
        lines
    }

    /// How much is left after this time; `None` before the first and after the last check.
    fn left(&self, elapsed: Duration) -> Option<String> {
        let (done, total) = (self.done, self.total);
        if done == 0 || done >= total {
            return None;
        }
        // The first checks of a paced run may take longest, so its plan knows better, as long as it can be true.
        let seconds = match self.expected.checked_sub(elapsed.as_secs()) {
            Some(seconds @ 1..) => seconds,
            _ => elapsed.as_secs() * (total - done) as u64 / done as u64,
        };
        let time =
            if seconds < 90 { format!("{seconds} s") } else { format!("{} min", seconds.div_ceil(60)) };
        Some(format!("{done} of {total} checks, about {time} left"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example;

    #[test]
    fn a_group_is_a_line_as_it_ends() {
        let run = example::run();
        let mut lines = Lines::new(run.outcomes.iter().map(|one| one.requirement));
        assert_eq!(lines.left(Duration::from_secs(30)), None);
        let mut said: Vec<Vec<String>> =
            run.outcomes[..4].iter().map(|one| lines.checked(one.requirement, one.verdict)).collect();
        assert_eq!(said.pop().unwrap_or_default(), ["publish.first-group  1 pass, 1 fail, 2 not-testable"]);
        assert!(said.iter().all(Vec::is_empty), "{said:?}");
        let left = |lines: &Lines, seconds| lines.left(Duration::from_secs(seconds));
        assert_eq!(left(&lines, 60).as_deref(), Some("4 of 7 checks, about 45 s left"));
        assert_eq!(left(&lines, 600).as_deref(), Some("4 of 7 checks, about 8 min left"));
        lines.expected = 1800;
        assert_eq!(left(&lines, 600).as_deref(), Some("4 of 7 checks, about 20 min left"));
        assert_eq!(left(&lines, 2400).as_deref(), Some("4 of 7 checks, about 30 min left"));
        let last = run.outcomes[4..].iter().flat_map(|one| lines.checked(one.requirement, one.verdict));
        let last: Vec<String> = last.collect();
        assert_eq!(last, ["publish.other        1 warn, 1 inconclusive, 1 error"]);
        assert_eq!(lines.left(Duration::from_mins(15)), None);
    }

    #[test]
    fn a_run_of_many_groups_has_a_line_for_each_service_and_for_what_did_not_pass() {
        let checks = crate::services::checks();
        let mut lines = Lines::new(checks.iter().map(|check| check.requirement));
        let verdict = |n: usize| if n == 3 { Verdict::Fail } else { Verdict::Pass };
        let said: Vec<String> = checks
            .iter()
            .enumerate()
            .flat_map(|(n, check)| lines.checked(check.requirement, verdict(n)))
            .collect();
        assert_eq!(said.len(), 1 + assay_spec::Service::ALL.len(), "{said:#?}");
        assert!(said[0].starts_with("gateway.") && said[0].ends_with(" pass, 1 fail"), "{said:#?}");
        assert!(said[1].starts_with("gateway ") && said[2].starts_with("metadata "), "{said:#?}");
        let outcome = |(n, check): (usize, &&'static crate::harness::check::Check)| {
            Outcome::new(
                check.requirement,
                check.fact,
                if n == 0 { Verdict::Fail } else { verdict(n) },
                "why",
            )
        };
        let outcomes = checks.iter().enumerate().map(outcome).collect();
        let run = Run { outcomes, ..Run::new(crate::services::SUITES) };
        let corrected = lines.corrections(&run, |one| one.verdict);
        assert!(
            corrected[0].contains(" 2 fail, once ") && corrected[1].starts_with("gateway "),
            "{corrected:#?}"
        );
        assert_eq!(corrected.len(), 2);
    }

    #[test]
    fn a_group_whose_verdicts_changed_is_corrected() {
        let mut run = example::run();
        let mut lines = Lines::new(run.outcomes.iter().map(|one| one.requirement));
        // One check has not ended: the line of its group was not shown.
        for one in &run.outcomes[..6] {
            lines.checked(one.requirement, one.verdict);
        }
        assert!(lines.corrections(&run, |one| one.verdict).is_empty());
        run.outcomes[0].verdict = Verdict::Fail;
        run.outcomes[4].verdict = Verdict::Fail;
        assert_eq!(
            lines.corrections(&run, |one| one.verdict),
            ["publish.first-group  2 fail, 2 not-testable, once every response is judged"]
        );
    }

    #[tokio::test]
    async fn nothing_is_shown_if_it_is_hidden() {
        let run = example::run();
        let progress = Progress::start(run.outcomes.iter().map(|one| one.requirement), true, None);
        run.outcomes.iter().for_each(|one| progress.checked(one, one.verdict));
        assert!(!progress.has_lines && progress.clock.is_none() && progress.bar.is_hidden());
        progress.finish();
    }
}
