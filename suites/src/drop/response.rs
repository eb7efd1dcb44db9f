//! The answer to an upload, member by member.

use assay_spec::drop::limits::CLAIM_WINDOW_MS;
use assay_spec::drop::requirements::response as rows;
use assay_spec::drop::response::DROP_ID_PREFIX;
use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::{Dropped, Which, ordinary, taken};
use crate::check::{Check, Checked};
use crate::probe::Probe;
use crate::shows;

pub(super) const CHECKS: &[Check] = &[
    shows!(rows::DROP_ID, ids_have_their_form_and_differ).drops(2, 2).writes(2),
    shows!(rows::CLAIM_TOKEN, tokens_are_there_and_differ).drops(2, 2).writes(2),
    shows!(rows::URL, the_url_is_absolute).drops(1, 1).writes(1),
    shows!(rows::EXPIRES_AT, expires_at_is_four_hours_ahead_in_milliseconds).drops(1, 1).writes(1),
    shows!(rows::CLAIM_URL, the_claim_url_carries_token_and_deadline)
        .drops(1, 1)
        .writes(1)
        .after(const { &[&rows::CLAIM_TOKEN, &rows::EXPIRES_AT] }),
    shows!(rows::TOKEN_IN_FRAGMENT, the_token_stands_in_the_fragment_alone)
        .drops(1, 1)
        .writes(1)
        .after(const { &[&rows::CLAIM_TOKEN] }),
];

async fn ids_have_their_form_and_differ(probe: &Probe<'_>) -> Checked {
    let length = probe.settings.drop.drop_id_len;
    let want = format!("{DROP_ID_PREFIX} and {length} characters");
    let has_form = |value: &Value| {
        let rest = value.as_str().and_then(|id| id.strip_prefix(DROP_ID_PREFIX));
        rest.is_some_and(|rest| rest.chars().count() == length)
    };
    let first = ordinary(probe).await?.answer.expect_json("/dropId", &want, has_form)?;
    let second = taken(probe, Which::Second).await?;
    second.answer.expect_json("/dropId", &want, has_form)?;
    second.answer.expect_json("/dropId", "another id for every drop", |id| *id != first).map(drop)
}

async fn tokens_are_there_and_differ(probe: &Probe<'_>) -> Checked {
    let has_text = |value: &Value| value.as_str().is_some_and(|token| !token.is_empty());
    let first = ordinary(probe).await?.answer.expect_json("/claimToken", "a text", has_text)?;
    let second = taken(probe, Which::Second).await?;
    second.answer.expect_json("/claimToken", "a text", has_text)?;
    second
        .answer
        .expect_json("/claimToken", "another token for every drop", |token| *token != first)
        .map(drop)
}

async fn the_url_is_absolute(probe: &Probe<'_>) -> Checked {
    let is_absolute = |value: &Value| {
        let url = value.as_str().and_then(|url| url::Url::parse(url).ok());
        url.is_some_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
    };
    let answer = ordinary(probe).await?.answer;
    answer.expect_json("/url", "an absolute http or https URL", is_absolute).map(drop)
}

async fn expires_at_is_four_hours_ahead_in_milliseconds(probe: &Probe<'_>) -> Checked {
    const SLACK: i64 = 60_000;
    let Dropped { answer, sent, come, .. } = ordinary(probe).await?;
    let range = sent.0 + CLAIM_WINDOW_MS - SLACK..=come.0 + CLAIM_WINDOW_MS + SLACK;
    let want = format!("milliseconds, 4 hours ahead: {} to {}", range.start(), range.end());
    let is_ahead = |value: &Value| value.as_i64().is_some_and(|at| range.contains(&at));
    answer.expect_json("/expiresAt", &want, is_ahead).map(drop)
}

/// A value of a fragment's `name=value` pairs, as it stands there.
fn value_of<'a>(fragment: &'a str, name: &str) -> Option<&'a str> {
    fragment
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .find(|(key, _)| *key == name)
        .map(|(_, value)| value)
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

async fn the_claim_url_carries_token_and_deadline(probe: &Probe<'_>) -> Checked {
    let dropped = ordinary(probe).await?;
    let token = dropped.text("claimToken");
    let deadline = dropped.answer.json()["expiresAt"].to_string();
    let carries = |value: &Value| {
        let fragment = value.as_str().and_then(|url| url.split_once('#')).map(|(_, fragment)| fragment);
        fragment.is_some_and(|fragment| {
            let claim = value_of(fragment, "claim");
            claim.is_some_and(|claim| claim == token || decoded(claim) == token)
                && value_of(fragment, "exp") == Some(deadline.as_str())
        })
    };
    let want = format!("…#claim=<claimToken>&exp={deadline}");
    dropped.answer.expect_json("/claimUrl", &want, carries).map(drop)
}

async fn the_token_stands_in_the_fragment_alone(probe: &Probe<'_>) -> Checked {
    let dropped = ordinary(probe).await?;
    let (token, url) = (dropped.text("claimToken"), dropped.text("claimUrl"));
    probe.given(!token.is_empty() && !url.is_empty(), "there is no token or no claim URL")?;
    let (before, _) = url.split_once('#').unwrap_or((&url, ""));
    let is_secret = !before.contains(&token) && !decoded(before).contains(&token);
    dropped.answer.expect(is_secret, "/claimUrl", "no token before the #", url.clone())
}
