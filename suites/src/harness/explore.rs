//! What exploration sends: each service declares its commands. A command sends what a client could send now. What it draws
//! and what it has kept are the same at each side that gets the same sequence; names, hashes and times are each side's own.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use assay_spec::catalogue;
use assay_spec::value::ValueKind;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::harness::check::{Checked, Checking};
use crate::harness::probe::Probe;

/// One kind of step in a sequence.
pub struct Command {
    /// Its name, such as `post` or `list`.
    pub name: &'static str,
    /// How often it is drawn, beside the others of its service.
    pub weight: u32,
    /// What it does to the target.
    pub effect: Effect,
    /// Sends its requests. An error only ends the step: the exchanges tell.
    pub send: for<'a> fn(&'a Side<'a>) -> Checking<'a>,
}

/// What a command does to a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    Reads,
    /// It leaves something there.
    Writes,
    /// It lets time pass, or acts as an operator: it needs a control API.
    Moves,
}

/// Declares commands: `name weight reads|writes|moves function`.
macro_rules! commands {
    ($($name:literal $weight:literal $kind:ident $send:path;)*) => {
        &[$($crate::harness::explore::Command {
            name: $name,
            weight: $weight,
            effect: $crate::harness::explore::commands!(@$kind),
            send: |side| Box::pin($send(side)),
        }),*]
    };
    (@reads) => { $crate::harness::explore::Effect::Reads };
    (@writes) => { $crate::harness::explore::Effect::Writes };
    (@moves) => { $crate::harness::explore::Effect::Moves };
}
pub(crate) use commands;

/// One of the two servers that get a sequence.
pub struct Side<'a> {
    /// Sends its requests.
    pub probe: &'a Probe<'a>,
    /// The faults of the service that its control API offers.
    faults: Vec<String>,
    drawn: Mutex<Drawn>,
    kept: Mutex<BTreeMap<TypeId, Vec<Arc<dyn Any + Send + Sync>>>>,
}

/// The draws of one step.
#[derive(Default)]
struct Drawn {
    seed: [u8; 32],
    count: u64,
    leeway: Leeway,
}

/// What the documents leave open about a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Leeway {
    /// No sentence says that its request is valid: only a rejection shows something.
    pub is_odd: bool,
    /// Its response shows what others have written.
    pub shows_others: bool,
}

/// The pointers to each value in a JSON value, besides itself.
fn note_places(value: &Value, at: String, places: &mut Vec<String>) {
    let below: Vec<(String, &Value)> = match value {
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.replace('~', "~0").replace('/', "~1"), value)).collect()
        }
        Value::Array(items) => items.iter().enumerate().map(|(n, value)| (n.to_string(), value)).collect(),
        _ => Vec::new(),
    };
    for (name, value) in below {
        note_places(value, format!("{at}/{name}"), places);
    }
    places.push(at);
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Side<'a> {
    /// A server that has got nothing yet.
    pub fn new(probe: &'a Probe<'a>, faults: Vec<String>) -> Side<'a> {
        Side { probe, faults, drawn: Mutex::default(), kept: Mutex::default() }
    }

    /// Sets one of the faults, or ends all.
    pub async fn fault(&self) -> Checked {
        let wanted = if self.faults.is_empty() || self.one_in(2) {
            json!([])
        } else {
            json!([{ "fault": self.pick(&self.faults) }])
        };
        self.probe.faults(wanted).await
    }

    /// A step begins; its draws follow from `seed`.
    pub fn begin(&self, seed: [u8; 32]) {
        *locked(&self.drawn) = Drawn { seed, ..Drawn::default() };
    }

    /// No sentence says that the request of this step is valid.
    pub fn odd(&self) {
        locked(&self.drawn).leeway.is_odd = true;
    }

    /// The response of this step shows what others have written.
    pub fn shows_others(&self) {
        locked(&self.drawn).leeway.shows_others = true;
    }

    /// What the step has said of itself.
    pub fn leeway(&self) -> Leeway {
        locked(&self.drawn).leeway
    }

    /// A number below `end`; 0 if that is 0.
    pub fn below(&self, end: usize) -> usize {
        let mut drawn = locked(&self.drawn);
        drawn.count += 1;
        let hash = Sha256::new().chain_update(drawn.seed).chain_update(drawn.count.to_be_bytes()).finalize();
        let number = hash.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte));
        (number % end.max(1) as u64) as usize
    }

    /// One of these.
    ///
    /// # Panics
    ///
    /// If there is none.
    pub fn pick<'t, T>(&self, all: &'t [T]) -> &'t T {
        &all[self.below(all.len())]
    }

    /// Whether the one chance in `count` comes true.
    pub fn one_in(&self, count: usize) -> bool {
        self.below(count) == 0
    }

    /// A JSON value with one change at a random place. No sentence says that it is valid.
    pub fn changed(&self, value: &Value) -> Value {
        self.odd();
        let mut places = Vec::new();
        note_places(value, String::new(), &mut places);
        let place = self.pick(&places).clone();
        let old = value.pointer(&place).cloned().unwrap_or_default();
        let mut changed = value.clone();
        let (before, name) = place.rsplit_once('/').unwrap_or_default();
        if self.one_in(4)
            && let Some(members) = changed.pointer_mut(before).and_then(Value::as_object_mut)
        {
            members.shift_remove(&name.replace("~1", "/").replace("~0", "~"));
            return changed;
        }
        let new = self.instead_of(&old);
        if let Some(value) = changed.pointer_mut(&place) {
            *value = new;
        }
        changed
    }

    /// Another JSON value: of another type, or close to the old one.
    pub fn instead_of(&self, old: &Value) -> Value {
        let near = match old {
            Value::String(text) if !text.is_empty() => {
                let last = text.char_indices().last().map_or(0, |(at, _)| at);
                let all = [
                    text.to_uppercase(),
                    format!("{text} "),
                    format!(" {text}"),
                    text[..last].to_owned(),
                    format!("{text}{text}"),
                    format!("{text}\u{0}"),
                    text.repeat(1 + 4_000 / text.len()),
                ];
                self.pick(&all).clone().into()
            }
            Value::Number(number) => {
                let number = number.as_f64().unwrap_or_default();
                self.pick(&[
                    json!(-number),
                    json!(number + 0.5),
                    json!(number * 1e9),
                    json!(number.to_string()),
                ])
                .clone()
            }
            Value::Array(items) => items.iter().chain(items).cloned().collect(),
            other => json!([other]),
        };
        let rows =
            catalogue::requirements().filter(|row| row.service == self.probe.check.requirement.service);
        let declared: Vec<&ValueKind> =
            rows.flat_map(|row| row.values).filter(|kind| kind.may_be_accepted.is_empty()).collect();
        if self.one_in(3)
            && let Some(kind) = declared.get(self.below(declared.len()))
            && let Some(value) = kind.instead_of(old)
        {
            return value;
        }
        let others =
            [json!(null), json!(true), json!(7), json!(-1), json!(""), json!("x"), json!([]), json!({})];
        if self.one_in(2) { near } else { self.pick(&others).clone() }
    }

    /// Keeps something for later steps, such as a message that was accepted.
    pub fn keep<T: Any + Send + Sync>(&self, what: T) {
        locked(&self.kept).entry(TypeId::of::<T>()).or_default().push(Arc::new(what));
    }

    /// One of the kept values of a type, if there is any.
    pub fn any<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        let count = locked(&self.kept).get(&TypeId::of::<T>()).map_or(0, Vec::len);
        let at = self.below(count);
        let one = locked(&self.kept).get(&TypeId::of::<T>())?.get(at)?.clone();
        one.downcast().ok()
    }

    /// All kept values of a type, the oldest first.
    pub fn all<T: Any + Send + Sync>(&self) -> Vec<Arc<T>> {
        let kept = locked(&self.kept).get(&TypeId::of::<T>()).cloned().unwrap_or_default();
        kept.into_iter().filter_map(|one| one.downcast().ok()).collect()
    }
}
