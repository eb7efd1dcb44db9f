//! The model of a walk: which calls are admitted, the state of each prepare, what may be on the chain.

mod good;
mod settle;

use std::collections::{BTreeMap, VecDeque};

use assay_sim::{ExchangeId, Reply};
use assay_spec::Instant;
use assay_spec::crypto::ed25519;
use ed25519_dalek::SigningKey;
use serde_json::json;

use crate::common::{Prepared, body_of};
use crate::publish::walk::step::{Body, Op};

/// `Ok`, or the guarantee that was broken.
pub(crate) type Verdict = Result<(), String>;

macro_rules! ensure {
    ($holds:expr, $($why:tt)+) => {
        if !$holds {
            return Err(format!($($why)+));
        }
    };
}
use ensure;

/// A call, as far as its answer depends on it.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    pub(crate) peer: u8,
    /// The envelope's time.
    pub(crate) time: Instant,
    /// The envelope is valid for this request, except for its time and its key.
    pub(crate) verifies: bool,
    pub(crate) signer: usize,
    pub(crate) domain: usize,
    /// The body has the op `accept`.
    pub(crate) accept: bool,
    pub(crate) what: What,
}

#[derive(Clone, Debug)]
pub(crate) enum What {
    Prepare { op: Op, body: Body },
    Submit { prepare: Option<usize>, signature: Vec<u8> },
}

impl Ask {
    pub(crate) fn is_prepare(&self) -> bool {
        matches!(self.what, What::Prepare { .. })
    }
}

/// The expected answer to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    Status(u16),
    Wait,
}

pub(crate) struct Model {
    pub(crate) keys: Vec<SigningKey>,
    pub(crate) domains: Vec<Domain>,
    pub(crate) prepares: Vec<Prepare>,
    /// The active fault.
    pub(crate) fault: Option<&'static str>,
    daily: usize,
    memo_program: [u8; 32],
    requests: BTreeMap<u8, VecDeque<Instant>>,
    landed: u64,
}

pub(crate) struct Domain {
    pub(crate) name: &'static str,
    key: usize,
    /// The incoming key of a transfer, its signature, and the number of its accepts.
    pending: Option<(usize, String, usize)>,
    lock: Option<usize>,
    publishes: VecDeque<Instant>,
}

pub(crate) struct Prepare {
    pub(crate) domain: usize,
    /// The key that must sign it.
    pub(crate) key: usize,
    pub(crate) op: Op,
    pub(crate) prepared: Prepared,
    record: String,
    state: State,
    /// The valid signature that was submitted.
    signature: Option<Vec<u8>>,
    fault: Option<&'static str>,
    submitted_at: Instant,
    transaction: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Prepared,
    InFlight(ExchangeId),
    Unresolved,
    Confirmed(Instant),
    Gone,
}

impl Model {
    pub(crate) fn new(daily: usize) -> Model {
        let domain = |name, key| Domain { name, key, pending: None, lock: None, publishes: VecDeque::new() };
        Model {
            keys: [11, 12, 13].map(|n| ed25519::key_from_seed([n; 32])).to_vec(),
            domains: vec![domain("a.example", 0), domain("b.example", 1)],
            prepares: Vec::new(),
            fault: None,
            daily,
            memo_program: ed25519::parse_address("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr")
                .expect("an address"),
            requests: BTreeMap::new(),
            landed: 0,
        }
    }

    /// The key for which a call of that kind succeeds, if any does.
    pub(crate) fn admitted(&self, domain: usize, accept: bool) -> usize {
        let domain = &self.domains[domain];
        domain.pending.as_ref().filter(|_| accept).map_or(domain.key, |(incoming, ..)| *incoming)
    }

    /// The expected answer to a call, apart from the chain's.
    pub(crate) fn expect(&mut self, ask: &Ask, now: Instant) -> Expected {
        let times = self.requests.entry(ask.peer).or_default();
        times.retain(|time| now - *time < 60_000);
        if times.len() >= 30 {
            return Expected::Status(429);
        }
        times.push_back(now);
        let domain = &self.domains[ask.domain];
        let frozen = domain.pending.is_some() && !ask.accept;
        let key = match &domain.pending {
            Some((incoming, ..)) if ask.accept => Some(*incoming),
            None if ask.accept => None,
            _ => Some(domain.key),
        };
        if !ask.verifies || ask.time.distance_ms(now) > 600_000 || key != Some(ask.signer) {
            return Expected::Status(404);
        }
        match &ask.what {
            What::Prepare { op, body } => Expected::Status(self.expect_prepare(ask, *op, *body, frozen, now)),
            What::Submit { prepare, signature } => self.expect_submit(ask, *prepare, signature, frozen, now),
        }
    }

    fn expect_prepare(&self, ask: &Ask, op: Op, body: Body, frozen: bool, now: Instant) -> u16 {
        let domain = &self.domains[ask.domain];
        let today = domain.publishes.iter().filter(|time| now - **time < 86_400_000).count();
        let accepted = domain.pending.as_ref().is_some_and(|(_, _, accepts)| *accepts > 0);
        match (body, op) {
            _ if frozen => 409,
            (Body::NoDomain | Body::Malformed, _) => 400,
            (Body::OtherDomain, _) => 404,
            (Body::TooLarge, Op::Pub) => 400,
            (_, Op::Transfer(to)) if to == ask.signer => 400,
            (_, Op::Accept) if accepted => 409,
            _ if domain.lock.is_some() => 409,
            _ if today >= self.daily => 429,
            _ => 200,
        }
    }

    fn expect_submit(
        &self,
        ask: &Ask,
        prepare: Option<usize>,
        signature: &[u8],
        frozen: bool,
        now: Instant,
    ) -> Expected {
        let own = prepare.map(|at| &self.prepares[at]).filter(|prepare| prepare.domain == ask.domain);
        let Some(prepare) = own else { return Expected::Status(if frozen { 409 } else { 410 }) };
        let same = prepare.signature.as_deref() == Some(signature);
        match prepare.state {
            State::Confirmed(at) if same && now - at < 60_000 => Expected::Status(200),
            _ if frozen => Expected::Status(409),
            State::InFlight(_) => Expected::Status(409),
            State::Prepared if self.verifies(prepare, signature) => Expected::Wait,
            State::Prepared => Expected::Status(400),
            _ => Expected::Status(410),
        }
    }

    fn verifies(&self, prepare: &Prepare, signature: &[u8]) -> bool {
        let key = self.keys[prepare.key].verifying_key().to_bytes();
        let signature: Option<&[u8; 64]> = signature.try_into().ok();
        signature.is_some_and(|signature| ed25519::verifies(&key, &prepare.prepared.message, signature))
    }

    /// Records an answer.
    pub(crate) fn answered(&mut self, ask: &Ask, reply: &Reply, now: Instant) -> Verdict {
        match &ask.what {
            What::Prepare { op, .. } if reply.status == 200 => self.opened(ask, *op, reply, now),
            What::Submit { prepare: Some(at), .. } if reply.status == 200 => {
                let signature = body_of(reply)["signature"].as_str().map(str::to_owned);
                ensure!(signature == self.prepares[*at].transaction, "a repeat names another transaction");
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn opened(&mut self, ask: &Ask, op: Op, reply: &Reply, now: Instant) -> Verdict {
        let prepared = Prepared::read(reply);
        let domain = &mut self.domains[ask.domain];
        let name = domain.name;
        let record = match op {
            Op::Pub => format!(r#"svc-vf:1:pub:{{"d":"{name}","c":"bafy","v":"1.0","t":"{now}"}}"#),
            Op::Transfer(to) => {
                let vault = format!("chain:{}", ed25519::address(&self.keys[to]));
                format!(r#"svc-vf:1:transfer:{{"d":"{name}","newVault":"{vault}","t":"{now}"}}"#)
            }
            Op::Accept => {
                let transfer = domain.pending.as_ref().map_or("", |(_, transfer, _)| transfer);
                format!(r#"svc-vf:1:accept:{{"d":"{name}","transfer":"{transfer}","t":"{now}"}}"#)
            }
        };
        ensure!(prepared.message.ends_with(record.as_bytes()), "the message contains another record");
        let fee_payer = bs58::decode(prepared.whole["feePayer"].as_str().unwrap_or_default()).into_vec();
        let client = self.keys[ask.signer].verifying_key().to_bytes();
        let head = [&[2, 1, 1, 3][..], &fee_payer.unwrap_or_default(), &client, &self.memo_program].concat();
        ensure!(prepared.message.starts_with(&head), "the message's header or accounts differ");
        ensure!(head[4..36] != client, "the client pays the fee");
        let rest = &prepared.message[head.len() + 32..];
        ensure!(rest.starts_with(&[1, 2, 1, 1]), "the message's instruction differs");
        ensure!(prepared.whole["payload"] == json!(record), "payload is another record");
        ensure!(uuid::Uuid::parse_str(&prepared.id).is_ok_and(|id| id.to_string() == prepared.id), "no UUID");
        ensure!(prepared.expires_at == now + 60_000, "expiresAt is not in 60 s");
        let known = self.prepares.iter().any(|prepare| prepare.prepared.id == prepared.id);
        ensure!(!known, "a prepareId is not unique");
        domain.publishes.push_back(now);
        domain.lock = Some(self.prepares.len());
        self.prepares.push(Prepare {
            domain: ask.domain,
            key: ask.signer,
            op,
            prepared,
            record,
            state: State::Prepared,
            signature: None,
            fault: None,
            submitted_at: now,
            transaction: None,
        });
        Ok(())
    }

    /// Records a submit that waits.
    pub(crate) fn waits(&mut self, ask: &Ask, exchange: ExchangeId, now: Instant) {
        let What::Submit { prepare: Some(at), signature } = &ask.what else { return };
        let prepare = &mut self.prepares[*at];
        prepare.state = State::InFlight(exchange);
        prepare.signature = Some(signature.clone());
        prepare.submitted_at = now;
        prepare.fault = self.fault;
    }

    /// Records an operator's action.
    pub(crate) fn confirm(&mut self, domain: usize, done: bool) -> Verdict {
        let pending = self.domains[domain].pending.take();
        ensure!(pending.is_some() == done, "the operator's action had an unexpected result");
        if let Some((incoming, ..)) = pending {
            self.domains[domain].key = incoming;
        }
        Ok(())
    }
}
