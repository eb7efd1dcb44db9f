//! Finds the owner of each failed precondition. If a check cannot go on because of a response, then a failed row owns
//! this kind of response, or the response is one that no document allows and the check fails itself.

use std::collections::{BTreeMap, BTreeSet};

use assay_spec::endpoint::{Endpoint, OF_HTTP};
use assay_spec::{Dialect, Id, Service};

use crate::documents::endpoints;
use crate::harness::check::Stop;
use crate::harness::suite::Suites;
use crate::harness::verdict::{Failure, Outcome, Verdict};
use crate::http::exchange::Exchange;

/// The place of a precondition about the status.
const STATUS: &str = "precondition: status";
/// The place of a precondition about the rest of a response.
const CONTENT: &str = "precondition: content";
/// What separates the owner from the rest of a reason.
const RESTS: &str = "; rests on ";

/// Statuses that can have a cause outside of the service, such as a proxy, a missing fixture or an endpoint that the
/// target does not have. They never make a precondition a failure.
const OF_OTHERS: &[u16] = &[401, 403, 404, 405, 407, 429, 501, 502, 503, 504];

/// Statuses that call a request malformed. An endpoint that returns them to every valid request of a run is broken.
const OF_FORM: &[u16] = &[400, 422];

/// A precondition about the content of a response that did not hold.
pub(crate) fn unmet(what: String, exchange: Option<usize>) -> Stop {
    let want = "a response from which the check can continue".to_owned();
    let failure = Failure { place: CONTENT.to_owned(), want, got: what.clone(), exchange };
    Stop::Unmet(what, failure)
}

/// A precondition about the status of a response that did not hold.
pub(crate) fn unmet_status(want: String, got: u16, exchange: usize) -> Failure {
    Failure { place: STATUS.to_owned(), want, got: got.to_string(), exchange: Some(exchange) }
}

/// The services of which these outcomes have every check.
pub(crate) fn whole(outcomes: &[Outcome], suites: Suites) -> BTreeSet<Service> {
    let known: BTreeSet<u32> = outcomes.iter().map(|outcome| outcome.requirement.key).collect();
    let missing = suites.checks().into_iter().filter(|check| !known.contains(&check.requirement.key));
    let incomplete: BTreeSet<Service> = missing.map(|check| check.requirement.service).collect();
    Service::ALL.iter().copied().filter(|service| !incomplete.contains(service)).collect()
}

fn endpoint_of(exchange: &Exchange) -> Option<&'static Endpoint> {
    endpoints::endpoint_of(&Dialect::default(), exchange)
}

/// What responses with one cause have in common: the endpoint, or site, method and path of a request to none, and the
/// status.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Kind {
    site: String,
    method: String,
    path: String,
    status: u16,
}

impl Kind {
    fn of_exchange(exchange: &Exchange) -> Option<Kind> {
        let Exchange { site, request, response, .. } = exchange;
        let path = match endpoint_of(exchange) {
            Some(endpoint) => endpoint.path,
            None => request.target.split('?').next().unwrap_or_default(),
        };
        let status = response.as_ref().ok()?.status;
        Some(Kind { site: site.clone(), method: request.method.clone(), path: path.to_owned(), status })
    }
}

/// A failed precondition about a response, and that response. If the precondition is about none, the last response.
fn precondition(outcome: &Outcome) -> (Option<&Failure>, Option<&Exchange>) {
    let failure =
        outcome.failure.as_ref().filter(|failure| [STATUS, CONTENT].contains(&failure.place.as_str()));
    let exchange = match failure.and_then(|failure| failure.exchange) {
        Some(at) => outcome.exchanges.get(at),
        None => outcome.exchanges.last(),
    };
    (failure, exchange)
}

/// Whether an outcome is of the row that owns the success of the endpoint whose response ended it.
fn owns_success(outcome: &Outcome) -> bool {
    let endpoint = precondition(outcome).1.and_then(endpoint_of);
    endpoint.and_then(|endpoint| endpoint.shape.row).is_some_and(|row| row == outcome.requirement)
}

/// Whether a precondition was that a request is accepted.
fn wants_success(failure: &Failure) -> bool {
    failure.want.split(" or ").any(|status| status.starts_with('2'))
}

/// The endpoints, by service and name, that accepted a request of the run.
fn accepting(outcomes: &[Outcome]) -> BTreeSet<(Service, &'static str)> {
    let accepted = |exchange: &&Exchange| {
        exchange.response.as_ref().is_ok_and(|response| (200..300).contains(&response.status))
    };
    let exchanges = outcomes.iter().flat_map(|outcome| &outcome.exchanges).filter(accepted);
    exchanges.filter_map(endpoint_of).map(|endpoint| (endpoint.service, endpoint.name)).collect()
}

/// Names, in each inconclusive check, the failed row that owns the kind of response that the check ended with. A
/// precondition without an owner becomes the failure of a check that it ended, if no document allows the response, or
/// if the response calls valid requests malformed and the endpoint accepted no request of the run. That check is the
/// one of the row that owns the endpoint's success, otherwise the first. `whole` are the services of which every check
/// is in the run; elsewhere the owner may be missing.
pub(crate) fn assign(outcomes: &mut [Outcome], whole: &BTreeSet<Service>) {
    let mut owners: BTreeMap<Kind, Id> = BTreeMap::new();
    let mut own = |kind: Kind, row: Id| {
        let owner = owners.entry(kind).or_insert(row);
        *owner = (*owner).min(row);
    };
    for outcome in outcomes.iter().filter(|outcome| outcome.verdict == Verdict::Fail) {
        let at = outcome.failure.as_ref().and_then(|failure| failure.exchange);
        if let Some(kind) = at.and_then(|at| Kind::of_exchange(outcome.exchanges.get(at)?)) {
            own(kind, outcome.requirement);
        }
    }
    let is_inconclusive = |outcome: &&Outcome| outcome.verdict == Verdict::Inconclusive;
    let is_judged = !whole.is_empty() && outcomes.iter().any(|outcome| is_inconclusive(&outcome));
    let accepting = if is_judged { accepting(outcomes) } else { BTreeSet::new() };
    let mut inconclusive: Vec<&mut Outcome> =
        outcomes.iter_mut().filter(|outcome| outcome.verdict == Verdict::Inconclusive).collect();
    inconclusive.sort_by_key(|outcome| (!owns_success(outcome), outcome.requirement.key));
    for outcome in inconclusive {
        let (precondition, exchange) = precondition(outcome);
        let Some((exchange, kind)) = exchange.and_then(|one| Some((one, Kind::of_exchange(one)?))) else {
            continue;
        };
        let Kind { method, path, status, .. } = &kind;
        if let Some(owner) = owners.get(&kind) {
            if !outcome.reason.contains(RESTS) {
                let rests = format!("{RESTS}{owner}, which failed with a {status} of {method} {path}");
                outcome.reason.push_str(&rests);
            }
            continue;
        }
        let endpoint = endpoint_of(exchange).filter(|endpoint| whole.contains(&endpoint.service));
        let is_allowed = |endpoint: &Endpoint, failure: &Failure| {
            // An internal error is never what a valid request gets, even if a document lists its status.
            let foreseen = *status < 500 && (endpoint.foresees(*status) || OF_HTTP.contains(status));
            OF_OTHERS.contains(status) || (foreseen && failure.place == STATUS)
        };
        let accepts = |endpoint: &Endpoint| accepting.contains(&(endpoint.service, endpoint.name));
        if let (Some(failure), Some(endpoint)) = (precondition, endpoint) {
            let alone = if !is_allowed(endpoint, failure) {
                format!("; no other check failed with a {status} of {method} {path}")
            } else if OF_FORM.contains(status) && wants_success(failure) && !accepts(endpoint) {
                format!("; {method} {path} accepted no request of the run")
            } else {
                continue;
            };
            outcome.reason.push_str(&alone);
            outcome.verdict = Verdict::Fail;
            owners.insert(kind, outcome.requirement);
        }
    }
}

#[cfg(test)]
mod tests {
    use assay_spec::network::requirements;

    use super::*;
    use crate::harness::check::Check;
    use crate::http::exchange::{Request, Response};
    use crate::services::{self, SUITES};

    fn exchange(method: &str, target: &str, status: u16) -> Exchange {
        Exchange {
            site: "network".to_owned(),
            base: "http://a".to_owned(),
            request: Request::new(method, target),
            cut: None,
            slot: None,
            response: Ok(Response { status, headers: Vec::new(), body: Vec::new().into() }),
        }
    }

    fn outcome(check: &Check, verdict: Verdict, place: &str, exchange: Exchange) -> Outcome {
        let failure = Failure {
            place: place.to_owned(),
            want: "200".to_owned(),
            got: "500".to_owned(),
            exchange: Some(0),
        };
        let failure = (verdict != Verdict::Pass).then_some(failure);
        let exchanges = vec![exchange];
        let reason = "a precondition".to_owned();
        Outcome { failure, exchanges, ..Outcome::new(check.requirement, check.fact, verdict, reason) }
    }

    #[test]
    fn inconclusive_checks_name_the_row_they_rest_on() {
        let all = services::checks();
        let to = |target: &str, status| exchange("GET", target, status);
        let unmet = |n: usize, exchange| outcome(all[n], Verdict::Inconclusive, STATUS, exchange);
        let hash = |digit: &str| format!("/api/v0/messages/{}", digit.repeat(64));
        let mut outcomes = [
            outcome(all[2], Verdict::Fail, "status", to("/b?x=1", 500)),
            outcome(all[1], Verdict::Fail, "status", to("/b", 500)),
            unmet(3, to("/b?x=2", 500)),
            unmet(4, to("/b", 404)),
            unmet(5, to("/c", 500)),
            outcome(all[6], Verdict::Pass, "status", to("/b", 500)),
            outcome(all[8], Verdict::Fail, "/status", to(&hash("a"), 500)),
            unmet(9, to(&hash("b"), 500)),
        ];
        // Assigning owners again changes nothing.
        for _ in 0..2 {
            assign(&mut outcomes, &BTreeSet::new());
        }
        let same = "a precondition".to_owned();
        let rests = |n: usize, path| {
            format!("{same}; rests on {}, which failed with a 500 of GET {path}", all[n].requirement)
        };
        let reasons: Vec<&str> = outcomes.iter().map(|outcome| outcome.reason.as_str()).collect();
        let template = endpoint_of(&to(&hash("a"), 500)).expect("an endpoint").path;
        let wanted = [&same, &same, &rests(1, "/b"), &same, &same, &same, &same, &rests(8, template)];
        assert_eq!(reasons, wanted.map(String::as_str));
    }

    #[test]
    fn precondition_without_an_owner_fails_one_check_if_no_document_allows_the_response() {
        let all = services::checks();
        let path = "/api/v0/messages";
        let verdicts = |place: &str, status: u16, whole: &[Service]| {
            let unmet =
                |n: usize| outcome(all[n], Verdict::Inconclusive, place, exchange("GET", path, status));
            let mut outcomes = [unmet(7), unmet(5)];
            assign(&mut outcomes, &whole.iter().copied().collect());
            let is_named = outcomes[0].reason.contains(&format!("{RESTS}{}", all[5].requirement));
            assert_eq!(is_named, outcomes[1].verdict == Verdict::Fail);
            outcomes.map(|outcome| outcome.verdict)
        };
        let (fail, none) = (Verdict::Fail, Verdict::Inconclusive);
        let network = [Service::Network];
        for (place, status, whole, first) in [
            (STATUS, 500, &network[..], fail),
            (STATUS, 301, &network, fail),
            // The owner may be among the checks that were not selected.
            (STATUS, 500, &[Service::Publish], none),
            // A proxy, a limit, a fixture that does not exist, an endpoint that the target does not have.
            (STATUS, 502, &network, none),
            (STATUS, 429, &network, none),
            (STATUS, 404, &network, none),
            (CONTENT, 404, &network, none),
            // A documented status; whether it is the right one is judged by the row that demands it.
            (STATUS, 413, &network, none),
            (STATUS, 200, &network, none),
            // A valid request is not malformed.
            (STATUS, 400, &network, fail),
            (STATUS, 400, &[Service::Publish], none),
            (CONTENT, 200, &network, fail),
            (CONTENT, 422, &network, fail),
            // A failure that pacing or a failed prerequisite explains.
            ("status", 500, &network, none),
        ] {
            assert_eq!(verdicts(place, status, whole), [none, first], "{place} {status}");
        }
    }

    #[test]
    fn endpoint_that_calls_every_valid_request_malformed_fails_the_row_of_its_success() {
        let own = services::check(&requirements::instances::CREATED).expect("a check");
        let others =
            services::checks().into_iter().filter(|check| check.requirement.service == Service::Network);
        let [first, second] = others.take(2).collect::<Vec<_>>().try_into().expect("two checks");
        let to = |status| exchange("POST", "/api/v0/instances", status);
        let unmet = |check: &Check, status| outcome(check, Verdict::Inconclusive, STATUS, to(status));
        let verdicts = |others: Vec<Outcome>| {
            let mut outcomes = [others, vec![unmet(own, 400), unmet(first, 400)]].concat();
            assign(&mut outcomes, &[Service::Network].into());
            outcomes
                .split_off(outcomes.len() - 2)
                .into_iter()
                .map(|outcome| outcome.verdict)
                .collect::<Vec<_>>()
        };
        let (fail, none) = (Verdict::Fail, Verdict::Inconclusive);
        assert_eq!(verdicts(Vec::new()), [fail, none], "the second rests on the first");
        assert_eq!(verdicts(vec![unmet(second, 404)]), [fail, none], "another rejection accepts nothing");
        let accepted = outcome(second, Verdict::Pass, "status", to(201));
        assert_eq!(verdicts(vec![accepted]), [none, none], "the endpoint accepts some requests");
        let mut wants_rejection = unmet(own, 400);
        wants_rejection.failure.as_mut().expect("a failure").want = "422".to_owned();
        let mut outcomes = [wants_rejection];
        assign(&mut outcomes, &[Service::Network].into());
        assert_eq!(outcomes[0].verdict, none, "the request was not valid");
    }

    #[test]
    fn only_a_service_with_every_check_is_whole() {
        let new = |check: &Check| Outcome::new(check.requirement, check.fact, Verdict::Pass, String::new());
        let of = |service: Service| {
            services::checks().into_iter().filter(move |check| check.requirement.service == service)
        };
        let mut outcomes: Vec<Outcome> = of(Service::Drop).chain(of(Service::Publish)).map(new).collect();
        outcomes.pop();
        assert_eq!(whole(&outcomes, SUITES), [Service::Drop].into());
    }
}
