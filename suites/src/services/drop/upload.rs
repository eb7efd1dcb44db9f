//! Checks of the upload: required and optional form fields, CORS, and unavailability.

use std::time::Duration;

use assay_spec::Place;
use assay_spec::drop::places::PREFLIGHT;
use assay_spec::drop::requirements::upload as rows;
use assay_spec::drop::zip::forms;
use assay_spec::instant::HOUR;
use serde_json::{Value, json};

use super::form::Form;
use super::samples::Sample;
use super::{
    ACCEPTED, ALL_FORMS, ELSEWHERE, IGNORED_SOURCE, ORIGIN, PAUSED, RECEIPT, SITE, Which, address, cid,
    counterpart, dropped, ordinary, patient, send, send_any, upload,
};
use crate::harness::check::{Checked, rejects, shows};
use crate::harness::data::At;
use crate::harness::probe::Probe;
use crate::http::exchange::Request;

/// 64 characters that include every allowed kind.
pub(super) const SOURCE: &str = "assay: AZaz09 _.:/@- /a-source.of@sixty_four/characters:in-all-0";

/// Uploads a form with only `artifact`, without credentials. It must be accepted.
#[shows(rows::UNAUTHENTICATED)]
async fn a_form_with_a_zip_is_enough(probe: &Probe<'_>) -> Checked {
    dropped(probe, Which::Plain).await?.answer.expect_accepted(ACCEPTED, RECEIPT)
}

/// Uploads a form with only `source`. It must return 400.
#[rejects(rows::ARTIFACT_REQUIRED)]
async fn form_without_artifact_is_rejected(probe: &Probe<'_>) -> Checked {
    counterpart(probe).await?;
    let form = Form::new(probe).field("source", "assay");
    send(probe, form.request(probe)).await?.expect_refused()
}

/// Uploads zips with a `source` of at most 64 allowed characters. Each must be accepted.
#[shows(rows::SOURCE_TAKEN, uses_up)]
async fn valid_source_is_accepted(probe: &Probe<'_>) -> Checked {
    ordinary(probe).await?;
    if probe.owns_time() {
        return each_source_is_accepted(probe).await;
    }
    dropped(probe, Which::Second).await?.answer.expect_accepted(ACCEPTED, RECEIPT)
}

/// Uploads zips with a `source` that is too long or has other characters. Each must be accepted. On a shared target an upload that
/// checks share anyway has one with all of that.
#[shows(rows::SOURCE_IGNORED, uses_up)]
async fn invalid_source_is_ignored(probe: &Probe<'_>) -> Checked {
    if probe.owns_time() {
        ordinary(probe).await?;
        return each_source_is_accepted(probe).await;
    }
    let found = dropped(probe, Which::Rich).await?;
    found.expect_with(probe, &[IGNORED_SOURCE], IGNORED_SOURCE).await
}

async fn each_source_is_accepted(probe: &Probe<'_>) -> Checked {
    for source in probe.uncommon_values() {
        let value = source.instead_of(&Value::Null).unwrap_or_default();
        let form = Form::with_zip(probe, &Sample::page(probe).zip());
        let form = form.field("source", value.as_str().unwrap_or_default());
        let answer = send(probe, form.request(probe)).await?;
        answer.expect_not_malformed("source", source)?;
        answer.expect_accepted(ACCEPTED, RECEIPT)?;
    }
    Ok(())
}

/// Why a form of a zip cannot be judged.
const PLAIN_IS_WRONG: &str = "the CID of a plain upload is not that of its files; other checks judge that";

/// The uploads of a check that are sent before an hour passes: an address has ten uploads in it.
const PER_HOUR: usize = 6;

/// Before the `n`th upload, from 0: lets the hour pass in a world of its own that has had enough of them.
pub(super) async fn next_hour(probe: &Probe<'_>, n: usize) -> Checked {
    if n % PER_HOUR == PER_HOUR - 1 && probe.owns_time() {
        probe.advance(Duration::from_millis(HOUR as u64)).await?;
    }
    Ok(())
}

/// Uploads a site in each form that ordinary programs give a zip and the form around it: sizes behind the data, entries of
/// folders, a comment, attributes of DOS or none, extra fields, other media types, `source` first. Each must be accepted, with
/// the CID of the same files. On a shared target two uploads that checks share anyway take them all.
#[shows(rows::FORMS, after(rows::SOURCE_TAKEN))]
async fn ordinary_forms_of_a_zip_are_accepted(probe: &Probe<'_>) -> Checked {
    if !probe.owns_time() {
        let found = dropped(probe, Which::Second).await?;
        let forms: Vec<&str> = ALL_FORMS.into_iter().chain([Which::Second.media_type(probe)]).collect();
        let what = format!("a zip with {}", forms.join(", "));
        found.expect_with(probe, &forms, &what).await?;
        if !cid::is_of(probe, &found.answer, &found.sample)? {
            let plain = ordinary(probe).await?;
            probe.given(cid::is_of(probe, &plain.answer, &plain.sample)?, PLAIN_IS_WRONG)?;
        }
        cid::expect_of(probe, &found.answer, &found.sample, &what)?;
        let other = Which::Rich.media_type(probe);
        let rich = dropped(probe, Which::Rich).await?;
        return rich.expect_with(probe, &[other], &format!("a zip with {other}")).await;
    }
    let plain = ordinary(probe).await?;
    plain.answer.expect_accepted(ACCEPTED, RECEIPT)?;
    let is_right = cid::is_of(probe, &plain.answer, &plain.sample)?;
    probe.given(is_right, PLAIN_IS_WRONG)?;
    for (n, form) in probe.uncommon_values().enumerate() {
        next_hour(probe, n).await?;
        let sample = Sample::plain(&Sample::label(probe));
        let source = (form.name == forms::SOURCE_FIRST).then_some(SOURCE);
        let request = Form::shaped(probe, &sample.entries(), &[form.name], source).request(probe);
        let answer = send(probe, request).await?;
        answer.expect_not_malformed("a zip", form)?;
        answer.expect_accepted(ACCEPTED, RECEIPT)?;
        cid::expect_of(probe, &answer, &sample, &format!("a zip with {}", form.name))?;
    }
    Ok(())
}

/// Uploads a site as a zip with 64-bit records, as streaming programs write it. It must be accepted, with the CID of the same
/// files. On a shared target an upload that checks share anyway has this form.
#[shows(rows::ZIP64)]
async fn a_zip_with_64_bit_records_is_accepted(probe: &Probe<'_>) -> Checked {
    const WHAT: &str = "a zip with 64-bit records";
    if probe.owns_time() {
        let plain = ordinary(probe).await?;
        let is_right = cid::is_of(probe, &plain.answer, &plain.sample)?;
        probe.given(is_right, PLAIN_IS_WRONG)?;
        let sample = Sample::plain(&Sample::label(probe));
        let answer =
            send(probe, Form::shaped(probe, &sample.entries(), &[forms::ZIP64], None).request(probe)).await?;
        answer.expect_accepted(ACCEPTED, RECEIPT)?;
        return cid::expect_of(probe, &answer, &sample, WHAT);
    }
    dropped(probe, Which::Rich).await?.expect_with(probe, &[forms::ZIP64], WHAT).await
}

/// Sends what a page of another origin sends: an upload and a form without a zip, and before it the question of a browser
/// whether it may (`OPTIONS`). No response may have the header that lets the page read it. On a shared target an upload that checks
/// share anyway has that origin.
#[shows(rows::NO_CORS)]
async fn cors_is_not_enabled(probe: &Probe<'_>, place: Place) -> Checked {
    const ALLOWED: &str = "access-control-allow-origin";
    let mut answers = Vec::new();
    if PREFLIGHT.contains(&place) {
        dropped(probe, Which::Second).await?.answer.given_accepted(ACCEPTED, RECEIPT)?;
        let question = Form::new(probe).request(probe);
        let question = Request::new("OPTIONS", &question.target)
            .header("Origin", ELSEWHERE)
            .header("Access-Control-Request-Method", "POST");
        answers.push(probe.send_with(SITE, question, address(probe), patient()).await?);
    } else if probe.owns_time() {
        let form = Form::with_zip(probe, &Sample::page(probe).zip()).request(probe);
        let accepted = send(probe, form.header("Origin", ELSEWHERE)).await?;
        accepted.given_accepted(ACCEPTED, RECEIPT)?;
        let empty = Form::new(probe).field("source", "assay").request(probe);
        answers.extend([accepted, send(probe, empty.header("Origin", ELSEWHERE)).await?]);
    } else {
        let found = dropped(probe, Which::Second).await?;
        found.answer.given_accepted(ACCEPTED, RECEIPT)?;
        let has_origin = found.forms.contains(&ORIGIN);
        let is_rejected = found.rejected_with(ORIGIN).is_some();
        let why =
            "the upload with an origin also has forms that the target rejects; another check judges these";
        probe.conclusive(has_origin || is_rejected, why)?;
        // A server may reject what comes from a page of another origin.
        let rejection = if is_rejected { Some(found.rejection(probe).await?) } else { None };
        answers.push(rejection.unwrap_or(found.answer));
    }
    for answer in answers {
        let allowed = answer.response.header(ALLOWED);
        let got = allowed.unwrap_or("none").to_owned();
        answer.expect(allowed.is_none(), At::header(ALLOWED), "none", got)?;
    }
    Ok(())
}

/// Makes the publish fail, which must return 500, and sends the same upload again. The second must be accepted.
#[rejects(rows::PUBLISH_FAILED, needs(Faults))]
async fn failed_upload_can_be_retried(probe: &Probe<'_>) -> Checked {
    let zip = Sample::page(probe).zip();
    upload(probe, &zip).await?.counterpart_accepted(ACCEPTED, RECEIPT)?;
    let request = Form::with_zip(probe, &zip).request(probe);
    probe.faults(json!([{ "fault": "drop.publish-fails" }])).await?;
    let failed = send_any(probe, request.clone(), address(probe)).await?;
    probe.faults(json!([])).await?;
    failed.expect_refused()?;
    send_any(probe, request, address(probe)).await?.expect_accepted(ACCEPTED, RECEIPT)
}

/// Uploads while drops are busy, over budget and disabled. Each must return 503. Without a control API, uploads to the
/// profile's instance that has paused drops.
#[rejects(rows::PAUSED, needs(Faults), or_given("[drop] paused_url", |settings| settings.drop().has_paused))]
async fn paused_drops_return_503(probe: &Probe<'_>) -> Checked {
    let zip = Sample::page(probe).zip();
    if probe.settings.drop().has_paused {
        counterpart(probe).await?;
        let request = Form::with_zip(probe, &zip).request_to(probe, PAUSED);
        let answer = probe.send_with(PAUSED, request, address(probe), patient()).await?;
        let is_paused = !ACCEPTED.contains(&answer.status());
        probe.found(is_paused, "the instance accepts an upload, so it is not paused ([drop] paused_url)")?;
        return answer.expect_refused();
    }
    upload(probe, &zip).await?.counterpart_accepted(ACCEPTED, RECEIPT)?;
    for cause in ["drop.busy", "drop.budget", "drop.disabled"] {
        probe.faults(json!([{ "fault": cause }])).await?;
        let paused = send_any(probe, Form::with_zip(probe, &zip).request(probe), address(probe)).await;
        probe.faults(json!([])).await?;
        paused?.expect_refused()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_has_the_maximum_length_and_every_allowed_kind() {
        assert_eq!(SOURCE.len(), 64);
        assert!(assay_spec::drop::source::is_valid(SOURCE));
        assert!(" _.:/@-".chars().all(|sign| SOURCE.contains(sign)));
    }
}
