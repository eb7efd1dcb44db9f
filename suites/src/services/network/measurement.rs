//! The messages of the measurement program: one an hour, sent by the publisher, with the results.

use std::time::Duration;

use assay_spec::instant::SECOND;
use assay_spec::json::is_integer;
use assay_spec::network::limits::MEASUREMENT;
use assay_spec::network::metrics::{COMPUTE_LATENCIES, CORE_COUNTS, CORE_LATENCIES};
use assay_spec::network::query::FLAT;
use assay_spec::network::requirements::{measurement as rows, metrics as served};
use serde_json::{Value, json};

use super::replies::{elements, is_address};
use super::scene::List;
use super::wire::{Call, now, path_with};
use super::{given, metrics};
use crate::harness::boundary::{Edges, edges, ms};
use crate::harness::check::{Checked, Stop, shows};
use crate::harness::probe::Probe;
use crate::profile::MetricsType;

/// How many hours are read.
const HOURS: u32 = 3;

/// What the control API reports after measurements.
pub(super) struct Measured {
    /// The address that publishes.
    pub(super) publisher: String,
    /// The nodes: `site`, `kind`, `node_id`.
    pub(super) nodes: Vec<Value>,
}

/// Lets a target measure its nodes for some hours, each as long as it may be, and five minutes.
pub(super) async fn measured(probe: &Probe<'_>, hours: u32) -> Result<Measured, Stop> {
    let needs = "needs measured nodes ([network.fixtures] core_node, compute_node, publisher)";
    let control = probe.control().map_err(|_| Stop::NotTestable(needs.to_owned()))?;
    let answer = control.perform("network.measure", json!({ "on": true })).await;
    let answer = answer.map_err(|why| {
        Stop::NotTestable(format!("{needs}, or a control API that starts measurements: {why}"))
    })?;
    probe.advance(hours * ms(MEASUREMENT.outside) + Duration::from_mins(5)).await?;
    Ok(Measured {
        publisher: answer["publisher"].as_str().unwrap_or_default().to_owned(),
        nodes: answer["nodes"].as_array().cloned().unwrap_or_default(),
    })
}

/// The publisher of the last hours' measurements.
async fn publisher(probe: &Probe<'_>) -> Result<String, Stop> {
    match given(probe, "publisher", |given| &given.publisher)? {
        Some(publisher) => Ok(publisher.clone()),
        None => Ok(measured(probe, HOURS).await?.publisher),
    }
}

/// The publisher's messages of the last hours that match these filters.
async fn messages<'p>(
    probe: &'p Probe<'_>,
    publisher: &str,
    filters: &[(&str, &str)],
) -> Result<List<'p>, Stop> {
    let start = now(probe).await? + -i64::from((HOURS + 1) * 3_600_000);
    let start = start.seconds().to_string();
    let query = [&[("addresses", publisher), ("startDate", start.as_str())], filters].concat();
    let answer = Call::get(&FLAT, &path_with("/messages.json", &query)).send(probe).await?;
    answer.given_status(&[200])?;
    let items = elements(&answer.json());
    probe.given(items.is_some(), "the answer is neither an array nor an object with arrays")?;
    let items = items.unwrap_or_default().into_iter().map(record).collect();
    Ok(List { answer, items })
}

/// The record of an element: itself, or its `message`. Another check rejects the wrapper.
fn record(mut item: Value) -> Value {
    if item["message"].is_object() { item["message"].take() } else { item }
}

/// Whether a record has one of the two content types.
fn is_measurement(probe: &Probe<'_>, record: &Value) -> bool {
    let dialect = &probe.settings.dialect;
    let kind = record["content"]["type"].as_str();
    kind.is_some_and(|kind| [&dialect.scoring_type, &dialect.metrics_type].iter().any(|name| *name == kind))
}

/// The measurements of the last hours. If there are fewer than `least`, the check is inconclusive.
async fn measurements<'p>(probe: &'p Probe<'_>, publisher: &str, least: usize) -> Result<List<'p>, Stop> {
    let List { answer, mut items } = messages(probe, publisher, &[]).await?;
    items.retain(|record| is_measurement(probe, record));
    let why = format!("{} measurements were found, at least {least} are needed", items.len());
    probe.found(items.len() >= least, why)?;
    Ok(List { answer, items })
}

/// Reads the publisher's measurements of the last hours. Their timestamps must be an hour apart, and the last must not be
/// overdue. The tolerance is a tenth.
#[shows(rows::HOURLY)]
async fn every_hour_has_one_message(probe: &Probe<'_>) -> Checked {
    let publisher = publisher(probe).await?;
    let found = measurements(probe, &publisher, 2).await?;
    let are_dated = found.items.iter().all(|record| is_integer(&record["timestamp"]));
    probe.given(are_dated, "a timestamp is not an integer")?;
    let mut times: Vec<i64> = found.items.iter().filter_map(|record| record["timestamp"].as_i64()).collect();
    times.push(now(probe).await?.seconds());
    times.sort_unstable();
    let Edges { inside, outside } = edges(probe, &MEASUREMENT);
    let (shortest, longest) = ((inside + SECOND - 1) / SECOND, (outside - 1) / SECOND);
    // The last gap ends now: the next message may not be due yet.
    let gaps: Vec<i64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let (last, between) = gaps.split_last().expect("two messages and now");
    let is_hourly = between.iter().all(|gap| (shortest..=longest).contains(gap)) && *last <= longest;
    found.answer.expect(
        is_hourly,
        "seconds between timestamps, and until now",
        format!("{shortest} to {longest} each: the limit is {}", MEASUREMENT.words()),
        format!("{gaps:?}"),
    )
}

/// Reads the publisher's measurements. Each must be a POST sent by the publisher on the scoring channel.
#[shows(rows::PUBLISHED)]
async fn measurements_are_posts_of_the_publisher_on_its_channel(probe: &Probe<'_>) -> Checked {
    let publisher = publisher(probe).await?;
    let found = measurements(probe, &publisher, 1).await?;
    let channel = &probe.settings.dialect.scoring_channel;
    found.expect_each(&format!("a POST of {publisher} on {channel}"), |record| {
        let is_there = record["channel"] == channel.as_str();
        record["type"] == "POST" && is_there && is_address(&record["sender"], &publisher)
    })
}

/// Lists measurements by the content types that the profile declares. At least one of the types must find them: the
/// document gives two names.
#[shows(rows::CONTENT_TYPE)]
async fn measurements_are_found_by_a_named_type(probe: &Probe<'_>) -> Checked {
    let publisher = publisher(probe).await?;
    let any = messages(probe, &publisher, &[]).await?;
    probe.found(!any.items.is_empty(), "the publisher sent no messages in the last hours")?;
    let dialect = &probe.settings.dialect;
    let (scoring, metrics) = (dialect.scoring_type.as_str(), dialect.metrics_type.as_str());
    let names = match probe.settings.network().metrics_content_type {
        MetricsType::Scoring => vec![scoring],
        MetricsType::Network => vec![metrics],
        MetricsType::Both => vec![scoring, metrics],
    };
    let mut finding = Vec::new();
    for name in &names {
        let filters = [("channels", dialect.scoring_channel.as_str()), ("content_types", *name)];
        let found = messages(probe, &publisher, &filters).await?;
        if found.items.iter().any(|record| is_measurement(probe, record)) {
            finding.push(*name);
        }
    }
    if finding.len() < names.len() && !finding.is_empty() {
        probe.note(format!("only {} finds measurements", finding.join(", ")));
    }
    let want = format!("measurements found by {}", names.join(" or "));
    any.answer.expect(!finding.is_empty(), "content_types", want, "none")
}

/// Reads the publisher's measurements. `content.content` of each must be an object or an array, or a string that holds
/// one.
#[shows(rows::RESULTS)]
async fn measurements_hold_their_results_as_json(probe: &Probe<'_>) -> Checked {
    let publisher = publisher(probe).await?;
    let found = measurements(probe, &publisher, 1).await?;
    found.expect_each("an object or an array in content.content, or a string that holds one", |record| {
        let results = results(record);
        results.is_object() || results.is_array()
    })
}

/// Reads the publisher's measurements, and the records of measured nodes. The results of each hour must hold something. How they are
/// arranged is not shown: the objects in them with the `node_id` and `measured_at` of such a record must have its values.
#[shows(rows::AS_SERVED, after = served::ALL)]
async fn results_are_those_of_the_metrics_api(probe: &Probe<'_>) -> Checked {
    let publisher = publisher(probe).await?;
    let records = metrics::served(probe).await?;
    let found = measurements(probe, &publisher, 1).await?;
    let results: Vec<Value> = found.items.iter().map(results).collect();
    found.expect_each("results of at least one node", |record| has_values(&self::results(record)))?;
    let (about, mut compared) = (["url", "asn", "as_name", "version", "features"], 0);
    for record in &records {
        let is_of_it = |held: &&Value| {
            ["node_id", "measured_at"].iter().all(|name| is_same(&held[*name], &record[*name]))
        };
        for held in results.iter().flat_map(objects).filter(is_of_it) {
            for name in about.into_iter().chain(CORE_LATENCIES).chain(CORE_COUNTS).chain(COMPUTE_LATENCIES) {
                let (got, want) = (&held[name], &record[name]);
                let at = format!("content.content: {name} of {}", record["node_id"]);
                found.answer.expect(is_same(got, want), &at, want.to_string(), got.to_string())?;
            }
            compared += 1;
        }
    }
    probe.found(
        compared > 0,
        "no object of the results has the node_id and measured_at of a record that is served",
    )
}

/// The results of a message: JSON, or a string that holds it.
fn results(record: &Value) -> Value {
    let results = &record["content"]["content"];
    let read = results.as_str().and_then(|text| serde_json::from_str(text).ok());
    read.unwrap_or_else(|| results.clone())
}

/// Whether there is a value besides arrays and objects.
fn has_values(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(has_values),
        Value::Object(members) => members.values().any(has_values),
        Value::Null => false,
        _ => true,
    }
}

/// The objects in a value, itself among them.
fn objects(value: &Value) -> Vec<&Value> {
    let inner: Vec<&Value> = match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(members) => members.values().collect(),
        _ => return Vec::new(),
    };
    let own = value.is_object().then_some(value);
    own.into_iter().chain(inner.into_iter().flat_map(objects)).collect()
}

/// Whether two values are the same; numbers may be written in several ways.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => one.to_bits() == other.to_bits(),
        _ => one == other,
    }
}
