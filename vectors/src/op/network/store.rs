//! `store.classify`: the meaning of a response about a STORE.

use assay_spec::network::store;
use assay_spec::{Dialect, Rules};
use serde_json::{Value, json};

use crate::op::{Members, OpError};

/// Every response has a class; none is rejected.
pub(in crate::op) fn classify(
    _: &Dialect,
    input: &Members<'_>,
    rules: &mut dyn Rules,
) -> Result<Value, OpError> {
    let reading = store::classify(input.number("http_status")?, input.value("body"), rules);
    Ok(json!({
        "class": reading.class,
        "cid": reading.cid,
        "warning": reading.warning,
        "forget_target": reading.forget_target,
    }))
}
