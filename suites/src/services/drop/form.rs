//! The multipart form of an upload.

use crate::harness::probe::Probe;
use crate::http::exchange::Request;
use crate::http::multipart;

/// A multipart form: its parts in order.
#[derive(Clone, Debug)]
pub(crate) struct Form(multipart::Form);

impl Form {
    /// A form without parts.
    pub(crate) fn new(probe: &Probe<'_>) -> Form {
        Form(multipart::Form::new(&probe.draw("boundary")))
    }

    /// The form of an ordinary upload.
    pub(crate) fn with_zip(probe: &Probe<'_>, zip: &[u8]) -> Form {
        Form::new(probe).artifact(zip)
    }

    /// Adds the zip.
    #[must_use]
    pub(crate) fn artifact(self, zip: &[u8]) -> Form {
        Form(self.0.file("artifact", "site.zip", "application/zip", zip))
    }

    /// Adds a text field.
    #[must_use]
    pub(crate) fn field(self, name: &str, value: &str) -> Form {
        Form(self.0.field(name, value))
    }

    /// The upload request with this form.
    pub(crate) fn request(self, probe: &Probe<'_>) -> Request {
        self.request_to(probe, "drop")
    }

    /// As [`Form::request`], to another site.
    pub(crate) fn request_to(self, probe: &Probe<'_>, site: &str) -> Request {
        self.0.put_into(Request::new("POST", &format!("{}/api/drop", probe.prefix(site))))
    }
}
