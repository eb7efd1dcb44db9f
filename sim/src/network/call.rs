//! A request at a node: its endpoint and its parameters.

use std::net::IpAddr;

use assay_spec::endpoint::Endpoint;
use assay_spec::network::params::Params;
use bytes::Bytes;

use crate::exchange::{Request, Site};

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
    pub(super) captures: Vec<String>,
    /// The query.
    pub(super) params: Params,
    /// The request as received.
    pub(super) request: &'a Request,
}

impl Call<'_> {
    /// The value of the placeholder with that number, from 0.
    pub(super) fn capture(&self, at: usize) -> &str {
        self.captures.get(at).map_or("", String::as_str)
    }

    /// The body.
    pub(super) fn body(&self) -> &Bytes {
        &self.request.body
    }
}
