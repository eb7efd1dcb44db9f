//! Multipart forms held in memory.

use std::convert::Infallible;

use bytes::{Bytes, BytesMut};
use futures_util::{FutureExt, stream};
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use multer::{Field, Multipart};

/// The maximum number of parts of a form.
const PARTS: usize = 1_000;

/// A part of a form.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// The field's name; empty if it has none.
    pub(crate) name: String,
    /// Its file name, if it has one.
    pub(crate) file_name: Option<String>,
    /// Its content type as sent, if it is a valid string.
    pub(crate) content_type: Option<String>,
    /// Its bytes.
    pub(crate) bytes: Bytes,
}

/// Reads a form's parts. The error says why the body is not a form, or where it is malformed.
pub(crate) fn parts(headers: &HeaderMap, body: &Bytes) -> Result<Vec<Part>, String> {
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let boundary = multer::parse_boundary(content_type.unwrap_or_default());
    let boundary = boundary.map_err(|e| format!("not a multipart form: {e}"))?;
    let whole = stream::iter([Ok::<_, Infallible>(body.clone())]);
    // All bytes are present, so this never waits.
    read(Multipart::new(whole, boundary))
        .now_or_never()
        .unwrap_or_else(|| Err("the form is not terminated".to_owned()))
        .map_err(|e| format!("malformed form: {e}"))
}

async fn read(mut multipart: Multipart<'_>) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    while let Some(field) = multipart.next_field().await.map_err(|e| e.to_string())? {
        if parts.len() == PARTS {
            return Err(format!("more than {PARTS} parts"));
        }
        let name = field.name().unwrap_or_default().to_owned();
        let file_name = field.file_name().map(str::to_owned);
        let content_type = field.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let content_type = content_type.map(str::to_owned);
        let bytes = whole(field).await.map_err(|e| e.to_string())?;
        parts.push(Part { name, file_name, content_type, bytes });
    }
    Ok(parts)
}

/// The bytes of a field. One that arrives as a whole, as long ones do, is not copied.
async fn whole(mut field: Field<'_>) -> multer::Result<Bytes> {
    let first = field.chunk().await?.unwrap_or_default();
    let Some(second) = field.chunk().await? else { return Ok(first) };
    let mut whole = BytesMut::from(first);
    whole.extend_from_slice(&second);
    while let Some(next) = field.chunk().await? {
        whole.extend_from_slice(&next);
    }
    Ok(whole.freeze())
}
