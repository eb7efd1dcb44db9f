//! How many requests one address may send in a minute, in three classes.

use std::net::IpAddr;

use assay_spec::Place;
use assay_spec::network::limits::{RATE_WINDOW, Rate};
use assay_spec::network::places::{INFO, MESSAGE_CREATION, RUN as RUN_PLACES};
use assay_spec::network::program::RUN;
use assay_spec::network::requirements::{info as info_rows, limits as rows};
use assay_spec::network::{aggregate, message};
use assay_spec::reply::HeaderRule;

use super::caller::caller;
use super::every::every;
use super::scene::post_draft;
use super::valid::valid;
use super::wire::PRIMARY;
use super::{ACCEPTED, programs, scene};
use crate::harness::boundary::{Quota, begin, expect_inside, expect_open_after};
use crate::harness::check::{Checked, Need, Stop, rejects, shows};
use crate::harness::data::At;
use crate::harness::probe::{Answer, Probe};
use crate::http::client::Limits;
use crate::http::exchange::Request;
use crate::services::drop::benchmark_address;

/// One endpoint of each class that costs little: at a shared target every request counts, and every minute.
const SAMPLE: &[Place] = &[RUN_PLACES[0], INFO[0]];

/// The check uses up the limit, so it needs a minute for itself.
const NEEDS: &[Need] = &[Need::Clock, Need::Isolation];
const WITH_ADDRESSES: &[Need] = &[Need::Clock, Need::Isolation, Need::Addresses];

/// A request of a class, to be sent over and over.
struct Repeated {
    request: Request,
    class: Rate,
    from: Option<IpAddr>,
}

impl Repeated {
    fn post(probe: &Probe<'_>, path: &str, body: String) -> Request {
        let request = Request::new("POST", &format!("{}/api/v0{path}", probe.prefix(PRIMARY)));
        request.header("Content-Type", "application/json").body(body)
    }

    /// A valid request to the endpoint of a place.
    async fn at(probe: &Probe<'_>, place: Place) -> Result<Repeated, Stop> {
        if RUN_PLACES.contains(&place) {
            return Repeated::heavy(probe).await;
        }
        if MESSAGE_CREATION.contains(&place) {
            return Repeated::authenticated(probe).await;
        }
        let mut request = valid(probe, place).await?.call.request;
        request.target = format!("{}{}", probe.prefix(PRIMARY), request.target);
        Ok(Repeated { request, class: Rate::General, from: None })
    }

    /// One message over and over, to the endpoint that the profile declares as authenticated.
    async fn authenticated(probe: &Probe<'_>) -> Result<Repeated, Stop> {
        let caller = caller(probe);
        let (path, draft) = match probe.settings.network().authenticated {
            Some(name) if name == message::CREATE.name => ("/messages", post_draft(probe, &caller).await?),
            Some(name) if name == aggregate::CREATE.name => {
                ("/aggregates", scene::aggregate(probe, &caller).await?)
            }
            Some(name) => {
                let why = format!("the check can send create_message or create_aggregate, but not {name}");
                return Err(Stop::NotTestable(why));
            }
            None => {
                let why =
                    "the target's profile names no authenticated endpoint ([network.limits] authenticated)";
                return Err(Stop::NotApplicable(why.to_owned()));
            }
        };
        let request = Repeated::post(probe, path, draft.body());
        Ok(Repeated { request, class: Rate::Authenticated, from: None })
    }

    async fn heavy(probe: &Probe<'_>) -> Result<Repeated, Stop> {
        if !probe.settings.network().offers(&RUN) {
            return Err(Stop::NotApplicable("the target's profile says that it has no `run`".to_owned()));
        }
        let hash = programs::runnable(probe).await?;
        let request = Repeated::post(probe, &format!("/run/{hash}"), r#"{"variables":{}}"#.to_owned());
        Ok(Repeated { request, class: Rate::Heavy, from: None })
    }

    async fn send<'p>(&self, probe: &'p Probe<'_>) -> Result<Answer<'p>, Stop> {
        probe.send_with(PRIMARY, self.request.clone(), self.from, Limits::default()).await
    }

    /// This request as a use of its class.
    fn quota<'p>(&self, probe: &'p Probe<'_>) -> Quota<impl AsyncFn(i64) -> Result<Answer<'p>, Stop>> {
        Quota::new(self.class.limit(), ACCEPTED, async |_| self.send(probe).await)
    }

    /// Expects as many requests as the class allows to be accepted, and the next to be rejected.
    async fn expect_limit(&self, probe: &Probe<'_>) -> Checked {
        begin(probe, RATE_WINDOW.value).await?;
        let quota = self.quota(probe);
        quota.fill().await?;
        quota.overflow(RATE_WINDOW.value).await.map(drop)
    }

    /// Expects to be accepted from an address that has reached the limit of a lower class.
    async fn is_open_after(&self, probe: &Probe<'_>, lower: &Repeated) -> Checked {
        lower.exhaust(probe).await?;
        let [limit, reached] = [self, lower].map(|repeated| repeated.class.limit());
        let what = format!("the first of {}, after {}", limit.counts, reached.words());
        let answer = self.send(probe).await?;
        expect_inside(&answer, limit, &what, &[429])?;
        answer.given_status(ACCEPTED)
    }

    /// Sends until a request returns 429. If none does, the check is inconclusive.
    async fn exhaust<'p>(&self, probe: &'p Probe<'_>) -> Result<Answer<'p>, Stop> {
        begin(probe, RATE_WINDOW.value).await?;
        self.quota(probe).exhaust().await
    }
}

/// Sends 100 requests to each general endpoint in one minute, which must be accepted. The next must return 429.
#[rejects(rows::GENERAL, elsewhere_at = INFO, needs = NEEDS, after(rows::MINUTE_PASSES))]
async fn general_requests_are_limited(probe: &Probe<'_>, place: Place) -> Checked {
    Repeated::at(probe, place).await?.expect_limit(probe).await
}

/// Sends one request to each endpoint of a class. Each answer is judged as declared.
async fn each_of(probe: &Probe<'_>, class: Rate) -> Checked {
    for (_, call) in every(probe, |endpoint| Rate::for_endpoint(endpoint) == class) {
        call.attempt(probe).await?;
    }
    Ok(())
}

/// Sends 300 authenticated requests in one minute, which must be accepted. The next must return 429. Then sends one
/// request to each authenticated endpoint, as for general requests.
#[rejects(rows::AUTHENTICATED, needs = NEEDS)]
async fn authenticated_requests_are_limited(probe: &Probe<'_>) -> Checked {
    Repeated::authenticated(probe).await?.expect_limit(probe).await?;
    each_of(probe, Rate::Authenticated).await
}

/// Runs a program 10 times in one minute, which must be accepted. The next run must return 429.
#[rejects(rows::HEAVY, needs = NEEDS)]
async fn program_runs_are_limited(probe: &Probe<'_>) -> Checked {
    Repeated::heavy(probe).await?.expect_limit(probe).await
}

/// Sends requests of each class until one returns 429, then one to each endpoint of the class: whether all of them are
/// counted together is left open. `Retry-After` of each 429 must be a whole number of seconds. A second after this time the same
/// request must not return 429. A longer time than the window is only noted.
#[shows(rows::RETRY_AFTER, needs = NEEDS)]
async fn rejection_has_retry_after(probe: &Probe<'_>) -> Checked {
    let mut reached = 0;
    for place in [RUN_PLACES[0], INFO[0], MESSAGE_CREATION[0]] {
        let repeated = match Repeated::at(probe, place).await {
            Err(Stop::NotApplicable(_) | Stop::NotTestable(_)) => continue,
            repeated => repeated?,
        };
        let refused = repeated.exhaust(probe).await?;
        let after = refused.response.header("retry-after").unwrap_or("none").to_owned();
        let is_whole = !after.is_empty() && after.bytes().all(|byte| byte.is_ascii_digit());
        refused.expect(is_whole, At::header("retry-after"), "whole seconds", after)?;
        each_of(probe, repeated.class).await?;
        let refused = repeated.send(probe).await?;
        expect_open_after(probe, &refused, RATE_WINDOW.value, async || repeated.send(probe).await).await?;
        reached += 1;
    }
    probe.given(reached > 0, "no class of requests has reached its limit")
}

/// Runs a program until a run returns 429, or where there is none reads the public information. `Retry-After` should not be longer
/// than the minute of the limit.
#[shows(rows::RETRY_AFTER_WINDOW, needs = NEEDS, after(rows::RETRY_AFTER, rows::MINUTE_PASSES))]
async fn retry_after_ends_within_the_minute(probe: &Probe<'_>) -> Checked {
    let repeated = match Repeated::at(probe, RUN_PLACES[0]).await {
        Err(Stop::NotApplicable(_) | Stop::NotTestable(_)) => Repeated::at(probe, INFO[0]).await?,
        repeated => repeated?,
    };
    let refused = repeated.exhaust(probe).await?;
    let after = refused.response.header("retry-after").unwrap_or("none");
    let most = HeaderRule::AtMost(RATE_WINDOW.value / 1_000);
    refused.expect(most.holds(Some(after)), At::header("retry-after"), most.want(), after)
}

/// Sends requests to each endpoint until one returns 429, then waits a minute. The next request must be accepted. Over nine
/// minutes no more than ten times the limit of program runs may be accepted, whatever the window is.
#[shows(rows::MINUTE_PASSES, elsewhere_at = SAMPLE, needs = NEEDS)]
async fn after_a_minute_the_address_may_ask_again(probe: &Probe<'_>, place: Place) -> Checked {
    let repeated = Repeated::at(probe, place).await?;
    let quota = repeated.quota(probe);
    let start = begin(probe, RATE_WINDOW.value).await?;
    quota.exhaust().await?;
    start.until(probe, RATE_WINDOW.outside).await?;
    quota.again(RATE_WINDOW.outside).await?;
    if RUN_PLACES.contains(&place) { quota.expect_rate(probe).await } else { Ok(()) }
}

/// Sends requests to each endpoint from one address until one returns 429. A request from another address must be accepted.
#[shows(rows::PER_ADDRESS, elsewhere_at = SAMPLE, needs = WITH_ADDRESSES)]
async fn requests_of_one_address_do_not_count_for_another(probe: &Probe<'_>, place: Place) -> Checked {
    let [one, other] = ["one", "other"].map(|name| Some(benchmark_address(probe.draw(name))));
    let repeated = Repeated { from: one, ..Repeated::at(probe, place).await? };
    repeated.exhaust(probe).await?;
    Repeated { from: other, ..repeated }.send(probe).await?.expect_status(ACCEPTED)
}

/// Runs a program until a run returns 429. A general request must then be accepted. Sends requests to each general
/// endpoint until one returns 429. If the profile names an authenticated endpoint, a request to that must then be accepted.
/// Classes may share a count, but each has its own limit.
#[shows(
    rows::CLASSES,
    elsewhere_at = SAMPLE,
    needs = NEEDS,
    after(rows::GENERAL, rows::HEAVY, info_rows::PREFIX),
)]
async fn a_class_may_be_used_after_a_lower_limit_is_reached(probe: &Probe<'_>, place: Place) -> Checked {
    let lower = Repeated::at(probe, place).await?;
    let higher = if lower.class == Rate::Heavy { INFO } else { MESSAGE_CREATION };
    Repeated::at(probe, higher[0]).await?.is_open_after(probe, &lower).await
}
