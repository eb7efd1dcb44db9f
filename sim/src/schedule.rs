//! Actions that are performed at a later time of a world. They are a part of the world: its copies have them, too.

use assay_spec::Instant;
use imbl::OrdMap;
use serde_json::{Value, json};

/// The most actions that wait, and the most that are remembered when they are over.
pub const MOST: usize = 1_000;

/// Actions with their times, by the order in which they were set.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    waiting: OrdMap<u64, Planned>,
    over: OrdMap<u64, (Planned, Result<(), String>)>,
    count: u64,
}

/// An action and when it is performed.
#[derive(Clone, Debug)]
pub struct Planned {
    /// When.
    pub at: Instant,
    /// The action, as `service.name`.
    pub action: String,
    /// Its arguments.
    pub arguments: Value,
}

impl Schedule {
    /// Adds an action and returns its number.
    pub(crate) fn add(&mut self, planned: Planned) -> Result<u64, String> {
        if self.waiting.len() >= MOST {
            return Err(format!("at: {MOST} actions wait for their time already; it is the maximum"));
        }
        self.count += 1;
        self.waiting.insert(self.count, planned);
        Ok(self.count)
    }

    /// The time of an action has come.
    pub(crate) fn take(&mut self, number: u64) -> Option<Planned> {
        self.waiting.remove(&number)
    }

    /// What has become of it.
    pub(crate) fn end(&mut self, number: u64, planned: Planned, outcome: Result<(), String>) {
        if self.over.len() >= MOST {
            self.over = self.over.without(&self.over.get_min().map_or(0, |(oldest, _)| *oldest));
        }
        self.over.insert(number, (planned, outcome));
    }

    /// The actions, those that are over first, without their arguments.
    pub(crate) fn view(&self) -> Value {
        let one = |number: &u64, planned: &Planned, outcome: &str, why: Option<&String>| {
            let Planned { at, action, .. } = planned;
            json!({ "number": number, "at": at, "action": action, "outcome": outcome, "why": why })
        };
        let over = self.over.iter().map(|(number, (planned, outcome))| match outcome {
            Ok(()) => one(number, planned, "performed", None),
            Err(why) => one(number, planned, "failed", Some(why)),
        });
        let waiting = self.waiting.iter().map(|(number, planned)| one(number, planned, "waiting", None));
        over.chain(waiting).collect()
    }
}
