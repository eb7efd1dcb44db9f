//! The points of a diagnosis: what was found, how many checks it concerns, and what helps.

use std::collections::BTreeMap;

use assay_spec::Service;

use super::{Mark, Point};
use crate::check::Check;
use crate::plan::{Planned, Wishes, foresee};
use crate::probe::Settings;
use crate::profile::{Loaded, Wrong};
use crate::readings::{self, Reading};
use crate::survey::{Asked, Found, Level};
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
    /// The node that stored records are read from.
    pub(super) node: Option<&'k Asked>,
    /// A control API offers actions: it may tell what the profile does not.
    pub(super) tells: bool,
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
        Ok(Level { time, faults, actions, forks, .. }) => {
            let forks = if *forks { "forks worlds" } else { "forks no worlds" };
            let what =
                format!("control {base}: time level {time}, {faults} faults, {actions} actions, {forks}");
            Point::new(Mark::Good, what, "")
        }
        Err(why) => {
            let is_refused = why.contains("status 401") || why.contains("status 403");
            let remedy = if is_refused {
                "name a token that it takes: control_token = { env = \"NAME\" }"
            } else {
                "start it, put its URL right, or take `control` out of the profile"
            };
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
pub(super) fn for_service(service: Service, asked: Option<&Asked>, known: &Known<'_>) -> Vec<Point> {
    let Known { loaded, wrong: wrongs, silent, planned, .. } = *known;
    let mut points = Vec::new();
    points.extend(wrong(|key| key.split('.').next() == Some(service.name()), wrongs, Some(planned)));
    match asked {
        Some(Asked { found: Ok(found), .. }) => points.extend(reached(service, found, planned.len())),
        Some(Asked { found: Err(why), .. }) => {
            // What a check would miss besides is for when somebody is there; a secret can be put right at once.
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
    let reported: Vec<String> = wrongs.iter().map(|wrong| wording(&wrong.key)).collect();
    points.extend(undeclared(service, known));
    points.extend(left_out(&undeclared_rows(service, loaded, known.tells), planned, &reported));
    if ready(service, known) == 0 && !points.iter().any(|point| point.mark == Mark::Hinders) {
        let what = "no check can run";
        points.push(Point::new(Mark::Hinders, what, "put right what is marked !").concerning(planned.len()));
    }
    points.sort_by_key(|point| point.mark);
    points
}

/// How many checks can say something, where somebody is there.
pub(super) fn ready(service: Service, known: &Known<'_>) -> usize {
    let open = undeclared_rows(service, known.loaded, known.tells);
    let can = |one: &&Foreseen| one.why.is_none() && !open.contains(&one.check.requirement.key);
    known.planned.iter().filter(can).count()
}

/// Somebody answers; whether it is who was looked for is another thing.
fn reached(service: Service, found: &Found, checks: usize) -> Vec<Point> {
    let note = found.notes.first().map_or("it answers", String::as_str);
    let mut points = Vec::new();
    // The one path that every gateway and every node has.
    let must_be_there = matches!(service, Service::Gateway | Service::Network);
    // Neither has anything that a GET would tell it by.
    let tells_nothing = matches!(service, Service::Hosting | Service::Publish);
    if found.status >= 500 {
        let remedy = "see the service's log: it fails at a GET that changes nothing";
        points.push(Point::new(Mark::Hinders, format!("it fails: {note}"), remedy).concerning(checks));
    } else if !found.is_recognised && !tells_nothing {
        let is_other = must_be_there && found.status == 404;
        let mark = if is_other { Mark::Hinders } else { Mark::Weakens };
        let remedy = match (service, found.status) {
            (Service::Gateway, 401..=403) => "name a key that is valid: [gateway] key",
            _ => "put the URL right, unless it is this service's",
        };
        let what = format!("somebody answers, but not as the {service} would: {note}");
        points.push(Point::new(mark, what, remedy).concerning(checks));
    } else {
        points.push(Point::new(Mark::Good, format!("reached: {note}"), ""));
    }
    if found.is_key_refused {
        let remedy = "name a key that is valid: [gateway] key";
        points.push(Point::new(Mark::Hinders, "the gateway refuses the key", remedy));
    }
    points.extend(found.skew_ms.and_then(clock));
    points
}

/// A service that has no URL to ask.
fn without_url(service: Service, known: &Known<'_>) -> Vec<Point> {
    if service != Service::Hosting {
        return Vec::new();
    }
    match known.node {
        None => {
            let what = "stored records are read from a node, and none is named";
            vec![Point::new(Mark::Hinders, what, "name the node: [network] url")]
        }
        Some(Asked { found: Err(_), .. }) => {
            let what = "stored records are read from the node of [network], and nobody answers there";
            let point = Point::new(Mark::Hinders, what, "put right what is marked x at the network");
            vec![point.concerning(known.planned.len())]
        }
        Some(_) => {
            let what = "stored records are judged only when they are asked for";
            vec![Point::new(Mark::Weakens, what, "assay run --service hosting, or [hosting] url")]
        }
    }
}

/// Readings at their defaults for which checks say nothing.
fn open(service: Service, loaded: &Loaded, tells: bool) -> Vec<&'static Reading> {
    let all = readings::of_services(&[service]).into_iter().filter(|_| !tells);
    all.filter(|reading| !reading.silent.is_empty() && !reading.is_declared(&loaded.profile)).collect()
}

/// The rows whose checks say nothing for want of a reading.
fn undeclared_rows(service: Service, loaded: &Loaded, tells: bool) -> Vec<u32> {
    let open = open(service, loaded, tells).into_iter();
    open.flat_map(|reading| reading.silent.iter().map(|row| row.key)).collect()
}

/// The readings that somebody has to declare, if they are so.
fn undeclared(service: Service, known: &Known<'_>) -> Vec<Point> {
    open(service, known.loaded, known.tells)
        .into_iter()
        .filter_map(|reading| {
            let concerned =
                |one: &&Foreseen| reading.silent.iter().any(|row| row.key == one.check.requirement.key);
            let count = known.planned.iter().filter(concerned).count();
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
        // A secret that is named and cannot be had has a line of its own.
        .filter(|(why, _)| !reported.iter().any(|words| why.contains(words)))
        .map(|(why, count)| Point::new(Mark::Weakens, why, remedy(why)).concerning(count))
        .collect()
}

/// What helps against a reason of the plan.
fn remedy(why: &str) -> String {
    // A key goes before a control API, which a reason may name beside it and few targets have.
    if let Some((table, names)) = missed(why) {
        let table = if why.contains("[[") { format!("[[{table}]]") } else { format!("[{table}]") };
        return match names {
            "" => format!("declare it in {table}"),
            name if name.contains(' ') => format!("declare {name} in {table}"),
            name => format!("declare `{name}` in {table}"),
        };
    }
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
    let found = known.iter().find(|(words, _)| why.contains(words));
    found.map_or("name it in the profile, if the target has it", |(_, remedy)| *remedy).to_owned()
}

/// The table and the keys that a check misses, as checks name them: `([gateway] key)`, `(alt_url in [network])`,
/// `([[metadata.contracts]])`.
fn missed(why: &str) -> Option<(&str, &str)> {
    let (before, rest) = why.split_once('[')?;
    let (table, rest) = rest.trim_start_matches('[').split_once(']')?;
    Service::named(table.split('.').next()?)?;
    let behind = rest.trim_start_matches(']').split([')', ':', ';']).next().unwrap_or_default().trim();
    let ahead = before.rsplit_once('(').and_then(|(_, inside)| inside.trim().strip_suffix(" in"));
    Some((table, if behind.is_empty() { ahead.unwrap_or_default() } else { behind }))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remedy_names_the_key_that_a_reason_misses() {
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
                "needs an owner ([hosting] owner or wallet_key), or a control API whose application acts",
                "declare owner or wallet_key in [hosting]",
            ),
            ("needs a bound domain ([publish] key and domains)", "declare key and domains in [publish]"),
            ("needs the chain's URL", "[publish] chain_url = \"\u{2026}\""),
            ("needs a number [1]", "name it in the profile, if the target has it"),
        ] {
            assert_eq!(remedy(why), said, "{why}");
        }
        assert!(remedy("needs a control API that sets faults").contains("control = "));
    }
}
