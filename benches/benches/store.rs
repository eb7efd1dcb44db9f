//! The node API's store with a thousand to a million messages: memory per message, time per query by hash and
//! by address, and the cost of a snapshot.
//!
//! A query is a whole request, from its head to the last byte of its response. It must be as fast in a full
//! world as in an empty one. Prints the figures. Fails if the slope of their logarithms exceeds 0.1 or a
//! snapshot takes 10 ms or more.

use std::time::Duration;

use assay_benches::ratios::store;

const SIZES: [u32; 4] = [1_000, 10_000, 100_000, 1_000_000];
const SLOPE: f64 = 0.1;
const SNAPSHOT: Duration = Duration::from_millis(10);

fn main() {
    // `cargo test --benches` starts every bench; nothing is measured then.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let figures = store::print(&SIZES);
    for (name, slope) in figures.slopes {
        println!("slope {name}: {slope:+.3}");
        assert!(slope <= SLOPE, "the time of a query {name} grows with the number of messages");
    }
    assert!(figures.snapshot < SNAPSHOT, "a snapshot takes {:?}", figures.snapshot);
}
