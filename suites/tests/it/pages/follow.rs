//! Follows a page as a reader would: each command in order, each transcript compared.

use super::page::{Block, Page};
use super::shown;
use super::terminal::{Done, Terminal};

/// Follows a page from top to bottom. Returns what is not as the page says.
pub(super) fn follow(page: &Page) -> Vec<String> {
    let mut findings = Vec::new();
    let mut terminal = Terminal::open();
    let mut last: Option<Done> = None;
    let mut commands = 0;
    for block in page.blocks() {
        let here = |number: usize| format!("{}:{}", page.name, block.line + 1 + number);
        if block.rest.starts_with("no-run: ") {
            continue;
        }
        if let Some(program) = block.rest.strip_prefix("needs ")
            && !is_installed(program)
        {
            println!("{}: {program} is not installed", here(0));
            continue;
        }
        if let Some(other) = block.rest.strip_prefix("from ") {
            let same =
                |other: &Block| other.kind == block.kind && other.rest.is_empty() && other.body == block.body;
            if !Page::named(other).blocks().iter().any(same) {
                findings.push(format!("{}: {other} has no such block", here(0)));
            }
            continue;
        }
        let compare = |number: usize, shown: &[&str], done: &Option<Done>| {
            let printed = done.as_ref().map_or("", |done| done.text.as_str());
            shown::difference(shown, printed)
                .map(|why| format!("{}: {why}\nprinted:\n{printed}", here(number)))
        };
        match block.kind {
            "sh" | "console" => {
                for Typed { number, line, shown } in typed(&block) {
                    commands += 1;
                    let done = match terminal.run(&line, block.rest == "checkout") {
                        Ok(done) => done,
                        Err(why) => {
                            findings.push(format!("{}: {line}: {why}", here(number)));
                            return findings;
                        }
                    };
                    let wanted =
                        line.split_once("# exit code ").map_or(Some(0), |(_, code)| code.trim().parse().ok());
                    if wanted != Some(done.code) {
                        let Done { text, code } = &done;
                        findings
                            .push(format!("{}: {line}: exit code {code}\nprinted:\n{text}", here(number)));
                    }
                    last = Some(done);
                    if block.kind == "console" {
                        findings.extend(compare(number, &shown, &last));
                    }
                }
            }
            "text" => findings.extend(compare(0, &block.body, &last)),
            "toml" => terminal.write(block.rest, &block.body),
            _ => {}
        }
    }
    println!("{}: {commands} commands", page.name);
    findings
}

/// A command of a block.
struct Typed<'b> {
    /// Its line in the block, from 0.
    number: usize,
    line: String,
    /// The lines below it in a transcript.
    shown: Vec<&'b str>,
}

/// The commands of a block. A command goes on after a line that ends with `\`; empty lines and comments are none.
fn typed<'b>(block: &'b Block) -> Vec<Typed<'b>> {
    let mut all: Vec<Typed> = Vec::new();
    let mut goes_on = false;
    for (number, text) in block.body.iter().enumerate() {
        let start = if block.kind == "sh" { Some(*text) } else { text.strip_prefix("$ ") };
        match (start, all.last_mut()) {
            (_, Some(open)) if goes_on => open.line.push_str(&format!("\n{text}")),
            (Some(line), _) if line.is_empty() || line.starts_with('#') => continue,
            (Some(line), _) => all.push(Typed { number, line: line.to_owned(), shown: Vec::new() }),
            (None, Some(open)) => open.shown.push(text),
            (None, None) => panic!("a console block begins with `$ `: {text}"),
        }
        goes_on = text.ends_with('\\') && (start.is_some() || goes_on);
    }
    all
}

/// Whether a folder of the path has this program.
fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}
