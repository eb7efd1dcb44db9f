//! A case as a person would check it: what stands where, what was changed, which rule refuses it, who confirmed it.

use std::fmt::Write;

use assay_spec::catalogue;
use serde_json::Value;

use crate::case::{Case, Edit, Expect, Step};
use crate::edit::{content, look};
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
        let dumped = value.is_object().then(|| content(value).ok()).flatten();
        if let Some(bytes) = dumped {
            let changed =
                before.map_or(0..0, |before| difference(&content(before).unwrap_or_default(), &bytes));
            let mut parts = parts(name, value);
            if parts.is_empty() {
                // What does not decode is labelled as its base, up to the change.
                parts = before.map_or_else(Vec::new, |before| self::parts(name, before));
                parts.retain(|(start, _)| *start <= changed.start);
            }
            page.line(&format!("  {name}: {} bytes", bytes.len()));
            dump(page, &bytes, &changed, &parts);
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

/// Where `after` differs from `before`: from the first to the last byte that is another.
fn difference(before: &[u8], after: &[u8]) -> std::ops::Range<usize> {
    let front = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let shorter = before.len().min(after.len());
    let back =
        before.iter().rev().zip(after.iter().rev()).take(shorter - front).take_while(|(a, b)| a == b).count();
    front..after.len() - back
}

/// Where the parts of a transaction message begin.
fn parts(name: &str, value: &Value) -> Vec<(usize, String)> {
    let input = serde_json::json!({"message": value});
    let part = |path: &str| look(&input, &format!("/in/message/{path}")).unwrap_or_default();
    if name != "message" || !part("header").is_array() {
        return Vec::new();
    }
    let size = |count: usize| {
        if count < 0x80 {
            1
        } else if count < 0x4000 {
            2
        } else {
            3
        }
    };
    let count = |value: &Value| value.as_array().map_or(0, Vec::len);
    let accounts = count(&part("accounts"));
    let mut at = 3;
    let mut found = vec![(0, "header".to_owned()), (at, format!("{accounts} accounts"))];
    at += size(accounts);
    for n in 0..accounts {
        found.push((at, format!("account {n}")));
        at += 32;
    }
    found.push((at, "blockhash".to_owned()));
    at += 32;
    let instructions = part("instructions");
    found.push((at, format!("{} instructions", count(&instructions))));
    at += size(count(&instructions));
    for (n, instruction) in instructions.as_array().into_iter().flatten().enumerate() {
        let data = content(&instruction["data"]).unwrap_or_default().len();
        let indices = count(&instruction["accounts"]);
        found.push((at, format!("instruction {n}: program")));
        found.push((at + 1, format!("instruction {n}: {indices} accounts")));
        at += 1 + size(indices) + indices;
        found.push((at, format!("instruction {n}: {data} bytes of data")));
        at += size(data);
        found.push((at, format!("instruction {n}: data")));
        at += data;
    }
    found
}

/// Sixteen bytes a line, a new line at each part; long runs of one byte are told, not shown.
fn dump(page: &mut Page, bytes: &[u8], changed: &std::ops::Range<usize>, parts: &[(usize, String)]) {
    let mut at = 0;
    while at < bytes.len() {
        let label = parts.iter().find(|(start, _)| *start == at).map_or("", |(_, label)| label);
        let next = parts.iter().map(|(start, _)| *start).find(|start| *start > at).unwrap_or(bytes.len());
        let run = bytes[at..].iter().take_while(|byte| **byte == bytes[at]).count();
        if run > 64 {
            page.line(&format!("    {at:06x}  {run} times {:02x}  {label}", bytes[at]));
            at += run;
            continue;
        }
        let end = next.min(at + 16).min(bytes.len());
        let (mut hex, mut text) = (String::new(), String::new());
        for (n, byte) in bytes[at..end].iter().enumerate() {
            let pair = format!("{byte:02x}");
            let is_changed = changed.contains(&(at + n));
            let _ = write!(hex, "{} ", if is_changed { page.mark(&pair) } else { pair });
            text.push(if byte.is_ascii_graphic() || *byte == b' ' { char::from(*byte) } else { '.' });
        }
        let padding = " ".repeat(3 * (16 - (end - at)));
        page.line(&format!("    {at:06x}  {hex}{padding} {text:16}  {label}"));
        at = end;
    }
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

    #[test]
    fn a_difference_is_where_the_bytes_differ() {
        assert_eq!(difference(b"abc", b"abc"), 3..3);
        assert_eq!(difference(b"abc", b"axc"), 1..2);
        assert_eq!(difference(b"abc", b"abbc"), 2..3);
        assert_eq!(difference(b"aa", b"aaa"), 2..3);
        assert_eq!(difference(b"abc", b""), 0..0);
    }
}
