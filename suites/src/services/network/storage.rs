//! Files: what an upload form needs, and that a file comes back unchanged.

use assay_spec::crypto::text;
use assay_spec::network::requirements::{info, storage as rows};
use assay_spec::network::values::AGAIN;
use serde_json::json;

use super::caller::caller;
use super::replies::{expect_hash, is_text};
use super::scene::read;
use super::signing::verified;
use super::upload::{Stored, Upload, Way, call, fetch, stored, unknown, uploaded};
use super::{ACCEPTED, CREATED, scene};
use crate::harness::check::{Checked, Stop, rejects, shows};
use crate::harness::data::At;
use crate::harness::probe::{Answer, Probe};
use crate::http::exchange::Request;
use crate::http::multipart::Form;

/// Uploads a file. It must be accepted, with the `item_hash` of its message and `status` `success`.
#[shows(rows::STORED, after(info::PREFIX))]
async fn upload_returns_a_hash_and_success(probe: &Probe<'_>) -> Checked {
    let sender = caller(probe);
    let answer = Upload::new(probe, &sender).send(probe).await?;
    answer.expect_status(ACCEPTED)?;
    answer.expect_json("/item_hash", "a string that is not empty", is_text)?;
    answer.expect_json("/status", "\"success\"", |status| status == "success")?;
    // A node may name a file by its content: the table of endpoints does not say whose hash an upload returns.
    let returned = answer.json()["item_hash"].clone();
    expect_hash(probe, &answer, &sender, |record| record["content"]["item_hash"] != returned).await
}

/// Uploads a file and downloads it. Notes which of its names was found.
async fn stored_and_fetched<'p>(
    probe: &'p Probe<'_>,
    way: Way,
    upload: Upload,
) -> Result<(Stored, Answer<'p>), Stop> {
    let stored = uploaded(probe, upload).await?;
    let names = stored.names(probe).await?;
    let (answer, name) = fetch(probe, way, &names).await?;
    let which = if name == stored.hash { "its message" } else { "its content" };
    probe.note(format!("the file is found by the hash of {which}"));
    Ok((stored, answer))
}

/// Expects the bytes of an upload.
fn expect_bytes(answer: &Answer<'_>, upload: &Upload) -> Checked {
    answer.expect_status(&[200])?;
    let (want, got) = (&upload.bytes, &answer.response.body);
    let shown = |bytes: &[u8]| format!("{} bytes, SHA-256 {}", bytes.len(), text::sha256_hex(bytes));
    answer.expect(want == got, "body", shown(want), shown(got))
}

/// Uploads a style sheet and a picture of several chunks, both with every byte value, and a file of one byte, and downloads them. The bytes
/// must be the same.
#[shows(rows::CONTENT)]
async fn a_file_comes_back_as_it_was(probe: &Probe<'_>) -> Checked {
    let sender = caller(probe);
    let mut small = Upload::new(probe, &sender);
    small.bytes = probe.draw("one byte")[..1].to_vec();
    for upload in [Upload::new(probe, &sender), Upload::picture(probe, &sender), small] {
        let (stored, answer) = stored_and_fetched(probe, Way::Plain, upload).await?;
        expect_bytes(&answer, &stored.upload)?;
    }
    Ok(())
}

/// Uploads a file as `text/css` and one as `image/svg+xml`, and downloads both. Each must have its content type;
/// parameters such as a charset are ignored.
#[shows(rows::CONTENT_TYPE)]
async fn a_file_comes_back_with_its_content_type(probe: &Probe<'_>) -> Checked {
    for content_type in ["text/css", "image/svg+xml"] {
        let mut upload = Upload::new(probe, &caller(probe));
        content_type.clone_into(&mut upload.content_type);
        let stored = uploaded(probe, upload).await?;
        let names = stored.names(probe).await?;
        let (answer, _) = fetch(probe, Way::Plain, &names).await?;
        answer.given_status(&[200])?;
        let got = answer.response.header("content-type").unwrap_or("none").to_owned();
        // The server may add parameters such as a charset.
        let media_type = got.split(';').next().unwrap_or_default().trim();
        let is_same = media_type.eq_ignore_ascii_case(content_type);
        answer.expect(is_same, At::header("content-type"), content_type, got.clone())?;
    }
    Ok(())
}

/// Uploads a picture of several chunks and downloads it from `/storage/raw/{hash}`. The bytes must be the same.
#[shows(rows::RAW)]
async fn a_raw_file_has_the_bytes_that_were_uploaded(probe: &Probe<'_>) -> Checked {
    let upload = Upload::picture(probe, &caller(probe));
    let (stored, answer) = stored_and_fetched(probe, Way::Raw, upload).await?;
    expect_bytes(&answer, &stored.upload)
}

/// Uploads a file and reads its message. `message.sender` must be the form's `address`.
#[shows(rows::ADDRESS)]
async fn the_sender_is_the_forms_address(probe: &Probe<'_>) -> Checked {
    let stored = stored(probe, &caller(probe)).await?;
    let answer = read(probe, &stored.hash).await?;
    let address = &stored.upload.caller.address;
    let is_sender =
        |sender: &serde_json::Value| sender.as_str().is_some_and(|text| text.eq_ignore_ascii_case(address));
    answer.expect_json("/message/sender", address, is_sender).map(drop)
}

/// Uploads a file with `channel` and reads its message. `message.channel` must be the form's.
#[shows(rows::CHANNEL)]
async fn the_channel_is_the_forms(probe: &Probe<'_>) -> Checked {
    let mut upload = Upload::new(probe, &caller(probe));
    let channel = scene::fresh_channel(probe);
    upload.channel = Some(channel.clone());
    let stored = uploaded(probe, upload).await?;
    let answer = read(probe, &stored.hash).await?;
    answer.expect_json("/message/channel", &channel, |found| *found == *channel).map(drop)
}

/// Uploads a file without `channel` and reads its message. `message.channel` must be the default channel.
#[shows(rows::CHANNEL_DEFAULT)]
async fn upload_without_a_channel_is_on_the_default_channel(probe: &Probe<'_>) -> Checked {
    let stored = stored(probe, &caller(probe)).await?;
    let answer = read(probe, &stored.hash).await?;
    let channel = &probe.settings.dialect.channel;
    answer.expect_json("/message/channel", channel, |found| *found == **channel).map(drop)
}

/// Uploads files in forms of ordinary programs: with the fields before the file and, but for `--depth quick`, without a content type,
/// without bytes, which a server may reject, and the bytes of the first file again. Each must be accepted, with the file as it was.
#[shows(rows::FORMS, after(rows::STORED, rows::CONTENT))]
async fn ordinary_forms_of_an_upload_are_accepted(probe: &Probe<'_>) -> Checked {
    let sender = caller(probe);
    let mut first = None;
    for form in probe.uncommon_values() {
        let mut upload = Upload::new(probe, &sender).shaped(form.name);
        let answer = if form.name == AGAIN {
            upload.bytes = match first.take() {
                Some(bytes) => bytes,
                None => stored(probe, &sender).await?.upload.bytes,
            };
            // Within a second, an upload of the same file is the same message: a node may want another one.
            let is_accepted = |answer: &Answer<'_>| ACCEPTED.contains(&answer.status());
            probe.polled(3, async || upload.send(probe).await, is_accepted).await?
        } else {
            upload.send(probe).await?
        };
        if answer.is_rejected_as_it_may("the form", form) {
            continue;
        }
        answer.expect_not_malformed("the form", form)?;
        answer.given_accepted(ACCEPTED, CREATED)?;
        let hash = answer.json()["item_hash"].as_str().unwrap_or_default().to_owned();
        let stored = Stored { hash, upload };
        let (answer, _) = fetch(probe, Way::Plain, &stored.names(probe).await?).await?;
        expect_bytes(&answer, &stored.upload)?;
        first.get_or_insert(stored.upload.bytes);
    }
    Ok(())
}

/// Uploads a file with `tags`. It must be accepted.
#[shows(rows::TAGS, after(info::PREFIX))]
async fn form_with_tags_is_accepted(probe: &Probe<'_>) -> Checked {
    let mut upload = Upload::new(probe, &caller(probe));
    upload.tags = Some("assay,check".to_owned());
    upload.send(probe).await?.expect_accepted(ACCEPTED, CREATED)
}

/// The valid counterpart of rejected uploads: an ordinary one, which the checks of a run share where they share the target.
async fn counterpart(probe: &Probe<'_>) -> Checked {
    let upload = Upload::new(probe, &caller(probe)).call(probe).once("counterpart store-file".to_owned());
    upload.send(probe).await?.counterpart_status(ACCEPTED)
}

/// Uploads JSON, and a form whose content type has another boundary or none. Each must be rejected; an ordinary upload
/// is accepted.
#[rejects(rows::MULTIPART)]
async fn body_that_is_not_a_form_is_rejected(probe: &Probe<'_>) -> Checked {
    counterpart(probe).await?;
    let upload = Upload::new(probe, &caller(probe));
    let body = json!({ "address": upload.caller.address, "signature": upload.sign() }).to_string();
    let as_json = call(|request| request.header("Content-Type", "application/json").body(body));
    as_json.attempt(probe).await?.expect_refused()?;
    let form = upload.form(probe).put_into(Request::new("POST", ""));
    for content_type in ["multipart/form-data; boundary=another", "multipart/form-data"] {
        let body = form.body.clone();
        let wrong = call(|request| request.header("Content-Type", content_type).body(body));
        wrong.attempt(probe).await?.expect_refused()?;
    }
    Ok(())
}

/// Uploads a form without a file. It must be rejected; an ordinary upload is accepted.
#[rejects(rows::FILE_REQUIRED)]
async fn form_without_a_file_is_rejected(probe: &Probe<'_>) -> Checked {
    counterpart(probe).await?;
    let upload = Upload::new(probe, &caller(probe));
    let form = upload.fields(Form::new(&probe.draw("boundary")).field("address", &upload.caller.address));
    call(|request| form.put_into(request)).attempt(probe).await?.expect_refused()
}

/// Uploads forms whose `address` is missing or empty. Each must be rejected; an ordinary upload is accepted.
#[rejects(rows::ADDRESS_REQUIRED)]
async fn form_without_an_address_is_rejected(probe: &Probe<'_>) -> Checked {
    counterpart(probe).await?;
    let upload = Upload::new(probe, &caller(probe));
    let file =
        || Form::new(&probe.draw("boundary")).file("file", "check.css", &upload.content_type, &upload.bytes);
    for form in [file(), file().field("address", "")] {
        let form = upload.fields(form);
        call(|request| form.put_into(request)).attempt(probe).await?.expect_refused()?;
    }
    Ok(())
}

/// Uploads a file with the signature of another file, and with a signature by another key. Each must return 400, 401 or
/// 403; an ordinary upload is accepted. An upload without a signature is sent too; whether it may be missing is left open.
/// Runs where the profile sets `verifies_signatures`.
#[rejects(rows::SIGNATURE)]
async fn signature_of_another_file_is_rejected(probe: &Probe<'_>) -> Checked {
    verified(probe)?;
    counterpart(probe).await?;
    let sender = caller(probe);
    let other = Upload::new(probe, &sender).sign();
    let mut upload = Upload::new(probe, &sender);
    upload.signature = Some(other);
    call(|request| upload.form(probe).put_into(request)).attempt(probe).await?.expect_refused()?;
    // The file's own hash, signed by another key.
    let forged = caller(probe).sign_bytes(text::sha256_hex(&upload.bytes).as_bytes());
    upload.signature = Some(forged);
    call(|request| upload.form(probe).put_into(request)).attempt(probe).await?.expect_refused()?;
    let file =
        Form::new(&probe.draw("boundary")).file("file", "check.css", &upload.content_type, &upload.bytes);
    let unsigned = file.field("address", &upload.caller.address);
    call(|request| unsigned.put_into(request)).attempt(probe).await.map(drop)
}

/// Downloads an uploaded file from `/storage/{hash}` (200), then an unknown name of the same form. The second answer
/// must be 404.
#[rejects(rows::UNKNOWN)]
async fn a_hash_without_a_file_is_not_found(probe: &Probe<'_>) -> Checked {
    no_file(probe, Way::Plain).await
}

/// Downloads an uploaded file from `/storage/raw/{hash}` (200), then an unknown name of the same form. The second
/// answer must be 404.
#[rejects(rows::UNKNOWN_RAW)]
async fn a_hash_without_a_file_is_not_found_raw(probe: &Probe<'_>) -> Checked {
    no_file(probe, Way::Raw).await
}

async fn no_file(probe: &Probe<'_>, way: Way) -> Checked {
    let stored = stored(probe, &caller(probe)).await?;
    let names = stored.names(probe).await?;
    let (answer, name) = fetch(probe, way, &names).await?;
    answer.counterpart_status(&[200])?;
    way.call(&unknown(probe, &name)?).attempt(probe).await?.expect_status(&[404])
}
