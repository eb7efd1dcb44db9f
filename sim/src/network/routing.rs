//! Which endpoint a request is for.

use assay_spec::Refused;
use assay_spec::endpoint::Endpoint;
use assay_spec::network::limits::Rate;
use assay_spec::network::params::Params;
use assay_spec::network::requirements::errors::BAD_REQUEST;
use assay_spec::network::requirements::info::PREFIX;
use assay_spec::network::route::{NoRoute, route};
use assay_spec::network::{COMPUTE, CORE, neighbours};
use percent_encoding::percent_decode_str;

use super::call::Call;
use super::sites;
use crate::core::Core;
use crate::exchange::{Request, RequestHead, Site};
use crate::refusal::Refusal;
use crate::seam::steps;

/// Finds the endpoint of a request.
pub(super) fn read<'a>(core: &mut Core, request: &'a Request) -> Result<Call<'a>, Refusal> {
    let head = &request.head;
    let (endpoint, captures) = find(core, head)?;
    let query = head.target.split_once('?').map_or("", |(_, query)| query);
    if is_api(head.site) {
        CheckQuery::run(core, query)?;
    }
    let params = Params::parse(query);
    Ok(Call { site: head.site, peer: head.peer, endpoint, captures, params, request })
}

steps! {
    CheckQuery(query: &str) -> Result<(), Refused> = check_query;
}

/// A query is UTF-8.
pub(super) fn check_query(_: &mut Core, query: &str) -> Result<(), Refused> {
    match percent_decode_str(query).decode_utf8() {
        Ok(_) => Ok(()),
        Err(_) => Err(Refused { rule: &BAD_REQUEST, why: "the query is not UTF-8".to_owned() }),
    }
}

/// The path of a request to the API, as it is routed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ApiPath(pub(super) String);

/// The endpoints of a site.
fn endpoints(site: Site) -> &'static [&'static Endpoint] {
    static SCHEDULER: &[&Endpoint] = &[&neighbours::PLAN, &neighbours::ALLOCATION, &neighbours::NODES];
    static STATUS: &[&Endpoint] = &[&neighbours::SERVICES];
    static CREDIT: &[&Endpoint] = &[&neighbours::PAYMENT, &neighbours::TOKEN_TO_CREDIT];
    match site {
        sites::COMPUTE_1 | sites::COMPUTE_2 => COMPUTE,
        sites::SCHEDULER => SCHEDULER,
        sites::STATUS => STATUS,
        sites::CREDIT => CREDIT,
        _ => CORE,
    }
}

fn find(core: &mut Core, head: &RequestHead) -> Result<(&'static Endpoint, Vec<String>), Refusal> {
    let path = head.target.split_once('?').map_or(head.target.as_str(), |(path, _)| path);
    let ApiPath(routed) =
        if is_api(head.site) { core.step(ApiPath(path.to_owned())) } else { ApiPath(path.to_owned()) };
    match route(endpoints(head.site).iter().copied(), head.method.as_str(), &routed) {
        Ok(found) => Ok((found.endpoint, found.captures)),
        Err(NoRoute::Method) => Err(Refusal::new(&PREFIX, format!("{path} does not allow {}", head.method))),
        Err(_) => Err(Refusal::new(&PREFIX, format!("no endpoint at {path}"))),
    }
}

/// Whether a site serves the API.
pub(super) fn is_api(site: Site) -> bool {
    [sites::PRIMARY, sites::ALTERNATIVE, sites::MIRROR].contains(&site)
}

/// The rate class of a request, also if its path matches no endpoint.
pub(super) fn class(core: &mut Core, head: &RequestHead) -> Rate {
    find(core, head).map_or(Rate::General, |(endpoint, _)| Rate::for_endpoint(endpoint))
}
