//! Judges responses by rules that hold wherever a response is seen, whichever check sent the request.

use assay_spec::Id;

use crate::exchange::{Exchange, Response};
use crate::verdict::{Failure, Outcome, Verdict};
use crate::{drop, gateway, network, publish};

/// A rule that a single response can break.
pub(crate) struct Rule {
    /// Its row.
    pub(crate) row: Id,
    /// How a response breaks it.
    pub(crate) breaks: fn(&Exchange, &Response) -> Option<Failure>,
}

/// The rules of every service.
const RULES: &[Rule] = &[network::RETRY_AFTER, publish::RETRY_AFTER];

/// Fails the row of each rule that a response of the run breaks, whatever the row's own check has seen.
pub(crate) fn judge(outcomes: &mut [Outcome]) {
    for Rule { row, breaks } in RULES {
        let broken = |outcome: &Outcome| {
            let found = outcome.exchanges.iter().find_map(|exchange| {
                let failure = breaks(exchange, exchange.response.as_ref().ok()?)?;
                Some((exchange.clone(), failure))
            });
            found.map(|(exchange, failure)| (outcome.requirement, exchange, failure))
        };
        let first = outcomes.iter().filter_map(broken).min_by_key(|(by, ..)| by.key);
        let Some((by, exchange, failure)) = first else { continue };
        let own = outcomes.iter_mut().find(|outcome| outcome.requirement == *row);
        let Some(own) = own.filter(|own| !matches!(own.verdict, Verdict::Fail | Verdict::Error)) else {
            continue;
        };
        let Failure { place, want, got, .. } = &failure;
        own.reason = format!("{place}: wanted {want}, got {got}, in a response to the check of {by}");
        own.verdict = Verdict::Fail;
        own.exchanges.push(exchange);
        own.failure = Some(Failure { exchange: Some(own.exchanges.len() - 1), ..failure });
    }
}

/// A 429 whose `Retry-After` is not a whole number of seconds.
pub(crate) fn without_retry_after(response: &Response) -> Option<Failure> {
    let after = response.header("retry-after");
    let is_whole =
        after.is_some_and(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()));
    (response.status == 429 && !is_whole).then(|| Failure {
        place: "header retry-after".to_owned(),
        want: "whole seconds".to_owned(),
        got: after.unwrap_or("none").to_owned(),
        exchange: None,
    })
}

/// Why a documented 503 shows nothing about the request: the server is unavailable for now.
pub(crate) fn unavailable(exchange: &Exchange) -> Option<&'static str> {
    let response = exchange.response.as_ref().ok().filter(|response| response.status == 503)?;
    let body = response.json().unwrap_or_default();
    match exchange.site.as_str() {
        drop::SITE => Some("the target has paused drops (503)"),
        gateway::SITE if body["detail"].is_string() => Some("every server of the model failed (503)"),
        publish::SITE if body["error"] == "not-primary" => Some("the node is a standby (503 not-primary)"),
        publish::SITE if body["error"] == "backend is passive" => Some("the backend is passive (503)"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::Request;

    fn exchange(site: &str, target: &str, status: u16, after: Option<&str>, body: &str) -> Exchange {
        let headers = after.map(|after| ("retry-after".to_owned(), after.as_bytes().to_vec()));
        Exchange {
            site: site.to_owned(),
            base: "http://a".to_owned(),
            request: Request::new("GET", target),
            cut: None,
            response: Ok(Response {
                status,
                headers: headers.into_iter().collect(),
                body: body.as_bytes().to_vec(),
            }),
        }
    }

    #[test]
    fn malformed_retry_after_fails_its_row_wherever_it_is_seen() {
        for (after, is_broken) in [(None, true), (Some("soon"), true), (Some("-1"), true), (Some("7"), false)]
        {
            let mut outcomes: Vec<Outcome> = crate::check::all()
                .into_iter()
                .map(|check| {
                    Outcome::new(check.requirement, check.fact, Verdict::NotTestable, "why".to_owned())
                })
                .collect();
            for (group, site, target) in
                [("messages", "network", "/api/v0/messages"), ("submit", "publish", publish::SUBMIT)]
            {
                let seen = outcomes.iter_mut().find(|outcome| outcome.requirement.group == group);
                let exchange = exchange(site, target, 429, after, "");
                seen.expect("a check of the group").exchanges.push(exchange);
            }
            judge(&mut outcomes);
            let failed: Vec<String> = outcomes
                .iter()
                .filter(|outcome| outcome.verdict == Verdict::Fail)
                .map(|outcome| outcome.requirement.to_string())
                .collect();
            let rows = ["network.limits.retry-after", "publish.exchange.rate-per-ip"];
            assert_eq!(failed, if is_broken { rows.to_vec() } else { Vec::new() }, "{after:?}");
        }
    }

    #[test]
    fn only_a_documented_503_is_an_excuse() {
        for (site, status, body, is_excuse) in [
            ("publish", 503, r#"{"error":"not-primary","reason":"r"}"#, true),
            ("publish", 503, r#"{"error":"backend is passive"}"#, true),
            ("publish", 503, r#"{"error":"tired"}"#, false),
            ("publish", 500, r#"{"error":"not-primary"}"#, false),
            ("gateway", 503, r#"{"detail":"d"}"#, true),
            ("gateway", 503, "{}", false),
            ("drop", 503, "", true),
            ("network", 503, "{}", false),
            ("metadata", 503, "{}", false),
        ] {
            let excuse = unavailable(&exchange(site, "/", status, None, body));
            assert_eq!(excuse.is_some(), is_excuse, "{site} {status} {body}");
        }
    }
}
