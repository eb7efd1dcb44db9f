//! The multipart form of an upload.

use assay_spec::Refused;
use assay_spec::drop::requirements::upload::ARTIFACT_REQUIRED;
use assay_spec::drop::upload::{ARTIFACT, SOURCE};
use bytes::Bytes;
use http::HeaderMap;

use crate::form;

/// The fields of the form.
#[derive(Debug, Default)]
pub(super) struct Form {
    /// The zip: the first field of that name.
    pub(super) artifact: Option<Bytes>,
    /// The source as sent: the first field of that name that is a string.
    pub(super) source: Option<String>,
}

/// Reads a form. A body that is not a form has no artifact.
pub(super) fn read(headers: &HeaderMap, body: &Bytes) -> Result<Form, Refused> {
    let parts = form::parts(headers, body).map_err(|why| Refused { rule: &ARTIFACT_REQUIRED, why })?;
    let mut form = Form::default();
    for part in parts {
        match part.name.as_str() {
            ARTIFACT if form.artifact.is_none() => form.artifact = Some(part.bytes),
            SOURCE if form.source.is_none() => form.source = String::from_utf8(part.bytes.into()).ok(),
            _ => {}
        }
    }
    Ok(form)
}
