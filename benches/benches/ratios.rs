//! Every comparison in its short form, as tables of ratios, in less than five minutes. Names on the command line select parts:
//! `cargo bench -p assay-benches --bench ratios -- loopback envelope`.

use assay_benches::ratios::{Effort, cid, embedded, envelope, loopback, print_machine, recovery, scale};

/// A part of the table: its name, and what prints it.
type Part = (&'static str, fn(Effort));

/// The parts, in the order in which they are printed.
const PARTS: [Part; 6] = [
    // The memory of a store is that of the process, so it comes before what leaves some behind.
    ("scale", scale::print),
    ("loopback", loopback::print),
    ("envelope", envelope::print),
    ("cid", cid::print),
    ("recovery", recovery::print),
    ("embedded", embedded::print),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // `cargo test --benches` starts every bench; nothing is measured then.
    if !arguments.iter().any(|argument| argument == "--bench") {
        return;
    }
    let names: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    let known = |name: &str| PARTS.iter().any(|(part, _)| *part == name);
    if let Some(strange) = names.iter().find(|name| !known(name)) {
        let parts = PARTS.map(|(part, _)| part).join(", ");
        eprintln!("unknown part {strange:?}; known: {parts}");
        std::process::exit(2);
    }
    print_machine();
    for (part, print) in PARTS {
        if names.is_empty() || names.iter().any(|name| *name == part) {
            print(Effort::Short);
        }
    }
}
