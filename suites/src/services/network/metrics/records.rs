//! Whose records are served, for how long, and what is in them.

use assay_spec::Place;
use assay_spec::json::is_integer;
use assay_spec::network::metrics::{COMPUTE_LATENCIES, CORE_COUNTS, CORE_LATENCIES, FEATURES};
use assay_spec::network::requirements::metrics as rows;
use serde_json::Value;

use super::super::replies::{elements, expect_absent_or, found, is_epoch};
use super::super::scene::another;
use super::super::wire::{ALTERNATIVE, Call};
use super::{KINDS, NodeKind, answer, measured, present, some};
use crate::harness::check::{Checked, Stop, rejects, shows};
use crate::harness::probe::{CONTENT, Evidence, Probe};

/// Hexadecimal digits, with or without a prefix.
fn is_hex(value: &Value) -> bool {
    let digits = value.as_str().map(|text| text.strip_prefix("0x").unwrap_or(text));
    digits.is_some_and(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

async fn own(probe: &Probe<'_>, kind: NodeKind) -> Checked {
    let nodes = measured(probe).await?;
    let id = nodes.hash(kind)?;
    let records = some(probe, kind, id).await?;
    let are_named = records.items.iter().all(|record| is_hex(&record["node_id"]));
    probe.given(are_named, "a record's node_id is not hexadecimal")?;
    let digits = |text: &str| text.trim_start_matches("0x").to_lowercase();
    records.expect_each(&format!("node_id {id}"), |record| {
        record["node_id"].as_str().is_some_and(|found| digits(found) == digits(id))
    })
}

/// Reads the metrics of a core node. `node_id` of every record must be that node's.
#[shows(rows::CORE)]
async fn core_metrics_are_the_nodes_own(probe: &Probe<'_>) -> Checked {
    own(probe, NodeKind::Core).await
}

/// Reads the metrics of a compute node. `node_id` of every record must be that node's.
#[shows(rows::COMPUTE)]
async fn compute_metrics_are_the_nodes_own(probe: &Probe<'_>) -> Checked {
    own(probe, NodeKind::Compute).await
}

/// Reads a node's metrics at the alternative address. The answer must be 200 with an array, or an object with arrays.
#[shows(rows::ALTERNATIVE)]
async fn the_alternative_address_serves_metrics(probe: &Probe<'_>, place: Place) -> Checked {
    if !probe.sees(ALTERNATIVE) {
        return Err(Stop::NotTestable("needs the alternative address (alt_url in [network])".to_owned()));
    }
    let nodes = measured(probe).await?;
    let kind = NodeKind::at(place);
    let public = Call::get(&assay_spec::network::info::PUBLIC, "/info/public.json");
    found(probe, public.to(ALTERNATIVE)).await?.given_accepted(&[200], CONTENT)?;
    let answer = kind.call(nodes.hash(kind)?).to(ALTERNATIVE).send(probe).await?;
    answer.expect_status(&[200])?;
    let is_list = elements(&answer.json()).is_some();
    answer.expect(is_list, "body", "an array, or an object with arrays", answer.response.text())
}

/// Expects every record of either kind to satisfy `holds`.
async fn every(probe: &Probe<'_>, want: &str, holds: impl Fn(&Value) -> bool) -> Checked {
    let nodes = measured(probe).await?;
    for kind in KINDS {
        if let Ok(id) = nodes.hash(kind) {
            some(probe, kind, id).await?.expect_each(want, &holds)?;
        }
    }
    Ok(())
}

/// Expects members of the records of one kind, where they are present, to satisfy `holds`. At least one record must
/// have one of them.
async fn where_present(
    probe: &Probe<'_>,
    kind: NodeKind,
    members: &[&str],
    want: &str,
    holds: impl Fn(&Value) -> bool,
) -> Checked {
    let nodes = measured(probe).await?;
    let records = some(probe, kind, nodes.hash(kind)?).await?;
    let any = records.items.iter().any(|record| members.iter().any(|name| present(record, name).is_some()));
    probe.found(any, format!("no record has {}", members.join(", ")))?;
    let want = format!("{} {want}", members.join(", "));
    records.expect_each(&want, |record| members.iter().all(|name| present(record, name).is_none_or(&holds)))
}

/// Reads the metrics of both kinds of nodes. `measured_at` of every record must be a number of seconds.
#[shows(rows::MEASURED_AT)]
async fn measured_at_is_in_seconds(probe: &Probe<'_>) -> Checked {
    every(probe, "measured_at as a number of seconds", |record| is_epoch(&record["measured_at"])).await
}

/// Reads the metrics of both kinds of nodes. `node_id` of every record must consist of hexadecimal digits.
#[shows(rows::NODE_ID)]
async fn a_node_id_is_hexadecimal(probe: &Probe<'_>) -> Checked {
    every(probe, "node_id in hexadecimal digits", |record| is_hex(&record["node_id"])).await
}

/// Reads the metrics of both kinds of nodes. `url` of every record must be a string.
#[shows(rows::URL)]
async fn url_is_a_string(probe: &Probe<'_>) -> Checked {
    every(probe, "url as a string", |record| record["url"].is_string()).await
}

/// Reads the metrics of both kinds of nodes. `asn`, where it is present, must be an integer.
#[shows(rows::ASN)]
async fn an_asn_is_an_integer(probe: &Probe<'_>) -> Checked {
    every(probe, "asn as an integer", |record| present(record, "asn").is_none_or(is_integer)).await
}

/// Reads the metrics of both kinds of nodes. `as_name`, where it is present, must be a string.
#[shows(rows::AS_NAME)]
async fn as_name_is_a_string(probe: &Probe<'_>) -> Checked {
    every(probe, "as_name as a string", |record| present(record, "as_name").is_none_or(Value::is_string))
        .await
}

/// Reads the metrics of both kinds of nodes. `version`, where it is present, must be a string.
#[shows(rows::VERSION)]
async fn version_is_a_string(probe: &Probe<'_>) -> Checked {
    every(probe, "version as a string", |record| present(record, "version").is_none_or(Value::is_string))
        .await
}

fn is_duration(value: &Value) -> bool {
    value.as_f64().is_some_and(|seconds| seconds >= 0.0)
}

/// Reads the metrics of a core node. Every latency that is present must be a number, zero or more.
#[shows(rows::CORE_LATENCIES)]
async fn latencies_of_core_nodes_are_not_negative(probe: &Probe<'_>) -> Checked {
    where_present(probe, NodeKind::Core, &CORE_LATENCIES, "as numbers, zero or more", is_duration).await
}

/// Reads the metrics of a core node. Every count that is present must be an integer.
#[shows(rows::CORE_COUNTS)]
async fn counts_of_core_nodes_are_integers(probe: &Probe<'_>) -> Checked {
    where_present(probe, NodeKind::Core, &CORE_COUNTS, "as integers", is_integer).await
}

/// Reads the metrics of a compute node. Every latency that is present must be a number, zero or more.
#[shows(rows::COMPUTE_LATENCIES)]
async fn latencies_of_compute_nodes_are_not_negative(probe: &Probe<'_>) -> Checked {
    where_present(probe, NodeKind::Compute, &COMPUTE_LATENCIES, "as numbers, zero or more", is_duration).await
}

/// Reads the metrics of a compute node. `features`, where it is present, must be an array of `sev` and `sev_es`.
#[shows(rows::FEATURES)]
async fn features_are_documented(probe: &Probe<'_>) -> Checked {
    let want = "as an array of `sev` and `sev_es`";
    let is_named = |feature: &Value| feature.as_str().is_some_and(|feature| FEATURES.contains(&feature));
    where_present(probe, NodeKind::Compute, &["features"], want, |features| {
        features.as_array().is_some_and(|features| features.iter().all(is_named))
    })
    .await
}

/// At least one record.
const RECORDED: Evidence =
    Evidence { what: "a record", shows: |body| elements(body).is_some_and(|all| !all.is_empty()) };

/// Reads the metrics of a known node (200), then of an unknown hash. The second answer must be 404, or hold no records.
#[rejects(rows::UNKNOWN)]
async fn a_node_that_does_not_exist_has_no_metrics(probe: &Probe<'_>) -> Checked {
    let nodes = measured(probe).await?;
    for kind in KINDS {
        let Ok(id) = nodes.hash(kind) else { continue };
        let (known, site) = answer(probe, kind, id).await?;
        known.counterpart_accepted(&[200], RECORDED)?;
        let unknown = kind.call(&another(id)).to(site).attempt(probe).await?;
        expect_absent_or(&unknown, "no records", |body| elements(body).is_some_and(|all| all.is_empty()))?;
    }
    Ok(())
}
