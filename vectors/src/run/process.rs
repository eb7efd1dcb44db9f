//! A running program: lines in, lines out, with a time limit for each wait.

use std::io::{BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::shim::{Line, read_line};

/// Capacity of the line queue; a program that writes faster than it is judged has to wait.
const WAITING: usize = 16;

/// Bytes of standard error that are kept for the exit message.
const LAST_WORDS: usize = 2000;

/// An event of the program.
pub(super) enum Event {
    /// A line.
    Line(Vec<u8>),
    /// It ended; its exit status and the end of its standard error.
    Ended(String),
    /// No line in time.
    Silent,
}

/// A running program. It is killed on drop.
pub(super) struct Program {
    child: Child,
    lines: Sender<String>,
    events: Receiver<Vec<u8>>,
    last_words: Receiver<String>,
}

impl Program {
    pub(super) fn start(command: &[String]) -> Result<Program, String> {
        let (name, arguments) = command.split_first().ok_or("no program is named")?;
        let mut child = Command::new(name)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| format!("{name}: {e}"))?;
        let mut stdin = child.stdin.take().expect("it is piped");
        let stdout = child.stdout.take().expect("it is piped");
        let stderr = child.stderr.take().expect("it is piped");
        let (lines, to_write) = channel::<String>();
        let (read, events) = sync_channel(WAITING);
        let (dying, last_words) = channel();
        // A program that does not read its input must not block us from reading its output.
        thread::spawn(move || {
            for line in to_write {
                if stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                    return;
                }
            }
        });
        thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            let mut line = Vec::new();
            while let Ok(Line::Read | Line::TooLong) = read_line(&mut stdout, &mut line) {
                if read.send(std::mem::take(&mut line)).is_err() {
                    return;
                }
            }
        });
        thread::spawn(move || drop(dying.send(tail(stderr))));
        Ok(Program { child, lines, events, last_words })
    }

    pub(super) fn send(&mut self, message: &Value) {
        // If the program has ended, that is the next event.
        drop(self.lines.send(format!("{message}\n")));
    }

    pub(super) fn next(&mut self, limit: Duration) -> Event {
        match self.events.recv_timeout(limit) {
            Ok(line) => Event::Line(line),
            Err(RecvTimeoutError::Timeout) => Event::Silent,
            Err(RecvTimeoutError::Disconnected) => Event::Ended(self.obituary()),
        }
    }

    fn obituary(&mut self) -> String {
        // The program may have closed its output and still be running.
        drop(self.child.kill());
        let status = self.child.wait().map_or_else(|e| e.to_string(), |status| status.to_string());
        let words = self.last_words.recv_timeout(Duration::from_secs(1)).unwrap_or_default();
        let words = words.trim();
        if words.is_empty() { status } else { format!("{status}; {words}") }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// The last bytes of `reader`.
fn tail(mut reader: impl Read) -> String {
    let (mut kept, mut chunk) = (Vec::new(), [0; 4096]);
    while let Ok(count @ 1..) = reader.read(&mut chunk) {
        kept.extend_from_slice(&chunk[..count]);
        let excess = kept.len().saturating_sub(LAST_WORDS);
        kept.drain(..excess);
    }
    String::from_utf8_lossy(&kept).into_owned()
}
