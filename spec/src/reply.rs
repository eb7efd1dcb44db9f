//! What a response must hold: its body, its headers, the forms of errors, and the row that owns each part.

use std::fmt;

use serde_json::Value;

use crate::Id;
use crate::crypto::text::parse_base64;
use crate::json;
use crate::shape::{Case, Field, Form, Reply, ShapeKind};

/// The form of the errors with some statuses.
#[derive(Debug)]
pub struct ErrorForm {
    /// The statuses. Empty: every error that the endpoint lists.
    pub statuses: &'static [u16],
    /// The body.
    pub body: Reply,
    /// The row that owns the body, and every field of it that names no other. `None`: nothing is judged.
    pub row: Option<Id>,
    /// The headers.
    pub headers: &'static [Header],
    /// When such an error shows nothing about its request, because the server is unavailable for now.
    pub unavailable: &'static [Unavailable],
    /// A body without most of the fields is not of this form: the server does not have the endpoint.
    pub may_be_foreign: bool,
}

impl ErrorForm {
    /// Errors with these statuses and this body.
    pub const fn new(statuses: &'static [u16], row: Id, body: Reply) -> ErrorForm {
        ErrorForm { statuses, body, row: Some(row), headers: &[], unavailable: &[], may_be_foreign: false }
    }

    /// Errors with these statuses, whose body the documents leave open.
    pub const fn open(statuses: &'static [u16], why: &'static str) -> ErrorForm {
        let body = Reply::Open(why);
        ErrorForm { statuses, body, row: None, headers: &[], unavailable: &[], may_be_foreign: false }
    }

    /// A body without most of the fields is another server's.
    #[must_use]
    pub const fn or_foreign(mut self) -> ErrorForm {
        self.may_be_foreign = true;
        self
    }

    /// With these headers.
    #[must_use]
    pub const fn headers(mut self, headers: &'static [Header]) -> ErrorForm {
        self.headers = headers;
        self
    }

    /// Such errors can say that the server is unavailable.
    #[must_use]
    pub const fn unavailable(mut self, unavailable: &'static [Unavailable]) -> ErrorForm {
        self.unavailable = unavailable;
        self
    }
}

/// A header of a response.
#[derive(Debug)]
pub struct Header {
    /// Its name, in lower case.
    pub name: &'static str,
    /// What it must be.
    pub rule: HeaderRule,
    /// The row that owns it.
    pub row: Id,
}

/// What a header must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderRule {
    /// Absent.
    Absent,
    /// A whole number of seconds.
    Seconds,
    /// When to send again, as HTTP writes it: seconds or a date.
    When,
    /// As [`HeaderRule::When`], if it is present.
    WhenPresent,
    /// No more than these seconds, if it is present and a number.
    AtMost(i64),
    /// This media type, if there is one.
    MediaType(&'static str),
}

/// A body with which a server says that it is unavailable for now.
#[derive(Debug)]
pub struct Unavailable {
    /// The member that says so, and its value; a string if there is no value. `None`: any body does.
    pub says: Option<(&'static str, Option<&'static str>)>,
    /// What it means.
    pub why: &'static str,
}

/// A statement about a whole body.
#[derive(Debug)]
pub struct Whole {
    /// The row that owns it.
    pub row: Id,
    /// What must hold.
    pub want: &'static str,
    /// What is there instead, if it does not hold.
    pub breaks: fn(&Value) -> Option<String>,
}

/// What the responses of an endpoint with one status must hold.
#[derive(Clone, Copy, Debug)]
pub struct Expected {
    /// The body.
    pub body: &'static Reply,
    /// The row that owns it. `None`: its body is not judged.
    pub row: Option<Id>,
    /// What the whole body must keep.
    pub whole: &'static [Whole],
    /// The headers of this status.
    pub headers: &'static [Header],
    /// When it says that the server is unavailable.
    pub unavailable: &'static [Unavailable],
    /// A body without most of the fields is not judged.
    pub may_be_foreign: bool,
    /// A body with one of these members is not judged.
    pub others: &'static [&'static str],
}

impl Expected {
    /// Whether a body is of another server, so that it shows nothing.
    pub fn is_foreign(&self, body: &Value) -> bool {
        if self.others.iter().any(|member| body.get(member).is_some()) {
            return true;
        }
        let Reply::Json(ShapeKind::Object(fields)) = self.body else { return false };
        let present = fields.iter().filter(|field| body.get(field.name).is_some()).count();
        self.may_be_foreign && present * 2 < fields.len()
    }
}

impl Unavailable {
    /// Whether this body says so.
    pub fn says_so(&self, body: &Value) -> bool {
        self.says.is_none_or(|(member, wanted)| {
            let said = body.get(member).and_then(Value::as_str);
            said.is_some_and(|said| wanted.is_none_or(|wanted| wanted == said))
        })
    }
}

impl HeaderRule {
    /// What it wants.
    pub fn want(self) -> String {
        match self {
            HeaderRule::Absent => "no such header".to_owned(),
            HeaderRule::Seconds => "whole seconds".to_owned(),
            HeaderRule::When | HeaderRule::WhenPresent => "seconds or an HTTP date".to_owned(),
            HeaderRule::AtMost(seconds) => format!("at most {seconds}"),
            HeaderRule::MediaType(name) => name.to_owned(),
        }
    }

    /// Whether a header has the value that it must have.
    pub fn holds(self, value: Option<&str>) -> bool {
        let is_whole = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        // `Sun, 06 Nov 1994 08:49:37 GMT`
        let is_date = |text: &str| text.len() == 29 && text.ends_with(" GMT");
        match (self, value) {
            (HeaderRule::Absent | HeaderRule::WhenPresent, None) => true,
            (HeaderRule::AtMost(_) | HeaderRule::MediaType(_), None) => true,
            (HeaderRule::Absent, Some(_)) | (_, None) => false,
            // A number that does not fit exceeds every wait.
            (HeaderRule::AtMost(most), Some(text)) => {
                !is_whole(text) || text.parse::<i64>().is_ok_and(|seconds| seconds <= most)
            }
            (HeaderRule::MediaType(name), Some(text)) => {
                text.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(name)
            }
            (HeaderRule::Seconds, Some(text)) => is_whole(text),
            (HeaderRule::When | HeaderRule::WhenPresent, Some(text)) => is_whole(text) || is_date(text),
        }
    }
}

/// A place in a body: the steps to it, the last one first.
#[derive(Clone, Copy, Debug)]
pub struct BodyPath<'a> {
    before: Option<&'a BodyPath<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    Body,
    Field(&'static str),
    Item(usize),
    /// The member of a list whose container is open.
    Within(&'a str),
    /// An element of such a list.
    Listed(usize),
    Key(&'a str),
}

impl<'a> BodyPath<'a> {
    /// The body itself.
    pub const BODY: BodyPath<'static> = BodyPath { before: None, step: Step::Body };

    fn step(&'a self, step: Step<'a>) -> BodyPath<'a> {
        BodyPath { before: Some(self), step }
    }

    /// As declared: `messages[].time`; values of a map are `{}`, elements of an open container `*[]`. Empty for the body.
    pub fn declared(&self) -> String {
        let mut text = self.before.map(BodyPath::declared).unwrap_or_default();
        match self.step {
            Step::Body | Step::Within(_) => {}
            Step::Field(name) => {
                text.push_str(if text.is_empty() { "" } else { "." });
                text.push_str(name);
            }
            Step::Item(_) => text.push_str("[]"),
            Step::Listed(_) => text.push_str("*[]"),
            Step::Key(_) => text.push_str("{}"),
        }
        text
    }
}

/// As found: `/messages/3/time`.
impl fmt::Display for BodyPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(before) = self.before {
            before.fmt(f)?;
        }
        match self.step {
            Step::Body => Ok(()),
            Step::Field(name) => write!(f, "/{name}"),
            Step::Item(n) | Step::Listed(n) => write!(f, "/{n}"),
            Step::Key(key) | Step::Within(key) => write!(f, "/{}", key.replace('~', "~0").replace('/', "~1")),
        }
    }
}

/// A declared value, as met in a body.
#[derive(Debug)]
pub struct Met<'a> {
    /// Where.
    pub place: &'a BodyPath<'a>,
    /// The row that owns it.
    pub row: Id,
    /// What it is declared to be.
    pub kind: &'static ShapeKind,
    /// The value. `None`: it is absent, although it must not be.
    pub value: Option<&'a Value>,
    /// What it must be, if it is not that.
    pub want: Option<String>,
}

/// Judges a value and everything declared in it. `met` is called for each declared value, and for each that is missing.
pub fn judge(
    kind: &'static ShapeKind,
    value: &Value,
    row: Id,
    place: &BodyPath<'_>,
    met: &mut dyn FnMut(Met<'_>),
) {
    let is_right = is_of_kind(kind, value);
    met(Met { place, row, kind, value: Some(value), want: (!is_right).then(|| want(kind)) });
    if !is_right {
        return;
    }
    match (kind, value) {
        (ShapeKind::Array(items), Value::Array(values)) => {
            for (n, value) in values.iter().enumerate() {
                judge(items, value, row, &place.step(Step::Item(n)), met);
            }
        }
        (ShapeKind::Listed(items), Value::Array(values)) => {
            for (n, value) in values.iter().enumerate() {
                judge(items, value, row, &place.step(Step::Listed(n)), met);
            }
        }
        (ShapeKind::Listed(items), Value::Object(members)) => {
            // Which member is the list is open: the only array, or one with an object in it.
            let arrays: Vec<_> =
                members.iter().filter_map(|(key, value)| Some((key, value.as_array()?))).collect();
            let is_only = arrays.len() == 1;
            for (key, values) in
                arrays.into_iter().filter(|(_, values)| is_only || values.iter().any(Value::is_object))
            {
                let within = place.step(Step::Within(key));
                for (n, value) in values.iter().enumerate() {
                    judge(items, value, row, &within.step(Step::Listed(n)), met);
                }
            }
        }
        (ShapeKind::Map(values), Value::Object(members)) => {
            for (key, value) in members {
                judge(values, value, row, &place.step(Step::Key(key)), met);
            }
        }
        (ShapeKind::Object(_) | ShapeKind::Case(_), _) => {
            judge_fields(kind.members(value), value, row, place, met);
        }
        (ShapeKind::Either(kinds), _) => {
            if let Some(kind) = kinds.iter().find(|kind| is_of_kind(kind, value)) {
                judge_inside(kind, value, row, place, met);
            }
        }
        _ => {}
    }
}

/// Judges what is in a value of a kind that is one of several.
fn judge_inside(
    kind: &'static ShapeKind,
    value: &Value,
    row: Id,
    place: &BodyPath<'_>,
    met: &mut dyn FnMut(Met<'_>),
) {
    let mut is_outer = true;
    judge(kind, value, row, place, &mut |inner| {
        if !std::mem::take(&mut is_outer) {
            met(inner);
        }
    });
}

fn judge_fields(
    fields: &'static [Field],
    value: &Value,
    row: Id,
    place: &BodyPath<'_>,
    met: &mut dyn FnMut(Met<'_>),
) {
    for field in fields {
        let (row, place) = (field.row.unwrap_or(row), place.step(Step::Field(field.name)));
        match value.get(field.name) {
            None if field.required => {
                let row = field.presence.unwrap_or(row);
                met(Met {
                    place: &place,
                    row,
                    kind: &field.kind,
                    value: None,
                    want: Some(want(&field.kind)),
                });
            }
            None => {}
            Some(Value::Null) if field.nullable => {}
            Some(value) => judge(&field.kind, value, row, &place, met),
        }
    }
}

impl ShapeKind {
    /// The members that are declared of an object with this value.
    pub fn members(&'static self, value: &Value) -> &'static [Field] {
        match self {
            ShapeKind::Object(fields) => fields,
            ShapeKind::Case(case) => case.fields(value),
            _ => &[],
        }
    }
}

impl Case {
    fn fields(&self, value: &Value) -> &'static [Field] {
        let word = value.get(self.member).and_then(Value::as_str).unwrap_or_default();
        if self.words.contains(&word) { self.then } else { self.otherwise }
    }
}

/// Whether a value is of a kind, without what is in it.
pub fn is_of_kind(kind: &ShapeKind, value: &Value) -> bool {
    let integer = || value.as_f64().filter(|number| number.fract() == 0.0);
    match kind {
        ShapeKind::Open(_) | ShapeKind::File => true,
        ShapeKind::Text | ShapeKind::Commas => value.is_string(),
        ShapeKind::OneOf(words) => value.as_str().is_some_and(|word| words.contains(&word)),
        ShapeKind::Boolean => value.is_boolean(),
        ShapeKind::Integer => json::is_integer(value),
        ShapeKind::Within { least, most, .. } => integer()
            .is_some_and(|number| number >= *least as f64 && most.is_none_or(|most| number <= most as f64)),
        ShapeKind::Duration => value.as_f64().is_some_and(|seconds| seconds >= 0.0),
        ShapeKind::Seconds => integer().is_some_and(|seconds| seconds < SECONDS_END),
        ShapeKind::Epoch => value.as_f64().is_some_and(|seconds| (0.0..SECONDS_END).contains(&seconds)),
        ShapeKind::Milliseconds => integer().is_some_and(|ms| ms >= SECONDS_END),
        ShapeKind::Form(form) => value.as_str().is_some_and(|text| form.holds(text)),
        ShapeKind::Array(_) => value.is_array(),
        ShapeKind::Listed(_) => match value {
            Value::Array(_) => true,
            Value::Object(members) => members.values().any(Value::is_array),
            _ => false,
        },
        ShapeKind::Map(_) | ShapeKind::Object(_) | ShapeKind::Case(_) => value.is_object(),
        ShapeKind::Either(kinds) => kinds.iter().any(|kind| is_of_kind(kind, value)),
    }
}

/// A number of seconds from here on is a date thousands of years ahead; a number of milliseconds below it is one of the
/// first years of the epoch. So it separates the two units.
const SECONDS_END: f64 = 1e11;

/// What a value of a kind is.
pub fn want(kind: &ShapeKind) -> String {
    let text = match kind {
        ShapeKind::Open(_) => "any value",
        ShapeKind::Text | ShapeKind::Commas | ShapeKind::File => "a string",
        ShapeKind::OneOf(words) => {
            return words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(" or ");
        }
        ShapeKind::Boolean => "true or false",
        ShapeKind::Integer => "an integer",
        ShapeKind::Within { least, most: None, .. } => return format!("an integer, at least {least}"),
        ShapeKind::Within { least, most: Some(most), .. } => {
            return format!("an integer from {least} to {most}");
        }
        ShapeKind::Duration => "a number of seconds, not negative",
        ShapeKind::Seconds => "an integer of seconds since the epoch",
        ShapeKind::Epoch => "a number of seconds since the epoch",
        ShapeKind::Milliseconds => "an integer of milliseconds since the epoch",
        ShapeKind::Form(form) => return form.want(),
        ShapeKind::Array(_) => "an array",
        ShapeKind::Listed(_) => "an array, or an object with arrays",
        ShapeKind::Map(_) | ShapeKind::Object(_) | ShapeKind::Case(_) => "an object",
        ShapeKind::Either(kinds) => return kinds.iter().map(want).collect::<Vec<_>>().join(", or "),
    };
    text.to_owned()
}

impl Form {
    /// Whether a string has the form.
    pub fn holds(self, text: &str) -> bool {
        let is_hex = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        match self {
            Form::NotEmpty => !text.is_empty(),
            Form::Uuid => {
                let lengths = text.split('-').map(str::len);
                lengths.eq([8, 4, 4, 4, 12]) && text.split('-').all(is_hex)
            }
            Form::Base64 => !text.is_empty() && parse_base64(text).is_some(),
            Form::Base58 => !text.is_empty() && bs58::decode(text).into_vec().is_ok(),
            Form::Hex => is_hex(text.strip_prefix("0x").unwrap_or(text)),
            Form::Url => {
                let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
                let begins = |rest: &str| rest.chars().next().is_some_and(|first| !"/?#:".contains(first));
                rest.is_some_and(begins) && !text.contains(char::is_whitespace)
            }
            Form::Ipv6 => {
                let (address, prefix) = text.split_once('/').unwrap_or((text, "128"));
                address.parse::<std::net::Ipv6Addr>().is_ok()
                    && prefix.parse::<u8>().is_ok_and(|bits| bits <= 128)
            }
            Form::CidV1 => cid::Cid::try_from(text).is_ok_and(|cid| cid.version() == cid::Version::V1),
            Form::Prefixed(prefix) => text.strip_prefix(prefix).is_some_and(|rest| !rest.is_empty()),
        }
    }

    fn want(self) -> String {
        let text = match self {
            Form::NotEmpty => "a string that is not empty",
            Form::Uuid => "a UUID",
            Form::Base64 => "padded standard base64",
            Form::Base58 => "base58",
            Form::Hex => "hexadecimal digits",
            Form::Url => "an absolute http or https URL",
            Form::Ipv6 => "an IPv6 address, with or without a prefix length",
            Form::CidV1 => "a content identifier of version 1",
            Form::Prefixed(prefix) => return format!("a string that begins with {prefix:?}"),
        };
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_holds_at_its_bound_and_not_beyond_it() {
        let holds = |value| HeaderRule::AtMost(60).holds(value);
        assert!([None, Some("0"), Some("60"), Some("Sun, 06 Nov 1994 08:49:37 GMT")].into_iter().all(holds));
        assert!(![Some("61"), Some("86400"), Some("99999999999999999999")].into_iter().any(holds));
        let is_plain = |value| HeaderRule::MediaType("text/plain").holds(value);
        assert!([None, Some("text/plain"), Some("Text/Plain; charset=utf-8")].into_iter().all(is_plain));
        assert!(![Some("text/html"), Some(""), Some("text/plainer")].into_iter().any(is_plain));
    }
}
