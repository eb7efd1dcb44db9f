//! Which documented endpoints a run has seen at its target. Which of them exist in a running service is not shown
//! (document 2, "Endpoints"), so this is a report for whoever builds one, and never a verdict.

use assay_spec::endpoint::{Auth, Endpoint};
use assay_spec::network::route::route;
use assay_spec::{Dialect, Service};
use serde_json::Value;
use url::Url;

use crate::client::Limits;
use crate::exchange::{Exchange, Request, Response};
use crate::pace::Pace;
use crate::probe::Settings;
use crate::redact::Hidden;
use crate::target::{Dial, Environment, Target};
use crate::transport;

/// What a run has seen of one documented endpoint.
#[derive(Clone, Debug)]
pub struct Coverage {
    /// The endpoint.
    pub endpoint: &'static Endpoint,
    /// The target claims to offer it: its profile has not switched it off.
    pub declared: bool,
    /// What the answers say about its existence.
    pub seen: Seen,
    /// Answers of 2xx that checks had.
    pub accepted: Answers,
    /// Answers of 4xx that checks had.
    pub rejected: Answers,
    /// No check asked for it, so the run sent one request of its own.
    pub is_probed: bool,
}

/// Answers of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// How many came.
    pub count: usize,
    /// How many of them a check judged: a success by its body, a refusal by anything.
    pub judged: usize,
}

/// Whether an endpoint is there, as far as answers tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Seen {
    /// Nobody asked: it is switched off, the profile has no address for it, or no check needed it.
    NotAsked,
    /// What came says nothing: no answer, a redirect, a failure in a proxy's words.
    Unclear,
    /// Every answer said that there is no such endpoint: 404, 405 or 501, and not in the API's own words.
    Absent,
    /// Something answered that knows it.
    Present,
}

impl Seen {
    /// Every value, the most wanted first.
    pub const ALL: [Seen; 4] = [Seen::Present, Seen::Absent, Seen::Unclear, Seen::NotAsked];

    /// The value's name in every report.
    pub const fn name(self) -> &'static str {
        match self {
            Seen::NotAsked => "not-asked",
            Seen::Unclear => "unclear",
            Seen::Absent => "absent",
            Seen::Present => "present",
        }
    }

    /// What one answer says.
    fn of(endpoint: &Endpoint, response: &Response) -> Seen {
        match response.status {
            200..=299 => Seen::Present,
            404 | 405 | 501 if !is_own_refusal(endpoint, response) => Seen::Absent,
            400..=499 => Seen::Present,
            _ if is_own_refusal(endpoint, response) => Seen::Present,
            _ => Seen::Unclear,
        }
    }
}

/// An exchange of a check, and what the check stated about it: `Some(true)` where its body was judged.
pub type StatedExchange<'run> = (&'run Exchange, Option<bool>);

/// A row for each documented endpoint of these services, by the exchanges of their checks.
pub fn gather<'run>(
    services: &[Service],
    settings: &Settings,
    exchanges: impl Iterator<Item = StatedExchange<'run>>,
) -> Vec<Coverage> {
    let rows = services.iter().flat_map(|service| endpoints(*service));
    let mut rows: Vec<Coverage> = rows
        .map(|endpoint| Coverage {
            endpoint,
            declared: is_declared(settings, endpoint),
            seen: Seen::NotAsked,
            accepted: Answers::default(),
            rejected: Answers::default(),
            is_probed: false,
        })
        .collect();
    let known: Vec<&'static Endpoint> = rows.iter().map(|row| row.endpoint).collect();
    for (exchange, stated) in exchanges {
        let Some(endpoint) = endpoint_of(&known, settings, exchange) else { continue };
        let row = rows.iter_mut().find(|row| std::ptr::eq(row.endpoint, endpoint));
        if let Some(row) = row {
            row.count(exchange, stated);
        }
    }
    rows
}

impl Coverage {
    fn count(&mut self, exchange: &Exchange, stated: Option<bool>) {
        let response = exchange.response.as_ref().ok();
        let seen = response.map_or(Seen::Unclear, |response| Seen::of(self.endpoint, response));
        self.seen = self.seen.max(seen);
        let (answers, is_judged) = match response.map(|response| response.status) {
            Some(200..=299) => (&mut self.accepted, stated == Some(true)),
            Some(400..=499) => (&mut self.rejected, stated.is_some()),
            _ => return,
        };
        answers.count += 1;
        answers.judged += usize::from(is_judged);
    }
}

/// Asks once for each endpoint that is declared, has an address and was not asked for: a request that nothing can come
/// of, such as an empty object or a hash of nothing. Where a run may only read, nobody is asked to write even that.
pub async fn ask_for_the_rest(
    rows: &mut [Coverage],
    target: &dyn Target,
    pace: &Pace,
    read_only: bool,
) -> Result<(), String> {
    let wanted = |row: &&mut Coverage| {
        let may_be_asked = !(read_only && leaves_something(row.endpoint));
        row.declared && row.seen == Seen::NotAsked && may_be_asked && target.has_site(site(row.endpoint))
    };
    let mut wanted = rows.iter_mut().filter(wanted).peekable();
    if wanted.peek().is_none() {
        return Ok(());
    }
    let environment = target.environment(Service::Network).await?;
    for row in wanted {
        let name = site(row.endpoint);
        let Some(base) = environment.sites.get(name) else { continue };
        if !environment.own && pace.wait(name, 1).await.is_err() {
            continue;
        }
        let response = ask(&environment, name, base, row.endpoint).await;
        if let (Some(response), false) = (&response, environment.own) {
            pace.answered(name, response);
        }
        row.is_probed = true;
        row.seen = response.map_or(Seen::Unclear, |response| Seen::of(row.endpoint, &response));
    }
    target.leave(environment, false).await;
    Ok(())
}

/// What one harmless request brings; nothing where no answer came.
async fn ask(environment: &Environment, name: &str, base: &str, endpoint: &Endpoint) -> Option<Response> {
    let url = Url::parse(base).ok()?;
    let path = format!("{}{}", url.path().trim_end_matches('/'), filled(endpoint.path));
    let mut request = Request::new(endpoint.method, &path);
    if endpoint.method != "GET" {
        request = request.header("Content-Type", "application/json").body("{}");
    }
    let transport = environment.connector.transport();
    // What is hidden stands in no report: of these exchanges only the status does.
    let request = transport.dress(request, &mut Hidden::default());
    let to = Dial::to(base);
    let limits = transport.within(name, Limits::default());
    transport::send(&*environment.connector, to, &request, limits).await.response.ok()
}

/// A template with the hash of nothing in each of its braces.
fn filled(template: &str) -> String {
    let mut path = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        path.push_str(before);
        path.push_str(&"0".repeat(64));
        rest = after.split_once('}').map_or("", |(_, after)| after);
    }
    path + rest
}

/// The endpoint that an exchange asked for. All services' but one have templates that tell paths apart.
fn endpoint_of(
    known: &[&'static Endpoint],
    settings: &Settings,
    exchange: &Exchange,
) -> Option<&'static Endpoint> {
    let base = Url::parse(&exchange.base).ok()?;
    let path = exchange.request.target.split('?').next().unwrap_or_default();
    let path = path.strip_prefix(base.path().trim_end_matches('/'))?;
    if known.iter().any(|endpoint| endpoint.service == Service::Metadata) {
        let is_get = exchange.request.method == "GET";
        return assay_spec::metadata::route::endpoint(path.as_bytes()).filter(|_| is_get);
    }
    let path = crate::gateway::documented(&settings.dialect, path);
    route(known, &exchange.request.method, &path).ok().map(|found| found.endpoint)
}

/// Whether a refusal is in the API's own words, as far as its document shows them; else whether the endpoint has such
/// a status at all.
fn is_own_refusal(endpoint: &Endpoint, response: &Response) -> bool {
    let body = response.json().unwrap_or(Value::Null);
    match endpoint.service {
        Service::Network => crate::network::is_error_body(&body),
        Service::Gateway => endpoint.statuses.contains(&response.status) && body["detail"].is_string(),
        Service::Metadata => endpoint.statuses.contains(&response.status) && body["detail"].is_array(),
        Service::Hosting | Service::Publish | Service::Drop => {
            endpoint.statuses.contains(&response.status) && body["error"].is_string()
        }
    }
}

/// Whether a request asks for something to be left behind: a message, a file, a record, a drop. What is documented
/// nowhere may do so too, but for the services that hold nothing of their callers'.
pub fn writes(dialect: &Dialect, site: &str, base: &str, request: &Request) -> bool {
    if matches!(request.method.as_str(), "GET" | "HEAD" | "OPTIONS") || site == "chain" {
        return false;
    }
    let prefix = Url::parse(base).map(|url| url.path().trim_end_matches('/').to_owned()).unwrap_or_default();
    let path = request.target.split('?').next().unwrap_or_default();
    let path = crate::gateway::documented(dialect, path.strip_prefix(&prefix).unwrap_or(path));
    let known: Vec<&'static Endpoint> = Service::ALL
        .iter()
        .filter(|service| **service != Service::Metadata)
        .flat_map(|service| endpoints(*service).iter().copied())
        .collect();
    match route(&known, &request.method, &path) {
        Ok(found) => leaves_something(found.endpoint),
        Err(_) => !["gateway", "servers", "metadata"].contains(&site),
    }
}

/// What somebody signs for stays; so do a drop and what a backend gets back. Inference and draws leave nothing.
fn leaves_something(endpoint: &Endpoint) -> bool {
    let is_signed = matches!(endpoint.auth, Auth::VfKey | Auth::Envelope | Auth::FileSignature);
    let is_nameless = endpoint.auth == Auth::None;
    endpoint.method != "GET"
        && (is_signed || is_nameless && matches!(endpoint.service, Service::Drop | Service::Hosting))
}

fn is_declared(settings: &Settings, endpoint: &Endpoint) -> bool {
    match endpoint.service {
        Service::Gateway => settings.gateway.offers(endpoint),
        Service::Network => settings.network.offers(endpoint),
        Service::Metadata | Service::Hosting | Service::Publish | Service::Drop => true,
    }
}

/// The site that offers an endpoint.
pub(crate) fn site(endpoint: &Endpoint) -> &'static str {
    match endpoint.service {
        Service::Network => crate::network::site_of(endpoint),
        service => service.name(),
    }
}

macro_rules! declare {
    ($(($module:ident $variant:ident $document:literal))*) => {
        /// The documented endpoints of a service.
        pub(crate) fn endpoints(service: Service) -> &'static [&'static Endpoint] {
            match service { $(Service::$variant => assay_spec::$module::ENDPOINTS),* }
        }
    };
}

assay_spec::for_each_service!(declare);

/// How many rows have that value.
pub fn count(rows: &[Coverage], seen: Seen) -> usize {
    rows.iter().filter(|row| row.seen == seen).count()
}
