//! Which documented endpoints a run has seen at its target. The documents do not say which of them a running service
//! has (document 2, "Endpoints"), so this is information, never a verdict.

use assay_spec::endpoint::{Auth, Endpoint};
use assay_spec::network::route::route;
use assay_spec::{Dialect, Service, catalogue};
use serde_json::Value;
use url::Url;

use crate::client::Limits;
use crate::exchange::{Exchange, Request, Response};
use crate::pace::Pace;
use crate::probe::Settings;
use crate::sender::Sender;
use crate::target::{Environment, Target};

/// What a run observed about one documented endpoint.
#[derive(Clone, Debug)]
pub struct Coverage {
    /// The endpoint.
    pub endpoint: &'static Endpoint,
    /// The profile has not switched it off.
    pub declared: bool,
    /// What the responses say about its existence.
    pub seen: Seen,
    /// 2xx responses to checks.
    pub accepted: Answers,
    /// 4xx responses to checks.
    pub rejected: Answers,
    /// No check used it, so the run sent one extra request.
    pub is_probed: bool,
}

/// Responses of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// Their number.
    pub count: usize,
    /// How many of them a check judged: a success by its body, a rejection by anything.
    pub judged: usize,
}

/// Whether an endpoint exists, according to the responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Seen {
    /// No request was sent: it is switched off, the profile has no address for it, or no check needed it.
    NotAsked,
    /// The responses are inconclusive: no response, a redirect, an error of a proxy.
    Unclear,
    /// Every response was a 404, 405 or 501 that is not in the API's error form.
    Absent,
    /// The endpoint responded.
    Present,
}

impl Seen {
    /// Every value; in a merge the first one wins.
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

    /// What one response says.
    fn from_response(endpoint: &Endpoint, response: &Response) -> Seen {
        match response.status {
            200..=299 => Seen::Present,
            404 | 405 | 501 if !is_own_refusal(endpoint, response) => Seen::Absent,
            400..=499 => Seen::Present,
            _ if is_own_refusal(endpoint, response) => Seen::Present,
            _ => Seen::Unclear,
        }
    }
}

/// An exchange of a check, and whether the check judged it; `Some(true)` means by its body.
pub type StatedExchange<'run> = (&'run Exchange, Option<bool>);

/// A row for each documented endpoint of these services, computed from the exchanges of their checks.
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
    for (exchange, stated) in exchanges {
        let Some(endpoint) = endpoint_of(&settings.dialect, exchange) else { continue };
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
        let seen = response.map_or(Seen::Unclear, |response| Seen::from_response(self.endpoint, response));
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

/// Sends one harmless request (such as an empty object or an unknown hash) to each endpoint that is declared, has an
/// address and was not used. In a read-only run, no writing endpoint gets one.
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
        if !environment.own && pace.start(name, 1).await.is_err() {
            continue;
        }
        let response = send_harmless(&environment, base, row.endpoint).await;
        if let (Some(response), false) = (&response, environment.own) {
            pace.answered(name, response);
        }
        row.is_probed = true;
        row.seen = response.map_or(Seen::Unclear, |response| Seen::from_response(row.endpoint, &response));
    }
    target.leave(environment, false).await;
    Ok(())
}

/// Sends one harmless request; `None` if no response came.
async fn send_harmless(environment: &Environment, base: &str, endpoint: &Endpoint) -> Option<Response> {
    let sender = Sender::new(environment.connector.clone(), base).ok()?;
    let mut request = Request::new(endpoint.method, &sender.target(&filled(endpoint.path)));
    if endpoint.method != "GET" {
        request = request.header("Content-Type", "application/json").body("{}");
    }
    sender.once(request, Limits::default()).await.ok()
}

/// A template with an unknown hash for each placeholder.
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

/// The endpoint that an exchange was for, by the site and the path that it was sent to.
pub(crate) fn endpoint_of(dialect: &Dialect, exchange: &Exchange) -> Option<&'static Endpoint> {
    endpoint_at(dialect, exchange, &exchange.request.method)
}

/// As [`endpoint_of`], as if the request had another method.
pub(crate) fn endpoint_at(dialect: &Dialect, exchange: &Exchange, method: &str) -> Option<&'static Endpoint> {
    find(dialect, &exchange.site, &exchange.base, method, &exchange.request.target)
}

/// The endpoint of a request to one of the target's sites.
pub(crate) fn find(
    dialect: &Dialect,
    site: &str,
    base: &str,
    method: &str,
    target: &str,
) -> Option<&'static Endpoint> {
    let (service, base) = (service_at(site)?, Url::parse(base).ok()?);
    let path = target.split('?').next().unwrap_or_default();
    let path = path.strip_prefix(base.path().trim_end_matches('/'))?;
    catalogue::endpoint_at(dialect, service, site, method, path)
}

/// The service behind a site. `None`: the site is not one that the documents describe with endpoints.
pub(crate) fn service_at(name: &str) -> Option<Service> {
    let is_of_network = || {
        let is_numbered = name.starts_with("network-") || name.starts_with("compute-");
        is_numbered || endpoints(Service::Network).iter().any(|endpoint| site(endpoint) == name)
    };
    Service::named(name).or_else(|| is_of_network().then_some(Service::Network))
}

/// Whether a rejection is in the API's error form, as far as the document defines it; otherwise whether the endpoint
/// has this status at all.
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

/// Whether a request may leave data behind: a message, a file, a record, a drop. An undocumented request counts as
/// writing, except at services that store nothing.
pub fn writes(dialect: &Dialect, site: &str, base: &str, request: &Request) -> bool {
    if matches!(request.method.as_str(), "GET" | "HEAD" | "OPTIONS") || site == "chain" {
        return false;
    }
    match route(&with_templates(), &request.method, &path(dialect, base, request)) {
        Ok(found) => leaves_something(found.endpoint),
        Err(_) => !["gateway", "servers", "metadata"].contains(&site),
    }
}

/// The endpoints of every service whose templates distinguish paths.
fn with_templates() -> Vec<&'static Endpoint> {
    let services = Service::ALL.iter().filter(|service| **service != Service::Metadata);
    services.flat_map(|service| endpoints(*service)).copied().collect()
}

/// The path of a request below its base URL, as documented.
fn path(dialect: &Dialect, base: &str, request: &Request) -> String {
    let prefix = Url::parse(base).map(|url| url.path().trim_end_matches('/').to_owned()).unwrap_or_default();
    let path = request.target.split('?').next().unwrap_or_default();
    crate::gateway::documented(dialect, path.strip_prefix(&prefix).unwrap_or(path))
}

/// Method and path of the documented endpoint of an exchange; its own path if it is not documented.
pub fn name(exchange: &Exchange) -> String {
    let Exchange { base, request, .. } = exchange;
    let path = endpoint_of(&Dialect::default(), exchange)
        .map_or_else(|| path(&Dialect::default(), base, request), |endpoint| endpoint.path.to_owned());
    format!("{} {path}", request.method)
}

/// Signed requests, drops and metrics leave data behind. Inference and draws do not.
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

/// The site of an endpoint.
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
