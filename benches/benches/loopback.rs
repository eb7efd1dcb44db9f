//! The served simulator over loopback, compared with a minimal axum server and hyper alone: throughput, latency, and the
//! frames of streams.

use assay_benches::ratios::{Effort, loopback, print_machine};

fn main() {
    // `cargo test --benches` starts every bench; nothing is measured then.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    print_machine();
    loopback::print(Effort::Long);
}
