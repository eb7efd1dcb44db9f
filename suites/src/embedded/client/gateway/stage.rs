//! Serves one world on sockets and runs the client in it.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::Stdio;
use std::time::Duration;

use assay_sim::control::open_sites;
use assay_sim::serve::{ClockMode, Handle};
use assay_sim::{World, world};
use assay_spec::Service;
use assay_spec::crypto::text;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines, Take};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::{Instant, interval, sleep, timeout};

use super::super::watch::{READ_EVERY, Said, Watch};
use super::Suite;
use super::front;
use super::scene::{Pays, Scene, Step, Tool, Way, Wire};
use super::trace::{ClientReport, Ended, Trace, Turn, calls, reported};
use crate::harness::probe::wall_clock;

/// The address of requests over a connection with another certificate than the enclave's.
pub(super) const IMPOSTOR: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 66));
/// The reply of a client that reads no prompt or prints no line.
const ENDED: &str = "nothing: the client has ended, or closed its input or output";
/// The most bytes of a client's output that are read.
const OUTPUT_BYTES: u64 = 4 * 1024 * 1024;

/// Starts the world, runs the client in it once, and returns what it did. An error is the harness's own.
pub(super) async fn play(suite: &Suite, name: &str, scene: &Scene) -> Result<Trace, String> {
    let world = World::new(suite.seed, wall_clock(), suite.dialect.clone());
    let handle = Handle::new(world, ClockMode::Real);
    let failed = |e: std::io::Error| format!("cannot listen: {e}");
    let loopback = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let (listeners, sites) = open_sites(&handle, loopback).await.map_err(failed)?;
    let opened = match scene.wire {
        Wire::Plain => None,
        Wire::Impostor => {
            let site = world::sites().into_iter().find(|site| site.name == "enclave");
            let opened = front::open(handle.clone(), site.ok_or("no site is named enclave")?, IMPOSTOR).await;
            let opened = opened.map_err(failed)?;
            let mut site_urls = handle.site_urls();
            site_urls.insert("enclave", opened.url.clone());
            handle.set_site_urls(site_urls);
            Some(opened)
        }
    };
    let view = handle.read(|world| world.view(Service::Gateway));
    let ca_file = tempfile::Builder::new().prefix("assay-").suffix(".ca.pem").tempfile();
    let ca_file = ca_file.map_err(|e| format!("cannot write the authority's certificate: {e}"))?;
    std::fs::write(ca_file.path(), handle.authority().pem())
        .map_err(|e| format!("{}: {e}", ca_file.path().display()))?;

    let key = match scene.pays {
        Pays::Key => view["keys"]["valid"].as_str(),
        Pays::Revoked => view["keys"]["revoked"].as_str(),
        Pays::Payment => None,
    };
    let (program, arguments) = suite.command.split_first().ok_or("no command to run")?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env("ASSAY_GATEWAY_URL", &sites["gateway"])
        .env("ASSAY_CA_FILE", ca_file.path())
        .env("ASSAY_MODE", if scene.way == Way::Gateway { "gateway" } else { "direct" })
        .env("ASSAY_REFRESH_SECONDS", suite.refresh_s.to_string())
        .env("ASSAY_ATTESTATION_KEY", view["enclave"]["authority"].as_str().unwrap_or_default())
        .env_remove("ASSAY_GATEWAY_KEY")
        .env_remove("ASSAY_PAYMENT")
        .env_remove("ASSAY_MODEL")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    if let Some(key) = key {
        command.env("ASSAY_GATEWAY_KEY", key);
    }
    if scene.pays == Pays::Payment {
        let payment = handle.read(|world| world.core.rng.draw("client.payment", name.as_bytes(), 0));
        command.env("ASSAY_PAYMENT", text::hex(&payment));
    }
    let mut child = command.spawn().map_err(|e| format!("cannot start {program:?}: {e}"))?;
    let said = Said::listen(child.stderr.take());
    let output = BufReader::new(child.stdout.take().ok_or("no standard output")?.take(OUTPUT_BYTES)).lines();
    let mut stage = Stage {
        suite,
        scene,
        handle: handle.clone(),
        watch: Watch::new(handle.clone()),
        input: child.stdin.take(),
        output,
        turns: Vec::new(),
        boots: Vec::new(),
        left: None,
        vanished: None,
        model: view["models"]
            .as_array()
            .into_iter()
            .flatten()
            .find(|model| model["id"] == scene.model())
            .cloned(),
    };
    for step in scene.script {
        stage.step(*step).await?;
    }
    stage.input = None;
    let ended = stage.end(&mut child).await?;
    stage.watch.read();
    drop((listeners, opened));
    let refusals = handle.read(|world| {
        let lines = world.core.log.lines();
        lines.map(|line| format!("the server: {}", json!(line))).collect()
    });
    let names: Vec<&'static str> =
        world::sites().iter().filter(|site| site.service == Service::Gateway).map(|site| site.name).collect();
    Ok(Trace {
        calls: calls(&stage.watch.entries, &names),
        turns: stage.turns,
        boots: stage.boots,
        tools: scene.tools,
        vanished: stage.vanished,
        key: key.map(str::to_owned),
        item_hash: view["enclave"]["item_hash"].as_str().unwrap_or("no item hash").to_owned(),
        ended,
        bases: handle.site_urls(),
        refusals,
        stderr: said.lines(),
    })
}

/// A running client and its world.
struct Stage<'a> {
    suite: &'a Suite,
    scene: &'a Scene,
    handle: Handle,
    watch: Watch,
    input: Option<ChildStdin>,
    output: Lines<BufReader<Take<ChildStdout>>>,
    turns: Vec<Turn>,
    boots: Vec<usize>,
    left: Option<String>,
    vanished: Option<(String, usize)>,
    model: Option<Value>,
}

impl Stage<'_> {
    /// Runs one step of the script.
    async fn step(&mut self, step: Step) -> Result<(), String> {
        match step {
            Step::Ask => {
                let from = self.journal_position();
                let reported = self.send_prompt().await;
                let until = self.journal_position();
                self.turns.push(Turn { span: [from, until], reported });
                Ok(())
            }
            Step::Faults(faults) => self.faults(&parse(faults)?),
            Step::Action(action, arguments) => {
                self.perform(action, &parse(arguments)?)?;
                if action == "gateway.reboot" {
                    let at = self.journal_position();
                    self.boots.push(at);
                }
                Ok(())
            }
            Step::LastLeaves => {
                if let Some(site) = self.last_used() {
                    self.perform("gateway.server", &json!({ "site": site, "listed": false }))?;
                    self.left = Some(site);
                }
                Ok(())
            }
            Step::OthersFail(fault) => {
                let used = self.last_used();
                let servers = self.model.as_ref().map(|model| model["servers"].clone()).unwrap_or_default();
                let servers: Vec<String> = serde_json::from_value(servers).map_err(|e| e.to_string())?;
                let survivor = servers.iter().rev().find(|server| Some(*server) != used.as_ref()).cloned();
                let failing = servers.into_iter().filter(|server| Some(server) != survivor.as_ref());
                let faults = failing.map(|server| json!({ "fault": fault, "where": { "server": server } }));
                self.faults(&faults.collect())
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
        self.watch.read();
        self.watch.entries.len()
    }

    fn perform(&self, action: &str, arguments: &Value) -> Result<(), String> {
        self.handle.change(|world| match world.perform(action, arguments) {
            Ok((_, outputs)) => (Ok(()), outputs),
            Err(why) => (Err(format!("{action}: {why}")), Vec::new()),
        })
    }

    fn faults(&self, faults: &Value) -> Result<(), String> {
        let faults = serde_json::from_value(faults.clone()).map_err(|e| e.to_string())?;
        self.handle.change(|world| (world.set_faults(faults), Vec::new()))
    }

    /// The server that was called directly last.
    fn last_used(&mut self) -> Option<String> {
        self.watch.read();
        let all = calls(&self.watch.entries, &["server-a", "server-b", "server-c"]);
        all.iter().rev().find(|call| call.is_inference()).map(|call| call.site.clone())
    }

    /// Sends a prompt and waits for the client's reply.
    async fn send_prompt(&mut self) -> ClientReport {
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
        let Some(input) = &mut self.input else { return ClientReport::Nothing(ENDED) };
        let line = format!("{line}\n");
        let sent = async {
            input.write_all(line.as_bytes()).await?;
            input.flush().await
        };
        if !matches!(timeout(self.suite.limit, sent).await, Ok(Ok(()))) {
            return ClientReport::Nothing(ENDED);
        }
        let deadline = Instant::now() + self.suite.limit;
        let mut ticks = interval(READ_EVERY);
        loop {
            tokio::select! {
                line = self.output.next_line() => match line {
                    Ok(Some(line)) => if let Some(reported) = reported(&line, id) { return reported },
                    _ => return ClientReport::Nothing(ENDED),
                },
                () = tokio::time::sleep_until(deadline) => return ClientReport::Nothing("nothing in time"),
                _ = ticks.tick() => self.watch.read(),
            }
        }
    }

    /// Waits for the client to exit.
    async fn end(&mut self, child: &mut Child) -> Result<Ended, String> {
        if let Ok(status) = timeout(self.suite.limit, child.wait()).await {
            status.map_err(|e| format!("cannot wait for the client: {e}"))?;
            return Ok(Ended::Itself);
        }
        child.kill().await.map_err(|e| format!("cannot stop the client: {e}"))?;
        Ok(Ended::Stopped(self.suite.limit))
    }
}

fn parse(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|e| format!("{text}: {e}"))
}
