//! The findings of a diagnosis: what is wrong, how many checks it affects, and how to fix it.

use std::collections::BTreeMap;

use assay_spec::{Service, catalogue};

use super::{Mark, Point};
use crate::documents::readings::Reading;
use crate::harness::check::Check;
use crate::harness::data::ControlError;
use crate::harness::data::OtherReading;
use crate::harness::probe::Settings;
use crate::harness::run::plan::{Planned, Wishes, foresee};
use crate::harness::suite::Source;
use crate::harness::survey::{Found, Level, Likeness, SurveyResult, WrongFixture, way_to};
use crate::harness::target::Remote;
use crate::profile::{Loaded, Wrong};
use crate::services::SUITES;

/// Smallest clock difference that affects checks, in milliseconds.
const SKEW_MS: i64 = 5000;

/// Facts that the findings of a service are computed from.
pub(super) struct Known<'k> {
    pub(super) loaded: &'k Loaded,
    /// Missing or invalid secrets.
    pub(super) wrong: &'k [Wrong],
    /// What the profile names and the target does not confirm.
    pub(super) unconfirmed: &'k [WrongFixture],
    /// Secondary sites that cannot be reached, with the reason.
    pub(super) silent: &'k BTreeMap<String, String>,
    /// The node that stored records are read from.
    pub(super) source: Option<&'k SurveyResult>,
    /// A control API offers actions; checks can use them instead of profile entries.
    pub(super) tells: bool,
    pub(super) planned: &'k [Foreseen],
}

/// A check, and why it cannot run.
pub(super) struct Foreseen {
    pub(super) check: &'static Check,
    pub(super) why: Option<String>,
}

/// The plan, made without requests. Checks that only `--include` would run are kept.
pub(super) async fn foreseen(
    target: &Remote,
    settings: &Settings,
    checks: &[&'static Check],
) -> Vec<Foreseen> {
    let planned = foresee(target, settings, &Wishes::default(), checks).await.into_iter();
    planned
        .map(|Planned { check, left_out, .. }| Foreseen {
            check,
            why: left_out.map(|left_out| left_out.reason),
        })
        .collect()
}

/// Whether the control API responds.
pub(super) fn control((base, level): &(String, Result<Level, ControlError>)) -> Point {
    match level {
        Ok(Level { time, faults, actions, forks, .. }) => {
            let forks = if *forks { "forks worlds" } else { "no forks" };
            let what =
                format!("control {base}: time level {time}, {faults} faults, {actions} actions, {forks}");
            Point::new(Mark::Good, what, "")
        }
        Err(why) => {
            let remedy = if why.is_unauthorized() {
                "set a valid token: control_token = { env = \"NAME\" }"
            } else {
                "start it, correct its URL, or remove `control` from the profile"
            };
            Point::new(Mark::Hinders, format!("control {base}: {why}"), remedy)
        }
    }
}

/// Findings for missing or invalid secrets whose key matches.
pub(super) fn wrong(is: impl Fn(&str) -> bool, all: &[Wrong], planned: Option<&[Foreseen]>) -> Vec<Point> {
    all.iter()
        .filter(|wrong| is(&wrong.key))
        .map(|wrong| {
            let remedy = match wrong.key.rsplit('.').next() {
                Some("env") => "set the variable, or use a file: { file = \"path\" }",
                Some("file") => "create or fix the file, or use a variable: { env = \"NAME\" }",
                _ => "use a valid key",
            };
            let point = Point::new(Mark::Hinders, wrong.to_string(), remedy);
            match planned.map(|planned| about(planned, &wrong.key)) {
                Some(count) if count > 0 => point.concerning(count),
                _ => point,
            }
        })
        .collect()
}

/// How many checks are skipped because that key is missing, such as `gateway.key.env`.
fn about(planned: &[Foreseen], key: &str) -> usize {
    let words = wording(key);
    planned.iter().filter(|one| one.why.as_ref().is_some_and(|why| why.contains(&words))).count()
}

/// The key as reasons of checks write it: `[gateway] key`.
fn wording(key: &str) -> String {
    let mut parts = key.split('.');
    format!("[{}] {}", parts.next().unwrap_or_default(), parts.next().unwrap_or_default())
}

/// All findings for one service, the most severe first.
pub(super) fn for_service(service: Service, asked: Option<&SurveyResult>, known: &Known<'_>) -> Vec<Point> {
    let Known { loaded, wrong: wrongs, silent, planned, unconfirmed, .. } = *known;
    let mut points = Vec::new();
    points.extend(wrong(|key| key.split('.').next() == Some(service.name()), wrongs, Some(planned)));
    if let Some(why) = asked.and_then(SurveyResult::stranger) {
        // What else is missing matters only at the right server.
        let point = Point::new(Mark::Hinders, why, "correct the URL").concerning(planned.len());
        points.insert(0, point);
        return points;
    }
    match asked {
        Some(SurveyResult { found: Ok(found), .. }) => points.extend(reached(service, found, planned.len())),
        Some(SurveyResult { found: Err(why), .. }) => {
            // Other missing things matter only once the server responds; a secret can be fixed at once.
            let point = Point::new(Mark::Hinders, why.clone(), way_to(why));
            points.insert(0, point.concerning(planned.len()));
            return points;
        }
        None => points.extend(without_url(service, known)),
    }
    points.extend(
        silent
            .iter()
            .filter(|(site, _)| owner(site) == service)
            .map(|(site, why)| Point::new(Mark::Hinders, format!("{site}: {why}"), way_to(why))),
    );
    let mut reported: Vec<String> = wrongs.iter().map(|wrong| wording(&wrong.key)).collect();
    for wrong in unconfirmed.iter().filter(|wrong| wrong.key.split('.').next() == Some(service.name())) {
        let reason = wrong.reason(&loaded.source);
        let resting = planned.iter().filter(|one| one.why.as_deref() == Some(&reason)).count();
        let what = loaded.source.wrong_at(&wrong.key, &wrong.what).to_string();
        let point = Point::new(Mark::Hinders, what, &wrong.remedy);
        points.push(if resting > 0 { point.concerning(resting) } else { point });
        reported.push(reason);
    }
    if let Some(SurveyResult { found: Ok(found), .. }) = asked {
        points.extend(other_readings(found, loaded));
    }
    points.extend(undeclared(service, known));
    points.extend(left_out(&undeclared_rows(service, loaded, known.tells), planned, &reported));
    if ready(service, known) == 0 && !points.iter().any(|point| point.mark == Mark::Hinders) {
        let what = "no check can run";
        points.push(Point::new(Mark::Hinders, what, "fix the findings marked !"));
    }
    points.sort_by_key(|point| point.mark);
    points
}

/// The readings that the server shows and the profile does not have: without them its checks fail.
fn other_readings(found: &Found, loaded: &Loaded) -> Vec<Point> {
    let written: toml::Table = loaded.profile.to_toml().parse().unwrap_or_default();
    let written = toml::Value::Table(written);
    let parsed = |value: &str| format!("value = {value}").parse::<toml::Table>().ok()?.remove("value");
    let known = |key: &str| SUITES.readings(&[]).into_iter().find(|reading| reading.key == key);
    let declared = |key: &str| {
        let written = key.split('.').try_fold(&written, |value, part| value.get(part)).cloned();
        written.or_else(|| parsed(known(key)?.default?))
    };
    let shown = found.readings.iter().filter(|(key, value)| declared(key) != parsed(value));
    let point = |(key, value): (&&str, &String)| {
        let about = known(key).map_or("", |reading| reading.means);
        let line = OtherReading { key: (*key).to_owned(), value: value.clone() };
        let what = format!("the server has another reading than the profile: {about}");
        Point::new(Mark::Weakens, what, line.to_string())
    };
    shown.map(point).collect()
}

/// How many checks can run if the server responds.
pub(super) fn ready(service: Service, known: &Known<'_>) -> usize {
    let open = undeclared_rows(service, known.loaded, known.tells);
    let can = |one: &&Foreseen| one.why.is_none() && !open.contains(&one.check.requirement.key);
    known.planned.iter().filter(can).count()
}

/// The server responds; it may still be a different service.
fn reached(service: Service, found: &Found, checks: usize) -> Vec<Point> {
    let questions = &SUITES.get(service).questions;
    let note = found.notes.first().map_or("the server responds", String::as_str);
    let mut points = Vec::new();
    if found.status >= 500 && found.likeness != Likeness::Like {
        let remedy = "check the server's log: it fails on a request that changes nothing";
        points
            .push(Point::new(Mark::Hinders, format!("the server fails: {note}"), remedy).concerning(checks));
    } else if found.likeness != Likeness::Like && questions.is_recognizable {
        let remedy = (questions.remedy)(found.status);
        let remedy = remedy.unwrap_or("correct the URL, unless it does belong to this service");
        let what = format!("the server does not look like a {service} service: {note}");
        points.push(Point::new(Mark::Weakens, what, remedy).concerning(checks));
    } else {
        points.push(Point::new(Mark::Good, format!("reached: {note}"), ""));
    }
    points.extend(found.skew_ms.and_then(clock));
    points
}

/// Findings for a service without a URL.
fn without_url(service: Service, known: &Known<'_>) -> Vec<Point> {
    let Some(from) = SUITES.get(service).questions.reads_from else { return Vec::new() };
    let Source { service: source, records, server } = from;
    match known.source {
        None => {
            let what = format!("{records} are read from a {server}, and the profile has none");
            vec![Point::new(Mark::Hinders, what, format!("add the {server}: [{source}] url"))]
        }
        Some(SurveyResult { found: Err(_), .. }) => {
            let what = format!("{records} are read from the {server} in [{source}], and it does not respond");
            let remedy = format!("fix the findings marked x of the {source} service");
            vec![Point::new(Mark::Hinders, what, remedy).concerning(known.planned.len())]
        }
        Some(_) => {
            let what = format!("{records} are tested only on request");
            let remedy = format!("run assay run --service {service}, or set [{service}] url");
            vec![Point::new(Mark::Weakens, what, remedy)]
        }
    }
}

/// Undeclared readings whose default makes checks skip.
fn open(service: Service, loaded: &Loaded, tells: bool) -> Vec<&'static Reading> {
    let all = SUITES.readings(&[service]).into_iter().filter(|_| !tells);
    all.filter(|reading| !reading.silent.is_empty() && !reading.is_declared(&loaded.profile)).collect()
}

/// The rows whose checks are skipped because a reading is not declared.
fn undeclared_rows(service: Service, loaded: &Loaded, tells: bool) -> Vec<u32> {
    let open = open(service, loaded, tells).into_iter();
    open.flat_map(|reading| reading.silent.iter().map(|row| row.key)).collect()
}

/// Findings for readings that are not declared.
fn undeclared(service: Service, known: &Known<'_>) -> Vec<Point> {
    open(service, known.loaded, known.tells)
        .into_iter()
        .filter_map(|reading| {
            let concerned =
                |one: &&Foreseen| reading.silent.iter().any(|row| row.key == one.check.requirement.key);
            let count = known.planned.iter().filter(concerned).count();
            let what = format!("{} is not declared", reading.key);
            let remedy = format!(
                "declare it if it applies: [{}] {} = {} (see assay readings)",
                reading.table(),
                reading.name(),
                reading.example
            );
            (count > 0).then(|| Point::new(Mark::Weakens, what, remedy).concerning(count))
        })
        .collect()
}

/// The skipped checks of the plan, grouped by reason, in the order of the checks.
fn left_out(open: &[u32], planned: &[Foreseen], reported: &[String]) -> Vec<Point> {
    let mut groups: Vec<(&str, usize)> = Vec::new();
    for Foreseen { check, why } in planned {
        let Some(why) = why.as_deref().filter(|_| !open.contains(&check.requirement.key)) else { continue };
        match groups.iter_mut().find(|(known, _)| *known == why) {
            Some((_, count)) => *count += 1,
            None => groups.push((why, 1)),
        }
    }
    groups
        .into_iter()
        // A missing or invalid secret has its own finding.
        .filter(|(why, _)| !reported.iter().any(|words| why.contains(words)))
        .map(|(why, count)| Point::new(Mark::Weakens, why, remedy(why)).concerning(count))
        .collect()
}

/// How to fix a reason of the plan.
fn remedy(why: &str) -> String {
    // A profile key is checked before the control API: a reason may name both, and few targets have a control API.
    if let Some((table, names)) = missed(why) {
        let table = if why.contains("[[") { format!("[[{table}]]") } else { format!("[{table}]") };
        return match names {
            "" => format!("declare it in {table}"),
            name if name.contains(' ') => format!("declare {name} in {table}"),
            name => format!("declare `{name}` in {table}"),
        };
    }
    let known = [
        ("--real-time", "run with --real-time, which waits up to six minutes, or with a control API"),
        ("control API", "run against a target with a control API (control = \"\u{2026}\"), or the simulator"),
        ("the chain's URL", "[publish] chain_url = \"\u{2026}\""),
        (
            "client addresses",
            "forwarding_header = \"X-Forwarded-For\", if the target trusts that header from this machine",
        ),
        ("says that it has no", "if the target has it, remove the switch from `endpoints` in the profile"),
        ("--include", "allow it if the target is yours alone"),
    ];
    let found = known.iter().find(|(words, _)| why.contains(words));
    found.map_or("add it to the profile, if the target has it", |(_, remedy)| *remedy).to_owned()
}

/// The table and the keys that a check needs, as reasons write them: `([gateway] key)`, `(alt_url in [network])`,
/// `([[metadata.contracts]])`.
fn missed(why: &str) -> Option<(&str, &str)> {
    let (before, rest) = why.split_once('[')?;
    let (table, rest) = rest.trim_start_matches('[').split_once(']')?;
    Service::named(table.split('.').next()?)?;
    let behind = rest.trim_start_matches(']').split([')', ':', ';']).next().unwrap_or_default().trim();
    let ahead = before.rsplit_once('(').and_then(|(_, inside)| inside.trim().strip_suffix(" in"));
    Some((table, if behind.is_empty() { ahead.unwrap_or_default() } else { behind }))
}

fn clock(skew_ms: i64) -> Option<Point> {
    (skew_ms.abs() >= SKEW_MS).then(|| {
        let (seconds, way) = (skew_ms.abs() / 1000, if skew_ms > 0 { "ahead of" } else { "behind" });
        let what = format!("the server's clock is {seconds} s {way} this machine's");
        Point::new(
            Mark::Weakens,
            what,
            "synchronize the clocks; checks use the server's Date header if there is one",
        )
    })
}

/// The service that a secondary site belongs to.
fn owner(site: &str) -> Service {
    let key = SUITES.key_of_site(site);
    let service = key.as_deref().and_then(|key| Service::named(key.split('.').next()?));
    service.or_else(|| catalogue::service_at(site)).expect("each site has its key in the profile")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remedies_name_the_missing_key() {
        for (why, said) in [
            ("needs a valid key ([gateway] key)", "declare `key` in [gateway]"),
            ("needs a contract ([[metadata.contracts]])", "declare it in [[metadata.contracts]]"),
            (
                "the target's profile does not declare this signing_scheme ([network.readings])",
                "declare it in [network.readings]",
            ),
            (
                "needs another address of the API (alt_url or mirror_url in [network])",
                "declare alt_url or mirror_url in [network]",
            ),
            (
                "needs an owner ([hosting] owner or wallet_key), or a control API with the application's actions",
                "declare owner or wallet_key in [hosting]",
            ),
            ("needs a bound domain ([publish] key and domains)", "declare key and domains in [publish]"),
            ("needs the chain's URL", "[publish] chain_url = \"\u{2026}\""),
            ("needs a number [1]", "add it to the profile, if the target has it"),
        ] {
            assert_eq!(remedy(why), said, "{why}");
        }
        assert!(remedy("needs a control API that sets faults").contains("control = "));
    }
}
