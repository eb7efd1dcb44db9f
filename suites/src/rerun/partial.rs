//! The partial report of a run that is going on: a file that keeps every outcome as it comes, so that a run that is
//! killed can be continued.
//!
//! The first line is a report. Each further line is a report, too, and adds the outcomes of one check. A last line
//! without a line end is ignored: the program was killed while it wrote it.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use assay_spec::Service;

use crate::harness::coverage::Seen;
use crate::harness::data::Run;
use crate::http::hiding::Hidden;
use crate::report::json;
use crate::rerun::merge;
use crate::support::files;

/// The end of the name of a partial report.
pub const EXTENSION: &str = "partial";

/// A partial report that is being written.
pub struct Partial {
    file: File,
    path: PathBuf,
    /// The tokens of earlier lines.
    hidden: Hidden,
    /// The services whose endpoints and transitions are listed in full.
    listed: BTreeSet<Service>,
}

impl Partial {
    /// Starts a partial report with what an earlier part of the run has done. A file at `path` is replaced.
    pub fn start(path: &Path, begun: &Run) -> io::Result<Partial> {
        let mut hidden = Hidden::default();
        let first = json::line(&Run { is_partial: true, ..begun.clone() }, &mut hidden);
        // The file may be the one that the run continues, so it is replaced at once or not at all.
        files::write(path, first.as_bytes())?;
        let file = OpenOptions::new().append(true).open(path)?;
        Ok(Partial { file, path: path.to_owned(), hidden, listed: BTreeSet::new() })
    }

    /// Adds a part of the run.
    pub fn add(&mut self, mut part: Run) -> io::Result<()> {
        let services = part.outcomes.iter().map(|outcome| outcome.requirement.service);
        let is_new = services.filter(|service| self.listed.insert(*service)).count() > 0;
        if !is_new {
            part.endpoints.retain(|row| row.seen != Seen::NotAsked);
            part.transitions.retain(|(_, fired)| *fired);
        }
        // The first line has them.
        part.conditions = crate::harness::data::Conditions::default();
        self.file.write_all(json::line(&part, &mut self.hidden).as_bytes())
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes it, once the whole report is written.
    pub fn remove(self) -> io::Result<()> {
        std::fs::remove_file(self.path)
    }
}

/// Reads a report, whole or partial. An error names the member.
pub fn read(text: &str) -> Result<Run, String> {
    let Some((first, rest)) = text.split_once('\n').filter(|(first, _)| first.ends_with('}')) else {
        return json::read(text);
    };
    let begun = json::read(first)?;
    let mut parts = vec![begun.clone()];
    for (n, line) in rest.split_inclusive('\n').enumerate().filter(|(_, line)| line.ends_with('\n')) {
        let part = json::read(line).map_err(|why| format!("line {}: {why}", n + 2))?;
        let Run { seed, outcomes, transitions, endpoints, sent, .. } = part;
        parts.push(Run {
            seed,
            outcomes,
            transitions,
            endpoints,
            sent,
            remarks: Vec::new(),
            ..begun.clone()
        });
    }
    merge::parts(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::data::{Outcome, Verdict};
    use crate::http::exchange::{Exchange, Request, Response};
    use crate::services;
    use crate::services::SUITES;

    const TOKEN: &str = "hunter2hunter2";

    /// The outcome of the nth check, with a request and its response.
    fn run(n: usize, verdict: Verdict, request: Request, body: &str) -> Run {
        let check = services::checks()[n];
        let response = Response { status: 200, headers: Vec::new(), body: body.to_owned().into() };
        let exchange = Exchange {
            site: "gateway".to_owned(),
            base: "http://127.0.0.1:4101".to_owned(),
            request,
            cut: None,
            slot: None,
            response: Ok(response),
        };
        let outcome = Outcome::new(check.requirement, check.fact, verdict, String::new());
        Run { outcomes: vec![Outcome { exchanges: vec![exchange], ..outcome }], seed: 7, ..Run::new(SUITES) }
    }

    #[test]
    fn what_was_finished_is_read_and_has_no_tokens() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.json.partial");
        let begun = Run { target: "t".to_owned(), seed: 7, is_whole: true, ..Run::new(SUITES) };
        let mut partial = Partial::start(&path, &begun).expect("it can be written");
        let get = Request::new("GET", "/");
        let sent = get.clone().header("Authorization", format!("Bearer {TOKEN}"));
        partial.add(run(1, Verdict::Fail, sent, "no")).expect("it can be written");
        // A later check gets the token of an earlier one.
        partial.add(run(0, Verdict::Pass, get.clone(), TOKEN)).expect("it can be written");
        let text = std::fs::read_to_string(&path).expect("its text");
        assert!(!text.contains(TOKEN) && text.contains("[redacted token]"), "{text}");

        let read = read(&format!("{text}{{\"version\"")).expect("a report");
        let verdicts: Vec<Verdict> = read.outcomes.iter().map(|outcome| outcome.verdict).collect();
        assert_eq!(verdicts, [Verdict::Pass, Verdict::Fail]);
        assert!(read.is_partial && read.is_whole && read.target == "t" && read.seed == 7);
        assert_eq!(read.outcomes[0].exchanges[0].request, get);
        let wrong = super::read(&text.replace("\"verdict\":\"fail\"", "\"verdict\":\"bad\""));
        let wrong = wrong.expect_err("not a verdict");
        assert!(wrong.contains("line 2: ") && wrong.contains("not a verdict"), "{wrong}");

        // It is continued with what it has.
        let mut partial = Partial::start(&path, &read).expect("it can be written");
        partial.add(run(2, Verdict::Pass, get, "")).expect("it can be written");
        let read = super::read(&std::fs::read_to_string(&path).expect("its text")).expect("a report");
        assert_eq!(read.outcomes.len(), 3);
        partial.remove().expect("it is there");
        assert!(!path.exists());
    }

    #[test]
    fn a_whole_report_is_read_as_such() {
        let whole = run(0, Verdict::Pass, Request::new("GET", "/"), "");
        for text in [json::write(&whole), json::line(&whole, &mut Hidden::default())] {
            assert_eq!(read(&text).expect("a report").outcomes.len(), 1);
        }
    }
}
