//! Explains a case: its parts, its edit, the rule that rejects it, and the witnesses that confirmed it.

mod dump;
mod entries;
mod line;
mod members;
mod parts;

use assay_spec::catalogue;
use serde_json::Value;

use crate::all;
use crate::bytes::Recipe;
use crate::case::{Case, Edit, Expect, Step};
use crate::divergence::divergences;
use crate::manifest;
use crate::reading;
use crate::witness::{Witness, witnesses};
use line::Page;

pub use line::{Line, Tone};

/// The complete explanation of a case. Without colors, brackets mark what an edit changed.
pub fn explain(case: &Case, colour: bool) -> String {
    explanation(case).iter().map(|line| if colour { line.coloured() } else { line.plain() } + "\n").collect()
}

/// The explanation, line by line.
pub fn explanation(case: &Case) -> Vec<Line> {
    let base = case.base.as_ref().and_then(|base| all().iter().find(|other| other.id == *base));
    let page = &mut Page::default();
    page.strong(&case.id);
    page.plain(&format!("  {}", case.why));
    page.plain(&format!("  operation    {}", case.op));
    verdict(page, case);
    for row in &case.requirements {
        requirement(page, row);
    }
    if let Some(reading) = &case.reading {
        page.plain(&format!(
            "  reading      {reading}: judged only for programs that declare it, observed for others"
        ));
        if let Some(reading) = reading::find(reading) {
            page.plain(&format!("               {} Otherwise: {}", reading.meaning, reading.other));
        }
    }
    edits(page, case);
    page.head("input");
    members::list(page, case, &case.input, base.map(|base| &base.input));
    if let Expect::Accept { ok } = &case.expect
        && ok.as_object().is_some_and(|members| !members.is_empty())
    {
        page.head("response");
        members::list(page, case, ok, None);
    }
    steps(page, case);
    page.head("confirmed by");
    confirmed(page, case);
    page.plain(&format!("  made by {} from {:?}", case.provenance.generator, case.provenance.seed));
    std::mem::take(&mut page.lines)
}

fn verdict(page: &mut Page, case: &Case) {
    let line = match &case.expect {
        Expect::Accept { .. } => "accept".to_owned(),
        Expect::Reject { rule, stage } => format!("reject by {rule} at {stage}"),
    };
    page.plain(&format!("  verdict      {line}"));
}

fn requirement(page: &mut Page, name: &str) {
    page.plain(&format!("  requirement  {name}"));
    if let Some(row) = catalogue::requirement(name) {
        let line = page.line();
        line.push(Tone::Plain, &format!("               {}", row.statement()));
        line.push(Tone::Faint, &format!(" ({}, {})", row.level.name(), row.source()));
    }
}

fn edits(page: &mut Page, case: &Case) {
    let Some(base) = &case.base else { return };
    page.head(&format!("{base}, with"));
    for Edit { path, at, old, new } in &case.edit {
        let at = at.map(|at| format!(" at {at}")).unwrap_or_default();
        let line = page.line();
        line.push(Tone::Plain, &format!("  {path}{at}: {} became ", short(old)));
        line.push(Tone::Changed, &short(new));
    }
    for path in &case.reseal {
        page.plain(&format!("  {path} recomputed"));
    }
}

/// An edit's value; a long one is shortened to its start and its length.
fn short(value: &Value) -> String {
    const SHOWN: usize = 400;
    let text = value.to_string();
    let count = text.chars().count();
    if count <= SHOWN {
        return text;
    }
    let begin: String = text.chars().take(SHOWN / 2).collect();
    format!("{begin}… ({count} characters)")
}

fn steps(page: &mut Page, case: &Case) {
    const INLINE: usize = 64;
    if !case.steps.is_empty() {
        page.head("steps");
    }
    for step in &case.steps {
        match step {
            Step::Hex { name, hex } if hex.len() > INLINE => {
                page.plain(&format!("  {name}: {} bytes", hex.len() / 2));
                let bytes = crate::bytes::parse_hex(hex).unwrap_or_default();
                let last_word = name.rsplit(' ').next().unwrap_or_default();
                dump::bytes(page, 4, &bytes, &parts::of_bytes(case, last_word, bytes.len()));
            }
            Step::Hex { name, hex: text } | Step::Text { name, text } => {
                page.plain(&format!("  {name}: {text}"));
            }
        }
    }
}

/// The recipe that generates the bytes, if there is one.
fn rule(bytes: &Value) -> Option<String> {
    const SHOWN: usize = 64;
    let (form, rule) = ["repeat", "prng"].iter().find_map(|form| Some((*form, bytes.get(form)?)))?;
    let (text, count) = (rule[0].as_str()?, &rule[1]);
    let short: String = text.chars().take(SHOWN).collect();
    let dots = if short == text { "" } else { "…" };
    Some(if form == "prng" {
        format!("prng {text:?} {count}")
    } else {
        format!("{count} times {short}{dots}")
    })
}

/// Whether the member is a byte member.
fn is_bytes(value: &Value) -> bool {
    value.is_object() && Recipe::read("", value).is_ok()
}

fn confirmed(page: &mut Page, case: &Case) {
    let file = format!("{}.json", case.place());
    let hash = manifest().files.remove(&file);
    let by = |witness: &&Witness| witness.file == file && witness.op == case.op;
    let mut found = false;
    for witness in witnesses().iter().filter(by) {
        found = true;
        let what = match witness.skipped.get(&case.id) {
            _ if Some(&witness.sha256) != hash.as_ref() => "an earlier version of the file".to_owned(),
            Some(reason) => format!("not this case: {reason}"),
            None => "this case".to_owned(),
        };
        page.plain(&format!("  {}: {what} ({})", witness.witness, witness.libraries.join(", ")));
    }
    if !found {
        page.plain("  no witness yet");
    }
    for each in divergences().iter().filter(|each| each.cases.contains(&case.id)) {
        page.plain(&format!(
            "  {} {} by itself {}: {}",
            each.library,
            each.version,
            each.says.text(),
            each.reason
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_is_explained_with_its_rule_and_its_change() {
        for case in all() {
            let plain = explain(case, false);
            assert!(plain.contains(&case.why) && !plain.contains('\x1b'), "{}", case.id);
            assert!(plain.chars().all(|c| c == '\n' || !line::is_unseen(c)), "{}", case.id);
            for row in &case.requirements {
                let row = catalogue::requirement(row).expect("it is a requirement");
                assert!(plain.contains(row.statement()) && plain.contains(&row.source()), "{}", case.id);
            }
            if case.is_reject() {
                assert!(plain.contains(" became ["), "{plain}");
                let input = plain.split("\ninput\n").nth(1).expect("an input section");
                assert!(input.contains('['), "no change is marked in {}", case.id);
            }
        }
    }

    #[test]
    fn changes_are_red_with_colours_and_not_in_brackets() {
        let case = all().iter().find(|case| case.id == "publish/domain/upper-case").expect("it exists");
        assert!(explain(case, true).contains("\x1b[31m"));
        assert!(explain(case, false).contains('['));
    }
}
