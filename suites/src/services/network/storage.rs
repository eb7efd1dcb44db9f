//! Files: what an upload form needs, and that a file comes back unchanged.

use assay_spec::cid::{self, Layout};
use assay_spec::crypto::text;
use assay_spec::network::requirements::{info, storage as rows};
use assay_spec::network::storage as endpoints;
use serde_json::json;

use super::caller::{Caller, caller};
use super::messages::another;
use super::signing::verified;
use super::wire::Call;
use super::{ACCEPTED, CREATED, messages, read};
use crate::harness::check::{Checked, Stop, rejects, shows};
use crate::harness::data::At;
use crate::harness::probe::{Answer, Probe};
use crate::http::exchange::Request;
use crate::http::multipart::Form;

/// An upload form, and how its file is signed.
pub(crate) struct Upload {
    pub(crate) caller: Caller,
    pub(crate) bytes: Vec<u8>,
    pub(crate) content_type: String,
    pub(crate) channel: Option<String>,
    pub(crate) tags: Option<String>,
    /// Replaces the file's own signature, if set.
    pub(crate) signature: Option<String>,
}

impl Upload {
    /// A new file.
    pub(crate) fn new(probe: &Probe<'_>, caller: &Caller) -> Upload {
        let label = text::hex(&probe.draw("file"));
        // Every byte value, and line ends of both kinds.
        let bytes = (0..=255).chain(*b"\r\n\n\r").chain(label.bytes()).collect();
        Upload {
            caller: caller.clone(),
            bytes,
            content_type: "text/css".to_owned(),
            channel: None,
            tags: None,
            signature: None,
        }
    }

    /// The signature of a file's hash: its SHA-256 in hexadecimal, signed as a string.
    pub(crate) fn sign(&self) -> String {
        self.caller.sign_bytes(text::sha256_hex(&self.bytes).as_bytes())
    }

    fn form(&self, probe: &Probe<'_>) -> Form {
        let file =
            Form::new(&probe.draw("boundary")).file("file", "check.css", &self.content_type, &self.bytes);
        self.fields(file.field("address", &self.caller.address))
    }

    /// The fields after file and address.
    fn fields(&self, form: Form) -> Form {
        let signature = self.signature.clone().unwrap_or_else(|| self.sign());
        let fields = [("channel", &self.channel), ("tags", &self.tags)];
        let given = fields.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
        given.fold(form.field("signature", &signature), |form, (name, value)| form.field(name, value))
    }

    /// Sends it; it should be accepted.
    pub(crate) async fn send<'p>(&self, probe: &'p Probe<'_>) -> Result<Answer<'p>, Stop> {
        self.call(probe).send(probe).await
    }

    /// The call that sends it.
    pub(crate) fn call(&self, probe: &Probe<'_>) -> Call {
        call(|request| self.form(probe).put_into(request))
    }
}

/// The call of an upload with a body of any kind.
fn call(body: impl FnOnce(Request) -> Request) -> Call {
    let mut call = Call::new(&endpoints::STORE, "POST", "/storage/store");
    call.request = body(call.request);
    call
}

/// A file that was accepted.
pub(crate) struct Stored {
    /// The hash of its STORE message.
    pub(crate) hash: String,
    pub(crate) upload: Upload,
}

impl Stored {
    /// The name of its content in its message; empty where the message has none.
    pub(crate) async fn name(&self, probe: &Probe<'_>) -> Result<String, Stop> {
        let message = read(probe, &self.hash).await?.json();
        Ok(message["message"]["content"]["item_hash"].as_str().unwrap_or_default().to_owned())
    }

    /// The names under which its file may be found: that of its content, then that of its message.
    pub(crate) async fn names(&self, probe: &Probe<'_>) -> Result<Vec<String>, Stop> {
        let name = self.name(probe).await?;
        Ok([name, self.hash.clone()].into_iter().filter(|name| !name.is_empty()).collect())
    }
}

/// Uploads an ordinary file of `caller`. If it is not accepted, the check is inconclusive.
pub(crate) async fn stored(probe: &Probe<'_>, caller: &Caller) -> Result<Stored, Stop> {
    uploaded(probe, Upload::new(probe, caller)).await
}

/// Uploads a file. If it is not accepted, the check is inconclusive.
pub(crate) async fn uploaded(probe: &Probe<'_>, upload: Upload) -> Result<Stored, Stop> {
    let answer = upload.send(probe).await?;
    answer.given_accepted(ACCEPTED, CREATED)?;
    let hash = answer.json()["item_hash"].as_str().unwrap_or_default().to_owned();
    Ok(Stored { hash, upload })
}

/// A path to a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// With its content type.
    Plain,
    /// Its bytes alone.
    Raw,
}

impl Way {
    pub(crate) fn call(self, name: &str) -> Call {
        match self {
            Way::Plain => Call::get(&endpoints::FILE, &format!("/storage/{name}")),
            Way::Raw => Call::get(&endpoints::RAW, &format!("/storage/raw/{name}")),
        }
    }
}

/// Downloads a file under the first of these names that returns 200, else under the last. Returns the name too.
pub(crate) async fn fetch<'p>(
    probe: &'p Probe<'_>,
    way: Way,
    names: &[String],
) -> Result<(Answer<'p>, String), Stop> {
    let Some((last, others)) = names.split_last() else {
        return Err(Stop::Inconclusive("the file has no name".to_owned()));
    };
    for name in others {
        let answer = way.call(name).attempt(probe).await?;
        if answer.status() == 200 {
            return Ok((answer, name.clone()));
        }
    }
    Ok((way.call(last).send(probe).await?, last.clone()))
}

/// Whether a site serves the bytes of a file at either path, under any of these names.
pub(crate) async fn is_readable(
    probe: &Probe<'_>,
    site: &str,
    stored: &Stored,
    names: &[String],
) -> Result<bool, Stop> {
    for name in names {
        if is_served(probe, site, name, |body| body == stored.upload.bytes).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a node returns a file of this name whose bytes are `right`.
pub(crate) async fn is_served(
    probe: &Probe<'_>,
    site: &str,
    name: &str,
    right: impl Fn(&[u8]) -> bool,
) -> Result<bool, Stop> {
    for way in [Way::Plain, Way::Raw] {
        let answer = way.call(name).to(site).attempt(probe).await?;
        if answer.status() == 200 && right(&answer.response.body) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Uploads a file. It must be accepted, with `item_hash` a string that is not empty and `status` `success`.
#[shows(rows::STORED, after(info::PREFIX))]
async fn upload_returns_a_hash_and_success(probe: &Probe<'_>) -> Checked {
    let answer = Upload::new(probe, &caller(probe)).send(probe).await?;
    answer.expect_status(ACCEPTED)?;
    answer.expect_json("/item_hash", "a string that is not empty", |hash| {
        hash.as_str().is_some_and(|hash| !hash.is_empty())
    })?;
    answer.expect_json("/status", "\"success\"", |status| status == "success").map(drop)
}

/// Uploads an ordinary file and downloads it. Notes which of its names was found.
async fn stored_and_fetched<'p>(probe: &'p Probe<'_>, way: Way) -> Result<(Stored, Answer<'p>), Stop> {
    let stored = stored(probe, &caller(probe)).await?;
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

/// Uploads a file with every byte value and a file of one byte, and downloads both. The bytes must be the same.
#[shows(rows::CONTENT)]
async fn a_file_comes_back_as_it_was(probe: &Probe<'_>) -> Checked {
    let (stored, answer) = stored_and_fetched(probe, Way::Plain).await?;
    expect_bytes(&answer, &stored.upload)?;
    let mut empty = Upload::new(probe, &caller(probe));
    empty.bytes = probe.draw("one byte")[..1].to_vec();
    let small = uploaded(probe, empty).await?;
    let names = small.names(probe).await?;
    expect_bytes(&fetch(probe, Way::Plain, &names).await?.0, &small.upload)
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

/// Uploads a file and downloads it from `/storage/raw/{hash}`. The bytes must be the same.
#[shows(rows::RAW)]
async fn a_raw_file_has_the_bytes_that_were_uploaded(probe: &Probe<'_>) -> Checked {
    let (stored, answer) = stored_and_fetched(probe, Way::Raw).await?;
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
    let channel = messages::fresh_channel(probe);
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

/// A name of the same form that no file has: the identifier of other bytes, or another hash.
pub(super) fn unknown(probe: &Probe<'_>, name: &str) -> Result<String, Stop> {
    if name.parse::<cid::Cid>().is_err() {
        return Ok(another(name));
    }
    let bytes = probe.draw("never uploaded");
    let summary = cid::of_file(&&bytes[..], &Layout::default(), &cid::Discard);
    summary.map(|summary| summary.cid.to_string()).map_err(|e| Stop::Error(e.to_string()))
}
