//! The reference end of the JSON-lines protocol as a program of its own.

fn main() -> std::io::Result<()> {
    assay_vectors::shim::serve(std::io::stdin().lock(), std::io::stdout().lock())
}
