//! What a request brings: its body and its query, read by their declarations.

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};

use super::bad;
use crate::shape::{self, Field, Record, Shape};

/// The body of a request.
pub(super) struct Given<T>(pub(super) T);

impl<S: Send + Sync, T: Shape> FromRequest<S> for Given<T> {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Self, Response> {
        // A list is named by its path: `faults[1].where`.
        let path = request.uri().path().rsplit('/').next().unwrap_or_default().to_owned();
        let root = if T::HAS_MEMBERS { String::new() } else { path };
        let body = Bytes::from_request(request, state).await.map_err(IntoResponse::into_response)?;
        if body.is_empty() {
            return Err(bad(format!("the body is missing; it must be {}", shape::form(&T::schema()))));
        }
        T::read(&parse(&body).map_err(bad)?, &root).map(Given).map_err(bad)
    }
}

/// The body of a request; none is the same as `{}`.
pub(super) struct MayBeGiven<T>(pub(super) T);

impl<S: Send + Sync, T: Record> FromRequest<S> for MayBeGiven<T> {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Self, Response> {
        let body = Bytes::from_request(request, state).await.map_err(IntoResponse::into_response)?;
        let value = if body.is_empty() { json!({}) } else { parse(&body).map_err(bad)? };
        T::read(&value, "").map(MayBeGiven).map_err(bad)
    }
}

/// Parses JSON. The error says where it ends to be JSON.
fn parse(body: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(body).map_err(|e| {
        let (line, column) = (e.line(), e.column());
        let why = e.to_string();
        let why = why.split(" at line ").next().unwrap_or_default();
        format!("the body is not JSON: line {line}, column {column}: {why}")
    })
}

/// What the query asks for.
pub(super) struct Asked<T>(pub(super) T);

impl<S: Send + Sync, T: Record> FromRequestParts<S> for Asked<T> {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Response> {
        let query = Query::<Vec<(String, String)>>::from_request_parts(parts, state).await;
        let Query(given) = query.map_err(|e| bad(format!("the query cannot be read: {e}")))?;
        let members = members(given, T::FIELDS).map_err(bad)?;
        T::read(&Value::Object(members), "").map(Asked).map_err(bad)
    }
}

/// The parameters as members of an object; a number is one in JSON, too.
fn members(given: Vec<(String, String)>, fields: &[Field]) -> Result<Map<String, Value>, String> {
    let mut members = Map::new();
    for (name, text) in given {
        let field = fields.iter().find(|field| field.name == name);
        let value = match field {
            Some(field) if (field.schema)()["type"] == "integer" => {
                let number = text.parse::<u64>();
                json!(number.map_err(|_| format!("{name}: must be a whole number, not {text:.60?}"))?)
            }
            _ => json!(text),
        };
        let place = shape::inside("", &name);
        if members.insert(name, value).is_some() {
            return Err(format!("{place}: given twice"));
        }
    }
    shape::check_names(&members, "", "query parameter", fields)?;
    Ok(members)
}

/// Rejects every query parameter, where none is declared.
pub(super) fn no_query(query: Option<&str>) -> Result<(), String> {
    let query = query.unwrap_or_default();
    match query.split(['&', '=']).find(|name| !name.is_empty()) {
        Some(name) => Err(format!("{}: unknown query parameter; none is known", shape::inside("", name))),
        None => Ok(()),
    }
}
