//! What the documents say beyond rows: their sentences, the ledger, the endpoints of a request, `OpenAPI`, readings.
//!
//! Imports `profile`, `http` and `support`. Entry points: [`ledger`], [`openapi::describe`], [`readings::Reading`].

pub mod endpoints;
pub mod ledger;
pub mod openapi;
pub mod readings;
pub mod sentences;
