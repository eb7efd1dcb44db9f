//! The catalogue: every row with its evidence, and every sentence of the documents with its row or exemption.

use std::path::Path;

use assay_spec::limit::{Limit, Stated};
use assay_spec::requirement::{Anchor, Evidence};
use assay_spec::{Service, catalogue, field};
use serde_json::{Value, json};

use crate::documents::sentences::{Unit, units};
use crate::support::files;
use crate::support::prose;

/// The rows as JSON.
pub fn json(services: &[Service]) -> Value {
    let rows = catalogue::requirements().filter(|row| services.is_empty() || services.contains(&row.service));
    rows.map(|row| {
        let why = match row.evidence {
            Evidence::NotObservable(why) | Evidence::Open(why) => Some(why),
            _ => None,
        };
        json!({
            "id": row.to_string(),
            "level": row.level.name(),
            "subject": row.subject.name(),
            "evidence": row.evidence.name(),
            "why": why,
            "rule": Some(row.rule).filter(|rule| !rule.is_empty()),
            "statement": row.statement(),
            "source": row.source(),
        })
    })
    .collect()
}

/// The rows as a plain table.
pub fn table(services: &[Service]) -> String {
    let rows: Vec<_> = catalogue::requirements()
        .filter(|row| services.is_empty() || services.contains(&row.service))
        .collect();
    let width = rows.iter().map(|row| row.to_string().len()).max().unwrap_or_default();
    let mut text = String::new();
    for row in &rows {
        let (level, evidence) = (row.level.name(), row.evidence.name());
        text.push_str(&format!("{row:<width$}  {level:<6}  {evidence:<14}  {}\n", row.statement()));
    }
    text.push_str(&format!("{}\n", prose::count(rows.len(), "requirement")));
    text
}

/// What the declarations leave open in the responses of each endpoint, types and values, and why.
pub fn undeclared(services: &[Service]) -> String {
    let mut text = String::new();
    let (mut count, mut free) = (0, 0);
    for endpoint in catalogue::endpoints() {
        if !services.is_empty() && !services.contains(&endpoint.service) {
            continue;
        }
        for (status, path, why) in field::open(endpoint) {
            let (method, place) = (endpoint.method, if path.is_empty() { "body" } else { &path });
            text.push_str(&format!("{method} {} {status} {place}: {why}\n", endpoint.path));
            count += 1;
        }
        for (status, path, why) in field::free(endpoint) {
            let (method, why) = (endpoint.method, why.unwrap_or("no relation is declared"));
            text.push_str(&format!(
                "{method} {} {status} {path} has any value of its type: {why}\n",
                endpoint.path
            ));
            free += 1;
        }
    }
    text + &format!(
        "{count} parts of responses are not declared; {free} fields may have any value of their type\n"
    )
}

/// What a comparison with the documents found.
#[derive(Debug, Default)]
pub struct Comparison {
    /// One line for each sentence without a row and for each anchor without a sentence.
    pub findings: Vec<String>,
    /// Counts, one line for each document.
    pub summary: Vec<String>,
}

/// Compares the rows with the documents in `folder`: files whose names begin with `document-N`.
pub fn against(folder: &Path) -> Result<Comparison, String> {
    let mut comparison = Comparison::default();
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|e| format!("{}: {e}", folder.display()))?;
    files.sort_by_key(std::fs::DirEntry::file_name);
    let mut seen = Vec::new();
    for file in files {
        let name = file.file_name().to_string_lossy().into_owned();
        let Some(document) = name.strip_prefix("document-").and_then(|rest| rest.get(..1)?.parse().ok())
        else {
            continue;
        };
        seen.push(document);
        if Service::ALL.iter().all(|service| service.document() != document) {
            comparison.summary.push(format!("document {document}: no service of it is implemented yet"));
            continue;
        }
        let path = file.path();
        let text = files::read_text(&path, "a document", files::DOCUMENT_BYTES).map_err(|e| e.to_string())?;
        compare(document, &units(&text), &mut comparison);
    }
    let missing = Service::ALL.iter().find(|service| !seen.contains(&service.document()));
    match missing {
        Some(service) => Err(format!(
            "{}: the file document-{}* is missing; the service {service} needs it",
            folder.display(),
            service.document()
        )),
        None => Ok(comparison),
    }
}

fn compare(document: u8, units: &[Unit], comparison: &mut Comparison) {
    let same = |unit: &Unit, anchor: &Anchor| unit.heading == anchor.heading && unit.hash == anchor.hash;
    let rows: Vec<_> = catalogue::requirements().filter(|row| row.service.document() == document).collect();
    let exemptions: Vec<_> =
        catalogue::exemptions().filter(|exemption| exemption.document == document).collect();
    let (mut anchored, mut exempted) = (0, 0);
    for unit in units {
        if rows.iter().any(|row| row.anchors.iter().any(|anchor| same(unit, anchor))) {
            anchored += 1;
        } else if exemptions.iter().any(|exemption| same(unit, &exemption.anchor)) {
            exempted += 1;
        } else {
            let Unit { heading, hash, text } = unit;
            let start: String = text.chars().take(80).collect();
            comparison.findings.push(format!(
                "document {document}, {heading:?} 0x{hash:08x}: neither row nor exemption: {start}"
            ));
        }
    }
    let points = |anchor: &Anchor| units.iter().any(|unit| same(unit, anchor));
    for row in rows {
        for anchor in row.anchors.iter().filter(|anchor| !points(anchor)) {
            let Anchor { heading, hash } = anchor;
            comparison
                .findings
                .push(format!("{row}: {heading:?} 0x{hash:08x} was changed or removed; review the row"));
        }
    }
    for exemption in exemptions.iter().filter(|exemption| !points(&exemption.anchor)) {
        let Anchor { heading, hash } = exemption.anchor;
        comparison.findings.push(format!(
            "an exemption: {heading:?} 0x{hash:08x} was changed or removed; review the exemption"
        ));
    }
    let mut stated = 0;
    for limit in catalogue::limits().filter(|limit| limit.service.document() == document) {
        let Some(source) = limit.source.filter(|_| limit.stated != Stated::Implied) else { continue };
        stated += 1;
        let rows = [Some(source), limit.below, limit.above];
        let anchors = rows.into_iter().flatten().flat_map(|row| row.anchors);
        let sentences = anchors.flat_map(|anchor| units.iter().filter(move |unit| same(unit, anchor)));
        if !sentences.into_iter().any(|unit| limit.is_stated_in(&unit.text)) {
            let (Limit { service, name, .. }, words) = (limit, limit.words());
            comparison.findings.push(format!(
                "limit {service}.{name}: no sentence of {source} says {words}; review the limit"
            ));
        }
    }
    comparison.summary.push(format!(
        "document {document}: {} sentences and table rows, {anchored} in rows, {exempted} exempted; {stated} limits",
        units.len()
    ));
}
