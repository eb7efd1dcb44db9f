//! What a check sends, as measured: `costs.toml` is written by `assay prove --costs`, and `.ci/run` compares it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use assay_spec::Id;
use serde::Deserialize;

/// Which values checks send in place of valid ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Depth {
    /// The most likely ones.
    Quick,
    /// All wrong ones, and the uncommon valid ones whose acceptance uses up nothing. All in a world of the check's own.
    #[default]
    Standard,
    /// All.
    Full,
}

impl Depth {
    /// All, from the fewest values to the most.
    pub const ALL: [Depth; 3] = [Depth::Quick, Depth::Standard, Depth::Full];

    /// Its name on the command line and in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Depth::Quick => "quick",
            Depth::Standard => "standard",
            Depth::Full => "full",
        }
    }

    /// The depth with that name.
    pub fn named(name: &str) -> Option<Depth> {
        Depth::ALL.into_iter().find(|depth| depth.name() == name)
    }
}

/// What a check sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Cost {
    /// Requests.
    pub requests: u32,
    /// The requests among them that write; accepted ones leave data behind.
    pub writes: u32,
    /// Accepted prepares, which count against a domain's day.
    pub publishes: u32,
    /// Uploads, which count against an address's hour.
    pub drops: u32,
    /// Bytes, rounded up; 0 if [`Cost::REQUEST_BYTES`] per request are enough.
    pub bytes: u32,
}

impl Cost {
    /// The default maximum of bytes per request, head and body.
    pub const REQUEST_BYTES: u32 = 4096;
    /// A check that costs more than this is heavy.
    const LIGHT: Cost = Cost { requests: 100, writes: 0, publishes: 10, drops: 2, bytes: 1_000_000 };

    /// The maximum of bytes.
    pub fn most_bytes(self) -> u64 {
        u64::from(self.requests.saturating_mul(Self::REQUEST_BYTES).max(self.bytes))
    }

    /// Whether it sends more than a light check may.
    pub(crate) fn sends_much(self) -> bool {
        self.bytes > Cost::LIGHT.bytes
    }

    /// What it sends more than `other`.
    #[must_use]
    pub fn beyond(self, other: Cost) -> Cost {
        self.each(other, u32::saturating_sub)
    }

    /// The part at some of all places.
    pub(crate) fn at_places(self, some: usize, all: usize) -> Cost {
        let part = |count: u32| u32::try_from(count as usize * some / all.max(1)).unwrap_or(u32::MAX);
        Cost {
            requests: part(self.requests),
            writes: part(self.writes),
            publishes: part(self.publishes),
            drops: part(self.drops),
            bytes: part(self.bytes),
        }
    }

    /// The greater of each.
    #[must_use]
    pub fn most(self, other: Cost) -> Cost {
        self.each(other, u32::max)
    }

    /// Together with `other`.
    #[must_use]
    fn with(self, other: Cost) -> Cost {
        self.each(other, u32::saturating_add)
    }

    fn each(self, other: Cost, both: fn(u32, u32) -> u32) -> Cost {
        Cost {
            requests: both(self.requests, other.requests),
            writes: both(self.writes, other.writes),
            publishes: both(self.publishes, other.publishes),
            drops: both(self.drops, other.drops),
            bytes: both(self.bytes, other.bytes),
        }
    }
}

/// What a check sends, by where it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Costs {
    /// In a world of its own.
    pub own: Cost,
    /// In a whole run at a shared target, where checks share responses. None: it does not run at the measured one.
    pub shared: Option<Cost>,
    /// As `shared`, at quick depth, if that differs.
    pub quick: Option<Cost>,
    /// As `shared`, at full depth, if that differs.
    pub full: Option<Cost>,
    /// As `shared`, where a transfer is pending, if that differs.
    pub pending: Option<Cost>,
    /// As `shared`, if it runs alone, if that differs.
    pub alone: Option<Cost>,
}

/// The measured costs by check.
static MEASURED: LazyLock<BTreeMap<String, Costs>> = LazyLock::new(|| {
    toml::from_str(include_str!("../../../costs.toml"))
        .expect("costs.toml is written by `assay prove --costs`")
});

impl Costs {
    /// What the check of a row sends.
    pub fn of_row(row: Id) -> Costs {
        MEASURED.get(&row.to_string()).copied().unwrap_or_default()
    }

    /// At a shared target, in a whole run.
    pub fn at(&self, depth: Depth, has_pending: bool) -> Cost {
        let standard = self.shared.unwrap_or(self.own);
        let cost = match depth {
            Depth::Quick => self.quick.unwrap_or(standard),
            Depth::Standard => standard,
            Depth::Full => self.full.unwrap_or(standard),
        };
        match self.pending {
            Some(pending) if has_pending => cost.with(pending.beyond(standard)),
            _ => cost,
        }
    }

    /// What it sends more at a shared target if it runs first: other checks of a run then share that.
    pub fn first(&self) -> Cost {
        let standard = self.shared.unwrap_or(self.own);
        self.alone.map_or_else(Cost::default, |alone| alone.beyond(standard))
    }

    /// The most that it sends at a shared target.
    #[must_use]
    pub fn most(&self, depth: Depth, has_pending: bool) -> Cost {
        self.at(depth, has_pending).with(self.first())
    }
}

/// The weight of a check on a target that others use too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// It needs no permission.
    Light,
    /// It needs more than 100 requests, 10 publishes, 2 drops or a megabyte.
    Heavy,
    /// It transfers or removes something that others may use.
    Destructive,
}

impl Weight {
    /// The weight of what a check sends.
    pub fn for_cost(cost: Cost) -> Weight {
        let most = Cost::LIGHT;
        let is_heavy = cost.requests > most.requests
            || cost.publishes > most.publishes
            || cost.drops > most.drops
            || cost.sends_much();
        if is_heavy { Weight::Heavy } else { Weight::Light }
    }

    /// The weight's name on the command line and in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Weight::Light => "light",
            Weight::Heavy => "heavy",
            Weight::Destructive => "destructive",
        }
    }

    /// The weight with that name; light has no name here because it needs no permission.
    pub fn named(name: &str) -> Option<Weight> {
        [Weight::Heavy, Weight::Destructive].into_iter().find(|weight| weight.name() == name)
    }
}

/// The total cost of some checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// Checks that run.
    pub checks: u64,
    /// Checks that do not.
    pub left_out: u64,
    /// Requests.
    pub requests: u64,
    /// Requests that write, at most.
    pub writes: u64,
    /// Prepares that count for a domain's daily limit.
    pub publishes: u64,
    /// Domains that are used up.
    pub domains: u64,
    /// Uploads that count for an address' hourly limit.
    pub drops: u64,
    /// Bytes that are sent, at most.
    pub bytes: u64,
}
