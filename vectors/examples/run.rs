//! Runs the cases through a program: `cargo run --example run -- python3 examples/python/shim.py`.

use assay_vectors::run::{Options, Outcome, run};

fn main() {
    let command: Vec<String> = std::env::args().skip(1).collect();
    let report = run(&command, &Options::default());
    println!("{}: {:?} {:?} {:?}", report.program, report.counts(), report.incidents, report.missing);
    for result in
        report.results.iter().filter(|result| result.outcome > Outcome::Pass && !result.text.is_empty())
    {
        if result.outcome != Outcome::Unsupported {
            println!("{} {}: {}", result.outcome, result.id, result.text);
        }
    }
    std::process::exit(i32::from(!report.conforms()));
}
