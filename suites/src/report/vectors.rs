//! The golden vectors as one self-contained HTML page; the reports of programs that were tested with them.

pub mod json;
pub mod junit;
pub mod markdown;
pub mod terminal;

use assay_vectors::explain::{Line, Tone, explanation};
use assay_vectors::{Case, Expect, cases, manifest};
use serde_json::{Value, json};

use super::page::Page;

/// The page of all cases. Their contents are data, never markup: the script writes text nodes.
pub fn write() -> String {
    let data = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "operations": manifest().operations,
        "cases": cases().iter().map(case).collect::<Vec<_>>(),
    });
    let page = Page {
        title: "Golden vectors",
        style: include_str!("vectors/style.css"),
        body: include_str!("vectors/body.html"),
        data: &data,
        script: include_str!("vectors/script.js"),
    };
    page.write()
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_holds_every_case_and_loads_nothing() {
        let page = write();
        let (before, rest) = page.split_once("<script type=\"application/json\" id=\"data\">").expect("data");
        let (data, after) = rest.split_once("</script>").expect("an end");
        let data: Value = serde_json::from_str(data).expect("JSON");
        let ids: Vec<&str> =
            data["cases"].as_array().expect("a list").iter().filter_map(|case| case["id"].as_str()).collect();
        assert_eq!(ids, cases().iter().map(|case| case.id.as_str()).collect::<Vec<_>>());
        for frame in [before, after] {
            for word in ["http:", "https:", "innerHTML", "eval", "fetch", "@DATA@"] {
                assert!(!frame.contains(word), "{word}");
            }
        }
        assert_eq!((page.matches("<script").count(), page.matches("</script>").count()), (2, 2));
    }
}
