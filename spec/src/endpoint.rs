//! Endpoint declarations: one value per endpoint. A server, its checks and its OpenAPI document are made from them.

use crate::reply::{ErrorForm, Expected, Header, Whole};
use crate::shape::{Body, Field, Reply};
use crate::{Id, Service};

/// One endpoint of a service.
#[derive(Debug)]
pub struct Endpoint {
    /// The service that offers it.
    pub service: Service,
    /// The endpoint's short name, as used in faults and reports.
    pub name: &'static str,
    /// What it does: the doc comment of its declaration.
    pub about: &'static str,
    /// The HTTP method.
    pub method: &'static str,
    /// The raw path, literal slashes kept.
    pub path: &'static str,
    /// What the caller must present.
    pub auth: Auth,
    /// Every status that the documents list for it; empty if they list none.
    pub statuses: &'static [u16],
    /// The section that lists it.
    pub source: &'static str,
    /// Its request and its response.
    pub shape: Shape,
}

/// The request and the responses of an endpoint.
#[derive(Debug)]
pub struct Shape {
    /// The group it is listed under.
    pub group: &'static str,
    /// What the first sentence and the types do not say.
    pub note: &'static str,
    /// The path parameters that are not plain strings.
    pub path: &'static [Field],
    /// The parameters of its query.
    pub query: &'static [Field],
    /// The request headers, without authentication.
    pub headers: &'static [Field],
    /// The request body.
    pub body: Body,
    /// The body of a success.
    pub reply: Reply,
    /// The row that owns the body of a success, and every field of it that names no other.
    pub row: Option<Id>,
    /// A success with one of these members is another resource that shares the path; it is not judged.
    pub others: &'static [&'static str],
    /// What a success must keep besides its fields.
    pub whole: &'static [Whole],
    /// The headers of every response.
    pub answers: &'static [Header],
    /// The row about the media type of a JSON body. `None`: the row of the body where client libraries decide by it, and else
    /// none.
    pub json_type: Option<Id>,
    /// The row that a stream breaks which the request did not ask for. `None`: the row about the media type.
    pub unasked: Option<Id>,
    /// The forms of its errors; the first that names a status is that status's form.
    pub errors: &'static [ErrorForm],
    /// Statuses that the documents leave open, beyond those they list.
    pub open: &'static [u16],
}

impl Shape {
    /// Nothing is shown.
    pub const UNSHOWN: Shape = Shape {
        group: "",
        note: "",
        path: &[],
        query: &[],
        headers: &[],
        body: Body::None,
        reply: Reply::Open("the documents do not show it"),
        row: None,
        others: &[],
        whole: &[],
        answers: &[],
        json_type: None,
        unasked: None,
        errors: &[],
        open: &[],
    };
}

/// An endpoint has one declaration.
impl PartialEq for Endpoint {
    fn eq(&self, other: &Endpoint) -> bool {
        std::ptr::eq(self, other)
    }
}

/// How an endpoint authenticates its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Auth {
    /// Nothing.
    None,
    /// `Authorization: Bearer <key>`.
    Bearer,
    /// `Authorization: Bearer <key>`, or a payment for this one request.
    BearerOrPayment,
    /// `Authorization: VfKey <message>.<signature>`.
    VfKey,
    /// A signed envelope in the body.
    Envelope,
    /// A form's signature of the file's hash.
    FileSignature,
}

/// Statuses with which any server or proxy may reject a request for its HTTP form, whatever the documents say: request
/// timeout, missing length, body too long, target too long, media type, header section too large.
pub const OF_HTTP: &[u16] = &[408, 411, 413, 414, 415, 431];

impl Endpoint {
    /// What it does, in one sentence.
    pub fn summary(&self) -> &'static str {
        self.sentences().0
    }

    /// The rest of its doc comment.
    pub fn more(&self) -> &'static str {
        self.sentences().1
    }

    /// Whether the documents allow `status` or leave it open. If they list no status for the endpoint, it allows every
    /// 2xx and 4xx.
    pub fn foresees(&self, status: u16) -> bool {
        let listed = self.statuses.contains(&status) || self.shape.open.contains(&status);
        listed || self.statuses.is_empty() && matches!(status, 200..=299 | 400..=499)
    }

    /// The names in the braces of its path, in order.
    pub fn captures(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name)
    }

    /// The row about the media type of a JSON body, whose form belongs to the row `body`. Client libraries of document 1 decide
    /// by it.
    pub fn json_type(&self, body: Id) -> Option<Id> {
        self.shape.json_type.or((self.service.document() == 1).then_some(body))
    }

    /// What a response with this status must hold. `None` if the documents do not show it.
    pub fn expected(&'static self, status: u16) -> Option<Expected> {
        let shape = &self.shape;
        if (200..300).contains(&status) {
            let (body, row, whole, others) = (&shape.reply, shape.row, shape.whole, shape.others);
            return Some(Expected {
                body,
                row,
                whole,
                headers: &[],
                unavailable: &[],
                may_be_foreign: false,
                others,
            });
        }
        let is_listed = self.statuses.contains(&status) || shape.open.contains(&status);
        let named = |form: &&ErrorForm| {
            form.statuses.contains(&status) || form.statuses.is_empty() && is_listed && status >= 400
        };
        let form = shape.errors.iter().find(named)?;
        let ErrorForm { body, row, headers, unavailable, may_be_foreign, .. } = form;
        let (row, may_be_foreign) = (*row, *may_be_foreign);
        Some(Expected { body, row, whole: &[], headers, unavailable, may_be_foreign, others: &[] })
    }

    fn sentences(&self) -> (&'static str, &'static str) {
        let about = self.about.trim();
        about.split_once(". ").unwrap_or((about.trim_end_matches('.'), ""))
    }
}

/// Declares an endpoint. The doc comment becomes its summary:
/// `endpoint!(/// Comment. Service NAME "name" "METHOD" "/path" Auth [statuses] "section"; member of its shape: value)`.
macro_rules! endpoint {
    (
        $(#[doc = $about:literal])+
        $service:ident $name:ident $short:literal $method:literal $path:literal $auth:ident [$($status:literal),*]
        $source:literal; $($member:ident: $value:expr),* $(,)?
    ) => {
        $(#[doc = $about])+
        pub static $name: $crate::endpoint::Endpoint = $crate::endpoint::Endpoint {
            service: $crate::Service::$service,
            name: $short,
            about: concat!($($about),+),
            method: $method,
            path: $path,
            auth: $crate::endpoint::Auth::$auth,
            statuses: &[$($status),*],
            source: $source,
            shape: $crate::endpoint::Shape { $($member: $value,)* ..$crate::endpoint::Shape::UNSHOWN },
        };
    };
}
pub(crate) use endpoint;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::Body;
    use crate::catalogue::endpoints;

    #[test]
    fn declarations_are_complete() {
        for endpoint in endpoints() {
            let place = endpoint.path;
            assert!(!endpoint.summary().is_empty() && !endpoint.summary().ends_with('.'), "{place}");
            assert!(!endpoint.shape.group.is_empty(), "{place} has an empty group");
            let braces: BTreeSet<_> = endpoint.captures().collect();
            assert_eq!(braces.len(), place.matches('{').count(), "{place}");
            assert!(endpoint.shape.path.iter().all(|field| braces.contains(field.name)), "{place}");
            let carries = !matches!(endpoint.shape.body, Body::None);
            assert!(!carries || endpoint.method != "GET", "{place}: a GET must not have a body");
        }
    }

    #[test]
    fn statuses_are_unique_and_sorted() {
        for endpoint in endpoints() {
            let (known, open) = (endpoint.statuses, endpoint.shape.open);
            assert!(known.is_sorted() && open.is_sorted(), "{}", endpoint.path);
            let all: BTreeSet<_> = known.iter().chain(open).collect();
            assert_eq!(all.len(), known.len() + open.len(), "{}", endpoint.path);
            assert!(all.iter().all(|status| endpoint.foresees(**status)));
            assert!(!endpoint.foresees(599) && !endpoint.foresees(302));
        }
    }
}
