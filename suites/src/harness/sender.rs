//! Requests outside of checks, to a server that a command or a profile names: one transport, and one policy of when a
//! request is sent again.

use std::sync::Arc;

use url::{Position, Url};

use crate::harness::pace::{Retry, Tried};
use crate::http::client::Limits;
use crate::http::connect::{Connect, Dial};
use crate::http::exchange::{Broken, Request, Response};
use crate::http::hiding::Hidden;
use crate::http::transport;

/// A server at a base URL.
#[derive(Clone)]
pub struct Sender {
    connector: Arc<dyn Connect>,
    base: String,
    url: Url,
}

impl Sender {
    /// The server at a base URL, which may have a path and a query.
    pub fn new(connector: Arc<dyn Connect>, base: &str) -> Result<Sender, String> {
        let url = Url::parse(base).map_err(|e| format!("{base}: {e}"))?;
        Ok(Sender { connector, base: base.to_owned(), url })
    }

    /// Its base URL.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// The request target of a path below the base URL. The empty path is that of the base URL itself, with its query.
    pub fn target(&self, path: &str) -> String {
        if path.is_empty() {
            return self.url[Position::BeforePath..Position::AfterQuery].to_owned();
        }
        format!("{}{path}", self.url.path().trim_end_matches('/'))
    }

    /// Sends a request once. Its target is as [`Sender::target`] returns it.
    pub async fn once(&self, request: Request, limits: Limits) -> Result<Response, Broken> {
        let transport = self.connector.transport();
        // No report shows these requests, so nothing needs to be hidden.
        let request = transport.dress(request, &mut Hidden::default());
        let limits = transport.within(&self.base, limits);
        Box::pin(transport::send(&*self.connector, Dial::to(&self.base), &request, limits)).await.response
    }

    /// Sends a request, and sends it again as `retry` says. Each time it is made anew, because a signature may contain
    /// the time.
    pub async fn send(
        &self,
        retry: &Retry,
        limits: Limits,
        request: impl Fn() -> Request,
    ) -> Result<Response, Broken> {
        let mut tried = Tried::default();
        loop {
            let result = self.once(request(), limits).await;
            let Some(wait) = retry.again(&mut tried, &result) else { return result };
            tokio::time::sleep(wait).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::sockets::Tcp;

    #[test]
    fn path_and_query_of_the_base_url_are_kept() {
        for (base, whole, below) in [
            ("http://a.example", "/", "/x"),
            ("http://a.example/", "/", "/x"),
            ("http://a.example/rpc/", "/rpc/", "/rpc/x"),
            ("http://a.example/v2?key=k", "/v2?key=k", "/v2/x"),
        ] {
            let sender = Sender::new(Arc::new(Tcp), base).expect("a URL");
            assert_eq!((sender.target("").as_str(), sender.target("/x").as_str()), (whole, below), "{base}");
        }
        assert!(Sender::new(Arc::new(Tcp), "a.example").is_err());
    }
}
