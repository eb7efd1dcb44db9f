//! Multipart forms that lie in memory.

use std::convert::Infallible;

use bytes::Bytes;
use futures_util::{FutureExt, stream};
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use multer::Multipart;

/// Parts of a form at most.
const PARTS: usize = 1_000;

/// A part of a form.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// The field's name; empty where it has none.
    pub(crate) name: String,
    /// Its content type as sent, where that is text.
    pub(crate) content_type: Option<String>,
    /// Its bytes.
    pub(crate) bytes: Bytes,
}

/// Reads a form's parts; the error tells why there is no form, or where it breaks.
pub(crate) fn parts(headers: &HeaderMap, body: &Bytes) -> Result<Vec<Part>, String> {
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let boundary = multer::parse_boundary(content_type.unwrap_or_default());
    let boundary = boundary.map_err(|e| format!("no multipart form: {e}"))?;
    let whole = stream::iter([Ok::<_, Infallible>(body.clone())]);
    // All bytes are there, so that nothing is ever waited for.
    read(Multipart::new(whole, boundary))
        .now_or_never()
        .unwrap_or_else(|| Err("the form never ends".to_owned()))
        .map_err(|e| format!("a broken form: {e}"))
}

async fn read(mut multipart: Multipart<'_>) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    while let Some(field) = multipart.next_field().await.map_err(|e| e.to_string())? {
        if parts.len() == PARTS {
            return Err(format!("more than {PARTS} parts"));
        }
        let name = field.name().unwrap_or_default().to_owned();
        let content_type = field.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let content_type = content_type.map(str::to_owned);
        let bytes = field.bytes().await.map_err(|e| e.to_string())?;
        parts.push(Part { name, content_type, bytes });
    }
    Ok(parts)
}
