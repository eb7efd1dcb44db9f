//! Content codings. A request without `Accept-Encoding` accepts every coding (RFC 9110, section 12.5.3), so bodies are judged as
//! they are without it.

use std::io::Read;

use flate2::read::{MultiGzDecoder, ZlibDecoder};

use crate::http::client::{Limits, too_long};
use crate::http::exchange::{Broken, Response, kept};

/// The response with its body decoded. The header stays.
pub(crate) fn decoded(mut response: Response, limits: Limits) -> Result<Response, Broken> {
    let coding = response.header("content-encoding").unwrap_or_default().trim().to_ascii_lowercase();
    if response.body.is_empty() || ["", "identity"].contains(&&*coding) {
        return Ok(response);
    }
    let encoded = &response.body[..];
    let decoder: Box<dyn Read> = match &*coding {
        "gzip" | "x-gzip" => Box::new(MultiGzDecoder::new(encoded)),
        "deflate" => Box::new(ZlibDecoder::new(encoded)),
        _ => return Err(Broken::Limit(format!("the content coding {coding:?}"))),
    };
    let mut body = Vec::new();
    let read = decoder.take(limits.body_bytes as u64 + 1).read_to_end(&mut body);
    read.map_err(|_| Broken::Nonsense(format!("the body is not {coding}, as its Content-Encoding says")))?;
    if body.len() > limits.body_bytes {
        return Err(too_long("a decoded body", limits.body_bytes));
    }
    response.body = kept(body);
    Ok(response)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{GzEncoder, ZlibEncoder};

    use super::*;

    fn response(coding: &str, body: &[u8]) -> Response {
        let headers = vec![("content-encoding".to_owned(), coding.as_bytes().to_vec())];
        Response { status: 200, headers, body: body.to_vec().into() }
    }

    fn gzip(body: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(body).expect("memory");
        encoder.finish().expect("memory")
    }

    #[test]
    fn bodies_are_decoded_and_wrong_labels_are_found() {
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
        zlib.write_all(b"{}").expect("memory");
        let zlib = zlib.finish().expect("memory");
        for (coding, body) in
            [("gzip", gzip(b"{}")), ("X-GZIP", gzip(b"{}")), ("deflate", zlib), ("identity", b"{}".to_vec())]
        {
            let decoded = decoded(response(coding, &body), Limits::default()).expect(coding);
            assert_eq!(&decoded.body[..], b"{}", "{coding}");
        }
        assert!(decoded(response("br", b""), Limits::default()).is_ok());
        let broken = |coding, body: &[u8]| decoded(response(coding, body), Limits::default());
        assert!(matches!(broken("gzip", b"{}"), Err(Broken::Nonsense(_))));
        assert!(matches!(broken("gzip", &gzip(b"{}")[..12]), Err(Broken::Nonsense(_))));
        assert!(matches!(broken("br", b"x"), Err(Broken::Limit(_))));
        let limits = Limits { body_bytes: 1000, ..Limits::default() };
        let bomb = gzip(&vec![0; 1_000_000]);
        assert!(matches!(decoded(response("gzip", &bomb), limits), Err(Broken::Limit(_))));
    }
}
