//! What a verdict rests on: the expectation that did not hold, the reason, and the row that owns a deviating answer.

use std::collections::BTreeMap;

use assay_spec::Id;
use assay_spec::rejection::Rejection;

use super::verdict::Verdict;

/// A part of a response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Its status.
    Status,
    /// A header.
    Header,
    /// Its body, a field of it, or what was made of it.
    #[default]
    Content,
    /// The connection: there is no whole response.
    Connection,
}

impl Part {
    /// Every part.
    pub const ALL: [Part; 4] = [Part::Status, Part::Header, Part::Content, Part::Connection];

    /// Its name in reports for programs.
    pub const fn name(self) -> &'static str {
        match self {
            Part::Status => "status",
            Part::Header => "header",
            Part::Content => "content",
            Part::Connection => "connection",
        }
    }
}

/// Where an expectation looks: a part of a response, and its name in reports. A string alone names content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct At {
    /// The part.
    pub part: Part,
    /// Its name, such as `status`, `header retry-after`, or a JSON pointer such as `/error`.
    pub name: String,
}

impl At {
    /// The status.
    pub fn status() -> At {
        At::status_named("status")
    }

    /// The status, with a name that says of what, such as `status for cid = null`.
    pub fn status_named(name: impl Into<String>) -> At {
        At { part: Part::Status, name: name.into() }
    }

    /// A header.
    pub fn header(name: &str) -> At {
        At { part: Part::Header, name: format!("header {name}") }
    }

    /// The connection.
    pub fn connection() -> At {
        At { part: Part::Connection, name: "connection".to_owned() }
    }
}

impl<T: AsRef<str> + ?Sized> From<&T> for At {
    fn from(name: &T) -> At {
        At { part: Part::Content, name: name.as_ref().to_owned() }
    }
}

/// The statuses that an expectation is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Statuses {
    /// None: it is about something else, or about a range.
    #[default]
    Unstated,
    /// One of these was wanted.
    OneOf(Vec<u16>),
    /// Any other was wanted.
    NoneOf(Vec<u16>),
}

impl Statuses {
    /// Whether a success was wanted.
    pub fn want_success(&self) -> bool {
        matches!(self, Statuses::OneOf(all) if all.iter().any(|status| (200..300).contains(status)))
    }

    /// Whether only rejections were wanted.
    pub fn want_rejection(&self) -> bool {
        matches!(self, Statuses::OneOf(all) if !all.is_empty() && all.iter().all(|status| *status >= 400))
    }

    /// The statuses, whether they were wanted or not.
    pub fn named(&self) -> &[u16] {
        match self {
            Statuses::Unstated => &[],
            Statuses::OneOf(all) | Statuses::NoneOf(all) => all,
        }
    }
}

/// What an expectation wants. A string alone names no status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Want {
    /// In words, or the wanted value.
    pub words: String,
    /// The statuses that it is about.
    pub statuses: Statuses,
}

impl Want {
    /// One of these statuses: `200 or 410`.
    pub fn one_of(statuses: &[u16]) -> Want {
        Want { words: joined(statuses), statuses: Statuses::OneOf(statuses.to_vec()) }
    }

    /// One of the statuses of a rejection, or what a server may do instead.
    pub fn rejected(rejection: &Rejection) -> Want {
        Want::one_of(rejection.statuses).said(rejection.allowed())
    }

    /// None of these statuses: `not 409 or 429`.
    pub fn none_of(statuses: &[u16]) -> Want {
        Want { words: format!("not {}", joined(statuses)), statuses: Statuses::NoneOf(statuses.to_vec()) }
    }

    /// In these words.
    #[must_use]
    pub fn said(self, words: impl Into<String>) -> Want {
        Want { words: words.into(), ..self }
    }
}

impl<T: Into<String>> From<T> for Want {
    fn from(words: T) -> Want {
        Want { words: words.into(), statuses: Statuses::Unstated }
    }
}

/// `200 or 410`
fn joined(statuses: &[u16]) -> String {
    statuses.iter().map(u16::to_string).collect::<Vec<_>>().join(" or ")
}

/// An expectation or a precondition that did not hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failure {
    /// The part of the response.
    pub part: Part,
    /// Its name: `status`, `header retry-after`, a JSON pointer such as `/error`.
    pub place: String,
    /// The place of a matrix check, such as `prepare transfer`; empty for other checks.
    pub cell: String,
    /// The wanted value, or a description of it.
    pub want: String,
    /// The statuses that were wanted.
    pub statuses: Statuses,
    /// The received value.
    pub got: String,
    /// The index of the exchange among the outcome's exchanges.
    pub exchange: Option<usize>,
    /// It is a precondition of the check, not what the check is about.
    pub is_precondition: bool,
}

impl Failure {
    /// An expectation that did not hold.
    pub fn new(
        at: impl Into<At>,
        want: impl Into<Want>,
        got: impl Into<String>,
        exchange: Option<usize>,
    ) -> Failure {
        let (At { part, name: place }, Want { words: want, statuses }) = (at.into(), want.into());
        let (cell, got) = (String::new(), got.into());
        Failure { part, place, cell, want, statuses, got, exchange, is_precondition: false }
    }

    /// A precondition about the status of a response that did not hold.
    pub fn unmet_status(want: Want, got: u16, exchange: usize) -> Failure {
        let failure = Failure::new(At::status(), want, got.to_string(), Some(exchange));
        Failure { is_precondition: true, ..failure }
    }

    /// A precondition about the content of a response that did not hold: what it lacks.
    pub fn unmet(what: impl Into<String>, exchange: Option<usize>) -> Failure {
        let want = "a response from which the check can continue";
        Failure { is_precondition: true, ..Failure::new("content", want, what, exchange) }
    }
}

/// Why a verdict is not a pass, apart from the failure that the outcome holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reason {
    /// The kind.
    pub why: Why,
    /// Words that no decision reads: of the check, the target, a profile or a baseline. Empty where the kind says all.
    pub said: String,
    /// The place of a matrix check; empty for other checks.
    pub cell: String,
    /// What the baseline says about the failure.
    pub known: Option<String>,
    /// The row whose check saw first that the target stopped answering.
    pub by: Option<Id>,
    /// The verdicts of repetitions that differ, and how often each came.
    pub rounds: BTreeMap<Verdict, usize>,
}

/// The kind of a reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// A pass.
    #[default]
    Holds,
    /// The failure of the outcome says it.
    Failure,
    /// A response to another check is not as declared; the failure says how.
    Ambient,
    /// What is said.
    Said,
    /// The check stated no expectation.
    NoExpectation,
    /// A rejection was seen without its valid counterpart.
    NoCounterpart,
    /// This run had reached the declared limit of the target.
    AtLimit,
    /// The server says, as documented, that it is unavailable for now.
    Unavailable,
    /// The pace of the run delayed the check.
    Held,
    /// The target stopped answering.
    Silent,
    /// This machine cannot reach a server that the target names.
    Unreachable,
    /// Each node that the profile names lacks what the check needs; another one may have it.
    Absent,
    /// No sentence decides what the target did.
    Open,
    /// The conforming counterpart of a client world failed.
    Counterpart,
    /// The baseline expects a failure, and the check passes.
    UnexpectedPass,
}

impl Why {
    /// Every kind.
    pub const ALL: [Why; 15] = [
        Why::Holds,
        Why::Failure,
        Why::Ambient,
        Why::Said,
        Why::NoExpectation,
        Why::NoCounterpart,
        Why::AtLimit,
        Why::Unavailable,
        Why::Held,
        Why::Silent,
        Why::Unreachable,
        Why::Absent,
        Why::Open,
        Why::Counterpart,
        Why::UnexpectedPass,
    ];

    /// Its name in reports for programs.
    pub const fn name(self) -> &'static str {
        match self {
            Why::Holds => "holds",
            Why::Failure => "failure",
            Why::Ambient => "ambient",
            Why::Said => "said",
            Why::NoExpectation => "no-expectation",
            Why::NoCounterpart => "no-counterpart",
            Why::AtLimit => "at-limit",
            Why::Unavailable => "unavailable",
            Why::Held => "held",
            Why::Silent => "silent",
            Why::Unreachable => "unreachable",
            Why::Absent => "absent",
            Why::Open => "open",
            Why::Counterpart => "counterpart",
            Why::UnexpectedPass => "unexpected-pass",
        }
    }

    /// Whether the reason explains a failure by something else than the target's conduct in this check.
    pub const fn excuses(self) -> bool {
        matches!(self, Why::AtLimit | Why::Unavailable | Why::Held)
    }

    /// Whether it shows nothing about the target: the check counts as not tested.
    pub const fn shows_nothing(self) -> bool {
        self.excuses() || matches!(self, Why::Unreachable | Why::Absent | Why::Open)
    }
}

impl Reason {
    /// A reason that needs no words.
    pub const fn kind(why: Why) -> Reason {
        let rounds = BTreeMap::new();
        Reason { why, said: String::new(), cell: String::new(), known: None, by: None, rounds }
    }

    /// A reason with words.
    pub fn new(why: Why, said: impl Into<String>) -> Reason {
        Reason { said: said.into(), ..Reason::kind(why) }
    }

    /// The same reason at a place of a matrix check.
    #[must_use]
    pub fn at(self, cell: String) -> Reason {
        Reason { cell, ..self }
    }
}

impl From<&str> for Reason {
    fn from(said: &str) -> Reason {
        said.to_owned().into()
    }
}

/// An empty string gives the reason of a pass.
impl From<String> for Reason {
    fn from(said: String) -> Reason {
        Reason::new(if said.is_empty() { Why::Holds } else { Why::Said }, said)
    }
}

/// What an inconclusive outcome rests on, or what a failure without an owner lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RestsOn {
    /// A prerequisite of the check failed.
    Prerequisite(Id),
    /// This row failed by an answer of the same kind.
    Answer(Id, Kind),
    /// The check of this row saw first that the target stopped answering.
    Silence(Id),
    /// The client failed in the conforming world, which this row is about.
    Base(Id),
    /// No check failed by an answer of this kind, so the check that it ended fails itself.
    Nothing(Kind),
    /// The endpoint accepted no request of the run, so the check that it ended fails itself.
    NothingAccepted(Kind),
}

impl RestsOn {
    /// The row that owns the deviation.
    pub const fn owner(&self) -> Option<Id> {
        match self {
            RestsOn::Prerequisite(row)
            | RestsOn::Answer(row, _)
            | RestsOn::Silence(row)
            | RestsOn::Base(row) => Some(*row),
            RestsOn::Nothing(_) | RestsOn::NothingAccepted(_) => None,
        }
    }
}

/// What responses with one cause have in common: the endpoint, or site, method and path of a request to none; and the
/// status.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kind {
    /// The site.
    pub site: String,
    /// The method.
    pub method: String,
    /// The template of the endpoint, or the path.
    pub path: String,
    /// The status.
    pub status: u16,
}
