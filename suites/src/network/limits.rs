//! How many requests one address may send in a minute, in three classes.

use std::net::IpAddr;
use std::time::Duration;

use assay_spec::instant::MINUTE;
use assay_spec::network::limits::Rate;
use assay_spec::network::program::RUN;
use assay_spec::network::requirements::limits as rows;
use assay_spec::network::{aggregate, message};

use super::caller::caller;
use super::every::every;
use super::refusals;
use super::wire::PRIMARY;
use super::{ACCEPTED, messages, post_draft, programs};
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
        .costs(13, 0, 0)
        .elsewhere(201)
        .writes(1)
        .needs(NEEDS),
    shows!(rows::PER_ADDRESS, requests_of_one_address_do_not_count_for_another)
        .costs(13, 0, 0)
        .elsewhere(201)
        .writes(1)
        .needs(WITH_ADDRESSES),
];

/// The check uses up the limit, so it needs a minute for itself.
const NEEDS: &[Need] = &[Need::Clock, Need::Isolation];
const WITH_ADDRESSES: &[Need] = &[Need::Clock, Need::Isolation, Need::Addresses];
/// A minute and a moment.
const A_MINUTE: Duration = Duration::from_millis(MINUTE.unsigned_abs() + 2_000);

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

    /// Expects as many requests as the class allows to be accepted, and a 429 before twice as many.
    async fn expect_limit(&self, probe: &Probe<'_>) -> Checked {
        let limit = self.class.per_minute();
        fresh_minute(probe).await?;
        self.send(probe).await?.counterpart_status(ACCEPTED)?;
        for n in 2..=limit {
            let answer = self.send(probe).await?;
            let status = answer.status();
            let place = format!("status of request {n}");
            answer.expect(
                status != 429,
                &place,
                format!("not 429: {limit} requests are allowed"),
                status.to_string(),
            )?;
        }
        for n in limit + 1..=2 * limit {
            let answer = self.send(probe).await?;
            if answer.status() == 429 || n == 2 * limit {
                return answer.expect_status(&[429]);
            }
        }
        Ok(())
    }

    /// Sends until a request returns 429. If none does, the check is inconclusive.
    async fn fill<'p>(&self, probe: &'p Probe<'_>) -> Result<Answer<'p>, Stop> {
        fresh_minute(probe).await?;
        for _ in 0..2 * self.class.per_minute() {
            let answer = self.send(probe).await?;
            if answer.status() == 429 {
                return Ok(answer);
            }
            answer.given_status(ACCEPTED)?;
        }
        Err(Stop::Inconclusive("twice the limit was accepted: no limit was found".to_owned()))
    }
}

/// Moves to a minute without requests, whether minutes are rolling or follow the clock.
async fn fresh_minute(probe: &Probe<'_>) -> Result<(), Stop> {
    let now = probe.now().await?;
    let wait_ms = 2 * MINUTE - now.0.rem_euclid(MINUTE) + 1_000;
    probe.advance(Duration::from_millis(wait_ms.unsigned_abs())).await
}

/// Sends general requests in one minute. As many as the limit must be accepted, and a 429 must come before twice as
/// many. Then sends one request to each general endpoint: whether all of them are counted together is left open, but
/// each 429 must have the documented form.
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

/// Sends authenticated requests in one minute. As many as the limit must be accepted, and a 429 must come before twice
/// as many. Then sends one request to each authenticated endpoint, as for general requests.
async fn authenticated_requests_are_limited(probe: &Probe<'_>) -> Checked {
    Repeated::authenticated(probe).await?.expect_limit(probe).await?;
    each_of(probe, Rate::Authenticated).await
}

/// Runs a program over and over in one minute. As many runs as the limit must be accepted, and a 429 must come before
/// twice as many.
async fn program_runs_are_limited(probe: &Probe<'_>) -> Checked {
    Repeated::heavy(probe).await?.expect_limit(probe).await
}

/// Sends requests until one returns 429. Its `Retry-After` must be a whole number of seconds.
async fn rejection_has_retry_after(probe: &Probe<'_>) -> Checked {
    let refused = Repeated::any(probe).await?.fill(probe).await?;
    let after = refused.response.header("retry-after").unwrap_or("none").to_owned();
    let is_whole = !after.is_empty() && after.bytes().all(|byte| byte.is_ascii_digit());
    refused.expect(is_whole, "header retry-after", "whole seconds", after)
}

/// Sends requests until one returns 429, then waits a minute. The next request must be accepted.
async fn after_a_minute_the_address_may_ask_again(probe: &Probe<'_>) -> Checked {
    let repeated = Repeated::any(probe).await?;
    repeated.fill(probe).await?;
    probe.advance(A_MINUTE).await?;
    repeated.send(probe).await?.expect_status(ACCEPTED)
}

/// Sends requests from one address until one returns 429. A request from another address must be accepted.
async fn requests_of_one_address_do_not_count_for_another(probe: &Probe<'_>) -> Checked {
    let [one, other] = ["one", "other"].map(|name| Some(benchmark_address(probe.draw(name))));
    let repeated = Repeated { from: one, ..Repeated::any(probe).await? };
    repeated.fill(probe).await?;
    Repeated { from: other, ..repeated }.send(probe).await?.expect_status(ACCEPTED)
}
