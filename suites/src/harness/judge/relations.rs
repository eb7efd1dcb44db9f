//! Relations: every response is held to what the other exchanges of its world show. It costs no request.
//!
//! A record must repeat what the request that made it held, until a later request names it. What no request changes is the
//! same in every response. A fresh value is in no other response.

use std::collections::{BTreeMap, BTreeSet};

use assay_spec::crypto::text::sha256_hex;
use assay_spec::relation::{Alike, Asked, Fresh, Relation, Resource, is_random_beside};
use assay_spec::reply::is_of_kind;
use assay_spec::shape::Field;
use assay_spec::{Dialect, Id, json};
use serde_json::Value;

use super::ambient::{Breach, Judged, Seat, each_part, each_value};
use crate::harness::data::{Failure, Outcome, Worlds};
use crate::http::exchange::{Exchange, Request};

/// No resource has a longer name, in bytes.
const LONGEST_NAME: usize = 256;

/// A resource of a world: the world, the kind of resource, and what tells it from others.
type Key = (usize, &'static str, String);

/// What the requests of a run wrote.
#[derive(Default)]
pub(super) struct Written {
    /// The requests that made each resource: their bodies, and where they are.
    made: BTreeMap<Key, Vec<(Value, Seat)>>,
    /// The strings that the requests of each world hold, in bodies and paths: a request that names a resource may change it.
    named: BTreeSet<(usize, String)>,
}

impl Written {
    /// `rejects` tells checks that send what must be rejected: what a server makes of that is not judged.
    pub(super) fn new(
        outcomes: &[Outcome],
        worlds: Worlds,
        dialect: &Dialect,
        rejects: impl Fn(Id) -> bool,
    ) -> Written {
        let mut written = Written::default();
        for (number, outcome) in outcomes.iter().enumerate() {
            let world = worlds.world_of(number);
            for (at, exchange) in outcome.exchanges[..outcome.own_exchanges()].iter().enumerate() {
                let request = &exchange.request;
                if matches!(request.method.as_str(), "GET" | "HEAD" | "OPTIONS") {
                    continue;
                }
                let segments = request.target.split(['/', '?', '&', '=']).map(str::to_owned);
                written.named.extend(segments.map(|segment| (world, segment)));
                let Ok(body) = json::parse(&request.body) else { continue };
                each_value(&body, &mut |value| {
                    let text = value.as_str().filter(|text| text.len() <= LONGEST_NAME);
                    written.named.extend(text.map(|text| (world, text.to_owned())));
                });
                if rejects(outcome.requirement) {
                    continue;
                }
                each_part(exchange, dialect, worlds, true, &mut |judged| {
                    for (resource, key) in keys(&judged) {
                        if !resource.sent.is_empty() {
                            let key = (world, resource.name, key);
                            written
                                .made
                                .entry(key)
                                .or_default()
                                .push((body.clone(), Seat { outcome: number, exchange: at }));
                        }
                    }
                });
            }
        }
        written
    }
}

/// What one response shows of a field, to be compared with other responses.
pub(super) struct Fact {
    row: Id,
    kind: Kind,
    exchange: usize,
    place: String,
    text: String,
}

enum Kind {
    /// A field of a resource, which every response shows with this value.
    Same(Key, &'static str),
    /// A value that belongs to this resource alone.
    Fresh(Fresh, String),
}

/// The facts of one check, and what contradicts the requests of its world.
pub(super) struct Facts<'a> {
    written: &'a Written,
    pub(super) worlds: Worlds,
    world: usize,
    pub(super) found: Vec<Fact>,
}

impl<'a> Facts<'a> {
    pub(super) fn new(written: &'a Written, worlds: Worlds, outcome: usize) -> Facts<'a> {
        Facts { written, worlds, world: worlds.world_of(outcome), found: Vec::new() }
    }

    /// Adds what a part of a response shows. Returns the rows that it breaks by itself.
    pub(super) fn add(
        &mut self,
        number: usize,
        exchange: &Exchange,
        judged: &Judged<'_>,
    ) -> Vec<(Id, Breach)> {
        let mut broken = Vec::new();
        let Some((fields, object)) = judged.object.filter(|_| judged.failure.is_none()) else {
            return broken;
        };
        let keys = keys(judged);
        for field in fields {
            let row = field.related.or(field.row).unwrap_or(judged.row);
            let value = &object[field.name];
            if value.is_null() {
                continue;
            }
            // What a server has not given yet is neither fresh nor the same for ever.
            let is_given = value.as_str() != Some("");
            let place = || format!("{}/{}", judged.name.pointer(), field.name);
            let mut note = |kind, text| {
                self.found.push(Fact { row, kind, exchange: number, place: place(), text });
            };
            if let (Some(fresh), Some(text), true) = (field.fresh, value.as_str(), is_given) {
                let whose = match (keys.first(), fresh) {
                    (Some((_, key)), _) => key.clone(),
                    (None, Fresh::Per(pointers)) => sent_at(exchange, pointers),
                    (None, Fresh::Unique | Fresh::Random) => digest(exchange),
                };
                note(Kind::Fresh(fresh, whose), text.to_owned());
            }
            if let Some(Relation::Asked(asked, alike)) = field.relation
                && let Some(sent) = asked_for(exchange, judged, asked)
                && is_of_kind(&field.kind, &sent)
                && !alike.is_as_sent(value, &sent)
            {
                let want = format!("{sent}, as the request says");
                let failure = Failure::new(&place(), want, value.to_string(), None);
                broken.push((row, Breach { exchange: number, failure, earlier: None }));
            }
            let Some(Relation::Of(resource, alike)) = field.relation else { continue };
            let Some((_, key)) = keys.iter().find(|(known, _)| *known == resource) else { continue };
            match self.written.sent(self.world, resource, key, field) {
                Sent::Unknown => {}
                Sent::Nothing => {
                    if let Some(text) = alike.shared(value).filter(|_| is_given) {
                        note(Kind::Same((self.world, resource.name, key.clone()), field.name), text);
                    }
                }
                Sent::Values(sent) => {
                    if let Some((first, by)) = differs(value, alike, &sent) {
                        let want = format!("{first}, as the request that made the {} says", resource.name);
                        let failure = Failure::new(&place(), want, value.to_string(), None);
                        broken.push((row, Breach { exchange: number, failure, earlier: Some(by) }));
                    }
                }
            }
        }
        broken
    }
}

/// What the requests say of a field of a resource.
enum Sent<'a> {
    /// The run did not make the resource, or may have changed it.
    Unknown,
    /// The server chose it.
    Nothing,
    /// One of these, with the request that held it.
    Values(Vec<(&'a Value, Seat)>),
}

impl Written {
    fn sent(&self, world: usize, resource: &'static Resource, key: &str, field: &Field) -> Sent<'_> {
        if resource.sent.is_empty() {
            return Sent::Nothing;
        }
        let made = self.made.get(&(world, resource.name, key.to_owned()));
        let Some(made) = made.filter(|_| !self.named.contains(&(world, key.to_owned()))) else {
            return Sent::Unknown;
        };
        let Some(pointer) = resource.pointer(field.name) else { return Sent::Nothing };
        let values = made.iter().filter_map(|(body, by)| Some((body.pointer(pointer)?, *by)));
        // What was sent as odd is not judged.
        let values: Vec<_> = values.filter(|(value, _)| is_of_kind(&field.kind, value)).collect();
        if values.is_empty() { Sent::Unknown } else { Sent::Values(values) }
    }
}

/// The first value that was sent, if none of them is shown.
fn differs<'a>(shown: &Value, alike: Alike, sent: &[(&'a Value, Seat)]) -> Option<(&'a Value, Seat)> {
    let is_shown = sent.iter().any(|(sent, _)| alike.is_as_sent(shown, sent));
    sent.first().copied().filter(|_| !is_shown)
}

/// Compares the facts of all checks. Returns what contradicts an earlier response: the row, the number of the check, and the
/// breach.
pub(super) fn contradictions(facts: &[Vec<Fact>], worlds: Worlds) -> Vec<(Id, usize, Breach)> {
    let mut same: BTreeMap<(&Key, &str), (&Fact, Seat)> = BTreeMap::new();
    let mut fresh: BTreeMap<(usize, u32), Drawn<'_>> = BTreeMap::new();
    let mut broken = Vec::new();
    let numbered = facts.iter().enumerate();
    for (number, fact) in numbered.flat_map(|(number, facts)| facts.iter().map(move |fact| (number, fact))) {
        let here = Seat { outcome: number, exchange: fact.exchange };
        let contradicts = match &fact.kind {
            Kind::Same(key, field) => {
                let (first, at) = *same.entry((key, field)).or_insert((fact, here));
                (first.text != fact.text).then(|| (format!("{}, as returned before", first.text), at))
            }
            Kind::Fresh(rule, whose) => fresh
                .entry((worlds.world_of(number), fact.row.key))
                .or_default()
                .add(fact, here, *rule, whose),
        };
        if let Some((want, earlier)) = contradicts {
            let failure = Failure::new(&fact.place, want, fact.text.clone(), None);
            broken.push((
                fact.row,
                number,
                Breach { exchange: fact.exchange, failure, earlier: Some(earlier) },
            ));
        }
    }
    broken
}

/// The fresh values of one field.
#[derive(Default)]
struct Drawn<'a> {
    /// Whose each is, and where it was first.
    known: BTreeMap<&'a str, (&'a str, Seat)>,
    last: Option<(&'a str, Seat)>,
}

impl<'a> Drawn<'a> {
    /// Adds a value. Returns what it should be instead, and the exchange that it contradicts.
    fn add(&mut self, fact: &'a Fact, here: Seat, rule: Fresh, whose: &'a str) -> Option<(String, Seat)> {
        let (owner, first) = *self.known.entry(&fact.text).or_insert((whose, here));
        if owner != whose {
            return Some(("a value that no other response has".to_owned(), first));
        }
        let before = self.last.replace((&fact.text, here)).filter(|(last, _)| *last != fact.text);
        before
            .filter(|(last, _)| rule == Fresh::Random && !is_random_beside(last, &fact.text))
            .map(|(last, at)| (format!("a random value, and the one before was {last}"), at))
    }
}

/// The resources that an object of a response names, and what tells each from others.
fn keys(judged: &Judged<'_>) -> Vec<(&'static Resource, String)> {
    let mut keys: Vec<(&'static Resource, String)> = Vec::new();
    let Some((fields, object)) = judged.object else { return keys };
    for field in fields {
        let Some(Relation::Names(resource)) = field.relation else { continue };
        let text = match &object[field.name] {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        };
        if text.is_empty() {
            // Its name is judged by its type; without one, nothing is known of it.
            return Vec::new();
        }
        match keys.iter_mut().find(|(known, _)| *known == resource) {
            Some((_, key)) => *key = format!("{key} {text}"),
            None => keys.push((resource, text)),
        }
    }
    keys
}

/// The value that the request of an accepted exchange has at a place.
fn asked_for(exchange: &Exchange, judged: &Judged<'_>, asked: Asked) -> Option<Value> {
    if !(200..300).contains(&judged.status) {
        return None;
    }
    match asked {
        Asked::Body(pointer) => json::parse(&exchange.request.body).ok()?.pointer(pointer).cloned(),
        Asked::Path(name) => {
            let path = exchange.request.target.split('?').next()?;
            let parameter = format!("{{{name}}}");
            // A prefix of the base URL comes before the path that is declared.
            let mut segments = judged.endpoint.path.rsplit('/').zip(path.rsplit('/'));
            let (_, sent) = segments.find(|(declared, _)| *declared == parameter)?;
            // An encoded one may have several forms.
            (!sent.contains('%')).then(|| sent.into())
        }
    }
}

/// The values that the request of an exchange has at these pointers.
fn sent_at(exchange: &Exchange, pointers: &[&str]) -> String {
    let body = json::parse(&exchange.request.body).unwrap_or_default();
    let values =
        pointers.iter().map(|pointer| body.pointer(pointer).map(ToString::to_string).unwrap_or_default());
    values.collect::<Vec<_>>().join(" ")
}

/// The request of an exchange. Checks may share one exchange, which is then in the outcome of each; its response may have other
/// replacements for secrets there.
fn digest(exchange: &Exchange) -> String {
    let Request { method, target, headers, body } = &exchange.request;
    let cut = exchange.cut.as_ref().map(|cut| cut.sha256.as_bytes()).unwrap_or_default();
    let mut parts = vec![method.as_bytes(), target.as_bytes(), cut, body];
    parts.extend(headers.iter().flat_map(|(name, value)| [name.as_bytes(), value]));
    sha256_hex(&parts.join(&b'\0'))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::harness::data::Verdict;
    use crate::harness::judge::ambient::apply;
    use crate::http::exchange::Response;
    use crate::services::{self, SUITES, publish};

    const HASH: &str = "1f2e3d4c5b6a79881f2e3d4c5b6a79881f2e3d4c5b6a79881f2e3d4c5b6a7988";

    fn exchange(site: &str, request: Request, answer: &Value) -> Exchange {
        let headers = vec![("content-type".to_owned(), b"application/json".to_vec())];
        let body = answer.to_string().into();
        Exchange {
            site: site.to_owned(),
            base: "http://a".to_owned(),
            request,
            cut: None,
            slot: None,
            response: Ok(Response { status: 200, headers, body }),
        }
    }

    fn post(path: &str, body: &Value) -> Request {
        Request::new("POST", path).body(body.to_string())
    }

    /// The rows that fail when two checks of a service have seen these exchanges, and how many exchanges show each.
    fn failed(first: &[Exchange], second: &[Exchange], worlds: Worlds) -> Vec<(String, usize)> {
        let checks = services::checks();
        let mut outcomes: Vec<Outcome> = checks[..2]
            .iter()
            .map(|check| Outcome::new(check.requirement, check.fact, Verdict::Pass, String::new()))
            .collect();
        outcomes[0].exchanges = first.to_vec();
        outcomes[1].exchanges = second.to_vec();
        apply(&mut outcomes, &Dialect::default(), SUITES, worlds);
        let failed = outcomes.iter().filter(|outcome| outcome.verdict == Verdict::Fail);
        failed.map(|outcome| (outcome.requirement.to_string(), outcome.seen_in)).collect()
    }

    fn prepared(domain: &str, id: &str) -> Exchange {
        let answer = json!({
            "prepareId": id, "message": "AAAA", "feePayer": "1111", "lastValidBlockHeight": 7, "payload": "p",
            "expiresAt": 1_900_000_000_000_i64,
        });
        exchange("publish", post(publish::PREPARE, &json!({ "domain": domain })), &answer)
    }

    #[test]
    fn a_fresh_value_is_in_one_response_of_its_world() {
        let id = "7b0c1a52-9e4f-4d43-8a6b-0f2d51c9e831";
        let (first, second) = (prepared("a.example", id), prepared("b.example", id));
        let row = [("publish.prepare.prepare-id".to_owned(), 2)];
        let same = |one: &Exchange, other: &Exchange, worlds| {
            failed(std::slice::from_ref(one), std::slice::from_ref(other), worlds)
        };
        assert_eq!(same(&first, &second, Worlds::Shared), row);
        assert_eq!(same(&first, &second, Worlds::Own), [], "two copies of one world draw the same");
        assert_eq!(same(&first, &first, Worlds::Shared), [], "two checks share one exchange");
        assert_eq!(failed(&[first.clone(), second], &[], Worlds::Own), row);
        let next = prepared("b.example", "7b0c1a52-9e4f-4d43-8a6b-0f2d51c9e832");
        assert_eq!(same(&first, &next, Worlds::Shared), row, "a counter");
        let drawn = prepared("b.example", "e2c94d17-33ab-4f60-9d0e-58a7b6142fc5");
        assert_eq!(same(&first, &drawn, Worlds::Shared), []);
    }

    #[test]
    fn what_is_found_has_the_name_that_was_asked_for() {
        let found = |path: &str, hash: &str| {
            let body = json!({ "status": "pending", "item_hash": hash, "message": null });
            exchange("network", Request::new("GET", path), &body)
        };
        let path = format!("/api/v0/messages/{HASH}?n=1");
        assert_eq!(failed(&[found(&path, HASH)], &[], Worlds::Own), []);
        let row = [("network.messages.wrapper-hash".to_owned(), 1)];
        assert_eq!(failed(&[found(&path, &HASH.replace('1', "2"))], &[], Worlds::Own), row);
    }

    #[test]
    fn one_owner_may_get_the_same_registration_again() {
        let registered = |owner: &str, url: &str| {
            let body = json!({ "message": { "content": { "url": url } }, "address": owner });
            exchange(
                "network",
                post("/api/v0/webhooks", &body),
                &json!({ "webhook_id": "w", "status": "success" }),
            )
        };
        let row = [("network.webhooks.registered".to_owned(), 2)];
        let first = registered("a", "https://example.com/hook");
        assert_eq!(failed(&[first.clone(), first.clone()], &[], Worlds::Own), []);
        assert_eq!(failed(&[first.clone(), registered("a", "https://example.com/h")], &[], Worlds::Own), row);
        assert_eq!(failed(&[first, registered("b", "https://example.com/hook")], &[], Worlds::Own), row);
    }

    /// A POST with this content was sent, and its record is read with that content and sender.
    fn written_and_read(read: &Value, sender: &str) -> [Exchange; 2] {
        let message = json!({
            "chain": "ETH", "channel": "c", "type": "POST", "timestamp": 1_700_000_000,
            "content": { "a": "sent", "b": 1.5 },
        });
        let envelope = json!({ "message": message, "signature": "0x1", "address": "0xAbC" });
        let record = json!({
            "item_hash": HASH, "chain": "ETH", "sender": sender, "type": "POST", "channel": "c",
            "timestamp": 1_700_000_000, "content": read, "signature": "0x1", "confirmations": [],
        });
        let found = json!({ "status": "processed", "item_hash": HASH, "message": record });
        [
            exchange(
                "network",
                post("/api/v0/messages", &envelope),
                &json!({ "item_hash": HASH, "status": "success" }),
            ),
            exchange("network", Request::new("GET", &format!("/api/v0/messages/{HASH}")), &found),
        ]
    }

    #[test]
    fn a_record_repeats_its_message_until_a_request_names_it() {
        let whole = json!({ "a": "sent", "time": 1, "b": 1.5 });
        let right = written_and_read(&whole, "0xabc");
        let empty = written_and_read(&json!({}), "0xabc");
        let other = written_and_read(&whole, "0xabd");
        for worlds in [Worlds::Own, Worlds::Shared] {
            assert_eq!(failed(&right, &[], worlds), []);
            assert_eq!(failed(&empty, &[], worlds), [("network.messages.content".to_owned(), 2)]);
            assert_eq!(failed(&other, &[], worlds), [("network.messages.sender".to_owned(), 2)]);
        }
        // Another check read it.
        assert_eq!(failed(&empty[..1], &empty[1..], Worlds::Shared).len(), 1);
        assert_eq!(failed(&empty[..1], &empty[1..], Worlds::Own), []);
        let forget = json!({ "message": { "type": "FORGET", "content": { "hashes": [HASH] } } });
        let named = exchange("network", post("/api/v0/messages", &forget), &json!({}));
        let mut all = empty.to_vec();
        all.push(named);
        assert!(!failed(&all, &[], Worlds::Own).contains(&("network.messages.content".to_owned(), 2)));
    }
}
