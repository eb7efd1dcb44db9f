//! Checks of the key check, and of inference without a valid key.

use assay_spec::endpoint::Endpoint;
use assay_spec::gateway::requirements::{auth as rows, completions as native, stream};
use assay_spec::gateway::{auth, chat, completions, messages, responses};
use serde_json::Value;

use super::given::{self, Skill, model, spent};
use super::malformed::expect_refused_as;
use super::pool;
use super::wire::{Call, Key};
use super::{bodies, offered};
use crate::harness::check::{Checked, rejects, shows};
use crate::harness::probe::Probe;

/// A check that needs a valid key rests on the key check: a key that has expired is one failure.
pub(super) const WITH_KEY: &[assay_spec::Id] = &[&rows::KEY_CHECK];

/// The statuses that an inference request without a key may return.
pub(super) fn keyless(probe: &Probe<'_>) -> &'static [u16] {
    if probe.settings.gateway().readings.payment_flow { &[401, 402] } else { &[401] }
}

/// Every inference endpoint with a valid body; the chat also as a request for a stream.
pub(super) fn inference(model: &str) -> [(&'static Endpoint, Value); 6] {
    [
        (&chat::ENDPOINT, bodies::chat(model)),
        (&chat::ENDPOINT, bodies::streamed(bodies::chat(model))),
        (&completions::ENDPOINT, bodies::completions(model)),
        (&completions::NATIVE, bodies::completions(model)),
        (&responses::ENDPOINT, bodies::responses(model)),
        (&messages::ENDPOINT, bodies::messages(model)),
    ]
}

/// Sends a valid key to the key check. It must return 200; an invalid key does not.
#[shows(rows::KEY_CHECK)]
async fn valid_key_returns_200(probe: &Probe<'_>) -> Checked {
    Call::get(&auth::CHECK).send(probe).await?.expect_status(&[200])?;
    let wrong = given::wrong_key(probe).await?;
    // The document shows no body, so a server that accepts every key has shown nothing.
    Call::get(&auth::CHECK).bearer(&wrong).send(probe).await?.given_status(&[401])
}

/// The key check with the valid key, as the counterpart.
async fn counterpart(probe: &Probe<'_>) -> Checked {
    Call::get(&auth::CHECK).shared().send(probe).await?.counterpart_status(&[200])
}

/// Sends a key that was never issued, and keys that resemble the valid one, to the key check. Each must return 401.
#[rejects(rows::KEY_CHECK_INVALID)]
async fn invalid_key_returns_401(probe: &Probe<'_>) -> Checked {
    counterpart(probe).await?;
    for (kind, wrong) in given::wrong_keys(probe).await? {
        expect_refused_as(&Call::get(&auth::CHECK).key(wrong).send(probe).await?, "key", kind)?;
    }
    Ok(())
}

/// Sends the key check without a key. It must return 401.
#[rejects(rows::KEY_CHECK_MISSING)]
async fn missing_key_returns_401(probe: &Probe<'_>) -> Checked {
    counterpart(probe).await?;
    Call::get(&auth::CHECK).key(Key::None).send(probe).await?.expect_refused()
}

/// Sends a revoked key to the key check. It must return 401.
#[rejects(rows::KEY_CHECK_REVOKED, after(rows::KEY_CHECK_INVALID))]
async fn revoked_key_returns_401(probe: &Probe<'_>) -> Checked {
    let revoked = given::revoked_key(probe).await?;
    counterpart(probe).await?;
    Call::get(&auth::CHECK).bearer(&revoked).send(probe).await?.expect_refused()
}

/// Sends the key check four times. The number of tokens that the key has spent must stay the same; a chat must change it.
#[shows(rows::KEY_CHECK_FREE)]
async fn key_check_spends_no_tokens(probe: &Probe<'_>) -> Checked {
    let (key, before) = spent(probe).await?;
    for _ in 0..4 {
        Call::get(&auth::CHECK).key(key.clone()).send(probe).await?.given_status(&[200])?;
    }
    let (_, after) = spent(probe).await?;
    probe.expect(after == before, "tokens spent", before.to_string(), after.to_string())?;
    let body = bodies::chat(&model(probe, Skill::Chat).await?);
    Call::post(&chat::ENDPOINT, &body).key(key).send(probe).await?.given_status(&[200])?;
    probe.conclusive(spent(probe).await?.1 > after, "the tokens of a chat are not counted")
}

/// Expects 401 for a key that was never issued, and for keys that resemble the valid one.
async fn invalid(probe: &Probe<'_>, endpoint: &'static Endpoint, bodies: &[Value]) -> Checked {
    Call::post(endpoint, &bodies[0]).accepted(probe).await?.counterpart_status(&[200])?;
    for (kind, wrong) in given::wrong_keys(probe).await? {
        for body in bodies {
            let answer = Call::post(endpoint, body).key(wrong.clone()).send(probe).await?;
            expect_refused_as(&answer, "key", kind)?;
        }
    }
    Ok(())
}

/// Sends a chat and a streamed chat with an invalid key. Each must return 401.
#[rejects(rows::INVALID_KEY_CHAT, after(stream::ERROR_BEFORE))]
async fn chat_with_an_invalid_key_is_rejected(probe: &Probe<'_>) -> Checked {
    let body = bodies::chat(&model(probe, Skill::Chat).await?);
    let streamed = bodies::streamed(body.clone());
    invalid(probe, &chat::ENDPOINT, &[body, streamed]).await
}

/// Sends a completion request with an invalid key. It must return 401.
#[rejects(rows::INVALID_KEY_COMPLETIONS)]
async fn completion_with_an_invalid_key_is_rejected(probe: &Probe<'_>) -> Checked {
    let body = bodies::completions(&model(probe, Skill::Chat).await?);
    invalid(probe, &completions::ENDPOINT, &[body]).await
}

/// Sends a native-style completion request with an invalid key. It must return 401.
#[rejects(rows::INVALID_KEY_NATIVE)]
async fn native_completion_with_an_invalid_key_is_rejected(probe: &Probe<'_>) -> Checked {
    let body = bodies::completions(&model(probe, Skill::Chat).await?);
    invalid(probe, &completions::NATIVE, &[body]).await
}

/// Sends a responses request with an invalid key. It must return 401.
#[rejects(rows::INVALID_KEY_RESPONSES)]
async fn response_with_an_invalid_key_is_rejected(probe: &Probe<'_>) -> Checked {
    let body = bodies::responses(&model(probe, Skill::Chat).await?);
    invalid(probe, &responses::ENDPOINT, &[body]).await
}

/// Sends a messages request with an invalid key. It must return 401.
#[rejects(rows::INVALID_KEY_MESSAGES)]
async fn message_with_an_invalid_key_is_rejected(probe: &Probe<'_>) -> Checked {
    let body = bodies::messages(&model(probe, Skill::Chat).await?);
    invalid(probe, &messages::ENDPOINT, &[body]).await
}

/// Expects one of `statuses` from every inference endpoint that the target offers. A chat with the valid key is the
/// counterpart.
async fn every_endpoint_refuses(probe: &Probe<'_>, key: Key, statuses: &[u16]) -> Checked {
    let id = model(probe, Skill::Chat).await?;
    let accepted = Call::post(&chat::ENDPOINT, &bodies::chat(&id)).accepted(probe).await?;
    accepted.counterpart_status(&[200])?;
    for (endpoint, body) in offered(probe, inference(&id)) {
        let answer = Call::post(endpoint, &body).key(key.clone()).send(probe).await?;
        answer.expect_status(statuses)?;
    }
    // A cookie of an accepted request says which server has the session, not who may use it.
    let cookies = pool::cookies(&accepted);
    if !cookies.is_empty() {
        let call = Call::post(&chat::ENDPOINT, &bodies::chat(&id)).header("Cookie", &cookies);
        call.key(key).send(probe).await?.expect_status(statuses)?;
    }
    Ok(())
}

/// Sends a valid body without a key to every inference endpoint. Each must return 401 (or 402 with the payment
/// flow).
#[rejects(rows::MISSING_KEY, after(native::NATIVE, stream::ERROR_BEFORE))]
async fn inference_without_a_key_is_rejected(probe: &Probe<'_>) -> Checked {
    every_endpoint_refuses(probe, Key::None, keyless(probe)).await
}

/// Sends a valid body with a revoked key to every inference endpoint. Each must return 401.
#[rejects(
    rows::REVOKED_KEY,
    after(
        native::NATIVE,
        stream::ERROR_BEFORE,
        rows::INVALID_KEY_CHAT,
        rows::INVALID_KEY_COMPLETIONS,
        rows::INVALID_KEY_NATIVE,
        rows::INVALID_KEY_RESPONSES,
        rows::INVALID_KEY_MESSAGES,
    )
)]
async fn inference_with_a_revoked_key_is_rejected(probe: &Probe<'_>) -> Checked {
    let revoked = given::revoked_key(probe).await?;
    every_endpoint_refuses(probe, Key::Header(format!("Bearer {revoked}")), &[401]).await
}
