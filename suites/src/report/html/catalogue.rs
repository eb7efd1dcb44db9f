//! The catalogue: every requirement of the services that ran, with its outcomes.

use std::collections::BTreeSet;

use assay_spec::requirement::Evidence;
use assay_spec::{Id, Service, catalogue};
use serde_json::{Value, json};

use super::Options;
use super::outcome::{Cuts, outcome};
use super::text::{line, marked, quoted};
use crate::harness::data::{Outcome, Run, Verdict};
use crate::harness::judge::cause::Cause;
use crate::report::group;
use crate::report::terminal::{Paint, counts};
use crate::report::words;
use crate::support::prose::one_line;

/// The verdict shown for a check that did not run.
const NOT_RUN: &str = "not-run";
/// The verdict shown for a requirement without a check.
const NO_CHECK: &str = "no-check";

/// The services of the run's outcomes, in the order of the list.
pub(super) fn services(run: &Run) -> Vec<Service> {
    let ran: BTreeSet<Service> = run.outcomes.iter().map(|outcome| outcome.requirement.service).collect();
    ran.into_iter().collect()
}

/// The data of every row, in the order of the services and groups.
pub(super) fn catalogue(run: &Run, causes: &[Cause], cuts: Cuts, options: Options<'_>) -> Value {
    let services = services(run).into_iter();
    let all = services.flat_map(|service| rows(run, service));
    all.map(|(id, outcomes)| row(run, id, &outcomes, causes, cuts, options)).collect()
}

/// The groups of every service; their rows are rendered when they are opened.
pub(super) fn groups(run: &Run) -> String {
    let mut out = String::new();
    for service in services(run) {
        let rows = rows(run, service);
        let (all, own) = (rows.len(), run.outcomes.iter().filter(|one| one.requirement.service == service));
        out.push_str(&format!(
            "<section class=\"service\"><h3>{service} <small>document {}, {all} requirements, {} checks</small></h3>\n",
            service.document(),
            own.count()
        ));
        for rows in rows.chunk_by(|(a, _), (b, _)| group(a) == group(b)) {
            let name = line(&group(rows[0].0));
            let outcomes = || rows.iter().flat_map(|(_, outcomes)| outcomes);
            let count = |verdict| outcomes().filter(|one| one.verdict == verdict).count();
            let counts = counts(count, Paint::PLAIN);
            let (rows, class) =
                (rows.len(), if outcomes().any(|one| one.verdict.needs_attention()) { " bad" } else { "" });
            let noun = if rows == 1 { "requirement" } else { "requirements" };
            out.push_str(&format!(
                "<details class=\"group{class}\" data-group=\"{name}\"><summary><h4>{name}</h4> <span>{rows} {noun}</span> \
                 <span>{counts}</span></summary><div class=\"rows\"></div></details>\n"
            ));
        }
        out.push_str("</section>\n");
    }
    out
}

/// The requirements of a service with their outcomes, and any other requirement in the run.
fn rows(run: &Run, service: Service) -> Vec<(Id, Vec<&Outcome>)> {
    let mut rows: Vec<(Id, Vec<&Outcome>)> =
        catalogue::requirements_of(service).map(|id| (id, Vec::new())).collect();
    for outcome in run.outcomes.iter().filter(|outcome| outcome.requirement.service == service) {
        let id = outcome.requirement.to_string();
        match rows.iter_mut().find(|(known, _)| std::ptr::eq(*known, outcome.requirement)) {
            Some((_, outcomes)) => outcomes.push(outcome),
            None => match rows.iter_mut().find(|(known, _)| known.to_string() == id) {
                Some((_, outcomes)) => outcomes.push(outcome),
                None => rows.push((outcome.requirement, vec![outcome])),
            },
        }
    }
    rows
}

fn row(
    run: &Run,
    id: Id,
    outcomes: &[&Outcome],
    causes: &[Cause],
    cuts: Cuts,
    options: Options<'_>,
) -> Value {
    let verdicts: Vec<&str> = verdicts(id, outcomes);
    let shown = verdicts[0];
    let (name, evidence, level) = (id.to_string(), id.evidence.name(), id.level.name());
    // Search uses these strings in addition to what is shown.
    let words: Vec<String> = outcomes
        .iter()
        .map(|one| one_line(format!("{} {}", one.fact, start(&words::reason(one))).as_bytes()))
        .collect();
    let mut out = format!(
        "<p class=\"about\"><b>{level}</b> for the {} \u{00b7} evidence: {evidence} \u{00b7} {}</p>\n",
        id.subject.name(),
        line(&id.source()),
    );
    out.push_str(&quoted(options.sentences, id));
    match id.evidence {
        Evidence::NotObservable(why) => {
            out.push_str(&format!("<p class=\"reason\">{}</p>\n", marked(why)));
        }
        // The line above names the evidence.
        Evidence::Vector | Evidence::Client => {}
        Evidence::Open(why) => {
            out.push_str(&format!(
                "<p class=\"reason\">The documents leave this open, so nothing is tested: {}.</p>\n",
                marked(why)
            ));
        }
        Evidence::Check if outcomes.is_empty() => {
            out.push_str("<p class=\"reason\">Its check did not run.</p>\n");
        }
        Evidence::Check => {}
    }
    for one in outcomes {
        let number =
            |cause: &Cause| cause.outcomes.iter().any(|&n| std::ptr::eq(&raw const run.outcomes[n], *one));
        let cause = causes.iter().position(number);
        if let Some(n) = cause {
            out.push_str(&format!("<p><a href=\"#cause-{0}\">Cause {0}</a></p>\n", n + 1));
        }
        let is_shown = match cuts.causes {
            None => one.verdict.needs_attention(),
            Some(most) => cause.is_some_and(|n| n < most && std::ptr::eq(causes[n].outcome(run), *one)),
        };
        let is_full = options.full || is_shown;
        out.push_str(&outcome(run, one, cuts, is_full));
    }
    let is_bad = outcomes.iter().any(|one| one.verdict.needs_attention());
    json!({
        "id": name, "service": id.service.name(), "verdicts": verdicts, "label": label(shown, id),
        "evidence": evidence, "level": level, "bad": is_bad, "statement": one_line(id.statement().as_bytes()),
        "words": words.join(" ").replace('<', " "), "inside": out,
    })
}

/// The part of a reason that search uses.
fn start(reason: &str) -> &str {
    &reason[..reason.floor_char_boundary(144)]
}

/// The verdicts of a row's outcomes, the most severe first; never empty.
fn verdicts(id: Id, outcomes: &[&Outcome]) -> Vec<&'static str> {
    let mut verdicts: Vec<Verdict> = outcomes.iter().map(|one| one.verdict).collect();
    verdicts.sort_by_key(|verdict| verdict.severity());
    verdicts.dedup();
    match verdicts.as_slice() {
        [] if id.evidence == Evidence::Check => vec![NOT_RUN],
        [] => vec![NO_CHECK],
        found => found.iter().map(|verdict| verdict.name()).collect(),
    }
}

fn label(verdict: &'static str, id: Id) -> &'static str {
    match verdict {
        NO_CHECK => id.evidence.name(),
        NOT_RUN => "not run",
        verdict => verdict,
    }
}

/// Search and filters; hidden until the script enables them.
pub(super) fn filters(run: &Run) -> String {
    type Row<'r> = (Id, Vec<&'r Outcome>);
    let rows: Vec<Row> = services(run).into_iter().flat_map(|service| rows(run, service)).collect();
    let count = |is: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| is(row)).count();
    let verdict_names = Verdict::ALL.iter().map(|verdict| verdict.name()).chain([NOT_RUN, NO_CHECK]);
    let by_verdict =
        verdict_names.map(|name| (name, count(&|(id, outcomes)| verdicts(id, outcomes).contains(&name))));
    let by_service =
        Service::ALL.iter().map(|service| (service.name(), count(&|(id, _)| id.service == *service)));
    let evidence = ["check", "vector", "client", "not-observable", "open"];
    let by_evidence = evidence.map(|name| (name, count(&|(id, _)| id.evidence.name() == name)));
    let by_level = ["must", "should", "may"].map(|name| (name, count(&|(id, _)| id.level.name() == name)));
    let selects = [
        select("verdict", "every verdict", by_verdict),
        select("service", "every service", by_service),
        select("evidence", "every evidence", by_evidence),
        select("level", "every level", by_level),
    ];
    format!(
        "<form class=\"filters\" role=\"search\" id=\"filters\" hidden>\n\
         <input id=\"search\" type=\"search\" placeholder=\"words in id, statement, reason\" \
         aria-label=\"Search the requirements\" autocomplete=\"off\" spellcheck=\"false\">\n{}\
         <label><input id=\"bad\" type=\"checkbox\"> only failures</label>\n\
         <label><input id=\"pretty\" type=\"checkbox\" checked> format JSON</label>\n\
         <button type=\"reset\">Clear</button>\n\
         <output id=\"count\" aria-live=\"polite\"></output></form>\n\
         <p id=\"none\" class=\"nothing\" hidden>No requirement matches these filters.</p>",
        selects.concat()
    )
}

fn select(name: &str, all: &str, values: impl IntoIterator<Item = (&'static str, usize)>) -> String {
    let present = values.into_iter().filter(|(_, count)| *count > 0);
    let options: String = present
        .map(|(value, count)| format!("<option value=\"{value}\">{value} ({count})</option>"))
        .collect();
    format!(
        "<select id=\"{name}\" aria-label=\"{name}\"><option value=\"\">{all}</option>{options}</select>\n"
    )
}
