//! The points of a diagnosis: what was found, how many checks it concerns, and what helps.

use std::collections::BTreeMap;

use assay_spec::Service;

use super::{Mark, Point};
use crate::check::Check;
use crate::plan::{Planned, Wishes, foresee};
use crate::probe::Settings;
use crate::profile::{Loaded, Wrong};
use crate::readings;
use crate::survey::{Asked, Level};
use crate::target::Remote;

/// A difference of clocks that shows in what checks send, in milliseconds.
const SKEW_MS: i64 = 5000;

/// What is known before a service is looked at.
pub(super) struct Known<'k> {
    pub(super) loaded: &'k Loaded,
    /// Secrets that are missing or no good.
    pub(super) wrong: &'k [Wrong],
    /// Sites beside the services' own where nobody listens, and why.
    pub(super) silent: &'k BTreeMap<String, String>,
    pub(super) planned: &'k [Foreseen],
}

/// A check, and why it will say nothing.
pub(super) struct Foreseen {
    pub(super) check: &'static Check,
    pub(super) why: Option<String>,
}

/// What the plan knows without a request. What a run may be asked to leave out is not left out here.
pub(super) async fn foreseen(
    target: &Remote,
    settings: &Settings,
    checks: &[&'static Check],
) -> Vec<Foreseen> {
    let planned = foresee(target, settings, &Wishes::default(), checks).await.into_iter();
    planned
        .map(|Planned { check, left_out }| Foreseen { check, why: left_out.map(|left_out| left_out.reason) })
        .collect()
}

/// The control API: there, or not.
pub(super) fn control((base, level): &(String, Result<Level, String>)) -> Point {
    match level {
        Ok(Level { time, faults, acts, forks, .. }) => {
            let forks = if *forks { "forks worlds" } else { "forks no worlds" };
            let what = format!("control {base}: time level {time}, {faults} faults, {acts} acts, {forks}");
            Point::new(Mark::Good, what, "")
        }
        Err(why) => {
            let remedy = "start it, put its URL right, or take `control` out of the profile";
            Point::new(Mark::Hinders, format!("control {base}: {why}"), remedy)
        }
    }
}

/// Secrets under keys of that kind, which cannot be had.
pub(super) fn wrong(is: impl Fn(&str) -> bool, all: &[Wrong], planned: Option<&[Foreseen]>) -> Vec<Point> {
    all.iter()
        .filter(|wrong| is(&wrong.key))
        .map(|wrong| {
            let remedy = match wrong.key.rsplit('.').next() {
                Some("env") => "set the variable, or name a file: { file = \"path\" }",
                Some("file") => "write the file, or name a variable: { env = \"NAME\" }",
                _ => "put another key there",
            };
            let point = Point::new(Mark::Hinders, wrong.to_string(), remedy);
            match planned.map(|planned| about(planned, &wrong.key)) {
                Some(count) if count > 0 => point.concerning(count),
                _ => point,
            }
        })
        .collect()
}

/// How many checks are left out for want of that key, such as `gateway.key.env`.
fn about(planned: &[Foreseen], key: &str) -> usize {
    let words = wording(key);
    planned.iter().filter(|one| one.why.as_ref().is_some_and(|why| why.contains(&words))).count()
}

/// The key as checks speak of it: `[gateway] key`.
fn wording(key: &str) -> String {
    let mut parts = key.split('.');
    format!("[{}] {}", parts.next().unwrap_or_default(), parts.next().unwrap_or_default())
}

/// All that concerns one service, the gravest first.
pub(super) fn of(service: Service, asked: Option<&Asked>, known: &Known<'_>) -> Vec<Point> {
    let Known { loaded, wrong: wrongs, silent, planned } = *known;
    let mut points = Vec::new();
    match asked {
        Some(Asked { found: Ok(found), .. }) => {
            let what = format!("reached: {}", found.notes.first().map_or("it answers", String::as_str));
            points.push(Point::new(Mark::Good, what, ""));
            if found.is_key_refused {
                let remedy = "name a key that is valid: [gateway] key";
                points.push(Point::new(Mark::Hinders, "the gateway refuses the key", remedy));
            }
            points.extend(found.skew_ms.and_then(clock));
        }
        Some(Asked { found: Err(why), .. }) => {
            let point = Point::new(Mark::Hinders, why.clone(), way_to(why));
            points.push(point.concerning(planned.len()));
            return points;
        }
        None => points.extend(without_url(service, loaded)),
    }
    points.extend(wrong(|key| key.split('.').next() == Some(service.name()), wrongs, Some(planned)));
    points.extend(
        silent
            .iter()
            .filter(|(site, _)| owner(site) == service)
            .map(|(site, why)| Point::new(Mark::Hinders, format!("{site}: {why}"), way_to(why))),
    );
    let told: Vec<String> = wrongs.iter().map(|wrong| wording(&wrong.key)).collect();
    points.extend(undeclared(service, loaded, planned));
    points.extend(left_out(service, loaded, planned, &told));
    let ready = planned.iter().any(|planned| planned.why.is_none());
    if !ready && !points.iter().any(|point| point.mark == Mark::Hinders) {
        let what = "no check can run";
        points.push(Point::new(Mark::Hinders, what, "put right what is marked !").concerning(planned.len()));
    }
    points.sort_by_key(|point| point.mark);
    points
}

/// A service that has no URL to ask.
fn without_url(service: Service, loaded: &Loaded) -> Vec<Point> {
    if service != Service::Hosting {
        return Vec::new();
    }
    if loaded.profile.network.is_none() {
        let remedy = "name the node: [network] url";
        return vec![Point::new(
            Mark::Hinders,
            "stored records are read from a node, and none is named",
            remedy,
        )];
    }
    let what = "stored records are judged only when they are asked for";
    vec![Point::new(Mark::Weakens, what, "assay run --service hosting, or [hosting] url")]
}

/// Readings at their defaults for which checks say nothing.
fn undeclared(service: Service, loaded: &Loaded, planned: &[Foreseen]) -> Vec<Point> {
    let open = readings::of(&[service]).into_iter();
    let open = open.filter(|reading| !reading.silent.is_empty() && !reading.is_declared(&loaded.profile));
    // A control API of the target's may tell what the profile does not.
    open.filter(|_| loaded.profile.control.is_none())
        .filter_map(|reading| {
            let concerned =
                |one: &&Foreseen| reading.silent.iter().any(|row| row.key == one.check.requirement.key);
            let count = planned.iter().filter(concerned).count();
            let what = format!("{} is not declared", reading.key);
            let remedy = format!(
                "[{}] {} = {}, if it is so (assay readings)",
                reading.table(),
                reading.name(),
                reading.example
            );
            (count > 0).then(|| Point::new(Mark::Weakens, what, remedy).concerning(count))
        })
        .collect()
}

/// What the plan leaves out, by reason, in the order of the checks.
fn left_out(service: Service, loaded: &Loaded, planned: &[Foreseen], told: &[String]) -> Vec<Point> {
    let open = readings::of(&[service]).into_iter();
    let open: Vec<u32> = open
        .filter(|reading| !reading.is_declared(&loaded.profile) && loaded.profile.control.is_none())
        .flat_map(|reading| reading.silent.iter().map(|row| row.key))
        .collect();
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
        // A secret that is named and cannot be had has a line of its own.
        .filter(|(why, _)| !told.iter().any(|words| why.contains(words)))
        .map(|(why, count)| Point::new(Mark::Weakens, why, remedy(why)).concerning(count))
        .collect()
}

/// What helps against a reason of the plan.
fn remedy(why: &str) -> String {
    let known = [
        ("control API", "run against a target with a control API (control = \"\u{2026}\"), or the simulator"),
        ("the chain's URL", "[publish] chain_url = \"\u{2026}\""),
        (
            "client addresses",
            "forwarding_header = \"X-Forwarded-For\", where the target believes it from this machine",
        ),
        ("says that it has no", "take the switch out of the profile's endpoints, if it has"),
        ("--include", "allow it where nobody is harmed"),
    ];
    if let Some((_, remedy)) = known.iter().find(|(words, _)| why.contains(words)) {
        return (*remedy).to_owned();
    }
    // Checks name the key that they miss: `[gateway] key`.
    let key = why.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    let key = key.map(|(table, rest)| {
        let name = rest.trim_start().split([' ', ')', ',', ';']).next().unwrap_or_default();
        format!("declare `{name}` in [{table}]")
    });
    key.unwrap_or_else(|| "name it in the profile, if the target has it".to_owned())
}

/// What helps where nobody answers.
fn way_to(why: &str) -> &'static str {
    let known = [
        (
            "authority is unknown",
            "ca_file = \"\u{2026}\" with the certificate (PEM) of the server's authority",
        ),
        ("another name", "use the name that the certificate is for, or another certificate"),
        ("has expired", "renew the server's certificate"),
        ("not valid yet", "set the clock of this machine or of the server"),
        ("no TLS is spoken", "http:// instead of https://, or the port that speaks TLS"),
        ("refused", "start the service, or put its port right"),
        ("lookup", "put the name in the URL right"),
        ("resolve", "put the name in the URL right"),
    ];
    let found = known.iter().find(|(words, _)| why.contains(words));
    found.map_or("see that the service runs and that this machine reaches it", |(_, remedy)| *remedy)
}

fn clock(skew_ms: i64) -> Option<Point> {
    (skew_ms.abs() >= SKEW_MS).then(|| {
        let (seconds, way) = (skew_ms.abs() / 1000, if skew_ms > 0 { "ahead of" } else { "behind" });
        let what = format!("its clock is {seconds} s {way} this machine's");
        Point::new(Mark::Weakens, what, "set the clocks; checks follow the Date header where there is one")
    })
}

/// The service whose site it is.
fn owner(site: &str) -> Service {
    if site == "chain" { Service::Publish } else { Service::Network }
}
