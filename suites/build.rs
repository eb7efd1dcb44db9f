//! Collects the doc comments of the check functions, so that `assay explain` shows them.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=src");
    let mut docs = Vec::new();
    collect(
        Path::new("src"),
        &env::var("CARGO_PKG_NAME").expect("set by cargo").replace('-', "_"),
        &mut docs,
    )?;
    docs.sort();
    let mut table = "&[\n".to_owned();
    for (module, function, doc) in docs {
        writeln!(table, "({module:?}, {function:?}, {doc:?}),").expect("a string grows");
    }
    table.push(']');
    let out = env::var_os("OUT_DIR").expect("set by cargo");
    fs::write(PathBuf::from(out).join("check_docs.rs"), table)
}

/// Adds the check functions of a folder: module, name, doc comment.
fn collect(folder: &Path, module: &str, docs: &mut Vec<(String, String, String)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let module = if stem == "mod" { module.to_owned() } else { format!("{module}::{stem}") };
        if path.is_dir() {
            collect(&path, &module, docs)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let of_file = checks(&fs::read_to_string(&path)?);
            docs.extend(of_file.into_iter().map(|(function, doc)| (module.clone(), function, doc)));
        }
    }
    Ok(())
}

/// The check functions of a file, each with its doc comment: the functions that return `Checked`, and the rows
/// `ROW function: …` of a macro that makes such functions. Paragraphs of a comment are separated by an empty line.
fn checks(source: &str) -> Vec<(String, String)> {
    let (mut checks, mut doc, mut lines) = (Vec::new(), String::new(), source.lines().map(str::trim));
    while let Some(line) = lines.next() {
        if let Some(text) = line.strip_prefix("///") {
            let text = text.trim();
            doc += match (doc.is_empty() || doc.ends_with('\n'), text.is_empty()) {
                (_, true) => "\n\n",
                (true, false) => "",
                (false, false) => " ",
            };
            doc += text;
            continue;
        }
        if line.starts_with("#[") {
            continue;
        }
        let doc = std::mem::take(&mut doc);
        let name = if let Some((_, rest)) = line.split_once("async fn ") {
            let mut signature = rest.to_owned();
            while !signature.ends_with('{') {
                let Some(line) = lines.next() else { break };
                signature += line;
            }
            signature.contains("-> Checked").then(|| rest.split(['(', '<']).next()).flatten()
        } else {
            let (row, rest) = line.split_once(' ').unwrap_or_default();
            let is_row = row.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
            rest.split_once(':').map(|(name, _)| name).filter(|_| is_row)
        };
        checks.extend(name.filter(|_| !doc.is_empty()).map(|name| (name.to_owned(), doc)));
    }
    checks
}
