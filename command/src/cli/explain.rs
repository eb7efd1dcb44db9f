//! `assay explain`: everything that is known about a requirement.

mod known;

use assay_spec::names::did_you_mean;
use assay_spec::{Id, catalogue};
use assay_suites::report::json;
use assay_suites::support::prose::{count, wrap};
use assay_vectors::cases;
use clap::Args;
use serde_json::Value;

use self::known::{CaseFile, Cost, Explained, Known, OfCheck, OfClient, VERSION};
use super::{Ending, help};

pub(crate) const HELP: &str = "Examples:
  assay explain publish.prepare.one-in-flight
  assay explain publish.domain.alphabet gateway.confidential.resolved
  assay explain --json publish.prepare.one-in-flight
  assay explain --edits FreeLock

The sentences of a section are counted from 1; a table row counts as a sentence.
assay requirements lists every id. assay vectors explain explains one golden case.

Exit codes: 0 explained, 2 unknown id or type";

/// The maximum length of a list of cases or ids.
const MOST_LISTED: usize = 12;

#[derive(Args)]
pub(crate) struct ExplainArgs {
    /// Ids of requirements
    #[arg(required_unless_present = "edits", value_name = "ID")]
    ids: Vec<String>,
    /// List the deviations and variations that edit values of this type of the simulator, such as a step that a handler calls
    #[arg(long, value_name = "TYPE", conflicts_with = "ids")]
    edits: Option<String>,
    /// Print it as JSON; assay schema explain prints the schema
    #[arg(long, conflicts_with = "edits")]
    json: bool,
}

pub(crate) fn explain(args: &ExplainArgs) -> Result<(), Ending> {
    if let Some(named) = &args.edits {
        print!("{}", edits_of(named)?);
        return Ok(());
    }
    let rows = args.ids.iter().map(|id| find(id)).collect::<Result<Vec<Id>, Ending>>()?;
    let cases = cases();
    let requirements: Vec<Known> = rows.into_iter().map(|row| Known::new(row, &cases)).collect();
    if args.json {
        let explained = Explained { version: VERSION, requirements };
        let text = serde_json::to_string_pretty(&explained).expect("strings can be written as JSON");
        println!("{text}");
    } else {
        print!("{}", requirements.iter().map(page).collect::<Vec<_>>().join("\n"));
    }
    Ok(())
}

/// The JSON Schema of `assay explain --json`.
pub(crate) fn schema() -> Value {
    json::schema_of::<Explained>()
}

/// What edits values of a type.
fn edits_of(named: &str) -> Result<String, Ending> {
    let all = edits();
    let found: Vec<_> = all.iter().filter(|(edited, ..)| edited == named).collect();
    if found.is_empty() {
        let near = did_you_mean(named, all.iter().map(|(edited, ..)| edited.as_str()));
        return Err(Ending::Bad(format!("no deviation and no variation edits a type {named:?}{near}")));
    }
    Ok(found.iter().map(|(_, name, about)| format!("{name}\n{}", wrap("  ", about))).collect())
}

fn find(id: &str) -> Result<Id, Ending> {
    catalogue::requirement(id).ok_or_else(|| {
        let ids: Vec<String> = catalogue::requirements().map(ToString::to_string).collect();
        Ending::Bad(if cases().iter().any(|case| case.id == id) {
            format!("{id:?} is a golden case, not a requirement; use assay vectors explain {id}")
        } else if let Some(what) = help::what_is(id) {
            format!("{id:?} is {what}, not a requirement; assay help {id} explains it")
        } else {
            let near = did_you_mean(id, ids.iter().map(String::as_str));
            format!("no requirement has the id {id:?}{near}")
        })
    })
}

fn page(known: &Known) -> String {
    let mut out = format!("{}\n{}\n", known.id, wrap("  ", &known.statement));
    out += &field("level", known.level);
    out += &field("binds", known.binds);
    out += &field("source", &known.source);
    out += &field("evidence", known.evidence);
    for reading in &known.readings {
        out += &field("reading", &format!("{} in the profile: {}", reading.key, reading.means));
    }
    if let Some(check) = &known.check {
        out += &of_check(known, check);
    }
    if let Some(client) = &known.client {
        out += &of_client(known, client);
    }
    if let Some(why) = &known.untested {
        out += &head("Why there is no test");
        out += &wrap("  ", why);
    }
    out + &of_cases(known)
}

fn of_check(known: &Known, check: &OfCheck) -> String {
    let mut out = head("What the check does");
    for paragraph in &check.does {
        out += &wrap("  ", paragraph);
    }
    if check.needs_counterpart {
        out += &wrap("  ", "It passes only if the valid counterpart is accepted.");
    }
    out += "\n";
    out += &field("fact", check.fact);
    if let Some(rejection) = &check.rejection {
        out += &field("rejection", &rejection.allowed);
        out.extend(rejection.demanded.map(|heading| field("demanded", heading)));
    }
    for need in &check.needs {
        out += &field("needs", need);
    }
    out += &field("cost", &cost(&check.cost));

    out += &of_failure(known);
    if !check.examples.is_empty() {
        out += "  For example:\n";
        out.extend(check.examples.iter().map(|one| wrap("  - ", &one.about)));
    }
    if !check.rests_on.is_empty() {
        let mut ids = check.rests_on.clone();
        let more = ids.len().saturating_sub(MOST_LISTED);
        ids.truncate(MOST_LISTED);
        ids.extend((more > 0).then(|| format!("and {more} more")));
        let rests = "If one of these checks fails too, it is the cause, and this one is inconclusive:";
        out += &wrap("  ", &format!("{rests} {}.", ids.join(", ")));
    }

    out += &head("Run it alone");
    out += &commands(&known.run_alone[..known.run_alone.len() - known.golden_cases.len()]);
    if !check.see_it_fail.is_empty() {
        out += "\nTo see it fail, start the simulator with a deviation and run the check there:\n";
        out += &commands(&check.see_it_fail);
    }
    out
}

fn cost(cost: &Cost) -> String {
    let counts = [
        (cost.requests, "request"),
        (cost.writes, "write"),
        (cost.publishes, "publish"),
        (cost.uploads, "upload"),
    ];
    let mut parts: Vec<String> = counts
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, noun)| count(number, noun))
        .collect();
    parts.extend(cost.include.map(|weight| format!("on a shared target only with --include {weight}")));
    parts.join(", ")
}

fn of_client(known: &Known, client: &OfClient) -> String {
    let mut out = head("What the client suite does");
    out += &wrap("  ", "It starts the client in each of these worlds, and judges what the client sends:");
    out.extend(client.worlds.iter().map(|fact| format!("  - {fact}\n")));
    if client.worlds.is_empty() {
        out += "  This build has no simulator, so it cannot list them.\n";
    }
    out += &of_failure(known);
    if !client.worlds.is_empty() {
        out += &head("Run it alone");
        out += &commands(&known.run_alone[..1]);
    }
    out
}

/// The golden cases that cover the row.
fn of_cases(known: &Known) -> String {
    let files = &known.golden_cases;
    let Some(first) = files.first().and_then(|file| file.cases.first()) else { return String::new() };
    let mut out = head("Golden cases");
    for CaseFile { file, cases } in files {
        out += &format!("  {file}\n");
        for case in cases.iter().take(MOST_LISTED) {
            out += &format!("    {case}\n");
        }
        if cases.len() > MOST_LISTED {
            out += &format!("    and {} more\n", cases.len() - MOST_LISTED);
        }
    }
    if known.check.is_none() && known.failure_means.is_some() && known.client.is_none() {
        out += &of_failure(known);
        out += &head("Run it alone");
    } else {
        out += "\n";
    }
    out += &commands(&known.run_alone[known.run_alone.len() - files.len()..]);
    out + &format!("  assay vectors explain {first}\n")
}

fn of_failure(known: &Known) -> String {
    let means = known.failure_means.as_deref().unwrap_or_default();
    head("What a failure usually means") + &wrap("  ", means)
}

fn commands(lines: &[String]) -> String {
    lines.iter().map(|line| format!("  {line}\n")).collect()
}

fn head(title: &str) -> String {
    format!("\n{title}\n")
}

fn field(name: &str, text: &str) -> String {
    wrap(&format!("  {name:<9} "), text)
}

#[cfg(feature = "embedded")]
use assay_suites::embedded::edits;

#[cfg(not(feature = "embedded"))]
fn edits() -> Vec<(String, String, &'static str)> {
    Vec::new()
}
