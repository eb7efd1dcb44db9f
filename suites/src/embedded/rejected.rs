//! Why a server rejected a request of a client: the simulator is asked the same. It does not know the state of the server, so its
//! answer counts only if it has the same status.

use std::time::SystemTime;

use assay_sim::clock::EPOCH;
use assay_sim::testing::any;
use assay_sim::{Sim, world};
use assay_spec::Instant;
use http_body_util::{BodyExt, Full};
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;

use crate::http::connect::path_of;
use crate::http::exchange::Exchange;
use crate::services::SUITES;

/// The rule that the request of a rejected exchange violates, and what was seen. `None` if the simulator has another answer.
pub async fn why(exchange: &Exchange) -> Option<String> {
    let response = exchange.response.as_ref().ok()?;
    let site = world::sites().into_iter().find(|site| site.name == exchange.site)?;
    // A signed request names a time near that of the server.
    let date = response.header("date").and_then(|date| httpdate::parse_http_date(date).ok());
    let since = date.and_then(|date| date.duration_since(SystemTime::UNIX_EPOCH).ok());
    let sim =
        Sim::builder().epoch(since.map_or(EPOCH, |since| Instant(since.as_millis() as i64))).build().ok()?;
    let mut request = exchange.request.clone();
    (SUITES.get(site.service).simulator.adopts)(&mut request, &sim.state(site.service));
    let path = path_of(&exchange.base)?;
    let target = request.target.strip_prefix(&path)?;
    let mut asked = http::Request::builder().method(&*request.method).uri(target);
    for (name, value) in &request.headers {
        asked = asked.header(name, &value[..]);
    }
    let asked = asked.body(Full::from(request.body)).ok()?;
    let answer = TowerToHyperService::new(sim.at(site).service()).call(asked).await.ok()?;
    let status = answer.status().as_u16();
    answer.into_body().collect().await.ok()?;
    let received = sim.received(&any()).list();
    let violated = received.first()?.why.iter().find(|violation| !violation.accepted)?;
    (status == response.status).then(|| format!("{}: {}", violated.requirement, violated.why))
}
