//! HTTP as raw bytes: requests and responses, HTTP/1.1 and HTTP/2, TLS, proxies, multipart forms, event streams, curl
//! lines, and the hiding of secrets in what is shown.
//!
//! Imports `support`. Entry point: [`transport::send`].

pub mod client;
pub mod connect;
pub mod curl;
pub mod exchange;
pub mod hiding;
pub mod keep;
pub(crate) mod multipart;
pub mod proxy;
pub mod sockets;
pub mod tls;
pub mod transport;
