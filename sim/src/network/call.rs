//! A request at a node: its endpoint and its parameters.

use std::net::IpAddr;

use assay_spec::Rules;
use assay_spec::endpoint::Endpoint;
use assay_spec::network::info::PREFIX as CONFORMING_PREFIX;
use assay_spec::network::limits::Rate;
use assay_spec::network::params::Params;
use assay_spec::network::requirements::errors::BAD_REQUEST;
use assay_spec::network::requirements::info::PREFIX;
use assay_spec::network::route::{NoRoute, route};
use assay_spec::network::{COMPUTE, CORE, neighbours};
use bytes::Bytes;
use percent_encoding::percent_decode_str;

use super::{sites, variations};
use crate::core::Core;
use crate::exchange::{Request, RequestHead, Site};
use crate::refusal::Refusal;

/// A request whose path matches an endpoint.
#[derive(Debug)]
pub(super) struct Call<'a> {
    /// The site that received it.
    pub(super) site: Site,
    /// The client's address.
    pub(super) peer: IpAddr,
    /// The endpoint.
    pub(super) endpoint: &'static Endpoint,
    /// The values of the placeholders in the endpoint's path, decoded once.
    captures: Vec<String>,
    /// The query.
    pub(super) params: Params,
    /// The request as received.
    pub(super) request: &'a Request,
}

impl<'a> Call<'a> {
    /// Finds the endpoint of a request.
    pub(super) fn read(core: &mut Core, request: &'a Request) -> Result<Call<'a>, Refusal> {
        let head = &request.head;
        let (endpoint, captures) = find(core, head)?;
        let query = head.target.split_once('?').map_or("", |(_, query)| query);
        let is_text = !is_api(head.site) || percent_decode_str(query).decode_utf8().is_ok();
        if !is_text && !core.varies(variations::QUERIES_IGNORED) {
            return Err(Refusal::new(&BAD_REQUEST, "the query is not UTF-8"));
        }
        let params = Params::parse(query);
        Ok(Call { site: head.site, peer: head.peer, endpoint, captures, params, request })
    }

    /// The value of the placeholder with that number, from 0.
    pub(super) fn capture(&self, at: usize) -> &str {
        self.captures.get(at).map_or("", String::as_str)
    }

    /// The body.
    pub(super) fn body(&self) -> &Bytes {
        &self.request.body
    }
}

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
    // Where this rule is violated, the API is served only under another version.
    let moved = is_api(head.site) && path.starts_with("/api/") && core.violated(&PREFIX).is_some();
    let wanted = if moved { path.replacen("/api/v1", CONFORMING_PREFIX, 1) } else { path.to_owned() };
    let hidden = moved && wanted == path;
    match route(endpoints(head.site), head.method.as_str(), &wanted) {
        Ok(found) if !hidden => Ok((found.endpoint, found.captures)),
        Err(NoRoute::Method) => Err(Refusal::new(&PREFIX, format!("{path} does not allow {}", head.method))),
        _ => Err(Refusal::new(&PREFIX, format!("no endpoint at {path}"))),
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
