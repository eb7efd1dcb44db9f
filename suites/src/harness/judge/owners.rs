//! Finds the owner of each failed precondition. If a check cannot go on because of a response, then a failed row owns
//! this kind of response, or the response is one that no document allows and the check fails itself.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use assay_spec::endpoint::{Endpoint, OF_HTTP};
use assay_spec::{Dialect, Id, Service};

use crate::documents::endpoints;
use crate::harness::data::reason::Kind;
use crate::harness::data::{Failure, Outcome, Part, RestsOn, Verdict};
use crate::harness::suite::Suites;
use crate::http::exchange::Exchange;

/// Statuses that can have a cause outside of the service, such as a proxy, a missing fixture or an endpoint that the
/// target does not have. They never make a precondition a failure.
const OF_OTHERS: &[u16] = &[401, 403, 404, 405, 407, 429, 501, 502, 503, 504];

/// Statuses that call a request malformed. An endpoint that returns them to every valid request of a run is broken.
const OF_FORM: &[u16] = &[400, 422];

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

fn kind_of(exchange: &Exchange) -> Option<Kind> {
    let Exchange { site, request, response, .. } = exchange;
    let path = match endpoint_of(exchange) {
        Some(endpoint) => endpoint.path,
        None => request.target.split('?').next().unwrap_or_default(),
    };
    let status = response.as_ref().ok()?.status;
    Some(Kind { site: site.clone(), method: request.method.clone(), path: path.to_owned(), status })
}

/// A failed precondition about a response, and that response. If the precondition is about none, the last response.
fn precondition(outcome: &Outcome) -> (Option<&Failure>, Option<&Exchange>) {
    let failure = outcome.failure.as_ref().filter(|failure| failure.is_precondition);
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

/// The endpoints, by service and name, that accepted a request of the run.
fn accepting(outcomes: &[Outcome]) -> BTreeSet<(Service, &'static str)> {
    let accepted = |exchange: &&Exchange| {
        exchange.response.as_ref().is_ok_and(|response| (200..300).contains(&response.status))
    };
    let exchanges = outcomes.iter().flat_map(|outcome| &outcome.exchanges).filter(accepted);
    exchanges.filter_map(endpoint_of).map(|endpoint| (endpoint.service, endpoint.name)).collect()
}

/// The rows that failed by answers of each kind, with the failures, in the order of the rows.
fn owners(outcomes: &[Outcome]) -> BTreeMap<Kind, Vec<(Id, Failure)>> {
    let mut owners: BTreeMap<Kind, Vec<(Id, Failure)>> = BTreeMap::new();
    for outcome in outcomes.iter().filter(|outcome| outcome.verdict == Verdict::Fail) {
        let Some(failure) = &outcome.failure else { continue };
        let exchange = failure.exchange.and_then(|at| outcome.exchanges.get(at));
        if let Some(kind) = exchange.and_then(kind_of) {
            owners.entry(kind).or_default().push((outcome.requirement, failure.clone()));
        }
    }
    for rows in owners.values_mut() {
        rows.sort_by_key(|(row, _)| *row);
    }
    owners
}

/// Whether an answer that failed a row is one that keeps a check from continuing: the row failed by the same part, and
/// wanted the request to be accepted if the check did. An answer that only breaks a rule of its own does not count.
fn keeps_from(failed: &Failure, unmet: Option<&Failure>, status: u16) -> bool {
    let is_broken = status >= 500 && failed.part == Part::Status;
    match unmet {
        Some(unmet) if unmet.part == Part::Status => {
            failed.part == Part::Status
                && (is_broken || failed.statuses.want_success() == unmet.statuses.want_success())
        }
        Some(_) => is_broken || failed.part != Part::Status,
        None => is_broken || failed.part == Part::Status && failed.statuses.want_success(),
    }
}

/// Names, in each inconclusive check, the failed row that owns the answer that the check ended with. A
/// precondition without an owner becomes the failure of a check that it ended, if no document allows the response, or
/// if the response calls valid requests malformed and the endpoint accepted no request of the run. That check is the
/// one of the row that owns the endpoint's success, otherwise the first of the group with most such checks. `whole` are the services of which every check
/// is in the run; elsewhere the owner may be missing.
pub(crate) fn assign(outcomes: &mut [Outcome], whole: &BTreeSet<Service>) {
    let mut owners = owners(outcomes);
    let is_open =
        |outcome: &Outcome| outcome.verdict == Verdict::Inconclusive && !outcome.reason.why.excuses();
    let is_judged = !whole.is_empty() && outcomes.iter().any(is_open);
    let accepting = if is_judged { accepting(outcomes) } else { BTreeSet::new() };
    let mut inconclusive: Vec<&mut Outcome> = outcomes.iter_mut().filter(|one| is_open(one)).collect();
    // The group that such an answer ends most often is closest to what is wrong.
    let mut often: BTreeMap<(Kind, &str), usize> = BTreeMap::new();
    let of_group = |outcome: &Outcome| Some((kind_of(precondition(outcome).1?)?, outcome.requirement.group));
    for group in inconclusive.iter().filter_map(|outcome| of_group(outcome)) {
        *often.entry(group).or_default() += 1;
    }
    inconclusive.sort_by_cached_key(|outcome| {
        let count = of_group(outcome).and_then(|group| often.get(&group).copied()).unwrap_or_default();
        (!owns_success(outcome), Reverse(count), outcome.requirement.key)
    });
    for outcome in inconclusive {
        let (precondition, exchange) = precondition(outcome);
        let Some((exchange, kind)) = exchange.and_then(|one| Some((one, kind_of(one)?))) else {
            continue;
        };
        let status = kind.status;
        let rows = owners.get(&kind).map_or(&[][..], Vec::as_slice);
        if let Some((owner, _)) = rows.iter().find(|(_, failed)| keeps_from(failed, precondition, status)) {
            let owner = *owner;
            outcome.rests_on.get_or_insert(RestsOn::Answer(owner, kind));
            continue;
        }
        let endpoint = endpoint_of(exchange).filter(|endpoint| whole.contains(&endpoint.service));
        let is_allowed = |endpoint: &Endpoint, failure: &Failure| {
            // An internal error is never what a valid request gets, even if a document lists its status.
            let foreseen = status < 500 && (endpoint.foresees(status) || OF_HTTP.contains(&status));
            OF_OTHERS.contains(&status) || (foreseen && failure.part == Part::Status)
        };
        let accepts = |endpoint: &Endpoint| accepting.contains(&(endpoint.service, endpoint.name));
        if let (Some(failure), Some(endpoint)) = (precondition, endpoint) {
            let rests_on = if !is_allowed(endpoint, failure) {
                RestsOn::Nothing(kind.clone())
            } else if OF_FORM.contains(&status) && failure.statuses.want_success() && !accepts(endpoint) {
                RestsOn::NothingAccepted(kind.clone())
            } else {
                continue;
            };
            owners.entry(kind).or_default().push((outcome.requirement, failure.clone()));
            outcome.rests_on = Some(rests_on);
            outcome.verdict = Verdict::failed(outcome.requirement);
        }
    }
}

#[cfg(test)]
mod tests {
    use assay_spec::network::requirements;
    use assay_spec::requirement::Level;

    use super::*;
    use crate::harness::check::Check;
    use crate::harness::data::{At, Want};
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

    /// What the failure of an outcome is about.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum About {
        /// An expectation of the status.
        Expected,
        /// A precondition about the status, or the content.
        Status,
        Content,
    }
    use About::{Content, Expected, Status};

    fn outcome(check: &Check, verdict: Verdict, about: About, exchange: Exchange) -> Outcome {
        let failure = match about {
            Expected => Failure::new(At::status(), Want::one_of(&[200]), "500", Some(0)),
            Status => Failure::unmet_status(Want::one_of(&[200]), 500, 0),
            Content => Failure::unmet("no id", Some(0)),
        };
        let failure = (verdict != Verdict::Pass).then_some(failure);
        let exchanges = vec![exchange];
        Outcome {
            failure,
            exchanges,
            ..Outcome::new(check.requirement, check.fact, verdict, "a precondition")
        }
    }

    #[test]
    fn inconclusive_checks_name_the_row_they_rest_on() {
        let all = services::checks();
        let to = |target: &str, status| exchange("GET", target, status);
        let unmet = |n: usize, exchange| outcome(all[n], Verdict::Inconclusive, Status, exchange);
        let hash = |digit: &str| format!("/api/v0/messages/{}", digit.repeat(64));
        let mut outcomes = [
            outcome(all[2], Verdict::Fail, Expected, to("/b?x=1", 500)),
            outcome(all[1], Verdict::Fail, Expected, to("/b", 500)),
            unmet(3, to("/b?x=2", 500)),
            unmet(4, to("/b", 404)),
            unmet(5, to("/c", 500)),
            outcome(all[6], Verdict::Pass, Expected, to("/b", 500)),
            outcome(all[8], Verdict::Fail, Expected, to(&hash("a"), 500)),
            unmet(9, to(&hash("b"), 500)),
        ];
        // Assigning owners again changes nothing.
        for _ in 0..2 {
            assign(&mut outcomes, &BTreeSet::new());
        }
        let owners: Vec<Option<Id>> = outcomes.iter().map(Outcome::owner).collect();
        let rests = |n: usize| Some(all[n].requirement);
        assert_eq!(owners, [None, None, rests(1), None, None, None, None, rests(8)]);
    }

    #[test]
    fn precondition_without_an_owner_fails_one_check_if_no_document_allows_the_response() {
        let all = services::checks();
        let path = "/api/v0/messages";
        let verdicts = |about: About, status: u16, whole: &[Service]| {
            let unmet =
                |n: usize| outcome(all[n], Verdict::Inconclusive, about, exchange("GET", path, status));
            let mut outcomes = [unmet(7), unmet(5)];
            assign(&mut outcomes, &whole.iter().copied().collect());
            let owner = outcomes[0].owner();
            let is_named = owner == Some(all[5].requirement);
            assert_eq!(is_named, outcomes[1].verdict == Verdict::Fail);
            outcomes.map(|outcome| outcome.verdict)
        };
        let (fail, none) = (Verdict::Fail, Verdict::Inconclusive);
        let network = [Service::Network];
        for (about, status, whole, first) in [
            (Status, 500, &network[..], fail),
            (Status, 301, &network, fail),
            // The owner may be among the checks that were not selected.
            (Status, 500, &[Service::Publish], none),
            // A proxy, a limit, a fixture that does not exist, an endpoint that the target does not have.
            (Status, 502, &network, none),
            (Status, 429, &network, none),
            (Status, 404, &network, none),
            (Content, 404, &network, none),
            // A documented status; whether it is the right one is judged by the row that demands it.
            (Status, 413, &network, none),
            (Status, 200, &network, none),
            // A valid request is not malformed.
            (Status, 400, &network, fail),
            (Status, 400, &[Service::Publish], none),
            (Content, 200, &network, fail),
            (Content, 422, &network, fail),
            // A failure that pacing or a failed prerequisite explains.
            (Expected, 500, &network, none),
        ] {
            assert_eq!(verdicts(about, status, whole), [none, first], "{about:?} {status}");
        }
    }

    #[test]
    fn a_recommendation_that_owns_an_answer_is_a_warning() {
        let all = services::checks();
        let should = all.into_iter().find(|check| check.requirement.level == Level::Should);
        let should = should.expect("a SHOULD with a check");
        let unmet = exchange("GET", "/api/v0/messages", 500);
        let mut outcomes = [outcome(should, Verdict::Inconclusive, Status, unmet)];
        assign(&mut outcomes, &[Service::Network].into());
        assert_eq!(outcomes[0].verdict, Verdict::Warn);
    }

    #[test]
    fn endpoint_that_calls_every_valid_request_malformed_fails_the_row_of_its_success() {
        let own = services::check(&requirements::instances::CREATED).expect("a check");
        let others =
            services::checks().into_iter().filter(|check| check.requirement.service == Service::Network);
        let [first, second] = others.take(2).collect::<Vec<_>>().try_into().expect("two checks");
        let to = |status| exchange("POST", "/api/v0/instances", status);
        let unmet = |check: &Check, status| outcome(check, Verdict::Inconclusive, Status, to(status));
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
        let accepted = outcome(second, Verdict::Pass, Expected, to(201));
        assert_eq!(verdicts(vec![accepted]), [none, none], "the endpoint accepts some requests");
        let mut wants_rejection = unmet(own, 400);
        wants_rejection.failure = Some(Failure::unmet_status(Want::one_of(&[422]), 400, 0));
        let mut outcomes = [wants_rejection];
        assign(&mut outcomes, &[Service::Network].into());
        assert_eq!(outcomes[0].verdict, none, "the request was not valid");
    }

    #[test]
    fn a_precondition_without_an_owner_fails_the_group_that_it_ends_most_often() {
        let of_group = |group: &str| {
            let all = services::checks();
            all.into_iter().filter(|check| check.requirement.group == group).take(2).collect::<Vec<_>>()
        };
        let checks = [of_group("envelope")[..1].to_vec(), of_group("listing")].concat();
        let unmet = |check: &&Check| {
            outcome(check, Verdict::Inconclusive, Content, exchange("GET", "/api/v0/messages", 200))
        };
        let mut outcomes: Vec<Outcome> = checks.iter().map(unmet).collect();
        assign(&mut outcomes, &[Service::Network].into());
        let verdicts: Vec<Verdict> = outcomes.iter().map(|one| one.verdict).collect();
        assert_eq!(verdicts, [Verdict::Inconclusive, Verdict::Fail, Verdict::Inconclusive]);
    }

    #[test]
    fn a_check_rests_on_an_answer_only_if_that_answer_deviates() {
        let all = services::checks();
        let rests = |failed: Failure, unmet: Failure, status: u16| {
            let new = |n: usize, verdict, failure| Outcome {
                failure: Some(failure),
                exchanges: vec![exchange("POST", "/api/drop", status)],
                ..Outcome::new(all[n].requirement, all[n].fact, verdict, "why")
            };
            let mut outcomes = [new(0, Verdict::Fail, failed), new(1, Verdict::Inconclusive, unmet)];
            assign(&mut outcomes, &BTreeSet::new());
            outcomes[1].rests_on.is_some()
        };
        let status =
            |want: u16, got: u16| Failure::new(At::status(), Want::one_of(&[want]), got.to_string(), Some(0));
        let unmet = |got| Failure::unmet_status(Want::one_of(&[200]), got, 0);
        let content = || Failure::unmet("no identifier", Some(0));
        // A zip that must be rejected is accepted: its answer is a usual 200.
        assert!(!rests(status(400, 200), content(), 200));
        assert!(!rests(status(409, 429), unmet(429), 429), "another rejection was wanted");
        assert!(rests(status(200, 400), unmet(400), 400), "both wanted a success");
        assert!(rests(status(400, 500), unmet(500), 500), "an internal error is wrong for any request");
        assert!(rests(Failure::new("/cid", "a CID", "nothing", Some(0)), content(), 200));
        assert!(!rests(Failure::new("/cid", "a CID", "nothing", Some(0)), unmet(404), 404));
    }

    #[test]
    fn only_a_service_with_every_check_is_whole() {
        let new = |check: &Check| Outcome::new(check.requirement, check.fact, Verdict::Pass, "");
        let of = |service: Service| {
            services::checks().into_iter().filter(move |check| check.requirement.service == service)
        };
        let mut outcomes: Vec<Outcome> = of(Service::Drop).chain(of(Service::Publish)).map(new).collect();
        outcomes.pop();
        assert_eq!(whole(&outcomes, SUITES), [Service::Drop].into());
    }
}
