//! `domain.canonical`.

use assay_spec::publish::domain;
use assay_spec::{Dialect, Rules};
use serde_json::{Value, json};

use crate::op::{Members, OpError};

/// Checks that a domain is canonical. The output is empty.
pub(in crate::op) fn canonical(
    _: &Dialect,
    input: &Members<'_>,
    rules: &mut dyn Rules,
) -> Result<Value, OpError> {
    domain::check(input.text("domain")?, rules).map_err(|refused| (refused, "check"))?;
    Ok(json!({}))
}
