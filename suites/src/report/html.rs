//! The report as one self-contained HTML page.
//!
//! The result, the causes and the tables are markup, readable without a script. The requirements, exchanges, pictures
//! and long lists are data in the page; the script renders them when they are opened. Data from a target is escaped, and
//! a content security policy allows only the page's own script and style, by hash.

mod cause;
mod exchange;
mod layout;
mod ledger;
mod machine;
mod outcome;
mod sections;
mod text;

use std::collections::BTreeMap;

use assay_spec::crypto::text::base64;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use self::outcome::Cuts;
use super::readable;
use crate::cause::causes;
use crate::diff::Verdicts;
use crate::verdict::Run;

/// If the data of the requirements is larger, it is rendered again with less of the exchanges. The rest of a page is
/// below half a megabyte.
const LEDGER_BYTES: usize = 1_000_000;
/// The same for a page with every exchange.
const FULL_BYTES: usize = 7 * 1024 * 1024;

/// From long to short; the last is used in any case.
const CUTS: [Cuts; 5] = [
    Cuts { failed: 16 * 1024, passed: 2 * 1024, causes: None },
    Cuts { failed: 4 * 1024, passed: 512, causes: None },
    Cuts { failed: 1024, passed: 128, causes: None },
    Cuts { failed: 1024, passed: 16, causes: Some(30) },
    Cuts { failed: 128, passed: 16, causes: Some(4) },
];

/// What a page has besides the run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'old> {
    /// The exchanges of passed checks, too.
    pub full: bool,
    /// An earlier report to compare with, and its name.
    pub since: Option<(&'old str, &'old Verdicts)>,
}

/// What the script renders later, by key.
type Late = BTreeMap<String, String>;

/// The run as a page. Bodies are cut at 16 KiB, and shorter if the page would be too large.
pub fn write(run: &Run, options: Options<'_>) -> String {
    let run = &*readable(run);
    let causes = causes(run);
    let mut ledger = Value::Null;
    let most = if options.full { FULL_BYTES } else { LEDGER_BYTES };
    for cuts in CUTS {
        ledger = ledger::ledger(run, &causes, cuts, options.full);
        if ledger.to_string().len() <= most {
            break;
        }
    }
    let mut late = Late::new();
    let machines = machine::machines(&run.transitions);
    let drawn = machines.matches("<figure").count();
    late.insert("machines".to_owned(), machines);
    let machines = if drawn == 0 {
        sections::nothing("The target does not report transitions.")
    } else {
        format!(
            "<details data-late=\"machines\"><summary>{drawn} state machines</summary><div class=\"machines\"></div></details>\n"
        )
    };
    let parts = [
        ("@STYLE-HASH@", hash(STYLE)),
        ("@SCRIPT-HASH@", hash(SCRIPT)),
        ("@TITLE@", sections::title(run)),
        ("@STYLE@", STYLE.to_owned()),
        ("@OVERVIEW@", sections::overview(run)),
        ("@CAUSES@", cause::causes(run, &causes, &mut late)),
        ("@UNTESTED@", sections::untested(run, &mut late)),
        ("@SINCE@", sections::since(run, options.since)),
        ("@FILTERS@", ledger::filters(run)),
        ("@LEDGER@", ledger::groups(run)),
        ("@MACHINES@", machines),
        ("@ENDPOINTS@", sections::endpoints(run)),
        ("@TIMING@", sections::timing(run, &mut late)),
        ("@CONDITIONS@", sections::conditions(run)),
        ("@DATA@", inert(&json!({ "rows": ledger, "late": late }))),
        ("@SCRIPT@", SCRIPT.to_owned()),
    ];
    // Marks are replaced only in the frame, never in inserted content.
    let mut page = String::new();
    let mut rest = FRAME;
    for (mark, part) in parts {
        let (before, after) = rest.split_once(mark).expect("the frame has every mark, in this order");
        page.push_str(before);
        page.push_str(&part);
        rest = after;
    }
    page + rest
}

const FRAME: &str = include_str!("html/frame.html");
const STYLE: &str = include_str!("html/style.css");
const SCRIPT: &str = include_str!("html/script.js");

/// JSON that does not end the element around it.
fn inert(value: &Value) -> String {
    value.to_string().replace("</", "<\\/").replace("<!", "\\u003c!").replace("<s", "\\u003cs")
}

/// The hash of a script or style for a content security policy.
fn hash(text: &str) -> String {
    format!("'sha256-{}'", base64(&Sha256::digest(text)))
}
