//! `assay vectors` and `assay shim`: the golden cases, and implementations held against them.

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Duration;

use assay_vectors::run::{Options, Outcome};
use assay_vectors::{Case, Collection, cases, explain, generate, lint, manifest, run, shim, witness};
use clap::Subcommand;

use crate::Ending;

#[derive(Subcommand)]
pub(crate) enum What {
    /// List the cases
    List {
        /// Only cases whose id or operation contains one of these
        filters: Vec<String>,
    },
    /// Print a case as a person would check it
    Explain {
        /// The case's id
        id: String,
    },
    /// List the rules that rejects name, with their requirements
    Rules,
    /// Check the collection itself: form, provenance, coverage, and that each reject is refused by its rule alone
    Lint,
    /// Count cases and witnesses by operation, and check every file against the manifest
    Verify,
    /// Write the generated files again
    Generate {
        /// Write nothing; fail where a file would change
        #[arg(long)]
        check: bool,
        /// The data folder of a checkout
        #[arg(long, value_name = "DIR", default_value = "vectors/data")]
        into: PathBuf,
    },
    /// Hold a program that speaks the JSON-lines protocol against the cases
    #[command(
        after_help = "Example:\n  assay vectors run -- assay shim\n\nExit codes: 0 conforming, 1 not conforming"
    )]
    Run {
        /// Seconds that one case may take
        #[arg(long, default_value_t = 10)]
        limit: u64,
        /// Judge the rules' names too
        #[arg(long)]
        rules: bool,
        /// A reading that the program follows (repeatable)
        #[arg(long = "reading", value_name = "READING")]
        readings: Vec<String>,
        /// Only cases whose id contains this (repeatable)
        #[arg(long = "only", value_name = "TEXT")]
        filter: Vec<String>,
        /// The program and its arguments
        #[arg(last = true, required = true)]
        command: Vec<String>,
    },
}

pub(crate) fn vectors(what: What) -> Result<(), Ending> {
    match what {
        What::List { filters } => list(&filters),
        What::Explain { id } => {
            let all = cases();
            let case = all.iter().find(|case| case.id == id).ok_or_else(|| unknown(&all, &id))?;
            print!("{}", explain::explain(case, std::io::stdout().is_terminal()));
            Ok(())
        }
        What::Rules => {
            rules();
            Ok(())
        }
        What::Lint => {
            let findings = lint::lint(&Collection::embedded());
            for finding in &findings {
                println!("{}: {}", finding.place, finding.what);
            }
            println!("{} cases, {} findings", cases().len(), findings.len());
            if findings.is_empty() { Ok(()) } else { Err(Ending::Code(1)) }
        }
        What::Verify => verify(),
        What::Generate { check, into } => write(check, &into),
        What::Run { limit, rules, readings, filter, command } => {
            let options = Options {
                limit: Duration::from_secs(limit),
                readings: readings.into_iter().collect::<BTreeSet<_>>(),
                rules,
                filter,
                ..Options::default()
            };
            judge(&run::run(&command, &options))
        }
    }
}

/// The reference end of the protocol.
pub(crate) fn serve() -> Result<(), Ending> {
    shim::serve(std::io::stdin().lock(), std::io::stdout().lock()).map_err(|e| Ending::Failed(e.to_string()))
}

fn unknown(all: &[Case], id: &str) -> Ending {
    let near: Vec<&str> =
        all.iter().map(|case| case.id.as_str()).filter(|known| known.contains(id)).take(5).collect();
    Ending::Bad(format!("no case has the id {id:?}; near it: {}", near.join(", ")))
}

fn list(filters: &[String]) -> Result<(), Ending> {
    let all = cases();
    let wanted = |case: &&Case| {
        filters.is_empty() || filters.iter().any(|text| case.id.contains(text) || case.op.contains(text))
    };
    let chosen: Vec<&Case> = all.iter().filter(wanted).collect();
    for case in &chosen {
        let verdict = if case.is_reject() { "reject" } else { "accept" };
        println!("{verdict}  {:<28} {}", case.op, case.id);
    }
    println!("{} cases", chosen.len());
    if chosen.is_empty() { Err(Ending::Bad("no case matches these filters".to_owned())) } else { Ok(()) }
}

fn rules() {
    for row in assay_spec::catalogue::requirements().filter(|row| !row.rule.is_empty()) {
        println!("{:<28} {:<42} {}", row.rule, row.to_string(), row.statement());
    }
}

fn verify() -> Result<(), Ending> {
    let found = lint::lint(&Collection::embedded());
    for (op, count) in &manifest().operations {
        let witnesses: Vec<String> = witness::witnesses()
            .into_iter()
            .filter(|witness| witness.op == *op)
            .map(|witness| {
                format!(
                    "{} ({}): {} accepts, {} rejects",
                    witness.witness,
                    witness.libraries.join(", "),
                    witness.accepts,
                    witness.rejects
                )
            })
            .collect();
        let confirmed =
            if witnesses.is_empty() { "no witness on record".to_owned() } else { witnesses.join("; ") };
        println!("{op:<28} {:>3} accepts {:>3} rejects  {confirmed}", count.accept, count.reject);
    }
    for finding in &found {
        println!("{}: {}", finding.place, finding.what);
    }
    if found.is_empty() { Ok(()) } else { Err(Ending::Code(1)) }
}

fn write(check: bool, into: &std::path::Path) -> Result<(), Ending> {
    let mut stale = 0;
    for (name, bytes) in generate::files() {
        let path = into.join(name);
        if std::fs::read(&path).is_ok_and(|old| old == bytes) {
            continue;
        }
        stale += 1;
        println!("{}{}", if check { "stale: " } else { "" }, path.display());
        if !check {
            std::fs::write(&path, bytes).map_err(|e| Ending::Bad(format!("{}: {e}", path.display())))?;
        }
    }
    if check && stale > 0 {
        println!("write them again: assay vectors generate --into {}", into.display());
        return Err(Ending::Code(1));
    }
    println!("{stale} files {}", if check { "stale" } else { "written" });
    Ok(())
}

fn judge(report: &run::Report) -> Result<(), Ending> {
    for result in &report.results {
        if !matches!(result.outcome, Outcome::Pass | Outcome::Unsupported | Outcome::OtherReading) {
            println!("{:<6} {}: {}", result.outcome, result.id, result.text);
        }
    }
    for incident in report.incidents.iter().chain(&report.missing) {
        println!("{incident}");
    }
    let counts: Vec<String> =
        report.counts().into_iter().map(|(outcome, count)| format!("{count} {outcome}")).collect();
    let verdict = if report.conforms() { "conforms" } else { "does not conform" };
    println!("{}: {} cases: {} - {verdict}", report.program, report.results.len(), counts.join(", "));
    if report.conforms() { Ok(()) } else { Err(Ending::Code(1)) }
}
