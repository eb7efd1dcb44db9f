//! Payment: owners with a balance pay for their files, or lose them.

use assay_spec::network::machines::{StoreEvent, StoreState};

use super::removal::{run_out, step};
use crate::core::Core;
use crate::network::state::{State, Timer, set};
use crate::network::store::Number;

/// The price of a file per hour, in credits.
const CREDITS: i64 = 1;

/// Ends the hour and starts the next.
pub(in crate::network) fn end_hour(core: &mut Core, state: &mut State) {
    bill(core, state);
    state.billing = false;
    expect_bill(core, state);
}

/// Owners with a balance pay for their files, or lose them.
pub(in crate::network) fn bill(core: &mut Core, state: &mut State) {
    let balances: Vec<_> = state.balances.iter().map(|(owner, credits)| (owner.clone(), *credits)).collect();
    for (owner, credits) in balances {
        let live = with_state(state, &owner, StoreState::Processed);
        let cost = CREDITS.saturating_mul(live.len() as i64);
        if cost <= credits {
            state.balances.insert(owner, credits - cost);
        } else {
            for number in live {
                run_out(core, state, number);
            }
        }
    }
}

/// Sets the timer for the next hour if any owner has a balance.
fn expect_bill(core: &mut Core, state: &mut State) {
    if !state.billing && !state.balances.is_empty() {
        state.billing = true;
        set(core, core.now() + state.limits.billing_ms.max(1), Timer::Billing);
    }
}

/// Sets the credits of an owner (in lower case); `None` is unlimited. If they pay for the next hour, messages
/// in `removing` become `processed` again.
pub(in crate::network) fn set_balance(core: &mut Core, state: &mut State, owner: &str, credits: Option<i64>) {
    match credits {
        Some(credits) => drop(state.balances.insert(owner.into(), credits)),
        None => drop(state.balances.remove(owner)),
    }
    let going = with_state(state, owner, StoreState::Removing);
    let files = going.len() + with_state(state, owner, StoreState::Processed).len();
    if credits.is_none_or(|credits| credits >= CREDITS.saturating_mul(files as i64)) {
        for number in going {
            step(core, state, number, StoreEvent::Paid);
            state.primary.store.change_life(number, |life| life.removing_at = None);
        }
    }
    expect_bill(core, state);
}

fn with_state(state: &State, owner: &str, wanted: StoreState) -> Vec<Number> {
    let store = &state.primary.store;
    store.owned_by(owner).filter(|number| store.state(*number) == wanted).collect()
}
