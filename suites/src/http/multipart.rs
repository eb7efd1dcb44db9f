//! Multipart forms, byte for byte.

use crate::http::exchange::Request;

/// Room for small parts after a large one, in bytes.
const REST_BYTES: usize = 1024;

/// A form: its parts in order.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    boundary: String,
    body: Vec<u8>,
}

impl Form {
    /// A form without parts, whose boundary contains the first half of `label`.
    pub(crate) fn new(label: &[u8; 32]) -> Form {
        let label = assay_spec::crypto::text::hex(&label[..16]);
        Form::bounded(format!("----assay-{label}"))
    }

    fn bounded(boundary: String) -> Form {
        Form { boundary, body: Vec::new() }
    }

    /// Adds a text field.
    #[must_use]
    pub(crate) fn field(self, name: &str, value: &str) -> Form {
        self.part(&format!("name=\"{name}\""), value.as_bytes())
    }

    /// Adds a file.
    #[must_use]
    pub(crate) fn file(self, name: &str, filename: &str, content_type: &str, content: &[u8]) -> Form {
        let head = format!("name=\"{name}\"; filename=\"{filename}\"\r\nContent-Type: {content_type}");
        self.part(&head, content)
    }

    /// Adds a file whose type is not stated.
    #[must_use]
    pub(crate) fn bare_file(self, name: &str, filename: &str, content: &[u8]) -> Form {
        self.part(&format!("name=\"{name}\"; filename=\"{filename}\""), content)
    }

    fn part(mut self, head: &str, content: &[u8]) -> Form {
        let head = format!("--{}\r\nContent-Disposition: form-data; {head}\r\n\r\n", self.boundary);
        // Large files: no more room than they need, and some for what follows.
        self.body.reserve_exact(head.len() + content.len() + REST_BYTES);
        self.body.extend_from_slice(head.as_bytes());
        self.body.extend_from_slice(content);
        self.body.extend_from_slice(b"\r\n");
        self
    }

    /// The form as the body of a request, and the header that names its boundary.
    pub(crate) fn put_into(mut self, request: Request) -> Request {
        self.body.extend_from_slice(format!("--{}--\r\n", self.boundary).as_bytes());
        request
            .header("Content-Type", format!("multipart/form-data; boundary={}", self.boundary))
            .body(self.body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_byte_for_byte() {
        let form = Form::bounded("b".to_owned());
        let form =
            form.file("artifact", "site.zip", "application/zip", b"\0\xff\r\n--").field("source", "a b");
        let request = form.put_into(Request::new("POST", "/api/drop"));
        assert_eq!(
            request.headers,
            [("Content-Type".to_owned(), b"multipart/form-data; boundary=b".to_vec())]
        );
        let body = b"--b\r\nContent-Disposition: form-data; name=\"artifact\"; filename=\"site.zip\"\r\n\
            Content-Type: application/zip\r\n\r\n\0\xff\r\n--\r\n\
            --b\r\nContent-Disposition: form-data; name=\"source\"\r\n\r\na b\r\n--b--\r\n";
        assert_eq!(request.body, &body[..]);
    }
}
