//! Chains generated from the world's seed. Their history ends where the world begins and does not grow.

use std::sync::{Arc, OnceLock};

use assay_spec::Instant;
use assay_spec::crypto::address::Address;
use assay_spec::crypto::text::prefixed_hex;
use assay_spec::network::indexer::{Event, Transaction};
use serde_json::{Map, Value, json};

use crate::core::Core;
use crate::rng::Rng;

/// The networks that are indexed.
pub(in crate::network) const NETWORKS: [&str; 3] = ["ethereum", "base", "sepolia"];
/// The number of indexed blocks of a chain.
const BLOCKS: u64 = 400;
/// The time between two blocks, in seconds.
const BLOCK_S: i64 = 12;
/// The number of the first indexed block.
const FIRST_BLOCK: u64 = 19_000_000;
/// The number of addresses that send and receive, and of contracts that emit events.
const ACCOUNTS: u64 = 12;
const CONTRACTS: u64 = 4;

/// The chains of a world. Each is generated on first use.
#[derive(Clone, Debug)]
pub(in crate::network) struct Chains {
    rng: Rng,
    ends: Instant,
    made: [Arc<OnceLock<Chain>>; NETWORKS.len()],
}

/// A chain. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(in crate::network) struct Chain {
    /// Sorted from the oldest.
    transactions: Arc<Vec<Transaction>>,
    events: Arc<Vec<Event>>,
}

impl Chains {
    /// The chains of a world that begins at this time.
    pub(in crate::network) fn new(core: &Core) -> Chains {
        Chains { rng: core.rng, ends: core.now(), made: Default::default() }
    }

    /// The chain of a network.
    pub(in crate::network) fn for_network(&self, network: &str) -> Option<Chain> {
        let at = NETWORKS.iter().position(|name| *name == network)?;
        Some(self.made[at].get_or_init(|| Maker { rng: self.rng, network, ends: self.ends }.chain()).clone())
    }
}

impl Chain {
    /// The events, newest first.
    pub(super) fn events(&self) -> impl Iterator<Item = &Event> {
        self.events.iter().rev()
    }

    /// The transactions, newest first.
    pub(super) fn transactions(&self) -> impl Iterator<Item = &Transaction> {
        self.transactions.iter().rev()
    }
}

struct Maker<'a> {
    rng: Rng,
    network: &'a str,
    ends: Instant,
}

impl Maker<'_> {
    fn chain(&self) -> Chain {
        let (mut transactions, mut events) = (Vec::new(), Vec::new());
        for block in 0..BLOCKS {
            let timestamp = self.ends.seconds() - (BLOCKS - block).cast_signed() * BLOCK_S;
            let number = FIRST_BLOCK + block;
            let mut log_index = 0;
            for place in 0..u64::from(self.draw("network.block-size", block)[0] % 4) {
                let draw = self.draw("network.transaction", block * 4 + place);
                let transaction = self.transaction(draw, number, timestamp);
                for _ in 0..draw[1] % 3 {
                    let draw = self.draw("network.event", block * 16 + log_index);
                    events.push(self.event(draw, &transaction, log_index));
                    log_index += 1;
                }
                transactions.push(transaction);
            }
        }
        Chain { transactions: Arc::new(transactions), events: Arc::new(events) }
    }

    fn transaction(&self, draw: [u8; 32], block_number: u64, timestamp: i64) -> Transaction {
        let (from, to) = (u64::from(draw[2]) % ACCOUNTS, u64::from(draw[3]) % ACCOUNTS);
        Transaction {
            hash: prefixed_hex(&draw),
            block_number,
            from: self.account(from),
            // Sender and receiver differ, so that filters on them can be distinguished.
            to: self.account(if to == from { (to + 1) % ACCOUNTS } else { to }),
            value: amount(&draw[8..18]),
            gas: 21_000 + u64::from(draw[4]) * 100,
            gas_price: (10_000_000_000 + u64::from(draw[5]) * 1_000_000).to_string(),
            timestamp,
        }
    }

    fn event(&self, draw: [u8; 32], transaction: &Transaction, log_index: u64) -> Event {
        let (name, args) = match draw[0] % 3 {
            0 => (
                "Transfer",
                json!({ "from": transaction.from, "to": transaction.to, "value": amount(&draw[8..18]) }),
            ),
            1 => (
                "Approval",
                json!({ "owner": transaction.from, "spender": transaction.to, "value": amount(&draw[8..18]) }),
            ),
            _ => (
                "Deposit",
                json!({ "account": transaction.from, "amount": amount(&draw[8..18]), "fee": draw[2] }),
            ),
        };
        let args: Map<String, Value> = args.as_object().cloned().unwrap_or_default();
        Event {
            transaction_hash: transaction.hash.clone(),
            block_number: transaction.block_number,
            log_index,
            contract: self.address("network.contract", u64::from(draw[1]) % CONTRACTS),
            event_name: name.to_owned(),
            args,
            timestamp: transaction.timestamp,
        }
    }

    fn account(&self, n: u64) -> String {
        self.address("network.account", n)
    }

    /// An address with its EIP-55 checksum.
    fn address(&self, stream: &str, n: u64) -> String {
        Address::from_digest(self.draw(stream, n)).to_string()
    }

    fn draw(&self, stream: &str, n: u64) -> [u8; 32] {
        self.rng.draw(stream, self.network.as_bytes(), n)
    }
}

/// An amount in the smallest unit; larger than a JSON number can hold.
fn amount(bytes: &[u8]) -> String {
    let number = bytes.iter().fold(0_u128, |number, byte| number << 8 | u128::from(*byte));
    (number + (1 << 64)).to_string()
}
