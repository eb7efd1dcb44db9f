//! Whether a target answered a step as the model did. Names, hashes and times are each side's own, so strings are the same
//! if they always replace each other.

use std::collections::BTreeMap;

use assay_spec::crypto::text::sha256_hex;
use assay_spec::relation::{Alike, Relation};
use assay_spec::shape::{Field, ShapeKind};
use assay_spec::{Dialect, Id};
use serde_json::Value;

use crate::documents::endpoints::endpoint_of;
use crate::harness::data::{At, Failure, Worlds};
use crate::harness::explore::Leeway;
use crate::harness::judge::ambient::{each_part, each_value};
use crate::http::exchange::{Exchange, Request, Response};

/// A step as one side has sent it.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub(super) exchanges: Vec<Exchange>,
    pub(super) leeway: Leeway,
    /// The rows by which the model rejected something, in order.
    pub(super) refused: Vec<Id>,
}

/// Where a target differs from the model.
#[derive(Clone, Debug)]
pub(super) struct Difference {
    /// The step, and the exchange of the model in it.
    pub(super) at: (usize, usize),
    /// The exchange of the target in the step.
    pub(super) theirs: usize,
    /// The row that it breaks. `None`: none is known.
    pub(super) row: Option<Id>,
    pub(super) kind: Kind,
    pub(super) failure: Failure,
}

/// How a target differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It accepts what the model rejects.
    Accepted,
    /// It rejects what the model accepts.
    Rejected,
    /// It rejects with another status.
    Status,
    /// A part of its response is not as declared, or has another value.
    Part,
    /// The step sent it another number of requests.
    Count,
}

/// How far two sides that get equal requests are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exactness {
    /// They start in the same state at the same time: what no server draws is equal.
    Equal,
    /// Each has its own names and times.
    Alike,
}

/// Strings that replace each other.
struct Pairs {
    exactness: Exactness,
    target: BTreeMap<String, String>,
    model: BTreeMap<String, String>,
}

/// Numbers from here on are times or heights.
const LARGE: f64 = 1_000_000.0;

impl Pairs {
    /// Whether two strings replace each other, or may from now on.
    fn same(&mut self, model: &str, target: &str) -> bool {
        match (self.target.get(model), self.model.get(target)) {
            (Some(known), _) => known == target,
            (None, Some(_)) => false,
            (None, None) => {
                self.target.insert(model.to_owned(), target.to_owned());
                self.model.insert(target.to_owned(), model.to_owned());
                true
            }
        }
    }

    /// As [`Pairs::same`], for what no document shows inside.
    fn same_bytes(&mut self, model: &str, target: &str) -> bool {
        self.same(model, target) && (self.exactness == Exactness::Alike || model == target)
    }

    /// How many strings of two values are known to replace each other.
    fn likeness(&self, model: &Value, target: &Value) -> usize {
        let mut theirs = Vec::new();
        each_value(target, &mut |value| theirs.extend(value.as_str()));
        let mut count = 0;
        each_value(model, &mut |value| {
            let known = value.as_str().and_then(|text| self.target.get(text));
            count += usize::from(known.is_some_and(|known| theirs.contains(&known.as_str())));
        });
        count
    }

    /// Brings the lists of a target into the order of the model's: what two servers got at the same time has no order.
    fn align(&self, model: &Value, target: &mut Value) {
        match (model, target) {
            (Value::Object(model), Value::Object(target)) => {
                for (name, value) in target {
                    model.get(name).into_iter().for_each(|own| self.align(own, value));
                }
            }
            (Value::Array(model), Value::Array(target)) => {
                for (n, own) in model.iter().enumerate().take(target.len()) {
                    let most = (n..target.len())
                        .max_by_key(|at| (self.likeness(own, &target[*at]), usize::MAX - at));
                    target.swap(n, most.unwrap_or(n));
                    self.align(own, &mut target[n]);
                }
            }
            _ => {}
        }
    }

    /// Notes what the two requests of a step have in the same places.
    fn note(&mut self, model: &Request, target: &Request) {
        let parts = |request: &Request| -> Vec<String> {
            request.target.split(['/', '?', '&', '=', ',']).map(str::to_owned).collect()
        };
        let pairs = parts(model).into_iter().zip(parts(target));
        let values = |request: &Request| {
            let mut all = Vec::new();
            if let Ok(body) = serde_json::from_slice::<Value>(&request.body) {
                each_value(&body, &mut |value| all.push(text_of(value)));
            }
            all
        };
        for (one, other) in pairs.chain(values(model).into_iter().zip(values(target))) {
            self.same(&one, &other);
            self.same(&one.to_lowercase(), &other.to_lowercase());
        }
    }

    /// Whether two values of a field say the same.
    fn agree(&mut self, field: &Field, model: &Value, target: &Value) -> bool {
        if self.exactness == Exactness::Equal && field.fresh.is_none() && model.is_string() {
            return model == target
                || is_any_case(field) && model.to_string().eq_ignore_ascii_case(&target.to_string());
        }
        match (model, target) {
            (Value::Bool(one), Value::Bool(other)) => one == other,
            (Value::Number(one), Value::Number(other)) => {
                let are_large =
                    [one, other].iter().all(|one| one.as_f64().is_some_and(|one| one.abs() >= LARGE));
                let (one, other) = (one.to_string(), other.to_string());
                // What no request held is the server's own.
                let is_own = self.exactness == Exactness::Alike && !self.target.contains_key(&one);
                one == other || is_own || are_large && self.same(&one, &other)
            }
            (Value::String(one), Value::String(other)) => match &field.kind {
                ShapeKind::OneOf(_) => one == other,
                _ => one.is_empty() == other.is_empty() && self.same(one, other),
            },
            (Value::Array(one), Value::Array(other)) => {
                let mut both = one.iter().zip(other);
                one.len() == other.len() && both.all(|(one, other)| self.agree(field, one, other))
            }
            // Absent fields, other types and the members of objects have their own declarations.
            _ => true,
        }
    }
}

/// Whether letter case says nothing.
fn is_any_case(field: &Field) -> bool {
    matches!(field.relation, Some(Relation::Of(_, Alike::AnyCase) | Relation::Asked(_, Alike::AnyCase)))
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A declared part of a response.
struct Part {
    row: Id,
    failure: Option<Failure>,
    object: Option<(&'static [Field], Value)>,
}

/// The declared parts of a response, by their place.
fn parts(exchange: &Exchange, dialect: &Dialect) -> BTreeMap<String, Part> {
    let mut all = BTreeMap::new();
    each_part(exchange, dialect, Worlds::Own, true, &mut |judged| {
        let object = judged.object.map(|(fields, object)| (fields, object.clone()));
        let place = format!("{}{}", judged.part.prefix(), judged.name.pointer());
        all.insert(place, Part { row: judged.row, failure: judged.failure, object });
    });
    all
}

/// The first difference between the steps of a target and those of the model.
pub(super) fn difference(
    model: &[Sent],
    target: &[Sent],
    exactness: Exactness,
    dialect: &Dialect,
) -> Option<Difference> {
    let mut pairs = Pairs { exactness, target: BTreeMap::new(), model: BTreeMap::new() };
    for (n, (model, target)) in model.iter().zip(target).enumerate() {
        let mut refused = model.refused.iter().copied();
        let skipped = skipped(model, target);
        let theirs = &target.exchanges[skipped..];
        for (m, (one, other)) in model.exchanges.iter().zip(theirs).enumerate() {
            pairs.note(&one.request, &other.request);
            let found = exchange(&mut pairs, (one, other), &mut refused, model.leeway, dialect);
            if let Some((row, kind, failure)) = found {
                return Some(Difference { at: (n, m), theirs: skipped + m, row, kind, failure });
            }
        }
        let counts = [model.exchanges.len(), theirs.len()];
        if counts[0] != counts[1] {
            let common = counts[0].min(counts[1]);
            let failure = Failure::new("requests", counts[0].to_string(), counts[1].to_string(), None);
            return Some(Difference {
                at: (n, common),
                theirs: skipped + common,
                row: None,
                kind: Kind::Count,
                failure,
            });
        }
    }
    None
}

/// How many exchanges the target's step has before those of the model: without a control API, a client reads the clock first.
fn skipped(model: &Sent, target: &Sent) -> usize {
    let reads_clock =
        |sent: &Sent| sent.exchanges.first().is_some_and(|one| one.request.target.ends_with('/'));
    let is_longer = target.exchanges.len() > model.exchanges.len();
    usize::from(is_longer && reads_clock(target) && !reads_clock(model))
}

type Found = (Option<Id>, Kind, Failure);

fn exchange(
    pairs: &mut Pairs,
    (model, target): (&Exchange, &Exchange),
    refused: &mut impl Iterator<Item = Id>,
    leeway: Leeway,
    dialect: &Dialect,
) -> Option<Found> {
    let endpoint = endpoint_of(dialect, model);
    let Ok(one) = &model.response else { return None };
    let rule = if one.status < 400 { None } else { refused.next() };
    let success = endpoint.and_then(|endpoint| endpoint.expected(one.status)?.row);
    let other = match &target.response {
        Ok(other) => other,
        Err(broken) => {
            let failure = Failure::new(At::connection(), "an HTTP response", broken.to_string(), None);
            return Some((rule.or(success), Kind::Part, failure));
        }
    };
    if one.status != other.status {
        let is_allowed =
            |row: Id| row.rejection.is_some_and(|rejection| rejection.statuses.contains(&other.status));
        if rule.is_some_and(is_allowed) {
            return None;
        }
        let kind = match (one.status < 400, other.status < 400) {
            (true, false) => Kind::Rejected,
            (false, true) => Kind::Accepted,
            (false, false) => Kind::Status,
            (true, true) => Kind::Part,
        };
        let failure = Failure::new(At::status(), one.status.to_string(), other.status.to_string(), None);
        return Some((rule.or(success), kind, failure));
    }
    if leeway.is_odd && one.status < 400 {
        return None;
    }
    body(pairs, (model, one), (target, other), leeway, dialect)
}

fn body(
    pairs: &mut Pairs,
    (model, one): (&Exchange, &Response),
    (target, other): (&Exchange, &Response),
    leeway: Leeway,
    dialect: &Dialect,
) -> Option<Found> {
    let mut target = target.clone();
    if pairs.exactness == Exactness::Alike
        && let (Ok(own), Ok(mut body), Ok(response)) = (one.json(), other.json(), &mut target.response)
    {
        pairs.align(&own, &mut body);
        response.body = body.to_string().into();
    }
    let (mine, theirs) = (parts(model, dialect), parts(&target, dialect));
    let shows_others = leeway.shows_others && pairs.exactness == Exactness::Alike;
    let mut has_objects = false;
    for (place, Part { row, failure, object }) in theirs {
        let own = mine.get(&place);
        if let Some(failure) = failure.filter(|_| own.is_none_or(|own| own.failure.is_none())) {
            return Some((Some(row), Kind::Part, failure));
        }
        let Some((fields, object)) = object else { continue };
        has_objects = true;
        if shows_others || one.status >= 400 {
            continue;
        }
        let Some((_, known)) = own.and_then(|own| own.object.as_ref()) else { continue };
        for field in fields {
            if field.is_moment || !decides(field, pairs.exactness) {
                continue;
            }
            let (want, got) = (&known[field.name], &object[field.name]);
            if !pairs.agree(field, want, got) {
                let row = field.related.or(field.row).unwrap_or(row);
                let at = format!("{place}/{}", field.name);
                return Some((
                    Some(row),
                    Kind::Part,
                    Failure::new(at.as_str(), want.to_string(), got.to_string(), None),
                ));
            }
        }
    }
    // What no document shows inside is the same whenever it is read.
    let is_read = matches!(model.request.method.as_str(), "GET") && one.status == 200;
    let (want, got) = (sha256_hex(&one.body), sha256_hex(&other.body));
    if is_read && !has_objects && !shows_others && !pairs.same_bytes(&want, &got) {
        let row = endpoint_of(dialect, model).and_then(|endpoint| endpoint.shape.row);
        let failure = Failure::new("body", "the bytes of the earlier response", "other bytes", None);
        return Some((row, Kind::Part, failure));
    }
    None
}

/// Whether the values of a field on two sides have to do with each other.
fn decides(field: &Field, exactness: Exactness) -> bool {
    match field.relation {
        // A number may be derived from what only the server knows.
        Some(Relation::Derived(_)) if exactness == Exactness::Alike => field.kind != ShapeKind::Integer,
        Some(Relation::Free(_)) | None => matches!(
            field.kind,
            ShapeKind::OneOf(_)
                | ShapeKind::Boolean
                | ShapeKind::Integer
                | ShapeKind::Array(_)
                | ShapeKind::Listed(_)
        ),
        Some(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(exchanges: &[(&str, &str, u16)]) -> Sent {
        let exchange = |(method, target, status): &(&str, &str, u16)| Exchange {
            site: "network".to_owned(),
            base: "http://network.sim".to_owned(),
            request: Request::new(method, target),
            cut: None,
            slot: None,
            response: Ok(Response { status: *status, ..Response::default() }),
        };
        Sent {
            exchanges: exchanges.iter().map(exchange).collect(),
            leeway: Leeway::default(),
            refused: Vec::new(),
        }
    }

    #[test]
    fn a_read_of_the_clock_is_left_out_and_the_difference_is_at_its_own_exchange() {
        const SENT: (&str, &str, u16) = ("POST", "/api/v0/messages", 200);
        let compared = |model: &[_], target: &[_]| {
            let (model, target) = ([sent(model)], [sent(target)]);
            let found = difference(&model, &target, Exactness::Alike, &Dialect::default());
            found.map(|found| (found.kind, found.at, found.theirs))
        };
        assert_eq!(compared(&[SENT], &[("GET", "/", 404), SENT]), None);
        let wrong = ("POST", "/api/v0/messages", 400);
        let found = Some((Kind::Rejected, (0, 0), 1));
        assert_eq!(compared(&[SENT], &[("GET", "/", 404), wrong]), found);
        assert_eq!(compared(&[SENT], &[SENT, SENT]), Some((Kind::Count, (0, 1), 1)));
    }

    #[test]
    fn strings_that_replace_each_other_are_the_same_and_others_are_not() {
        let mut pairs =
            Pairs { exactness: Exactness::Alike, target: BTreeMap::new(), model: BTreeMap::new() };
        assert!(pairs.same("a", "x") && pairs.same("a", "x") && pairs.same("b", "y"));
        assert!(!pairs.same("a", "y") && !pairs.same("c", "x"));
    }
}
