//! `domain.canonical`.

use assay_spec::publish::domain;
use assay_spec::{Dialect, Gate};
use serde_json::{Value, json};

use super::{Members, OpError};

/// Nothing is answered: a domain is canonical or it is not.
pub(super) fn canonical(_: &Dialect, input: &Members<'_>, gate: &mut impl Gate) -> Result<Value, OpError> {
    domain::check(input.text("domain")?, gate).map_err(|refused| (refused, "check"))?;
    Ok(json!({}))
}
