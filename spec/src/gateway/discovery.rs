//! `GET /svc/models` (document 1): which servers run which model.

use serde::Deserialize;

use super::requirements::discovery::{OBJECT, SERVERS};
use super::shapes::NO_ERRORS;
use crate::Dialect;
use crate::endpoint::endpoint;
use crate::shape::{Reply, ShapeKind, object};

const MODEL: ShapeKind = Entry::SHAPE;

endpoint! {
    /// Lists the servers of each model. The document does not show whether it needs a key.
    Gateway ENDPOINT "discovery" "GET" "/svc/models"
    None [200]
    "document 1, Inference gateway (paths under {base_url})";
    group: "Models",
    reply: Reply::Json(ShapeKind::Map(&MODEL)),
    row: Some(&OBJECT),
    errors: NO_ERRORS,
    open: &[401],
}

object! {
    /// The discovery entry of one model.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
    pub struct Entry {
        /// URLs of servers, or confidential deployments: the scheme followed by the item hash.
        servers: Vec<String> = must("servers", ShapeKind::Array(&ShapeKind::Text)).owned(&SERVERS)
            .free("the operator lists the servers"),
    }
}

/// One of a model's servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Server<'a> {
    /// The https URL of a backing server.
    Url(&'a str),
    /// The item hash of a confidential deployment. It is not an address.
    Confidential(&'a str),
}

impl<'a> Server<'a> {
    /// Parses one string of `servers`; `None` if it has neither form.
    pub fn parse(dialect: &Dialect, text: &'a str) -> Option<Server<'a>> {
        if let Some(hash) = text.strip_prefix(dialect.confidential_scheme.as_str()) {
            return (!hash.is_empty()).then_some(Server::Confidential(hash));
        }
        let rest = text.strip_prefix("https://")?;
        (!rest.is_empty() && !rest.starts_with('/')).then_some(Server::Url(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_urls_or_item_hashes() {
        let read = |text| Server::parse(&Dialect::default(), text).map(|server| format!("{server:?}"));
        assert_eq!(read("https://a.example/x").as_deref(), Some("Url(\"https://a.example/x\")"));
        assert_eq!(read("tee://00ff").as_deref(), Some("Confidential(\"00ff\")"));
        for other in ["", "tee://", "https://", "https:///x", "http://a.example", "a.example", "tee:00ff"] {
            assert_eq!(read(other), None, "{other:?}");
        }
    }
}
