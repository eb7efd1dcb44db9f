//! `Group`: the functions with which a generator adds its cases.

use std::collections::BTreeSet;

use assay_spec::requirement::Evidence;
use assay_spec::{Id, Strict, Without};
use serde_json::{Value, json};

use super::keys::SEED;
use crate::case::{Case, Edit, Expect, Provenance};
use crate::edit::{content, look, replay, stale};
use crate::op::{Answer, Met, answer, steps_of};

/// The cases of one file.
pub(super) struct Group {
    place: &'static str,
    op: &'static str,
    generator: &'static str,
    shown: &'static [Id],
    pub(super) cases: Vec<Case>,
}

impl Group {
    /// Cases of `op` at `place`. An accepted case covers every row of `shown` that can reject, and each row that
    /// changes its answer.
    pub(super) fn new(
        place: &'static str,
        op: &'static str,
        generator: &'static str,
        shown: &'static [Id],
    ) -> Self {
        Group { place, op, generator, shown, cases: Vec::new() }
    }

    /// Adds an accepted input. Its answer comes from the reference; the witnesses confirm it.
    pub(super) fn accept(&mut self, name: &str, input: Value, why: &str) -> &mut Case {
        let Answer::Ok(ok) = answer(self.op, &input, &mut Strict) else {
            panic!("{}/{name} is not accepted: {:?}", self.place, answer(self.op, &input, &mut Strict));
        };
        let steps = steps_of(self.op, &input, &ok);
        let shown = self.shown.iter().copied();
        let refusing = shown.filter(|row| !row.rule.is_empty() && !matches!(row.evidence, Evidence::Open(_)));
        let rows: BTreeSet<Id> = refusing.chain(needed(self.op, &input, &ok)).collect();
        let requirements = rows.iter().map(ToString::to_string).collect();
        let expect = Expect::Accept { ok };
        self.push(Case { requirements, steps, ..self.case(name, input, expect, why) })
    }

    /// Adds a copy of the base with one change, which `row` rejects.
    pub(super) fn reject(
        &mut self,
        name: &str,
        base: &str,
        edit: impl Into<Vec<Edit>>,
        row: Id,
        why: &str,
    ) -> &mut Case {
        let edit = edit.into();
        let base = self.base(base);
        let reseal = stale(&edit);
        let input = replay(base, &edit, &reseal).unwrap_or_else(|e| panic!("{}/{name}: {e}", self.place));
        let stage = match answer(self.op, &input, &mut Strict) {
            Answer::Reject(reject) if reject.row == row => reject.stage,
            other => panic!("{}/{name} is not rejected by {row}: {other:?}", self.place),
        };
        let expect = Expect::Reject { rule: row.rule.to_owned(), stage: stage.to_owned() };
        let base = Some(base.id.clone());
        let requirements = vec![row.to_string()];
        let case = self.case(name, input, expect, why);
        self.push(Case { requirements, base, edit, reseal, ..case })
    }

    /// The input of a case that was added before.
    pub(super) fn input(&self, name: &str) -> &Value {
        &self.base(name).input
    }

    /// Replaces the first `old` in a string or byte member of a base by `new`.
    pub(super) fn change(&self, base: &str, path: &str, old: &str, new: &str) -> Edit {
        let member = look(self.input(base), path).unwrap_or_else(|e| panic!("{base}{path}: {e}"));
        let bytes = content(&member).unwrap_or_else(|e| panic!("{base}{path}: {e}"));
        let at = bytes.windows(old.len()).position(|window| window == old.as_bytes());
        let at = at.unwrap_or_else(|| panic!("{old:?} does not occur in {base}{path}"));
        let piece = |text: &str| if member.is_string() { json!(text) } else { json!({"utf8": text}) };
        Edit { path: path.to_owned(), at: Some(at), old: piece(old), new: piece(new) }
    }

    /// Appends `new` to a string or byte member, in the member's notation.
    pub(super) fn append(&self, base: &str, path: &str, new: &str) -> Edit {
        let member = look(self.input(base), path).and_then(|member| content(&member));
        let at = member.unwrap_or_else(|e| panic!("{base}{path}: {e}")).len();
        splice(path, at, "", new)
    }

    fn base(&self, name: &str) -> &Case {
        let id = format!("{}/{name}", self.place);
        self.cases
            .iter()
            .find(|case| case.id == id)
            .unwrap_or_else(|| panic!("{id} is used before it is added"))
    }

    fn case(&self, name: &str, input: Value, expect: Expect, why: &str) -> Case {
        Case {
            id: format!("{}/{name}", self.place),
            op: self.op.to_owned(),
            requirements: Vec::new(),
            input,
            expect,
            reading: None,
            base: None,
            edit: Vec::new(),
            reseal: Vec::new(),
            why: why.to_owned(),
            steps: Vec::new(),
            provenance: Provenance { generator: self.generator.to_owned(), seed: SEED.to_owned() },
        }
    }

    fn push(&mut self, case: Case) -> &mut Case {
        self.cases.push(case);
        self.cases.last_mut().expect("a case was pushed")
    }
}

impl Case {
    /// States the reading on which the expectation rests, where the document allows several.
    pub(super) fn read_as(&mut self, reading: &str) {
        self.reading = Some(reading.to_owned());
    }

    /// Makes an accepted case cover a row that never rejects.
    pub(super) fn shows(&mut self, row: Id) {
        self.requirements = vec![row.to_string()];
    }
}

/// The rows that never reject but change the answer.
fn needed(op: &str, input: &Value, ok: &Value) -> Vec<Id> {
    let mut met = Met::default();
    answer(op, input, &mut met);
    let silent = met.0.into_iter().filter(|row| row.rule.is_empty());
    silent.filter(|row| answer(op, input, &mut Without(row)) != Answer::Ok(ok.clone())).collect()
}

/// Replaces `old` by `new` at an offset. Both are in the member's notation.
pub(super) fn splice(path: &str, at: usize, old: impl Into<Value>, new: impl Into<Value>) -> Edit {
    Edit { path: path.to_owned(), at: Some(at), old: old.into(), new: new.into() }
}

/// Replaces a whole member.
pub(super) fn set(path: &str, old: impl Into<Value>, new: impl Into<Value>) -> Edit {
    Edit { path: path.to_owned(), at: None, old: old.into(), new: new.into() }
}
