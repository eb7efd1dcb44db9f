//! How many requests one address may send in a minute, in three classes.

use std::net::IpAddr;

use assay_spec::network::limits::{RATE_WINDOW, Rate};
use assay_spec::network::program::RUN;
use assay_spec::network::requirements::limits as rows;
use assay_spec::network::{aggregate, message};

use super::caller::caller;
use super::every::every;
use super::refusals;
use super::wire::PRIMARY;
use super::{ACCEPTED, messages, post_draft, programs};
use crate::boundary::{Quota, begin, expect_inside};
use crate::check::{Check, Checked, Need, Stop};
use crate::client::Limits;
use crate::drop::benchmark_address;
use crate::exchange::Request;
use crate::probe::{Answer, Probe};
use crate::{refuses, shows};

pub(super) const CHECKS: &[Check] = &[
    refuses!(rows::GENERAL, general_requests_are_limited, refusals::RATE)
        .costs(120, 0, 0)
        .elsewhere(219)
        .needs(NEEDS),
    refuses!(rows::AUTHENTICATED, authenticated_requests_are_limited, refusals::RATE)
        .costs(310, 0, 0)
        .elsewhere(609)
        .writes(310)
        .needs(NEEDS),
    refuses!(rows::HEAVY, program_runs_are_limited, refusals::RATE)
        .costs(12, 0, 0)
        .elsewhere(21)
        .writes(1)
        .needs(NEEDS),
    shows!(rows::RETRY_AFTER, rejection_has_retry_after)
        .costs(12, 0, 0)
        .elsewhere(200)
        .writes(1)
        .needs(NEEDS),
    shows!(rows::MINUTE_PASSES, after_a_minute_the_address_may_ask_again)
        .costs(84, 0, 0)
        .elsewhere(201)
        .writes(1)
        .needs(NEEDS),
    shows!(rows::PER_ADDRESS, requests_of_one_address_do_not_count_for_another)
        .costs(13, 0, 0)
        .elsewhere(201)
        .writes(1)
        .needs(WITH_ADDRESSES),
    shows!(rows::CLASSES, a_class_may_be_used_after_a_lower_limit_is_reached)
        .costs(115, 0, 0)
        .elsewhere(300)
        .writes(2)
        .needs(NEEDS)
        .after(const { &[&rows::GENERAL, &rows::HEAVY] }),
];

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
    fn get(probe: &Probe<'_>, path: &str) -> Request {
        Request::new("GET", &format!("{}/api/v0{path}", probe.prefix(PRIMARY)))
    }

    fn post(probe: &Probe<'_>, path: &str, body: String) -> Request {
        let request = Request::new("POST", &format!("{}/api/v0{path}", probe.prefix(PRIMARY)));
        request.header("Content-Type", "application/json").body(body)
    }

    fn general(probe: &Probe<'_>) -> Repeated {
        Repeated { request: Repeated::get(probe, "/info/public.json"), class: Rate::General, from: None }
    }

    /// One message over and over, to the endpoint that the profile declares as authenticated.
    async fn authenticated(probe: &Probe<'_>) -> Result<Repeated, Stop> {
        let caller = caller(probe);
        let (path, draft) = match probe.settings.network.authenticated {
            Some(name) if name == message::CREATE.name => ("/messages", post_draft(probe, &caller).await?),
            Some(name) if name == aggregate::CREATE.name => {
                ("/aggregates", messages::aggregate(probe, &caller).await?)
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
        if !probe.settings.network.offers(&RUN) {
            return Err(Stop::NotApplicable("the target's profile says that it has no `run`".to_owned()));
        }
        let hash = programs::runnable(probe).await?;
        let request = Repeated::post(probe, &format!("/run/{hash}"), r#"{"variables":{}}"#.to_owned());
        Ok(Repeated { request, class: Rate::Heavy, from: None })
    }

    /// The class with the lowest limit that the target offers.
    async fn any(probe: &Probe<'_>) -> Result<Repeated, Stop> {
        match Repeated::heavy(probe).await {
            Err(Stop::NotApplicable(_) | Stop::NotTestable(_)) => Ok(Repeated::general(probe)),
            repeated => repeated,
        }
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

/// Sends 100 general requests in one minute, which must be accepted. The next must return 429. Then sends one request to
/// each general endpoint: whether all of them are counted together is left open, but each 429 must have the documented
/// form.
async fn general_requests_are_limited(probe: &Probe<'_>) -> Checked {
    Repeated::general(probe).expect_limit(probe).await?;
    each_of(probe, Rate::General).await
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
async fn authenticated_requests_are_limited(probe: &Probe<'_>) -> Checked {
    Repeated::authenticated(probe).await?.expect_limit(probe).await?;
    each_of(probe, Rate::Authenticated).await
}

/// Runs a program 10 times in one minute, which must be accepted. The next run must return 429.
async fn program_runs_are_limited(probe: &Probe<'_>) -> Checked {
    Repeated::heavy(probe).await?.expect_limit(probe).await
}

/// Sends requests until one returns 429. Its `Retry-After` must be a whole number of seconds.
async fn rejection_has_retry_after(probe: &Probe<'_>) -> Checked {
    let refused = Repeated::any(probe).await?.exhaust(probe).await?;
    let after = refused.response.header("retry-after").unwrap_or("none").to_owned();
    let is_whole = !after.is_empty() && after.bytes().all(|byte| byte.is_ascii_digit());
    refused.expect(is_whole, "header retry-after", "whole seconds", after)
}

/// Sends requests until one returns 429, then waits a minute. The next request must be accepted. Over nine minutes no more
/// than ten times the limit may be accepted, whatever the window is.
async fn after_a_minute_the_address_may_ask_again(probe: &Probe<'_>) -> Checked {
    let repeated = Repeated::any(probe).await?;
    let quota = repeated.quota(probe);
    let start = begin(probe, RATE_WINDOW.value).await?;
    quota.exhaust().await?;
    start.until(probe, RATE_WINDOW.outside).await?;
    quota.again(RATE_WINDOW.outside).await?;
    quota.expect_rate(probe).await
}

/// Sends requests from one address until one returns 429. A request from another address must be accepted.
async fn requests_of_one_address_do_not_count_for_another(probe: &Probe<'_>) -> Checked {
    let [one, other] = ["one", "other"].map(|name| Some(benchmark_address(probe.draw(name))));
    let repeated = Repeated { from: one, ..Repeated::any(probe).await? };
    repeated.exhaust(probe).await?;
    Repeated { from: other, ..repeated }.send(probe).await?.expect_status(ACCEPTED)
}

/// Runs a program until a run returns 429. A general request must then be accepted. If the profile names an authenticated
/// endpoint, sends general requests until one returns 429: an authenticated request must then be accepted. Classes may
/// share a count, but each has its own limit.
async fn a_class_may_be_used_after_a_lower_limit_is_reached(probe: &Probe<'_>) -> Checked {
    let general = Repeated::general(probe);
    general.is_open_after(probe, &Repeated::heavy(probe).await?).await?;
    match Repeated::authenticated(probe).await {
        Ok(authenticated) => authenticated.is_open_after(probe, &general).await,
        Err(Stop::NotApplicable(_) | Stop::NotTestable(_)) => Ok(()),
        Err(other) => Err(other),
    }
}
