//! Serves one world of a case, and runs the client in it.

use std::net::{IpAddr, Ipv4Addr};
use std::process::Stdio;
use std::time::Duration;

use assay_sim::{World, world};
use assay_spec::Service;
use serde_json::{Value, json};
use tempfile::NamedTempFile;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines, Take};
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::sync::mpsc;
use tokio::time::{Instant, interval, sleep, timeout};

use super::super::front::site;
use super::super::judge::Hold;
use super::super::stage::Stage;
use super::super::trace::{Call, Ended, calls};
use super::super::watch::{READ_EVERY, Said};
use super::Suite;
use super::scene::{Pays, Scene, Step, Tool, Way, Wire};
use super::trace::{ClientReport, Trace, Turn, reported};
use super::wire;
use crate::harness::probe::wall_clock;

/// The address of requests over a connection with another certificate than the enclave's.
pub(super) const IMPOSTOR: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 66));
/// The reply of a client that reads no prompt or prints no line.
const ENDED: &str = "nothing: the client has ended, or closed its input or output";
/// The most bytes of a client's output that are read.
const OUTPUT_BYTES: u64 = 4 * 1024 * 1024;

/// A world, and what has happened in it.
struct Opened<'a> {
    suite: &'a Suite,
    scene: &'a Scene,
    stage: Stage,
    turns: Vec<Turn>,
    boots: Vec<usize>,
    left: Option<String>,
    vanished: Option<(String, usize)>,
    /// The servers of the model.
    servers: Vec<String>,
    key: Option<String>,
    item_hash: String,
    /// The certificate of the authority behind https URLs.
    _ca_file: NamedTempFile,
}

/// Where prompts go, and where replies come from.
enum Dialogue<'a> {
    /// A client's standard input and output.
    Client { input: Option<ChildStdin>, output: Lines<BufReader<Take<ChildStdout>>>, limit: Duration },
    /// The user, who sees the prompts and enters the replies.
    User { say: &'a (dyn Fn(&str) + Sync), lines: mpsc::UnboundedReceiver<String> },
}

/// Starts the world, runs the client in it once, and returns what it did. An error is the harness's own.
pub(super) async fn play(suite: &Suite, scene: &Scene) -> Result<Trace, String> {
    let mut opened = open(suite, scene).await?;
    let mut started = opened.stage.start(&suite.client.command, Stdio::piped(), Stdio::piped())?;
    let input = started.child.stdin.take();
    let output = started.child.stdout.take().ok_or("no standard output")?;
    let output = BufReader::new(output.take(OUTPUT_BYTES)).lines();
    let mut dialogue = Dialogue::Client { input, output, limit: suite.client.limit };
    for step in scene.script {
        opened.step(*step, &mut dialogue).await?;
    }
    // The client ends with its input.
    dialogue.close_input();
    let ended = end(&mut started.child, suite.client.limit).await?;
    opened.stage.settle().await;
    Ok(opened.close(ended, Some(&started.said)))
}

/// Opens the world for a client that the user starts, until the hold ends. The user enters the client's replies.
pub(super) async fn hold(suite: &Suite, scene: &Scene, hold: Hold<'_>) -> Result<Trace, String> {
    let Hold { say, end } = hold;
    let mut opened = open(suite, scene).await?;
    say("Start the client with this environment:");
    opened.stage.exports().iter().for_each(|line| say(line));
    say(
        "Give it each prompt that is printed below. Enter its reply here, or an empty line to go on without one.",
    );
    say("Ctrl-C ends the world and prints the verdict.");
    let mut dialogue = Dialogue::User { say, lines: entered_lines() };
    let script = async {
        for step in scene.script {
            describe(*step, say);
            opened.step(*step, &mut dialogue).await?;
            opened.stage.list(say);
        }
        say("The script of this world is over; it stays open.");
        let mut ticks = interval(READ_EVERY);
        loop {
            ticks.tick().await;
            opened.stage.list(say);
        }
    };
    tokio::select! {
        failed = script => {
            let failed: Result<(), String> = failed;
            failed?;
        }
        () = end => {}
    }
    opened.stage.settle().await;
    opened.stage.list(say);
    Ok(opened.close(Ended::Unknown, None))
}

/// The lines of this process's standard input. A thread reads them, which does not keep the process from ending.
fn entered_lines() -> mpsc::UnboundedReceiver<String> {
    let (sender, lines) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

/// Says what a step changes.
fn describe(step: Step, say: &(dyn Fn(&str) + Sync)) {
    match step {
        Step::Ask => {}
        Step::Faults("[]") => say("No fault is active."),
        Step::Faults(faults) => say(&format!("Faults: {faults}")),
        Step::Limits(limits) => say(&format!("Limits: {limits:?}")),
        Step::Action(action, arguments) => say(&format!("Action: {action} {arguments}")),
        Step::LastLeaves => say("The server that was used last leaves the list."),
        Step::OthersFail(fault) => say(&format!("All servers but one fail: {fault}")),
        Step::Rest => say("Waiting until a list of servers is too old."),
    }
}

/// Waits for the client to exit, and stops it after this time.
async fn end(child: &mut Child, limit: Duration) -> Result<Ended, String> {
    if let Ok(status) = timeout(limit, child.wait()).await {
        let status = status.map_err(|e| format!("cannot wait for the client: {e}"))?;
        return Ok(Ended::Itself(status.code()));
    }
    child.kill().await.map_err(|e| format!("cannot stop the client: {e}"))?;
    Ok(Ended::Stopped(limit))
}

/// Opens the world of a case.
async fn open<'a>(suite: &'a Suite, scene: &'a Scene) -> Result<Opened<'a>, String> {
    let client = &suite.client;
    let mut world = World::new(client.seed, wall_clock(), client.dialect.clone());
    // It pays once the scene switches the flow on.
    let (payment, _) = world.perform("gateway.payments", &json!({ "on": false }))?;
    let payment = payment["payment"].as_str().filter(|_| scene.pays == Pays::Payment).map(str::to_owned);
    let mut stage = Stage::open(world).await?;
    if scene.wire == Wire::Impostor {
        let front = wire::open(stage.handle.clone(), site("enclave")?, IMPOSTOR).await?;
        stage.put_before("enclave", front);
    }
    let view = stage.handle.read(|world| world.view(Service::Gateway));
    let ca_file = tempfile::Builder::new().prefix("assay-").suffix(".ca.pem").tempfile();
    let ca_file = ca_file.map_err(|e| format!("cannot write the authority's certificate: {e}"))?;
    std::fs::write(ca_file.path(), stage.handle.authority().pem())
        .map_err(|e| format!("{}: {e}", ca_file.path().display()))?;
    let key = match scene.pays {
        Pays::Key => view["keys"]["valid"].as_str(),
        Pays::Revoked => view["keys"]["revoked"].as_str(),
        Pays::Payment => None,
    };
    let key = key.map(str::to_owned);
    let authority = view["enclave"]["authority"].as_str().filter(|_| scene.can_verify);
    let mode = if scene.way == Way::Gateway { "gateway" } else { "direct" };
    let url = stage.url("gateway");
    stage.set("ASSAY_GATEWAY_URL", Some(url));
    stage.set("ASSAY_CA_FILE", Some(ca_file.path().display().to_string()));
    stage.set("ASSAY_MODE", Some(mode.to_owned()));
    stage.set("ASSAY_REFRESH_SECONDS", Some(suite.refresh_s.to_string()));
    stage.set("ASSAY_ATTESTATION_KEY", authority.map(str::to_owned));
    stage.set("ASSAY_GATEWAY_KEY", key.clone());
    stage.set("ASSAY_PAYMENT", payment);
    stage.set("ASSAY_MODEL", None);
    stage.watch.restart();
    let models = view["models"].as_array().into_iter().flatten();
    let servers =
        models.filter(|model| model["id"] == scene.model()).map(|model| model["servers"].clone()).next();
    let servers = serde_json::from_value(servers.unwrap_or_else(|| json!([]))).map_err(|e| e.to_string())?;
    Ok(Opened {
        suite,
        scene,
        stage,
        turns: Vec::new(),
        boots: Vec::new(),
        left: None,
        vanished: None,
        servers,
        key,
        item_hash: view["enclave"]["item_hash"].as_str().unwrap_or("no item hash").to_owned(),
        _ca_file: ca_file,
    })
}

impl Opened<'_> {
    /// Runs one step of the script.
    async fn step(&mut self, step: Step, dialogue: &mut Dialogue<'_>) -> Result<(), String> {
        match step {
            Step::Ask => {
                let from = self.journal_position();
                let reported = self.send_prompt(dialogue).await;
                let until = self.journal_position();
                self.turns.push(Turn { span: [from, until], reported });
                Ok(())
            }
            Step::Faults(faults) => self.stage.set_faults(&parse(faults)?),
            Step::Limits(limits) => self.stage.set_limits(Service::Gateway, limits),
            Step::Action(action, arguments) => {
                self.stage.perform(action, &parse(arguments)?)?;
                if action == "gateway.reboot" {
                    let at = self.journal_position();
                    self.boots.push(at);
                }
                Ok(())
            }
            Step::LastLeaves => {
                if let Some(site) = self.last_used() {
                    self.stage.perform("gateway.server", &json!({ "site": site, "listed": false }))?;
                    self.left = Some(site);
                }
                Ok(())
            }
            Step::OthersFail(fault) => {
                let used = self.last_used();
                let survivor = self.servers.iter().rev().find(|server| Some(*server) != used.as_ref());
                let failing = self.servers.iter().filter(|server| Some(*server) != survivor);
                let faults = failing.map(|server| json!({ "fault": fault, "where": { "server": server } }));
                self.stage.set_faults(&faults.collect())
            }
            Step::Rest => {
                sleep(Duration::from_millis(self.suite.refresh_s * 1000 + 1000)).await;
                let at = self.journal_position();
                self.vanished = self.left.clone().map(|site| (site, at));
                Ok(())
            }
        }
    }

    /// The current position in the journal.
    fn journal_position(&mut self) -> usize {
        self.stage.watch.read();
        self.stage.watch.entries.len()
    }

    /// The server that was called directly last.
    fn last_used(&mut self) -> Option<String> {
        self.stage.watch.read();
        let servers = ["server-a", "server-b", "server-c"];
        let is_direct = |call: &&Call| servers.contains(&call.site.as_str()) && call.is_inference();
        calls(&self.stage.watch.entries).iter().rev().find(is_direct).map(|call| call.site.clone())
    }

    /// Sends a prompt and waits for the client's reply.
    async fn send_prompt(&mut self, dialogue: &mut Dialogue<'_>) -> ClientReport {
        let id = self.turns.len() + 1;
        let (model, stream, tools) = (self.scene.model(), self.scene.stream, self.scene.tools);
        let names: Vec<&str> = tools.iter().map(|tool| tool.name).collect();
        let mut prompt = format!("Question {id}: what is the sea like, in a few words?");
        if !tools.is_empty() {
            prompt += &format!(" Use {} to find out.", names.join(" and "));
        }
        let mut line = json!({ "id": id, "model": model, "prompt": prompt, "stream": stream });
        if !tools.is_empty() {
            line["tools"] = tools.iter().map(Tool::declaration).collect();
            line["results"] = tools.iter().map(|tool| (tool.name, tool.result)).collect();
        }
        if !dialogue.send(&line).await {
            return ClientReport::Nothing(ENDED);
        }
        let deadline = dialogue.limit().map(|limit| Instant::now() + limit);
        let late = async {
            match deadline {
                Some(deadline) => tokio::time::sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        };
        tokio::pin!(late);
        let mut ticks = interval(READ_EVERY);
        loop {
            tokio::select! {
                line = dialogue.next_line() => match line.as_deref() {
                    Some("") if matches!(dialogue, Dialogue::User { .. }) => {
                        return ClientReport::Nothing("nothing: no reply was entered");
                    }
                    Some(line) => if let Some(reported) = reported(line, id) { return reported },
                    None => return ClientReport::Nothing(ENDED),
                },
                () = &mut late => return ClientReport::Nothing("nothing in time"),
                _ = ticks.tick() => match dialogue {
                    Dialogue::User { say, .. } => self.stage.list(*say),
                    Dialogue::Client { .. } => self.stage.watch.read(),
                },
            }
        }
    }

    /// The trace, after the sockets are closed.
    fn close(self, ended: Ended, said: Option<&Said>) -> Trace {
        let (entries, around) = self.stage.close(ended, said);
        let sites = world::sites();
        let of_gateway =
            |call: &Call| sites.iter().any(|site| site.service == Service::Gateway && site.name == call.site);
        Trace {
            calls: calls(&entries).into_iter().filter(of_gateway).collect(),
            turns: self.turns,
            boots: self.boots,
            tools: self.scene.tools,
            vanished: self.vanished,
            key: self.key,
            item_hash: self.item_hash,
            around,
        }
    }
}

impl Dialogue<'_> {
    /// Sends a prompt. Returns whether the client can read it.
    async fn send(&mut self, line: &Value) -> bool {
        match self {
            Dialogue::User { say, .. } => {
                say(&line.to_string());
                true
            }
            Dialogue::Client { input, limit, .. } => {
                let Some(input) = input else { return false };
                let line = format!("{line}\n");
                let sent = async {
                    input.write_all(line.as_bytes()).await?;
                    input.flush().await
                };
                matches!(timeout(*limit, sent).await, Ok(Ok(())))
            }
        }
    }

    /// Ends the client's input.
    fn close_input(&mut self) {
        if let Dialogue::Client { input, .. } = self {
            *input = None;
        }
    }

    /// The next line of the replies; `None` at their end.
    async fn next_line(&mut self) -> Option<String> {
        match self {
            Dialogue::User { lines, .. } => match lines.recv().await {
                Some(line) => Some(line),
                // At the end of the input the world stays open.
                None => std::future::pending().await,
            },
            Dialogue::Client { output, .. } => output.next_line().await.ok().flatten(),
        }
    }

    /// How long a reply may take.
    fn limit(&self) -> Option<Duration> {
        match self {
            Dialogue::User { .. } => None,
            Dialogue::Client { limit, .. } => Some(*limit),
        }
    }
}

fn parse(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|e| format!("{text}: {e}"))
}
