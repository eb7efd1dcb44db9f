//! The history as one self-contained HTML page. All of it is markup; the script only searches.

use serde_json::json;

use super::{History, PastRun, State, Track, duration, legend, letter};
use crate::harness::data::Verdict;
use crate::report::html::text::line;
use crate::report::page::{Page, fill};
use crate::support::prose::count;

/// The last runs that the page shows.
const RUNS: usize = 60;
/// The parts of a row of verdicts that are named for screen readers.
const NAMED: usize = 12;
/// The size of the picture of a coverage, in pixels.
const PICTURE: (usize, usize) = (240, 40);

/// The page.
pub fn write(history: &History) -> String {
    let hidden = history.runs.len().saturating_sub(RUNS);
    let targets = history.targets();
    let title = match targets.as_slice() {
        [target] => format!("History of {target}"),
        _ => format!("History of {} targets", targets.len()),
    };
    let parts = [
        ("@OVERVIEW@", overview(history, hidden)),
        ("@CHECKS@", State::ALL.iter().map(|state| checks(history, *state, hidden)).collect()),
        ("@COVERAGE@", coverage(history)),
        ("@RUNS@", runs(history, hidden)),
    ];
    let page = Page {
        title: &line(&title),
        style: &[include_str!("../html/style.css"), include_str!("style.css")].concat(),
        body: &fill(include_str!("body.html"), parts),
        data: &json!({}),
        script: include_str!("script.js"),
    };
    page.write()
}

fn overview(history: &History, hidden: usize) -> String {
    let targets = history.targets();
    let (number, latest) = (history.runs.len(), history.runs.last());
    let latest = latest.map_or_else(String::new, |run| {
        let class = match run.result.as_str() {
            "conforms" | "tested part conforms" | "selected checks passed" => "good",
            "the harness failed" => "odd",
            _ => "bad",
        };
        let result = line(&run.result);
        let named: String = targets.iter().take(5).map(|target| format!(" <code>{}</code>", line(target))).collect();
        let more = targets.len().saturating_sub(5);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!(
            "<div class=\"verdict {class}\"><p class=\"big\">Last run: {result}</p>\n<p>{} of{named}{more}, {}.</p></div>\n",
            count(number, "run"),
            history.order()
        )
    });
    let several = if targets.len() > 1 {
        "<p class=\"partial\">The runs have several targets: a change may be a difference between them.</p>\n"
    } else {
        ""
    };
    let rows: String = State::ALL
        .iter()
        .map(|state| {
            let name = state.name();
            let checks = history.in_state(*state).count();
            format!(
                "<tr><th scope=\"row\">{name}</th><td class=\"number\">{checks}</td><td>{}</td></tr>",
                state.about()
            )
        })
        .collect();
    let cut = if hidden > 0 {
        format!("<p class=\"hint\">The page shows the last {RUNS} runs; {hidden} are before them.</p>\n")
    } else {
        String::new()
    };
    format!(
        "{latest}{several}{cut}<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"states\"><table><thead><tr><th \
         scope=\"col\">state</th><th scope=\"col\" class=\"number\">checks</th><th scope=\"col\">meaning</th></tr></thead><tbody>{rows}\
         </tbody></table></div>\n<p class=\"legend\"><span>{}</span></p>\n",
        line(&legend(history))
    )
}

/// The checks in a state, folded if nothing about them needs a reader.
fn checks(history: &History, state: State, hidden: usize) -> String {
    let tracks: Vec<&Track> = history.in_state(state).collect();
    if tracks.is_empty() {
        return String::new();
    }
    let rows: String = tracks.iter().map(|track| row(track, hidden)).collect();
    let (name, number) = (state.name(), tracks.len());
    let heads = [("check", ""), ("verdicts", ""), ("changes", " class=\"number\"")];
    let heads = heads.into_iter().chain([("median", " class=\"number\""), ("last", " class=\"number\"")]);
    let heads: String = heads.map(|(name, class)| format!("<th scope=\"col\"{class}>{name}</th>")).collect();
    let open = if matches!(state, State::Passing | State::Untested) { "" } else { " open" };
    format!(
        "<details class=\"state\"{open}><summary><h3>{name} <small>{number}: {}</small></h3></summary>\n<div class=\"wide\" \
         tabindex=\"0\" role=\"region\" aria-label=\"{name} checks\"><table class=\"tracks\"><thead><tr>{heads}</tr></thead><tbody>\n\
         {rows}</tbody></table></div></details>\n",
        state.about()
    )
}

fn row(track: &Track, hidden: usize) -> String {
    let time = |ms: Option<u64>| ms.map_or_else(String::new, duration);
    format!(
        "<tr><th scope=\"row\"><code>{}</code> <small>{}</small></th><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}\
         </td><td class=\"number\">{}</td></tr>\n",
        line(&track.id),
        line(&track.fact),
        strip(&track.verdicts, hidden),
        track.changes,
        time(track.median_ms()),
        time(track.last_ms()),
    )
}

/// The verdicts of the shown runs: a letter for each, with a name for those who do not see them.
fn strip(verdicts: &[Option<Verdict>], hidden: usize) -> String {
    let (mut letters, mut names, mut at) = (String::new(), Vec::new(), hidden);
    for same in verdicts[hidden..].chunk_by(|one, other| one == other) {
        let name = same[0].map_or("absent", Verdict::name);
        let (first, last) = (at + 1, at + same.len());
        at = last;
        names.push(if first == last {
            format!("run {first} {name}")
        } else {
            format!("runs {first} to {last} {name}")
        });
        // A space would be lost.
        let letter = Some(letter(same[0])).filter(|letter| *letter != ' ').unwrap_or('\u{a0}');
        letters += &format!("<i class=\"{name}\">{}</i>", letter.to_string().repeat(same.len()));
    }
    let more = names.len().saturating_sub(NAMED);
    names.drain(..more);
    let more = if more > 0 { format!("{more} earlier changes, ") } else { String::new() };
    format!("<span class=\"strip\" role=\"img\" aria-label=\"{more}{}\">{letters}</span>", names.join(", "))
}

/// The coverage of each service over all runs, as a picture and in numbers.
fn coverage(history: &History) -> String {
    let (width, height) = PICTURE;
    let mut rows = String::new();
    for (service, shares) in history.services() {
        let known: Vec<(usize, usize)> =
            shares.iter().enumerate().filter_map(|(n, share)| Some((n, share.as_ref()?.percent()))).collect();
        let percents = || known.iter().map(|(_, percent)| *percent);
        let last = shares.iter().rev().flatten().next();
        let (Some(first), Some(least), Some(share)) = (percents().next(), percents().min(), last) else {
            continue;
        };
        let steps = (shares.len() - 1).max(1);
        let point = |n: usize, percent: usize| {
            format!("{},{}", 3 + n * (width - 6) / steps, 3 + (100 - percent) * (height - 6) / 100)
        };
        let points: Vec<String> = known.iter().map(|(n, percent)| point(*n, *percent)).collect();
        // A run alone is a point, which a line would not show.
        let dots: String =
            points.last().and_then(|last| last.split_once(',')).map_or_else(String::new, |(x, y)| {
                format!("<circle class=\"bar\" cx=\"{x}\" cy=\"{y}\" r=\"3\"/>")
            });
        rows += &format!(
            "<tr><th scope=\"row\">{service}</th><td><svg width=\"{width}\" height=\"{height}\" aria-hidden=\"true\"><path class=\"axis\" \
             d=\"M3 3V{0}H{1}\"/><polyline class=\"course\" points=\"{2}\"/>{dots}</svg></td><td class=\"number\">{first} %</td><td \
             class=\"number\">{least} %</td><td class=\"number\">{3} %</td><td class=\"number\">{4} of {5}</td></tr>\n",
            height - 3,
            width - 3,
            points.join(" "),
            share.percent(),
            share.tested,
            share.applicable
        );
    }
    if rows.is_empty() {
        return "<p class=\"nothing\">No run tested a service.</p>".to_owned();
    }
    let heads = ["first run", "least", "last run", "checks in the last run"];
    let heads: String =
        heads.iter().map(|name| format!("<th scope=\"col\" class=\"number\">{name}</th>")).collect();
    format!(
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"coverage\"><table><thead><tr><th scope=\"col\">service</th><th \
         scope=\"col\">over time</th>{heads}</tr></thead><tbody>\n{rows}</tbody></table></div>\n"
    )
}

/// The shown runs, the last one first.
fn runs(history: &History, hidden: usize) -> String {
    let row = |(n, run): (usize, &PastRun)| {
        let counts: Vec<String> =
            run.counts.iter().map(|(verdict, count)| format!("{count} {verdict}")).collect();
        let began =
            run.began.as_deref().map_or("", |began| began.get(..19).unwrap_or(began)).replace('T', " ");
        let cells = [
            line(&began),
            line(&run.result),
            counts.join(", "),
            run.elapsed_ms.map_or_else(String::new, duration),
        ];
        let cells = cells.into_iter().chain([line(&run.target), line(&run.file)]);
        let cells: String = cells.map(|cell| format!("<td>{cell}</td>")).collect();
        format!("<tr><th scope=\"row\" class=\"number\">{}</th>{cells}</tr>\n", n + 1)
    };
    let rows: String = history.runs.iter().enumerate().skip(hidden).rev().map(row).collect();
    let heads = ["run", "began", "result", "checks", "time", "target", "report"];
    let heads: String = heads.iter().map(|name| format!("<th scope=\"col\">{name}</th>")).collect();
    format!(
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"runs\"><table class=\"runs\"><thead><tr>{heads}</tr></thead><tbody>\n\
         {rows}</tbody></table></div>\n"
    )
}
