//! Servers that return the same response to every request, and the checks that may pass on them.
//!
//! A check that passes on such a server was not shown anything. [`DESERVED`] lists the exceptions, each with its reason.
//! If only one endpoint of a server is constant, at least one check must fail, unless all that use it deserve their pass.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use assay_spec::endpoint::Endpoint;
use assay_spec::{Dialect, Service};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

use super::prove::Breadth;
use super::{BUFFER, Embedded};
use crate::documents::endpoints;
use crate::harness::check::Check;
use crate::harness::control::Offer;
use crate::harness::data::{Conditions, Outcome, Verdict};
use crate::harness::environment::Environment;
use crate::harness::target::{EnvironmentFuture, Leaving, Target};
use crate::http::connect::{Connect, Connecting, Stream};
use crate::http::exchange::Broken;

/// Checks that may pass on a constant server, and why: the document allows such a response, or there is nothing to judge.
pub const DESERVED: &[(&str, &str)] = &[
    ("metadata.root.html", "a page that is the same for every path is an HTML document at the root too"),
    (
        "network.probes.login",
        "the document shows the status of this path alone; a node may require a login elsewhere",
    ),
    ("network.probes.status-check", "the document shows a 2xx status, and no body"),
    ("network.probes.vm", "the document shows a 2xx status, and no body"),
];

/// What a constant server returns.
#[derive(Clone, Copy, Debug)]
struct Reply {
    status: u16,
    headers: &'static [(&'static str, &'static str)],
    body: &'static str,
}

/// Which response a constant server returns.
#[derive(Clone, Copy, Debug)]
enum Choice {
    Always(Reply),
    /// 200 with the body of the request.
    Echo,
    /// One for `GET` and `HEAD`, another for every other method.
    ByMethod(Reply, Reply),
    /// One, then the other, in turns.
    InTurns(Reply, Reply),
}

/// A constant server.
#[derive(Clone, Copy, Debug)]
pub struct Server {
    /// Its name in reports.
    pub name: &'static str,
    choice: Choice,
    /// Only this endpoint returns it; everything else is the simulator's.
    only: Option<&'static Endpoint>,
}

const JSON: &[(&str, &str)] = &[("content-type", "application/json")];

/// The members of all documented error bodies.
const ERROR: &str =
    r#"{"error":"constant","detail":"constant","message":"constant","status":"error","code":"CONSTANT"}"#;

const HTML: Reply = Reply {
    status: 200,
    headers: &[("content-type", "text/html; charset=utf-8")],
    body: "<!DOCTYPE html>\n<html><head><title>Welcome</title></head><body>It works.</body></html>\n",
};

const fn json(status: u16, body: &'static str) -> Reply {
    Reply { status, headers: JSON, body }
}

const fn empty(status: u16) -> Reply {
    Reply { status, headers: &[], body: "" }
}

const fn moved(to: &'static [(&'static str, &'static str)]) -> Reply {
    Reply { status: 301, headers: to, body: "" }
}

const fn server(name: &'static str, choice: Choice) -> Server {
    Server { name, choice, only: None }
}

const fn always(name: &'static str, reply: Reply) -> Server {
    server(name, Choice::Always(reply))
}

/// Every constant server.
const SERVERS: &[Server] = &[
    always("200 {}", json(200, "{}")),
    always("200 []", json(200, "[]")),
    always("200 null", json(200, "null")),
    always("200 \"x\"", json(200, "\"x\"")),
    always("200 empty", empty(200)),
    always("200 HTML", HTML),
    server("200 echo", Choice::Echo),
    always("204", empty(204)),
    always("301 to itself", moved(&[("location", "")])),
    always("301 elsewhere", moved(&[("location", "http://elsewhere.sim/")])),
    always("304", empty(304)),
    always("400", empty(400)),
    always("400 error", json(400, ERROR)),
    always("401", empty(401)),
    always("401 error", json(401, ERROR)),
    always("403", empty(403)),
    always("403 error", json(403, ERROR)),
    always("404", empty(404)),
    always("404 error", json(404, ERROR)),
    always("422", empty(422)),
    always("422 error", json(422, ERROR)),
    always(
        "422 details",
        json(422, r#"{"detail":[{"loc":["path","token_id"],"msg":"constant","type":"constant"}]}"#),
    ),
    always("429", empty(429)),
    always(
        "429 error",
        Reply {
            status: 429,
            headers: &[("content-type", "application/json"), ("retry-after", "1")],
            body: ERROR,
        },
    ),
    always("500", empty(500)),
    always("500 error", json(500, ERROR)),
    always("503", empty(503)),
    always("503 error", json(503, ERROR)),
    server("GET 200 {}, other 404", Choice::ByMethod(json(200, "{}"), json(404, ERROR))),
    server("GET 404, other 200 {}", Choice::ByMethod(json(404, ERROR), json(200, "{}"))),
    server("200 {} and 500 in turns", Choice::InTurns(json(200, "{}"), json(500, ERROR))),
    server("500 and 200 {} in turns", Choice::InTurns(json(500, ERROR), json(200, "{}"))),
];

/// The most checks that may be in [`DESERVED`].
const MOST: usize = 28;

/// The servers on which most of the weak checks have passed; with [`Breadth::Own`] only these are run.
const FEW: &[&str] = &[
    "200 {}",
    "200 []",
    "200 HTML",
    "200 echo",
    "401 error",
    "404 error",
    "422 details",
    "500 error",
    "200 {} and 500 in turns",
];

/// What one endpoint of an otherwise conforming server returns.
const BROKEN: &[Server] = &[
    always("200 {}", json(200, "{}")),
    always("400 error", json(400, ERROR)),
    always("500 error", json(500, ERROR)),
];

/// The servers on which only `endpoint` is broken.
pub fn broken_at(endpoint: &'static Endpoint) -> impl Iterator<Item = (&'static Endpoint, Server)> {
    BROKEN.iter().map(move |server| (endpoint, Server { only: Some(endpoint), ..*server }))
}

/// The servers that a proof runs.
pub fn servers(breadth: Breadth) -> impl Iterator<Item = Server> {
    SERVERS.iter().copied().filter(move |server| breadth == Breadth::Met || FEW.contains(&server.name))
}

impl Server {
    /// The response to the `n`th request.
    fn response(&self, n: u64, head: &str, body: &[u8]) -> Vec<u8> {
        let is_read = head.starts_with("GET ") || head.starts_with("HEAD ");
        let reply = match self.choice {
            Choice::Always(reply) => reply,
            Choice::Echo => json(200, ""),
            Choice::ByMethod(read, other) => {
                if is_read {
                    read
                } else {
                    other
                }
            }
            Choice::InTurns(one, other) => {
                if n.is_multiple_of(2) {
                    one
                } else {
                    other
                }
            }
        };
        let body = if matches!(self.choice, Choice::Echo) { body } else { reply.body.as_bytes() };
        let mut response = format!("HTTP/1.1 {} Constant\r\nconnection: close\r\n", reply.status);
        for (name, value) in reply.headers {
            response.push_str(&format!("{name}: {value}\r\n"));
        }
        let has_body = !matches!(reply.status, 204 | 304);
        if has_body {
            response.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        response.push_str("\r\n");
        let mut response = response.into_bytes();
        if has_body && !head.starts_with("HEAD ") {
            response.extend_from_slice(body);
        }
        response
    }

    /// Reads one request and answers it, or passes it on if another endpoint is the constant one.
    async fn serve(self, n: u64, mut io: DuplexStream, behind: Behind) -> std::io::Result<()> {
        let mut bytes = Vec::new();
        let end = loop {
            if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
                break end + 4;
            }
            if io.read_buf(&mut bytes).await? == 0 {
                return Ok(());
            }
        };
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        if let Some(only) = self.only
            && behind.endpoint(&head).is_none_or(|endpoint| !std::ptr::eq(endpoint, only))
        {
            let through = behind.memory.connect(&behind.base, behind.source).await;
            let mut through = through.map_err(|broken| std::io::Error::other(broken.to_string()))?;
            through.write_all(&bytes).await?;
            return tokio::io::copy_bidirectional(&mut io, &mut through).await.map(drop);
        }
        let mut body = bytes.split_off(end);
        let header = |wanted: &str| {
            let mut lines = head.lines().filter_map(|line| line.split_once(':'));
            lines
                .find(|(name, _)| name.eq_ignore_ascii_case(wanted))
                .map(|(_, value)| value.trim().to_owned())
        };
        let length = header("content-length").and_then(|length| length.parse::<usize>().ok());
        let is_chunked = header("transfer-encoding").is_some();
        while length.is_some_and(|length| body.len() < length) || is_chunked && !body.ends_with(b"0\r\n\r\n")
        {
            if io.read_buf(&mut body).await? == 0 {
                break;
            }
        }
        io.write_all(&self.response(n, &head, &body)).await?;
        io.shutdown().await
    }
}

/// A target whose sites are all one constant server. Its control API is the simulator's, so that no check lacks anything.
pub struct Constant {
    embedded: Arc<Embedded>,
    server: Server,
}

impl Constant {
    /// `server` in the place of every site of `embedded`.
    pub fn new(embedded: Arc<Embedded>, server: Server) -> Constant {
        Constant { embedded, server }
    }
}

/// What is behind a constant server.
struct Behind {
    memory: Arc<dyn Connect>,
    site: String,
    base: String,
    source: Option<IpAddr>,
}

impl Behind {
    /// The endpoint of a request.
    fn endpoint(&self, head: &str) -> Option<&'static Endpoint> {
        let mut words = head.split(' ');
        let (method, target) = (words.next()?, words.next()?);
        endpoints::find(&Dialect::default(), &self.site, &self.base, method, target)
    }
}

/// Connections to the constant server, and to the control API.
struct Instead {
    memory: Arc<dyn Connect>,
    sites: BTreeMap<String, String>,
    server: Server,
    asked: AtomicU64,
}

impl Connect for Instead {
    fn connect<'a>(&'a self, base: &'a str, source: Option<IpAddr>) -> Connecting<'a> {
        if base.starts_with(super::CONTROL) {
            return self.memory.connect(base, source);
        }
        let n = self.asked.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move {
            let (ours, theirs) = tokio::io::duplex(BUFFER);
            let site = self.sites.iter().find(|(_, url)| *url == base).map(|(site, _)| site.clone());
            let (memory, base) = (self.memory.clone(), base.to_owned());
            let behind = Behind { memory, site: site.unwrap_or_default(), base, source };
            drop(tokio::spawn(self.server.serve(n, theirs, behind)));
            Ok::<_, Broken>(Box::new(ours) as Box<dyn Stream>)
        })
    }

    /// The constant server looks at the first request of a connection only.
    fn keeps(&self) -> bool {
        false
    }
}

impl Target for Constant {
    fn name(&self) -> String {
        match self.server.only {
            None => format!("constant server {}", self.server.name),
            Some(Endpoint { method, path, .. }) => format!("{} from {method} {path}", self.server.name),
        }
    }

    fn offer(&self) -> &Offer {
        self.embedded.offer()
    }

    fn has_site(&self, name: &str) -> bool {
        self.embedded.has_site(name)
    }

    fn environment(&self, service: Service) -> EnvironmentFuture<'_> {
        Box::pin(async move {
            let environment = self.embedded.environment(service).await?;
            let memory = environment.connector;
            let sites = environment.sites.clone();
            let instead = Instead { memory, sites, server: self.server, asked: AtomicU64::new(0) };
            Ok(Environment { connector: Arc::new(instead), ..environment })
        })
    }

    fn leave(&self, environment: Environment, keep: bool) -> Leaving<'_> {
        self.embedded.leave(environment, keep)
    }

    fn conditions(&self) -> Conditions {
        self.embedded.conditions()
    }

    fn is_embedded(&self) -> bool {
        true
    }

    /// The simulator behind it sees few requests or none.
    fn is_traced(&self) -> bool {
        false
    }
}

/// The checks that passed on constant servers, with the names of these servers.
pub type Passes = BTreeMap<String, Vec<&'static str>>;

/// Whether a check passed that may pass on a constant server.
pub fn is_deserved(outcome: &Outcome) -> bool {
    let id = outcome.requirement.to_string();
    outcome.verdict == Verdict::Pass && DESERVED.iter().any(|(deserved, _)| *deserved == id)
}

/// The differences between what passed and what may pass, among the checks in `wanted`.
pub fn holes(passes: &Passes, wanted: &[&Check]) -> Vec<String> {
    let deserved: BTreeMap<&str, &str> = DESERVED.iter().copied().collect();
    let too_many =
        (deserved.len() > MOST).then(|| format!("more than {MOST} checks may pass on constant servers"));
    let passed = passes.iter().filter_map(|(id, servers)| {
        let on = servers.join("; ");
        let is_internal = servers.iter().any(|server| matches!(*server, "500" | "500 error"));
        match deserved.get(id.as_str()) {
            None => Some(format!("{id} passes on constant servers: {on}")),
            Some(_) if is_internal => Some(format!("{id} passes on a server that always returns 500")),
            Some(_) => None,
        }
    });
    let is_wanted = |id: &str| wanted.iter().any(|check| check.requirement.to_string() == id);
    let gone = deserved.keys().filter(|id| is_wanted(id) && !passes.contains_key(**id));
    let gone = gone.map(|id| format!("{id} passes on no constant server, but is listed for that"));
    passed.chain(gone).chain(too_many).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::services;

    #[test]
    fn list_is_exact_and_nothing_passes_on_500() {
        let all = services::checks();
        let listed: Passes = DESERVED.iter().map(|(id, _)| ((*id).to_owned(), vec!["200 {}"])).collect();
        assert_eq!(holes(&listed, &all), Vec::<String>::new());
        let known = |id: &str| all.iter().any(|check| check.requirement.to_string() == id);
        assert!(DESERVED.iter().all(|(id, why)| known(id) && !why.is_empty()));
        let with = |id: &str, servers: Vec<&'static str>| {
            let mut passes = listed.clone();
            passes.insert(id.to_owned(), servers);
            holes(&passes, &all)
        };
        assert_eq!(with("publish.prepare.message", vec!["404"]).len(), 1, "a check that joins");
        assert_eq!(with(DESERVED[0].0, vec!["200 {}", "500"]).len(), 1, "a pass on 500");
        let mut less = listed.clone();
        less.remove(DESERVED[0].0);
        assert_eq!(holes(&less, &all).len(), 1, "a check that passes no longer");
        assert_eq!(holes(&less, &all[..1]), Vec::<String>::new(), "it was not selected");
        assert_eq!(servers(Breadth::Own).count(), FEW.len());
    }
}
