//! The messages of the measurement program (document 2, "Events").

use serde_json::{Value, json};

use crate::Dialect;
use crate::network::metrics::{ComputeRecord, CoreRecord};

/// The content of the hour's message, with every record of that hour. The arrangement of results is not shown; the
/// arrays are the project's own.
pub fn content(
    dialect: &Dialect,
    publisher: &str,
    time: i64,
    core: &[CoreRecord],
    compute: &[ComputeRecord],
) -> Value {
    json!({
        "address": publisher,
        "type": dialect.scoring_type,
        "content": {"metrics": {"ccn": core, "crn": compute}},
        "time": time,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_the_published_type() {
        let content = content(&Dialect::default(), "0x1", 7, &[], &[]);
        assert_eq!(
            content.to_string(),
            r#"{"address":"0x1","type":"svc-scoring-metrics","content":{"metrics":{"ccn":[],"crn":[]}},"time":7}"#
        );
    }
}
