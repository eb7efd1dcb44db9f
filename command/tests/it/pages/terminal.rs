//! A reader's two terminals: a shell in an empty folder, and the simulator beside it.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::ops::RangeInclusive;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use tempfile::TempDir;

use super::page::root;

/// What a shell prints after each command, before its exit code.
const END: &str = "--- end of a command, exit code ";
/// The ports of the simulator on the pages, in the order in which it prints its sites.
pub(super) const PORTS: RangeInclusive<u16> = 4100..=4118;

pub(super) struct Terminal {
    folder: TempDir,
    shell: Child,
    typed: ChildStdin,
    printed: BufReader<ChildStdout>,
    simulator: Option<Child>,
    /// Ports on the pages, and those of the running simulator.
    ports: Vec<(u16, u16)>,
    /// The files that the page shows, by name.
    files: BTreeMap<String, String>,
}

/// What a command printed, with the pages' addresses, and its exit code.
pub(super) struct Done {
    pub(super) text: String,
    pub(super) code: i32,
}

impl Terminal {
    /// A shell in an empty folder, with `assay` on its path and no settings of this machine.
    pub(super) fn open() -> Terminal {
        let folder = tempfile::tempdir().expect("a folder");
        let work = folder.path().join("work");
        fs::create_dir(&work).expect("an empty folder");
        let checkout = folder.path().join("checkout");
        fs::create_dir(&checkout).expect("a folder");
        for part in ["docs", "vectors"] {
            symlink(root().join(part), checkout.join(part)).expect("a link");
        }
        let mut shell = command("sh", &work).stdin(Stdio::piped()).spawn().expect("sh");
        let typed = shell.stdin.take().expect("a pipe");
        let printed = BufReader::new(shell.stdout.take().expect("a pipe"));
        Terminal { folder, shell, typed, printed, simulator: None, ports: Vec::new(), files: BTreeMap::new() }
    }

    /// Runs a command. `assay sim` starts in the second terminal, after the one that runs there was stopped.
    pub(super) fn run(&mut self, line: &str, in_checkout: bool) -> Result<Done, String> {
        if let Some(options) = line.strip_prefix("assay sim") {
            return self.simulate(options);
        }
        let line = self.as_here(line);
        // A subshell leaves the folder of the page as it is.
        let line = if in_checkout { format!("(cd ../checkout\n{line}\n)") } else { line };
        let typed = format!("{{ {line}\n}} </dev/null 2>&1\nprintf '\\n{END}%d\\n' $?\n");
        self.typed.write_all(typed.as_bytes()).map_err(|e| format!("the shell has ended: {e}"))?;
        let mut text = Vec::new();
        loop {
            let start = text.len();
            if self.printed.read_until(b'\n', &mut text).map_err(|e| e.to_string())? == 0 {
                return Err(format!("the shell has ended: {}", String::from_utf8_lossy(&text)));
            }
            let last = String::from_utf8_lossy(&text[start..]);
            if let Some(code) = last.strip_prefix(END) {
                let code = code.trim().parse().expect("a number");
                // The end has a line break of its own.
                text.truncate(start - 1);
                return Ok(Done { text: self.as_on_pages(&String::from_utf8_lossy(&text)), code });
            }
        }
    }

    /// Writes a file that the page shows.
    pub(super) fn write(&mut self, name: &str, lines: &[&str]) {
        self.files.insert(name.to_owned(), lines.join("\n") + "\n");
        self.write_files();
    }

    fn write_files(&self) {
        for (name, text) in &self.files {
            fs::write(self.folder.path().join("work").join(name), self.as_here(text)).expect("written");
        }
    }

    /// Starts the simulator at free ports, whatever the page says, and waits until it is ready.
    fn simulate(&mut self, options: &str) -> Result<Done, String> {
        self.stop();
        let mut child = command("sh", &self.folder.path().join("work"))
            .arg("-c")
            .arg(format!("exec 2>&1 assay sim --listen 127.0.0.1:0 {options}"))
            .spawn()
            .map_err(|e| e.to_string())?;
        let mut printed = BufReader::new(child.stdout.take().expect("a pipe"));
        self.simulator = Some(child);
        let mut text = String::new();
        while !text.ends_with("press Ctrl-C to stop\n") {
            if printed.read_line(&mut text).map_err(|e| e.to_string())? == 0 {
                return Err(format!("the simulator has ended: {text}"));
            }
        }
        // What it prints later is not on the pages, and it must not wait for a reader.
        std::thread::spawn(move || printed.read_to_end(&mut Vec::new()));
        // The page is at the port of the control API.
        let sites = text
            .lines()
            .filter(|line| !line.starts_with("page "))
            .filter_map(|line| line.split("127.0.0.1:").nth(1));
        let ports = sites.filter_map(|rest| rest.split('/').next()?.parse().ok());
        self.ports = PORTS.zip(ports).collect();
        self.write_files();
        Ok(Done { text: self.as_on_pages(&text), code: 0 })
    }

    fn as_here(&self, text: &str) -> String {
        with_ports(text, |port| self.ports.iter().find(|(page, _)| *page == port).map(|(_, here)| *here))
    }

    fn as_on_pages(&self, text: &str) -> String {
        with_ports(text, |port| self.ports.iter().find(|(_, here)| *here == port).map(|(page, _)| *page))
    }

    /// Ctrl-C in the second terminal.
    fn stop(&mut self) {
        if let Some(mut simulator) = self.simulator.take() {
            simulator.kill().expect("it runs");
            simulator.wait().expect("it was started here");
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.stop();
        // A shell that waits for a command that hangs does not end by itself.
        let _ = self.shell.kill();
        let _ = self.shell.wait();
    }
}

fn command(program: &str, folder: &Path) -> Command {
    let assay = Path::new(env!("CARGO_BIN_EXE_assay")).parent().expect("its folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new(program);
    command.env_clear().env("PATH", format!("{}:{path}", assay.display())).env("HOME", folder);
    command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped());
    command
}

/// The text with other ports of this machine, where `other` has one.
fn with_ports(text: &str, other: impl Fn(u16) -> Option<u16>) -> String {
    let mut parts = text.split("127.0.0.1:");
    let mut changed = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        let (port, rest) = part.split_at(digits);
        let here = port.parse().ok().and_then(&other).map_or(port.to_owned(), |port| port.to_string());
        changed.push_str(&format!("127.0.0.1:{here}{rest}"));
    }
    changed
}
