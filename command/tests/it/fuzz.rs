//! The fuzz targets on their seeds and on mutations of them. `fuzz/run` looks for more, guided by coverage.

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestRunner;

#[path = "../../../fuzz/src/targets.rs"]
mod targets;

use targets::TARGETS;

/// A change of an input.
#[derive(Clone, Debug)]
enum Edit {
    /// Another byte.
    Set(Index, u8),
    /// More bytes.
    Insert(Index, Vec<u8>),
    /// Some bytes fewer.
    Remove(Index, usize),
    /// The bytes before one place, once more at another.
    Repeat(Index, Index, usize),
    /// The end is missing.
    Cut(Index),
}

fn edit() -> impl Strategy<Value = Edit> {
    let place = any::<Index>;
    let telling = prop::sample::select(&b"\0\n\r\"'#./:;=[]{}-0129\x7f\x80\xff"[..]);
    prop_oneof![
        (place(), prop_oneof![any::<u8>(), telling.clone()]).prop_map(|(at, byte)| Edit::Set(at, byte)),
        (place(), prop::collection::vec(telling, 1..6)).prop_map(|(at, bytes)| Edit::Insert(at, bytes)),
        (place(), 1..16usize).prop_map(|(at, count)| Edit::Remove(at, count)),
        (place(), place(), 1..64usize).prop_map(|(from, to, count)| Edit::Repeat(from, to, count)),
        place().prop_map(Edit::Cut),
    ]
}

impl Edit {
    fn apply(&self, data: &mut Vec<u8>) {
        let at = |place: &Index| place.index(data.len() + 1);
        match self {
            Edit::Set(place, byte) => {
                let at = at(place);
                data.splice(at..data.len().min(at + 1), [*byte]);
            }
            Edit::Insert(place, bytes) => {
                let at = at(place);
                data.splice(at..at, bytes.iter().copied());
            }
            Edit::Remove(place, count) => {
                let at = at(place);
                data.drain(at..data.len().min(at + count));
            }
            Edit::Repeat(from, to, count) => {
                let (from, to) = (at(from), at(to));
                let piece = data[from..data.len().min(from + count)].to_vec();
                data.splice(to..to, piece);
            }
            Edit::Cut(place) => data.truncate(at(place)),
        }
    }
}

fn smoke(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).expect("a target");
    let seeds = (target.seeds)();
    assert!(!seeds.is_empty(), "{name} has no seeds");
    for seed in &seeds {
        (target.run)(seed);
    }
    let inputs = (any::<Index>(), prop::collection::vec(edit(), 1..5)).prop_map(|(seed, edits)| {
        let mut data = seed.get(&seeds).clone();
        for edit in edits {
            edit.apply(&mut data);
        }
        data
    });
    let holds = |data: Vec<u8>| {
        (target.run)(&data);
        Ok(())
    };
    TestRunner::new(ProptestConfig::default()).run(&inputs, holds).unwrap_or_else(|e| panic!("{name}: {e}"));
}

macro_rules! smoke {
    ($($test:ident: $name:literal;)*) => {
        const TESTED: &[&str] = &[$($name),*];
        $(#[test] fn $test() { smoke($name); })*
    };
}

smoke! {
    header: "header";
    record: "record";
    message: "message";
    transaction: "transaction";
    zip: "zip";
    tarball: "tarball";
    json: "json";
    multipart: "multipart";
    event_stream: "event-stream";
    http1: "http1";
    profile: "profile";
    scenario: "scenario";
    report: "report";
}

#[test]
fn every_target_is_tested() {
    assert_eq!(TARGETS.each_ref().map(|target| target.name), TESTED);
}
