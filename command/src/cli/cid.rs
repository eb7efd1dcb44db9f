//! `assay cid`: the content identifier of a file or folder.

use std::io::{BufWriter, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use assay_spec::Strict;
use assay_spec::cid::{Blocks, CarWriter, CidError, Discard, Estimate, Layout, Summary};
use assay_suites::support::disk::of_path;
use assay_suites::support::files::{self, Mode};
use clap::{Args, ValueEnum};
use indicatif::{HumanBytes, ProgressBar};

use super::{Ending, whole};

/// Shorter work shows no progress.
const LONG: Duration = Duration::from_secs(1);
/// How often progress is shown.
const TICK: Duration = Duration::from_millis(200);

/// The end of the help.
pub(crate) const HELP: &str = "Examples:\n  assay cid dist\n  assay cid dist --car dist.car\n\nExit codes: 0 the identifier is on standard output, 2 the content has no identifier or cannot be read, 4 the CAR cannot be written";

#[derive(Args)]
pub(crate) struct CidArgs {
    /// The file or folder
    path: PathBuf,
    /// How the size of a directory is measured to decide whether it is sharded
    #[arg(long, value_enum, default_value_t)]
    estimate: Measure,
    /// Write the blocks as a CAR, version 1
    #[arg(long, value_name = "FILE")]
    car: Option<PathBuf>,
    /// Threads that read and hash; the default is the number of cores
    #[arg(long, value_name = "N", value_parser = whole::<u16>(1..=1024))]
    threads: Option<u16>,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum Measure {
    /// Bytes of names and identifiers
    #[default]
    Links,
    /// Bytes of the unsharded directory's block
    Block,
}

pub(crate) fn cid(args: &CidArgs) -> Result<(), Ending> {
    let estimate = match args.estimate {
        Measure::Links => Estimate::Links,
        Measure::Block => Estimate::Block,
    };
    let layout = Layout { estimate, ..Layout::default() };
    let summary = match &args.car {
        None => summary(args, &layout, &Discard)?,
        Some(car) => with_car(args, &layout, car)?,
    };
    // On standard output the CAR is alone.
    if args.car.as_deref() == Some(Path::new("/dev/stdout")) {
        eprintln!("{}", summary.cid);
    } else {
        println!("{}", summary.cid);
    }
    Ok(())
}

fn with_car(args: &CidArgs, layout: &Layout, car: &Path) -> Result<Summary, Ending> {
    keep_apart(&args.path, car)?;
    let written = files::write_with(car, Mode::Kept, |file| {
        let writer = CarWriter::new(BufWriter::with_capacity(1 << 20, file))?;
        let summary = summary(args, layout, &writer)?;
        writer.finish(&summary.cid)?;
        Ok(summary)
    });
    written.map_err(|failed| match failed {
        Unwritten::Io(error) => Ending::Failed(format!("{}: {error}", car.display())),
        Unwritten::Content(ending) => ending,
    })
}

/// Why there is no CAR.
enum Unwritten {
    Io(std::io::Error),
    Content(Ending),
}

impl From<std::io::Error> for Unwritten {
    fn from(error: std::io::Error) -> Self {
        Unwritten::Io(error)
    }
}

impl From<Ending> for Unwritten {
    fn from(ending: Ending) -> Self {
        Unwritten::Content(ending)
    }
}

/// Rejects a CAR inside the folder, which would become content, or in place of the file, which would be overwritten.
fn keep_apart(path: &Path, car: &Path) -> Result<(), Ending> {
    let folder = match car.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let folder = folder.canonicalize().map_err(|e| Ending::Bad(format!("{}: {e}", folder.display())))?;
    // If the path does not exist, reading it reports that.
    let Ok(content) = path.canonicalize() else { return Ok(()) };
    if folder.join(car.file_name().unwrap_or_default()).starts_with(&content) {
        return Err(Ending::Bad(format!(
            "{}: the CAR would be inside {}; write it elsewhere",
            car.display(),
            path.display()
        )));
    }
    Ok(())
}

fn summary(args: &CidArgs, layout: &Layout, blocks: &impl Blocks) -> Result<Summary, Ending> {
    let read_bytes = &AtomicU64::new(0);
    let work = || of_path(&args.path, layout, &mut Strict, blocks, read_bytes);
    let result = std::thread::scope(|scope| {
        let (done, is_done) = channel::<()>();
        scope.spawn(move || show(read_bytes, &is_done));
        let result = match args.threads {
            None => Ok(work()),
            Some(count) => rayon::ThreadPoolBuilder::new()
                .num_threads(usize::from(count))
                .build()
                .map(|pool| pool.install(work)),
        };
        drop(done);
        result
    });
    result
        .map_err(|e| Ending::Failed(format!("cannot start threads: {e}")))?
        .map_err(|error| explained(&args.path, &error))
}

/// The error, with the path as the caller gave it.
fn explained(path: &Path, error: &CidError) -> Ending {
    match error {
        CidError::At { path: below, fault } if below == "." => {
            Ending::Bad(format!("{}: {fault}", path.display()))
        }
        CidError::At { path: below, fault } => {
            Ending::Bad(format!("{}: {fault}", path.join(below).display()))
        }
        CidError::Refused(_) => Ending::Bad(format!("{}: {error}", path.display())),
        CidError::Blocks(_) => Ending::Failed(error.to_string()),
    }
}

/// Shows the number of bytes read, on a terminal only and once the work takes long.
fn show(read_bytes: &AtomicU64, is_done: &Receiver<()>) {
    if !std::io::stderr().is_terminal() || is_done.recv_timeout(LONG) != Err(RecvTimeoutError::Timeout) {
        return;
    }
    let bar = ProgressBar::new_spinner();
    while is_done.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
        bar.set_message(format!("{} read", HumanBytes(read_bytes.load(Ordering::Relaxed))));
        bar.tick();
    }
    bar.finish_and_clear();
}
