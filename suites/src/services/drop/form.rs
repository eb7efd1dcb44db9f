//! The multipart form of an upload.

use assay_spec::drop::zip::forms::{self, USUAL_TYPE, file_name};
use assay_spec::drop::zip::write::{Entry, shaped};

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

    /// The form of an upload in these forms of zip and parts, with a `source` if there is one.
    pub(crate) fn shaped(
        probe: &Probe<'_>,
        entries: &[Entry],
        wanted: &[&str],
        source: Option<&str>,
    ) -> Form {
        let kind = wanted
            .iter()
            .map(|form| forms::media_type(form))
            .find(|kind| *kind != USUAL_TYPE)
            .unwrap_or(USUAL_TYPE);
        let zip =
            |form: Form| Form(form.0.file("artifact", file_name(wanted), kind, &shaped(entries, wanted)));
        let source = |form: Form| match source {
            Some(source) => form.field("source", source),
            None => form,
        };
        let form = Form::new(probe);
        if wanted.contains(&forms::SOURCE_FIRST) { zip(source(form)) } else { source(zip(form)) }
    }

    /// Adds the zip.
    #[must_use]
    pub(crate) fn artifact(self, zip: &[u8]) -> Form {
        Form(self.0.file("artifact", "site.zip", USUAL_TYPE, zip))
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
