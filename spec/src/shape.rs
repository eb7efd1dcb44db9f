//! What an endpoint takes and gives, as far as the documents show it: enough to describe it to a program that knows
//! neither.

/// What an endpoint takes and gives.
#[derive(Debug)]
pub struct Shape {
    /// The group in which it is listed.
    pub group: &'static str,
    /// What more there is to say than its first sentence, and what no form can express.
    pub note: &'static str,
    /// The parameters in the braces of its path that are more than a text.
    pub path: &'static [Field],
    /// The parameters of its query.
    pub query: &'static [Field],
    /// The headers that it reads, authentication apart.
    pub headers: &'static [Field],
    /// What a request carries.
    pub body: Body,
    /// What a success carries.
    pub reply: Reply,
    /// Statuses besides those of the documents, where these leave the matter open.
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
    /// It is always there.
    pub required: bool,
}

/// What a value is.
#[derive(Clone, Copy, Debug)]
pub enum ShapeKind {
    /// Not shown.
    Any,
    /// Null.
    Null,
    /// A text.
    Text,
    /// Texts with commas between them.
    Commas,
    /// One of these texts.
    OneOf(&'static [&'static str]),
    /// True or false.
    Boolean,
    /// A whole number.
    Integer,
    /// A whole number within bounds.
    Within {
        /// The smallest.
        least: u64,
        /// The largest, where there is one.
        most: Option<u64>,
        /// What counts where none is given.
        otherwise: Option<u64>,
    },
    /// Values of one kind.
    Array(&'static ShapeKind),
    /// Values of one kind under names that are free.
    Map(&'static ShapeKind),
    /// Members; more of them are no error.
    Object(&'static [Field]),
    /// A value of any of these kinds.
    Either(&'static [ShapeKind]),
    /// The bytes of a file.
    File,
}

/// What a request carries.
#[derive(Clone, Copy, Debug)]
pub enum Body {
    /// Nothing.
    None,
    /// An object as JSON.
    Json(&'static [Field]),
    /// An object as JSON, or nothing.
    OptionalJson(&'static [Field]),
    /// The network's request envelope around a message.
    Envelope {
        /// The message's type; the caller's choice, where the endpoint names none.
        kind: Option<&'static str>,
        /// The content's members.
        content: &'static [Field],
    },
    /// The parts of a form (`multipart/form-data`).
    Form(&'static [Field]),
}

/// What a success carries.
#[derive(Clone, Copy, Debug)]
pub enum Reply {
    /// Not shown.
    Unshown,
    /// A value as JSON.
    Json(ShapeKind),
    /// A value as JSON, or events where the request asks for a stream.
    JsonOrEvents(ShapeKind),
    /// An HTML document.
    Html,
    /// Bytes of whatever type they have.
    Bytes,
}

impl Reply {
    /// The content types; none where nothing is shown.
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

/// What is always there.
pub const fn must(name: &'static str, kind: ShapeKind) -> Field {
    Field { name, kind, required: true }
}

/// What may be there.
pub const fn may(name: &'static str, kind: ShapeKind) -> Field {
    Field { name, kind, required: false }
}
