//! What lets pages of other origins use the sites: CORS, as the Fetch standard has it. It is around the services. A world sees
//! no preflight, and its responses do not have these headers yet.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{
    ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_REQUEST_HEADERS,
    ACCESS_CONTROL_REQUEST_METHOD, CONTENT_TYPE, HeaderName, ORIGIN, VARY,
};
use http::uri::Authority;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use http_body::Body;
use http_body_util::{Either, Full};
use tower::ServiceExt;

use super::{ReplyBody, SiteService};

/// The origins whose pages may read responses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cors {
    /// As browsers send them.
    listed: Vec<HeaderValue>,
    /// Every other origin, too.
    any: bool,
}

/// A string that is not an origin, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not an origin; write {EXPECTED}")]
pub struct NotAnOrigin(pub String);

const EXPECTED: &str = "scheme, host and port as a browser sends them, such as http://localhost:3000, without a path; \
     null for pages of files; or * for every origin";

impl Cors {
    /// For pages of these origins; `*` is every origin. `None` without an origin.
    pub fn new(origins: &[String]) -> Result<Option<Cors>, NotAnOrigin> {
        let mut cors = Cors { listed: Vec::new(), any: false };
        for origin in origins {
            match origin.as_str() {
                "*" => cors.any = true,
                _ => cors.listed.push(parse(origin).ok_or_else(|| NotAnOrigin(origin.clone()))?),
            }
        }
        Ok((!origins.is_empty()).then_some(cors))
    }

    /// The headers for a page of this origin; `None` if it may not read the response. Only a listed origin may send
    /// credentials, as the standard does not allow it for all.
    fn allows(&self, origin: &HeaderValue) -> Option<HeaderMap> {
        let listed = self.listed.iter().find(|listed| *listed == origin);
        let any = self.any.then_some(HeaderValue::from_static("*"));
        let mut headers = HeaderMap::new();
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, listed.cloned().or(any)?);
        if listed.is_some() {
            headers.insert(ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static("true"));
        }
        Some(headers)
    }

    /// The response to a request at a site. A preflight does not reach the site.
    pub(super) async fn serve<B>(
        self: Arc<Self>,
        service: SiteService,
        request: Request<B>,
    ) -> Result<Response<ReplyBody>, Infallible>
    where
        B: Body<Data = Bytes> + Unpin + Send + 'static,
        B::Error: Send,
    {
        let origin = request.headers().get(ORIGIN);
        let allowed = origin.and_then(|origin| self.allows(origin));
        let is_preflight = origin.is_some()
            && request.method() == Method::OPTIONS
            && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD);
        if is_preflight {
            return Ok(preflight(request.headers(), allowed));
        }
        let mut response = service.oneshot(request).await?;
        let exposed = response.headers().keys().map(HeaderName::as_str).collect::<Vec<_>>().join(", ");
        response.headers_mut().append(VARY, HeaderValue::from_static("Origin"));
        if let Some(allowed) = allowed {
            // They replace those that a service under a deviation has.
            response.headers_mut().extend(allowed);
            if let Ok(exposed) = HeaderValue::try_from(exposed) {
                response.headers_mut().insert(ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
            }
        }
        Ok(response)
    }
}

/// The response to a preflight: what it asks for is allowed.
fn preflight(asked: &HeaderMap, allowed: Option<HeaderMap>) -> Response<ReplyBody> {
    let is_allowed = allowed.is_some();
    let mut headers = allowed.unwrap_or_default();
    let why = if is_allowed { "" } else { "the simulator was not started with --cors for this origin\n" };
    if is_allowed {
        for (to, from) in [
            (ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_REQUEST_METHOD),
            (ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_REQUEST_HEADERS),
        ] {
            for value in asked.get_all(from) {
                headers.append(to.clone(), value.clone());
            }
        }
    } else {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain"));
    }
    let vary = "Origin, Access-Control-Request-Method, Access-Control-Request-Headers";
    headers.insert(VARY, HeaderValue::from_static(vary));
    let mut response = Response::new(Either::Left(Full::from(why)));
    *response.status_mut() = if is_allowed { StatusCode::NO_CONTENT } else { StatusCode::FORBIDDEN };
    *response.headers_mut() = headers;
    response
}

/// An origin as browsers send it: in lower case, without the default port of its scheme.
fn parse(origin: &str) -> Option<HeaderValue> {
    let origin = origin.to_ascii_lowercase();
    let Some((scheme, place)) = origin.split_once("://") else {
        return (origin == "null").then_some(HeaderValue::from_static("null"));
    };
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_lowercase())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+.-".contains(c));
    let authority: Authority = place.parse().ok()?;
    let host = authority.host();
    let port = place.strip_prefix(host)?;
    let is_port = port.is_empty() || authority.port_u16().is_some_and(|number| number > 0);
    if !is_scheme || host.is_empty() || host.contains('*') || !is_port {
        return None;
    }
    let default = match scheme {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    };
    let port = authority.port_u16().filter(|number| Some(*number) != default);
    let port = port.map_or_else(String::new, |number| format!(":{number}"));
    HeaderValue::try_from(format!("{scheme}://{host}{port}")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_as_browsers_send_it() {
        for (written, sent) in [
            ("http://localhost:3000", "http://localhost:3000"),
            ("HTTPS://Example.com:443", "https://example.com"),
            ("http://[::1]:80", "http://[::1]"),
            ("capacitor://localhost", "capacitor://localhost"),
            ("null", "null"),
        ] {
            assert_eq!(parse(written).expect(written), sent);
        }
        for wrong in [
            "",
            "localhost:3000",
            "http://",
            "http://a/",
            "http://a?b",
            "http://a#b",
            "http://u@a",
            "http://*.a",
            "http://a:",
            "http://a:0",
            "http://a:65536",
            "http://a b",
            "http://a\r\nset-cookie: b",
            "http://a\0",
            "http://\u{e9}.example",
            "://a",
            "1a://b",
            "http://a,http://b",
        ] {
            assert_eq!(parse(wrong), None, "{wrong:?}");
        }
    }
}
