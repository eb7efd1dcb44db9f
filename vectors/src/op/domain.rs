//! `domain.canonical`.

use assay_spec::publish::domain;
use assay_spec::{Dialect, Rules};
use serde_json::{Value, json};

use super::{Members, OpError};

/// Nothing is answered: a domain is canonical or it is not.
pub(super) fn canonical(_: &Dialect, input: &Members<'_>, rules: &mut impl Rules) -> Result<Value, OpError> {
    domain::check(input.text("domain")?, rules).map_err(|refused| (refused, "check"))?;
    Ok(json!({}))
}
