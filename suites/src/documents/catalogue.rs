//! The catalogue: every row with its evidence, and every sentence of the documents with its row or exemption.

use std::collections::BTreeMap;
use std::path::Path;

use assay_spec::limit::{Limit, Stated};
use assay_spec::requirement::{Anchor, Evidence};
use assay_spec::{Id, Service, catalogue, field};
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

/// The documents in `folder`, in order: files whose names begin with `document-N`, each as its number and its sentences. A
/// document with rows that is missing is an error.
fn documents(folder: &Path) -> Result<Vec<(u8, Vec<Unit>)>, String> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|e| format!("{}: {e}", folder.display()))?;
    files.sort_by_key(std::fs::DirEntry::file_name);
    let mut documents = Vec::new();
    for file in files {
        let name = file.file_name().to_string_lossy().into_owned();
        let Some(document) = name.strip_prefix("document-").and_then(|rest| rest.get(..1)?.parse().ok())
        else {
            continue;
        };
        let path = file.path();
        let text = files::read_text(&path, "a document", files::DOCUMENT_BYTES).map_err(|e| e.to_string())?;
        documents.push((document, units(&text)));
    }
    let is_there = |service: &Service| documents.iter().any(|(document, _)| *document == service.document());
    match Service::ALL.iter().find(|service| !is_there(service)) {
        Some(service) => Err(format!(
            "{}: the file document-{}* is missing; the service {service} needs it",
            folder.display(),
            service.document()
        )),
        None => Ok(documents),
    }
}

/// Compares the rows with the documents in `folder`.
pub fn against(folder: &Path) -> Result<Comparison, String> {
    let mut comparison = Comparison::default();
    for (document, units) in documents(folder)? {
        if Service::ALL.iter().all(|service| service.document() != document) {
            comparison.summary.push(format!("document {document}: no service of it is implemented yet"));
        } else {
            compare(document, &units, &mut comparison);
        }
    }
    Ok(comparison)
}

/// The sentences of the documents, by the key of the row that states them.
pub type Sentences = BTreeMap<u32, Vec<String>>;

/// The sentences of each row, as the documents in `folder` have them. A sentence that was changed is missing.
pub fn sentences(folder: &Path) -> Result<Sentences, String> {
    let documents = documents(folder)?;
    let entry = |row: Id| {
        let own = documents.iter().filter(move |(document, _)| *document == row.service.document());
        let units = own.flat_map(|(_, units)| units);
        let named = units.filter(move |unit| row.anchors.iter().any(|anchor| is_at(unit, anchor)));
        (row.key, named.map(|unit| unit.text.clone()).collect())
    };
    Ok(catalogue::requirements().map(entry).collect())
}

/// Whether an anchor points to a sentence.
fn is_at(unit: &Unit, anchor: &Anchor) -> bool {
    unit.heading == anchor.heading && unit.hash == anchor.hash
}

fn compare(document: u8, units: &[Unit], comparison: &mut Comparison) {
    let rows: Vec<_> = catalogue::requirements().filter(|row| row.service.document() == document).collect();
    let exemptions: Vec<_> =
        catalogue::exemptions().filter(|exemption| exemption.document == document).collect();
    let (mut anchored, mut exempted) = (0, 0);
    for unit in units {
        if rows.iter().any(|row| row.anchors.iter().any(|anchor| is_at(unit, anchor))) {
            anchored += 1;
        } else if exemptions.iter().any(|exemption| is_at(unit, &exemption.anchor)) {
            exempted += 1;
        } else {
            let Unit { heading, hash, text } = unit;
            let start: String = text.chars().take(80).collect();
            comparison.findings.push(format!(
                "document {document}, {heading:?} 0x{hash:08x}: neither row nor exemption: {start}"
            ));
        }
    }
    let points = |anchor: &Anchor| units.iter().any(|unit| is_at(unit, anchor));
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
        let sentences = anchors.flat_map(|anchor| units.iter().filter(move |unit| is_at(unit, anchor)));
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
