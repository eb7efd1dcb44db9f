//! `assay explain`: everything that is known about a requirement.

use assay_spec::names::did_you_mean;
use assay_spec::requirement::{Evidence, Level, Subject};
use assay_spec::{Id, catalogue};
use assay_suites::harness::check::{Check, Weight};
use assay_suites::services;
use assay_suites::services::SUITES;
use assay_suites::support::prose::wrap;
use assay_vectors::{Case, cases};
use clap::Args;

use super::Ending;
use super::run::has_flag;

pub(crate) const HELP: &str = "Examples:
  assay explain publish.prepare.one-in-flight
  assay explain publish.domain.alphabet gateway.confidential.resolved
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
}

pub(crate) fn explain(args: &ExplainArgs) -> Result<(), Ending> {
    if let Some(named) = &args.edits {
        print!("{}", edits_of(named)?);
        return Ok(());
    }
    let rows = args.ids.iter().map(|id| find(id)).collect::<Result<Vec<Id>, Ending>>()?;
    let cases = cases();
    let pages: Vec<String> = rows.into_iter().map(|row| page(row, &cases)).collect();
    print!("{}", pages.join("\n"));
    Ok(())
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
        } else {
            let near = did_you_mean(id, ids.iter().map(String::as_str));
            format!("no requirement has the id {id:?}{near}")
        })
    })
}

fn page(row: Id, cases: &[Case]) -> String {
    let mut out = format!("{row}\n{}\n", wrap("  ", row.statement()));
    out += &field("level", row.level.name());
    out += &field("binds", row.subject.name());
    out += &field("source", &row.source());
    out += &field("evidence", row.evidence.name());
    for reading in SUITES.readings(&[]) {
        if reading.rows.contains(&row) || reading.silent.contains(&row) {
            out += &field("reading", &format!("{} in the profile: {}", reading.key, reading.means));
        }
    }
    match row.evidence {
        Evidence::Check => out += &services::check(row).map(of_check).unwrap_or_default(),
        Evidence::Client => out += &of_client(row),
        Evidence::Vector => {}
        Evidence::NotObservable(why) => {
            out += &head("Why there is no test");
            out += &wrap("  ", &format!("It cannot be observed from outside: {why}."));
        }
        Evidence::Open(why) => {
            out += &head("Why there is no test");
            let open = "No check asserts it, and no result depends on it";
            out += &wrap("  ", &format!("The documents leave it open: {why}. {open}."));
        }
    }
    out + &of_cases(row, cases)
}

fn of_check(check: &Check) -> String {
    let row = check.requirement;
    let mut out = head("What the check does");
    for paragraph in check.doc.split("\n\n") {
        out += &wrap("  ", paragraph);
    }
    if check.rejects {
        out += &wrap("  ", "It passes only if the valid counterpart is accepted.");
    }
    out += "\n";
    out += &field("fact", check.fact);
    if let Some(rejection) = check.rejection() {
        out += &field("rejection", &rejection.allowed());
        if let Some(anchor) = rejection.sentence(row) {
            out += &field("demanded", anchor.heading);
        }
    }
    for need in check.needs {
        out += &field("needs", need.missing());
    }
    out += &field("cost", &cost(check));

    out += &head("What a failure usually means");
    let usual = match (row.level, check.rejects, row.subject) {
        (Level::Should | Level::May, ..) => {
            "The server does not do what the documents recommend. The verdict is warn, and the run still conforms."
        }
        (_, true, _) => "The server accepts what it must reject, or rejects it in another way.",
        (.., Subject::Server) => "The server does not do what the statement says.",
        _ => "What the target stores or returns is not what the statement says.",
    };
    out += &wrap("  ", usual);
    let deviations = deviations_of(row);
    if !deviations.is_empty() {
        out += "  For example:\n";
        out.extend(deviations.iter().map(|(_, about)| wrap("  - ", about)));
    }
    if !check.after.is_empty() {
        let mut ids: Vec<String> = check.after.iter().map(ToString::to_string).collect();
        let more = ids.len().saturating_sub(MOST_LISTED);
        ids.truncate(MOST_LISTED);
        ids.extend((more > 0).then(|| format!("and {more} more")));
        let rests = "If one of these checks fails too, it is the cause, and this one is inconclusive:";
        out += &wrap("  ", &format!("{rests} {}.", ids.join(", ")));
    }

    out += &head("Run it alone");
    let flag = format!("{}-url", row.service);
    if has_flag(&flag) {
        out += &format!("  assay run --{flag} URL {row}\n");
    }
    out += &format!("  assay run --profile FILE {row}\n");
    if let Some((name, _)) = deviations.first() {
        out += "\nTo see it fail, start the simulator with a deviation and run the check there:\n";
        out += &format!("  assay sim --write-profile p.toml --deviate {name}\n");
        out += &format!("  assay run --profile p.toml {row}\n");
    }
    out
}

fn cost(check: &Check) -> String {
    let cost = check.costs().own;
    let counts = [
        (cost.requests, "request"),
        (cost.writes, "write"),
        (cost.publishes, "publish"),
        (cost.drops, "upload"),
    ];
    let mut parts: Vec<String> = Vec::new();
    for (count, noun) in counts.into_iter().filter(|(count, _)| *count > 0) {
        let plural = match (count, noun) {
            (1, _) => "",
            (_, "publish") => "es",
            _ => "s",
        };
        parts.push(format!("{count} {noun}{plural}"));
    }
    let weight = check.weight();
    if weight != Weight::Light {
        parts.push(format!("on a shared target only with --include {}", weight.name()));
    }
    parts.join(", ")
}

fn of_client(row: Id) -> String {
    let worlds = worlds_of(row);
    let mut out = head("What the client suite does");
    out += &wrap("  ", "It starts the client in each of these worlds, and judges what the client sends:");
    out.extend(worlds.iter().map(|(_, fact)| format!("  - {fact}\n")));
    if worlds.is_empty() {
        out += "  This build has no simulator, so it cannot list them.\n";
    }
    out += &head("What a failure usually means");
    out += &wrap("  ", "In the world with that name, the client did not do what the statement says.");
    if let Some((program, _)) = worlds.first() {
        out += &head("Run it alone");
        out += &format!("  assay client {program} {row} -- CLIENT\n");
    }
    out
}

/// The golden cases that cover the row.
fn of_cases(row: Id, cases: &[Case]) -> String {
    let id = row.to_string();
    let own: Vec<&Case> = cases.iter().filter(|case| case.requirements.contains(&id)).collect();
    let Some(first) = own.first() else { return String::new() };
    let mut places: Vec<&str> = own.iter().map(|case| case.place()).collect();
    places.dedup();
    let mut out = head("Golden cases");
    for place in &places {
        let of_place: Vec<&&Case> = own.iter().filter(|case| case.place() == *place).collect();
        out += &format!("  vectors/data/{place}.json\n");
        for case in of_place.iter().take(MOST_LISTED) {
            out += &format!("    {}\n", case.id);
        }
        if of_place.len() > MOST_LISTED {
            out += &format!("    and {} more\n", of_place.len() - MOST_LISTED);
        }
    }
    if row.evidence == Evidence::Vector {
        out += &head("What a failure usually means");
        let rejects = if row.rule.is_empty() { "" } else { ", or accepts a case that it must reject" };
        out += &wrap("  ", &format!("The program returns another result for one of these cases{rejects}."));
        out += &head("Run it alone");
    } else {
        out += "\n";
    }
    out.extend(places.iter().map(|place| format!("  assay vectors run --only {place}/ -- PROGRAM\n")));
    out + &format!("  assay vectors explain {}\n", first.id)
}

fn head(title: &str) -> String {
    format!("\n{title}\n")
}

fn field(name: &str, text: &str) -> String {
    wrap(&format!("  {name:<9} "), text)
}

#[cfg(feature = "embedded")]
use assay_suites::embedded::{client::worlds_of, deviations_of, edits};

#[cfg(not(feature = "embedded"))]
fn edits() -> Vec<(String, String, &'static str)> {
    Vec::new()
}

#[cfg(not(feature = "embedded"))]
fn deviations_of(_: Id) -> Vec<(String, String)> {
    Vec::new()
}

#[cfg(not(feature = "embedded"))]
fn worlds_of(_: Id) -> Vec<(&'static str, &'static str)> {
    Vec::new()
}
