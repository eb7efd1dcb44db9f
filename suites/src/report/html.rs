//! The report as one self-contained HTML page.
//!
//! The whole content is markup, readable without a script; the script adds search, filters, copying and themes. Data
//! from a target is escaped, and a content security policy allows only the page's own script and style, by hash.

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

/// If the ledger is larger, it is rendered again with shorter bodies.
const LEDGER_BYTES: usize = 7 * 1024 * 1024;

/// From long to short; the last is used in any case.
const CUTS: [Cuts; 4] = [
    Cuts { failed: 16 * 1024, passed: 2 * 1024 },
    Cuts { failed: 16 * 1024, passed: 512 },
    Cuts { failed: 4 * 1024, passed: 128 },
    Cuts { failed: 1024, passed: 16 },
];

/// The run as a page. Bodies are cut at 16 KiB, at 2 KiB for passed checks, and shorter if the page would be too large.
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
            if machines.is_empty() {
                sections::nothing("The target does not report transitions.")
            } else {
                machines
            },
        ),
        ("@ENDPOINTS@", sections::endpoints(run)),
        ("@TIMING@", sections::timing(run)),
        ("@CONDITIONS@", sections::conditions(run)),
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

/// The hash of a script or style for a content security policy.
fn hash(text: &str) -> String {
    format!("'sha256-{}'", base64(&Sha256::digest(text)))
}
