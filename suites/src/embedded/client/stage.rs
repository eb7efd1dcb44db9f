//! A world on sockets, what a client in it needs to know, and the client's process.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::Stdio;
use std::time::Duration;

use assay_sim::World;
use assay_sim::journal::Entry;
use assay_sim::serve::{ClockMode, Handle, Listener, open_sites};
use assay_spec::Service;
use serde_json::{Value, json};
use tokio::process::{Child, Command};
use tokio::time::sleep;

use super::front::Front;
use super::trace::{Around, Ended, calls};
use super::watch::{Said, Watch};
use crate::http::client::{Limits, exchange};
use crate::http::connect::Connect;
use crate::http::exchange::Request;
use crate::http::sockets::Tcp;

/// How long the world must be quiet after the client's end before it is judged: what the client sent last may still be
/// on its way.
const QUIET: Duration = Duration::from_millis(100);
/// The most times that it is looked at.
const LOOKS: usize = 20;

/// A world that is served on sockets.
pub(super) struct Stage {
    /// The world.
    pub(super) handle: Handle,
    /// Its journal so far.
    pub(super) watch: Watch,
    /// The environment of a client: names, and values if they are set.
    variables: BTreeMap<&'static str, Option<String>>,
    fronts: Vec<Front>,
    /// Base URLs by site, without fronts.
    own_urls: BTreeMap<&'static str, String>,
    _listeners: Vec<Listener>,
    /// The requests that were listed as they arrived.
    listed: usize,
}

/// A started client.
pub(super) struct Started {
    /// Its process.
    pub(super) child: Child,
    /// Its standard error.
    pub(super) said: Said,
}

impl Stage {
    /// Serves every site of a world at a free port, at this machine's time.
    pub(super) async fn open(world: World) -> Result<Stage, String> {
        let handle = Handle::new(world, ClockMode::Real);
        let loopback = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let (listeners, _) =
            open_sites(&handle, loopback).await.map_err(|e| format!("cannot listen: {e}"))?;
        let watch = Watch::new(handle.clone());
        Ok(Stage {
            own_urls: handle.site_urls(),
            handle,
            watch,
            variables: BTreeMap::new(),
            fronts: Vec::new(),
            _listeners: listeners,
            listed: 0,
        })
    }

    /// The base URL of a site.
    pub(super) fn url(&self, site: &str) -> String {
        self.handle.site_urls().get(site).cloned().unwrap_or_default()
    }

    /// Puts a wire in front of a site.
    pub(super) fn put_before(&mut self, site: &'static str, front: Front) {
        let mut urls = self.handle.site_urls();
        urls.insert(site, front.url.clone());
        self.handle.set_site_urls(urls);
        self.fronts.push(front);
    }

    /// Sets a variable of the client's environment, or removes it.
    pub(super) fn set(&mut self, name: &'static str, value: Option<String>) {
        self.variables.insert(name, value);
    }

    /// The client's environment as lines for a shell.
    pub(super) fn exports(&self) -> Vec<String> {
        let line = |(name, value): (&&str, &Option<String>)| match value {
            Some(value) => format!("export {name}='{}'", value.replace('\'', r"'\''")),
            None => format!("unset {name}"),
        };
        self.variables.iter().map(line).collect()
    }

    /// Starts a client in this environment.
    pub(super) fn start(&self, command: &[String], stdin: Stdio, stdout: Stdio) -> Result<Started, String> {
        let (program, arguments) = command.split_first().ok_or("no command to run")?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(stdin).stdout(stdout).stderr(Stdio::piped()).kill_on_drop(true);
        for (name, value) in &self.variables {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let mut child = command.spawn().map_err(|e| format!("cannot start {program:?}: {e}"))?;
        let said = Said::listen(child.stderr.take());
        Ok(Started { child, said })
    }

    /// Performs an action of the control API, and returns its answer.
    pub(super) fn perform(&self, action: &str, arguments: &Value) -> Result<Value, String> {
        self.handle.change(|world| match world.perform(action, arguments) {
            Ok((answer, outputs)) => (Ok(answer), outputs),
            Err(why) => (Err(format!("{action}: {why}")), Vec::new()),
        })
    }

    /// Sends a request of the suite's own to a site, and returns the JSON of a 2xx.
    pub(super) async fn send(&self, site: &str, request: &Request) -> Result<Value, String> {
        let url = self.own_urls.get(site).cloned().unwrap_or_default();
        let stream = Tcp.connect(&url, None).await.map_err(|e| e.to_string())?;
        let host = url.trim_start_matches("http://");
        let response = exchange(stream, request, host, Limits::default()).await.map_err(|e| e.to_string())?;
        if !(200..300).contains(&response.status) {
            return Err(format!("{}: {} {}", request.target, response.status, response.text()));
        }
        response.json()
    }

    /// Sets exactly these faults.
    pub(super) fn set_faults(&self, faults: &Value) -> Result<(), String> {
        let faults = serde_json::from_value(faults.clone()).map_err(|e| e.to_string())?;
        self.handle.change(|world| (world.set_faults(faults), Vec::new()))
    }

    /// Sets exactly these deviations.
    pub(super) fn set_deviations(&self, deviations: &[&str]) -> Result<(), String> {
        let deviations: Vec<String> = deviations.iter().map(ToString::to_string).collect();
        self.handle.change(|world| (world.set_deviations(&deviations), Vec::new()))
    }

    /// Sets limits of a service.
    pub(super) fn set_limits(&self, service: Service, limits: &[(&str, i64)]) -> Result<(), String> {
        let limits: serde_json::Map<String, Value> =
            limits.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
        self.handle.change(|world| (world.set_limits(service, &limits.into()), Vec::new()))
    }

    /// Lists the answered requests that were not listed yet.
    pub(super) fn list(&mut self, say: &dyn Fn(&str)) {
        self.watch.read();
        let calls = calls(&self.watch.entries);
        for call in calls.iter().skip(self.listed).take_while(|call| call.is_whole() || call.aborted) {
            let status = if call.status() == 0 { "no answer".to_owned() } else { call.status().to_string() };
            say(&format!("  {}: {} {} -> {status}", call.site, call.request.method, call.request.target));
            self.listed += 1;
        }
    }

    /// Waits until nothing new arrives.
    pub(super) async fn settle(&mut self) {
        for _ in 0..LOOKS {
            self.watch.read();
            let before = self.watch.entries.len();
            sleep(QUIET).await;
            self.watch.read();
            if self.watch.entries.len() == before {
                return;
            }
        }
    }

    /// Closes the sockets. Returns the journal, and what reports show besides.
    pub(super) fn close(self, ended: Ended, said: Option<&Said>) -> (Vec<Entry>, Around) {
        let refusals = self.handle.read(|world| {
            let lines = world.core.log.lines();
            lines.map(|line| format!("the server: {}", json!(line))).collect()
        });
        let stderr = said.map(Said::lines).unwrap_or_default();
        let around = Around { ended, bases: self.handle.site_urls(), refusals, stderr };
        (self.watch.entries, around)
    }
}
