//! The credit service: purchases, and the value of tokens.

use assay_spec::Strict;
use assay_spec::network::paging::{Page, Sizes};
use assay_spec::network::requirements::neighbours::CREDIT;
use serde_json::{Value, json};

use super::answer::answer;
use super::purchases::Purchase;
use crate::core::Core;
use crate::exchange::Reply;
use crate::network::call::Call;
use crate::network::messages::payment;
use crate::network::state::State;
use crate::refusal::Refusal;
use crate::shape::{Whole, record};

/// The number of purchases that are kept.
const PURCHASES: usize = 100_000;

/// The maximum number of tokens per purchase.
const TOKENS: u64 = 1_000_000_000;

/// `GET /payment`: purchases of credits in pages, newest first, optionally of one `address`.
pub(in crate::network) fn payment(
    core: &mut Core,
    state: &mut State,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let page = Page::parse(&call.params, Sizes::default(), &mut Strict)?;
    let buyer = call.params.text("address");
    let of_buyer =
        |purchase: &&Purchase| buyer.is_none_or(|buyer| purchase.address.eq_ignore_ascii_case(buyer));
    let wanted: Vec<&Purchase> = state.neighbours.purchases.iter().rev().filter(of_buyer).collect();
    let range = page.range(wanted.len() as u64);
    let shown = |purchase: &&Purchase| {
        let Purchase { number, address, tokens, credits, at } = purchase;
        json!({
            "payment_id": number,
            "address": **address,
            "tokens": tokens.to_string(),
            "credits": credits,
            "created_at": at.seconds(),
        })
    };
    let payments: Vec<Value> = wanted[range.start as usize..range.end as usize].iter().map(shown).collect();
    let pagination = json!(page.pagination(wanted.len() as u64));
    Ok(answer(core, "payments", &payments, Some(pagination)))
}

/// `GET /estimation/token-to-credit`: the value of `tokens`, a whole number, in credits.
pub(in crate::network) fn estimation(
    core: &mut Core,
    state: &mut State,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let text = call.params.text("tokens").unwrap_or_default();
    let tokens = text.parse::<u64>().ok().filter(|tokens| *tokens <= TOKENS);
    let tokens =
        tokens.ok_or_else(|| Refusal::new(&CREDIT, format!("tokens is {text:.40?}, not a whole number")))?;
    let credits = worth(state, tokens);
    Ok(core.json(200, json!({ "tokens": tokens.to_string(), "credits": credits })))
}

record! {
    /// The arguments of a purchase.
    pub(in crate::network) struct Wanted {
        /// The buyer's address.
        address: String,
        /// The number of tokens.
        tokens: Whole<1, TOKENS>,
    }
}

/// Buys credits.
pub(in crate::network) fn perform(
    core: &mut Core,
    state: &mut State,
    Wanted { address, tokens: Whole(tokens) }: Wanted,
) -> Value {
    let credits = worth(state, tokens);
    let neighbours = &mut state.neighbours;
    neighbours.bought += 1;
    if neighbours.purchases.len() == PURCHASES {
        neighbours.purchases.pop_front();
    }
    let number = neighbours.bought;
    let at = core.now();
    neighbours.purchases.push_back(Purchase {
        number,
        address: address.as_str().into(),
        tokens,
        credits,
        at,
    });
    let owner = address.to_ascii_lowercase();
    if let Some(balance) = state.balances.get(owner.as_str()) {
        let more = balance.saturating_add_unsigned(credits);
        payment::set_balance(core, state, &owner, Some(more));
    }
    json!({ "payment_id": number, "credits": credits })
}

fn worth(state: &State, tokens: u64) -> u64 {
    tokens.saturating_mul(state.limits.credits_per_token)
}
