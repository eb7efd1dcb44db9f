//! Field cells: every declared field of every response, made wrong in every way that its declaration excludes.
//!
//! A cell's name says how a response is made wrong; a proof shows that the row that owns the field notices.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::endpoint::Endpoint;
use crate::relation::{self, Fresh, Relation};
use crate::reply::{Expected, HeaderRule};
use crate::shape::{Field, Reply, ShapeKind};
use crate::{Id, catalogue};

/// A field of the responses of an endpoint with one status, and what is wrong with it.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The endpoint.
    pub endpoint: &'static Endpoint,
    /// The status.
    pub status: u16,
    /// Where the field is.
    pub part: Part,
    /// The field as it is declared, such as `messages[].time`. Empty for the whole body; a header's name.
    pub path: String,
    /// What is wrong.
    pub wrong: Wrong,
    /// The row that owns it.
    pub row: Id,
    steps: Vec<Step>,
}

/// A part of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The JSON body.
    Body,
    /// The JSON data of an event.
    Event,
    /// A body that is not JSON.
    Bytes,
    /// A header.
    Header,
    /// A parameter of the request's query.
    Query,
}

impl Part {
    /// What a name of one of its fields begins with.
    pub const fn prefix(self) -> &'static str {
        match self {
            Part::Body => "",
            Part::Event => "event:",
            Part::Bytes => "bytes:",
            Part::Header => "header:",
            Part::Query => "query:",
        }
    }
}

/// What is wrong with a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wrong {
    /// It is absent.
    Missing,
    /// It is null.
    Null,
    /// It is true.
    Boolean,
    /// It is an integer.
    Integer,
    /// It is a number with a fraction.
    Fraction,
    /// It is negative.
    Negative,
    /// It is a string.
    Text,
    /// It is an array.
    Array,
    /// It is an object.
    Object,
    /// It is another word.
    Word,
    /// Its letters have the other case.
    Case,
    /// It is empty.
    Empty,
    /// It has another form.
    Form,
    /// It is in seconds.
    Seconds,
    /// It is in milliseconds.
    Milliseconds,
    /// It is present.
    Present,
    /// It is another value than that of the same resource elsewhere.
    Other,
    /// It is another value in each response that shows the same resource.
    Changing,
    /// It is the same in each response.
    Constant,
    /// It is a counter.
    Counted,
    /// It is a day too early.
    Early,
    /// It is a day too late.
    Late,
    /// It is ignored.
    Ignored,
    /// Only the first of its values counts.
    First,
    /// It finds nothing, whatever its value is.
    Nothing,
    /// It is empty, and the request that it repeats is not.
    Blank,
}

/// A day in seconds.
const DAY_S: f64 = 86_400.0;
/// Numbers from here on are milliseconds since the epoch.
const FIRST_MS: f64 = 1e11;

impl Wrong {
    /// Its name in the name of a cell.
    pub const fn name(self) -> &'static str {
        match self {
            Wrong::Missing => "missing",
            Wrong::Null => "null",
            Wrong::Boolean => "boolean",
            Wrong::Integer => "integer",
            Wrong::Fraction => "fraction",
            Wrong::Negative => "negative",
            Wrong::Text => "string",
            Wrong::Array => "array",
            Wrong::Object => "object",
            Wrong::Word => "word",
            Wrong::Case => "case",
            Wrong::Empty => "empty",
            Wrong::Form => "form",
            Wrong::Seconds => "seconds",
            Wrong::Milliseconds => "milliseconds",
            Wrong::Present => "present",
            Wrong::Other => "other",
            Wrong::Changing => "changing",
            Wrong::Constant => "constant",
            Wrong::Counted => "counted",
            Wrong::Early => "early",
            Wrong::Late => "late",
            Wrong::Ignored => "ignored",
            Wrong::First => "first",
            Wrong::Nothing => "nothing",
            Wrong::Blank => "blank",
        }
    }

    /// Whether one response alone does not show it.
    pub const fn is_relative(self) -> bool {
        matches!(self, Wrong::Other | Wrong::Changing | Wrong::Constant | Wrong::Counted | Wrong::Blank)
    }

    /// Whether it contradicts where the value comes from, or what a parameter selects.
    pub const fn is_relation(self) -> bool {
        self.is_relative()
            || matches!(self, Wrong::Early | Wrong::Late | Wrong::Ignored | Wrong::First | Wrong::Nothing)
    }

    /// The wrong value in place of a conforming one, in the response with this number. [`Wrong::Missing`] has none.
    fn value(self, conforming: &Value, response: u64) -> Value {
        let number = conforming.as_f64().unwrap_or_default();
        match self {
            Wrong::Missing | Wrong::Null | Wrong::Ignored | Wrong::First | Wrong::Nothing => Value::Null,
            Wrong::Boolean | Wrong::Present => json!(true),
            Wrong::Integer => json!(7),
            Wrong::Fraction => json!(number + 0.5),
            Wrong::Negative => json!(-1),
            Wrong::Text => match conforming {
                Value::Null | Value::Array(_) | Value::Object(_) => json!("text"),
                scalar => json!(scalar.to_string()),
            },
            Wrong::Array => json!([]),
            Wrong::Object => json!({}),
            Wrong::Word => json!("another"),
            Wrong::Case => {
                let text = conforming.as_str().unwrap_or_default();
                let is_lower = text.chars().any(char::is_lowercase);
                json!(if is_lower { text.to_uppercase() } else { text.to_lowercase() })
            }
            Wrong::Empty | Wrong::Blank => json!(""),
            Wrong::Form => json!("\u{b6} not of this form"),
            Wrong::Other => relation::other(conforming),
            Wrong::Changing => relation::changed(conforming, response),
            Wrong::Constant => json!(relation::constant(conforming.as_str().unwrap_or_default())),
            Wrong::Counted => json!(relation::counted(conforming.as_str().unwrap_or_default())),
            Wrong::Early => shifted(conforming, -DAY_S),
            Wrong::Late => shifted(conforming, DAY_S),
            Wrong::Seconds => json!((number / 1000.0).floor() as i64),
            Wrong::Milliseconds => json!((number * 1000.0).floor() as i64),
        }
    }
}

/// Another time, in the unit of this one.
fn shifted(time: &Value, seconds: f64) -> Value {
    let number = time.as_f64().unwrap_or_default();
    let shifted = number + if number < FIRST_MS { seconds } else { seconds * 1000.0 };
    if time.is_f64() { json!(shifted) } else { json!(shifted as i64) }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Field(&'static str),
    Items,
    /// The elements of a list whose container is open.
    Listed,
    Values,
}

/// A value of a filter that nothing has.
const FOUND_BY_NONE: &str = "assay-none";

/// The header that names the media type.
pub const CONTENT_TYPE: &str = "content-type";

/// The prefix of every cell's name.
pub const PREFIX: &str = "field:";

/// `field:GET /api/v0/messages/200/messages[].time=string`
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cell { endpoint, status, path, wrong, .. } = self;
        let part = self.part.prefix();
        write!(f, "{PREFIX}{} {}/{status}/{part}{path}={}", endpoint.method, endpoint.path, wrong.name())
    }
}

static CELLS: LazyLock<Vec<Cell>> = LazyLock::new(|| catalogue::endpoints().flat_map(made).collect());
static BY_NAME: LazyLock<BTreeMap<String, &'static Cell>> =
    LazyLock::new(|| CELLS.iter().map(|cell| (cell.to_string(), cell)).collect());

/// Every cell of every endpoint, in the order of the declarations.
pub fn cells() -> &'static [Cell] {
    &CELLS
}

/// The cell with that name.
pub fn cell(name: &str) -> Option<&'static Cell> {
    BY_NAME.get(name).copied()
}

/// What the documents leave open in the responses of an endpoint: the status, the field as it is declared, and why.
pub fn open(endpoint: &'static Endpoint) -> Vec<(u16, String, &'static str)> {
    let mut found = Vec::new();
    for status in statuses(endpoint) {
        let Some(Expected { body, .. }) = endpoint.expected(status) else {
            found.push((status, String::new(), "the documents do not show this error"));
            continue;
        };
        let mut note = |kind: &'static ShapeKind, event: &str| {
            each(kind, &mut Vec::new(), &mut |steps, kind| {
                if let ShapeKind::Open(why) = kind {
                    found.push((status, format!("{event}{}", shown(steps)), *why));
                }
            });
        };
        match body {
            Reply::Json(kind) => note(kind, ""),
            Reply::JsonOrEvents(kind, event) => {
                note(kind, "");
                note(event, Part::Event.prefix());
            }
            Reply::Open(why) => found.push((status, String::new(), why)),
            Reply::Bytes => found.push((status, String::new(), "it is whatever was stored or computed")),
            Reply::Html | Reply::Text(_) => {}
        }
    }
    found
}

/// The statuses that the documents list for an endpoint.
fn statuses(endpoint: &'static Endpoint) -> impl Iterator<Item = u16> {
    let unlisted = endpoint.statuses.is_empty().then_some(200);
    endpoint.statuses.iter().copied().chain(unlisted)
}

fn made(endpoint: &'static Endpoint) -> Vec<Cell> {
    let mut cells: Vec<Cell> =
        endpoint.shape.query.iter().flat_map(|field| of_parameter(endpoint, field)).collect();
    for status in statuses(endpoint) {
        let Some(Expected { body, row, headers, may_be_foreign, .. }) = endpoint.expected(status) else {
            continue;
        };
        let cell = |part, path, wrong, row, steps| Cell { endpoint, status, part, path, wrong, row, steps };
        for header in endpoint.shape.answers.iter().chain(headers) {
            for wrong in of_header(header.rule) {
                cells.push(cell(Part::Header, header.name.to_owned(), *wrong, header.row, Vec::new()));
            }
        }
        let Some(row) = row else { continue };
        let mut add = |part, kind| {
            wrongs(kind, row, &mut Vec::new(), &mut |steps, wrong, row| {
                // An event that is not an object may be the error of a stream, and a body that is not one of a server
                // that does not have the endpoint.
                if steps.is_empty() && (part == Part::Event || may_be_foreign) {
                    return;
                }
                cells.push(cell(part, shown(steps), wrong, row, steps.to_vec()));
            });
        };
        match body {
            Reply::Json(kind) => add(Part::Body, kind),
            Reply::JsonOrEvents(kind, event) => {
                add(Part::Body, kind);
                add(Part::Event, event);
            }
            Reply::Text(_) | Reply::Html => {
                cells.push(cell(Part::Bytes, String::new(), Wrong::Object, row, Vec::new()));
            }
            Reply::Open(_) | Reply::Bytes => {}
        }
        let is_json = matches!(body, Reply::Json(_) | Reply::JsonOrEvents(..));
        if let Some(row) = endpoint.json_type(row).filter(|_| is_json) {
            cells.push(cell(Part::Header, CONTENT_TYPE.to_owned(), Wrong::Form, row, Vec::new()));
        }
        // A body that is not JSON at all.
        if is_json && !may_be_foreign {
            cells.push(cell(Part::Bytes, String::new(), Wrong::Text, row, Vec::new()));
        }
    }
    cells
}

/// The ways in which a server disregards a parameter.
fn of_parameter(endpoint: &'static Endpoint, field: &'static Field) -> impl Iterator<Item = Cell> {
    let selects = field.relation == Some(Relation::Selects);
    // No value of a bound excludes everything in both directions.
    let is_word = matches!(field.kind, ShapeKind::Text | ShapeKind::Commas);
    let related = field.related.filter(|_| selects);
    let ignored = related.map(|row| (Wrong::Ignored, row));
    let nothing = related.filter(|_| is_word).map(|row| (Wrong::Nothing, row));
    let first = field.row.filter(|_| selects).map(|row| (Wrong::First, row));
    [ignored, nothing, first].into_iter().flatten().map(move |(wrong, row)| {
        let (part, path) = (Part::Query, field.name.to_owned());
        Cell { endpoint, status: 200, part, path, wrong, row, steps: Vec::new() }
    })
}

fn of_header(rule: HeaderRule) -> &'static [Wrong] {
    match rule {
        HeaderRule::Absent => &[Wrong::Present],
        HeaderRule::Seconds | HeaderRule::When => &[Wrong::Missing, Wrong::Form],
        HeaderRule::WhenPresent | HeaderRule::MediaType(_) => &[Wrong::Form],
        HeaderRule::AtMost(_) => &[Wrong::Late],
    }
}

/// Calls `met` for every wrong value of a kind and of everything in it.
fn wrongs(kind: &'static ShapeKind, row: Id, steps: &mut Vec<Step>, met: &mut dyn FnMut(&[Step], Wrong, Id)) {
    if !matches!(kind, ShapeKind::Open(_)) {
        met(steps, Wrong::Null, row);
        for wrong in excluded(kind) {
            met(steps, *wrong, row);
        }
    }
    match kind {
        ShapeKind::Array(items) => within(Step::Items, items, row, steps, met),
        ShapeKind::Listed(items) => within(Step::Listed, items, row, steps, met),
        ShapeKind::Map(values) => within(Step::Values, values, row, steps, met),
        ShapeKind::Object(fields) => of_fields(fields, row, steps, met),
        ShapeKind::Case(case) => of_fields(case.then, row, steps, met),
        ShapeKind::Either(kinds) => {
            for kind in *kinds {
                // The kinds exclude each other only as a whole.
                let outer = steps.len();
                wrongs(kind, row, steps, &mut |steps, wrong, row| {
                    if steps.len() > outer {
                        met(steps, wrong, row);
                    }
                });
            }
        }
        _ => {}
    }
}

fn within(
    step: Step,
    kind: &'static ShapeKind,
    row: Id,
    steps: &mut Vec<Step>,
    met: &mut dyn FnMut(&[Step], Wrong, Id),
) {
    steps.push(step);
    wrongs(kind, row, steps, met);
    steps.pop();
}

fn of_fields(
    fields: &'static [Field],
    row: Id,
    steps: &mut Vec<Step>,
    met: &mut dyn FnMut(&[Step], Wrong, Id),
) {
    for field in fields {
        let row = field.row.unwrap_or(row);
        steps.push(Step::Field(field.name));
        if field.required {
            met(steps, Wrong::Missing, field.presence.unwrap_or(row));
        }
        for wrong in unrelated(field) {
            met(steps, wrong, field.related.unwrap_or(row));
        }
        let outer = steps.len();
        wrongs(&field.kind, row, steps, &mut |steps, wrong, row| {
            if steps.len() > outer || wrong != Wrong::Null || !field.nullable {
                met(steps, wrong, row);
            }
        });
        steps.pop();
    }
}

/// Values of the declared type that contradict the field's relation to other values.
fn unrelated(field: &Field) -> impl Iterator<Item = Wrong> {
    let fresh: &[Wrong] = match field.fresh {
        Some(Fresh::Random) => &[Wrong::Constant, Wrong::Counted],
        Some(Fresh::Unique | Fresh::Per(_)) => &[Wrong::Constant],
        None => &[],
    };
    let related: &[Wrong] = match field.relation {
        Some(Relation::Of(resource, _)) if resource.pointer(field.name).is_some() => &[Wrong::Other],
        // What a run made it knows by its name.
        Some(Relation::Names(resource)) if !resource.sent.is_empty() => &[Wrong::Other],
        Some(Relation::Asked(..) | Relation::Derived(_)) => &[Wrong::Other],
        Some(Relation::Of(..)) => &[Wrong::Changing],
        Some(Relation::Names(_) | Relation::Selects | Relation::Free(_)) | None => &[],
    };
    let moment: &[Wrong] = if field.is_moment { &[Wrong::Early, Wrong::Late] } else { &[] };
    let is_repeated = match field.relation {
        Some(Relation::Of(resource, _)) => resource.pointer(field.name).is_some(),
        Some(Relation::Asked(..)) => true,
        _ => false,
    };
    let is_text = matches!(field.kind, ShapeKind::Text);
    let blank: &[Wrong] = if is_repeated && is_text { &[Wrong::Blank] } else { &[] };
    [fresh, related, moment, blank].into_iter().flatten().copied()
}

/// The fields of the responses of an endpoint whose values the documents leave to the server: the status, the field as it is
/// declared, and why. `None`: its declaration does not say where its value comes from.
pub fn free(endpoint: &'static Endpoint) -> Vec<(u16, String, Option<&'static str>)> {
    let mut found = Vec::new();
    each_of(endpoint, &mut |status, name, field| {
        let why = match field.relation {
            Some(Relation::Free(why)) => Some(why),
            _ if field.is_related() => return,
            _ => None,
        };
        found.push((status, name, why));
    });
    found
}

/// The fields that a response of an endpoint may lack: the status, and the field as it is declared.
pub fn optional(endpoint: &'static Endpoint) -> Vec<(u16, String)> {
    let mut found = Vec::new();
    each_of(endpoint, &mut |status, name, field| {
        if !field.required {
            found.push((status, name));
        }
    });
    found
}

/// The fields of the responses of an endpoint whose values, or elements, may have several types: the status, the field as it is
/// declared, and its declaration.
pub fn unions(endpoint: &'static Endpoint) -> Vec<(u16, String, &'static Field)> {
    let mut found = Vec::new();
    each_of(endpoint, &mut |status, name, field| {
        if !field.types().is_empty() {
            found.push((status, name, field));
        }
    });
    found
}

/// Calls `met` for every declared field of the responses of an endpoint: the status, the field as it is declared, and its
/// declaration.
fn each_of(endpoint: &'static Endpoint, met: &mut dyn FnMut(u16, String, &'static Field)) {
    for status in statuses(endpoint) {
        let Some(Expected { body, row: Some(_), .. }) = endpoint.expected(status) else { continue };
        let mut note = |kind: &'static ShapeKind, event: &str| {
            each_field(kind, &mut Vec::new(), &mut |steps, field| {
                met(status, format!("{event}{}", shown(steps)), field);
            });
        };
        match body {
            Reply::Json(kind) => note(kind, ""),
            Reply::JsonOrEvents(kind, event) => {
                note(kind, "");
                note(event, Part::Event.prefix());
            }
            Reply::Open(_) | Reply::Bytes | Reply::Html | Reply::Text(_) => {}
        }
    }
}

/// Calls `met` for every declared field in a kind.
fn each_field(kind: &'static ShapeKind, steps: &mut Vec<Step>, met: &mut dyn FnMut(&[Step], &'static Field)) {
    let mut within = |step, kind, steps: &mut Vec<Step>| {
        steps.push(step);
        each_field(kind, steps, met);
        steps.pop();
    };
    match kind {
        ShapeKind::Array(items) => within(Step::Items, items, steps),
        ShapeKind::Listed(items) => within(Step::Listed, items, steps),
        ShapeKind::Map(values) => within(Step::Values, values, steps),
        ShapeKind::Object(fields) => of_each(fields, steps, met),
        ShapeKind::Case(case) => {
            of_each(case.then, steps, met);
            of_each(case.otherwise, steps, met);
        }
        ShapeKind::Either(kinds) => kinds.iter().for_each(|kind| each_field(kind, steps, met)),
        _ => {}
    }
}

fn of_each(fields: &'static [Field], steps: &mut Vec<Step>, met: &mut dyn FnMut(&[Step], &'static Field)) {
    for field in fields {
        steps.push(Step::Field(field.name));
        met(steps, field);
        each_field(&field.kind, steps, met);
        steps.pop();
    }
}

/// What a value of a kind is not, besides null: another JSON type, and the nearest other values that it excludes.
fn excluded(kind: &ShapeKind) -> &'static [Wrong] {
    match kind {
        ShapeKind::Open(_) | ShapeKind::File => &[],
        ShapeKind::Text | ShapeKind::Commas => &[Wrong::Integer],
        ShapeKind::OneOf(_) => &[Wrong::Integer, Wrong::Word, Wrong::Case],
        ShapeKind::Boolean | ShapeKind::Listed(_) => &[Wrong::Text],
        ShapeKind::Integer => &[Wrong::Text, Wrong::Fraction],
        ShapeKind::Within { .. } => &[Wrong::Text, Wrong::Fraction, Wrong::Negative],
        ShapeKind::Duration => &[Wrong::Text, Wrong::Negative],
        ShapeKind::Seconds => &[Wrong::Text, Wrong::Fraction, Wrong::Milliseconds],
        ShapeKind::Epoch => &[Wrong::Text, Wrong::Milliseconds],
        ShapeKind::Milliseconds => &[Wrong::Text, Wrong::Fraction, Wrong::Seconds],
        ShapeKind::Form(crate::shape::Form::NotEmpty) => &[Wrong::Integer, Wrong::Empty],
        ShapeKind::Form(_) => &[Wrong::Integer, Wrong::Empty, Wrong::Form],
        ShapeKind::Array(_) => &[Wrong::Object],
        ShapeKind::Map(_) | ShapeKind::Object(_) | ShapeKind::Case(_) => &[Wrong::Array],
        // Every use is of scalars, or of one scalar and an array of it.
        ShapeKind::Either(_) => &[Wrong::Object],
    }
}

/// Calls `met` for a kind and everything in it.
fn each(kind: &'static ShapeKind, steps: &mut Vec<Step>, met: &mut dyn FnMut(&[Step], &'static ShapeKind)) {
    met(steps, kind);
    let mut step = |step, kind, steps: &mut Vec<Step>| {
        steps.push(step);
        each(kind, steps, met);
        steps.pop();
    };
    match kind {
        ShapeKind::Array(items) => step(Step::Items, items, steps),
        ShapeKind::Listed(items) => step(Step::Listed, items, steps),
        ShapeKind::Map(values) => step(Step::Values, values, steps),
        ShapeKind::Object(fields) => {
            fields.iter().for_each(|field| step(Step::Field(field.name), &field.kind, steps));
        }
        ShapeKind::Case(case) => {
            case.then.iter().for_each(|field| step(Step::Field(field.name), &field.kind, steps));
        }
        ShapeKind::Either(kinds) => kinds.iter().for_each(|kind| each(kind, steps, met)),
        _ => {}
    }
}

fn shown(steps: &[Step]) -> String {
    let mut text = String::new();
    for step in steps {
        match step {
            Step::Field(name) => {
                text.push_str(if text.is_empty() { "" } else { "." });
                text.push_str(name);
            }
            Step::Items => text.push_str("[]"),
            Step::Listed => text.push_str("*[]"),
            Step::Values => text.push_str("{}"),
        }
    }
    text
}

impl Cell {
    /// The query as a server reads it that disregards the parameter. `None`: the query does not have it.
    pub fn misread(&self, query: &str) -> Option<String> {
        let mut params: Vec<(String, String)> =
            form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        let is_its = |(name, _): &(String, String)| *name == self.path;
        let value = params.iter().find(|param| is_its(param)).map(|(_, value)| value.clone())?;
        params.retain(|param| !is_its(param));
        let kept = match self.wrong {
            Wrong::First => value.split(',').next(),
            Wrong::Nothing => Some(FOUND_BY_NONE),
            _ => None,
        };
        params.extend(kept.map(|kept| (self.path.clone(), kept.to_owned())));
        Some(form_urlencoded::Serializer::new(String::new()).extend_pairs(params).finish())
    }

    /// Makes the field wrong wherever it is in a JSON value, in the response with this number. Returns whether it was there.
    pub fn spoil(&self, value: &mut Value, response: u64) -> bool {
        spoil(value, &self.steps, self.wrong, response)
    }
}

fn spoil(value: &mut Value, steps: &[Step], wrong: Wrong, response: u64) -> bool {
    let Some((step, rest)) = steps.split_first() else {
        *value = wrong.value(value, response);
        return true;
    };
    let all = |values: &mut dyn Iterator<Item = &mut Value>| {
        let mut is_found = false;
        for value in values {
            is_found |= spoil(value, rest, wrong, response);
        }
        is_found
    };
    match (step, value) {
        (Step::Field(name), Value::Object(members)) => {
            if rest.is_empty() && wrong == Wrong::Missing {
                return members.shift_remove(*name).is_some();
            }
            members.get_mut(*name).is_some_and(|member| spoil(member, rest, wrong, response))
        }
        (Step::Items | Step::Listed, Value::Array(items)) => all(&mut items.iter_mut()),
        (Step::Listed, Value::Object(members)) => {
            let is_only = members.values().filter(|member| member.is_array()).count() == 1;
            let arrays = members.values_mut().filter_map(Value::as_array_mut);
            all(&mut arrays.filter(|items| is_only || items.iter().any(Value::is_object)).flatten())
        }
        (Step::Values, Value::Object(members)) => all(&mut members.values_mut()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::reply::{BodyPath, judge};
    use crate::requirement::Evidence;

    #[test]
    fn names_are_unique_and_every_owner_has_a_check() {
        assert_eq!(BY_NAME.len(), CELLS.len());
        for cell in cells() {
            assert_eq!(cell.row.evidence, Evidence::Check, "{cell} is owned by {}", cell.row);
            assert_eq!(cell.row.service, cell.endpoint.service, "{cell} is owned by {}", cell.row);
        }
    }

    #[test]
    fn a_field_without_an_owner_has_a_reason() {
        for endpoint in catalogue::endpoints() {
            let open: BTreeSet<u16> = open(endpoint).into_iter().map(|(status, ..)| status).collect();
            for status in statuses(endpoint) {
                let is_owned = endpoint.expected(status).is_some_and(|expected| expected.row.is_some());
                let (method, path) = (endpoint.method, endpoint.path);
                assert!(is_owned || open.contains(&status), "{method} {path} {status} has neither");
            }
        }
    }

    #[test]
    fn a_wrong_value_is_noticed_by_its_owner_and_the_others_are_not() {
        let endpoint = &crate::network::query::LIST;
        let Some(Expected { body: Reply::Json(kind), row: Some(row), .. }) = endpoint.expected(200) else {
            panic!("its response is declared")
        };
        let record = json!({
            "item_hash": "a", "chain": "ETH", "sender": "0x1", "type": "POST", "channel": "c",
            "timestamp": 1_700_000_000, "content": {}, "signature": "0x", "extra": null,
            "confirmations": [{ "chain": "ETH", "height": 1, "hash": "0x" }],
        });
        let pages = json!({ "total": 1, "page": 1, "per_page": 20, "total_pages": 1 });
        let whole = json!({ "messages": [record], "pagination": pages });
        let broken = |body: &Value| {
            let mut found = Vec::new();
            judge(kind, body, row, &BodyPath::BODY, &mut |met| {
                if met.want.is_some() {
                    found.push((met.place.declared(), met.row));
                }
            });
            found
        };
        assert_eq!(broken(&whole), []);
        let own = cells().iter().filter(|cell| {
            std::ptr::eq(cell.endpoint, endpoint) && cell.status == 200 && cell.part == Part::Body
        });
        let mut count = 0;
        for cell in own {
            let mut body = whole.clone();
            assert!(cell.spoil(&mut body, 1), "{cell}");
            let alone = (!cell.wrong.is_relative()).then(|| (cell.path.clone(), cell.row));
            assert_eq!(broken(&body), Vec::from_iter(alone), "{cell}");
            count += 1;
        }
        assert!(count > 40, "{count}");
    }
}
