//! Multipart forms, written by hand.

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
        let label = assay_spec::crypto::text::hex(&probe.draw("boundary")[..16]);
        Form { boundary: format!("----assay-{label}"), body: Vec::new() }
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
    pub(crate) fn request(mut self, probe: &Probe<'_>) -> Request {
        self.body.extend_from_slice(format!("--{}--\r\n", self.boundary).as_bytes());
        Request::new("POST", &format!("{}/api/drop", probe.prefix("drop")))
            .header("Content-Type", format!("multipart/form-data; boundary={}", self.boundary))
            .body(self.body)
    }
}
