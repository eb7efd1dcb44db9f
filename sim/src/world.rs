//! The world: one value that contains every service, and changes only through [`World::input`].

use std::collections::BTreeMap;
use std::sync::LazyLock;

use assay_spec::crypto::text;
use assay_spec::field::Cell;
use assay_spec::limit::{self, Wrong};
use assay_spec::{Dialect, Instant, Service, field, names};
use bytes::{Bytes, BytesMut};
use http::{HeaderMap, HeaderValue};
use serde_json::{Value, json};

use crate::core::Core;
use crate::deviation::{self, Deviation, Scoped};
use crate::exchange::{ExchangeId, Reply, Request, RequestHead, Site};
use crate::fault::{Fault, FaultKind};
use crate::host::PublicHost;
use crate::io::{Input, Output};
use crate::journal::Noted;
use crate::outgoing::{self, Failure, Outcome, Outgoing, OutgoingId, Way};
use crate::schedule::{Planned, Schedule};
use crate::seam::Seams;
use crate::services::{OutgoingContext, Services, Timer};
use crate::shape::{self, Action};
use crate::variation::Variation;

pub use crate::services::{actions, deviations, faults, limits, sites, variations};

type Leaving = outgoing::Leaving<OutgoingContext>;
type UnderWay = outgoing::UnderWay<OutgoingContext>;

/// The world: shared core, services, and the unanswered exchanges.
#[derive(Clone, Debug)]
pub struct World {
    /// What the services share.
    pub core: Core,
    services: Services,
    exchanges: BTreeMap<ExchangeId, Open>,
    /// Exchanges whose request is not complete, except the world's own.
    receiving: usize,
    /// Exchanges whose request is complete and whose answer is not, except the world's own.
    waiting: usize,
    /// Actions that are performed later.
    schedule: Schedule,
    /// The active wrong limits, with the values in their place.
    wrong_limits: Vec<(Wrong, Value)>,
    last: ExchangeId,
    /// Outputs at the end of this input.
    leaving: Vec<Output>,
}

/// An unanswered exchange.
#[derive(Clone, Debug)]
struct Open {
    site: Site,
    /// Absent once the service has the whole request.
    receiving: Option<Receiving>,
    /// Present if the world itself sent the request.
    own: Option<Box<Own>>,
}

/// A request of the world to itself, with its answer so far.
#[derive(Clone, Debug)]
struct Own {
    id: OutgoingId,
    status: u16,
    headers: HeaderMap,
    body: BytesMut,
}

#[derive(Clone, Debug)]
struct Receiving {
    head: Box<RequestHead>,
    body: Pieces,
    too_large: bool,
}

/// After so many timers an advance with pauses stops. Limits can make timers so frequent that years of them never end.
pub const TIMERS: usize = 50_000;

/// The most memory that is reserved for a body because a client declares its length.
const RESERVED_BYTES: u64 = 16 * 1024 * 1024;

/// A body so far. A body of one piece is not copied.
#[derive(Clone, Debug, Default)]
struct Pieces {
    /// The only piece, if `more` is empty.
    first: Bytes,
    /// All pieces.
    more: BytesMut,
}

impl Pieces {
    /// Adds a piece. `length` is the expected length of the whole.
    fn push(&mut self, bytes: &Bytes, length: impl FnOnce() -> usize) {
        if self.len() == 0 {
            self.first = bytes.clone();
            return;
        }
        if self.more.is_empty() {
            self.more.reserve(length());
            self.more.extend_from_slice(&std::mem::take(&mut self.first));
        }
        self.more.extend_from_slice(bytes);
    }

    fn len(&self) -> usize {
        self.first.len() + self.more.len()
    }

    /// All of it, at most `limit` bytes.
    fn whole(self, limit: usize) -> Bytes {
        let mut whole = if self.more.is_empty() { self.first } else { self.more.freeze() };
        whole.truncate(limit);
        whole
    }
}

impl World {
    /// A world that begins at `epoch`.
    pub fn new(seed: u64, epoch: Instant, dialect: Dialect) -> World {
        static SEAMS: LazyLock<Seams> = LazyLock::new(|| Seams::new(&deviations(), &variations()));
        let core = Core::new(seed, epoch, dialect, sites().into(), &SEAMS);
        World {
            services: Services::new(&core),
            core,
            exchanges: BTreeMap::new(),
            receiving: 0,
            waiting: 0,
            schedule: Schedule::default(),
            wrong_limits: Vec::new(),
            last: 0,
            leaving: Vec::new(),
        }
    }

    /// The number that the next [`Input::Head`] gets.
    pub const fn next_exchange(&self) -> ExchangeId {
        self.last + 1
    }

    /// How many exchanges have a request that is not complete, except the world's own.
    pub const fn receiving(&self) -> usize {
        self.receiving
    }

    /// How many exchanges have a request that is complete and an answer that is not, except the world's own.
    pub const fn waiting(&self) -> usize {
        self.waiting
    }

    /// The world's own requests that left as [`Output::Outgoing`] and have no outcome yet.
    pub fn abroad(&self) -> usize {
        self.core.outbound.count_abroad()
    }

    /// Sets the host of the sites' URLs in responses and certificates, in place of the address at which they listen.
    pub fn set_public_host(&mut self, host: Option<PublicHost>) {
        self.core.outbound.public_host = host;
    }

    /// Sets the base URLs of the world's sites (site name to URL). The world itself answers requests to them, as it
    /// always does for `http://<site>.sim`. This does not change what happens in a world, so it is not an input.
    pub fn set_site_urls<'a>(&mut self, urls: impl Iterator<Item = (&'a str, &'a str)>) {
        let sites = sites();
        let named = |name| sites.iter().copied().find(|site| site.name == name);
        self.core.outbound.set_site_urls(urls.filter_map(|(name, url)| Some((named(name)?, url))));
    }

    /// The single entry point: every change to a world goes through it.
    pub fn input(&mut self, input: Input) -> Vec<Output> {
        match input {
            Input::Head(head) => self.head(head, None),
            Input::Body(exchange, bytes) => self.body(exchange, &bytes),
            Input::End(exchange) => {
                self.core.note(exchange, Noted::End);
                self.end(exchange);
            }
            Input::Abort(exchange) => self.abort(exchange),
            Input::Tick(now) => {
                self.tick(now, false);
            }
            Input::Incoming(id, outcome) => {
                if self.core.outbound.abroad().contains(&id) {
                    let outcome = outcome.map(outgoing::cut);
                    self.core.note(0, Noted::Incoming(id, &outcome));
                    self.settle(id, outcome);
                }
            }
        }
        self.outputs()
    }

    /// Moves time forward and returns how many timers fired.
    pub fn advance_to(&mut self, until: Instant) -> (usize, Vec<Output>) {
        let fired = self.tick(until, false);
        (fired, self.outputs())
    }

    /// Moves time forward, but stops as soon as one of the world's own requests to an outside server is in progress.
    /// Its carrier can then deliver the outcome before time continues. It also stops after [`TIMERS`] timers.
    pub fn advance_with_pauses(&mut self, until: Instant) -> (usize, Vec<Output>) {
        let fired = self.tick(until, true);
        (fired, self.outputs())
    }

    /// Ends what connects a world to the outside, since a copy has neither its clients nor its connections:
    /// unanswered exchanges are aborted, and requests in progress to outside servers fail.
    pub fn abandon(&mut self) -> Vec<Output> {
        let clients = self.exchanges.iter().filter(|(_, open)| open.own.is_none());
        let clients: Vec<ExchangeId> = clients.map(|(exchange, _)| *exchange).collect();
        for exchange in clients {
            self.abort(exchange);
        }
        let mut outputs = self.outputs();
        for id in self.core.outbound.abroad() {
            outputs.extend(self.input(Input::Incoming(id, Err(Failure::Abandoned))));
        }
        outputs
    }

    /// The state of a service, for display.
    pub fn view(&self, service: Service) -> Value {
        self.services.view(&self.core, service)
    }

    /// The limits of a service, by name.
    pub fn limits(&self, service: Service) -> Value {
        self.services.limits(service)
    }

    /// The sites that boot, each with the number of its current boot.
    pub fn boots(&self) -> Vec<(Site, u64)> {
        self.services.boots().collect()
    }

    /// The current boot of a site; 0 if it does not boot.
    pub fn boot_of(&self, site: Site) -> u64 {
        self.services.boots().find(|(booting, _)| *booting == site).map_or(0, |(_, boot)| boot)
    }

    /// Whether these are the current boots.
    pub(crate) fn has_boots(&self, boots: &[(Site, u64)]) -> bool {
        self.services.boots().eq(boots.iter().copied())
    }

    /// Whether limits of a service can be changed like this.
    pub(crate) fn check_limits(&self, service: Service, limits: &Value) -> Result<(), String> {
        self.services.clone().set_limits(service, limits)
    }

    /// Changes limits of a service.
    pub fn set_limits(&mut self, service: Service, limits: &Value) -> Result<(), String> {
        self.control(&format!("limits {service} {limits}"));
        self.services.set_limits(service, limits)
    }

    /// Performs `service.action` for the control API.
    pub fn perform(&mut self, name: &str, arguments: &Value) -> Result<(Value, Vec<Output>), String> {
        let answer = self.act(name, arguments)?;
        Ok((answer, self.outputs()))
    }

    fn act(&mut self, name: &str, arguments: &Value) -> Result<Value, String> {
        self.control(&format!("action {name} {}", without_token(arguments)));
        let (service, action) = action(name).map_err(|why| format!("action: {why}"))?;
        self.services.perform(&mut self.core, service, action.name, arguments)
    }

    /// Performs an action later, and returns its number. What is wrong with its form is an error now; whether it succeeds is only
    /// known then ([`World::scheduled`]).
    pub fn schedule(&mut self, at: Instant, name: &str, arguments: &Value) -> Result<u64, String> {
        check_action(name, arguments, "")?;
        self.control(&format!("at {} action {name} {}", at.0, without_token(arguments)));
        let planned = Planned { at, action: name.to_owned(), arguments: arguments.clone() };
        let number = self.schedule.add(planned)?;
        self.core.clock.set(at, Timer::Scheduled(number));
        Ok(number)
    }

    /// The actions that were set for a later time: `[{number, at, action, outcome, why}]`.
    pub fn scheduled(&self) -> Value {
        self.schedule.view()
    }

    /// The time of an action has come.
    fn perform_scheduled(&mut self, number: u64) {
        let Some(planned) = self.schedule.take(number) else { return };
        let outcome = self.act(&planned.action, &planned.arguments);
        self.schedule.end(number, planned, outcome.map(drop));
    }

    /// Sets the faults. An unknown name or condition is an error.
    pub fn set_faults(&mut self, set: Vec<Fault>) -> Result<(), String> {
        self.check_faults(&set, "faults")?;
        let now = self.core.now();
        let set: Vec<Fault> = set.into_iter().map(|fault| fault.set_at(now)).collect();
        self.control(&format!("faults {}", json!(set)));
        self.core.faults.set(set);
        Ok(())
    }

    /// Checks the names and conditions of faults; they are at this place.
    pub(crate) fn check_faults(&self, set: &[Fault], at: &str) -> Result<(), String> {
        let known = faults();
        let mut numbered = set.iter().enumerate();
        numbered.try_for_each(|(n, fault)| {
            fault.check(&known, |kind, key| self.own_values(kind, key), &format!("{at}[{n}]"))
        })
    }

    /// The values that this world has added for a condition of a fault.
    pub(crate) fn own_values(&self, kind: &FaultKind, key: &str) -> Vec<String> {
        let service = kind.name.split_once('.').and_then(|(service, _)| Service::named(service));
        service.map(|service| self.services.own_values(service, key)).unwrap_or_default()
    }

    /// Activates exactly these deviations, by `id` or `id/variant`, or by the name of a field cell or of a wrong limit. What
    /// follows an `@` says where, such as `@endpoint=prepare,op=transfer`.
    pub fn set_deviations(&mut self, names: &[String]) -> Result<(), String> {
        let known = deviations();
        let (mut found, mut cells, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
        for name in names {
            match Wished::read(&known, name)? {
                Wished::Limit(limit) => wrong.push(limit),
                Wished::Field(cell) => cells.push(cell),
                Wished::Row(row) => found.push(row),
            }
        }
        self.control(&format!("deviations {names:?}"));
        self.set_wrong_limits(wrong)?;
        self.core.deviations.set(found);
        self.core.fields.set(cells);
        Ok(())
    }

    /// Replaces the values of these limits, and restores those that were replaced before.
    fn set_wrong_limits(&mut self, wrong: Vec<Wrong>) -> Result<(), String> {
        for (Wrong { limit, .. }, value) in std::mem::take(&mut self.wrong_limits).into_iter().rev() {
            self.services.set_limits(limit.service, &json!({ limit.name: value }))?;
        }
        for one in wrong {
            let Wrong { limit, value } = one;
            let before = self.services.limits(limit.service)[limit.name].take();
            self.services.set_limits(limit.service, &json!({ limit.name: value }))?;
            self.wrong_limits.push((one, before));
        }
        Ok(())
    }

    /// The active deviations, as the control API shows them.
    pub fn deviations(&self) -> Vec<Value> {
        let rows = self.core.deviations.list().map(Scoped::json);
        let fields = self.core.fields.list().map(Scoped::json);
        rows.chain(fields)
            .chain(self.wrong_limits.iter().map(|(wrong, _)| json!(wrong.to_string())))
            .collect()
    }

    /// Activates exactly these variations, by name.
    pub fn set_variations(&mut self, names: &[String]) -> Result<(), String> {
        let found = names.iter().map(|name| variation(name)).collect::<Result<Vec<Variation>, _>>()?;
        self.control(&format!("variations {names:?}"));
        self.core.variations.set(found);
        Ok(())
    }

    fn control(&mut self, what: &str) {
        self.core.note(0, Noted::Control(what));
    }

    fn head(&mut self, mut head: Box<RequestHead>, own: Option<Box<Own>>) {
        self.last += 1;
        self.core.note(self.last, Noted::Head(&head));
        let site = head.site;
        if own.is_none() {
            self.core.fields.asked(self.last, &mut head, &self.core.dialect);
            self.receiving += 1;
        }
        self.core.current = self.last;
        let reply = self.services.begin(&mut self.core, self.last, &head);
        self.core.current = 0;
        let receiving = Receiving { head, body: Pieces::default(), too_large: false };
        self.exchanges.insert(self.last, Open { site, receiving: Some(receiving), own });
        if let Some(reply) = reply {
            self.received(self.last);
            self.core.answer(self.last, reply);
        }
    }

    /// The request of an exchange is complete, or settled before its end.
    fn received(&mut self, exchange: ExchangeId) -> Option<Receiving> {
        let open = self.exchanges.get_mut(&exchange)?;
        let receiving = open.receiving.take()?;
        if open.own.is_none() {
            self.receiving -= 1;
            self.waiting += 1;
        }
        Some(receiving)
    }

    /// Removes an exchange.
    fn close(&mut self, exchange: ExchangeId) -> Option<Open> {
        let open = self.exchanges.remove(&exchange)?;
        if open.own.is_none() {
            let count = if open.receiving.is_some() { &mut self.receiving } else { &mut self.waiting };
            *count -= 1;
        }
        Some(open)
    }

    fn abort(&mut self, exchange: ExchangeId) {
        if let Some(Open { site, .. }) = self.close(exchange) {
            self.core.note(exchange, Noted::Abort);
            self.core.fields.ended(exchange);
            self.services.abort(&mut self.core, exchange, site);
        }
    }

    fn body(&mut self, exchange: ExchangeId, bytes: &Bytes) {
        let Some(receiving) = self.exchanges.get_mut(&exchange).and_then(|open| open.receiving.as_mut())
        else {
            return;
        };
        let limit = self.services.body_limit(&receiving.head);
        if receiving.too_large {
            return;
        }
        let declared = || receiving.head.declared_length().unwrap_or(0).min(RESERVED_BYTES.min(limit as u64));
        receiving.body.push(bytes, || declared() as usize);
        receiving.too_large = receiving.body.len() > limit;
        let too_large = receiving.too_large;
        self.core.note(exchange, Noted::Body(bytes));
        // No further bytes can change the answer.
        if too_large {
            self.end(exchange);
        }
    }

    fn end(&mut self, exchange: ExchangeId) {
        let Some(Receiving { head, body, too_large }) = self.received(exchange) else { return };
        let limit = if too_large { self.services.body_limit(&head) } else { usize::MAX };
        let request = Request { head: *head, body: body.whole(limit), too_large };
        self.core.current = exchange;
        if let Some(reply) = self.services.handle(&mut self.core, exchange, &request) {
            self.core.answer(exchange, reply);
        }
        self.core.current = 0;
    }

    /// `pauses`: stops while a request to an outside server is in progress.
    fn tick(&mut self, until: Instant, pauses: bool) -> usize {
        if until <= self.core.now() && self.core.clock.next_due().is_none_or(|due| due > until) {
            return 0;
        }
        let mut fired = 0;
        while !(pauses && (self.abroad() > 0 || fired == TIMERS))
            && let Some(timer) = self.core.clock.next_until(until)
        {
            match timer {
                Timer::Overdue(id) => self.overdue(id),
                Timer::Scheduled(number) => self.perform_scheduled(number),
                timer => self.services.fire(&mut self.core, timer),
            }
            // A request to an own site is answered now, not at the end of the advance.
            self.carry();
            fired += 1;
        }
        self.core.note(0, Noted::Tick);
        fired
    }

    /// Takes the outputs.
    fn outputs(&mut self) -> Vec<Output> {
        self.carry();
        std::mem::take(&mut self.leaving)
    }

    /// Delivers answers, and sends the world's own requests as far as possible now.
    fn carry(&mut self) {
        self.meet();
        self.deliver();
        while let Some((id, leaving)) = self.core.outbound.next() {
            self.send(id, leaving);
            self.deliver();
            self.meet();
            if self.core.outbound.exchange(id).is_some() {
                self.core.clock.set(self.core.now() + outgoing::LIMIT_MS, Timer::Overdue(id));
            }
        }
    }

    /// Performs the actions that one service has requested of another. Failures are ignored.
    fn meet(&mut self) {
        for (name, arguments) in std::mem::take(&mut self.core.asked) {
            if let Some((service, action)) = name.split_once('.')
                && let Some(service) = Service::named(service)
            {
                // An action that fails has changed nothing, as in the control API.
                drop(self.services.perform(&mut self.core, service, action, &arguments));
            }
        }
    }

    /// Empties the outbox: answers go to exchanges that still exist, or to the world's own requests.
    fn deliver(&mut self) {
        while !self.core.outbox.is_empty() {
            let mut outbox = std::mem::take(&mut self.core.outbox);
            for output in outbox.drain(..) {
                self.answer(output);
            }
            // Its memory is used again, unless an answer has led to others.
            if self.core.outbox.is_empty() {
                self.core.outbox = outbox;
            }
        }
    }

    fn answer(&mut self, output: Output) {
        let exchange = output.exchange();
        let (ends, cut) = (output.is_last(), matches!(output, Output::Cut { .. }));
        let Some(open) = self.exchanges.get_mut(&exchange) else { return };
        if let Some(noted) = Noted::from_output(&output) {
            self.core.note(exchange, noted);
        }
        match &mut open.own {
            None => self.leaving.push(output),
            Some(own) => own.keep(output),
        }
        if ends && let Some(Open { own: Some(own), .. }) = self.close(exchange) {
            let Own { id, status, headers, body } = *own;
            let reply = Reply { status, headers, body: body.freeze() };
            self.settle(id, if cut { Err(Failure::Broken) } else { Ok(reply) });
        }
    }

    /// Sends one of the world's own requests.
    fn send(&mut self, id: OutgoingId, leaving: Leaving) {
        let Leaving { request, context, depth, way } = leaving;
        let exchange = matches!(way, Way::Home(..)).then_some(self.last + 1);
        self.core.outbound.leave(id, UnderWay { context, depth, exchange });
        match way {
            Way::Home(site, host, target) => self.ask_itself(id, site, &host, target, &request, depth + 1),
            Way::Abroad => {
                self.core.note(0, Noted::Outgoing(id, &request));
                self.leaving.push(Output::Outgoing { id, request });
            }
            Way::Nowhere(failure) => self.settle(id, Err(failure)),
        }
    }

    /// A request to a site of this world is handled like any client's.
    fn ask_itself(
        &mut self,
        id: OutgoingId,
        site: Site,
        host: &str,
        target: String,
        request: &Outgoing,
        depth: u8,
    ) {
        let mut headers = request.headers.clone();
        if let Ok(host) = HeaderValue::try_from(host) {
            headers.insert(http::header::HOST, host);
        }
        if !request.body.is_empty() {
            headers.insert(http::header::CONTENT_LENGTH, request.body.len().into());
        }
        let (peer, method) = (request.from, request.method.clone());
        let head = Box::new(RequestHead { site, peer, method, target, headers });
        let own = Box::new(Own { id, status: 0, headers: HeaderMap::new(), body: BytesMut::new() });
        self.core.outbound.depth = depth;
        self.head(head, Some(own));
        let exchange = self.last;
        if !request.body.is_empty() {
            self.body(exchange, &request.body);
        }
        self.core.note(exchange, Noted::End);
        self.end(exchange);
        self.core.outbound.depth = 0;
    }

    /// A request to an own site has timed out.
    fn overdue(&mut self, id: OutgoingId) {
        let Some(exchange) = self.core.outbound.exchange(id) else { return };
        self.abort(exchange);
        self.settle(id, Err(Failure::Timeout));
    }

    /// One of the world's own requests has an outcome.
    fn settle(&mut self, id: OutgoingId, outcome: Outcome) {
        let Some(UnderWay { context, depth, .. }) = self.core.outbound.settle(id) else { return };
        self.core.outbound.depth = depth;
        self.services.incoming(&mut self.core, context, outcome);
        self.core.outbound.depth = 0;
    }
}

/// A deviation as its name says.
enum Wished {
    Row(Scoped<Deviation>),
    Field(Scoped<&'static Cell>),
    Limit(Wrong),
}

impl Wished {
    fn read(known: &[Deviation], name: &str) -> Result<Wished, String> {
        let (id, at) = deviation::split(name)?;
        if name.starts_with(limit::PREFIX) {
            name.parse().map(Wished::Limit)
        } else if id.starts_with(field::PREFIX) {
            let what = field::cell(id)
                .ok_or_else(|| format!("unknown field deviation {id:?}; see `assay prove --cells`"))?;
            Ok(Wished::Field(Scoped { what, at }))
        } else {
            let what = deviation::find(known, id).map_err(|e| e.to_string())?;
            Ok(Wished::Row(Scoped { what, at }))
        }
    }
}

/// The action with this name, and its service.
pub(crate) fn action(name: &str) -> Result<(Service, Action), String> {
    let known = actions();
    let found = known.iter().find(|(known, _)| known == name);
    let service =
        |(name, action): &(String, Action)| Some((Service::named(name.split_once('.')?.0)?, *action));
    found.and_then(service).ok_or_else(|| {
        let known = known.iter().map(|(name, _)| name.as_str());
        format!("unknown action {name:.60?}{}", names::unknown(name, known))
    })
}

/// Checks the name and the arguments of an action at this place.
pub(crate) fn check_action(name: &str, arguments: &Value, at: &str) -> Result<(), String> {
    let (_, action) = action(name).map_err(|why| format!("{}: {why}", shape::inside(at, "action")))?;
    (action.check)(arguments, &shape::inside(at, "arguments"))
}

/// What is wrong with the name of a deviation.
pub(crate) fn check_deviation(name: &str) -> Result<(), String> {
    Wished::read(&deviations(), name).map(|_| ())
}

/// The variation with that name.
pub(crate) fn variation(name: &str) -> Result<Variation, String> {
    let known = variations();
    let found = known.iter().find(|variation| variation.name == name).copied();
    let names = known.iter().map(|variation| variation.name);
    found.ok_or_else(|| format!("unknown variation {name:?}{}", names::unknown(name, names)))
}

impl Own {
    /// Keeps a part of the answer.
    fn keep(&mut self, output: Output) {
        match output {
            Output::Head { status, headers, .. } => (self.status, self.headers) = (status, headers),
            Output::Frame { bytes, .. } => {
                let space = outgoing::ANSWER_BYTES - self.body.len();
                self.body.extend_from_slice(&bytes[..bytes.len().min(space)]);
            }
            Output::End { .. } | Output::Cut { .. } | Output::Outgoing { .. } => {}
        }
    }
}

/// Arguments as the journal shows them: only the hash of a token or key, so that a reader of the journal cannot use it.
fn without_token(arguments: &Value) -> Value {
    let mut shown = arguments.clone();
    let hidden: Vec<&mut Value> = match &mut shown {
        Value::Object(members) => {
            let secret = |name: &str| matches!(name, "token" | "wallet_key");
            members.iter_mut().filter(|(name, _)| secret(name)).map(|(_, value)| value).collect()
        }
        other => vec![other],
    };
    for hidden in hidden {
        *hidden = Value::from(text::sha256_hex(hidden.to_string().as_bytes()));
    }
    shown
}
