//! What exploration sends: the documents of contracts and tokens, and paths that name none.

use serde_json::Value;

use super::wire::{Form, MOST_CONTRACTS, Way, fixtures};
use crate::harness::check::{Checked, Stop};
use crate::harness::explore::{Command, Side, commands};
use crate::http::exchange::Request;
use crate::profile::MetadataContract;

pub(super) const COMMANDS: &[Command] = commands! {
    "contract" 2 reads contract;
    "token" 6 reads token;
    "token-of-none" 3 reads token_of_none;
    "none" 2 reads none;
};

/// Identifiers that no token has, or that are not those of tokens.
const TOKENS: &[&str] = &[
    "999999999999",
    "-1",
    "0x10",
    "1.5",
    "1e3",
    "+1",
    "%31",
    "one",
    "%20",
    "1,2",
    "007",
    "null",
    "\u{661}",
    "115792089237316195423570985008687907853269984665640564039457584007913129639935",
    "115792089237316195423570985008687907853269984665640564039457584007913129639936",
];

async fn get(side: &Side<'_>, path: &str) -> Checked {
    let target = format!("{}{path}", side.probe.prefix("metadata"));
    side.probe.send("metadata", Request::new("GET", &target)).await.map(drop)
}

/// A contract, and one of the ways to address it.
async fn named(side: &Side<'_>) -> Result<(MetadataContract, Way), Stop> {
    let contracts = fixtures(side.probe).await.contracts;
    let contracts = &contracts[..contracts.len().min(MOST_CONTRACTS)];
    if contracts.is_empty() {
        return Err(Stop::NotTestable("needs a contract ([[metadata.contracts]])".to_owned()));
    }
    let contract = side.pick(contracts).clone();
    let way = *side.pick(&Way::BOTH);
    let way = if contract.path(way).is_some() { way } else { contract.way() };
    Ok((contract, way))
}

/// The end of a path.
fn form(side: &Side<'_>) -> Form {
    *side.pick(&[Form::Bare, Form::Json, Form::Overrides])
}

async fn contract(side: &Side<'_>) -> Checked {
    let (contract, way) = named(side).await?;
    get(side, &contract.path(way).unwrap_or_default()).await
}

async fn token(side: &Side<'_>) -> Checked {
    let (contract, way) = named(side).await?;
    let form = form(side);
    let tokens: Vec<&String> = contract.tokens.iter().chain(&contract.overridden).collect();
    let Some(overridden) = contract.overridden.as_ref().filter(|_| form == Form::Overrides) else {
        let Some(id) = tokens.get(side.below(tokens.len())) else { return Ok(()) };
        return get(side, &contract.token_path(way, id, form).unwrap_or_default()).await;
    };
    get(side, &contract.token_path(way, overridden, form).unwrap_or_default()).await
}

async fn token_of_none(side: &Side<'_>) -> Checked {
    let (contract, way) = named(side).await?;
    let known = contract.token().unwrap_or("1").to_owned();
    let id = match side.instead_of(&known.into()) {
        Value::String(id) if side.one_in(2) => id.replace(['/', '?', '#', ' '], "%20"),
        _ => (*side.pick(TOKENS)).to_owned(),
    };
    side.odd();
    get(side, &contract.token_path(way, &id, form(side)).unwrap_or_default()).await
}

/// A path that differs from that of a contract in one character.
async fn none(side: &Side<'_>) -> Checked {
    let (contract, way) = named(side).await?;
    let path = contract.path(way).unwrap_or_default();
    let letters: Vec<usize> =
        path.bytes().enumerate().filter(|(_, byte)| byte.is_ascii_alphanumeric()).map(|(at, _)| at).collect();
    let at = *side.pick(&letters);
    let with = *side.pick(&["", "x", "%2e", "/"]);
    side.odd();
    get(side, &format!("{}{with}{}", &path[..at], &path[at + 1..])).await
}
