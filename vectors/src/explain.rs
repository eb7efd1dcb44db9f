//! A case as a person would check it: what stands where, what was changed, which rule refuses it, who confirmed it.

mod dump;
mod entries;
mod parts;

use assay_spec::catalogue;
use serde_json::Value;

use crate::bytes::Recipe;
use crate::case::{Case, Edit, Expect, Step};
use crate::edit::look;
use crate::witness::{Witness, witnesses};
use crate::{all, manifest};

/// The whole story of a case.
pub fn explain(case: &Case, colour: bool) -> String {
    let page = &mut Page { text: String::new(), colour };
    page.line(&page.bold(&case.id));
    page.line(&format!("  {}", case.why));
    page.line(&format!("  operation    {}", case.op));
    verdict(page, case);
    for row in &case.requirements {
        requirement(page, row);
    }
    if let Some(reading) = &case.reading {
        page.line(&format!("  reading      {reading}: judged only for those who declare it"));
    }
    edits(page, case);
    page.head("input");
    members(page, &case.input, case);
    if !case.steps.is_empty() {
        page.head("steps");
    }
    for step in &case.steps {
        match step {
            Step::Text { name, text } => page.line(&format!("  {name}: {text}")),
            Step::Hex { name, hex } => page.line(&format!("  {name}: {hex}")),
        }
    }
    page.head("confirmed by");
    confirmed(page, case);
    page.line(&format!("  made by {} from {:?}", case.provenance.generator, case.provenance.seed));
    std::mem::take(&mut page.text)
}

struct Page {
    text: String,
    colour: bool,
}

impl Page {
    fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    fn head(&mut self, head: &str) {
        let head = self.bold(head);
        self.line(&format!("\n{head}"));
    }

    fn bold(&self, text: &str) -> String {
        if self.colour { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// What an edit changed: red, or in brackets.
    fn mark(&self, text: &str) -> String {
        if self.colour { format!("\x1b[31m{text}\x1b[0m") } else { format!("[{text}]") }
    }
}

fn verdict(page: &mut Page, case: &Case) {
    let line = match &case.expect {
        Expect::Accept { ok } => format!("accept, with {ok}"),
        Expect::Reject { rule, stage } => format!("reject by {rule} at {stage}"),
    };
    page.line(&format!("  verdict      {line}"));
}

fn requirement(page: &mut Page, name: &str) {
    page.line(&format!("  requirement  {name}"));
    if let Some(row) = catalogue::requirement(name) {
        page.line(&format!("               {} ({})", row.statement(), row.source()));
    }
}

fn edits(page: &mut Page, case: &Case) {
    let Some(base) = &case.base else { return };
    page.head(&format!("{base}, with"));
    for Edit { path, at, old, new } in &case.edit {
        let at = at.map(|at| format!(" at {at}")).unwrap_or_default();
        page.line(&format!("  {path}{at}: {old} became {new}"));
    }
    for path in &case.reseal {
        page.line(&format!("  {path} made anew"));
    }
}

/// Each member of the input; bytes as a dump, texts as they are, with what differs from the base marked.
fn members(page: &mut Page, input: &Value, case: &Case) {
    let base = case.base.as_ref().and_then(|base| all().iter().find(|other| other.id == *base));
    for (name, value) in input.as_object().into_iter().flatten() {
        let before = base.map(|base| &base.input[name]);
        if let Some(entries) = value.as_array().filter(|_| name == "entries") {
            entries::list(page, entries, before);
        } else if value.is_object() && Recipe::read(name, value).is_ok() {
            dump::member(page, name, value, before, &case.edit);
        } else {
            let text = value.as_str().map_or_else(|| value.to_string(), |text| format!("{text:?}"));
            let same = before.is_none_or(|before| before == value);
            let text = if same { text } else { page.mark(&text) };
            page.line(&format!("  {name}: {text}"));
        }
        if name == "authorization"
            && let Ok(Value::String(message)) = look(input, "/in/authorization/message")
        {
            page.line(&format!("    message   {message}"));
        }
    }
}

/// The rule that makes bytes, if one does.
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

fn confirmed(page: &mut Page, case: &Case) {
    let file = format!("{}.json", case.place());
    let hash = manifest().files.remove(&file);
    let by = |witness: &&Witness| witness.file == file && witness.op == case.op;
    let mut found = false;
    for witness in witnesses().iter().filter(by) {
        found = true;
        let what = if Some(&witness.sha256) != hash.as_ref() {
            "for an earlier state of the file"
        } else if witness.skipped.contains(&case.id) {
            "not this case, which it cannot express"
        } else {
            "this case"
        };
        page.line(&format!("  {}: {what} ({})", witness.witness, witness.libraries.join(", ")));
    }
    if !found {
        page.line("  nobody yet");
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
            assert!(explain(case, true).contains('\x1b'));
            if case.is_reject() {
                assert!(plain.contains(" became "), "{plain}");
            }
        }
    }
}
