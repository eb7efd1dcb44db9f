//! Checks of the upload response, one for each member.

use std::time::Duration;

use assay_spec::drop::limits::CLAIM_WINDOW;
use assay_spec::drop::requirements::response as rows;
use assay_spec::drop::response::DROP_ID_PREFIX;
use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::{Dropped, Which, accepted, ordinary};
use crate::harness::boundary::slack_ms;
use crate::harness::check::{Checked, shows};
use crate::harness::probe::Probe;

/// Uploads two sites. Each `dropId` must be the prefix `drop_` and the expected number of characters, and they must
/// differ.
#[shows(rows::DROP_ID)]
async fn drop_ids_have_their_form_and_differ(probe: &Probe<'_>) -> Checked {
    let length = probe.settings.drop().drop_id_len;
    let want = format!("{DROP_ID_PREFIX} followed by {length} characters");
    let has_form = |value: &Value| {
        let rest = value.as_str().and_then(|id| id.strip_prefix(DROP_ID_PREFIX));
        rest.is_some_and(|rest| rest.chars().count() == length)
    };
    let first = ordinary(probe).await?.answer.expect_json("/dropId", &want, has_form)?;
    let second = accepted(probe, Which::Second).await?;
    second.answer.expect_json("/dropId", &want, has_form)?;
    second.answer.expect_json("/dropId", "a new id for each drop", |id| *id != first).map(drop)
}

/// Uploads a site. The response should have a JSON media type.
#[shows(rows::MEDIA_TYPE)]
async fn response_has_a_json_media_type(probe: &Probe<'_>) -> Checked {
    let answer = ordinary(probe).await?.answer;
    answer.given(answer.json()["dropId"].is_string(), "the response has no dropId")?;
    answer.expect_json_type()
}

/// The fewest characters in which two secrets differ: those that are drawn at random differ in more by far.
const SECRET_CHARACTERS: usize = 4;

/// Whether one secret does not tell the other: they differ in more than the end of a counter.
fn is_secret_beside(one: &str, other: &str) -> bool {
    let longer = one.chars().count().max(other.chars().count());
    let equal = one.chars().zip(other.chars()).filter(|(one, other)| one == other).count();
    longer - equal >= SECRET_CHARACTERS
}

/// Uploads two sites. Each `claimToken` must be a non-empty string, they must differ in at least four characters, and neither may be
/// part of a value that is public.
#[shows(rows::CLAIM_TOKEN)]
async fn claim_tokens_are_strings_and_differ(probe: &Probe<'_>) -> Checked {
    let is_non_empty = |value: &Value| value.as_str().is_some_and(|token| !token.is_empty());
    let first =
        ordinary(probe).await?.answer.expect_json("/claimToken", "a non-empty string", is_non_empty)?;
    let second = accepted(probe, Which::Second).await?;
    second.answer.expect_json("/claimToken", "a non-empty string", is_non_empty)?;
    second.answer.expect_json("/claimToken", "a new token for each drop", |token| *token != first)?;
    let first = first.as_str().unwrap_or_default();
    let want = "a token that does not follow from the one before";
    let is_secret = |token: &Value| token.as_str().is_some_and(|token| is_secret_beside(first, token));
    second.answer.expect_json("/claimToken", want, is_secret)?;
    let public = ["dropId", "cid"].map(|member| second.text(member));
    let is_secret =
        |token: &Value| !public.iter().any(|public| public.contains(token.as_str().unwrap_or_default()));
    second.answer.expect_json("/claimToken", "a token that no public value has", is_secret).map(drop)
}

/// Uploads a site. `url` must be an absolute http or https URL.
#[shows(rows::URL)]
async fn url_is_absolute(probe: &Probe<'_>) -> Checked {
    let is_absolute = |value: &Value| {
        let url = value.as_str().and_then(|url| url::Url::parse(url).ok());
        url.is_some_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
    };
    let answer = ordinary(probe).await?.answer;
    answer.expect_json("/url", "an absolute http or https URL", is_absolute).map(drop)
}

/// Uploads a site. `expiresAt` must be 4 hours after the upload, in milliseconds: exactly in a world of its own, elsewhere
/// with ten minutes of tolerance. In a world of its own the same site is uploaded again a minute later; elsewhere two deadlines must
/// be as far from each other as their uploads, with half a minute of tolerance.
#[shows(rows::EXPIRES_AT)]
async fn expires_at_is_4_hours_ahead_in_milliseconds(probe: &Probe<'_>) -> Checked {
    let first = ordinary(probe).await?;
    expect_4_hours(probe, &first)?;
    if probe.owns_time() {
        probe.advance(Duration::from_mins(1)).await?;
        return expect_4_hours(probe, &ordinary(probe).await?);
    }
    let second = accepted(probe, Which::Second).await?;
    expect_4_hours(probe, &second)?;
    let deadline = first.answer.json()["expiresAt"].as_i64().unwrap_or_default();
    let [least, most] = [
        deadline + (second.sent.0 - first.come.0) - CLOCKS_MS,
        deadline + (second.come.0 - first.sent.0) + CLOCKS_MS,
    ];
    let want = format!("as long after the upload as that of the other drop: {least} to {most}");
    let is_as_far = |value: &Value| value.as_i64().is_some_and(|at| (least..=most).contains(&at));
    second.answer.expect_json("/expiresAt", &want, is_as_far).map(drop)
}

/// How far the clocks of a target's machines may be apart.
const CLOCKS_MS: i64 = 30_000;

fn expect_4_hours(probe: &Probe<'_>, dropped: &Dropped<'_>) -> Checked {
    let slack = slack_ms(probe, &CLAIM_WINDOW);
    let Dropped { answer, sent, come, .. } = dropped;
    let range = sent.0 + CLAIM_WINDOW.value - slack..=come.0 + CLAIM_WINDOW.value + slack;
    let want = format!("milliseconds, 4 hours after the upload: {} to {}", range.start(), range.end());
    let is_ahead = |value: &Value| value.as_i64().is_some_and(|at| range.contains(&at));
    answer.expect_json("/expiresAt", &want, is_ahead).map(drop)
}

/// The raw value of a `name=value` pair in a fragment.
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

/// Uploads two sites. Each `claimUrl` must end in `#claim=<token>&exp=<ms>` with the response's own values.
#[shows(rows::CLAIM_URL, after(rows::CLAIM_TOKEN, rows::EXPIRES_AT))]
async fn claim_url_contains_token_and_deadline(probe: &Probe<'_>) -> Checked {
    for which in [Which::Plain, Which::Second] {
        expect_own_claim(&accepted(probe, which).await?)?;
    }
    Ok(())
}

fn expect_own_claim(dropped: &Dropped<'_>) -> Checked {
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

/// Uploads a site. `claimUrl` must not contain the token before the `#`, nor `url`.
#[shows(rows::TOKEN_IN_FRAGMENT, after(rows::CLAIM_TOKEN))]
async fn token_is_only_in_the_fragment(probe: &Probe<'_>) -> Checked {
    let dropped = ordinary(probe).await?;
    let (token, url) = (dropped.text("claimToken"), dropped.text("claimUrl"));
    probe.given(!token.is_empty() && !url.is_empty(), "the response has no `claimToken` or no `claimUrl`")?;
    let (before, _) = url.split_once('#').unwrap_or((&url, ""));
    let is_secret = !before.contains(&token) && !decoded(before).contains(&token);
    dropped.answer.expect(is_secret, "/claimUrl", "no token before the #", url.clone())?;
    let public = dropped.text("url");
    let is_secret = !public.contains(&token) && !decoded(&public).contains(&token);
    dropped.answer.expect(is_secret, "/url", "a URL without the token", public)
}

#[cfg(test)]
mod tests {
    use super::is_secret_beside;

    #[test]
    fn a_counter_is_not_a_secret() {
        for (one, other) in [("1", "2"), ("token-0009", "token-0010"), ("99", "100"), ("same", "same")] {
            assert!(!is_secret_beside(one, other), "{one} {other}");
        }
        assert!(is_secret_beside("head.body.Zk3q", "head.body.a91X") && is_secret_beside("a8Kq", "2hPz"));
    }
}
