//! The anonymous drop: uploads, the resulting sites, and their claims.

mod callers;
mod claim;
mod deviations;
pub mod faults;
mod form;
mod limits;
mod live;
mod refusal;
mod upload;
mod variations;

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use assay_spec::drop::machines::{DropEvent, DropState};
use assay_spec::drop::places::{CLAIM, PAGE, PREFLIGHT, REMOVAL, UPLOAD};
use assay_spec::drop::upload as spec;
use assay_spec::instant::DAY;
use assay_spec::{Instant, Place, Service};
use http::Method;
use imbl::OrdMap;
use serde_json::{Value, json};

use crate::core::Core;
use crate::deviation::Deviation;
use crate::exchange::{ExchangeId, Reply, Request, RequestHead, Site};
use crate::fault;
use crate::limits::Limit;
use crate::seam::steps;
use crate::services::{Occasion, SimService};
use crate::shape::Action;
use crate::variation::Variation;

pub use limits::Limits;

use callers::Callers;
use upload::UploadReply;

/// The upload endpoint and the live sites.
pub const SITE: Site = Site { service: Service::Drop, name: "drop", port: 18, tls: false };

/// The files of a site, by path.
type Files = BTreeMap<String, Arc<[u8]>>;

/// How many bytes a form may have besides the zip.
const FORM_BYTES: usize = 64 * 1024;

/// The state of the drop.
#[derive(Clone, Debug)]
pub struct State {
    /// The limits in force.
    pub limits: Limits,
    callers: Callers,
    drops: OrdMap<String, Drop>,
    /// The drop at each root path, for example `/live/x`.
    roots: OrdMap<String, String>,
    tokens: OrdMap<String, String>,
    /// The number of drops ever made: the key of their random draws.
    dropped: u64,
    /// The total size of the live sites.
    stored_bytes: u64,
}

/// A published drop.
#[derive(Clone, Debug)]
struct Drop {
    state: DropState,
    root: String,
    token: String,
    cid: String,
    source: Option<String>,
    files: Arc<Files>,
    bytes: u64,
    expires_at: Instant,
    /// When its site is live.
    live_at: Instant,
}

/// A timer.
#[derive(Clone, Debug)]
pub enum Timer {
    /// The claim window of a drop ends.
    Deadline(String),
    /// A removed drop is forgotten.
    Forget(String),
    /// Drops made more than a day ago are forgotten.
    Sweep,
}

impl SimService for State {
    type Timer = Timer;
    type OutgoingContext = std::convert::Infallible;

    const SITES: &'static [Site] = &[SITE];
    const FAULTS: &'static [fault::FaultKind] = faults::ALL;
    const VARIATIONS: &'static [Variation] = variations::ALL;
    const DEVIATIONS: &'static [Deviation] = deviations::ALL;
    const ACTIONS: &'static [Action] = claim::ACTIONS;
    const LIMITS: &'static [Limit] = Limits::ALL;

    fn new(_: &Core) -> State {
        State {
            limits: Limits::default(),
            callers: Callers::default(),
            drops: OrdMap::new(),
            roots: OrdMap::new(),
            tokens: OrdMap::new(),
            dropped: 0,
            stored_bytes: 0,
        }
    }

    fn place(&self, _: &Core, occasion: &Occasion<'_, Timer>) -> Place {
        let place = match (occasion, occasion.head()) {
            (_, Some(head)) if is_upload(head) => UPLOAD,
            (_, Some(head)) if head.method == Method::OPTIONS => PREFLIGHT,
            (_, Some(_)) => PAGE,
            (Occasion::Timer(Timer::Deadline(_)), _) => REMOVAL,
            (Occasion::Action(_), _) => CLAIM,
            _ => return Place::ANY,
        };
        place[0]
    }

    /// A zip slightly over its limit is still read, so that it can be identified as too large.
    fn body_limit(&self, _: Site) -> usize {
        self.limits.zip_bytes.saturating_mul(2).saturating_add(FORM_BYTES)
    }

    fn begin(&mut self, core: &mut Core, exchange: ExchangeId, head: &RequestHead) -> Option<Reply> {
        if !is_upload(head) {
            return None;
        }
        let refusal = upload::begin(core, self, exchange, head).err()?;
        core.refuse(&refusal.refused);
        let reply = refusal::answer(core, &refusal);
        Some(core.step(UploadReply(reply)).0)
    }

    fn abort(&mut self, core: &mut Core, exchange: ExchangeId, _: Site) {
        if self.callers.leave(exchange).is_some() {
            moves(core, DropState::Uploading, DropEvent::Abort);
        }
    }

    fn handle(&mut self, core: &mut Core, exchange: ExchangeId, request: &Request) -> Option<Reply> {
        if is_upload(&request.head) {
            let reply = upload::end(core, self, exchange, request).unwrap_or_else(|refusal| {
                core.refuse(&refusal.refused);
                refusal::answer(core, &refusal)
            });
            return Some(core.step(UploadReply(reply)).0);
        }
        if request.path() == spec::ENDPOINT.path {
            let allowed = http::HeaderValue::from_static("POST");
            let reply = refusal::error(core, 405, "only POST").header("allow", allowed);
            return Some(core.step(UploadReply(reply)).0);
        }
        Some(live::serve(core, self, request))
    }

    fn fire(&mut self, core: &mut Core, timer: Timer) {
        match timer {
            Timer::Deadline(id) => Deadline::run(core, self, &id),
            Timer::Forget(id) => self.forget(&id),
            Timer::Sweep => {
                if self.callers.sweep(core.now() - self.limits.day_ms) {
                    set(core, core.now() + DAY, Timer::Sweep);
                }
            }
        }
    }

    fn perform(&mut self, core: &mut Core, action: &str, arguments: &Value) -> Result<Value, String> {
        claim::perform(core, self, action, arguments)
    }

    /// Without tokens: a reader of the state must not be able to claim drops.
    fn view(&self, _: &Core) -> Value {
        let view = |drop: &Drop| {
            json!({
                "state": drop.state,
                "root": drop.root,
                "cid": drop.cid,
                "source": drop.source,
                "files": drop.files.len(),
                "bytes": drop.bytes,
                "expires_at": drop.expires_at,
            })
        };
        let drops: serde_json::Map<String, Value> =
            self.drops.iter().map(|(id, drop)| (id.clone(), view(drop))).collect();
        json!({ "uploads": self.callers.uploads(), "drops": drops, "stored_bytes": self.stored_bytes })
    }

    fn limits(&self) -> Value {
        json!(self.limits)
    }

    fn set_limits(&mut self, limits: &Value) -> Result<(), String> {
        crate::limits::change(&mut self.limits, Limits::ALL, limits)
    }
}

steps! {
    Deadline(state: &mut State, id: &str) = State::deadline;
}

impl State {
    /// Counts a drop of a caller.
    fn count(&mut self, core: &mut Core, caller: IpAddr) {
        if self.callers.count(caller, core.now()) {
            set(core, core.now() + self.limits.day_ms, Timer::Sweep);
        }
    }

    /// Moves a drop along its table. A move that the table lacks is our bug.
    fn step(&mut self, core: &mut Core, id: &str, event: DropEvent) {
        let drop = self.drops.get_mut(id).expect("the caller has just found this drop");
        drop.state = moves(core, drop.state, event);
    }

    /// The claim window of a drop ends: an unclaimed drop is removed.
    fn deadline(core: &mut Core, state: &mut State, id: &str) {
        if state.drops.get(id).is_some_and(|drop| drop.state == DropState::Published) {
            state.step(core, id, DropEvent::Deadline);
            state.remove(core, id);
        }
    }

    /// Removes a drop's site.
    fn remove(&mut self, core: &mut Core, id: &str) {
        let drop = self.drops.get_mut(id).expect("the caller has just found this drop");
        drop.state = DropState::Removed;
        drop.files = Arc::default();
        self.stored_bytes = self.stored_bytes.saturating_sub(drop.bytes);
        set(core, core.now() + DAY, Timer::Forget(id.to_owned()));
    }

    /// A removed drop is forgotten, so that memory use stays bounded.
    fn forget(&mut self, id: &str) {
        let Some(drop) = self.drops.remove(id) else { return };
        self.tokens.remove(&drop.token);
        if self.roots.get(&drop.root).is_some_and(|at| at == id) {
            self.roots.remove(&drop.root);
        }
    }
}

fn is_upload(head: &RequestHead) -> bool {
    let path = head.target.split_once('?').map_or(head.target.as_str(), |(path, _)| path);
    head.method.as_str() == spec::ENDPOINT.method && path == spec::ENDPOINT.path
}

/// A move along the drop's table; returns the new state.
fn moves(core: &mut Core, from: DropState, event: DropEvent) -> DropState {
    let (to, row) = from.on(event).expect("the drop moves along its table");
    core.fired(row);
    to
}

fn set(core: &mut Core, due: Instant, timer: Timer) {
    core.clock.set(due, crate::services::Timer::Drop(timer));
}
