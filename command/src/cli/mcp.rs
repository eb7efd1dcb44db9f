//! `assay mcp`: plan, run, explain and replay checks for an agent or an editor.
//!
//! It speaks the Model Context Protocol on standard input and output: one JSON-RPC 2.0 message in each line. A tool that reaches
//! the target is a process of this program with the profile of the command line, so an agent chooses which checks run, and never
//! where a request goes. The last report is kept in memory; no file is written.

use std::io::{BufRead, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Output, Stdio};
use std::sync::Arc;

use assay_suites::harness::data::Run;
use assay_suites::harness::run::Halt;
use assay_suites::profile::Profile;
use assay_suites::report::{brief, json};
use clap::Args;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::process::Command;
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinHandle;

use super::Ending;
use super::interrupt::Interrupt;
use super::target::DEFAULT;

pub(crate) const HELP: &str = "Example, as the entry of an agent's or an editor's configuration:
  { \"command\": \"assay\", \"args\": [\"mcp\", \"--profile\", \"target.toml\"] }

The tools are explain, plan, run, why and replay. Requests go only to the target of the profile; nothing is written.
Without --profile, the target is that of ./assay.toml; without this file, the embedded simulator.

Exit codes: 0 the client closed standard input, 2 bad arguments or profile";

/// The versions of the protocol that it speaks, newest first.
const VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/// The maximum length of a message.
const MESSAGE_BYTES: u64 = 1 << 20;
/// The maximum number of calls at once.
const MOST_CALLS: usize = 8;
/// The maximum length of what a tool returns.
const ANSWER_BYTES: usize = 64 * 1024;

#[derive(Args)]
pub(crate) struct McpArgs {
    /// The target's profile (TOML)
    #[arg(long, value_name = "FILE")]
    profile: Option<PathBuf>,
}

/// The errors of JSON-RPC 2.0.
#[derive(Clone, Copy)]
enum Code {
    Parse = -32_700,
    Request = -32_600,
    Method = -32_601,
    Params = -32_602,
}

/// A message of the client.
#[derive(Deserialize)]
struct Message {
    jsonrpc: String,
    /// Missing in a notification.
    id: Option<Value>,
    /// Missing in a response.
    method: Option<String>,
    #[serde(default)]
    params: Value,
}

/// A tool: its name, what it does, its arguments as JSON Schema, and whether it sends requests to the target.
struct Tool {
    name: &'static str,
    about: &'static str,
    arguments: fn() -> Value,
    sends: bool,
}

const TOOLS: [Tool; 5] = [
    Tool {
        name: "explain",
        about: "Explains a requirement: its statement, its source, what its check sends and asserts, and what a failure usually means.",
        arguments: one_id,
        sends: false,
    },
    Tool {
        name: "plan",
        about: "Says which checks a run would make, what it would send, and what cannot be tested and why. Sends nothing to the services.",
        arguments: selection,
        sends: false,
    },
    Tool {
        name: "run",
        about: "Runs checks against the target of the configuration. Returns the causes of what did not pass, in at most 40 lines.",
        arguments: selection,
        sends: true,
    },
    Tool {
        name: "why",
        about: "Shows one check of the last run: the cause, the requirement, wanted and received values, the deviating exchange, and the command that repeats it.",
        arguments: one_id,
        sends: false,
    },
    Tool {
        name: "replay",
        about: "Sends the recorded requests of one check of the last run again, and compares the statuses.",
        arguments: one_id,
        sends: true,
    },
];

fn one_id() -> Value {
    let id =
        json!({ "type": "string", "description": "Id of a requirement, such as drop.response.expires-at" });
    json!({ "type": "object", "properties": { "id": id }, "required": ["id"], "additionalProperties": false })
}

fn selection() -> Value {
    let strings =
        |about: &str| json!({ "type": "array", "items": { "type": "string" }, "description": about });
    json!({
        "type": "object",
        "properties": {
            "filters": strings("Only these checks: ids, parts of ids, or patterns with * and ?"),
            "services": strings("Only these services"),
            "seed": { "type": "integer", "minimum": 0, "description": "Seed of all random values" },
            "read_only": { "type": "boolean", "description": "Leave out checks that write" },
        },
        "additionalProperties": false,
    })
}

/// The arguments of a tool.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Arguments {
    id: Option<String>,
    filters: Vec<String>,
    services: Vec<String>,
    seed: Option<u64>,
    read_only: bool,
}

/// What one client uses.
struct Server {
    /// The arguments that name the target.
    target: Vec<String>,
    /// The last report. A tool that sends requests holds it, so two never run at once.
    last: Mutex<Option<Run>>,
}

pub(crate) async fn mcp(args: McpArgs) -> Result<(), Ending> {
    let profile = args.profile.or_else(|| Path::new(DEFAULT).exists().then(|| DEFAULT.into()));
    if let Some(path) = &profile {
        Profile::load(path).map_err(|e| Ending::Bad(e.to_string()))?;
    }
    let target = profile.map(|path| vec!["--profile".to_owned(), path.display().to_string()]);
    let server = Arc::new(Server { target: target.unwrap_or_default(), last: Mutex::default() });
    let mut messages = lines();
    let mut running: Vec<(Value, JoinHandle<()>)> = Vec::new();
    let interrupt = Interrupt::listen_quietly();
    let mut stop = interrupt.count();
    loop {
        let line = tokio::select! {
            line = messages.recv() => line,
            _ = stop.wait_for(|count| *count > 0) => None,
        };
        let Some(line) = line else { break };
        running.retain(|(_, task)| !task.is_finished());
        let message = match read(&line) {
            Ok(Some(message)) => message,
            Ok(None) => continue,
            Err(error) => {
                send(&error);
                continue;
            }
        };
        let (method, params) = (message.method.unwrap_or_default(), message.params);
        let Some(id) = message.id else {
            if method == "notifications/cancelled" {
                let is_meant = |(id, _): &&(Value, JoinHandle<()>)| *id == params["requestId"];
                running.iter().find(is_meant).inspect(|(_, task)| task.abort());
            }
            continue;
        };
        if method == "tools/call" && running.len() >= MOST_CALLS {
            send(&failed(
                &id,
                Code::Request,
                &format!("at most {MOST_CALLS} calls at once; wait for an answer"),
            ));
        } else if method == "tools/call" {
            let (server, number) = (server.clone(), id.clone());
            let call = async move { send(&reply(&number, server.call(&params).await)) };
            running.push((id, tokio::spawn(call)));
        } else {
            send(&reply(&id, answer(&method, &params)));
        }
    }
    // The end of the client ends its processes: each is killed when its task is dropped.
    for (_, task) in running {
        task.abort();
        let _ = task.await;
    }
    Ok(())
}

/// The lines of standard input, without those that are too long.
fn lines() -> mpsc::Receiver<Vec<u8>> {
    let (to, from) = mpsc::channel(16);
    std::thread::spawn(move || {
        let mut input = std::io::stdin().lock();
        loop {
            let mut line = Vec::new();
            match input.by_ref().take(MESSAGE_BYTES).read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => return,
                Ok(_) if !line.ends_with(b"\n") && line.len() as u64 == MESSAGE_BYTES => {
                    if input.skip_until(b'\n').is_err() {
                        return;
                    }
                    let why = format!("a message has at most {MESSAGE_BYTES} bytes");
                    send(&failed(&Value::Null, Code::Request, &why));
                }
                Ok(_) => {
                    if to.blocking_send(line).is_err() {
                        return;
                    }
                }
            }
        }
    });
    from
}

/// Reads a message; `None` for a blank line and a response. The error is the answer to send.
fn read(line: &[u8]) -> Result<Option<Message>, Value> {
    if line.trim_ascii().is_empty() {
        return Ok(None);
    }
    let value: Value = serde_json::from_slice(line)
        .map_err(|e| failed(&Value::Null, Code::Parse, &format!("not JSON: {e}")))?;
    if !value.is_object() {
        return Err(failed(&Value::Null, Code::Request, "a message is a JSON object"));
    }
    let id = value.get("id").filter(|id| id.is_string() || id.is_number()).cloned().unwrap_or_default();
    let wrong = |why: &str| failed(&id, Code::Request, why);
    let message: Message = serde_json::from_value(value).map_err(|e| wrong(&e.to_string()))?;
    if message.jsonrpc != "2.0" {
        return Err(wrong("the member jsonrpc must be \"2.0\""));
    }
    if message.id.is_some() && id.is_null() {
        return Err(wrong("the id must be a string or a number"));
    }
    Ok(message.method.is_some().then_some(message))
}

/// Writes a message. If nothing reads it, the client is gone, and the end of standard input follows.
fn send(message: &Value) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{message}").and_then(|()| out.flush());
}

type Answer = Result<Value, (Code, String)>;

fn reply(id: &Value, answer: Answer) -> Value {
    match answer {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err((code, why)) => failed(id, code, &why),
    }
}

fn failed(id: &Value, code: Code, why: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code as i32, "message": why } })
}

/// Answers a request that calls no tool.
fn answer(method: &str, params: &Value) -> Answer {
    match method {
        "initialize" => {
            let asked = params["protocolVersion"].as_str();
            let version = VERSIONS.into_iter().find(|known| Some(*known) == asked).unwrap_or(VERSIONS[0]);
            Ok(json!({
                "protocolVersion": version,
                "capabilities": { "tools": {} },
                "serverInfo": { "name": "assay", "version": env!("CARGO_PKG_VERSION") },
                "instructions": "Call run, then why with the id of a cause. explain shows what a requirement demands.",
            }))
        }
        "ping" => Ok(json!({})),
        "tools/list" => {
            let tool = |Tool { name, about, arguments, sends }: &Tool| {
                let hints = json!({ "readOnlyHint": !sends, "openWorldHint": sends });
                json!({ "name": name, "description": about, "inputSchema": arguments(), "annotations": hints })
            };
            Ok(json!({ "tools": TOOLS.iter().map(tool).collect::<Vec<Value>>() }))
        }
        _ => Err((Code::Method, format!("no method {method:?}"))),
    }
}

impl Server {
    /// Calls a tool. What a tool reports, failures among it, is its result; an error is about the call.
    async fn call(&self, params: &Value) -> Answer {
        let name = params["name"].as_str().unwrap_or_default();
        let Some(tool) = TOOLS.iter().find(|tool| tool.name == name) else {
            let known: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
            return Err((Code::Params, format!("no tool {name:?}; there are {}", known.join(", "))));
        };
        let wrong = |why: String| (Code::Params, format!("{name}: {why}"));
        let arguments = params.get("arguments").filter(|given| !given.is_null()).cloned();
        let given: Arguments = arguments
            .map(serde_json::from_value)
            .transpose()
            .map_err(|e| wrong(e.to_string()))?
            .unwrap_or_default();
        let needs_id = (tool.arguments)()["required"].is_array();
        let id = match (needs_id, &given.id) {
            (true, None) => return Err(wrong("the argument id is missing".to_owned())),
            (false, Some(_)) => return Err(wrong("it takes no id; use filters".to_owned())),
            (_, id) => id.clone().unwrap_or_default(),
        };
        let said = match name {
            "explain" => ran(&["explain".to_owned(), "--".to_owned(), id], None).await,
            "plan" => {
                let arguments = self.selected(&given, &["--plan"]);
                ran(&arguments, None).await
            }
            "run" => self.run(&given).await,
            "why" => self.why(&id).await,
            _ => self.replay(id).await,
        };
        let (text, is_error) = match said {
            Ok(text) => (text, false),
            Err(why) => (why, true),
        };
        let cut = text.floor_char_boundary(ANSWER_BYTES);
        let rest =
            if cut < text.len() { format!("\n({} more bytes)\n", text.len() - cut) } else { String::new() };
        let content = json!([{ "type": "text", "text": format!("{}{rest}", &text[..cut]) }]);
        Ok(json!({ "content": content, "isError": is_error }))
    }

    /// The arguments of `assay run`.
    fn selected(&self, given: &Arguments, flags: &[&str]) -> Vec<String> {
        let mut all = vec!["run".to_owned()];
        all.extend(self.target.iter().cloned());
        all.extend(flags.iter().map(|flag| (*flag).to_owned()));
        all.extend(given.services.iter().map(|service| format!("--service={service}")));
        all.extend(given.seed.map(|seed| format!("--seed={seed}")));
        all.extend(given.read_only.then(|| "--read-only".to_owned()));
        all.push("--".to_owned());
        all.extend(given.filters.iter().cloned());
        all
    }

    async fn run(&self, given: &Arguments) -> Result<String, String> {
        let mut last = self.last.lock().await;
        // A run that is cancelled or fails leaves none.
        *last = None;
        let arguments = self.selected(given, &["--brief", "--json-full", "--json", "/dev/stdout"]);
        let printed = started(&arguments, None).await?;
        let mut values = serde_json::Deserializer::from_str(&printed.out).into_iter::<Value>();
        if !matches!(values.next(), Some(Ok(_))) {
            return printed.text();
        }
        let at = values.byte_offset();
        *last = Some(json::read(&printed.out[..at])?);
        // With the reason of a failure of the harness.
        let said = if printed.is_done() { "" } else { &printed.said };
        Ok(format!("{}{said}", printed.out[at..].trim_start()))
    }

    async fn why(&self, id: &str) -> Result<String, String> {
        let last = self.last.lock().await;
        let run = last.as_ref().ok_or(NO_RUN)?;
        brief::why(run, id).ok_or_else(|| format!("the last run has no check {id:?}"))
    }

    async fn replay(&self, id: String) -> Result<String, String> {
        let last = self.last.lock().await;
        let run = last.as_ref().ok_or(NO_RUN)?;
        let outcomes = run.outcomes.iter().filter(|one| one.requirement.to_string() == id).cloned().collect();
        let report = json::write(&Run { outcomes, ..run.clone() });
        let mut arguments = vec!["replay".to_owned()];
        arguments.extend(self.target.iter().cloned());
        arguments.extend(["--".to_owned(), "/dev/stdin".to_owned(), id]);
        ran(&arguments, Some(report)).await
    }
}

const NO_RUN: &str = "there was no run yet; call run first";

/// What a process printed.
struct Printed {
    status: ExitStatus,
    out: String,
    said: String,
}

impl Printed {
    /// Whether it did what was asked; 1 is a result, too.
    fn is_done(&self) -> bool {
        matches!(self.status.code(), Some(0 | 1))
    }

    /// What it printed. An error is what it says where it could not do what was asked.
    fn text(self) -> Result<String, String> {
        match (self.is_done(), self.said.is_empty()) {
            (true, _) => Ok(self.out),
            (false, true) => Err(format!("the process ended: {}\n{}", self.status, self.out)),
            (false, false) => Err(self.said),
        }
    }
}

/// Runs this program, and returns what it prints.
async fn ran(arguments: &[String], input: Option<String>) -> Result<String, String> {
    started(arguments, input).await?.text()
}

/// Runs this program. Its process ends with this future.
async fn started(arguments: &[String], input: Option<String>) -> Result<Printed, String> {
    let program = std::env::current_exe().map_err(|e| format!("this program cannot be found: {e}"))?;
    let mut child = Command::new(program)
        .arg("--color=never")
        .args(arguments)
        .stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(|e| format!("this program cannot be started: {e}"))?;
    let stdin = child.stdin.take();
    let feed = async {
        if let (Some(mut to), Some(text)) = (stdin, input) {
            // A process that ends early says why.
            let _ = to.write_all(text.as_bytes()).await;
        }
    };
    let ((), ended) = tokio::join!(feed, child.wait_with_output());
    let Output { status, stdout, stderr } = ended.map_err(|e| format!("the process cannot be read: {e}"))?;
    let [out, said] = [&stdout, &stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    Ok(Printed { status, out, said })
}
