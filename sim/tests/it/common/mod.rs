//! A driver for worlds: takes signed calls, returns whole replies. Time moves only by [`Driver::advance`].

mod client;
pub(crate) mod drop;
pub(crate) mod net;
pub(crate) mod places;
pub(crate) mod wire;
pub(crate) mod zip;

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use assay_sim::clock::EPOCH;
use assay_sim::outgoing::{Outgoing, OutgoingId};
use assay_sim::publish::SITES;
use assay_sim::{ExchangeId, Input, Output, Reply, RequestHead, Site, World};
use assay_spec::{Dialect, Id, Instant, Place, Service};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use serde_json::{Value, json};

pub(crate) use client::{Call, Client, Prepared, body_of, show};

/// The paths, written out, so that the simulator and its tests cannot share a wrong one.
pub(crate) const PREPARE: &str = "/api/vf-cli/publish/prepare";
pub(crate) const SUBMIT: &str = "/api/vf-cli/publish/submit";

/// A world with `a.example` bound, and a client with its key.
pub(crate) fn bound() -> (Driver, Client) {
    let mut driver = Driver::new(1);
    let alice = Client::new(1, "a.example");
    driver.bind(&alice);
    (driver, alice)
}

/// A world, and its replies.
#[derive(Clone)]
pub(crate) struct Driver {
    pub(crate) world: World,
    /// The client address of the next calls.
    pub(crate) peer: IpAddr,
    /// The world's own requests that left it.
    pub(crate) left: Vec<(OutgoingId, Arc<Outgoing>)>,
    replies: BTreeMap<ExchangeId, (Reply, bool)>,
    /// Exchanges whose answers broke off.
    pub(crate) cut: BTreeSet<ExchangeId>,
}

impl Driver {
    pub(crate) fn new(seed: u64) -> Driver {
        let world = World::new(seed, EPOCH, Dialect::default());
        Driver {
            world,
            peer: IpAddr::V4(Ipv4Addr::LOCALHOST),
            left: Vec::new(),
            replies: BTreeMap::new(),
            cut: BTreeSet::new(),
        }
    }

    pub(crate) fn now(&self) -> Instant {
        self.world.core.now()
    }

    pub(crate) fn view(&self) -> Value {
        self.world.view(Service::Publish)
    }

    /// The number of records on the chain.
    pub(crate) fn landed(&self) -> u64 {
        self.view()["chain"]["transactions"].as_u64().expect("a count")
    }

    /// Every row decides only at the places that it declares. The world watches its places.
    pub(crate) fn rows_are_at_their_places(&self) -> Result<(), String> {
        let visits = self.world.core.visits();
        let is_elsewhere = |(row, place): &(Id, Place)| !places::is_known(row, place);
        let found = visits.filter(is_elsewhere).map(|(row, place)| format!("{row} at {place}"));
        let found: Vec<String> = found.collect();
        if found.is_empty() { Ok(()) } else { Err(format!("not declared: {found:?}")) }
    }

    pub(crate) fn perform(&mut self, name: &str, arguments: &Value) {
        let (_, outputs) = self.world.perform(name, arguments).expect("a known action");
        self.take(outputs);
    }

    pub(crate) fn bind(&mut self, client: &Client) {
        self.perform("publish.bind", &json!({ "domain": client.domain, "key": client.address() }));
    }

    pub(crate) fn set_faults(&mut self, faults: &Value) {
        let faults = serde_json::from_value(faults.clone()).expect("faults");
        self.world.set_faults(faults).expect("known faults");
    }

    pub(crate) fn advance(&mut self, ms: i64) {
        let until = self.now() + ms;
        self.input(Input::Tick(until));
    }

    /// Moves to the next time at which something is due.
    pub(crate) fn advance_to_next(&mut self) {
        let due = self.world.core.clock.next_due().expect("something is due");
        self.input(Input::Tick(due));
    }

    pub(crate) fn input(&mut self, input: Input) {
        let outputs = self.world.input(input);
        self.take(outputs);
    }

    /// Sends only the head.
    pub(crate) fn begin(&mut self, site: Site, call: &Call) -> ExchangeId {
        let exchange = self.world.next_exchange();
        let mut headers = HeaderMap::new();
        for (name, value) in &call.headers {
            let value = HeaderValue::from_bytes(value).expect("bytes that a header can hold");
            headers.append(HeaderName::from_static(name), value);
        }
        let method = Method::from_bytes(call.method.as_bytes()).expect("a method");
        let target = call.target.clone();
        self.input(Input::Head(Box::new(RequestHead { site, peer: self.peer, method, target, headers })));
        exchange
    }

    /// Sends a whole call.
    pub(crate) fn start(&mut self, call: &Call) -> ExchangeId {
        self.start_at(SITES[0], call)
    }

    /// Sends a whole call to a site.
    pub(crate) fn start_at(&mut self, site: Site, call: &Call) -> ExchangeId {
        let exchange = self.begin(site, call);
        self.input(Input::Body(exchange, Bytes::from(call.body.clone())));
        self.input(Input::End(exchange));
        exchange
    }

    /// The reply to an exchange, once it is complete; returned only once.
    pub(crate) fn reply(&mut self, exchange: ExchangeId) -> Option<Reply> {
        let (_, complete) = self.replies.get(&exchange)?;
        if *complete { self.replies.remove(&exchange).map(|(reply, _)| reply) } else { None }
    }

    /// Sends a call that is answered at once.
    pub(crate) fn send(&mut self, call: &Call) -> Reply {
        let exchange = self.start(call);
        self.reply(exchange).expect("an answer at once")
    }

    /// Prepares a publish that must succeed.
    pub(crate) fn prepare(&mut self, client: &Client) -> Prepared {
        let reply = self.send(&client.publish(self.now()));
        assert_eq!(reply.status, 200, "{}", show(&reply));
        Prepared::read(&reply)
    }

    /// Prepares `body` plus the domain; it must succeed.
    pub(crate) fn prepare_of(&mut self, client: &Client, body: &Value) -> Prepared {
        let reply = self.send(&client.prepare(body, self.now()));
        assert_eq!(reply.status, 200, "{}", show(&reply));
        Prepared::read(&reply)
    }

    /// Submits with a valid signature and waits as long as it takes.
    pub(crate) fn submit(&mut self, client: &Client, prepared: &Prepared, op: Option<&str>) -> Reply {
        let exchange = self.start(&client.submit(prepared, op, self.now()));
        self.wait(exchange)
    }

    /// Moves time on until an exchange has an answer.
    pub(crate) fn wait(&mut self, exchange: ExchangeId) -> Reply {
        loop {
            if let Some(reply) = self.reply(exchange) {
                return reply;
            }
            self.advance_to_next();
        }
    }

    /// Calls the chain.
    pub(crate) fn rpc(&mut self, method: &str, params: &Value) -> Value {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let call = Call::new("POST", "/", Vec::new(), body.to_string().into_bytes());
        let exchange = self.start_at(SITES[1], &call);
        let reply = self.reply(exchange).expect("the chain answers at once");
        body_of(&reply)["result"].clone()
    }

    fn take(&mut self, outputs: Vec<Output>) {
        for output in outputs {
            if let Output::Outgoing { id, request } = output {
                self.left.push((id, request));
                continue;
            }
            let exchange = output.exchange();
            if let Output::Head { status, headers, .. } = output {
                let reply = Reply { status, headers, body: Bytes::new() };
                assert!(self.replies.insert(exchange, (reply, false)).is_none(), "one head per exchange");
                continue;
            }
            if let Output::Cut { .. } = output {
                assert!(self.cut.insert(exchange), "nothing comes after the end");
                continue;
            }
            let (reply, complete) = self.replies.get_mut(&exchange).expect("the head comes first");
            assert!(!*complete, "nothing comes after the end");
            match output {
                Output::Frame { bytes, .. } => reply.body = [&reply.body[..], &bytes].concat().into(),
                _ => *complete = true,
            }
        }
    }
}
