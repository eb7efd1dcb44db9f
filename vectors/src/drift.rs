//! How a vendored copy differs from this collection, case by case.

use std::collections::BTreeMap;
use std::fmt;

use assay_spec::crypto::text::sha256_hex;
use serde_json::Value;

use crate::collection::{Collection, DATA, holds_cases, is_beside};
use crate::manifest::Manifest;

/// A difference, as seen from the copy.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    /// A file is missing.
    MissingFile(String),
    /// A file is not in this collection.
    AddedFile(String),
    /// A file differs; no details are known.
    ChangedFile(String),
    /// A file has the same cases in another text form or order.
    OtherText(String),
    /// A case file cannot be read; the position and the error.
    Unreadable(String, String),
    /// A case is missing; its reason.
    MissingCase(String, String),
    /// A case is not in this collection; its reason.
    AddedCase(String, String),
    /// These members of a case differ; the reason of the case.
    ChangedCase(String, Vec<String>, String),
    /// A case id is duplicated in its file.
    TwiceCase(String),
    /// The manifest differs; the difference in words.
    Manifest(String),
    /// A file does not match the copy's own manifest: it was changed after it was copied.
    Edited(String),
}

/// The differences of `copy` from `ours`; empty if they are the same. What explains the cases, and the sums, are compared
/// if the copy has them.
pub fn drift(ours: &Collection, copy: &Collection) -> Vec<Difference> {
    let mut found = Vec::new();
    let is_bare = copy.files().all(|(path, _)| path.starts_with(DATA));
    for (path, bytes) in ours.files() {
        let needed = path.starts_with(DATA) || !is_bare && !is_beside(path);
        match copy.file(path) {
            None if needed => found.push(Difference::MissingFile(path.to_owned())),
            None => {}
            Some(theirs) if theirs == bytes => {}
            Some(theirs) if holds_cases(path) => found.extend(cases(path, bytes, theirs)),
            Some(theirs) if path == MANIFEST => found.extend(manifests(bytes, theirs)),
            Some(_) => found.push(Difference::ChangedFile(path.to_owned())),
        }
    }
    let added = copy.files().filter(|(path, _)| ours.file(path).is_none() && *path != "SHA256SUMS");
    found.extend(added.map(|(path, _)| Difference::AddedFile(path.to_owned())));
    found.extend(edited(copy));
    found
}

const MANIFEST: &str = "data/manifest.json";

fn cases(path: &str, ours: &[u8], theirs: &[u8]) -> Vec<Difference> {
    let (ours, twice) = by_id(ours).unwrap_or_default();
    debug_assert!(twice.is_empty(), "the lint reports duplicates");
    let (mut theirs, twice) = match by_id(theirs) {
        Ok(read) => read,
        Err(why) => return vec![Difference::Unreadable(path.to_owned(), why)],
    };
    let mut found: Vec<Difference> = twice.into_iter().map(Difference::TwiceCase).collect();
    for (id, case) in ours {
        match theirs.remove(&id) {
            None => found.push(Difference::MissingCase(id, why(&case))),
            Some(other) if other == case && same_order(&other, &case) => {}
            Some(other) => {
                found.push(Difference::ChangedCase(id, members(&case, &other), why(&other)));
            }
        }
    }
    found.extend(theirs.into_iter().map(|(id, case)| Difference::AddedCase(id, why(&case))));
    if found.is_empty() { vec![Difference::OtherText(path.to_owned())] } else { found }
}

fn why(case: &Value) -> String {
    case["why"].as_str().unwrap_or_default().to_owned()
}

type ById = (BTreeMap<String, Value>, Vec<String>);

fn by_id(bytes: &[u8]) -> Result<ById, String> {
    let value: Value = serde_json::from_slice(bytes).map_err(|e| e.to_string())?;
    let Value::Array(cases) = value else { return Err("it is not a list of cases".to_owned()) };
    let (mut found, mut twice) = (BTreeMap::new(), Vec::new());
    for (n, case) in cases.into_iter().enumerate() {
        let id = case["id"].as_str().map_or_else(|| format!("case {n} without an id"), str::to_owned);
        if found.insert(id.clone(), case).is_some() {
            twice.push(id);
        }
    }
    Ok((found, twice))
}

/// Whether the order of members is also the same: inside records it is signed.
fn same_order(a: &Value, b: &Value) -> bool {
    written(&a["in"]) == written(&b["in"])
}

fn written(value: &Value) -> String {
    value.to_string()
}

/// The members that differ; the members of the expectation are listed separately.
fn members(ours: &Value, theirs: &Value) -> Vec<String> {
    let names = |value: &Value| -> Vec<String> {
        value.as_object().into_iter().flat_map(|members| members.keys().cloned()).collect()
    };
    let mut found = names(ours);
    found.extend(names(theirs).into_iter().filter(|name| ours.get(name).is_none()));
    found.retain(|name| written(&ours[name]) != written(&theirs[name]));
    found
}

fn manifests(ours: &[u8], theirs: &[u8]) -> Vec<Difference> {
    let finding = |text: String| Difference::Manifest(text);
    let read = |bytes| serde_json::from_slice::<Manifest>(bytes);
    let (Ok(ours), theirs) = (read(ours), read(theirs)) else { return Vec::new() };
    let theirs = match theirs {
        Ok(theirs) => theirs,
        Err(e) => return vec![finding(format!("cannot be read: {e}"))],
    };
    let mut found = Vec::new();
    if theirs.version != ours.version {
        found.push(finding(format!("version {} instead of {}", theirs.version, ours.version)));
    }
    if theirs.collection != ours.collection {
        found.push(finding(format!("collection {} instead of {}", theirs.collection, ours.collection)));
    }
    let names = ours.operations.keys().chain(theirs.operations.keys());
    let names: std::collections::BTreeSet<&String> = names.collect();
    for name in names {
        let count = |manifest: &Manifest| manifest.operations.get(name).copied().unwrap_or_default();
        let (own, other) = (count(&ours), count(&theirs));
        if own != other {
            found.push(finding(format!(
                "{name}: {} accepts and {} rejects instead of {} and {}",
                other.accept, other.reject, own.accept, own.reject
            )));
        }
    }
    let hashes = ours.files.iter().filter(|(path, hash)| theirs.files.get(*path) != Some(hash)).count();
    if hashes > 0 {
        found.push(finding(format!("the hashes of {hashes} files differ")));
    }
    let more = theirs.files.keys().filter(|path| !ours.files.contains_key(*path)).count();
    if more > 0 {
        found.push(finding(format!("there are hashes of {more} unknown files")));
    }
    if found.is_empty() { vec![finding("the text differs".to_owned())] } else { found }
}

/// Compares the copy with its own manifest: detects whether it was changed or is only another version.
fn edited(copy: &Collection) -> Vec<Difference> {
    let manifest = copy.file(MANIFEST).and_then(|bytes| serde_json::from_slice::<Manifest>(bytes).ok());
    let Some(manifest) = manifest else { return Vec::new() };
    let differs = |path: &str, hash: &str| {
        copy.file(&format!("{DATA}{path}")).is_some_and(|bytes| sha256_hex(bytes) != hash)
    };
    let files = manifest.files.iter().filter(|(path, hash)| differs(path, hash));
    files.map(|(path, _)| Difference::Edited(format!("{DATA}{path}"))).collect()
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::MissingFile(path) => write!(f, "missing file  {path}"),
            Difference::AddedFile(path) => write!(f, "added file    {path}"),
            Difference::ChangedFile(path) => write!(f, "changed file  {path}"),
            Difference::OtherText(path) => {
                write!(f, "changed file  {path}: the same cases in another order or text")
            }
            Difference::Unreadable(path, why) => write!(f, "changed file  {path}: {why}"),
            Difference::MissingCase(id, why) => write!(f, "missing case  {id} ({why})"),
            Difference::AddedCase(id, why) => write!(f, "added case    {id} ({why})"),
            Difference::ChangedCase(id, members, why) => {
                write!(f, "changed case  {id}: {} ({why})", members.join(", "))
            }
            Difference::TwiceCase(id) => write!(f, "duplicate id  {id}"),
            Difference::Manifest(what) => write!(f, "manifest      {what}"),
            Difference::Edited(path) => {
                write!(f, "edited        {path}: not what the copy's own manifest says")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "data/publish/domain.json";

    /// The reported differences of a copy with an altered domain file.
    fn altered(alter: impl FnOnce(&mut Vec<Value>)) -> Vec<String> {
        let ours = Collection::embedded();
        let mut copy = ours.clone();
        let mut cases: Vec<Value> =
            serde_json::from_slice(ours.file(FILE).expect("it exists")).expect("JSON");
        alter(&mut cases);
        copy.put(FILE, crate::case::canonical(&cases));
        let found = drift(&ours, &copy);
        // Every change also breaks the copy's own manifest.
        let edited = Difference::Edited(FILE.to_owned());
        assert_eq!(found.contains(&edited), found.len() > 1, "{found:?}");
        found.iter().filter(|each| **each != edited).map(ToString::to_string).collect()
    }

    #[test]
    fn differences_are_reported_by_case() {
        assert_eq!(altered(|_| ()), [""; 0]);
        assert_eq!(
            altered(|cases| drop(cases.remove(0))),
            ["missing case  publish/domain/plain (Two labels of letters.)"]
        );
        assert_eq!(
            altered(|cases| cases[0]["why"] = "x.".into()),
            ["changed case  publish/domain/plain: why (x.)"]
        );
        let more = altered(|cases| {
            let mut case = cases[0].clone();
            case["id"] = "publish/domain/new".into();
            cases.push(case);
        });
        assert_eq!(more, ["added case    publish/domain/new (Two labels of letters.)"]);
        let twice = altered(|cases| cases.push(cases[0].clone()));
        assert_eq!(twice, ["duplicate id  publish/domain/plain"]);
        let order = altered(|cases| cases.swap(0, 1));
        assert_eq!(
            order,
            ["changed file  data/publish/domain.json: the same cases in another order or text"]
        );
    }

    #[test]
    fn added_and_missing_files_are_reported() {
        let ours = Collection::embedded();
        let finding = |alter: fn(&mut Collection)| {
            let mut copy = ours.clone();
            alter(&mut copy);
            drift(&ours, &copy).iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(finding(|_| ()), [""; 0]);
        assert_eq!(finding(|copy| drop(copy.take(FILE))), ["missing file  data/publish/domain.json"]);
        assert_eq!(
            finding(|copy| copy.put("data/publish/x.json", "[]")),
            ["added file    data/publish/x.json"]
        );
        assert_eq!(finding(|copy| drop(copy.take("LICENSE"))), [""; 0]);
        assert_eq!(finding(|copy| copy.put("LICENSE", "mine")), ["changed file  LICENSE"]);
        assert_eq!(finding(|copy| drop(copy.take("divergences.json"))), ["missing file  divergences.json"]);
        let broken = finding(|copy| copy.put(FILE, "[\n{]"));
        assert!(broken[0].contains("line 2 column 2"), "{broken:?}");
        let manifest = finding(|copy| {
            let text = String::from_utf8(copy.file(MANIFEST).expect("it exists").to_vec()).expect("UTF-8");
            copy.put(MANIFEST, text.replacen("\"version\": 2", "\"version\": 3", 1));
        });
        assert_eq!(manifest, ["manifest      version 3 instead of 2"]);
    }

    #[test]
    fn data_folder_alone_is_also_a_copy() {
        let ours = Collection::embedded();
        let mut copy = ours.clone();
        let besides: Vec<String> =
            copy.files().map(|(path, _)| path.to_owned()).filter(|path| !path.starts_with(DATA)).collect();
        for path in besides {
            copy.take(&path);
        }
        assert_eq!(drift(&ours, &copy), []);
    }
}
