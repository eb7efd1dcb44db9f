//! Transactions.

use assay_spec::network::requirements::indexer as rows;
use serde_json::Value;

use super::super::replies::{found, is_address};
use super::super::scene::List;
use super::{OF_TRANSACTIONS, expect_members, first_text, network};
use crate::harness::check::{Checked, Stop, shows};
use crate::harness::probe::Probe;

/// The latest transactions of an indexed network.
async fn latest<'p>(probe: &'p Probe<'_>) -> Result<(String, List<'p>), Stop> {
    let network = network(probe).await?;
    let latest = OF_TRANSACTIONS.some(probe, &network, &[]).await?;
    Ok((network, latest))
}

/// Lists the transactions of an indexed network. `transactions` must be an array.
#[shows(rows::TRANSACTIONS)]
async fn transactions_are_listed_under_their_name(probe: &Probe<'_>) -> Checked {
    let network = network(probe).await?;
    let answer = found(probe, OF_TRANSACTIONS.call(probe, &network, &[])).await?;
    answer.expect_json("/transactions", "an array", Value::is_array).map(drop)
}

/// Lists transactions. Each must have the strings `hash`, `from` and `to` and the integers `block_number`, `gas` and
/// `timestamp`.
#[shows(rows::TRANSACTION)]
async fn a_transaction_has_its_members(probe: &Probe<'_>) -> Checked {
    let (_, latest) = latest(probe).await?;
    expect_members(&latest, &["hash", "from", "to"], &["block_number", "gas", "timestamp"])
}

/// Lists transactions. `value` and `gas_price` of each must be strings.
#[shows(rows::AMOUNTS)]
async fn amounts_are_strings(probe: &Probe<'_>) -> Checked {
    let (_, latest) = latest(probe).await?;
    latest.expect_each("value and gas_price as strings", |one| {
        one["value"].is_string() && one["gas_price"].is_string()
    })
}

/// Lists transactions with `address` set to the first sender. Every element must be from or to that address.
#[shows(rows::ADDRESS)]
async fn the_address_selects_transactions(probe: &Probe<'_>) -> Checked {
    let (network, latest) = latest(probe).await?;
    let address = first_text(probe, &latest, "from")?;
    let (filters, want) = ([("address", address.as_str())], format!("from or to {address}"));
    let is_wanted = |one: &Value| is_address(&one["from"], &address) || is_address(&one["to"], &address);
    // Another check expects those that it received.
    let known: Vec<&Value> = latest.items.iter().filter(|one| is_address(&one["from"], &address)).collect();
    OF_TRANSACTIONS.select(probe, &network, &filters, &known, &want, is_wanted).await.map(drop)
}

/// Lists transactions with `address` set to an address that has both sent and received. The list must contain both
/// kinds.
#[shows(rows::SENT_OR_RECEIVED)]
async fn the_address_selects_what_it_sent_and_what_it_received(probe: &Probe<'_>) -> Checked {
    let (network, latest) = latest(probe).await?;
    let [senders, receivers] = ["from", "to"].map(|member| latest.strings(member));
    let is_receiver = |sender: &&String| receivers.iter().any(|one| one.eq_ignore_ascii_case(sender));
    let both = senders.iter().filter(|sender| !sender.is_empty()).find(is_receiver).cloned();
    probe.found(both.is_some(), "no address both sent and received one of the listed transactions")?;
    let address = both.unwrap_or_default();
    let selected = OF_TRANSACTIONS.some(probe, &network, &[("address", &address)]).await?;
    for member in ["from", "to"] {
        let is_there = selected.items.iter().any(|one| is_address(&one[member], &address));
        let place = format!("/transactions/*/{member}");
        selected.answer.expect(is_there, &place, format!("{address} in one of them"), "none")?;
    }
    Ok(())
}

/// Expects the parameter of that name to select by the member of that name.
async fn expect_selected(probe: &Probe<'_>, member: &str) -> Checked {
    let (network, latest) = latest(probe).await?;
    let address = first_text(probe, &latest, member)?;
    let (filters, want) = ([(member, address.as_str())], format!("{member} {address}"));
    let is_wanted = |one: &Value| is_address(&one[member], &address);
    let known: Vec<&Value> = latest.items.iter().filter(|one| is_wanted(one)).collect();
    OF_TRANSACTIONS.select(probe, &network, &filters, &known, &want, is_wanted).await.map(drop)
}

/// Lists transactions with `from` set to the first sender. Every element must have that sender.
#[shows(rows::FROM)]
async fn the_sender_selects_transactions(probe: &Probe<'_>) -> Checked {
    expect_selected(probe, "from").await
}

/// Lists transactions with `to` set to the first receiver. Every element must have that receiver.
#[shows(rows::TO)]
async fn the_receiver_selects_transactions(probe: &Probe<'_>) -> Checked {
    expect_selected(probe, "to").await
}

/// Lists transactions with `from_block` and `to_block` inside the listed range. Every element must lie between them.
#[shows(rows::TRANSACTION_BLOCKS)]
async fn blocks_select_transactions(probe: &Probe<'_>) -> Checked {
    OF_TRANSACTIONS.expect_between(probe, "block_number", ["from_block", "to_block"]).await
}

/// Lists transactions with `from_timestamp` and `to_timestamp` inside the listed range. Every element must lie between
/// them.
#[shows(rows::TRANSACTION_TIMES)]
async fn times_select_transactions(probe: &Probe<'_>) -> Checked {
    OF_TRANSACTIONS.expect_between(probe, "timestamp", ["from_timestamp", "to_timestamp"]).await
}
