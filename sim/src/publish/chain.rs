//! The public chain as its clients see it: slots, expiring blockhashes, transactions with logs.

use assay_spec::Instant;
use bytes::Bytes;
use imbl::OrdMap;
use serde_json::{Value, json};

use crate::rng::Rng;

/// The duration of a slot.
pub const SLOT_MS: i64 = 400;
/// The duration of a slot while the chain is slow.
pub const SLOW_SLOT_MS: i64 = 4_000;
/// How many slots a transaction needs while the chain is slow: longer than a submit waits, shorter than its blockhash
/// is valid.
pub const SLOTS_WHEN_SLOW: u64 = 60;
/// How many blocks a blockhash is valid.
pub const BLOCKHASH_BLOCKS: u64 = 150;
/// The slot at which a world begins, and how far block heights are behind slots.
const FIRST_SLOT: u64 = 300_000_000;
const SKIPPED_SLOTS: u64 = 20_000_000;
/// How many confirmed transactions the chain shows; older ones are pruned, as on a real node.
const KEPT: usize = 10_000;

/// The chain's state.
#[derive(Clone, Debug)]
pub struct Chain {
    rng: Rng,
    /// A slot and the time at which it began; later slots are counted from here.
    anchor: (Instant, u64),
    slot_ms: i64,
    transactions: OrdMap<[u8; 64], Confirmed>,
    /// Signatures in landing order.
    order: OrdMap<u64, [u8; 64]>,
    landed: u64,
}

/// A transaction that lands.
#[derive(Clone, Debug, PartialEq)]
pub struct Transaction {
    /// The message's bytes.
    pub message: Bytes,
    /// The fee payer's signature and the client's.
    pub signatures: [[u8; 64]; 2],
    /// The publishing key, base58.
    pub signer: String,
    /// The memo.
    pub record: Bytes,
    /// The log is truncated.
    pub truncated: bool,
}

/// A transaction that landed.
#[derive(Clone, Debug, PartialEq)]
pub struct Confirmed {
    /// The transaction.
    pub transaction: Transaction,
    /// Its slot.
    pub slot: u64,
    /// When it was confirmed.
    pub at: Instant,
    /// How many transactions landed before it.
    pub number: u64,
}

impl Chain {
    /// A chain at its first slot at `now`.
    pub fn new(now: Instant, rng: Rng) -> Chain {
        Chain {
            rng,
            anchor: (now, FIRST_SLOT),
            slot_ms: SLOT_MS,
            transactions: OrdMap::new(),
            order: OrdMap::new(),
            landed: 0,
        }
    }

    /// The slot at `now`.
    pub fn slot(&self, now: Instant) -> u64 {
        self.anchor.1 + (now - self.anchor.0).max(0).unsigned_abs() / self.slot_ms.unsigned_abs()
    }

    /// The block height at `now`.
    pub fn height(&self, now: Instant) -> u64 {
        self.slot(now) - SKIPPED_SLOTS
    }

    /// The height after which a transaction prepared at `now` cannot land.
    pub fn last_valid_block_height(&self, now: Instant) -> u64 {
        self.height(now) + BLOCKHASH_BLOCKS
    }

    /// The blockhash of a slot.
    pub fn blockhash_at(&self, slot: u64) -> [u8; 32] {
        self.rng.draw("publish.blockhash", b"", slot)
    }

    /// Whether a blockhash is still valid at `now`.
    pub fn is_valid(&self, blockhash: &[u8], now: Instant) -> bool {
        let slot = self.slot(now);
        (slot - BLOCKHASH_BLOCKS..=slot).any(|slot| self.blockhash_at(slot) == blockhash)
    }

    /// When the slot begins that is `ahead` slots after the current one.
    pub fn slot_start(&self, now: Instant, ahead: i64) -> Instant {
        self.anchor.0 + ((self.slot(now) - self.anchor.1) as i64 + ahead) * self.slot_ms
    }

    /// When `height` has passed, at the current speed.
    pub fn end_of_height(&self, now: Instant, height: u64) -> Instant {
        let ahead = (height + 1).saturating_sub(self.height(now)).max(1);
        self.slot_start(now, ahead as i64)
    }

    /// Makes slots ten times as long from now on.
    pub fn slow_down(&mut self, now: Instant) {
        self.change_pace(now, SLOW_SLOT_MS);
    }

    /// Makes slots as long as usual again.
    pub fn recover(&mut self, now: Instant) {
        self.change_pace(now, SLOT_MS);
    }

    /// Whether slots are ten times as long.
    pub fn is_slow(&self) -> bool {
        self.slot_ms == SLOW_SLOT_MS
    }

    fn change_pace(&mut self, now: Instant, slot_ms: i64) {
        if self.slot_ms != slot_ms {
            self.anchor = (now, self.slot(now));
            self.slot_ms = slot_ms;
        }
    }

    /// Confirms a transaction included in `slot`.
    pub fn land(&mut self, now: Instant, slot: u64, transaction: Transaction) {
        let signature = transaction.signatures[0];
        let confirmed = Confirmed { transaction, slot, at: now, number: self.landed };
        self.transactions.insert(signature, confirmed);
        self.order.insert(self.landed, signature);
        self.landed += 1;
        if self.order.len() > KEPT
            && let Some((number, oldest)) = self.order.get_min().map(|(n, signature)| (*n, *signature))
        {
            self.order.remove(&number);
            self.transactions.remove(&oldest);
        }
    }

    /// The transaction with that signature.
    pub fn transaction(&self, signature: &[u8; 64]) -> Option<&Confirmed> {
        self.transactions.get(signature)
    }

    /// Transactions, latest first.
    pub fn latest(&self) -> impl Iterator<Item = &Confirmed> {
        self.order.values().rev().filter_map(|signature| self.transactions.get(signature))
    }

    /// The hash that names the chain.
    pub fn genesis(&self) -> [u8; 32] {
        self.rng.draw("publish.genesis", b"", 0)
    }

    /// The state, for display.
    pub fn view(&self, now: Instant) -> Value {
        json!({
            "slot": self.slot(now),
            "block_height": self.height(now),
            "slot_ms": self.slot_ms,
            "transactions": self.landed,
        })
    }
}

/// Whether the record exceeds the memo program's default compute budget: about 350 units per ASCII byte and 11,000
/// per wide character, of 200,000.
pub fn over_budget(record: &[u8]) -> bool {
    let units: usize =
        String::from_utf8_lossy(record).chars().map(|c| if c.is_ascii() { 380 } else { 11_000 }).sum();
    units > 200_000
}
