//! The other sections of the page.

use assay_spec::endpoint::Endpoint;

use super::Late;
use super::text::{line, lines};
use crate::harness::coverage::{Coverage, Seen};
use crate::harness::data::{Outcome, Run, Verdict};
use crate::harness::judge::conclusion::{conclude, tested};
use crate::report::diff::{Change, Verdicts, diff};
use crate::report::terminal;
use crate::report::words;
use crate::support::prose;

/// More rows than this are folded.
const SLOWEST: usize = 15;

/// The width of the longest bar in pixels.
const BAR: u64 = 240;

/// The maximum length of the target at the top; the conditions list every site.
const TARGET_CHARS: usize = 160;

/// The title of the page: the result, the target, the day, the version and the seed.
pub(super) fn title(run: &Run) -> String {
    let day = run
        .began
        .as_deref()
        .and_then(|began| began.get(..10))
        .map(|day| format!(", {day}"))
        .unwrap_or_default();
    let version = env!("CARGO_PKG_VERSION");
    let target = cut(&run.target, 80);
    line(&format!("{}: {target}{day}, assay {version}, seed {}", conclude(run).conclusion.name(), run.seed))
}

/// The text in at most `most` characters.
fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}\u{2026}", &text[..at]),
        None => text.to_owned(),
    }
}

/// The result of the run, the counts, and a table by service.
pub(super) fn overview(run: &Run) -> String {
    let class = match run.exit_code() {
        0 => "good",
        4 => "odd",
        _ => "bad",
    };
    let ending = words::result(run);
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
            let percent = tested.percent();
            let share = format!(
                "<svg width=\"100\" height=\"10\" aria-hidden=\"true\"><rect class=\"room\" width=\"100\" height=\"10\" \
                 rx=\"2\"/><rect class=\"bar\" width=\"{percent}\" height=\"10\" rx=\"2\"/></svg> {} of {} ({percent} %)",
                tested.tested, tested.applicable
            );
            format!("<tr><th scope=\"row\">{service}</th>{}<td>{share}</td></tr>", cells(&count))
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
         <code>{}</code></p></div>\n{partial}<div class=\"chips\">{chips}</div>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"services\"><table \
         class=\"counts\"><thead><tr><th scope=\"col\">service</th>{heads}<th scope=\"col\">tested</th></tr></thead><tbody>{rows}</tbody>\
         </table></div>\n{}",
        line(&cut(&run.target, TARGET_CHARS)),
        run.seed,
        list("h2", "Objections", &run.objections),
    )
}

/// The remarks about the whole run.
pub(super) fn remarks(run: &Run) -> String {
    list("h3", "Remarks", &run.remarks)
}

fn list(heading: &str, title: &str, texts: &[String]) -> String {
    if texts.is_empty() {
        return String::new();
    }
    let items: String = texts.iter().map(|text| format!("<li>{}</li>", line(text))).collect();
    format!("<{heading}>{title}</{heading}><ul class=\"remarks\">{items}</ul>\n")
}

/// The maximum length of a reason in overviews; the row has the rest.
const REASON_CHARS: usize = 512;

/// The untested checks, by reason.
pub(super) fn untested(run: &Run, late: &mut Late) -> String {
    let mut out = String::new();
    for verdict in [Verdict::NotTestable, Verdict::NotApplicable] {
        for (n, (reason, outcomes)) in terminal::by_reason(run, verdict).into_iter().enumerate() {
            let items: String = outcomes
                .iter()
                .map(|one| format!("<li><a href=\"#{0}\">{0}</a> {1}</li>", one.requirement, line(one.fact)))
                .collect();
            let name = verdict.name();
            out.push_str(&format!(
                "<details class=\"reasons\" data-late=\"{name}-{n}\"><summary><span class=\"v {name}\">{name}</span> {} ({})\
                 </summary><ul class=\"plain\"></ul></details>\n",
                line(&cut(&reason, REASON_CHARS)),
                outcomes.len()
            ));
            late.insert(format!("{name}-{n}"), items);
        }
    }
    if out.is_empty() { nothing("Every check ran.") } else { out }
}

/// What changed since an earlier report; a whole section.
pub(super) fn since(run: &Run, since: Option<(&str, &Verdicts)>) -> String {
    let Some((name, old)) = since else { return String::new() };
    let changes = diff(old, &Verdicts::from_run(run));
    let name_of = |verdict: Option<Verdict>| match verdict {
        Some(verdict) => format!("<span class=\"v {0}\">{0}</span>", verdict.name()),
        None => "absent".to_owned(),
    };
    let mut out = String::new();
    for (kind, changes) in changes.kinds().iter().filter(|(_, changes)| !changes.is_empty()) {
        let item = |one: &Change| {
            let (old, new) = (name_of(one.old), name_of(one.new));
            format!(
                "<li><a href=\"#{0}\">{0}</a> {old} \u{2192} {new} {1}</li>\n",
                line(&one.id),
                line(&cut(&one.reason, REASON_CHARS))
            )
        };
        let items: String = changes.iter().take(CHANGES).map(item).collect();
        let rest = changes.len().saturating_sub(CHANGES);
        let rest =
            if rest == 0 { String::new() } else { format!("<li>and {rest} more; see assay diff</li>") };
        out.push_str(&format!(
            "<h3>{} ({})</h3><ul class=\"plain\">{items}{rest}</ul>\n",
            line(kind),
            changes.len()
        ));
    }
    if out.is_empty() {
        out = nothing("No verdict changed.");
    }
    format!("<section id=\"since\"><h2>Since {}</h2>\n{out}</section>\n", line(name))
}

/// The maximum number of changes that are listed, of each kind.
const CHANGES: usize = 50;

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
        let unseen = row
            .unseen
            .iter()
            .flatten()
            .map(|name| format!(" <code>{}</code>", line(name)))
            .collect::<String>();
        let unseen = if unseen.is_empty() { unseen } else { format!("not seen:{unseen}") };
        format!(
            "<tr><td>{}</td><td><code>{method} {}</code></td><td class=\"seen-{2}\">{2}</td>\
             <td class=\"number\">{3}</td><td class=\"number\">{4}</td><td class=\"number\">{5}</td><td>{said}{unseen}</td></tr>\n",
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
         <div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"endpoints\"><table><thead><tr><th>service</th><th>endpoint</th><th>seen</th>\
         <th>accepted</th><th>judged</th><th>rejected</th><th>note</th></tr></thead><tbody>{rows}</tbody></table></div>"
    )
}

/// The slowest checks, each with a bar.
pub(super) fn timing(run: &Run, late: &mut Late) -> String {
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
    let table = |label: &str, rows: &[(u64, &Outcome)]| {
        let rows: String = rows.iter().map(row).collect();
        format!(
            "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\"><table class=\"times\"><tbody>{rows}</tbody></table></div>"
        )
    };
    let (first, rest) = timed.split_at(timed.len().min(SLOWEST));
    let mut out = format!(
        "<p class=\"hint\">{} took {}.{:03} s in all; the slowest first.</p>{}",
        prose::count(timed.len(), "check"),
        total / 1000,
        total % 1000,
        table("the slowest checks", first)
    );
    if !rest.is_empty() {
        late.insert("timing".to_owned(), table("other checks", rest));
        out.push_str(&format!(
            "<details data-late=\"timing\"><summary>{} more</summary><div></div></details>",
            rest.len()
        ));
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
        ("depth".to_owned(), conditions.depth.name().to_owned()),
        ("harness".to_owned(), format!("assay {}", env!("CARGO_PKG_VERSION"))),
    ];
    if let Some(began) = &run.began {
        rows.push(("began".to_owned(), line(began)));
    }
    if conditions.is_embedded {
        rows.push(("place".to_owned(), "the simulator in this process".to_owned()));
    }
    rows.extend(conditions.sites.iter().map(|(site, base)| (line(site), line(base))));
    let rows: String = rows
        .iter()
        .map(|(name, value)| format!("<tr><th scope=\"row\">{name}</th><td>{value}</td></tr>"))
        .collect();
    let mut out = format!(
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"conditions\"><table class=\"facts\"><tbody>{rows}</tbody></table></div>"
    );
    if !conditions.profile.is_empty() {
        out.push_str(&format!(
            "<details><summary>The profile, without secrets</summary><pre tabindex=\"0\">{}</pre></details>",
            lines(&conditions.profile)
        ));
    }
    out
}

/// A placeholder for an empty section.
pub(super) fn nothing(words: &str) -> String {
    format!("<p class=\"nothing\">{words}</p>\n")
}
