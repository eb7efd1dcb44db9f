//! Resends the recorded requests and control API calls of one check, in the recorded order.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::harness::data::ControlError;
use crate::harness::data::{Outcome, Run};
use crate::harness::recording::{Call, Input};
use crate::harness::run::Runner;
use crate::harness::run::plan::plan;
use crate::harness::{environment::Environment, target::Target};
use crate::http::client::Limits;
use crate::http::connect::Dial;
use crate::http::curl::bearer_token;
use crate::http::exchange::{Broken, Exchange, Request, Response};
use crate::http::transport;
use crate::services;

/// Timeout for one response.
const TIMEOUT: Duration = Duration::from_secs(30);
/// How a redacted secret starts in a report.
const REDACTED: &str = "[redacted ";
/// The replacement of the valid gateway key. Other keys cannot be restored.
const KEY: &[u8] = b"[redacted key]";

/// One step of a replay.
#[derive(Clone, Debug)]
pub struct Step {
    /// The request, such as `POST /prepare`.
    pub asked: String,
    /// The recorded response, in short.
    pub then: String,
    /// The new response; an error says why nothing was sent.
    pub now: Result<String, String>,
    /// Both responses have the same status, or failed in the same way.
    pub is_same: bool,
}

/// Resends the requests of `outcome` to an environment of `target`, only to sites that the target names. `key` replaces
/// the redacted gateway key and is sent nowhere else.
pub async fn replay(
    target: &dyn Target,
    report: &Run,
    outcome: &Outcome,
    key: Option<&str>,
) -> Result<Vec<Step>, String> {
    let sites = if outcome.sites.is_empty() { &report.conditions.sites } else { &outcome.sites };
    let environment =
        target.environment(outcome.requirement.service).await.map_err(|error| error.to_string())?;
    let mut steps = Vec::new();
    for (n, exchange) in outcome.exchanges.iter().enumerate() {
        for call in outcome.calls.iter().filter(|call| call.after == n) {
            steps.extend(call_again(&environment, call).await);
        }
        steps.push(send_again(&environment, sites, exchange, key).await);
    }
    for call in outcome.calls.iter().filter(|call| call.after >= outcome.exchanges.len()) {
        steps.extend(call_again(&environment, call).await);
    }
    target.leave(environment, false).await;
    Ok(steps)
}

/// Runs the check of `outcome` again, which signs its requests anew, and compares the responses in order.
pub async fn anew(runner: &Runner<'_>, outcome: &Outcome) -> Result<Vec<Step>, String> {
    let check = services::check(outcome.requirement);
    let check = check.ok_or_else(|| format!("{} has no check", outcome.requirement))?;
    let planned = plan(runner.target, &[check]);
    let ran = runner.each(&planned).await;
    let now = ran.first().map(|ran| &ran.outcome).ok_or("the check did not run")?;
    let count = outcome.exchanges.len().max(now.exchanges.len());
    let step = |n: usize| {
        let (then, now) = (outcome.exchanges.get(n), now.exchanges.get(n));
        let exchange = then.or(now).expect("one of them has so many");
        let none = || Err("no such request".to_owned());
        Step {
            asked: format!("{} {} {}", exchange.site, exchange.request.method, exchange.request.target),
            then: then.map_or_else(|| "no such request".to_owned(), |then| summary(&then.response)),
            now: now.map_or_else(none, |now| Ok(summary(&now.response))),
            is_same: then.zip(now).is_some_and(|(then, now)| has_same_status(&then.response, &now.response)),
        }
    };
    Ok((0..count).map(step).collect())
}

/// Whether both have the same status, or failed in the same way.
fn has_same_status(then: &Result<Response, Broken>, now: &Result<Response, Broken>) -> bool {
    match (then, now) {
        (Ok(then), Ok(now)) => then.status == now.status,
        (Err(then), Err(now)) => std::mem::discriminant(then) == std::mem::discriminant(now),
        _ => false,
    }
}

async fn send_again(
    environment: &Environment,
    sites: &BTreeMap<String, String>,
    exchange: &Exchange,
    key: Option<&str>,
) -> Step {
    let Exchange { site, request, response, .. } = exchange;
    let asked = format!("{site} {} {}", request.method, request.target);
    let then = summary(response);
    let (base, request) = match addressed(environment, sites, exchange, key) {
        Ok(addressed) => addressed,
        Err(why) => return Step { asked, then, now: Err(why), is_same: false },
    };
    let limits = Limits { timeout: TIMEOUT, ..Limits::default() };
    let now = transport::send(&*environment.connector, Dial::to(&base), &request, limits).await.response;
    let is_same = has_same_status(response, &now);
    let bytes = match (response, &now) {
        (Ok(then), Ok(now)) if then.body == now.body => ", same body",
        (Ok(_), Ok(_)) => ", different body",
        _ => "",
    };
    Step { asked, then, now: Ok(summary(&now) + bytes), is_same }
}

/// The address and content of a request; an error says why it cannot be sent.
fn addressed(
    environment: &Environment,
    sites: &BTreeMap<String, String>,
    exchange: &Exchange,
    key: Option<&str>,
) -> Result<(String, Request), String> {
    // The recording lists a server that a response named under the site, but it is a different server.
    let is_site = sites.get(&exchange.site) == Some(&exchange.base);
    let base = environment.sites.get(&exchange.site).cloned().filter(|_| is_site);
    let base = base
        .ok_or_else(|| format!("{} is not a site of the target, but a URL from a response", exchange.base))?;
    if let Some(cut) = &exchange.cut {
        return Err(format!("the report omits its body of {} bytes", cut.bytes));
    }
    let mut request = exchange.request.clone();
    for (name, value) in &mut request.headers {
        if let Some(at) = bearer_token(name, value)
            && value[at..] == *KEY
        {
            let key = key.filter(|_| exchange.site == "gateway");
            let key = key.ok_or("needs the gateway's key, from --profile or --gateway-url")?;
            value.truncate(at);
            value.extend_from_slice(key.as_bytes());
        }
    }
    let is_redacted = |bytes: &[u8]| bytes.windows(REDACTED.len()).any(|part| part == REDACTED.as_bytes());
    let headers = request.headers.iter().any(|(_, value)| is_redacted(value));
    if headers || is_redacted(&request.body) || request.target.contains(REDACTED) {
        return Err("it contains a secret that the report does not show".to_owned());
    }
    Ok((base, request))
}

/// Repeats a control API call; clock readings need none.
async fn call_again(environment: &Environment, call: &Call) -> Option<Step> {
    let Input::Control { method, path, body } = &call.asked else { return None };
    let summary = |why: Option<&ControlError>| match why {
        None => "accepted".to_owned(),
        Some(why) => format!("rejected: {why}"),
    };
    let asked = format!("control {method} {path}");
    let then = summary(call.answer.as_ref().err());
    let Some(control) = &environment.control else {
        let now = Err("the target has no control API".to_owned());
        return Some(Step { asked, then, now, is_same: false });
    };
    let now = control.call(method, path, body.clone()).await;
    let is_same = now.is_ok() == call.answer.is_ok();
    Some(Step { asked, then, now: Ok(summary(now.as_ref().err())), is_same })
}

fn summary(response: &Result<Response, Broken>) -> String {
    match response {
        Ok(response) => format!("{}, {} bytes", response.status, response.body.len()),
        Err(broken) => broken.to_string(),
    }
}
