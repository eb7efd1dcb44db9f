//! Checks of the root page and of the interface version.

use assay_spec::metadata::requirements::root as rows;

use super::wire::{fixtures, get};
use crate::harness::check::{Checked, Stop, shows};
use crate::harness::data::At;
use crate::harness::probe::Probe;

/// Fetches `/`. It must return 200 with `text/html` and a body that is not JSON.
#[shows(rows::HTML)]
async fn root_is_an_html_document(probe: &Probe<'_>) -> Checked {
    let answer = get(probe, "/").await?;
    answer.expect_status(&[200])?;
    let came = answer.response.header("content-type").unwrap_or("none");
    let essence = came.split(';').next().unwrap_or_default().trim();
    answer.expect(
        essence.eq_ignore_ascii_case("text/html"),
        At::header("content-type"),
        "text/html",
        came,
    )?;
    let is_text = answer.response.json().is_err() && !answer.response.body.is_empty();
    answer.expect(is_text, "body", "HTML, not JSON", answer.response.text())
}

/// Fetches the interface description at the profile's path. `info.version` must be `0.1.0`.
#[shows(rows::VERSION)]
async fn interface_version_is_0_1_0(probe: &Probe<'_>) -> Checked {
    let Some(path) = fixtures(probe).await.interface_path else {
        let why = "the profile names no interface description ([metadata.readings] interface_path)";
        return Err(Stop::NotApplicable(why.to_owned()));
    };
    let answer = get(probe, &path).await?;
    answer.given_status(&[200])?;
    answer.expect_json("/info/version", "\"0.1.0\"", |version| version == "0.1.0").map(drop)
}
