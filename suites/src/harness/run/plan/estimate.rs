//! The numbers of a plan: the cost of a run for its target, the pace, and the expected time.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use assay_spec::publish::limits::PUBLISHES;
use assay_spec::{Id, Service};
use serde_json::{Value, json};

use super::{LeftOut, Planned};
use crate::harness::data::{Cost, Sums, Weight};
use crate::harness::pace::{Pace, Why};
use crate::harness::suite::Suites;
use crate::harness::target::Target;
use crate::support::prose;

/// The assumed time of a request if it was not measured, in milliseconds.
const LATENCY_MS: u64 = 50;
/// Ids per line in the plan's text.
const IDS_IN_A_LINE: usize = 3;

/// What a run will do, in numbers.
#[derive(Clone, Debug)]
pub struct Plan {
    suites: Suites,
    /// The target's name.
    pub target: String,
    /// Each check has its own world, so the number of requests is exact; otherwise it is what a
    /// run at the simulator has sent.
    pub is_exact: bool,
    /// The cost of each service.
    pub services: BTreeMap<Service, Sums>,
    /// The target's limits, and the pace they force.
    pub classes: Vec<Class>,
    /// The latency used for the expected time, in milliseconds.
    pub latency_ms: u64,
    /// The latency was measured, not assumed.
    pub is_measured: bool,
    /// How many checks run in parallel.
    pub jobs: usize,
    /// The number of checks that wait in real time, and the longest time of one, in seconds.
    pub waits: (usize, u64),
    /// The expected time, in seconds.
    pub seconds: u64,
    /// The checks that do not run, by reason.
    pub left_out: BTreeMap<LeftOut, Vec<Id>>,
}

/// A limit of the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// What the pace calls it; empty if it is not the pace's.
    site: String,
    /// What is counted, such as `gateway requests`.
    pub name: String,
    /// How many the run needs.
    pub needed: u64,
    /// How many are allowed in each span of time.
    pub limit: u64,
    /// The span of time.
    pub span: &'static str,
    /// The time that the pace takes, in seconds.
    pub seconds: u64,
    /// Checks beyond the limit do not wait for the next span: they are not testable.
    pub is_cut: bool,
}

impl Plan {
    /// Computes the numbers of `planned`. `latency_ms` is the measured latency, `jobs` the number of parallel checks.
    pub fn new(
        suites: Suites,
        target: &dyn Target,
        pace: &Pace,
        planned: &[Planned],
        latency_ms: Option<u64>,
        jobs: usize,
    ) -> Plan {
        let own = target.offer().forks;
        let mut services: BTreeMap<Service, Sums> = BTreeMap::new();
        let mut left_out: BTreeMap<LeftOut, Vec<Id>> = BTreeMap::new();
        for one in planned {
            let check = one.check;
            let sums = services.entry(check.requirement.service).or_default();
            match &one.left_out {
                None => {
                    sums.add(&Sums::from_cost(one.cost(own, pace), 1));
                }
                Some(why) => {
                    sums.left_out += 1;
                    left_out.entry(why.clone()).or_default().push(check.requirement);
                }
            }
        }
        if !own {
            for (service, sums) in services.iter_mut().filter(|(_, sums)| sums.checks > 0) {
                sums.add(&Sums::from_cost(shared_once(*service, planned), 0));
                sums.add(&(suites.get(*service).opening)(pace));
            }
        }
        let waiting = planned.iter().filter(|planned| planned.left_out.is_none() && !target.offer().clock);
        let waiting: Vec<u64> = waiting.map(|one| one.check.waits.into()).filter(|s| *s > 0).collect();
        let waits = (waiting.len(), waiting.into_iter().max().unwrap_or_default());
        let classes = if own { Vec::new() } else { classes(suites, &services, pace) };
        let (is_measured, latency_ms) = (latency_ms.is_some(), latency_ms.unwrap_or(LATENCY_MS));
        let mut plan = Plan {
            suites,
            target: target.name(),
            is_exact: own,
            services,
            classes,
            latency_ms,
            is_measured,
            jobs: jobs.max(1),
            waits,
            seconds: 0,
            left_out,
        };
        plan.seconds = plan.expected(target.is_embedded());
        plan
    }

    /// The total of all services.
    pub fn sum(&self) -> Sums {
        let mut sum = Sums::default();
        self.services.values().for_each(|sums| sum.add(sums));
        sum
    }

    /// The expected time in seconds: that of the requests, or that of the pace if it is longer.
    fn expected(&self, is_embedded: bool) -> u64 {
        if is_embedded {
            // There is no network: only this machine's own work takes time.
            return (self.sum().requests * 5).div_ceil(1000 * self.jobs as u64);
        }
        // Each check also creates, queries and removes its world.
        let calls = if self.is_exact { 4 * self.sum().checks } else { 0 };
        let talking = if self.is_exact {
            (self.sum().requests + calls) * self.latency_ms / (1000 * self.jobs as u64)
        } else {
            // The services run beside each other.
            let of = |(service, sums): (&Service, &Sums)| {
                sums.requests * self.latency_ms
                    / (1000 * self.suites.get(*service).parallel(self.jobs) as u64)
            };
            self.services.iter().map(of).max().unwrap_or_default()
        };
        let paced = self.classes.iter().map(|class| class.seconds).max().unwrap_or_default();
        talking.max(paced).max(self.waits.1).max(u64::from(self.sum().requests > 0))
    }

    /// The pace of each service's site, why, and the expected time, in one line. `None` where no pace applies.
    pub fn pace_line(&self, pace: &Pace) -> Option<String> {
        if self.is_exact {
            return None;
        }
        let of = |(site, limit, why): (&str, Option<u32>, Why)| {
            let is_run = |service: &Service| self.suites.get(*service).sites.counted_at == site;
            let is_used =
                self.services.keys().any(is_run) || self.classes.iter().any(|class| class.site == site);
            is_used.then(|| match limit {
                Some(limit) => format!("{site} {limit} requests a minute ({})", reason(why)),
                None => format!("{site} without a limit ({})", reason(why)),
            })
        };
        let sites: Vec<String> = pace.reasons().into_iter().filter_map(of).collect();
        (!sites.is_empty())
            .then(|| format!("pace: {}; expected time: {}", sites.join(", "), time(self.seconds)))
    }

    /// The default deadline of a run: several times the expected time, and an hour for the waits inside checks.
    pub fn deadline(&self) -> Duration {
        const FACTOR: u64 = 4;
        const WAITS: Duration = Duration::from_hours(1);
        Duration::from_secs(FACTOR * self.seconds) + WAITS
    }

    /// The plan as text.
    pub fn text(&self) -> String {
        let mut text = format!("plan for {}; nothing has been sent\n\n", self.target);
        let head =
            ["service", "checks", "requests", "writes", "publishes", "domains", "drops", "bytes", "left out"];
        text.push_str(&line(head[0], head[1..].iter().map(ToString::to_string)));
        for (service, sums) in &self.services {
            text.push_str(&line(service.name(), sums.cells()));
        }
        if self.services.len() > 1 {
            text.push_str(&line("total", self.sum().cells()));
        }
        let bound = if self.is_exact { "exact" } else { "as measured at the simulator" };
        let _ = write!(
            text,
            "\nrequests: {bound}; bytes: an upper bound; written data remains{}\n",
            if self.is_exact { " until the check's world is removed" } else { "" }
        );
        for class in &self.classes {
            let Class { name, needed, limit, span, seconds, is_cut, .. } = class;
            let what = match (is_cut, needed > limit) {
                (true, true) => {
                    "checks beyond the limit are not-testable; requests that checks share count once"
                        .to_owned()
                }
                _ => format!("takes {}", time(*seconds)),
            };
            let most = if *is_cut { "at most " } else { "" };
            let _ = writeln!(text, "pace: {most}{needed} {name} at {limit} {span}: {what}");
        }
        if let (checks @ 1.., seconds) = self.waits {
            let checks = prose::count(checks, "check");
            let _ = writeln!(text, "real time: {checks} waiting up to {seconds} s, beside the others");
        }
        let latency = if self.is_measured { "measured" } else { "assumed" };
        let _ = writeln!(
            text,
            "expected time: {} ({} ms a request, {latency}; {} in parallel; without the waits inside checks)",
            time(self.seconds),
            self.latency_ms,
            prose::count(self.jobs, "check")
        );
        for (LeftOut { verdict, reason }, ids) in &self.left_out {
            let _ = writeln!(text, "\n{} {}: {reason}", ids.len(), verdict.name());
            for ids in ids.chunks(IDS_IN_A_LINE) {
                let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
                let _ = writeln!(text, "    {}", ids.join(" "));
            }
        }
        text
    }

    /// The plan as JSON.
    pub fn json(&self) -> Value {
        let services: serde_json::Map<String, Value> =
            self.services.iter().map(|(service, sums)| (service.name().to_owned(), sums.json())).collect();
        let classes: Vec<Value> = self
            .classes
            .iter()
            .map(|class| {
                json!({
                    "name": class.name, "needed": class.needed, "limit": class.limit, "span": class.span,
                    "seconds": class.seconds, "is_cut": class.is_cut,
                })
            })
            .collect();
        let left_out: Vec<Value> = self
            .left_out
            .iter()
            .map(|(LeftOut { verdict, reason }, ids)| {
                let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
                json!({ "verdict": verdict.name(), "reason": reason, "checks": ids })
            })
            .collect();
        json!({
            "version": 1,
            "target": self.target,
            "exact": self.is_exact,
            "services": services,
            "together": self.sum().json(),
            "pace": classes,
            "latency_ms": self.latency_ms,
            "latency": if self.is_measured { "measured" } else { "assumed" },
            "jobs": self.jobs,
            "waits": { "checks": self.waits.0, "seconds": self.waits.1 },
            "seconds": self.seconds,
            "left_out": left_out,
        })
    }
}

impl Sums {
    fn from_cost(cost: Cost, checks: u64) -> Sums {
        Sums {
            checks,
            left_out: 0,
            requests: cost.requests.into(),
            writes: cost.writes.into(),
            publishes: cost.publishes.into(),
            domains: 0,
            drops: cost.drops.into(),
            bytes: cost.most_bytes(),
        }
    }

    fn add(&mut self, other: &Sums) {
        self.checks += other.checks;
        self.left_out += other.left_out;
        self.requests += other.requests;
        self.writes += other.writes;
        self.publishes += other.publishes;
        self.domains += other.domains;
        self.drops += other.drops;
        self.bytes += other.bytes;
    }

    fn cells(&self) -> impl Iterator<Item = String> {
        let counts = [self.checks, self.requests, self.writes, self.publishes, self.domains, self.drops];
        counts
            .map(|count| count.to_string())
            .into_iter()
            .chain([bytes(self.bytes), self.left_out.to_string()])
    }

    fn json(&self) -> Value {
        json!({
            "checks": self.checks, "left_out": self.left_out, "requests": self.requests, "writes": self.writes,
            "publishes": self.publishes, "domains": self.domains, "drops": self.drops, "bytes": self.bytes,
        })
    }
}

/// What the first check of a service makes and others share, if no planned check of its group is the one that made it in the
/// measured run.
fn shared_once(service: Service, planned: &[Planned]) -> Cost {
    let mut groups: BTreeMap<&str, [Cost; 2]> = BTreeMap::new();
    let run = planned.iter().filter(|one| one.left_out.is_none() && one.check.requirement.service == service);
    for one in run {
        let (costs, row) = (one.check.costs(), one.check.requirement);
        let [missing, made] = groups.entry(row.group).or_default();
        let (first, itself) = (costs.first(), costs.at(one.depth, false));
        *missing = missing.most(first);
        // What sends more itself than it lacks has made most of it; a heavy check makes what it alone needs.
        if first.requests < itself.requests && one.check.weight() == Weight::Light {
            *made = made.most(itself);
        }
    }
    let lacks = groups.into_values().map(|[missing, made]| missing.beyond(made));
    lacks.fold(Cost::default(), Cost::most)
}

/// The limits that a run must keep on a shared target.
fn classes(suites: Suites, services: &BTreeMap<Service, Sums>, pace: &Pace) -> Vec<Class> {
    let mut requests: BTreeMap<&str, u64> = BTreeMap::new();
    let mut all = Sums::default();
    for (service, sums) in services {
        let sites = &suites.get(*service).sites;
        let writes = sites.apart.iter().find(|apart| apart.are_writes && !pace.is_one(sites.counted_at));
        if let Some(apart) = writes {
            *requests.entry(apart.class).or_default() += sums.writes;
        }
        let others = sums.requests - writes.map_or(0, |_| sums.writes);
        *requests.entry(sites.counted_at).or_default() += others;
        all.add(sums);
    }
    let mut classes: Vec<Class> = Vec::new();
    for (site, needed) in requests {
        let Some(limit) = pace.per_minute(site).map(u64::from).filter(|_| needed > 0) else { continue };
        let seconds = pace.seconds(site, needed).unwrap_or_default();
        let name = format!("{site} requests");
        let site = site.to_owned();
        classes.push(Class { site, name, needed, limit, span: "a minute", seconds, is_cut: false });
    }
    if all.publishes > 0 {
        let limit = PUBLISHES.u64() * pace.domains() as u64;
        let name = "publishes".to_owned();
        let span = "a day for the domains in the profile";
        let site = String::new();
        classes.push(Class { site, name, needed: all.publishes, limit, span, seconds: 0, is_cut: true });
    }
    if let Some(limit) = pace.drops_per_hour().map(u64::from).filter(|_| all.drops > 0) {
        let name = "drops".to_owned();
        let (site, span) = (String::new(), "an hour");
        classes.push(Class { site, name, needed: all.drops, limit, span, seconds: 0, is_cut: true });
    }
    classes
}

const fn reason(why: Why) -> &'static str {
    match why {
        Why::Declared => "as the profile declares",
        Why::Documented => "the documented limit; requests_per_minute sets another one",
        Why::Near => "a loopback or private address, until its first 429",
        Why::Unknown => "at first; a 429 halves it, requests_per_minute limits it",
        Why::Adapted => "after a 429",
    }
}

fn line(name: &str, cells: impl Iterator<Item = String>) -> String {
    let mut line = format!("{name:<10}");
    for cell in cells {
        let _ = write!(line, " {cell:>9}");
    }
    line.push('\n');
    line
}

fn bytes(count: u64) -> String {
    match count {
        0..10_000 => format!("{count} B"),
        10_000..10_000_000 => format!("{} kB", count / 1000),
        _ => format!("{} MB", count / 1_000_000),
    }
}

fn time(seconds: u64) -> String {
    match seconds {
        0 => "no time".to_owned(),
        1..120 => format!("about {seconds} s"),
        _ => format!("about {} min", seconds.div_ceil(60)),
    }
}
