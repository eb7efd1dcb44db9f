//! Scenarios: TOML files that say how a world begins, and what happens in it at which times. Their parts are bodies of the control
//! API and are read by the same code.
//!
//! ```
//! use assay_sim::World;
//! use assay_sim::clock::EPOCH;
//! use assay_sim::scenario::Scenario;
//! use assay_spec::Dialect;
//!
//! let scenario = Scenario::parse("s.toml", "[[fault]]\nfault = \"drop.busy\"\nuntil = \"10m\"\n")?;
//! let mut world = World::new(7, EPOCH, Dialect::default());
//! scenario.begin(&mut world)?;
//! assert_eq!(world.core.faults.list().len(), 1);
//! # Ok::<(), assay_sim::scenario::Wrong>(())
//! ```

use std::collections::BTreeMap;
use std::fmt;

use assay_spec::Service;
use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::control::bodies::{Action, Deviation, Faults, Limits, Variation, at_limit};
use crate::fault::Fault;
use crate::io::Output;
use crate::shape::{Shape, inside, record};
use crate::world::{self, World};

/// The action that takes the table `gateway`.
const MODELS: &str = "gateway.models";

record! {
    /// A scenario as it is written.
    struct File {
        /// Limits by service.
        limits: Limits = Limits(Vec::new()),
        /// Deviations.
        deviations: Vec<Deviation> = Vec::new(),
        /// Variations.
        variations: Vec<Variation> = Vec::new(),
        /// The arguments of the action `gateway.models`.
        gateway: Option<Value>,
        /// Faults.
        fault: Faults = Faults(Vec::new()),
        /// Actions.
        action: Vec<Action> = Vec::new(),
    }
}

/// A scenario that has been read.
#[derive(Clone, Debug)]
pub struct Scenario {
    lines: Lines,
    limits: Vec<(Service, Value)>,
    deviations: Vec<String>,
    variations: Vec<String>,
    gateway: Option<Value>,
    faults: Vec<Fault>,
    actions: Vec<Action>,
}

/// What is wrong with a scenario: file, line, place, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Wrong {
    file: String,
    line: usize,
    why: String,
}

/// `s.toml:7: fault[0].where.modle: unknown key of fault gateway.server-down; did you mean model?`
impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Wrong { file, line, why } = self;
        write!(f, "{file}:{line}: {why}")
    }
}

impl Scenario {
    /// Reads a scenario; `file` is its name in errors.
    pub fn parse(file: &str, text: &str) -> Result<Scenario, Wrong> {
        let mut lines = Lines { file: file.to_owned(), starts: starts(text), places: BTreeMap::new() };
        let table = DeTable::parse(text).map_err(|e| {
            let line = lines.line(e.span().map_or(0, |span| span.start));
            Wrong {
                file: file.to_owned(),
                line,
                why: format!("not TOML: {}", e.message().replace('\n', ", ")),
            }
        })?;
        let value = lines.table(table.get_ref(), "")?;
        let File { limits: Limits(limits), deviations, variations, gateway, fault: Faults(faults), action } =
            File::read(&value, "").map_err(|why| lines.wrong(why))?;
        for (n, one) in action.iter().enumerate() {
            let at = format!("action[{n}]");
            world::check_action(&one.name, &one.arguments, &at).map_err(|why| lines.wrong(why))?;
        }
        if let Some(arguments) = &gateway {
            let found = world::action(MODELS).and_then(|(_, action)| (action.check)(arguments, "gateway"));
            found.map_err(|why| lines.wrong(why))?;
        }
        Ok(Scenario {
            lines,
            limits,
            deviations: deviations.into_iter().map(|Deviation(name)| name).collect(),
            variations: variations.into_iter().map(|Variation(name)| name).collect(),
            gateway,
            faults,
            actions: action,
        })
    }

    /// The same with these deviations and variations beside its own.
    #[must_use]
    pub fn with(mut self, deviations: &[String], variations: &[String]) -> Scenario {
        self.deviations.extend_from_slice(deviations);
        self.variations.extend_from_slice(variations);
        self
    }

    /// Makes it the beginning of a world: its times count from now. Deviations, variations and faults take the place of those that
    /// were set. Returns what leaves the world.
    pub fn begin(&self, world: &mut World) -> Result<Vec<Output>, Wrong> {
        let mut outputs = Vec::new();
        for (service, limits) in &self.limits {
            world.set_limits(*service, limits).map_err(|why| self.lines.wrong(at_limit(*service, &why)))?;
        }
        world.set_deviations(&self.deviations).map_err(|why| self.lines.wrong_in("deviations", &why))?;
        world.set_variations(&self.variations).map_err(|why| self.lines.wrong_in("variations", &why))?;
        if let Some(arguments) = &self.gateway {
            let performed = world.perform(MODELS, arguments);
            outputs.extend(performed.map_err(|why| self.lines.wrong_argument("gateway", "gateway", &why))?.1);
        }
        world.check_faults(&self.faults, "fault").map_err(|why| self.lines.wrong(why))?;
        world.set_faults(self.faults.clone()).map_err(|why| self.lines.wrong_in("fault", &why))?;
        for (n, Action { name, arguments, at }) in self.actions.iter().enumerate() {
            let place = format!("action[{n}]");
            let due = at.and_then(|at| at.ahead(world.core.now()));
            let performed = match due {
                Some(due) => world.schedule(due, name, arguments).map(|_| Vec::new()),
                None => world.perform(name, arguments).map(|(_, outputs)| outputs),
            };
            let wrong = |why: String| self.lines.wrong_argument(&place, &inside(&place, "arguments"), &why);
            outputs.extend(performed.map_err(wrong)?);
        }
        Ok(outputs)
    }
}

/// Where the places of a file are.
#[derive(Clone, Debug)]
struct Lines {
    file: String,
    /// Where each line begins, in bytes.
    starts: Vec<usize>,
    /// The line of each place, as the control API writes places.
    places: BTreeMap<String, usize>,
}

/// Where each line begins.
fn starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

impl Lines {
    /// The number of the line at a byte, from 1.
    fn line(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at)
    }

    fn table(&mut self, table: &DeTable<'_>, at: &str) -> Result<Value, Wrong> {
        let mut members = Map::new();
        for (name, value) in table {
            let place = inside(at, name.get_ref());
            self.places.insert(place.clone(), self.line(name.span().start));
            members.insert(name.get_ref().to_string(), self.value(value, &place)?);
        }
        Ok(Value::Object(members))
    }

    /// A value as JSON has it.
    fn value(&mut self, value: &Spanned<DeValue<'_>>, at: &str) -> Result<Value, Wrong> {
        let wrong = |lines: &Lines, why: &str| {
            let line = lines.line(value.span().start);
            Wrong { file: lines.file.clone(), line, why: format!("{at}: {why}") }
        };
        Ok(match value.get_ref() {
            DeValue::String(text) => Value::from(text.as_ref()),
            DeValue::Boolean(flag) => Value::from(*flag),
            DeValue::Integer(number) => {
                let read = i64::from_str_radix(number.as_str(), number.radix());
                Value::from(read.map_err(|_| wrong(self, "the number is too large; it has at most 64 bits"))?)
            }
            DeValue::Float(number) => {
                let read = number.as_str().parse::<f64>().ok().and_then(serde_json::Number::from_f64);
                Value::Number(read.ok_or_else(|| wrong(self, "JSON has no such number; write a finite one"))?)
            }
            DeValue::Datetime(_) => {
                return Err(wrong(
                    self,
                    "a date is not known here; write a duration such as \"10s\", or a string",
                ));
            }
            DeValue::Array(list) => {
                let one = |(n, one): (usize, &Spanned<DeValue<'_>>)| {
                    let place = format!("{at}[{n}]");
                    self.places.insert(place.clone(), self.line(one.span().start));
                    self.value(one, &place)
                };
                Value::Array(list.iter().enumerate().map(one).collect::<Result<_, _>>()?)
            }
            DeValue::Table(table) => self.table(table, at)?,
        })
    }

    /// An error that begins with its place. It is on the line of the innermost table or value that the file has.
    fn wrong(&self, why: String) -> Wrong {
        let begins =
            |place: &str| why.strip_prefix(place).is_some_and(|rest| rest.starts_with([':', '.', '[']));
        let found = self.places.iter().filter(|(place, _)| begins(place));
        let line = found.max_by_key(|(place, _)| place.len()).map_or(1, |(_, line)| *line);
        Wrong { file: self.file.clone(), line, why }
    }

    /// An error about a part of a scenario.
    fn wrong_in(&self, place: &str, why: &str) -> Wrong {
        self.wrong(format!("{place}: {why}"))
    }

    /// An error of an action, which may begin with a place in its arguments.
    fn wrong_argument(&self, action: &str, arguments: &str, why: &str) -> Wrong {
        match why.strip_prefix("arguments").filter(|rest| rest.starts_with([':', '.', '['])) {
            Some(rest) => self.wrong(format!("{arguments}{rest}")),
            None => self.wrong_in(action, why),
        }
    }
}
