//! The multipart form of an upload.

use std::convert::Infallible;

use assay_spec::Refused;
use assay_spec::drop::requirements::upload::ARTIFACT_REQUIRED;
use assay_spec::drop::upload::{ARTIFACT, SOURCE};
use bytes::Bytes;
use futures_util::{FutureExt, stream};
use http::HeaderMap;
use multer::Multipart;

/// What stands in the form.
#[derive(Debug, Default)]
pub(super) struct Form {
    /// The zip; the first field of that name.
    pub(super) artifact: Option<Bytes>,
    /// Where it comes from, as sent; the first field of that name that is text.
    pub(super) source: Option<String>,
}

/// Reads a form. What is no form has no artifact.
pub(super) fn read(headers: &HeaderMap, body: &Bytes) -> Result<Form, Refused> {
    let refused = |why: String| Refused { rule: &ARTIFACT_REQUIRED, why };
    let content_type = headers.get(http::header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let boundary = multer::parse_boundary(content_type.unwrap_or_default());
    let boundary = boundary.map_err(|e| refused(format!("no multipart form: {e}")))?;
    let whole = stream::iter([Ok::<_, Infallible>(body.clone())]);
    // All bytes are there, so that nothing is ever waited for.
    fields(Multipart::new(whole, boundary))
        .now_or_never()
        .unwrap_or_else(|| Err("the form never ends".to_owned()))
        .map_err(|e| refused(format!("a broken form: {e}")))
}

async fn fields(mut multipart: Multipart<'_>) -> Result<Form, String> {
    let mut form = Form::default();
    while let Some(field) = multipart.next_field().await.map_err(|e| e.to_string())? {
        let name = field.name().unwrap_or_default().to_owned();
        let bytes = field.bytes().await.map_err(|e| e.to_string())?;
        match name.as_str() {
            ARTIFACT if form.artifact.is_none() => form.artifact = Some(bytes),
            SOURCE if form.source.is_none() => form.source = String::from_utf8(bytes.into()).ok(),
            _ => {}
        }
    }
    Ok(form)
}
