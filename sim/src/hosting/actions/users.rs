//! Actions about users and their whole histories.

use std::sync::Arc;

use assay_spec::crypto::text::parse_prefixed_hex;
use serde_json::Value;

use crate::core::Core;
use crate::hosting::keys::Secret;
use crate::hosting::{SeedHistory, State, history as long, seed_history};
use crate::shape::{Whole, record};

record! {
    pub(super) struct Wallet {
        /// The key of the user's wallet: 0x and 64 hex digits.
        wallet_key: Option<String>,
    }
}

record! {
    pub(super) struct Long {
        /// The number of deployments.
        deployments: Whole<1, HISTORY>,
        /// The key of the user's wallet: 0x and 64 hex digits.
        wallet_key: Option<String>,
    }
}

/// The maximum number of deployments of one history.
const HISTORY: u64 = 20_000;

/// Adds a user, or returns the one with this key.
pub(super) fn new_owner(
    core: &Core,
    state: &mut State,
    Wallet { wallet_key }: Wallet,
) -> Result<Arc<str>, String> {
    let wallet = match wallet_key {
        None => None,
        Some(text) => {
            let bytes = parse_prefixed_hex(&text).and_then(|bytes| bytes.try_into().ok());
            Some(
                bytes
                    .and_then(Secret::from_bytes)
                    .ok_or("wallet_key must be 0x and 64 hex digits, and a valid secp256k1 key")?,
            )
        }
    };
    let known = wallet.as_ref().is_some_and(|wallet| state.accounts.owner(&wallet.address()).is_some());
    if state.accounts.owners.len() >= state.limits.owners && !known {
        return Err(format!("the limit of {} users is reached", state.limits.owners));
    }
    state.accounts.add_owner(core, wallet)
}

/// A user without any record.
fn fresh_owner(core: &Core, state: &mut State, wallet: Wallet) -> Result<Arc<str>, String> {
    let owner = new_owner(core, state, wallet)?;
    let begun = state.accounts.owner(&owner).is_some_and(|owner| owner.last_s != i64::MIN);
    if begun { Err(format!("{owner} already has a history")) } else { Ok(owner) }
}

/// The user with that address, or the latest.
pub(super) fn owner_of(state: &State, named: Option<&str>) -> Result<Arc<str>, String> {
    match named {
        None => state
            .accounts
            .latest
            .clone()
            .ok_or_else(|| "there is no user; use the action `wallet` first".to_owned()),
        Some(address) => {
            let mut known = state.accounts.owners.keys();
            let found = known.find(|known| known.eq_ignore_ascii_case(address));
            found.cloned().ok_or_else(|| format!("no user {address:.80?}"))
        }
    }
}

/// Writes a seed history.
pub(super) fn seed_history(core: &mut Core, state: &mut State, wallet: Wallet) -> Result<Value, String> {
    let once = wallet.wallet_key.is_none();
    if let Some(SeedHistory(written)) = state.seed_history.as_ref().filter(|_| once) {
        return Ok(Value::clone(written));
    }
    let owner = fresh_owner(core, state, wallet)?;
    let answer = seed_history::write(core, state, &owner);
    if once {
        state.seed_history = Some(SeedHistory(Arc::new(answer.clone())));
    }
    Ok(answer)
}

/// Writes a long history.
pub(super) fn history(core: &mut Core, state: &mut State, asked: Long) -> Result<Value, String> {
    let Long { deployments: Whole(deployments), wallet_key } = asked;
    let deployments = deployments as u32;
    let room = state.limits.deployments.saturating_sub(state.accounts.deployments.len());
    if deployments as usize > room {
        return Err(format!("arguments.deployments: must be at most {room}, the rest of the limit"));
    }
    let owner = fresh_owner(core, state, Wallet { wallet_key })?;
    Ok(long::write(core, state, &owner, deployments))
}
