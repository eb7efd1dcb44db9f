//! The report as one page that needs nothing else: no network, no other file.
//!
//! Everything stands in the page as markup, so that it can be read without a script; the script adds search, filters,
//! copying and a change of theme. What came from a target is escaped, and only the script and the style whose
//! hashes the page names are run.

mod exchange;
mod layout;
mod ledger;
mod machine;
mod outcome;
mod sections;
mod text;

use assay_spec::crypto::text::base64;
use sha2::{Digest, Sha256};

use self::outcome::Cuts;
use super::readable;
use crate::verdict::Run;

/// A larger ledger opens slowly; it is written again with shorter bodies.
const LEDGER_BYTES: usize = 7 * 1024 * 1024;

/// From long to short; the last is taken whatever comes of it.
const CUTS: [Cuts; 4] = [
    Cuts { failed: 16 * 1024, passed: 2 * 1024 },
    Cuts { failed: 16 * 1024, passed: 512 },
    Cuts { failed: 4 * 1024, passed: 128 },
    Cuts { failed: 1024, passed: 16 },
];

/// The run as a page. Bodies are cut at 16 KiB, and at 2 KiB where the check passed; shorter where the page would
/// become too large.
pub fn write(run: &Run) -> String {
    let run = &*readable(run);
    let mut ledger = String::new();
    for cuts in CUTS {
        ledger = ledger::ledger(run, cuts);
        if ledger.len() <= LEDGER_BYTES {
            break;
        }
    }
    let machines = machine::machines(&run.transitions);
    let parts = [
        ("@STYLE-HASH@", hash(STYLE)),
        ("@SCRIPT-HASH@", hash(SCRIPT)),
        ("@STYLE@", STYLE.to_owned()),
        ("@OVERVIEW@", sections::overview(run)),
        ("@ATTENTION@", sections::attention(run)),
        ("@FILTERS@", ledger::filters(run)),
        ("@LEDGER@", ledger),
        (
            "@MACHINES@",
            if machines.is_empty() { sections::nothing("The target does not tell.") } else { machines },
        ),
        ("@ENDPOINTS@", sections::endpoints(run)),
        ("@TIMING@", sections::timing(run)),
        ("@CONDITIONS@", sections::conditions(run)),
        ("@SCRIPT@", SCRIPT.to_owned()),
    ];
    // Each mark is taken from the frame alone: what a part brings along is not looked at again.
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

/// What a content security policy calls a script or a style.
fn hash(text: &str) -> String {
    format!("'sha256-{}'", base64(&Sha256::digest(text)))
}
