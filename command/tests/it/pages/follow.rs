//! Follows a page as a reader would: each command in order, each transcript compared.

use super::page::{Block, Page};
use super::shown;
use super::terminal::{Done, Terminal};

/// Follows a page from top to bottom. Returns what is not as the page says.
pub(super) fn follow(page: &Page) -> Vec<String> {
    let mut reader = Reader {
        page,
        terminal: Terminal::open(),
        printed: String::new(),
        commands: 0,
        findings: Vec::new(),
    };
    for block in page.blocks() {
        if let Err(why) = reader.read(&block) {
            reader.findings.push(why);
            break;
        }
    }
    println!("{}: {} commands", page.name, reader.commands);
    reader.findings
}

struct Reader<'p> {
    page: &'p Page,
    terminal: Terminal,
    /// What the last command printed.
    printed: String,
    commands: usize,
    findings: Vec<String>,
}

impl Reader<'_> {
    /// Does what a block says. An error means that the page cannot be followed any further.
    fn read(&mut self, block: &Block) -> Result<(), String> {
        let in_checkout = block.rest.starts_with("checkout");
        let rest = block.rest.trim_start_matches("checkout").trim_start();
        if rest.starts_with("no-run: ") {
            return Ok(());
        }
        if let Some(program) = rest.strip_prefix("needs ").filter(|program| !is_installed(program)) {
            println!("{}: {program} is not installed", self.place(block, 0));
            return Ok(());
        }
        if let Some(other) = rest.strip_prefix("from ") {
            let is_same =
                |one: &Block| one.kind == block.kind && one.rest.is_empty() && one.body == block.body;
            if !Page::named(other).blocks().iter().any(is_same) {
                self.findings.push(format!("{}: {other} has no such block", self.place(block, 0)));
            }
            return Ok(());
        }
        match block.kind {
            "sh" | "console" => {
                for typed in typed(block) {
                    self.run(block, &typed, in_checkout)?;
                }
            }
            "text" => self.compare(block, 0, &block.body),
            "toml" => self.terminal.write(rest, &block.body),
            _ => {}
        }
        Ok(())
    }

    fn run(&mut self, block: &Block, typed: &Typed, in_checkout: bool) -> Result<(), String> {
        let Typed { number, line, shown } = typed;
        let place = self.place(block, *number);
        let Done { text, code } =
            self.terminal.run(line, in_checkout).map_err(|why| format!("{place}: {line}: {why}"))?;
        let wanted = line.split_once("# exit code ").map_or(Some(0), |(_, code)| code.trim().parse().ok());
        if wanted != Some(code) {
            self.findings.push(format!("{place}: {line}: exit code {code}\nprinted:\n{text}"));
        }
        self.commands += 1;
        self.printed = text;
        if block.kind == "console" {
            self.compare(block, *number, shown);
        }
        Ok(())
    }

    fn compare(&mut self, block: &Block, number: usize, shown: &[&str]) {
        if let Some(why) = shown::difference(shown, &self.printed) {
            let (place, printed) = (self.place(block, number), &self.printed);
            self.findings.push(format!("{place}: {why}\nprinted:\n{printed}"));
        }
    }

    /// The page and the line of a line in a block, from 0.
    fn place(&self, block: &Block, number: usize) -> String {
        format!("{}:{}", self.page.name, block.line + 1 + number)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_followed_and_what_is_wrong_on_it_is_found() {
        let found = |text: &str| {
            let (name, text) = ("page.md".to_owned(), text.replace('~', "`"));
            follow(&Page { name, text })
        };
        let right = [
            "~~~sh\nexport NAME=it\n# a comment\nfalse # exit code 1\n~~~\n~~~console\n$ echo \\\n  $NAME\nit\n~~~\n",
            "~~~toml p.toml\na = 1\n~~~\n~~~sh\ncat p.toml\n~~~\n~~~text\na = 1\n~~~\n",
            "~~~sh no-run: it fails\nfalse\n~~~\n~~~sh needs no-such-program\nfalse\n~~~\n",
            "~~~sh checkout\ntest -f docs/ci.md\n~~~\n~~~console\n$ ls\n~~~\n",
        ];
        for page in right {
            assert_eq!(found(page), [""; 0], "{page}");
        }
        let wrong = [
            ("~~~sh\ntrue\nfalse\n~~~\n", "page.md:3: false: exit code 1"),
            ("~~~sh\ntrue # exit code 1\n~~~\n", "page.md:2: true # exit code 1: exit code 0"),
            ("~~~sh\necho a\n~~~\n\n~~~text\nb\n~~~\n", "page.md:6: no such line was printed: b"),
            ("~~~console\n$ echo a\nb\n~~~\n", "page.md:2: no such line was printed: b"),
            ("~~~sh\nexit\n~~~\n", "page.md:2: exit: the shell has ended"),
            (
                "~~~sh\nassay sim --no-such-flag\n~~~\n",
                "page.md:2: assay sim --no-such-flag: the simulator has ended",
            ),
            ("~~~console from docs/ci.md\n$ echo a\n~~~\n", "page.md:2: docs/ci.md has no such block"),
        ];
        for (page, finding) in wrong {
            let findings = found(page);
            assert!(findings.len() == 1 && findings[0].starts_with(finding), "{page}: {findings:?}");
        }
    }
}
