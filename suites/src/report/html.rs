//! The report as one self-contained HTML page.
//!
//! The result, the causes and the tables are markup, readable without a script. The requirements, exchanges, pictures
//! and long lists are data in the page; the script renders them when they are opened. Data from a target is escaped.

mod catalogue;
mod cause;
mod exchange;
mod layout;
mod machine;
mod outcome;
mod sections;
pub(super) mod text;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use self::outcome::Cuts;
use super::page::{Page, fill};
use super::readable;
use crate::documents::catalogue::Sentences;
use crate::harness::data::Run;
use crate::harness::judge::cause::causes;
use crate::report::diff::Verdicts;

/// If the data of the requirements is larger, it is rendered again with less of the exchanges. The rest of a page is
/// below half a megabyte.
const CATALOGUE_BYTES: usize = 1_000_000;
/// The same for a page with every exchange.
const FULL_BYTES: usize = 7 * 1024 * 1024;

/// From long to short; the last is used in any case.
const CUTS: [Cuts; 5] = [
    Cuts { failed: 16 * 1024, passed: 2 * 1024, exchanges: usize::MAX, causes: None },
    Cuts { failed: 4 * 1024, passed: 512, exchanges: usize::MAX, causes: None },
    Cuts { failed: 1024, passed: 128, exchanges: usize::MAX, causes: None },
    Cuts { failed: 1024, passed: 16, exchanges: 32, causes: Some(30) },
    Cuts { failed: 128, passed: 16, exchanges: 16, causes: Some(4) },
];

/// What a page has besides the run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'old> {
    /// The exchanges of passed checks, too.
    pub full: bool,
    /// An earlier report to compare with, and its name.
    pub since: Option<(&'old str, &'old Verdicts)>,
    /// The sentences of the documents, which are quoted.
    pub sentences: Option<&'old Sentences>,
}

/// What the script renders later, by key.
type Late = BTreeMap<String, String>;

/// The run as a page. Bodies are cut at 16 KiB, and shorter if the page would be too large.
pub fn write(run: &Run, options: Options<'_>) -> String {
    let run = &*readable(run);
    let causes = causes(run);
    let mut catalogue = Value::Null;
    let most = if options.full { FULL_BYTES } else { CATALOGUE_BYTES };
    for cuts in CUTS {
        catalogue = catalogue::catalogue(run, &causes, cuts, options);
        if catalogue.to_string().len() <= most {
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
        ("@OVERVIEW@", sections::overview(run)),
        ("@CAUSES@", cause::causes(run, &causes, options.sentences, &mut late)),
        ("@REMARKS@", sections::remarks(run)),
        ("@UNTESTED@", sections::untested(run, &mut late)),
        ("@SINCE@", sections::since(run, options.since)),
        ("@FILTERS@", catalogue::filters(run)),
        ("@CATALOGUE@", catalogue::groups(run)),
        ("@MACHINES@", machines),
        ("@ENDPOINTS@", sections::endpoints(run)),
        ("@TIMING@", sections::timing(run, &mut late)),
        ("@CONDITIONS@", sections::conditions(run)),
    ];
    let page = Page {
        title: &sections::title(run),
        style: include_str!("html/style.css"),
        body: &fill(include_str!("html/body.html"), parts),
        data: &json!({ "rows": catalogue, "late": late }),
        script: include_str!("html/script.js"),
    };
    page.write()
}
