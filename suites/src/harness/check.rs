//! A check: its requirement, its fact, what it needs and what it costs the target.

use std::pin::Pin;
use std::sync::LazyLock;

use assay_spec::rejection::Rejection;
use assay_spec::{Id, Place};

use crate::harness::probe::{Probe, Settings};

pub use crate::harness::data::{Checked, Cost, Stop, Weight};
use crate::harness::data::{Costs, Depth};
pub(crate) use assay_suites_macros::{rejects, shows};

/// A check's body.
#[derive(Clone, Copy)]
pub enum Run {
    /// It runs once.
    Once(for<'a> fn(&'a Probe) -> Checking<'a>),
    /// It runs at each place of its requirement: a matrix check.
    Each(for<'a> fn(&'a Probe, Place) -> Checking<'a>),
}

/// A check that runs.
pub type Checking<'a> = Pin<Box<dyn Future<Output = Checked> + 'a>>;

/// Whether the settings have a fixture.
pub type Given = fn(&Settings) -> bool;

/// What a check needs from a target besides its URLs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// Time that can be moved (level T2).
    Clock,
    /// Faults that can be set.
    Faults,
    /// Operator actions, such as a binding in a given state.
    Actions,
    /// Its own world, because the check uses up a limit.
    Isolation,
    /// The chain's public interface.
    Chain,
    /// Client addresses that a check can choose.
    Addresses,
}

impl Need {
    /// What is missing if the need is not met.
    pub const fn missing(self) -> &'static str {
        match self {
            Need::Clock => "a control API that moves time (level T2)",
            Need::Faults => "a control API that sets faults",
            Need::Actions => "a control API with operator actions",
            Need::Isolation => "a control API that forks worlds, because the check uses up a limit",
            Need::Chain => "the chain's URL",
            Need::Addresses => {
                "client addresses: a forwarding_header in the service's table, or the embedded target"
            }
        }
    }
}

/// A check.
#[derive(Clone, Copy)]
pub struct Check {
    /// The requirement that it tests; its id is the check's id.
    pub requirement: Id,
    /// The fact that it shows; the name of its function.
    pub fact: &'static str,
    /// What it sends and asserts: the doc comment of its function, in paragraphs.
    pub doc: &'static str,
    /// It shows a rejection, and must also show a valid counterpart.
    pub rejects: bool,
    /// What it needs.
    pub needs: &'static [Need],
    /// The profile's key of a fixture that replaces its needs, and whether the settings have it.
    pub given: Option<(&'static str, Given)>,
    /// Prerequisites: if one of these checks fails, this one is inconclusive.
    pub after: &'static [Id],
    /// The seconds that it lets pass, if a run can wait for them (`--real-time`) where nothing moves time; otherwise 0.
    pub waits: u32,
    /// It transfers or removes something that others may use.
    pub destroys: bool,
    /// The uncommon valid values that it sends use up publishes or uploads of a shared target.
    pub uses_up: bool,
    /// The places where a matrix check runs on a target that others use too. Empty: all.
    elsewhere_at: &'static [Place],
    /// Its body.
    pub run: Run,
}

impl Check {
    /// A check of `requirement` without needs, whose function is `fact` with the comment `doc`.
    pub const fn new(requirement: Id, fact: &'static str, doc: &'static str, run: Run) -> Check {
        Check {
            requirement,
            fact,
            doc,
            rejects: false,
            needs: &[],
            given: None,
            after: &[],
            waits: 0,
            destroys: false,
            uses_up: false,
            elsewhere_at: &[],
            run,
        }
    }

    /// Marked as showing a rejection.
    #[must_use]
    pub const fn rejecting(mut self) -> Check {
        self.rejects = true;
        self
    }

    /// The rejection that it shows: that of its row.
    pub fn rejection(&self) -> Option<&'static Rejection> {
        self.requirement.rejection.filter(|_| self.rejects)
    }

    /// With these needs.
    #[must_use]
    pub const fn needs(mut self, needs: &'static [Need]) -> Check {
        self.needs = needs;
        self
    }

    /// With a fixture of the profile that replaces its needs.
    #[must_use]
    pub const fn or_given(mut self, key: &'static str, given: Given) -> Check {
        self.given = Some((key, given));
        self
    }

    /// With these prerequisites.
    #[must_use]
    pub const fn after(mut self, after: &'static [Id]) -> Check {
        self.after = after;
        self
    }

    /// On a shared target only at these places: what the other places cost there, or what they show while others write, is
    /// not worth it.
    #[must_use]
    pub const fn elsewhere_at(mut self, places: &'static [Place]) -> Check {
        self.elsewhere_at = places;
        self
    }

    /// The places where it runs, in its own world or on a shared target.
    pub fn places(&self, own: bool) -> &'static [Place] {
        match self.elsewhere_at {
            [] => self.requirement.places,
            _ if own => self.requirement.places,
            some => some,
        }
    }

    /// Marked as transferring or removing something that others may use.
    #[must_use]
    pub const fn destroys(mut self) -> Check {
        self.destroys = true;
        self
    }

    /// Marked as using up publishes or uploads by the uncommon valid values that it sends.
    #[must_use]
    pub const fn uses_up(mut self) -> Check {
        self.uses_up = true;
        self
    }

    /// With the seconds that it waits in a run in real time.
    #[must_use]
    pub const fn waits(mut self, seconds: u32) -> Check {
        self.waits = seconds;
        self
    }

    /// What it sends, as measured. What was not measured at a shared target is estimated by the places where it runs there.
    pub fn costs(&self) -> Costs {
        let costs = Costs::of_row(self.requirement);
        let [some, all] = [false, true].map(|own| self.places(own).len());
        let estimate = (some < all).then(|| costs.own.at_places(some, all));
        Costs { shared: costs.shared.or(estimate), ..costs }
    }

    /// Its weight on a shared target.
    pub fn weight(&self) -> Weight {
        if self.destroys {
            return Weight::Destructive;
        }
        Weight::for_cost(self.costs().most(Depth::Standard, false))
    }
}

impl std::fmt::Debug for Check {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.requirement, self.fact)
    }
}

/// What a service does, and the checks that show it: one that passes is enough.
#[derive(Clone, Copy, Debug)]
pub struct Shows {
    /// Such as `an inference call succeeds`.
    pub what: &'static str,
    /// The checks.
    pub checks: &'static [Id],
}

/// What a service must have shown before it can conform.
#[derive(Clone, Copy, Debug)]
pub struct Core {
    whole: Shows,
    reading: Shows,
}

impl Core {
    /// One of `checks` must pass.
    pub const fn new(what: &'static str, checks: &'static [Id]) -> Core {
        let whole = Shows { what, checks };
        Core { whole, reading: whole }
    }

    /// In a run that only reads, one of these must pass instead.
    #[must_use]
    pub const fn reading(mut self, what: &'static str, checks: &'static [Id]) -> Core {
        self.reading = Shows { what, checks };
        self
    }

    /// What must have been shown in a run.
    pub const fn shows(self, read_only: bool) -> Shows {
        if read_only { self.reading } else { self.whole }
    }
}

inventory::collect!(Check);

/// Every check, in the order of the requirements.
pub fn all() -> &'static [&'static Check] {
    static ALL: LazyLock<Vec<&Check>> = LazyLock::new(|| {
        let mut all: Vec<&Check> = inventory::iter().collect();
        all.sort_by_key(|check| check.requirement.key);
        all
    });
    &ALL
}

/// What `#[shows]` and `#[rejects]` make of a function: a [`Check`] that [`all`] lists. Its settings are the methods of
/// [`Check`]: `uses_up`, `waits(195)` or `elsewhere_at = INFO`, which is the method's only argument. `after(rows::A, rows::B)`
/// and `needs(Clock, Faults)` list rows and members of [`Need`].
macro_rules! check {
    (shows $run:ident $fact:ident $doc:literal $row:expr $(, $($settings:tt)*)?) => {
        inventory::submit! {
            $crate::harness::check::check!(@with
                ($crate::harness::check::check!(@new $run $fact $doc $row)) $($($settings)*)?)
        }
    };
    (rejects $run:ident $fact:ident $doc:literal $row:expr $(, $($settings:tt)*)?) => {
        inventory::submit! {
            $crate::harness::check::check!(@with
                ($crate::harness::check::check!(@new $run $fact $doc $row).rejecting()) $($($settings)*)?)
        }
    };
    (@new $run:ident $fact:ident $doc:literal $row:expr) => {
        $crate::harness::check::Check::new(
            &$row,
            stringify!($fact),
            $doc,
            $crate::harness::check::check!(@run $run $fact),
        )
    };
    (@run once $fact:ident) => {
        $crate::harness::check::Run::Once(|probe| Box::pin($fact(probe)))
    };
    (@run each $fact:ident) => {
        $crate::harness::check::Run::Each(|probe, place| Box::pin($fact(probe, place)))
    };
    (@with ($check:expr)) => {
        $check
    };
    (@with ($check:expr) after($($row:expr),* $(,)?) $(, $($rest:tt)*)?) => {
        $crate::harness::check::check!(@with ($check.after(const { &[$(&$row),*] })) $($($rest)*)?)
    };
    (@with ($check:expr) needs($($need:ident),*) $(, $($rest:tt)*)?) => {
        $crate::harness::check::check!(@with
            ($check.needs(const { &[$($crate::harness::check::Need::$need),*] })) $($($rest)*)?)
    };
    (@with ($check:expr) $name:ident = $value:expr $(, $($rest:tt)*)?) => {
        $crate::harness::check::check!(@with ($check.$name($value)) $($($rest)*)?)
    };
    (@with ($check:expr) $name:ident($($value:expr),* $(,)?) $(, $($rest:tt)*)?) => {
        $crate::harness::check::check!(@with ($check.$name($($value),*)) $($($rest)*)?)
    };
    (@with ($check:expr) $name:ident $(, $($rest:tt)*)?) => {
        $crate::harness::check::check!(@with ($check.$name()) $($($rest)*)?)
    };
}
pub(crate) use check;
