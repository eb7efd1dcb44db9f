//! Serves worlds: in process, over in-memory connections, and over real sockets. The only module that waits.

mod access;
mod answer;
mod cors;
mod listen;
mod room;
mod sites;

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use assay_spec::{Instant, Service};
use bytes::Bytes;
use http::{HeaderMap, HeaderName};
use tokio::sync::{mpsc, watch};

use crate::exchange::{ExchangeId, RequestHead, Site};
use crate::host::PublicHost;
use crate::io::{Input, Output};
use crate::outgoing::{Failure, Outcome, Outgoing, OutgoingId};
use crate::reach::{Reach, fetch};
use crate::rng::Rng;
use crate::tls::{Authority, Shown};
use crate::world::{self, World};

pub use access::{Access, Ended, Violation};
pub use answer::{BrokenOff, ReplyBody, SiteService, connection};
pub use cors::{Cors, NotAnOrigin};
pub use listen::{Listener, listen, listen_on};
pub use sites::{Ports, WrongPort, open_sites, open_sites_at};

use access::Watch;
pub(crate) use answer::collect;
use listen::Accepting;
use room::Room;
pub(crate) use sites::open_again;

/// How a world's time moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClockMode {
    /// Only on request.
    Manual,
    /// To the next timer, while a request waits and no other is arriving.
    Auto,
    /// With the wall clock.
    Real,
}

/// A world that is being served. Clones share the world.
#[derive(Clone)]
pub struct Handle {
    shared: Arc<Shared>,
    manner: Arc<Manner>,
}

/// How a world is served. Its forks are served in the same way.
#[derive(Clone, Debug, Default)]
struct Manner {
    /// The trusted header that contains the client's address, if any.
    forwarding: Option<HeaderName>,
    /// Every site uses HTTPS when it listens, not only those that the documents show with HTTPS.
    secure: bool,
    /// The services whose sites listen; all if there are none.
    services: BTreeSet<Service>,
    /// The origins whose pages may read the responses of the sites that listen.
    cors: Option<Arc<Cors>>,
}

struct Shared {
    inner: Mutex<Inner>,
    waiting: watch::Sender<usize>,
    /// The number of entries of the journal.
    journaled: watch::Sender<u64>,
    /// How many of the world's own requests to outside servers are in progress.
    abroad: watch::Sender<usize>,
    /// The current boot of each site that boots.
    boots: watch::Sender<Boots>,
    rng: Rng,
    /// The host that certificates name.
    public_host: Option<PublicHost>,
    /// The certificates of the HTTPS sites; a fork shows those of its origin.
    shown: Arc<OnceLock<Shown>>,
    /// The room for bodies in flight, which forks share.
    room: Room,
}

/// Sites that boot, with the number of their current boot.
type Boots = Vec<(Site, u64)>;

/// The boot of a site; 0 if it does not boot.
fn boot_of(boots: &[(Site, u64)], site: Site) -> u64 {
    boots.iter().find(|(named, _)| *named == site).map_or(0, |(_, boot)| *boot)
}

struct Inner {
    world: World,
    mode: ClockMode,
    /// How far the wall clock is ahead of the world's clock, in milliseconds.
    lead_ms: i64,
    replies: BTreeMap<ExchangeId, Way>,
    /// The number of waiting requests that was reported last.
    reported_waiting: usize,
    /// How often a snapshot was restored: exchanges from before a restore do not belong to this world.
    generation: u64,
    /// Which hosts the world's own requests may reach.
    reach: Reach,
    /// The URLs at which the world's sites listen, by name.
    site_urls: BTreeMap<&'static str, String>,
    /// The world's own requests that are not being sent yet.
    leaving: Vec<(OutgoingId, Arc<Outgoing>)>,
    /// When the world will be woken, in real-time mode.
    wakes_at: Option<Instant>,
    /// The boots that have listeners.
    boots: Boots,
    /// Listeners of the sites that boot.
    berths: Vec<Berth>,
    /// What receives the exchanges that have ended.
    watch: Option<Watch>,
}

/// The listener of a site that boots; it moves to another port after each boot.
struct Berth {
    site: Site,
    ip: IpAddr,
    manner: Arc<Manner>,
    accepting: Weak<Accepting>,
}

/// An exchange of one generation of a world.
#[derive(Clone, Copy)]
struct Ticket {
    generation: u64,
    exchange: ExchangeId,
}

/// The way of a response to its client.
enum Way {
    /// Its request is still being handled.
    Kept(Vec<Output>),
    /// The client waits for it.
    Sent(mpsc::UnboundedSender<Output>),
}

/// The response to a whole request.
enum Answered {
    /// Complete at once.
    Whole(Vec<Output>),
    /// Complete, after time has moved: its parts came one after another.
    Parts(Vec<Output>),
    /// It comes on this channel.
    Later(mpsc::UnboundedReceiver<Output>),
}

/// The total time that an advance waits for the world's own requests.
const SETTLING: std::time::Duration = std::time::Duration::from_secs(30);
/// The most timers of one advance. A count stops equal worlds at the same moment; the time that timers take does not.
const MOST_TIMERS: usize = 20 * world::TIMERS;
impl Handle {
    /// Serves `world`.
    pub fn new(world: World, mode: ClockMode) -> Handle {
        Handle::beside(world, mode, Arc::default(), Room::default())
    }

    /// Serves `world` with the certificates and the room of another.
    fn beside(mut world: World, mode: ClockMode, shown: Arc<OnceLock<Shown>>, room: Room) -> Handle {
        let lead_ms = wall_clock() - world.core.now();
        // A copy of a served world is not served itself.
        world.set_site_urls(std::iter::empty());
        let boots = world.boots();
        let inner = Inner {
            world,
            mode,
            lead_ms,
            replies: BTreeMap::new(),
            reported_waiting: 0,
            generation: 0,
            reach: Reach::Loopback,
            site_urls: BTreeMap::new(),
            leaving: Vec::new(),
            wakes_at: None,
            boots: boots.clone(),
            berths: Vec::new(),
            watch: None,
        };
        let shared = Shared {
            rng: inner.world.core.rng,
            public_host: inner.world.core.public_host().cloned(),
            inner: Mutex::new(inner),
            boots: watch::Sender::new(boots),
            waiting: watch::Sender::new(0),
            journaled: watch::Sender::new(0),
            abroad: watch::Sender::new(0),
            shown,
            room,
        };
        Handle { shared: Arc::new(shared), manner: Arc::default() }
    }

    /// Sets which hosts the world's own requests may reach. The default is this machine only.
    pub fn set_reach(&self, reach: Reach) {
        self.lock().reach = reach;
    }

    /// Sets the base URLs of the world's sites (site name to URL): the world itself answers its own requests to them.
    pub fn set_site_urls(&self, site_urls: BTreeMap<&'static str, String>) {
        let mut inner = self.lock();
        inner.site_urls = site_urls;
        inner.set_site_urls();
    }

    /// Reports every exchange of this world when it has ended. Those of its forks are not reported. `report` is called while the
    /// world waits.
    pub fn watch(&self, report: impl Fn(Access) + Send + 'static) {
        self.lock().watch = Some(Watch::new(report));
    }

    /// The current URLs of the world's sites, as far as they are served, as clients know them.
    pub fn site_urls(&self) -> BTreeMap<&'static str, String> {
        let inner = self.lock();
        let host = inner.world.core.public_host();
        let url = |(name, url): (&&'static str, &String)| {
            (*name, host.map_or_else(|| url.clone(), |host| host.in_url(url)))
        };
        inner.site_urls.iter().map(url).collect()
    }

    /// The same world for clients whose address is the last value of this header, if the header is present. The
    /// header is trusted: only for a proxy or a test that sets it.
    #[must_use]
    pub fn forwarded_by(mut self, header: Option<HeaderName>) -> Handle {
        Arc::make_mut(&mut self.manner).forwarding = header;
        self
    }

    /// The same world; if `secure`, all its sites use HTTPS when they listen from now on.
    #[must_use]
    pub fn secured(mut self, secure: bool) -> Handle {
        Arc::make_mut(&mut self.manner).secure = secure;
        self
    }

    /// The same world; only the sites of these services listen from now on, or all if none is named.
    #[must_use]
    pub fn only(mut self, services: BTreeSet<Service>) -> Handle {
        Arc::make_mut(&mut self.manner).services = services;
        self
    }

    /// The same world; sites that listen from now on let pages of these origins read their responses.
    #[must_use]
    pub fn readable_by(mut self, cors: Option<Cors>) -> Handle {
        Arc::make_mut(&mut self.manner).cors = cors.map(Arc::new);
        self
    }

    /// The sites that listen, in their order.
    pub fn listening(&self) -> Vec<Site> {
        let services = &self.manner.services;
        let is_served = |site: &Site| services.is_empty() || services.contains(&site.service);
        world::sites().into_iter().filter(is_served).collect()
    }

    /// A separate copy of this world, served in the same way. Exchanges in progress are not copied.
    #[must_use]
    pub fn fork(&self, mode: ClockMode) -> Handle {
        let mut world = self.snapshot();
        let outputs = world.abandon();
        let fork = Handle::beside(world, mode, self.shared.shown.clone(), self.shared.room.clone());
        let fork = Handle { manner: self.manner.clone(), ..fork };
        fork.set_reach(self.lock().reach);
        fork.change(|_| ((), outputs));
        fork
    }

    /// Reads the world.
    pub fn read<T>(&self, read: impl FnOnce(&World) -> T) -> T {
        let mut inner = self.lock();
        inner.follow_wall_clock();
        read(&inner.world)
    }

    /// Changes the world outside of its exchanges and sends the responses that result.
    pub fn change<T>(&self, change: impl FnOnce(&mut World) -> (T, Vec<Output>)) -> T {
        let mut inner = self.lock();
        inner.follow_wall_clock();
        let (value, outputs) = change(&mut inner.world);
        inner.route(outputs);
        inner.jump();
        self.after(inner);
        value
    }

    /// How time moves.
    pub fn mode(&self) -> ClockMode {
        self.lock().mode
    }

    /// Changes how time moves.
    pub fn set_mode(&self, mode: ClockMode) {
        let mut inner = self.lock();
        inner.follow_wall_clock();
        inner.mode = mode;
        inner.lead_ms = wall_clock() - inner.world.core.now();
        inner.wakes_at = None;
        inner.jump();
        self.after(inner);
    }

    /// Moves time forward by `ms` and returns how many timers fired. It does not wait: the world's own requests in
    /// progress to outside servers get their outcome later.
    pub fn advance(&self, ms: i64) -> usize {
        let mut inner = self.lock();
        inner.follow_wall_clock();
        let until = inner.world.core.now() + ms;
        let (fired, outputs) = inner.world.advance_to(until);
        inner.lead_ms = inner.lead_ms.saturating_sub(ms);
        inner.wakes_at = None;
        inner.route(outputs);
        inner.jump();
        self.after(inner);
        fired
    }

    /// Moves time forward by `ms`, and pauses whenever one of the world's own requests to an outside server is in
    /// progress, until it has an outcome. Returns how many timers fired; an error if they are so many that time does not get
    /// there.
    pub async fn advance_settled(&self, ms: i64) -> Result<usize, usize> {
        let until = self.read(|world| world.core.now()) + ms;
        let mut fired = 0;
        let settling = async {
            loop {
                self.settled().await;
                let (some, there) = self.advance_to_pause(until);
                fired += some;
                if there {
                    break;
                }
                if some == world::TIMERS {
                    if fired >= MOST_TIMERS {
                        return false;
                    }
                    // Others use the world in between.
                    tokio::task::yield_now().await;
                }
            }
            self.settled().await;
            true
        };
        match tokio::time::timeout(SETTLING, settling).await {
            Ok(true) => Ok(fired),
            Ok(false) => Err(fired),
            // An outside server that takes this long does not hold time any longer.
            Err(_) => {
                let rest = until - self.read(|world| world.core.now());
                Ok(fired + self.advance(rest.max(0)))
            }
        }
    }

    /// Moves time forward until a request to an outside server is in progress. Returns how many timers fired, and
    /// whether `until` is reached.
    fn advance_to_pause(&self, until: Instant) -> (usize, bool) {
        let mut inner = self.lock();
        inner.follow_wall_clock();
        let before = inner.world.core.now();
        let (fired, outputs) = inner.world.advance_with_pauses(until);
        let now = inner.world.core.now();
        inner.lead_ms = inner.lead_ms.saturating_sub(now - before);
        inner.wakes_at = None;
        inner.route(outputs);
        inner.jump();
        let there = now >= until && inner.world.core.clock.next_due().is_none_or(|due| due > until);
        self.after(inner);
        (fired, there)
    }

    /// Resolves once none of the world's own requests to outside servers is in progress.
    pub async fn settled(&self) {
        let mut abroad = self.shared.abroad.subscribe();
        // The sender lives in `self`, so the channel cannot close.
        let _ = abroad.wait_for(|now| *now == 0).await;
    }

    /// A copy of the world.
    pub fn snapshot(&self) -> World {
        self.read(World::clone)
    }

    /// Restores a copy, including its time. Exchanges in progress end without a response.
    pub fn restore(&self, world: World) {
        let mut inner = self.lock();
        inner.lead_ms = wall_clock() - world.core.now();
        inner.wakes_at = None;
        inner.world = world;
        inner.replies.clear();
        inner.watch.iter_mut().for_each(Watch::forget);
        inner.leaving.clear();
        inner.generation += 1;
        inner.set_site_urls();
        let outputs = inner.world.abandon();
        inner.route(outputs);
        self.after(inner);
    }

    /// Resolves once at least `count` exchanges wait for an answer.
    pub async fn waiting(&self, count: usize) {
        let mut waiting = self.shared.waiting.subscribe();
        // The sender lives in `self`, so the channel cannot close.
        let _ = waiting.wait_for(|now| *now >= count).await;
    }

    /// The number of entries of the journal whenever the world has changed, and the current one at first.
    pub fn changes(&self) -> watch::Receiver<u64> {
        let mut journaled = self.shared.journaled.subscribe();
        self.announce(&self.lock());
        journaled.mark_changed();
        journaled
    }

    /// Reports that the world may have changed.
    fn announce(&self, inner: &Inner) {
        if self.shared.journaled.receiver_count() > 0 {
            let count = inner.world.core.journal.count();
            self.shared.journaled.send_if_modified(|seen| std::mem::replace(seen, count) != count);
        }
    }

    /// The service at one of the world's sites, for clients at `peer`.
    pub fn site(&self, site: Site, peer: IpAddr) -> SiteService {
        SiteService { handle: self.clone(), site, peer, boot: None }
    }

    /// The authority whose certificates the sites show.
    pub fn authority(&self) -> &Authority {
        self.shown().authority()
    }

    fn shown(&self) -> &Shown {
        self.shared.shown.get_or_init(|| Shown::new(self.shared.rng, self.shared.public_host.as_ref()))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // A panic inside the world is our bug; the next request reports it better than a poisoned lock.
        self.shared.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports how many requests wait, sends what leaves, and schedules the next timer in real-time mode.
    fn after(&self, mut inner: MutexGuard<'_, Inner>) {
        self.announce(&inner);
        let runtime = tokio::runtime::Handle::try_current().ok();
        if runtime.is_none() {
            inner.fail_leaving();
        } else {
            self.follow_boots(&mut inner);
        }
        let (waiting, abroad) = (inner.world.waiting(), inner.world.abroad());
        inner.reported_waiting = waiting;
        let leaving = std::mem::take(&mut inner.leaving);
        let (generation, reach) = (inner.generation, inner.reach);
        let wake = inner.next_wake();
        let boots = inner.world.boots();
        drop(inner);
        self.shared.boots.send_if_modified(|seen| std::mem::replace(seen, boots.clone()) != boots);
        self.shared.waiting.send_if_modified(|seen| std::mem::replace(seen, waiting) != waiting);
        self.shared.abroad.send_if_modified(|seen| std::mem::replace(seen, abroad) != abroad);
        let Some(runtime) = runtime else { return };
        for (id, request) in leaving {
            let shared = Arc::downgrade(&self.shared);
            runtime.spawn(async move {
                let outcome = fetch(&request, reach).await;
                if let Some(handle) = Handle::again(&shared) {
                    handle.incoming(generation, id, outcome);
                }
            });
        }
        if let Some((due, wait_ms)) = wake {
            runtime.spawn(Handle::wake(Arc::downgrade(&self.shared), due, wait_ms));
        }
    }

    /// Passes the outcome of a request to the world.
    fn incoming(&self, generation: u64, id: OutgoingId, outcome: Outcome) {
        let mut inner = self.lock();
        if inner.generation != generation {
            return;
        }
        inner.follow_wall_clock();
        let outputs = inner.world.input(Input::Incoming(id, outcome));
        inner.route(outputs);
        inner.jump();
        self.after(inner);
    }

    /// Wakes the world when its next timer is due by the wall clock.
    async fn wake(shared: Weak<Shared>, due: Instant, wait_ms: i64) {
        let wait = std::time::Duration::from_millis(wait_ms.max(1).unsigned_abs());
        #[expect(
            clippy::disallowed_methods,
            reason = "served in real time, the world follows the wall clock"
        )]
        tokio::time::sleep(wait).await;
        let Some(handle) = Handle::again(&shared) else { return };
        let mut inner = handle.lock();
        // Another sleeper may have taken over meanwhile.
        if inner.wakes_at == Some(due) {
            inner.wakes_at = None;
        }
        inner.follow_wall_clock();
        handle.after(inner);
    }

    /// A handle to a world that is still served.
    fn again(shared: &Weak<Shared>) -> Option<Handle> {
        Some(Handle { shared: shared.upgrade()?, manner: Arc::default() })
    }

    /// Passes an input to the world. Returns the outputs of its exchange and routes the others.
    fn input(&self, ticket: Ticket, input: impl FnOnce(ExchangeId) -> Input) -> Vec<Output> {
        let mut inner = self.lock();
        if inner.generation != ticket.generation {
            return Vec::new();
        }
        // A body may take long, and time moves meanwhile.
        inner.follow_wall_clock();
        let own = inner.feed(input(ticket.exchange), ticket.exchange);
        self.fed(inner);
        own
    }

    /// After an input: time may move again, because a request that was arriving has ended.
    fn fed(&self, mut inner: MutexGuard<'_, Inner>) {
        self.announce(&inner);
        if inner.world.waiting() > 0 || inner.reported_waiting > 0 || inner.stirs() {
            inner.jump();
            self.after(inner);
        }
    }

    /// Begins an exchange; a response may exist before the body arrives. A connection to a site that has booted since
    /// gets no exchange.
    fn begin(&self, head: RequestHead, boot: Option<u64>) -> Option<(Ticket, Vec<Output>)> {
        let mut inner = self.admit(head.site, boot)?;
        let ticket = inner.ticket();
        let own = inner.feed(Input::Head(Box::new(head)), ticket.exchange);
        self.fed(inner);
        Some((ticket, own))
    }

    /// The whole exchange of a request that has arrived: its body is complete. A connection to a site that has booted
    /// since gets no exchange.
    fn exchange(
        &self,
        head: RequestHead,
        body: Option<Bytes>,
        boot: Option<u64>,
    ) -> Option<(Ticket, Answered)> {
        let mut inner = self.admit(head.site, boot)?;
        let ticket = inner.ticket();
        let exchange = ticket.exchange;
        let mut own = inner.feed(Input::Head(Box::new(head)), exchange);
        if own.is_empty()
            && let Some(bytes) = body
        {
            own = inner.feed(Input::Body(exchange, bytes), exchange);
        }
        if !own.is_empty() {
            self.fed(inner);
            return Some((ticket, Answered::Whole(own)));
        }
        Some((ticket, self.complete(inner, exchange)))
    }

    /// The world for a new request. A connection to a site that has booted since gets no exchange.
    fn admit(&self, site: Site, boot: Option<u64>) -> Option<MutexGuard<'_, Inner>> {
        let mut inner = self.lock();
        inner.follow_wall_clock();
        if boot.is_some_and(|boot| boot != inner.world.boot_of(site)) {
            self.after(inner);
            return None;
        }
        Some(inner)
    }

    /// The client's address according to the trusted header.
    fn forwarded(&self, headers: &HeaderMap) -> Option<IpAddr> {
        let value = headers.get_all(self.manner.forwarding.as_ref()?).iter().next_back()?.to_str().ok()?;
        let last = value.rsplit(',').next().unwrap_or(value);
        last.trim().parse::<IpAddr>().ok().map(|address| address.to_canonical())
    }

    /// Completes a request.
    fn end(&self, ticket: Ticket) -> Answered {
        let mut inner = self.lock();
        if inner.generation != ticket.generation {
            // Without a sender, the receiver ends at once.
            return Answered::Later(mpsc::unbounded_channel().1);
        }
        inner.follow_wall_clock();
        self.complete(inner, ticket.exchange)
    }

    fn complete(&self, mut inner: MutexGuard<'_, Inner>, exchange: ExchangeId) -> Answered {
        let own = inner.feed(Input::End(exchange), exchange);
        if own.last().is_some_and(Output::is_last) {
            self.fed(inner);
            return Answered::Whole(own);
        }
        inner.replies.insert(exchange, Way::Kept(own));
        inner.jump();
        let kept = match inner.replies.remove(&exchange) {
            Some(Way::Kept(kept)) => kept,
            _ => Vec::new(),
        };
        if kept.last().is_some_and(Output::is_last) {
            self.after(inner);
            return Answered::Parts(kept);
        }
        let (sender, receiver) = mpsc::unbounded_channel();
        for output in kept {
            // This function holds the receiver.
            let _ = sender.send(output);
        }
        inner.replies.insert(exchange, Way::Sent(sender));
        self.after(inner);
        Answered::Later(receiver)
    }
}

impl Inner {
    /// The next exchange.
    fn ticket(&self) -> Ticket {
        Ticket { generation: self.generation, exchange: self.world.next_exchange() }
    }

    fn follow_wall_clock(&mut self) {
        if self.mode == ClockMode::Real {
            let now = Instant(wall_clock().0.saturating_sub(self.lead_ms));
            if now > self.world.core.now() {
                let outputs = self.world.input(Input::Tick(now));
                self.route(outputs);
            }
        }
    }

    /// Passes the URLs of the sites to the world.
    fn set_site_urls(&mut self) {
        self.world.set_site_urls(self.site_urls.iter().map(|(name, url)| (*name, url.as_str())));
    }

    /// Passes an input to the world. Returns the outputs of this exchange and routes the others.
    fn feed(&mut self, input: Input, exchange: ExchangeId) -> Vec<Output> {
        let is_left = matches!(input, Input::Abort(_));
        if let (Some(watch), Input::Head(head)) = (&mut self.watch, &input) {
            watch.begin(exchange, head, self.world.core.now());
        }
        let outputs = self.world.input(input);
        if let Some(watch) = &mut self.watch {
            let own = outputs.iter().filter(|output| output.exchange() == exchange);
            own.for_each(|output| watch.see(output, &self.world));
            if is_left {
                watch.end(exchange, Ended::Left, &self.world);
            }
        }
        if outputs.iter().all(|output| output.exchange() == exchange) {
            return outputs;
        }
        let (own, others): (Vec<Output>, Vec<Output>) =
            outputs.into_iter().partition(|output| output.exchange() == exchange);
        self.route(others);
        own
    }

    /// Outside of a runtime nothing can be sent: requests that leave fail.
    fn fail_leaving(&mut self) {
        while let Some((id, _)) = self.leaving.pop() {
            let outputs = self.world.input(Input::Incoming(id, Err(Failure::Unreachable)));
            self.route(outputs);
            self.jump();
        }
    }

    /// Whether there is something to send, a timer to schedule, or a site to move to another port.
    fn stirs(&self) -> bool {
        !self.leaving.is_empty() || self.sleeps_past().is_some() || !self.world.has_boots(&self.boots)
    }

    /// When the next timer is due, in real-time mode, if no wake-up is scheduled for it.
    fn sleeps_past(&self) -> Option<Instant> {
        let due = self.world.core.clock.next_due().filter(|_| self.mode == ClockMode::Real)?;
        self.wakes_at.is_none_or(|at| due < at).then_some(due)
    }

    /// That time, and the milliseconds until then. From now on it counts as scheduled.
    fn next_wake(&mut self) -> Option<(Instant, i64)> {
        let due = self.sleeps_past()?;
        self.wakes_at = Some(due);
        Some((due, due - self.world.core.now()))
    }

    /// Jumps to due timers while requests wait, no request is arriving or leaving, and no fault holds time.
    fn jump(&mut self) {
        let quiet = |inner: &Inner| {
            inner.mode == ClockMode::Auto
                && inner.world.waiting() > 0
                && inner.world.receiving() == 0
                && inner.world.abroad() == 0
                && !inner.world.core.faults.has(crate::fault::HOLD.name)
        };
        while quiet(self)
            && let Some(due) = self.world.core.clock.next_due()
        {
            let (_, outputs) = self.world.advance_to(due);
            self.route(outputs);
        }
    }

    fn route(&mut self, outputs: Vec<Output>) {
        for output in outputs {
            if let Output::Outgoing { id, request } = output {
                self.leaving.push((id, request));
                continue;
            }
            if let Some(watch) = &mut self.watch {
                watch.see(&output, &self.world);
            }
            let exchange = output.exchange();
            let ends = output.is_last();
            match self.replies.get_mut(&exchange) {
                Some(Way::Kept(kept)) => kept.push(output),
                Some(Way::Sent(sender)) => {
                    // A client that disconnected has dropped its receiver; the world ignores that.
                    let _ = sender.send(output);
                    if ends {
                        self.replies.remove(&exchange);
                    }
                }
                None => {}
            }
        }
    }
}

/// Milliseconds of the wall clock.
fn wall_clock() -> Instant {
    #[expect(clippy::disallowed_types, reason = "served in real time, the world follows the wall clock")]
    let since = std::time::SystemTime::now().duration_since(std::time::SystemTime::UNIX_EPOCH);
    Instant(since.map_or(0, |since| since.as_millis() as i64))
}

/// The address that in-memory clients have unless they are given one.
pub const IN_MEMORY: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
