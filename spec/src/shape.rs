//! The shape of requests and responses, as far as the documents show it. OpenAPI is generated from it.

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
        reply: Reply::Unshown,
        open: &[],
    };
}

/// A parameter, or a member of an object.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: ShapeKind,
    /// Whether it is always present.
    pub required: bool,
}

/// The type of a value.
#[derive(Clone, Copy, Debug)]
pub enum ShapeKind {
    /// Not shown.
    Any,
    /// Null.
    Null,
    /// A string.
    Text,
    /// Strings separated by commas.
    Commas,
    /// One of these strings.
    OneOf(&'static [&'static str]),
    /// True or false.
    Boolean,
    /// An integer.
    Integer,
    /// An integer within bounds.
    Within {
        /// The minimum.
        least: u64,
        /// The maximum, if there is one.
        most: Option<u64>,
        /// The default, if there is one.
        otherwise: Option<u64>,
    },
    /// An array of values of one type.
    Array(&'static ShapeKind),
    /// An object with free keys and values of one type.
    Map(&'static ShapeKind),
    /// An object with these members. More members are allowed.
    Object(&'static [Field]),
    /// A value of any of these types.
    Either(&'static [ShapeKind]),
    /// The bytes of a file.
    File,
}

/// The body of a request.
#[derive(Clone, Copy, Debug)]
pub enum Body {
    /// Nothing.
    None,
    /// A JSON object.
    Json(&'static [Field]),
    /// A JSON object, or nothing.
    OptionalJson(&'static [Field]),
    /// The network's request envelope around a message.
    Envelope {
        /// The message's type. `None`: the caller chooses it.
        kind: Option<&'static str>,
        /// The content's members.
        content: &'static [Field],
    },
    /// The parts of a form (`multipart/form-data`).
    Form(&'static [Field]),
}

/// The body of a success.
#[derive(Clone, Copy, Debug)]
pub enum Reply {
    /// Not shown.
    Unshown,
    /// A JSON value.
    Json(ShapeKind),
    /// A JSON value, or events if the request asks for a stream.
    JsonOrEvents(ShapeKind),
    /// An HTML document.
    Html,
    /// Bytes of any content type.
    Bytes,
}

impl Reply {
    /// The content types. Empty if nothing is shown.
    pub const fn types(&self) -> &'static [&'static str] {
        match self {
            Reply::Unshown => &[],
            Reply::Json(_) => &["application/json"],
            Reply::JsonOrEvents(_) => &["application/json", "text/event-stream"],
            Reply::Html => &["text/html"],
            Reply::Bytes => &["*/*"],
        }
    }
}

/// A field that is always present.
pub const fn must(name: &'static str, kind: ShapeKind) -> Field {
    Field { name, kind, required: true }
}

/// A field that may be absent.
pub const fn may(name: &'static str, kind: ShapeKind) -> Field {
    Field { name, kind, required: false }
}
