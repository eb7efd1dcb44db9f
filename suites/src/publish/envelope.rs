//! Checks of the `Authorization` header: each violates one rule, with a valid counterpart.

use std::time::Duration;

use assay_spec::crypto::text;
use assay_spec::limit::Unit;
use assay_spec::publish::limits::{ENVELOPE_FUTURE, ENVELOPE_PAST};
use assay_spec::publish::requirements::envelope as rows;
use serde_json::{Value, json};

use super::refusals;
use super::wire::Draft;
use super::{Caller, NO_ID, PREPARE, SUBMIT, bound, caller, fresh_key, knock, prepare, publish_body};
use crate::boundary::{Edges, edges, expect_beyond, expect_inside};
use crate::check::{Check, Checked, Need};
use crate::probe::{Answer, Probe};
use crate::{refuses, shows};

pub(super) const CHECKS: &[Check] = &[
    refuses!(rows::SCHEME, wrong_scheme_or_spacing_is_rejected, refusals::UNAUTHENTICATED)
        .costs(4, 0, 1)
        .writes(4),
    refuses!(rows::TWO_PARTS, one_or_three_parts_are_rejected, refusals::UNAUTHENTICATED)
        .costs(3, 0, 1)
        .writes(3),
    refuses!(rows::BASE64URL, padding_and_the_standard_alphabet_are_rejected, refusals::UNAUTHENTICATED)
        .costs(3, 0, 1)
        .writes(3),
    refuses!(rows::SIGNATURE_LENGTH, signature_of_63_or_65_bytes_is_rejected, refusals::UNAUTHENTICATED)
        .costs(3, 0, 1)
        .writes(3),
    refuses!(rows::PREFIX, wrong_prefix_is_rejected, refusals::UNAUTHENTICATED).costs(3, 0, 1).writes(3),
    refuses!(rows::SIX_KEYS, seventh_or_missing_key_is_rejected, refusals::UNAUTHENTICATED)
        .costs(4, 0, 1)
        .writes(4),
    refuses!(rows::VERSION, wrong_version_is_rejected, refusals::UNAUTHENTICATED).costs(4, 0, 1).writes(4),
    shows!(rows::KEY_ORDER_FREE, key_order_and_whitespace_are_free).costs(3, 0, 1).writes(3),
    refuses!(rows::METHOD, wrong_method_is_rejected, refusals::UNAUTHENTICATED).costs(2, 0, 1).writes(2),
    refuses!(rows::PATH, wrong_path_is_rejected, refusals::UNAUTHENTICATED).costs(3, 0, 1).writes(3),
    shows!(rows::QUERY_NOT_SIGNED, query_is_not_part_of_the_path).costs(2, 0, 1).writes(2),
    refuses!(rows::TIME_FORM, invalid_time_is_rejected, refusals::UNAUTHENTICATED).costs(4, 0, 1).writes(4),
    refuses!(
        rows::TIME_WINDOW,
        times_within_10_minutes_are_accepted_and_others_rejected,
        refusals::UNAUTHENTICATED
    )
    .costs(5, 0, 1)
    .writes(5),
    refuses!(rows::BODY_HASH, body_with_another_hash_is_rejected, refusals::UNAUTHENTICATED)
        .costs(3, 0, 1)
        .writes(3),
    shows!(rows::EMPTY_BODY, empty_body_is_hashed_too).costs(2, 0, 1).writes(2),
    refuses!(rows::DOMAIN_AS_SENT, domain_that_is_not_canonical_is_rejected, refusals::UNAUTHENTICATED)
        .costs(3, 0, 1)
        .writes(3),
    refuses!(rows::BINDING, unbound_domain_is_rejected, refusals::UNAUTHENTICATED).costs(2, 0, 1).writes(2),
    refuses!(rows::SIGNATURE, signature_that_does_not_verify_is_rejected, refusals::UNAUTHENTICATED)
        .costs(4, 0, 1)
        .writes(4),
    refuses!(rows::FEATURE, account_without_the_feature_is_rejected, refusals::UNAUTHENTICATED)
        .costs(2, 0, 2)
        .writes(2)
        .needs(&[Need::Actions]),
    refuses!(rows::BLANKET, every_failure_returns_the_same_404, refusals::UNAUTHENTICATED)
        .costs(9, 0, 1)
        .writes(9),
    refuses!(rows::BEFORE_BODY, invalid_envelope_hides_a_malformed_body, refusals::UNAUTHENTICATED)
        .costs(2, 0, 1)
        .writes(2)
        .after(const { &[&rows::SIGNATURE] }),
];

/// A change that violates one rule.
type Fault<'a> = &'a (dyn Fn(&mut Draft) + Sync);

/// Sends a valid counterpart, then one request for each fault, which must return 404.
async fn each_is_rejected(probe: &Probe<'_>, faults: &[Fault<'_>]) -> Checked {
    let caller = caller(probe).await?;
    knock(probe, &caller, |_| {}).await?.counterpart_status(&[410])?;
    for fault in faults {
        knock(probe, &caller, |draft| fault(draft)).await?.expect_status(&[404])?;
    }
    Ok(())
}

/// Sends the header with the scheme `Bearer` and with two spaces. Each must return 404; a lowercase scheme is only
/// noted.
async fn wrong_scheme_or_spacing_is_rejected(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    knock(probe, &caller, |_| {}).await?.counterpart_status(&[410])?;
    knock(probe, &caller, |draft| "Bearer".clone_into(&mut draft.scheme)).await?.expect_refused()?;
    knock(probe, &caller, |draft| draft.scheme.push(' ')).await?.expect_refused()?;
    let lower = knock(probe, &caller, |draft| draft.scheme = draft.scheme.to_lowercase()).await?;
    // HTTP compares schemes case-insensitively; the document gives one spelling. Either is allowed and noted.
    if lower.status() != 404 {
        probe.note("the lowercase scheme is accepted");
    }
    Ok(())
}

/// Sends the header value with one part and with three parts. Each must return 404.
async fn one_or_three_parts_are_rejected(probe: &Probe<'_>) -> Checked {
    each_is_rejected(
        probe,
        &[
            &|draft| {
                draft.seal = Box::new(|scheme, message, signature| {
                    let message = text::base64url(message);
                    format!("{scheme} {message}{}", text::base64url(signature))
                });
            },
            &|draft| {
                draft.seal = Box::new(|scheme, message, signature| {
                    let signature = text::base64url(signature);
                    format!("{scheme} {}.{signature}.{signature}", text::base64url(message))
                });
            },
        ],
    )
    .await
}

/// Sends a signature with base64 padding and one in the standard alphabet. Each must return 404.
async fn padding_and_the_standard_alphabet_are_rejected(probe: &Probe<'_>) -> Checked {
    each_is_rejected(
        probe,
        &[
            &|draft| {
                draft.seal = Box::new(|scheme, message, signature| {
                    format!("{scheme} {}.{}==", text::base64url(message), text::base64url(signature))
                });
            },
            &|draft| {
                // Change the time until the signature has a character that differs between the alphabets.
                while !text::base64url(&sealed(draft)).contains(['-', '_']) {
                    draft.set("t", json!(shifted(&draft.members)));
                }
                draft.seal = Box::new(|scheme, message, signature| {
                    let signature = text::base64url(signature).replace('-', "+").replace('_', "/");
                    format!("{scheme} {}.{signature}", text::base64url(message))
                });
            },
        ],
    )
    .await
}

/// Expects that the envelope was accepted: not the blanket 404. Without the status that the body deserves, the check is
/// inconclusive.
fn expect_accepted(answer: &Answer<'_>, of_body: u16) -> Checked {
    answer.expect(answer.status() != 404, "status", "not 404", answer.status().to_string())?;
    answer.given_status(&[of_body])
}

/// The counterpart of an accepted envelope: one that is signed by another key returns the blanket 404.
async fn given_that_the_key_counts(probe: &Probe<'_>, caller: &Caller) -> Checked {
    knock(probe, caller, |draft| draft.key = fresh_key(probe)).await?.given_status(&[404])
}

/// The signature of a draft.
fn sealed(draft: &Draft) -> Vec<u8> {
    assay_spec::crypto::ed25519::sign(&draft.key, &draft.message()).to_vec()
}

/// The draft's time plus one millisecond.
fn shifted(members: &[(String, Value)]) -> String {
    let time = members.iter().find(|(key, _)| key == "t").and_then(|(_, value)| value.as_str());
    let time = time.and_then(assay_spec::Instant::parse_exact).unwrap_or(assay_spec::Instant(0));
    (time + 1).to_string()
}

/// Sends signatures of 63 and 65 bytes. Each must return 404.
async fn signature_of_63_or_65_bytes_is_rejected(probe: &Probe<'_>) -> Checked {
    each_is_rejected(
        probe,
        &[
            &|draft| {
                draft.seal = Box::new(|scheme, message, signature| {
                    format!("{scheme} {}.{}", text::base64url(message), text::base64url(&signature[..63]))
                });
            },
            &|draft| {
                draft.seal = Box::new(|scheme, message, signature| {
                    let longer = [signature, &[0]].concat();
                    format!("{scheme} {}.{}", text::base64url(message), text::base64url(&longer))
                });
            },
        ],
    )
    .await
}

/// Sends messages without the prefix and with prefix version 2. Each must return 404.
async fn wrong_prefix_is_rejected(probe: &Probe<'_>) -> Checked {
    each_is_rejected(
        probe,
        &[&|draft| draft.prefix.clear(), &|draft| draft.prefix = draft.prefix.replace(":1:", ":2:")],
    )
    .await
}

/// Sends messages with a seventh key, without `v`, and without any key. Each must return 404.
async fn seventh_or_missing_key_is_rejected(probe: &Probe<'_>) -> Checked {
    each_is_rejected(
        probe,
        &[
            &|draft| draft.members.push(("x".to_owned(), json!("y"))),
            &|draft| draft.members.retain(|(key, _)| key != "v"),
            &|draft| draft.members.clear(),
        ],
    )
    .await
}

/// Sends messages whose `v` is 2, the string `1`, and `true`. Each must return 404.
async fn wrong_version_is_rejected(probe: &Probe<'_>) -> Checked {
    each_is_rejected(
        probe,
        &[&|draft| draft.set("v", json!(2)), &|draft| draft.set("v", json!("1")), &|draft| {
            draft.set("v", json!(true));
        }],
    )
    .await
}

/// Sends a message with its keys in reverse order and one with whitespace in the JSON. Neither must return 404; one by
/// another key does.
async fn key_order_and_whitespace_are_free(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    expect_accepted(&knock(probe, &caller, |draft| draft.members.reverse()).await?, 410)?;
    expect_accepted(&knock(probe, &caller, |draft| draft.spaced = true).await?, 410)?;
    given_that_the_key_counts(probe, &caller).await
}

/// Sends a message whose `m` is `PUT`. It must return 404.
async fn wrong_method_is_rejected(probe: &Probe<'_>) -> Checked {
    each_is_rejected(probe, &[&|draft| draft.set("m", json!("PUT"))]).await
}

/// Sends messages whose `p` is the other endpoint's path and the path with a trailing slash. Each must return 404.
async fn wrong_path_is_rejected(probe: &Probe<'_>) -> Checked {
    each_is_rejected(
        probe,
        &[&|draft| draft.set("p", json!(draft.target.replace(SUBMIT, PREPARE))), &|draft| {
            draft.set("p", json!(format!("{}/", draft.target)));
        }],
    )
    .await
}

/// Sends a request with a query that `p` does not contain. It must not return 404; one by another key does.
async fn query_is_not_part_of_the_path(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    let answer = knock(probe, &caller, |draft| draft.target.push_str("?x=1")).await?;
    expect_accepted(&answer, 410)?;
    given_that_the_key_counts(probe, &caller).await
}

/// Sends messages whose `t` is empty, not a time, and a number. Each must return 404.
async fn invalid_time_is_rejected(probe: &Probe<'_>) -> Checked {
    each_is_rejected(
        probe,
        &[&|draft| draft.set("t", json!("")), &|draft| draft.set("t", json!("yesterday")), &|draft| {
            draft.set("t", json!(1_767_225_600_000_u64));
        }],
    )
    .await
}

/// Sends times within 10 minutes before and after the server's clock, which must be accepted, and times further off, which
/// must return 404. In a world of its own a millisecond on either side of the boundary, elsewhere half a minute.
async fn times_within_10_minutes_are_accepted_and_others_rejected(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    // The first response also shows the target's clock if nothing else does.
    knock(probe, &caller, |_| {}).await?.counterpart_status(&[410])?;
    for (limit, sign, side) in [(&ENVELOPE_PAST, -1, "before"), (&ENVELOPE_FUTURE, 1, "after")] {
        let Edges { inside, outside } = edges(probe, limit, Duration::from_secs(30));
        let what = |skew: i64| format!("a time {} {side} the clock", Unit::Millisecond.amount(skew));
        let near = skewed(probe, &caller, sign * inside).await?;
        expect_inside(&near, limit, &what(inside), refusals::UNAUTHENTICATED.statuses)?;
        near.given_status(&[410])?;
        let far = skewed(probe, &caller, sign * outside).await?;
        expect_beyond(&far, limit, &what(outside), refusals::UNAUTHENTICATED.statuses)?;
    }
    Ok(())
}

async fn skewed<'p>(
    probe: &'p Probe<'_>,
    caller: &Caller,
    skew_ms: i64,
) -> Result<Answer<'p>, crate::check::Stop> {
    let now = probe.now().await?;
    Draft::at(probe, caller, SUBMIT, super::knock_body(), now + skew_ms).send(probe).await
}

/// Changes the body after its hash was signed. Each request must return 404.
async fn body_with_another_hash_is_rejected(probe: &Probe<'_>) -> Checked {
    each_is_rejected(
        probe,
        &[&|draft| draft.body.push(b' '), &|draft| draft.body = draft.body.to_ascii_uppercase()],
    )
    .await
}

/// Sends an empty body with its correct hash. It must not return 404; a request by another key does.
async fn empty_body_is_hashed_too(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    let answer = Draft::new(probe, &caller, PREPARE, "").await?.send(probe).await?;
    expect_accepted(&answer, 400)?;
    given_that_the_key_counts(probe, &caller).await
}

/// Sends `d` in upper case and with a trailing dot. Each must return 404, since the server does not normalize it.
async fn domain_that_is_not_canonical_is_rejected(probe: &Probe<'_>) -> Checked {
    let domain = |draft: &Draft| -> String {
        draft
            .members
            .iter()
            .find(|(key, _)| key == "d")
            .map(|(_, d)| d.as_str().unwrap_or_default().to_owned())
            .unwrap_or_default()
    };
    each_is_rejected(
        probe,
        &[&|draft| draft.set("d", json!(domain(draft).to_uppercase())), &|draft| {
            draft.set("d", json!(format!("{}.", domain(draft))));
        }],
    )
    .await
}

/// Sends a domain without a binding. It must return 404.
async fn unbound_domain_is_rejected(probe: &Probe<'_>) -> Checked {
    each_is_rejected(probe, &[&|draft| draft.set("d", json!("nobody-has-bound-this.example"))]).await
}

/// Sends a signature by another key, a message changed after signing, and a corrupted signature. Each must return
/// 404.
async fn signature_that_does_not_verify_is_rejected(probe: &Probe<'_>) -> Checked {
    let stranger = fresh_key(probe);
    let changed = |draft: &mut Draft| {
        draft.seal = Box::new(|scheme, message, signature| {
            // Change the message after signing, but keep it well-formed.
            let changed = String::from_utf8_lossy(message).replace("\"v\":1", "\"v\": 1");
            format!("{scheme} {}.{}", text::base64url(changed.as_bytes()), text::base64url(signature))
        });
    };
    let broken = |draft: &mut Draft| {
        draft.seal = Box::new(|scheme, message, signature| {
            let mut altered = signature.to_vec();
            altered[10] ^= 1;
            format!("{scheme} {}.{}", text::base64url(message), text::base64url(&altered))
        });
    };
    each_is_rejected(probe, &[&|draft| draft.key = stranger.clone(), &changed, &broken]).await
}

/// Sends a request for an account without the feature. It must return 404.
async fn account_without_the_feature_is_rejected(probe: &Probe<'_>) -> Checked {
    let with = caller(probe).await?;
    knock(probe, &with, |_| {}).await?.counterpart_status(&[410])?;
    let without = bound(probe, json!({ "feature": false })).await?;
    knock(probe, &without, |_| {}).await?.expect_refused()
}

/// Violates seven different rules. Each must return the same plain-text `404 Not Found`.
async fn every_failure_returns_the_same_404(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    knock(probe, &caller, |_| {}).await?.counterpart_status(&[410])?;
    let stranger = fresh_key(probe);
    let causes: [(&str, Fault<'_>); 7] = [
        ("no header", &|draft| draft.bare = true),
        ("another prefix", &|draft| "other:".clone_into(&mut draft.prefix)),
        ("another path", &|draft| draft.set("p", json!("/"))),
        ("another time", &|draft| draft.set("t", json!("2001-01-01T00:00:00.000Z"))),
        ("another body", &|draft| draft.body.push(b' ')),
        ("an unbound domain", &|draft| draft.set("d", json!("nobody-has-bound-this.example"))),
        ("another key", &|draft| draft.key = stranger.clone()),
    ];
    for (cause, fault) in causes {
        let answer = knock(probe, &caller, |draft| fault(draft)).await?;
        answer.given_status(&[404])?;
        let body = answer.response.text();
        let body = body.strip_suffix('\n').unwrap_or(&body);
        answer.expect(body == "404 Not Found", &format!("body for {cause}"), "404 Not Found", body)?;
        let kind = answer.response.header("content-type").unwrap_or("none");
        answer.expect(kind.starts_with("text/plain"), "header content-type", "text/plain", kind)?;
    }
    // A domain mismatch between body and envelope belongs to the same blanket 404.
    let mut body = publish_body(&caller);
    body["domain"] = json!("another.example");
    let mismatch = prepare(probe, &caller, &body).await?;
    if mismatch.status() == 404 {
        let text = mismatch.response.text();
        mismatch.expect(
            text.trim_end() == "404 Not Found",
            "body for another domain",
            "404 Not Found",
            &text,
        )?;
    }
    Ok(())
}

/// Sends a malformed body signed by another key. It must return 404, not 400.
async fn invalid_envelope_hides_a_malformed_body(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    let malformed = format!("{{\"prepareId\": {NO_ID}");
    // The counterpart: with a valid envelope the same body is malformed.
    Draft::new(probe, &caller, SUBMIT, malformed.clone())
        .await?
        .send(probe)
        .await?
        .counterpart_status(&[400])?;
    let mut draft = Draft::new(probe, &caller, SUBMIT, malformed).await?;
    draft.key = fresh_key(probe);
    draft.send(probe).await?.expect_refused()
}
