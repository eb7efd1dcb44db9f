//! What the documents say beyond rows: their sentences, the catalogue, the endpoints of a request, `OpenAPI`, readings.
//!
//! Imports `profile`, `http` and `support`. Entry points: [`catalogue`], [`openapi::describe`], [`readings::Reading`].

pub mod catalogue;
pub mod endpoints;
pub mod openapi;
pub mod readings;
pub mod sentences;
