//! The node API's store with a thousand to a million messages: memory per message, time per query by hash and
//! by address, and the cost of a snapshot.
//!
//! A query is a whole request, from its head to the last byte of its response. It must be as fast in a full
//! world as in an empty one. Prints the figures. Fails if the slope of their logarithms exceeds 0.1 or a
//! snapshot takes 10 ms or more. Numbers on the command line are more sizes: `-- 10000000`.

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
    let more = std::env::args().filter_map(|argument| argument.parse::<u32>().ok());
    let mut sizes: Vec<u32> = SIZES.into_iter().chain(more).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let figures = store::print(&sizes);
    for (name, slope) in figures.slopes {
        println!("slope {name}: {slope:+.3}");
        assert!(slope <= SLOPE, "the time of a query {name} grows with the number of messages");
    }
    assert!(figures.snapshot < SNAPSHOT, "a snapshot takes {:?}", figures.snapshot);
}
