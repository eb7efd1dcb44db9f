//! The other sections of the page.

use assay_spec::endpoint::Endpoint;

use super::ledger::needs_attention;
use super::text::{line, lines};
use crate::conclusion::tested;
use crate::endpoints::{Coverage, Seen};
use crate::prose;
use crate::report::terminal;
use crate::verdict::{Outcome, Run, Verdict};

/// More rows than this are folded.
const SLOWEST: usize = 15;

/// The width of the longest bar in pixels.
const BAR: u64 = 240;

/// The result of the run, the counts, and a table by service.
pub(super) fn overview(run: &Run) -> String {
    let class = match run.exit_code() {
        0 => "good",
        4 => "odd",
        _ => "bad",
    };
    let ending = run.ending();
    let (first, rest) = ending.split_at(1);
    let words = line(&(first.to_uppercase() + rest));
    let partial = if run.is_partial {
        "<p class=\"partial\">Not every check ran: the run was stopped, or a part of it is missing.</p>\n"
    } else {
        ""
    };
    let total = run.outcomes.len();
    let present = || Verdict::ALL.into_iter().filter(|&verdict| run.count(verdict) > 0);
    let heads: String = present().map(|v| format!("<th scope=\"col\">{}</th>", v.name())).collect();
    let cells = |count: &dyn Fn(Verdict) -> usize| -> String {
        present()
            .map(|verdict| match count(verdict) {
                0 => "<td class=\"zero\">0</td>".to_owned(),
                n => format!("<td class=\"{}\">{n}</td>", verdict.name()),
            })
            .collect()
    };
    let rows: String = tested(run)
        .iter()
        .map(|tested| {
            let service = tested.service;
            let of = |one: &&Outcome| one.requirement.service == service;
            let count = |v: Verdict| run.outcomes.iter().filter(of).filter(|one| one.verdict == v).count();
            let share = format!("{} of {} ({} %)", tested.tested, tested.applicable, tested.percent());
            format!("<tr><th scope=\"row\">{service}</th><td>{share}</td>{}</tr>", cells(&count))
        })
        .collect();
    let chips: String = present()
        .map(|verdict| {
            let name = verdict.name();
            format!(
                "<button type=\"button\" class=\"chip {name}\" data-chip=\"{name}\"><b>{}</b> {name}</button>",
                run.count(verdict)
            )
        })
        .collect();
    let checks = prose::count(total, "check");
    format!(
        "<div class=\"verdict {class}\"><p class=\"big\">{words}</p>\n<p>{checks} of <code>{}</code>, seed \
         <code>{}</code></p></div>\n{partial}<div class=\"chips\">{chips}</div>\n<div class=\"wide\"><table \
         class=\"counts\"><thead><tr><th scope=\"col\">service</th><th scope=\"col\">tested</th>{heads}</tr></thead><tbody>{rows}</tbody>\
         </table></div>\n{}{}",
        line(&run.target),
        run.seed,
        list("Objections", &run.objections),
        list("Remarks", &run.remarks),
    )
}

fn list(title: &str, texts: &[String]) -> String {
    if texts.is_empty() {
        return String::new();
    }
    let items: String = texts.iter().map(|text| format!("<li>{}</li>", line(text))).collect();
    format!("<h3>{title}</h3><ul class=\"remarks\">{items}</ul>\n")
}

/// The maximum length of a reason in overviews; the row has the rest.
const REASON_BYTES: usize = 512;

fn short(reason: &str) -> String {
    let shown = &reason[..reason.floor_char_boundary(REASON_BYTES)];
    if shown.len() < reason.len() { format!("{shown}\u{2026}") } else { shown.to_owned() }
}

/// The outcomes that did not pass, each with its reason and a link to its row; then the untested checks, by reason.
pub(super) fn attention(run: &Run) -> String {
    let failing: Vec<&Outcome> =
        run.outcomes.iter().filter(|outcome| needs_attention(outcome.verdict)).collect();
    let mut out = if failing.is_empty() { nothing("No check failed.") } else { String::new() };
    if !failing.is_empty() {
        let items: String = failing
            .iter()
            .map(|one| {
                let (verdict, id) = (one.verdict.name(), one.requirement);
                format!(
                    "<li><span class=\"v {verdict}\">{verdict}</span> <a href=\"#{id}\">{id}</a> <span>{}</span></li>\n",
                    line(&short(&one.reason))
                )
            })
            .collect();
        out.push_str(&format!("<ul class=\"failing\">\n{items}</ul>\n"));
    }
    for verdict in [Verdict::NotTestable, Verdict::NotApplicable] {
        for (reason, outcomes) in terminal::by_reason(run, verdict) {
            let items: String = outcomes
                .iter()
                .map(|one| format!("<li><a href=\"#{0}\">{0}</a> {1}</li>", one.requirement, line(one.fact)))
                .collect();
            out.push_str(&format!(
                "<details class=\"reasons\"><summary><span class=\"v {0}\">{0}</span> {1} ({2})</summary>\
                 <ul>{items}</ul></details>\n",
                verdict.name(),
                line(&short(reason)),
                outcomes.len()
            ));
        }
    }
    out
}

/// Every documented endpoint of the services that ran.
pub(super) fn endpoints(run: &Run) -> String {
    if run.endpoints.is_empty() {
        return nothing("These services have no listed endpoints.");
    }
    let row = |row: &Coverage| {
        let Endpoint { method, path, .. } = row.endpoint;
        let (seen, said) = match row {
            Coverage { declared: false, .. } => (Seen::NotAsked, "switched off in the profile"),
            Coverage { is_probed: true, seen, .. } => (*seen, "seen by one extra request"),
            Coverage { seen, .. } => (*seen, ""),
        };
        format!(
            "<tr><td>{}</td><td><code>{method} {}</code></td><td class=\"seen-{2}\">{2}</td>\
             <td class=\"number\">{3}</td><td class=\"number\">{4}</td><td class=\"number\">{5}</td><td>{said}</td></tr>\n",
            row.endpoint.service,
            line(path),
            seen.name(),
            row.accepted.count,
            row.accepted.judged,
            row.rejected.count,
        )
    };
    let rows: String = run.endpoints.iter().map(row).collect();
    format!(
        "<p class=\"hint\">Which documented endpoints responded. This does not affect verdicts.</p>\
         <div class=\"wide\"><table><thead><tr><th>service</th><th>endpoint</th><th>seen</th>\
         <th>accepted</th><th>judged</th><th>rejected</th><th></th></tr></thead><tbody>{rows}</tbody></table></div>"
    )
}

/// The slowest checks, each with a bar.
pub(super) fn timing(run: &Run) -> String {
    let mut timed: Vec<(u64, &Outcome)> =
        run.outcomes.iter().filter_map(|outcome| Some((outcome.elapsed_ms?, outcome))).collect();
    timed.sort_by_key(|(ms, _)| std::cmp::Reverse(*ms));
    let Some(&(most, _)) = timed.first() else {
        return nothing("No times: they are meaningless for this target.");
    };
    let total: u64 = timed.iter().map(|(ms, _)| ms).sum();
    let row = |(ms, one): &(u64, &Outcome)| {
        let width = (ms * BAR / most.max(1)).max(1);
        format!(
            "<tr><td class=\"number\">{ms} ms</td><td><svg width=\"{BAR}\" height=\"10\" aria-hidden=\"true\">\
             <rect class=\"bar\" width=\"{width}\" height=\"10\" rx=\"2\"/></svg></td>\
             <td><a href=\"#{0}\">{0}</a></td></tr>\n",
            one.requirement
        )
    };
    let table = |rows: &[(u64, &Outcome)]| {
        let rows: String = rows.iter().map(row).collect();
        format!("<div class=\"wide\"><table class=\"times\"><tbody>{rows}</tbody></table></div>")
    };
    let (first, rest) = timed.split_at(timed.len().min(SLOWEST));
    let mut out = format!(
        "<p class=\"hint\">{} took {}.{:03} s in all; the slowest first.</p>{}",
        prose::count(timed.len(), "check"),
        total / 1000,
        total % 1000,
        table(first)
    );
    if !rest.is_empty() {
        out.push_str(&format!("<details><summary>{} more</summary>{}</details>", rest.len(), table(rest)));
    }
    out
}

/// The conditions of the verdicts.
pub(super) fn conditions(run: &Run) -> String {
    let conditions = &run.conditions;
    let control = match &conditions.offer {
        None => "none".to_owned(),
        Some(offer) => {
            let parts = [
                (offer.clock, "time can be moved".to_owned()),
                (offer.forks, "worlds can be forked".to_owned()),
                (offer.addresses, "addresses can be chosen".to_owned()),
                (!offer.faults.is_empty(), format!("{} faults", offer.faults.len())),
                (!offer.actions.is_empty(), format!("{} actions", offer.actions.len())),
            ];
            let offered: Vec<String> =
                parts.into_iter().filter(|(has, _)| *has).map(|(_, name)| name).collect();
            if offered.is_empty() { "nothing".to_owned() } else { offered.join(", ") }
        }
    };
    let mut rows = vec![
        ("target".to_owned(), line(&run.target)),
        ("seed".to_owned(), run.seed.to_string()),
        ("control".to_owned(), line(&control)),
        ("harness".to_owned(), format!("assay {}", env!("CARGO_PKG_VERSION"))),
    ];
    if conditions.is_embedded {
        rows.push(("place".to_owned(), "the simulator in this process".to_owned()));
    }
    rows.extend(conditions.sites.iter().map(|(site, base)| (line(site), line(base))));
    let rows: String = rows
        .iter()
        .map(|(name, value)| format!("<tr><th scope=\"row\">{name}</th><td>{value}</td></tr>"))
        .collect();
    let mut out = format!("<div class=\"wide\"><table class=\"facts\"><tbody>{rows}</tbody></table></div>");
    if !conditions.profile.is_empty() {
        out.push_str(&format!(
            "<details><summary>The profile, without secrets</summary><pre>{}</pre></details>",
            lines(&conditions.profile)
        ));
    }
    out
}

/// A placeholder for an empty section.
pub(super) fn nothing(words: &str) -> String {
    format!("<p class=\"nothing\">{words}</p>\n")
}
