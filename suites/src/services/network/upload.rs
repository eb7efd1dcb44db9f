//! Uploads, and where their files are found.

use assay_spec::cid::{self, Layout};
use assay_spec::crypto::text;
use assay_spec::network::storage as endpoints;
use assay_spec::network::values::{FIELDS_FIRST, NO_BYTES, NO_TYPE};

use super::caller::{Caller, caller};
use super::scene::{another, look, read, status};
use super::wire::{Call, PRIMARY};
use super::{ACCEPTED, CREATED};
use crate::harness::check::{Checked, Stop};
use crate::harness::probe::{Answer, Probe};
use crate::http::exchange::Request;
use crate::http::multipart::Form;

/// An upload form, and how its file is signed.
pub(crate) struct Upload {
    pub(crate) caller: Caller,
    pub(crate) bytes: Vec<u8>,
    pub(crate) content_type: String,
    file_name: &'static str,
    pub(crate) channel: Option<String>,
    pub(crate) tags: Option<String>,
    /// The form of the upload, if it is not the usual one.
    pub(super) shape: &'static str,
    /// Replaces the file's own signature, if set.
    pub(crate) signature: Option<String>,
}

impl Upload {
    /// A new file.
    pub(crate) fn new(probe: &Probe<'_>, caller: &Caller) -> Upload {
        let label = text::hex(&probe.draw("file"));
        // Every byte value, line ends of both kinds, and blanks at the end.
        let bytes = (0..=255).chain(*b"\r\n\n\r").chain(label.bytes()).chain(*b" \n").collect();
        Upload {
            caller: caller.clone(),
            bytes,
            content_type: "text/css".to_owned(),
            file_name: "check.css",
            channel: None,
            tags: None,
            shape: "",
            signature: None,
        }
    }

    /// A new picture of more than a chunk of 262144 bytes, whose file name has letters beyond ASCII.
    pub(crate) fn picture(probe: &Probe<'_>, caller: &Caller) -> Upload {
        let mut upload = Upload::new(probe, caller);
        upload.bytes = upload.bytes.repeat(1_000);
        "image/png".clone_into(&mut upload.content_type);
        upload.file_name = "my caf\u{e9} \u{1f680} (1).png";
        upload
    }

    /// The signature of a file's hash: its SHA-256 in hexadecimal, signed as a string.
    pub(crate) fn sign(&self) -> String {
        self.caller.sign_bytes(text::sha256_hex(&self.bytes).as_bytes())
    }

    pub(super) fn form(&self, probe: &Probe<'_>) -> Form {
        let form = Form::new(&probe.draw("boundary"));
        let file = |form: Form| match self.shape {
            NO_TYPE => form.bare_file("file", self.file_name, &self.bytes),
            _ => form.file("file", self.file_name, &self.content_type, &self.bytes),
        };
        let fields = |form: Form| self.fields(form.field("address", &self.caller.address));
        if self.shape == FIELDS_FIRST { file(fields(form)) } else { fields(file(form)) }
    }

    /// The same in another form.
    pub(super) fn shaped(self, shape: &'static str) -> Upload {
        let bytes = if shape == NO_BYTES { Vec::new() } else { self.bytes };
        Upload { bytes, shape, ..self }
    }

    /// The fields after file and address.
    pub(super) fn fields(&self, form: Form) -> Form {
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
pub(super) fn call(body: impl FnOnce(Request) -> Request) -> Call {
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

/// Uploads the same bytes for two new owners.
pub(super) async fn of_equal_bytes(probe: &Probe<'_>) -> Result<(Stored, Stored), Stop> {
    let one = stored(probe, &caller(probe)).await?;
    let bytes = one.upload.bytes.clone();
    let other = uploaded(probe, Upload { bytes, ..Upload::new(probe, &caller(probe)) }).await?;
    probe.given(one.hash != other.hash, "two uploads of two owners have one hash")?;
    Ok((one, other))
}

/// Expects that a STORE was neither forgotten nor removed, and that the public address serves its file.
pub(super) async fn expect_remains(probe: &Probe<'_>, stored: &Stored) -> Checked {
    let answer = look(probe, &stored.hash).await?;
    let state = status(&answer);
    let remains = answer.status() == 200 && !["removing", "removed", "forgotten"].contains(&state.as_str());
    let got = format!("{} {state}", answer.status());
    answer.expect(remains, "the other STORE", "200, and as it was", got)?;
    let is_there = is_readable(probe, PRIMARY, stored, &stored.names(probe).await?).await?;
    let got = if is_there { "200" } else { "no file" };
    probe.expect(is_there, "the file of the other STORE", "200, with its bytes", got)
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

/// A name of the same form that no file has: the identifier of other bytes, or another hash.
pub(super) fn unknown(probe: &Probe<'_>, name: &str) -> Result<String, Stop> {
    if name.parse::<cid::Cid>().is_err() {
        return Ok(another(name));
    }
    let bytes = probe.draw("never uploaded");
    let summary = cid::of_file(&&bytes[..], &Layout::default(), &cid::Discard);
    summary.map(|summary| summary.cid.to_string()).map_err(|e| Stop::Error(e.to_string()))
}
