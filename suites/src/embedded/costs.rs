//! Measures what each check sends: in a world of its own, and at the server of an operator, in a whole run and alone.

use std::collections::{BTreeMap, BTreeSet};

use assay_spec::{Dialect, Service};

use super::Embedded;
use super::shared::Operator;
use super::trial::{each, side_by_side};
use crate::harness::check::{Check, Weight};
use crate::harness::data::{Cost, Costs, Depth, Sent, Verdict};
use crate::harness::probe::Settings;
use crate::harness::run::Ran;
use crate::harness::run::plan::Wishes;
use crate::services;

/// Bytes are rounded up to this many.
const ROUNDED: u64 = 10_000;

/// What the file says before its entries.
const HEAD: &str = "\
# What each check sends, as `assay prove --costs` has measured it: in a world of its own (own); in a whole run at a shared
# target (shared), there at other depths (quick, full) and with a pending transfer (pending), and if it runs alone (alone).
# What equals `shared` is left out.

";

/// A member of the costs of a check.
type Of = fn(&mut Costs) -> &mut Option<Cost>;

/// The measured costs of all checks, as the text of `costs.toml`.
///
/// # Errors
/// A world that cannot be prepared, in words.
pub async fn measure(seed: u64, jobs: usize) -> Result<String, String> {
    let all = services::checks();
    let settings = Settings { seed, ..services::settings() };
    let own = each(&Embedded::new(seed, Dialect::default()), &all, &settings, jobs).await;
    let mut costs: BTreeMap<String, Costs> = BTreeMap::new();
    for ran in &own {
        costs.entry(ran.outcome.requirement.to_string()).or_default().own = cost(ran.sent);
    }
    let standard = &Operator::new(seed, Depth::Standard, false)?;
    for (id, cost) in whole(standard, jobs).await? {
        costs.entry(id).or_default().shared = Some(cost);
    }
    for (id, cost) in alone(standard, all, jobs).await? {
        let costs = costs.entry(id).or_default();
        costs.alone = Some(cost).filter(|alone| costs.shared != Some(*alone));
    }
    let others: [(Depth, bool, Of); 3] = [
        (Depth::Quick, false, |costs| &mut costs.quick),
        (Depth::Full, false, |costs| &mut costs.full),
        (Depth::Standard, true, |costs| &mut costs.pending),
    ];
    for (depth, with_more, of) in others {
        for (id, cost) in whole(&Operator::new(seed, depth, with_more)?, jobs).await? {
            let costs = costs.entry(id).or_default();
            let differs = costs.shared != Some(cost);
            *of(costs) = Some(cost).filter(|_| differs);
        }
    }
    let mut text = HEAD.to_owned();
    for (id, costs) in &costs {
        text.push_str(&format!("\"{id}\" = {{ {} }}\n", entry(costs)));
    }
    Ok(text)
}

/// The costs of a check in TOML, on one line.
fn entry(costs: &Costs) -> String {
    let Costs { own, shared, quick, full, pending, alone } = *costs;
    let all = [
        ("own", Some(own)),
        ("shared", shared),
        ("quick", quick),
        ("full", full),
        ("pending", pending),
        ("alone", alone),
    ];
    let table = |(name, cost): (&str, Option<Cost>)| {
        let Cost { requests, writes, publishes, drops, bytes } = cost?;
        let counts = [
            ("requests", requests),
            ("writes", writes),
            ("publishes", publishes),
            ("drops", drops),
            ("bytes", bytes),
        ];
        let counts = counts.into_iter().filter(|(_, count)| *count > 0);
        let counts: Vec<String> = counts.map(|(name, count)| format!("{name} = {count}")).collect();
        Some(format!("{name} = {{ {} }}", counts.join(", ")))
    };
    all.into_iter().filter_map(table).collect::<Vec<_>>().join(", ")
}

/// What each check sends in a whole run of its service, or alone if that leaves it without a verdict.
async fn whole(operator: &Operator, jobs: usize) -> Result<Vec<(String, Cost)>, String> {
    let all = services::checks();
    let of = |service: &Service| -> Vec<&'static Check> {
        all.iter().copied().filter(|check| check.requirement.service == *service).collect()
    };
    let runs = Service::ALL.iter().map(|service| operator.conforming(Wishes::default(), of(service)));
    let mut costs: Vec<(String, Cost)> =
        side_by_side(runs, jobs).await?.iter().flatten().filter_map(ran).collect();
    let known: BTreeSet<String> = costs.iter().map(|(id, _)| id.clone()).collect();
    let others = all.into_iter().filter(|check| !known.contains(&check.requirement.to_string()));
    costs.extend(alone(operator, others.collect(), jobs).await?);
    Ok(costs)
}

/// What each of these checks sends if it runs alone, whatever it weighs.
async fn alone(
    operator: &Operator,
    checks: Vec<&'static Check>,
    jobs: usize,
) -> Result<Vec<(String, Cost)>, String> {
    let anything = || Wishes { include: [Weight::Heavy, Weight::Destructive].into(), ..Wishes::default() };
    let runs = checks.into_iter().map(|check| operator.conforming(anything(), vec![check]));
    Ok(side_by_side(runs, jobs).await?.iter().flatten().filter_map(ran).collect())
}

/// What a check that gives a verdict has sent.
fn ran(ran: &Ran) -> Option<(String, Cost)> {
    let gives = matches!(ran.outcome.verdict, Verdict::Pass | Verdict::Warn | Verdict::Fail);
    gives.then(|| (ran.outcome.requirement.to_string(), cost(ran.sent)))
}

fn cost(sent: Sent) -> Cost {
    let count = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
    let usual = sent.requests * u64::from(Cost::REQUEST_BYTES);
    let bytes = if sent.bytes > usual { sent.bytes.div_ceil(ROUNDED) * ROUNDED } else { 0 };
    Cost {
        requests: count(sent.requests),
        writes: count(sent.writes),
        publishes: count(sent.publishes),
        drops: count(sent.drops),
        bytes: count(bytes),
    }
}
