//! Endpoint declarations: one value per endpoint, from which simulator, suites and descriptions are made.

use crate::Service;

/// One endpoint of a service.
#[derive(Debug)]
pub struct Endpoint {
    /// The service that offers it.
    pub service: Service,
    /// The endpoint's short name, as used in faults and reports.
    pub name: &'static str,
    /// The HTTP method.
    pub method: &'static str,
    /// The raw path, literal slashes kept.
    pub path: &'static str,
    /// What the caller must present.
    pub auth: Auth,
    /// Every status that the documents give it.
    pub statuses: &'static [u16],
    /// The section that lists it.
    pub source: &'static str,
}

/// How an endpoint authenticates its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Auth {
    /// Nothing.
    None,
    /// `Authorization: Bearer <key>`.
    Bearer,
    /// `Authorization: VfKey <message>.<signature>`.
    VfKey,
    /// A signed envelope in the body.
    Envelope,
    /// A form's signature of the file's hash.
    FileSignature,
}
