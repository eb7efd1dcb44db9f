//! Applies the deviations of violated rules to JSON, member by member.

use assay_spec::{Id, Rules};
use serde_json::Value;

use crate::core::Core;

/// How a deviation changes the JSON.
#[derive(Clone, Copy)]
pub(super) enum Wrong {
    /// Sets the member at this pointer to this JSON.
    Put(&'static str, &'static str),
    /// Any change.
    Do(fn(&mut Value)),
}

/// The deviations of one kind of JSON.
pub(super) type MemberDeviations = &'static [(Id, Wrong)];

/// Applies the deviations of the violated rules.
pub(super) fn deviate(core: &mut Core, mut piece: Value, deviations: MemberDeviations) -> Value {
    for (rule, wrong) in deviations {
        if core.violated(rule).is_some() {
            apply(&mut piece, *wrong);
        }
    }
    piece
}

fn apply(piece: &mut Value, wrong: Wrong) {
    match wrong {
        Wrong::Do(change) => change(piece),
        Wrong::Put("", json) => *piece = parse(json),
        Wrong::Put(pointer, json) => put(piece, pointer, parse(json)),
    }
}

/// Sets the member at a pointer. Does nothing if another deviation has removed the object that holds it.
pub(super) fn put(piece: &mut Value, pointer: &str, value: Value) {
    let (parent, name) = pointer.rsplit_once('/').unwrap_or_default();
    if let Some(Value::Object(members)) = piece.pointer_mut(parent) {
        members.insert(name.to_owned(), value);
    }
}

fn parse(json: &str) -> Value {
    serde_json::from_str(json).expect("the JSON in a table is valid")
}
