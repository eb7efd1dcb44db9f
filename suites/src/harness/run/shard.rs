//! Shards: parts of a run; each check belongs to exactly one.
//!
//! A check goes to its preferred shard by a hash of its id and the shard, unless that shard is full. So shards have
//! similar cost, and a new check moves few others. Checks that upload stay in one shard, because the few uploads per
//! hour cannot be divided.

use std::cmp::Reverse;
use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

use crate::harness::check::Check;
use crate::harness::data::Depth;
use crate::harness::probe::Settings;

/// Part K of N, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// K.
    pub number: usize,
    /// N.
    pub of: usize,
}

/// The maximum of N.
pub(crate) const MOST: usize = 1000;
/// The fixed cost of a check, in requests.
const BESIDE: u64 = 4;
/// How far a shard's cost may exceed the mean.
const SLACK: f64 = 1.02;
/// The name under which all checks that upload are assigned together.
const UPLOADS: &str = "uploads";

impl Shard {
    /// The shard from the variables of a CI job. `of` is the number of shards if the environment does not give it, as
    /// in an indexed job of Kubernetes.
    pub fn of_environment(
        variable: impl Fn(&str) -> Option<String>,
        of: Option<usize>,
    ) -> Result<Shard, String> {
        for (index, total, from) in SYSTEMS {
            let Some(text) = variable(index) else { continue };
            let number = |name: &str, text: &str| {
                text.trim().parse::<usize>().map_err(|_| format!("{name} is not a number: {text:?}"))
            };
            let count = match (of, variable(total)) {
                (Some(of), _) => of,
                (None, Some(text)) => number(total, &text)?,
                (None, None) => {
                    return Err(format!("{index} is set and {total} is not; use --shard auto/N"));
                }
            };
            let nth = number(index, &text)?;
            let nth = nth.checked_add(1).and_then(|nth| nth.checked_sub(*from));
            return nth.map_or_else(
                || Err(format!("{index} is {text}, but counting starts at {from}")),
                |number| Shard::new(number, count).map_err(|why| format!("{index}: {why}")),
            );
        }
        let known: Vec<&str> = SYSTEMS.iter().map(|(index, ..)| *index).collect();
        Err(format!("no environment variable gives the shard; known variables: {}", known.join(", ")))
    }

    fn new(number: usize, of: usize) -> Result<Shard, String> {
        if of == 0 || of > MOST || number == 0 || number > of {
            return Err(format!(
                "{number}/{of} is not a shard: use K/N with K from 1 to N, and N at most {MOST}"
            ));
        }
        Ok(Shard { number, of })
    }

    /// The checks of this shard, in order.
    pub fn select(self, checks: &[&'static Check]) -> Vec<&'static Check> {
        let homes = homes(checks, self.of);
        let own = checks.iter().zip(homes).filter(|(_, home)| home + 1 == self.number);
        own.map(|(check, _)| *check).collect()
    }

    /// Reduces the shared resources to this shard's part: every Nth domain. Drops are not divided, because one shard
    /// makes all of them. The pace is not divided, because a delayed check would see its locks expire.
    pub fn share(self, settings: &Settings) {
        settings.suites.iter().for_each(|suite| (suite.fixtures.share)(settings, self.number, self.of));
    }
}

/// Variables of CI systems: index, count, and the first index.
const SYSTEMS: &[(&str, &str, usize)] = &[
    ("JOB_COMPLETION_INDEX", "ASSAY_SHARDS", 0), // Kubernetes indexed jobs; the count is unknown
    ("CI_NODE_INDEX", "CI_NODE_TOTAL", 1),       // GitLab
    ("CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", 0), // CircleCI
    ("BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT", 0), // Buildkite
    ("SYSTEM_JOBPOSITIONINPHASE", "SYSTEM_TOTALJOBSINPHASE", 1), // Azure Pipelines
    ("ASSAY_SHARD_INDEX", "ASSAY_SHARDS", 1),    // anything else
];

/// What a check costs on a shared target, where requests take time.
fn weight(check: &Check) -> u64 {
    BESIDE + u64::from(check.costs().at(Depth::Standard, false).requests)
}

/// How many steps the most that a shard holds has at most.
const STEPS: u64 = 32;

/// The shard of each check, from 0.
fn homes(checks: &[&'static Check], of: usize) -> Vec<usize> {
    let weight = |n: usize| weight(checks[n]);
    let sum = |some: &[usize]| -> u64 { some.iter().map(|&n| weight(n)).sum() };
    let (uploads, mut others): (Vec<usize>, Vec<usize>) =
        (0..checks.len()).partition(|&n| checks[n].costs().own.drops > 0);
    let (together, rest) = (sum(&uploads), sum(&others));
    // If the uploads alone exceed a shard's part, the other checks go to the other shards.
    let (total, among) =
        if together * of as u64 > together + rest { (rest, of - 1) } else { (together + rest, of) };
    // In coarse steps, so that one check more or less does not move the bound, and with it checks of full shards.
    let most = (total as f64 / among as f64 * SLACK).ceil() as u64;
    let most = most.next_multiple_of((most / STEPS).next_power_of_two());
    let mut loads = vec![0; of];
    let mut homes = vec![0; checks.len()];
    // They are assigned first, so that no other check moves them.
    let home = (0..of).min_by_key(|&shard| wish(UPLOADS, shard)).unwrap_or_default();
    loads[home] = together;
    for n in uploads {
        homes[n] = home;
    }
    // The most expensive first; small ones fill the gaps.
    others.sort_by_key(|&n| (Reverse(weight(n)), checks[n].requirement.key));
    for n in others {
        let (id, weight) = (checks[n].requirement.to_string(), weight(n));
        let mut wished: Vec<usize> = (0..of).collect();
        wished.sort_by_cached_key(|shard| wish(&id, *shard));
        let home = wished.iter().copied().find(|&shard| loads[shard] + weight <= most);
        // If none has room, use the one with the lowest cost.
        let home = home.or_else(|| wished.into_iter().min_by_key(|&shard| loads[shard])).unwrap_or_default();
        loads[home] += weight;
        homes[n] = home;
    }
    homes
}

fn wish(id: &str, shard: usize) -> [u8; 32] {
    Sha256::digest(format!("{id} {shard}")).into()
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let wrong = || format!("{text:?} is not a shard: use K/N, such as 1/10");
        let (number, of) = text.split_once('/').ok_or_else(wrong)?;
        let number = number.parse().map_err(|_| wrong())?;
        Shard::new(number, of.parse().map_err(|_| wrong())?)
    }
}

/// `3/10`
impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::services;
    use crate::services::publish::{Fixtures, Pool};

    #[test]
    fn every_check_belongs_to_one_shard_and_shards_have_similar_cost() {
        let all = services::checks();
        for of in [1, 2, 3, 10] {
            let shards: Vec<_> = (1..=of).map(|number| Shard { number, of }.select(&all)).collect();
            let mut keys: Vec<u32> = shards.iter().flatten().map(|check| check.requirement.key).collect();
            keys.sort_unstable();
            assert_eq!(keys, all.iter().map(|check| check.requirement.key).collect::<Vec<_>>());
            let loads = shards.iter().map(|shard| shard.iter().map(|check| weight(check)).sum::<u64>());
            let loads: Vec<u64> = loads.collect();
            let (least, most) = (loads.iter().min().unwrap(), loads.iter().max().unwrap());
            assert!(*most as f64 <= *least as f64 * 1.3, "{of}: {loads:?}");
        }
    }

    #[test]
    fn uploads_stay_together_and_the_rest_is_even() {
        let all = services::checks();
        let weight = |n: usize| weight(all[n]);
        for of in [2, 10, 30] {
            let homes = homes(&all, of);
            let (uploads, others): (Vec<usize>, Vec<usize>) =
                (0..all.len()).partition(|&n| all[n].costs().own.drops > 0);
            assert!(uploads.len() > 20 && uploads.iter().all(|&n| homes[n] == homes[uploads[0]]), "{of}");
            let mut loads = vec![0; of];
            for n in others {
                loads[homes[n]] += weight(n);
            }
            loads.remove(homes[uploads[0]]);
            let mean = loads.iter().sum::<u64>() as f64 / loads.len() as f64;
            // One check alone may exceed the mean of many shards.
            let most = (mean * 1.2).max((0..all.len()).map(weight).max().unwrap() as f64);
            assert!(loads.iter().all(|&load| load as f64 <= most), "{of}: {loads:?}");
        }
        let drops: Vec<_> = all.iter().copied().filter(|check| check.costs().own.drops > 0).collect();
        let parts: Vec<usize> =
            (1..=4).map(|number| Shard { number, of: 4 }.select(&drops).len()).filter(|&n| n > 0).collect();
        assert_eq!(parts, [drops.len()], "the others are empty");
        // A new check does not move the others.
        let at = |checks: &[&'static Check]| homes(checks, 10)[checks.len() - 1];
        assert_eq!(at(&drops), at(&drops[1..]));
    }

    #[test]
    fn parallel_shards_use_different_domains() {
        let names = ["a", "b", "c", "d", "e", "f", "g"];
        let mut taken = Vec::new();
        for number in 1..=3 {
            let mut settings = services::settings();
            settings.fixtures.get_mut::<Fixtures>().pool = Arc::new(Pool::new(names.map(str::to_owned)));
            Shard { number, of: 3 }.share(&settings);
            taken.push(settings.publish().pool.names().concat());
        }
        assert_eq!(taken, ["adg", "be", "cf"]);
    }

    #[test]
    fn adding_or_removing_a_check_moves_few_others() {
        let all = services::checks();
        let before = homes(&all, 10);
        for gone in [0, all.len() / 2, all.len() - 1] {
            let mut fewer = all.clone();
            fewer.remove(gone);
            let mut homes_before = before.clone();
            homes_before.remove(gone);
            let moved = homes(&fewer, 10).iter().zip(&homes_before).filter(|(now, then)| now != then).count();
            assert!(moved * 20 <= all.len(), "{moved} of {} moved", all.len());
        }
    }

    #[test]
    fn shards_are_parsed() {
        assert_eq!("3/10".parse(), Ok(Shard { number: 3, of: 10 }));
        for wrong in ["", "3", "0/3", "4/3", "1/0", "a/3", "1/b", "-1/3", "1/1001", "1/3/5"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn ci_variables_give_the_shard() {
        let with = |set: &[(&str, &str)], of| {
            let set: Vec<(String, String)> = set.iter().map(|(a, b)| ((*a).into(), (*b).into())).collect();
            let variable = move |name: &str| {
                set.iter().find(|(known, _)| known == name).map(|(_, value): &(String, String)| value.clone())
            };
            Shard::of_environment(variable, of)
        };
        let third = Ok(Shard { number: 3, of: 10 });
        assert_eq!(with(&[("JOB_COMPLETION_INDEX", "2")], Some(10)), third);
        assert_eq!(with(&[("JOB_COMPLETION_INDEX", "2"), ("ASSAY_SHARDS", "10")], None), third);
        assert_eq!(with(&[("CI_NODE_INDEX", "3"), ("CI_NODE_TOTAL", "10")], None), third);
        assert_eq!(with(&[("CIRCLE_NODE_INDEX", "2"), ("CIRCLE_NODE_TOTAL", "10")], None), third);
        assert_eq!(
            with(&[("BUILDKITE_PARALLEL_JOB", "2"), ("BUILDKITE_PARALLEL_JOB_COUNT", "10")], None),
            third
        );
        let azure = [("SYSTEM_JOBPOSITIONINPHASE", "3"), ("SYSTEM_TOTALJOBSINPHASE", "10")];
        assert_eq!(with(&azure, None), third);
        for (set, why) in [
            (&[][..], "no environment variable gives"),
            (&[("JOB_COMPLETION_INDEX", "2")], "use --shard auto/N"),
            (&[("CI_NODE_INDEX", "0"), ("CI_NODE_TOTAL", "3")], "CI_NODE_INDEX: 0/3 is not a shard"),
            (&[("CI_NODE_INDEX", "x"), ("CI_NODE_TOTAL", "3")], "CI_NODE_INDEX is not a number"),
            (&[("CIRCLE_NODE_INDEX", "3"), ("CIRCLE_NODE_TOTAL", "3")], "4/3 is not a shard"),
        ] {
            let error = with(set, None).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }
}
