//! A requirement: one normative statement of the documents, as one row.

use std::fmt;

use serde_json::Value;

use crate::Service;
use crate::place::Place;
use crate::rejection::Rejection;
use crate::value::{self, ValueKind};

/// A reference to a row's static. A misspelled name does not compile.
pub type Id = &'static Requirement;

/// One normative statement of the documents.
#[derive(Debug)]
pub struct Requirement {
    /// Service, group and row packed into one number. It sorts rows in the order of the tables.
    pub key: u32,
    /// The service whose document states it.
    pub service: Service,
    /// The group: the module that holds the row, and the file with its guards and checks.
    pub group: &'static str,
    /// The constant's name.
    pub name: &'static str,
    /// How strongly it is stated.
    pub level: Level,
    /// Who must comply.
    pub subject: Subject,
    /// What shows compliance.
    pub evidence: Evidence,
    /// The statement in this project's words.
    pub statement: &'static str,
    /// The rule name that vectors and the JSON-lines protocol give to an input rejected by this row. Empty if this row
    /// alone never rejects an input.
    pub rule: &'static str,
    /// How a server rejects what the row rejects; `None` if the row rejects no request.
    pub rejection: Option<&'static Rejection>,
    /// The sentences and table rows of the documents that it covers.
    pub anchors: &'static [Anchor],
    /// Where it applies; empty if it is not declared. Each place is a cell of the proof.
    pub places: &'static [Place],
    /// The wrong values that it rejects; empty if they are not declared. Each that it must reject is a cell of the proof, at
    /// each of its places.
    pub values: &'static [ValueKind],
    /// The uncommon valid values that it accepts; empty if they are not declared. Each is a cell of the proof, at each of its
    /// places.
    pub accepted: &'static [ValueKind],
    /// The values that it keeps as they were sent; empty if they are not declared. Each is a cell of the proof, at each of its places.
    pub kept: &'static [ValueKind],
}

/// How strongly a requirement is stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Breaking it means not conforming.
    Must,
    /// Breaking it is a warning.
    Should,
    /// Optional for the subject. The other side must accept both.
    May,
}

/// Who a requirement binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// The service.
    Server,
    /// Its caller.
    Client,
    /// A byte format.
    Record,
    /// A reader of stored data.
    Reader,
    /// A verifier of what landed on the chain.
    Verifier,
}

/// What shows that a requirement is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// A check of the suites.
    Check,
    /// Golden vectors.
    Vector,
    /// The client suite.
    Client,
    /// Not visible from outside the subject; the string says why.
    NotObservable(&'static str),
    /// The documents leave it open, so nothing may assert it; the string says why.
    Open(&'static str),
}

/// A sentence or table row of a document, identified by its heading and a hash of its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Anchor {
    /// The nearest heading above it.
    pub heading: &'static str,
    /// The first four bytes of the SHA-256 of its words.
    pub hash: u32,
}

/// A sentence that needs no row, and why.
#[derive(Clone, Copy, Debug)]
pub struct Exemption {
    /// The number of the document.
    pub document: u8,
    /// The sentence.
    pub anchor: Anchor,
    /// Why it has no row.
    pub reason: &'static str,
}

impl Requirement {
    /// The statement, trimmed.
    pub fn statement(&self) -> &'static str {
        self.statement.trim()
    }

    /// The kinds of wrong values that it must reject.
    pub fn rejected(&self) -> impl Iterator<Item = &'static ValueKind> {
        self.values.iter().filter(|wrong| wrong.may_be_accepted.is_empty())
    }

    /// The kind of a wrong value; empty if it declares none. `valid` is the valid value, if it is known.
    pub fn kind(&self, sent: Option<&Value>, valid: Option<&Value>) -> &'static str {
        value::kind(self.values, sent, valid)
    }

    /// The kinds of an uncommon valid value. `ordinary` is the ordinary value, if it is known.
    pub fn accepted_kinds(&self, sent: &Value, ordinary: Option<&Value>) -> Vec<&'static str> {
        value::each_kind(self.accepted, Some(sent), ordinary)
    }

    /// The kinds of a value that it keeps as it was sent.
    pub fn kept_kinds(&self, sent: &Value) -> Vec<&'static str> {
        value::each_kind(self.kept, Some(sent), None)
    }

    /// Document and sections for reports: `document 3, Errors`.
    pub fn source(&self) -> String {
        let mut headings: Vec<&str> = self.anchors.iter().map(|anchor| anchor.heading).collect();
        headings.dedup();
        format!("document {}, {}", self.service.document(), headings.join("; "))
    }
}

impl PartialEq for Requirement {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Requirement {}

impl PartialOrd for Requirement {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Requirement {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key.cmp(&other.key)
    }
}

impl std::hash::Hash for Requirement {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.key.hash(state);
    }
}

/// `publish.prepare.one-in-flight`
impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name.to_ascii_lowercase().replace('_', "-");
        f.pad(&format!("{}.{}.{name}", self.service.name(), self.group.replace('_', "-")))
    }
}

impl Level {
    /// `must`, `should` or `may`.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Must => "must",
            Level::Should => "should",
            Level::May => "may",
        }
    }
}

impl Subject {
    /// The subject's lower-case name.
    pub const fn name(self) -> &'static str {
        match self {
            Subject::Server => "server",
            Subject::Client => "client",
            Subject::Record => "record",
            Subject::Reader => "reader",
            Subject::Verifier => "verifier",
        }
    }
}

impl Evidence {
    /// The evidence's name in the catalogue.
    pub const fn name(self) -> &'static str {
        match self {
            Evidence::Check => "check",
            Evidence::Vector => "vector",
            Evidence::Client => "client",
            Evidence::NotObservable(_) => "not-observable",
            Evidence::Open(_) => "open",
        }
    }
}

/// Declares the rows of one service: modules of statics whose doc comments are the statements.
///
/// A row is written `NAME: Level Subject evidence ["Heading" hash, …];`, with an optional `rule "name"` before
/// the anchors. `at NAME` before that, or after the name of a group, names a list in the service's module `places`: where
/// the row, or each row of the group, applies. `values NAME` after it names a list in the module `values`: what the row
/// rejects; `accepts NAME` names a list of uncommon valid values, and `keeps NAME` one of values that it shows as they were sent. Evidence is `Check`, `Vector`, `Client`, `NotObservable("why")` or `Open("why")`.
#[macro_export]
macro_rules! requirements {
    (service $service:ident; $(
        $(#[doc = $about:literal])+
        mod $group:ident $(at $all:ident)? { $(
            $(#[doc = $statement:literal])+
            $name:ident : $level:ident $subject:ident $evidence:ident $(($why:literal))? $(at $places:ident)?
                $(values $values:ident)? $(accepts $accepted:ident)? $(keeps $kept:ident)? $(rule $rule:literal)?
                $(rejects $rejection:ident)?
            [$($heading:literal $hash:literal),* $(,)?];
        )* }
    )*) => {
        #[allow(non_camel_case_types)]
        enum Group { $($group),* }

        /// A row of this service, to be matched exhaustively.
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Rule {
            $($(#[doc = $about])+ $group($group::Row)),*
        }

        impl Rule {
            /// The row with this id, if it is of this service.
            pub fn named(id: $crate::Id) -> Option<Rule> {
                let row = (id.key & 0xff) as usize;
                match () {
                    () if id.service != $crate::Service::$service => None,
                    $(() if id.key >> 8 & 0xff == Group::$group as u32 => Some(Rule::$group($group::ROWS[row])),)*
                    () => None,
                }
            }
        }

        $(
            $(#[doc = $about])+
            pub mod $group {
                use $crate::requirement::{Anchor, Evidence, Level, Requirement, Subject};

                /// The rows of this group.
                #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
                #[derive(Clone, Copy, Debug, PartialEq, Eq)]
                pub enum Row {
                    $($(#[doc = $statement])+ $name),*
                }

                pub(super) const ROWS: &[Row] = &[$(Row::$name),*];

                /// Where the rows apply that name no list of places.
                const PLACES: &[$crate::place::Place] =
                    $crate::place::last(&[&[], $(super::super::places::$all)?]);

                $(
                    $(#[doc = $statement])+
                    pub static $name: Requirement = Requirement {
                        key: ($crate::Service::$service as u32) << 16
                            | (super::Group::$group as u32) << 8
                            | Row::$name as u32,
                        service: $crate::Service::$service,
                        group: stringify!($group),
                        name: stringify!($name),
                        level: Level::$level,
                        subject: Subject::$subject,
                        evidence: Evidence::$evidence $(($why))?,
                        statement: concat!($($statement),+),
                        rule: concat!("" $(, $rule)?),
                        rejection: $crate::rejection::first(&[$(&super::super::rejections::$rejection)?]),
                        anchors: &[$(Anchor { heading: $heading, hash: $hash }),*],
                        places: $crate::place::last(&[PLACES, $(super::super::places::$places)?]),
                        values: $crate::place::last(&[&[], $(super::super::values::$values)?]),
                        accepted: $crate::place::last(&[&[], $(super::super::values::$accepted)?]),
                        kept: $crate::place::last(&[&[], $(super::super::values::$kept)?]),
                    };
                )*

                /// The rows of this group, in order.
                pub static ALL: &[$crate::Id] = &[$(&$name),*];
            }
        )*

        /// The groups, in order.
        pub static GROUPS: &[&[$crate::Id]] = &[$($group::ALL),*];
    };
}
