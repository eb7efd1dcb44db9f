//! Field deviations: one declared field of the responses of one endpoint is wrong, or one parameter of its queries is
//! disregarded. The declarations generate them, and hooks at the edge of the core make them, so that no handler knows of them.

use std::sync::Arc;

use assay_spec::endpoint::Endpoint;
use assay_spec::field::{Cell, Part, Wrong};
use assay_spec::{Dialect, Place, catalogue};
use bytes::Bytes;
use http::{HeaderName, HeaderValue, header};
use imbl::OrdMap;
use serde_json::Value;

use crate::deviation::Scoped;
use crate::exchange::{ExchangeId, Reply, RequestHead};

/// The active field deviations, and the endpoints of the exchanges that they may change.
#[derive(Clone, Debug, Default)]
pub struct Fields {
    cells: Arc<[Scoped<&'static Cell>]>,
    asked: OrdMap<ExchangeId, &'static Endpoint>,
}

impl Fields {
    /// Activates exactly these.
    pub(crate) fn set(&mut self, cells: Vec<Scoped<&'static Cell>>) {
        self.cells = cells.into();
    }

    /// The active ones.
    pub fn list(&self) -> impl Iterator<Item = &Scoped<&'static Cell>> {
        self.cells.iter()
    }

    /// Whether some apply at a few places only.
    pub(crate) fn are_scoped(&self) -> bool {
        self.cells.iter().any(|cell| cell.at != Place::ANY)
    }

    /// A client's request begins. Its query is read with the active deviations of parameters: the place of a query is its
    /// endpoint.
    pub(crate) fn asked(&mut self, exchange: ExchangeId, head: &mut RequestHead, dialect: &Dialect) {
        if self.cells.is_empty() {
            return;
        }
        let (path, query) = head.target.split_once('?').unwrap_or((&head.target, ""));
        let found =
            catalogue::endpoint_at(dialect, head.site.service, head.site.name, head.method.as_str(), path);
        if let Some(endpoint) = found {
            self.asked.insert(exchange, endpoint);
            let of_query = self.of_exchange(exchange, Place::ANY).filter(|cell| cell.part == Part::Query);
            let misread =
                of_query.fold(None, |read, cell| cell.misread(read.as_deref().unwrap_or(query)).or(read));
            if let Some(misread) = misread {
                head.target = format!("{path}?{misread}");
            }
        }
    }

    /// An exchange has ended.
    pub(crate) fn ended(&mut self, exchange: ExchangeId) {
        if !self.asked.is_empty() {
            self.asked.remove(&exchange);
        }
    }

    /// The cells that apply to the response to an exchange, at the place where it is written.
    fn of_exchange(&self, exchange: ExchangeId, place: Place) -> impl Iterator<Item = &'static Cell> + '_ {
        let endpoint = self.asked.get(&exchange);
        let is_its = move |cell: &&Scoped<&'static Cell>| {
            cell.at.contains(&place) && endpoint.is_some_and(|asked| std::ptr::eq(*asked, cell.what.endpoint))
        };
        self.cells.iter().filter(is_its).map(|cell| cell.what)
    }

    /// The reply to an exchange, with the active fields made wrong.
    pub(crate) fn edit(&self, exchange: ExchangeId, place: Place, mut reply: Reply) -> Reply {
        for cell in self.of_exchange(exchange, place) {
            let is_success = |status: u16| (200..300).contains(&status);
            if cell.status == reply.status || is_success(cell.status) && is_success(reply.status) {
                change(cell, &mut reply, exchange);
            }
        }
        reply
    }

    /// A piece of a reply, with the active fields of its events made wrong.
    pub(crate) fn edit_events(&self, exchange: ExchangeId, place: Place, bytes: &Bytes) -> Bytes {
        let mut bytes = bytes.clone();
        for cell in self.of_exchange(exchange, place).filter(|cell| cell.part == Part::Event) {
            let line = |line: &[u8]| {
                let data =
                    line.strip_prefix(b"data:").and_then(|data| serde_json::from_slice::<Value>(data).ok());
                let spoilt = data.and_then(|mut data| cell.spoil(&mut data, exchange).then_some(data));
                spoilt.map_or_else(|| line.to_vec(), |data| format!("data: {data}").into_bytes())
            };
            bytes = bytes.split(|byte| *byte == b'\n').map(line).collect::<Vec<_>>().join(&b'\n').into();
        }
        bytes
    }
}

fn change(cell: &Cell, reply: &mut Reply, response: u64) {
    match cell.part {
        Part::Body => {
            if let Ok(mut body) = serde_json::from_slice::<Value>(&reply.body)
                && cell.spoil(&mut body, response)
            {
                reply.body = body.to_string().into();
            }
        }
        Part::Bytes if cell.wrong == Wrong::Text => reply.body = Bytes::from_static(b"This is not JSON."),
        Part::Bytes => {
            reply.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
            reply.body = Bytes::from_static(b"{}");
        }
        Part::Header => {
            let name =
                HeaderName::from_bytes(cell.path.as_bytes()).expect("declared headers have valid names");
            if cell.wrong == Wrong::Missing {
                reply.headers.remove(name);
            } else {
                let value = match cell.wrong {
                    Wrong::Present => "*",
                    Wrong::Late => "86400",
                    _ => "another",
                };
                reply.headers.insert(name, HeaderValue::from_static(value));
            }
        }
        Part::Event | Part::Query => {}
    }
}
