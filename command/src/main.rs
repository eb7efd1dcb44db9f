//! The `assay` command.

mod cli;

use std::process::ExitCode;

use assay_suites::support::tell;
use clap::{ColorChoice, CommandFactory, FromArgMatches};
use cli::Ending;
use cli::command::Command;
use mimalloc::MiMalloc;

/// Checks and worlds allocate much, on several threads.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    let matches = cli::help::grouped(Command::command()).get_matches();
    let command = Command::from_arg_matches(&matches).unwrap_or_else(|e| e.exit());
    match command.color {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    }
    .write_global();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(e) => {
            tell(format_args!("assay: cannot start: {e}\n"));
            return ExitCode::from(4);
        }
    };
    let ending = runtime.block_on(command.what.run());
    // Open connections must not delay the exit.
    runtime.shutdown_background();
    let (code, why) = ending.as_ref().err().map_or((0, ""), Ending::code_and_reason);
    if !why.is_empty() {
        tell(format_args!("assay: {why}\n"));
    }
    ExitCode::from(code)
}
