//! Maps a path to its endpoint and the captured strings.

use percent_encoding::percent_decode_str;

use crate::endpoint::Endpoint;

/// A matched endpoint.
#[derive(Clone, Debug)]
pub struct Route {
    /// The endpoint.
    pub endpoint: &'static Endpoint,
    /// The captured strings, percent-decoded, in order.
    pub captures: Vec<String>,
}

/// Why no endpoint matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoRoute {
    /// No endpoint has such a path.
    Path,
    /// An endpoint has this path, but with another method.
    Method,
}

/// Finds the endpoint for a method and a path as sent, without the query.
pub fn route(
    endpoints: impl IntoIterator<Item = &'static Endpoint>,
    method: &str,
    path: &str,
) -> Result<Route, NoRoute> {
    let mut miss = NoRoute::Path;
    for endpoint in endpoints {
        if let Some(captures) = capture(endpoint.path, path) {
            if endpoint.method == method {
                return Ok(Route { endpoint, captures });
            }
            miss = NoRoute::Method;
        }
    }
    Err(miss)
}

/// The parts of `path` at the placeholders of `template`. Each is one segment or a part of it, is not empty, and may
/// hold an encoded slash.
pub fn capture(template: &str, path: &str) -> Option<Vec<String>> {
    let (mut wanted, mut given) = (template.split('/'), path.split('/'));
    let mut captures = Vec::new();
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return Some(captures),
            (Some(wanted), Some(given)) => match (wanted.find('{'), wanted.find('}')) {
                (Some(open), Some(close)) => {
                    let text = given.strip_prefix(&wanted[..open])?.strip_suffix(&wanted[close + 1..])?;
                    let text = percent_decode_str(text).decode_utf8().ok()?;
                    captures.push(Some(text.into_owned()).filter(|text| !text.is_empty())?);
                }
                _ if wanted == given => {}
                _ => return None,
            },
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{CORE, ENDPOINTS};

    #[test]
    fn paths_map_to_their_endpoints() {
        let found = |method, path| {
            route(CORE.iter().copied(), method, path).map(|found| (found.endpoint.name, found.captures))
        };
        let ok = |name, captures: &[&str]| Ok((name, captures.iter().map(ToString::to_string).collect()));
        assert_eq!(found("GET", "/api/v0/messages"), ok("messages", &[]));
        assert_eq!(found("GET", "/api/v0/messages.json"), ok("messages-flat", &[]));
        assert_eq!(found("GET", "/api/v0/messages/ab"), ok("message", &["ab"]));
        assert_eq!(found("GET", "/api/v0/storage/raw/ab"), ok("raw-file", &["ab"]));
        assert_eq!(found("GET", "/api/v0/aggregates/0x1.json"), ok("aggregates-of", &["0x1"]));
        assert_eq!(found("GET", "/api/v0/aggregates/0x1/k%2F%20l"), ok("aggregate", &["0x1", "k/ l"]));
        assert_eq!(found("POST", "/api/v0/instances/i/control"), ok("control-instance", &["i"]));
        assert_eq!(found("DELETE", "/api/v0/messages"), Err(NoRoute::Method));
        for nowhere in
            ["/", "", "/api/v0/messages/", "/api/v0/messages/a/b", "/api/v1/messages", "/api/v0/.json"]
        {
            assert_eq!(found("GET", nowhere), Err(NoRoute::Path), "{nowhere}");
        }
        assert_eq!(found("GET", "/api/v0/messages/%ff"), Err(NoRoute::Path));
    }

    #[test]
    fn every_path_maps_to_its_own_endpoint() {
        for endpoint in ENDPOINTS {
            let path = endpoint.path.replace(['{', '}'], "");
            let found = route(ENDPOINTS.iter().copied(), endpoint.method, &path).expect("its own path");
            assert_eq!(found.endpoint.name, endpoint.name);
        }
    }
}
