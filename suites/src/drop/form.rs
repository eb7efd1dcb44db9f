//! Multipart forms, written by hand.

use assay_spec::crypto::text;

use crate::exchange::Request;
use crate::probe::Probe;

/// A form: its parts in order.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    boundary: String,
    body: Vec<u8>,
}

impl Form {
    /// A form without parts.
    pub(crate) fn new(probe: &Probe<'_>) -> Form {
        let label = text::hex(&probe.draw("boundary")[..16]);
        Form::bounded(format!("----assay-{label}"))
    }

    fn bounded(boundary: String) -> Form {
        Form { boundary, body: Vec::new() }
    }

    /// The form of an ordinary upload.
    pub(crate) fn of(probe: &Probe<'_>, zip: &[u8]) -> Form {
        Form::new(probe).artifact(zip)
    }

    /// Adds the zip.
    #[must_use]
    pub(crate) fn artifact(self, zip: &[u8]) -> Form {
        self.part("name=\"artifact\"; filename=\"site.zip\"\r\nContent-Type: application/zip", zip)
    }

    /// Adds a field of text.
    #[must_use]
    pub(crate) fn field(self, name: &str, value: &str) -> Form {
        self.part(&format!("name=\"{name}\""), value.as_bytes())
    }

    fn part(mut self, head: &str, content: &[u8]) -> Form {
        let head = format!("--{}\r\nContent-Disposition: form-data; {head}\r\n\r\n", self.boundary);
        self.body.extend_from_slice(head.as_bytes());
        self.body.extend_from_slice(content);
        self.body.extend_from_slice(b"\r\n");
        self
    }

    /// The upload of this form.
    pub(crate) fn request(self, probe: &Probe<'_>) -> Request {
        self.request_at(&probe.prefix("drop"))
    }

    fn request_at(mut self, prefix: &str) -> Request {
        self.body.extend_from_slice(format!("--{}--\r\n", self.boundary).as_bytes());
        Request::new("POST", &format!("{prefix}/api/drop"))
            .header("Content-Type", format!("multipart/form-data; boundary={}", self.boundary))
            .body(self.body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_byte_for_byte() {
        let form = Form::bounded("b".to_owned()).artifact(b"\0\xff\r\n--").field("source", "a b");
        let request = form.request_at("/base");
        assert_eq!(request.target, "/base/api/drop");
        assert_eq!(
            request.headers,
            [("Content-Type".to_owned(), b"multipart/form-data; boundary=b".to_vec())]
        );
        let body = b"--b\r\nContent-Disposition: form-data; name=\"artifact\"; filename=\"site.zip\"\r\n\
            Content-Type: application/zip\r\n\r\n\0\xff\r\n--\r\n\
            --b\r\nContent-Disposition: form-data; name=\"source\"\r\n\r\na b\r\n--b--\r\n";
        assert_eq!(request.body, body);
    }
}
