//! What a violated rule makes of a piece of JSON, member by member.

use assay_spec::{Id, Rules};
use serde_json::Value;

use crate::core::Core;

/// What is done to a piece.
#[derive(Clone, Copy)]
pub(super) enum Wrong {
    /// The member at this pointer becomes this JSON.
    Put(&'static str, &'static str),
    /// Anything.
    Do(fn(&mut Value)),
}

/// Rules about one kind of piece.
pub(super) type MemberDeviations = &'static [(Id, Wrong)];

/// The piece, with what the rules that are violated make of it.
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

/// Puts a member at a pointer. Where another deviation has left no object to hold it, nothing happens.
pub(super) fn put(piece: &mut Value, pointer: &str, value: Value) {
    let (parent, name) = pointer.rsplit_once('/').unwrap_or_default();
    if let Some(Value::Object(members)) = piece.pointer_mut(parent) {
        members.insert(name.to_owned(), value);
    }
}

fn parse(json: &str) -> Value {
    serde_json::from_str(json).expect("a table's JSON is JSON")
}
