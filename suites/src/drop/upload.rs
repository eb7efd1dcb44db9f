//! The upload itself: what a form needs, what it need not have, and when nothing is taken.

use assay_spec::drop::requirements::upload as rows;
use serde_json::json;

use super::form::Form;
use super::samples::Sample;
use super::{ACCEPTED, Which, address, counterpart, dropped, ordinary, send, send_any, upload};
use crate::check::{Check, Checked, Need};
use crate::probe::Probe;
use crate::{refuses, shows};

pub(super) const CHECKS: &[Check] = &[
    shows!(rows::UNAUTHENTICATED, a_form_with_a_zip_is_enough).drops(1, 1).writes(1),
    refuses!(rows::ARTIFACT_REQUIRED, a_form_without_an_artifact_is_refused).drops(2, 2).writes(2),
    shows!(rows::SOURCE_TAKEN, a_source_of_64_listed_characters_is_taken).drops(2, 2).writes(2),
    shows!(rows::SOURCE_IGNORED, any_other_source_is_ignored).drops(3, 3).writes(3),
    shows!(rows::NO_CORS, no_other_origin_may_read_the_answer).drops(1, 1).writes(1),
    refuses!(rows::PUBLISH_FAILED, a_failed_upload_can_be_sent_again)
        .drops(3, 3)
        .writes(3)
        .needs(&[Need::Faults]),
    refuses!(rows::PAUSED, paused_drops_are_unavailable).drops(4, 4).writes(4).needs(&[Need::Faults]),
];

/// 64 characters, of every listed kind.
pub(super) const SOURCE: &str = "assay: AZaz09 _.:/@- /a-source.of@sixty_four/characters:in-all-0";

async fn a_form_with_a_zip_is_enough(probe: &Probe<'_>) -> Checked {
    dropped(probe, Which::Plain).await?.answer.expect_status(ACCEPTED)
}

async fn a_form_without_an_artifact_is_refused(probe: &Probe<'_>) -> Checked {
    counterpart(probe).await?;
    let form = Form::new(probe).field("source", "assay");
    send(probe, form.request(probe)).await?.expect_status(&[400])
}

async fn a_source_of_64_listed_characters_is_taken(probe: &Probe<'_>) -> Checked {
    ordinary(probe).await?;
    dropped(probe, Which::Second).await?.answer.expect_status(ACCEPTED)
}

async fn any_other_source_is_ignored(probe: &Probe<'_>) -> Checked {
    ordinary(probe).await?;
    for source in ["x".repeat(65), "<script>".to_owned()] {
        let form = Form::of(probe, &Sample::page(probe).zip()).field("source", &source);
        send(probe, form.request(probe)).await?.expect_status(ACCEPTED)?;
    }
    Ok(())
}

async fn no_other_origin_may_read_the_answer(probe: &Probe<'_>) -> Checked {
    let form = Form::of(probe, &Sample::page(probe).zip());
    let request = form.request(probe).header("Origin", "https://elsewhere.example");
    let answer = send(probe, request).await?;
    answer.given_status(ACCEPTED)?;
    let allowed = answer.response.header("access-control-allow-origin");
    let got = allowed.unwrap_or("none").to_owned();
    answer.expect(allowed.is_none(), "header access-control-allow-origin", "none", got)
}

async fn a_failed_upload_can_be_sent_again(probe: &Probe<'_>) -> Checked {
    let zip = Sample::page(probe).zip();
    upload(probe, &zip).await?.counterpart_status(ACCEPTED)?;
    let request = Form::of(probe, &zip).request(probe);
    probe.faults(json!([{ "fault": "drop.publish-fails" }])).await?;
    let failed = send_any(probe, request.clone(), address(probe)).await?;
    probe.faults(json!([])).await?;
    failed.expect_status(&[500])?;
    send_any(probe, request, address(probe)).await?.expect_status(ACCEPTED)
}

async fn paused_drops_are_unavailable(probe: &Probe<'_>) -> Checked {
    let zip = Sample::page(probe).zip();
    upload(probe, &zip).await?.counterpart_status(ACCEPTED)?;
    for cause in ["drop.busy", "drop.budget", "drop.disabled"] {
        probe.faults(json!([{ "fault": cause }])).await?;
        let paused = send_any(probe, Form::of(probe, &zip).request(probe), address(probe)).await;
        probe.faults(json!([])).await?;
        paused?.expect_status(&[503])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_source_that_must_be_taken_is_at_its_limit_and_has_every_listed_sign() {
        assert_eq!(SOURCE.len(), 64);
        assert!(assay_spec::drop::source::is_valid(SOURCE));
        assert!(" _.:/@-".chars().all(|sign| SOURCE.contains(sign)));
    }
}
