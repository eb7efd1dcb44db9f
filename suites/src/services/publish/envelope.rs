//! Checks of the `Authorization` header: each violates one rule, with a valid counterpart.

use std::collections::BTreeSet;

use assay_spec::Place;
use assay_spec::crypto::{ed25519, text};
use assay_spec::limit::Unit;
use assay_spec::publish::limits::{ENVELOPE_FUTURE, ENVELOPE_PAST};
use assay_spec::publish::places::{BY_INCOMING, PREPARE_PUB};
use assay_spec::publish::rejections;
use assay_spec::publish::requirements::{envelope as rows, transfer};
use assay_spec::value::ValueKind;
use serde_json::{Value, json};

use super::scene::{Knock, Scene};
use super::wire::{Draft, array, escaped, spaced, spelled_otherwise};
use super::{
    A_MINUTE, Caller, NO_ID, PREPARE, bound, declared, fresh_key, next_minute, prepare, publish_body,
};
use crate::harness::boundary::{Edges, edges, expect_beyond, expect_inside};
use crate::harness::check::{Checked, Stop, rejects, shows};
use crate::harness::data::{At, Part, Want};
use crate::harness::probe::{Answer, Probe};

/// A change that violates one rule.
type Fault<'a> = &'a (dyn Fn(&mut Draft) + Sync);

/// Sends a valid counterpart, then one request for each fault, which must return 404.
async fn each_is_rejected(probe: &Probe<'_>, place: Place, faults: &[Fault<'_>]) -> Checked {
    let knock = Knock::at(probe, place).await?;
    let reject = async |knock: &Knock| {
        knock.counterpart(probe).await?;
        for fault in faults {
            knock.send(probe, |draft| fault(draft)).await?.expect_refused()?;
        }
        Ok(())
    };
    reject(&knock).await?;
    knock.locks_nothing(probe, reject).await
}

/// Sends a valid counterpart, then a request with each wrong value of something, which must return 404.
async fn each_value_is_rejected(
    probe: &Probe<'_>,
    place: Place,
    what: &str,
    put: impl Fn(&mut Draft, &'static ValueKind),
) -> Result<Knock, Stop> {
    let knock = Knock::at(probe, place).await?;
    let reject = async |knock: &Knock| {
        knock.counterpart(probe).await?;
        for (n, wrong) in probe.wrong_values().enumerate() {
            next_minute(probe, n).await?;
            knock.send(probe, |draft| put(draft, wrong)).await?.expect_refused_value(what, wrong)?;
        }
        Ok(())
    };
    reject(&knock).await?;
    knock.locks_nothing(probe, reject).await?;
    Ok(knock)
}

/// As [`each_value_is_rejected`], for a member of the message.
async fn each_member_is_rejected(probe: &Probe<'_>, place: Place, key: &str) -> Result<Knock, Stop> {
    each_value_is_rejected(probe, place, key, |draft, wrong| {
        draft.set(key, wrong.instead_of(&draft.member(key)).unwrap_or_default());
    })
    .await
}

/// A string in place of a valid one.
fn respelled(wrong: &ValueKind, valid: &str) -> String {
    wrong.instead_of(&json!(valid)).and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

/// Sends the header with another scheme and with other spacing. Each must return 404; a lowercase scheme is only noted.
#[rejects(rows::SCHEME)]
async fn wrong_scheme_or_spacing_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    each_value_is_rejected(probe, place, "the header", |draft, wrong| {
        draft.edit_header(|header| respelled(wrong, header));
    })
    .await
    .map(drop)
}

/// The header with its envelope changed.
fn of_envelope(header: &str, edit: impl Fn(&str) -> String) -> String {
    let (scheme, envelope) = header.rsplit_once(' ').unwrap_or_default();
    format!("{scheme} {}", edit(envelope))
}

/// Sends the envelope with one part, three parts and other separators. Each must return 404.
#[rejects(rows::TWO_PARTS)]
async fn one_or_three_parts_are_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    each_value_is_rejected(probe, place, "the envelope", |draft, wrong| {
        draft.edit_header(|header| of_envelope(header, |envelope| respelled(wrong, envelope)));
    })
    .await
    .map(drop)
}

/// Sends a signature in the standard alphabet, with padding and with other characters, and a message with padding. Each must
/// return 404.
#[rejects(rows::BASE64URL)]
async fn padding_and_the_standard_alphabet_are_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    let knock = each_value_is_rejected(probe, place, "the signature", |draft, wrong| {
        // Change the time until the signature has a character that differs between the alphabets.
        while !text::base64url(&sealed(draft)).contains(['-', '_']) {
            draft.set("t", json!(shifted(&draft.member("t"))));
        }
        draft.edit_header(|header| {
            let (rest, signature) = header.rsplit_once('.').unwrap_or_default();
            format!("{rest}.{}", respelled(wrong, signature))
        });
    })
    .await?;
    let padded = |envelope: &str| envelope.replace('.', "==.");
    knock
        .send(probe, |draft| draft.edit_header(move |header| of_envelope(header, padded)))
        .await?
        .expect_refused()
}

/// Expects that the envelope was accepted: not the blanket 404. Without the status that the body deserves, the check is
/// inconclusive.
fn expect_accepted(answer: &Answer<'_>, of_body: &[u16]) -> Checked {
    answer.expect(
        answer.status() != 404,
        At::status(),
        Want::none_of(&[404]),
        answer.status().to_string(),
    )?;
    answer.given_status(of_body)
}

/// As [`expect_accepted`], for this valid value of something.
fn expect_accepted_value(answer: &Answer<'_>, what: &str, value: &ValueKind, of_body: &[u16]) -> Checked {
    let at = At::status_named(format!("status for {what} = {}", value.name));
    answer.expect(answer.status() != 404, at, Want::none_of(&[404]), answer.status().to_string())?;
    answer.given_status(of_body)
}

/// Writes the members of a message in this order.
fn reorder(draft: &mut Draft, order: &ValueKind) {
    let names = draft.members.iter().map(|(name, _)| json!(name)).collect();
    let order = order.instead_of(&names).unwrap_or_default();
    let place = |name: &str| order.as_array().and_then(|names| names.iter().position(|found| found == name));
    draft.members.sort_by_key(|(name, _)| place(name));
}

/// The counterpart of an accepted envelope: one that is signed by another key returns the blanket 404.
async fn given_that_the_key_counts(probe: &Probe<'_>, knock: &Knock) -> Checked {
    knock.send(probe, |draft| draft.key = fresh_key(probe)).await?.given_status(&[404])
}

/// The signature of a draft.
fn sealed(draft: &Draft) -> Vec<u8> {
    assay_spec::crypto::ed25519::sign(&draft.key, &draft.message()).to_vec()
}

/// A time plus one millisecond.
fn shifted(time: &Value) -> String {
    let time = time.as_str().and_then(assay_spec::Instant::parse_exact).unwrap_or(assay_spec::Instant(0));
    (time + 1).to_string()
}

/// Sends signatures of 63 and 65 bytes. Each must return 404.
#[rejects(rows::SIGNATURE_LENGTH)]
async fn signature_of_63_or_65_bytes_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    each_is_rejected(
        probe,
        place,
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

/// Sends messages without the prefix, with prefix version 2 and with near misses of it. Each must return 404.
#[rejects(rows::PREFIX)]
async fn wrong_prefix_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    each_value_is_rejected(probe, place, "the prefix", |draft, wrong| {
        draft.prefix = respelled(wrong, &draft.prefix);
    })
    .await
    .map(drop)
}

/// Sends messages with a seventh key, without one of the keys, without any key, and an array of the values. Each must return
/// 404.
#[rejects(rows::SIX_KEYS)]
async fn seventh_or_missing_key_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    each_value_is_rejected(probe, place, "the keys", |draft, wrong| {
        let names = draft.members.iter().map(|(name, _)| json!(name)).collect();
        let Some(Value::Array(names)) = wrong.instead_of(&names) else {
            draft.json = array;
            return;
        };
        let named = |name: &Value| {
            let name = name.as_str().unwrap_or_default();
            (name.to_owned(), draft.member(&name.to_lowercase()))
        };
        draft.members = names.iter().map(named).collect();
    })
    .await
    .map(drop)
}

/// Sends messages whose `v` is another number or of another type. Each must return 404.
#[rejects(rows::VERSION)]
async fn wrong_version_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    each_member_is_rejected(probe, place, "v").await.map(drop)
}

/// Sends messages with their keys in other orders, one with white space in the JSON and one with escapes that need not be. None
/// must return 404; one by another key does.
#[shows(rows::KEY_ORDER_FREE)]
async fn key_order_and_whitespace_are_free(probe: &Probe<'_>, place: Place) -> Checked {
    let knock = Knock::at(probe, place).await?;
    knock.counterpart(probe).await?;
    for order in probe.uncommon_values() {
        let answer = knock.send(probe, |draft| reorder(draft, order)).await?;
        expect_accepted_value(&answer, "the order of the keys", order, knock.statuses)?;
    }
    for spelled in [spaced, escaped] {
        expect_accepted(&knock.send(probe, |draft| draft.json = spelled).await?, knock.statuses)?;
    }
    given_that_the_key_counts(probe, &knock).await
}

/// Sends messages whose `m` is another method, or the method in another spelling. Each must return 404.
#[rejects(rows::METHOD)]
async fn wrong_method_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    each_member_is_rejected(probe, place, "m").await.map(drop)
}

/// Other paths that a router may take for the same: with a slash more, in another letter case, with an escape.
const ROUTED: [fn(&str) -> String; 4] = [
    |path| format!("{path}/"),
    |path| last_changed(path, |name| format!("/{name}")),
    |path| last_changed(path, |name| format!("%{:02x}{}", name.as_bytes()[0], &name[1..])),
    |path| last_changed(path, |name| format!("{}{}", name[..1].to_uppercase(), &name[1..])),
];

/// A path with its last segment changed.
fn last_changed(path: &str, change: impl Fn(&str) -> String) -> String {
    path.rsplit_once('/').map_or_else(String::new, |(folder, name)| format!("{folder}/{}", change(name)))
}

/// Sends messages whose `p` is the other endpoint's path, or the path in another spelling. Each must return 404. Sends a valid
/// request to other paths, such as one with a slash at its end, while `p` names the endpoint. None may be accepted; the status is
/// left open.
#[rejects(rows::PATH)]
async fn wrong_path_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    let mut knock = each_member_is_rejected(probe, place, "p").await?;
    if knock.path == PREPARE {
        // The rejected requests fill a minute, and the valid one took the lock.
        next_minute(probe, A_MINUTE).await?;
        knock = Knock { statuses: &[200], body: knock.scene.body.to_string(), ..knock };
    }
    for routed in probe.some_at(place, ROUTED) {
        let mut target = String::new();
        let sent = knock.send(probe, |draft| {
            draft.target = routed(&draft.target);
            draft.target.clone_into(&mut target);
        });
        let answer = sent.await?;
        let status = answer.status();
        // A front end may reject a path with a page of its own.
        let is_of_exchange = status == 200 || answer.json()["error"].is_string();
        let is_accepted = is_of_exchange && knock.statuses.contains(&status);
        let at = At::status_named(format!("status of a request to {target}, with another `p`"));
        answer.expect(!is_accepted, at, Want::none_of(knock.statuses), status.to_string())?;
    }
    Ok(())
}

/// Sends requests with queries that `p` does not contain. None must return 404; one by another key does.
#[shows(rows::QUERY_NOT_SIGNED)]
async fn query_is_not_part_of_the_path(probe: &Probe<'_>, place: Place) -> Checked {
    let knock = Knock::at(probe, place).await?;
    knock.counterpart(probe).await?;
    for query in probe.uncommon_values() {
        let text = respelled(query, "");
        let answer = knock.send(probe, |draft| draft.target.push_str(&text)).await?;
        expect_accepted_value(&answer, "the query", query, knock.statuses)?;
    }
    given_that_the_key_counts(probe, &knock).await
}

/// Sends messages whose `t` is empty, not a time, or of another type. Each must return 404.
#[rejects(rows::TIME_FORM)]
async fn invalid_time_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    each_member_is_rejected(probe, place, "t").await.map(drop)
}

/// Sends times within 10 minutes before and after the server's clock, which must be accepted, and times further off, which
/// must return 404, and so must the time of the clock with the offset of another place. In a world of its own a millisecond on either side of the boundary, elsewhere half a minute.
#[rejects(rows::TIME_WINDOW)]
async fn times_within_10_minutes_are_accepted_and_others_rejected(
    probe: &Probe<'_>,
    place: Place,
) -> Checked {
    let knock = Knock::at(probe, place).await?;
    let reject = async |knock: &Knock| {
        // The first response also shows the target's clock if nothing else does.
        knock.counterpart(probe).await?;
        for (limit, sign, side) in [(&ENVELOPE_PAST, -1, "before"), (&ENVELOPE_FUTURE, 1, "after")] {
            let Edges { inside, outside } = edges(probe, limit);
            let what = |skew: i64| format!("a time {} {side} the clock", Unit::Millisecond.amount(skew));
            let near = skewed(probe, knock, sign * inside).await?;
            expect_inside(&near, limit, &what(inside), rejections::UNAUTHENTICATED.statuses)?;
            near.given_status(knock.statuses)?;
            let far = skewed(probe, knock, sign * outside).await?;
            expect_beyond(&far, limit, &what(outside), rejections::UNAUTHENTICATED.statuses)?;
        }
        // A time is an instant: with the offset of another place it is hours away.
        let now = probe.now().await?.to_string();
        let elsewhere = knock.send(probe, |draft| draft.set("t", json!(now.replace('Z', "+05:30")))).await?;
        let at = At::status_named("status for the time of the clock with another offset");
        let (statuses, status) = (rejections::UNAUTHENTICATED.statuses, elsewhere.status());
        elsewhere.expect(statuses.contains(&status), at, Want::one_of(statuses), status.to_string())?;
        Ok(())
    };
    reject(&knock).await?;
    knock.locks_nothing(probe, reject).await
}

async fn skewed<'p>(probe: &'p Probe<'_>, knock: &Knock, skew_ms: i64) -> Result<Answer<'p>, Stop> {
    let now = probe.now().await?;
    knock.send(probe, |draft| draft.set("t", json!((now + skew_ms).to_string()))).await
}

/// Sends a body in another spelling of the same JSON, which must be accepted with the hash of its bytes. Sends messages whose `h` is
/// another hash, or the hash in another spelling, and changes the body after its hash was signed. Each must return 404.
#[rejects(rows::BODY_HASH)]
async fn body_with_another_hash_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    let knock = each_member_is_rejected(probe, place, "h").await?;
    let body = knock.body.clone();
    // A version has letters and a slash to escape; the knock lacks another field.
    let more = if knock.path == PREPARE {
        body.replacen('{', "{\"version\":\"\u{e9}/1\",", 1)
    } else {
        body.clone()
    };
    let spelled = Knock { body: spelled_otherwise(&more), ..knock };
    expect_accepted(&spelled.send(probe, |_| {}).await?, spelled.statuses)?;
    let knock = Knock { body, ..spelled };
    knock.send(probe, |draft| draft.body.push(b' ')).await?.expect_refused()?;
    knock.send(probe, |draft| draft.body = draft.body.to_ascii_uppercase()).await?.expect_refused()
}

/// Sends an empty body with its correct hash. It must not return 404; a request by another key does.
#[shows(rows::EMPTY_BODY)]
async fn empty_body_is_hashed_too(probe: &Probe<'_>, place: Place) -> Checked {
    let knock = Knock { body: String::new(), ..Knock::at(probe, place).await? };
    let answer = knock.send(probe, |_| {}).await?;
    expect_accepted(&answer, &[400])?;
    given_that_the_key_counts(probe, &knock).await
}

/// Sends `d` in upper case, with a trailing dot and in other spellings. Each must return 404, since the server does not
/// normalize it.
#[rejects(rows::DOMAIN_AS_SENT)]
async fn domain_that_is_not_canonical_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    each_member_is_rejected(probe, place, "d").await.map(drop)
}

/// Sends valid requests for domains with labels of digits, of one letter and of 63, with hyphens and in punycode, with many labels
/// and of 253 characters. None must return 404; one by another key does.
#[shows(rows::DOMAIN_FORMS, needs(Actions))]
async fn every_canonical_domain_is_accepted(probe: &Probe<'_>, place: Place) -> Checked {
    let plain = Knock::at(probe, place).await?;
    plain.counterpart(probe).await?;
    for form in probe.uncommon_values() {
        let domain = respelled(form, &bound(probe, json!({})).await?.domain);
        let scene = Scene::with(probe, place, &json!({ "domain": domain })).await?;
        let knock = Knock::malformed(scene, PREPARE);
        expect_accepted_value(&knock.send(probe, |_| {}).await?, "d", form, knock.statuses)?;
    }
    given_that_the_key_counts(probe, &plain).await
}

/// Sends a domain without a binding. It must return 404.
#[rejects(rows::BINDING)]
async fn unbound_domain_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    each_is_rejected(probe, place, &[&|draft| draft.set("d", json!("nobody-has-bound-this.example"))]).await
}

/// Sends a signature by another key, a message changed after signing, and a corrupted signature. Each must return
/// 404.
#[rejects(rows::SIGNATURE)]
async fn signature_that_does_not_verify_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
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
    each_is_rejected(probe, place, &[&|draft| draft.key = stranger.clone(), &changed, &broken]).await
}

/// Takes the feature from an account: its domain gets another binding with the same keys.
async fn turn_off(probe: &Probe<'_>, scene: &Scene) -> Checked {
    let address = ed25519::address;
    let mut binding =
        json!({ "domain": scene.caller.domain, "key": address(&scene.old.key), "feature": false });
    if BY_INCOMING.contains(&scene.place) {
        binding["pending"] = json!({ "key": address(&scene.caller.key), "transfer": scene.transfer });
    }
    probe.perform("publish.bind", binding).await.map(drop)
}

/// Sends a request for an account without the feature. It must return 404.
#[rejects(
    rows::FEATURE,
    needs(Actions),
    or_given("[publish] feature_off", |settings| settings.publish().feature_off.is_some()),
)]
async fn account_without_the_feature_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    let caller = if probe.has_control() {
        None
    } else {
        probe.found(
            !BY_INCOMING.contains(&place),
            "needs a pending transfer without the feature (a control API)",
        )?;
        Some(declared(probe, "feature_off", |fixtures| &fixtures.feature_off)?)
    };
    let knock = Knock::at(probe, place).await?;
    knock.counterpart(probe).await?;
    let Some(caller) = caller else {
        turn_off(probe, &knock.scene).await?;
        return knock.send(probe, |_| {}).await?.expect_refused();
    };
    Draft::new(probe, &caller, knock.path, knock.body.replace(&knock.scene.caller.domain, &caller.domain))
        .await?
        .send(probe)
        .await?
        .expect_refused()
}

/// Violates seven different rules, and at a prepare also names another domain in the body. In a world of its own, another key
/// also asks for a domain that is locked, and for one with a pending transfer. Each 404 must be the plain text
/// `404 Not Found`, and equal to the others in status, headers (except `Date`) and body. A rule whose violation returns
/// another status is left out: its own check judges it.
#[rejects(rows::BLANKET, after(rows::SIGNATURE, transfer::ACCEPT_BY_INCOMING))]
async fn every_failure_returns_the_same_404(probe: &Probe<'_>, place: Place) -> Checked {
    let knock = Knock::at(probe, place).await?;
    knock.counterpart(probe).await?;
    let stranger = fresh_key(probe);
    let causes: [(&str, Fault<'_>); 8] = [
        ("no header", &|draft| draft.bare = true),
        ("no header, again", &|draft| draft.bare = true),
        ("another prefix", &|draft| "other:".clone_into(&mut draft.prefix)),
        ("another path", &|draft| draft.set("p", json!("/"))),
        ("another time", &|draft| draft.set("t", json!("2001-01-01T00:00:00.000Z"))),
        ("another body", &|draft| draft.body.push(b' ')),
        ("an unbound domain", &|draft| draft.set("d", json!("nobody-has-bound-this.example"))),
        ("another key", &|draft| draft.key = stranger.clone()),
    ];
    let mut refused = Vec::new();
    for (cause, fault) in causes {
        refused.push((cause, knock.send(probe, |draft| fault(draft)).await?));
    }
    if knock.path == PREPARE {
        let mut body = knock.scene.body.clone();
        body["domain"] = json!("another.example");
        refused.push(("another domain in the body", prepare(probe, &knock.scene.caller, &body).await?));
        let guarded = guarded_domains(probe, &knock.scene).await?;
        for (cause, caller, body) in guarded {
            let answer = prepare(probe, &caller.with_key(stranger.clone()), &body).await?;
            answer.expect(
                answer.status() == 404,
                At::status_named(format!("status for {cause}")),
                Want::one_of(&[404]),
                answer.status().to_string(),
            )?;
            refused.push((cause, answer));
        }
    }
    refused.retain(|(_, answer)| answer.status() == 404);
    for (cause, answer) in &refused {
        let body = answer.response.text();
        let body = body.strip_suffix('\n').unwrap_or(&body);
        answer.expect(body == "404 Not Found", &format!("body for {cause}"), "404 Not Found", body)?;
        let kind = answer.response.header("content-type").unwrap_or("none");
        let essence = kind.split(';').next().unwrap_or_default().trim();
        answer.expect(
            essence.eq_ignore_ascii_case("text/plain"),
            At::header("content-type"),
            "text/plain",
            kind,
        )?;
    }
    // Headers that differ between two equal requests, such as a request's number, say nothing about the cause.
    let [(_, first), rest @ ..] = &refused[..] else { return Ok(()) };
    let changes: BTreeSet<String> = rest.first().map_or_else(BTreeSet::new, |(_, again)| {
        let (mine, others) = (shown(first), shown(again));
        let all =
            mine.iter().chain(&others).filter(|header| mine.contains(header) != others.contains(header));
        all.map(|(name, _)| name.clone()).collect()
    });
    let fixed = |answer: &Answer<'_>| -> BTreeSet<(String, String)> {
        shown(answer).into_iter().filter(|(name, _)| !changes.contains(name)).collect()
    };
    for (cause, answer) in rest {
        let (want, got) = (fixed(first), fixed(answer));
        let differs = |one: &BTreeSet<_>, other: &BTreeSet<_>| format!("{:?}", one.difference(other));
        let at = At { part: Part::Header, name: format!("headers for {cause}") };
        answer.expect(want == got, at, differs(&want, &got), differs(&got, &want))?;
        let (want, got) = (&first.response.body, &answer.response.body);
        answer.expect(
            want == got,
            &format!("body for {cause}"),
            first.response.text(),
            answer.response.text(),
        )?;
    }
    Ok(())
}

/// Domains whose state is not for another key to see, with what that key may ask: one that is locked and, where a publish is
/// prepared, one with a pending transfer. Only a world of its own has them.
async fn guarded_domains(
    probe: &Probe<'_>,
    scene: &Scene,
) -> Result<Vec<(&'static str, Caller, Value)>, Stop> {
    if !probe.has_control() {
        return Ok(Vec::new());
    }
    // What was sent before fills the minute.
    next_minute(probe, A_MINUTE).await?;
    scene.prepare(probe).await?.given_status(&[200])?;
    let mut found =
        vec![("another key while the domain is locked", scene.caller.clone(), scene.body.clone())];
    if PREPARE_PUB.contains(&scene.place) {
        let pending = Scene::at(probe, BY_INCOMING[0]).await?;
        found.push((
            "another key while a transfer is pending",
            pending.old.clone(),
            publish_body(&pending.old),
        ));
    }
    Ok(found)
}

/// The headers of a response that may tell causes apart: all but `Date`, and those of the connection.
fn shown(answer: &Answer<'_>) -> BTreeSet<(String, String)> {
    let headers = answer.response.headers.iter();
    let named = headers.map(|(name, value)| {
        (name.to_ascii_lowercase(), String::from_utf8_lossy(value.as_ref()).into_owned())
    });
    named.filter(|(name, _)| !["date", "connection", "keep-alive"].contains(&name.as_str())).collect()
}

/// Sends a malformed body signed by another key. It must return 404, not 400.
#[rejects(rows::BEFORE_BODY, after(rows::SIGNATURE))]
async fn invalid_envelope_hides_a_malformed_body(probe: &Probe<'_>, place: Place) -> Checked {
    let body = format!("{{\"prepareId\": {NO_ID}");
    let knock = Knock { body, ..Knock::at(probe, place).await? };
    // The counterpart: with a valid envelope the same body is malformed.
    knock.send(probe, |_| {}).await?.counterpart_status(&[400])?;
    knock.send(probe, |draft| draft.key = fresh_key(probe)).await?.expect_refused()
}
