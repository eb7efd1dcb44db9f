//! The multipart form of an upload.

use assay_spec::Refused;
use assay_spec::drop::requirements::upload::ARTIFACT_REQUIRED;
use assay_spec::drop::upload::{ARTIFACT, SOURCE};
use assay_spec::drop::zip::forms;
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
    /// The forms of the part with the zip.
    pub(super) forms: Vec<&'static str>,
}

/// Reads a form. A body that is not a form has no artifact.
pub(super) fn read(headers: &HeaderMap, body: &Bytes) -> Result<Form, Refused> {
    let parts = form::parts(headers, body).map_err(|why| Refused { rule: &ARTIFACT_REQUIRED, why })?;
    let mut form = Form::default();
    for part in parts {
        match part.name.as_str() {
            ARTIFACT if form.artifact.is_none() => {
                let is_of = |kind: &&str| part.content_type.as_deref() == Some(forms::media_type(kind));
                form.forms.extend([forms::WINDOWS_TYPE, forms::NO_TYPE].into_iter().find(is_of));
                form.forms.extend(form.source.is_some().then_some(forms::SOURCE_FIRST));
                let is_named = part.file_name.as_deref().is_some_and(|name| !name.is_ascii());
                form.forms.extend(is_named.then_some(forms::FILE_NAME));
                form.artifact = Some(part.bytes);
            }
            SOURCE if form.source.is_none() => form.source = String::from_utf8(part.bytes.into()).ok(),
            _ => {}
        }
    }
    Ok(form)
}
