//! Traffic that others make: between a client and a server ([`proxy`]), or from a recording ([`har`]). Every response is held to
//! the declarations of its endpoint, and to what the other exchanges show. It costs no request.
//!
//! Imports everything below it. Entry point: [`Watched`].

pub mod har;
pub mod proxy;

use std::collections::{BTreeMap, BTreeSet};

use assay_spec::{Dialect, Id, Instant};
use serde_json::Value;

use crate::documents::endpoints;
use crate::harness::data::{Failure, Run, Worlds};
use crate::harness::judge::ambient::{breaches, of_traffic};
use crate::harness::redact::redact;
use crate::http::curl::bearer_token;
use crate::http::exchange::Exchange;
use crate::http::hiding::Hidden;
use crate::services::SUITES;
use crate::support::prose::count;

/// How many bytes of requests and responses are kept. What comes later is judged as it passes, and is not compared with other
/// exchanges.
const KEPT_BYTES: usize = 256 * 1024 * 1024;
/// The longest body that is judged, in bytes.
pub const BODY_BYTES: usize = 4 * 1024 * 1024;
/// Headers whose values are secrets. Reports hide bearer tokens in any case.
const SECRET_HEADERS: [&str; 5] = ["x-api-key", "x-payment", "proxy-authorization", "cookie", "set-cookie"];
/// Members of responses whose values are secrets.
const SECRET_MEMBERS: [&str; 2] = ["claimToken", "secret"];
/// Why an exchange is not judged whose client did not wait.
const LEFT: &str = "the client left before the end of the response";
/// How many paths without documentation are counted one by one.
const UNDOCUMENTED: usize = 1_000;
/// How many paths without documentation a remark names.
const NAMED: usize = 5;

/// An exchange, as far as it could be read.
#[derive(Debug)]
pub enum Passed {
    /// The whole exchange.
    Whole(Box<Observed>),
    /// An exchange of this site without a complete body: it was too long, or the recording lacks it.
    Without(String, &'static str),
    /// An exchange with a server that is not watched.
    Elsewhere,
}

/// An exchange between a client and a server.
#[derive(Clone, Debug)]
pub struct Observed {
    /// The exchange.
    pub exchange: Exchange,
    /// When it took place; a recording may not say so.
    pub times: Option<Times>,
    /// The client left before the response had ended.
    pub left: bool,
}

/// When an exchange took place, by the clock of the machine that saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Times {
    /// The head of the request came.
    pub began: Instant,
    /// The response had ended.
    pub ended: Instant,
}

/// The exchanges so far.
#[derive(Default)]
pub struct Watched {
    dialect: Dialect,
    kept: Vec<Observed>,
    kept_bytes: usize,
    /// How many exchanges each endpoint had, by status.
    statuses: BTreeMap<String, BTreeMap<String, usize>>,
    /// The rows that a response has broken, and how many responses broke each.
    broken: BTreeMap<Id, usize>,
    /// Exchanges that were judged alone.
    alone: usize,
    /// Exchanges that were not judged, by reason.
    unjudged: BTreeMap<&'static str, usize>,
    undocumented: BTreeSet<String>,
    hidden: Hidden,
}

impl Watched {
    /// No exchange yet, with a server of this dialect.
    pub fn new(dialect: Dialect) -> Watched {
        Watched { dialect, ..Watched::default() }
    }

    /// Adds an exchange. Returns the rows that it breaks and that no exchange before broke.
    pub fn add(&mut self, passed: Passed) -> Vec<(Id, Failure)> {
        let observed = match passed {
            Passed::Whole(observed) => *observed,
            Passed::Without(_, why) => {
                *self.unjudged.entry(why).or_default() += 1;
                return Vec::new();
            }
            Passed::Elsewhere => {
                *self.unjudged.entry("went to other servers").or_default() += 1;
                return Vec::new();
            }
        };
        if observed.left {
            *self.unjudged.entry(LEFT).or_default() += 1;
        } else {
            self.count_status(&observed.exchange);
        }
        let (_, found) = breaches(&observed.exchange, &self.dialect, Worlds::Shared);
        let mut fresh = Vec::new();
        for (row, failure) in found {
            let count = self.broken.entry(row).or_default();
            *count += 1;
            if *count == 1 {
                fresh.push((row, failure));
            }
        }
        self.kept_bytes += size_of(&observed.exchange);
        if self.kept_bytes <= KEPT_BYTES || !fresh.is_empty() {
            self.hide(&observed.exchange);
            self.kept.push(observed);
        } else {
            self.alone += 1;
        }
        for (_, Failure { place, want, got, .. }) in &mut fresh {
            for text in [place, want, got] {
                self.hidden.redact_text(text);
            }
        }
        fresh
    }

    /// Counts the exchange at its endpoint, or among the other paths where too many are not documented.
    fn count_status(&mut self, exchange: &Exchange) {
        let mut name = endpoints::name(exchange);
        if endpoints::endpoint_of(&self.dialect, exchange).is_none() {
            if self.undocumented.len() < UNDOCUMENTED {
                self.undocumented.insert(name.clone());
            } else if !self.undocumented.contains(&name) {
                "other paths".clone_into(&mut name);
            }
        }
        *self.statuses.entry(name).or_default().entry(status_of(exchange)).or_default() += 1;
    }

    /// How many exchanges there were.
    pub fn count(&self) -> usize {
        self.kept.len() + self.alone
    }

    fn hide(&mut self, exchange: &Exchange) {
        let sent = exchange.request.headers.iter();
        let received = exchange.response.iter().flat_map(|response| &response.headers);
        for (name, value) in sent.chain(received) {
            let token = bearer_token(name, value).and_then(|at| std::str::from_utf8(&value[at..]).ok());
            if let Some(token) = token {
                self.hidden.add_secret("bearer token", token);
            }
            let name = SECRET_HEADERS.iter().find(|known| name.eq_ignore_ascii_case(known));
            if let (Some(name), Ok(value)) = (name, std::str::from_utf8(value)) {
                self.hidden.add_secret(name, value);
            }
        }
        let body = exchange.response.as_ref().ok().and_then(|response| response.json().ok());
        for name in SECRET_MEMBERS {
            if let Some(Value::String(value)) = body.as_ref().and_then(|body| body.get(name)) {
                self.hidden.add_secret(name, value);
            }
        }
    }

    /// The table of endpoints: how many exchanges each had, by status.
    pub fn endpoints(&self) -> String {
        let width = self.statuses.keys().map(|name| name.chars().count()).max().unwrap_or_default();
        let line = |(name, statuses): (&String, &BTreeMap<String, usize>)| {
            let statuses: Vec<String> =
                statuses.iter().map(|(status, count)| format!("{status} x {count}")).collect();
            format!("  {name:<width$}  {}\n", statuses.join(", "))
        };
        let mut table = self.statuses.iter().map(line).collect();
        self.hidden.redact_text(&mut table);
        table
    }

    /// The first exchange of each endpoint and status that the server rejected for what the client sent.
    pub fn rejected(&self) -> Vec<&Exchange> {
        let mut seen = BTreeSet::new();
        let is_rejected = |exchange: &&Exchange| {
            let status = exchange.response.as_ref().map_or(0, |response| response.status);
            (400..500).contains(&status)
        };
        let rejected = self.kept.iter().map(|observed| &observed.exchange).filter(is_rejected);
        rejected.filter(|exchange| seen.insert((endpoints::name(exchange), status_of(exchange)))).collect()
    }

    /// The run of the traffic between clients and `target`: an outcome for each row that a response shows something of. `explained`
    /// says why requests were rejected.
    pub fn judge(self, target: String, explained: Vec<String>) -> Run {
        let mut run = Run { target, ..Run::new(SUITES) };
        let (exchanges, endpoints) =
            (count(self.count(), "exchange"), count(self.statuses.len(), "endpoint"));
        run.remarks.push(format!("watched {exchanges} at {endpoints}"));
        if self.alone > 0 {
            let most = KEPT_BYTES / 1024 / 1024;
            let alone = count(self.alone, "exchange");
            run.remarks.push(format!("after the first {most} MiB, {alone} not compared with others"));
        }
        for (why, number) in &self.unjudged {
            run.remarks.push(format!("not judged: {} that {why}", count(*number, "exchange")));
        }
        if !self.undocumented.is_empty() {
            let named: Vec<&str> = self.undocumented.iter().take(NAMED).map(String::as_str).collect();
            let more = self.undocumented.len().saturating_sub(NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            run.remarks.push(format!("not documented: {}{more}", named.join(", ")));
        }
        for (row, number) in self.broken.iter().filter(|(_, number)| **number > 1) {
            run.remarks.push(format!("{row}: {number} responses break it"));
        }
        run.remarks.extend(explained);
        run.remarks.iter_mut().for_each(|remark| self.hidden.redact_text(remark));
        let exchanges = self.kept.into_iter().map(|observed| observed.exchange).collect();
        run.outcomes = of_traffic(exchanges, &self.dialect, SUITES);
        run.outcomes.iter_mut().for_each(|outcome| redact(&self.hidden, outcome));
        run
    }
}

/// The status, or why there is none.
fn status_of(exchange: &Exchange) -> String {
    exchange.response.as_ref().map_or_else(ToString::to_string, |response| response.status.to_string())
}

/// What an exchange takes, in bytes.
fn size_of(exchange: &Exchange) -> usize {
    let headers = |headers: &[(String, Vec<u8>)]| -> usize {
        headers.iter().map(|(name, value)| name.len() + value.len()).sum()
    };
    let request = &exchange.request;
    let sent = request.target.len() + headers(&request.headers) + request.body.len();
    let received =
        exchange.response.as_ref().map_or(0, |response| headers(&response.headers) + response.body.len());
    sent + received
}
