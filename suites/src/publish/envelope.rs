//! The `Authorization` header: each rule broken alone, each with its valid counterpart.

use std::time::Duration;

use assay_spec::crypto::text;
use assay_spec::publish::requirements::envelope as rows;
use serde_json::{Value, json};

use super::wire::Draft;
use super::{Caller, NO_ID, PREPARE, SUBMIT, bound, caller, fresh_key, knock, prepare, publish_body};
use crate::check::{Check, Checked, Need};
use crate::probe::{Answer, Probe};
use crate::{refuses, shows};

pub(super) const CHECKS: &[Check] = &[
    refuses!(rows::SCHEME, another_scheme_or_spacing_is_refused).costs(4, 0, 1).writes(4),
    refuses!(rows::TWO_PARTS, one_part_or_three_are_refused).costs(3, 0, 1).writes(3),
    refuses!(rows::BASE64URL, padding_and_the_other_alphabet_are_refused).costs(3, 0, 1).writes(3),
    refuses!(rows::SIGNATURE_LENGTH, a_signature_of_63_or_65_bytes_is_refused).costs(3, 0, 1).writes(3),
    refuses!(rows::PREFIX, another_prefix_is_refused).costs(3, 0, 1).writes(3),
    refuses!(rows::SIX_KEYS, a_seventh_or_a_missing_key_is_refused).costs(4, 0, 1).writes(4),
    refuses!(rows::VERSION, another_version_is_refused).costs(4, 0, 1).writes(4),
    shows!(rows::KEY_ORDER_FREE, any_order_and_inner_white_space_are_taken).costs(2, 0, 1).writes(2),
    refuses!(rows::METHOD, another_method_in_the_envelope_is_refused).costs(2, 0, 1).writes(2),
    refuses!(rows::PATH, the_other_endpoints_path_is_refused).costs(3, 0, 1).writes(3),
    shows!(rows::QUERY_NOT_SIGNED, a_query_does_not_belong_to_the_path).costs(1, 0, 1).writes(1),
    refuses!(rows::TIME_FORM, what_is_no_time_is_refused).costs(4, 0, 1).writes(4),
    refuses!(rows::TIME_WINDOW, times_beyond_ten_minutes_are_refused_and_within_taken)
        .costs(5, 0, 1)
        .writes(5),
    refuses!(rows::BODY_HASH, another_body_than_was_hashed_is_refused).costs(3, 0, 1).writes(3),
    shows!(rows::EMPTY_BODY, an_empty_body_is_past_the_envelope).costs(1, 0, 1).writes(1),
    refuses!(rows::DOMAIN_AS_SENT, upper_case_and_a_trailing_dot_are_refused).costs(3, 0, 1).writes(3),
    refuses!(rows::BINDING, an_unbound_domain_is_refused).costs(2, 0, 1).writes(2),
    refuses!(rows::SIGNATURE, another_key_or_another_message_is_refused).costs(4, 0, 1).writes(4),
    refuses!(rows::FEATURE, an_account_without_the_feature_is_refused)
        .costs(2, 0, 2)
        .writes(2)
        .needs(&[Need::Actions]),
    refuses!(rows::BLANKET, every_cause_has_the_same_answer).costs(9, 0, 1).writes(9),
    refuses!(rows::BEFORE_BODY, a_wrong_envelope_hides_a_malformed_body)
        .costs(2, 0, 1)
        .writes(2)
        .after(const { &[&rows::SIGNATURE] }),
];

/// One thing done wrong to a request.
type Fault<'a> = &'a (dyn Fn(&mut Draft) + Sync);

/// One fault after the other, each alone; every one must be refused, after a counterpart without any.
async fn each_is_refused(probe: &Probe<'_>, faults: &[Fault<'_>]) -> Checked {
    let caller = caller(probe).await?;
    knock(probe, &caller, |_| {}).await?.counterpart_past(404)?;
    for fault in faults {
        knock(probe, &caller, |draft| fault(draft)).await?.expect_status(&[404])?;
    }
    Ok(())
}

async fn another_scheme_or_spacing_is_refused(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    knock(probe, &caller, |_| {}).await?.counterpart_past(404)?;
    knock(probe, &caller, |draft| "Bearer".clone_into(&mut draft.scheme)).await?.expect_status(&[404])?;
    knock(probe, &caller, |draft| draft.scheme.push(' ')).await?.expect_status(&[404])?;
    let lower = knock(probe, &caller, |draft| draft.scheme = draft.scheme.to_lowercase()).await?;
    // Schemes are compared without case in HTTP at large; the document's word is exact. Either is reported.
    if lower.status() != 404 {
        probe.note("the scheme word is taken in lower case");
    }
    Ok(())
}

async fn one_part_or_three_are_refused(probe: &Probe<'_>) -> Checked {
    each_is_refused(
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

async fn padding_and_the_other_alphabet_are_refused(probe: &Probe<'_>) -> Checked {
    each_is_refused(
        probe,
        &[
            &|draft| {
                draft.seal = Box::new(|scheme, message, signature| {
                    format!("{scheme} {}.{}==", text::base64url(message), text::base64url(signature))
                });
            },
            &|draft| {
                // The time is varied until the text has a character that the alphabets differ in.
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

/// Expects an answer that is past the envelope: whatever comes then, it is not the blanket 404.
fn is_past(answer: &Answer<'_>) -> Checked {
    answer.expect(answer.status() != 404, "status", "anything but 404", answer.status().to_string())
}

/// The signature that a draft would carry.
fn sealed(draft: &Draft) -> Vec<u8> {
    assay_spec::crypto::ed25519::sign(&draft.key, &draft.message()).to_vec()
}

/// The draft's time, a millisecond later.
fn shifted(members: &[(String, Value)]) -> String {
    let time = members.iter().find(|(key, _)| key == "t").and_then(|(_, value)| value.as_str());
    let time = time.and_then(assay_spec::Instant::parse_exact).unwrap_or(assay_spec::Instant(0));
    (time + 1).to_string()
}

async fn a_signature_of_63_or_65_bytes_is_refused(probe: &Probe<'_>) -> Checked {
    each_is_refused(
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

async fn another_prefix_is_refused(probe: &Probe<'_>) -> Checked {
    each_is_refused(
        probe,
        &[&|draft| draft.prefix.clear(), &|draft| draft.prefix = draft.prefix.replace(":1:", ":2:")],
    )
    .await
}

async fn a_seventh_or_a_missing_key_is_refused(probe: &Probe<'_>) -> Checked {
    each_is_refused(
        probe,
        &[
            &|draft| draft.members.push(("x".to_owned(), json!("y"))),
            &|draft| draft.members.retain(|(key, _)| key != "v"),
            &|draft| draft.members.clear(),
        ],
    )
    .await
}

async fn another_version_is_refused(probe: &Probe<'_>) -> Checked {
    each_is_refused(
        probe,
        &[&|draft| draft.set("v", json!(2)), &|draft| draft.set("v", json!("1")), &|draft| {
            draft.set("v", json!(true));
        }],
    )
    .await
}

async fn any_order_and_inner_white_space_are_taken(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    is_past(&knock(probe, &caller, |draft| draft.members.reverse()).await?)?;
    is_past(&knock(probe, &caller, |draft| draft.spaced = true).await?)
}

async fn another_method_in_the_envelope_is_refused(probe: &Probe<'_>) -> Checked {
    each_is_refused(probe, &[&|draft| draft.set("m", json!("PUT"))]).await
}

async fn the_other_endpoints_path_is_refused(probe: &Probe<'_>) -> Checked {
    each_is_refused(
        probe,
        &[&|draft| draft.set("p", json!(draft.target.replace(SUBMIT, PREPARE))), &|draft| {
            draft.set("p", json!(format!("{}/", draft.target)));
        }],
    )
    .await
}

async fn a_query_does_not_belong_to_the_path(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    knock(probe, &caller, |draft| draft.target.push_str("?x=1")).await.and_then(|answer| is_past(&answer))
}

async fn what_is_no_time_is_refused(probe: &Probe<'_>) -> Checked {
    each_is_refused(
        probe,
        &[&|draft| draft.set("t", json!("")), &|draft| draft.set("t", json!("yesterday")), &|draft| {
            draft.set("t", json!(1_767_225_600_000_u64));
        }],
    )
    .await
}

async fn times_beyond_ten_minutes_are_refused_and_within_taken(probe: &Probe<'_>) -> Checked {
    const NEAR: i64 = Duration::from_secs(570).as_millis() as i64;
    const FAR: i64 = Duration::from_secs(630).as_millis() as i64;
    let caller = caller(probe).await?;
    // The first answer tells the target's clock where nothing else does.
    knock(probe, &caller, |_| {}).await?.counterpart_past(404)?;
    for skew in [-NEAR, NEAR] {
        is_past(&skewed(probe, &caller, skew).await?)?;
    }
    for skew in [-FAR, FAR] {
        skewed(probe, &caller, skew).await?.expect_status(&[404])?;
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

async fn another_body_than_was_hashed_is_refused(probe: &Probe<'_>) -> Checked {
    each_is_refused(
        probe,
        &[&|draft| draft.body.push(b' '), &|draft| draft.body = draft.body.to_ascii_uppercase()],
    )
    .await
}

async fn an_empty_body_is_past_the_envelope(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    let answer = Draft::new(probe, &caller, PREPARE, "").await?.send(probe).await?;
    is_past(&answer)
}

async fn upper_case_and_a_trailing_dot_are_refused(probe: &Probe<'_>) -> Checked {
    let domain = |draft: &Draft| -> String {
        draft
            .members
            .iter()
            .find(|(key, _)| key == "d")
            .map(|(_, d)| d.as_str().unwrap_or_default().to_owned())
            .unwrap_or_default()
    };
    each_is_refused(
        probe,
        &[&|draft| draft.set("d", json!(domain(draft).to_uppercase())), &|draft| {
            draft.set("d", json!(format!("{}.", domain(draft))));
        }],
    )
    .await
}

async fn an_unbound_domain_is_refused(probe: &Probe<'_>) -> Checked {
    each_is_refused(probe, &[&|draft| draft.set("d", json!("nobody-has-bound-this.example"))]).await
}

async fn another_key_or_another_message_is_refused(probe: &Probe<'_>) -> Checked {
    let stranger = fresh_key(probe);
    let changed = |draft: &mut Draft| {
        draft.seal = Box::new(|scheme, message, signature| {
            // The message is changed after it was signed, in a way that keeps it well-formed.
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
    each_is_refused(probe, &[&|draft| draft.key = stranger.clone(), &changed, &broken]).await
}

async fn an_account_without_the_feature_is_refused(probe: &Probe<'_>) -> Checked {
    let with = caller(probe).await?;
    knock(probe, &with, |_| {}).await?.counterpart_past(404)?;
    let without = bound(probe, json!({ "feature": false })).await?;
    knock(probe, &without, |_| {}).await?.expect_status(&[404])
}

async fn every_cause_has_the_same_answer(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    knock(probe, &caller, |_| {}).await?.counterpart_past(404)?;
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
    // A domain that the body contradicts belongs to the same blanket.
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

async fn a_wrong_envelope_hides_a_malformed_body(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    let malformed = format!("{{\"prepareId\": {NO_ID}");
    // The counterpart: past the envelope, the same body is malformed.
    Draft::new(probe, &caller, SUBMIT, malformed.clone()).await?.send(probe).await?.counterpart_past(404)?;
    let mut draft = Draft::new(probe, &caller, SUBMIT, malformed).await?;
    draft.key = fresh_key(probe);
    draft.send(probe).await?.expect_status(&[404])
}
