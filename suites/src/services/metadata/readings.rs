//! How ambiguous sentences about the service can be read.

use assay_spec::metadata::requirements as rows;

use crate::documents::readings::Reading;

/// What a profile can declare.
pub(super) const READINGS: &[Reading] = &[Reading {
    key: "metadata.readings.interface_path",
    values: "a path, such as \"/openapi.json\"",
    default: None,
    example: "\"/openapi.json\"",
    wrong: "\"openapi.json\"",
    means: "Where the service describes its interface as JSON with `info.version`. Undeclared, that version is not \
            checked.",
    rows: &[&rows::root::VERSION],
    silent: &[&rows::root::VERSION],
}];
