//! The documented endpoint of a request, and what a request may leave behind.

use assay_spec::Dialect;
use assay_spec::catalogue;
use assay_spec::endpoint::Endpoint;
use assay_spec::metadata::contract;

use crate::http::connect::path_of;
use crate::http::exchange::{Exchange, Request};

/// The endpoint that an exchange was for, by the site and the path that it was sent to.
pub(crate) fn endpoint_of(dialect: &Dialect, exchange: &Exchange) -> Option<&'static Endpoint> {
    endpoint_at(dialect, exchange, &exchange.request.method)
}

/// As [`endpoint_of`], as if the request had another method.
pub(crate) fn endpoint_at(dialect: &Dialect, exchange: &Exchange, method: &str) -> Option<&'static Endpoint> {
    find(dialect, &exchange.site, &exchange.base, method, &exchange.request.target)
}

/// The endpoint of a request to one of the target's sites.
pub(crate) fn find(
    dialect: &Dialect,
    site: &str,
    base: &str,
    method: &str,
    target: &str,
) -> Option<&'static Endpoint> {
    let service = catalogue::service_at(site)?;
    let path = target.split('?').next().unwrap_or_default();
    let found =
        catalogue::endpoint_at(dialect, service, site, method, path.strip_prefix(path_of(base)?.as_str())?)?;
    // A content identifier has no extension: such a file is the description of the interface.
    let is_file =
        found.path == contract::BY_CID.path && path.rsplit_once('.').is_some_and(|(_, kind)| kind == "json");
    (!is_file).then_some(found)
}

/// Whether a request may leave data behind. An undocumented request counts as writing, except at services that store
/// nothing.
pub fn writes(dialect: &Dialect, site: &str, base: &str, request: &Request) -> bool {
    if matches!(request.method.as_str(), "GET" | "HEAD" | "OPTIONS") {
        return false;
    }
    find(dialect, site, base, &request.method, &request.target)
        .map_or_else(|| catalogue::may_store(site), catalogue::stores)
}

/// Method and path of the documented endpoint of an exchange; its own path below the base URL if it is not documented.
pub fn name(exchange: &Exchange) -> String {
    let Exchange { base, request, .. } = exchange;
    let own = || {
        let path = request.target.split('?').next().unwrap_or_default();
        let prefix = path_of(base).unwrap_or_default();
        Dialect::default().documented(path.strip_prefix(prefix.as_str()).unwrap_or(path))
    };
    let path = endpoint_of(&Dialect::default(), exchange).map_or_else(own, |found| found.path.to_owned());
    format!("{} {path}", request.method)
}
