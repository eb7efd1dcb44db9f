//! What exploration sends: sites in each form that programs give them, broken ones, and reads of what was uploaded.

use std::time::Duration;

use assay_spec::drop::requirements::upload as rows;

use super::archive::{compressed, directory, file, link, zip};
use super::form::Form;
use super::samples::{INDEX, Sample};
use super::{address, patient, send_any};
use crate::harness::check::Checked;
use crate::harness::explore::{Command, Side, commands};

pub(super) const COMMANDS: &[Command] = commands! {
    "upload" 4 writes upload;
    "upload-odd" 4 writes upload_odd;
    "fetch" 3 reads fetch;
    "wait" 1 moves wait;
    "fault" 1 moves Side::fault;
};

/// The URL of a site, and the page at its root.
struct Site {
    url: String,
}

async fn upload(side: &Side<'_>) -> Checked {
    let label = Sample::label(side.probe);
    let sample = *side.pick(&[Sample::plain, Sample::rich]);
    let sample = sample(&label);
    let forms = rows::FORMS.accepted;
    let form = side.pick(forms).name;
    let source = side.one_in(2).then_some("assay");
    let form = Form::shaped(side.probe, &sample.entries(), &[form], source);
    let answer = send_any(side.probe, form.request(side.probe), address(side.probe)).await?;
    if let Some(url) = answer.json()["url"].as_str() {
        side.keep(Site { url: url.to_owned() });
    }
    Ok(())
}

/// A site with one fault, or a form with one.
async fn upload_odd(side: &Side<'_>) -> Checked {
    let sample = Sample::plain(&Sample::label(side.probe));
    let mut entries = sample.entries();
    let name = *side.pick(&[
        "../up.txt",
        "/root.txt",
        "a\\b.txt",
        "C:\\a.txt",
        "a/../b.txt",
        "./c.txt",
        "a//b",
        "",
        INDEX,
        "INDEX.HTML",
    ]);
    let cut = side.below(400);
    side.odd();
    let bytes = match side.below(7) {
        0 => {
            entries.push(file(name, "odd"));
            zip(&entries)
        }
        1 => {
            entries.push(link("link.txt", name));
            zip(&entries)
        }
        2 => {
            let bytes = zip(&entries);
            bytes[..bytes.len().saturating_sub(1 + cut)].to_vec()
        }
        3 => {
            let mut bytes = zip(&entries);
            let at = cut % bytes.len();
            bytes[at] ^= 1;
            bytes
        }
        4 => zip(&[compressed("about.html", "<p>no page at the root</p>"), directory("assets")]),
        5 => zip(&[]),
        _ => Vec::new(),
    };
    let form = match side.below(6) {
        0 => Form::new(side.probe).field("source", "assay"),
        1 => Form::with_zip(side.probe, &bytes).field("source", &"x".repeat(65)),
        _ => Form::with_zip(side.probe, &bytes),
    };
    send_any(side.probe, form.request(side.probe), address(side.probe)).await.map(drop)
}

async fn fetch(side: &Side<'_>) -> Checked {
    let Some(site) = side.any::<Site>() else { return Ok(()) };
    side.probe.fetch(&site.url, patient()).await.map(drop)
}

async fn wait(side: &Side<'_>) -> Checked {
    let seconds = *side.pick(&[60, 3_700, 90_000]);
    side.probe.advance(Duration::from_secs(seconds)).await
}
