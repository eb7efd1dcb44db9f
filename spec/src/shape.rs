//! The shape of requests and responses, as far as the documents show it. OpenAPI is generated from it, the suites judge
//! every response by it, and the proof makes each field of it wrong. A field of a response names the row that owns it.

use crate::Id;
use crate::relation::{Alike, Asked, Fresh, Relation, Resource};

/// A parameter, or a member of an object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: ShapeKind,
    /// Whether it is always present.
    pub required: bool,
    /// Whether it may be null.
    pub nullable: bool,
    /// The row that owns it. `None`: a field of a request, or the row of what it is in.
    pub row: Option<Id>,
    /// The row that owns its presence, if that is another one.
    pub presence: Option<Id>,
    /// How it is related to other values of a run.
    pub relation: Option<Relation>,
    /// Whether other responses have another value.
    pub fresh: Option<Fresh>,
    /// Whether it is a time of the run: when what the response shows was made or changed, or will end.
    pub is_moment: bool,
    /// The row that owns this relation, if that is another one.
    pub related: Option<Id>,
}

impl Field {
    /// Owned by a row.
    #[must_use]
    pub const fn owned(mut self, row: Id) -> Field {
        self.row = Some(row);
        self
    }

    /// Its absence breaks this row.
    #[must_use]
    pub const fn present(mut self, row: Id) -> Field {
        self.presence = Some(row);
        self
    }

    /// It tells this resource from others.
    #[must_use]
    pub const fn names(mut self, resource: &'static Resource) -> Field {
        self.relation = Some(Relation::Names(resource));
        self
    }

    /// It is the same wherever this resource is shown.
    #[must_use]
    pub const fn same_in(self, resource: &'static Resource) -> Field {
        self.alike_in(resource, Alike::Equal)
    }

    /// It is alike wherever this resource is shown.
    #[must_use]
    pub const fn alike_in(mut self, resource: &'static Resource, alike: Alike) -> Field {
        self.relation = Some(Relation::Of(resource, alike));
        self
    }

    /// Other responses have another value.
    #[must_use]
    pub const fn fresh(mut self, fresh: Fresh) -> Field {
        self.fresh = Some(fresh);
        self
    }

    /// The request of the response holds it, too.
    #[must_use]
    pub const fn asked(mut self, asked: Asked, alike: Alike) -> Field {
        self.relation = Some(Relation::Asked(asked, alike));
        self
    }

    /// It is made from this, and its row's check compares the two.
    #[must_use]
    pub const fn derived(mut self, from: &'static str) -> Field {
        self.relation = Some(Relation::Derived(from));
        self
    }

    /// It is a parameter of a query that selects what the response shows. Its owner, if it has one, is the row about several
    /// values.
    #[must_use]
    pub const fn selects(mut self, row: Id) -> Field {
        self.relation = Some(Relation::Selects);
        self.related(row)
    }

    /// The documents leave its value to the server.
    #[must_use]
    pub const fn free(mut self, why: &'static str) -> Field {
        self.relation = Some(Relation::Free(why));
        self
    }

    /// It is a time of the run.
    #[must_use]
    pub const fn moment(mut self) -> Field {
        self.is_moment = true;
        self
    }

    /// Its relation to other values belongs to this row.
    #[must_use]
    pub const fn related(mut self, row: Id) -> Field {
        self.related = Some(row);
        self
    }

    /// Null is as good as absent.
    #[must_use]
    pub const fn or_null(mut self) -> Field {
        self.nullable = true;
        self
    }
}

impl Field {
    /// The types of its values, or of its elements, if the documents name several.
    pub const fn types(&self) -> &'static [ShapeKind] {
        let kinds: &[ShapeKind] = match &self.kind {
            ShapeKind::Either(kinds) | ShapeKind::Array(ShapeKind::Either(kinds)) => kinds,
            _ => &[],
        };
        let mut n = 0;
        while n < kinds.len() {
            // Another type is one that a server may choose, not one that the documents name.
            if !matches!(kinds[n], ShapeKind::Text | ShapeKind::Boolean | ShapeKind::Integer) {
                return &[];
            }
            n += 1;
        }
        kinds
    }

    /// Whether the declaration says where its value comes from: by a relation, by a type that has one value, or by what it is
    /// made of.
    pub const fn is_related(&self) -> bool {
        let has_one_value = matches!(self.kind, ShapeKind::Open(_) | ShapeKind::OneOf([_]));
        let has_parts = match self.kind {
            ShapeKind::Array(kind) | ShapeKind::Map(kind) | ShapeKind::Listed(kind) => kind.has_fields(),
            kind => kind.has_fields(),
        };
        self.relation.is_some() || self.fresh.is_some() || self.is_moment || has_one_value || has_parts
    }
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ShapeKind {
    /// Any value, and why none is excluded.
    Open(&'static str),
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
    /// A number that is not negative: a duration in seconds.
    Duration,
    /// An integer of seconds since the epoch.
    Seconds,
    /// A number of seconds since the epoch.
    Epoch,
    /// An integer of milliseconds since the epoch.
    Milliseconds,
    /// A string of this form.
    Form(Form),
    /// An array of values of one type.
    Array(&'static ShapeKind),
    /// An object with free keys and values of one type.
    Map(&'static ShapeKind),
    /// The values of a list whose container the documents do not show: an array, or the arrays of an object.
    Listed(&'static ShapeKind),
    /// An object with these members. More members are allowed.
    Object(&'static [Field]),
    /// An object whose members depend on a word in it.
    Case(&'static Case),
    /// A value of any of these types.
    Either(&'static [ShapeKind]),
    /// The bytes of a file.
    File,
}

impl ShapeKind {
    /// Whether it is an object whose members are declared.
    const fn has_fields(&self) -> bool {
        matches!(self, ShapeKind::Object([_, ..]) | ShapeKind::Case(_))
    }
}

/// An object whose members depend on a word in it.
#[derive(Debug, PartialEq)]
pub struct Case {
    /// The member with the word.
    pub member: &'static str,
    /// The words with which `then` holds.
    pub words: &'static [&'static str],
    /// The members with one of the words.
    pub then: &'static [Field],
    /// The members otherwise.
    pub otherwise: &'static [Field],
}

/// The form of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// At least one character.
    NotEmpty,
    /// 8-4-4-4-12 hexadecimal digits.
    Uuid,
    /// Standard base64 with padding.
    Base64,
    /// The characters of base58.
    Base58,
    /// Hexadecimal digits, with or without `0x`.
    Hex,
    /// An absolute http or https URL.
    Url,
    /// An IPv6 address.
    Ipv6,
    /// A content identifier of version 1 in base32.
    CidV1,
    /// Begins with this prefix, and is longer.
    Prefixed(&'static str),
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

/// The body of a response.
#[derive(Clone, Copy, Debug)]
pub enum Reply {
    /// Any body, and why none is excluded.
    Open(&'static str),
    /// A JSON value.
    Json(ShapeKind),
    /// A JSON value, or events whose data is the second value, if the request asks for a stream.
    JsonOrEvents(ShapeKind, ShapeKind),
    /// This plain text; one newline may follow it.
    Text(&'static str),
    /// An HTML document.
    Html,
    /// Bytes of any content type.
    Bytes,
}

impl Reply {
    /// The content types. Empty if nothing is shown.
    pub const fn types(&self) -> &'static [&'static str] {
        match self {
            Reply::Open(_) => &[],
            Reply::Json(_) => &["application/json"],
            Reply::Text(_) => &["text/plain"],
            Reply::JsonOrEvents(..) => &["application/json", "text/event-stream"],
            Reply::Html => &["text/html"],
            Reply::Bytes => &["*/*"],
        }
    }
}

/// An integer that is not negative.
pub const COUNT: ShapeKind = ShapeKind::Within { least: 0, most: None, otherwise: None };

/// A field that is always present.
pub const fn must(name: &'static str, kind: ShapeKind) -> Field {
    Field {
        name,
        kind,
        required: true,
        nullable: false,
        row: None,
        presence: None,
        relation: None,
        fresh: None,
        is_moment: false,
        related: None,
    }
}

/// A field that may be absent.
pub const fn may(name: &'static str, kind: ShapeKind) -> Field {
    Field { required: false, ..must(name, kind) }
}

/// Declares an object that a response contains: its type, and the [`Field`] of each member. Members of another object come
/// first with `..name: Type`.
macro_rules! object {
    ($(#[$meta:meta])* pub struct $name:ident {
        $(..$base:ident: $base_type:ident,)?
        $($(#[$member_meta:meta])* $member:ident: $type:ty =
            $presence:ident($json:literal, $kind:expr) $(.$change:ident($($given:expr),*))*,)*
    }) => {
        $(#[$meta])*
        #[derive(serde::Serialize)]
        pub struct $name {
            $(#[doc = "The members that come first."] #[serde(flatten)] pub $base: $base_type,)?
            $($(#[$member_meta])* #[serde(rename = $json)] pub $member: $type,)*
        }

        impl $name {
            /// The shape of the object.
            pub const SHAPE: $crate::shape::ShapeKind = $crate::shape::ShapeKind::Object(Self::FIELDS);
            const FIELDS: &'static [$crate::shape::Field] = {
                const OWN: &[$crate::shape::Field] =
                    &[$($crate::shape::$presence($json, $kind) $(.$change($($given),*))*),*];
                $crate::shape::object!(@joined OWN $($base_type)?)
            };
        }
    };
    (@joined $own:ident) => { $own };
    (@joined $own:ident $base:ident) => {
        &$crate::shape::joined::<{ $base::FIELDS.len() + $own.len() }>($base::FIELDS, $own)
    };
}
pub(crate) use object;

/// The fields of two objects.
pub(crate) const fn joined<const N: usize>(first: &[Field], second: &[Field]) -> [Field; N] {
    let mut fields = [must("", ShapeKind::Text); N];
    let mut n = 0;
    while n < N {
        fields[n] = if n < first.len() { first[n] } else { second[n - first.len()] };
        n += 1;
    }
    fields
}

/// These fields, none of which must be present or have a value.
pub const fn loose<const N: usize>(mut fields: [Field; N]) -> [Field; N] {
    let mut n = 0;
    while n < N {
        fields[n].required = false;
        fields[n].nullable = true;
        n += 1;
    }
    fields
}

/// These fields, whose absence breaks this row.
pub const fn present<const N: usize>(mut fields: [Field; N], row: Id) -> [Field; N] {
    let mut n = 0;
    while n < N {
        fields[n].presence = Some(row);
        n += 1;
    }
    fields
}

/// These fields, whose relations to other values belong to this row, and those of names to `named`.
pub const fn related<const N: usize>(mut fields: [Field; N], row: Id, named: Id) -> [Field; N] {
    let mut n = 0;
    while n < N {
        let is_name = matches!(fields[n].relation, Some(Relation::Names(_)));
        fields[n].related = Some(if is_name { named } else { row });
        n += 1;
    }
    fields
}
