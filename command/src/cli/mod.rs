//! The subcommands, a file each, and what they share.

/// As the standard macro, but a closed pipe does not cause a panic.
macro_rules! print {
    ($($text:tt)*) => { crate::cli::put(format_args!($($text)*)) };
}

/// See `print`.
macro_rules! println {
    ($($text:tt)*) => { crate::cli::put(format_args!("{}\n", format_args!($($text)*))) };
}

/// As the standard macro, but a closed standard error does not cause a panic.
macro_rules! eprint {
    ($($text:tt)*) => { assay_suites::support::tell(format_args!($($text)*)) };
}

/// See `eprint`.
macro_rules! eprintln {
    ($($text:tt)*) => { eprint!("{}\n", format_args!($($text)*)) };
}

pub(crate) mod chat;
pub(crate) mod cid;
#[cfg(feature = "embedded")]
pub(crate) mod client;
pub(crate) mod command;
pub(crate) mod doctor;
pub(crate) mod explain;
#[cfg(feature = "embedded")]
pub(crate) mod explore;
pub(crate) mod help;
pub(crate) mod history;
pub(crate) mod init;
pub(crate) mod interrupt;
pub(crate) mod mcp;
pub(crate) mod openapi;
pub(crate) mod outputs;
#[cfg(feature = "embedded")]
pub(crate) mod prove;
pub(crate) mod publish;
pub(crate) mod readings;
pub(crate) mod recover;
pub(crate) mod report;
pub(crate) mod requirements;
mod rerun_on;
pub(crate) mod run;
pub(crate) mod selection;
#[cfg(feature = "embedded")]
pub(crate) mod sim;
pub(crate) mod target;
pub(crate) mod vectors;
pub(crate) mod watch;

use std::io::Write;
use std::ops::RangeInclusive;
use std::path::Path;

use assay_spec::Service;
use assay_suites::harness::setup::SetupError;
use assay_suites::support::files;
use clap::builder::{StringValueParser, TypedValueParser};

/// How a command ends: 2 for bad arguments or a bad profile, 3 for an unreachable target, 4 for a failure of the
/// harness.
pub(crate) enum Ending {
    Code(u8),
    Bad(String),
    Unreachable(String),
    Failed(String),
}

impl Ending {
    /// The exit code, and what is printed on standard error; empty if all is said.
    pub(crate) fn code_and_reason(&self) -> (u8, &str) {
        match self {
            Ending::Code(code) => (*code, ""),
            Ending::Bad(why) => (2, why),
            Ending::Unreachable(why) => (3, why),
            Ending::Failed(why) => (4, why),
        }
    }
}

impl From<SetupError> for Ending {
    fn from(error: SetupError) -> Ending {
        match error {
            SetupError::Bad(why) => Ending::Bad(why),
            SetupError::Unreachable(why) => Ending::Unreachable(why),
        }
    }
}

pub(crate) fn parse_service(name: &str) -> Result<Service, String> {
    let known: Vec<&str> = Service::ALL.iter().map(|service| service.name()).collect();
    Service::named(name).ok_or_else(|| format!("unknown service; known services: {}", known.join(", ")))
}

/// Reads a whole number in a range.
pub(crate) fn whole<N: TryFrom<u64> + Clone + Send + Sync + 'static>(
    range: RangeInclusive<u64>,
) -> impl TypedValueParser<Value = N> {
    let read = move |text: String| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.and_then(|number| N::try_from(number).ok()).ok_or_else(|| {
            let (first, last) = (range.start(), range.end());
            let most = if *last == u64::MAX { String::new() } else { format!(" to {last}") };
            format!("write a whole number from {first}{most}")
        })
    };
    StringValueParser::new().try_map(read)
}

/// Whether standard output shows colours: as `--color` says, otherwise on a terminal unless `NO_COLOR` is set.
pub(crate) fn is_coloured() -> bool {
    anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never
}

/// Prints. A closed pipe (as with `head`) is not an error: the exit code still comes from the command's result.
pub(crate) fn put(text: std::fmt::Arguments<'_>) {
    if let Err(e) = std::io::stdout().lock().write_fmt(text)
        && e.kind() != std::io::ErrorKind::BrokenPipe
    {
        eprintln!("assay: standard output: {e}");
        std::process::exit(4);
    }
}

pub(crate) fn read_secret(path: &Path) -> Result<String, Ending> {
    files::read_text(path, "a secret", files::SECRET_BYTES).map_err(|e| Ending::Bad(e.to_string()))
}

/// Writes a file; see [`files::write_with`].
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Ending> {
    files::write(path, text.as_bytes()).map_err(|e| Ending::Failed(format!("{}: {e}", path.display())))
}
