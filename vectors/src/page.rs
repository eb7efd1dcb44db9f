//! The whole collection as one self-contained HTML page: no network, no other file.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::case::{Case, Expect};
use crate::explain::{Line, Tone, explanation};
use crate::{all, manifest};

/// The page. Case contents are data, never markup: the script writes text nodes, and only the script and the style
/// with the listed hashes run.
pub fn page() -> String {
    let data = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "operations": manifest().operations,
        "cases": all().iter().map(case).collect::<Vec<_>>(),
    });
    let parts = [
        ("@STYLE-HASH@", hash(STYLE)),
        ("@SCRIPT-HASH@", hash(SCRIPT)),
        ("@STYLE@", STYLE.to_owned()),
        ("@SCRIPT@", SCRIPT.to_owned()),
        ("@DATA@", script_safe(&data)),
    ];
    let mut page = FRAME.to_owned();
    for (mark, part) in parts {
        page = page.replacen(mark, &part, 1);
    }
    page
}

const FRAME: &str = include_str!("page/frame.html");
const STYLE: &str = include_str!("page/style.css");
const SCRIPT: &str = include_str!("page/script.js");

fn case(case: &Case) -> Value {
    let (verdict, rule) = match &case.expect {
        Expect::Accept { .. } => ("accept", ""),
        Expect::Reject { rule, .. } => ("reject", rule.as_str()),
    };
    json!({
        "id": case.id,
        "op": case.op,
        "verdict": verdict,
        "rule": rule,
        "why": case.why,
        "rows": case.requirements,
        "lines": explanation(case).iter().skip(1).map(line).collect::<Vec<_>>(),
    })
}

/// A line: a string, or an array of tone numbers and strings.
fn line(line: &Line) -> Value {
    match line.parts() {
        [] => "".into(),
        [(Tone::Plain, text)] => text.trim_end().into(),
        parts => parts.iter().flat_map(|(tone, text)| [json!(*tone as u8), json!(text)]).collect(),
    }
}

/// JSON that cannot close the surrounding script element or start a comment in it.
fn script_safe(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// The hash of a script or style for the content security policy.
fn hash(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)))
}

/// The number of cases on the page, by operation: for checks that none is missing.
pub fn counts() -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for case in all() {
        *counts.entry(case.op.clone()).or_default() += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_holds_every_case_and_loads_nothing() {
        let page = page();
        let data = page.split("<script type=\"application/json\" id=\"data\">").nth(1).expect("data");
        let data = data.split("</script>").next().expect("an end");
        let data: Value = serde_json::from_str(data).expect("JSON");
        let ids: Vec<&str> =
            data["cases"].as_array().expect("a list").iter().filter_map(|case| case["id"].as_str()).collect();
        assert_eq!(ids, all().iter().map(|case| case.id.as_str()).collect::<Vec<_>>());
        let frame = page.replace(&script_safe(&data), "");
        assert!(!frame.contains("http:") && !frame.contains("https:") && !frame.contains("@DATA@"));
        assert!(!SCRIPT.contains("innerHTML") && !SCRIPT.contains("eval") && !SCRIPT.contains("fetch"));
        assert_eq!(page.matches("</script>").count(), 2);
        assert_eq!(page.matches("<script").count(), 2);
    }

    #[test]
    fn markup_in_a_case_is_escaped() {
        let hostile = json!({"why": "</script><script>alert(1)</script><!--\u{2028}"});
        let safe = script_safe(&hostile);
        assert!(!safe.contains('<') && !safe.contains('\u{2028}'));
        assert_eq!(serde_json::from_str::<Value>(&safe).expect("JSON"), hostile);
    }
}
