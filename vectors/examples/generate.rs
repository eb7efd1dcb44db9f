//! Writes the generated files of `data`, or with `--check` says which would change.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let check = std::env::args().any(|arg| arg == "--check");
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let mut stale = 0;
    for (path, bytes) in assay_vectors::generate::files() {
        let path = data.join(path);
        if std::fs::read(&path).is_ok_and(|old| old == bytes) {
            continue;
        }
        stale += 1;
        println!("{}", path.display());
        if !check {
            std::fs::write(&path, bytes).expect("the folder of the data can be written");
        }
    }
    ExitCode::from(u8::from(check && stale > 0))
}
