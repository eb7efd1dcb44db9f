//! API keys: their states, their usage, and how callers present them.

use assay_spec::crypto::text::hex;
use assay_spec::gateway::auth;
use http::HeaderMap;
use imbl::OrdMap;
use serde::Serialize;
use serde_json::{Value, json};

use super::limits::Limits;
use super::model::Usage;
use crate::core::Core;
use crate::shape::Word;

/// The state of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum KeyState {
    /// Valid.
    Valid,
    /// Revoked.
    Revoked,
    /// Valid, but its subscription and credits are used up.
    Exhausted,
}

impl Word for KeyState {
    const WORDS: &'static [(&'static str, KeyState)] =
        &[("valid", KeyState::Valid), ("revoked", KeyState::Revoked), ("exhausted", KeyState::Exhausted)];
}

/// A key.
#[derive(Clone, Debug)]
pub(super) struct Key {
    pub(super) state: KeyState,
    /// The rest of the subscription, in tokens.
    pub(super) subscription: u64,
    /// The rest of the credits, in millionths.
    pub(super) credits: u64,
    /// All tokens read and written.
    pub(super) spent: u64,
}

/// The keys of a world.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    keys: OrdMap<String, Key>,
    /// The number of keys ever made: the key of their draws.
    made: u64,
}

impl Keys {
    /// One key in each state.
    pub(super) fn new(core: &Core, limits: &Limits) -> Keys {
        let mut keys = Keys { keys: OrdMap::new(), made: 0 };
        for state in [KeyState::Valid, KeyState::Revoked, KeyState::Exhausted] {
            keys.make(core, limits, state);
        }
        keys
    }

    /// A new key in that state.
    pub(super) fn make(&mut self, core: &Core, limits: &Limits, state: KeyState) -> String {
        let draw = core.rng.draw("gateway.key", b"", self.made);
        self.made += 1;
        let key = format!("svc-{}", hex(&draw[..20]));
        let full = state != KeyState::Exhausted;
        let of = |amount: u64| if full { amount } else { 0 };
        let (subscription, credits) = (of(limits.subscription_tokens), of(limits.credits));
        self.keys.insert(key.clone(), Key { state, subscription, credits, spent: 0 });
        key
    }

    /// Changes the state of a key; a key that becomes valid again gets a new subscription and new credits.
    pub(super) fn change(&mut self, limits: &Limits, key: &str, state: KeyState) -> Result<(), String> {
        let known = self.keys.get_mut(key).ok_or("unknown key")?;
        let of = |amount: u64| if state == KeyState::Exhausted { 0 } else { amount };
        *known = Key {
            state,
            subscription: of(limits.subscription_tokens),
            credits: of(limits.credits),
            spent: known.spent,
        };
        Ok(())
    }

    /// The key with that text.
    pub(super) fn find(&self, key: &str) -> Option<&Key> {
        self.keys.get(key)
    }

    /// Bills the usage of a request; beyond the subscription, at the rates of input and output.
    pub(super) fn charge(&mut self, limits: &Limits, key: &str, usage: Usage, subscribed: bool) {
        let Some(key) = self.keys.get_mut(key) else { return };
        let [input, output] = [usage.prompt, usage.completion];
        key.spent = key.spent.saturating_add(input).saturating_add(output);
        let covered = if subscribed { key.subscription.min(input.saturating_add(output)) } else { 0 };
        key.subscription -= covered;
        // The subscription covers input first.
        let past_input = input.saturating_sub(covered);
        let past_output = output.saturating_sub(covered.saturating_sub(input));
        let price = |tokens: u64, rate: u64| {
            let millionths = u128::from(tokens) * u128::from(rate);
            u64::try_from(millionths.div_ceil(1_000_000)).unwrap_or(u64::MAX)
        };
        let cost =
            price(past_input, limits.input_rate).saturating_add(price(past_output, limits.output_rate));
        key.credits = key.credits.saturating_sub(cost);
        if key.state == KeyState::Valid && key.subscription == 0 && key.credits == 0 {
            key.state = KeyState::Exhausted;
        }
    }

    /// Every key that was issued.
    pub(super) fn issued(&self) -> impl Iterator<Item = &str> {
        self.keys.keys().map(String::as_str)
    }

    /// The tokens used by all keys together.
    pub(super) fn spent(&self) -> u64 {
        self.keys.values().fold(0, |sum, key| sum.saturating_add(key.spent))
    }

    /// The keys with their remaining balance, for display.
    pub(super) fn view(&self) -> Value {
        let mut view = serde_json::Map::new();
        for (text, key) in &self.keys {
            let entry = json!({
                "state": key.state,
                "subscription_tokens": key.subscription,
                "credits": key.credits,
                "spent_tokens": key.spent,
            });
            view.insert(text.clone(), entry);
        }
        Value::Object(view)
    }

    /// A key in that state.
    pub(super) fn any(&self, state: KeyState) -> Option<&str> {
        self.keys.iter().find(|(_, key)| key.state == state).map(|(text, _)| text.as_str())
    }
}

/// What a caller presents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presented<'a> {
    /// No `Authorization` header.
    Nothing,
    /// A header that is not a bearer key.
    Malformed,
    /// A key.
    Key(&'a str),
}

/// Reads `Authorization: Bearer <API_KEY>`. More than one such header is malformed.
pub(super) fn presented(headers: &HeaderMap) -> Presented<'_> {
    let mut values = headers.get_all(http::header::AUTHORIZATION).iter();
    match (values.next(), values.next()) {
        (None, _) => Presented::Nothing,
        (Some(value), None) => {
            let key = value.to_str().ok().and_then(auth::bearer);
            key.map_or(Presented::Malformed, Presented::Key)
        }
        (Some(_), Some(_)) => Presented::Malformed,
    }
}
