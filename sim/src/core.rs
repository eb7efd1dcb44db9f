//! What the services of a world share: time, randomness, faults, deviations, variations, journal and log.

use std::any::Any;
use std::collections::BTreeSet;
use std::sync::Arc;

use assay_spec::machine::Transition;
use assay_spec::rules::{Mistake, Reading};
use assay_spec::{Dialect, Id, Instant, Place, Refused, Rules, catalogue};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue};
use serde_json::{Value, json};

use crate::clock::Clock;
use crate::deviation::{Deviations, Uncommon};
use crate::exchange::{ExchangeId, Reply, Site};
use crate::fault::Faults;
use crate::field::Fields;
use crate::host::PublicHost;
use crate::io::Output;
use crate::journal::{Journal, Noted};
use crate::log::Log;
use crate::outgoing::{Outbound, Outgoing, OutgoingId};
use crate::rng::Rng;
use crate::seam::{Answer, Body, Change, Seams};
use crate::services::{OutgoingContext, Timer};
use crate::variation::{self, Variation, Variations};

/// The shared part of a world. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Core {
    /// Virtual time and timers.
    pub clock: Clock<Timer>,
    /// Keyed random streams.
    pub rng: Rng,
    /// The dialect of the services.
    pub dialect: Arc<Dialect>,
    /// Active faults.
    pub faults: Faults,
    /// Active deviations.
    pub deviations: Deviations,
    /// Active field deviations.
    pub fields: Fields,
    /// Active variations.
    pub variations: Variations,
    /// Inputs and outputs.
    pub journal: Journal,
    /// Refusals.
    pub log: Log,
    /// The exchange being handled; 0 if none.
    pub(crate) current: ExchangeId,
    /// Exchanges whose responses contain a secret.
    secrets: BTreeSet<ExchangeId>,
    /// What edits values of each type.
    seams: &'static Seams,
    consulted: Consulted,
    /// The rules that rejected something.
    rejected: Consulted,
    /// The exchange whose rejection fails instead ([`Seam::Failure`](crate::seam::Seam::Failure)).
    failing: Option<ExchangeId>,
    /// The exchange whose rejection takes effect all the same ([`Seam::Effect`](crate::seam::Seam::Effect)).
    acting: Option<ExchangeId>,
    /// Where the world is now: the place of the input or timer being handled.
    place: Place,
    /// The kinds of the uncommon valid values of the input, by the row that accepts them.
    uncommon: Uncommon,
    /// The rules applied at each place, if that is watched.
    visits: Option<BTreeSet<(u32, Place)>>,
    /// The edits that would have changed something, if that is watched.
    changes: Option<BTreeSet<Change>>,
    fired: BTreeSet<Transition>,
    pub(crate) outbox: Vec<Output>,
    /// The last `Date` header, with its second.
    date: Option<(i64, HeaderValue)>,
    /// The world's own outgoing requests.
    pub(crate) outbound: Outbound<OutgoingContext>,
    /// Actions that one service has requested of another.
    pub(crate) asked: Vec<(&'static str, Value)>,
}

impl Core {
    pub(crate) fn new(
        seed: u64,
        epoch: Instant,
        dialect: Dialect,
        sites: Arc<[Site]>,
        seams: &'static Seams,
    ) -> Core {
        Core {
            clock: Clock::new(epoch),
            rng: Rng::new(seed),
            dialect: Arc::new(dialect),
            faults: Faults::default(),
            deviations: Deviations::default(),
            fields: Fields::default(),
            variations: Variations::default(),
            journal: Journal::default(),
            log: Log::default(),
            current: 0,
            secrets: BTreeSet::new(),
            seams,
            consulted: Consulted::default(),
            rejected: Consulted::default(),
            failing: None,
            acting: None,
            place: Place::ANY,
            uncommon: Uncommon::default(),
            visits: None,
            changes: None,
            fired: BTreeSet::new(),
            outbox: Vec::new(),
            date: None,
            outbound: Outbound::new(sites),
            asked: Vec::new(),
        }
    }

    /// The current time.
    pub fn now(&self) -> Instant {
        self.clock.now()
    }

    /// Whether a fault applies on this occasion.
    pub fn fault(&mut self, kind: crate::fault::FaultKind, occasion: &[(&str, &str)]) -> bool {
        debug_assert!(
            occasion.iter().map(|(key, _)| *key).eq(kind.keys.iter().map(|key| key.name)),
            "{}: {occasion:?}",
            kind.name
        );
        // A condition with a value that is not declared would be rejected, although it can match.
        debug_assert!(
            self.faults.list().is_empty()
                || occasion.iter().zip(kind.keys).all(|((name, value), key)| key.may_be(name, value)),
            "{}: {occasion:?}",
            kind.name
        );
        !self.faults.list().is_empty() && self.faults.strike(kind, occasion, self.clock.now())
    }

    /// Whether a variation of the wire format is active.
    fn varies(&self, variation: Variation) -> bool {
        self.variations.varies(variation)
    }

    /// Records a state machine's transition.
    pub fn fired(&mut self, transition: &'static Transition) {
        if !self.fired.contains(transition) {
            self.fired.insert(*transition);
        }
    }

    /// The transitions made so far.
    pub fn transitions(&self) -> impl Iterator<Item = &Transition> {
        self.fired.iter()
    }

    /// Whether something depends on the place of an input.
    pub(crate) fn needs_places(&self) -> bool {
        self.visits.is_some() || self.deviations.are_scoped() || self.fields.are_scoped()
    }

    /// The world is at this place now: deviations of other places do not act.
    pub(crate) fn enter(&mut self, place: Place) {
        self.uncommon.clear();
        self.go_to(place);
    }

    /// As [`Core::enter`], with the same uncommon values.
    fn go_to(&mut self, place: Place) {
        self.place = place;
        self.deviations.enter(&place, &self.uncommon);
    }

    /// What the world does at another place than that of the input being handled.
    pub(crate) fn within<T>(&mut self, place: Place, act: impl FnOnce(&mut Core) -> T) -> T {
        if !self.needs_places() {
            return act(self);
        }
        let (before, uncommon) = (self.place, std::mem::take(&mut self.uncommon));
        self.enter(place);
        let result = act(self);
        self.uncommon = uncommon;
        self.go_to(before);
        result
    }

    /// Records from now on where rules are applied.
    pub fn watch_places(&mut self) {
        self.visits = Some(BTreeSet::new());
    }

    /// The rules applied, each with the places where that happened, since [`Core::watch_places`].
    pub fn visits(&self) -> impl Iterator<Item = (Id, Place)> {
        let rows = |key: u32| catalogue::requirements().find(move |row| row.key == key);
        self.visits.iter().flatten().filter_map(move |(key, place)| Some((rows(*key)?, *place)))
    }

    /// Tries from now on each edit on a copy of each value that passes its seam. It takes time.
    pub fn watch_changes(&mut self) {
        self.changes = Some(BTreeSet::new());
    }

    /// Tries no further edits.
    pub fn ignore_changes(&mut self) {
        self.changes = None;
    }

    /// The deviations and variations that would have changed a value at their seam, since [`Core::watch_changes`]. Without
    /// the others, and without guards, nothing would have been different.
    pub fn changes(&self) -> Option<&BTreeSet<Change>> {
        self.changes.as_ref()
    }

    /// The requirements consulted so far, in table order.
    pub fn consulted(&self) -> impl Iterator<Item = Id> {
        catalogue::requirements().filter(|row| self.consulted.has(row))
    }

    /// The requirements that rejected something so far, in table order.
    pub fn rejected(&self) -> impl Iterator<Item = Id> {
        catalogue::requirements().filter(|row| self.rejected.has(row))
    }

    /// Logs a refusal of the exchange being handled.
    pub fn refuse(&mut self, refused: &Refused) {
        self.log.note(self.clock.now(), self.current, refused, false);
        self.rejected.note(refused.rule);
        if self.deviations.fails(refused.rule) {
            self.failing = Some(self.current);
        }
        if self.deviations.takes_effect(refused.rule) {
            self.acting = Some(self.current);
        }
    }

    /// Whether an exchange has been rejected and takes effect all the same.
    pub(crate) fn take_acting(&mut self, exchange: ExchangeId) -> bool {
        self.acting.take_if(|acting| *acting == exchange).is_some()
    }

    /// The step seam: what a step has made, changed by the active variations and deviations of its type. Deviations come
    /// last, so that a variation hides none.
    pub fn step<T: Any>(&mut self, mut made: T) -> T {
        for row in self.seams.rows::<T>() {
            self.consulted.note(row);
        }
        if let Some(changes) = &mut self.changes {
            changes.extend(self.seams.changes(&made));
        }
        self.variations.edit(self.seams.variations::<T>(), &mut made);
        self.deviations.edit(&mut made);
        made
    }

    /// The limits seam: the limits for this input.
    pub fn limits<T: Any + Clone>(&mut self, limits: &T) -> T {
        self.step(limits.clone())
    }

    /// The reply seam: writes a reply.
    pub fn reply<T: Any>(&mut self, answer: Answer<T>) -> Reply {
        let Answer { status, headers, body, .. } = self.step(answer);
        let mut reply = match body {
            Body::Json(value) => self.json(status, value),
            Body::Names(value) => {
                let media_type = self.variations.json_type(status);
                Reply::new(status, media_type, self.variations.json_names(value))
            }
            Body::Text(text) => self.text(status, &text),
            Body::Typed(content_type, body) => Reply::new(status, content_type, body.into_owned()),
        };
        reply.headers.extend(headers);
        reply
    }

    /// A JSON reply, with the JSON variations applied.
    pub fn json(&self, status: u16, body: Value) -> Reply {
        Reply::new(status, self.variations.json_type(status), self.variations.json(body))
    }

    /// A plain-text reply.
    pub fn text(&self, status: u16, body: &str) -> Reply {
        Reply::new(status, self.variations.text_type(), body.as_bytes().to_vec())
    }

    /// An error message, reworded if that variation is active.
    pub fn prose(&self, text: &str) -> String {
        if self.varies(variation::PROSE) {
            format!("Request refused ({})", text.len())
        } else {
            text.to_owned()
        }
    }

    /// Answers a waiting exchange. An exchange that no longer exists is ignored.
    pub fn answer(&mut self, exchange: ExchangeId, reply: Reply) {
        let failed = self.failing.take_if(|failing| *failing == exchange);
        let reply = failed.map_or(reply, |_| self.text(500, "Internal Server Error"));
        let Reply { status, headers, body } = self.fields.edit(exchange, self.place, reply);
        self.begin_answer(exchange, status, headers);
        self.put(exchange, &body);
        self.finish(exchange);
    }

    /// Begins the answer to a waiting exchange; frames follow, then [`Core::finish`] or [`Core::cut`].
    pub fn begin_answer(&mut self, exchange: ExchangeId, status: u16, mut headers: HeaderMap) {
        if let Some(sent) = headers.get_mut(http::header::CONTENT_TYPE)
            && let Some(varied) = self.variations.media_type(sent.to_str().unwrap_or_default())
        {
            *sent = varied.parse().expect("a media type in another case is a header value");
        }
        if !self.varies(variation::NO_DATE) {
            headers.insert(http::header::DATE, self.date());
        }
        if self.varies(variation::HEADERS) {
            headers.insert("x-served-by", HeaderValue::from_static("node-1"));
            headers.insert("cache-control", HeaderValue::from_static("no-store"));
        }
        self.outbox.push(Output::Head { exchange, status, headers });
    }

    /// The `Date` header. It is the same for a whole second.
    fn date(&mut self) -> HeaderValue {
        let second = self.now().seconds();
        match &self.date {
            Some((known, date)) if *known == second => date.clone(),
            _ => {
                let date: HeaderValue =
                    http_date(self.now()).try_into().expect("an HTTP date is a header value");
                self.date = Some((second, date.clone()));
                date
            }
        }
    }

    /// A piece of an answer in progress.
    pub fn frame(&mut self, exchange: ExchangeId, bytes: &Bytes) {
        let bytes = self.fields.edit_events(exchange, self.place, bytes);
        self.put(exchange, &bytes);
    }

    fn put(&mut self, exchange: ExchangeId, bytes: &Bytes) {
        // Chunks small enough to split every string; an empty body has no frame.
        let size = if self.varies(variation::CHUNKS) { 7 } else { bytes.len().max(1) };
        for at in (0..bytes.len()).step_by(size) {
            let bytes = bytes.slice(at..bytes.len().min(at + size));
            self.outbox.push(Output::Frame { exchange, bytes });
        }
    }

    /// Completes an answer in progress.
    pub fn finish(&mut self, exchange: ExchangeId) {
        self.fields.ended(exchange);
        self.outbox.push(Output::End { exchange });
    }

    /// Breaks an answer off, possibly before its first byte: the client sees the connection close.
    pub fn cut(&mut self, exchange: ExchangeId) {
        self.fields.ended(exchange);
        self.outbox.push(Output::Cut { exchange });
    }

    /// The base URL of a site of this world, if it is served.
    pub fn site_url(&self, site: Site) -> Option<&str> {
        self.outbound.site_url(site)
    }

    /// The host by which clients know the sites, if it was set.
    pub fn public_host(&self) -> Option<&PublicHost> {
        self.outbound.public_host.as_ref()
    }

    /// Sends a request. Its outcome reaches the service through `incoming` with this context, never before the
    /// current input or timer is done.
    pub fn send(&mut self, request: Outgoing, context: OutgoingContext) -> OutgoingId {
        self.outbound.send(request, context)
    }

    /// Requests an action of another service, to be performed before anything more is sent: for conditions that arise
    /// outside of any request, such as an empty wallet.
    pub(crate) fn request_action(&mut self, action: &'static str, arguments: Value) {
        self.asked.push((action, arguments));
    }

    /// Marks the answer to the exchange being handled as secret: the journal does not show it.
    pub(crate) fn keep_secret(&mut self) {
        self.secrets.insert(self.current);
    }

    pub(crate) fn note(&mut self, exchange: ExchangeId, noted: Noted<'_>) {
        let secret = match noted {
            Noted::Frame(_) => self.secrets.contains(&exchange),
            Noted::ReplyEnd | Noted::Cut => self.secrets.remove(&exchange),
            _ => false,
        };
        self.journal.note(self.clock.now(), exchange, noted, secret);
    }
}

/// The requirements consulted: one bit per row, one word per group. Every guard of every request calls this, so it
/// must be cheap.
#[derive(Clone, Debug, Default)]
struct Consulted(Vec<u64>);

impl Consulted {
    fn note(&mut self, rule: Id) {
        let (word, bit) = Self::place(rule);
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= bit;
    }

    fn has(&self, rule: Id) -> bool {
        let (word, bit) = Self::place(rule);
        self.0.get(word).is_some_and(|bits| bits & bit != 0)
    }

    /// A key packs service, group and row; no service has more than 32 groups, and no group more than 64 rows.
    const fn place(rule: Id) -> (usize, u64) {
        let [service, group, row] = [rule.key >> 16, rule.key >> 8 & 0xff, rule.key & 0xff];
        ((service * 32 + group) as usize, 1 << row)
    }
}

/// The world's rules: a deviation decides whether a rule is violated. Each query is recorded, if a deviation could change
/// what follows: not where a guard holds.
impl Rules for Core {
    fn violated(&mut self, rule: Id) -> Option<&'static str> {
        self.visit(rule);
        self.consult(rule)
    }

    /// As usual; if a violated rule let something pass, the log says so.
    fn guard(
        &mut self,
        rule: Id,
        part: &'static str,
        holds: bool,
        why: &mut dyn FnMut() -> String,
    ) -> Result<(), Refused> {
        if holds {
            return Ok(());
        }
        let variant = self.consult(rule);
        self.visit(rule);
        let is_off = variant.is_some_and(|variant| part.is_empty() || variant.is_empty() || variant == part);
        let refused = Refused { rule, why: why() };
        if !is_off {
            return Err(refused);
        }
        let why = format!("switched off, so accepted: {}", refused.why);
        self.log.note(self.clock.now(), self.current, &Refused { rule, why }, true);
        Ok(())
    }

    fn judge(&mut self, kind: Option<&'static str>) {
        if self.needs_places() {
            self.go_to(self.place.value(kind.unwrap_or_default()));
        }
    }

    fn judge_uncommon(&mut self, rule: Id, kinds: Vec<&'static str>) {
        if self.needs_places() {
            self.uncommon.insert(rule.key, kinds);
            self.go_to(self.place);
        }
    }

    fn rejects_uncommon(&mut self, rule: Id) -> bool {
        self.consulted.note(rule);
        self.visit(rule);
        self.deviations.rejects_uncommon(rule)
    }

    fn changes_kept(&mut self, rule: Id) -> bool {
        self.consulted.note(rule);
        self.visit(rule);
        self.deviations.changes_kept(rule)
    }

    fn admit(&mut self, rule: Id, holds: bool, why: &mut dyn FnMut() -> String) -> Result<(), Refused> {
        if holds {
            return Ok(());
        }
        self.visit(rule);
        if self.consult(rule).is_some() { Err(Refused { rule, why: why() }) } else { Ok(()) }
    }
}

/// The methods of `dyn Rules`, for handlers.
impl Core {
    fn rules(&mut self) -> &mut dyn Rules {
        self
    }

    pub(crate) fn require(&mut self, rule: Id, holds: bool, why: impl Fn() -> String) -> Result<(), Refused> {
        self.rules().require(rule, holds, why)
    }

    /// Rejects a value that may resemble a valid one.
    pub(crate) fn refuse_like(
        &mut self,
        rule: Id,
        sent: &Value,
        valid: impl IntoIterator<Item = Value>,
        why: impl Fn() -> String,
    ) -> Result<(), Refused> {
        let near = valid.into_iter().find(|valid| !rule.kind(Some(sent), Some(valid)).is_empty());
        self.rules().require_value(rule, Some(sent), near.as_ref(), false, why)
    }

    pub(crate) fn require_part(
        &mut self,
        rule: Id,
        part: &'static str,
        holds: bool,
        why: impl Fn() -> String,
    ) -> Result<(), Refused> {
        self.rules().require_part(rule, part, holds, why)
    }

    pub(crate) fn read<I: Copy, T>(
        &mut self,
        rule: &Mistake<Reading<I, T>>,
        input: I,
        strict: impl FnOnce(I) -> Result<T, String>,
    ) -> Result<T, Refused> {
        self.rules().read(rule, input, strict)
    }

    pub(crate) fn accept<I>(&mut self, rule: &Mistake<Reading<I, ()>>, input: I) -> Result<(), Refused> {
        self.rules().accept(rule, input)
    }

    pub(crate) fn accept_value(&mut self, rule: Id, sent: &Value) -> Result<(), Refused> {
        self.rules().accept_value(rule, sent, None)
    }

    /// A string as `rule` keeps it.
    pub(crate) fn keep_text(&mut self, rule: Id, sent: &str) -> String {
        self.rules().keep_text([rule], sent).into_owned()
    }

    /// Shows a member of a record as `rule` keeps it.
    pub(crate) fn keep_member(&mut self, rule: Id, record: &mut Value, member: &str) {
        if !self.needs_places() {
            return;
        }
        if let Some(changed) = self.rules().keep_value(rule, &record[member]) {
            record[member] = changed;
        }
        self.uncommon.remove(&rule.key);
        self.go_to(self.place);
    }

    /// Shows what was sent as `rule` keeps it. Each member, and each element as a member without a name, is a value of its own.
    pub(crate) fn keep_each(&mut self, rule: Id, sent: &mut Value) {
        if !self.needs_places() {
            return;
        }
        let mut keep = |name: &str, value: &mut Value| {
            if let Some(changed) = self.rules().keep_value(rule, &json!({ name: value })) {
                *value = changed;
            } else {
                self.keep_each(rule, value);
            }
        };
        match sent {
            Value::Object(members) => members.iter_mut().for_each(|(name, value)| keep(name, value)),
            Value::Array(elements) => elements.iter_mut().for_each(|value| keep("", value)),
            _ => {}
        }
        self.uncommon.remove(&rule.key);
        self.go_to(self.place);
    }

    /// How `rule` is violated here, if it is.
    fn consult(&mut self, rule: Id) -> Option<&'static str> {
        self.consulted.note(rule);
        self.deviations.violated(rule)
    }

    /// Records that `rule` decides something here.
    fn visit(&mut self, rule: Id) {
        let Some(visits) = &mut self.visits else { return };
        match self.uncommon.get(&rule.key) {
            Some(kinds) => visits.extend(kinds.iter().map(|kind| (rule.key, self.place.value(kind)))),
            None => drop(visits.insert((rule.key, self.place))),
        }
    }
}

/// A time as HTTP writes it.
pub(crate) fn http_date(now: Instant) -> String {
    let since = std::time::Duration::from_millis(now.0.max(0).unsigned_abs());
    #[expect(clippy::disallowed_types, reason = "only formats the world's time")]
    httpdate::fmt_http_date(std::time::SystemTime::UNIX_EPOCH + since)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_its_own_bit() {
        let places: BTreeSet<(usize, u64)> = catalogue::requirements().map(Consulted::place).collect();
        assert_eq!(places.len(), catalogue::requirements().count());
        let fits = |row: Id| row.key >> 8 & 0xff < 32 && row.key & 0xff < 64;
        assert!(catalogue::requirements().all(fits));
    }
}
