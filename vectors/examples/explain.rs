//! Explains the cases whose id holds the argument.

fn main() {
    let text = std::env::args().nth(1).unwrap_or_default();
    for case in assay_vectors::cases().iter().filter(|case| case.id.contains(&text)) {
        println!("{}", assay_vectors::explain::explain(case, false));
    }
}
