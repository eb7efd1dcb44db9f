//! Keys: their check, and that nothing is answered without a valid one.

use assay_spec::endpoint::Endpoint;
use assay_spec::gateway::requirements::{auth as rows, completions as native, stream};
use assay_spec::gateway::{auth, chat, completions, messages, responses};
use serde_json::{Value, json};

use super::given::{self, Skill, model};
use super::wire::{Call, Key};
use super::{bodies, offered};
use crate::check::{Check, Checked, Stop};
use crate::probe::Probe;
use crate::{refuses, shows};

pub(super) const CHECKS: &[Check] = &[
    shows!(rows::KEY_CHECK, a_valid_key_is_told_so).costs(1, 0, 0),
    refuses!(rows::KEY_CHECK_INVALID, an_invalid_key_is_told_so).costs(3, 0, 0),
    refuses!(rows::KEY_CHECK_MISSING, a_missing_key_is_told_so).costs(2, 0, 0),
    refuses!(rows::KEY_CHECK_REVOKED, a_revoked_key_is_told_so)
        .costs(2, 0, 0)
        .after(const { &[&rows::KEY_CHECK_INVALID] }),
    shows!(rows::KEY_CHECK_FREE, the_key_check_spends_nothing).costs(5, 0, 0),
    refuses!(rows::INVALID_KEY_CHAT, an_invalid_key_gets_no_chat)
        .costs(3, 0, 0)
        .after(const { &[&stream::ERROR_BEFORE] }),
    refuses!(rows::INVALID_KEY_COMPLETIONS, an_invalid_key_gets_no_completion).costs(2, 0, 0),
    refuses!(rows::INVALID_KEY_NATIVE, an_invalid_key_gets_no_native_completion).costs(2, 0, 0),
    refuses!(rows::INVALID_KEY_RESPONSES, an_invalid_key_gets_no_response).costs(2, 0, 0),
    refuses!(rows::INVALID_KEY_MESSAGES, an_invalid_key_gets_no_message).costs(2, 0, 0),
    refuses!(rows::MISSING_KEY, nothing_is_inferred_without_a_key)
        .costs(6, 0, 0)
        .after(const { &[&native::NATIVE] }),
    refuses!(rows::REVOKED_KEY, nothing_is_inferred_with_a_revoked_key).costs(6, 0, 0).after(
        const {
            &[
                &native::NATIVE,
                &rows::INVALID_KEY_CHAT,
                &rows::INVALID_KEY_COMPLETIONS,
                &rows::INVALID_KEY_NATIVE,
                &rows::INVALID_KEY_RESPONSES,
                &rows::INVALID_KEY_MESSAGES,
            ]
        },
    ),
];

/// The statuses of a request for inference without a key.
pub(super) fn keyless(probe: &Probe<'_>) -> &'static [u16] {
    if probe.settings.gateway.payment_flow { &[401, 402] } else { &[401] }
}

/// Every endpoint of inference with a body that is fine.
pub(super) fn inference(model: &str) -> [(&'static Endpoint, Value); 5] {
    [
        (&chat::ENDPOINT, bodies::chat(model)),
        (&completions::ENDPOINT, bodies::completions(model)),
        (&completions::NATIVE, bodies::completions(model)),
        (&responses::ENDPOINT, bodies::responses(model)),
        (&messages::ENDPOINT, bodies::messages(model)),
    ]
}

async fn a_valid_key_is_told_so(probe: &Probe<'_>) -> Checked {
    Call::get(&auth::CHECK).send(probe).await?.expect_status(&[200])
}

/// The key check with the valid key.
async fn counterpart(probe: &Probe<'_>) -> Checked {
    Call::get(&auth::CHECK).send(probe).await?.counterpart_status(&[200])
}

async fn an_invalid_key_is_told_so(probe: &Probe<'_>) -> Checked {
    counterpart(probe).await?;
    let longer = format!("{}x", given::key(probe).await?);
    for wrong in [given::wrong_key(probe).await?, longer] {
        Call::get(&auth::CHECK).bearer(&wrong).send(probe).await?.expect_status(&[401])?;
    }
    Ok(())
}

async fn a_missing_key_is_told_so(probe: &Probe<'_>) -> Checked {
    counterpart(probe).await?;
    Call::get(&auth::CHECK).key(Key::None).send(probe).await?.expect_status(&[401])
}

async fn a_revoked_key_is_told_so(probe: &Probe<'_>) -> Checked {
    let revoked = given::revoked_key(probe).await?;
    counterpart(probe).await?;
    Call::get(&auth::CHECK).bearer(&revoked).send(probe).await?.expect_status(&[401])
}

/// Tokens that the valid key has spent, as a control API tells it.
async fn spent(probe: &Probe<'_>) -> Result<u64, Stop> {
    let needs = "needs a control API whose state tells what a key has spent";
    probe.view("gateway").await["spent"].as_u64().ok_or_else(|| Stop::NotTestable(needs.to_owned()))
}

async fn the_key_check_spends_nothing(probe: &Probe<'_>) -> Checked {
    let before = spent(probe).await?;
    for _ in 0..4 {
        Call::get(&auth::CHECK).send(probe).await?.given_status(&[200])?;
    }
    let after = spent(probe).await?;
    probe.expect(after == before, "tokens spent", before.to_string(), after.to_string())?;
    let body = bodies::chat(&model(probe, Skill::Chat).await?);
    Call::post(&chat::ENDPOINT, &body).send(probe).await?.given_status(&[200])?;
    probe.given(spent(probe).await? > after, "what a chat spends is not told either")
}

/// Expects 401 for a key that nobody was given.
async fn invalid(probe: &Probe<'_>, endpoint: &'static Endpoint, bodies: &[Value]) -> Checked {
    Call::post(endpoint, &bodies[0]).accepted(probe).await?.counterpart_status(&[200])?;
    let wrong = given::wrong_key(probe).await?;
    for body in bodies {
        Call::post(endpoint, body).bearer(&wrong).send(probe).await?.expect_status(&[401])?;
    }
    Ok(())
}

async fn an_invalid_key_gets_no_chat(probe: &Probe<'_>) -> Checked {
    let body = bodies::chat(&model(probe, Skill::Chat).await?);
    let streamed = bodies::with(body.clone(), "/stream", json!(true));
    invalid(probe, &chat::ENDPOINT, &[body, streamed]).await
}

async fn an_invalid_key_gets_no_completion(probe: &Probe<'_>) -> Checked {
    let body = bodies::completions(&model(probe, Skill::Chat).await?);
    invalid(probe, &completions::ENDPOINT, &[body]).await
}

async fn an_invalid_key_gets_no_native_completion(probe: &Probe<'_>) -> Checked {
    let body = bodies::completions(&model(probe, Skill::Chat).await?);
    invalid(probe, &completions::NATIVE, &[body]).await
}

async fn an_invalid_key_gets_no_response(probe: &Probe<'_>) -> Checked {
    let body = bodies::responses(&model(probe, Skill::Chat).await?);
    invalid(probe, &responses::ENDPOINT, &[body]).await
}

async fn an_invalid_key_gets_no_message(probe: &Probe<'_>) -> Checked {
    let body = bodies::messages(&model(probe, Skill::Chat).await?);
    invalid(probe, &messages::ENDPOINT, &[body]).await
}

/// Expects one of these statuses of every endpoint of inference that the target offers, where a chat with the valid key
/// is granted.
async fn every_endpoint_refuses(probe: &Probe<'_>, key: Key, statuses: &[u16]) -> Checked {
    let id = model(probe, Skill::Chat).await?;
    Call::post(&chat::ENDPOINT, &bodies::chat(&id)).accepted(probe).await?.counterpart_status(&[200])?;
    for (endpoint, body) in offered(probe, inference(&id)) {
        let answer = Call::post(endpoint, &body).key(key.clone()).send(probe).await?;
        answer.expect_status(statuses)?;
    }
    Ok(())
}

async fn nothing_is_inferred_without_a_key(probe: &Probe<'_>) -> Checked {
    every_endpoint_refuses(probe, Key::None, keyless(probe)).await
}

async fn nothing_is_inferred_with_a_revoked_key(probe: &Probe<'_>) -> Checked {
    let revoked = given::revoked_key(probe).await?;
    every_endpoint_refuses(probe, Key::Header(format!("Bearer {revoked}")), &[401]).await
}
